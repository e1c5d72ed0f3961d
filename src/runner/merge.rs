//! Merging: the rows of all shards in the plan's order, after every one was checked, in memory for one shard's jobs at a time.

use super::row_index::RowIndex;
use super::stopping::Stopping;
use super::{Output, OutputError, reference};
use crate::experiment::{Experiment, Job, Plan, Split};
use crate::record::manifest::{MANIFEST, Manifest, RunSegment, Shard, ShardRun};
use crate::record::{self, NewFile, ResultsError, Rows};
use crate::text::plural;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// A plan and the folders that hold its shards.
pub struct Shards<'a> {
    /// The experiment.
    pub experiment: &'a Experiment,
    /// Its plan.
    pub plan: &'a Plan,
    /// Into how many shards it was dealt.
    pub of: u64,
    /// The folders, each with its shard's number.
    pub folders: Vec<(u64, PathBuf)>,
}

/// What a shard lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShardGap {
    /// Its number, from 0.
    pub shard: u64,
    /// Its jobs.
    pub jobs: u64,
    /// Those that have no rows.
    pub missing: u64,
    /// Those that failed.
    pub failed: u64,
    /// Searches that a reference has still to make of its moves.
    pub unjudged: u64,
    /// Its folder, if there is one.
    pub folder: Option<PathBuf>,
}

/// Why shards cannot be merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// Rows are missing.
    #[error("{} of {} shards lack {}", .0.len(), .1, plural(.0.iter().map(|gap| gap.missing).sum::<u64>(), "job"))]
    Missing(Vec<ShardGap>, u64),
    /// A shard is there twice, with different counts.
    #[error("{0}")]
    Conflict(String),
    /// Other rows would be published than were checked.
    #[error(
        "{}: {} were checked and {found} found again: was it written to meanwhile? nothing was published: merge again",
        .folder.display(),
        plural(*.checked, "row")
    )]
    Uneven {
        /// The shard's folder.
        folder: PathBuf,
        /// Its rows that are asked for.
        checked: u64,
        /// Those that would be published.
        found: u64,
    },
    /// A folder or file could not be used, or is not of this plan.
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// What a shard's results hold.
#[derive(Default)]
struct ShardContents {
    /// The check of each done job's last row.
    done: HashMap<u64, String>,
    /// How many rows each job has.
    rows: HashMap<u64, u64>,
    /// Jobs that failed.
    failed: HashSet<u64>,
}

