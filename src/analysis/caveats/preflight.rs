//! Warns of what an experiment cannot show, before the experiment runs.

use super::external_power::ExternalPower;
use super::{Caveats, confounds, equivalent, games, sample_size, searchers, sensitivity};
use crate::analysis::rows::frame::Frame;
use crate::experiment::{Experiment, Plan, Variant, grid, schema};
use crate::record::columns;
use crate::table::options::{Clear, Size, TickSource};
use crate::table::{TableKind, TableOptions};
use std::path::Path;

/// A table cannot come under pressure if it has more slots per searched node than this. Each node
/// stores at most one entry, so less than 30 % of the slots are filled.
const MAX_SLOTS_PER_NODE: f64 = 10.0 / 3.0;

/// The smallest number of positions that say enough about a mean.
const MIN_POSITIONS: usize = 10;

/// If `folder` contains rows of an earlier run, the spread is measured in these rows.
pub fn external_power(experiment: &Experiment, folder: Option<&Path>) -> Option<ExternalPower> {
    if experiment.variants.iter().all(|variant| variant.external().is_none()) {
        return None;
    }
    let rows = folder.and_then(|folder| Frame::read(&folder.join(crate::record::RESULTS)).ok());
    ExternalPower::before_run(experiment, rows.as_ref())
}

/// Warnings that follow from the design of the experiment alone, not from its rows. These warnings
/// are also shown on the results page.
pub fn design_limits(experiment: &Experiment) -> Vec<String> {
    if experiment.work.games().is_some() {
        return games::player_warnings(experiment);
    }
    let open_loop = "open loop: the trace is replayed without any search. In a search, the table's answers would change \
         later probes";
    let trace_warning = experiment.work.trace().is_some().then(|| open_loop.to_owned());
    trace_warning
        .into_iter()
        .chain(wrapping_ages_warning(experiment))
        .chain(searchers::searcher_warning(experiment))
        .collect()
}

/// `folder` may contain rows of an earlier run.
pub fn plan_warnings(experiment: &Experiment, plan: &Plan, jobs: usize, folder: Option<&Path>) -> Caveats {
    let mut warnings = design_limits(experiment);
    if plan.is_match() {
        warnings.extend(games::match_warnings(experiment));
        return Caveats { warnings, ..Caveats::default() };
    }
    let varying = plan.varying();
    let is_varying = |start: &str| varying.iter().any(|path| path.starts_with(start));
    let mut blockers = Vec::new();
    let is_replay = experiment.work.trace().is_some();
    let is_suite_of_games = experiment.suite.items.iter().any(|item| item.game_moves().is_some());
    let has_sequences = experiment.has_sequences();
    let shares_tables = has_sequences || is_replay;
    let varies_ages = ["table.refresh", "table.clock"].into_iter().any(is_varying)
        || schema::age_paths().any(|path| is_varying(&path));
    let ages_without_game = |table: &TableOptions| {
        table.clear == Clear::Never || table.clock == TickSource::Iteration && table.clear != Clear::Iteration
    };
    let is_ageing_invisible =
        varies_ages && !shares_tables && !plan.variants.iter().filter_map(Variant::table).any(ages_without_game);
    blockers.extend(is_ageing_invisible.then(|| sensitivity::NO_AGEING.to_owned()));
    let varies_replacement = sensitivity::REPLACEMENT.into_iter().any(is_varying);
    let variants = &experiment.variants;
    let too_large: Vec<&str> = variants
        .iter()
        .filter(|variant| is_too_large(variant, experiment, has_sequences))
        .map(|variant| variant.name.as_str())
        .collect();
    let bounded_tables =
        variants.iter().filter_map(Variant::table).filter(|table| table.kind == TableKind::Bounded).count();
    let state = "cannot be filled to a third by the limit of nodes";
    blockers.extend(sensitivity::no_pressure_warning(
        varies_replacement,
        variants.len(),
        &too_large,
        bounded_tables,
        state,
        "more nodes",
    ));
    let confounds = confounds::find_confounds(variants, &experiment.partners, &experiment.file.zip);
    warnings.extend(confounds.warnings);
    // The names of external engines are not known before the engines have run.
    let engine_name = |variant: &Variant| if variant.external().is_some() { "another" } else { "ours" };
    warnings.extend(confounds::different_engines_warning(variants.iter().map(engine_name)));
    warnings.extend(sensitivity::diverging_games_warning(experiment.work.sequence().as_ref(), variants.len()));
    warnings.extend(equivalent::find_equivalent(variants));
    for index in grid::unused_excludes(&experiment.file) {
        let excluded = experiment.file.exclude[index].to_string().trim().replace('\n', ", ");
        warnings.push(format!("[[exclude]] entry {} excludes no variant: {excluded}", index + 1));
    }
    for (index, condition) in crate::experiment::unmatched_conditions(experiment) {
        warnings.push(format!("[[expect]] entry {} matches no row: no row will have {condition}", index + 1));
    }
    let has_figures = experiment.file.expect.iter().any(|expect| !expect.figures.is_empty());
    // A game that has none of the chosen plies is not searched. If there are several suites, the
    // smallest one decides.
    let suites = experiment.suites().into_iter();
    let searched_items = suites.map(|items| items.iter().filter(|item| experiment.is_searched(item)).count());
    let searches = searched_items.min().unwrap_or(0);
    if has_figures || is_replay {
        // Published counts are compared one by one, not as means. The number of games in a trace is
        // not known yet.
    } else if let Some(message) = sample_size::too_few_warning(searches, variants.len() - 1, is_suite_of_games) {
        blockers.push(message);
    } else if let Some(power) = external_power(experiment, folder).filter(ExternalPower::is_insufficient) {
        warnings.push(power.to_string());
    } else if variants.len() > 1 && searches < MIN_POSITIONS && !shares_tables {
        warnings.push(format!("{searches} positions are few: their means do not generalise; use a larger suite"));
    }
    if variants.len() > 1 && !has_figures {
        warnings.extend(experiment.count_repeated_searches().and_then(sample_size::repeated_searches_warning));
    }
    let expects_times = experiment.file.expect.iter().any(|expect| {
        expect.figures.keys().any(|metric| metric == columns::SECONDS)
            || expect.claim.as_ref().is_some_and(|claim| claim.contains("seconds("))
    });
    if expects_times && experiment.file.repeats == 1 {
        warnings.push(
            "an expectation is about time, but each search is timed once: set repeats to see the spread".to_owned(),
        );
    }
    if (expects_times || experiment.file.repeats > 1) && jobs > 1 {
        warnings.push(format!(
            "searches are repeated to be timed, and {jobs} jobs at a time share caches and memory: use --jobs 1"
        ));
    }
    let mut notes = confounds.notes;
    notes.extend(confounds::describe_variants_without_baseline(variants, &experiment.partners));
    Caveats { blockers, warnings, notes }
}

