//! Every table of a page, for lines made by hand: `tests/golden/pages/tables.txt` has each cell
//! with its colour, its signs and the reason of a dash. No two figures of a line are equal, so that
//! a wrong column would be noticed.

use super::super::identity::Identity;
use super::super::sheet::{Part, assert_drop_orders_distinct, describe};
use super::*;
use crate::analysis::questions::line::Measure;
use crate::analysis::questions::pairwise::LinePair;
use crate::analysis::{Frame, Metric, Summary};
use crate::golden::assert_golden;
use crate::record::manifest::{Manifest, Planned};
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

/// A line with one pair of searches, too few for an interval.
fn with_one_pair(line: &mut Line) {
    add_probes(line);
    let ratio = Ratio { mean: 0.5, pairs: 1, low: f64::NAN, high: f64::NAN, error: f64::NAN, ..Ratio::default() };
    line.measures[0] = Measure { ratio, p: f64::NAN, ..Measure::default() };
}

/// A ratio with the mean, the standard error and the number of clusters.
fn with_power(mean: f64, error: f64, clusters: usize) -> impl Fn(&mut Line) {
    move |line| {
        let ratio = Ratio { mean, low: 0.9, high: 1.1, error, pairs: clusters, clusters, ..Ratio::default() };
        line.measures[0] = Measure { ratio, ..line.measures[0] };
    }
}

