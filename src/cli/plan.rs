use super::{CommandFailure, CommandResult, Exit};
use crate::analysis::caveats::before;
use crate::experiment::shards::MOST_SHARDS;
use crate::experiment::{Experiment, Plan, PlanFile, Point};
use crate::record::Jobs;
use crate::runner::{self, Subjects, estimate};
use crate::subject::options::hash;
use crate::submit::shell;
use crate::table::{Size, TableKind};
use crate::words::many;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Show what an experiment would run and what it would cost; deal it out to shards; see what they lack
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ttlab plan experiments/quick.toml           the variants, the jobs, the memory
  ttlab plan experiments/quick.toml --probe   and, from a few searches tried now, roughly how long
  ttlab plan experiments/quick.toml --jobs-list
                                              every job, one line each
  ttlab plan experiments/quick.toml --shards 100 -o plan.json
                                              a plan for 100 machines: ttlab run --plan plan.json --shard 0
  ttlab plan --missing plan.json              the shards that lack jobs, as 3,7-9 (exit 3 if any do)")]
pub struct Args {
    /// The experiment file
    #[arg(required_unless_present = "missing")]
    file: Option<PathBuf>,
    /// Lay a value over every variant: path=value (may be repeated)
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
    /// Leave out what cannot be read of the suite or stands in it twice, and tell of it (as `on_error = "skip"` does)
    #[arg(long)]
    skip_bad: bool,
    /// List every job
    #[arg(long)]
    jobs_list: bool,
    /// Into how many shards to deal the jobs
    #[arg(long, requires = "output", value_parser = clap::value_parser!(u64).range(1..=MOST_SHARDS))]
    shards: Option<u64>,
    /// Write the plan to a file
    #[arg(short, long, value_name = "PLAN")]
    output: Option<PathBuf>,
    /// Which shards of this plan lack jobs
    #[arg(long, value_name = "PLAN", conflicts_with_all = ["file", "sets", "jobs_list", "shards", "output"])]
    missing: Option<PathBuf>,
    /// Where the results go, or went [default: reports/<name>]
    #[arg(long, conflicts_with = "output")]
    out: Option<PathBuf>,
    /// Try a few searches, two seconds in all, to tell how long it takes; rows of an earlier run tell it without
    #[arg(long)]
    probe: bool,
}

