//! The runner: jobs in parallel, a row for each finished iteration, nothing lost to a kill. The only room with a clock.

pub mod audit;
mod job;
pub mod machine;
mod manifest;
mod output;
pub mod progress;

pub use output::{Output, OutputError};

use crate::engine::Engine;
use crate::engine::options::Diagnostics;
use crate::experiment::{Experiment, Job, Plan};
use crate::record::{self, Label, Results, Row};
use progress::Progress;
use std::collections::HashMap;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// How a run is to be made.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Jobs at a time. Counts do not depend on it; timings do.
    pub jobs: usize,
    /// Whether rows with an error are dropped and their jobs run again.
    pub retry_failed: bool,
    /// Continue results that another build wrote.
    pub any_build: bool,
    /// Only this shard of so many (from 0): every so-many-th job.
    pub shard: Option<(u64, u64)>,
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
    #[error("{path}: {error}; every row before it is safe: the same command continues when there is room")]
    Write {
        /// The results file.
        path: String,
        /// What the system said.
        error: std::io::Error,
    },
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
    let anatomy = has_anatomy(plan);
    let header = record::header(&varying, anatomy);
    let (results, done) = output.results(&header, settings.retry_failed)?;
    let labels: Vec<Vec<String>> = plan.variants.iter().map(|point| job::option_values(point, &varying)).collect();
    let todo: Vec<Job> = plan
        .jobs()
        .enumerate()
        .filter(|(at, _)| settings.shard.is_none_or(|(shard, of)| *at as u64 % of == shard))
        .map(|(_, job)| job)
        .filter(|job| !done.ids.contains(&plan.job_id(job)))
        .collect();
    let all = match settings.shard {
        None => plan.len(),
        Some((shard, of)) => (plan.len() + of - 1 - shard) / of,
    };
    let before = all.saturating_sub(todo.len() as u64);
    progress.begin(all, before, done.torn);

    let shared = Shared {
        experiment,
        plan,
        labels: &labels,
        anatomy,
        done: &done.ids,
        next: AtomicUsize::new(0),
        todo: &todo,
        results: Mutex::new(results),
        ran: Mutex::new(Ran { before, failed: done.failed, ..Ran::default() }),
        broken: Mutex::new(None),
        working_sets: Mutex::new(HashMap::new()),
        halt: AtomicBool::new(false),
        stop,
        progress,
    };
    std::thread::scope(|scope| {
        for _ in 0..settings.jobs.max(1).min(todo.len().max(1)) {
            scope.spawn(|| shared.work());
        }
    });
    let mut ran = shared.ran.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    let broken = shared.broken.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    ran.interrupted = stop.load(Ordering::Relaxed) && ran.before + ran.done < all;
    progress.end(&ran);
    if let Some(error) = broken {
        return Err(RunError::Write { path: output.results_path().display().to_string(), error });
    }
    output
        .finish(experiment, plan)
        .map_err(|error| RunError::Write { path: output.results_path().display().to_string(), error })?;
    Ok(ran)
}

/// Whether some variant takes its hits apart.
fn has_anatomy(plan: &Plan) -> bool {
    plan.variants.iter().any(|point| point.options.diagnostics == Diagnostics::Full)
}

/// What the workers share.
struct Shared<'a> {
    experiment: &'a Experiment,
    plan: &'a Plan,
    labels: &'a [Vec<String>],
    /// Whether rows have columns for anatomies.
    anatomy: bool,
    done: &'a std::collections::HashSet<u64>,
    next: AtomicUsize,
    todo: &'a [Job],
    results: Mutex<Results>,
    ran: Mutex<Ran>,
    broken: Mutex<Option<std::io::Error>>,
    /// Entries that an unbounded table stores, by variant and item, for sizes given as a share.
    working_sets: Mutex<HashMap<(usize, usize), u64>>,
    /// No more jobs are to be begun: a row could not be written.
    halt: AtomicBool,
    stop: &'a AtomicBool,
    progress: &'a dyn Progress,
}

/// A lock whose holder panicked still guards good data: rows are only ever appended whole.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

