//! The worker threads. Each thread takes a job, runs it, writes its rows, and takes the next job.
//! If a job fails, a row with the error is written, and the other jobs continue.

use super::context::{Shared, WorkerState};
use super::execute::EngineCache;
use super::in_flight::QUARANTINED;
use super::stopping::MatchState;
use super::{RunError, RunSummary, into_value, kept_bytes, lock, monitor};
use crate::engine::EngineOptions;
use crate::experiment::Job;
use crate::memory_watch::OUT_OF_MEMORY;
use crate::record::{self};
use crate::table::kept::{KeepTables, release_kept};
use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;
use std::sync::atomic::Ordering;

const MAX_FAILURES: usize = 5;

/// Jobs that one worker runs in their order.
pub struct Chain<'a> {
    pub tasks: Box<dyn Iterator<Item = Task> + Send + 'a>,
    /// Whether the first job begins with new processes.
    pub starts_processes: bool,
}

/// A job, which has a row already if it is searched again only because the counts of later jobs
/// depend on what its engine has searched before them.
#[derive(Debug, Clone, Copy)]
pub struct Task {
    pub job: Job,
    pub is_done: bool,
}

pub type Todo<'a> = Mutex<Box<dyn Iterator<Item = Chain<'a>> + Send + 'a>>;

/// Runs the chains in parallel. `crashed_before` contains those with jobs that were running when an
/// earlier run was killed. These chains run one at a time. They run after all other jobs, except in
/// a match that ends encounters early, where they run first. Returns the summary, the state of the
/// tests, and the error if threads could not be started or rows could not be written.
pub fn run_in_parallel<'a>(
    shared: Shared<'a>,
    todo: &Todo<'a>,
    crashed_before: Vec<Chain<'a>>,
) -> (RunSummary, MatchState, Option<RunError>) {
    let kept_bytes = kept_bytes(shared.plan, shared.worker_states.len());
    let thread_error = std::thread::scope(|scope| {
        // `_running` is dropped at the end of this scope, which tells the monitor to end.
        let (_running, run_ended) = std::sync::mpsc::channel();
        let stop_with_error = |started: usize, error: std::io::Error| {
            shared.stop.store(true, Ordering::Relaxed);
            Some(RunError::Threads { started, workers: shared.worker_states.len(), error })
        };
        let shared = &shared;
        let monitor = std::thread::Builder::new().spawn_scoped(scope, move || monitor::watch(shared, &run_ended));
        if let Err(error) = monitor {
            return stop_with_error(0, error);
        }
        let crashed_before: Todo<'_> = Mutex::new(Box::new(crashed_before.into_iter()));
        // A test cannot end before all earlier pairs are finished, so the crashed jobs run first.
        if lock(&shared.match_state).ends_games() {
            shared.run_chains(&crashed_before, &shared.worker_states[0], kept_bytes);
        }
        let mut threads = Vec::new();
        for (started, worker_state) in shared.worker_states.iter().enumerate() {
            match std::thread::Builder::new().spawn_scoped(scope, || shared.run_chains(todo, worker_state, kept_bytes))
            {
                Ok(thread) => threads.push(thread),
                Err(error) => return stop_with_error(started, error),
            }
        }
        for thread in threads {
            let _ = thread.join(); // A worker's panics are caught and written to its rows.
        }
        shared.run_chains(&crashed_before, &shared.worker_states[0], kept_bytes);
        None
    });
    let Shared { output, sink, summary, match_state, .. } = shared;
    let mut sink = into_value(sink);
    if sink.write_error.is_none() {
        sink.write_error = sink
            .results
            .sync()
            .map_err(|error| output.row_write_error(error))
            .and_then(|()| sink.check_file(output))
            .err();
    }
    (into_value(summary), into_value(match_state), thread_error.or(sink.write_error))
}

