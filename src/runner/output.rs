//! The output folder with `experiment.toml`, `manifest.json` and `results.csv`, protected by a
//! lock.

use super::RunError;
use super::in_flight::IN_FLIGHT_FILE;
use super::manifest::now;
use super::resume::{Done, RetryPolicy, scan_rows};
use super::row_index::RowIndex;
use super::stopping::MatchState;
use crate::experiment::Experiment;
use crate::record::manifest::{EngineInfo, MANIFEST, Manifest, ManifestError, RowSource, RunSegment};
use crate::record::{self, EXPERIMENT, Jobs, ResultsError, ResultsWriter};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

pub struct Output {
    pub folder: PathBuf,
    /// The lock file. It stays locked until the run ends. The system also unlocks it if the process
    /// is killed.
    lock: File,
    earlier_manifest: OnceLock<Manifest>,
    /// The experiment's text and the manifest that [`Output::begin`] wrote.
    written_at_begin: OnceLock<(String, Manifest)>,
}

impl Drop for Output {
    /// Unlocks the lock file explicitly. To close the file would not be enough, because a child
    /// process that another thread is just starting also has the file open until it calls `exec`.
    fn drop(&mut self) {
        let _ = self.lock.unlock();
    }
}

#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// A file or folder cannot be read or written.
    #[error("{path}: {error}")]
    Io { path: String, error: io::Error },
    #[error("{0}: another run is writing to this folder: wait for it, or choose another folder with --out")]
    Locked(String),
    #[error(
        "{path}: the file system cannot lock the file ({error}): choose another folder with --out, or use `ttlab run --no-lock` \
         if nothing else writes to this one"
    )]
    NoLocks { path: String, error: io::Error },
    /// The folder contains results of another plan or build, or cannot be used for another reason.
    #[error("{0}")]
    Unusable(String),
    /// Finished rows were edited, but match their checksums.
    #[error("{0}: its rows were changed after the run ended: they do not match their seal")]
    RowsChanged(String),
    /// Rows or a manifest from which rows would be taken are not what a run wrote.
    #[error("{0}: none of its rows is taken: see `ttlab verify`")]
    WrongRows(String),
    #[error("{0}: find out which of them is wrong")]
    CountsDiffer(String),
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    #[error("{path}: {error}")]
    Results { path: String, error: ResultsError },
}

impl OutputError {
    pub(super) fn io(path: impl AsRef<Path>) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::Io { path: path.as_ref().display().to_string(), error }
    }

    pub(super) fn results<E: Into<ResultsError>>(path: &Path) -> impl FnOnce(E) -> Self {
        move |error| Self::Results { path: path.display().to_string(), error: error.into() }
    }
}

impl Output {
    /// Creates or opens the folder, locks it, and removes temporary files of a killed run.
    ///
    /// # Errors
    /// If the folder cannot be written to, or another run has locked it.
    pub fn open(folder: &Path) -> Result<Self, OutputError> {
        Self::open_with(folder, true)
    }

    /// Does the same as [`Output::open`], except that `must_lock` = false accepts a folder that
    /// cannot be locked. The caller then guarantees that no other process uses the folder.
    pub fn open_with(folder: &Path, must_lock: bool) -> Result<Self, OutputError> {
        record::create_folder(folder).map_err(OutputError::io(folder))?;
        let path = folder.join(".lock");
        // An existing lock file may belong to somebody else. So it is not truncated, and symbolic
        // links are not followed.
        let lock = record::open_regular_file(&path).map_err(OutputError::io(&path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(_) if !must_lock => {}
            Err(TryLockError::WouldBlock) => return Err(OutputError::Locked(folder.display().to_string())),
            Err(TryLockError::Error(error)) => {
                return Err(OutputError::NoLocks { path: path.display().to_string(), error });
            }
        }
        // Delete the temporary files that killed runs have left.
        let entries = fs::read_dir(folder).map_err(OutputError::io(folder))?.flatten();
        for entry in entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(record::TEMPORARY)) {
            let _ = fs::remove_file(entry.path());
        }
        Ok(Self {
            folder: folder.to_owned(),
            lock,
            earlier_manifest: OnceLock::new(),
            written_at_begin: OnceLock::new(),
        })
    }

