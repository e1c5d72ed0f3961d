use super::signals::stop_flag;
use super::{CommandFailure, CommandResult, Exit, warn};
use crate::analysis::caveats::before;
use crate::analysis::questions::screen;
use crate::experiment::{Experiment, Plan, PlanFile};
use crate::record::ResultsError;
use crate::record::manifest::{ManifestError, Shard};
use crate::runner::{self, OutputError, RunError, Session, Settings, progress};
use crate::text::plural;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Run an experiment, or resume it, and write its report
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ttlab run experiments/quick.toml                     run it; results in reports/quick/
  ttlab run experiments/quick.toml --jobs 4            the same counts, sooner
  ttlab run experiments/quick.toml --set limit.depth=5 another depth, for this once
  ttlab run experiments/published/move-selection.toml --check
                                                       exit 1 if a published figure is not met
  ttlab run --plan plan.json --shard 3                 one shard of a plan for many machines

A run that was stopped or killed continues where it was when it is given again.
Exit: 0 done, 1 an expectation failed (--check) or the results are blind (--strict), 2 usage or a bad file, 3 a job failed, 5 input/output,
75 interrupted (the same command continues).")]
pub struct Args {
    /// The experiment file
    #[arg(required_unless_present = "plan")]
    file: Option<PathBuf>,
    /// A plan of several shards instead (`ttlab plan FILE --shards N -o plan.json`)
    #[arg(long, requires = "shard", conflicts_with_all = ["file", "sets"])]
    plan: Option<PathBuf>,
    /// Which shard of the plan, from 0
    #[arg(long, requires = "plan")]
    shard: Option<u64>,
    /// Jobs at a time [default: the processors, fewer where memory is short, or 1 where the experiment repeats its searches
    /// for timing]
    #[arg(short, long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Where the results go [default: reports/<name>; of a shard: its folder shards/ and a number]
    #[arg(short, long)]
    out: Option<PathBuf>,
    /// Lay a value over every variant: path=value (may be repeated)
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
    /// Leave out what cannot be read of the suite or stands in it twice, and tell of it (as `on_error = "skip"` does)
    #[arg(long)]
    skip_bad: bool,
    /// Exit with 1 if an [[expect]] does not come out as wanted
    #[arg(long)]
    check: bool,
    /// Refuse (2) what cannot show what it varies, and exit with 1 if the results turn out not to show it
    #[arg(long)]
    strict: bool,
    /// Throw away results that are there
    #[arg(long)]
    fresh: bool,
    /// Run the jobs again that failed
    #[arg(long)]
    retry_failed: bool,
    /// Drop rows that were damaged or edited, and run their jobs again
    #[arg(long)]
    repair: bool,
    /// Continue results that another build of ttlab wrote
    #[arg(long)]
    any_build: bool,
    /// Do without a lock, on file systems that have none: nothing else may write to the folder
    #[arg(long)]
    no_lock: bool,
    /// No progress and no summary
    #[arg(short, long)]
    quiet: bool,
}

/// What is to be run: an experiment, or one shard of its plan, and where its results go.
fn what(args: &Args) -> Result<(Experiment, Plan, Option<Shard>, PathBuf), CommandFailure> {
    let results = |experiment: &Experiment| args.out.clone().unwrap_or_else(|| default_folder(experiment));
    // That a file conflicts with --plan makes clap forget that --shard needs one.
    if args.plan.is_none() && args.shard.is_some() {
        refuse!("--shard needs --plan: a shard is one of a plan (`ttlab plan FILE --shards N -o plan.json`)");
    }
    let (Some(path), Some(index)) = (&args.plan, args.shard) else {
        let (file, sets) = (args.file.as_deref().unwrap_or(Path::new("")), super::with_skip(&args.sets, args.skip_bad));
        let experiment = Experiment::load(file, &sets).map_err(CommandFailure::usage)?;
        let (plan, folder) = (Plan::new(&experiment), results(&experiment));
        return Ok((experiment, plan, None, folder));
    };
    let (PlanFile { shards: of, .. }, experiment, plan) = PlanFile::load(path).map_err(CommandFailure::usage)?;
    if index >= of {
        refuse!("--shard {index}: {} has {of} shards: expected 0 to {}", path.display(), of - 1);
    }
    let folder = shard_folder(&results(&experiment), index);
    Ok((experiment, plan, Some(Shard { index, of }), folder))
}

