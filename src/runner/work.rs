//! The workers: each takes a job, searches, and hands in its rows. A job that fails leaves a row that says so, and the others
//! go on.

use super::flight::{CONDEMNED, Flight};
use super::progress::Progress;
use super::steward::{self, Desk};
use super::stopping::Stopping;
use super::{Output, Ran, RunError, Subjects, job, lock, played};
use crate::engine::Engine;
use crate::experiment::{Experiment, Job, Plan, Point};
use crate::record::{self, GameFound, Label, Outside, Played, Results, Row};
use crate::subject::Subject;
use crate::table::TableKind;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// What is to be done, and with what.
pub struct Task<'a> {
    /// The experiment.
    pub experiment: &'a Experiment,
    /// Its plan.
    pub plan: &'a Plan,
    /// The folder.
    pub output: &'a Output,
    /// The engines that are not ours.
    pub subjects: &'a Subjects,
    /// The values of the varying options, by variant.
    pub labels: Vec<Vec<String>>,
    /// The jobs, from which the workers take one after another.
    pub todo: Mutex<Box<dyn Iterator<Item = Job> + Send + 'a>>,
    /// Jobs that were in flight when the process ended without a word: one after another when all others are done.
    pub suspects: Vec<Job>,
    /// The jobs in flight.
    pub flight: Flight,
    /// The tests that end encounters.
    pub stopping: Option<&'a Mutex<Stopping>>,
    /// Why the variants' tables do not fit, where they do not.
    pub unfit: Vec<Option<String>>,
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

/// Runs the jobs. Returns what was done, and why it ended early if rows could not be written.
pub fn work(task: Task<'_>) -> (Ran, Option<RunError>) {
    let Task {
        experiment,
        plan,
        output,
        subjects,
        labels,
        todo,
        suspects,
        flight,
        stopping,
        unfit,
        workers,
        results,
        ran,
        stop,
        progress,
    } = task;
    let shared = Shared {
        experiment,
        plan,
        output,
        subjects,
        labels,
        todo,
        flight,
        stopping,
        unfit,
        desks: (0..workers.max(1)).map(|_| Desk::default()).collect(),
        sink: Mutex::new(Sink { results, dirty: false, broken: None }),
        ran: Mutex::new(ran),
        working_sets: Mutex::new(HashMap::new()),
        stop,
        progress,
    };
    let refused = std::thread::scope(|scope| {
        let (_running, over) = std::sync::mpsc::channel();
        let refused = |started: usize, error: std::io::Error| {
            stop.store(true, Ordering::Relaxed);
            Some(RunError::Threads { started, workers, error })
        };
        let shared = &shared;
        let steward = std::thread::Builder::new().spawn_scoped(scope, move || steward::watch(shared, &over));
        if let Err(error) = steward {
            return refused(0, error);
        }
        let suspects = Mutex::new(Box::new(suspects.into_iter()) as Box<dyn Iterator<Item = Job> + Send>);
        // A test waits for the first pair that has not ended: such a pair is not left for last.
        if stopping.is_some() {
            shared.work(&suspects, &shared.desks[0]);
        }
        let mut threads = Vec::new();
        for (started, desk) in shared.desks.iter().enumerate().take(workers) {
            match std::thread::Builder::new().spawn_scoped(scope, || shared.work(&shared.todo, desk)) {
                Ok(thread) => threads.push(thread),
                Err(error) => return refused(started, error),
            }
        }
        for thread in threads {
            let _ = thread.join(); // A worker's panics are caught, and told in its rows.
        }
        shared.work(&suspects, &shared.desks[0]);
        None
    });
    let mut sink = shared.sink.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    if sink.broken.is_none() {
        sink.broken = sink.settle(output).err();
    }
    sink.broken = refused.or(sink.broken);
    (shared.ran.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner), sink.broken)
}

/// Where the rows go.
pub(super) struct Sink {
    pub(super) results: Results,
    /// Whether rows wait for the disk.
    pub(super) dirty: bool,
    /// Why no more rows can be written.
    pub(super) broken: Option<RunError>,
}

impl Sink {
    fn append(&mut self, rows: &[Vec<String>], output: &Output) -> Result<(), RunError> {
        if self.broken.is_some() {
            return Ok(()); // Told already; this row's job is run again when the run continues.
        }
        self.results.append(rows).map_err(|error| write_error(output, error))?;
        self.dirty = true;
        Ok(())
    }

    /// Waits for the disk, and sees whether the file is still there.
    fn settle(&mut self, output: &Output) -> Result<(), RunError> {
        self.results.sync().map_err(|error| write_error(output, error))?;
        self.look(output)
    }

    /// Sees whether the file is still there.
    pub(super) fn look(&mut self, output: &Output) -> Result<(), RunError> {
        if self.results.in_place() { Ok(()) } else { Err(output.rescue(&mut self.results)) }
    }
}

pub(super) fn write_error(output: &Output, error: std::io::Error) -> RunError {
    RunError::Write { path: output.results_path().display().to_string(), error }
}

