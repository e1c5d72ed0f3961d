//! The workers: each takes a job, searches, and hands in its rows. A job that fails leaves a row that says so, and the others
//! go on.

use super::progress::Progress;
use super::{Output, Ran, RunError, job, lock};
use crate::engine::Engine;
use crate::experiment::{Experiment, Job, Plan};
use crate::record::{self, Label, Results, Row};
use std::collections::HashMap;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What is to be done, and with what.
pub struct Task<'a> {
    /// The experiment.
    pub experiment: &'a Experiment,
    /// Its plan.
    pub plan: &'a Plan,
    /// The folder.
    pub output: &'a Output,
    /// The values of the varying options, by variant.
    pub labels: Vec<Vec<String>>,
    /// The jobs, from which the workers take one after another.
    pub todo: Mutex<Box<dyn Iterator<Item = Job> + Send + 'a>>,
    /// How many workers.
    pub workers: usize,
    /// Where the rows go.
    pub results: Results,
    /// What was done before.
    pub ran: Ran,
    /// Set from outside, or when a row cannot be written: searches end soon.
    pub stop: &'a AtomicBool,
    /// Who is told.
    pub progress: &'a dyn Progress,
}

/// The least time between two waits for the disk. Rows of less time than this could be lost to a power failure (not to any
/// end of the process), and would be made again.
const DISK: Duration = Duration::from_secs(1);

/// Runs the jobs. Returns what was done, and why it ended early if rows could not be written.
pub fn work(task: Task<'_>) -> (Ran, Option<RunError>) {
    let Task { experiment, plan, output, labels, todo, workers, results, ran, stop, progress } = task;
    let shared = Shared {
        experiment,
        plan,
        output,
        labels,
        todo,
        sink: Mutex::new(Sink { results, synced: Instant::now(), broken: None }),
        ran: Mutex::new(ran),
        working_sets: Mutex::new(HashMap::new()),
        stop,
        progress,
    };
    let refused = std::thread::scope(|scope| {
        (0..workers).find_map(|started| {
            let thread = std::thread::Builder::new().spawn_scoped(scope, || shared.work());
            let error = thread.err()?;
            stop.store(true, Ordering::Relaxed);
            Some(RunError::Threads { started, workers, error })
        })
    });
    let mut sink = shared.sink.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    if sink.broken.is_none() {
        sink.broken = sink.settle(output).err();
    }
    sink.broken = refused.or(sink.broken);
    (shared.ran.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner), sink.broken)
}

/// Where the rows go.
struct Sink {
    results: Results,
    synced: Instant,
    /// Why no more rows can be written.
    broken: Option<RunError>,
}

impl Sink {
    fn append(&mut self, rows: &[Vec<String>], output: &Output) -> Result<(), RunError> {
        if self.broken.is_some() {
            return Ok(()); // Told already; this row's job is run again when the run continues.
        }
        self.results.append(rows).map_err(|error| write_error(output, error))?;
        if self.synced.elapsed() >= DISK { self.settle(output) } else { Ok(()) }
    }

    /// Waits for the disk, and sees whether the file is still there.
    fn settle(&mut self, output: &Output) -> Result<(), RunError> {
        self.results.sync().map_err(|error| write_error(output, error))?;
        self.synced = Instant::now();
        if self.results.in_place() { Ok(()) } else { Err(output.rescue(&mut self.results)) }
    }
}

fn write_error(output: &Output, error: std::io::Error) -> RunError {
    RunError::Write { path: output.results_path().display().to_string(), error }
}

/// What the workers share.
struct Shared<'a> {
    experiment: &'a Experiment,
    plan: &'a Plan,
    output: &'a Output,
    labels: Vec<Vec<String>>,
    todo: Mutex<Box<dyn Iterator<Item = Job> + Send + 'a>>,
    sink: Mutex<Sink>,
    ran: Mutex<Ran>,
    /// Entries that an unbounded table stores, for sizes given as a share.
    working_sets: Mutex<HashMap<WorkingSet, u64>>,
    stop: &'a AtomicBool,
    progress: &'a dyn Progress,
}

