//! A node: its window and its place in the tree.

use crate::chess::{Bound, Move, Score};

#[derive(Debug, Clone, Copy)]
pub struct Node {
    pub alpha: Score,
    pub beta: Score,
    /// Remaining depth; 0 for leaves and quiescence nodes.
    pub depth: i32,
    pub ply: usize,
}

/// What the table knows about a node before the node is searched, as far as the options allow its
/// use.
#[derive(Debug, Clone, Copy, Default)]
pub struct TableFacts {
    /// The stored move, or [`Move::NONE`].
    pub mv: Move,
    pub depth: i32,
    pub score: i16,
    /// The bound of the score; `None` if the score must not be used.
    pub bound: Bound,
}
