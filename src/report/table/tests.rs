//! Tests the cells of a page's tables on lines made by hand. No two figures of a line are equal, so
//! that a wrong column would be noticed.

use super::super::identity::Identity;
use super::super::sheet::{Datum, Part, assert_drop_orders_distinct};
use super::*;
use crate::analysis::questions::line::{Measure, RATES};
use crate::analysis::questions::pairwise::LinePair;
use crate::analysis::{Frame, Metric, Summary};
use crate::record::manifest::Manifest;
use crate::stats::influence::Influence;
use crate::stats::ratio::Ratio;

/// A page with the given lines; the first is the baseline.
fn page(mut lines: Vec<Line>) -> Page {
    if let Some(first) = lines.first_mut() {
        first.is_baseline = true;
    }
    let metrics = vec![Metric::nodes()];
    let summary = Summary { by: vec![columns::VARIANT.to_owned()], lines, metrics, searches: 8, ..Summary::default() };
    Page { identity: Identity::new(&Frame::default(), &summary, &[]), summary, ..Page::default() }
}

fn line(name: &str) -> Line {
    let (pressure, hashfull) = (f64::NAN, f64::NAN);
    let measures = vec![Measure { ratio: Ratio::identity(8), p: f64::NAN, value: 100.0, ..Measure::default() }];
    let mut line = Line { name: name.to_owned(), searches: 8, measures, pressure, hashfull, ..Line::default() };
    line.set_sums([(columns::NODES, 100.0)]);
    line
}

fn line_with(name: &str, edit: impl Fn(&mut Line)) -> Line {
    let mut line = line(name);
    edit(&mut line);
    line
}

/// Adds 10 probes, of which 7 hit, 4 were usable and 2 gave a move, and 20 stores.
fn add_probes(line: &mut Line) {
    line.set_sums([(columns::PROBES, 10.0), (columns::HITS, 7.0), (columns::USABLE, 4.0), (columns::MOVE_ONLY, 2.0)]);
    line.set_sums([(columns::MISSES_EMPTY, 1.0), (columns::MISSES_OTHER, 2.0)]);
    line.set_sums([(columns::STORES, 20.0), (columns::EVICTIONS, 5.0), (columns::REJECTIONS, 3.0)]);
    (line.pressure, line.hashfull) = (1.25, 375.0);
}

fn make_smaller(line: &mut Line) {
    let ratio = Ratio { mean: 0.5, low: 0.4, high: 0.6, p: 0.01, pairs: 8, clusters: 8, ..Ratio::default() };
    line.measures[0] = Measure { ratio, p: 0.02, significant: true, value: 100.0, ..Measure::default() };
}

/// The cell of a row and a column; none if there is no such column.
fn cell<'a>(table: &'a SheetTable, row: usize, key: &str) -> Option<&'a Cell> {
    let index = table.columns.iter().position(|column| column.key == key)?;
    assert_eq!(table.rows[row].len(), table.columns.len());
    Some(&table.rows[row][index])
}

fn text<'a>(table: &'a SheetTable, row: usize, key: &str) -> Option<&'a str> {
    cell(table, row, key).map(|cell| cell.text.as_str())
}

fn dash_reason(table: &SheetTable, row: usize, key: &str) -> Option<&'static str> {
    cell(table, row, key).filter(|cell| cell.value == Datum::None).map(|cell| cell.note)
}

