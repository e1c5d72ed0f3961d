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
mod shared;
mod sink;
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

use crate::experiment::{Job, Plan};
use crate::words::many;
use std::sync::Mutex;

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
        error: std::io::Error,
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
        error: std::io::Error,
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

/// Checks that the tables of so many jobs fit into the memory that this process can have. A variant whose table alone does not fit
/// gets the reason why; its jobs fail, and the others run.
///
/// # Errors
/// When no variant fits, or so many jobs of the others do not: with the figures, and what would fit.
pub fn check_memory(plan: &Plan, jobs: usize) -> Result<Vec<Option<String>>, RunError> {
    let none = vec![None; plan.variants.len()];
    let Some(available) = machine::available_bytes() else { return Ok(none) };
    let mib = |bytes: u64| bytes >> 20;
    let too_large = |(bytes, name): &(u64, &str)| {
        format!(
            "table.size: {} MiB (variant \"{name}\") are more than the {} MiB of memory that are free",
            mib(*bytes),
            mib(available)
        )
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
    let needed = bytes.saturating_mul(jobs as u64);
    if needed <= available {
        return Ok(unfit);
    }
    let fits = available / bytes.max(1);
    Err(RunError::Memory(format!(
        "table.size: {} x {} MiB (variant \"{name}\") need more than the {} MiB of memory that are free{}",
        many(jobs, "job"),
        mib(bytes),
        mib(available),
        if fits > 0 { format!(": --jobs {fits} would fit") } else { String::new() },
    )))
}

/// What of a plan's memory this machine does not have now, for who only looks at the plan.
#[must_use]
pub fn memory_warnings(plan: &Plan, jobs: usize) -> Vec<String> {
    match check_memory(plan, jobs) {
        Ok(unfit) => unfit.into_iter().flatten().map(|reason| format!("{reason}: its jobs would fail here")).collect(),
        Err(error) => vec![format!("{error}: it cannot be run here")],
    }
}

/// A lock whose holder panicked still guards good data: rows are only ever appended whole.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
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
            let experiment = crate::experiment::Experiment::parse(&text, std::path::Path::new("x.toml"), &[])
                .unwrap_or_else(|problem| panic!("{problem}"));
            check_memory(&Plan::new(&experiment), 1)
        };
        let Err(RunError::Memory(told)) = check("'8192 GiB', '4096 GiB', '6144 GiB'") else { panic!("they fit") };
        assert!(told.starts_with("table.size: 4194304 MiB (variant \"size=4096 GiB\") are more than the "), "{told}");
        let told = check("'8192 GiB', 1024").unwrap();
        assert!(told[0].as_ref().is_some_and(|text| text.contains("8388608 MiB")) && told[1].is_none(), "{told:?}");
    }
}
