//! A node: its window and its place in the tree.

use crate::chess::{Bound, Move, Score};

/// A node of the search.
#[derive(Debug, Clone, Copy)]
pub struct Node {
    pub alpha: Score,
    pub beta: Score,
    /// Remaining depth; 0 for leaves and quiescence.
    pub depth: i32,
    pub ply: usize,
    /// Whether it is expected to fail high: its window is closed, and its parent is not expected to
    /// fail high.
    pub cut: bool,
}

/// What the table knows about a node before it is searched, limited to what the options allow.
#[derive(Debug, Clone, Copy, Default)]
pub struct TableAnswer {
    /// The stored move, or [`Move::NONE`].
    pub mv: Move,
    /// The depth of the entry, as it was stored.
    pub depth: i32,
    /// The score of the entry, as it was stored.
    pub score: i16,
    /// The bound of the score; `None` if the score must not be used.
    pub bound: Bound,
}
