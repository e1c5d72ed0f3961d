//! The runner, which executes the jobs of a plan in parallel. It writes one row for each finished
//! iteration, so that no finished work is lost if the process is killed. Only this module reads the
//! clock.

mod context;
pub mod estimate;
mod execute;
mod game_pair;
mod in_flight;
mod job;
pub mod machine;
mod manifest;
mod mates;
mod merge;
mod monitor;
mod output;
mod previous;
pub mod progress;
pub mod reference;
pub mod replay;
mod resume;
mod row_index;
mod search;
#[cfg(test)]
mod search_hash;
mod session;
pub mod sources;
mod status;
mod stopping;
mod subjects;
mod take;
pub mod verify;
mod work;

pub use manifest::{build, manifest};
pub use merge::{MergeError, ShardJobs, Shards};
pub use output::{Output, OutputError};
pub use resume::Done;
pub use session::{Session, Settings};
pub use subjects::{Subjects, engine_option_values, identify};

use crate::engine::EngineOptions;
use crate::experiment::{Experiment, Job, Plan, Split, Variant};
use crate::record::manifest::Shard;
use crate::system::available_bytes;
use crate::text::plural;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The result of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunSummary {
    /// The number of jobs that earlier runs finished.
    pub before: u64,
    /// The number of jobs that this run finished.
    pub done: u64,
    /// The number of failed jobs of this run and of earlier runs.
    pub failed: u64,
    /// The number of jobs that are not needed because they are pairs of games after the end of
    /// their test.
    pub not_needed: u64,
    /// The jobs and messages of the first five failures.
    pub failures: Vec<(Job, String)>,
    /// Whether the run was interrupted before its end.
    pub interrupted: bool,
    /// The score of each encounter of a match.
    pub scores: Vec<String>,
}

/// Why a run cannot start or had to stop.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The output folder cannot be used.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The tables do not fit into memory.
    #[error("{0}")]
    Memory(String),
    /// A row could not be written. All earlier rows are safe.
    #[error(
        "{path}: cannot write: {error}; all earlier rows are safe: make the file writable, then run the same \
         command again to resume"
    )]
    Write {
        /// The path of the results file.
        path: String,
        /// The operating system's error.
        error: io::Error,
    },
    /// The system started too few threads.
    #[error(
        "--jobs {workers}: the system started only {started} threads ({error}); every finished row is safe{}",
        if *started > 0 { format!(": resume with --jobs {started}") } else { String::new() }
    )]
    Threads {
        /// The number of threads that were started.
        started: usize,
        /// The number of threads that were requested.
        workers: usize,
        /// The operating system's error.
        error: io::Error,
    },
    /// An external engine is missing, misbehaves, or lacks an option.
    #[error("{0}")]
    Subject(String),
    /// The run was interrupted before the first search.
    #[error("interrupted")]
    Interrupted,
    /// The results file was moved, deleted or changed during the run.
    #[error("{0}")]
    ResultsChanged(String),
}

impl RunError {
    /// Returns the error for a file that cannot be rewritten, or cannot be read before it is
    /// rewritten.
    fn write(path: &Path, error: io::Error) -> Self {
        Self::Write { path: path.display().to_string(), error }
    }
}

/// Runs a plan and writes the results into a folder, or continues the run that is already in the
/// folder. Judges the moves and scores if the experiment has a reference. Shows no progress.
///
/// `folder` receives `results.csv` (a row for each finished iteration), `manifest.json` and
/// `experiment.toml`. `settings.jobs` is the number of parallel searches and does not affect any
/// count. Set `stop` from another thread to end the run soon. Finished jobs are kept.
///
/// # Errors
/// If the tables do not fit into memory or an engine cannot be used. Also if the folder cannot be
/// used, contains results of another plan, or cannot be written. A failed job is not an error. Its
/// row contains the reason.
pub fn run(
    experiment: &Experiment,
    plan: &Plan,
    folder: &Path,
    settings: Settings,
    stop: &AtomicBool,
) -> Result<RunSummary, RunError> {
    let jobs = settings.jobs;
    let session = Session::begin(experiment, plan, folder, settings, stop)?;
    reference::prune(experiment, &session.subjects, folder)?;
    let mut summary = session.run(stop, &progress::Quiet)?;
    if !summary.interrupted {
        summary.interrupted = reference::judge(experiment, &session.subjects, folder, jobs, stop)?.is_none();
    }
    Ok(summary)
}

/// Returns the jobs of a plan, or of one shard of the plan, in the plan's order.
fn jobs_of(plan: &Plan, shard: Option<Shard>) -> impl Iterator<Item = Job> {
    let split_and_shard = shard.map(|shard| (Split::new(plan, shard.count), shard.index));
    plan.jobs().filter(move |job| split_and_shard.is_none_or(|(split, index)| split.shard_of(plan, job) == index))
}