/// Where workers take their jobs from.
type Todo<'a> = Mutex<Box<dyn Iterator<Item = Job> + Send + 'a>>;

/// What the workers share.
pub(super) struct Shared<'a> {
    experiment: &'a Experiment,
    plan: &'a Plan,
    pub(super) output: &'a Output,
    subjects: &'a Subjects,
    labels: Vec<Vec<String>>,
    todo: Todo<'a>,
    flight: Flight,
    stopping: Option<&'a Mutex<Stopping>>,
    unfit: Vec<Option<String>>,
    /// One for each worker.
    pub(super) desks: Vec<Desk>,
    pub(super) sink: Mutex<Sink>,
    ran: Mutex<Ran>,
    /// Entries that an unbounded table stores, for sizes given as a share.
    working_sets: Mutex<HashMap<WorkingSet, u64>>,
    pub(super) stop: &'a AtomicBool,
    progress: &'a dyn Progress,
}

/// What a working set depends on: the options that an unbounded table heeds, the limit, and the first item.
type WorkingSet = (String, Option<u8>, Option<u64>, usize);

/// What a worker keeps from job to job.
#[derive(Default)]
struct Kept {
    /// The last engine of ours, its variant and the working set that its table was made for: its table is emptied faster than a new
    /// one is mapped and touched.
    ours: Option<(usize, u64, Box<dyn Subject>)>,
    /// The engines that are not ours, by variant: jobs of all variants stand by turns, and a process is slow to start.
    outside: HashMap<usize, Box<dyn Subject>>,
    /// The players of the last pair of games, ours and others, by variant.
    players: HashMap<usize, Box<dyn Subject>>,
}

