//! The interface through which a run reports its progress.

use super::{Done, RunSummary};
use std::collections::BTreeMap;

pub trait Progress: Sync {
    /// The run begins. `total` is the number of jobs of the plan, and `before` the number of jobs
    /// that earlier runs finished. `done` describes what the results file contained.
    fn begin(&self, _total: u64, _before: u64, _done: &Done) {}
    /// The number of jobs that will begin, by variant.
    fn remaining(&self, _jobs: BTreeMap<String, u64>) {}
    /// Rows were taken from other folders, or folders were left out. There is a line for each
    /// folder.
    fn reused(&self, _lines: &[String]) {}
    fn begin_job(&self, _variant: &str, _item: &str) {}
    /// A job is done. In a match, `score` is a text with the score of the job's encounter.
    fn end_job(&self, _score: Option<String>) {}
    fn end(&self, _summary: &RunSummary) {}
}

pub struct Quiet;

impl Progress for Quiet {}