    pub fn results_path(&self) -> PathBuf {
        self.folder.join(record::RESULTS)
    }

    fn manifest_path(&self) -> PathBuf {
        self.folder.join(MANIFEST)
    }

    pub(super) fn row_write_error(&self, error: io::Error) -> RunError {
        RunError::write(&self.results_path(), error)
    }

    /// Writes the experiment and the manifest. A new run segment is added to the manifest unless
    /// the manifest is that of a merge.
    ///
    /// # Errors
    /// If the folder contains a kept report or results of another plan or build, or cannot be
    /// written to. Another build is accepted if `any_build` is true.
    pub fn begin(&self, experiment: &Experiment, mut manifest: Manifest, any_build: bool) -> Result<(), OutputError> {
        // The manifest of a merge already has the segments of its shards.
        let (jobs, is_merge) = (manifest.run.jobs, !manifest.run.segments.is_empty());
        if record::is_packed(&self.folder) {
            return Err(OutputError::Unusable(format!(
                "{}: holds a kept report, which cannot be continued: choose another folder with --out, or start over with --fresh",
                self.folder.display()
            )));
        }
        if self.results_path().exists()
            && let Some(old) = Manifest::read(&self.folder)?
        {
            let refuse =
                |results: &str| Err(OutputError::Unusable(format!("{}: holds {results}", self.folder.display())));
            let is_other_engine = |(name, engine): &(&String, &EngineInfo)| {
                old.run.subjects.get(*name).is_none_or(|old_engine| old_engine.sha256 != engine.sha256)
            };
            let build_difference = if !old.host.build.searches_like(&manifest.host.build) {
                Some(format!(" ({}; this is {})", old.host.build, manifest.host.build))
            } else {
                manifest
                    .run
                    .subjects
                    .iter()
                    .find(is_other_engine)
                    .map(|(name, _)| format!(" of the engine of \"{name}\""))
            };
            if let Some(difference) = build_difference.filter(|_| !any_build) {
                return refuse(&format!(
                    "results of another build{difference}, which may search differently: start over with --fresh, \
                     or continue anyway with --any-build"
                ));
            }
            if old.planned.plan != manifest.planned.plan || old.run.shard != manifest.run.shard {
                return refuse(
                    "the results of another plan (the experiment file, its suite or --set changed): move the folder away, choose another \
                     folder with --out, or start over with --fresh",
                );
            }
            manifest.run.started = old.run.started;
            // Earlier segments stay recorded, because warnings consider the worst of all segments.
            if !is_merge {
                manifest.run.segments.clone_from(&old.run.segments);
            }
            manifest.run.jobs = manifest.run.jobs.max(old.run.jobs);
            manifest.run.sources.clone_from(&old.run.sources);
            // Until this segment ends, the results have at least as many rows as before.
            manifest.sealed.rows = old.sealed.rows;
            let _ = self.earlier_manifest.set(old);
        }
        if !is_merge {
            let (build, machine) = (manifest.host.build.clone(), manifest.host.machine.clone());
            let huge_pages = manifest.host.huge_pages;
            manifest.run.segments.push(RunSegment {
                jobs,
                build,
                machine,
                huge_pages,
                started: now(),
                ..RunSegment::default()
            });
        }
        self.write_experiment(experiment)?;
        self.write_manifest(&manifest).map_err(OutputError::io(self.manifest_path()))?;
        let _ = self.written_at_begin.set((experiment.text.clone(), manifest));
        Ok(())
    }

    /// Records in the manifest which jobs the previous segment ran. These are the jobs in
    /// `done_jobs` that no earlier segment ran. `done_jobs` are all jobs that have rows when the
    /// current segment begins.
    pub fn record_previous_jobs(&self, done_jobs: Jobs) -> io::Result<()> {
        let mut manifest = self.manifest()?;
        let [earlier @ .., previous, _current] = &mut manifest.run.segments[..] else { return Ok(()) };
        let mut unassigned_jobs = done_jobs.0;
        // Older manifests do not record the jobs of their segments.
        let mut all_recorded = true;
        for segment in earlier {
            all_recorded &= segment.jobs_written.is_some();
            if let Some(jobs) = &mut segment.jobs_written {
                // A job that has since lost its rows no longer belongs to this segment.
                jobs.0.retain(|job| unassigned_jobs.remove(job));
            }
        }
        previous.jobs_written = all_recorded.then_some(Jobs(unassigned_jobs));
        self.write_manifest(&manifest)
    }

