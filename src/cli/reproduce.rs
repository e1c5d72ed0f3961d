use super::args::ReuseArgs;
use super::folder::{command_line, run_failure};
use super::progress::ConsoleProgress;
use super::signals::stop_flag;
use super::{CommandFailure, CommandResult, Exit};
use crate::experiment::problem::nearest;
use crate::experiment::{Experiment, Plan};
use crate::report::{self, Page};
use crate::runner::{self, Session, Settings};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Run published claims again: published, measured, verdict
#[derive(clap::Args)]
#[command(after_help = include_str!("help/reproduce.txt"))]
pub struct Args {
    /// The folder of experiment files
    #[arg(default_value = "experiments/published")]
    folder: PathBuf,
    /// Folder of the results
    #[arg(short, long, default_value = "reports/reproduced")]
    out: PathBuf,
    /// Skip experiments marked as slow
    #[arg(long)]
    quick: bool,
    /// Only these experiments (file name without .toml; may be repeated)
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Parallel jobs, except for experiments that ask for times [default: the processors]
    #[arg(short, long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    #[command(flatten)]
    reuse: ReuseArgs,
}

pub fn run(args: &Args) -> CommandResult {
    let folder_name = args.folder.display();
    let files = list_experiment_files(&args.folder)
        .map_err(|error| CommandFailure::usage(format!("{folder_name}: {error}: name a folder of experiments")))?;
    if files.is_empty() {
        refuse!("{folder_name}: no experiment files");
    }
    let files = select_files(files, &args.only).map_err(CommandFailure::usage)?;
    // All files are checked before the first search.
    let mut experiments = Vec::new();
    for file in &files {
        let experiment = Experiment::load(file, &[]).map_err(CommandFailure::usage)?;
        if !(args.quick && experiment.file.slow) {
            experiments.push(experiment);
        }
    }
    let stop = stop_flag()?;
    let mut pages = Vec::new();
    for experiment in &experiments {
        eprintln!("{}", experiment.name);
        let folder = args.out.join(&experiment.name);
        if !run_experiment(experiment, &folder, args, &stop)? {
            eprintln!("interrupted; to resume:\n  {}", command_line());
            return Ok(Exit::Interrupted);
        }
        let page = Page::read(&folder).map_err(CommandFailure::io)?;
        page.write(&folder).map_err(CommandFailure::io)?;
        pages.push(page);
    }
    super::terminal::show(&report::verdict_sheet(&pages));
    Ok(if pages.iter().any(|page| page.count_failed() > 0) { Exit::Gate } else { Exit::Done })
}

fn list_experiment_files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let paths = std::fs::read_dir(folder)?.flatten().map(|entry| entry.path());
    let files: BTreeSet<_> = paths.filter(|path| path.extension().is_some_and(|ending| ending == "toml")).collect();
    Ok(files.into_iter().collect())
}

/// # Errors
/// When `--only` names a file that does not exist.
fn select_files(files: Vec<PathBuf>, only: &[String]) -> Result<Vec<PathBuf>, String> {
    let stem = |file: &PathBuf| file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let names: Vec<String> = files.iter().map(stem).collect();
    if let Some(unknown) = only.iter().find(|name| !names.contains(name)) {
        let hint = nearest(unknown, names.iter().map(String::as_str));
        let help = hint.map(|hint| format!("\nhelp: {hint}")).unwrap_or_default();
        return Err(format!("--only {unknown}: no file {unknown}.toml{help}"));
    }
    Ok(files.into_iter().filter(|file| only.is_empty() || only.contains(&stem(file))).collect())
}

/// If times matter, jobs run one at a time. Failed jobs run again. Quarantined jobs do not run
/// again, because they might end the run with a crash again.
fn settings(experiment: &Experiment, args: &Args) -> Settings {
    let jobs = match args.jobs {
        Some(jobs) if !experiment.file.asks_for_times() => usize::from(jobs),
        _ => Settings::default_jobs(experiment),
    };
    Settings {
        jobs,
        fresh: args.reuse.fresh,
        retry_failed: true,
        any_build: args.reuse.any_build,
        reuse: args.reuse.reuse.clone(),
        ..Settings::default()
    }
}

/// Runs an experiment and judges its results. Returns false if the run or the judging was
/// interrupted.
fn run_experiment(
    experiment: &Experiment,
    folder: &Path,
    args: &Args,
    stop: &AtomicBool,
) -> Result<bool, CommandFailure> {
    let plan = Plan::new(experiment);
    let mut settings = settings(experiment, args);
    if args.jobs.is_none() {
        settings.jobs = runner::jobs_that_fit(&plan, settings.jobs);
    }
    let session = Session::begin(experiment, &plan, folder, settings, stop).map_err(run_failure)?;
    let summary = session.run(stop, &ConsoleProgress::new(false)).map_err(run_failure)?;
    Ok(!summary.interrupted && super::judge::judge(experiment, &session, stop, false)?)
}

#[cfg(test)]
mod tests;
