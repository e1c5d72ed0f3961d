//! Merging: the rows of all shards in the plan's order, after every one was checked, in memory for one shard's jobs at a time.

use super::ledger::{Chains, Ledger, LedgerRow};
use super::stopping::Stopping;
use super::{Output, OutputError, reference};
use crate::experiment::{Experiment, Plan, Split};
use crate::record::manifest::{MANIFEST, Manifest, Shard, ShardRun, Stretch};
use crate::record::{self, ResultsError, Rows};
use crate::words::many;
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
pub struct Lack {
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
    #[error("{} of {} shards lack {}", .0.len(), .1, many(.0.iter().map(|lack| lack.missing).sum::<u64>(), "job"))]
    Missing(Vec<Lack>, u64),
    /// A shard is there twice.
    #[error("shard {shard} is there twice: {first} and {second}: give one of them")]
    Twice {
        /// Its number.
        shard: u64,
        /// A folder.
        first: String,
        /// Another.
        second: String,
    },
    /// A shard is there twice, with different counts.
    #[error(
        "shard {shard} is there twice, and the counts differ that should be equal: \"{variant}\" on {item} (repeat {repeat}) \
         in {first} and in {second}"
    )]
    Conflict {
        /// Its number.
        shard: u64,
        /// The variant.
        variant: String,
        /// The item.
        item: String,
        /// The repeat.
        repeat: u32,
        /// A folder.
        first: String,
        /// Another.
        second: String,
    },
    /// A folder does not hold a shard of this plan.
    #[error("{folder}: {problem}")]
    Foreign {
        /// The folder.
        folder: String,
        /// What is wrong.
        problem: String,
    },
    /// A folder or file could not be used.
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// What a shard's results hold.
struct Survey {
    /// The check of each done job's last row.
    done: HashMap<u64, String>,
    /// Jobs that failed.
    failed: HashSet<u64>,
}

impl<'a> Shards<'a> {
    fn header(&self) -> Vec<String> {
        record::header(&self.plan.varying(), self.plan.extra())
    }

    fn split(&self) -> Split {
        Split::new(self.plan, self.of)
    }

    /// Jobs of each shard.
    fn jobs(&self) -> Vec<u64> {
        let (split, mut jobs) = (self.split(), vec![0; self.of as usize]);
        self.plan.jobs().for_each(|job| jobs[split.shard_of(self.plan, &job) as usize] += 1);
        jobs
    }

    /// The manifest of a shard's folder; none where it was not begun.
    fn manifest(&self, shard: u64, folder: &Path) -> Result<Option<Manifest>, MergeError> {
        let foreign = |problem: String| MergeError::Foreign { folder: folder.display().to_string(), problem };
        // A shard that could not make its folder has not begun.
        let Some(manifest) = Manifest::read(folder).map_err(OutputError::from)? else { return Ok(None) };
        if manifest.plan != format!("{:016x}", self.plan.id()) {
            return Err(foreign("it holds results of another plan".to_owned()));
        }
        let wanted = Shard { index: shard, of: self.of };
        match manifest.shard {
            Some(found) if found == wanted => Ok(Some(manifest)),
            Some(Shard { index, of }) => {
                Err(foreign(format!("it holds shard {index} of {of}, where shard {shard} of {} is wanted", self.of)))
            }
            None => Err(foreign("it holds the results of a whole run, not of a shard".to_owned())),
        }
    }

    /// Reads and checks every row of a shard; the tests that end encounters take its pairs.
    fn survey(
        &self,
        ledger: &Ledger<'_>,
        shard: u64,
        folder: &Path,
        stopping: &mut Option<Stopping>,
    ) -> Result<Survey, MergeError> {
        let path = folder.join("results.csv");
        let mut survey = Survey { done: HashMap::new(), failed: HashSet::new() };
        if !path.exists() {
            return Ok(survey);
        }
        let split = self.split();
        let mut chains = Chains::default();
        let scanned = record::scan(&path, &self.header(), |_, row| {
            let row = row?;
            let entry = ledger.entry(row)?;
            let job = self.plan.place(&entry.job);
            chains.next(job, &entry, row)?;
            if split.shard_of(self.plan, &entry.job) != shard {
                return Err(format!("it is of a job that is shard {}'s", split.shard_of(self.plan, &entry.job)));
            }
            if entry.last {
                survey.done.insert(job, row.iter().next_back().unwrap_or_default().to_owned());
            }
            stopping.iter_mut().for_each(|stopping| stopping.read(self.plan, &entry, row));
            if entry.failed {
                survey.failed.insert(job);
            }
            Ok(())
        });
        match scanned {
            Ok(_) => Ok(survey),
            Err(error) => Err(OutputError::Results { path: path.display().to_string(), error }.into()),
        }
    }

