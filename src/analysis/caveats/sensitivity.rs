//! What an experiment is not sensitive to, and what to do about it.

use super::Caveats;
use super::external_power::ExternalPower;
use super::sample_size;
use crate::analysis::questions::line::{Line, MIN_PRESSURE};
use crate::analysis::questions::summary::Summary;
use crate::experiment::Sequence;
use crate::record::manifest::Manifest;
use crate::text::quote_names;

/// Fewer searches than this say little about a mean.
const MIN_SEARCHES: usize = 10;

/// The options that decide about replacement.
pub(super) const REPLACEMENT: [&str; 3] = ["table.policy", "table.same_key", "table.slots"];

/// The message for results in which no entry grows old.
pub(super) const NO_AGEING: &str = "aging is invisible: every position is searched from an empty table, so no entry grows old; give a \
     [sequence], or a PGN suite";

/// Warns that tables are not full enough. Replacement needs pressure in every table; any other
/// comparison needs it in one, because engines do not play with empty tables.
pub(super) fn no_pressure(
    replacement: bool,
    variants: usize,
    loose: &[&str],
    bounded: usize,
    what: &str,
    than: &str,
) -> Option<String> {
    let message = variants > 1 && !loose.is_empty() && (replacement || loose.len() == bounded);
    let so = if replacement { "so this says little about replacement" } else { "unlike tables in a game" };
    message.then(|| {
        format!("no pressure: the tables of {} {what}, {so}; use smaller tables or {than}", quote_names(loose))
    })
}

/// Warns of variants that clear nothing between positions or games, if there are several.
pub fn uncleared_tables(names: &[&str], items: usize) -> Option<String> {
    (!names.is_empty() && items > 1).then(|| {
        format!(
            "nothing is cleared between positions for {}: each search starts with the table that earlier ones left, but intervals treat positions and \
             games as independent",
            quote_names(names)
        )
    })
}

/// Warns of variants that each play their own moves, if several are compared.
pub fn diverging_games(sequence: Option<&Sequence>, variants: usize) -> Option<String> {
    let own = sequence.is_some_and(|sequence| sequence.self_play > 1);
    (own && variants > 1).then(|| {
        "sequence.self_play: each variant plays its own moves, so that once two have diverged, their paired searches are of different positions"
            .to_owned()
    })
}

/// Caveats of the counts of a finished run.
pub fn count_warnings(manifest: &Manifest, summary: &Summary, smallest_effect: f64) -> Caveats {
    let (mut blockers, mut warnings) = (Vec::new(), Vec::new());
    let varies = |start: &str| manifest.varying.iter().any(|path| path.starts_with(start));
    let replacement = REPLACEMENT.into_iter().any(varies);
    let mut loose: Vec<&Line> = summary.lines.iter().filter(|line| line.hashfull < MIN_PRESSURE).collect();
    if replacement && loose.iter().any(|line| line.is_baseline) {
        // If such tables differ significantly, replacement had an effect.
        loose.retain(|line| !line.measures.first().is_some_and(|measure| measure.significant));
        let lonely = summary.lines.len() > 1 && loose.iter().all(|line| line.is_baseline);
        loose.retain(|_| !lonely);
    }
    let loose: Vec<&str> = loose.into_iter().map(|line| line.name.as_str()).collect();
    let bounded = summary.lines.iter().filter(|line| !line.hashfull.is_nan()).count();
    let what = "stayed less than 30 % full";
    let than = "greater depth";
    blockers.extend(no_pressure(replacement, summary.lines.len(), &loose, bounded, what, than));
    let ages = ["table.refresh", "table.clock", "table.clear"].into_iter().any(varies)
        || crate::experiment::schema::age_paths().any(|path| varies(&path));
    let is = |options: &serde_json::Value, name: &str, word: &str| options["table"][name] == word;
    let grows_old = |options| {
        is(options, "clear", "never") || is(options, "clock", "iteration") && !is(options, "clear", "iteration")
    };
    let unseen = ages && !manifest.sequence && !manifest.options.values().any(grows_old);
    blockers.extend(unseen.then(|| NO_AGEING.to_owned()));
    let power = &summary.power;
    if let Some(words) = sample_size::too_few(power.clusters, power.lines, power.games) {
        blockers.push(words);
    } else if summary.searches < MIN_SEARCHES {
        warnings.push(match summary.searches {
            1 => "only one position was searched: do not generalise".to_owned(),
            searches => format!("{searches} searches are few: their means do not generalise"),
        });
    }
    if summary.lines.len() > 1 {
        warnings.extend(manifest.repeated.and_then(sample_size::repeated_searches));
    }
    let reach = ExternalPower::after_run(manifest, summary, smallest_effect).filter(ExternalPower::falls_short);
    warnings.extend(reach.map(|reach| reach.to_string()));
    Caveats { blockers, warnings, ..Caveats::default() }
}

