//! Moves results out of the way of a run of another plan or of `--fresh`, into the subfolder
//! `previous`. What is there moves to `previous/previous-1`, `previous/previous-2`, and so on.
//!
//! Files are renamed, `results.csv` first and `manifest.json` last. So if the process is killed,
//! the next call sees whether a move was begun, and finishes it.

use super::in_flight::IN_FLIGHT_FILE;
use super::output::{Output, OutputError};
use super::take::Source;
use crate::record::manifest::{MANIFEST, Manifest, PREVIOUS};
use crate::record::{self, EXPERIMENT, PACKED, RESULTS, reference};
use crate::report::recorded_figures;
use crate::system::files;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A file that says that these results and all older ones were moved by `--fresh`, so that none of
/// their rows is taken.
const FRESH: &str = ".fresh";

/// The newest comes first.
pub(super) fn folders(folder: &Path) -> Vec<PathBuf> {
    let previous = folder.join(PREVIOUS);
    let older: Vec<PathBuf> =
        (1..).map(|number| older_folder(&previous, number)).take_while(|it| it.exists()).collect();
    let newest_first = std::iter::once(previous).chain(older.into_iter().rev());
    newest_first.take_while(|it| !it.join(FRESH).exists()).filter(|it| it.join(RESULTS).exists()).collect()
}

fn has_begun_move(folder: &Path, previous: &Path) -> bool {
    has(folder, MANIFEST) && !has_rows(folder) && has_rows(previous) && !has(previous, MANIFEST)
}

fn has_rows(folder: &Path) -> bool {
    has(folder, RESULTS) || has(folder, PACKED)
}

fn has(folder: &Path, name: &str) -> bool {
    folder.join(name).symlink_metadata().is_ok()
}

fn older_folder(previous: &Path, number: u32) -> PathBuf {
    previous.join(format!("{PREVIOUS}-{number}"))
}

/// Whether results were written for another plan, or for the same plan with other names, contents,
/// columns or solutions. Older manifests have no hash of the solutions.
fn has_other_plan(old: &Manifest, new: &Manifest) -> bool {
    let names = |manifest: &Manifest| {
        (manifest.planned.name.clone(), manifest.planned.variants.clone(), manifest.planned.varying.clone())
    };
    let has_other_solutions = !old.planned.solutions.is_empty() && old.planned.solutions != new.planned.solutions;
    let has_other_items = old.planned.contents != new.planned.contents || has_other_solutions;
    old.planned.plan != new.planned.plan
        || names(old) != names(new)
        || has_other_items
        || old.sealed.header != new.sealed.header
}

/// Moves the results in the folder if they are those of another plan than that of the manifest
/// `new`. Returns whether they were moved. Results of another build or shard stay, because
/// [`Output::begin`] refuses them.
///
/// # Errors
/// If the results are wrong. They stay where they are.
pub(super) fn move_other_plan(output: &Output, new: &Manifest, any_build: bool) -> Result<bool, OutputError> {
    let (folder, previous) = (&output.folder, output.folder.join(PREVIOUS));
    if !has_begun_move(folder, &previous) {
        if !has(folder, RESULTS) {
            return Ok(false);
        }
        let old = Manifest::read(folder)?.filter(|old| has_other_plan(old, new) && old.run.shard == new.run.shard);
        if old.is_none_or(|old| !any_build && !old.host.build.searches_like(&new.host.build)) {
            return Ok(false);
        }
        Source::open(folder)?;
        move_older(&previous)?;
    }
    // A run with `--fresh` that was killed has begun to move all files.
    move_files(folder, &previous, has(&previous, FRESH))?;
    Ok(true)
}

impl Output {
    /// Moves the results in the folder, so that a run starts over. No row is taken from them later.
    pub fn clear(&self) -> Result<(), OutputError> {
        let (folder, previous) = (&self.folder, self.folder.join(PREVIOUS));
        let has_results = has_rows(folder);
        if has_results {
            move_older(&previous)?;
        }
        if previous.exists() {
            create_folder(&previous)?;
            record::write_atomic(&previous.join(FRESH), b"").map_err(OutputError::io(&previous))?;
        }
        if has_results || has_begun_move(folder, &previous) {
            move_files(folder, &previous, true)?;
        }
        // Jobs that crashed may run again.
        remove_if_exists(&folder.join(IN_FLIGHT_FILE))?;
        remove_if_exists(&folder.join(MANIFEST))
    }
}

/// Creates a folder. A link in its place is not followed.
fn create_folder(path: &Path) -> Result<(), OutputError> {
    if path.is_symlink() {
        let error = io::Error::other("it is a symbolic link, and results are not moved through links: remove it");
        return Err(OutputError::io(path)(error));
    }
    fs::create_dir_all(path).map_err(OutputError::io(path))
}

fn remove_if_exists(path: &Path) -> Result<(), OutputError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(OutputError::io(path)(error)),
        _ => Ok(()),
    }
}

/// Moves what is in `previous` to the first folder `previous-N` that is free, or that a move which
/// was killed has begun to fill.
fn move_older(previous: &Path) -> Result<(), OutputError> {
    create_folder(previous)?;
    if !has_rows(previous) && !has(previous, MANIFEST) {
        return Ok(());
    }
    let is_free = |folder: &PathBuf| !(has(folder, MANIFEST) || has_rows(folder) && has_rows(previous));
    let target = (1..).map(|number| older_folder(previous, number)).find(is_free).unwrap_or_default();
    move_files(previous, &target, true)
}