/// A mean that is another without its most influential position.
fn with_influence(mean_without: f64, reverses: bool, fragile: bool) -> impl Fn(&mut Line) {
    move |line| {
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
}

fn with_worth(saved: f64) -> impl Fn(&mut Line) {
    move |line| {
        add_probes(line);
        line.set_sums([(columns::SAVED, saved)]);
        line.intervals = std::array::from_fn(|index| (index as f64 / 10.0, index as f64 / 10.0 + 0.05));
    }
}

/// Pages by the name of what they show.
fn pages() -> Vec<(&'static str, Page)> {
    let edit_ratio = |edit: fn(&mut Measure)| {
        move |line: &mut Line| {
            make_smaller(line);
            edit(&mut line.measures[0]);
        }
    };
    let with_pairs = |pairs: usize| line_with("x", |line| (line.searches, line.measures[0].ratio.pairs) = (12, pairs));
    let no_ratio = Ratio { mean: f64::NAN, low: f64::NAN, ..Ratio::default() };
    let reasons = || {
        page(vec![
            line("base"),
            line_with("one", with_one_pair),
            line_with("apart", |line| {
                with_one_pair(line);
                (line.measures[0].ratio.mean, line.measures[0].incomparable) = (f64::NAN, 3);
            }),
            line_with("nothing", |line| {
                with_one_pair(line);
                line.set_sums([(columns::STORES, 0.0)]);
                (line.measures[0].ratio.mean, line.measures[0].value) = (f64::NAN, f64::NAN);
            }),
            line_with("less", make_smaller),
            line_with("part of a life", |line| {
                add_probes(line);
                line.pressure = f64::NAN;
            }),
        ])
    };
    let signs = page(vec![
        line("base"),
        line_with("less", make_smaller),
        line_with("more", edit_ratio(|it| (it.ratio.mean, it.ratio.low, it.ratio.high) = (2.0, 1.5, 2.5))),
        line_with("unclear", edit_ratio(|it| it.significant = false)),
        line_with("partial", edit_ratio(|it| it.truncated = 1)),
        line_with("both", edit_ratio(|it| (it.significant, it.truncated) = (false, 2))),
    ]);
    let influence = page(vec![
        line("base"),
        line_with("firm", with_influence(0.625, false, false)),
        line_with("turns", with_influence(1.25, true, false)),
        line_with("hangs", with_influence(0.875, false, true)),
    ]);
    // Student's quantiles with 19 degrees of freedom are 2.433 at 0.9875 and 0.861 at 0.8. With a
    // standard error of 0.05 and a margin for one of 20 positions, the detectable difference is
    // exp(0.05 x 3.294 + 0.9163 / 20) - 1 = 22.9 %. To detect 1 %, the sum of the normal quantiles
    // 2.241 and 0.842, times the spread of 0.2236, divided by ln 1.01, squared, is 4,800. With two
    // lines, the smallest p is 2 / 2^5 = 6 % for six positions and 2 / 2^6 = 3 % for seven. Even
    // without spread, 0.9163 / ln 1.01 = 92.1 positions are needed.
    let mut power = page(vec![
        line("base"),
        line_with("x", with_power(0.97, 0.05, 20)),
        line_with("same", with_power(1.0, 0.0, 20)),
        line_with("six", with_power(0.97, 0.0001, 6)),
        line_with("seven", with_power(0.97, 0.0001, 7)),
    ]);
    (power.summary.power.level, power.summary.power.lines) = (0.025, 2);
    let mut pairs = page(vec![line("a"), line("b"), line("c")]);
    let make_pair = |line: usize, base: usize, mean: f64, significant: bool| {
        let ratio = Ratio { mean, low: mean - 0.1, high: mean + 0.1, pairs: 8, ..Ratio::default() };
        let truncated = usize::from(significant);
        LinePair { line, base, measure: Measure { ratio, p: 0.25, significant, truncated, ..Measure::default() } }
    };
    pairs.pairs = vec![make_pair(2, 0, 0.5, true), make_pair(2, 1, 0.75, false), make_pair(1, 0, 1.5, true)];
    for incomparable in [1, 0] {
        let measure = Measure { ratio: no_ratio, p: f64::NAN, incomparable, one_sided_zero: 2, ..Measure::default() };
        pairs.pairs.push(LinePair { line: 0, base: 1, measure });
    }
    let two_measures = |value: f64| {
        move |line: &mut Line| {
            let second = Measure { value, ..line.measures[0] };
            line.measures.push(second);
        }
    };
    let metrics = |custom_metrics: bool| {
        let mut page = page(vec![line_with("base", two_measures(1.5)), line_with("x", two_measures(2.5))]);
        page.summary.metrics.push(Metric::from_column(columns::SECONDS));
        Page { custom_metrics, ..page }
    };
    let engines = |theirs: bool, hashfull: f64| {
        let mut page = page(vec![line_with("ours", add_probes), line("bare"), line("theirs")]);
        page.summary.lines[2].hashfull = hashfull;
        if theirs {
            page.manifest.run.subjects.insert("theirs".to_owned(), Default::default());
        }
        page
    };
    let mut by_depth = engines(true, f64::NAN);
    by_depth.summary.by = vec!["limit.depth".to_owned()];
    // With several results, each manifest names its external engines.
    let mut of_two = engines(true, f64::NAN);
    let manifest = std::mem::take(&mut of_two.manifest);
    of_two.sources = vec![("one".to_owned(), None), ("two".to_owned(), Some(manifest))];
    let mut only_external = page(vec![line("base"), line_with("x", make_smaller)]);
    only_external.manifest.run.subjects.insert("x".to_owned(), Default::default());
    let timed = |line: &mut Line| {
        with_worth(300.0)(line);
        make_smaller(line);
        line.seconds = 12.5;
    };
    let worth = |saved: [f64; 2]| {
        page(["a", "b"].into_iter().zip(saved).map(|(name, saved)| line_with(name, with_worth(saved))).collect())
    };
    vec![
        ("the reason of each dash", reasons()),
        ("the reasons with metrics that were chosen", Page { custom_metrics: true, ..reasons() }),
        ("signs of an interval", signs),
        ("a mean that hangs on one position", influence),
        ("the power of a comparison", power),
        ("pairs of lines", pairs),
        ("two metrics", metrics(false)),
        ("two metrics that were chosen", metrics(true)),
        ("values and shares", page(vec![line("base"), line_with("x", timed)])),
        ("worth of the first line alone", worth([300.0, 0.0])),
        ("worth of the second line alone", worth([0.0, 300.0])),
        ("worth that is unknown for the second line", worth([300.0, f64::NAN])),
        ("worth with metrics that were chosen", Page { custom_metrics: true, ..worth([300.0, 300.0]) }),
        ("no worth", page(vec![line_with("a", add_probes), line_with("b", add_probes)])),
        ("worth beside a line that reports nothing", page(vec![line_with("a", with_worth(300.0)), line("b")])),
        ("5 to 6 paired searches", page(vec![with_pairs(9), with_pairs(5), with_pairs(6)])),
        ("7 paired searches, and none", page(vec![with_pairs(3), with_pairs(7), with_pairs(0)])),
        ("no paired search: the page's own number", page(vec![with_pairs(3), with_pairs(0), with_pairs(0)])),
        ("a line without table", engines(false, f64::NAN)),
        ("an engine that reports nothing", engines(true, f64::NAN)),
        ("an engine that reports how full it is", engines(true, 500.0)),
        ("lines by depth", by_depth),
        ("two results", of_two),
        ("an external engine alone", only_external),
    ]
}

#[test]
fn tables_equal_their_golden_file() {
    let mut text = String::new();
    for (name, page) in pages() {
        text += &format!("=== {name}\n{}{}", describe(&summary_table(&page)), describe(&details_table(&page)));
        if name.starts_with("worth of") {
            [summary_table(&page), traffic_table(&page).unwrap()].iter().for_each(assert_drop_orders_distinct);
        }
        let others = [traffic_table(&page), shares_table(&page), pairs_table(&page)];
        text += &others.iter().flatten().map(describe).collect::<String>();
    }
    assert_golden("pages/tables.txt", &text);
}

#[test]
fn common_options_are_equal_in_all_variants() {
    let list_common = |options: &[serde_json::Value]| {
        let named_options = options.iter().enumerate().map(|(index, options)| (index.to_string(), options.clone()));
        let manifest = Manifest::from(Planned { options: named_options.collect(), ..Planned::default() });
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
