//! Observers of a search. The search is compiled for each observer type, so that the calls cost
//! nothing in a search without an observer.

use super::node::Node;
use crate::chess::{Board, Move};
use crate::table::{Hit, Table};

#[derive(Debug, Clone, Copy)]
pub struct ProbeEvent<'a> {
    pub board: &'a Board,
    pub node: Node,
    pub hit: Option<&'a Hit>,
    pub is_deep_enough: bool,
    /// Whether the hit cut off the node.
    pub is_cutoff: bool,
    pub by_parent: bool,
}

/// Is called after each probe. The arguments are those of [`Observer::after_probe`].
pub type ProbeWatch = Box<dyn FnMut(&ProbeEvent, &[u64]) + Send>;

/// Receives events of a search. An observer must not change any count.
pub trait Observer {
    /// Whether the observer observes anything. If so, shortcuts that skip events are disabled.
    const ENABLED: bool = true;
    fn before_node(&mut self, _board: &Board) {}
    /// Called when the table is about to be probed, or an entry is about to be offered to it.
    fn before_access(&mut self, _board: &Board, _table: &mut dyn Table) {}
    /// Called when the table has been probed. `path` has the keys of the positions from the start
    /// of the game to the parent of the node.
    fn after_probe(&mut self, _probe: &ProbeEvent, _path: &[u64], _table: &dyn Table) {}
    /// Called when the best move of a node has been found by searching it. The move may have cut
    /// off the node.
    fn after_search(&mut self, _board: &Board, _depth: i32, _mv: Move) {}
    /// Called when a table entry with this move cut off a node.
    fn after_entry_cutoff(&mut self, _board: &Board, _depth: i32, _mv: Move) {}
}

pub struct NoObserver;

impl Observer for NoObserver {
    const ENABLED: bool = false;
}