impl Shared<'_> {
    fn work(&self) {
        // The last engine is kept: its table is emptied faster than a new one is mapped and touched.
        let mut kept: Option<(usize, u64, Engine)> = None;
        while !self.stop.load(Ordering::Relaxed) && !self.halt.load(Ordering::Relaxed) {
            let Some(job) = self.todo.get(self.next.fetch_add(1, Ordering::Relaxed)) else { return };
            let point = &self.plan.variants[job.variant];
            self.progress.job(&point.name, &self.experiment.suite.items[job.item].id);
            let outcome = panic::catch_unwind(AssertUnwindSafe(|| self.searches(job, &mut kept)));
            let rows = match outcome {
                Ok(Ok(Some(rows))) => Ok(rows),
                Ok(Ok(None)) => return,
                Ok(Err(message)) => Err(message),
                Err(payload) => {
                    kept = None;
                    Err(format!("panic: {}", message_of(payload.as_ref())))
                }
            };
            self.finish(job, rows);
        }
    }

    /// All searches of a job, as rows; none if it was stopped.
    fn searches(&self, job: &Job, kept: &mut Option<(usize, u64, Engine)>) -> Result<Option<Vec<Vec<String>>>, String> {
        let Some(working_set) = self.working_set(job)? else { return Ok(None) };
        let fits = kept.as_ref().is_some_and(|(variant, set, _)| *variant == job.variant && *set == working_set);
        if !fits {
            *kept = None;
            let options = &self.plan.variants[job.variant].options;
            let engine = Engine::new(options, Some(working_set)).map_err(|error| error.to_string())?;
            *kept = Some((job.variant, working_set, engine));
        }
        let Some((_, _, engine)) = kept.as_mut() else { return Ok(None) };
        engine.reset();
        let Some(searched) = job::search(self.experiment, self.plan, job, engine, self.stop) else { return Ok(None) };
        let last = searched.len().saturating_sub(1);
        Ok(Some(
            searched
                .iter()
                .enumerate()
                .map(|(at, found)| {
                    let id = match at == last {
                        true => self.plan.job_id(job),
                        false => self.plan.row_id(job, found.item, found.ply.unwrap_or(0), found.iteration.depth),
                    };
                    let label = self.label(job, found.item, found.ply, id);
                    let (iteration, seconds) = (Some(&found.iteration), found.seconds);
                    (
                        id,
                        Row {
                            label: &label,
                            iteration,
                            solved: found.solved,
                            seconds,
                            error: "",
                            anatomy: self.anatomy,
                        }
                        .fields(),
                    )
                })
                .filter(|(id, _)| !self.done.contains(id))
                .map(|(_, fields)| fields)
                .collect(),
        ))
    }

    /// What an unbounded table stores on the job's items; 0 where nobody asks.
    fn working_set(&self, job: &Job) -> Result<Option<u64>, String> {
        let point = &self.plan.variants[job.variant];
        if !matches!(point.options.table.size, crate::table::options::Size::Share(_)) {
            return Ok(Some(0));
        }
        let key = (job.variant, job.item);
        if let Some(&known) = lock(&self.working_sets).get(&key) {
            return Ok(Some(known));
        }
        let Some(entries) = job::working_set(self.experiment, self.plan, job, self.stop)? else { return Ok(None) };
        lock(&self.working_sets).insert(key, entries);
        Ok(Some(entries))
    }

    fn label(&self, job: &Job, item: usize, ply: Option<u16>, id: u64) -> Label {
        let (point, suite_item) = (&self.plan.variants[job.variant], &self.experiment.suite.items[item]);
        let limit = [("depth", point.limit.depth.map(u64::from)), ("nodes", point.limit.nodes)];
        let limit: Vec<String> =
            limit.into_iter().filter_map(|(name, value)| value.map(|value| format!("{name} {value}"))).collect();
        Label {
            id,
            experiment: self.experiment.name.clone(),
            variant: point.name.clone(),
            game: if ply.is_some() { suite_item.id.clone() } else { String::new() },
            position: ply.map_or_else(|| suite_item.id.clone(), |ply| format!("{} ply {ply}", suite_item.id)),
            ply,
            repeat: job.repeat,
            limit: limit.join(", "),
            options: self.labels[job.variant].clone(),
        }
    }

    /// Writes a job's rows, or one that says why there are none.
    fn finish(&self, job: &Job, rows: Result<Vec<Vec<String>>, String>) {
        let rows = match rows {
            Ok(rows) => rows,
            Err(message) => {
                let label = self.label(job, job.item, None, self.plan.job_id(job));
                let mut ran = lock(&self.ran);
                ran.failed += 1;
                if ran.failures.len() < 5 {
                    ran.failures.push(format!("\"{}\" on {}: {message}", label.variant, label.position));
                }
                vec![
                    Row {
                        label: &label,
                        iteration: None,
                        solved: None,
                        seconds: 0.0,
                        error: &message,
                        anatomy: self.anatomy,
                    }
                    .fields(),
                ]
            }
        };
        let written = lock(&self.results).append(&rows);
        match written {
            Ok(()) => {
                lock(&self.ran).done += 1;
                self.progress.done();
            }
            Err(error) => {
                self.halt.store(true, Ordering::Relaxed);
                lock(&self.broken).get_or_insert(error);
            }
        }
    }
}

/// A panic's message.
fn message_of(payload: &(dyn std::any::Any + Send)) -> String {
    payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned())
}