pub fn run(args: &Args) -> CommandResult {
    if let Some(path) = &args.missing {
        return missing(path, args.out.as_deref());
    }
    let file = args.file.clone().unwrap_or_default();
    let sets = super::with_skip(&args.sets, args.skip_bad);
    let (experiment, wrong) = Experiment::load_to_plan(&file, &sets).map_err(CommandFailure::usage)?;
    // Shards would refuse it.
    if let Some(wrong) = wrong.as_ref().filter(|_| args.output.is_some()) {
        return Err(CommandFailure::usage(wrong));
    }
    if let Some(path) = &args.output {
        let plan = PlanFile::new(&experiment, &file, &sets, shards(args)).map_err(CommandFailure::usage)?;
        let text = plan.text().map_err(CommandFailure::io)?;
        crate::record::write_whole(path, text.as_bytes())
            .map_err(|error| CommandFailure::io(format!("{}: {error}", path.display())))?;
        println!("{}: {} in {}", path.display(), many(plan.jobs, "job"), many(plan.shards, "shard"));
        let word = shell(&path.display().to_string());
        println!("run one:  ttlab run --plan {word} --shard 0");
        println!("then:     ttlab merge {word}");
        return Ok(Exit::Done);
    }
    let plan = Plan::new(&experiment);
    super::tell_left_out(&experiment);
    let engines = if plan.has_outside() {
        let stop = super::signals::stop_flag()?;
        let found = Subjects::prepare(&experiment, &plan, 1, &stop).map_err(super::run::run_failure)?;
        let Some(found) = found else { return Ok(Exit::Interrupted) };
        found.check_memory(&plan, 1).map_err(super::run::run_failure)?;
        found.unfounded(&experiment, &plan).iter().for_each(|line| eprintln!("warning: {line}"));
        found.told(&plan)
    } else {
        Vec::new()
    };
    let folder = args.out.clone().unwrap_or_else(|| super::run::default_folder(&experiment));
    for warning in before::warnings(&experiment, &plan, 1, Some(&folder)) {
        eprintln!("warning: {warning}");
    }
    for warning in runner::memory_warnings(&plan, 1) {
        eprintln!("warning: {warning}");
    }
    if let Some(wrong) = wrong {
        eprintln!(
            "{}\nwarning: the plan does not heed what is expected of it; `ttlab run` refuses the file",
            wrong.to_string().trim_end()
        );
    }
    println!("experiment  {}", experiment.name);
    if !experiment.file.question.is_empty() {
        println!("question    {}", experiment.file.question);
    }
    println!("suite       {} ({})", experiment.suite_name, items(&experiment));
    match plan.is_match() {
        true => println!(
            "jobs        {} = {} x openings, each a pair of games{}",
            plan.len(),
            many(plan.lanes(), "encounter"),
            if experiment.file.games.is_some_and(|games| games.test().stop) {
                ", fewer where a test ends sooner"
            } else {
                ""
            }
        ),
        false => {
            println!(
                "jobs        {} = {} x items x {}",
                plan.len(),
                many(plan.variants.len(), "variant"),
                many(plan.repeats, "repeat")
            )
        }
    }
    println!("plan        {:016x}", plan.id());
    println!("time        {}", time(&experiment, &plan, args, &folder)?);
    if let Some(reach) = before::reach(&experiment, Some(&folder)).filter(|reach| !reach.falls_short()) {
        println!("shows       {reach}");
    }
    let varying = plan.varying();
    println!("varies      {}", if varying.is_empty() { "nothing".to_owned() } else { varying.join(", ") });
    println!("\n{:>10}  {:<14} variant", "table", "limit");
    for (at, point) in plan.variants.iter().enumerate() {
        let bytes = size(point);
        let limit = [("depth", point.limit.depth.map(u64::from)), ("nodes", point.limit.nodes)];
        let limit: Vec<String> =
            limit.iter().filter_map(|(name, value)| value.map(|v| format!("{name} {v}"))).collect();
        let mark = if at == plan.baseline { "  (baseline)" } else { "" };
        println!("{bytes:>10}  {:<14} {}{mark}", limit.join(", "), point.name);
    }
    if !engines.is_empty() {
        println!();
    }
    engines.iter().for_each(|line| println!("engine {line}"));
    if args.jobs_list {
        println!();
        for job in plan.jobs() {
            let (point, item) = (&plan.variants[job.variant], &experiment.suite.items[job.item]);
            let against = job.opponent.map(|at| format!("  against {}", plan.variants[at].name)).unwrap_or_default();
            println!("{:016x}  repeat {}  {}  {}{against}", plan.job_id(&job), job.repeat, item.id, point.name);
        }
    }
    Ok(Exit::Done)
}

/// Into how many shards the jobs are dealt.
fn shards(args: &Args) -> u64 {
    args.shards.unwrap_or(1)
}

/// How many items the suite has, and of how many anything is searched where that is not all.
fn items(experiment: &Experiment) -> String {
    let items = &experiment.suite.items;
    let searched = items.iter().filter(|item| experiment.is_searched(item)).count();
    let told = many(items.len(), "item");
    if searched < items.len() { format!("{told}, {searched} of them searched") } else { told }
}

/// What a table takes, in whole KiB; a share of what is stored, which nobody knows before, as the file has it. Other engines tell of theirs no
/// more than what they are given.
fn size(point: &Point) -> String {
    if let Some(subject) = point.outside() {
        return hash(&subject.options).map_or_else(|| "its own".to_owned(), |(name, size)| format!("{name} {size}"));
    }
    let table = &point.options.table;
    match (crate::table::bytes(table, None), table.kind) {
        (Some(0), _) => "none".to_owned(),
        (Some(bytes), _) => Size::Bytes(bytes.next_multiple_of(1024)).to_string(),
        (None, TableKind::Unbounded) => "unbounded".to_owned(),
        (None, _) => table.size.to_string(),
    }
}

