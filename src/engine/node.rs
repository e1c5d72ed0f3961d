//! A node's window and place in its search.

use crate::chess::{Bound, Move, Score};

/// The place of a node in its search.
#[derive(Debug, Clone, Copy)]
pub struct Node {
    /// The window.
    pub alpha: Score,
    /// See `alpha`.
    pub beta: Score,
    /// Remaining depth; 0 for leaves and quiescence.
    pub depth: i32,
    /// Plies from the root.
    pub ply: usize,
    /// Expected to fail high: its window is closed, and its parent is not expected to.
    pub cut: bool,
}

/// What is known of a node before it is searched, as far as the options let it be used.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known {
    /// The stored move; none if there is none.
    pub mv: Move,
    /// The depth of the entry, as it was stored.
    pub depth: i32,
    /// Its score, as it was stored.
    pub score: Score,
    /// What the score says; none where the table may not be asked for it.
    pub bound: Bound,
}
