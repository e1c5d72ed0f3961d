//! What the workers of a run share.

use super::flight::Flight;
use super::progress::Progress;
use super::sink::ResultsSink;
use super::steward::Desk;
use super::stopping::Stopping;
use super::{Output, Ran, Subjects};
use crate::experiment::{Experiment, Job, Plan};
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

/// Where workers take their jobs from.
pub(super) type Todo<'a> = Mutex<Box<dyn Iterator<Item = Job> + Send + 'a>>;

/// What the workers share.
pub(super) struct Shared<'a> {
    pub(super) experiment: &'a Experiment,
    pub(super) plan: &'a Plan,
    pub(super) output: &'a Output,
    pub(super) subjects: &'a Subjects,
    pub(super) labels: Vec<Vec<String>>,
    pub(super) todo: Todo<'a>,
    pub(super) flight: Flight,
    pub(super) stopping: Option<&'a Mutex<Stopping>>,
    pub(super) unfit: Vec<Option<String>>,
    /// One for each worker.
    pub(super) desks: Vec<Desk>,
    pub(super) sink: Mutex<ResultsSink>,
    pub(super) ran: Mutex<Ran>,
    /// Entries that an unbounded table stores, for sizes given as a share.
    pub(super) working_sets: Mutex<HashMap<WorkingSet, u64>>,
    pub(super) stop: &'a AtomicBool,
    pub(super) progress: &'a dyn Progress,
}

/// What a working set depends on: the options that an unbounded table heeds, the limit, and the first item.
pub(super) type WorkingSet = (String, Option<u8>, Option<u64>, usize);
