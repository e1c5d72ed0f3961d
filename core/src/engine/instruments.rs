//! Combines all observers that are requested. They serve diagnostics, the oracle's learner and the
//! node audit, which is a test.

use super::anatomy::Dissector;
use super::observer::{Observer, ProbeEvent, ProbeWatch};
use super::oracle::BestMoves;
use crate::chess::{Board, Move};
use crate::table::Table;

#[derive(Default)]
pub struct Instruments<'a> {
    /// Collects the anatomy if diagnostics are full.
    pub dissector: Option<Box<Dissector<'a>>>,
    pub probe_watch: Option<&'a mut ProbeWatch>,
    pub best_moves: Option<&'a mut BestMoves>,
}

impl Instruments<'_> {
    pub fn is_empty(&self) -> bool {
        self.dissector.is_none() && self.probe_watch.is_none() && self.best_moves.is_none()
    }
}

impl Observer for Instruments<'_> {
    fn before_node(&mut self, board: &Board) {
        if let Some(dissector) = self.dissector.as_mut() {
            dissector.record_position(board);
        }
    }

    fn before_access(&mut self, board: &Board, table: &mut dyn Table) {
        if let Some(dissector) = self.dissector.as_mut() {
            dissector.before_access(board, table);
        }
    }

    fn after_probe(&mut self, probe: &ProbeEvent, path: &[u64], table: &dyn Table) {
        // The diagnostics do not count a probe that a node makes for one of its children.
        if !probe.by_parent
            && let Some(dissector) = &mut self.dissector
        {
            dissector.count_probe(probe, table);
        }
        if let Some(watch) = self.probe_watch.as_mut() {
            watch(probe, path);
        }
    }

    fn after_search(&mut self, board: &Board, depth: i32, mv: Move) {
        if let Some(best_moves) = self.best_moves.as_mut() {
            best_moves.record_best(board, depth, mv);
        }
    }

    fn after_entry_cutoff(&mut self, board: &Board, depth: i32, mv: Move) {
        if let Some(best_moves) = self.best_moves.as_mut() {
            best_moves.record_entry_move(board, depth, mv);
        }
    }
}
