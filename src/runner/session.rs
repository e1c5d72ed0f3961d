//! Runs a plan in a folder. `run`, `reproduce` and each stage of `tune` use this module.

use super::context::{Shared, Sink, WorkerState};
use super::in_flight::{IN_FLIGHT_FILE, InFlight};
use super::manifest::bench;
use super::progress::Progress;
use super::resume::RetryPolicy;
use super::reuse::ReuseSummary;
use super::row_index::RowIndex;
use super::sources::{self, Reused};
use super::status::Status;
use super::stopping::MatchState;
use super::unused::unused_files;
use super::{
    Output, OutputError, RunError, RunSummary, Subjects, adopt_rows, check_memory, depths, job, jobs_of, manifest, work,
};
use crate::experiment::{Experiment, Job, Plan};
use crate::record::manifest::{MANIFEST, RunSegment, Shard};
use crate::record::{Jobs, RESULTS, ResultsError};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// How to run a plan.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// The number of parallel jobs. Timings depend on this number, but counts do not.
    pub jobs: usize,
    /// Whether existing results are deleted.
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
    /// Returns the default number of parallel jobs. This is the number of processors, or 1 if the
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
    /// The settings of the run.
    pub settings: Settings,
    pub output: Output,
    /// For each lane, the reason why its tables do not fit into memory, or `None` if they fit.
    unfit_reasons: Vec<Option<String>>,
    pub subjects: Subjects,
    /// If the folder contained results of another plan, says how many jobs of this plan are among
    /// them.
    pub adopted_rows: Option<ReuseSummary>,
    /// The rows of this plan that were taken from other folders.
    reused: Vec<Reused>,
    /// Files with rows of other plans. They were written by builds that search the same way as this
    /// build.
    other_files: Vec<PathBuf>,
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
        manifest.subjects = subjects.engine_infos(plan);
        manifest.build.bench = bench();
        let adopted_rows = adopt_rows::adopt_rows(&output, experiment, plan, &manifest, settings.any_build)?;
        output.begin(experiment, manifest, settings.any_build)?;
        let mut session = Self {
            adopted_rows,
            reused: Vec::new(),
            other_files: Vec::new(),
            experiment,
            plan,
            settings,
            output,
            unfit_reasons,
            subjects,
        };
        session.reuse_rows()?;
        Ok(session)
    }

    /// Takes rows of this plan from the folders that the experiment file and the settings name.
    fn reuse_rows(&mut self) -> Result<(), RunError> {
        let Self { experiment, plan, settings, output, reused, other_files, .. } = self;
        let folders = sources::find_folders(experiment, &settings.reuse, &output.folder)?;
        let manifest = output.manifest().map_err(|error| output.row_write_error(error))?;
        let searches_alike = |segment: &RunSegment| segment.build.searches == manifest.build.searches;
        // Any segment's build may have written the unused rows, so all builds must search in the
        // same way.
        if manifest.segments.iter().all(searches_alike) {
            *other_files = unused_files(&output.folder);
        }
        other_files.extend(folders.iter().map(|folder| folder.join(RESULTS)));
        if folders.is_empty() {
            return Ok(());
        }
        let row_index = RowIndex::new(experiment, plan);
        let retry = RetryPolicy { failed: false, quarantined: false, damaged: settings.repair };
        let (mut results, done) = output.open_results(&row_index, retry)?;
        let path = output.results_path();
        let status =
            Status::read(&row_index, &path, Status::STRICT, |_, _| Ok(())).map_err(OutputError::results(&path))?;
        let done_jobs = status.jobs.into_iter().filter(|(job, _)| done.jobs.contains(job));
        let mut known_checks: HashMap<u64, String> =
            done_jobs.map(|(job, status)| (job, format!("{:08x}", status.check))).collect();
        let mut append = |rows: &[Vec<String>]| results.append(rows);
        let outcome =
            sources::take_rows((experiment, plan), &folders, &manifest, &mut known_checks, &mut append, reused);
        // The sources are recorded even if a folder was refused, because rows that were taken
        // before are in the results too.
        results.sync().map_err(|error| output.row_write_error(error))?;
        let used_sources = reused.iter().map(|(source, _)| source.clone()).filter(|source| source.jobs > 0);
        output.add_sources(used_sources.collect()).map_err(|error| output.row_write_error(error))?;
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
            output.check_seconds().inspect_err(|_| {
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
        let crashed_places: HashSet<u64> = crashed_before.iter().map(|job| plan.order_key(job)).collect();
        let todo = remaining().filter(move |job| !crashed_places.contains(&plan.order_key(job)));
        let varying = plan.varying();
        let max_workers = usize::try_from(total_jobs - before).unwrap_or(usize::MAX).max(1);
        let workers = settings.jobs.clamp(1, max_workers);
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
        let (summary, match_state, error) = work::run_in_parallel(shared, &Mutex::new(Box::new(todo)), crashed_before);
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
        if !summary.interrupted {
            depths::compare_depths((experiment, plan), settings.shard, &path, &self.other_files)?;
        }
        Ok(summary)
    }
}

#[cfg(test)]
pub(super) mod tests;