impl Shared<'_> {
    /// Runs chains of `todo` on this thread until no chain is left or the run is stopped.
    fn run_chains(&self, todo: &Todo<'_>, worker_state: &WorkerState, kept_bytes: u64) {
        let _kept = KeepTables::up_to(kept_bytes);
        let mut cache = EngineCache::default();
        // Called, so that the lock is free again before the chain runs.
        let next = || lock(todo).next();
        let mut goes_on = true;
        while goes_on && let Some(chain) = next() {
            if chain.starts_processes {
                cache = EngineCache::default();
            }
            goes_on = self.run_tasks(chain.tasks, &mut cache, worker_state);
        }
    }

    /// Returns whether the run goes on.
    fn run_tasks(
        &self,
        tasks: impl Iterator<Item = Task>,
        cache: &mut EngineCache,
        worker_state: &WorkerState,
    ) -> bool {
        for Task { job, is_done } in tasks {
            if self.stop.load(Ordering::Relaxed) {
                return false;
            }
            if is_done {
                // It failed or passed before; both are in its row.
                let result =
                    panic::catch_unwind(AssertUnwindSafe(|| self.run_job(&job, &mut *cache, &worker_state.stop)));
                if result.is_err() {
                    *cache = EngineCache::default();
                }
                continue;
            }
            if !self.needs(&job) {
                continue;
            }
            let id = self.plan.job_id(&job);
            let grows = self.plan.variants[job.variant].builtin().is_some_and(EngineOptions::memory_grows);
            if grows {
                release_kept();
            }
            worker_state.begin_job(grows);
            if !self.in_flight.is_quarantined(id) {
                self.in_flight.begin_job(id);
            }
            let outcome = panic::catch_unwind(AssertUnwindSafe(|| {
                let name = &self.plan.variants[job.variant].name;
                self.progress.begin_job(name, &self.experiment.suite.items[job.item].id);
                match self.plan.find_lane(job.variant, job.opponent).and_then(|lane| self.unfit_reasons[lane].as_ref())
                {
                    Some(problem) => Err(problem.clone()),
                    None if self.in_flight.is_quarantined(id) => Err(QUARANTINED.to_owned()),
                    None => self.run_job(&job, cache, &worker_state.stop),
                }
            }));
            // The rows are `None` if the job was interrupted.
            let rows = match outcome {
                Ok(Ok(None)) if worker_state.starved.load(Ordering::Relaxed) => {
                    *cache = EngineCache::default();
                    Some(Err(OUT_OF_MEMORY.to_owned()))
                }
                Ok(outcome) => outcome.transpose(),
                Err(payload) => {
                    *cache = EngineCache::default();
                    Some(Err(format!("panic: {}", panic_message(payload.as_ref()))))
                }
            };
            worker_state.end_job();
            if let Some(rows) = rows {
                self.finish_job(&job, rows);
                self.in_flight.end_job(id);
            } else {
                self.in_flight.end_job(id);
                return false;
            }
        }
        true
    }

    /// Whether a job is still needed. Pairs after the end of their encounter's test are not needed.
    fn needs(&self, job: &Job) -> bool {
        lock(&self.match_state).needs(self.plan, job)
    }

    /// Writes the rows of a job, or one row with the job's error. Updates the sequential tests, the
    /// summary and the progress.
    fn finish_job(&self, job: &Job, rows: Result<Vec<Vec<String>>, String>) {
        // While the job ran, another pair may have ended the test.
        if !self.needs(job) {
            return;
        }
        let has_failed = rows.is_err();
        let rows = rows.unwrap_or_else(|message| {
            let label = self.label(job, job.item, None, self.plan.job_id(job));
            let mut summary = lock(&self.summary);
            summary.failed += 1;
            if summary.failures.len() < MAX_FAILURES {
                summary.failures.push((*job, format!("\"{}\" on {}: {message}", label.variant, label.position)));
            }
            let mut row = self.format_row(job, &label, Err(&message));
            record::append_checksum(&mut row, 0);
            vec![row]
        });
        let mut sink = lock(&self.sink);
        match sink.append(&rows, self.output) {
            Ok(()) => {
                drop(sink);
                let mut match_state = lock(&self.match_state);
                match_state.add_pair(self.plan, job, has_failed, &rows);
                let score = match_state.describe_score(self.plan, job);
                drop(match_state);
                lock(&self.summary).done += 1;
                self.progress.end_job(score);
            }
            Err(error) => {
                sink.write_error = Some(error);
                self.stop.store(true, Ordering::Relaxed);
            }
        }
    }
}

