//! The cells of a page's tables by hand, from lines that no rows stand behind: no two figures of a line are alike.

#![allow(clippy::unwrap_used)]

use super::super::identity::Identity;
use super::super::sheet::{Datum, Part, each_goes_in_its_turn};
use super::*;
use crate::analysis::pairing::influence::Influence;
use crate::analysis::questions::line::{Measure, RATES};
use crate::analysis::questions::pairwise::Versus;
use crate::analysis::{Frame, Metric, Summary};
use crate::record::manifest::Manifest;

/// A page of these lines, whose baseline is the first.
fn page(mut lines: Vec<Line>) -> Page {
    if let Some(first) = lines.first_mut() {
        first.is_baseline = true;
    }
    let metrics = vec![Metric::nodes()];
    let summary = Summary { by: vec![columns::VARIANT.to_owned()], lines, metrics, searches: 8, ..Summary::default() };
    Page { identity: Identity::new(&Frame::default(), &summary, &[]), summary, ..Page::default() }
}

/// A line without any search of a table.
fn line(name: &str) -> Line {
    let (pressure, hashfull) = (f64::NAN, f64::NAN);
    let measures = vec![Measure { ratio: Ratio::itself(8), p: f64::NAN, value: 100.0, ..Measure::default() }];
    Line { name: name.to_owned(), searches: 8, measures, nodes: 100.0, pressure, hashfull, ..Line::default() }
}

fn with(name: &str, change: impl Fn(&mut Line)) -> Line {
    let mut line = line(name);
    change(&mut line);
    line
}

/// Ten probes, of which 7 hit, 4 were usable and 2 gave a move; 20 stores.
fn asked(line: &mut Line) {
    (line.probes, line.hits, line.usable, line.move_only) = (10.0, 7.0, 4.0, 2.0);
    (line.misses_empty, line.misses_other) = (1.0, 2.0);
    (line.stores, line.evictions, line.rejections) = (20.0, 5.0, 3.0);
    (line.pressure, line.hashfull) = (1.25, 375.0);
}

/// A ratio with an interval that leaves 1 out.
fn less(line: &mut Line) {
    let ratio = Ratio { mean: 0.5, low: 0.4, high: 0.6, p: 0.01, pairs: 8, clusters: 8, ..Ratio::default() };
    line.measures[0] = Measure { ratio, p: 0.02, marked: true, value: 100.0, ..Measure::default() };
}

/// The cell of a row and a column; none where there is no such column.
fn cell<'a>(table: &'a SheetTable, row: usize, key: &str) -> Option<&'a Cell> {
    let at = table.columns.iter().position(|column| column.key == key)?;
    assert_eq!(table.rows[row].len(), table.columns.len());
    Some(&table.rows[row][at])
}

fn text<'a>(table: &'a SheetTable, row: usize, key: &str) -> Option<&'a str> {
    cell(table, row, key).map(|cell| cell.text.as_str())
}

/// The reason that stands behind a dash.
fn why(table: &SheetTable, row: usize, key: &str) -> Option<&'static str> {
    cell(table, row, key).filter(|cell| cell.value == Datum::None).map(|cell| cell.note)
}

