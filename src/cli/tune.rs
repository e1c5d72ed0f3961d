use super::run::{default_folder, output_failure, run_failure};
use super::signals::stop_flag;
use super::{CommandFailure, CommandResult, Exit, warn};
use crate::analysis::caveats::before;
use crate::analysis::caveats::leading::Misleading;
use crate::analysis::questions::race::{Contest, RaceStage, Round, Tuned, tune};
use crate::analysis::questions::screen::Screened;
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
  ttlab tune experiments/engines/tune-stockfish.toml   another engine's own options, by the nodes that it needs to a depth
  ttlab run experiments/tune-aging.toml                the full grid instead, to compare

Any experiment file can be tuned; [tune] says how (docs/tuning.md). All variants are searched on a
few items of the suite; those that are clearly worse than the best are dropped; the others go on to twice as many. The
winner is then tested against the baseline on held-out items, there and at other sizes of the table: only that test
is a finding. Counts decide, never times, so that the answer is the same on every machine.

A tuning that was stopped or killed continues where it was when it is given again.
Exit: 0 done, 2 usage or a bad file, 3 a job failed, 5 input/output, 75 interrupted (the same command continues).")]
pub struct Args {
    /// The experiment file
    file: PathBuf,
    /// Jobs at a time [default: the processors]
    #[arg(short, long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Where the results go [default: reports/<name>]
    #[arg(short, long)]
    out: Option<PathBuf>,
    /// Lay a value over every variant: path=value (may be repeated)
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
    /// Throw away results that are there
    #[arg(long)]
    fresh: bool,
    /// Run the jobs again that failed
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
    let decides = metric(&options.metric, &plan)?;
    measurable(experiment, &decides)?;
    if decides.columns().contains(&columns::SAVED) {
        refuse!(
            "tune.metric: what cutoffs are worth never decides alone: it is blind to lost moves: expected nodes to a depth"
        );
    }
    if !args.quiet {
        let manifest = runner::manifest(experiment, &plan, jobs, None);
        let manifest = Manifest { subjects: engines.examined(&plan), ..manifest };
        warn(Misleading::of_manifest(&manifest).filter(|_| decides.is_nodes()).map(|found| found.sentence()));
        engines.describe(&plan).iter().for_each(|line| eprintln!("engine {line}"));
        warn(engines.loose(&plan));
        warn(before::warnings(experiment, &plan, 1, None));
        warn(one_seed(experiment));
    }
    // The folder's lock is held for the whole tuning; each stage holds its own.
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
        Box::new(progress::Talk::default())
    };
    let mut runs = Runs {
        experiments: &experiments,
        folder: folder.clone(),
        settings: Settings {
            jobs,
            retry_failed: args.retry_failed,
            retry_set_aside: args.retry_failed,
            any_build: args.any_build,
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
    let tuned = match tune(&question, &mut runs, &mut describe) {
        Ok(tuned) => tuned,
        Err(error) => return super::confirm::ended(error),
    };
    let outcome = TuneOutcome {
        experiment,
        tune: &options,
        varying: &plan.varying(),
        pressures: &pressures,
        tuned: &tuned,
        warnings: [engines.loose(&plan), one_seed(experiment), blind(&folder, &pressures[..tuned.held.len()])?]
            .concat(),
        provenance: origins(&runner::manifest(experiment, &plan, jobs, None), &options, engines.describe(&plan)),
    };
    let findings = outcome.write(&folder).map_err(CommandFailure::io)?;
    if !args.quiet {
        findings.iter().for_each(|finding| println!("{finding}"));
        println!("report: {}", folder.join("report.html").display());
    }
    let settings = Settings { jobs, retry_failed: args.retry_failed, any_build: args.any_build, ..Settings::default() };
    super::confirm::play(experiment, &raced(experiment, &tuned), (&folder, &settings), &stop, args.quiet)
}

/// What a race leaves: the winner, whoever was never dropped, and the baseline.
fn raced(experiment: &Experiment, tuned: &Tuned) -> Screened {
    let is_dropped =
        |at: usize| at != experiment.baseline && tuned.rounds.iter().any(|round| round.dropped.contains(&at));
    let (dropped, left): (Vec<usize>, Vec<usize>) = (0..experiment.variants.len()).partition(|&at| is_dropped(at));
    let names = |places: Vec<usize>| places.into_iter().map(|at| experiment.variants[at].name.clone()).collect();
    Screened { best: experiment.variants[tuned.winner].name.clone(), left: names(left), dropped: names(dropped) }
}

/// The experiment as its file has it and at each other pressure, each once, with the pressures' names.
pub(super) fn at_pressures(
    file: &Path,
    sets: &[String],
    experiment: Experiment,
) -> Result<(Vec<Experiment>, Vec<String>), CommandFailure> {
    let tune = experiment.file.tune.clone().unwrap_or_default();
    let base = &experiment.variants[experiment.baseline];
    let table = &base.options.table;
    // Where sizes are what is raced, or engines whose sizes are no like, there is no other size to try, and none that all have.
    let one_size = experiment.variants.iter().all(|point| {
        point.options.table.size == table.size
            && hash(point) == hash(base)
            && point.external().is_some() == base.external().is_some()
    });
    let (own, sizes) = match hash(base) {
        Some((name, size)) if one_size => {
            let others = [size / 4, size.saturating_mul(4)].into_iter().filter(|&size| size > 0);
            (format!("uci.{name} = {size}"), others.map(|size| format!("uci.{name}={size}")).collect())
        }
        None if one_size && base.external().is_none() && table.kind == TableKind::Bounded => {
            (format!("table.size = {}", table.size), neighbours(table.size).to_vec())
        }
        _ => ("as the file has it".to_owned(), Vec::new()),
    };
    let others: Vec<Vec<String>> = match tune.pressures.is_empty() {
        true => sizes.into_iter().map(|size| vec![size]).collect(),
        false => tune.pressures.iter().map(pressure_sets).collect(),
    };
    let (mut experiments, mut names) = (vec![experiment], vec![own]);
    for other in others {
        let all: Vec<String> = sets.iter().chain(&other).cloned().collect();
        let there = Experiment::load(file, &all).map_err(|problem| match other.contains(&problem.text) {
            // What a pressure sets stands in the file.
            true => CommandFailure::usage(Problem { file: format!("{} [tune] pressures", file.display()), ..problem }),
            false => CommandFailure::usage(format!("{problem}\nat the pressure {}", other.join(", "))),
        })?;
        // One that is the file's own or another's would be searched twice, and tested as if that were two.
        let id = Plan::new(&there).id();
        if experiments.iter().all(|known| Plan::new(known).id() != id) {
            names.push(other.join(", ").replace('=', " = ").replace('"', ""));
            experiments.push(there);
        }
    }
    Ok((experiments, names))
}

/// The option for the memory of an engine that is not ours, where the file sets it: its name there, and MiB.
fn hash(point: &Variant) -> Option<(&str, i64)> {
    options::hash(&point.external()?.options)
}

/// Finds, asks and tries the engines that are not ours, at every pressure, before the race: those that no file asked for are left out where
/// the engine does not take them. None if the run is to end.
fn engines(
    experiments: &mut Vec<Experiment>,
    pressures: &mut Vec<String>,
    jobs: usize,
    stop: &AtomicBool,
) -> Result<Option<Subjects>, CommandFailure> {
    let asked = experiments[0].file.tune.as_ref().is_some_and(|tune| !tune.pressures.is_empty());
    let prepare = |experiment: &Experiment| Subjects::prepare(experiment, &Plan::new(experiment), jobs, stop);
    let first = match prepare(&experiments[0]) {
        Err(runner::RunError::Interrupted) => return Ok(None),
        first => first.map_err(run_failure)?,
    };
    for at in (1..experiments.len()).rev() {
        match prepare(&experiments[at]) {
            Ok(_) => {}
            Err(runner::RunError::Interrupted) => return Ok(None),
            Err(runner::RunError::Subject(_) | runner::RunError::Memory(_)) if !asked => {
                experiments.remove(at);
                pressures.remove(at);
            }
            Err(error) => {
                let CommandFailure { exit, message } = run_failure(error);
                return Err(CommandFailure::of(exit, format_args!("{message}\nat the pressure {}", pressures[at])));
            }
        }
    }
    Ok(Some(first))
}

/// The metric that decides, as rows of the plan will have it.
fn metric(name: &str, plan: &Plan) -> Result<Metric, CommandFailure> {
    if name == "loss" {
        refuse!(
            "tune.metric: the loss of moves is a difference, and races are decided by ratios: expected nodes to a depth; `ttlab run` judges moves with a \
             [reference]"
        );
    }
    if name == columns::SCORE_ERROR {
        refuse!(
            "tune.metric: score errors are judged after a run: expected nodes to a depth; `ttlab run` judges scores with [reference] self"
        );
    }
    let header = crate::record::header(&plan.varying(), plan.extra_columns()).join(",") + "\n";
    let empty = Frame::parse(header.as_bytes(), "results.csv").map_err(CommandFailure::io)?;
    crate::tune::find_metric(name, &empty).map_err(|error| CommandFailure::usage(format!("tune.metric: {error}")))
}

/// Refuses what is the same for every candidate by the file's own doing.
fn measurable(experiment: &Experiment, metric: &Metric) -> Result<(), CommandFailure> {
    let external = experiment.variants.iter().find_map(|point| Some((point, point.external()?)));
    let describe = |column: &&str| columns::role(column) != Role::Sum || *column == columns::NODES;
    if let (Some((point, subject)), Some(column)) =
        (external, metric.columns().into_iter().find(|column| !describe(column)))
    {
        refuse!(
            "tune.metric: {} is made of {column}, which {} (\"{}\") does not tell: expected nodes",
            metric.name,
            subject.uci,
            point.name
        );
    }
    let by_nodes = |point: &Variant| point.limit.nodes.is_some() && point.limit.depth.is_none();
    if metric.columns() == [columns::NODES] && experiment.variants.iter().all(by_nodes) {
        refuse!(
            "tune.metric: nodes are what limit.nodes gives to every candidate: race them to a depth (limit.depth); how good their moves are at so \
             many nodes is judged by `ttlab run` with a [reference]"
        );
    }
    Ok(())
}

/// A quarter of a size and four times it, as settings.
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

/// Leaves out the items of which nothing is searched, as games that are shorter than the plies that are wanted: a round that draws them
/// would show nothing, and be counted.
fn leave_out_idle(experiment: &mut Experiment) {
    let mut items = std::mem::take(&mut experiment.suite.items);
    items.retain(|item| experiment.is_searched(item));
    experiment.suite.items = items;
}

/// What a race does not heed.
fn one_seed(experiment: &Experiment) -> Vec<String> {
    let seeds = experiment.file.seeds;
    let describe =
        format!("seeds = {seeds}: a race is under the file's own key seed alone; `ttlab run` searches under all");
    if seeds > 1 { vec![describe] } else { Vec::new() }
}

fn check(experiment: &Experiment) -> Result<(), CommandFailure> {
    let file = &experiment.name;
    if experiment.variants.len() < 2 {
        refuse!("{file}: one variant alone cannot race: give a [grid] or [[variant]]s");
    }
    let items = experiment.suite.items.len();
    if items < 4 {
        refuse!("{file}: {items} items are too few to race on some and confirm on others: expected 4 or more");
    }
    let kept = |point: &Variant| [point.options.table.clear, point.options.history_clear].contains(&Clear::Never);
    if experiment.variants.iter().any(kept) {
        refuse!(
            "{file}: table.clear = \"never\" makes every item depend on those before it: tuning draws items at random; use \
             \"game\" and a [sequence]"
        );
    }
    Ok(())
}

fn name(stage: RaceStage, pressures: &[String]) -> String {
    match stage {
        RaceStage::Race(round) => format!("race, round {}", round + 1),
        RaceStage::Held(pressure) => format!("held out, {}", pressures[pressure]),
    }
}

/// Throws away the results of the stages that are there.
fn clear(folder: &Path, pressures: usize) -> Result<(), CommandFailure> {
    let stages = (0..64).map(RaceStage::Race).chain((0..pressures).map(RaceStage::Held));
    for stage in stages.map(|stage| folder.join(stage.folder())).filter(|stage| stage.is_dir()) {
        Output::open(&stage).and_then(|output| output.clear()).map_err(output_failure)?;
    }
    Ok(())
}

/// What the pages of the pressures at which the winner was tried warn of.
fn blind(folder: &Path, pressures: &[String]) -> Result<Vec<String>, CommandFailure> {
    let mut warnings = Vec::new();
    for (at, pressure) in pressures.iter().enumerate() {
        let page = report::read(&folder.join(RaceStage::Held(at).folder())).map_err(CommandFailure::io)?;
        warnings.extend(page.undetectable.iter().map(|blind| format!("{pressure}: {blind}")));
    }
    Ok(warnings)
}

/// How the answer was come by.
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
