//! State that the workers of a run share.

use super::in_flight::InFlight;
use super::progress::Progress;
use super::stopping::MatchState;
use super::{Output, RunError, RunSummary, Subjects};
use crate::experiment::{Experiment, Plan};
use crate::record::{Extra, ResultsWriter};
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Debug, Default)]
pub struct WorkerState {
    /// If set, the worker's search ends soon.
    pub stop: AtomicBool,
    /// Whether the job's table grows while it runs.
    pub grows: AtomicBool,
    /// Whether the search was stopped because too little memory was left.
    pub starved: AtomicBool,
}

impl WorkerState {
    /// Prepares the state for a job. `grows` says whether the job's table grows while the job runs.
    pub fn begin_job(&self, grows: bool) {
        self.starved.store(false, Ordering::Relaxed);
        self.grows.store(grows, Ordering::Relaxed);
    }

    pub fn end_job(&self) {
        self.grows.store(false, Ordering::Relaxed);
        // A job that was stopped for lack of memory does not stop the next job. Any other stop ends
        // the run.
        if self.starved.load(Ordering::Relaxed) {
            self.stop.store(false, Ordering::Relaxed);
        }
    }
}

pub struct Shared<'a> {
    pub experiment: &'a Experiment,
    pub plan: &'a Plan,
    pub output: &'a Output,
    pub subjects: &'a Subjects,
    pub extra_columns: Extra,
    pub option_values: Vec<Vec<String>>,
    pub in_flight: InFlight,
    pub match_state: Mutex<MatchState>,
    /// For each lane, the reason why its tables do not fit into memory, or `None` if they fit.
    pub unfit_reasons: &'a [Option<String>],
    pub worker_states: Vec<WorkerState>,
    pub sink: Mutex<Sink>,
    pub summary: Mutex<RunSummary>,
    /// The working sets that were measured for tables whose size is given as a share. A working set
    /// is the number of entries that an unbounded table stores.
    pub working_sets: Mutex<HashMap<WorkingSetKey, u64>>,
    /// Set by another thread, or when a row cannot be written. Searches then end soon.
    pub stop: &'a AtomicBool,
    pub progress: &'a dyn Progress,
}

/// Everything that a working set depends on: the options that an unbounded table does not ignore
/// (as JSON), the depth limit, the node limit, and the job's first item.
pub type WorkingSetKey = (String, Option<u8>, Option<u64>, usize);

/// The results file while it is written.
pub struct Sink {
    pub results: ResultsWriter,
    pub dirty: bool,
    /// The error after which no more rows can be written.
    pub write_error: Option<RunError>,
}

impl Sink {
    /// Appends the rows of a job. Does nothing if no more rows can be written.
    pub fn append(&mut self, rows: &[Vec<String>], output: &Output) -> Result<(), RunError> {
        if self.write_error.is_some() {
            // The error has already been stored. The job runs again when the run is resumed.
            return Ok(());
        }
        self.check_file(output)?;
        self.dirty = true;
        self.results.append(rows).map_err(|error| output.row_write_error(error))
    }

    /// Checks that the results file still exists at its path and is unchanged.
    pub fn check_file(&mut self, output: &Output) -> Result<(), RunError> {
        if !self.results.is_in_place() {
            return Err(output.rescue_rows(&mut self.results));
        }
        match self.results.unexpected_length() {
            Some(length) => Err(output.changed_error(length)),
            None => Ok(()),
        }
    }
}