/// Checks that the tables of `jobs` parallel jobs fit into the memory that this process may use.
/// Returns one entry for each lane, which is a variant or an encounter. If a single job of the lane
/// does not fit, the entry is the reason, and all jobs of this lane will fail. Otherwise the entry
/// is `None`.
///
/// # Errors
/// If no lane fits, or if `jobs` parallel jobs of the lanes that fit need too much memory. The
/// message gives the sizes and the number of jobs that would fit.
pub fn check_memory(plan: &Plan, jobs: usize) -> Result<Vec<Option<String>>, RunError> {
    // If the amount of free memory is unknown, nothing can be checked.
    let all_fit = || Ok(vec![None; plan.lane_count()]);
    available_bytes().map_or_else(all_fit, |available| check_tables_fit(available, plan, jobs))
}

/// Returns the number of parallel jobs that fit into memory, between 1 and `jobs`. Call this for
/// the default number of jobs, so that a plan does not fail because of a number of jobs that the
/// user did not choose.
pub fn jobs_that_fit(plan: &Plan, jobs: usize) -> usize {
    available_bytes().map_or(jobs, |available| fitting_jobs(available, plan, jobs))
}

/// Returns the same as [`jobs_that_fit`] if `available` bytes of memory are free. Jobs that do not
/// fit even alone are ignored, because they fail anyway.
fn fitting_jobs(available: u64, plan: &Plan, jobs: usize) -> usize {
    let largest_job = memory_needs(plan).map(|need| need.bytes).filter(|&bytes| bytes <= available).max();
    let max_jobs = largest_job.map_or(u64::MAX, |bytes| available / bytes.max(1));
    jobs.min(usize::try_from(max_jobs).unwrap_or(usize::MAX)).max(1)
}

/// Returns how many bytes the tables of one of `jobs` workers may take, those that it keeps for
/// later jobs included. This is what its largest job needs. If nothing else in the run needs
/// memory, it is at least the worker's share of a quarter of the free memory, so that jobs with
/// tables of several sizes can alternate.
fn kept_bytes(plan: &Plan, jobs: usize) -> u64 {
    let available = available_bytes().unwrap_or(0);
    let largest = memory_needs(plan).map(|need| need.bytes).filter(|&bytes| bytes <= available).max();
    let has_fixed_size = |variant: &Variant| variant.builtin().is_some_and(|options| !options.memory_grows());
    let share = if plan.variants.iter().all(has_fixed_size) { available / 4 / jobs.max(1) as u64 } else { 0 };
    share.max(largest.unwrap_or(0))
}

/// Returns the variants that search in the jobs of a lane. This is one variant, or the two players
/// of an encounter.
pub fn players(plan: &Plan, lane: usize) -> impl Iterator<Item = &Variant> {
    let job = plan.job_in_lane(lane, 0, 0);
    [Some(job.variant), job.opponent].into_iter().flatten().map(|index| &plan.variants[index])
}

/// The memory that one job of a lane needs. Needs are ordered by size.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct MemoryNeed<'p> {
    /// The bytes of all tables together.
    bytes: u64,
    /// The bytes of each player's table, together with the player's name.
    tables: Vec<(u64, &'p str)>,
}

/// Returns the memory need of each lane.
fn memory_needs(plan: &Plan) -> impl Iterator<Item = MemoryNeed<'_>> {
    (0..plan.lane_count()).map(|lane| {
        let table_bytes = |variant: &Variant| variant.builtin().and_then(EngineOptions::memory_bytes).unwrap_or(0);
        let tables: Vec<(u64, &str)> =
            players(plan, lane).map(|variant| (table_bytes(variant), variant.name.as_str())).collect();
        let bytes = tables.iter().fold(0, |sum: u64, (bytes, _)| sum.saturating_add(*bytes));
        MemoryNeed { bytes, tables }
    })
}

/// Checks and returns the same as [`check_memory`] if `available` bytes of memory are free.
fn check_tables_fit(available: u64, plan: &Plan, jobs: usize) -> Result<Vec<Option<String>>, RunError> {
    let name_variants = |tables: &[(u64, &str)]| match tables {
        [(_, name)] => format!("variant \"{name}\""),
        _ => tables.iter().map(|(_, name)| format!("\"{name}\"")).collect::<Vec<_>>().join(" against "),
    };
    let too_large_message = |need: &MemoryNeed<'_>| {
        // If one table alone is too large, only this table is reported.
        let (bytes, variants) = match need.tables.iter().find(|(bytes, _)| *bytes > available) {
            Some(&(bytes, name)) => (bytes, name_variants(&[(bytes, name)])),
            None => (need.bytes, name_variants(&need.tables)),
        };
        let (mib, free) = (bytes >> 20, available >> 20);
        format!("table.size: {mib} MiB ({variants}) exceed the {free} MiB of free memory")
    };
    let needs: Vec<MemoryNeed<'_>> = memory_needs(plan).collect();
    let unfit_reasons = needs.iter().map(|need| (need.bytes > available).then(|| too_large_message(need))).collect();
    let Some(largest) = needs.iter().filter(|need| need.bytes <= available).max() else {
        return Err(RunError::Memory(needs.iter().min().map(too_large_message).unwrap_or_default()));
    };
    let variants = name_variants(&largest.tables);
    check_jobs_fit(available, jobs, largest.bytes, "table.size", &variants).map(|()| unfit_reasons)
}

