//! Runs a plan in a folder. `run`, `reproduce` and each stage of `tune` use this module.

use super::context::{Shared, Sink, WorkerState};
use super::in_flight::{IN_FLIGHT_FILE, InFlight};
use super::manifest::bench;
use super::progress::Progress;
use super::resume::RetryPolicy;
use super::row_index::RowIndex;
use super::status::Status;
use super::stopping::MatchState;
use super::take::{KnownJobs, Source, Taker};
use super::work::{Chain, Task};
use super::{
    Output, OutputError, RunError, RunSummary, Subjects, check_memory, job, jobs_of, manifest, previous, sources, work,
};
use crate::experiment::{Experiment, Job, Plan};
use crate::record::manifest::{MANIFEST, Shard};
use crate::record::{Jobs, ResultsError};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// How to run a plan.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// The number of parallel jobs. Timings depend on this number, but counts do not.
    pub jobs: usize,
    /// Whether existing results are moved away, and none of their rows is taken.
    pub fresh: bool,
    /// Whether failed jobs run again.
    pub retry_failed: bool,
    /// Whether quarantined jobs run again too.
    pub retry_quarantined: bool,
    /// Whether damaged rows and rows of other plans are dropped, and jobs with damaged rows run
    /// again. Otherwise such rows are an error.
    pub repair: bool,
    /// Whether to continue results of another build.
    pub any_build: bool,
    /// Whether to run without a lock if the folder cannot be locked. The user must then make sure
    /// that no other process uses the folder.
    pub no_lock: bool,
    /// Folders of results, or glob patterns, from which existing rows are taken. The experiment
    /// file may name further folders.
    pub reuse: Vec<String>,
    /// If set, run only the jobs of this shard.
    pub shard: Option<Shard>,
}

impl Settings {
    /// The default number of parallel jobs. This is the number of processors, or 1 if the
    /// experiment file asks for times.
    pub fn default_jobs(experiment: &Experiment) -> usize {
        if experiment.file.asks_for_times() {
            return 1;
        }
        std::thread::available_parallelism().map_or(1, usize::from)
    }
}

/// A plan with its locked output folder.
pub struct Session<'a> {
    experiment: &'a Experiment,
    plan: &'a Plan,
    pub settings: Settings,
    pub output: Output,
    /// For each lane, the reason why its tables do not fit into memory, or `None` if they fit.
    unfit_reasons: Vec<Option<String>>,
    pub subjects: Subjects,
    /// Whether the folder contained results of another plan, which were moved.
    pub has_other_plan: bool,
    /// For each folder from which rows were taken or that was left out, a line about it.
    reused: Vec<String>,
}

impl<'a> Session<'a> {
    /// Checks that the tables fit into memory, tests the external engines, locks the folder, writes
    /// its manifest, and takes rows from other folders. Fails with [`RunError::Interrupted`]
    /// if another thread sets `stop`.
    ///
    /// # Errors
    /// If the tables do not fit, an engine cannot be used, or the folder cannot be used or contains
    /// other results. Also if rows from another folder cannot be used, or differ from known rows of
    /// the same job.
    pub fn begin(
        experiment: &'a Experiment,
        plan: &'a Plan,
        folder: &Path,
        settings: Settings,
        stop: &AtomicBool,
    ) -> Result<Self, RunError> {
        let unfit_reasons = check_memory(plan, settings.jobs)?;
        let subjects = Subjects::prepare(experiment, plan, settings.jobs, stop)?;
        subjects.check_memory(plan, settings.jobs)?;
        let output = Output::open_with(folder, !settings.no_lock)?;
        if settings.fresh {
            output.clear()?;
        }
        let mut manifest = manifest(experiment, plan, settings.jobs, settings.shard);
        manifest.run.subjects = subjects.engine_infos(plan);
        manifest.host.build.bench = bench();
        let mut reused = Vec::new();
        let sources = sources::open_named(experiment, &settings.reuse, folder, &manifest.host.build, &mut reused)?;
        let has_other_plan = previous::move_other_plan(&output, &manifest, settings.any_build)?;
        output.begin(experiment, manifest, settings.any_build)?;
        let mut session = Self { has_other_plan, reused, experiment, plan, settings, output, unfit_reasons, subjects };
        session.take_rows(sources)?;
        Ok(session)
    }

