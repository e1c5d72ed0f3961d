//! The workers: each takes a job, searches, and hands in its rows. A job that fails leaves a row that says so, and the others
//! go on.

use super::flight::{CONDEMNED, Flight};
use super::progress::Progress;
use super::searching::Kept;
use super::shared::{Shared, Todo};
use super::sink::ResultsSink;
use super::steward::{self, Desk};
use super::stopping::Stopping;
use super::{Output, Ran, RunError, Subjects, lock};
use crate::experiment::{Experiment, Job, Plan};
use crate::record::{self, EngineSaid, Results, Row};
use crate::table::TableKind;
use std::collections::HashMap;
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
        sink: Mutex::new(ResultsSink { results, dirty: false, broken: None }),
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
                    let told = format!("\"{}\" on {}: {message}", label.variant, label.position);
                    ran.failures.push((*job, told));
                }
                let mut row = Row {
                    label: &label,
                    iteration: None,
                    solved: None,
                    seconds: 0.0,
                    error: &message,
                    anatomy: self.plan.has_anatomy(),
                    outside: outside.then_some(EngineSaid { told: None, repeats: &repeats }),
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

/// A panic's message.
fn message_of(payload: &(dyn std::any::Any + Send)) -> String {
    payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn panics_are_told_in_words() {
        let caught = |panics: fn()| message_of(panic::catch_unwind(panics).unwrap_err().as_ref());
        assert_eq!(message_of(&"plain" as &(dyn std::any::Any + Send)), "plain");
        assert_eq!(message_of(&"owned".to_owned() as &(dyn std::any::Any + Send)), "owned");
        assert_eq!(
            (message_of(&7_u8), caught(|| panic::panic_any(3_i32))),
            ("no message".to_owned(), "no message".to_owned())
        );
    }
}
