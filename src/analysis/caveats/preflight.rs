//! Warns of what an experiment cannot show, before the experiment runs: what its design alone
//! tells. What rows tell is said on the page.

use super::warnings::REPLACEMENT;
use super::{Caveats, confounds, equivalent, games};
use crate::experiment::{Experiment, Plan, Variant, schema, text};
use crate::record::columns;
use crate::stats::sample::min_clusters;
use crate::table::options::{Clear, Size, TickSource};
use crate::table::{TableKind, TableOptions};
use crate::text::{plural, quote_names};

/// A table cannot come under pressure if it has more slots per searched node than this. Each node
/// stores at most one entry, so less than 30 % of the slots are filled.
const MAX_SLOTS_PER_NODE: f64 = 10.0 / 3.0;

pub fn plan_warnings(experiment: &Experiment, plan: &Plan) -> Caveats {
    let variants = &experiment.variants;
    let mut warnings = equivalent::find_equivalent(variants);
    warnings.extend(repeats_missing(experiment));
    if plan.is_match() {
        warnings.extend(games::too_few_warning(experiment));
        return Caveats { warnings, ..Caveats::default() };
    }
    warnings.extend(text::describe_ended(&experiment.suite.items));
    let varying = plan.varying();
    let is_varying = |start: &str| varying.iter().any(|path| path.starts_with(start));
    let mut blockers = Vec::new();
    let bounded_tables =
        || variants.iter().filter(|variant| variant.table().is_some_and(|table| table.kind == TableKind::Bounded));
    if REPLACEMENT.into_iter().any(is_varying)
        && bounded_tables().next().is_some()
        && bounded_tables().all(|variant| is_too_large(variant, experiment))
    {
        blockers.push(
            "no pressure: no table can be filled to a third by the limit of nodes, so the comparison says little about \
             replacement; use smaller tables or more nodes"
                .to_owned(),
        );
    }
    blockers.extend(ages_without_effect(experiment, is_varying));
    warnings.extend(confounds::find_confounds(variants, &experiment.partners, &experiment.file.zip));
    blockers.extend(too_few_warning(experiment, is_varying("keys.seed")));
    Caveats { blockers, warnings }
}

/// Ages need a table that is kept between searches, or a tick in each iteration.
fn ages_without_effect(experiment: &Experiment, is_varying: impl Fn(&str) -> bool) -> Option<String> {
    let varies_ages = ["table.refresh", "table.clock"].into_iter().any(&is_varying)
        || schema::age_paths().any(|path| is_varying(&path));
    let ages = |table: &TableOptions| {
        table.clear == Clear::Never || table.clock == TickSource::Iteration && table.clear != Clear::Iteration
    };
    let shares_tables = experiment.has_sequences() || experiment.work.trace().is_some();
    let has_effect = shares_tables || experiment.variants.iter().filter_map(Variant::table).any(ages);
    (varies_ages && !has_effect).then(|| {
        "aging is invisible: every position is searched from an empty table, so no entry grows old; give a [sequence], \
         or a PGN suite"
            .to_owned()
    })
}

/// Published counts are compared one by one, not as means, and so are those of a single position
/// over key seeds. The number of games in a trace is not known before the run.
fn too_few_warning(experiment: &Experiment, varies_seeds: bool) -> Option<String> {
    let has_figures = experiment.file.expect.iter().any(|expect| !expect.figures.is_empty());
    // A game that has none of the chosen plies is not searched. If there are several suites, the
    // smallest one decides.
    let suites = experiment.suites().into_iter();
    let searched_items = suites.map(|items| items.iter().filter(|item| experiment.is_searched(item)).count());
    let (items, comparisons) = (searched_items.min().unwrap_or(0), experiment.variants.len() - 1);
    let required = min_clusters(comparisons);
    if has_figures
        || varies_seeds && items == 1
        || experiment.work.trace().is_some()
        || comparisons == 0
        || items >= required
    {
        return None;
    }
    let are_games = experiment.suite.items.iter().any(|item| item.game_moves().is_some());
    let units = plural(items, if are_games { columns::GAME } else { columns::POSITION });
    let is_or_are = if items == 1 { "is" } else { "are" };
    let comparisons_text = if comparisons > 1 { format!(" for {comparisons} comparisons") } else { String::new() };
    Some(format!(
        "{units} {is_or_are} too few{comparisons_text}: no result could reach p < 0.05; use at least {required}"
    ))
}

/// Times, and searches by several threads of the system, differ when repeated.
fn repeats_missing(experiment: &Experiment) -> Option<String> {
    let has_threads = |variant: &&Variant| {
        if let Some(options) = variant.builtin() {
            return options.threads.is_real();
        }
        let mut options = variant.external().into_iter().flat_map(|subject| &subject.options);
        options.any(|(name, value)| {
            name.eq_ignore_ascii_case("Threads") && value.to_string().parse().is_ok_and(|count: u32| count > 1)
        })
    };
    let is_about_time = experiment.file.times
        || experiment.file.expect.iter().any(|expect| {
            expect.figures.keys().any(|metric| metric == columns::SECONDS)
                || expect.claim.as_ref().is_some_and(|claim| claim.contains("seconds("))
        });
    let threaded: Vec<&str> =
        experiment.variants.iter().filter(has_threads).map(|variant| variant.name.as_str()).collect();
    let what = match threaded.as_slice() {
        [] if is_about_time => "times".to_owned(),
        [] => return None,
        names => format!("searches of {} by several threads", quote_names(names)),
    };
    let is_match = experiment.work.games().is_some();
    (experiment.file.repeats == 1 && !is_match)
        .then(|| format!("{what} differ when repeated, but each search is made once: set repeats to see the spread"))
}

/// Whether a variant's table is bounded and so large that it cannot come under pressure within the
/// node limit.
fn is_too_large(variant: &Variant, experiment: &Experiment) -> bool {
    let Some(table) = variant.table() else { return false };
    // `None` if some searches have no node limit.
    let node_limits: Option<Vec<u64>> = experiment.limits(variant).into_iter().map(|limit| limit.nodes).collect();
    let largest_limit = node_limits.and_then(|limits| limits.into_iter().max());
    let (Some(nodes), TableKind::Bounded) = (largest_limit, table.kind) else { return false };
    let slots = match table.size {
        Size::Entries(entries) => entries,
        // An entry of the default layout has 16 bytes.
        Size::Bytes(bytes) => bytes / 16,
        Size::Share(_) => return false,
    };
    // If searches share a table, the nodes of all searches are stored in it. Few games have more
    // than 1,024 searches.
    let max_searches = experiment.suite.items.len() as u64 * 1024;
    let nodes = if experiment.has_sequences() { nodes.saturating_mul(max_searches) } else { nodes };
    slots as f64 > nodes as f64 * MAX_SLOTS_PER_NODE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_warned_of_as_the_golden_file_says() {
        crate::golden::assert_answers("warnings.txt", |start, lines| {
            let experiment = Experiment::parse(&format!("{start}\n{lines}\n"), "x.toml".as_ref(), &[]);
            let experiment = experiment.unwrap_or_else(|problem| panic!("{problem}"));
            let warnings = plan_warnings(&experiment, &Plan::new(&experiment));
            warnings.all_warnings().cloned().collect::<Vec<_>>().join("\n")
        });
    }
}