impl Shared<'_> {
    fn work(&self, todo: &Todo<'_>, desk: &Desk) {
        let mut kept = Kept::default();
        while !self.stop.load(Ordering::Relaxed) {
            let Some(job) = lock(todo).next() else { return };
            if !self.needs(&job) {
                continue;
            }
            let (job, id) = (&job, self.plan.job_id(&job));
            let table = &self.plan.variants[job.variant].options.table;
            let is_share = matches!(table.size, crate::table::options::Size::Share(_));
            desk.begins(table.kind == TableKind::Unbounded || table.kind == TableKind::Bounded && is_share);
            if !self.flight.condemns(id) {
                self.flight.begins(id);
            }
            let outcome = panic::catch_unwind(AssertUnwindSafe(|| {
                let name = &self.plan.variants[job.variant].name;
                self.progress.job(name, &self.experiment.suite.items[job.item].id);
                match self.unfit[job.variant].as_ref().or_else(|| self.unfit[job.opponent?].as_ref()) {
                    Some(problem) => Err(problem.clone()),
                    None if self.flight.condemns(id) => Err(CONDEMNED.to_owned()),
                    None => self.searches(job, &mut kept, &desk.stop),
                }
            }));
            let rows = match outcome {
                Ok(Ok(Some(rows))) => Some(Ok(rows)),
                Ok(Ok(None)) if desk.starved.load(Ordering::Relaxed) => {
                    kept = Kept::default();
                    Some(Err("table.kind: a table without a bound has taken the memory that was left".to_owned()))
                }
                Ok(Ok(None)) => None,
                Ok(Err(message)) => Some(Err(message)),
                Err(payload) => {
                    kept = Kept::default();
                    Some(Err(format!("panic: {}", message_of(payload.as_ref()))))
                }
            };
            desk.ends();
            let stopped = rows.is_none();
            rows.into_iter().for_each(|rows| self.finish(job, rows));
            self.flight.ends(id);
            if stopped {
                return;
            }
        }
    }

    /// Whether a job is still asked for.
    fn needs(&self, job: &Job) -> bool {
        self.stopping.is_none_or(|stopping| lock(stopping).needs(self.plan, job))
    }

    /// All searches of a job, as rows; none if it was stopped.
    fn searches(&self, job: &Job, kept: &mut Kept, stop: &AtomicBool) -> Result<Option<Vec<Vec<String>>>, String> {
        if let Some(trace) = &self.experiment.trace {
            let item = &self.experiment.suite.items[job.item].id;
            return Ok(Some(self.rows(job, &super::replayed::replayed(trace, item, self.plan, job)?)));
        }
        if let Some(opponent) = job.opponent {
            return self.plays(job, opponent, kept, stop);
        }
        let Some(working_set) = self.working_set(job, stop)? else { return Ok(None) };
        let subject = self.subject(job.variant, working_set, kept)?;
        subject.start().map_err(|failure| failure.to_string())?;
        let searched = job::search(self.experiment, self.plan, job, subject, stop)?;
        let Some(searched) = searched else { return Ok(None) };
        if searched.is_empty() {
            return Err("nothing was searched: the game had ended before the wanted plies".to_owned());
        }
        Ok(Some(self.rows(job, &searched)))
    }

    /// Both games of a pair, as rows; none if it was stopped.
    fn plays(
        &self,
        job: &Job,
        opponent: usize,
        kept: &mut Kept,
        stop: &AtomicBool,
    ) -> Result<Option<Vec<Vec<String>>>, String> {
        let pair = [job.variant, opponent];
        let stays = |at: usize| self.plan.variants[at].outside().is_some() && self.subjects.all_are_kept();
        kept.players.retain(|at, _| pair.contains(at) || stays(*at));
        let mut subjects = Vec::with_capacity(2);
        for at in pair {
            subjects.push(match kept.players.remove(&at) {
                Some(player) => player,
                None => self.player(at)?,
            });
        }
        let [first, second] = &mut subjects[..] else { return Err("a pair has two players".to_owned()) };
        let player = |at: usize, subject| {
            let Point { name, limit, .. } = &self.plan.variants[at];
            played::Player { name, subject, limit: *limit }
        };
        let mut players = [player(pair[0], first.as_mut()), player(pair[1], second.as_mut())];
        let found = played::pair(self.experiment, job, &mut players, stop)?;
        kept.players.extend(pair.into_iter().zip(subjects));
        Ok(found.map(|found| self.rows(job, &found)))
    }

    /// A player that is new.
    fn player(&self, variant: usize) -> Result<Box<dyn Subject>, String> {
        let point = &self.plan.variants[variant];
        if point.outside().is_some() {
            return self.subjects.make(variant).ok_or_else(|| "it was not tried".to_owned());
        }
        Ok(Box::new(Engine::new(&point.options, None).map_err(|error| error.to_string())?))
    }

    /// The rows of what was found.
    fn rows(&self, job: &Job, searched: &[job::Found]) -> Vec<Vec<String>> {
        let last = searched.len() - 1;
        let mut check = 0;
        let (outside, repeats) = (self.plan.has_outside(), self.subjects.repeats(job.variant));
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
                outside: outside.then_some(Outside { told: found.told.as_ref(), repeats: &repeats }),
                games: self.played(job, found.game.as_deref()),
            }
            .fields();
            check = record::seal(&mut fields, check);
            fields
        };
        searched.iter().enumerate().map(row).collect()
    }

    /// Who a variant examines: kept from an earlier job, or new.
    fn subject<'k>(&self, variant: usize, working_set: u64, kept: &'k mut Kept) -> Result<&'k mut dyn Subject, String> {
        if self.plan.variants[variant].outside().is_some() {
            if !self.subjects.all_are_kept() {
                kept.outside.retain(|other, _| *other == variant);
            }
            let entry = match kept.outside.entry(variant) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => entry.insert(self.subjects.make(variant).ok_or("it was not tried")?),
            };
            return Ok(entry.as_mut());
        }
        let ours = match kept.ours.take() {
            Some(ours) if (ours.0, ours.1) == (variant, working_set) => ours,
            // The old table goes before the new one comes.
            other => {
                drop(other);
                let options = &self.plan.variants[variant].options;
                fits_memory(options, working_set)?;
                let engine = Engine::new(options, Some(working_set)).map_err(|error| error.to_string())?;
                (variant, working_set, Box::new(engine) as Box<dyn Subject>)
            }
        };
        Ok(kept.ours.insert(ours).2.as_mut())
    }

    /// What an unbounded table stores on the job's items; 0 where nobody asks.
    fn working_set(&self, job: &Job, stop: &AtomicBool) -> Result<Option<u64>, String> {
        let point = &self.plan.variants[job.variant];
        if !matches!(point.options.table.size, crate::table::options::Size::Share(_)) {
            return Ok(Some(0));
        }
        let options = serde_json::to_string(&job::unbounded(&point.options)).unwrap_or_default();
        let key = (options, point.limit.depth, point.limit.nodes, job.item);
        if let Some(&known) = lock(&self.working_sets).get(&key) {
            return Ok(Some(known));
        }
        let Some(entries) = job::working_set(self.experiment, self.plan, job, stop)? else { return Ok(None) };
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

    /// What a row says of its game, in a match.
    fn played<'r>(&'r self, job: &Job, game: Option<&'r GameFound>) -> Option<Played<'r>> {
        job.opponent.map(|opponent| Played { opponent: &self.plan.variants[opponent].name, game })
    }

    /// Writes a job's rows, or one that says why there are none.
    fn finish(&self, job: &Job, rows: Result<Vec<Vec<String>>, String>) {
        // Its test ended while it was played.
        if !self.needs(job) {
            return;
        }
        let failed = rows.is_err();
        let rows = match rows {
            Ok(rows) => rows,
            Err(message) => {
                let label = self.label(job, job.item, None, self.plan.job_id(job));
                let (outside, repeats) = (self.plan.has_outside(), self.subjects.repeats(job.variant));
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
                    outside: outside.then_some(Outside { told: None, repeats: &repeats }),
                    games: self.played(job, None),
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
                if let Some(stopping) = self.stopping {
                    lock(stopping).played(self.plan, job, failed, &rows);
                }
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
pub(super) fn fits_memory(options: &crate::engine::EngineOptions, working_set: u64) -> Result<(), String> {
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
