use super::folder::{default_folder, output_failure, run_failure};
use super::signals::stop_flag;
use super::{CommandFailure, CommandResult, Exit, warn};
use crate::analysis::caveats::preflight;
use crate::chess::suite::Item;
use crate::engine::Limit;
use crate::experiment::shards::MAX_SHARDS;
use crate::experiment::{Experiment, Plan, PlanFile, Subject, Variant};
use crate::record::manifest::Manifest;
use crate::record::{Jobs, RESULTS};
use crate::runner::{self, Subjects, estimate};
use crate::subject::options::hash_size;
use crate::submit::shell;
use crate::table::{Size, TableKind};
use crate::text::plural;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

/// Show what an experiment would run and what it would cost
///
/// If the file names external engines (`[subject]`, `[reference]`), their programs are started for
/// a few test searches: plan only files whose programs you would run. `ttlab check` starts nothing.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ttlab plan experiments/quick.toml           the variants, the jobs, the memory
  ttlab plan experiments/quick.toml --jobs-list
                                              every job, one line each
  ttlab plan experiments/quick.toml --shards 100 -o plan.json
                                              a plan for 100 machines: ttlab run --plan plan.json --shard 0
  ttlab plan experiments/quick.toml --key     the key of a cache for its results
  ttlab plan --missing plan.json              the incomplete shards, as in 3,7-9 (exit 3 if any)")]
pub struct Args {
    /// The experiment file to plan
    #[arg(required_unless_present = "missing")]
    file: Option<PathBuf>,
    /// Override an option in every variant: path=value (may be repeated)
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
    /// Skip unreadable or duplicate suite entries, with a warning (as `on_error = "skip"`)
    #[arg(long)]
    skip_bad: bool,
    /// Count rows that are known in these results folders, as `run --reuse` (may be repeated)
    #[arg(long, value_name = "FOLDER")]
    reuse: Vec<String>,
    /// Print only the key of a cache for the results: what decides counts in this build, a hyphen,
    /// and the plan
    #[arg(long)]
    key: bool,
    /// List every job with its id
    #[arg(long)]
    jobs_list: bool,
    /// Split the jobs into N shards
    #[arg(long, requires = "output", value_parser = clap::value_parser!(u64).range(1..=MAX_SHARDS))]
    shards: Option<u64>,
    /// Write the plan to a file
    #[arg(short, long, value_name = "PLAN")]
    output: Option<PathBuf>,
    /// List the incomplete shards of this plan
    #[arg(long, value_name = "PLAN", conflicts_with_all = ["file", "sets", "key", "jobs_list", "shards", "output"])]
    missing: Option<PathBuf>,
    /// Folder of the results [default: reports/<name>]
    #[arg(long, conflicts_with = "output")]
    out: Option<PathBuf>,
}

