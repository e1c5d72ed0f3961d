//! A node's window and place in its search.

use crate::chess::Score;

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
