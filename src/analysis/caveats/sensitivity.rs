//! Warnings about effects that an experiment cannot show. The warnings also say what to do.

use super::external_power::ExternalPower;
use super::{Caveats, sample_size};
use crate::analysis::questions::line::{Line, MIN_PRESSURE};
use crate::analysis::questions::summary::Summary;
use crate::experiment::Sequence;
use crate::record::manifest::Manifest;
use crate::text::quote_names;

/// The smallest number of searches that say enough about a mean.
const MIN_SEARCHES: usize = 10;

/// The options that decide which entries are replaced.
pub(super) const REPLACEMENT: [&str; 3] = ["table.policy", "table.same_key", "table.slots"];

/// The message for experiments that vary how entries age, although no entry grows old.
pub(super) const NO_AGEING: &str = "aging is invisible: every position is searched from an empty table, so no entry grows old; give a \
     [sequence], or a PGN suite";

/// Returns a warning if tables do not come under pressure, that is, if they are not full enough. A
/// comparison of replacement needs pressure in every table. Any other comparison needs pressure in
/// at least one table, because engines do not play with empty tables.
///
/// `bounded_tables` is the number of variants with a bounded table. `names_without_pressure`
/// contains the names of the variants whose tables do not come under pressure. In the message,
/// `state` describes these tables, and `remedy` completes "use smaller tables or".
pub(super) fn no_pressure_warning(
    varies_replacement: bool,
    variant_count: usize,
    names_without_pressure: &[&str],
    bounded_tables: usize,
    state: &str,
    remedy: &str,
) -> Option<String> {
    let is_warned = variant_count > 1
        && !names_without_pressure.is_empty()
        && (varies_replacement || names_without_pressure.len() == bounded_tables);
    let consequence =
        if varies_replacement { "so the comparison says little about replacement" } else { "unlike tables in a game" };
    is_warned.then(|| {
        let tables = quote_names(names_without_pressure);
        format!("no pressure: the tables of {tables} {state}, {consequence}; use smaller tables or {remedy}")
    })
}

pub fn uncleared_tables_warning(names: &[&str], item_count: usize) -> Option<String> {
    (!names.is_empty() && item_count > 1).then(|| {
        format!(
            "nothing is cleared between positions for {}: each search starts with the table that earlier searches left, but intervals treat positions and \
             games as independent",
            quote_names(names)
        )
    })
}

pub fn diverging_games_warning(sequence: Option<&Sequence>, variant_count: usize) -> Option<String> {
    // The first ply is searched in a position of the suite, before a variant has played any move.
    let plays_own_moves = sequence.is_some_and(|sequence| sequence.self_play > 1);
    (plays_own_moves && variant_count > 1).then(|| {
        "sequence.self_play: each variant plays its own moves; after two variants have chosen different moves, their \
         paired searches start from different positions"
            .to_owned()
    })
}

pub fn count_warnings(manifest: &Manifest, summary: &Summary, smallest_effect: f64) -> Caveats {
    let (mut blockers, mut warnings) = (Vec::new(), Vec::new());
    let is_varying = |start: &str| manifest.varying.iter().any(|path| path.starts_with(start));
    let varies_replacement = REPLACEMENT.into_iter().any(is_varying);
    let mut without_pressure: Vec<&Line> = summary.lines.iter().filter(|line| line.hashfull < MIN_PRESSURE).collect();
    if varies_replacement && without_pressure.iter().any(|line| line.is_baseline) {
        // If a line differs significantly although its table is far from full, replacement had an
        // effect on it.
        without_pressure.retain(|line| !line.measures.first().is_some_and(|measure| measure.significant));
        if summary.lines.len() > 1 && without_pressure.iter().all(|line| line.is_baseline) {
            without_pressure.clear();
        }
    }
    let names_without_pressure: Vec<&str> = without_pressure.into_iter().map(|line| line.name.as_str()).collect();
    let bounded_tables = summary.lines.iter().filter(|line| !line.hashfull.is_nan()).count();
    let (state, remedy) = ("stayed less than 30 % full", "greater depth");
    let variant_count = summary.lines.len();
    blockers.extend(no_pressure_warning(
        varies_replacement,
        variant_count,
        &names_without_pressure,
        bounded_tables,
        state,
        remedy,
    ));
    let varies_ages = ["table.refresh", "table.clock", "table.clear"].into_iter().any(is_varying)
        || crate::experiment::schema::age_paths().any(|path| is_varying(&path));
    let has_value = |options: &serde_json::Value, name: &str, text: &str| options["table"][name] == text;
    let ages_without_game = |options| {
        has_value(options, "clear", "never")
            || has_value(options, "clock", "iteration") && !has_value(options, "clear", "iteration")
    };
    let is_ageing_invisible = varies_ages && !manifest.sequence && !manifest.options.values().any(ages_without_game);
    blockers.extend(is_ageing_invisible.then(|| NO_AGEING.to_owned()));
    let power = &summary.power;
    if let Some(message) = sample_size::too_few_warning(power.clusters, power.lines, power.has_games) {
        blockers.push(message);
    } else if summary.searches < MIN_SEARCHES {
        warnings.push(match summary.searches {
            1 => "only one position was searched: its result does not generalise".to_owned(),
            searches => format!("{searches} searches are few: their means do not generalise"),
        });
    }
    if summary.lines.len() > 1 {
        warnings.extend(manifest.repeated.and_then(sample_size::repeated_searches_warning));
    }
    let power = ExternalPower::after_run(manifest, summary, smallest_effect).filter(ExternalPower::is_insufficient);
    warnings.extend(power.map(|power| power.to_string()));
    Caveats { blockers, warnings, ..Caveats::default() }
}

