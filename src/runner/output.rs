//! The output folder: `experiment.toml`, `manifest.json`, `results.csv`, under a lock.

use super::RunError;
use super::in_flight::FLIGHT;
use super::manifest::now;
use super::row_index::{Done, RetryPolicy, RowIndex, scan_rows};
use super::stopping::Stopping;
use crate::experiment::Experiment;
use crate::record::manifest::{EngineInfo, MANIFEST, Manifest, ManifestError, RunSegment};
use crate::record::{self, Jobs, ResultsError, ResultsWriter, thin};
use crate::system::files;
use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The experiment as it is run, in its folder.
pub const EXPERIMENT: &str = "experiment.toml";

/// A folder that this run has for itself.
pub struct Output {
    /// The folder.
    pub folder: PathBuf,
    /// Held until the run ends; the system lets go of it even after a kill.
    lock: File,
    /// The manifest that stood there before.
    before: OnceLock<Manifest>,
    /// What [`Output::begin`] wrote.
    begun: OnceLock<(String, Manifest)>,
}

impl Drop for Output {
    /// Closing the file is not enough: a process that another thread is just starting has it open too, until it becomes its program.
    fn drop(&mut self) {
        let _ = self.lock.unlock();
    }
}

/// Why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The system would not.
    #[error("{path}: {error}")]
    Io {
        /// The file or folder.
        path: String,
        /// What the system said.
        error: io::Error,
    },
    /// Another run is at it.
    #[error("{0}: another run is writing there: wait for it, or choose another folder with --out")]
    Locked(String),
    /// The file system has no locks.
    #[error(
        "{path}: the file system cannot lock it ({error}): choose another with --out, or, if nothing else writes there, \
         `ttlab run` with --no-lock"
    )]
    NoLocks {
        /// The lock.
        path: String,
        /// What the system said.
        error: io::Error,
    },
    /// The results there are not of this plan.
    #[error("{0}")]
    Foreign(String),
    /// What stands beside the results.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// The results file.
    #[error("{path}: {error}")]
    Results {
        /// The file.
        path: String,
        /// What is wrong with it.
        error: ResultsError,
    },
}

impl OutputError {
    /// That the system would not have a file or folder.
    pub(super) fn io(path: impl AsRef<Path>) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::Io { path: path.as_ref().display().to_string(), error }
    }

    /// What is wrong with a results file.
    pub(super) fn results<E: Into<ResultsError>>(path: &Path) -> impl FnOnce(E) -> Self {
        move |error| Self::Results { path: path.display().to_string(), error: error.into() }
    }
}

impl Output {
    /// Makes or opens the folder and locks it; what a killed run left half written is removed.
    ///
    /// # Errors
    /// When it cannot be written to, or another run holds it.
    pub fn open(folder: &Path) -> Result<Self, OutputError> {
        Self::open_with(folder, true)
    }