pub fn run(args: &Args) -> CommandResult {
    // A signal ends the reading, be it of a pipe that never ends; from here on it ends the run in order.
    let (experiment, plan, shard, folder) = what(args)?;
    let stop = stop_flag()?;
    let usual = || runner::jobs_that_fit(&plan, Settings::default_jobs(&experiment));
    let jobs = args.jobs.map_or_else(usual, usize::from);
    warn_before_run(&experiment, &plan, jobs, &folder, args)?;
    let settings = Settings {
        jobs,
        fresh: args.fresh,
        retry_failed: args.retry_failed,
        retry_set_aside: args.retry_failed,
        repair: args.repair,
        any_build: args.any_build,
        no_lock: args.no_lock,
        shard,
    };
    let session = Session::begin(&experiment, &plan, &folder, settings, &stop).map_err(run_failure)?;
    runner::reference::prune(&experiment, &session.subjects, &session.output.folder).map_err(run_failure)?;
    if !args.quiet {
        session.subjects.describe(&plan).iter().for_each(|line| eprintln!("engine {line}"));
    }
    let unfounded = session.subjects.unfounded(&experiment, &plan);
    if args.check && !unfounded.is_empty() {
        return Err(CommandFailure::of(Exit::Unequal, unfounded.join("\n")));
    }
    warn(unfounded);
    let progress: &dyn progress::Progress = if args.quiet { &progress::Quiet } else { &progress::Talk::default() };
    let ran = session.run(&stop, progress).map_err(repairable)?;
    if ran.interrupted {
        eprintln!("{}", resume_hint(&ran, &command_line()));
        return Ok(Exit::Interrupted);
    }
    if !judge(&experiment, &session, &stop, args.quiet)? {
        eprintln!("interrupted: to continue:\n  {}", command_line());
        return Ok(Exit::Interrupted);
    }
    let (mut exit, mut done) = (Exit::Done, format!("report: {}", folder.join("report.html").display()));
    let mut blind = Vec::new();
    if let Some(Shard { index, of }) = shard {
        done = format!("shard {index} of {of} is done: {}", folder.display());
    } else {
        let page = crate::report::read(&folder).map_err(CommandFailure::io)?;
        super::screen::report(&page, &folder, args.quiet)?;
        if args.check && page.count_failed() > 0 {
            exit = Exit::Gate;
        }
        blind = page.undetectable.clone();
        let confirm = experiment.file.confirm.as_ref().filter(|_| ran.failed == 0);
        if let Some(confirm) = confirm {
            let screened = screen::screen(&page.summary, page.nodes_mislead, confirm.margin, confirm.price);
            let settings = Settings { jobs, shard: None, ..session.settings.clone() };
            let played = super::confirm::play(&experiment, &screened, (&folder, &settings), &stop, args.quiet)?;
            if played != Exit::Done {
                return Ok(played);
            }
        }
    }
    if !args.quiet {
        println!("{done}");
    }
    if args.strict && !blind.is_empty() {
        eprintln!("--strict: {}", cannot_show(&blind));
        exit = Exit::Gate;
    }
    if ran.failed > 0 {
        eprintln!("{} failed: see the error column; --retry-failed runs what failed again", plural(ran.failed, "job"));
        exit = Exit::Failed;
    }
    Ok(exit)
}

/// Why an experiment is refused that is blind.
fn cannot_show(blind: &[String]) -> String {
    format!("this experiment cannot show what it varies:\n- {}", blind.join("\n- "))
}