/// What a working set depends on: the options that an unbounded table heeds, the limit, and the first item.
type WorkingSet = (String, Option<u8>, Option<u64>, usize);

impl Shared<'_> {
    fn work(&self) {
        // The last engine is kept: its table is emptied faster than a new one is mapped and touched.
        let mut kept: Option<(usize, u64, Engine)> = None;
        while !self.stop.load(Ordering::Relaxed) {
            let Some(job) = lock(&self.todo).next() else { return };
            let job = &job;
            let outcome = panic::catch_unwind(AssertUnwindSafe(|| {
                let name = &self.plan.variants[job.variant].name;
                self.progress.job(name, &self.experiment.suite.items[job.item].id);
                self.searches(job, &mut kept)
            }));
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
            fits_memory(options, working_set)?;
            let engine = Engine::new(options, Some(working_set)).map_err(|error| error.to_string())?;
            *kept = Some((job.variant, working_set, engine));
        }
        let Some((_, _, engine)) = kept.as_mut() else { return Ok(None) };
        engine.reset();
        let Some(searched) = job::search(self.experiment, self.plan, job, engine, self.stop) else { return Ok(None) };
        let Some(last) = searched.len().checked_sub(1) else {
            return Err("nothing was searched: the game had ended before the wanted plies".to_owned());
        };
        let mut check = 0;
        let row = |(at, found): (usize, &job::Found)| {
            let id = match at == last {
                true => self.plan.job_id(job),
                false => self.plan.row_id(job, found.item, found.ply.unwrap_or(0), found.iteration.depth),
            };
            let label = self.label(job, found.item, found.ply, id);
            let (iteration, seconds) = (Some(&found.iteration), found.seconds);
            let mut fields = Row {
                label: &label,
                iteration,
                solved: found.solved,
                seconds,
                error: "",
                anatomy: self.plan.has_anatomy(),
            }
            .fields();
            check = record::seal(&mut fields, check);
            fields
        };
        Ok(Some(searched.iter().enumerate().map(row).collect()))
    }

    /// What an unbounded table stores on the job's items; 0 where nobody asks.
    fn working_set(&self, job: &Job) -> Result<Option<u64>, String> {
        let point = &self.plan.variants[job.variant];
        if !matches!(point.options.table.size, crate::table::options::Size::Share(_)) {
            return Ok(Some(0));
        }
        let options = serde_json::to_string(&job::unbounded(&point.options)).unwrap_or_default();
        let key = (options, point.limit.depth, point.limit.nodes, job.item);
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
                let mut row = Row {
                    label: &label,
                    iteration: None,
                    solved: None,
                    seconds: 0.0,
                    error: &message,
                    anatomy: self.plan.has_anatomy(),
                }
                .fields();
                record::seal(&mut row, 0);
                vec![row]
            }
        };
        let mut sink = lock(&self.sink);
        match sink.append(&rows, self.output) {
            Ok(()) => {
                drop(sink);
                lock(&self.ran).done += 1;
                self.progress.done();
            }
            Err(error) => {
                sink.broken = Some(error);
                self.stop.store(true, Ordering::Relaxed);
            }
        }
    }
}

/// Refuses a table whose size was not known before the run if it does not fit into what is left of the memory.
fn fits_memory(options: &crate::engine::EngineOptions, working_set: u64) -> Result<(), String> {
    let bytes = crate::table::bytes(&options.table, Some(working_set)).unwrap_or(0);
    match super::machine::available_bytes() {
        Some(available) if working_set > 0 && bytes > available => Err(format!(
            "table.size: \"{}\" of the working set is {} MiB, and {} MiB of memory are free",
            options.table.size,
            bytes >> 20,
            available >> 20
        )),
        _ => Ok(()),
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