/// Worth isn't shown if metrics were chosen.
#[test]
fn worth_is_shown_if_any_line_has_it() {
    let saved_index = RATES.iter().position(|(column, _)| *column == columns::SAVED).unwrap();
    let add_worth = |line: &mut Line| {
        line.set_sums([(columns::SAVED, 300.0)]);
        line.intervals[saved_index] = (0.7, 0.8);
    };
    let add_probes_and_worth = |line: &mut Line| {
        add_probes(line);
        add_worth(line);
    };
    for (lines, expected) in [
        (vec![line_with("a", add_probes), line_with("b", add_probes_and_worth)], Some(["0.0 %", "75.0 %"])),
        (vec![line_with("a", add_probes_and_worth), line_with("b", add_probes)], Some(["75.0 %", "0.0 %"])),
        (vec![line_with("a", add_probes_and_worth), line_with("b", add_probes_and_worth)], Some(["75.0 %", "75.0 %"])),
        (vec![line_with("a", add_probes), line_with("b", add_probes)], None),
    ] {
        let mut page = page(lines);
        if expected.is_some() {
            [summary_table(&page), traffic_table(&page).unwrap()].iter().for_each(assert_drop_orders_distinct);
        }
        let shown_texts = [0, 1].map(|row| text(&summary_table(&page), row, "saved").map(str::to_owned));
        assert_eq!(shown_texts, [0, 1].map(|row| expected.map(|expected| expected[row].to_owned())));
        let hits = text(&summary_table(&page), 0, "hit_rate").map(str::to_owned);
        assert_eq!(hits, expected.map(|_| "70.0 %".to_owned()));
        let shares = shares_table(&page).unwrap();
        assert_eq!(shares.columns.iter().any(|column| column.key == "saved"), expected.is_some());
        if let Some(expected) = expected {
            let interval_of = |share: &str| if share == "0.0 %" { "0.0-0.0 %" } else { "70.0-80.0 %" };
            assert_eq!([0, 1].map(|row| text(&shares, row, "saved").unwrap()), expected.map(interval_of));
        }
        page.custom_metrics = true;
        assert_eq!(text(&summary_table(&page), 0, "saved"), None, "metrics were chosen");
        assert_eq!(text(&summary_table(&page), 0, "usable"), None);
    }
    // The second line probed its table, but its entries count nodes that were never searched.
    let with_unknown_worth = |line: &mut Line| {
        add_probes(line);
        line.set_sums([(columns::SAVED, f64::NAN)]);
    };
    let table = summary_table(&page(vec![line_with("a", add_probes_and_worth), line_with("b", with_unknown_worth)]));
    assert_eq!([0, 1].map(|row| text(&table, row, "saved")), [Some("75.0 %"), Some("-")]);
    assert_eq!(dash_reason(&table, 1, "saved"), Some(NO_COST));
    assert_eq!(text(&table, 1, "hit_rate"), Some("70.0 %"));
    // An external engine that doesn't report on its table, beside the built-in one.
    let table = summary_table(&page(vec![line_with("a", add_probes_and_worth), line("b")]));
    assert_eq!([0, 1].map(|row| text(&table, row, "saved")), [Some("75.0 %"), Some("-")]);
}

