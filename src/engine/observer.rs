//! What may watch a search as it runs. The search is compiled once for each observer: where nobody looks, nothing is left of these calls.

use super::node::Node;
use crate::chess::{Board, Move};
use crate::table::{Hit, Table};

/// A probe and what came of it.
#[derive(Debug, Clone, Copy)]
pub struct Probed<'a> {
    /// The position that was looked up.
    pub board: &'a Board,
    /// Its window and place.
    pub node: Node,
    /// The answer, if there was one.
    pub hit: Option<&'a Hit>,
    /// It may be believed at this depth.
    pub deep: bool,
    /// It would have ended the node but for its open window.
    pub closed: bool,
    /// It ended the node.
    pub cut: bool,
    /// It was asked by the parent, for an enhanced transposition cutoff.
    pub ahead: bool,
}

/// Hears of a search what it wants to. Nothing that it does may change a count.
pub trait Observer {
    /// Whether anybody looks: shortcuts that leave nothing to see are then not taken.
    const LOOKS: bool = true;
    /// A node of any kind is about to be valued.
    fn node(&mut self, board: &Board) {
        let _ = board;
    }
    /// The table is about to be asked about a position, or offered one.
    fn asks(&mut self, board: &Board, table: &mut dyn Table) {
        let _ = (board, table);
    }
    /// The table was asked. `path`: keys of the positions from the game's start to the node's parent.
    fn probed(&mut self, probed: &Probed, path: &[u64], table: &dyn Table) {
        let _ = (probed, path, table);
    }
    /// The move that was best at a node, or ended it, was found by searching it.
    fn best(&mut self, board: &Board, depth: i32, mv: Move) {
        let _ = (board, depth, mv);
    }
    /// A node ended with a move that the table knew.
    fn known(&mut self, board: &Board, depth: i32, mv: Move) {
        let _ = (board, depth, mv);
    }
}

/// Nobody looks.
pub struct NoObserver;

impl Observer for NoObserver {
    const LOOKS: bool = false;
}
