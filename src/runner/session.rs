//! A session: what `run`, `reproduce` and each stage of `tune` do with a plan and a folder, in one way.

use super::in_flight::{FLIGHT, Flight};
use super::monitor::WorkerState;
use super::progress::Progress;
use super::row_index::{RetryPolicy, RowIndex};
use super::stopping::Stopping;
use super::work::{self, Shared, Sink};
use super::{Output, OutputError, RunError, RunSummary, Subjects, check_memory, job, jobs_of, manifest};
use crate::experiment::{Experiment, Job, Plan};
use crate::record::manifest::{MANIFEST, Shard};
use crate::record::{Jobs, ResultsError};
use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// How a run is to be made.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Jobs at a time. Counts do not depend on it; timings do.
    pub jobs: usize,
    /// Whether results that are there are thrown away.
    pub fresh: bool,
    /// Whether rows with an error are dropped and their jobs run again.
    pub retry_failed: bool,
    /// Whether jobs with which the process died are among them.
    pub retry_set_aside: bool,
    /// Whether rows that are damaged, or not of this plan, are dropped and their jobs run again; else they end the run.
    pub repair: bool,
    /// Whether results of another build are continued.
    pub any_build: bool,
    /// Whether to go on where the folder cannot be locked: the user has it that nothing else writes there.
    pub no_lock: bool,
    /// Only the jobs of one shard.
    pub shard: Option<Shard>,
}

impl Settings {
    /// Jobs at a time where nobody says how many: one for each processor, or one where searches are repeated for timing.
    pub fn default_jobs(experiment: &Experiment) -> usize {
        match experiment.file.repeats {
            0 | 1 => std::thread::available_parallelism().map_or(1, usize::from),
            _ => 1,
        }
    }
}

/// A plan with a folder of its own, whose manifest is written.
pub struct Session<'a> {
    experiment: &'a Experiment,
    plan: &'a Plan,
    /// How it is run.
    pub settings: Settings,
    /// The folder.
    pub output: Output,
    /// Why the lanes' tables do not fit, where they do not.
    unfit: Vec<Option<String>>,
    /// The engines that are not ours.
    pub subjects: Subjects,
}

impl<'a> Session<'a> {
    /// Sees whether the tables fit, tries the engines that are not ours, opens the folder and writes its manifest. `stop`: set from
    /// outside to end soon.
    ///
    /// # Errors
    /// When the tables do not fit, an engine cannot be used, or the folder cannot be used or holds something else.
    pub fn begin(
        experiment: &'a Experiment,
        plan: &'a Plan,
        folder: &Path,
        settings: Settings,
        stop: &AtomicBool,
    ) -> Result<Self, RunError> {
        let unfit = check_memory(plan, settings.jobs)?;
        let subjects = Subjects::prepare(experiment, plan, settings.jobs, stop)?;
        subjects.check_memory(plan, settings.jobs)?;
        let output = Output::open_with(folder, !settings.no_lock)?;
        if settings.fresh {
            output.clear()?;
        }
        let mut manifest = manifest(experiment, plan, settings.jobs, settings.shard);
        manifest.subjects = subjects.examined(plan);
        output.begin(experiment, manifest, settings.any_build)?;
        Ok(Self { experiment, plan, settings, output, unfit, subjects })
    }

    /// Runs what is left of the plan. `stop`: set from outside to end soon; what was finished is kept.
    ///
    /// # Errors
    /// When the results there cannot be continued, or a row cannot be written.
    pub fn run(&self, stop: &AtomicBool, progress: &dyn Progress) -> Result<RunSummary, RunError> {
        let Self { experiment, plan, settings, output, unfit, subjects } = self;
        let row_index = RowIndex::new(experiment, plan);
        let again = RetryPolicy {
            failed: settings.retry_failed,
            set_aside: settings.retry_set_aside,
            damaged: settings.repair,
        };
        let (results, done) = output.results(&row_index, again).inspect_err(|_| {
            // That the folder cannot be written to is told by what follows from it.
            let _ = output.retract();
        })?;
        let path = output.results_path();
        let mut stopping = Stopping::new(experiment, plan, &row_index.header, settings.shard);
        if stopping.ends_games() {
            let known = row_index.read(&path, |_, entry, row| {
                stopping.read(plan, entry, row);
                Ok(())
            });
            known.map_err(OutputError::results(&path))?;
        }
        let is_done = |job: &Job| done.jobs.contains(&plan.order_key(job));
        let (mut all, mut made) = (0, BTreeSet::new());
        for (at, job) in (0..).zip(jobs_of(plan, settings.shard)).filter(|(_, job)| stopping.needs(plan, job)) {
            all += 1;
            made.extend(is_done(&job).then_some(at));
        }
        let before = made.len() as u64;
        if before > 0 {
            let manifest = output.folder.join(MANIFEST);
            output.attribute(Jobs(made)).map_err(|error| RunError::write(&manifest, error))?;
        }
        progress.begin(all, before, &done);

        let in_flight = Flight::open(&output.folder, settings.retry_set_aside)
            .map_err(|error| RunError::write(&output.folder.join(FLIGHT), error))?;
        let left = || jobs_of(plan, settings.shard).filter(|job| !is_done(job));
        // Suspects are few: they were in flight when the process ended.
        let crashed_before: Vec<Job> = left().filter(|job| in_flight.crashed_before(plan.job_id(job))).collect();
        let places: HashSet<u64> = crashed_before.iter().map(|job| plan.order_key(job)).collect();
        let todo = left().filter(move |job| !places.contains(&plan.order_key(job)));
        let varying = plan.varying();
        let workers = settings.jobs.max(1).min(usize::try_from(all - before).unwrap_or(usize::MAX)).max(1);
        let shared = Shared {
            experiment,
            plan,
            output,
            subjects,
            extra: plan.extra_columns(),
            labels: plan.variants.iter().map(|variant| job::option_values(variant, &varying)).collect(),
            in_flight,
            stopping: Mutex::new(stopping),
            unfit,
            worker_states: (0..workers).map(|_| WorkerState::default()).collect(),
            sink: Mutex::new(Sink { results, dirty: false, broken: None }),
            ran: Mutex::new(RunSummary { before, failed: done.failed, ..RunSummary::default() }),
            working_sets: Mutex::default(),
            stop,
            progress,
        };
        let (ran, stopping, broken) = work::work(shared, &Mutex::new(Box::new(todo)), crashed_before);
        let ran = stopping.settled(plan, ran, stop.load(Ordering::Relaxed), all);
        progress.end(&ran);
        if let Some(error) = broken {
            return Err(error);
        }
        let ended = match ran.interrupted {
            true => output.end(ran.done, false).map_err(ResultsError::Io),
            false => output.finish(&row_index, &stopping, ran.done),
        };
        ended.map_err(|error| match error {
            ResultsError::Io(error) => output.unwritten(error),
            error => OutputError::results(&path)(error).into(),
        })?;
        Ok(ran)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(super) mod tests;
