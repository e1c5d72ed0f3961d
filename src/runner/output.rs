//! The output folder: `experiment.toml`, `manifest.json`, `results.csv`, under a lock.

use super::manifest::{manifest, now};
use crate::experiment::{Experiment, Plan};
use crate::record::manifest::Manifest;
use crate::record::{self, Done, Results, ResultsError};
use std::collections::HashMap;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// A folder that this run has for itself.
pub struct Output {
    folder: PathBuf,
    /// Held until the run ends; the system lets go of it even after a kill.
    _lock: File,
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
    /// The results there are not of this plan.
    #[error("{0}")]
    Foreign(String),
    /// The results file.
    #[error("{path}: {error}")]
    Results {
        /// The file.
        path: String,
        /// What is wrong with it.
        error: ResultsError,
    },
}

fn io_error(path: &Path) -> impl FnOnce(io::Error) -> OutputError + '_ {
    move |error| OutputError::Io { path: path.display().to_string(), error }
}

impl Output {
    /// Makes or opens the folder and locks it.
    ///
    /// # Errors
    /// When it cannot be written to, or another run holds it.
    pub fn open(folder: &Path) -> Result<Self, OutputError> {
        fs::create_dir_all(folder).map_err(io_error(folder))?;
        let path = folder.join(".lock");
        let lock = File::create(&path).map_err(io_error(&path))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { folder: folder.to_owned(), _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(OutputError::Locked(folder.display().to_string())),
            Err(TryLockError::Error(error)) => Err(io_error(&path)(error)),
        }
    }

    /// Where the rows go.
    #[must_use]
    pub fn results_path(&self) -> PathBuf {
        self.folder.join("results.csv")
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Refuses to continue results of another plan or build, and writes the manifest and the experiment.
    ///
    /// # Errors
    /// When the results there are not of this plan, or the folder cannot be written to.
    pub fn begin(&self, experiment: &Experiment, plan: &Plan, jobs: usize, any_build: bool) -> Result<(), OutputError> {
        let path = self.folder.join("manifest.json");
        let mut manifest = manifest(experiment, plan, jobs);
        if self.results_path().exists()
            && let Ok(text) = fs::read_to_string(&path)
        {
            let old: Manifest = serde_json::from_str(&text).map_err(|error| {
                OutputError::Foreign(format!("{}: {error}: move the folder away, or choose another", path.display()))
            })?;
            let folder = self.folder.display();
            if old.plan != manifest.plan {
                return Err(OutputError::Foreign(format!(
                    "{folder}: holds the results of another plan (the experiment file, its suite or --set changed): move \
                     it away, choose another folder with --out, or start over with --fresh"
                )));
            }
            if old.build != manifest.build && !any_build {
                return Err(OutputError::Foreign(format!(
                    "{folder}: holds results of another build ({} {} {}; this is {} {} {}): start over with --fresh, or \
                     continue all the same with --any-build",
                    old.build.version,
                    old.build.commit,
                    old.build.profile,
                    manifest.build.version,
                    manifest.build.commit,
                    manifest.build.profile,
                )));
            }
            manifest.begun = old.begun;
        }
        let copy = self.folder.join("experiment.toml");
        record::write_whole(&copy, experiment.text.as_bytes()).map_err(io_error(&copy))?;
        self.write_manifest(&manifest).map_err(io_error(&path))
    }

    fn write_manifest(&self, manifest: &Manifest) -> io::Result<()> {
        let text = serde_json::to_string_pretty(manifest).map_err(io::Error::other)?;
        record::write_whole(&self.folder.join("manifest.json"), text.as_bytes())
    }

    /// Opens the results for appending.
    ///
    /// # Errors
    /// See [`Results::open`].
    pub fn results(&self, header: &[String], retry_failed: bool) -> Result<(Results, Done), OutputError> {
        let path = self.results_path();
        Results::open(&path, header, retry_failed)
            .map_err(|error| OutputError::Results { path: path.display().to_string(), error })
    }

    /// Puts the rows in the plan's order and marks the manifest as ended.
    ///
    /// # Errors
    /// When the system refuses.
    pub fn finish(&self, experiment: &Experiment, plan: &Plan) -> io::Result<()> {
        put_in_order(&self.results_path(), experiment, plan)?;
        let path = self.folder.join("manifest.json");
        let mut manifest: Manifest = serde_json::from_str(&fs::read_to_string(&path)?).map_err(io::Error::other)?;
        manifest.ended = Some(now());
        self.write_manifest(&manifest)
    }
}

/// Sorts a results file by repeat, item, variant, ply and depth: the order in which one job at a time would have written it.
///
/// # Errors
/// When the system refuses.
pub fn put_in_order(path: &Path, experiment: &Experiment, plan: &Plan) -> io::Result<()> {
    let items: HashMap<&str, usize> =
        experiment.suite.items.iter().enumerate().map(|(at, item)| (item.id.as_str(), at)).collect();
    let variants: HashMap<&str, usize> =
        plan.variants.iter().enumerate().map(|(at, point)| (point.name.as_str(), at)).collect();
    let header = record::header(&[], false);
    let place = |name: &str| header.iter().position(|column| column == name).unwrap_or(0);
    let [variant, game, position, ply, repeat, depth] =
        ["variant", "game", "position", "ply", "repeat", "depth"].map(place);
    record::rewrite(path, |row| {
        let number = |column: usize| row.get(column).and_then(|text| text.parse::<u32>().ok()).unwrap_or(0);
        let name = row.get(game).filter(|game| !game.is_empty()).or(row.get(position)).unwrap_or_default();
        let item = items.get(name).copied().unwrap_or(usize::MAX);
        let variant = row.get(variant).and_then(|name| variants.get(name)).copied().unwrap_or(usize::MAX);
        Some((number(repeat), item, variant, number(ply), number(depth)))
    })
}
