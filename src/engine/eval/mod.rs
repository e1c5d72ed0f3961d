//! The static evaluation: a sum of terms, one file each.
//!
//! Material and piece squares are updated by the board as moves are made; the other terms are
//! computed at the leaf, and only if their weight is not 0.

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
    /// Whether any term besides the incremental sum has a weight.
    has_leaf_terms: bool,
    /// Scores are clipped to +-limit, so that none can be mistaken for a mate.
    limit: Score,
}

impl Evaluator {
    /// An evaluator whose scores stay within +-limit.
    pub fn new(weights: Eval, limit: Score) -> Self {
        Self { weights, has_leaf_terms: weights.has_leaf_terms(), limit }
    }

    /// The evaluation of a position that was evaluated before, without the idle `work`.
    pub fn evaluate_again(&self, board: &Board) -> Score {
        Self::new(Eval { work: 0, ..self.weights }, self.limit).evaluate(board)
    }

    /// The evaluation from the side to move's view, in centipawns.
    #[inline]
    pub fn evaluate(&self, board: &Board) -> Score {
        // The board keeps the sum of its piece-square values up to date.
        let mut white = board.sum();
        if self.has_leaf_terms {
            white += self.leaf_terms(board);
        }
        let white = self.clip(white);
        if board.turn() == Color::White { white } else { -white }
    }

    /// Clips White's score to the limit.
    #[inline]
    pub fn clip(&self, white: Score) -> Score {
        white.clamp(-self.limit, self.limit)
    }

    /// The value of a piece, in centipawns.
    #[inline]
    pub fn value(&self, piece: Piece) -> Score {
        self.weights.values.values()[piece as usize]
    }

    /// The terms that are computed at the leaf, from White's view.
    #[inline(never)]
    fn leaf_terms(&self, board: &Board) -> Score {
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
        // Idle work, so that an evaluation takes as long as a network's.
        for round in 0..self.weights.work {
            std::hint::black_box(round);
        }
        white + random::score(board, self.weights.random)
    }
}

impl Eval {
    /// Whether a leaf's evaluation needs more than the incremental sum.
    #[must_use]
    pub const fn has_leaf_terms(&self) -> bool {
        self.mobility != 0 || self.centre != 0 || self.space != 0 || self.random != 0 || self.work != 0
    }
}

/// Counts a term for one side.
type Count = fn(&Board, Color) -> i32;

/// The value of each piece on each square, negative for Black. The rows are White's pawn to king,
/// then Black's, as the board's incremental sum expects.
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
            random: 0,
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
        let random = Eval { random: 500, mobility: 0, centre: 0, space: 0, ..weights };
        let score = Evaluator::new(random, 30_000).evaluate(&board);
        assert!(score != 0);
        assert!(score.abs() <= 500);
        assert!(score == Evaluator::new(random, 30_000).evaluate(&board));
    }
}