/// Has the moves of a session's results judged by the experiment's reference, if it has one; false if that was stopped.
pub(super) fn judge(
    experiment: &Experiment,
    session: &Session<'_>,
    stop: &AtomicBool,
    quiet: bool,
) -> Result<bool, CommandFailure> {
    if let Some(moves) = experiment.file.reference.as_ref().map(|reference| reference.own_search.is_none())
        && !quiet
    {
        eprintln!("judging the {} by the reference", if moves { "moves" } else { "scores" });
    }
    let Session { settings, output, subjects, .. } = session;
    let judged = runner::reference::judge(experiment, subjects, &output.folder, settings.jobs, stop);
    Ok(judged.map_err(run_failure)?.is_some())
}

/// Tells what the experiment cannot show, or refuses it.
fn warn_before_run(
    experiment: &Experiment,
    plan: &Plan,
    jobs: usize,
    folder: &Path,
    args: &Args,
) -> Result<(), CommandFailure> {
    let earlier = earlier(args, folder);
    let blind = before::warnings(experiment, plan, jobs, earlier);
    if args.strict && !blind.is_empty() {
        return Err(CommandFailure::usage(cannot_show(&blind)));
    }
    if !args.quiet {
        super::tell_left_out(experiment);
        warn(blind);
        super::reach(experiment, earlier).iter().for_each(|reach| eprintln!("{reach}"));
    }
    Ok(())
}

/// Where the results of an experiment go by default.
pub(super) fn default_folder(experiment: &Experiment) -> PathBuf {
    PathBuf::from("reports").join(&experiment.name)
}

/// Where the results of a shard go, in the folder of the whole.
pub(super) fn shard_folder(results: &Path, index: u64) -> PathBuf {
    results.join("shards").join(index.to_string())
}

/// A failure, with the way out where lines were damaged.
fn repairable(error: RunError) -> CommandFailure {
    let help = match &error {
        RunError::Output(OutputError::Results { error: ResultsError::Damaged { .. }, .. }) => {
            "--repair drops such rows and runs their jobs again"
        }
        RunError::Output(OutputError::Results { error: ResultsError::OtherColumns(_), .. }) => {
            "where its first line alone was damaged, --repair writes it anew and keeps the rows that are of this plan"
        }
        _ => return run_failure(error),
    };
    let mut failure = run_failure(error);
    failure.message +=
        &format!("\nhelp: {help}; the file as it is is kept as results.csv.damaged-1 (or the next number)");
    failure
}

pub(super) fn run_failure(error: RunError) -> CommandFailure {
    let exit = match error {
        RunError::Output(error) => return output_failure(error),
        RunError::Memory(_) | RunError::Subject(_) => Exit::Usage,
        RunError::Interrupted => Exit::Interrupted,
        RunError::Write { .. } | RunError::Vanished(_) | RunError::Threads { .. } => Exit::Io,
    };
    CommandFailure::of(exit, error)
}

pub(super) fn output_failure(error: OutputError) -> CommandFailure {
    let exit = match &error {
        OutputError::Results { error: ResultsError::Io(_), .. } => Exit::Io,
        OutputError::Results { .. }
        | OutputError::Manifest(ManifestError::Json { .. } | ManifestError::Edited { .. }) => Exit::Usage,
        OutputError::Foreign(_) | OutputError::Locked(_) => Exit::Usage,
        OutputError::Io { .. } | OutputError::NoLocks { .. } | OutputError::Manifest(_) => Exit::Io,
    };
    CommandFailure::of(exit, error)
}

/// This command as it can be pasted.
pub(super) fn command_line() -> String {
    pasted(std::env::args_os().map(|word| word.to_string_lossy().into_owned()))
}

/// A command of these words as it can be pasted; what would start over is left out.
fn pasted(words: impl Iterator<Item = String>) -> String {
    let quote = |word: String| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
        if !word.is_empty() && word.chars().all(plain) { word } else { format!("'{}'", word.replace('\'', "'\\''")) }
    };
    words.filter(|word| word != "--fresh").map(quote).collect::<Vec<_>>().join(" ")
}

