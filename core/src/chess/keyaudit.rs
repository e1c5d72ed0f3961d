//! Counts which parts of positions a scheme of keys can distinguish.

use super::board::{Board, rights};
use super::increments::Increments;
use super::keys::Keys;
use super::successors;
use super::types::{Color, Piece, Square};
use std::collections::{BTreeMap, HashSet};

/// A piece on a square: one of 768.
pub type PieceSquare = (Color, Piece, Square);

/// The result of an audit of one scheme's numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyAudit {
    /// How many different numbers the 768 piece-squares have.
    pub distinct_piece_squares: usize,
    /// How many of the 294,528 pairs of piece-squares (768 x 767 / 2) share one number.
    pub colliding_pair_count: usize,
    /// The first of the pairs that share one number, sorted by piece and square. There are at most
    /// eight.
    pub first_colliding_pairs: Vec<(PieceSquare, PieceSquare)>,
    /// How many different numbers the 32 combinations of side to move and castling rights have.
    pub distinct_side_and_castling: usize,
    /// How many different numbers the 16 e.p. squares have. This is 8 for a scheme that numbers
    /// files, and 1 for a scheme without e.p. numbers.
    pub distinct_en_passant: usize,
    /// How many parts of a position have the number 0, so that they are not in the key. The parts
    /// are piece-squares, the side to move, castling rights and e.p. squares.
    pub zero_keys: usize,
}

pub fn audit(keys: &Keys) -> KeyAudit {
    let mut by_number: BTreeMap<u64, Vec<PieceSquare>> = BTreeMap::new();
    for color in Color::ALL {
        for piece in Piece::ALL {
            for square in (0..64).map(Square::new) {
                let number = keys.piece[color as usize * 6 + piece as usize][square.index()];
                by_number.entry(number).or_default().push((color, piece, square));
            }
        }
    }
    let mut colliding_pairs: Vec<(PieceSquare, PieceSquare)> = Vec::new();
    for piece_squares in by_number.values() {
        for (first_index, &first) in piece_squares.iter().enumerate() {
            colliding_pairs.extend(piece_squares[first_index + 1..].iter().map(|&second| (first, second)));
        }
    }
    colliding_pairs.sort_unstable();
    let sides = [0, keys.side];
    let side_and_castling: HashSet<u64> =
        sides.iter().flat_map(|side| keys.castling.iter().map(move |rights| side ^ rights)).collect();
    // The third and the sixth rank.
    let en_passant: Vec<u64> = (16..24).chain(40..48).map(|square| keys.en_passant[square]).collect();
    let single_rights = [rights::WHITE_KING, rights::WHITE_QUEEN, rights::BLACK_KING, rights::BLACK_QUEEN];
    let parts = keys.piece.as_flattened().iter().copied().chain([keys.side]).chain(en_passant.iter().copied());
    let zero_keys =
        parts.chain(single_rights.map(|right| keys.castling[right as usize])).filter(|&number| number == 0).count();
    KeyAudit {
        distinct_piece_squares: by_number.len(),
        colliding_pair_count: colliding_pairs.len(),
        first_colliding_pairs: colliding_pairs.into_iter().take(8).collect(),
        distinct_side_and_castling: side_and_castling.len(),
        distinct_en_passant: en_passant.into_iter().collect::<HashSet<_>>().len(),
        zero_keys,
    }
}

/// How evenly a scheme's keys spread the positions of a game tree over the buckets of a table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// How many different positions were looked at.
    pub positions: usize,
    /// How many different keys they have.
    pub keys: usize,
    /// The sum over the buckets of (load - mean load)^2 / mean load. Keys that are as good as
    /// chance have the number of buckets less one, with a standard deviation of the square root of
    /// twice that. Source: Pearson's chi-square.
    pub chi_square: f64,
}

/// Spreads the positions that are at most four plies from the start position over buckets.
/// `bucket` is the index of the table: it returns a number below `buckets` for each key.
pub fn spread(keys: &Keys, buckets: usize, bucket: impl Fn(u64) -> u64) -> Spread {
    let identity = Keys::independent();
    // Positions that differ in an en passant square without a legal capture are one, in the form
    // that comes first in this order.
    let mut positions = BTreeMap::from([(Board::startpos().key_from_scratch(&identity), Board::startpos())]);
    for _ in 0..4 {
        for board in positions.clone().values() {
            let add = |child: &Board| _ = positions.entry(child.key_from_scratch(&identity)).or_insert(*child);
            successors::for_each(board, Increments::none(), add);
        }
    }
    let (mut loads, mut found) = (vec![0.0; buckets], HashSet::new());
    for board in positions.values() {
        let key = board.key_from_scratch(keys);
        loads[bucket(key) as usize] += 1.0;
        found.insert(key);
    }
    let mean = positions.len() as f64 / buckets as f64;
    let chi_square = loads.iter().map(|load| (load - mean) * (load - mean) / mean).sum();
    Spread { positions: positions.len(), keys: found.len(), chi_square }
}