/// What cutoffs were worth stands on the page where any line counted it, on all lines; where metrics were chosen it does not.
#[test]
fn worth_is_shown_where_any_line_knows_it() {
    let saved = |line: &mut Line| (line.saved, line.intervals[7]) = (300.0, (0.7, 0.8));
    assert_eq!(RATES[7].0, columns::SAVED);
    let both = |line: &mut Line| {
        asked(line);
        saved(line);
    };
    for (lines, shown) in [
        (vec![with("a", asked), with("b", both)], Some(["0.0 %", "75.0 %"])),
        (vec![with("a", both), with("b", asked)], Some(["75.0 %", "0.0 %"])),
        (vec![with("a", both), with("b", both)], Some(["75.0 %", "75.0 %"])),
        (vec![with("a", asked), with("b", asked)], None),
    ] {
        let mut page = page(lines);
        if shown.is_some() {
            [summary(&page), anatomy(&page).unwrap()].iter().for_each(each_goes_in_its_turn);
        }
        let found = [0, 1].map(|row| text(&summary(&page), row, "saved").map(str::to_owned));
        assert_eq!(found, [0, 1].map(|row| shown.map(|shown| shown[row].to_owned())));
        let hits = text(&summary(&page), 0, "hit_rate").map(str::to_owned);
        assert_eq!(hits, shown.map(|_| "70.0 %".to_owned()));
        let sure = rates(&page).unwrap();
        assert_eq!(sure.columns.iter().any(|column| column.key == "saved"), shown.is_some());
        if let Some(shown) = shown {
            let interval = |share: &str| if share == "0.0 %" { "0.0-0.0 %" } else { "70.0-80.0 %" };
            assert_eq!([0, 1].map(|row| text(&sure, row, "saved").unwrap()), shown.map(interval));
        }
        page.chosen = true;
        assert_eq!(text(&summary(&page), 0, "saved"), None, "metrics were chosen");
        assert_eq!(text(&summary(&page), 0, "usable"), None);
    }
    // One whose entries count nodes that were never searched: it asked its table, and what that was worth is not known.
    let unknown = |line: &mut Line| {
        asked(line);
        line.saved = f64::NAN;
    };
    let message = summary(&page(vec![with("a", both), with("b", unknown)]));
    assert_eq!([0, 1].map(|row| text(&message, row, "saved")), [Some("75.0 %"), Some("-")]);
    assert_eq!(why(&message, 1, "saved"), Some(NO_COST));
    assert_eq!(text(&message, 1, "hit_rate"), Some("70.0 %"));
    // Another engine, which tells of no table, beside ours.
    let message = summary(&page(vec![with("a", both), line("b")]));
    assert_eq!([0, 1].map(|row| text(&message, row, "saved")), [Some("75.0 %"), Some("-")]);
}

/// Each dash has the reason of its own line.
#[test]
fn each_dash_says_why() {
    let one = |line: &mut Line| {
        asked(line);
        let ratio = Ratio { mean: 0.5, pairs: 1, low: f64::NAN, high: f64::NAN, error: f64::NAN, ..Ratio::default() };
        line.measures[0] = Measure { ratio, p: f64::NAN, ..Measure::default() };
    };
    let apart = |line: &mut Line| {
        one(line);
        (line.measures[0].ratio.mean, line.measures[0].apart) = (f64::NAN, 3);
    };
    let nothing = |line: &mut Line| {
        one(line);
        (line.measures[0].ratio.mean, line.stores, line.measures[0].value) = (f64::NAN, 0.0, f64::NAN);
    };
    let lines =
        vec![line("base"), with("one", one), with("apart", apart), with("nothing", nothing), with("told", less)];
    let mut page = page(lines);
    let of = |table: &SheetTable, key: &str| (0..table.rows.len()).map(|row| why(table, row, key)).collect::<Vec<_>>();
    let own = summary(&page);
    assert_eq!(of(&own, "ratio"), [None, None, Some("no common depth"), Some("nothing to compare with"), None]);
    assert_eq!(of(&own, "interval"), [Some(BASELINE), Some(ONE), Some(ONE), Some(ONE), None]);
    assert_eq!(of(&own, "nodes"), [None, None, None, Some("nothing to count"), None]);
    for (key, reason) in [("usable", NO_TABLE), ("move_only", NO_TABLE), ("full", NO_SLOTS), ("pressure", NO_SLOTS)] {
        assert_eq!(of(&own, key), [Some(reason), None, None, None, Some(reason)], "{key}");
    }
    let part = |line: &mut Line| {
        asked(line);
        line.pressure = f64::NAN;
    };
    let filtered = summary(&self::page(vec![with("part of a life", part)]));
    assert_eq!([why(&filtered, 0, "full"), why(&filtered, 0, "pressure")], [None, Some(TABLE_LIFE_FILTERED)]);
    let traffic = anatomy(&page).unwrap();
    assert_eq!(of(&traffic, "hits"), [None; 3], "what asked no table has no row");
    for key in ["evictions", "rejections"] {
        assert_eq!(of(&traffic, key), [None, None, Some("nothing was stored")], "{key}");
    }
    let closely = details(&page);
    for key in ["p", "without", "detectable", "needed"] {
        assert_eq!(of(&closely, key)[..4], [Some(BASELINE), Some(ONE), Some(ONE), Some(ONE)], "{key}");
    }
    assert_eq!(of(&closely, "p")[4], None);
    assert_eq!(of(&closely, "other_scores"), [&[Some(BASELINE)][..], &[Some("no common depth"); 4]].concat());
    assert_eq!(of(&closely, "below"), [Some(BASELINE), Some(ONE), Some(ONE), Some(ONE), None]);
    assert_eq!(of(&closely, "solved"), [Some("the suite names no best moves"); 5]);
    page.chosen = true;
    assert_eq!(of(&summary(&page), "p"), [Some(BASELINE), Some(ONE), Some(ONE), Some(ONE), None]);
}

