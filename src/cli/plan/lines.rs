//! What `ttlab plan` says of an experiment.

use super::super::folder::default_folder;
use super::super::{CommandFailure, CommandResult, Exit, merge};
use super::Args;
use crate::analysis::caveats::preflight;
use crate::chess::suite::Item;
use crate::engine::Limit;
use crate::experiment::{Experiment, Plan, PlanFile, Subject, Variant};
use crate::record::Jobs;
use crate::runner;
use crate::subject::options::hash_size;
use crate::submit::shell;
use crate::table::{Size, TableKind};
use crate::text::plural;
use std::path::Path;

/// Prints what is searched: the suite, the jobs and the plan's id.
pub(super) fn print_head(experiment: &Experiment, plan: &Plan) {
    println!("experiment  {}", experiment.name);
    if !experiment.file.question.is_empty() {
        println!("question    {}", experiment.file.question);
    }
    if experiment.sections.is_empty() {
        println!("suite       {} ({})", experiment.suite_name, items(experiment, &experiment.suite.items));
    }
    for section in &experiment.sections {
        let (file, items) =
            (section.entry.file.display(), items(experiment, &experiment.suite.items[section.items.clone()]));
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
}

/// Prints what varies, and a line for each variant.
pub(super) fn print_variants(experiment: &Experiment, plan: &Plan) {
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
}

/// Prints a line for each job.
pub(super) fn print_jobs(experiment: &Experiment, plan: &Plan) {
    for job in plan.jobs() {
        let (variant, item) = (&plan.variants[job.variant], &experiment.suite.items[job.item]);
        let against = job.opponent.map(|at| format!("  against {}", plan.variants[at].name)).unwrap_or_default();
        println!("{:016x}  repeat {}  {}  {}{against}", plan.job_id(&job), job.repeat, item.id, variant.name);
    }
}

/// How many warnings `ttlab check` has of this plan, and its command line.
pub(super) fn checks(experiment: &Experiment, plan: &Plan, folder: &Path, args: &Args) -> String {
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

/// The limit of a search, for display.
fn limit_text(limit: Limit) -> String {
    let parts = [limit.depth.map(|depth| format!("depth {depth}")), limit.nodes.map(|nodes| format!("nodes {nodes}"))];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// The number of items, and how many of them are searched if not all.
pub(super) fn items(experiment: &Experiment, items: &[Item]) -> String {
    let searched = items.iter().filter(|item| experiment.is_searched(item)).count();
    let count = plural(items.len(), "item");
    if searched < items.len() { format!("{count}, {searched} of them searched") } else { count }
}

/// The table's memory in whole KiB; a share as in the file, because its size is not known before.
/// Of an external engine only its memory option is known.
pub(super) fn size(variant: &Variant) -> String {
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
pub(super) fn confirmation(experiment: &Experiment) -> Option<String> {
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
pub(super) fn missing(path: &Path, out: Option<&Path>) -> CommandResult {
    let (file, experiment, plan) = PlanFile::load(path).map_err(CommandFailure::usage)?;
    let results = out.map_or_else(|| default_folder(&experiment), Path::to_owned);
    let shards = merge::shards(&file, &experiment, &plan, &results, &[])?;
    let incomplete = shards.incomplete_shards().map_err(merge::failure)?;
    merge::print_incomplete(&incomplete, file.shards);
    if incomplete.is_empty() {
        return Ok(Exit::Done);
    }
    println!("{}", Jobs(incomplete.iter().map(|shard_jobs| shard_jobs.shard).collect()));
    Ok(Exit::Failed)
}
