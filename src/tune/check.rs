//! Checks that an experiment and its metric can be used in a race.

use super::runs::find_count_metric;
use crate::analysis::{Frame, Metric};
use crate::experiment::{Experiment, Plan, Variant};
use crate::record::RESULTS;
use crate::record::columns::{self, Role};

pub fn check_experiment(experiment: &Experiment) -> Result<(), String> {
    let file = &experiment.name;
    if experiment.variants.len() < 2 {
        return Err(format!("{file}: a race needs at least two variants: add a [grid] or [[variant]]s"));
    }
    let items = experiment.suite.items.len();
    if items < 4 {
        return Err(format!("{file}: {items} items are too few: a race and its confirmation need at least 4"));
    }
    if experiment.variants.iter().any(Variant::keeps_state) {
        return Err(format!(
            "{file}: table.clear = \"never\" makes each item depend on earlier items, but tuning draws items at random. \
             Set table.clear = \"game\" and use a [sequence]"
        ));
    }
    Ok(())
}

/// Finds the metric that decides the race in the columns of the plan's results. Returns an error if
/// the metric cannot decide a race.
pub fn find_metric(name: &str, plan: &Plan) -> Result<Metric, String> {
    let refuse = |reason: &str| Err(format!("tune.metric: {reason}"));
    if name == "loss" {
        return refuse(
            "races compare ratios, but the loss of moves is a difference. Use the metric `nodes` and limit.depth. \
             To judge moves, use `ttlab run` with a [reference]",
        );
    }
    if name == columns::SCORE_ERROR {
        return refuse(
            "score errors are known only after a run. Use the metric `nodes` and limit.depth. \
             To judge scores, use `ttlab run` with [reference] self",
        );
    }
    let header = crate::record::header(&plan.varying(), plan.extra_columns()).join(",") + "\n";
    let empty_frame = Frame::parse(header.as_bytes(), RESULTS).map_err(|error| error.to_string())?;
    let metric = find_count_metric(name, &empty_frame).map_err(|error| format!("tune.metric: {error}"))?;
    if metric.columns().contains(&columns::SAVED) {
        return refuse(
            "the nodes that cutoffs save cannot decide a race, because they leave out the cost of best moves that the \
             table forgets. Use the metric `nodes` and limit.depth",
        );
    }
    Ok(metric)
}

pub fn check_metric(experiment: &Experiment, metric: &Metric) -> Result<(), String> {
    let first_external = experiment.variants.iter().find_map(|variant| Some((variant, variant.external()?)));
    // The only count of a search that external engines report is the number of nodes.
    let is_reported = |column: &&str| columns::role(column) != Role::Sum || *column == columns::NODES;
    if let (Some((variant, subject)), Some(column)) =
        (first_external, metric.columns().into_iter().find(|column| !is_reported(column)))
    {
        return Err(format!(
            "tune.metric: {} needs {column}, which {} (\"{}\") does not report. Use the metric `nodes`",
            metric.name, subject.uci, variant.name
        ));
    }
    let is_limited_by_nodes = |variant: &Variant| variant.limit.nodes.is_some() && variant.limit.depth.is_none();
    if metric.columns() == [columns::NODES] && experiment.variants.iter().all(is_limited_by_nodes) {
        let message = "tune.metric: with limit.nodes, every candidate searches the same number of nodes. Set \
            limit.depth instead. To judge moves at a fixed number of nodes, use `ttlab run` with a [reference]";
        return Err(message.to_owned());
    }
    Ok(())
}

/// Removes items without searches, such as games that end before the selected plies. A round that
/// draws such items would measure nothing.
pub fn remove_items_without_searches(experiment: &mut Experiment) {
    let mut items = std::mem::take(&mut experiment.suite.items);
    items.retain(|item| experiment.is_searched(item));
    experiment.suite.items = items;
}

pub fn seed_warnings(experiment: &Experiment) -> Vec<String> {
    let file = &experiment.file;
    [("seeds", file.seeds, "the file's key seed"), ("schedules", file.schedules, "each variant's own schedule")]
        .into_iter()
        .filter(|&(_, count, _)| count > 1)
        .map(|(key, count, used)| format!("{key} = {count}, but a race uses only {used}. `ttlab run` uses all {key}"))
        .collect()
}