/// `!` where the line is told from 1, `†` where depths were left out, both where both are so.
#[test]
fn intervals_bear_their_marks() {
    let more = |line: &mut Line| {
        less(line);
        (line.measures[0].ratio.mean, line.measures[0].ratio.low, line.measures[0].ratio.high) = (2.0, 1.5, 2.5);
    };
    let unclear = |line: &mut Line| {
        less(line);
        line.measures[0].marked = false;
    };
    let cut = |line: &mut Line| {
        less(line);
        line.measures[0].cut = 1;
    };
    let unclear_cut = |line: &mut Line| {
        unclear(line);
        line.measures[0].cut = 2;
    };
    let lines = vec![
        line("base"),
        with("less", less),
        with("more", more),
        with("unclear", unclear),
        with("cut", cut),
        with("both", unclear_cut),
    ];
    let table = summary(&page(lines));
    let shown: Vec<(&str, Emphasis)> =
        (0..6).map(|row| (text(&table, row, "interval").unwrap(), cell(&table, row, "ratio").unwrap().mark)).collect();
    assert_eq!(
        shown,
        [
            ("-", Emphasis::None),
            ("0.400-0.600!", Emphasis::Less),
            ("1.500-2.500!", Emphasis::More),
            ("0.400-0.600", Emphasis::None),
            ("0.400-0.600! †", Emphasis::Less),
            ("0.400-0.600 †", Emphasis::None),
        ]
    );
}

/// A mean is over what was paired, of the first metric: the baseline's own searches do not count, nor do those that met nothing.
#[test]
fn the_note_counts_searches() {
    for (pairs, message) in [
        ([9, 8, 8], "over 8 searches"),
        ([9, 5, 6], "over 5 to 6 searches"),
        ([3, 7, 0], "over 7 searches"),
        ([3, 0, 0], "over 8 searches"), // the page's own
    ] {
        let mut lines =
            pairs.map(|pairs| with("x", |line| (line.searches, line.measures[0].ratio.pairs) = (12, pairs))).to_vec();
        lines[0].is_baseline = true;
        let note = summary(&page(lines)).note;
        assert!(note.starts_with("* baseline. nodes / baseline") && note.contains(message), "{note}");
    }
}

/// Each share is of its own whole.
#[test]
fn each_share_stands_in_its_column() {
    let counted = |line: &mut Line| {
        asked(line);
        line.seconds = 1.5;
        line.intervals = std::array::from_fn(|at| (at as f64 / 10.0, at as f64 / 10.0 + 0.05));
    };
    let page = page(vec![with("y", less), with("x", counted)]);
    let table = summary(&page);
    let shown = ["nodes", "ratio", "usable", "move_only", "full", "pressure", "seconds"]
        .map(|key| text(&table, 1, key).unwrap());
    assert_eq!(shown, ["100", "1.000", "40.0 %", "20.0 %", "38 %", "1.25", "1.50"]);
    assert_eq!(cell(&table, 1, "full").unwrap().value, Datum::Number(0.375));
    let traffic = anatomy(&page).unwrap();
    assert_eq!(traffic.rows.len(), 1);
    let shown = ["variant", "probes", "hits", "misses_empty", "misses_other", "stores", "evictions", "rejections"];
    assert_eq!(
        shown.map(|key| text(&traffic, 0, key).unwrap()),
        ["x", "10", "70.0 %", "10.0 %", "20.0 %", "20", "25.0 %", "15.0 %"]
    );
    // The places of the rates: hits, usable, move only, free slots, other keys, evictions, rejections, saved.
    let sure = rates(&page).unwrap();
    let shown = ["hits", "usable", "move_only", "misses_other", "evictions", "rejections"];
    assert_eq!(
        shown.map(|key| text(&sure, 0, key).unwrap()),
        ["0.0-5.0 %", "10.0-15.0 %", "20.0-25.0 %", "40.0-45.0 %", "50.0-55.0 %", "60.0-65.0 %"]
    );
    let none = self::page(vec![line("a"), line("b")]);
    assert_eq!((anatomy(&none), rates(&none)), (None, None));
}