    /// What each shard lacks; nothing for a plan that is done. Shards with failed jobs are among them. Pairs beyond the end of their test
    /// are lacked by nobody.
    ///
    /// # Errors
    /// When a folder holds something else, a row is damaged, or a shard is there twice.
    pub fn lacks(&self) -> Result<Vec<Lack>, MergeError> {
        let header = self.header();
        let ledger = Ledger::new(self.experiment, self.plan, &header);
        let mut stopping = Stopping::new(self.experiment, self.plan, &header);
        let (mut lacks, mut surveys) = (Vec::new(), Vec::new());
        for (shard, jobs) in self.jobs().into_iter().enumerate() {
            let shard = shard as u64;
            let mut lack = Lack { shard, jobs, missing: jobs, failed: 0, unjudged: 0, folder: None };
            let mut first: Option<(&PathBuf, Survey)> = None;
            for (_, folder) in self.folders.iter().filter(|(index, _)| *index == shard) {
                if self.manifest(shard, folder)?.is_none() {
                    continue;
                }
                let survey = self.survey(&ledger, shard, folder, &mut stopping)?;
                if let Some((other, earlier)) = first {
                    return Err(self.twice(shard, (other, &earlier), (folder, &survey)));
                }
                lack.missing = jobs - survey.done.len() as u64;
                lack.failed = survey.failed.len() as u64;
                lack.unjudged = reference::unjudged(self.experiment, folder)
                    .map_err(|error| OutputError::Io { path: folder.display().to_string(), error })?;
                lack.folder = Some(folder.clone());
                first = Some((folder, survey));
            }
            lacks.push(lack);
            surveys.push(first.map(|(_, survey)| survey));
        }
        if let Some(stopping) = stopping {
            let split = self.split();
            lacks.iter_mut().for_each(|lack| (lack.jobs, lack.missing, lack.failed) = (0, 0, 0));
            for job in self.plan.jobs().filter(|job| stopping.needs(self.plan, job)) {
                let (shard, place) = (split.shard_of(self.plan, &job) as usize, self.plan.place(&job));
                let survey = surveys[shard].as_ref();
                lacks[shard].jobs += 1;
                lacks[shard].missing += u64::from(survey.is_none_or(|survey| !survey.done.contains_key(&place)));
                lacks[shard].failed += u64::from(survey.is_some_and(|survey| survey.failed.contains(&place)));
            }
        }
        lacks.retain(|lack| lack.missing > 0 || lack.failed > 0 || lack.unjudged > 0);
        Ok(lacks)
    }

    fn twice(&self, shard: u64, first: (&PathBuf, &Survey), second: (&PathBuf, &Survey)) -> MergeError {
        let shown = |folder: &PathBuf| folder.display().to_string();
        let differs = |job: &u64| second.1.done.get(job).is_some_and(|check| first.1.done.get(job) != Some(check));
        let mut conflicts: Vec<u64> = first.1.done.keys().copied().filter(|job| differs(job)).collect();
        conflicts.sort_unstable();
        let Some(&place) = conflicts.first() else {
            return MergeError::Twice { shard, first: shown(first.0), second: shown(second.0) };
        };
        let job = self.plan.jobs().find(|job| self.plan.place(job) == place);
        let (variant, item, repeat) = job.map_or((0, 0, 0), |job| (job.variant, job.item, job.repeat));
        MergeError::Conflict {
            shard,
            variant: self.plan.variants[variant].name.clone(),
            item: self.experiment.suite.items[item].id.clone(),
            repeat,
            first: shown(first.0),
            second: shown(second.0),
        }
    }

    /// Writes the rows of all shards to a folder: the bytes of a single run, timings apart. Returns the merged manifest and how
    /// many jobs failed. What was in the folder stays if anything is missing or wrong.
    ///
    /// # Errors
    /// When a row is missing, there twice or wrong, a shard is being written to, or the folder cannot be.
    pub fn merge(&self, output: &Output, any_build: bool) -> Result<(Manifest, u64), MergeError> {
        let lacks = self.lacks()?;
        let failed = lacks.iter().map(|lack| lack.failed).sum();
        let missing: Vec<Lack> = lacks.into_iter().filter(|lack| lack.missing > 0).collect();
        if !missing.is_empty() {
            return Err(MergeError::Missing(missing, self.of));
        }
        let header = self.header();
        let ledger = Ledger::new(self.experiment, self.plan, &header);
        let manifest = self.merged_manifest(any_build)?;
        // A run that was killed just before its end has all its rows, but in the order in which they were found.
        for (_, folder) in &self.folders {
            if folder.join(MANIFEST).exists() {
                // The lock shows that nobody writes there; where only reading is let, nobody can.
                let _lock = match Output::open(folder) {
                    Err(OutputError::Io { error, .. }) if is_read_only(&error) => None,
                    opened => Some(opened?),
                };
                let path = folder.join("results.csv");
                record::order(&path, &header, |row| Ok(Some(ledger.entry(row)?.place)))
                    .map_err(|error| OutputError::Results { path: path.display().to_string(), error })?;
            }
        }
        let path = output.results_path();
        let wrong = |error: ResultsError| OutputError::Results { path: path.display().to_string(), error };
        output.merge(self.experiment, manifest.clone(), any_build)?;
        let mut stopping = Stopping::new(self.experiment, self.plan, &header);
        record::write_rows(&path, &header, |sink| self.deal(&ledger, &header, &mut stopping, sink)).map_err(wrong)?;
        output.seal(stopping.as_ref().map_or(0, Stopping::spared)).map_err(wrong)?;
        if self.experiment.file.reference.is_some() {
            let mut folders = self.folders.clone();
            folders.sort_by_key(|(shard, _)| *shard);
            let folders: Vec<PathBuf> = folders.into_iter().map(|(_, folder)| folder).collect();
            reference::gather(&folders, output.folder(), any_build)?;
        }
        Ok((manifest, failed))
    }