#[test]
fn each_dash_has_its_reason() {
    let with_one_pair = |line: &mut Line| {
        add_probes(line);
        let ratio = Ratio { mean: 0.5, pairs: 1, low: f64::NAN, high: f64::NAN, error: f64::NAN, ..Ratio::default() };
        line.measures[0] = Measure { ratio, p: f64::NAN, ..Measure::default() };
    };
    let without_common_depth = |line: &mut Line| {
        with_one_pair(line);
        (line.measures[0].ratio.mean, line.measures[0].incomparable) = (f64::NAN, 3);
    };
    let with_nothing = |line: &mut Line| {
        with_one_pair(line);
        line.set_sums([(columns::STORES, 0.0)]);
        (line.measures[0].ratio.mean, line.measures[0].value) = (f64::NAN, f64::NAN);
    };
    let lines = vec![
        line("base"),
        line_with("one", with_one_pair),
        line_with("apart", without_common_depth),
        line_with("nothing", with_nothing),
        line_with("less", make_smaller),
    ];
    let mut page = page(lines);
    let dash_reasons = |table: &SheetTable, key: &str| {
        (0..table.rows.len()).map(|row| dash_reason(table, row, key)).collect::<Vec<_>>()
    };
    let summary = summary_table(&page);
    assert_eq!(
        dash_reasons(&summary, "ratio"),
        [None, None, Some("no common depth"), Some("nothing to compare with"), None]
    );
    assert_eq!(
        dash_reasons(&summary, "interval"),
        [Some(BASELINE), Some(TOO_FEW_POSITIONS), Some(TOO_FEW_POSITIONS), Some(TOO_FEW_POSITIONS), None]
    );
    assert_eq!(dash_reasons(&summary, "nodes"), [None, None, None, Some("nothing to count"), None]);
    for (key, reason) in [("usable", NO_TABLE), ("move_only", NO_TABLE), ("full", NO_SLOTS), ("pressure", NO_SLOTS)] {
        assert_eq!(dash_reasons(&summary, key), [Some(reason), None, None, None, Some(reason)], "{key}");
    }
    let with_unknown_pressure = |line: &mut Line| {
        add_probes(line);
        line.pressure = f64::NAN;
    };
    let filtered = summary_table(&self::page(vec![line_with("part of a life", with_unknown_pressure)]));
    assert_eq!(
        [dash_reason(&filtered, 0, "full"), dash_reason(&filtered, 0, "pressure")],
        [None, Some(TABLE_LIFE_FILTERED)]
    );
    let traffic = traffic_table(&page).unwrap();
    assert_eq!(dash_reasons(&traffic, "hits"), [None; 3], "a line without probes has no row");
    for key in ["evictions", "rejections"] {
        assert_eq!(dash_reasons(&traffic, key), [None, None, Some("nothing was stored")], "{key}");
    }
    let details = details_table(&page);
    for key in ["p", "without", "detectable", "needed"] {
        assert_eq!(
            dash_reasons(&details, key)[..4],
            [Some(BASELINE), Some(TOO_FEW_POSITIONS), Some(TOO_FEW_POSITIONS), Some(TOO_FEW_POSITIONS)],
            "{key}"
        );
    }
    assert_eq!(dash_reasons(&details, "p")[4], None);
    assert_eq!(dash_reasons(&details, "other_scores"), [&[Some(BASELINE)][..], &[Some("no common depth"); 4]].concat());
    assert_eq!(
        dash_reasons(&details, "below"),
        [Some(BASELINE), Some(TOO_FEW_POSITIONS), Some(TOO_FEW_POSITIONS), Some(TOO_FEW_POSITIONS), None]
    );
    assert_eq!(dash_reasons(&details, "solved"), [Some("the suite names no best moves"); 5]);
    page.custom_metrics = true;
    assert_eq!(
        dash_reasons(&summary_table(&page), "p"),
        [Some(BASELINE), Some(TOO_FEW_POSITIONS), Some(TOO_FEW_POSITIONS), Some(TOO_FEW_POSITIONS), None]
    );
}

/// `!` marks a significant ratio, `†` one that counts only common depths.
#[test]
fn intervals_have_their_signs() {
    let make_larger = |line: &mut Line| {
        make_smaller(line);
        (line.measures[0].ratio.mean, line.measures[0].ratio.low, line.measures[0].ratio.high) = (2.0, 1.5, 2.5);
    };
    let make_unclear = |line: &mut Line| {
        make_smaller(line);
        line.measures[0].significant = false;
    };
    let make_partial = |line: &mut Line| {
        make_smaller(line);
        line.measures[0].truncated = 1;
    };
    let make_unclear_partial = |line: &mut Line| {
        make_unclear(line);
        line.measures[0].truncated = 2;
    };
    let lines = vec![
        line("base"),
        line_with("less", make_smaller),
        line_with("more", make_larger),
        line_with("unclear", make_unclear),
        line_with("partial", make_partial),
        line_with("both", make_unclear_partial),
    ];
    let table = summary_table(&page(lines));
    let cells: Vec<(&str, Emphasis)> = (0..6)
        .map(|row| (text(&table, row, "interval").unwrap(), cell(&table, row, "ratio").unwrap().emphasis))
        .collect();
    assert_eq!(
        cells,
        [
            ("-", Emphasis::None),
            ("0.400-0.600!", Emphasis::Better),
            ("1.500-2.500!", Emphasis::Worse),
            ("0.400-0.600", Emphasis::None),
            ("0.400-0.600! †", Emphasis::Better),
            ("0.400-0.600 †", Emphasis::None),
        ]
    );
}

#[test]
fn summary_note_counts_paired_searches() {
    for (pairs, message) in [
        ([9, 8, 8], "over 8 searches"),
        ([9, 5, 6], "over 5 to 6 searches"),
        ([3, 7, 0], "over 7 searches"),
        ([3, 0, 0], "over 8 searches"), // the page's own
    ] {
        let mut lines = pairs
            .map(|pairs| line_with("x", |line| (line.searches, line.measures[0].ratio.pairs) = (12, pairs)))
            .to_vec();
        lines[0].is_baseline = true;
        let note = summary_table(&page(lines)).note;
        assert!(note.starts_with("* baseline. nodes / baseline"), "{note}");
        assert!(note.contains(message), "{note}");
    }
}

