use super::folder::{default_folder, output_failure, run_failure};
use super::progress::ConsoleProgress;
use super::signals::stop_flag;
use super::{CommandFailure, CommandResult, Exit, warn};
use crate::analysis::caveats::misleading::Misleading;
use crate::analysis::caveats::preflight;
use crate::analysis::questions::race::{Contest, RaceResult, RaceStage, Round, run_race};
use crate::analysis::questions::screen::ScreenResult;
use crate::analysis::{Frame, Metric};
use crate::experiment::tune::to_settings as pressure_sets;
use crate::experiment::{Experiment, Plan, Problem, Tune, Variant};
use crate::record::columns::{self, Role};
use crate::record::manifest::Manifest;
use crate::report::{self, tune_page::TuneOutcome};
use crate::runner::{self, Output, Settings, Subjects, progress};
use crate::subject::options;
use crate::table::TableKind;
use crate::table::options::{Clear, Size};
use crate::text::plural;
use crate::tune::Runs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// Find the best variant, and confirm it on unseen positions
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ttlab tune experiments/tune-aging.toml               race its variants; results in reports/tune-aging/
  ttlab tune experiments/tune-aging.toml --set limit.depth=4
  ttlab tune experiments/engines/tune-stockfish.toml   another engine's options, by its nodes to a depth
  ttlab run experiments/tune-aging.toml                the full grid instead, to compare

Any experiment file can be tuned; [tune] says how (docs/tuning.md). All variants are searched on a
few items of the suite; those that are clearly worse than the best are dropped; the others go on to twice as many. The
winner is then tested against the baseline on held-out items, there and at other sizes of the table: only that test
supports a claim. Counts decide, never times, so the result is the same on every machine.

Run the same command again to resume an interrupted tuning.
Exit: 0 done, 2 usage or a bad file, 3 a job failed, 5 input/output, 75 interrupted (can be resumed).")]
pub struct Args {
    /// The experiment file
    file: PathBuf,
    /// Parallel jobs [default: the processors]
    #[arg(short, long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Folder of the results [default: reports/<name>]
    #[arg(short, long)]
    out: Option<PathBuf>,
    /// Override an option in every variant: path=value (may be repeated)
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
    /// Take rows that are known from these results folders, without their times: a folder or a
    /// pattern as 'runs/*' (may be repeated)
    #[arg(long, value_name = "FOLDER")]
    reuse: Vec<String>,
    /// Delete existing results first
    #[arg(long)]
    fresh: bool,
    /// Run failed jobs again
    #[arg(long)]
    retry_failed: bool,
    /// Continue results that another build of ttlab wrote
    #[arg(long)]
    any_build: bool,
    /// No progress and no summary
    #[arg(short, long)]
    quiet: bool,
}