    /// Hands on the rows of all shards in the plan's order, those of pairs beyond the end of their test apart.
    fn deal(
        &self,
        ledger: &Ledger<'_>,
        header: &[String],
        stopping: &mut Option<Stopping>,
        sink: &mut dyn FnMut(&csv::StringRecord) -> Result<(), ResultsError>,
    ) -> Result<(), ResultsError> {
        let split = self.split();
        let mut open: HashMap<u64, Rows> = HashMap::new();
        let mut offsets: HashMap<u64, u64> = HashMap::new();
        for repeat in 0..self.plan.repeats {
            for item in 0..self.plan.items() {
                for lane in 0..self.plan.lanes() {
                    let job = self.plan.job_in(lane, item, repeat);
                    let shard = split.shard_of(self.plan, &job);
                    if open.len() > FILES && !open.contains_key(&shard) {
                        offsets.extend(open.drain().map(|(shard, rows)| (shard, rows.offset())));
                    }
                    let rows = match open.entry(shard) {
                        std::collections::hash_map::Entry::Occupied(rows) => rows.into_mut(),
                        std::collections::hash_map::Entry::Vacant(place) => {
                            let folder = self
                                .folders
                                .iter()
                                .find(|(index, folder)| *index == shard && folder.join(MANIFEST).exists());
                            let Some((_, folder)) = folder else { continue };
                            let at = offsets.get(&shard).copied().unwrap_or(0);
                            place.insert(Rows::open(&folder.join("results.csv"), header, at)?)
                        }
                    };
                    let here = |entry: &LedgerRow| entry.place.is_of(repeat, item, lane);
                    let needed = stopping.as_ref().is_none_or(|stopping| stopping.needs(self.plan, &job));
                    while rows.next_if(|row| ledger.entry(row).is_ok_and(|entry| here(&entry)))? {
                        if let (Some(stopping), Ok(entry)) = (stopping.as_mut(), ledger.entry(rows.row())) {
                            stopping.read(self.plan, &entry, rows.row());
                        }
                        if needed {
                            sink(rows.row())?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn merged_manifest(&self, any_build: bool) -> Result<Manifest, MergeError> {
        let mut merged: Option<Manifest> = None;
        for (shard, folder) in &self.folders {
            let Some(manifest) = self.manifest(*shard, folder)? else { continue };
            let run = ShardRun {
                index: *shard,
                jobs: manifest.jobs,
                machine: manifest.machine.clone(),
                calibration: manifest.calibration,
                begun: manifest.begun,
                ended: manifest.ended,
            };
            let stretches = || {
                let of_shard = |stretch| Stretch { shard: Some(*shard), ..stretch };
                manifest.history().into_iter().map(of_shard).collect::<Vec<_>>()
            };
            match merged.as_mut() {
                None => {
                    merged = Some(Manifest {
                        jobs: manifest.jobs,
                        build: manifest.build.clone(),
                        machine: manifest.machine.clone(),
                        huge_pages: manifest.huge_pages,
                        begun: manifest.begun,
                        ended: manifest.ended,
                        stretches: stretches(),
                        shards: vec![run],
                        subjects: manifest.subjects.clone(),
                        ..super::manifest(self.experiment, self.plan, manifest.jobs, None)
                    });
                }
                Some(merged) => {
                    if merged.build != manifest.build && !any_build {
                        return Err(MergeError::Foreign {
                            folder: folder.display().to_string(),
                            problem: format!(
                                "another build made it ({} {} {}) than shard {} ({} {} {}): run it again, or merge all the same \
                                 with --any-build",
                                manifest.build.version,
                                manifest.build.commit,
                                manifest.build.profile,
                                merged.shards[0].index,
                                merged.build.version,
                                merged.build.commit,
                                merged.build.profile,
                            ),
                        });
                    }
                    let programs =
                        |of: &Manifest| of.subjects.values().map(|one| one.sha256.clone()).collect::<Vec<_>>();
                    if programs(merged) != programs(&manifest) && !any_build {
                        return Err(MergeError::Foreign {
                            folder: folder.display().to_string(),
                            problem: format!(
                                "another build of an engine made it than shard {}: run it again, or merge all the same with --any-build",
                                merged.shards[0].index
                            ),
                        });
                    }
                    merged.jobs = merged.jobs.max(manifest.jobs);
                    merged.begun = merged.begun.min(manifest.begun);
                    merged.ended = merged.ended.max(manifest.ended);
                    merged.stretches.extend(stretches());
                    merged.shards.push(run);
                }
            }
        }
        merged.ok_or(MergeError::Missing(Vec::new(), self.of))
    }
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
