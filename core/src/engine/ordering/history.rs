//! The history heuristic, which orders quiet moves by how often they caused a cutoff, weighted by
//! depth squared. Source: Schaeffer, 1983.

use crate::chess::{Color, Move};

/// The largest score of a move. It is low enough that no score reaches the scores of the next
/// ordering rule.
const MAX_SCORE: i32 = (1 << 24) - 1;

/// One score for each side, each from-square and each to-square.
#[derive(Debug, Clone)]
pub struct History(Vec<i32>);

impl Default for History {
    fn default() -> Self {
        Self(vec![0; 2 * 64 * 64])
    }
}

#[inline]
fn slot(side: Color, mv: Move) -> usize {
    (side as usize) << 12 | usize::from(mv.bits() & 0xfff)
}

/// `scores` has the scores of the side that plays the move.
#[inline]
pub fn score(scores: &[i32], mv: Move) -> i32 {
    debug_assert_eq!(scores.len(), 64 * 64, "the scores of one side");
    // The slice has a score for each pair of squares, so the bounds check is optimised away.
    scores.get(slot(Color::White, mv)).copied().unwrap_or(0)
}

impl History {
    #[inline]
    pub fn side_scores(&self, side: Color) -> &[i32] {
        let (white, black) = self.0.split_at(64 * 64);
        if side == Color::White { white } else { black }
    }

    /// Raises the score of a quiet move that caused a cutoff at `depth`.
    #[inline]
    pub fn learn(&mut self, side: Color, mv: Move, depth: i32) {
        debug_assert!(depth >= 0 && !mv.is_none(), "a cutoff by {mv} at depth {depth} cannot be recorded");
        let score = &mut self.0[slot(side, mv)];
        *score = (*score + depth * depth).min(MAX_SCORE);
    }
}