/// A position without which the sign turns, or the mark, has its question mark; all figures of a line beside it.
#[test]
fn details_are_of_the_line() {
    let close = |without: f64, turns: bool, hangs: bool| {
        move |line: &mut Line| {
            less(line);
            (line.evals, line.solved, line.other_scores, line.influential) = (70.0, (2, 3), (1, 7), "p9".to_owned());
            let influence = Influence { cluster: 0, place: 0, without, turns };
            let measure = &mut line.measures[0];
            measure.hangs = hangs;
            measure.ratio = Ratio { median: 0.75, below: 6, influence: Some(influence), ..measure.ratio };
            // Of a second metric it is another matter.
            let second = Measure { hangs: !hangs, ..*measure };
            line.measures.push(second);
        }
    };
    let lines = vec![
        line("base"),
        with("firm", close(0.625, false, false)),
        with("turns", close(1.25, true, false)),
        with("hangs", close(0.875, false, true)),
    ];
    let table = details(&page(lines));
    let without = [1, 2, 3].map(|row| text(&table, row, "without").unwrap());
    assert_eq!(without, ["0.625 (p9)", "1.250? (p9)", "0.875? (p9)"]);
    let shown = ["searches", "evals", "other_scores", "solved", "p", "median", "below"];
    assert_eq!(
        shown.map(|key| text(&table, 1, key).unwrap()),
        ["8", "70", "1 of 7", "2 of 3", "0.020", "0.750", "6 of 8"]
    );
}

/// The first metric has its totals; of the others the ratios alone are shown, unless they were chosen: then all have all, and there is no more.
#[test]
fn what_was_chosen_has_its_totals() {
    let both = |value: f64| {
        move |line: &mut Line| {
            let second = Measure { value, ..line.measures[0] };
            line.measures.push(second);
        }
    };
    let mut page = page(vec![with("base", both(1.5)), with("x", both(2.5))]);
    page.summary.metrics.push(Metric::of(columns::SECONDS));
    let keys = |page: &Page| summary(page).columns.into_iter().map(|column| column.key).collect::<Vec<_>>().join(" ");
    assert_eq!(
        keys(&page),
        "variant nodes ratio interval seconds_ratio seconds_interval usable move_only full pressure seconds"
    );
    page.chosen = true;
    assert_eq!(keys(&page), "variant nodes ratio interval p seconds seconds_ratio seconds_interval seconds_p");
    let table = summary(&page);
    assert_eq!([0, 1].map(|row| text(&table, row, "seconds").unwrap()), ["1.50", "2.50"]);
}

/// Student's quantiles of 19 degrees of freedom, 2.433 at 0.9875 and 0.861 at 0.8: of a standard error of 0.05, with room for one more of 20, exp(0.05 x 3.294 + 0.9163 / 20) - 1 = 22.9 %.
/// For 1 % the normal law's 2.241 and 0.842 by the spread of 0.2236, over ln 1.01, squared: 4,800. Where no two searches differ neither is known.
#[test]
fn what_could_be_seen_is_told() {
    let of = |mean: f64, error: f64, clusters: usize| {
        move |line: &mut Line| {
            let ratio = Ratio { mean, low: 0.9, high: 1.1, error, pairs: clusters, clusters, ..Ratio::default() };
            line.measures[0] = Measure { ratio, ..line.measures[0] };
        }
    };
    let mut page = page(vec![line("base"), with("x", of(0.97, 0.05, 20)), with("same", of(1.0, 0.0, 20))]);
    // One pair of flips in 2^5 is more than 5 % over two lines, one in 2^6 is not: seven positions are the least.
    (page.summary.power.level, page.summary.power.lines) = (0.025, 2);
    page.summary.lines.extend([6, 7].map(|clusters| with("few", of(0.97, 0.0001, clusters))));
    page.identity = Identity::new(&Frame::default(), &page.summary, &[]);
    let table = details(&page);
    assert_eq!(text(&table, 1, "detectable"), Some("22.9 %"));
    let Datum::Number(needed) = cell(&table, 1, "needed").unwrap().value else { panic!("no number") };
    assert!((4795.0..4810.0).contains(&needed), "{needed}");
    for key in ["detectable", "needed"] {
        assert_eq!((why(&table, 1, key), why(&table, 2, key)), (None, Some("no two searches differ")), "{key}");
    }
    assert_eq!([3, 4].map(|row| why(&table, row, "detectable")), [Some(ONE), None]);
    // However calm, it takes 0.9163 / ln 1.01 = 92.1 for one more not to take 1 % back.
    assert_eq!([3, 4].map(|row| text(&table, row, "needed").unwrap()), ["93", "93"]);
}

