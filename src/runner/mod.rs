//! The runner: jobs in parallel, a row for each finished iteration, nothing lost to a kill. The only room with a clock.

pub mod audit;
pub mod estimate;
mod in_flight;
mod job;
pub mod machine;
mod manifest;
mod merge;
mod monitor;
mod output;
mod played;
pub mod progress;
pub mod reference;
mod replayed;
mod row_index;
mod searching;
mod session;
mod stopping;
mod subjects;
pub mod verify;
mod work;

pub use manifest::manifest;
pub use merge::{MergeError, ShardGap, Shards};
pub use output::{Output, OutputError};
pub use row_index::Done;
pub use session::{Session, Settings};
pub use subjects::{Subjects, granted, values};

use crate::experiment::{Job, Plan, Split, Variant};
use crate::record::manifest::Shard;
use crate::system::available_bytes;
use crate::text::plural;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a run did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunSummary {
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

/// Checks that the tables of so many jobs fit into the memory that this process can have. A lane (a variant, or an encounter) whose tables
/// alone do not fit gets the reason why; its jobs fail, and the others run.
///
/// # Errors
/// When no lane fits, or so many jobs of the others do not: with the figures, and what would fit.
pub fn check_memory(plan: &Plan, jobs: usize) -> Result<Vec<Option<String>>, RunError> {
    let all_fit = || Ok(vec![None; plan.lanes()]);
    available_bytes().map_or_else(all_fit, |available| tables_fit(available, plan, jobs))
}

/// As many of `jobs` at a time as the memory has room for, and one at least: what nobody asked for is no reason to refuse a plan.
pub fn jobs_that_fit(plan: &Plan, jobs: usize) -> usize {
    available_bytes().map_or(jobs, |available| fitting_jobs(available, plan, jobs))
}

/// The same for so much memory.
fn fitting_jobs(available: u64, plan: &Plan, jobs: usize) -> usize {
    let largest = needs(plan).map(|(bytes, _)| bytes).filter(|&bytes| bytes <= available).max();
    let fit = largest.map_or(u64::MAX, |bytes| available / bytes.max(1));
    jobs.min(usize::try_from(fit).unwrap_or(usize::MAX)).max(1)
}

/// The bytes that the tables of each lane's job take, and whose they are: of two players where games are played.
fn needs(plan: &Plan) -> impl Iterator<Item = (u64, Vec<(u64, &str)>)> {
    (0..plan.lanes()).map(|lane| {
        let job = plan.job_in_lane(lane, 0, 0);
        let players = [Some(job.variant), job.opponent].into_iter().flatten().map(|at| &plan.variants[at]);
        // What the options of ours are means nothing to another engine.
        let bytes =
            |variant: &Variant| if variant.external().is_some() { Some(0) } else { variant.options.memory_bytes() };
        let tables: Vec<(u64, &str)> =
            players.map(|variant| (bytes(variant).unwrap_or(0), variant.name.as_str())).collect();
        (tables.iter().fold(0, |sum: u64, table| sum.saturating_add(table.0)), tables)
    })
}

/// As [`check_memory`] for so much memory.
fn tables_fit(available: u64, plan: &Plan, jobs: usize) -> Result<Vec<Option<String>>, RunError> {
    let whose = |tables: &[(u64, &str)]| match tables {
        [(_, name)] => format!("variant \"{name}\""),
        _ => tables.iter().map(|(_, name)| format!("\"{name}\"")).collect::<Vec<_>>().join(" against "),
    };
    let too_large = |(bytes, tables): &(u64, Vec<(u64, &str)>)| {
        // Where one alone is too large it is the reason.
        let (bytes, whose) = match tables.iter().find(|table| table.0 > available) {
            Some(one) => (one.0, whose(&[*one])),
            None => (*bytes, whose(tables)),
        };
        let (mib, free) = (bytes >> 20, available >> 20);
        format!("table.size: {mib} MiB ({whose}) are more than the {free} MiB of memory that are free")
    };
    let needs: Vec<(u64, Vec<(u64, &str)>)> = needs(plan).collect();
    let unfit = needs.iter().map(|need| (need.0 > available).then(|| too_large(need))).collect();
    let Some((bytes, tables)) = needs.iter().filter(|(bytes, _)| *bytes <= available).max() else {
        return Err(RunError::Memory(needs.iter().min().map(too_large).unwrap_or_default()));
    };
    fit(available, jobs, *bytes, "table.size", &whose(tables)).map(|()| unfit)
}

/// Refuses so many jobs at a time where they need more memory than there is. `whose`: what needs so many bytes for each, set by `option`.
fn fit(available: u64, jobs: usize, bytes: u64, option: &str, whose: &str) -> Result<(), RunError> {
    if bytes.saturating_mul(jobs as u64) <= available {
        return Ok(());
    }
    let fits = available / bytes.max(1);
    Err(RunError::Memory(format!(
        "{option}: {} x {} MiB ({whose}) need more than the {} MiB of memory that are free{}",
        plural(jobs, "job"),
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

    /// By hand, of 1000 MiB: where no table fits the least one is told; where one fits, which of the others do not; of those that fit the largest
    /// is had by each job, by each of two players in a match.
    #[test]
    fn tables_that_do_not_fit_are_told() {
        let plan = |variants: &str| {
            let text = format!("suite = {{ startpos = true }}\nlimit = {{ depth = 1 }}\n{variants}\n");
            let experiment = crate::experiment::Experiment::parse(&text, Path::new("x.toml"), &[])
                .unwrap_or_else(|problem| panic!("{problem}"));
            Plan::new(&experiment)
        };
        let grid = |sizes: &str| format!("[grid]\n'table.size' = [{sizes}]");
        let pair = |size: u32| {
            let player = |name: &str, size: u32| format!("[[variant]]\nname = '{name}'\n'table.size' = '{size} MiB'\n");
            format!("{}{}[match]", player("a", 300), player("b", size))
        };
        let check = |variants: &str, jobs: usize| {
            tables_fit(1000 << 20, &plan(variants), jobs).map_err(|error| error.to_string())
        };
        let large = |size: u32| {
            format!(
                "table.size: {size} MiB (variant \"size={size} MiB\") are more than the 1000 MiB of memory that are free"
            )
        };
        let many = |what: &str, more: &str| {
            Err(format!("table.size: {what} need more than the 1000 MiB of memory that are free{more}"))
        };
        let some = grid("'300 MiB', '400 MiB', '1001 MiB', '350 MiB'");
        assert_eq!(check(&grid("'3000 MiB', '1001 MiB', '2000 MiB'"), 1), Err(large(1001)));
        assert_eq!(check(&some, 2), Ok(vec![None, None, Some(large(1001)), None]));
        // What full diagnostics know about a slot takes as much as its 16 bytes.
        let followed = format!("[engine]\ndiagnostics = 'full'\n{}", grid("'500 MiB', '501 MiB'"));
        let message = large(501).replace("501 MiB (", "1002 MiB (");
        assert_eq!(check(&followed, 1), Ok(vec![None, Some(message)]));
        assert_eq!(check(&some, 3), many("3 jobs x 400 MiB (variant \"size=400 MiB\")", ": --jobs 2 would fit"));
        assert_eq!([1, 2].map(|jobs| check(&grid("'1000 MiB', 64"), jobs).is_ok()), [true, false]);
        // Both players of a pair have a table: of 300 and 700 MiB, or one of 1 MiB more; and so have other pairs.
        assert_eq!(check(&pair(700), 1), Ok(vec![None]));
        let both = "table.size: 1001 MiB (\"b\" against \"a\") are more than the 1000 MiB of memory that are free";
        assert_eq!(check(&pair(701), 1), Err(both.to_owned()));
        let three = pair(701).replace("[match]", "[[variant]]\nname = 'c'\n'table.size' = '10 MiB'\n[match]");
        assert_eq!(check(&three, 1), Ok(vec![Some(both.to_owned()), None]));
        assert_eq!(check(&three, 4), many("4 jobs x 310 MiB (\"c\" against \"a\")", ": --jobs 3 would fit"));
        // Where nobody says how many they are as many as fit, and one at least.
        let jobs = |variants: &str, expected: usize| fitting_jobs(1000 << 20, &plan(variants), expected);
        assert_eq!([1, 2, 3, 9].map(|expected| jobs(&some, expected)), [1, 2, 2, 2]);
        assert_eq!([jobs(&three, 9), jobs(&pair(701), 9), jobs(&grid("1, 2"), 9)], [3, 9, 9]);
        // Who only looks is told what would become of it on this machine.
        if available_bytes().is_some() {
            for (sizes, message) in [
                ("64, 128", &[][..]),
                ("'8192 GiB', 64", &["that are free: its jobs would fail here"]),
                ("'8192 GiB', '4096 GiB'", &["that are free: it cannot be run here"]),
            ] {
                let found = memory_warnings(&plan(&grid(sizes)), 1);
                assert!(
                    found.len() == message.len()
                        && found.iter().zip(message).all(|(found, message)| found.ends_with(message)),
                    "{found:?}"
                );
            }
        }
    }

    /// Whatever the number of threads: each is taken once; none after a failure, which is told, nor after a stop.
    #[test]
    fn what_is_to_be_done_is_done_once() {
        let todo: Vec<u32> = (0..20).collect();
        let run = |jobs: usize, fails: u32, stop: bool| {
            let done = Mutex::new(Vec::new());
            let ended = in_parallel(&todo, jobs, &AtomicBool::new(stop), |next| {
                while let Some(&one) = next() {
                    if one == fails {
                        return Err(one);
                    }
                    lock(&done).push(one);
                }
                Ok(())
            });
            let mut done = unlocked(done);
            done.sort_unstable();
            (ended, done)
        };
        for jobs in [0, 1, 3, 99] {
            assert_eq!(run(jobs, 99, false), (Ok(()), todo.clone()), "{jobs}");
            assert_eq!(run(jobs, 99, true), (Ok(()), Vec::new()), "{jobs}");
            let (ended, done) = run(jobs, 5, false);
            assert!(ended == Err(5) && !done.contains(&5) && (jobs > 1 || done == todo[..5]), "{jobs}: {done:?}");
        }
    }

    /// How many were wanted and how many there were; with as many as there were it goes on, if there were any.
    #[test]
    fn threads_that_are_refused_are_told() {
        let message =
            |started: usize| RunError::Threads { started, workers: 8, error: io::Error::other("why") }.to_string();
        let all = "threads and no more (why); every finished row is safe";
        assert_eq!(message(3), format!("--jobs 8: the system started 3 {all}: --jobs 3 continues"));
        assert_eq!(message(0), format!("--jobs 8: the system started 0 {all}"));
    }
}