pub fn run(args: &Args) -> CommandResult {
    let experiment = Experiment::load(&args.file, &args.sets).map_err(CommandFailure::usage)?;
    let stop = stop_flag()?;
    let options = experiment.file.tune.clone().unwrap_or_default();
    let (mut experiments, mut pressures) = at_pressures(&args.file, &args.sets, experiment)?;
    experiments.iter_mut().for_each(leave_out_idle);
    check(&experiments[0])?;
    let jobs = args.jobs.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from);
    let Some(engines) = engines(&mut experiments, &mut pressures, jobs, &stop)? else { return Ok(Exit::Interrupted) };
    let experiment = &experiments[0];
    let folder = args.out.clone().unwrap_or_else(|| default_folder(experiment));
    let plan = Plan::new(experiment);
    let metric = find_metric(&options.metric, &plan)?;
    check_metric(experiment, &metric)?;
    if metric.columns().contains(&columns::SAVED) {
        refuse!(
            "tune.metric: worth of cutoffs cannot be the only criterion, because it does not show lost moves: use nodes to a depth"
        );
    }
    if !args.quiet {
        let manifest = runner::manifest(experiment, &plan, jobs, None);
        let manifest = Manifest { subjects: engines.engine_infos(&plan), ..manifest };
        warn(Misleading::from_manifest(&manifest).filter(|_| metric.is_nodes()).map(|found| found.sentence()));
        engines.describe(&plan).iter().for_each(|line| eprintln!("engine {line}"));
        warn(engines.repeatability_warnings(&plan));
        warn(preflight::plan_warnings(experiment, &plan, 1, None));
        warn(seed_warning(experiment));
    }
    // The folder is locked for the whole tuning; each stage locks its own.
    let output = Output::open(&folder).map_err(output_failure)?;
    if args.fresh {
        clear(&folder, pressures.len())?;
    }
    output.write_experiment(experiment).map_err(output_failure)?;
    let mut begin_stage = |stage: RaceStage, candidates: usize, items: usize| -> Box<dyn progress::Progress> {
        if args.quiet {
            return Box::new(progress::Quiet);
        }
        eprintln!("{}: {} on {}", name(stage, &pressures), plural(candidates, "candidate"), plural(items, "item"));
        Box::new(ConsoleProgress::default())
    };
    let mut runs = Runs {
        experiments: &experiments,
        folder: folder.clone(),
        settings: Settings {
            jobs,
            retry_failed: args.retry_failed,
            retry_quarantined: args.retry_failed,
            any_build: args.any_build,
            reuse: args.reuse.clone(),
            ..Settings::default()
        },
        stop: &stop,
        begin_stage: &mut begin_stage,
    };
    let question = Contest {
        candidates: experiment.variants.len(),
        baseline: experiment.baseline,
        items: experiment.suite.items.len(),
        pressures: pressures.len() - 1,
        tune: &options,
    };
    let mut describe = |round: &Round| {
        if !args.quiet {
            let dropped: Vec<&str> = round.dropped.iter().map(|&who| experiment.variants[who].name.as_str()).collect();
            let dropped = if dropped.is_empty() { "none".to_owned() } else { dropped.join("; ") };
            eprintln!("  best: {}; dropped: {dropped}", experiment.variants[round.best].name);
        }
    };
    let tuned = match run_race(&question, &mut runs, &mut describe) {
        Ok(tuned) => tuned,
        Err(error) => return super::confirm::stage_failure(error),
    };
    let outcome = TuneOutcome {
        experiment,
        tune: &options,
        varying: &plan.varying(),
        pressures: &pressures,
        tuned: &tuned,
        warnings: [
            engines.repeatability_warnings(&plan),
            seed_warning(experiment),
            held_out_warnings(&folder, &pressures[..tuned.held_out_results.len()])?,
        ]
        .concat(),
        provenance: origins(&runner::manifest(experiment, &plan, jobs, None), &options, engines.describe(&plan)),
    };
    let findings = outcome.write(&folder).map_err(CommandFailure::io)?;
    if !args.quiet {
        findings.iter().for_each(|finding| println!("{finding}"));
        println!("report: {}", folder.join("report.html").display());
    }
    let settings = Settings {
        jobs,
        retry_failed: args.retry_failed,
        any_build: args.any_build,
        reuse: args.reuse.clone(),
        ..Settings::default()
    };
    super::confirm::play(experiment, &raced(experiment, &tuned), (&folder, &settings), &stop, args.quiet)
}

/// The variants after a race: the winner, those that were never dropped, and the baseline.
fn raced(experiment: &Experiment, tuned: &RaceResult) -> ScreenResult {
    let is_dropped =
        |at: usize| at != experiment.baseline && tuned.rounds.iter().any(|round| round.dropped.contains(&at));
    let (dropped, left): (Vec<usize>, Vec<usize>) = (0..experiment.variants.len()).partition(|&at| is_dropped(at));
    let names = |places: Vec<usize>| places.into_iter().map(|at| experiment.variants[at].name.clone()).collect();
    ScreenResult {
        best: experiment.variants[tuned.winner].name.clone(),
        remaining: names(left),
        dropped: names(dropped),
    }
}

