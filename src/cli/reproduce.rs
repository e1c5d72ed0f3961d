use super::run::{command_line, run_failure};
use super::signals::stop_flag;
use super::{CommandFailure, CommandResult, Exit};
use crate::experiment::problem::nearest;
use crate::experiment::{Experiment, Plan};
use crate::report::{self, markdown, reproduce_page};
use crate::runner::{self, Session, Settings, progress};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Run published claims again: published, measured, verdict
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ttlab reproduce --quick             under two minutes
  ttlab reproduce                     all; continues where it was stopped
  ttlab reproduce --only third-column --only otter

Writes reports/reproduced/<name>/ for each file of experiments/published/, and reports/reproduced/README.md, which git ignores;
`--out reports/published` makes the kept ones again.
Exit: 0 all verdicts as wanted, 1 one is not, 75 interrupted (the same command continues).")]
pub struct Args {
    /// The folder of experiment files
    #[arg(default_value = "experiments/published")]
    folder: PathBuf,
    /// Where the results go
    #[arg(short, long, default_value = "reports/reproduced")]
    out: PathBuf,
    /// Leave out what is marked as slow
    #[arg(long)]
    quick: bool,
    /// Only these (by file name without .toml; may be repeated)
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Jobs at a time, but for experiments that repeat their searches for timing [default: the processors]
    #[arg(short, long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Throw away results that are there
    #[arg(long)]
    fresh: bool,
    /// Continue results that another build of ttlab wrote
    #[arg(long)]
    any_build: bool,
}

pub fn run(args: &Args) -> CommandResult {
    let place = args.folder.display();
    let files = files(&args.folder).map_err(|error| CommandFailure::usage(format!("{place}: {error}")))?;
    if files.is_empty() {
        refuse!("{place}: no experiment files");
    }
    let files = named(files, &args.only).map_err(CommandFailure::usage)?;
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
        if !one(experiment, &folder, args, &stop)? {
            eprintln!("interrupted; to continue:\n  {}", command_line());
            return Ok(Exit::Interrupted);
        }
        pages.push(report::write(&folder).map_err(CommandFailure::io)?);
    }
    super::screen::show(&reproduce_page::terminal_sheet(&pages));
    // A part does not overwrite the page of the whole.
    if args.only.is_empty() && !args.quick {
        let path = args.out.join("README.md");
        let page = markdown::render(&reproduce_page::sheet(&pages), markdown::Style { level: 1, figures: false });
        super::write(&path, &page)?;
        println!("page: {}", path.display());
    }
    let missed = pages.iter().flat_map(|page| &page.verdicts).filter(|verdict| !verdict.passes()).count();
    Ok(if missed > 0 { Exit::Gate } else { Exit::Done })
}

/// The experiment files of a folder by name.
fn files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let paths = std::fs::read_dir(folder)?.flatten().map(|entry| entry.path());
    let files: BTreeSet<_> = paths.filter(|path| path.extension().is_some_and(|ending| ending == "toml")).collect();
    Ok(files.into_iter().collect())
}

/// Those alone that are asked for, where some are; each name must be a file's, or what was asked for would be missing in silence.
fn named(files: Vec<PathBuf>, only: &[String]) -> Result<Vec<PathBuf>, String> {
    let stem = |file: &PathBuf| file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let names: Vec<String> = files.iter().map(stem).collect();
    if let Some(unknown) = only.iter().find(|name| !names.contains(name)) {
        let help = nearest(unknown, names.iter().map(String::as_str));
        let help = help.map(|help| format!("\nhelp: {help}")).unwrap_or_default();
        return Err(format!("--only {unknown}: there is no file {unknown}.toml{help}"));
    }
    Ok(files.into_iter().filter(|file| only.is_empty() || only.contains(&stem(file))).collect())
}

/// How an experiment is run: serially where it is repeated for timing; what failed is tried again, but for jobs with which the process died
/// twice: with them it would never come to an end.
fn settings(experiment: &Experiment, args: &Args) -> Settings {
    let jobs = args.jobs.filter(|_| experiment.file.repeats <= 1);
    Settings {
        jobs: jobs.map_or_else(|| Settings::default_jobs(experiment), usize::from),
        fresh: args.fresh,
        retry_failed: true,
        any_build: args.any_build,
        ..Settings::default()
    }
}

/// Runs one experiment; false if that was stopped.
fn one(experiment: &Experiment, folder: &Path, args: &Args, stop: &AtomicBool) -> Result<bool, CommandFailure> {
    let plan = Plan::new(experiment);
    let mut settings = settings(experiment, args);
    settings.jobs = args.jobs.map_or_else(|| runner::jobs_that_fit(&plan, settings.jobs), |_| settings.jobs);
    let session = Session::begin(experiment, &plan, folder, settings, stop).map_err(run_failure)?;
    let ran = session.run(stop, &progress::Talk::default()).map_err(run_failure)?;
    Ok(!ran.interrupted && super::run::judge(experiment, &session, stop, false)?)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use clap::{Args as _, FromArgMatches};

    /// What is said on the command line is heeded; times are taken one after another, and a job that failed has another try.
    #[test]
    fn what_is_asked_for_is_how_it_is_run() {
        let experiment = |repeats: u32| {
            let text = format!("suite = {{ startpos = true }}\nlimit = {{ depth = 1 }}\nrepeats = {repeats}\n");
            Experiment::parse(&text, Path::new("x.toml"), &[]).unwrap_or_else(|wrong| panic!("{wrong}"))
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        for (words, fresh, any_build, at_once) in [
            (&[][..], false, false, cores),
            (&["--fresh"], true, false, cores),
            (&["--any-build"], false, true, cores),
            (&["--jobs", "7"], false, false, 7),
        ] {
            let command = Args::augment_args(clap::Command::new("reproduce"));
            let found = command.try_get_matches_from([&["reproduce"], words].concat()).unwrap();
            let args = Args::from_arg_matches(&found).unwrap();
            for (repeats, jobs) in [(1, at_once), (2, 1), (9, 1)] {
                let of = settings(&experiment(repeats), &args);
                assert_eq!(
                    (of.fresh, of.any_build, of.retry_failed, of.jobs),
                    (fresh, any_build, true, jobs),
                    "{words:?}"
                );
                assert!(!of.repair && !of.no_lock && !of.retry_set_aside && of.shard.is_none());
            }
        }
    }

    /// In the order of their names, whatever the order in which they are asked for; a name is whole, and of a file.
    #[test]
    fn files_are_those_that_are_named() {
        let folder = tempfile::TempDir::new().unwrap();
        for name in ["m.toml", "b.toml", "z.toml", "b-2.toml", "b.txt", "toml", "a.toml", "k.toml"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let of = |only: &[&str]| {
            let only: Vec<String> = only.iter().map(|&name| name.to_owned()).collect();
            let found = named(files(folder.path()).unwrap(), &only)?.into_iter();
            let name = |path: PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
            Ok::<_, String>(found.map(name).collect::<Vec<_>>().join(" "))
        };
        let some = |names: &str| Ok(names.to_owned());
        assert_eq!(of(&[]), some("a.toml b-2.toml b.toml k.toml m.toml z.toml"));
        assert_eq!(of(&["z", "b"]), some("b.toml z.toml"));
        assert_eq!(of(&["z", "a", "m"]), some("a.toml m.toml z.toml"));
        // One that is there does not excuse one that is not.
        let message = "--only b-3: there is no file b-3.toml\nhelp: did you mean `b-2`?";
        assert_eq!(of(&["a", "b-3"]), Err(message.to_owned()));
        assert!(files(&folder.path().join("none")).is_err());
    }
}