/// Fails if `jobs` parallel jobs that need `bytes` bytes each need more than `available` bytes
/// together. In the message, `users` names the variants or engines that need the memory, and
/// `option` names the option that sets the size.
fn check_jobs_fit(available: u64, jobs: usize, bytes: u64, option: &str, users: &str) -> Result<(), RunError> {
    if bytes.saturating_mul(jobs as u64) <= available {
        return Ok(());
    }
    let max_jobs = available / bytes.max(1);
    Err(RunError::Memory(format!(
        "{option}: {} x {} MiB ({users}) need more than the {} MiB of free memory{}",
        plural(jobs, "job"),
        bytes >> 20,
        available >> 20,
        if max_jobs > 0 { format!(": use --jobs {max_jobs}") } else { String::new() },
    )))
}

/// Returns warnings about tables of a plan that do not fit into the free memory of this machine.
/// This is for callers that show the plan without running it.
pub fn memory_warnings(plan: &Plan, jobs: usize) -> Vec<String> {
    match check_memory(plan, jobs) {
        Ok(unfit_reasons) => {
            unfit_reasons.into_iter().flatten().map(|text| text + ": these jobs would fail on this machine").collect()
        }
        Err(error) => vec![format!("{error}: the plan cannot run on this machine")],
    }
}

/// Locks a mutex and ignores poisoning. The data is valid even if a thread panicked while it held
/// the lock, because only whole rows are appended.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the value of a mutex that no thread uses any more. As [`lock`], ignores poisoning.
fn into_value<T>(mutex: Mutex<T>) -> T {
    mutex.into_inner().unwrap_or_else(PoisonError::into_inner)
}