    /// Takes rows of this plan from the results that were moved for a change of the plan, if jobs
    /// are missing, and from the folders that the experiment file and the settings name.
    fn take_rows(&mut self, named: Vec<Source>) -> Result<(), RunError> {
        let Self { experiment, plan, settings, output, reused, .. } = self;
        let previous = previous::folders(&output.folder);
        if previous.is_empty() && named.is_empty() {
            return Ok(());
        }
        let manifest = output.manifest().map_err(|error| output.row_write_error(error))?;
        let taker = Taker::new(experiment, plan, settings.shard, &manifest);
        let retry = RetryPolicy { failed: false, quarantined: false, damaged: settings.repair };
        let (mut results, done) = output.open_results(&taker.row_index, retry).inspect_err(|_| {
            // Ignored: this error is reported anyway.
            let _ = output.restore_manifest();
        })?;
        let path = output.results_path();
        let status = Status::read(&taker.row_index, &path, Status::STRICT, |_, _| Ok(()))
            .map_err(OutputError::results(&path))?;
        let done_jobs = status.jobs.into_iter().filter(|(job, _)| done.jobs.contains(job));
        let mut known: KnownJobs =
            done_jobs.map(|(job, status)| (job, (!status.failed).then_some(status.check))).collect();
        let mut used = Vec::new();
        let mut take = |source: &Source, known: &mut KnownJobs, lines: &mut Vec<String>| {
            let taken = taker.take(source, known, &mut |rows| Ok(results.append(&rows)?))?;
            lines.push(taken.to_string());
            used.push(taken.source);
            taken.conflict.map_or(Ok(()), |conflict| Err(OutputError::CountsDiffer(conflict)))
        };
        let mut outcome = Ok(());
        for folder in previous {
            if outcome.is_err() || taker.knows_all(&known) {
                break;
            }
            match Source::open(&folder).and_then(|source| source.of_build(&manifest.host.build)) {
                Ok(source) => outcome = take(&source, &mut known, reused),
                Err(error) => reused.push(format!("not reused: {error}")),
            }
        }
        for source in named {
            outcome = outcome.and_then(|()| take(&source, &mut known, reused));
        }
        // The sources are recorded even after an error, because their rows are in the results too.
        results.sync().map_err(|error| output.row_write_error(error))?;
        used.retain(|source| source.jobs > 0);
        output.add_sources(used).map_err(|error| output.row_write_error(error))?;
        Ok(outcome?)
    }

    /// Runs the remaining jobs of the plan. Returns early if another thread sets `stop`, in which
    /// case the finished jobs are kept.
    ///
    /// # Errors
    /// If the results cannot be continued, or a row cannot be written.
    pub fn run(&self, stop: &AtomicBool, progress: &dyn Progress) -> Result<RunSummary, RunError> {
        let Self { experiment, plan, settings, output, unfit_reasons, subjects, .. } = self;
        let row_index = RowIndex::new(experiment, plan);
        let retry = RetryPolicy {
            failed: settings.retry_failed,
            quarantined: settings.retry_quarantined,
            damaged: settings.repair,
        };
        let (results, done) = output.open_results(&row_index, retry).inspect_err(|_| {
            // Ignored: this error is reported anyway.
            let _ = output.restore_manifest();
        })?;
        let path = output.results_path();
        let mut match_state = MatchState::new(experiment, plan, &row_index.header, settings.shard);
        if plan.is_match() {
            let status = Status::read(&row_index, &path, Status::STRICT, |entry, row| {
                match_state.add_row(plan, entry, row);
                Ok(())
            });
            status.map_err(OutputError::results(&path))?;
        }
        let is_done = |job: &Job| done.jobs.contains(&plan.order_key(job));
        let (mut total_jobs, mut done_before) = (0, BTreeSet::new());
        for (index, job) in (0..).zip(jobs_of(plan, settings.shard)).filter(|(_, job)| match_state.needs(plan, job)) {
            total_jobs += 1;
            done_before.extend(is_done(&job).then_some(index));
        }
        let before = done_before.len() as u64;
        if before > 0 {
            let manifest = output.folder.join(MANIFEST);
            output.record_previous_jobs(Jobs(done_before)).map_err(|error| RunError::write(&manifest, error))?;
        }
        if before == total_jobs && !settings.repair {
            output.check_unchanged().inspect_err(|_| {
                // Ignored: this error is reported anyway.
                let _ = output.restore_manifest();
            })?;
        }
        progress.reused(&self.reused);
        progress.begin(total_jobs, before, &done);

        let in_flight = InFlight::open(&output.folder, settings.retry_quarantined)
            .map_err(|error| RunError::write(&output.folder.join(IN_FLIGHT_FILE), error))?;
        let remaining = || jobs_of(plan, settings.shard).filter(|job| !is_done(job));
        // The list is short, because each killed run adds at most as many jobs as ran in parallel.
        let crashed_before: Vec<Job> = remaining().filter(|job| in_flight.crashed_before(plan.job_id(job))).collect();
        let (todo, crashed_before) = self.chains(&is_done, &crashed_before);
        let mut remaining_by_variant = BTreeMap::new();
        for job in remaining().filter(|job| match_state.needs(plan, job)) {
            *remaining_by_variant.entry(plan.variants[job.variant].name.clone()).or_insert(0) += 1;
        }
        progress.remaining(remaining_by_variant);
        let varying = plan.varying();
        let max_workers = usize::try_from(total_jobs - before).unwrap_or(usize::MAX).max(1);
        let max_chains = plan.chain_count().map_or(usize::MAX, |chains| chains as usize);
        let workers = settings.jobs.clamp(1, max_workers.min(max_chains));
        let shared = Shared {
            experiment,
            plan,
            output,
            subjects,
            extra_columns: plan.extra_columns(),
            option_values: plan.variants.iter().map(|variant| job::option_values(variant, &varying)).collect(),
            in_flight,
            match_state: Mutex::new(match_state),
            unfit_reasons,
            worker_states: (0..workers).map(|_| WorkerState::default()).collect(),
            sink: Mutex::new(Sink { results, dirty: false, write_error: None }),
            summary: Mutex::new(RunSummary { before, failed: done.failed, ..RunSummary::default() }),
            working_sets: Mutex::default(),
            stop,
            progress,
        };
        let (summary, match_state, error) = work::run_in_parallel(shared, &Mutex::new(todo), crashed_before);
        let summary = match_state.summarize(plan, summary, stop.load(Ordering::Relaxed), total_jobs);
        progress.end(&summary);
        if let Some(error) = error {
            return Err(error);
        }
        let result = match summary.interrupted {
            true => output.end_segment(summary.done, false).map_err(ResultsError::Io),
            false => output.finish(&row_index, &match_state, summary.done),
        };
        result.map_err(|error| match error {
            ResultsError::Io(error) => output.row_write_error(error),
            error => OutputError::results(&path)(error).into(),
        })?;
        Ok(summary)
    }

