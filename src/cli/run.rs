use super::args::{FileArgs, RunArgs};
use super::folder::{command_line, run_failure};
use super::judge::judge;
use super::progress::ConsoleProgress;
use super::signals::stop_flag;
use super::{CommandFailure, CommandResult, Exit, warn};
use crate::analysis::caveats::preflight;
use crate::experiment::{Experiment, Plan};
use crate::runner::{self, Session, Settings, progress};
use std::path::PathBuf;

mod finish;
mod load;
mod messages;

use finish::finish;
use load::load;
use messages::{failure_with_repair, inconclusive_message, resume_hint};

/// Run an experiment, or resume it, and write its report
#[derive(Default, clap::Args)]
#[command(after_help = include_str!("help/run.txt"))]
pub struct Args {
    /// The experiment file to run
    #[arg(required_unless_present = "plan")]
    file: Option<PathBuf>,
    /// Run a shard of this plan (`ttlab plan FILE --shards N -o plan.json`)
    #[arg(long, requires = "shard", conflicts_with_all = ["file", "overrides"])]
    plan: Option<PathBuf>,
    /// The shard of the plan, from 0
    #[arg(long, requires = "plan")]
    shard: Option<u64>,
    /// Parallel jobs [default: the processors, or fewer if memory is short, or 1 if the experiment
    /// asks for times]
    #[arg(short, long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Folder of the results [default: reports/<name>; of a shard: its folder shards/N]
    #[arg(short, long)]
    out: Option<PathBuf>,
    #[command(flatten)]
    changes: FileArgs,
    #[command(flatten)]
    run: RunArgs,
    /// Exit with 1 if an [[expect]] is not met
    #[arg(long)]
    check: bool,
    /// Refuse an experiment that cannot show what it varies (exit code 2), and exit with 1 if its
    /// results do not show it
    #[arg(long)]
    strict: bool,
    /// Drop damaged or edited rows, and run their jobs again
    #[arg(long)]
    repair: bool,
    /// Run without a lock, on file systems without locks: nothing else may write to the folder
    #[arg(long)]
    no_lock: bool,
}

/// Runs an experiment file as `ttlab run FILE --out FOLDER` does.
pub(super) fn run_file(file: PathBuf, folder: PathBuf) -> CommandResult {
    run(&Args { file: Some(file), out: Some(folder), ..Args::default() })
}

pub fn run(args: &Args) -> CommandResult {
    // The experiment file may be a pipe. While it is read, a signal ends the program at once.
    let (experiment, plan, shard, folder) = load(args)?;
    // From here on, a signal only sets the flag, so that the run ends in an orderly way.
    let stop = stop_flag()?;
    let default_jobs = || runner::jobs_that_fit(&plan, Settings::default_jobs(&experiment));
    let jobs = args.jobs.map_or_else(default_jobs, usize::from);
    warn_before_run(&experiment, &plan, args)?;
    let settings = Settings {
        fresh: args.run.reuse.fresh,
        repair: args.repair,
        no_lock: args.no_lock,
        shard,
        ..args.run.settings(jobs)
    };
    let is_first_run = !folder.join(crate::record::RESULTS).exists();
    let session = Session::begin(&experiment, &plan, &folder, settings, &stop).map_err(failure_with_repair)?;
    // Judgements that do not belong to the new rows are removed, so that no page shows them.
    runner::reference::prune(&experiment, &session.subjects, &session.output.folder).map_err(run_failure)?;
    if !args.run.quiet {
        if session.has_other_plan {
            eprintln!("the plan has changed: its earlier results are in {}", folder.join("previous").display());
        }
        // Each line describes one of the engines that the plan searches with.
        session.subjects.describe(&plan).iter().for_each(|line| eprintln!("engine {line}"));
    }
    let expectation_warnings = session.subjects.expectation_warnings(&experiment, &plan);
    if args.check && !expectation_warnings.is_empty() {
        return Err(CommandFailure::new(Exit::Unequal, expectation_warnings.join("\n")));
    }
    warn(expectation_warnings);
    let progress: &dyn progress::Progress =
        if args.run.quiet { &progress::Quiet } else { &ConsoleProgress::new(plan.is_match()) };
    let summary = session.run(&stop, progress).map_err(failure_with_repair)?;
    if summary.interrupted {
        eprintln!("{}", resume_hint(&summary, &command_line()));
        return Ok(Exit::Interrupted);
    }
    if !judge(&experiment, &session, &stop, args.run.quiet)? {
        eprintln!("interrupted; to resume:\n  {}", command_line());
        return Ok(Exit::Interrupted);
    }
    let suggests_commands = is_first_run && !plan.is_match();
    finish(args, &experiment, &session, &summary, &stop, suggests_commands)
}

/// Warns about problems that make a conclusion impossible, unless the command is quiet. If
/// `--strict` is given, any warning is an error.
fn warn_before_run(experiment: &Experiment, plan: &Plan, args: &Args) -> Result<(), CommandFailure> {
    let caveats = preflight::plan_warnings(experiment, plan);
    let warnings: Vec<String> = caveats.all_warnings().cloned().collect();
    if args.strict && !warnings.is_empty() {
        return Err(CommandFailure::usage(inconclusive_message(&warnings)));
    }
    if !args.run.quiet {
        super::warn_about_skipped_items(experiment);
        warn(caveats.blocker_lines());
    }
    Ok(())
}

#[cfg(test)]
mod tests;
