//! Counts which parts of positions a scheme of keys can distinguish.

use super::board::rights;
use super::keys::Keys;
use super::types::{Color, Piece, Square};
use std::collections::{BTreeMap, HashSet};

/// A piece on a square: one of 768.
pub type PieceSquare = (Color, Piece, Square);

/// Counts over the numbers of one scheme.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyAudit {
    /// Different numbers among the 768 piece-squares.
    pub distinct_piece_squares: usize,
    /// The number of pairs of piece-squares with the same number, of 294,528 pairs (768 x 767 / 2).
    pub colliding_pair_count: usize,
    /// The first colliding pairs, by piece and square: at most eight.
    pub first_colliding_pairs: Vec<(PieceSquare, PieceSquare)>,
    /// Different numbers among the 32 combinations of side to move and castling rights.
    pub distinct_side_and_castling: usize,
    /// Different numbers among the 16 e.p. squares (8 for a scheme by files, 1 for one without).
    pub distinct_en_passant: usize,
    /// Parts of a position whose number is 0, so that they are not in the key: piece-squares, side,
    /// rights, e.p. squares.
    pub zeros: usize,
}

/// Audits the numbers of a scheme.
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
    let mut pairs: Vec<(PieceSquare, PieceSquare)> = Vec::new();
    for piece_squares in by_number.values() {
        for (first_index, &first) in piece_squares.iter().enumerate() {
            pairs.extend(piece_squares[first_index + 1..].iter().map(|&second| (first, second)));
        }
    }
    pairs.sort_unstable();
    let sides = [0, keys.side];
    let combinations: HashSet<u64> =
        sides.iter().flat_map(|side| keys.castling.iter().map(move |rights| side ^ rights)).collect();
    // The third and the sixth rank.
    let en_passant: Vec<u64> = (16..24).chain(40..48).map(|square| keys.en_passant[square]).collect();
    let single_rights = [rights::WHITE_KING, rights::WHITE_QUEEN, rights::BLACK_KING, rights::BLACK_QUEEN];
    let parts = keys.piece.as_flattened().iter().copied().chain([keys.side]).chain(en_passant.iter().copied());
    let zeros =
        parts.chain(single_rights.map(|right| keys.castling[right as usize])).filter(|&number| number == 0).count();
    KeyAudit {
        distinct_piece_squares: by_number.len(),
        colliding_pair_count: pairs.len(),
        first_colliding_pairs: pairs.into_iter().take(8).collect(),
        distinct_side_and_castling: combinations.len(),
        distinct_en_passant: en_passant.into_iter().collect::<HashSet<_>>().len(),
        zeros,
    }
}
