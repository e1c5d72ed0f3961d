use super::args::RunArgs;
use super::folder::{default_folder, output_failure, run_failure};
use super::progress::ConsoleProgress;
use super::signals::stop_flag;
use super::{CommandFailure, CommandResult, Exit, warn};
use crate::analysis::caveats::misleading::Misleading;
use crate::analysis::caveats::preflight;
use crate::analysis::questions::race::{Contest, RaceStage, Round, run_race};
use crate::experiment::{Experiment, Plan};
use crate::report::Page;
use crate::report::confirm_page;
use crate::report::tune_page::TuneOutcome;
use crate::runner::{self, Output, Subjects, progress};
use crate::text::plural;
use crate::tune::{
    Runs, check_experiment, check_metric, find_metric, remove_items_without_searches, seed_warnings, summarize_race,
};
use std::path::PathBuf;

mod stages;

use stages::{clear_stages, stage_name};

/// Find the best variant, and confirm it on unseen positions
#[derive(clap::Args)]
#[command(after_help = include_str!("help/tune.txt"))]
pub struct Args {
    /// The experiment file, with a [tune] section
    file: PathBuf,
    /// Parallel jobs [default: the processors]
    #[arg(short, long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Folder of the results [default: reports/<name>]
    #[arg(short, long)]
    out: Option<PathBuf>,
    /// Override an option in every variant: path=value (may be repeated)
    #[arg(long = "set", value_name = "PATH=VALUE")]
    overrides: Vec<String>,
    #[command(flatten)]
    run: RunArgs,
}

pub fn run(args: &Args) -> CommandResult {
    let mut experiment = Experiment::load(&args.file, &args.overrides).map_err(CommandFailure::usage)?;
    let stop = stop_flag()?;
    let options = experiment.file.tune.clone().unwrap_or_default();
    remove_items_without_searches(&mut experiment);
    let experiment = &experiment;
    check_experiment(experiment).map_err(CommandFailure::usage)?;
    let jobs = args.jobs.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from);
    let plan = Plan::new(experiment);
    let engines = Subjects::prepare(experiment, &plan, jobs, &stop).map_err(run_failure)?;
    let folder = args.out.clone().unwrap_or_else(|| default_folder(experiment));
    let metric = find_metric(&options.metric, &plan).map_err(CommandFailure::usage)?;
    check_metric(experiment, &metric).map_err(CommandFailure::usage)?;
    let caveats = preflight::plan_warnings(experiment, &plan);
    if !args.run.quiet {
        let mut manifest = runner::manifest(experiment, &plan, jobs, None);
        manifest.run.subjects = engines.engine_infos(&plan);
        warn(
            Misleading::from_manifest(&manifest).filter(|_| metric.is_nodes()).map(|misleading| misleading.sentence()),
        );
        engines.describe(&plan).iter().for_each(|line| eprintln!("engine {line}"));
        warn(engines.repeatability_warnings(&plan));
        warn(caveats.blocker_lines());
        warn(seed_warnings(experiment));
    }
    // The folder of the tuning is locked until the tuning ends. Each stage also locks its own
    // folder.
    let output = Output::open(&folder).map_err(output_failure)?;
    if args.run.reuse.fresh {
        clear_stages(&folder)?;
    }
    output.write_experiment(experiment).map_err(output_failure)?;
    let mut begin_stage = |stage: RaceStage, candidates: usize, items: usize| -> Box<dyn progress::Progress> {
        if args.run.quiet {
            return Box::new(progress::Quiet);
        }
        eprintln!("{}: {} on {}", stage_name(stage), plural(candidates, "candidate"), plural(items, "item"));
        Box::new(ConsoleProgress::new(false))
    };
    let mut runs = Runs {
        experiment,
        folder: folder.clone(),
        settings: args.run.settings(jobs),
        stop: &stop,
        begin_stage: &mut begin_stage,
    };
    let contest = Contest {
        candidates: experiment.variants.len(),
        baseline: experiment.baseline,
        items: experiment.suite.items.len(),
        tune: &options,
    };
    let mut describe_round = |round: &Round| {
        if !args.run.quiet {
            let dropped_names: Vec<&str> =
                round.dropped.iter().map(|&candidate| experiment.variants[candidate].name.as_str()).collect();
            let dropped = if dropped_names.is_empty() { "none".to_owned() } else { dropped_names.join("; ") };
            eprintln!("  best: {}; dropped: {dropped}", experiment.variants[round.best].name);
        }
    };
    let race_result = match run_race(&contest, &mut runs, &mut describe_round) {
        Ok(result) => result,
        Err(error) => return super::confirm::stage_failure(error),
    };
    let last_stage = match race_result.held_out_result {
        None => RaceStage::Race(race_result.rounds.len() - 1),
        Some(_) => RaceStage::HeldOut,
    };
    let mut page = Page::read(&folder.join(last_stage.folder())).map_err(CommandFailure::io)?;
    TuneOutcome { experiment, tune: &options, race: &race_result }.add_to_page(&mut page);
    let screened = summarize_race(experiment, &race_result, &page.screen);
    let settings = args.run.settings(jobs);
    match super::confirm::play(experiment, &screened, (&folder, &settings), &stop, args.run.quiet)? {
        Err(exit) => return Ok(exit),
        Ok(games) if experiment.file.confirm.is_some() => {
            confirm_page::add_to_page(&mut page, &screened, games.as_ref());
        }
        Ok(_) => {}
    }
    super::terminal::report(&page, &folder, args.run.quiet)?;
    if !args.run.quiet {
        println!("report: {}", folder.join("report.html").display());
    }
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests;