impl Shards<'_> {
    fn split(&self) -> Split {
        Split::new(self.plan, self.of)
    }

    /// The manifest of a shard's folder; none where it was not begun.
    fn manifest(&self, shard: u64, folder: &Path) -> Result<Option<Manifest>, MergeError> {
        // A shard that could not make its folder has not begun.
        let Some(manifest) = Manifest::read(folder).map_err(OutputError::from)? else { return Ok(None) };
        let of = self.of;
        let problem = match manifest.shard {
            _ if manifest.plan != format!("{:016x}", self.plan.id()) => "it holds results of another plan".to_owned(),
            Some(found) if found == (Shard { index: shard, of }) => return Ok(Some(manifest)),
            Some(found) => {
                format!("it holds shard {} of {}, where shard {shard} of {of} is wanted", found.index, found.of)
            }
            None => "it holds the results of a whole run, not of a shard".to_owned(),
        };
        Err(foreign(folder, &problem))
    }

    /// Reads and checks every row of a shard; the tests that end encounters take its pairs.
    fn survey(
        &self,
        row_index: &RowIndex<'_>,
        shard: u64,
        folder: &Path,
        stopping: &mut Stopping,
    ) -> Result<ShardContents, MergeError> {
        let path = folder.join("results.csv");
        let mut survey = ShardContents::default();
        if !path.exists() {
            return Ok(survey);
        }
        let split = self.split();
        let read = row_index.read(&path, |job, entry, row| {
            let other = split.shard_of(self.plan, &entry.job);
            if other != shard {
                return Err(format!("it is of a job that is shard {other}'s"));
            }
            let check = row.iter().next_back().unwrap_or_default();
            survey.done.extend(entry.last.then(|| (job, check.to_owned())));
            *survey.rows.entry(job).or_default() += 1;
            survey.failed.extend(entry.failed.then_some(job));
            stopping.read(self.plan, entry, row);
            Ok(())
        });
        read.map_err(OutputError::results(&path))?;
        Ok(survey)
    }

    /// What each shard lacks; nothing for a plan that is done. Shards with failed jobs are among them. Pairs beyond the end of their test
    /// are lacked by nobody.
    ///
    /// # Errors
    /// When a folder holds something else, a row is damaged, or a shard is there twice.
    pub fn gaps(&self) -> Result<Vec<ShardGap>, MergeError> {
        Ok(self.check()?.0)
    }

    /// What each shard lacks, and how many of its rows are asked for.
    fn check(&self) -> Result<(Vec<ShardGap>, Vec<u64>), MergeError> {
        let row_index = RowIndex::new(self.experiment, self.plan);
        let mut stopping = Stopping::new(self.experiment, self.plan, &row_index.header, None);
        let (mut gaps, mut surveys) = (Vec::new(), Vec::new());
        for shard in 0..self.of {
            let mut lack = ShardGap { shard, jobs: 0, missing: 0, failed: 0, unjudged: 0, folder: None };
            let mut first: Option<(&PathBuf, ShardContents)> = None;
            for (_, folder) in self.folders.iter().filter(|(index, _)| *index == shard) {
                if self.manifest(shard, folder)?.is_none() {
                    continue;
                }
                let survey = self.survey(&row_index, shard, folder, &mut stopping)?;
                if let Some((other, earlier)) = first {
                    return Err(self.twice(shard, (other, &earlier), (folder, &survey)));
                }
                lack.unjudged = reference::unjudged(self.experiment, folder).map_err(OutputError::io(folder))?;
                lack.folder = Some(folder.clone());
                first = Some((folder, survey));
            }
            gaps.push(lack);
            surveys.push(first.map(|(_, survey)| survey));
        }
        let (split, mut rows) = (self.split(), vec![0; gaps.len()]);
        for job in self.plan.jobs().filter(|job| stopping.needs(self.plan, job)) {
            let (shard, place) = (split.shard_of(self.plan, &job) as usize, self.plan.order_key(&job));
            let (lack, survey) = (&mut gaps[shard], surveys[shard].as_ref());
            lack.jobs += 1;
            rows[shard] += survey.and_then(|survey| survey.rows.get(&place)).unwrap_or(&0);
            lack.missing += u64::from(survey.is_none_or(|survey| !survey.done.contains_key(&place)));
            lack.failed += u64::from(survey.is_some_and(|survey| survey.failed.contains(&place)));
        }
        gaps.retain(|lack| lack.missing > 0 || lack.failed > 0 || lack.unjudged > 0);
        Ok((gaps, rows))
    }

    fn twice(&self, shard: u64, first: (&PathBuf, &ShardContents), second: (&PathBuf, &ShardContents)) -> MergeError {
        let (one, other) = (first.0.display(), second.0.display());
        let differs = |job: &&u64| second.1.done.get(job).is_some_and(|check| first.1.done.get(job) != Some(check));
        let conflict = first.1.done.keys().filter(differs).min();
        let job = conflict.and_then(|&place| self.plan.jobs().find(|job| self.plan.order_key(job) == place));
        let Some(Job { variant, item, repeat, .. }) = job else {
            let text = format!("shard {shard} is there twice: {one} and {other}: give one of them");
            return OutputError::Foreign(text).into();
        };
        let (variant, item) = (&self.plan.variants[variant].name, &self.experiment.suite.items[item].id);
        MergeError::Conflict(format!(
            "shard {shard} is there twice, and the counts differ that should be equal: \"{variant}\" on {item} (repeat {repeat}) \
             in {one} and in {other}"
        ))
    }

    /// Writes the rows of all shards to a folder: the bytes of a single run, timings apart. Returns the merged manifest and how
    /// many jobs failed. What was in the folder stays if anything is missing or wrong.
    ///
    /// # Errors
    /// When a row is missing, there twice or wrong, a shard is being written to, or the folder cannot be.
    pub fn merge(&self, output: &Output, any_build: bool) -> Result<(Manifest, u64), MergeError> {
        let (gaps, checked) = self.check()?;
        let failed = gaps.iter().map(|lack| lack.failed).sum();
        let missing: Vec<ShardGap> = gaps.into_iter().filter(|lack| lack.missing > 0).collect();
        if !missing.is_empty() {
            return Err(MergeError::Missing(missing, self.of));
        }
        let row_index = RowIndex::new(self.experiment, self.plan);
        let manifest = self.merged_manifest(any_build)?;
        // A run that was killed just before its end has all its rows, but in the order in which they were found.
        for (_, folder) in self.folders.iter().filter(|(_, folder)| folder.join(MANIFEST).exists()) {
            // The lock shows that nobody writes there; where only reading is let, nobody can.
            let _lock = match Output::open(folder) {
                Err(OutputError::Io { error, .. }) if is_read_only(&error) => None,
                opened => Some(opened?),
            };
            let path = folder.join("results.csv");
            record::sort_rows(&path, &row_index.header, |row| Ok(Some(row_index.entry(row)?.place)))
                .map_err(OutputError::results(&path))?;
        }
        let (rows, spared) = self.gathered(&row_index, output, &checked)?;
        let path = output.results_path();
        output.begin(self.experiment, manifest.clone(), any_build)?;
        record::publish(rows, &path)
            .map_err(ResultsError::Io)
            .and_then(|()| output.seal(spared))
            .map_err(OutputError::results(&path))?;
        if self.experiment.file.reference.is_some() {
            let mut folders = self.folders.clone();
            folders.sort_by_key(|(shard, _)| *shard);
            let folders: Vec<PathBuf> = folders.into_iter().map(|(_, folder)| folder).collect();
            reference::gather(&folders, &output.folder, any_build)?;
        }
        Ok((manifest, failed))
    }

    /// Writes the rows of all shards to a file beside the results, and counts the pairs that no test asks for. `checked`: how many rows each
    /// shard has.
    fn gathered(
        &self,
        row_index: &RowIndex<'_>,
        output: &Output,
        checked: &[u64],
    ) -> Result<(NewFile, u64), MergeError> {
        let mut stopping = Stopping::new(self.experiment, self.plan, &row_index.header, None);
        let (path, mut found) = (output.results_path(), vec![0; checked.len()]);
        let rows = record::write_rows(&path, &row_index.header, |put| {
            self.deal(row_index, &mut stopping, FILES, &mut |shard, row| {
                found[shard as usize] += 1;
                put(row)
            })
        });
        let rows = rows.map_err(OutputError::results(&path))?;
        match (0..).zip(checked.iter().zip(&found)).find(|(_, (checked, found))| checked != found) {
            None => Ok((rows, stopping.spared())),
            Some((shard, (&checked, &found))) => {
                let folder = self.folder(shard).cloned().unwrap_or_default();
                Err(MergeError::Uneven { folder, checked, found })
            }
        }
    }

    /// The folder of a shard that was begun.
    fn folder(&self, shard: u64) -> Option<&PathBuf> {
        let mut folders = self.folders.iter();
        folders.find(|(index, folder)| *index == shard && folder.join(MANIFEST).exists()).map(|(_, folder)| folder)
    }

    /// Hands on the rows of all shards in the plan's order, those of pairs beyond the end of their test apart. So many files are open at a time,
    /// and one.
    fn deal(
        &self,
        row_index: &RowIndex<'_>,
        stopping: &mut Stopping,
        files: usize,
        sink: &mut dyn FnMut(u64, &csv::StringRecord) -> Result<(), ResultsError>,
    ) -> Result<(), ResultsError> {
        let split = self.split();
        let mut open: HashMap<u64, Rows> = HashMap::new();
        let mut offsets: HashMap<u64, u64> = HashMap::new();
        for repeat in 0..self.plan.repeats {
            for item in 0..self.plan.items() {
                for lane in 0..self.plan.lanes() {
                    let job = self.plan.job_in_lane(lane, item, repeat);
                    let shard = split.shard_of(self.plan, &job);
                    if open.len() > files && !open.contains_key(&shard) {
                        offsets.extend(open.drain().map(|(shard, rows)| (shard, rows.offset())));
                    }
                    let rows = match open.entry(shard) {
                        Entry::Occupied(rows) => rows.into_mut(),
                        Entry::Vacant(place) => {
                            let Some(folder) = self.folder(shard) else { continue };
                            let at = offsets.get(&shard).copied().unwrap_or(0);
                            place.insert(Rows::open(&folder.join("results.csv"), &row_index.header, at)?)
                        }
                    };
                    let needed = stopping.needs(self.plan, &job);
                    let mut entry = None;
                    while rows.next_if(|row| {
                        entry = row_index.entry(row).ok().filter(|entry| entry.place.is_of(repeat, item, lane));
                        entry.is_some()
                    })? {
                        entry.iter().for_each(|entry| stopping.read(self.plan, entry, rows.row()));
                        if needed {
                            sink(shard, rows.row())?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// The manifest of all shards: what is alike in them, and of the rest the most, the first and the last.
    fn merged_manifest(&self, any_build: bool) -> Result<Manifest, MergeError> {
        let mut merged: Option<Manifest> = None;
        for (shard, folder) in &self.folders {
            let Some(manifest) = self.manifest(*shard, folder)? else { continue };
            let Manifest { jobs, calibration, huge_pages, begun, ended, .. } = manifest;
            let merged = merged.get_or_insert_with(|| Manifest {
                build: manifest.build.clone(),
                machine: manifest.machine.clone(),
                huge_pages,
                begun,
                ended,
                subjects: manifest.subjects.clone(),
                ..super::manifest(self.experiment, self.plan, jobs, None)
            });
            let first = merged.shards.first().map_or(*shard, |run| run.index);
            let programs = |of: &Manifest| of.subjects.values().map(|one| one.sha256.clone()).collect::<Vec<_>>();
            let other = if merged.build != manifest.build {
                Some(format!("another build made it ({}) than shard {first} ({})", manifest.build, merged.build))
            } else {
                let alike = programs(merged) == programs(&manifest);
                (!alike).then(|| format!("another build of an engine made it than shard {first}"))
            };
            if let Some(what) = other.filter(|_| !any_build) {
                let problem = format!("{what}: run it again, or merge all the same with --any-build");
                return Err(foreign(folder, &problem));
            }
            merged.jobs = merged.jobs.max(jobs);
            merged.begun = merged.begun.min(begun);
            merged.ended = merged.ended.max(ended);
            let of_shard = |stretch| RunSegment { shard: Some(*shard), ..stretch };
            merged.stretches.extend(manifest.history().into_iter().map(of_shard));
            merged.shards.push(ShardRun { index: *shard, jobs, machine: manifest.machine, calibration, begun, ended });
        }
        merged.ok_or(MergeError::Missing(Vec::new(), self.of))
    }
}

/// That a folder does not hold what is asked for.
fn foreign(folder: &Path, problem: &str) -> MergeError {
    OutputError::Foreign(format!("{}: {problem}", folder.display())).into()
}

/// Whether the system lets nothing be written there.
fn is_read_only(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::ReadOnlyFilesystem | std::io::ErrorKind::PermissionDenied)
}

/// Files that are open at a time.
const FILES: usize = 200;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