pub fn run(args: &Args) -> CommandResult {
    if let Some(path) = &args.missing {
        return missing(path, args.out.as_deref());
    }
    let (file, sets) = (args.file.as_deref().unwrap_or(Path::new("")), super::with_skip(&args.sets, args.skip_bad)?);
    let (experiment, wrong) = Experiment::load_to_plan(file, &sets).map_err(CommandFailure::usage)?;
    if let Some(path) = &args.output {
        // Each shard would refuse it.
        if let Some(wrong) = wrong {
            return Err(CommandFailure::usage(wrong));
        }
        let plan = PlanFile::new(&experiment, file, &sets, shards(args)).map_err(CommandFailure::usage)?;
        super::write(path, &plan.text().map_err(CommandFailure::io)?)?;
        println!("{}: {} in {}", path.display(), plural(plan.jobs, "job"), plural(plan.shards, "shard"));
        let word = shell(&path.display().to_string());
        println!("run one:  ttlab run --plan {word} --shard 0");
        println!("then:     ttlab merge {word}");
        return Ok(Exit::Done);
    }
    let plan = Plan::new(&experiment);
    if args.key {
        println!("{}-{:016x}", runner::build().searches, plan.id());
        return Ok(Exit::Done);
    }
    super::warn_about_skipped(&experiment);
    let (mut engines, mut subjects) = (Vec::new(), BTreeMap::new());
    if plan.has_external() {
        let stop = stop_flag()?;
        let found = match Subjects::prepare(&experiment, &plan, 1, &stop) {
            Err(runner::RunError::Interrupted) => return Ok(Exit::Interrupted),
            found => found.map_err(run_failure)?,
        };
        found.check_memory(&plan, 1).map_err(run_failure)?;
        warn(found.expectation_warnings(&experiment, &plan));
        (engines, subjects) = (found.describe(&plan), found.engine_infos(&plan));
    }
    let folder = args.out.clone().unwrap_or_else(|| default_folder(&experiment));
    if let Some(wrong) = wrong {
        eprintln!(
            "{}\nwarning: this plan ignores the invalid expectation; `ttlab run` refuses the file",
            wrong.to_string().trim_end()
        );
    }
    println!("experiment  {}", experiment.name);
    if !experiment.file.question.is_empty() {
        println!("question    {}", experiment.file.question);
    }
    if experiment.sections.is_empty() {
        println!("suite       {} ({})", experiment.suite_name, items(&experiment, &experiment.suite.items));
    }
    for section in &experiment.sections {
        let (file, items) =
            (section.entry.file.display(), items(&experiment, &experiment.suite.items[section.items.clone()]));
        let limit = limit_text(section.entry.limit(Limit::default()));
        let limit = if limit.is_empty() { limit } else { format!(", {limit}") };
        println!("suite       {}: {file} ({items}){limit}", section.name);
    }
    let fewer = experiment.work.games().is_some_and(|games| games.test_or_default().stop);
    let made_of = match plan.is_match() {
        true => format!(
            "{} x openings, each a pair of games{}",
            plural(plan.lanes(), "encounter"),
            if fewer { ", fewer if a test ends early" } else { "" }
        ),
        false => format!("{} x items x {}", plural(plan.variants.len(), "variant"), plural(plan.repeats, "repeat")),
    };
    println!("jobs        {} = {made_of}", plan.len());
    println!("plan        {:016x}", plan.id());
    let mut places = HashSet::new();
    if folder.join(RESULTS).exists() || !experiment.file.reuse.is_empty() || !args.reuse.is_empty() {
        let own = Manifest { subjects, ..runner::manifest(&experiment, &plan, 1, None) };
        let (known, jobs) =
            runner::sources::survey((&experiment, &plan), &folder, &own, &args.reuse).map_err(output_failure)?;
        println!("known       {known} in {}", folder.display());
        places = jobs;
    }
    let time = estimate::from_rows(&experiment, &plan, &folder, &places).map(|found| found.to_string());
    println!(
        "time        {}",
        time.unwrap_or_else(|| format!("unknown: {} has no rows of this plan", folder.display()))
    );
    if let Some(line) = confirmation(&experiment) {
        println!("confirm     {line}");
    }
    println!("check       {}", checks(&experiment, &plan, &folder, args));
    let varying = plan.varying();
    println!("varies      {}", if varying.is_empty() { "nothing".to_owned() } else { varying.join(", ") });
    println!("\n     table  limit          variant");
    for (at, variant) in plan.variants.iter().enumerate() {
        let limit = match limit_text(variant.limit) {
            none if none.is_empty() && !experiment.sections.is_empty() => "by suite".to_owned(),
            limit => limit,
        };
        let mark = if experiment.partners.bases().any(|base| base == at) { "  (baseline)" } else { "" };
        println!("{:>10}  {limit:<14} {}{mark}", size(variant), variant.name);
    }
    if !engines.is_empty() {
        println!();
        engines.iter().for_each(|line| println!("engine {line}"));
    }
    if args.jobs_list {
        println!();
        for job in plan.jobs() {
            let (variant, item) = (&plan.variants[job.variant], &experiment.suite.items[job.item]);
            let against = job.opponent.map(|at| format!("  against {}", plan.variants[at].name)).unwrap_or_default();
            println!("{:016x}  repeat {}  {}  {}{against}", plan.job_id(&job), job.repeat, item.id, variant.name);
        }
    }
    Ok(Exit::Done)
}

/// How many warnings `ttlab check` has of this plan, and its command line.
fn checks(experiment: &Experiment, plan: &Plan, folder: &Path, args: &Args) -> String {
    let caveats = preflight::plan_warnings(experiment, plan, 1, Some(folder));
    let count = |number: usize, what| (number > 0).then(|| plural(number, what));
    let warnings = caveats.warnings.len() + runner::memory_warnings(plan, 1).len();
    let found = [count(caveats.blockers.len(), "blocker"), count(warnings, "warning")];
    let found: Vec<String> = found.into_iter().flatten().collect();
    if found.is_empty() {
        return "no warnings".to_owned();
    }
    let sets = args.sets.iter().map(|set| format!(" --set {}", shell(set))).collect::<String>();
    let file = args.file.as_deref().unwrap_or(Path::new("")).display().to_string();
    format!("{}: `ttlab check {}{sets}` prints them", found.join(" and "), shell(&file))
}

/// The number of shards.
fn shards(args: &Args) -> u64 {
    args.shards.unwrap_or(1)
}