/// Runs `work` once on each of `jobs` threads, or on fewer threads if `todo` has fewer items.
/// `work` is passed a function that returns the next item of `todo`. This function returns `None`
/// when all items are taken, a thread has failed, or `stop` is set. Returns the first failure.
fn in_parallel<'t, T: Sync, E: Send>(
    todo: &'t [T],
    jobs: usize,
    stop: &AtomicBool,
    work: impl Fn(&dyn Fn() -> Option<&'t T>) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let (taken_count, failure) = (AtomicUsize::new(0), Mutex::new(None));
    let next_item = || {
        let must_end = stop.load(Ordering::Relaxed) || lock(&failure).is_some();
        todo.get(taken_count.fetch_add(1, Ordering::Relaxed)).filter(|_| !must_end)
    };
    let run_worker = || {
        if let Err(error) = work(&next_item) {
            lock(&failure).get_or_insert(error);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..jobs.clamp(1, todo.len().max(1)) {
            // If the system does not start a thread, the other threads do its work. This would
            // distort timings, but nothing is timed here.
            let _ = std::thread::Builder::new().spawn_scoped(scope, run_worker);
        }
        run_worker();
    });
    into_value(failure).map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With 1000 MiB of memory: if no table fits, the smallest one is reported. If some fit, the
    /// others are reported, and each job counts as the largest table that fits. In a match each of
    /// the two players has a table.
    #[test]
    fn check_memory_reports_tables_that_do_not_fit() {
        let plan = |variants: &str| {
            let text = format!("suite = {{ startpos = true }}\nlimit = {{ depth = 1 }}\n{variants}\n");
            let experiment =
                Experiment::parse(&text, Path::new("x.toml"), &[]).unwrap_or_else(|problem| panic!("{problem}"));
            Plan::new(&experiment)
        };
        let grid = |sizes: &str| format!("[grid]\n'table.size' = [{sizes}]");
        let pair = |size: u32| {
            let player = |name: &str, size: u32| format!("[[variant]]\nname = '{name}'\n'table.size' = '{size} MiB'\n");
            format!("{}{}[match]", player("a", 300), player("b", size))
        };
        let check = |variants: &str, jobs: usize| {
            check_tables_fit(1000 << 20, &plan(variants), jobs).map_err(|error| error.to_string())
        };
        let large = |size: u32| {
            format!("table.size: {size} MiB (variant \"size={size} MiB\") exceed the 1000 MiB of free memory")
        };
        let too_many = |jobs: &str, hint: &str| {
            Err(format!("table.size: {jobs} need more than the 1000 MiB of free memory{hint}"))
        };
        let some_fit = grid("'300 MiB', '400 MiB', '1001 MiB', '350 MiB'");
        assert_eq!(check(&grid("'3000 MiB', '1001 MiB', '2000 MiB'"), 1), Err(large(1001)));
        assert_eq!(check(&some_fit, 2), Ok(vec![None, None, Some(large(1001)), None]));
        // Full diagnostics need another 16 bytes per slot, as much as the slot itself.
        let diagnosed = format!("[engine]\ndiagnostics = 'full'\n{}", grid("'500 MiB', '501 MiB'"));
        let message = large(501).replace("501 MiB (", "1002 MiB (");
        assert_eq!(check(&diagnosed, 1), Ok(vec![None, Some(message)]));
        assert_eq!(check(&some_fit, 3), too_many("3 jobs x 400 MiB (variant \"size=400 MiB\")", ": use --jobs 2"));
        assert_eq!([1, 2].map(|jobs| check(&grid("'1000 MiB', 64"), jobs).is_ok()), [true, false]);
        // Both players of a pair have a table: 300 and 700 MiB fit, 1 MiB more does not.
        assert_eq!(check(&pair(700), 1), Ok(vec![None]));
        let both = "table.size: 1001 MiB (\"b\" against \"a\") exceed the 1000 MiB of free memory";
        assert_eq!(check(&pair(701), 1), Err(both.to_owned()));
        let three = pair(701).replace("[match]", "[[variant]]\nname = 'c'\n'table.size' = '10 MiB'\n[match]");
        assert_eq!(check(&three, 1), Ok(vec![Some(both.to_owned()), None]));
        assert_eq!(check(&three, 4), too_many("4 jobs x 310 MiB (\"c\" against \"a\")", ": use --jobs 3"));
        // The default number of jobs: as many as fit, at least one.
        let fitting = |variants: &str, requested: usize| fitting_jobs(1000 << 20, &plan(variants), requested);
        assert_eq!([1, 2, 3, 9].map(|requested| fitting(&some_fit, requested)), [1, 2, 2, 2]);
        assert_eq!([fitting(&three, 9), fitting(&pair(701), 9), fitting(&grid("1, 2"), 9)], [3, 9, 9]);
        // Warnings for a plan that is only shown.
        if available_bytes().is_some() {
            for (sizes, message) in [
                ("64, 128", &[][..]),
                ("'8192 GiB', 64", &["of free memory: these jobs would fail on this machine"]),
                ("'8192 GiB', '4096 GiB'", &["of free memory: the plan cannot run on this machine"]),
            ] {
                let warnings = memory_warnings(&plan(&grid(sizes)), 1);
                assert!(warnings.len() == message.len(), "{warnings:?}");
                let matches = warnings.iter().zip(message).all(|(warning, message)| warning.ends_with(message));
                assert!(matches, "{warnings:?}");
            }
        }
    }

    #[test]
    fn in_parallel_takes_each_item_once_until_a_failure_or_stop() {
        let todo: Vec<u32> = (0..20).collect();
        let run = |jobs: usize, fails: u32, stop: bool| {
            let done = Mutex::new(Vec::new());
            let result = in_parallel(&todo, jobs, &AtomicBool::new(stop), |next| {
                while let Some(&item) = next() {
                    if item == fails {
                        return Err(item);
                    }
                    lock(&done).push(item);
                }
                Ok(())
            });
            let mut done = into_value(done);
            done.sort_unstable();
            (result, done)
        };
        for jobs in [0, 1, 3, 99] {
            assert_eq!(run(jobs, 99, false), (Ok(()), todo.clone()), "{jobs}");
            assert_eq!(run(jobs, 99, true), (Ok(()), Vec::new()), "{jobs}");
            let (result, done) = run(jobs, 5, false);
            assert!(result == Err(5), "{jobs}: {done:?}");
            assert!(!done.contains(&5), "{jobs}: {done:?}");
            assert!((jobs > 1 || done == todo[..5]), "{jobs}: {done:?}");
        }
    }

    #[test]
    fn threads_error_names_the_number_that_works() {
        let message =
            |started: usize| RunError::Threads { started, workers: 8, error: io::Error::other("why") }.to_string();
        let reason = "threads (why); every finished row is safe";
        assert_eq!(message(3), format!("--jobs 8: the system started only 3 {reason}: resume with --jobs 3"));
        assert_eq!(message(0), format!("--jobs 8: the system started only 0 {reason}"));
    }
}
