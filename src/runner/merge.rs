//! Merges shards. Each shard is checked, and then the rows of all shards are written in the plan's
//! order. During the check, the state of every job is kept in memory, but no rows are.

use super::adopt_rows::adopt_rows;
use super::row_index::RowIndex;
use super::status::{JobStatus, Status};
use super::stopping::MatchState;
use super::{Output, OutputError, reference};
use crate::experiment::{Experiment, Job, Plan, Split};
use crate::record::manifest::{MANIFEST, Manifest, RunSegment, Shard, ShardRun};
use crate::record::{self, NewFile, ResultsError, Rows};
use crate::text::plural;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};

/// A plan and the folders that contain its shards.
pub struct Shards<'a> {
    /// The experiment of the plan.
    pub experiment: &'a Experiment,
    /// The plan of all shards.
    pub plan: &'a Plan,
    /// The number of shards of the plan.
    pub shard_count: u64,
    /// The number of each shard, from 0, and the shard's folder. A shard may be listed several
    /// times.
    pub folders: Vec<(u64, PathBuf)>,
}

/// The numbers of jobs of a shard that are missing or failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShardJobs {
    /// The shard's number, from 0.
    pub shard: u64,
    /// The number of jobs in the shard.
    pub jobs: u64,
    pub missing: u64,
    pub failed: u64,
    /// The number of searches that the reference engine still has to make.
    pub searches_left: u64,
    /// The shard's folder, if it exists.
    pub folder: Option<PathBuf>,
}

/// Why shards cannot be merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    #[error("{} of {} shards are incomplete: {} missing", .0.len(), .1, plural(.0.iter().map(|shard_jobs| shard_jobs.missing).sum::<u64>(), "job"))]
    Missing(Vec<ShardJobs>, u64),
    /// Two folders contain the same shard with different counts.
    #[error("{0}")]
    Conflict(String),
    /// A shard changed between the check and the merge.
    #[error(
        "{}: changed during the merge: {} when checked, {found} when merged; nothing was written: merge again",
        .folder.display(),
        plural(*.checked, "row")
    )]
    ShardChanged {
        folder: PathBuf,
        /// The number of rows when the shard was checked.
        checked: u64,
        /// The number of rows when the shard was merged.
        found: u64,
    },
    /// A folder or file cannot be used, or belongs to another plan.
    #[error(transparent)]
    Output(#[from] OutputError),
}