/// Warnings about the times of a finished run.
pub fn time_warnings(manifest: &Manifest, summary: &Summary) -> Vec<String> {
    let warning = match manifest.jobs {
        jobs @ 2.. => Some(format!(
            "timings are of {jobs} jobs at a time, which share caches and memory: use --jobs 1 and repeats to compare times"
        )),
        _ => {
            (summary.repeats == 1).then(|| "timings are of a single run each: set repeats to compare times".to_owned())
        }
    };
    warning.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count_texts(manifest: &Manifest, summary: &Summary, smallest_effect: f64) -> Vec<String> {
        count_warnings(manifest, summary, smallest_effect).all_warnings().cloned().collect()
    }
    use serde_json::json;

    #[test]
    fn variants_that_clear_nothing_are_named() {
        let message = |names: &[&str], items: usize| {
            uncleared_tables(names, items).and_then(|text| Some(text.split_once(':')?.0.to_owned()))
        };
        let start = "nothing is cleared between positions for \"a\"";
        assert_eq!([message(&[], 9), message(&["a"], 1)], [None, None]);
        assert_eq!(message(&["a"], 2).as_deref(), Some(start));
        assert_eq!(message(&["a", "b", "c"], 2), Some(format!("{start}, \"b\", \"c\"")));
        assert_eq!(message(&["a", "b", "c", "d", "e"], 2), Some(format!("{start}, \"b\", \"c\" and 2 more")));
    }

    /// Tables that differ significantly from one as empty are not listed (by the first metric, and
    /// only if replacement varies).
    #[test]
    fn empty_tables_that_differ_are_not_listed() {
        use crate::analysis::questions::line::Measure;
        let line = |name: &str, hashfull: f64, marked: bool| Line {
            name: name.to_owned(),
            hashfull,
            measures: [marked, !marked].map(|marked| Measure { significant: marked, ..Measure::default() }).to_vec(),
            ..Line::default()
        };
        let message = |varying: &str, lines: [Line; 3]| {
            let [base, one, other] = lines;
            let lines = vec![Line { is_baseline: true, ..base }, one, other];
            let manifest = Manifest { varying: vec![varying.to_owned()], ..Manifest::default() };
            let summary = Summary { searches: 100, lines, ..Summary::default() };
            let found = count_texts(&manifest, &summary, 0.0).into_iter().find(|text| text.starts_with("no pressure"));
            found.map(|text| text.split(" stayed").next().unwrap_or_default().to_owned())
        };
        let lines = |full, one, other| [line("a", full, false), line("b", 200.0, one), line("c", 299.0, other)];
        let pressure_of = |names: &str| Some(format!("no pressure: the tables of {names}"));
        assert_eq!(message("table.policy.kind", lines(250.0, true, true)), None);
        assert_eq!(message("table.policy.kind", lines(250.0, true, false)), pressure_of("\"a\", \"c\""));
        assert_eq!(message("table.policy.kind", lines(300.0, true, true)), pressure_of("\"b\", \"c\""));
        assert_eq!(message("ordering", lines(250.0, true, true)), pressure_of("\"a\", \"b\", \"c\""));
        assert_eq!(message("ordering", lines(300.0, true, true)), None);
    }

    /// Ages matter only if they vary and something is kept: in sequences, or if a table is never
    /// cleared.
    #[test]
    fn ageing_has_no_effect_in_single_searches() {
        let summary = Summary { searches: 100, ..Summary::default() };
        let with = |varying: &str, sequence: bool, table: serde_json::Value| {
            let options = [("v".to_owned(), json!({ "table": table }))].into();
            let manifest = Manifest { varying: vec![varying.to_owned()], sequence, options, ..Manifest::default() };
            count_texts(&manifest, &summary, 0.0).contains(&NO_AGEING.to_owned())
        };
        let message = |varying: &str, sequence, clear: &str| with(varying, sequence, json!({ "clear": clear }));
        // Or if each iteration is a tick and the table is not cleared before it.
        for (clear, blind) in [("game", false), ("iteration", true)] {
            assert_eq!(with("table.refresh", false, json!({ "clear": clear, "clock": "iteration" })), blind, "{clear}");
        }
        let ages: Vec<String> = crate::experiment::schema::age_paths().collect();
        assert!(ages.contains(&"table.policy.factor".to_owned()), "{ages:?}");
        for path in ["table.refresh", "table.clock", "table.clear"].into_iter().chain(ages.iter().map(String::as_str)) {
            assert!(message(path, false, "game"), "{path}");
            assert!(!message(path, true, "game"), "{path}");
            assert!(!message(path, false, "never"), "{path}");
        }
        assert!(!message("table.policy.kind", false, "game"));
        assert!(!message("table.size", false, "game"));
    }

    /// The first three are named and the rest counted; without a varying replacement only if all
    /// tables are loose.
    #[test]
    fn loose_tables_are_named_and_counted() {
        let names = ["a", "b", "c", "d", "e"];
        let message = |replacement: bool, variants: usize, loose: usize, bounded: usize| {
            let found = no_pressure(replacement, variants, &names[..loose], bounded, "are empty", "more");
            found.map(|text| {
                text.replace("no pressure: the tables of ", "")
                    .split(" are empty")
                    .next()
                    .unwrap_or_default()
                    .to_owned()
            })
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!([message(true, 5, 0, 5), message(true, 1, 1, 1), message(false, 5, 4, 5)], [None, None, None]);
        assert_eq!(message(false, 5, 5, 5), some("\"a\", \"b\", \"c\" and 2 more"));
        assert_eq!(message(true, 5, 3, 5), some("\"a\", \"b\", \"c\""));
        // A variant without a bounded table has none that could be full.
        assert_eq!(message(false, 4, 3, 3), some("\"a\", \"b\", \"c\""));
    }

    /// One variant that keeps its table is enough for ages; times need single jobs and repeats.
    #[test]
    fn one_variant_that_keeps_its_table_shows_ages() {
        let options =
            ["game", "never", "search"].map(|clear| (clear.to_owned(), json!({ "table": { "clear": clear } }))).into();
        let manifest = Manifest { varying: vec!["table.clear".to_owned()], options, ..Manifest::default() };
        let summary = |searches: usize| Summary { searches, ..Summary::default() };
        assert_eq!(count_texts(&manifest, &summary(10), 0.0), Vec::<String>::new());
        assert_eq!(count_texts(&manifest, &summary(9), 0.0), ["9 searches are few: their means do not generalise"]);
        assert_eq!(count_texts(&manifest, &summary(1), 0.0), ["only one position was searched: do not generalise"]);
        // Too few for a test has precedence; repeated searches matter only if something is
        // compared.
        let power = crate::analysis::questions::power::Power { clusters: 5, lines: 1, ..Default::default() };
        let few = count_texts(&manifest, &Summary { power, ..summary(5) }, 0.0);
        assert_eq!(few.len(), 1, "{few:?}");
        assert!(few[0].starts_with("5 positions are too few: "), "{few:?}");
        let repeated = Manifest { repeated: Some([6, 100]), ..manifest.clone() };
        for (lines, message) in [(1, 0), (2, 1)] {
            let lines = vec![Line { hashfull: f64::NAN, ..Line::default() }; lines];
            let found = count_texts(&repeated, &Summary { lines, ..summary(100) }, 0.0);
            assert_eq!(found.iter().filter(|text| text.starts_with("6 of 100 searches")).count(), message, "{found:?}");
        }
        let message = |jobs: usize, repeats: usize| {
            let found =
                time_warnings(&Manifest { jobs, ..Manifest::default() }, &Summary { repeats, ..Summary::default() });
            found.iter().map(|text| text.split([':', ',']).next().unwrap_or_default().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!((message(1, 1), message(1, 2)), (vec!["timings are of a single run each".to_owned()], Vec::new()));
        assert_eq!(
            [message(2, 1), message(2, 3)],
            [["timings are of 2 jobs at a time"]; 2].map(|message| message.map(str::to_owned).to_vec())
        );
    }
}
