//! The history heuristic: quiet moves by how often they cut, weighted by depth squared. Source: Schaeffer, 1983.

use crate::chess::{Color, Move};

/// Scores saturate here, below the distance between two ordering rules.
const MOST: i32 = (1 << 24) - 1;

/// One score for each side, from-square and to-square.
#[derive(Debug, Clone)]
pub struct History(Vec<i32>);

impl Default for History {
    fn default() -> Self {
        Self(vec![0; 2 * 64 * 64])
    }
}

/// Where a move's score stands.
#[inline]
fn slot(side: Color, mv: Move) -> usize {
    (side as usize) << 12 | usize::from(mv.bits() & 0xfff)
}

/// The move's score among its side's, 0..2^24.
#[inline]
#[must_use]
pub fn score(scores: &[i32], mv: Move) -> i32 {
    // The slice is as long as moves have squares: no check is left of this one.
    scores.get(slot(Color::White, mv)).copied().unwrap_or(0)
}

impl History {
    /// The scores of a side's moves.
    #[inline]
    #[must_use]
    pub fn of(&self, side: Color) -> &[i32] {
        let (white, black) = self.0.split_at(64 * 64);
        if side == Color::White { white } else { black }
    }

    /// Credits a quiet move that cut at a remaining depth.
    #[inline]
    pub fn learn(&mut self, side: Color, mv: Move, depth: i32) {
        let score = &mut self.0[slot(side, mv)];
        *score = (*score + depth * depth).min(MOST);
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.0.fill(0);
    }
}