/// The limit of a search, for display.
fn limit_text(limit: Limit) -> String {
    let parts = [limit.depth.map(|depth| format!("depth {depth}")), limit.nodes.map(|nodes| format!("nodes {nodes}"))];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The number of items, and how many of them are searched if not all.
fn items(experiment: &Experiment, items: &[Item]) -> String {
    let searched = items.iter().filter(|item| experiment.is_searched(item)).count();
    let count = plural(items.len(), "item");
    if searched < items.len() { format!("{count}, {searched} of them searched") } else { count }
}

/// The table's memory in whole KiB; a share as in the file, because its size is not known before.
/// Of an external engine only its memory option is known.
fn size(variant: &Variant) -> String {
    let table = match &variant.subject {
        Subject::Builtin { options, .. } => &options.table,
        Subject::External(subject) => {
            return hash_size(&subject.options)
                .map_or_else(|| "its own".to_owned(), |(name, size)| format!("{name} {size}"));
        }
    };
    match (crate::table::bytes(table, None), table.kind) {
        (Some(0), _) => "none".to_owned(),
        (Some(bytes), _) => Size::Bytes(bytes.next_multiple_of(1024)).to_string(),
        (None, TableKind::Unbounded) => "unbounded".to_owned(),
        (None, _) => table.size.to_string(),
    }
}

/// What the games of `[confirm]` come to if the screen leaves every variant and no difference is
/// shown before the budget ends.
fn confirmation(experiment: &Experiment) -> Option<String> {
    let (confirm, (_, openings)) = experiment.file.confirm.as_ref().zip(experiment.openings.as_ref())?;
    let stages = confirm.stages(openings.items.len());
    let ends: Vec<String> = stages.iter().map(|stage| stage.end.to_string()).collect();
    let pairs = stages.last().map_or(0, |stage| stage.end);
    let players: Vec<usize> = (0..experiment.variants.len()).collect();
    let games = confirm.stage(experiment, &players, experiment.baseline, &openings.items[..pairs]);
    let plan = Plan::new(&games);
    let (encounters, pairs) = (plural(plan.lanes(), "encounter"), plural(pairs, "pair"));
    Some(format!("at most {encounters} x {pairs} of games, judged after {} of them", ends.join(", ")))
}

/// Lists the incomplete shards: in words on standard error, as ranges for a scheduler on standard
/// output.
fn missing(path: &Path, out: Option<&Path>) -> CommandResult {
    let (file, experiment, plan) = PlanFile::load(path).map_err(CommandFailure::usage)?;
    let results = out.map_or_else(|| default_folder(&experiment), Path::to_owned);
    let shards = super::merge::shards(&file, &experiment, &plan, &results, &[])?;
    let gaps = shards.gaps().map_err(super::merge::failure)?;
    super::merge::print_gaps(&gaps, file.shards);
    if gaps.is_empty() {
        return Ok(Exit::Done);
    }
    println!("{}", Jobs(gaps.iter().map(|gap| gap.shard).collect()));
    Ok(Exit::Failed)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use clap::{Args as _, FromArgMatches};

    /// An entry has 16 bytes.
    #[test]
    fn size_is_shown_in_whole_kib() {
        for (sets, describe) in [
            (&["table.size=64"][..], "1 KiB"),
            (&["table.size=65"], "2 KiB"),
            (&["table.size=128"], "2 KiB"),
            (&["table.size=129"], "3 KiB"),
            (&["table.size=\"1 MiB\""], "1 MiB"),
            (&["table.size=\"5 %\""], "5 %"),
            (&["table.kind=none"], "none"),
            (&["table.kind=unbounded"], "unbounded"),
            // Of an external engine's table only the set size is known.
            (&["subject.uci=stockfish"], "its own"),
            (&["subject.uci=stockfish", "uci.Hash=16"], "Hash 16"),
        ] {
            let text = "suite = { startpos = true }\nlimit = { depth = 1 }\n";
            let slots = ["table.slots=1"].iter().filter(|_| !sets[0].starts_with("subject"));
            let sets: Vec<String> = sets.iter().chain(slots).map(|&set| set.to_owned()).collect();
            let read = Experiment::parse(text, "x.toml".as_ref(), &sets).unwrap();
            assert_eq!(size(&read.variants[0]), describe, "{sets:?}");
        }
    }

    /// Six of the thirteen games have more than 81 plies.
    #[test]
    fn items_shows_how_many_are_searched() {
        for (from, describe) in [(0, "13 items"), (81, "13 items, 6 of them searched")] {
            let text = format!("suite = 'data/games.pgn'\nlimit = {{ depth = 2 }}\nsequence = {{ from = {from} }}\n");
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("x.toml");
            let experiment = Experiment::parse(&text, &file, &[]).unwrap_or_else(|wrong| panic!("{wrong}"));
            assert_eq!(items(&experiment, &experiment.suite.items), describe);
        }
    }

    #[test]
    fn shards_default_to_one() {
        for (words, number) in [(&[][..], 1), (&["--shards", "3"], 3)] {
            let command = Args::augment_args(clap::Command::new("plan"));
            let found = command.try_get_matches_from([&["plan", "x.toml", "-o", "plan.json"], words].concat()).unwrap();
            assert_eq!(shards(&Args::from_arg_matches(&found).unwrap()), number);
        }
    }
}
