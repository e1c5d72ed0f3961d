//! Merges shards: takes the rows of their folders, and writes them in the plan's order.

use super::previous::move_other_plan;
use super::row_index::RowIndex;
use super::stopping::MatchState;
use super::take::{KnownJobs, Source, Taker};
use super::{Output, OutputError, reference};
use crate::experiment::{Experiment, Plan, Split};
use crate::record::manifest::{MANIFEST, Manifest, RunRecord, RunSegment, ShardRun};
use crate::record::{self, ResultsError};
use crate::text::plural;
use csv::StringRecord;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

pub struct Shards<'a> {
    pub experiment: &'a Experiment,
    pub plan: &'a Plan,
    pub shard_count: u64,
    /// The number of each shard, from 0, and the shard's folder. A shard may be listed several
    /// times.
    pub folders: Vec<(u64, PathBuf)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShardJobs {
    /// The shard's number, from 0.
    pub shard: u64,
    pub jobs: u64,
    pub missing: u64,
    pub failed: u64,
    /// The number of searches that the reference engine still has to make.
    pub searches_left: u64,
    pub folder: Option<PathBuf>,
    pub has_begun: bool,
}

#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    #[error("{} of {} shards are incomplete: {} missing", .0.len(), .1, plural(.0.iter().map(|shard_jobs| shard_jobs.missing).sum::<u64>(), "job"))]
    Missing(Vec<ShardJobs>, u64),
    /// A folder or file cannot be used, or belongs to another plan.
    #[error(transparent)]
    Output(#[from] OutputError),
}

struct Collected {
    incomplete: Vec<ShardJobs>,
    manifest: Manifest,
    match_state: MatchState,
}

