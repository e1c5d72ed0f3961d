//! Finds the folders from which a plan takes rows.

use super::output::OutputError;
use super::previous;
use super::take::{KnownJobs, Source, Taker};
use crate::experiment::{Experiment, Plan, check_folder_pattern};
use crate::record::manifest::{Build, Manifest};
use crate::record::{RESULTS, results_file};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Opens the results folders, except `own_folder`, that the experiment file and the command line
/// (`patterns`) name. The folders of the file come first. Patterns in the file are relative to the
/// file's folder and may match nothing. A folder that matches a pattern with `*`, `?` or `[` is
/// left out if it cannot be used. `notes` gets a line for each such folder and each pattern of the
/// file without a folder.
///
/// # Errors
/// If a pattern is invalid, if a pattern of the command line matches nothing, if a folder that is
/// named without a pattern cannot be used, or if the file asks for times.
pub(super) fn open_named(
    experiment: &Experiment,
    patterns: &[String],
    own_folder: &Path,
    build: &Build,
    notes: &mut Vec<String>,
) -> Result<Vec<Source>, OutputError> {
    let base = PathBuf::from(glob::Pattern::escape(&experiment.folder.display().to_string()));
    let file_patterns = experiment.file.reuse.iter().map(|text| (text, base.join(text), false));
    let command_patterns = patterns.iter().map(|text| (text, PathBuf::from(text), true));
    let (mut sources, mut seen) = (Vec::new(), HashSet::from([canonical_path(own_folder)]));
    for (text, pattern, must_match) in file_patterns.chain(command_patterns) {
        let pattern_error = |problem: &str| OutputError::Unusable(format!("reuse: {text}: {problem}"));
        if experiment.file.asks_for_times() {
            return Err(pattern_error(
                "the file asks for times (times = true, or repeats above 1), but times are never taken from other \
                 folders",
            ));
        }
        check_folder_pattern(text).map_err(|problem| pattern_error(&problem))?;
        let paths = glob::glob(&pattern.to_string_lossy()).map_err(|error| pattern_error(&error.to_string()))?;
        let has_rows = |path: &PathBuf| results_file(path).exists();
        let folders: Vec<PathBuf> = paths.filter_map(Result::ok).filter(has_rows).collect();
        if folders.is_empty() && must_match {
            return Err(pattern_error("no folder with a results.csv found"));
        }
        if folders.is_empty() {
            notes.push(format!("reused 0 jobs from {text}: no folder with a results.csv found"));
        }
        for folder in folders.into_iter().filter(|folder| seen.insert(canonical_path(folder))) {
            match Source::open(&folder).and_then(|source| source.of_build(build)) {
                Ok(source) => sources.push(source),
                Err(error) if text.contains(['*', '?', '[']) => notes.push(format!("not reused: {error}")),
                Err(error) => return Err(error),
            }
        }
    }
    Ok(sources)
}

fn canonical_path(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Finds the jobs of a plan that need no search, because they have rows in `folder` or in the
/// folders that the experiment file and the command line name. Returns their places in the plan's
/// order, and notes about folders that cannot be used. Writes nothing.
pub fn survey(
    (experiment, plan): (&Experiment, &Plan),
    folder: &Path,
    manifest: &Manifest,
    patterns: &[String],
) -> Result<(HashSet<u64>, Vec<String>), OutputError> {
    let (mut known, mut notes) = (KnownJobs::new(), Vec::new());
    let named = open_named(experiment, patterns, folder, &manifest.host.build, &mut notes)?;
    let mut taker = Taker::new(experiment, plan, manifest.run.shard, manifest);
    let own_folders = [folder.to_owned()].into_iter().chain(previous::folders(folder));
    for own_folder in own_folders.filter(|folder| folder.join(RESULTS).exists()) {
        if taker.knows_all(&known) {
            break;
        }
        let source = Source::open(&own_folder).and_then(|source| {
            taker.is_same_run = own_folder == folder && source.manifest.planned.plan == manifest.planned.plan;
            taker.takes_failed = taker.is_same_run;
            if taker.is_same_run { Ok(source) } else { source.of_build(&manifest.host.build) }
        });
        match source {
            Ok(source) => drop(taker.take(&source, &mut known, &mut |_| Ok(()))?),
            Err(error) => notes.push(format!("not reused: {error}")),
        }
    }
    (taker.is_same_run, taker.takes_failed) = (false, false);
    for source in named {
        taker.take(&source, &mut known, &mut |_| Ok(()))?;
    }
    Ok((known.into_keys().collect(), notes))
}
