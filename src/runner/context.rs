//! State that the workers of a run share.

use super::in_flight::InFlight;
use super::progress::Progress;
use super::stopping::Stopping;
use super::{Output, RunError, RunSummary, Subjects};
use crate::experiment::{Experiment, Plan};
use crate::record::{Extra, ResultsWriter};
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// What the monitor and a worker share.
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
    /// Prepares for a job. `grows`: whether its table grows while it runs.
    pub fn begin_job(&self, grows: bool) {
        self.starved.store(false, Ordering::Relaxed);
        self.grows.store(grows, Ordering::Relaxed);
    }

    /// Clears the state after a job.
    pub fn end_job(&self) {
        self.grows.store(false, Ordering::Relaxed);
        // A stop for lack of memory concerns only this job; any other stop ends the run.
        if self.starved.load(Ordering::Relaxed) {
            self.stop.store(false, Ordering::Relaxed);
        }
    }
}

/// What the workers share.
pub struct Shared<'a> {
    pub experiment: &'a Experiment,
    pub plan: &'a Plan,
    pub output: &'a Output,
    pub subjects: &'a Subjects,
    /// The optional columns of the rows.
    pub extra: Extra,
    /// The values of the varying options, by variant.
    pub labels: Vec<Vec<String>>,
    pub in_flight: InFlight,
    /// The sequential tests of a match.
    pub stopping: Mutex<Stopping>,
    /// For each lane, the reason if its tables do not fit into memory.
    pub unfit: &'a [Option<String>],
    /// One state per worker.
    pub worker_states: Vec<WorkerState>,
    pub sink: Mutex<Sink>,
    /// The summary so far.
    pub summary: Mutex<RunSummary>,
    /// The numbers of entries that an unbounded table stores, for table sizes given as a share.
    pub working_sets: Mutex<HashMap<WorkingSetKey, u64>>,
    /// Set by another thread, or when a row cannot be written: searches end soon.
    pub stop: &'a AtomicBool,
    pub progress: &'a dyn Progress,
}

/// What the size of a working set depends on: the options that an unbounded table respects (as
/// JSON), the limits of depth and nodes, and the job's first item.
pub type WorkingSetKey = (String, Option<u8>, Option<u64>, usize);

/// The results file while it is written.
pub struct Sink {
    pub results: ResultsWriter,
    /// Whether rows are not synced yet.
    pub dirty: bool,
    /// Set when no more rows can be written.
    pub broken: Option<RunError>,
}

impl Sink {
    /// Appends a job's rows.
    pub fn append(&mut self, rows: &[Vec<String>], output: &Output) -> Result<(), RunError> {
        if self.broken.is_some() {
            return Ok(()); // The error is reported; the job runs again when the run is resumed.
        }
        self.check_file(output)?;
        self.dirty = true;
        self.results.append(rows).map_err(|error| output.row_write_error(error))
    }

    /// Checks that the file is still in place and unchanged.
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