impl Shards<'_> {
    fn open(&self, any_build: bool) -> Result<Vec<(u64, Source)>, OutputError> {
        let mut sources: Vec<(u64, Source)> = Vec::new();
        for (shard, folder) in self.folders.iter().filter(|(_, folder)| folder.join(MANIFEST).exists()) {
            let source = Source::open(folder)?;
            let build = &source.manifest.host.build;
            if source.manifest.planned.plan != self.plan.id_text() {
                return Err(OutputError::Unusable(format!("{}: holds the results of another plan", folder.display())));
            }
            if let Some((first_shard, first)) = sources.first()
                && !any_build
                && !build.searches_like(&first.manifest.host.build)
            {
                let first_build = &first.manifest.host.build;
                let problem = format!("its build ({build}) differs from that of shard {first_shard} ({first_build})");
                return Err(other_run_error(folder, &problem));
            }
            sources.push((*shard, source));
        }
        Ok(sources)
    }

    /// Pairs of games after the end of their test do not count as missing.
    ///
    /// # Errors
    /// If a folder contains other results or wrong rows, or two folders have different counts.
    pub fn incomplete_shards(&self) -> Result<Vec<ShardJobs>, MergeError> {
        Ok(self.collect(true, &mut |_| Ok(()))?.incomplete)
    }

    /// Takes the rows of all shards. If a job is in two shards, it is taken once, and from where it
    /// did not fail.
    fn collect(
        &self,
        any_build: bool,
        write_row: &mut dyn FnMut(&StringRecord) -> Result<(), ResultsError>,
    ) -> Result<Collected, MergeError> {
        let sources = self.open(any_build)?;
        let manifest = self.merged_manifest(&sources);
        let mut taker = Taker::new(self.experiment, self.plan, None, &manifest);
        (taker.is_same_run, taker.any_engine) = (true, any_build);
        let mut match_state = MatchState::new(self.experiment, self.plan, &taker.row_index.header, None);
        let mut known = KnownJobs::new();
        let mut with_failed_jobs = Vec::new();
        for (index, (_, source)) in sources.iter().chain(&sources).enumerate() {
            taker.takes_failed = index >= sources.len();
            if taker.takes_failed && !with_failed_jobs.contains(&(index - sources.len())) {
                continue;
            }
            let row_index = &taker.row_index;
            let taken = taker.take(source, &mut known, &mut |rows| {
                for row in rows.into_iter().map(StringRecord::from) {
                    let entry = row_index.entry(&row).map_err(|problem| ResultsError::Damaged { line: 0, problem })?;
                    match_state.add_row(self.plan, &entry, &row);
                    write_row(&row)?;
                }
                Ok(())
            })?;
            with_failed_jobs.extend(taken.has_failed_jobs().then_some(index));
            if let Some(reason) = taken.first_reason() {
                return Err(other_run_error(&source.folder, reason).into());
            }
            if let Some(conflict) = taken.conflict {
                return Err(OutputError::CountsDiffer(conflict).into());
            }
        }
        let begun: HashSet<u64> = sources.iter().map(|(shard, _)| *shard).collect();
        let shard_jobs = |shard: u64| {
            let folder = self.folders.iter().find(|(index, _)| *index == shard).map(|(_, folder)| folder.clone());
            let has_begun = begun.contains(&shard);
            ShardJobs { shard, jobs: 0, missing: 0, failed: 0, searches_left: 0, folder, has_begun }
        };
        let mut shards: Vec<ShardJobs> = (0..self.shard_count).map(shard_jobs).collect();
        for (shard, source) in &sources {
            if let Some(shard_jobs) = shards.get_mut(*shard as usize) {
                shard_jobs.searches_left = reference::count_missing_searches(self.experiment, &source.folder)
                    .map_err(OutputError::io(&source.folder))?;
            }
        }
        let split = Split::new(self.plan, self.shard_count);
        for job in self.plan.jobs().filter(|job| match_state.needs(self.plan, job)) {
            let shard_jobs = &mut shards[split.shard_of(self.plan, &job) as usize];
            let state = known.get(&self.plan.order_key(&job));
            shard_jobs.jobs += 1;
            shard_jobs.missing += u64::from(state.is_none());
            shard_jobs.failed += u64::from(state == Some(&None));
        }
        shards.retain(|shard| shard.missing > 0 || shard.failed > 0 || shard.searches_left > 0);
        Ok(Collected { incomplete: shards, manifest, match_state })
    }

    /// Writes the rows of all shards to a folder. Apart from timings, the merged rows are identical
    /// to the rows of a single run, byte for byte. Returns the merged manifest and the number of
    /// failed jobs. If anything is missing or wrong, the folder stays unchanged.
    ///
    /// # Errors
    /// If a row is missing or damaged, or the folder cannot be written.
    pub fn merge(&self, output: &Output, any_build: bool) -> Result<(Manifest, u64), MergeError> {
        let (row_index, path) = (RowIndex::new(self.experiment, self.plan), output.results_path());
        let mut collected = None;
        let new_file = record::write_rows(&path, &row_index.header, |write_row| {
            collected = Some(self.collect(any_build, write_row));
            Ok(())
        });
        let new_file = new_file.map_err(OutputError::results(&path))?;
        let Some(collected) = collected else { return Err(MergeError::Missing(Vec::new(), self.shard_count)) };
        let Collected { incomplete, manifest, match_state } = collected?;
        let failed_jobs = incomplete.iter().map(|shard_jobs| shard_jobs.failed).sum();
        let missing: Vec<ShardJobs> = incomplete.into_iter().filter(|shard_jobs| shard_jobs.missing > 0).collect();
        if !missing.is_empty() {
            return Err(MergeError::Missing(missing, self.shard_count));
        }
        move_other_plan(output, &manifest, any_build)?;
        // The rows have not been published yet.
        let mut unpublished = manifest.clone();
        unpublished.run.ended = None;
        output.begin(self.experiment, unpublished, any_build)?;
        record::publish(new_file, &path)
            .map_err(ResultsError::Io)
            .and_then(|()| output.seal(&row_index, &match_state, manifest.run.ended))
            .map_err(OutputError::results(&path))?;
        if self.experiment.file.reference.is_some() {
            let mut folders = self.folders.clone();
            folders.sort_by_key(|(shard, _)| *shard);
            let folders: Vec<PathBuf> = folders.into_iter().map(|(_, folder)| folder).collect();
            reference::merge_judgements(&folders, &output.folder, any_build)?;
        }
        Ok((manifest, failed_jobs))
    }

    /// Merges the manifests of all shards. The merged manifest has the largest number of parallel
    /// jobs, the earliest start, the latest end, and the build, machine and engines of the first
    /// shard.
    fn merged_manifest(&self, sources: &[(u64, Source)]) -> Manifest {
        let mut merged = super::manifest(self.experiment, self.plan, 0, None);
        if let Some((_, Source { manifest: first, .. })) = sources.first() {
            let RunRecord { started, ended, ref subjects, .. } = first.run;
            merged.host = first.host.clone();
            merged.run = RunRecord { started, ended, subjects: subjects.clone(), ..merged.run };
        }
        for (shard, Source { manifest, .. }) in sources {
            let RunRecord { jobs, calibration, started, ended, .. } = manifest.run;
            merged.run.jobs = merged.run.jobs.max(jobs);
            merged.run.started = merged.run.started.min(started);
            merged.run.ended = merged.run.ended.max(ended);
            let with_shard = |segment| RunSegment { shard: Some(*shard), ..segment };
            merged.run.segments.extend(manifest.run.segments.iter().cloned().map(with_shard));
            let machine = manifest.host.machine.clone();
            merged.run.shards.push(ShardRun { index: *shard, jobs, machine, calibration, started, ended });
        }
        merged
    }
}

fn other_run_error(folder: &Path, problem: &str) -> OutputError {
    let folder = folder.display();
    OutputError::Unusable(format!("{folder}: {problem}: run the shard again, or merge anyway with --any-build"))
}

#[cfg(test)]
mod tests;