#[test]
fn shares_are_of_their_own_whole() {
    let add_counts = |line: &mut Line| {
        add_probes(line);
        line.seconds = 1.5;
        line.intervals = std::array::from_fn(|index| (index as f64 / 10.0, index as f64 / 10.0 + 0.05));
    };
    let page = page(vec![line_with("y", make_smaller), line_with("x", add_counts)]);
    let table = summary_table(&page);
    let texts = ["nodes", "ratio", "usable", "move_only", "full", "pressure", "seconds", "nps"]
        .map(|key| text(&table, 1, key).unwrap());
    assert_eq!(texts, ["100", "1.000", "40.0 %", "20.0 %", "38 %", "1.25", "1.50", "67"]);
    assert_eq!(cell(&table, 1, "full").unwrap().value, Datum::Number(0.375));
    let traffic = traffic_table(&page).unwrap();
    assert_eq!(traffic.rows.len(), 1);
    let keys = ["variant", "probes", "hits", "misses_empty", "misses_other", "stores", "evictions", "rejections"];
    assert_eq!(
        keys.map(|key| text(&traffic, 0, key).unwrap()),
        ["x", "10", "70.0 %", "10.0 %", "20.0 %", "20", "25.0 %", "15.0 %"]
    );
    // The order of the rates is: hits, usable, move only, free slots, other keys, evictions,
    // rejections, saved.
    let shares = shares_table(&page).unwrap();
    let keys = ["hits", "usable", "move_only", "misses_other", "evictions", "rejections"];
    assert_eq!(
        keys.map(|key| text(&shares, 0, key).unwrap()),
        ["0.0-5.0 %", "10.0-15.0 %", "20.0-25.0 %", "40.0-45.0 %", "50.0-55.0 %", "60.0-65.0 %"]
    );
    let without_probes = self::page(vec![line("a"), line("b")]);
    assert_eq!((traffic_table(&without_probes), shares_table(&without_probes)), (None, None));
}

#[test]
fn fragile_mean_has_a_question_mark() {
    let with_influence = |mean_without: f64, reverses: bool, fragile: bool| {
        move |line: &mut Line| {
            make_smaller(line);
            line.set_sums([(columns::EVALS, 70.0)]);
            (line.solved, line.other_scores, line.influential_cluster) = ((2, 3), (1, 7), "p9".to_owned());
            let influence = Influence { cluster: 0, index: 0, mean_without, reverses };
            let measure = &mut line.measures[0];
            measure.fragile = fragile;
            measure.ratio = Ratio { median: 0.75, clusters_below: 6, influence: Some(influence), ..measure.ratio };
            let second = Measure { fragile: !fragile, ..*measure };
            line.measures.push(second);
        }
    };
    let lines = vec![
        line("base"),
        line_with("firm", with_influence(0.625, false, false)),
        line_with("turns", with_influence(1.25, true, false)),
        line_with("hangs", with_influence(0.875, false, true)),
    ];
    let table = details_table(&page(lines));
    let texts = [1, 2, 3].map(|row| text(&table, row, "without").unwrap());
    assert_eq!(texts, ["0.625 (p9)", "1.250? (p9)", "0.875? (p9)"]);
    let keys = ["searches", "evals", "other_scores", "solved", "p", "median", "below"];
    assert_eq!(
        keys.map(|key| text(&table, 1, key).unwrap()),
        ["8", "70", "1 of 7", "2 of 3", "0.020", "0.750", "6 of 8"]
    );
}