/// A pair names its own two lines, and is marked where the two are told apart.
#[test]
fn pairs_name_both_sides() {
    let ratio = |mean: f64| Ratio { mean, low: mean - 0.1, high: mean + 0.1, pairs: 8, ..Ratio::default() };
    let versus = |line: usize, against: usize, mean: f64, marked: bool| Versus {
        line,
        against,
        ratio: ratio(mean),
        p: 0.25,
        marked,
        hangs: false,
        cut: usize::from(marked),
        apart: 0,
        beyond: 0,
    };
    let mut page = page(vec![line("a"), line("b"), line("c")]);
    assert_eq!(pairs(&page), None);
    page.pairs = vec![versus(2, 0, 0.5, true), versus(2, 1, 0.75, false), versus(1, 0, 1.5, true)];
    let lost = Ratio { mean: f64::NAN, low: f64::NAN, ..Ratio::default() };
    page.pairs.push(Versus {
        line: 0,
        against: 1,
        ratio: lost,
        p: f64::NAN,
        marked: false,
        hangs: false,
        cut: 0,
        apart: 1,
        beyond: 2,
    });
    page.pairs.push(Versus { apart: 0, ..page.pairs[3] });
    let table = pairs(&page).unwrap();
    let shown: Vec<_> = (0..5)
        .map(|row| {
            let texts = ["line", "against", "ratio", "interval"].map(|key| text(&table, row, key).unwrap());
            (texts, cell(&table, row, "ratio").unwrap().mark)
        })
        .collect();
    assert_eq!(
        shown,
        [
            (["c", "a", "0.500", "0.400-0.600 †"], Emphasis::Less),
            (["c", "b", "0.750", "0.650-0.850"], Emphasis::None),
            (["b", "a", "1.500", "1.400-1.600 †"], Emphasis::More),
            (["a", "b", "-", "-"], Emphasis::None),
            (["a", "b", "-", "-"], Emphasis::None),
        ]
    );
    assert_eq!(["ratio", "interval", "p"].map(|key| why(&table, 3, key)), ["no common depth", ONE, ONE].map(Some));
    assert_eq!(why(&table, 4, "ratio"), Some("0 on one side alone"));
    assert_eq!(
        table.note,
        "\"c\" has less nodes than the most others: its pairs stand first. p is corrected for all 5 pairs."
    );
}

/// An option is shared where all variants have it with the same value; not the first two alone.
#[test]
fn shared_options_are_those_of_all() {
    let of = |options: &[serde_json::Value]| {
        let named = options.iter().enumerate().map(|(at, options)| (at.to_string(), options.clone()));
        let manifest = Manifest { options: named.collect(), ..Manifest::default() };
        common_options(&Page { manifest, ..Page::default() }).map(|table| {
            let row = |row: &Vec<Cell>| format!("{}={}", row[0].text, row[1].text);
            table.rows.iter().map(row).collect::<Vec<_>>()
        })
    };
    let json =
        |slots: u32, kind: &str| serde_json::json!({"a": {"slots": slots, "kind": kind}, "on": true, "list": [1, 2]});
    let all = ["a.slots=1", "a.kind=x", "on=true", "list=[1,2]"].map(str::to_owned).to_vec();
    assert_eq!(of(&[json(1, "x")]), Some(all.clone()));
    assert_eq!(of(&[json(1, "x"), json(1, "x"), json(2, "x")]), Some(all[1..].to_vec()));
    assert_eq!(of(&[json(1, "x"), json(2, "y"), json(1, "x")]), Some(all[2..].to_vec()));
    assert_eq!((of(&[]), of(&[serde_json::json!({"a": 1}), serde_json::json!({"b": 1})])), (None, None));
}

/// What no engine tells is no column where engines stand on the page; what one line tells is one.
#[test]
fn what_no_engine_tells_is_left_out() {
    let keys = |table: &SheetTable| table.columns.iter().map(|column| column.key.clone()).collect::<Vec<_>>();
    let mut page = page(vec![line("base"), with("x", less)]);
    assert!(keys(&summary(&page)).contains(&"full".to_owned()));
    page.manifest.subjects.insert("x".to_owned(), Default::default());
    assert_eq!(keys(&summary(&page)), ["variant", "nodes", "ratio", "interval", "seconds"]);
    page.summary.lines[1].hashfull = 500.0;
    assert_eq!(keys(&summary(&page)), ["variant", "nodes", "ratio", "interval", "full", "seconds"]);
}