/// After the counter has wrapped, old entries look new.
fn wrapping_ages_warning(experiment: &Experiment) -> Option<String> {
    // The longest game counts.
    let game_searches = experiment.suite.items.iter().map(|item| experiment.searches_per_variant(item)).max()? as u64;
    let wrapping_bits_and_name = |variant: &Variant| {
        let table = variant.table()?;
        // Without a depth limit, a search has at least one iteration.
        let iterations = experiment.limits(variant).iter().filter_map(|limit| limit.depth).max().map_or(1, u64::from);
        let ticks = if table.clock == TickSource::Iteration { game_searches * iterations } else { game_searches };
        let is_kept_in_game = matches!(table.clear, Clear::Game | Clear::Never);
        let wraps = table.kind == TableKind::Bounded && is_kept_in_game && ticks >= 1 << table.age_bits;
        wraps.then(|| (table.age_bits, variant.name.clone()))
    };
    let mut wrapping_tables = experiment.variants.iter().filter_map(wrapping_bits_and_name);
    let (bits, name) = wrapping_tables.next()?;
    let and_more = crate::text::and_more(wrapping_tables.count());
    Some(format!(
        "ages wrap in \"{name}\"{and_more}: a game of {game_searches} searches raises the age more often than table.age_bits = \
         {bits} can count, so old entries look new"
    ))
}

