//! The runner: jobs in parallel, a row for each finished iteration, nothing lost to a kill. The only room with a clock.

pub mod audit;
pub mod estimate;
mod flight;
mod job;
mod ledger;
pub mod machine;
mod manifest;
mod merge;
mod output;
mod played;
pub mod progress;
pub mod reference;
mod replayed;
mod searching;
mod session;
mod steward;
mod stopping;
mod subjects;
pub mod verify;
mod work;

pub use ledger::Done;
pub use manifest::manifest;
pub use merge::{Lack, MergeError, Shards};
pub use output::{Output, OutputError};
pub use session::{Session, Settings};
pub use subjects::Subjects;

use crate::experiment::{Job, Plan, Split};
use crate::record::manifest::Shard;
use crate::words::many;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a run did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ran {
    /// Jobs that were done before.
    pub before: u64,
    /// Jobs done now.
    pub done: u64,
    /// Jobs that failed now or before: variant, item and message of the first few.
    pub failed: u64,
    /// Jobs that need not be done: pairs of games beyond the end of their test.
    pub spared: u64,
    /// The first few failures: the job, and what happened in words.
    pub failures: Vec<(Job, String)>,
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
        error: io::Error,
    },
    /// The system would not start so many threads.
    #[error(
        "--jobs {workers}: the system started {started} threads and no more ({error}); every finished row is safe{}",
        if *started > 0 { format!(": --jobs {started} continues") } else { String::new() }
    )]
    Threads {
        /// How many it started.
        started: usize,
        /// How many were wanted.
        workers: usize,
        /// What it said.
        error: io::Error,
    },
    /// An engine is not there, does not do what is asked of it, or has no such option.
    #[error("{0}")]
    Subject(String),
    /// It was stopped from outside before the first search.
    #[error("interrupted")]
    Interrupted,
    /// The results went away under the run.
    #[error("{0}")]
    Vanished(String),
}

impl RunError {
    /// That a file cannot be written, or read for what is written next.
    fn write(path: &Path, error: io::Error) -> Self {
        Self::Write { path: path.display().to_string(), error }
    }
}

/// The jobs of a plan, or of one shard of it, in order.
fn jobs_of(plan: &Plan, shard: Option<Shard>) -> impl Iterator<Item = Job> {
    let split = shard.map(|shard| (Split::new(plan, shard.of), shard.index));
    plan.jobs().filter(move |job| split.is_none_or(|(split, index)| split.shard_of(plan, job) == index))
}

/// Checks that the tables of so many jobs fit into the memory that this process can have. A variant whose table alone does not fit
/// gets the reason why; its jobs fail, and the others run.
///
/// # Errors
/// When no variant fits, or so many jobs of the others do not: with the figures, and what would fit.
pub fn check_memory(plan: &Plan, jobs: usize) -> Result<Vec<Option<String>>, RunError> {
    let none = vec![None; plan.variants.len()];
    let Some(available) = machine::available_bytes() else { return Ok(none) };
    let too_large = |(bytes, name): &(u64, &str)| {
        let (mib, free) = (bytes >> 20, available >> 20);
        format!("table.size: {mib} MiB (variant \"{name}\") are more than the {free} MiB of memory that are free")
    };
    let tables: Vec<(u64, &str)> = plan
        .variants
        .iter()
        .map(|point| (crate::table::bytes(&point.options.table, None).unwrap_or(0), point.name.as_str()))
        .collect();
    let unfit = tables.iter().map(|table| (table.0 > available).then(|| too_large(table))).collect();
    let Some(&(bytes, name)) = tables.iter().filter(|(bytes, _)| *bytes <= available).max() else {
        return Err(RunError::Memory(tables.iter().min().map(too_large).unwrap_or_default()));
    };
    // Two players sit at each game.
    let bytes = bytes.saturating_mul(1 + u64::from(plan.is_match()));
    fit(available, jobs, bytes, "table.size", &format!("variant \"{name}\"")).map(|()| unfit)
}

/// Refuses so many jobs at a time where they need more memory than there is. `whose`: what needs so many bytes for each, set by `option`.
fn fit(available: u64, jobs: usize, bytes: u64, option: &str, whose: &str) -> Result<(), RunError> {
    if bytes.saturating_mul(jobs as u64) <= available {
        return Ok(());
    }
    let fits = available / bytes.max(1);
    Err(RunError::Memory(format!(
        "{option}: {} x {} MiB ({whose}) need more than the {} MiB of memory that are free{}",
        many(jobs, "job"),
        bytes >> 20,
        available >> 20,
        if fits > 0 { format!(": --jobs {fits} would fit") } else { String::new() },
    )))
}

/// What of a plan's memory this machine does not have now, for who only looks at the plan.
pub fn memory_warnings(plan: &Plan, jobs: usize) -> Vec<String> {
    match check_memory(plan, jobs) {
        Ok(unfit) => unfit.into_iter().flatten().map(|reason| format!("{reason}: its jobs would fail here")).collect(),
        Err(error) => vec![format!("{error}: it cannot be run here")],
    }
}

/// A lock whose holder panicked still guards good data: rows are only ever appended whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What such a lock guarded.
fn unlocked<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Several threads at once take one of `todo` after another, until one of them fails or `stop` is set. `work` is given where a thread takes
/// them from.
fn in_parallel<'t, T: Sync, E: Send>(
    todo: &'t [T],
    jobs: usize,
    stop: &AtomicBool,
    work: impl Fn(&dyn Fn() -> Option<&'t T>) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let (taken, failure) = (AtomicUsize::new(0), Mutex::new(None));
    let next = || {
        let ends = stop.load(Ordering::Relaxed) || lock(&failure).is_some();
        todo.get(taken.fetch_add(1, Ordering::Relaxed)).filter(|_| !ends)
    };
    let thread = || {
        if let Err(error) = work(&next) {
            lock(&failure).get_or_insert(error);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..jobs.clamp(1, todo.len().max(1)) {
            // Nothing is timed here: where the system starts no more threads, those that run do all the work.
            let _ = std::thread::Builder::new().spawn_scoped(scope, thread);
        }
        thread();
    });
    unlocked(failure).map_or(Ok(()), Err)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Where no table fits the least one is told; where one fits, which of the others do not.
    #[test]
    fn tables_that_do_not_fit_are_told() {
        let check = |sizes: &str| {
            let text =
                format!("suite = {{ startpos = true }}\nlimit = {{ depth = 1 }}\n[grid]\n'table.size' = [{sizes}]\n");
            let experiment = crate::experiment::Experiment::parse(&text, Path::new("x.toml"), &[])
                .unwrap_or_else(|problem| panic!("{problem}"));
            check_memory(&Plan::new(&experiment), 1)
        };
        let Err(RunError::Memory(told)) = check("'8192 GiB', '4096 GiB', '6144 GiB'") else { panic!("they fit") };
        assert!(told.starts_with("table.size: 4194304 MiB (variant \"size=4096 GiB\") are more than the "), "{told}");
        let told = check("'8192 GiB', 1024").unwrap();
        assert!(told[0].as_ref().is_some_and(|text| text.contains("8388608 MiB")) && told[1].is_none(), "{told:?}");
    }
}