    /// Deals the jobs to chains. If a chain with a missing job has jobs of engines whose counts
    /// depend on their history, it begins with their first jobs, although these are done. Returns
    /// the chains without and those with a job that crashed before. A crashed job alone is a chain
    /// of its own, unless its engine's history matters.
    fn chains<'c>(
        &'c self,
        is_done: &'c (impl Fn(&Job) -> bool + Sync),
        crashed: &[Job],
    ) -> (Chains<'c>, Vec<Chain<'c>>) {
        let Self { plan, settings, subjects, .. } = self;
        let single =
            |job| Chain { tasks: Box::new(std::iter::once(Task { job, is_done: false })), starts_processes: false };
        let crashed_places: HashSet<u64> = crashed.iter().map(|job| plan.order_key(job)).collect();
        let Some(count) = plan.chain_count() else {
            let remaining = jobs_of(plan, settings.shard).filter(|job| !is_done(job));
            let todo = remaining.filter(move |job| !crashed_places.contains(&plan.order_key(job)));
            return (Box::new(todo.map(single)), crashed.iter().copied().map(single).collect());
        };
        let depends = |job: &Job| subjects.depends_on_history(job.variant);
        let (alone, whole): (Vec<Job>, Vec<Job>) = crashed.iter().partition(|job| !depends(job));
        let alone_places: HashSet<u64> = alone.iter().map(|job| plan.order_key(job)).collect();
        let chain = move |chain: usize, alone_places: HashSet<u64>| {
            let jobs = || jobs_of(plan, settings.shard).filter(move |job| plan.chain_of(job) == chain);
            let last_missing = jobs().filter(|job| !is_done(job)).map(|job| plan.order_key(&job)).last();
            let needed = jobs().filter(move |job| last_missing.is_some_and(|last| plan.order_key(job) <= last));
            let tasks = needed.map(|job| Task { job, is_done: is_done(&job) });
            let tasks = tasks.filter(move |task| !task.is_done || depends(&task.job));
            let tasks = tasks.filter(move |task| !alone_places.contains(&plan.order_key(&task.job)));
            Chain { tasks: Box::new(tasks), starts_processes: true }
        };
        let crashed_chains: BTreeSet<usize> = whole.iter().map(|job| plan.chain_of(job)).collect();
        let last = crashed_chains.iter().map(|&index| chain(index, alone_places.clone()));
        let last = last.chain(alone.into_iter().map(single)).collect();
        let others = (0..count as usize).filter(move |index| !crashed_chains.contains(index));
        (Box::new(others.map(move |index| chain(index, alone_places.clone()))), last)
    }
}

type Chains<'c> = Box<dyn Iterator<Item = Chain<'c>> + Send + 'c>;

#[cfg(test)]
pub(super) mod tests;