/// Whether a variant's table is bounded and so large that it cannot come under pressure within the
/// node limit. `searches_share_table` is true if several searches use the same table.
fn is_too_large(variant: &Variant, experiment: &Experiment, searches_share_table: bool) -> bool {
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
    let nodes = if searches_share_table { nodes.saturating_mul(max_searches) } else { nodes };
    slots as f64 > nodes as f64 * MAX_SLOTS_PER_NODE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warnings_of(text: &str, jobs: usize) -> Vec<String> {
        let experiment =
            Experiment::parse(text, Path::new("x.toml"), &[]).unwrap_or_else(|problem| panic!("{problem}"));
        plan_warnings(&experiment, &Plan::new(&experiment), jobs, None).all_warnings().cloned().collect()
    }

    /// Each warning is checked on both sides of its limit.
    #[test]
    fn every_warning_has_its_limit() {
        let suite_text =
            |items: usize, more: &str| format!("suite = 'data/bratko-kopec.epd'\nfirst = {items}\n{more}\n");
        let two_variants = "[[variant]]\nname = 'a'\n[[variant]]\nname = 'b'\ndraws = true\n";
        let few_positions =
            |items: usize| format!("{items} positions are few: their means do not generalise; use a larger suite");
        let (aging, no_warnings) = (sensitivity::NO_AGEING.to_owned(), Vec::<String>::new());
        let depth = "limit = { depth = 3 }\n";
        assert_eq!(warnings_of(&suite_text(10, &format!("{depth}{two_variants}")), 1), no_warnings);
        assert_eq!(warnings_of(&suite_text(9, &format!("{depth}{two_variants}")), 1), [few_positions(9)]);
        assert_eq!(
            warnings_of(&suite_text(9, &format!("{depth}{two_variants}[[expect]]\nnodes = 3\n")), 1),
            no_warnings,
            "figures are about these searches alone"
        );
        assert_eq!(warnings_of(&suite_text(1, depth), 1), no_warnings, "one variant is compared with nothing");
        // Six positions are enough for one comparison, seven for two.
        let three_variants = format!("{two_variants}[[variant]]\nname = 'c'\naspiration = 30\n");
        assert_eq!(warnings_of(&suite_text(6, &format!("{depth}{two_variants}")), 1), [few_positions(6)]);
        let warnings = warnings_of(&suite_text(6, &format!("{depth}{three_variants}")), 1);
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(warnings[0].starts_with("6 positions are too few for 2 comparisons"), "{warnings:?}");
        assert_eq!(warnings_of(&suite_text(7, &format!("{depth}{three_variants}")), 1), [few_positions(7)]);
        let too_few = "5 positions are too few: no result could reach p < 0.05; use at least 6";
        assert_eq!(warnings_of(&suite_text(5, &format!("{depth}{two_variants}")), 1), [too_few]);
        // Of the thirteen games, five have more than 82 plies and six have more than 81.
        let games_text =
            |from: u16| format!("suite = 'data/games.pgn'\nsequence = {{ from = {from} }}\n{depth}{two_variants}");
        assert_eq!(warnings_of(&games_text(82), 1), [too_few.replace("positions", "games")]);
        assert_eq!(warnings_of(&games_text(81), 1), no_warnings);
        // Ages matter if entries are kept between searches: in games, or if nothing is cleared.
        let ages =
            "[grid]\n'table.policy' = ['depth-age']\n'table.slots' = [2]\n'table.refresh' = ['never', 'match']\n";
        assert_eq!(warnings_of(&suite_text(12, &format!("{depth}{ages}")), 1), std::slice::from_ref(&aging));
        assert_eq!(
            warnings_of(&suite_text(12, &format!("{depth}[engine]\ntable.clear = 'never'\n{ages}")), 1),
            no_warnings
        );
        // Within a search, ages matter if each iteration is a tick, unless the table is cleared
        // before each iteration.
        let warn_with_ticks = |more: &str| {
            warnings_of(&suite_text(12, &format!("{depth}[engine]\ntable.clock = 'iteration'\n{more}{ages}")), 1)
        };
        assert_eq!(warn_with_ticks(""), no_warnings);
        assert!(warn_with_ticks("table.clear = 'iteration'\n").contains(&aging));
        // One variant that keeps its table is enough to show ages.
        let two_keepers = "[engine]\ntable.policy = 'depth-age'\ntable.slots = 2\n[[variant]]\nname = 'a'\n[[variant]]\nname = 'b'\n'table.refresh' = 'match'\n";
        assert!(warnings_of(&suite_text(12, &format!("{depth}{two_keepers}")), 1).contains(&aging));
        assert!(
            !warnings_of(&suite_text(12, &format!("{depth}{two_keepers}'table.clear' = 'never'\n")), 1)
                .contains(&aging)
        );
        let warn_in_self_play = |plies: u16, grid: &str| {
            warnings_of(&suite_text(12, &format!("{depth}sequence = {{ self_play = {plies} }}\n{grid}")), 1)
        };
        assert_eq!((warn_in_self_play(1, ages), warn_in_self_play(3, "")), (no_warnings.clone(), no_warnings.clone()));
        assert!(matches!(&warn_in_self_play(2, ages)[..], [warning] if warning.starts_with("sequence.self_play: ")));
        assert!(warnings_of(&suite_text(12, &format!("{depth}[engine]\ntable.slots = 4\n[grid]\n'table.policy' = [{{ kind = 'aged-depth', factor = 1 }}, {{ kind = 'aged-depth', factor = 2 }}]\n")), 1).contains(&aging));
        // 3,000 nodes fill three tenths of 10,000 entries; one more entry is too many.
        let large_tables = |entries: u64, nodes: u64| {
            suite_text(
                12,
                &format!(
                    "limit = {{ nodes = {nodes} }}\n[engine]\ntable.size = {entries}\ntable.index = 'modulo'\n[grid]\n'table.slots' = [1, 2]\n"
                ),
            )
        };
        let pressure = "no pressure: the tables of \"slots=1\", \"slots=2\" cannot be filled to a third by the limit of nodes, so the comparison says little about \
            replacement; use smaller tables or more nodes";
        assert!(!warnings_of(&large_tables(10_000, 3000), 1).contains(&pressure.to_owned()));
        assert!(warnings_of(&large_tables(10_001, 3000), 1).contains(&pressure.to_owned()));
        // The rule for the same key also concerns replacement; the key seed does not.
        let with_grid = |grid: &str| large_tables(10_001, 3000).replace("'table.slots' = [1, 2]", grid);
        let is_warned = |grid: &str| {
            warnings_of(&with_grid(grid), 1).iter().any(|warning| warning.contains("says little about replacement"))
        };
        assert!(is_warned("'table.same_key' = ['replace', 'policy']"));
        assert!(is_warned("'table.policy' = ['always', 'never']"));
        assert!(!is_warned("'keys.seed' = [1, 2]"));
        // An entry has 16 bytes; the searches of a game share one table; a size that is a share of
        // the nodes is never too large.
        let bytes = large_tables(0, 3000).replace("table.size = 0", "table.size = '157 KiB'");
        assert!(warnings_of(&bytes, 1).contains(&pressure.to_owned()));
        assert!(!warnings_of(&bytes.replace("157", "156"), 1).contains(&pressure.to_owned()));
        assert!(
            !warnings_of(&bytes.replace("limit", "sequence = { self_play = 3 }\nlimit"), 1)
                .contains(&pressure.to_owned())
        );
        let games_by_people = bytes.replace("suite = 'data/bratko-kopec.epd'\nfirst = 12", "suite = 'data/games.pgn'");
        assert!(
            !warnings_of(&games_by_people, 1).contains(&pressure.to_owned()),
            "a game's searches share their table"
        );
        assert!(!warnings_of(&bytes.replace("157 KiB", "90 %"), 1).contains(&pressure.to_owned()));
        // Times are expected but measured only once, or repeated with several jobs at a time.
        let timed_once =
            "an expectation is about time, but each search is timed once: set repeats to see the spread".to_owned();
        let shared_machine = |jobs: usize| {
            format!(
                "searches are repeated to be timed, and {jobs} jobs at a time share caches and memory: use --jobs 1"
            )
        };
        let time_claim = |repeats: u32| {
            format!(
                "{}[[expect]]\nclaim = 'seconds(a) < 9 * seconds(b)'\n",
                suite_text(12, &format!("repeats = {repeats}\n{depth}{two_variants}"))
            )
        };
        assert_eq!(warnings_of(&time_claim(1), 1), std::slice::from_ref(&timed_once));
        assert_eq!(warnings_of(&time_claim(1), 2), [timed_once.clone(), shared_machine(2)]);
        assert_eq!(warnings_of(&time_claim(2), 1), no_warnings);
        assert_eq!(warnings_of(&time_claim(2), 3), [shared_machine(3)]);
        let figure =
            format!("{}[[expect]]\nseconds = {{ max = 9 }}\n", suite_text(12, &format!("{depth}{two_variants}")));
        assert_eq!(warnings_of(&figure, 1), std::slice::from_ref(&timed_once));
        assert_eq!(
            warnings_of(&figure.replace("seconds =", "nodes = 7\nseconds ="), 1),
            [timed_once],
            "one of two figures"
        );
        assert_eq!(
            warnings_of(&suite_text(12, &format!("repeats = 2\n{depth}{two_variants}")), 2),
            [shared_machine(2)]
        );
        assert_eq!(warnings_of(&suite_text(12, &format!("{depth}{two_variants}")), 2), no_warnings, "nothing is timed");
        // An exclude without effect is reported by its number.
        let excludes = format!(
            "{depth}[grid]\n'draws' = [true, false]\n'keys.seed' = [1, 2]\n[[exclude]]\n'keys.seed' = 2\n[[exclude]]\n'keys.seed' = 3\n'draws' = true\n"
        );
        let unused_exclude = "[[exclude]] entry 2 excludes no variant: \"keys.seed\" = 3, draws = true".to_owned();
        assert_eq!(warnings_of(&suite_text(12, &excludes), 1), [unused_exclude]);
        // A condition that no row can meet is reported by the expectation's number.
        let warn_with = |limit: &str, conditions: &str| {
            warnings_of(
                &suite_text(
                    12,
                    &format!(
                        "limit = {{ {limit} }}\n{two_variants}[[expect]]\nnodes = 3\n[[expect]]\nnodes = 3\nwhere = {{ {conditions} }}\n"
                    ),
                ),
                1,
            )
        };
        let unmatched_warning =
            |condition: &str| vec![format!("[[expect]] entry 2 matches no row: no row will have {condition}")];
        for (matching, failing) in [
            ("depth = 3", "depth = 4"),
            ("position = 'BK.12'", "position = 'BK.13'"),
            ("draws = true", "draws = 3"),
            ("'table.policy.kind' = 'always'", "'table.policy.kind' = 'alwys'"),
            ("'table.slots' = 1", "'table.slots' = 3"),
        ] {
            assert_eq!(warn_with("depth = 3", matching), no_warnings, "{matching}");
            assert_eq!(warn_with("depth = 3", failing), unmatched_warning(&failing.replace('\'', "")), "{failing}");
        }
        assert_eq!(warn_with("nodes = 999999", "depth = 99"), no_warnings, "the depth is not known in advance");
    }

    /// A game of eight searches has eight ticks: an age of three bits wraps, an age of four bits
    /// does not.
    #[test]
    fn ages_that_wrap_within_a_game_are_named() {
        let make_text = |bits: u8, more: &str| {
            format!(
                "suite = 'data/games.pgn'\nsequence = {{ from = 20, to = 27 }}\nlimit = {{ depth = 3 }}\n\
                 [engine]\ntable.age_bits = {bits}\n{more}[[variant]]\nname = 'a'\n"
            )
        };
        let is_warned = |bits, more| {
            warnings_of(&make_text(bits, more), 1)
                .iter()
                .any(|text| text.starts_with("ages wrap in \"a\": a game of 8 "))
        };
        assert_eq!([(3, ""), (4, "")].map(|(bits, more)| is_warned(bits, more)), [true, false]);
        assert!(is_warned(4, "table.clock = 'iteration'\n"), "three ticks a search");
        assert!(!is_warned(3, "table.clear = 'search'\n"));
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
        assert!(warnings_of(&make_text([1, 1], "big1"), 1).is_empty());
        assert!(warnings_of(&make_text([1, 2], "always"), 1).is_empty());
        // A seed is confounded with slots, too.
        let warnings = warnings_of(&make_text([1, 2], "always").replace("'table.slots' = 1", "'table.slots' = 4"), 1);
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(warnings[0].contains("in keys.seed, and also in table.slots (4 against 1)"), "{warnings:?}");
        let warnings = warnings_of(&make_text([1, 2], "big1"), 1);
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(warnings[0].contains("in table.policy, and also in keys.seed (2 against 1)"), "{warnings:?}");
    }

    /// If an external engine is compared with ttlab's, a warning says that their nodes are not the
    /// same work. The spread is measured if there are rows of an earlier run.
    #[test]
    fn external_engine_spread_is_measured_in_earlier_rows() {
        let text = "suite = 'data/bratko-kopec.epd'\nfirst = 12\nlimit = { depth = 3 }\n[[variant]]\nname = 'ours'\n[[variant]]\nname = 'a'\n'subject.uci' = 'a'\n";
        let warnings = warnings_of(text, 1);
        let engines = "different engines (another, ours) do different work per node: compare an engine with itself";
        assert!(warnings.contains(&engines.to_owned()), "{warnings:?}");
        let folder = tempfile::tempdir().unwrap();
        let make_rows = |index: usize| format!("ours,p{index},3,100\na,p{index},3,{}\n", [50, 200, 100][index % 3]);
        let rows: String = (0..12).map(make_rows).collect();
        std::fs::write(folder.path().join("results.csv"), format!("variant,position,depth,search.nodes\n{rows}"))
            .unwrap();
        let experiment = Experiment::parse(text, Path::new("x.toml"), &[]).unwrap();
        let describe_power = |folder: Option<&Path>| external_power(&experiment, folder).unwrap().to_string();
        assert!(
            describe_power(Some(folder.path())).contains(" (measured here), "),
            "{}",
            describe_power(Some(folder.path()))
        );
        for folder in [None, Some(Path::new("no-such-folder"))] {
            assert!(describe_power(folder).contains(" (typical of external engines), "));
        }
    }
}