/// The experiment of the file and at each other table pressure, without duplicates, with the
/// pressures' names.
pub(super) fn at_pressures(
    file: &Path,
    sets: &[String],
    experiment: Experiment,
) -> Result<(Vec<Experiment>, Vec<String>), CommandFailure> {
    let tune = experiment.file.tune.clone().unwrap_or_default();
    let base = &experiment.variants[experiment.baseline];
    let table = &base.options.table;
    // If the variants differ in size, or their engines' sizes are not comparable, there is no other
    // size to try.
    let one_size = experiment.variants.iter().all(|variant| {
        variant.options.table.size == table.size
            && hash(variant) == hash(base)
            && variant.external().is_some() == base.external().is_some()
    });
    let (own, sizes) = match hash(base) {
        Some((name, size)) if one_size => {
            let others = [size / 4, size.saturating_mul(4)].into_iter().filter(|&size| size > 0);
            (format!("uci.{name} = {size}"), others.map(|size| format!("uci.{name}={size}")).collect())
        }
        None if one_size && base.external().is_none() && table.kind == TableKind::Bounded => {
            (format!("table.size = {}", table.size), neighbours(table.size).to_vec())
        }
        _ => ("as in the file".to_owned(), Vec::new()),
    };
    let others: Vec<Vec<String>> = match tune.pressures.is_empty() {
        true => sizes.into_iter().map(|size| vec![size]).collect(),
        false => tune.pressures.iter().map(pressure_sets).collect(),
    };
    let (mut experiments, mut names) = (vec![experiment], vec![own]);
    for other in others {
        let all: Vec<String> = sets.iter().chain(&other).cloned().collect();
        let variant = Experiment::load(file, &all).map_err(|problem| match other.contains(&problem.text) {
            // The values of a pressure come from the file.
            true => CommandFailure::usage(Problem { file: format!("{} [tune] pressures", file.display()), ..problem }),
            false => CommandFailure::usage(format!("{problem}\nat the pressure {}", other.join(", "))),
        })?;
        // A duplicate would be searched twice, and tested as if it were two.
        let id = Plan::new(&variant).id();
        if experiments.iter().all(|known| Plan::new(known).id() != id) {
            names.push(other.join(", ").replace('=', " = ").replace('"', ""));
            experiments.push(variant);
        }
    }
    Ok((experiments, names))
}

/// The external engine's memory option, if the file sets it: its name and MiB.
fn hash(variant: &Variant) -> Option<(&str, i64)> {
    options::hash_size(&variant.external()?.options)
}

/// Finds, identifies and tests the external engines at every pressure before the race. Default
/// pressures that an engine does not accept are left out. `None` if interrupted.
fn engines(
    experiments: &mut Vec<Experiment>,
    pressures: &mut Vec<String>,
    jobs: usize,
    stop: &AtomicBool,
) -> Result<Option<Subjects>, CommandFailure> {
    let is_explicit = experiments[0].file.tune.as_ref().is_some_and(|tune| !tune.pressures.is_empty());
    let prepare = |experiment: &Experiment| Subjects::prepare(experiment, &Plan::new(experiment), jobs, stop);
    let first = match prepare(&experiments[0]) {
        Err(runner::RunError::Interrupted) => return Ok(None),
        first => first.map_err(run_failure)?,
    };
    for at in (1..experiments.len()).rev() {
        match prepare(&experiments[at]) {
            Ok(_) => {}
            Err(runner::RunError::Interrupted) => return Ok(None),
            Err(runner::RunError::Subject(_) | runner::RunError::Memory(_)) if !is_explicit => {
                experiments.remove(at);
                pressures.remove(at);
            }
            Err(error) => {
                let CommandFailure { exit, message } = run_failure(error);
                return Err(CommandFailure::new(exit, format_args!("{message}\nat the pressure {}", pressures[at])));
            }
        }
    }
    Ok(Some(first))
}

/// Finds the metric that decides, in the columns of the plan's results.
fn find_metric(name: &str, plan: &Plan) -> Result<Metric, CommandFailure> {
    if name == "loss" {
        refuse!(
            "tune.metric: races compare ratios, but the loss of moves is a difference: use nodes to a depth; `ttlab run` judges moves \
             with a [reference]"
        );
    }
    if name == columns::SCORE_ERROR {
        refuse!(
            "tune.metric: score errors are known only after a run: use nodes to a depth; `ttlab run` judges scores with [reference] self"
        );
    }
    let header = crate::record::header(&plan.varying(), plan.extra_columns()).join(",") + "\n";
    let empty = Frame::parse(header.as_bytes(), "results.csv").map_err(CommandFailure::io)?;
    crate::tune::find_metric(name, &empty).map_err(|error| CommandFailure::usage(format!("tune.metric: {error}")))
}

/// Refuses a metric that an external engine does not report, or that the limit makes equal for
/// every candidate.
fn check_metric(experiment: &Experiment, metric: &Metric) -> Result<(), CommandFailure> {
    let external = experiment.variants.iter().find_map(|variant| Some((variant, variant.external()?)));
    let is_reported = |column: &&str| columns::role(column) != Role::Sum || *column == columns::NODES;
    if let (Some((variant, subject)), Some(column)) =
        (external, metric.columns().into_iter().find(|column| !is_reported(column)))
    {
        refuse!(
            "tune.metric: {} needs {column}, which {} (\"{}\") does not report: use nodes",
            metric.name,
            subject.uci,
            variant.name
        );
    }
    let by_nodes = |variant: &Variant| variant.limit.nodes.is_some() && variant.limit.depth.is_none();
    if metric.columns() == [columns::NODES] && experiment.variants.iter().all(by_nodes) {
        refuse!(
            "tune.metric: with limit.nodes every candidate searches the same nodes: set limit.depth instead; `ttlab run` with a \
             [reference] judges moves at fixed nodes"
        );
    }
    Ok(())
}