    pub fn add_sources(&self, sources: Vec<RowSource>) -> io::Result<()> {
        let mut manifest = self.manifest()?;
        manifest.run.sources.extend(sources);
        self.write_manifest(&manifest)
    }

    /// Restores the manifest that the folder had before [`Output::begin`]. Called if the results
    /// cannot be continued and no job was run.
    pub fn restore_manifest(&self) -> io::Result<()> {
        self.earlier_manifest.get().map_or(Ok(()), |manifest| self.write_manifest(manifest))
    }

    /// Sorts the rows in the plan's order, and drops game pairs that are not needed because their
    /// test has ended. Writes the seals of the rows, the number of these pairs and the end of the
    /// run into the manifest. Also writes the PGN file of a match.
    pub fn seal(&self, row_index: &RowIndex<'_>, state: &MatchState, ended: Option<u64>) -> Result<(), ResultsError> {
        record::sort_rows(&self.results_path(), &row_index.header, |row| {
            let entry = row_index.entry(row)?;
            Ok(state.needs(row_index.plan, &entry.job).then_some(entry.place))
        })?;
        let mut manifest = self.manifest()?;
        manifest.run.jobs_not_needed = state.not_needed();
        let verified = record::verify::verify(&self.results_path(), Some(&manifest))?;
        manifest.sealed.rows = Some(verified.rows);
        // The rows of a shard are not in the plan's order.
        manifest.sealed.counts = manifest.run.shard.is_none().then_some(verified.seals.counts);
        manifest.sealed.bytes = Some(verified.seals.bytes);
        manifest.run.ended = ended;
        record::games::write(&self.results_path())?;
        Ok(self.write_manifest(&manifest)?)
    }

    pub fn write_experiment(&self, experiment: &Experiment) -> Result<(), OutputError> {
        let copy = self.folder.join(EXPERIMENT);
        record::write_atomic(&copy, experiment.text.as_bytes()).map_err(OutputError::io(&copy))
    }

    pub fn write_manifest(&self, manifest: &Manifest) -> io::Result<()> {
        record::write_atomic(&self.manifest_path(), manifest.to_text()?.as_bytes())
    }

    /// Opens the results for appending and determines which jobs are done.
    pub fn open_results(
        &self,
        row_index: &RowIndex<'_>,
        retry: RetryPolicy,
    ) -> Result<(ResultsWriter, Done), OutputError> {
        let path = self.results_path();
        let (done, length) = if path.exists() {
            scan_rows(&path, row_index, retry).map_err(OutputError::results(&path))?
        } else {
            Default::default()
        };
        let results = ResultsWriter::open(&path, &row_index.header, length).map_err(OutputError::results(&path))?;
        Ok((results, done))
    }

    /// Checks that the rows of a run that had ended match their seal. Each row matches its
    /// checksum, but times and forged checksums show only here. Lost rows are no error, because the
    /// run restores them.
    pub fn check_unchanged(&self) -> Result<(), OutputError> {
        let path = self.results_path();
        let Some(earlier) = self.earlier_manifest.get().filter(|manifest| manifest.run.ended.is_some()) else {
            return Ok(());
        };
        let manifest = self.manifest().map_err(OutputError::io(&path))?;
        let actual = record::verify::verify(&path, None).map_err(OutputError::results(&path))?;
        // Rows that this run has taken from other folders are not under the seal.
        let is_same_run = earlier.sealed.rows == Some(actual.rows) && earlier.run.sources == manifest.run.sources;
        match &earlier.sealed.bytes {
            Some(seal) if is_same_run && *seal != actual.seals.bytes => {
                Err(OutputError::RowsChanged(path.display().to_string()))
            }
            _ => Ok(()),
        }
    }