#[test]
fn chosen_metrics_have_totals_and_p() {
    let add_second_measure = |value: f64| {
        move |line: &mut Line| {
            let second = Measure { value, ..line.measures[0] };
            line.measures.push(second);
        }
    };
    let mut page = page(vec![line_with("base", add_second_measure(1.5)), line_with("x", add_second_measure(2.5))]);
    page.summary.metrics.push(Metric::from_column(columns::SECONDS));
    let list_keys =
        |page: &Page| summary_table(page).columns.into_iter().map(|column| column.key).collect::<Vec<_>>().join(" ");
    assert_eq!(
        list_keys(&page),
        "variant nodes ratio interval seconds_ratio seconds_interval usable move_only full pressure seconds nps"
    );
    page.custom_metrics = true;
    assert_eq!(list_keys(&page), "variant nodes ratio interval p seconds seconds_ratio seconds_interval seconds_p");
    let table = summary_table(&page);
    assert_eq!([0, 1].map(|row| text(&table, row, "seconds").unwrap()), ["1.50", "2.50"]);
}

/// Student's quantiles with 19 degrees of freedom are 2.433 at 0.9875 and 0.861 at 0.8. With a
/// standard error of 0.05 and a margin for one of 20 positions, the detectable difference is
/// exp(0.05 x 3.294 + 0.9163 / 20) - 1 = 22.9 %. To detect 1 %, the sum of the normal quantiles
/// 2.241 and 0.842, times the spread of 0.2236, divided by ln 1.01, squared, is 4,800.
#[test]
fn details_state_the_power() {
    let with_ratio = |mean: f64, error: f64, clusters: usize| {
        move |line: &mut Line| {
            let ratio = Ratio { mean, low: 0.9, high: 1.1, error, pairs: clusters, clusters, ..Ratio::default() };
            line.measures[0] = Measure { ratio, ..line.measures[0] };
        }
    };
    let mut page = page(vec![
        line("base"),
        line_with("x", with_ratio(0.97, 0.05, 20)),
        line_with("same", with_ratio(1.0, 0.0, 20)),
    ]);
    // With two lines, the smallest p is 2 / 2^5 = 6 % for six positions and 2 / 2^6 = 3 % for
    // seven, so at least seven are needed.
    (page.summary.power.level, page.summary.power.lines) = (0.025, 2);
    page.summary.lines.extend([6, 7].map(|clusters| line_with("few", with_ratio(0.97, 0.0001, clusters))));
    page.identity = Identity::new(&Frame::default(), &page.summary, &[]);
    let table = details_table(&page);
    assert_eq!(text(&table, 1, "detectable"), Some("22.9 %"));
    let Datum::Number(needed) = cell(&table, 1, "needed").unwrap().value else { panic!("no number") };
    assert!((4795.0..4810.0).contains(&needed), "{needed}");
    for key in ["detectable", "needed"] {
        assert_eq!(
            (dash_reason(&table, 1, key), dash_reason(&table, 2, key)),
            (None, Some("no two searches differ")),
            "{key}"
        );
    }
    assert_eq!([3, 4].map(|row| dash_reason(&table, row, "detectable")), [Some(TOO_FEW_POSITIONS), None]);
    // Even without spread, 0.9163 / ln 1.01 = 92.1 positions are needed, so that a single position
    // cannot undo a difference of 1 %.
    assert_eq!([3, 4].map(|row| text(&table, row, "needed").unwrap()), ["93", "93"]);
}