/// How long the jobs that are left take, or why that is not known.
fn time(experiment: &Experiment, plan: &Plan, args: &Args, folder: &Path) -> Result<String, CommandFailure> {
    if let Some(estimate) = estimate::from_rows(plan, folder) {
        return Ok(estimate.to_string());
    }
    if !args.probe {
        return Ok(format!(
            "unknown: no row of this plan is in {} yet; --probe tries a few searches",
            folder.display()
        ));
    }
    let stop = super::signals::stop_flag()?;
    let probed = estimate::from_probe(experiment, plan, PROBE, &stop);
    Ok(probed.map_or_else(|| "unknown: nothing can be tried that would tell it".to_owned(), |found| found.to_string()))
}

/// How long a probe may take.
const PROBE: Duration = Duration::from_secs(2);

/// Which shards lack jobs: told on stderr; as ranges, for a scheduler, on stdout.
fn missing(path: &Path, out: Option<&Path>) -> CommandResult {
    let (file, experiment, plan) = PlanFile::load(path).map_err(CommandFailure::usage)?;
    let results = out.map_or_else(|| super::run::default_folder(&experiment), Path::to_owned);
    let shards = super::merge::shards(&file, &experiment, &plan, &results, &[])?;
    let lacks = shards.lacks().map_err(super::merge::failure)?;
    super::merge::tell(&lacks, file.shards);
    if lacks.is_empty() {
        return Ok(Exit::Done);
    }
    println!("{}", Jobs(lacks.iter().map(|lack| lack.shard).collect()));
    Ok(Exit::Failed)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use clap::{Args as _, FromArgMatches};

    /// Sixteen bytes an entry, and whole KiB that hold them; what has no size of its own is named.
    #[test]
    fn tables_are_told_in_whole_kib() {
        for (sets, told) in [
            (&["table.size=64"][..], "1 KiB"),
            (&["table.size=65"], "2 KiB"),
            (&["table.size=128"], "2 KiB"),
            (&["table.size=129"], "3 KiB"),
            (&["table.size=\"1 MiB\""], "1 MiB"),
            (&["table.size=\"5 %\""], "5 %"),
            (&["table.kind=none"], "none"),
            (&["table.kind=unbounded"], "unbounded"),
            // Another engine has a table, of which it tells what it was given.
            (&["subject.uci=stockfish"], "its own"),
            (&["subject.uci=stockfish", "uci.Hash=16"], "Hash 16"),
        ] {
            let text = "suite = { startpos = true }\nlimit = { depth = 1 }\n";
            let slots = ["table.slots=1"].iter().filter(|_| !sets[0].starts_with("subject"));
            let sets: Vec<String> = sets.iter().chain(slots).map(|&set| set.to_owned()).collect();
            let read = Experiment::parse(text, "x.toml".as_ref(), &sets).unwrap();
            assert_eq!(size(&read.points[0]), told, "{sets:?}");
        }
    }

    /// Of the thirteen games six have more than 81 plies.
    #[test]
    fn games_that_are_too_short_are_told() {
        for (from, told) in [(0, "13 items"), (81, "13 items, 6 of them searched")] {
            let text = format!("suite = 'data/games.pgn'\nlimit = {{ depth = 2 }}\nsequence = {{ from = {from} }}\n");
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("x.toml");
            let experiment = Experiment::parse(&text, &file, &[]).unwrap_or_else(|wrong| panic!("{wrong}"));
            assert_eq!(items(&experiment), told);
        }
    }

    /// Where no number of shards is given a plan is one shard; else as many as are.
    #[test]
    fn a_plan_has_as_many_shards_as_are_asked_for() {
        for (words, number) in [(&[][..], 1), (&["--shards", "3"], 3)] {
            let command = Args::augment_args(clap::Command::new("plan"));
            let found = command.try_get_matches_from([&["plan", "x.toml", "-o", "plan.json"], words].concat()).unwrap();
            assert_eq!(shards(&Args::from_arg_matches(&found).unwrap()), number);
        }
    }
}
