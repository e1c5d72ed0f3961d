//! Takes rows from other folders: `--reuse` on the command line and the key `reuse` in the file.

use super::output::OutputError;
use super::reuse::{Known, Reuse};
use crate::experiment::{Experiment, Job, Plan};
use crate::record::manifest::{EngineInfo, Manifest, RowSource};
use crate::record::{self, thin};
use crate::system::files;
use crate::table::policy::Policy;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Rows that were taken from a folder, and the damaged rows that were not: file, line and problem.
pub type Reused = (RowSource, Vec<String>);

/// The folders of results that the file and the command line name, in this order, without the
/// folder `own`. Patterns in the file are relative to the file's folder and may match nothing.
///
/// # Errors
/// If a pattern is invalid, a pattern of the command line matches nothing, or times matter.
pub(super) fn find_folders(
    experiment: &Experiment,
    patterns: &[String],
    own: &Path,
) -> Result<Vec<PathBuf>, OutputError> {
    let base = PathBuf::from(glob::Pattern::escape(&experiment.folder.display().to_string()));
    let of_file = experiment.file.reuse.iter().map(|pattern| (base.join(pattern), false));
    let of_command = patterns.iter().map(|pattern| (PathBuf::from(pattern), true));
    let (mut folders, mut seen): (Vec<PathBuf>, _) = (Vec::new(), HashSet::from([whole_path(own)]));
    for (pattern, finds_some) in of_file.chain(of_command) {
        let pattern = pattern.display();
        let problem = |what: &str| OutputError::Foreign(format!("reuse: {pattern}: {what}"));
        if experiment.file.asks_for_times() {
            return Err(problem(
                "the file asks for times (times = true, or repeats above 1), and other folders' times are not taken",
            ));
        }
        let paths = glob::glob(&pattern.to_string()).map_err(|error| problem(&error.to_string()))?;
        let has_rows = |path: &PathBuf| path.join(record::RESULTS).exists() || thin::is_thin(path);
        let found: Vec<PathBuf> = paths.filter_map(Result::ok).filter(has_rows).collect();
        if finds_some && found.is_empty() {
            return Err(problem("no folder with a results.csv found"));
        }
        folders.extend(found.into_iter().filter(|folder| seen.insert(whole_path(folder))));
    }
    Ok(folders)
}

fn whole_path(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Appends the rows of jobs that other folders have, in the order of the folders. `known`: the jobs
/// that this folder already has, by place in the plan's order, with the checksum of their last row.
///
/// # Errors
/// If a folder holds no results, holds results of another build, or has different counts from
/// another folder; or if `put` fails.
pub(super) fn take_rows(
    (experiment, plan): (&Experiment, &Plan),
    folders: &[PathBuf],
    own: &Manifest,
    known: &mut HashMap<u64, String>,
    put: &mut dyn FnMut(&[Vec<String>]) -> io::Result<()>,
) -> Result<Vec<Reused>, OutputError> {
    let mut sources = Vec::new();
    for folder in folders {
        let (name, path) = (folder.display().to_string(), folder.join(record::RESULTS));
        let foreign = |what: &str| OutputError::Foreign(format!("reuse: {name}: {what}"));
        if thin::is_thin(folder) {
            return Err(foreign(
                "holds thin rows, which lack counters: make the full rows again and name their folder",
            ));
        }
        let source = Manifest::read(folder)?.filter(|_| path.exists());
        let source =
            source.ok_or_else(|| foreign("no manifest.json and results.csv found: expected a results folder"))?;
        if !source.build.searches_as(&own.build) {
            return Err(foreign(&format!(
                "its build ({}) may search otherwise than this one ({})",
                source.build, own.build
            )));
        }
        let mut reuse = Reuse::new(experiment, plan, own.shard);
        reuse.borrowed = true;
        reuse.engines = Some([&source.subjects, &own.subjects]);
        reuse.jobs.retain(|_, jobs| !depends_on_more(plan, &jobs[0], &source.subjects));
        let (before, mut rows) = (known.len(), 0);
        let found = reuse.read(&path, known, &mut |job| {
            rows += job.len() as u64;
            Ok(put(&job)?)
        });
        let found = found.map_err(OutputError::results(&path))?;
        if let Some(place) = found.unequal {
            return Err(OutputError::Unequal(format!(
                "{place}: other counts than in the results that are already there"
            )));
        }
        let jobs = (known.len() - before) as u64;
        sources.push((RowSource { folder: name, jobs, rows, build: source.build }, found.damaged));
    }
    Ok(sources)
}

/// Finds which jobs of a plan exist in a folder and in the folders that the file and the command
/// line name, and the places of these jobs. Writes nothing.
///
/// # Errors
/// As [`take_rows`], or if the folder cannot be read.
pub fn survey(
    (experiment, plan): (&Experiment, &Plan),
    folder: &Path,
    own: &Manifest,
    patterns: &[String],
) -> Result<(Known, HashSet<u64>), OutputError> {
    let (reuse, mut done) = (Reuse::new(experiment, plan, own.shard), HashMap::new());
    let found = reuse.survey(folder, &mut done)?;
    let folders = find_folders(experiment, patterns, folder)?;
    take_rows((experiment, plan), &folders, own, &mut done, &mut |_| Ok(()))?;
    Ok((reuse.summarize(&done, &found), done.into_keys().collect()))
}

/// Whether a job's rows may depend on more than the hashes of the build and the engine: on a policy
/// registered by another crate, or on a script, which may start any program.
fn depends_on_more(plan: &Plan, job: &Job, engines: &BTreeMap<String, EngineInfo>) -> bool {
    let is_script = |program: &str| {
        let mut start = [0; 2];
        files::open(Path::new(program)).and_then(|mut file| file.read_exact(&mut start)).is_err() || start == *b"#!"
    };
    [Some(job.variant), job.opponent].into_iter().flatten().map(|index| &plan.variants[index]).any(|variant| {
        match variant.table() {
            Some(table) => matches!(table.policy, Policy::External(_)),
            None => engines.values().any(|engine| is_script(&engine.program)),
        }
    })
}