    /// Sorts and seals the rows, and marks the run as ended. `done_count` is the number of jobs
    /// that this segment finished.
    pub fn finish(&self, row_index: &RowIndex<'_>, state: &MatchState, done_count: u64) -> Result<(), ResultsError> {
        self.seal(row_index, state, None)?;
        self.end_segment(done_count, true)?;
        // The file of jobs in flight is no longer needed, because no job is running and quarantined
        // jobs have their rows.
        let _ = fs::remove_file(self.folder.join(IN_FLIGHT_FILE));
        Ok(())
    }

    pub(super) fn manifest(&self) -> io::Result<Manifest> {
        let manifest = Manifest::read(&self.folder).map_err(io::Error::other)?;
        manifest.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "manifest.json was deleted"))
    }

    /// Marks the current segment, which finished `done_count` jobs, as ended. If `has_run_ended` is
    /// true, also marks the run as ended.
    pub fn end_segment(&self, done_count: u64, has_run_ended: bool) -> io::Result<()> {
        let mut manifest = self.manifest()?;
        manifest.run.ended = has_run_ended.then(now);
        if let Some(segment) = manifest.run.segments.last_mut() {
            (segment.done, segment.ended) = (Some(done_count), Some(now()));
        }
        self.write_manifest(&manifest)
    }

    /// `length` is the new length of the file.
    pub fn changed_error(&self, length: u64) -> RunError {
        RunError::ResultsChanged(format!(
            "{}: changed by another program during the run: it now has {length} bytes; nothing more was written: run the same command \
             again to resume with the remaining rows",
            self.results_path().display()
        ))
    }

    /// Restores the finished rows if the results file was deleted during the run. Returns the error
    /// to report for the file that was moved or deleted.
    pub fn rescue_rows(&self, results: &mut ResultsWriter) -> RunError {
        let folder = self.folder.display();
        if !results.is_deleted() {
            return RunError::ResultsChanged(format!(
                "{folder}: results.csv was moved during the run; it contains every finished row: move it back and run the same \
                 command again to resume"
            ));
        }
        // A new file with the name of the deleted file is not overwritten.
        let path = match self.results_path() {
            existing if existing.exists() => self.folder.join("results.rescued.csv"),
            path => path,
        };
        let mut restore = || -> io::Result<()> {
            fs::create_dir_all(&self.folder)?;
            if let Some((text, manifest)) = self.written_at_begin.get() {
                record::write_atomic(&self.folder.join(EXPERIMENT), text.as_bytes())?;
                self.write_manifest(manifest)?;
            }
            results.copy_to(&path)
        };
        let message = match restore() {
            Ok(()) => {
                format!("every finished row was saved to {}: run the same command again to resume", path.display())
            }
            Err(error) => {
                format!("its rows could not be restored ({error}): run the command again to repeat their jobs")
            }
        };
        RunError::ResultsChanged(format!("{folder}: results.csv was deleted during the run; {message}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::manifest::{Build, Machine, Shard};
    use crate::record::manifest::{Host, Planned, RunRecord};

    fn manifest(change: impl Fn(&mut Manifest)) -> Manifest {
        let build = Build {
            version: "1".to_owned(),
            commit: "abc".to_owned(),
            profile: "release".to_owned(),
            ..Build::default()
        };
        let engine = EngineInfo { sha256: "00ff".to_owned(), ..EngineInfo::default() };
        let mut manifest = Manifest {
            planned: Planned { plan: "0123".to_owned(), ..Planned::default() },
            run: RunRecord {
                jobs: 3,
                started: 50,
                subjects: [("one".to_owned(), engine)].into(),
                ..RunRecord::default()
            },
            host: Host { build, machine: Machine { cores: 7, ..Machine::default() }, ..Host::default() },
            ..Manifest::default()
        };
        change(&mut manifest);
        manifest
    }

    #[test]
    fn begin_refuses_another_plan_shard_build_or_engine() {
        let text = "suite = { startpos = true }\nlimit = { depth = 1 }\n";
        let experiment = Experiment::parse(text, Path::new("x.toml"), &[]).unwrap();
        let temporary = tempfile::tempdir().unwrap();
        let folder = temporary.path().display().to_string();
        let begin = |any_build: bool, change: &dyn Fn(&mut Manifest)| {
            let output = Output::open(temporary.path()).unwrap();
            let result = output.begin(&experiment, manifest(change), any_build);
            result.map_err(|error| error.to_string()).map(|()| Manifest::read(temporary.path()).unwrap().unwrap())
        };
        // A folder without results gets a new manifest.
        begin(false, &|manifest| manifest.planned.plan = "other".to_owned()).unwrap();
        let first = begin(false, &|manifest| (manifest.run.started, manifest.sealed.rows) = (20, Some(9))).unwrap();
        assert_eq!((first.run.segments.len(), first.run.started, first.planned.plan.as_str()), (1, 20, "0123"));
        assert_eq!((first.run.segments[0].jobs, first.run.segments[0].machine.cores), (3, 7));
        fs::write(temporary.path().join("results.csv"), "").unwrap();
        let plan = format!(
            "{folder}: holds the results of another plan (the experiment file, its suite or --set changed): move the folder away, choose another folder \
             with --out, or start over with --fresh"
        );
        let build = format!(
            "{folder}: holds results of another build (1 abc release; this is 2 abc release), which may search \
             differently: start over with --fresh, or continue anyway with --any-build"
        );
        let engine = format!(
            "{folder}: holds results of another build of the engine of \"one\", which may search differently: start \
             over with --fresh, or continue anyway with --any-build"
        );
        type Change = fn(&mut Manifest);
        let second_engine = engine.replace("one", "two");
        let cases: [(Change, String, bool); 5] = [
            (|manifest| manifest.planned.plan = "x".to_owned(), plan.clone(), false),
            (|manifest| manifest.run.shard = Some(Shard { index: 0, count: 2 }), plan, false),
            (
                |manifest| {
                    (manifest.host.build.version, manifest.host.build.searches) = ("2".to_owned(), "other".to_owned())
                },
                build,
                true,
            ),
            (|manifest| manifest.run.subjects = [("one".to_owned(), EngineInfo::default())].into(), engine, true),
            // An engine that the old manifest does not list.
            (
                |manifest| manifest.run.subjects = [("two".to_owned(), EngineInfo::default())].into(),
                second_engine,
                true,
            ),
        ];
        let mut segments = 1;
        for (change, message, allowed_by_any_build) in cases {
            assert_eq!(begin(false, &change), Err(message.clone()));
            let forced = begin(true, &change);
            match allowed_by_any_build {
                // Returns to the first build for the next case.
                true => {
                    begin(true, &|_| {}).unwrap();
                    segments += 2;
                    assert_eq!(forced.map(|manifest| manifest.run.segments.len()), Ok(segments - 1));
                }
                false => assert_eq!(forced, Err(message)),
            }
        }
        let later = begin(false, &|manifest| (manifest.run.jobs, manifest.run.started) = (2, 90)).unwrap();
        // The first start time, the largest number of jobs and the old number of rows are kept.
        assert_eq!((later.run.started, later.run.jobs, later.sealed.rows), (20, 3, Some(9)));
        assert_eq!((later.run.segments.len(), later.run.segments.last().unwrap().jobs), (segments + 1, 2));
        assert_eq!(later.run.segments[0], first.run.segments[0]);
    }

    /// Dropping the output unlocks the folder, even if a child process that is just being started
    /// has inherited the open lock file.
    #[test]
    fn open_locks_the_folder_until_the_run_ends() {
        let folder = tempfile::tempdir().unwrap();
        let first = Output::open(folder.path()).unwrap();
        let inherited = first.lock.try_clone().unwrap();
        assert!(matches!(Output::open(folder.path()), Err(OutputError::Locked(_))));
        assert!(Output::open_with(folder.path(), false).is_ok());
        // Dropping an output without the lock does not unlock the folder.
        assert!(matches!(Output::open(folder.path()), Err(OutputError::Locked(_))));
        drop(first);
        assert!(Output::open(folder.path()).is_ok());
        drop(inherited);
    }
}