#[test]
fn pairs_table_names_both_lines() {
    let make_ratio = |mean: f64| Ratio { mean, low: mean - 0.1, high: mean + 0.1, pairs: 8, ..Ratio::default() };
    let make_pair = |line: usize, against: usize, mean: f64, significant: bool| {
        let truncated = usize::from(significant);
        let measure = Measure { ratio: make_ratio(mean), p: 0.25, significant, truncated, ..Measure::default() };
        LinePair { line, base: against, measure }
    };
    let mut page = page(vec![line("a"), line("b"), line("c")]);
    assert_eq!(pairs_table(&page), None);
    page.pairs = vec![make_pair(2, 0, 0.5, true), make_pair(2, 1, 0.75, false), make_pair(1, 0, 1.5, true)];
    let no_ratio = Ratio { mean: f64::NAN, low: f64::NAN, ..Ratio::default() };
    for incomparable in [1, 0] {
        let measure = Measure { ratio: no_ratio, p: f64::NAN, incomparable, one_sided_zero: 2, ..Measure::default() };
        page.pairs.push(LinePair { line: 0, base: 1, measure });
    }
    let table = pairs_table(&page).unwrap();
    let rows: Vec<_> = (0..5)
        .map(|row| {
            let texts = ["line", "against", "ratio", "interval"].map(|key| text(&table, row, key).unwrap());
            (texts, cell(&table, row, "ratio").unwrap().emphasis)
        })
        .collect();
    assert_eq!(
        rows,
        [
            (["c", "a", "0.500", "0.400-0.600 †"], Emphasis::Better),
            (["c", "b", "0.750", "0.650-0.850"], Emphasis::None),
            (["b", "a", "1.500", "1.400-1.600 †"], Emphasis::Worse),
            (["a", "b", "-", "-"], Emphasis::None),
            (["a", "b", "-", "-"], Emphasis::None),
        ]
    );
    assert_eq!(
        ["ratio", "interval", "p"].map(|key| dash_reason(&table, 3, key)),
        ["no common depth", TOO_FEW_POSITIONS, TOO_FEW_POSITIONS].map(Some)
    );
    assert_eq!(dash_reason(&table, 4, "ratio"), Some("only one side is 0"));
    assert_eq!(
        table.note,
        "\"c\" comes first, because it is below most other lines in nodes. p is corrected for all 5 pairs."
    );
}

#[test]
fn common_options_are_equal_in_all_variants() {
    let list_common = |options: &[serde_json::Value]| {
        let named_options = options.iter().enumerate().map(|(index, options)| (index.to_string(), options.clone()));
        let manifest = Manifest { options: named_options.collect(), ..Manifest::default() };
        common_options(&Page { manifest, ..Page::default() }).map(|table| {
            let describe_row = |row: &Vec<Cell>| format!("{}={}", row[0].text, row[1].text);
            table.rows.iter().map(describe_row).collect::<Vec<_>>()
        })
    };
    let make_options =
        |slots: u32, kind: &str| serde_json::json!({"a": {"slots": slots, "kind": kind}, "on": true, "list": [1, 2]});
    let all_options = ["a.slots=1", "a.kind=x", "on=true", "list=[1,2]"].map(str::to_owned).to_vec();
    assert_eq!(list_common(&[make_options(1, "x")]), Some(all_options.clone()));
    assert_eq!(
        list_common(&[make_options(1, "x"), make_options(1, "x"), make_options(2, "x")]),
        Some(all_options[1..].to_vec())
    );
    assert_eq!(
        list_common(&[make_options(1, "x"), make_options(2, "y"), make_options(1, "x")]),
        Some(all_options[2..].to_vec())
    );
    assert_eq!(
        (list_common(&[]), list_common(&[serde_json::json!({"a": 1}), serde_json::json!({"b": 1})])),
        (None, None)
    );
}

#[test]
fn columns_that_no_engine_reports_are_dropped() {
    let list_keys = |table: &SheetTable| table.columns.iter().map(|column| column.key.clone()).collect::<Vec<_>>();
    let mut page = page(vec![line("base"), line_with("x", make_smaller)]);
    assert!(list_keys(&summary_table(&page)).contains(&"full".to_owned()));
    page.manifest.subjects.insert("x".to_owned(), Default::default());
    assert_eq!(list_keys(&summary_table(&page)), ["variant", "nodes", "ratio", "interval", "seconds"]);
    page.summary.lines[1].hashfull = 500.0;
    assert_eq!(list_keys(&summary_table(&page)), ["variant", "nodes", "ratio", "interval", "full", "seconds"]);
}

#[test]
fn values_match_their_texts() {
    let timed_line = line_with("a", |line| {
        add_probes(line);
        make_smaller(line);
        line.seconds = 12.5;
        line.measures[0].incomparable = 1;
    });
    let without_ratio = line_with("b", |line| {
        line.measures[0] =
            Measure { ratio: Ratio { mean: f64::NAN, ..Ratio::default() }, incomparable: 1, ..Measure::default() };
    });
    let table = summary_table(&page(vec![line("base"), timed_line, without_ratio]));
    for (key, value, text) in [
        ("nodes", 100.0, "100"),
        ("ratio", 0.5, "0.500"),
        ("usable", 0.4, "40.0 %"),
        ("move_only", 0.2, "20.0 %"),
        ("full", 0.375, "38 %"),
        ("pressure", 1.25, "1.25"),
        ("seconds", 12.5, "12.50"),
        ("nps", 8.0, "8"),
    ] {
        let cell = cell(&table, 1, key).unwrap();
        assert_eq!((cell.value, cell.text.as_str()), (Datum::Number(value), text), "{key}");
    }
    assert_eq!(dash_reason(&table, 2, "ratio"), Some("no common depth"), "one search without common depth is enough");
}