pub fn time_warnings(manifest: &Manifest, summary: &Summary) -> Vec<String> {
    let jobs = manifest.jobs;
    if jobs > 1 {
        vec![format!(
            "times were measured with {jobs} jobs at a time, which share caches and memory: to compare times, use \
             --jobs 1 and repeats"
        )]
    } else if summary.repeats == 1 {
        vec!["each search was timed only once: set repeats to compare times".to_owned()]
    } else {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use serde_json::json;

    fn list_count_warnings(manifest: &Manifest, summary: &Summary, smallest_effect: f64) -> Vec<String> {
        count_warnings(manifest, summary, smallest_effect).all_warnings().cloned().collect()
    }

    #[test]
    fn variants_that_clear_nothing_are_named() {
        let warning_start = |names: &[&str], items: usize| {
            uncleared_tables_warning(names, items).and_then(|text| Some(text.split_once(':')?.0.to_owned()))
        };
        let start = "nothing is cleared between positions for \"a\"";
        assert_eq!([warning_start(&[], 9), warning_start(&["a"], 1)], [None, None]);
        assert_eq!(warning_start(&["a"], 2).as_deref(), Some(start));
        assert_eq!(warning_start(&["a", "b", "c"], 2), Some(format!("{start}, \"b\", \"c\"")));
        assert_eq!(warning_start(&["a", "b", "c", "d", "e"], 2), Some(format!("{start}, \"b\", \"c\" and 2 more")));
    }

    /// If replacement varies and the baseline's table is not full either, variants that differ
    /// significantly from the baseline in the first metric are not listed.
    #[test]
    fn empty_tables_that_differ_are_not_listed() {
        use crate::analysis::questions::line::Measure;
        let make_line = |name: &str, hashfull: f64, significant: bool| Line {
            name: name.to_owned(),
            hashfull,
            measures: [significant, !significant]
                .map(|significant| Measure { significant, ..Measure::default() })
                .to_vec(),
            ..Line::default()
        };
        let warning_start = |varying: &str, lines: [Line; 3]| {
            let [base, second, third] = lines;
            let lines = vec![Line { is_baseline: true, ..base }, second, third];
            let manifest = Manifest { varying: vec![varying.to_owned()], ..Manifest::default() };
            let summary = Summary { searches: 100, lines, ..Summary::default() };
            let warning =
                list_count_warnings(&manifest, &summary, 0.0).into_iter().find(|text| text.starts_with("no pressure"));
            warning.map(|text| text.split(" stayed").next().unwrap_or_default().to_owned())
        };
        let make_lines = |base_hashfull, second_differs, third_differs| {
            [
                make_line("a", base_hashfull, false),
                make_line("b", 200.0, second_differs),
                make_line("c", 299.0, third_differs),
            ]
        };
        let pressure_warning = |names: &str| Some(format!("no pressure: the tables of {names}"));
        assert_eq!(warning_start("table.policy.kind", make_lines(250.0, true, true)), None);
        assert_eq!(
            warning_start("table.policy.kind", make_lines(250.0, true, false)),
            pressure_warning("\"a\", \"c\"")
        );
        assert_eq!(warning_start("table.policy.kind", make_lines(300.0, true, true)), pressure_warning("\"b\", \"c\""));
        assert_eq!(warning_start("ordering", make_lines(250.0, true, true)), pressure_warning("\"a\", \"b\", \"c\""));
        assert_eq!(warning_start("ordering", make_lines(300.0, true, true)), None);
    }

    /// The warning is given if ages vary but no entries are kept between searches, as they are in
    /// sequences or in a table that is never cleared.
    #[test]
    fn ageing_has_no_effect_in_single_searches() {
        let summary = Summary { searches: 100, ..Summary::default() };
        let is_warned_with = |varying: &str, sequence: bool, table: serde_json::Value| {
            let options = [("v".to_owned(), json!({ "table": table }))].into();
            let manifest = Manifest { varying: vec![varying.to_owned()], sequence, options, ..Manifest::default() };
            list_count_warnings(&manifest, &summary, 0.0).contains(&NO_AGEING.to_owned())
        };
        let is_warned =
            |varying: &str, sequence, clear: &str| is_warned_with(varying, sequence, json!({ "clear": clear }));
        // Ages also have an effect if each iteration is a tick and the table is not cleared before
        // it.
        for (clear, expected) in [("game", false), ("iteration", true)] {
            assert_eq!(
                is_warned_with("table.refresh", false, json!({ "clear": clear, "clock": "iteration" })),
                expected,
                "{clear}"
            );
        }
        let ages: Vec<String> = crate::experiment::schema::age_paths().collect();
        assert!(ages.contains(&"table.policy.factor".to_owned()), "{ages:?}");
        for path in ["table.refresh", "table.clock", "table.clear"].into_iter().chain(ages.iter().map(String::as_str)) {
            assert!(is_warned(path, false, "game"), "{path}");
            assert!(!is_warned(path, true, "game"), "{path}");
            assert!(!is_warned(path, false, "never"), "{path}");
        }
        assert!(!is_warned("table.policy.kind", false, "game"));
        assert!(!is_warned("table.size", false, "game"));
    }

    /// The first three variants with a table that is not full are named, and the others are
    /// counted. If replacement does not vary, the warning is given only if no table is full.
    #[test]
    fn loose_tables_are_named_and_counted() {
        let names = ["a", "b", "c", "d", "e"];
        let named_tables = |varies_replacement: bool, variants: usize, loose: usize, bounded: usize| {
            let warning =
                no_pressure_warning(varies_replacement, variants, &names[..loose], bounded, "are empty", "more");
            warning.map(|text| {
                text.replace("no pressure: the tables of ", "")
                    .split(" are empty")
                    .next()
                    .unwrap_or_default()
                    .to_owned()
            })
        };
        let some_text = |text: &str| Some(text.to_owned());
        assert_eq!(
            [named_tables(true, 5, 0, 5), named_tables(true, 1, 1, 1), named_tables(false, 5, 4, 5)],
            [None, None, None]
        );
        assert_eq!(named_tables(false, 5, 5, 5), some_text("\"a\", \"b\", \"c\" and 2 more"));
        assert_eq!(named_tables(true, 5, 3, 5), some_text("\"a\", \"b\", \"c\""));
        // A variant without a bounded table does not count: nothing in it could become full.
        assert_eq!(named_tables(false, 4, 3, 3), some_text("\"a\", \"b\", \"c\""));
    }

    /// One variant that keeps its table is enough to show ages. Few searches and repeated searches
    /// give warnings; so do times of several jobs at a time or without repeats.
    #[test]
    fn one_variant_that_keeps_its_table_shows_ages() {
        let options =
            ["game", "never", "search"].map(|clear| (clear.to_owned(), json!({ "table": { "clear": clear } }))).into();
        let manifest = Manifest { varying: vec!["table.clear".to_owned()], options, ..Manifest::default() };
        let make_summary = |searches: usize| Summary { searches, ..Summary::default() };
        assert_eq!(list_count_warnings(&manifest, &make_summary(10), 0.0), Vec::<String>::new());
        assert_eq!(
            list_count_warnings(&manifest, &make_summary(9), 0.0),
            ["9 searches are few: their means do not generalise"]
        );
        assert_eq!(
            list_count_warnings(&manifest, &make_summary(1), 0.0),
            ["only one position was searched: its result does not generalise"]
        );
        // The warning that there are too few positions for a test has precedence. Repeated searches
        // matter only if variants are compared.
        let power = crate::analysis::questions::power::Power { clusters: 5, lines: 1, ..Default::default() };
        let warnings = list_count_warnings(&manifest, &Summary { power, ..make_summary(5) }, 0.0);
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(warnings[0].starts_with("5 positions are too few: "), "{warnings:?}");
        let repeated = Manifest { repeated: Some([6, 100]), ..manifest.clone() };
        for (lines, count) in [(1, 0), (2, 1)] {
            let lines = vec![Line { hashfull: f64::NAN, ..Line::default() }; lines];
            let warnings = list_count_warnings(&repeated, &Summary { lines, ..make_summary(100) }, 0.0);
            assert_eq!(
                warnings.iter().filter(|text| text.starts_with("6 of 100 searches")).count(),
                count,
                "{warnings:?}"
            );
        }
        let warning_starts = |jobs: usize, repeats: usize| {
            let warnings =
                time_warnings(&Manifest { jobs, ..Manifest::default() }, &Summary { repeats, ..Summary::default() });
            warnings.iter().map(|text| text.split([':', ',']).next().unwrap_or_default().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(
            (warning_starts(1, 1), warning_starts(1, 2)),
            (vec!["each search was timed only once".to_owned()], Vec::new())
        );
        assert_eq!(
            [warning_starts(2, 1), warning_starts(2, 3)],
            [["times were measured with 2 jobs at a time"]; 2].map(|warnings| warnings.map(str::to_owned).to_vec())
        );
    }
}
