//! The runner: jobs in parallel, a row for each finished iteration, nothing lost to a kill. The only room with a clock.

pub mod audit;
mod job;
mod ledger;
pub mod machine;
mod manifest;
mod merge;
mod output;
pub mod progress;
mod work;

pub use ledger::Done;
pub use manifest::manifest;
pub use merge::{Lack, MergeError, Shards};
pub use output::{Output, OutputError};

use crate::experiment::{Experiment, Plan, Split};
use crate::record::manifest::Shard;
use crate::record::{self, ResultsError};
use ledger::{Again, Ledger};
use progress::Progress;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// How a run is to be made.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Jobs at a time. Counts do not depend on it; timings do.
    pub jobs: usize,
    /// Whether rows with an error are dropped and their jobs run again.
    pub retry_failed: bool,
    /// Whether rows that are damaged, or not of this plan, are dropped and their jobs run again; else they end the run.
    pub repair: bool,
    /// Only the jobs of one shard.
    pub shard: Option<Shard>,
}

/// What a run did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ran {
    /// Jobs that were done before.
    pub before: u64,
    /// Jobs done now.
    pub done: u64,
    /// Jobs that failed now or before: variant, item and message of the first few.
    pub failed: u64,
    /// The first few failures.
    pub failures: Vec<String>,
    /// Whether it was stopped from outside before the end.
    pub interrupted: bool,
}

/// Why a run cannot be made, or had to end.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The output folder.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The tables do not fit.
    #[error("{0}")]
    Memory(String),
    /// A row could not be written; all rows before it are safe.
    #[error("{path}: {error}; every row before it is safe: the same command continues when it can be written again")]
    Write {
        /// The results file.
        path: String,
        /// What the system said.
        error: std::io::Error,
    },
    /// The results went away under the run.
    #[error("{0}")]
    Vanished(String),
}

/// Checks that the tables of so many jobs fit into the memory that the machine has to spare.
///
/// # Errors
/// With the figures, and what would fit.
pub fn check_memory(plan: &Plan, jobs: usize) -> Result<(), RunError> {
    let Some(available) = machine::available_bytes() else { return Ok(()) };
    let mut largest = (0, "");
    for point in &plan.variants {
        let bytes = crate::table::bytes(&point.options.table, None).unwrap_or(0);
        largest = largest.max((bytes, &point.name));
    }
    let (bytes, name) = largest;
    let needed = bytes.saturating_mul(jobs as u64);
    if needed <= available {
        return Ok(());
    }
    let mib = |bytes: u64| bytes >> 20;
    let fits = available / bytes.max(1);
    Err(RunError::Memory(format!(
        "table.size: {jobs} job(s) x {} MiB (variant \"{name}\") need more than the {} MiB of memory that are free{}",
        mib(bytes),
        mib(available),
        if fits > 0 { format!(": --jobs {fits} would fit") } else { String::new() },
    )))
}

/// Runs what is left of a plan. `stop`: set from outside to end soon; what was finished is kept.
///
/// # Errors
/// When the output folder cannot be used, the tables do not fit, or a row cannot be written.
pub fn run(
    experiment: &Experiment,
    plan: &Plan,
    output: &Output,
    settings: &Settings,
    stop: &AtomicBool,
    progress: &dyn Progress,
) -> Result<Ran, RunError> {
    check_memory(plan, settings.jobs)?;
    let varying = plan.varying();
    let header = record::header(&varying, plan.has_anatomy());
    let ledger = Ledger::new(experiment, plan, &header);
    let again = Again { failed: settings.retry_failed, damaged: settings.repair };
    let (results, done) = output.results(&header, &ledger, again)?;
    let split = settings.shard.map(|shard| (Split::new(plan, shard.of), shard.index));
    let mine = || plan.jobs().filter(|job| split.is_none_or(|(split, index)| split.shard_of(plan, job) == index));
    let (mut all, mut before) = (0, 0);
    mine().for_each(|job| {
        all += 1;
        before += u64::from(done.jobs.contains(&plan.place(&job)));
    });
    progress.begin(all, before, &done);

    let todo = mine().filter(|job| !done.jobs.contains(&plan.place(job)));
    let (ran, broken) = work::work(work::Task {
        experiment,
        plan,
        output,
        labels: plan.variants.iter().map(|point| job::option_values(point, &varying)).collect(),
        todo: Mutex::new(Box::new(todo)),
        workers: settings.jobs.max(1).min(usize::try_from(all - before).unwrap_or(usize::MAX)),
        results,
        ran: Ran { before, failed: done.failed, ..Ran::default() },
        stop,
        progress,
    });
    let ran = Ran { interrupted: stop.load(Ordering::Relaxed) && ran.before + ran.done < all, ..ran };
    progress.end(&ran);
    if let Some(error) = broken {
        return Err(error);
    }
    if !ran.interrupted {
        let path = || output.results_path().display().to_string();
        output.finish(&header, &ledger).map_err(|error| match error {
            ResultsError::Io(error) => RunError::Write { path: path(), error },
            error => OutputError::Results { path: path(), error }.into(),
        })?;
    }
    Ok(ran)
}

/// A lock whose holder panicked still guards good data: rows are only ever appended whole.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