fn panic_message(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    text.or(payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message").to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::context::Sink;
    use super::super::in_flight::InFlight;
    use super::super::progress::Progress;
    use super::super::{Output, Subjects};
    use super::*;
    use crate::experiment::Plan;
    use crate::record::ResultsWriter;
    use crate::record::columns;
    use crate::runner::job;
    use crate::runner::row_index::RowIndex;
    use crate::runner::session::tests;
    use std::collections::BTreeSet;
    use std::sync::atomic::AtomicBool;

    /// Calls a function with the worker's state, the variant and the item when a job begins.
    struct JobHook<'a, F: Fn(&WorkerState, &str, &str) + Sync> {
        worker_state: &'a WorkerState,
        hook: F,
    }

    impl<F: Fn(&WorkerState, &str, &str) + Sync> Progress for JobHook<'_, F> {
        fn begin_job(&self, variant: &str, item: &str) {
            (self.hook)(self.worker_state, variant, item);
        }
    }

    /// Runs all jobs of a plan on one worker. Returns the numbers of done and failed jobs, the
    /// position and error of each row, and whether a job is still in flight.
    fn run_on_one_worker(
        text: &str,
        hook: impl Fn(&WorkerState, &str, &str) + Sync,
    ) -> ([u64; 2], Vec<[String; 2]>, bool) {
        let folder = tempfile::tempdir().unwrap();
        let experiment = tests::experiment(folder.path(), text);
        let (plan, out) = (Plan::new(&experiment), folder.path().join("out"));
        let (output, subjects) = (Output::open(&out).unwrap(), Subjects::default());
        let (header, varying) = (RowIndex::new(&experiment, &plan).header, plan.varying());
        let (stop, worker_state, unfit) =
            (AtomicBool::new(false), WorkerState::default(), vec![None; plan.variants.len()]);
        let shared = Shared {
            experiment: &experiment,
            plan: &plan,
            output: &output,
            subjects: &subjects,
            extra_columns: plan.extra_columns(),
            option_values: plan.variants.iter().map(|variant| job::option_values(variant, &varying)).collect(),
            in_flight: InFlight::open(&out, false).unwrap(),
            match_state: Mutex::new(MatchState::new(&experiment, &plan, &header, None)),
            unfit_reasons: &unfit,
            worker_states: Vec::new(),
            sink: Mutex::new(Sink {
                results: ResultsWriter::open(&output.results_path(), &header, 0).unwrap(),
                dirty: false,
                write_error: None,
            }),
            summary: Mutex::default(),
            working_sets: Mutex::default(),
            stop: &stop,
            progress: &JobHook { worker_state: &worker_state, hook },
        };
        let tasks = plan.jobs().map(|job| Task { job, is_done: false });
        shared.run_tasks(tasks, &mut EngineCache::default(), &worker_state);
        let summary = into_value(shared.summary);
        let rows = tests::cells(&out, &[columns::POSITION, columns::ERROR]);
        let rows = rows.into_iter().map(|row| row.try_into().unwrap()).collect();
        let in_flight = InFlight::open(&out, false).unwrap();
        let is_in_flight = plan.jobs().any(|job| in_flight.crashed_before(plan.job_id(&job)));
        ([summary.done, summary.failed], rows, is_in_flight)
    }

    const THREE: &str = "name = 'x'\nsuite = 'three.epd'\nlimit = { depth = 1 }\n";

    /// The second of three jobs runs out of memory, panics, or is interrupted.
    #[test]
    fn failed_job_writes_its_error_and_interrupted_job_nothing() {
        let run = |hook: fn(&WorkerState)| {
            let (counts, rows, is_in_flight) = run_on_one_worker(THREE, |worker_state, _, item| {
                if item == "b" {
                    hook(worker_state);
                }
            });
            assert!(!is_in_flight, "an ended job is not in flight");
            (counts, rows.iter().map(|[item, error]| format!("{item}:{error}")).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(run(|_| ()), ([3, 0], "a: b: c:".to_owned()));
        assert_eq!(run(|worker_state| worker_state.stop.store(true, Ordering::Relaxed)), ([1, 0], "a:".to_owned()));
        let starve = |worker_state: &WorkerState| {
            [&worker_state.starved, &worker_state.stop].into_iter().for_each(|flag| flag.store(true, Ordering::Relaxed))
        };
        assert_eq!(run(starve), ([3, 1], format!("a: b:{OUT_OF_MEMORY} c:")));
        assert_eq!(run(|_| panic!("it broke")), ([3, 1], "a: b:panic: it broke c:".to_owned()));
    }

    /// Tables without a bound grow, and so do tables with a size that depends on an unbounded
    /// search.
    #[test]
    fn grows_is_set_for_tables_without_a_known_size() {
        let variant = |name: &str, set: &str| format!("[[variant]]\nname = '{name}'\n'table.{set}\n");
        let text = [
            THREE,
            &variant("none", "kind' = 'none'"),
            &variant("fixed", "size' = 64"),
            &variant("share", "size' = '50 %'"),
            &variant("unbounded", "kind' = 'unbounded'"),
            "[[variant]]\nname = 'followed'\n'diagnostics' = 'full'\n[[variant]]\nname = 'oracle'\n'ordering' = ['oracle']\n",
        ];
        let grows_by_variant = Mutex::new(BTreeSet::new());
        run_on_one_worker(&text.concat(), |worker_state, variant, _| {
            lock(&grows_by_variant).insert((variant.to_owned(), worker_state.grows.load(Ordering::Relaxed)));
        });
        let expected = [
            ("fixed", false),
            ("followed", true),
            ("oracle", true),
            ("none", false),
            ("share", true),
            ("unbounded", true),
        ];
        assert_eq!(into_value(grows_by_variant), expected.map(|(name, grows)| (name.to_owned(), grows)).into());
    }

    #[test]
    fn message_of_a_panic_is_its_text() {
        let caught_message = |panicking: fn()| panic_message(panic::catch_unwind(panicking).unwrap_err().as_ref());
        assert_eq!(panic_message(&"plain" as &(dyn std::any::Any + Send)), "plain");
        assert_eq!(panic_message(&"owned".to_owned() as &(dyn std::any::Any + Send)), "owned");
        assert_eq!(
            (panic_message(&7_u8), caught_message(|| panic::panic_any(3_i32))),
            ("no message".to_owned(), "no message".to_owned())
        );
    }
}