impl Shards<'_> {
    fn split(&self) -> Split {
        Split::new(self.plan, self.shard_count)
    }

    /// Reads the manifest of a shard's folder and checks that the manifest belongs to this shard of
    /// the plan. Returns `None` if there is no manifest, because the shard has not begun.
    fn read_manifest(&self, shard: u64, folder: &Path) -> Result<Option<Manifest>, MergeError> {
        let Some(manifest) = Manifest::read(folder).map_err(OutputError::from)? else { return Ok(None) };
        let count = self.shard_count;
        if manifest.plan != format!("{:016x}", self.plan.id()) {
            return Err(unusable_error(folder, "holds the results of another plan"));
        }
        let problem = match manifest.shard {
            Some(actual) if actual == (Shard { index: shard, count }) => return Ok(Some(manifest)),
            Some(actual) => {
                format!("holds shard {} of {}: expected shard {shard} of {count}", actual.index, actual.count)
            }
            None => "holds the results of a whole run: expected a shard".to_owned(),
        };
        Err(unusable_error(folder, &problem))
    }

    /// Reads and checks every row of a shard. Adds the results of its games to `match_state`, which
    /// decides when the test of each encounter ends.
    fn read_shard(
        &self,
        row_index: &RowIndex<'_>,
        shard: u64,
        folder: &Path,
        match_state: &mut MatchState,
    ) -> Result<Status, MergeError> {
        let path = folder.join(record::RESULTS);
        if !path.exists() {
            return Ok(Status::default());
        }
        let split = self.split();
        let status = Status::read(row_index, &path, Status::STRICT, |entry, row| {
            let shard_of_job = split.shard_of(self.plan, &entry.job);
            if shard_of_job != shard {
                return Err(format!("its job belongs to shard {shard_of_job}"));
            }
            match_state.add_row(self.plan, entry, row);
            Ok(())
        });
        Ok(status.map_err(OutputError::results(&path))?)
    }

    /// Returns the shards that have missing jobs, failed jobs or missing judgements. Pairs of games
    /// after the end of their test do not count as missing.
    ///
    /// # Errors
    /// If a folder contains other results, a row is damaged, or two folders contain the same shard.
    pub fn incomplete_shards(&self) -> Result<Vec<ShardJobs>, MergeError> {
        Ok(self.check_shards()?.0)
    }

    /// Reads and checks all shards. Returns the shards in which something is missing or failed, and
    /// the number of rows to merge for each shard.
    fn check_shards(&self) -> Result<(Vec<ShardJobs>, Vec<u64>), MergeError> {
        let row_index = RowIndex::new(self.experiment, self.plan);
        let mut match_state = MatchState::new(self.experiment, self.plan, &row_index.header, None);
        let (mut shards, mut statuses) = (Vec::new(), Vec::new());
        for shard in 0..self.shard_count {
            let mut shard_jobs = ShardJobs { shard, jobs: 0, missing: 0, failed: 0, searches_left: 0, folder: None };
            let mut folder_and_status: Option<(&PathBuf, Status)> = None;
            for (_, folder) in self.folders.iter().filter(|(index, _)| *index == shard) {
                if self.read_manifest(shard, folder)?.is_none() {
                    continue;
                }
                let status = self.read_shard(&row_index, shard, folder, &mut match_state)?;
                if let Some((first_folder, first_status)) = folder_and_status {
                    return Err(self.duplicate_shard_error(shard, (first_folder, &first_status), (folder, &status)));
                }
                shard_jobs.searches_left =
                    reference::count_missing_searches(self.experiment, folder).map_err(OutputError::io(folder))?;
                shard_jobs.folder = Some(folder.clone());
                folder_and_status = Some((folder, status));
            }
            shards.push(shard_jobs);
            statuses.push(folder_and_status.map(|(_, status)| status).unwrap_or_default());
        }
        let (split, mut rows_to_merge) = (self.split(), vec![0; shards.len()]);
        for job in self.plan.jobs().filter(|job| match_state.needs(self.plan, job)) {
            let shard = split.shard_of(self.plan, &job) as usize;
            let status = statuses[shard].job(&row_index, &job);
            let shard_jobs = &mut shards[shard];
            shard_jobs.jobs += 1;
            rows_to_merge[shard] += u64::from(status.rows);
            shard_jobs.missing += u64::from(!status.ended);
            shard_jobs.failed += u64::from(status.failed);
        }
        shards.retain(|shard| shard.missing > 0 || shard.failed > 0 || shard.searches_left > 0);
        Ok((shards, rows_to_merge))
    }

    /// Returns the error for a shard that is in two folders. If a job has different counts in the
    /// two folders, the message names the first such job.
    fn duplicate_shard_error(
        &self,
        shard: u64,
        (first_folder, first_status): (&PathBuf, &Status),
        (second_folder, second_status): (&PathBuf, &Status),
    ) -> MergeError {
        let (first, second) = (first_folder.display(), second_folder.display());
        let has_conflict = |(order_key, job): &(&u64, &JobStatus)| {
            let second_job = second_status.jobs.get(order_key);
            job.ended && second_job.is_some_and(|second_job| second_job.ended && second_job.check != job.check)
        };
        let first_key = first_status.jobs.iter().filter(has_conflict).map(|(order_key, _)| order_key).min();
        let job = first_key.and_then(|&key| self.plan.jobs().find(|job| self.plan.order_key(job) == key));
        let Some(Job { variant, item, repeat, .. }) = job else {
            let text = format!("shard {shard}: it is in two folders, {first} and {second}: name only one of them");
            return OutputError::Unusable(text).into();
        };
        let (variant, item) = (&self.plan.variants[variant].name, &self.experiment.suite.items[item].id);
        MergeError::Conflict(format!(
            "shard {shard}: two folders have different counts for \"{variant}\" on {item} (repeat {repeat}): \
             {first} and {second}"
        ))
    }

    /// Writes the rows of all shards to a folder. Apart from timings, the merged rows are identical
    /// to the rows of a single run, byte for byte. Returns the merged manifest and the number of
    /// failed jobs. If anything is missing or wrong, the folder stays unchanged.
    ///
    /// # Errors
    /// If a row is missing, duplicate or damaged, a shard is still running, or the folder cannot be
    /// written.
    pub fn merge(&self, output: &Output, any_build: bool) -> Result<(Manifest, u64), MergeError> {
        let (incomplete_shards, checked_rows) = self.check_shards()?;
        let failed_jobs = incomplete_shards.iter().map(|shard_jobs| shard_jobs.failed).sum();
        let unfinished_shards: Vec<ShardJobs> =
            incomplete_shards.into_iter().filter(|shard_jobs| shard_jobs.missing > 0).collect();
        if !unfinished_shards.is_empty() {
            return Err(MergeError::Missing(unfinished_shards, self.shard_count));
        }
        let row_index = RowIndex::new(self.experiment, self.plan);
        let manifest = self.merged_manifest(any_build)?;
        // If a shard's run was killed just before its end, the shard has all its rows, but they are
        // not in the plan's order yet.
        for (_, folder) in self.folders.iter().filter(|(_, folder)| folder.join(MANIFEST).exists()) {
            // The lock makes sure that the shard is not running. A read-only folder needs no lock,
            // because no shard can be running there.
            let _lock = match Output::open(folder) {
                Err(OutputError::Io { error, .. }) if is_read_only(&error) => None,
                result => Some(result?),
            };
            let path = folder.join(record::RESULTS);
            record::sort_rows(&path, &row_index.header, |row| Ok(Some(row_index.entry(row)?.place)))
                .map_err(OutputError::results(&path))?;
        }
        adopt_rows(output, self.experiment, self.plan, &manifest, any_build)?;
        let (merged_file, jobs_not_needed) = self.write_rows(&row_index, output, &checked_rows)?;
        let path = output.results_path();
        output.begin(self.experiment, manifest.clone(), any_build)?;
        record::publish(merged_file, &path)
            .map_err(ResultsError::Io)
            .and_then(|()| output.seal(jobs_not_needed))
            .map_err(OutputError::results(&path))?;
        if self.experiment.file.reference.is_some() {
            let mut folders = self.folders.clone();
            folders.sort_by_key(|(shard, _)| *shard);
            let folders: Vec<PathBuf> = folders.into_iter().map(|(_, folder)| folder).collect();
            reference::merge_judgements(&folders, &output.folder, any_build)?;
        }
        Ok((manifest, failed_jobs))
    }

    /// Writes the rows of all shards to a new file in the folder of the results. Returns this file
    /// and the number of pairs of games that are not needed. `checked_rows` contains the number of
    /// rows that each shard had when it was checked.
    fn write_rows(
        &self,
        row_index: &RowIndex<'_>,
        output: &Output,
        checked_rows: &[u64],
    ) -> Result<(NewFile, u64), MergeError> {
        let mut match_state = MatchState::new(self.experiment, self.plan, &row_index.header, None);
        let (path, mut merged_rows) = (output.results_path(), vec![0; checked_rows.len()]);
        let new_file = record::write_rows(&path, &row_index.header, |write_row| {
            self.visit_rows(row_index, &mut match_state, MAX_OPEN_FILES, &mut |shard, row| {
                merged_rows[shard as usize] += 1;
                write_row(row)
            })
        });
        let new_file = new_file.map_err(OutputError::results(&path))?;
        let mut counts = (0..).zip(checked_rows.iter().zip(&merged_rows));
        match counts.find(|(_, (checked, merged))| checked != merged) {
            None => Ok((new_file, match_state.not_needed())),
            Some((shard, (&checked, &merged))) => {
                let folder = self.find_folder(shard).cloned().unwrap_or_default();
                Err(MergeError::ShardChanged { folder, checked, found: merged })
            }
        }
    }

    /// Returns the folder of a shard, or `None` if the shard has not begun.
    fn find_folder(&self, shard: u64) -> Option<&PathBuf> {
        let mut folders = self.folders.iter();
        folders.find(|(index, folder)| *index == shard && folder.join(MANIFEST).exists()).map(|(_, folder)| folder)
    }

    /// Passes the rows of all shards to `sink` in the plan's order. If the test of an encounter has
    /// ended, the rows of the encounter's later pairs of games are left out.
    ///
    /// At most `max_files` + 1 files are open at a time. If another file is needed, all open files
    /// are closed. When a file is opened again, reading continues at the row where it ended.
    fn visit_rows(
        &self,
        row_index: &RowIndex<'_>,
        match_state: &mut MatchState,
        max_files: usize,
        sink: &mut dyn FnMut(u64, &csv::StringRecord) -> Result<(), ResultsError>,
    ) -> Result<(), ResultsError> {
        let split = self.split();
        let mut open_files: HashMap<u64, Rows> = HashMap::new();
        let mut offsets: HashMap<u64, u64> = HashMap::new();
        for repeat in 0..self.plan.repeats {
            for item in 0..self.plan.item_count() {
                for lane in 0..self.plan.lane_count() {
                    let job = self.plan.job_in_lane(lane, item, repeat);
                    let shard = split.shard_of(self.plan, &job);
                    if open_files.len() > max_files && !open_files.contains_key(&shard) {
                        offsets.extend(open_files.drain().map(|(shard, rows)| (shard, rows.offset())));
                    }
                    let rows = match open_files.entry(shard) {
                        Entry::Occupied(entry) => entry.into_mut(),
                        Entry::Vacant(entry) => {
                            let Some(folder) = self.find_folder(shard) else { continue };
                            let offset = offsets.get(&shard).copied().unwrap_or(0);
                            entry.insert(Rows::open(&folder.join(record::RESULTS), &row_index.header, offset)?)
                        }
                    };
                    let is_needed = match_state.needs(self.plan, &job);
                    // Reads rows until the next row does not belong to the job.
                    let mut indexed_row = None;
                    while rows.next_if(|row| {
                        indexed_row =
                            row_index.entry(row).ok().filter(|entry| entry.place.belongs_to(repeat, item, lane));
                        indexed_row.is_some()
                    })? {
                        if let Some(entry) = &indexed_row {
                            match_state.add_row(self.plan, entry, rows.row());
                        }
                        if is_needed {
                            sink(shard, rows.row())?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Merges the manifests of all shards. The merged manifest has the largest number of parallel
    /// jobs, the earliest start, the latest end, and the build and machine of the first shard.
    fn merged_manifest(&self, any_build: bool) -> Result<Manifest, MergeError> {
        let mut merged: Option<Manifest> = None;
        for (shard, folder) in &self.folders {
            let Some(manifest) = self.read_manifest(*shard, folder)? else { continue };
            let Manifest { jobs, calibration, huge_pages, started, ended, .. } = manifest;
            let merged = merged.get_or_insert_with(|| Manifest {
                build: manifest.build.clone(),
                machine: manifest.machine.clone(),
                huge_pages,
                started,
                ended,
                subjects: manifest.subjects.clone(),
                ..super::manifest(self.experiment, self.plan, jobs, None)
            });
            let first_shard = merged.shards.first().map_or(*shard, |run| run.index);
            let engine_hashes = |manifest: &Manifest| -> Vec<String> {
                manifest.subjects.values().map(|engine| engine.sha256.clone()).collect()
            };
            let difference = if merged.build.searches != manifest.build.searches {
                Some(format!(
                    "its build ({}) differs from that of shard {first_shard} ({})",
                    manifest.build, merged.build
                ))
            } else {
                let same_engines = engine_hashes(merged) == engine_hashes(&manifest);
                (!same_engines).then(|| format!("its engine programs differ from those of shard {first_shard}"))
            };
            if let Some(difference) = difference
                && !any_build
            {
                let problem = format!("{difference}: run the shard again, or merge anyway with --any-build");
                return Err(unusable_error(folder, &problem));
            }
            merged.jobs = merged.jobs.max(jobs);
            merged.started = merged.started.min(started);
            merged.ended = merged.ended.max(ended);
            let with_shard = |segment| RunSegment { shard: Some(*shard), ..segment };
            merged.segments.extend(manifest.segments.into_iter().map(with_shard));
            merged.shards.push(ShardRun {
                index: *shard,
                jobs,
                machine: manifest.machine,
                calibration,
                started,
                ended,
            });
        }
        merged.ok_or(MergeError::Missing(Vec::new(), self.shard_count))
    }
}

/// Returns the error for a folder that does not contain the expected shard.
fn unusable_error(folder: &Path, problem: &str) -> MergeError {
    OutputError::Unusable(format!("{}: {problem}", folder.display())).into()
}

/// Whether the error says that the folder is read-only.
fn is_read_only(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::ReadOnlyFilesystem | std::io::ErrorKind::PermissionDenied)
}

/// The maximum number of shard files that stay open while another file is opened. Systems usually
/// allow a process to open at least 256 files.
const MAX_OPEN_FILES: usize = 200;

#[cfg(test)]
mod tests;
