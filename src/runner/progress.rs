//! What a run tells of its progress.

use super::sources::Reused;
use super::{Done, RunSummary};

/// Receives the progress of a run.
pub trait Progress: Sync {
    /// The run begins. `all`: jobs of the plan; `before`: those done by earlier runs; `found`: the
    /// results file.
    fn begin(&self, _all: u64, _before: u64, _found: &Done) {}
    /// Other folders gave rows.
    fn reused(&self, _folders: &[Reused]) {}
    fn job(&self, _variant: &str, _item: &str) {}
    /// A job is done. `score`: that of its encounter, in a match.
    fn done(&self, _score: Option<String>) {}
    /// The run has ended.
    fn end(&self, _ran: &RunSummary) {}
}

pub struct Quiet;

impl Progress for Quiet {}