/// Where rows of an earlier run are looked for; nowhere where they are about to go.
fn earlier<'f>(args: &Args, folder: &'f Path) -> Option<&'f Path> {
    (!args.fresh).then_some(folder)
}

/// What is said of a run that was stopped: all that is done of it, and how it goes on.
fn resume_hint(ran: &runner::RunSummary, command: &str) -> String {
    format!("interrupted: {} done; to continue:\n  {command}", plural(ran.before + ran.done, "job"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::ResultsError;
    use crate::runner::{OutputError, RunError};

    #[test]
    fn a_command_can_be_pasted() {
        for (words, line) in [
            (
                &["ttlab", "run", "a.toml", "--fresh", "--set", "table.size=1"][..],
                "ttlab run a.toml --set table.size=1",
            ),
            (&["ttlab", "it's", "", "a b", "100%", "--fresher"], "ttlab 'it'\\''s' '' 'a b' 100% --fresher"),
            (&["ttlab", "$HOME", "a;b", "ü", "-x/.:,+@=_"], "ttlab '$HOME' 'a;b' 'ü' -x/.:,+@=_"),
        ] {
            assert_eq!(pasted(words.iter().map(|&word| word.to_owned())), line);
        }
    }

    /// Rows can be made again, and a header too; each failure ends with its own code.
    #[test]
    fn damaged_rows_have_a_way_out() {
        let path = || "results.csv".to_owned();
        let results = |error: ResultsError| RunError::from(OutputError::Results { path: path(), error });
        let damaged = |line: u64| repairable(results(ResultsError::Damaged { line, problem: "x".to_owned() }));
        let helped = [1, 2, 3].map(|line| damaged(line).message.contains("help: --repair"));
        assert_eq!((helped, damaged(2).exit), ([true; 3], Exit::Usage));
        let columns = repairable(results(ResultsError::OtherColumns("x".to_owned())));
        assert!(columns.message.contains("help: where its first line alone was damaged, --repair writes it anew"));
        let io = || std::io::Error::other("x");
        for (error, exit) in [
            (RunError::Memory("x".to_owned()), Exit::Usage),
            (RunError::Subject("x".to_owned()), Exit::Usage),
            (RunError::Interrupted, Exit::Interrupted),
            (RunError::Write { path: path(), error: io() }, Exit::Io),
            (results(ResultsError::Io(io())), Exit::Io),
            (OutputError::Locked("x".to_owned()).into(), Exit::Usage),
            (OutputError::Foreign("x".to_owned()).into(), Exit::Usage),
            (OutputError::Io { path: path(), error: io() }.into(), Exit::Io),
            (OutputError::NoLocks { path: path(), error: io() }.into(), Exit::Io),
        ] {
            let failure = repairable(error);
            assert!(failure.exit == exit && !failure.message.contains("--repair"), "{failure:?}");
        }
    }

    /// A run that was stopped twice has done what both stretches did.
    #[test]
    fn what_was_done_before_is_done() {
        let ran = runner::RunSummary { before: 7, done: 2, failed: 1, spared: 3, ..runner::RunSummary::default() };
        assert_eq!(resume_hint(&ran, "ttlab run x"), "interrupted: 9 jobs done; to continue:\n  ttlab run x");
    }

    #[test]
    fn what_is_about_to_go_is_not_looked_at() {
        use clap::{Args as _, FromArgMatches};
        for (words, looked_at) in [
            (&["run", "x.toml"][..], true),
            (&["run", "x.toml", "--fresh"], false),
            (&["run", "x.toml", "--repair"], true),
        ] {
            let found = Args::augment_args(clap::Command::new("run")).try_get_matches_from(words);
            let args = found.and_then(|found| Args::from_arg_matches(&found)).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(earlier(&args, Path::new("out")).is_some(), looked_at, "{words:?}");
        }
    }
}
