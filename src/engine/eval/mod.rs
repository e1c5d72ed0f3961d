//! The static evaluation: a sum of terms, one file each.
//!
//! Material and piece squares are kept by the board as moves are made; the other terms are computed at the leaf, and
//! only when their weight is not 0.

mod centre;
mod mobility;
mod random;
mod space;
mod squares;

use super::options::Eval;
use crate::chess::{Bitboard, Board, Color, Piece, Score, Square, attacks};

/// The options of the evaluation, resolved once for a search.
#[derive(Debug, Clone, Copy)]
pub struct Evaluator {
    weights: Eval,
    /// Whether any term beside the incremental sum has a weight.
    dear: bool,
    /// Scores are clipped to +-limit, so that none can be taken for a mate.
    limit: Score,
}

impl Evaluator {
    /// An evaluator whose scores stay within +-limit.
    #[must_use]
    pub fn new(weights: Eval, limit: Score) -> Self {
        let dear = weights.mobility != 0 || weights.centre != 0 || weights.space != 0 || weights.random != 0;
        Self { weights, dear, limit }
    }

    /// The evaluation from the side to move's view, in centipawns.
    #[inline]
    #[must_use]
    pub fn evaluate(&self, board: &Board) -> Score {
        let mut white = board.sum();
        if self.dear {
            white += self.dear_terms(board);
        }
        let white = self.clip(white);
        if board.turn() == Color::White { white } else { -white }
    }

    /// White's score within the limit.
    #[inline]
    #[must_use]
    pub fn clip(&self, white: Score) -> Score {
        white.clamp(-self.limit, self.limit)
    }

    /// What a piece is worth, in centipawns.
    #[inline]
    #[must_use]
    pub fn value(&self, piece: Piece) -> Score {
        self.weights.values.values()[piece as usize]
    }

    /// The terms that are computed at the leaf, from White's view.
    #[inline(never)]
    fn dear_terms(&self, board: &Board) -> Score {
        let terms: [(i32, Count); 3] = [
            (self.weights.mobility, mobility::count),
            (self.weights.centre, centre::count),
            (self.weights.space, space::count),
        ];
        let mut white = 0;
        for (weight, count) in terms {
            if weight != 0 {
                white += weight * (count(board, Color::White) - count(board, Color::Black));
            }
        }
        white + random::score(board, self.weights.random)
    }
}

/// What a term counts for one side.
type Count = fn(&Board, Color) -> i32;

/// What each piece on each square is worth, White's as positive numbers, Black's as negative: rows White pawn..king, then
/// Black pawn..king, as the board's incremental sum wants them.
#[must_use]
pub fn piece_square_values(weights: &Eval) -> [[i32; 64]; 12] {
    let material = weights.values.values();
    let mut rows = [[0; 64]; 12];
    for piece in Piece::ALL {
        for square in 0..64 {
            let white = material[piece as usize] + squares::bonus(weights.squares, piece, square);
            rows[piece as usize][square] = white;
            // Black's view is the board turned upside down: rank r becomes rank 7 - r.
            rows[6 + piece as usize][square ^ 56] = -white;
        }
    }
    rows
}

/// The squares that a piece attacks.
fn attacks_of(piece: Piece, side: Color, square: Square, occupied: Bitboard) -> Bitboard {
    match piece {
        Piece::Pawn => attacks::pawn(side, square),
        Piece::Knight => attacks::knight(square),
        Piece::Bishop => attacks::bishop(square, occupied),
        Piece::Rook => attacks::rook(square, occupied),
        Piece::Queen => attacks::queen(square, occupied),
        Piece::King => attacks::king(square),
    }
}
