//! The static evaluation, which is a sum of terms. Each term has its own file.
//!
//! Material and piece squares are updated by the board as moves are made. The other terms are
//! computed at the leaf, but only if their weight is not 0.

mod centre;
mod mobility;
mod space;
mod squares;

use super::options::Eval;
use crate::chess::{Board, Color, Piece, Score};

/// The options of the evaluation, resolved once for a search.
#[derive(Debug, Clone, Copy)]
pub struct Evaluator {
    weights: Eval,
    /// Whether any term besides the incremental sum has a weight.
    has_leaf_terms: bool,
    /// Scores are clipped to -max_score..=max_score, so that no score can be mistaken for a mate.
    max_score: Score,
}

impl Evaluator {
    pub fn new(weights: Eval, max_score: Score) -> Self {
        Self { weights, has_leaf_terms: weights.has_leaf_terms(), max_score }
    }

    /// Evaluates a position that was evaluated before. The idle `work` is not repeated.
    pub fn evaluate_again(&self, board: &Board) -> Score {
        Self::new(Eval { work: 0, ..self.weights }, self.max_score).evaluate(board)
    }

    /// Evaluates a position from the view of the side to move. Returns the score in centipawns.
    #[inline]
    pub fn evaluate(&self, board: &Board) -> Score {
        // The board keeps the sum of its piece-square values up to date.
        let mut white_score = board.sum();
        if self.has_leaf_terms {
            white_score += self.leaf_terms(board);
        }
        let white_score = self.clip(white_score);
        if board.turn() == Color::White { white_score } else { -white_score }
    }

    #[inline]
    pub fn clip(&self, white_score: Score) -> Score {
        white_score.clamp(-self.max_score, self.max_score)
    }

    #[inline]
    pub fn piece_value(&self, piece: Piece) -> Score {
        self.weights.values.values()[piece as usize]
    }

    #[inline(never)]
    fn leaf_terms(&self, board: &Board) -> Score {
        let terms: [(i32, Count); 3] = [
            (self.weights.mobility, mobility::count),
            (self.weights.centre, centre::count),
            (self.weights.space, space::count),
        ];
        let mut white_score = 0;
        for (weight, count) in terms {
            if weight != 0 {
                white_score += weight * (count(board, Color::White) - count(board, Color::Black));
            }
        }
        // This loop computes nothing. It makes the evaluation as slow as that of a neural network.
        for round in 0..self.weights.work {
            std::hint::black_box(round);
        }
        white_score
    }
}

impl Eval {
    /// Whether the evaluation of a leaf needs more than the incremental sum.
    #[must_use]
    pub const fn has_leaf_terms(&self) -> bool {
        self.mobility != 0 || self.centre != 0 || self.space != 0 || self.work != 0
    }
}

/// Counts what a term of the evaluation is about, for one side.
type Count = fn(&Board, Color) -> i32;

/// The values are negative for Black. The first six rows are White's pieces from pawn to king. The
/// last six rows are Black's pieces in the same order. This is the order that the board's
/// incremental sum expects.
pub fn piece_square_values(weights: &Eval) -> [[i32; 64]; 12] {
    let material = weights.values.values();
    let mut rows = [[0; 64]; 12];
    for piece in Piece::ALL {
        for square in 0..64 {
            let white_value = material[piece as usize] + squares::bonus(weights.squares, piece, square);
            rows[piece as usize][square] = white_value;
            // For Black the board is turned upside down, so that rank r becomes rank 7 - r.
            rows[6 + piece as usize][square ^ 56] = -white_value;
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Increments;
    use crate::engine::options::{PieceSquares, PieceValues};

    const AFTER_E4: &str = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1";

    #[test]
    fn evaluation_terms_match_a_count_by_hand() {
        let (start, e4) = (Board::startpos(), Board::from_fen(AFTER_E4).unwrap());
        let both_sides = |count: Count, board: &Board| (count(board, Color::White), count(board, Color::Black));
        // Two knights with two moves each; after e4 the knight g1 gains e2, the bishop five squares
        // and the queen four.
        assert_eq!(both_sides(mobility::count, &start), (4, 4));
        assert_eq!(both_sides(mobility::count, &e4), (14, 4));
        // The pawn on e4, and its attack on d5.
        assert_eq!(both_sides(centre::count, &start), (0, 0));
        assert_eq!(both_sides(centre::count, &e4), (2, 0));
        // a3, c3, f3, h3; then e2, d3, c4, b5 and a6, of which a black pawn guards the last.
        assert_eq!(both_sides(space::count, &start), (4, 4));
        assert_eq!(both_sides(space::count, &e4), (8, 4));
    }

    #[test]
    fn weighted_terms_are_summed_for_the_side_to_move() {
        let weights = Eval {
            values: PieceValues::Classic,
            squares: PieceSquares::None,
            mobility: 2,
            centre: 3,
            space: 1,
            work: 3,
        };
        let mut board = Board::from_fen(AFTER_E4).unwrap();
        board.rekey(&Increments::new(
            crate::chess::Keys::new(&crate::chess::KeyOptions::default()),
            &piece_square_values(&weights),
        ));
        // White: 2 x 10 + 3 x 2 + 1 x 4; Black is to move.
        assert_eq!(Evaluator::new(weights, 30_000).evaluate(&board), -30);
        assert_eq!(Evaluator::new(weights, 25).evaluate(&board), -25);
    }
}