/// A quarter of a size and four times it, as `--set` values.
fn neighbours(size: Size) -> [String; 2] {
    let scaled = |times: f64| match size {
        Size::Bytes(bytes) => Size::Bytes((bytes as f64 * times) as u64),
        Size::Entries(entries) => Size::Entries(((entries as f64 * times) as u64).max(1)),
        Size::Share(share) => Size::Share(share * times),
    };
    [0.25, 4.0].map(|times| match scaled(times) {
        Size::Entries(entries) => format!("table.size={entries}"),
        other => format!("table.size=\"{other}\""),
    })
}

/// Removes items without searches, such as games that are shorter than the selected plies: a round
/// that draws them would show nothing.
fn leave_out_idle(experiment: &mut Experiment) {
    let mut items = std::mem::take(&mut experiment.suite.items);
    items.retain(|item| experiment.is_searched(item));
    experiment.suite.items = items;
}

/// A warning if the file has several key seeds, because a race uses only one.
fn seed_warning(experiment: &Experiment) -> Vec<String> {
    let seeds = experiment.file.seeds;
    let warning = format!("seeds = {seeds}: a race uses only the file's key seed; `ttlab run` uses all");
    if seeds > 1 { vec![warning] } else { Vec::new() }
}

fn check(experiment: &Experiment) -> Result<(), CommandFailure> {
    let file = &experiment.name;
    if experiment.variants.len() < 2 {
        refuse!("{file}: a race needs at least two variants: add a [grid] or [[variant]]s");
    }
    let items = experiment.suite.items.len();
    if items < 4 {
        refuse!("{file}: {items} items are too few: a race and its confirmation need at least 4");
    }
    let is_kept =
        |variant: &Variant| [variant.options.table.clear, variant.options.history_clear].contains(&Clear::Never);
    if experiment.variants.iter().any(is_kept) {
        refuse!(
            "{file}: table.clear = \"never\" makes every item depend on earlier ones, but tuning draws items at random: use \"game\" \
             and a [sequence]"
        );
    }
    Ok(())
}

fn name(stage: RaceStage, pressures: &[String]) -> String {
    match stage {
        RaceStage::Race(round) => format!("race, round {}", round + 1),
        RaceStage::HeldOut(pressure) => format!("held out, {}", pressures[pressure]),
    }
}

/// Deletes the results of all stages.
fn clear(folder: &Path, pressures: usize) -> Result<(), CommandFailure> {
    let stages = (0..64).map(RaceStage::Race).chain((0..pressures).map(RaceStage::HeldOut));
    for stage in stages.map(|stage| folder.join(stage.folder())).filter(|stage| stage.is_dir()) {
        Output::open(&stage).and_then(|output| output.clear()).map_err(output_failure)?;
    }
    Ok(())
}

/// The warnings on the held-out pages of the pressures.
fn held_out_warnings(folder: &Path, pressures: &[String]) -> Result<Vec<String>, CommandFailure> {
    let mut warnings = Vec::new();
    for (at, pressure) in pressures.iter().enumerate() {
        let page = report::Page::read(&folder.join(RaceStage::HeldOut(at).folder())).map_err(CommandFailure::io)?;
        warnings.extend(page.undetectable.iter().map(|blind| format!("{pressure}: {blind}")));
    }
    Ok(warnings)
}

/// What the result is based on: suite, plan, build and engines.
fn origins(manifest: &Manifest, tune: &Tune, engines: Vec<String>) -> Vec<String> {
    let Manifest { suite, items, variants, plan, build, .. } = manifest;
    let searched = format!(
        "suite {suite}, {items} items; {} candidates; plan {plan}; `ttlab tune`, seed {}, alpha {}",
        variants.len(),
        tune.seed,
        tune.alpha
    );
    let built = format!("ttlab {} ({}, {})", build.version, build.commit, build.profile);
    let engines = engines.into_iter().map(|line| format!("engine {line}"));
    [searched, built].into_iter().chain(engines).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
