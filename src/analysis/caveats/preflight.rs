//! Warns of what an experiment cannot show, before the experiment runs: what its design alone
//! tells. What rows tell is said on the page.

use super::external_power::ExternalPower;
use super::warnings::REPLACEMENT;
use super::{Caveats, confounds, equivalent, games};
use crate::experiment::{Experiment, Plan, Variant, schema};
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
    match too_few_warning(experiment) {
        Some(message) => blockers.push(message),
        None => {
            let power = ExternalPower::new(experiment).filter(ExternalPower::is_insufficient);
            warnings.extend(power.map(|power| power.to_string()));
        }
    }
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

/// Published counts are compared one by one, not as means. The number of games in a trace is not
/// known before the run.
fn too_few_warning(experiment: &Experiment) -> Option<String> {
    let has_figures = experiment.file.expect.iter().any(|expect| !expect.figures.is_empty());
    // A game that has none of the chosen plies is not searched. If there are several suites, the
    // smallest one decides.
    let suites = experiment.suites().into_iter();
    let searched_items = suites.map(|items| items.iter().filter(|item| experiment.is_searched(item)).count());
    let (items, comparisons) = (searched_items.min().unwrap_or(0), experiment.variants.len() - 1);
    let required = min_clusters(comparisons);
    if has_figures || experiment.work.trace().is_some() || comparisons == 0 || items >= required {
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

    fn warnings_of(text: &str) -> Vec<String> {
        let experiment = Experiment::parse(text, "x.toml".as_ref(), &[]).unwrap_or_else(|problem| panic!("{problem}"));
        plan_warnings(&experiment, &Plan::new(&experiment)).all_warnings().cloned().collect()
    }

    /// Each warning is checked on both sides of its limit.
    #[test]
    fn every_warning_has_its_limit() {
        let suite_text =
            |items: usize, more: &str| format!("suite = 'data/bratko-kopec.epd'\nfirst = {items}\n{more}\n");
        let two_variants = "[[variant]]\nname = 'a'\n[[variant]]\nname = 'b'\ndraws = true\n";
        let (aging, no_warnings) = ("aging is invisible", Vec::<String>::new());
        let is_ageing = |text: &str| warnings_of(text).iter().any(|warning| warning.starts_with(aging));
        let depth = "limit = { depth = 3 }\n";
        assert_eq!(warnings_of(&suite_text(1, depth)), no_warnings, "one variant is compared with nothing");
        // Six positions are enough for one comparison, seven for two.
        let three_variants = format!("{two_variants}[[variant]]\nname = 'c'\naspiration = 30\n");
        assert_eq!(warnings_of(&suite_text(6, &format!("{depth}{two_variants}"))), no_warnings);
        let warnings = warnings_of(&suite_text(6, &format!("{depth}{three_variants}")));
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(warnings[0].starts_with("6 positions are too few for 2 comparisons"), "{warnings:?}");
        assert_eq!(warnings_of(&suite_text(7, &format!("{depth}{three_variants}"))), no_warnings);
        let too_few = "5 positions are too few: no result could reach p < 0.05; use at least 6";
        assert_eq!(warnings_of(&suite_text(5, &format!("{depth}{two_variants}"))), [too_few]);
        assert_eq!(
            warnings_of(&suite_text(5, &format!("{depth}{two_variants}[[expect]]\nnodes = 3\n"))),
            no_warnings,
            "figures are about these searches alone"
        );
        // Of the thirteen games, five have more than 82 plies and six have more than 81.
        let games_text =
            |from: u16| format!("suite = 'data/games.pgn'\nsequence = {{ from = {from} }}\n{depth}{two_variants}");
        assert_eq!(warnings_of(&games_text(82)), [too_few.replace("positions", "games")]);
        assert_eq!(warnings_of(&games_text(81)), no_warnings);
        // Ages matter if entries are kept between searches: in games, or if nothing is cleared.
        let ages =
            "[grid]\n'table.policy' = ['depth-age']\n'table.slots' = [2]\n'table.refresh' = ['never', 'match']\n";
        assert!(is_ageing(&suite_text(12, &format!("{depth}{ages}"))));
        assert_eq!(
            warnings_of(&suite_text(12, &format!("{depth}[engine]\ntable.clear = 'never'\n{ages}"))),
            no_warnings
        );
        // Within a search, ages matter if each iteration is a tick, unless the table is cleared
        // before each iteration.
        let warn_with_ticks = |more: &str| {
            warnings_of(&suite_text(12, &format!("{depth}[engine]\ntable.clock = 'iteration'\n{more}{ages}")))
        };
        assert_eq!(warn_with_ticks(""), no_warnings);
        assert!(warn_with_ticks("table.clear = 'iteration'\n")[0].starts_with(aging));
        // One variant that keeps its table is enough to show ages.
        let two_keepers = "[engine]\ntable.policy = 'depth-age'\ntable.slots = 2\n[[variant]]\nname = 'a'\n[[variant]]\nname = 'b'\n'table.refresh' = 'match'\n";
        assert!(is_ageing(&suite_text(12, &format!("{depth}{two_keepers}"))));
        assert!(!is_ageing(&suite_text(12, &format!("{depth}{two_keepers}'table.clear' = 'never'\n"))));
        assert!(!is_ageing(&suite_text(12, &format!("{depth}sequence = {{ self_play = 2 }}\n{ages}"))));
        let factors = "[engine]\ntable.slots = 4\n[grid]\n'table.policy' = [{ kind = 'aged-depth', factor = 1 }, { kind = 'aged-depth', factor = 2 }]\n";
        assert!(is_ageing(&suite_text(12, &format!("{depth}{factors}"))));
        // 3,000 nodes fill three tenths of 10,000 entries; one more entry is too many.
        let large_tables = |entries: u64, nodes: u64| {
            suite_text(
                12,
                &format!(
                    "limit = {{ nodes = {nodes} }}\n[engine]\ntable.size = {entries}\ntable.index = 'modulo'\n[grid]\n'table.slots' = [1, 2]\n"
                ),
            )
        };
        let pressure = "no pressure: no table can be filled to a third by the limit of nodes, so the comparison says little about \
            replacement; use smaller tables or more nodes";
        assert!(!warnings_of(&large_tables(10_000, 3000)).contains(&pressure.to_owned()));
        assert!(warnings_of(&large_tables(10_001, 3000)).contains(&pressure.to_owned()));
        // The rule for the same key also concerns replacement; the key seed does not.
        let with_grid = |grid: &str| large_tables(10_001, 3000).replace("'table.slots' = [1, 2]", grid);
        let is_warned = |grid: &str| {
            warnings_of(&with_grid(grid)).iter().any(|warning| warning.contains("says little about replacement"))
        };
        assert!(is_warned("'table.same_key' = ['replace', 'policy']"));
        assert!(is_warned("'table.policy' = ['always', 'never']"));
        assert!(!is_warned("'keys.seed' = [1, 2]"));
        // One table that can be filled is enough.
        assert!(!is_warned("'table.policy' = ['always', 'never']\n'table.size' = [16, 10_001]"));
        // An entry has 16 bytes; the searches of a game share one table; a size that is a share of
        // the nodes is never too large.
        let bytes = large_tables(0, 3000).replace("table.size = 0", "table.size = '157 KiB'");
        assert!(warnings_of(&bytes).contains(&pressure.to_owned()));
        assert!(!warnings_of(&bytes.replace("157", "156")).contains(&pressure.to_owned()));
        assert!(
            !warnings_of(&bytes.replace("limit", "sequence = { self_play = 3 }\nlimit")).contains(&pressure.to_owned())
        );
        let games_by_people = bytes.replace("suite = 'data/bratko-kopec.epd'\nfirst = 12", "suite = 'data/games.pgn'");
        assert!(!warnings_of(&games_by_people).contains(&pressure.to_owned()), "a game's searches share their table");
        assert!(!warnings_of(&bytes.replace("157 KiB", "90 %")).contains(&pressure.to_owned()));
        // Times are expected but measured only once.
        let timed_once = "times differ when repeated, but each search is made once: set repeats to see the spread";
        let time_claim = |repeats: u32| {
            format!(
                "{}[[expect]]\nclaim = 'seconds(a) < 9 * seconds(b)'\n",
                suite_text(12, &format!("repeats = {repeats}\n{depth}{two_variants}"))
            )
        };
        assert_eq!(warnings_of(&time_claim(1)), [timed_once]);
        assert_eq!(warnings_of(&time_claim(2)), no_warnings);
        let figure =
            format!("{}[[expect]]\nseconds = {{ max = 9 }}\n", suite_text(12, &format!("{depth}{two_variants}")));
        assert_eq!(warnings_of(&figure), [timed_once]);
        assert_eq!(
            warnings_of(&figure.replace("seconds =", "nodes = 7\nseconds =")),
            [timed_once],
            "one of two figures"
        );
    }

    #[test]
    fn variants_with_several_searchers_are_warned_of_by_name() {
        let warn_with = |head: &str, variant: &str| {
            let text = format!(
                "suite = 'data/bratko-kopec.epd'\n{head}\n[[variant]]\nname = 'a'\n[[variant]]\nname = 'b'\n{variant}\n"
            );
            warnings_of(&text).into_iter().find(|warning| warning.contains("by several threads"))
        };
        let depth = "limit = { depth = 3 }";
        assert!(warn_with(depth, "'threads.count' = 2").is_none());
        let real = "'threads.count' = 2\n'threads.kind' = 'real'";
        assert!(warn_with(depth, real).is_some());
        assert!(warn_with(depth, &real.replace('2', "1")).is_none());
        let engine = "'subject.uci' = 'x'\n'uci.Threads' = ";
        let warning = warn_with(depth, &format!("{engine}2")).unwrap();
        assert!(warning.starts_with("searches of \"b\" by several threads"), "{warning}");
        assert!(warn_with(depth, &format!("{engine}1")).is_none());
        assert!(warn_with(&format!("repeats = 2\n{depth}"), &format!("{engine}2")).is_none());
    }

    /// The key seed alone changes counts, so a policy under another seed is confounded with it.
    /// Comparing only seeds is fine.
    #[test]
    fn policy_under_another_key_seed_is_confounded() {
        let make_text = |seeds: [u64; 2], policy: &str| {
            format!(
                "suite = 'data/bratko-kopec.epd'\nlimit = {{ depth = 3 }}\n[[variant]]\nname = 'a'\n'keys.seed' = {}\n[[variant]]\nname = 'b'\n\
                 'keys.seed' = {}\n'table.policy' = '{policy}'\n'table.slots' = 1\n",
                seeds[0], seeds[1]
            )
        };
        assert!(warnings_of(&make_text([1, 1], "big1")).is_empty());
        assert!(warnings_of(&make_text([1, 2], "always")).is_empty());
        // A seed is confounded with slots, too.
        let warnings = warnings_of(&make_text([1, 2], "always").replace("'table.slots' = 1", "'table.slots' = 4"));
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(warnings[0].contains("in keys.seed, and also in table.slots (4 against 1)"), "{warnings:?}");
        let warnings = warnings_of(&make_text([1, 2], "big1"));
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(warnings[0].contains("in table.policy, and also in keys.seed (2 against 1)"), "{warnings:?}");
    }
}
