//! A session: what `run`, `reproduce` and each stage of `tune` do with a plan and a folder, in one way.

use super::flight::{FLIGHT, Flight};
use super::ledger::{Again, Ledger};
use super::progress::Progress;
use super::stopping::Stopping;
use super::{Output, OutputError, Ran, RunError, Subjects, check_memory, job, lock, manifest, work};
use crate::experiment::{Experiment, Job, Plan, Split};
use crate::record::manifest::{MANIFEST, Shard};
use crate::record::{self, Jobs, ResultsError};
use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// How a run is to be made.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Jobs at a time. Counts do not depend on it; timings do.
    pub jobs: usize,
    /// Whether results that are there are thrown away.
    pub fresh: bool,
    /// Whether rows with an error are dropped and their jobs run again.
    pub retry_failed: bool,
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
    #[must_use]
    pub fn usual_jobs(experiment: &Experiment) -> usize {
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
    settings: Settings,
    output: Output,
    /// Why the variants' tables do not fit, where they do not.
    unfit: Vec<Option<String>>,
    subjects: Subjects,
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
        let subjects = Subjects::prepare(experiment, plan, settings.jobs, stop)?.ok_or(RunError::Interrupted)?;
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

    /// The engines that are not ours.
    #[must_use]
    pub fn subjects(&self) -> &Subjects {
        &self.subjects
    }

    /// Jobs at a time.
    #[must_use]
    pub fn jobs(&self) -> usize {
        self.settings.jobs
    }

    /// The folder.
    #[must_use]
    pub fn output(&self) -> &Output {
        &self.output
    }

    /// Runs what is left of the plan. `stop`: set from outside to end soon; what was finished is kept.
    ///
    /// # Errors
    /// When the results there cannot be continued, or a row cannot be written.
    pub fn run(&self, stop: &AtomicBool, progress: &dyn Progress) -> Result<Ran, RunError> {
        let Self { experiment, plan, settings, output, unfit, subjects } = self;
        let varying = plan.varying();
        let header = record::header(&varying, plan.extra());
        let ledger = Ledger::new(experiment, plan, &header);
        let again = Again { failed: settings.retry_failed, damaged: settings.repair };
        let (results, done) = output.results(&header, &ledger, again).inspect_err(|_| {
            // That the folder cannot be written to is told by what follows from it.
            let _ = output.retract();
        })?;
        // A shard does not know how the pairs of the others ended: it plays all of its own, and merging leaves out what no test asks for.
        let mut stopping = Stopping::new(experiment, plan, &header).filter(|_| settings.shard.is_none());
        let path = || output.results_path().display().to_string();
        if let Some(stopping) = &mut stopping {
            let known = |_: &_, row: Result<&csv::StringRecord, String>| {
                let row = row?;
                stopping.read(plan, &ledger.entry(row)?, row);
                Ok(())
            };
            record::scan(&output.results_path(), &header, known)
                .map_err(|error| OutputError::Results { path: path(), error })?;
        }
        let stopping = stopping.map(Mutex::new);
        let needed = |job: &Job| stopping.as_ref().is_none_or(|stopping| lock(stopping).needs(plan, job));
        let split = settings.shard.map(|shard| (Split::new(plan, shard.of), shard.index));
        let in_shard = |job: &Job| split.is_none_or(|(split, index)| split.shard_of(plan, job) == index);
        let mine = || plan.jobs().filter(move |job| in_shard(job) && needed(job));
        let all = mine().count() as u64;
        let is_made = |job: &Job| needed(job) && done.jobs.contains(&plan.place(job));
        let numbered = (0..).zip(plan.jobs().filter(in_shard));
        let made: BTreeSet<u64> = numbered.filter(|(_, job)| is_made(job)).map(|(at, _)| at).collect();
        let before = made.len() as u64;
        if before > 0 {
            let path = || output.folder().join(MANIFEST).display().to_string();
            output.attribute(Jobs(made)).map_err(|error| RunError::Write { path: path(), error })?;
        }
        progress.begin(all, before, &done);

        let flight = Flight::open(output.folder(), settings.retry_failed)
            .map_err(|error| RunError::Write { path: output.folder().join(FLIGHT).display().to_string(), error })?;
        let left = || mine().filter(|job| !done.jobs.contains(&plan.place(job)));
        // Suspects are few: they were in flight when the process ended.
        let suspects: Vec<_> = left().filter(|job| flight.suspects(plan.job_id(job))).collect();
        let places: HashSet<u64> = suspects.iter().map(|job| plan.place(job)).collect();
        let todo = left().filter(move |job| !places.contains(&plan.place(job)));
        let (ran, broken) = work::work(work::Task {
            experiment,
            plan,
            output,
            subjects,
            labels: plan.variants.iter().map(|point| job::option_values(point, &varying)).collect(),
            todo: Mutex::new(Box::new(todo)),
            suspects,
            flight,
            stopping: stopping.as_ref(),
            unfit: unfit.clone(),
            workers: settings.jobs.max(1).min(usize::try_from(all - before).unwrap_or(usize::MAX)),
            results,
            ran: Ran { before, failed: done.failed, ..Ran::default() },
            stop,
            progress,
        });
        let stopping = stopping.map(|stopping| stopping.into_inner().unwrap_or_else(PoisonError::into_inner));
        let stopped = stop.load(Ordering::Relaxed);
        let ran = match &stopping {
            None => Ran { interrupted: stopped && ran.before + ran.done < all, ..ran },
            Some(tests) => tests.settled(plan, ran, stopped),
        };
        progress.end(&ran);
        if let Some(error) = broken {
            return Err(error);
        }
        let ended = match ran.interrupted {
            true => output.pause(ran.done),
            false => output.finish(&header, &ledger, stopping.as_ref(), ran.done),
        };
        ended.map_err(|error| match error {
            ResultsError::Io(error) => RunError::Write { path: path(), error },
            error => OutputError::Results { path: path(), error }.into(),
        })?;
        Ok(ran)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(super) mod tests;