/// Moves the files that a run or a report wrote from one folder to another. Unless `moves_all` is
/// true, what the next run may use stays: the games of `[confirm]`, and the judgements, which are
/// copied.
fn move_files(from: &Path, to: &Path, moves_all: bool) -> Result<(), OutputError> {
    create_folder(to)?;
    let mut moved = [RESULTS, PACKED, FRESH, reference::COMPRESSED_NAME].map(str::to_owned).to_vec();
    if moves_all {
        moved.extend([reference::NAME, record::CONFIRM_FOLDER].map(str::to_owned));
    } else if let Ok(judgements) = files::read(&from.join(reference::NAME)) {
        record::write_atomic(&to.join(reference::NAME), &judgements).map_err(OutputError::io(to))?;
    }
    // Other figures are not those of the report.
    moved.extend(recorded_figures(from));
    let experiment = files::read_text(&from.join(EXPERIMENT)).unwrap_or_default();
    // Other games are not those of the results.
    if experiment.parse::<toml::Table>().is_ok_and(|file| file.contains_key("match")) {
        moved.push(record::games::NAME.to_owned());
    }
    moved.extend(["report.html", "report.md", EXPERIMENT, MANIFEST].map(str::to_owned));
    for name in moved {
        let (old, new) = (from.join(&name), to.join(&name));
        match fs::rename(&old, new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(OutputError::io(old)(error)),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clear_without_results_keeps_pages() {
        let folder = tempfile::tempdir().unwrap();
        let names = [MANIFEST, IN_FLIGHT_FILE, "report.html", "report.md"];
        names.iter().for_each(|name| fs::write(folder.path().join(name), "x").unwrap());
        Output::open(folder.path()).unwrap().clear().unwrap();
        assert_eq!(names.map(|name| folder.path().join(name).exists()), [false, false, true, true]);
        assert!(!folder.path().join(PREVIOUS).exists());
    }

    #[test]
    fn clear_moves_only_what_a_run_writes() {
        let names = |folder: &Path| {
            let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
            let mut names: Vec<String> = entries.filter(|name| name != ".lock" && name != PREVIOUS).collect();
            names.sort();
            names
        };
        for is_match in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
            let rules = if is_match { "[match]\n" } else { "" };
            for _ in 0..3 {
                write(EXPERIMENT, &format!("suite = {{ startpos = true }}\nlimit = {{ nodes = 9 }}\n{rules}"));
                write("report.md", "![Ratio](ratio.svg)\n<!-- ttlab wrote ratio.svg -->\n");
                fs::create_dir(folder.path().join("confirm")).unwrap();
                for name in [
                    RESULTS,
                    MANIFEST,
                    IN_FLIGHT_FILE,
                    "report.html",
                    "ratio.svg",
                    "o.svg",
                    "games.pgn",
                    "notes.md",
                    "reference.csv",
                ] {
                    write(name, "x");
                }
                Output::open(folder.path()).unwrap().clear().unwrap();
            }
            // Only the results of a match include `games.pgn`.
            let kept: &[&str] = if is_match { &["notes.md", "o.svg"] } else { &["games.pgn", "notes.md", "o.svg"] };
            assert_eq!(names(folder.path()), kept);
            let all = [
                FRESH,
                "confirm",
                EXPERIMENT,
                "games.pgn",
                MANIFEST,
                "ratio.svg",
                "reference.csv",
                "report.html",
                "report.md",
                RESULTS,
            ];
            let moved: Vec<&str> = all.into_iter().filter(|name| is_match || *name != "games.pgn").collect();
            let previous = folder.path().join(PREVIOUS);
            for folder in [older_folder(&previous, 1), older_folder(&previous, 2)] {
                assert_eq!(names(&folder), moved);
            }
            assert!(moved.iter().all(|name| previous.join(name).exists()));
            assert!(!older_folder(&previous, 3).exists());
            assert!(folders(folder.path()).is_empty());
        }
    }

    /// The rows were moved when the process was killed, and the manifest was not.
    #[test]
    fn killed_move_is_finished_before_anything_is_deleted() {
        for (rows, is_cleared) in [(RESULTS, true), (RESULTS, false), (PACKED, true), (PACKED, false)] {
            let folder = tempfile::tempdir().unwrap();
            let previous = folder.path().join(PREVIOUS);
            fs::create_dir(&previous).unwrap();
            fs::write(previous.join(rows), "x").unwrap();
            fs::write(previous.join(FRESH), "").unwrap();
            fs::write(folder.path().join(MANIFEST), "x").unwrap();
            fs::write(folder.path().join(reference::NAME), "x").unwrap();
            let output = Output::open(folder.path()).unwrap();
            match is_cleared {
                true => output.clear().unwrap(),
                false => assert!(move_other_plan(&output, &Manifest::default(), false).unwrap()),
            }
            for name in [MANIFEST, reference::NAME, rows] {
                assert!(
                    previous.join(name).exists() && !folder.path().join(name).exists(),
                    "{rows} {is_cleared} {name}"
                );
            }
        }
    }

    #[test]
    fn link_is_not_followed() {
        let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(folder.path().join(RESULTS), "x").unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), folder.path().join(PREVIOUS)).unwrap();
        assert!(Output::open(folder.path()).unwrap().clear().is_err());
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
        assert!(folder.path().join(RESULTS).exists());
    }
}
