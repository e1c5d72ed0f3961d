//! Takes rows from other folders. The folders are named by `--reuse` on the command line and by the
//! key `reuse` in the experiment file.

use super::output::OutputError;
use super::reuse::{Reuse, ReuseSummary};
use crate::experiment::{Experiment, Job, Plan};
use crate::record::manifest::{EngineInfo, Manifest, RowSource};
use crate::record::{self, thin};
use crate::system::files;
use crate::table::policy::Policy;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Describes the rows that were taken from a folder, and each damaged row that was not taken. The
/// description of a damaged row names the file, the line and the problem.
pub type Reused = (RowSource, Vec<String>);

/// Finds the results folders, except `own_folder`, that match the patterns of the experiment file
/// or of the command line (`patterns`). The folders of the file's patterns come first. Patterns in
/// the file are relative to the file's folder and may match nothing.
///
/// # Errors
/// If a pattern is invalid, if a pattern of the command line matches nothing, or if there is a
/// pattern although the file asks for times.
pub(super) fn find_folders(
    experiment: &Experiment,
    patterns: &[String],
    own_folder: &Path,
) -> Result<Vec<PathBuf>, OutputError> {
    let base = PathBuf::from(glob::Pattern::escape(&experiment.folder.display().to_string()));
    let file_patterns = experiment.file.reuse.iter().map(|pattern| (base.join(pattern), false));
    let command_patterns = patterns.iter().map(|pattern| (PathBuf::from(pattern), true));
    let (mut folders, mut known_folders): (Vec<PathBuf>, _) = (Vec::new(), HashSet::from([canonical_path(own_folder)]));
    for (pattern, must_match) in file_patterns.chain(command_patterns) {
        let pattern = pattern.display();
        let pattern_error = |problem: &str| OutputError::Unusable(format!("reuse: {pattern}: {problem}"));
        if experiment.file.asks_for_times() {
            return Err(pattern_error(
                "the file asks for times (times = true, or repeats above 1), but times are never taken from other \
                 folders",
            ));
        }
        let paths = glob::glob(&pattern.to_string()).map_err(|error| pattern_error(&error.to_string()))?;
        let has_rows = |path: &PathBuf| path.join(record::RESULTS).exists() || thin::is_thin(path);
        let matches: Vec<PathBuf> = paths.filter_map(Result::ok).filter(has_rows).collect();
        if must_match && matches.is_empty() {
            return Err(pattern_error("no folder with a results.csv found"));
        }
        folders.extend(matches.into_iter().filter(|folder| known_folders.insert(canonical_path(folder))));
    }
    Ok(folders)
}

/// Returns the canonical form of a path, or the path itself if there is no canonical form.
fn canonical_path(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Finds the jobs of the plan that the folders have, and passes the rows of these jobs to
/// `write_rows`, in the order of the folders. Adds the jobs to `known_checks`. Adds each folder
/// that was read to `reused`, even if its counts turn out to be different.
///
/// `known_checks` contains the jobs whose rows are known already. The key is the job's place in the
/// plan's order, and the value is the checksum of the job's last row. `manifest` is the manifest of
/// this run.
///
/// # Errors
/// If a folder has no results or has results of another build. If a job's counts in a folder differ
/// from the counts of the same job in `known_checks`. Also if `write_rows` fails.
pub(super) fn take_rows(
    (experiment, plan): (&Experiment, &Plan),
    folders: &[PathBuf],
    manifest: &Manifest,
    known_checks: &mut HashMap<u64, String>,
    write_rows: &mut dyn FnMut(&[Vec<String>]) -> io::Result<()>,
    reused: &mut Vec<Reused>,
) -> Result<(), OutputError> {
    for folder in folders {
        let (name, path) = (folder.display().to_string(), folder.join(record::RESULTS));
        let unusable_error = |problem: &str| OutputError::Unusable(format!("reuse: {name}: {problem}"));
        if thin::is_thin(folder) {
            return Err(unusable_error(
                "holds thin rows, which lack counters: make the full rows again and name their folder",
            ));
        }
        let source = match Manifest::read(folder)? {
            Some(source) if path.exists() => source,
            _ => return Err(unusable_error("no manifest.json and results.csv found: expected a results folder")),
        };
        if source.build.searches != manifest.build.searches {
            return Err(unusable_error(&format!(
                "its build ({}) may search differently from this one ({})",
                source.build, manifest.build
            )));
        }
        let mut reuse = Reuse::new(experiment, plan, manifest.shard);
        reuse.is_other_folder = true;
        reuse.engines = Some([&source.subjects, &manifest.subjects]);
        reuse.jobs.retain(|_, jobs| !depends_on_unhashed_code(plan, &jobs[0], &source.subjects));
        let (jobs_before, mut rows) = (known_checks.len(), 0);
        let file_rows = reuse.read(&path, known_checks, &mut |job_rows| {
            rows += job_rows.len() as u64;
            Ok(write_rows(&job_rows)?)
        });
        let file_rows = file_rows.map_err(OutputError::results(&path))?;
        let jobs = (known_checks.len() - jobs_before) as u64;
        reused.push((RowSource { folder: name, jobs, rows, build: source.build }, file_rows.damaged));
        if let Some(line) = file_rows.conflict {
            return Err(OutputError::CountsDiffer(format!(
                "{line}: the row's counts differ from those of other results of the same job"
            )));
        }
    }
    Ok(())
}

/// Finds the jobs of a plan that have rows in `folder` or in the folders that the experiment file
/// and the command line name. Returns a summary of the rows in `folder`, and all jobs that were
/// found. A job is given by its place in the plan's order. Writes nothing.
pub fn survey(
    (experiment, plan): (&Experiment, &Plan),
    folder: &Path,
    manifest: &Manifest,
    patterns: &[String],
) -> Result<(ReuseSummary, HashSet<u64>), OutputError> {
    let (reuse, mut known_checks) = (Reuse::new(experiment, plan, manifest.shard), HashMap::new());
    let files = reuse.scan_folder(folder, &mut known_checks)?;
    let folders = find_folders(experiment, patterns, folder)?;
    take_rows((experiment, plan), &folders, manifest, &mut known_checks, &mut |_| Ok(()), &mut Vec::new())?;
    Ok((reuse.summarize(&known_checks, &files), known_checks.into_keys().collect()))
}

/// Whether a job's rows may depend on code that the hashes of the build and of the engines do not
/// cover. This is the case if another crate has registered the policy, or if the engine is a
/// script, because a script may start any program.
fn depends_on_unhashed_code(plan: &Plan, job: &Job, engines: &BTreeMap<String, EngineInfo>) -> bool {
    // A program that cannot be read counts as a script.
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
