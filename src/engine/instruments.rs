//! The observers that there are, in one: diagnostics, the audit, and the learning of foresight, each where it is asked for.

use super::anatomy::Dissector;
use super::audit::Auditor;
use super::foresight::BestMoves;
use super::observer::{Observer, Probed};
use crate::chess::{Board, Move};
use crate::table::Table;

/// What watches a search.
#[derive(Default)]
pub struct Instruments<'a> {
    /// What takes the iteration apart, under full diagnostics.
    pub dissector: Option<Box<Dissector<'a>>>,
    /// What holds answers of the table against the truth.
    pub auditor: Option<Auditor<'a>>,
    /// What notes each node's best move for another search.
    pub notes: Option<&'a mut BestMoves>,
}

impl Instruments<'_> {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.dissector.is_none() && self.auditor.is_none() && self.notes.is_none()
    }
}

impl Observer for Instruments<'_> {
    fn node(&mut self, board: &Board) {
        if let Some(dissector) = self.dissector.as_mut() {
            dissector.node(board);
        }
    }

    fn asks(&mut self, board: &Board, table: &mut dyn Table) {
        if let Some(dissector) = self.dissector.as_mut() {
            dissector.asks(board, table);
        }
    }

    fn probed(&mut self, probed: &Probed, path: &[u64], table: &dyn Table) {
        if let Some(dissector) = self.dissector.as_mut().filter(|_| !probed.ahead) {
            dissector.probed(probed, table);
        }
        if let (Some(auditor), Some(hit)) = (self.auditor.as_mut(), probed.hit) {
            auditor.examine(probed, path, hit);
        }
    }

    fn best(&mut self, board: &Board, depth: i32, mv: Move) {
        if let Some(notes) = self.notes.as_mut() {
            notes.best(board, depth, mv);
        }
    }

    fn known(&mut self, board: &Board, depth: i32, mv: Move) {
        if let Some(notes) = self.notes.as_mut() {
            notes.known(board, depth, mv);
        }
    }
}