#[test]
fn narrow_summary_keeps_the_decisive_columns() {
    let with_nodes = |nodes: f64| {
        move |line: &mut Line| {
            add_probes(line);
            make_smaller(line);
            line.set_sums([(columns::NODES, nodes), (columns::SAVED, nodes)]);
            line.measures[0].value = nodes;
            (line.pressure, line.hashfull) = (73.30, 990.0);
        }
    };
    let lines = vec![
        line("no table"),
        line_with("64 KiB depth-preferred", with_nodes(100_258_490.0)),
        line_with("16 MiB always-replaced", with_nodes(72_114_454.0)),
    ];
    let page = page(lines);
    let render = |width: usize| {
        let sheet = super::super::Sheet { parts: vec![Part::Table(summary_table(&page))], ..Default::default() };
        super::super::text::render(&sheet, super::super::text::Screen { width, colour: false })
    };
    let narrow = render(80);
    let heading: Vec<&str> = narrow.lines().skip(1).take(2).collect();
    for words in ["variant", "nodes", "nodes / baseline", "95 %", "full", "stores per slot"] {
        assert!(words.split(' ').all(|word| heading.join(" ").contains(word)), "{words}: {narrow}");
    }
    assert!(narrow.lines().all(|line| line.chars().count() <= 80), "{narrow}");
    assert!(narrow.contains("0.400-0.600!"), "{narrow}");
    assert!(narrow.contains("73.30"), "{narrow}");
    assert!(narrow.contains("99 %"), "{narrow}");
    let left_out = "Not shown at 80 columns: worth, hits, cutoffs, move only, seconds, nodes/s; widen";
    let words = narrow.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(left_out), "{narrow}");
    assert!(!words.contains("no table to probe"), "a reason of columns that are not there: {narrow}");
    let wide = render(200);
    assert!(wide.contains("stores per slot  seconds  nodes/s"), "{wide}");
    assert!(!wide.contains("Not shown"), "{wide}");
    assert!(wide.contains("no table to probe"), "{wide}");
}

#[test]
fn external_engines_have_their_own_reason() {
    let mut page = page(vec![line_with("ours", add_probes), line("bare"), line("theirs")]);
    let dash_reasons = |page: &Page| {
        let table = summary_table(page);
        ["usable", "full", "pressure"].map(|key| [1, 2].map(|row| dash_reason(&table, row, key).unwrap()))
    };
    assert_eq!(dash_reasons(&page), [[NO_TABLE; 2], [NO_SLOTS; 2], [NO_SLOTS; 2]]);
    page.manifest.subjects.insert("theirs".to_owned(), Default::default());
    let expected = ["an engine that does not report on its table"; 3];
    assert_eq!(dash_reasons(&page), [[NO_TABLE, expected[0]], [NO_SLOTS, expected[1]], [NO_SLOTS, expected[2]]]);
    // Some engines report only how full their table is.
    page.summary.lines[2].hashfull = 500.0;
    assert_eq!(dash_reason(&summary_table(&page), 2, "pressure"), Some(expected[0]));
    page.summary.lines[2].hashfull = f64::NAN;
    page.summary.by = vec!["limit.depth".to_owned()];
    assert!(dash_reasons(&page).iter().flatten().all(|reason| reason.contains(" or an engine that does not report")));
    // With several results, each manifest names its external engines.
    page.summary.by = vec![columns::VARIANT.to_owned()];
    let manifest = std::mem::take(&mut page.manifest);
    page.sources = vec![("one".to_owned(), None), ("two".to_owned(), Some(manifest))];
    assert_eq!(dash_reasons(&page)[0], [NO_TABLE, expected[0]]);
}
