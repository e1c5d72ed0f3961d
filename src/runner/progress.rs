//! The interface through which a run reports its progress.

use super::sources::Reused;
use super::{Done, RunSummary};

/// Receives the progress of a run.
pub trait Progress: Sync {
    /// The run begins. `all`: the number of jobs of the plan; `before`: jobs done by earlier runs;
    /// `found`: what the results file contained.
    fn begin(&self, _all: u64, _before: u64, _found: &Done) {}
    /// Rows were taken from other folders.
    fn reused(&self, _folders: &[Reused]) {}
    fn job(&self, _variant: &str, _item: &str) {}
    /// A job is done. `score`: the score of its encounter, in a match.
    fn done(&self, _score: Option<String>) {}
    /// The run has ended.
    fn end(&self, _ran: &RunSummary) {}
}

pub struct Quiet;

impl Progress for Quiet {}
