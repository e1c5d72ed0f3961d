//! Formats and prints the lines of `ttlab plan`.

use super::super::folder::default_folder;
use super::super::{CommandFailure, CommandResult, Exit, merge};
use crate::chess::suite::Item;
use crate::engine::Limit;
use crate::experiment::{Experiment, Plan, PlanFile, Subject, Variant};
use crate::record::Jobs;
use crate::subject::options::hash_size;
use crate::table::{Size, TableKind};
use crate::text::plural;
use std::path::Path;

/// Prints the name and the question of the experiment, the suites, the number of jobs, and the id
/// of the plan.
pub(super) fn print_head(experiment: &Experiment, plan: &Plan) {
    println!("experiment  {}", experiment.name);
    if !experiment.file.question.is_empty() {
        println!("question    {}", experiment.file.question);
    }
    if experiment.sections.is_empty() {
        println!("suite       {} ({})", experiment.suite_name, describe_items(experiment, &experiment.suite.items));
    }
    for section in &experiment.sections {
        let (file, items) = (
            section.entry.file.display(),
            describe_items(experiment, &experiment.suite.items[section.item_range.clone()]),
        );
        let limit = format_limit(section.entry.limit(Limit::default()));
        let limit_text = if limit.is_empty() { limit } else { format!(", {limit}") };
        println!("suite       {}: {file} ({items}){limit_text}", section.name);
    }
    let may_end_early = experiment.work.games().is_some_and(|games| games.test_or_default().stop);
    let job_formula = match plan.is_match() {
        true => format!(
            "{} x openings (a job is a pair of games{})",
            plural(plan.lane_count(), "encounter"),
            if may_end_early { "; fewer jobs if a test ends early" } else { "" }
        ),
        false => format!("{} x items x {}", plural(plan.variants.len(), "variant"), plural(plan.repeats, "repeat")),
    };
    println!("jobs        {} = {job_formula}", plan.len());
    println!("plan        {}", plan.id_text());
}

pub(super) fn print_variants(experiment: &Experiment, plan: &Plan) {
    let varying = plan.varying();
    println!("varies      {}", if varying.is_empty() { "nothing".to_owned() } else { varying.join(", ") });
    println!("\n     table  limit          variant");
    for (index, variant) in plan.variants.iter().enumerate() {
        let limit = match format_limit(variant.limit) {
            limit if limit.is_empty() && !experiment.sections.is_empty() => "by suite".to_owned(),
            limit => limit,
        };
        let baseline_note = if experiment.partners.bases().any(|base| base == index) { "  (baseline)" } else { "" };
        println!("{:>10}  {limit:<14} {}{baseline_note}", format_table_size(variant), variant.name);
    }
}

pub(super) fn print_jobs(experiment: &Experiment, plan: &Plan) {
    for job in plan.jobs() {
        let (variant, item) = (&plan.variants[job.variant], &experiment.suite.items[job.item]);
        let opponent_text =
            job.opponent.map(|opponent| format!("  against {}", plan.variants[opponent].name)).unwrap_or_default();
        println!("{:016x}  repeat {}  {}  {}{opponent_text}", plan.job_id(&job), job.repeat, item.id, variant.name);
    }
}

/// Formats the limit of a search, as in `depth 8, nodes 1000`.
fn format_limit(limit: Limit) -> String {
    let parts = [limit.depth.map(|depth| format!("depth {depth}")), limit.nodes.map(|nodes| format!("nodes {nodes}"))];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Describes how many items there are, as in `5 items`. If some items are not searched, also says
/// how many items are searched, as in `5 items, 3 of them searched`.
pub(super) fn describe_items(experiment: &Experiment, items: &[Item]) -> String {
    let searched_count = items.iter().filter(|item| experiment.is_searched(item)).count();
    let item_count = plural(items.len(), "item");
    if searched_count < items.len() { format!("{item_count}, {searched_count} of them searched") } else { item_count }
}

/// Formats the memory of a variant's table in whole KiB. If the size is a share of the working set,
/// returns the share, because the number of bytes is not known in advance. For an external engine,
/// returns the option that sets the size, because the exact size is not known. If the experiment
/// does not set this option, returns `its own`.
pub(super) fn format_table_size(variant: &Variant) -> String {
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

/// Describes the largest number of games that `[confirm]` may need. All these games are played only
/// if the searches drop no variant and the games show no difference before the last pair. Returns
/// `None` if the experiment has no `[confirm]`.
pub(super) fn describe_confirmation(experiment: &Experiment) -> Option<String> {
    let (confirm, (_, openings)) = experiment.file.confirm.as_ref().zip(experiment.openings.as_ref())?;
    let stages = confirm.stages(openings.items.len());
    let pairs_so_far: Vec<String> = stages.iter().map(|stage| stage.end.to_string()).collect();
    let max_pairs = stages.last().map_or(0, |stage| stage.end);
    let players: Vec<usize> = (0..experiment.variants.len()).collect();
    let games = confirm.stage(experiment, &players, experiment.baseline, &openings.items[..max_pairs]);
    let plan = Plan::new(&games);
    let (encounters, pairs) = (plural(plan.lane_count(), "encounter"), plural(max_pairs, "pair"));
    Some(format!("at most {encounters} x {pairs} of games; they are judged after {} pairs", pairs_so_far.join(", ")))
}

/// Prints the incomplete shards of a plan. Each shard is described on standard error. The numbers
/// of the shards are printed as ranges on standard output, for a scheduler.
pub(super) fn print_missing_shards(path: &Path, out: Option<&Path>) -> CommandResult {
    let (file, experiment, plan) = PlanFile::load(path).map_err(CommandFailure::usage)?;
    let results = out.map_or_else(|| default_folder(&experiment), Path::to_owned);
    let shards = merge::find_shards(&file, &experiment, &plan, &results, &[])?;
    let incomplete = shards.incomplete_shards().map_err(merge::merge_failure)?;
    merge::print_incomplete(&incomplete, file.shards);
    if incomplete.is_empty() {
        return Ok(Exit::Done);
    }
    println!("{}", Jobs(incomplete.iter().map(|shard_jobs| shard_jobs.shard).collect()));
    Ok(Exit::Failed)
}