    /// As [`Output::open`]; without `locking` the user has it that nothing else writes there.
    ///
    /// # Errors
    /// As there.
    pub fn open_with(folder: &Path, locking: bool) -> Result<Self, OutputError> {
        record::create_folder(folder).map_err(OutputError::io(folder))?;
        let path = folder.join(".lock");
        // Neither followed nor cut short: what was planted there is somebody's.
        let lock = record::open_own_file(&path).map_err(OutputError::io(&path))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(_) if !locking => {}
            Err(TryLockError::WouldBlock) => return Err(OutputError::Locked(folder.display().to_string())),
            Err(TryLockError::Error(error)) => {
                return Err(OutputError::NoLocks { path: path.display().to_string(), error });
            }
        }
        let left = fs::read_dir(folder).map_err(OutputError::io(folder))?.flatten();
        for entry in left.filter(|entry| entry.file_name().to_string_lossy().starts_with(record::TEMPORARY)) {
            let _ = fs::remove_file(entry.path());
        }
        Ok(Self { folder: folder.to_owned(), lock, before: OnceLock::new(), begun: OnceLock::new() })
    }

    /// Where the rows go.
    pub fn results_path(&self) -> PathBuf {
        self.folder.join("results.csv")
    }

    fn manifest_path(&self) -> PathBuf {
        self.folder.join(MANIFEST)
    }

    /// That a row cannot be written.
    pub(super) fn unwritten(&self, error: io::Error) -> RunError {
        RunError::write(&self.results_path(), error)
    }

    /// Throws away the results that are there, and the pages that were made of them.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn clear(&self) -> Result<(), OutputError> {
        let mut old =
            vec![self.results_path(), self.manifest_path(), self.folder.join(FLIGHT), self.folder.join(thin::NAME)];
        // Games and pages only where results stand: a folder of something else is left as it is.
        if old[0].symlink_metadata().is_ok() {
            let experiment = files::read_text(&self.folder.join(EXPERIMENT)).unwrap_or_default();
            if experiment.parse::<toml::Table>().is_ok_and(|file| file.contains_key("match")) {
                old.push(self.folder.join(record::games::NAME));
            }
            let entries = fs::read_dir(&self.folder).map_err(OutputError::io(&self.folder))?.flatten();
            // The figures of a page are those that it names; other pictures are somebody's.
            let page = files::read_text(&self.folder.join("report.md")).unwrap_or_default();
            let is_page = |path: &PathBuf| {
                let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
                ["report.md", "report.html"].contains(&name) || name.ends_with(".svg") && page.contains(name)
            };
            old.extend(entries.map(|entry| entry.path()).filter(is_page));
        }
        for path in old {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(OutputError::io(path)(error)),
                _ => {}
            }
        }
        Ok(())
    }

    /// Refuses to continue results of another plan or build, and writes the manifest and the experiment. Of rows that were made elsewhere the
    /// manifest has the stretches; of a run it gets one more.
    ///
    /// # Errors
    /// When the results there are not of this plan, or the folder cannot be written to.
    pub fn begin(&self, experiment: &Experiment, mut manifest: Manifest, any_build: bool) -> Result<(), OutputError> {
        let (jobs, made_here) = (manifest.jobs, manifest.stretches.is_empty());
        if thin::is_thin(&self.folder) {
            return Err(OutputError::Foreign(format!(
                "{}: holds thin rows, which cannot be continued: choose another folder with --out, or start over with --fresh",
                self.folder.display()
            )));
        }
        if self.results_path().exists()
            && let Some(old) = Manifest::read(&self.folder)?
        {
            let foreign = |what: &str| Err(OutputError::Foreign(format!("{}: holds {what}", self.folder.display())));
            if old.plan != manifest.plan || old.shard != manifest.shard {
                return foreign(
                    "the results of another plan (the experiment file, its suite or --set changed): move it away, choose another \
                     folder with --out, or start over with --fresh",
                );
            }
            let other = |(name, engine): &(&String, &EngineInfo)| {
                old.subjects.get(*name).is_none_or(|before| before.sha256 != engine.sha256)
            };
            let other_build = if old.build != manifest.build {
                Some(format!(" ({}; this is {})", old.build, manifest.build))
            } else {
                manifest.subjects.iter().find(other).map(|(name, _)| format!(" of the engine of \"{name}\""))
            };
            if let Some(which) = other_build.filter(|_| !any_build) {
                return foreign(&format!(
                    "results of another build{which}: start over with --fresh, or continue all the same with --any-build"
                ));
            }
            manifest.begun = old.begun;
            // What was run before stays written down, whoever ran it. What is warned of looks at the worst of it.
            if made_here {
                manifest.stretches = old.history();
            }
            manifest.jobs = manifest.jobs.max(old.jobs);
            // Until this stretch ends there are at least the rows that there were.
            manifest.rows = old.rows;
            let _ = self.before.set(old);
        }
        if made_here {
            manifest.stretches.push(RunSegment { jobs, begun: now(), ..manifest.head_segment() });
        }
        self.write_experiment(experiment)?;
        self.write_manifest(&manifest).map_err(OutputError::io(self.manifest_path()))?;
        let _ = self.begun.set((experiment.text.clone(), manifest));
        Ok(())
    }

    /// Writes down which of the plan's jobs each earlier stretch made: of those that are done, the last one has what no other has.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn attribute(&self, done: Jobs) -> io::Result<()> {
        let mut manifest = self.manifest()?;
        let [others @ .., last, _] = &mut manifest.stretches[..] else { return Ok(()) };
        let mut left = done.0;
        // Of a manifest that does not say it nothing is known.
        let mut known = true;
        for stretch in others {
            known &= stretch.made.is_some();
            if let Some(made) = &mut stretch.made {
                // What was dropped since, to be run again, is no longer its.
                made.0.retain(|job| left.remove(job));
            }
        }
        last.made = known.then_some(Jobs(left));
        self.write_manifest(&manifest)
    }

    /// Takes back what [`Output::begin`] wrote: the results there cannot be continued, and nothing was run.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn retract(&self) -> io::Result<()> {
        self.before.get().map_or(Ok(()), |before| self.write_manifest(before))
    }

    /// Writes into the manifest what the rows are that are there, and how many jobs need none; of games their PGN beside them.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn seal(&self, spared: u64) -> Result<(), ResultsError> {
        let mut manifest = self.manifest()?;
        manifest.jobs_spared = spared;
        let verified = record::verify::verify(&self.results_path(), Some(&manifest))?;
        manifest.rows = Some(verified.rows);
        // What a shard has is not in the plan's order.
        manifest.column_seals = if manifest.shard.is_none() { verified.seals.columns } else { BTreeMap::new() };
        manifest.file_seal = Some(verified.seals.file);
        record::games::write(&self.results_path())?;
        Ok(self.write_manifest(&manifest)?)
    }

    /// Writes the experiment as it is run.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn write_experiment(&self, experiment: &Experiment) -> Result<(), OutputError> {
        let copy = self.folder.join(EXPERIMENT);
        record::write_atomic(&copy, experiment.text.as_bytes()).map_err(OutputError::io(&copy))
    }

    /// Writes the manifest in the old one's place.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn write_manifest(&self, manifest: &Manifest) -> io::Result<()> {
        record::write_atomic(&self.manifest_path(), manifest.to_text()?.as_bytes())
    }

    /// Opens the results for appending, and says what is done.
    ///
    /// # Errors
    /// When the file there cannot be continued: damaged, of another experiment, or unreadable.
    pub fn results(&self, row_index: &RowIndex<'_>, again: RetryPolicy) -> Result<(ResultsWriter, Done), OutputError> {
        let path = self.results_path();
        let (done, length) = match path.exists() {
            true => scan_rows(&path, row_index, again).map_err(OutputError::results(&path))?,
            false => Default::default(),
        };
        let results = ResultsWriter::open(&path, &row_index.header, length).map_err(OutputError::results(&path))?;
        Ok((results, done))
    }

    /// Puts the rows in the plan's order, without those of pairs beyond the end of their test, and marks the manifest as ended.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn finish(&self, row_index: &RowIndex<'_>, stopping: &Stopping, done: u64) -> Result<(), ResultsError> {
        record::sort_rows(&self.results_path(), &row_index.header, |row| {
            let entry = row_index.entry(row)?;
            Ok(stopping.needs(row_index.plan, &entry.job).then_some(entry.place))
        })?;
        self.seal(stopping.spared())?;
        self.end(done, true)?;
        // Nothing is in flight; what is suspected has its row.
        let _ = fs::remove_file(self.folder.join(FLIGHT));
        Ok(())
    }

    fn manifest(&self) -> io::Result<Manifest> {
        let manifest = Manifest::read(&self.folder).map_err(io::Error::other)?;
        manifest.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "manifest.json has gone"))
    }

    /// Marks a stretch as ended, with the whole plan or before it is done.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn end(&self, done: u64, whole: bool) -> io::Result<()> {
        let mut manifest = self.manifest()?;
        manifest.ended = whole.then(now);
        if let Some(stretch) = manifest.stretches.last_mut() {
            (stretch.done, stretch.ended) = (Some(done), Some(now()));
        }
        self.write_manifest(&manifest)
    }

    /// What is said of a file that has another length than was written.
    pub fn changed(&self, length: u64) -> RunError {
        RunError::Vanished(format!(
            "{}: somebody changed it while the run wrote to it: it has {length} bytes now; nothing more was written, and the same command \
             continues with the rows that it has left",
            self.results_path().display()
        ))
    }

    /// Brings rows to safety whose file was moved or deleted under the run, and says what happened.
    pub fn rescue(&self, results: &mut ResultsWriter) -> RunError {
        let folder = self.folder.display();
        if !results.is_deleted() {
            return RunError::Vanished(format!(
                "{folder}: results.csv was moved away while the run wrote to it; every finished row is in it, wherever it is: \
                 move it back, and the same command continues"
            ));
        }
        // Where another file has taken its name, that one is not overwritten.
        let path = match self.results_path() {
            path if path.exists() => self.folder.join("results.rescued.csv"),
            path => path,
        };
        let mut put_back = || -> io::Result<()> {
            fs::create_dir_all(&self.folder)?;
            if let Some((text, manifest)) = self.begun.get() {
                record::write_atomic(&self.folder.join(EXPERIMENT), text.as_bytes())?;
                self.write_manifest(manifest)?;
            }
            results.copy_to(&path)
        };
        let message = match put_back() {
            Ok(()) => format!("every finished row was put into {}; the same command continues", path.display()),
            Err(error) => format!("its rows could not be put back ({error}): they have to be made again"),
        };
        RunError::Vanished(format!("{folder}: results.csv was deleted while the run wrote to it; {message}"))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::record::manifest::{Build, Machine, Shard};

    fn manifest(change: impl Fn(&mut Manifest)) -> Manifest {
        let build = Build { version: "1".to_owned(), commit: "abc".to_owned(), profile: "release".to_owned() };
        let engine = EngineInfo { sha256: "00ff".to_owned(), ..EngineInfo::default() };
        let mut manifest = Manifest {
            plan: "0123".to_owned(),
            jobs: 3,
            begun: 50,
            build,
            machine: Machine { cores: 7, ..Machine::default() },
            subjects: [("one".to_owned(), engine)].into(),
            ..Manifest::default()
        };
        change(&mut manifest);
        manifest
    }

    /// Results are continued by the same plan, shard, build and engines alone, unless the user has it that builds do not matter; what was there before
    /// stays written down.
    #[test]
    fn what_is_continued_is_what_was_begun() {
        let text = "suite = { startpos = true }\nlimit = { depth = 1 }\n";
        let experiment = Experiment::parse(text, Path::new("x.toml"), &[]).unwrap();
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().display().to_string();
        let output = |any: bool, change: &dyn Fn(&mut Manifest)| {
            let output = Output::open(place.path()).unwrap();
            let begun = output.begin(&experiment, manifest(change), any);
            begun.map_err(|error| error.to_string()).map(|()| Manifest::read(place.path()).unwrap().unwrap())
        };
        // Without results whatever was there is another run's, and gives way.
        output(false, &|manifest| manifest.plan = "other".to_owned()).unwrap();
        let first = output(false, &|manifest| (manifest.begun, manifest.rows) = (20, Some(9))).unwrap();
        assert_eq!((first.stretches.len(), first.begun, first.plan.as_str()), (1, 20, "0123"));
        assert_eq!((first.stretches[0].jobs, first.stretches[0].machine.cores), (3, 7));
        fs::write(place.path().join("results.csv"), "").unwrap();
        let plan = format!(
            "{folder}: holds the results of another plan (the experiment file, its suite or --set changed): move it away, choose another folder \
             with --out, or start over with --fresh"
        );
        let build = |version: &str, commit: &str, profile: &str| {
            format!(
                "{folder}: holds results of another build (1 abc release; this is {version} {commit} {profile}): start over with --fresh, or \
                 continue all the same with --any-build"
            )
        };
        let engine = format!(
            "{folder}: holds results of another build of the engine of \"one\": start over with --fresh, or continue all the same with --any-build"
        );
        type Change = fn(&mut Manifest);
        let other = engine.replace("one", "two");
        let cases: [(Change, String, bool); 7] = [
            (|manifest| manifest.plan = "x".to_owned(), plan.clone(), false),
            (|manifest| manifest.shard = Some(Shard { index: 0, of: 2 }), plan, false),
            (|manifest| manifest.build.version = "2".to_owned(), build("2", "abc", "release"), true),
            (|manifest| manifest.build.commit = "d".to_owned(), build("1", "d", "release"), true),
            (|manifest| manifest.build.profile = "debug".to_owned(), build("1", "abc", "debug"), true),
            (|manifest| manifest.subjects = [("one".to_owned(), EngineInfo::default())].into(), engine, true),
            // One that nothing is known of.
            (|manifest| manifest.subjects = [("two".to_owned(), EngineInfo::default())].into(), other, true),
        ];
        let mut stretches = 1;
        for (change, message, by_build) in cases {
            assert_eq!(output(false, &change), Err(message.clone()));
            let all_the_same = output(true, &change);
            match by_build {
                // Back to the first build for the next case.
                true => {
                    output(true, &|_| {}).unwrap();
                    stretches += 2;
                    assert_eq!(all_the_same.map(|manifest| manifest.stretches.len()), Ok(stretches - 1));
                }
                false => assert_eq!(all_the_same, Err(message)),
            }
        }
        let later = output(false, &|manifest| (manifest.jobs, manifest.begun) = (2, 90)).unwrap();
        // It began when it began, with as many jobs at a time as it ever had, and has the rows that it had.
        assert_eq!((later.begun, later.jobs, later.rows), (20, 3, Some(9)));
        assert_eq!((later.stretches.len(), later.stretches.last().unwrap().jobs), (stretches + 1, 2));
        assert_eq!(later.stretches[0], first.stretches[0]);
    }

    /// One run at a time has a folder; where it has ended the next may begin, though a process just being started still has its files open.
    #[test]
    fn a_folder_is_one_runs_until_it_ends() {
        let place = tempfile::tempdir().unwrap();
        let first = Output::open(place.path()).unwrap();
        let inherited = first.lock.try_clone().unwrap();
        assert!(matches!(Output::open(place.path()), Err(OutputError::Locked(_))));
        assert!(Output::open_with(place.path(), false).is_ok());
        // Who never had the lock cannot let go of it.
        assert!(matches!(Output::open(place.path()), Err(OutputError::Locked(_))));
        drop(first);
        assert!(Output::open(place.path()).is_ok());
        drop(inherited);
    }

    /// Where no results stand a page is somebody's, whatever else a run left.
    #[test]
    fn without_results_pages_stay() {
        let place = tempfile::tempdir().unwrap();
        let names = [MANIFEST, FLIGHT, "report.html", "report.md"];
        names.iter().for_each(|name| fs::write(place.path().join(name), "x").unwrap());
        Output::open(place.path()).unwrap().clear().unwrap();
        assert_eq!(names.map(|name| place.path().join(name).exists()), [false, false, true, true]);
    }

    /// To begin afresh takes away what a run writes, and nothing that somebody laid beside it.
    #[test]
    fn what_is_cleared_is_what_was_written() {
        let place = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| fs::write(place.path().join(name), text).unwrap();
        for games in [false, true] {
            let rules = if games { "[match]\n" } else { "" };
            put("experiment.toml", &format!("suite = {{ startpos = true }}\nlimit = {{ nodes = 9 }}\n{rules}"));
            put("report.md", "![Ratio](ratio.svg)\n");
            for name in
                ["results.csv", MANIFEST, FLIGHT, "report.html", "ratio.svg", "own.svg", "games.pgn", "notes.md"]
            {
                put(name, "x");
            }
            Output::open(place.path()).unwrap().clear().unwrap();
            let mut left: Vec<String> = fs::read_dir(place.path())
                .unwrap()
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .filter(|name| name != ".lock")
                .collect();
            left.sort();
            let kept = ["experiment.toml", "games.pgn", "notes.md", "own.svg"];
            assert_eq!(left, kept.iter().filter(|name| !games || **name != "games.pgn").copied().collect::<Vec<_>>());
        }
    }
}