/// What a program reads of a line is what a reader reads: seconds, shares of one, and stores for each slot.
#[test]
fn values_are_those_of_the_texts() {
    let timed = with("a", |line| {
        asked(line);
        less(line);
        line.seconds = 12.5;
        line.measures[0].apart = 1;
    });
    let none = with("b", |line| {
        line.measures[0] =
            Measure { ratio: Ratio { mean: f64::NAN, ..Ratio::default() }, apart: 1, ..Measure::default() };
    });
    let table = summary(&page(vec![line("base"), timed, none]));
    for (key, value, shown) in [
        ("nodes", 100.0, "100"),
        ("ratio", 0.5, "0.500"),
        ("usable", 0.4, "40.0 %"),
        ("move_only", 0.2, "20.0 %"),
        ("full", 0.375, "38 %"),
        ("pressure", 1.25, "1.25"),
        ("seconds", 12.5, "12.50"),
    ] {
        let cell = cell(&table, 1, key).unwrap();
        assert_eq!((cell.value, cell.text.as_str()), (Datum::Number(value), shown), "{key}");
    }
    assert_eq!(why(&table, 2, "ratio"), Some("no common depth"), "one search apart is enough");
}

/// On a narrow screen the columns stay by which a table is chosen, and those that went are named.
#[test]
fn eighty_columns_show_what_a_table_is_chosen_by() {
    let counted = |nodes: f64| {
        move |line: &mut Line| {
            asked(line);
            less(line);
            (line.nodes, line.measures[0].value, line.saved) = (nodes, nodes, nodes);
            (line.pressure, line.hashfull) = (73.30, 990.0);
        }
    };
    let lines = vec![
        line("no table"),
        with("64 KiB depth-preferred", counted(100_258_490.0)),
        with("16 MiB always-replaced", counted(72_114_454.0)),
    ];
    let page = page(lines);
    let shown = |width: usize| {
        let sheet = super::super::Sheet { parts: vec![Part::Table(summary(&page))], ..Default::default() };
        super::super::text::render(&sheet, super::super::text::Screen { width, colour: false })
    };
    let narrow = shown(80);
    let head: Vec<&str> = narrow.lines().skip(1).take(2).collect();
    for words in ["variant", "nodes", "nodes / baseline", "95 %", "full", "stores per slot"] {
        assert!(words.split(' ').all(|word| head.join(" ").contains(word)), "{words}: {narrow}");
    }
    assert!(narrow.lines().all(|line| line.chars().count() <= 80), "{narrow}");
    assert!(narrow.contains("0.400-0.600!") && narrow.contains("73.30") && narrow.contains("99 %"), "{narrow}");
    let left_out = "Not shown at 80 columns: worth, hits, cutoffs, move only, seconds; widen";
    let words = narrow.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(left_out), "{narrow}");
    assert!(!words.contains("no table to ask"), "a reason of columns that are not there: {narrow}");
    let wide = shown(200);
    assert!(wide.contains("stores per slot  seconds") && !wide.contains("Not shown"), "{wide}");
    assert!(wide.contains("no table to ask"), "{wide}");
}

/// Another engine has a table, and does not tell of it; where lines are not variants nobody knows whose they are.
#[test]
fn other_engines_are_not_said_to_have_no_table() {
    let mut page = page(vec![with("ours", asked), line("bare"), line("theirs")]);
    let reasons = |page: &Page| {
        let table = summary(page);
        ["usable", "full", "pressure"].map(|key| [1, 2].map(|row| why(&table, row, key).unwrap()))
    };
    assert_eq!(reasons(&page), [[NO_TABLE; 2], [NO_SLOTS; 2], [NO_SLOTS; 2]]);
    page.manifest.subjects.insert("theirs".to_owned(), Default::default());
    let message = ["an engine that does not tell of its table"; 3];
    assert_eq!(reasons(&page), [[NO_TABLE, message[0]], [NO_SLOTS, message[1]], [NO_SLOTS, message[2]]]);
    // Some tell how full it is, and no more.
    page.summary.lines[2].hashfull = 500.0;
    assert_eq!(why(&summary(&page), 2, "pressure"), Some(message[0]));
    page.summary.lines[2].hashfull = f64::NAN;
    page.summary.by = vec!["limit.depth".to_owned()];
    assert!(reasons(&page).iter().flatten().all(|reason| reason.contains(" or an engine that does not tell")));
    // Of several results each says whose its variants are.
    page.summary.by = vec![columns::VARIANT.to_owned()];
    let first = std::mem::take(&mut page.manifest);
    page.sources = vec![("one".to_owned(), None), ("two".to_owned(), Some(first))];
    assert_eq!(reasons(&page)[0], [NO_TABLE, message[0]]);
}
