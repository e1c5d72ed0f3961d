//! Checks every figure of a small results file against values computed by hand: two axes, three
//! repeats, a failed job, a variant searched to a lower depth, a game, and a variant without a
//! table. Then checks properties that hold for all figures: they don't depend on the order of rows,
//! on one more repeat, on which side is the baseline, or on names.
//!
//! Nodes at depths 1 and 2 (`none` was only searched to depth 1; `b2` failed on q). g/1 and g/2 are
//! two plies of one game:
//!
//! |      | table        | p        | q         | g/1     | g/2      | total |
//! |------|--------------|----------|-----------|---------|----------|-------|
//! | s1   | 64 KiB x 1   | 10 + 90  | 20 + 180  | 10 + 40 | 20 + 60  | 430   |
//! | s2   | 64 KiB x 2   | 10 + 40  | 20 + 80   | 10 + 15 | 20 + 20  | 215   |
//! | b1   | 1 MiB x 1    | 10 + 90  | 20 + 380  | 10 + 90 | 20 + 140 | 760   |
//! | b2   | 1 MiB x 2    | 10 + 15  | failed    | 10 + 40 | 20 + 60  | 155   |
//! | none | none         | 40       | 80        | 20      | 40       | 180   |

use crate::common::{run, scratch};
use std::f64::consts::LN_2;
use ttlab::internals::analysis::questions::claims::judge_claims;
use ttlab::internals::analysis::questions::curves::responses;
use ttlab::internals::analysis::questions::effects::{main_effects, reference_levels};
use ttlab::internals::analysis::questions::verdict::{Ruling, Verdict};
use ttlab::internals::analysis::rows::axes::find_axes;
use ttlab::internals::analysis::rows::seeds;
use ttlab::internals::analysis::{Frame, Line, Metric, Question, Summary};
use ttlab::internals::decode::from_toml;
use ttlab::internals::experiment::expect::Expect;
use ttlab::internals::stats::ratio::Ratio;

const UNITS: [(&str, &str); 4] = [("", "p"), ("", "q"), ("g", "g/1"), ("g", "g/2")];

/// Name of the variant; kind, size and slots of its table; and the nodes of depths 1 and 2 on each
/// unit (0: not searched).
type Variant = (&'static str, &'static str, &'static str, &'static str, [[u32; 2]; 4]);

const VARIANTS: [Variant; 5] = [
    ("s1", "bounded", "64 KiB", "1", [[10, 90], [20, 180], [10, 40], [20, 60]]),
    ("s2", "bounded", "64 KiB", "2", [[10, 40], [20, 80], [10, 15], [20, 20]]),
    ("b1", "bounded", "1 MiB", "1", [[10, 90], [20, 380], [10, 90], [20, 140]]),
    ("b2", "bounded", "1 MiB", "2", [[10, 15], [0, 0], [10, 40], [20, 60]]),
    ("none", "none", "", "", [[40, 0], [80, 0], [20, 0], [40, 0]]),
];

const HEADER: &str = "variant,game,position,repeat,depth,table.kind,table.size,table.slots,score,solved,finished,search.nodes,search.evals,\
                      search.usable,search.move_only,table.probes,table.hits,table.misses_empty,table.misses_other,table.stores,\
                      table.fills,table.evictions,table.rejections,slots,entries,seconds,error";

/// The rows of all repeats. In each repeat, every iteration takes the given number of seconds.
fn rows(seconds: &[u32]) -> Vec<String> {
    let mut rows = Vec::new();
    for (repeat, seconds) in seconds.iter().enumerate() {
        for (name, kind, size, slots, nodes) in VARIANTS {
            for ((game, position), depths) in UNITS.iter().zip(nodes) {
                let place = format!("{name},{game},{position},{repeat}");
                if depths == [0, 0] {
                    rows.push(format!(
                        "{place},0,{kind},{size},{slots},0,,false,0,0,0,0,0,0,0,0,0,0,0,0,,,{seconds},out of memory"
                    ));
                }
                for (depth, nodes) in (1..).zip(depths).filter(|(_, nodes)| *nodes > 0) {
                    // b1 ends with another score on p; s1 solves p but not q.
                    let score = if (name, *position, depth) == ("b1", "p", 2) { 7 } else { 5 };
                    let solved = match (name, *position) {
                        ("s1", "p") => "true",
                        ("s1", "q") => "false",
                        _ => "",
                    };
                    // For each iteration: half its nodes are evaluated; 8 probes with 6 hits, 2 of
                    // them usable and 3 useful for their move only, 1 miss in a free slot and 1 in
                    // an occupied one. Stores: 4 at depth 1, all into free slots; 12 at depth 2,
                    // with 2 into free slots, 7 evictions and 3 rejections (on q: 4, 5 and 3).
                    let table = match (kind, depth) {
                        ("none", _) => "0,0,0,0,0,0,0,0,0,0,,",
                        (_, 2) if *position == "q" => "2,3,8,6,1,1,12,4,5,3,8,6",
                        (_, 1) => "2,3,8,6,1,1,4,4,0,0,8,6",
                        _ => "2,3,8,6,1,1,12,2,7,3,8,6",
                    };
                    let evals = nodes / 2;
                    rows.push(format!(
                        "{place},{depth},{kind},{size},{slots},{score},{solved},true,{nodes},{evals},{table},{seconds},"
                    ));
                }
            }
        }
    }
    rows
}

fn frame(rows: &[String]) -> Frame {
    Frame::parse(format!("{HEADER}\n{}\n", rows.join("\n")).as_bytes(), "by hand").unwrap()
}

fn question(baseline: &str, metrics: &[&str], frame: &Frame) -> Question {
    let order = VARIANTS.map(|variant| variant.0.to_owned());
    let metrics = metrics.iter().map(|name| Metric::find(name, frame).unwrap()).collect();
    Question { metrics, ..Question::by_variant(&order, Some(baseline)) }
}

fn summary(rows: &[String], baseline: &str) -> Summary {
    let frame = frame(rows);
    Summary::new(&frame, &question(baseline, &["nodes", "seconds", "hit_rate"], &frame)).unwrap()
}

#[track_caller]
fn near(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() < 1e-12 || found.is_nan() && expected.is_nan(),
        "found {found}, wanted {expected}"
    );
}

/// Checks a ratio: its mean as a power of 2, its standard error in units of ln 2, p, pairs and
/// clusters.
#[track_caller]
fn ratio(found: Ratio, power: f64, error: f64, p: f64, pairs: usize, clusters: usize) {
    near(found.mean.log2(), power);
    near(found.error / LN_2, error);
    near(found.p, p);
    assert_eq!((found.pairs, found.clusters), (pairs, clusters));
}

#[test]
fn summary_lines_equal_figures_by_hand() {
    let summary = summary(&rows(&[1, 2, 6]), "s1");
    let names: Vec<&str> = summary.lines.iter().map(|line| line.name.as_str()).collect();
    assert_eq!(names, ["s1", "s2", "b1", "b2", "none"]);
    assert_eq!((summary.searches, summary.repeats), (4, 3));
    let [s1, s2, b1, b2, none]: [Line; 5] = summary.lines.try_into().unwrap();
    let nan = f64::NAN;

    // Totals count one repeat. Evals are half of each row's nodes, rounded down: a row with 15
    // nodes (in s2 and b2) has 7.
    for (line, nodes, evals, searches, errors) in [
        (&s1, 430.0, 215.0, 4, 0),
        (&s2, 215.0, 107.0, 4, 0),
        (&b1, 760.0, 380.0, 4, 0),
        (&b2, 155.0, 77.0, 3, 3),
        (&none, 180.0, 90.0, 4, 0),
    ] {
        assert_eq!(
            (line.sum("search.nodes"), line.sum("search.evals"), line.searches, line.errors),
            (nodes, evals, searches, errors),
            "{}",
            line.name
        );
    }
    // The two iterations of a search have 16 probes, 12 hits, 4 usable hits and 16 stores into 8
    // slots. 6 slots are full at the end.
    for (line, searches) in [(&s1, 4.0), (&s2, 4.0), (&b1, 4.0), (&b2, 3.0)] {
        assert_eq!((line.sum("table.probes"), line.sum("table.hits")), (16.0 * searches, 12.0 * searches));
        assert_eq!((line.sum("search.usable"), line.sum("table.stores")), (4.0 * searches, 16.0 * searches));
        assert_eq!((line.pressure, line.hashfull), (2.0, 750.0));
        near(line.measures[2].value, 0.75);
    }
    near(none.pressure, nan);
    near(none.hashfull, nan);
    near(none.measures[2].value, nan);

    // The repeats of a search with two iterations take 2, 4 and 12 seconds, those of a search with
    // one iteration 1, 2 and 6: the medians are 4 and 2.
    let seconds = [&s1, &s2, &b1, &b2, &none].map(|line| (line.seconds, line.measures[1].value));
    assert_eq!(seconds, [(16.0, 16.0), (16.0, 16.0), (16.0, 16.0), (12.0, 12.0), (8.0, 8.0)]);

    // Log ratios of nodes to s1, as powers of 2, on p, q and the game's two plies. The game is one
    // cluster.
    assert!(s1.is_baseline);
    assert!(!s2.is_baseline);
    ratio(s1.ratio(), 0.0, nan, nan, 4, 0);
    // -1, -1, -1, -1. The cluster sums are -1, -1, -2; 2 of their 8 sign patterns are as extreme.
    ratio(s2.ratio(), -1.0, 0.0, 0.25, 4, 3);
    // 0, 1, 1, 1: mean 3/4. The residuals of the clusters 0, 1 and 2 are -3/4, 1/4 and 1/2, and
    // their squares sum to 7/8; the standard error is sqrt(3/2 x 7/8) / 4. The sign of a 0 has no
    // effect, so 4 of 8 patterns are as extreme.
    ratio(b1.ratio(), 0.75, 1.3125_f64.sqrt() / 4.0, 0.5, 4, 3);
    // -2, 0, 0 (q failed): mean -2/3. The residuals of the clusters -2 and 0 are -4/3 and 4/3; the
    // standard error is sqrt(2 x 32/9) / 3. All 4 patterns are as extreme.
    ratio(b2.ratio(), -2.0 / 3.0, (2.0 * 32.0 / 9.0_f64).sqrt() / 3.0, 1.0, 3, 2);
    // Only depth 1 is common: 40/10, 80/20, 20/10, 40/20, which are 2, 2, 1, 1. The residuals of
    // the clusters 2, 2, 2 are 1/2, 1/2, -1; the standard error is sqrt(3/2 x 3/2) / 4.
    ratio(none.ratio(), 1.5, 1.5 / 4.0, 0.25, 4, 3);
    assert_eq!([&s1, &s2, &b1, &b2, &none].map(|line| line.measures[0].truncated), [0, 0, 0, 0, 4]);
    // Seconds: 4 against 4, and 2 against 2 at the common depth.
    for line in [&s2, &b1, &b2, &none] {
        near(line.measures[1].ratio.mean, 1.0);
    }
    // Only searches that end at the same depth are counted.
    assert_eq!([&s2, &b1, &b2, &none].map(|line| line.other_scores), [(0, 4), (1, 4), (0, 3), (0, 0)]);
    assert_eq!((s1.solved, b1.solved), ((1, 2), (0, 0)));
}

#[test]
fn effects_equal_figures_by_hand() {
    let frame = frame(&rows(&[1, 2, 6]));
    let (grid, axes) = find_axes(&frame, &["search.nodes"]);
    assert_eq!(axes.iter().map(|axis| axis.name.as_str()).collect::<Vec<_>>(), ["size", "slots"]);
    let references = reference_levels(&grid, &axes, Some("s1"));
    let effects = main_effects(&grid, &axes, &references, &Metric::nodes());
    let places: Vec<(usize, usize)> = effects.iter().map(|effect| (effect.axis, effect.level)).collect();
    assert_eq!(places, [(0, 0), (0, 1), (1, 0), (1, 1)]);
    // 1 MiB against 64 KiB: b1 / s1 gives 0, 1, 1, 1; b2 / s2 gives -1, -, 1, 1.
    near(effects[1].judged.ratio.mean.log2(), 4.0 / 7.0);
    // Two slots against one: s2 / s1 gives -1 four times; b2 / b1 gives -2, -, -1, -1.
    near(effects[3].judged.ratio.mean.log2(), -8.0 / 7.0);
    assert_eq!([1, 3].map(|at| (effects[at].judged.ratio.pairs, effects[at].judged.ratio.clusters)), [(7, 3), (7, 3)]);
}

/// The figure has a line for each size, relative to the reference level of the slots axis: two
/// slots, the middle level. The reference of the size axis is its first level.
#[test]
fn size_figure_has_a_line_for_each_size() {
    let mut text = "variant,position,depth,table.size,table.slots,search.nodes\n".to_owned();
    let nodes = [("64 KiB", [(1, 200), (2, 100), (4, 50)]), ("1 MiB", [(1, 80), (2, 20), (4, 5)])];
    for (size, line) in nodes {
        for (slots, nodes) in line {
            for (position, times) in [("p", 1), ("q", 3)] {
                text += &format!("{size} x {slots},{position},1,{size},{slots},{}\n", nodes * times);
            }
        }
    }
    let frame = Frame::parse(text.as_bytes(), "by hand").unwrap();
    let (grid, axes) = find_axes(&frame, &["search.nodes"]);
    let references = reference_levels(&grid, &axes, Some("64 KiB x 2"));
    let effects = main_effects(&grid, &axes, &references, &Metric::nodes());
    let found = responses(&grid, &axes, &references, &effects, &Metric::nodes());
    assert_eq!((found.len(), found[0].path.as_str(), found[0].reference.as_str()), (1, "table.slots", "2"));
    let lines: Vec<(&str, Vec<[f64; 2]>)> = found[0]
        .series
        .iter()
        .map(|one| (one.name.as_str(), one.points.iter().map(|point| [point.x, point.y]).collect()))
        .collect();
    for ((name, points), (size, expected)) in
        lines.iter().zip([("64 KiB", [2.0, 1.0, 0.5]), ("1 MiB", [4.0, 1.0, 0.25])])
    {
        assert_eq!((*name, points.len()), (size, 3), "{lines:?}");
        for ([x, y], (slots, ratio)) in points.iter().zip([1.0, 2.0, 4.0].into_iter().zip(expected)) {
            near(*x, slots);
            near(*y, ratio);
        }
    }
    assert_eq!(lines.len(), 2);
}

/// Seeds are folded into their variants, and no seed column is added if there was none.
#[test]
fn folded_seeds_add_no_column() {
    let text = "variant,position,depth,search.nodes\na,p,1,10\n\"a, key seed 2\",p,1,12\n";
    let (folded, _) = seeds::fold_seeds(&Frame::parse(text.as_bytes(), "by hand").unwrap()).unwrap();
    assert!(!folded.names().iter().any(|name| name == "keys.seed"), "{:?}", folded.names());
}

/// A field that isn't a number is reported with its line and its column in the file, even if some
/// columns aren't part of the frame.
#[test]
fn field_that_is_not_a_number_is_reported_by_line_and_column() {
    let text = "id,variant,position,depth,search.nodes,seconds\n1,a,p,1,10,0.1\n2,a,q,1,many,0.1\n";
    let output = Frame::parse(text.as_bytes(), "by hand").unwrap_err().to_string();
    assert!(output.starts_with("by hand:3: column 5, `search.nodes`: expected a number, found `many`"), "{output}");
}

/// Student's t quantiles for 95 %, for one and two degrees of freedom: with fewer than five
/// clusters, intervals use the t distribution. Source: any table.
const T: [f64; 2] = [12.706_204_736_174_7, 4.302_652_729_749_46];

/// Returns a ratio's mean and interval, given the mean and its standard error as powers of 2 and
/// the number of clusters.
fn power_report(power: f64, error: f64, clusters: usize) -> (f64, serde_json::Value) {
    let reach = T[clusters - 2] * error;
    (power.exp2(), serde_json::json!([(power - reach).exp2(), (power + reach).exp2()]))
}

/// Checks that two values are the same, numbers to nine digits.
#[track_caller]
fn same(found: &serde_json::Value, expected: &serde_json::Value, place: &str) {
    match (found, expected) {
        (serde_json::Value::Number(a), serde_json::Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            assert!((a - b).abs() <= 1e-9 * b.abs().max(1e-3), "{place}: found {a}, wanted {b}");
        }
        (serde_json::Value::Array(a), serde_json::Value::Array(b)) => {
            assert_eq!(a.len(), b.len(), "{place}: {found}");
            a.iter().zip(b).enumerate().for_each(|(at, (a, b))| same(a, b, &format!("{place} [{at}]")));
        }
        _ => assert_eq!(found, expected, "{place}"),
    }
}

/// Checks the page that `ttlab report --format json` gives for these rows: every cell of every
/// table and every point of the ratio plots. All statistics below are in powers of 2.
///
/// Corrected p, over the 4 distinct sign patterns of the clusters p, q and g. The statistic is the
/// absolute sum divided by the square root of the sum of squares: s2 4/6^.5 = 1.63, b1 3/5^.5 =
/// 1.34, b2 1, none 6/12^.5 = 1.73. Only the observed pattern is as extreme as none or s2: 1/4.
/// With b1 and b2 left, the patterns where q and g have the same sign are as extreme as b1: 2/4.
/// With b2 alone, all are.
///
/// Pairs: 1.73 for every pair with none except b2, 1.63 for s2 / s1, and 7/21^.5 = 1.53 for s2 / b1
/// (1, 2, 4): p is 1/4. 1.41 for b2 / b1 and b2 / none (2, 2), where patterns in which p and g have
/// the same sign are as extreme: 2/4. 1.34 for s1 / b1, where patterns are as extreme in which q
/// and g have the same sign, or p and g different signs (by s2 / b2, which is 1, -2): 3/4. 1 for b2
/// / s1 and 0.45 for s2 / b2: all patterns are as extreme.
#[test]
fn page_data_equal_figures_by_hand() {
    use serde_json::{Value, json};
    let folder = scratch();
    let file = folder.path().join("hand.csv");
    std::fs::write(&file, format!("{HEADER}\n{}\n", rows(&[1, 2, 6]).join("\n"))).unwrap();
    let metrics = ["--metric", "nodes", "--metric", "seconds", "--metric", "hit_rate"];
    let chosen = ["report", file.to_str().unwrap(), "--baseline", "variant=s1", "--pairs", "--format", "json"];
    let (page, stderr, code) = run(&[&chosen[..], &metrics[..]].concat());
    assert_eq!(code, 0, "{stderr}");
    let page: Value = serde_json::from_str(&page).unwrap();
    let part = |key: &str| page["parts"].as_array().unwrap().iter().find(|part| part["key"] == key).cloned();
    let table = |key: &str| -> Vec<Value> {
        let table = part(key).unwrap_or_else(|| panic!("no {key}"));
        let keys: Vec<&str> =
            table["columns"].as_array().unwrap().iter().map(|it| it["key"].as_str().unwrap()).collect();
        let cells = |row: &Value| Value::from(keys.iter().map(|key| row[key].clone()).collect::<Vec<_>>());
        table["rows"].as_array().unwrap().iter().map(cells).collect()
    };
    let held = |key: &str, expected: &[Value]| {
        let found = table(key);
        assert_eq!(found.len(), expected.len(), "{key}");
        for (found, expected) in found.iter().zip(expected) {
            same(found, expected, &format!("{key}: {}", expected[0]));
        }
    };
    // Standard errors as in `summary_lines_equal_figures_by_hand`.
    let eighths = 1.3125_f64.sqrt() / 4.0;
    let ninths = (64.0_f64 / 9.0).sqrt() / 3.0;
    let (s2, s2_range) = power_report(-1.0, 0.0, 3);
    let (b1, b1_range) = power_report(0.75, eighths, 3);
    let (b2, b2_range) = power_report(-2.0 / 3.0, ninths, 2);
    let (none, none_range) = power_report(1.5, 0.375, 3);
    // Columns: variant and verdict; nodes with ratio, interval and p; seconds (medians, 4 for each
    // search), which are equal; hit rate, which is equal.
    held(
        "summary",
        &[
            json!(["s1 *", null, 430, 1, null, null, 16, 1, null, null, 0.75, 1, null, null]),
            json!(["s2", "unclear", 215, s2, s2_range, 0.25, 16, 1, [1, 1], 1, 0.75, 1, [1, 1], 1]),
            json!(["b1", "unclear", 760, b1, b1_range, 0.5, 16, 1, [1, 1], 1, 0.75, 1, [1, 1], 1]),
            json!(["b2", "unclear", 155, b2, b2_range, 1, 12, 1, [1, 1], 1, 0.75, 1, [1, 1], 1]),
            json!(["none", "unclear", 180, none, none_range, 0.25, 8, 1, [1, 1], 1, null, null, null, null]),
        ],
    );
    // The baseline is marked with a star. `none` was only searched to depth 1, so it is compared at
    // the depth that both finished.
    let cut = json!({ "interval": "†", "seconds_interval": "†", "hit_rate_interval": "†" });
    let signs =
        part("summary").unwrap()["rows"].as_array().unwrap().iter().map(|row| row["signs"].clone()).collect::<Vec<_>>();
    assert_eq!(json!(signs), json!([{ "variant": "*" }, null, null, null, cut]));
    let note = part("summary").unwrap()["note"].as_str().unwrap().to_owned();
    assert!(note.contains("over 3 to 4 searches"), "b2 failed on one: {note}");
    // Size: the residuals of the clusters p (0, -1), q (1) and g (1, 1, 1, 1) from the mean 4/7 are
    // -15/7, 3/7 and 12/7; the standard error is sqrt(3/2 x 378/49) / 7. Of the sign flips of -1,
    // 1, 4, 3 of 4 are as extreme. Slots: the residuals of the clusters p (-1, -2), q (-1) and g
    // (-1, -1, -1, -1) from the mean -8/7 are -5/7, 1/7 and 4/7; the standard error is sqrt(3/2 x
    // 42/49) / 7. The statistic 8/26^.5 = 1.57 is reached by no other pattern, and not by the size
    // either: 6/18^.5 = 1.41.
    let (size, size_range) = power_report(4.0 / 7.0, (1.5_f64 * 378.0 / 49.0).sqrt() / 7.0, 3);
    let (slots, slots_range) = power_report(-8.0 / 7.0, (1.5_f64 * 42.0 / 49.0).sqrt() / 7.0, 3);
    held(
        "effects",
        &[
            json!(["size", "64 KiB *", 1, null, null, null]),
            json!(["size", "1 MiB", size, size_range, 0.75, 7]),
            json!(["slots", "1 *", 1, null, null, null]),
            json!(["slots", "2", slots, slots_range, 0.25, 7]),
        ],
    );
    // Four searches of two iterations: 64 probes, 48 hits, 8 misses of either kind, 64 stores, 26
    // evictions, 12 rejections.
    held(
        "traffic",
        &[
            json!(["s1 *", 64, 0.75, 0.125, 0.125, 64, 26.0 / 64.0, 12.0 / 64.0]),
            json!(["s2", 64, 0.75, 0.125, 0.125, 64, 26.0 / 64.0, 12.0 / 64.0]),
            json!(["b1", 64, 0.75, 0.125, 0.125, 64, 26.0 / 64.0, 12.0 / 64.0]),
            json!(["b2", 48, 0.75, 0.125, 0.125, 48, 21.0 / 48.0, 9.0 / 48.0]),
        ],
    );
    // Columns: hits, cutoffs, moves, misses in occupied slots, evictions, rejections. A rate that
    // doesn't vary has an interval of width 0. Evictions: the residuals of the clusters p 7/16, q
    // 5/16 and g 14/32 from 26/64 are 1/2, -3/2 and 1, and their squares sum to 7/2; the standard
    // error is sqrt(3/2 x 7/2) / 64.
    let reach = T[1] * 5.25_f64.sqrt() / 64.0;
    let evictions = [26.0 / 64.0 - reach, 26.0 / 64.0 + reach];
    let shares = |name: &str, evictions: [f64; 2]| {
        let [hits, usable, moves, misses, refused] = [0.75, 0.25, 0.375, 0.125, 0.1875].map(|share| [share, share]);
        json!([name, hits, usable, moves, misses, evictions, refused])
    };
    let b2_shares = shares("b2", [21.0 / 48.0; 2]);
    held("rates", &[shares("s1 *", evictions), shares("s2", evictions), shares("b1", evictions), b2_shares]);
    // Columns: searches, evaluations, other scores, solved, uncorrected p, median, clusters below
    // 1, and the mean without the most influential cluster; the power columns are empty. b1 without
    // p (the first of two that are equally influential): 3/3. none without the game: 4/2.
    held(
        "details",
        &[
            json!(["s1 *", 4, 215, null, 1, null, 1, null, null, null, null]),
            json!(["s2", 4, 107, 0, null, 0.25, 0.5, 3, 0.5, null, null]),
            json!(["b1", 4, 380, 1, null, 0.5, 2, 0, 2, null, null]),
            json!(["b2", 3, 77, 0, null, 1, 1, 1, null, null, null]),
            json!(["none", 4, 90, null, null, 0.25, 1.5_f64.exp2(), 0, 4, null, null]),
        ],
    );
    // The variant that needs fewer nodes than most others comes first: s2 beats four, b2 three, s1
    // two, b1 one.
    let pair = |line: &str, against: &str, (mean, range): (f64, Value), p: f64| json!([line, against, mean, range, p]);
    held(
        "pairs",
        &[
            pair("s2", "b2", power_report(-1.0 / 3.0, (64.0_f64 / 9.0).sqrt() / 3.0, 2), 1.0),
            pair("s2", "s1", power_report(-1.0, 0.0, 3), 0.25),
            pair("s2", "b1", power_report(-1.75, eighths, 3), 0.25),
            pair("s2", "none", power_report(-1.5, 0.375, 3), 0.25),
            pair("b2", "s1", power_report(-2.0 / 3.0, ninths, 2), 1.0),
            pair("b2", "b1", power_report(-4.0 / 3.0, (16.0_f64 / 9.0).sqrt() / 3.0, 2), 0.5),
            pair("b2", "none", power_report(-4.0 / 3.0, (16.0_f64 / 9.0).sqrt() / 3.0, 2), 0.5),
            pair("s1", "b1", power_report(-0.75, eighths, 3), 0.75),
            pair("s1", "none", power_report(-1.5, 0.375, 3), 0.25),
            pair("b1", "none", power_report(-1.5, 0.375, 3), 0.25),
        ],
    );
    let words = page.to_string();
    for warning in
        ["3 jobs failed and are left out", "count only the depths that the variant and the baseline both finished"]
    {
        assert!(words.contains(warning), "{warning}: {words}");
    }
    // Ratios by depth are paired. At depth 1 all are equal except none (2, 2, 1, 1). At depth 2, as
    // plain numbers, b2 has 15/90, 40/40 and 60/60 on p, g/1 and g/2; unpaired means over different
    // positions would give 0.41.
    let ratios = part("ratio-by-depth").unwrap()["plot"]["lines"]["series"].clone();
    let points = |name: &str| -> Vec<(f64, f64)> {
        let series = ratios.as_array().unwrap().iter().find(|series| series["name"] == name).unwrap();
        let point = |point: &Value| (point["x"].as_f64().unwrap(), point["y"].as_f64().unwrap());
        series["points"].as_array().unwrap().iter().map(point).collect()
    };
    let s2 = (40.0_f64 / 90.0 * (80.0 / 180.0) * (15.0 / 40.0) * (20.0 / 60.0)).powf(0.25);
    let b1 = (380.0_f64 / 180.0 * (90.0 / 40.0) * (140.0 / 60.0)).powf(0.25);
    let b2 = (15.0_f64 / 90.0).cbrt();
    for (name, expected) in [
        ("s1", vec![1.0, 1.0]),
        ("s2", vec![1.0, s2]),
        ("b1", vec![1.0, b1]),
        ("b2", vec![1.0, b2]),
        ("none", vec![1.5_f64.exp2()]),
    ] {
        let found = points(name);
        assert_eq!(found.len(), expected.len(), "{name}");
        for ((at, (x, y)), expected) in found.into_iter().enumerate().zip(expected) {
            assert_eq!(x, at as f64 + 1.0, "{name}");
            near(y, expected);
        }
    }
}

fn ruled(rows: &[String], claims: &[&str]) -> Vec<Verdict> {
    let frame = frame(rows);
    let expects: Vec<Expect> = claims.iter().map(|claim| from_toml(&format!("claim = '{claim}'")).unwrap()).collect();
    let summary = Summary::new(&frame, &question("s1", &["nodes"], &frame)).unwrap();
    judge_claims(&expects, 0.005, &frame, &summary)
}

/// Rows of two variants on the given number of positions.
fn two(nodes: impl Fn(u32) -> (u32, u32), positions: u32) -> Vec<String> {
    let row = |name: &str, at: u32, nodes: u32| {
        format!("{name},,p{at},0,1,bounded,64 KiB,1,5,,true,{nodes},1,2,3,8,6,1,1,4,4,0,0,8,6,1,")
    };
    let both = |at: u32| [row("s1", at, nodes(at).0), row("s2", at, nodes(at).1)];
    (0..positions).flat_map(both).collect()
}

#[test]
fn claim_is_decided_by_the_paired_ratio() {
    let small =
        ruled(&rows(&[1, 2, 6]), &["nodes(s2) < nodes(s1)", "nodes(s2) <= nodes(s1)", "seconds(b1) <= seconds(s1)"]);
    // Three positions or games: the smallest p of 8 patterns is 0.25.
    assert_eq!(small[0].ruling, Ruling::Undecided);
    assert!(
        small[0].measured.contains("3 positions or games are too few for 3 claims: at least 7"),
        "{}",
        small[0].measured
    );
    assert!(small[0].measured.starts_with("215 against 430; ratio 0.500"), "{}", small[0].measured);
    // Each cluster has the ratio 1/2, so leaving one out changes nothing.
    assert!(small[0].measured.contains("0.500 without "), "{}", small[0].measured);
    assert!(!small[0].measured.contains("common depth"), "{}", small[0].measured);
    let unlike = ruled(&rows(&[1]), &["nodes(none) > nodes(s1)"]).remove(0);
    assert!(unlike.measured.contains("4 searches compared only up to a common depth"), "{}", unlike.measured);
    // The ratio is 1/2 everywhere, so the interval contains no other value.
    assert_eq!(small[1].ruling, Ruling::Holds);
    // The medians of the repeats are 4 seconds each, so they are equal.
    assert_eq!(small[2].ruling, Ruling::Holds);
    assert!(small[2].measured.starts_with("16 against 16"), "{}", small[2].measured);

    // Twelve positions have 1,000 nodes, 900 with s2; one has 100,000, 200,000 with s2: the totals
    // contradict the ratio.
    let skewed = two(|at| if at == 0 { (100_000, 200_000) } else { (1000, 900 - at % 3) }, 13);
    let one = |rows: &[String], claim: &str| ruled(rows, &[claim]).remove(0);
    let held = one(&two(|at| (1000, 900 - at % 3), 13), "nodes(s2) < nodes(s1)");
    assert_eq!(held.ruling, Ruling::Holds, "{}", held.measured);
    assert_eq!(one(&skewed, "nodes(s2) < nodes(s1)").ruling, Ruling::Undecided);
    let rest = two(|at| if at == 0 { (100_000, 111_000) } else { (1000, 900 - 20 * (at % 5)) }, 24);
    let rest = one(&rest, "nodes(s2) < nodes(s1)");
    assert!(rest.ruling == Ruling::Holds, "{}", rest.measured);
    assert!(rest.measured.contains("the totals point the other way"), "{}", rest.measured);

    // Compared with the claim's own factor: 0.9 is below 0.95, but not below 0.8.
    let tenth = two(|at| (10_000, 9000 - at % 3), 40);
    assert_eq!(one(&tenth, "nodes(s2) < 0.95 * nodes(s1)").ruling, Ruling::Holds);
    assert_eq!(one(&tenth, "nodes(s2) < 0.8 * nodes(s1)").ruling, Ruling::Differs);
    assert_eq!(one(&tenth, "nodes(s1) > 1.05 * nodes(s2)").ruling, Ruling::Holds);
    // A difference of 3 nodes per 1,000 at every position is significant, but too small to matter.
    let hair = two(|at| (100_000, 99_700 - at % 3), 13);
    let less = one(&hair, "nodes(s2) < nodes(s1)");
    assert_eq!(less.ruling, Ruling::Differs);
    // Totals and ratio are both slightly lower, so they don't contradict each other.
    assert!(less.measured.contains("no difference that matters"), "{}", less.measured);
    assert!(!less.measured.contains("totals"), "{}", less.measured);
    // Slightly beyond the claim's own factor.
    let beyond = one(&hair, "nodes(s2) < 0.999 * nodes(s1)");
    assert_eq!(beyond.ruling, Ruling::Differs);
    assert!(beyond.measured.contains("no relevant difference from a factor of 0.999"), "{}", beyond.measured);
    let equal = one(&hair, "nodes(s2) = nodes(s1)");
    assert_eq!(equal.ruling, Ruling::Holds);
    assert!(!equal.measured.contains("totals"), "{}", equal.measured);
    assert!(!equal.measured.contains("matters"), "{}", equal.measured);
    // With a single position, the claim is judged by that position alone.
    let single = one(&two(|_| (10, 9), 1), "nodes(s2) < nodes(s1)");
    assert!(single.ruling == Ruling::Holds, "{}", single.measured);
    assert!(single.measured.contains("one position"), "{}", single.measured);
}

/// Seven positions give p = 2/128. A single claim is significant at 5 %, but four claims of one
/// file aren't (4 x 2/128 = 0.0625).
#[test]
fn claims_of_a_file_are_corrected_together() {
    let rows = two(|at| (1000, 800 - at % 3), 7);
    let claim = "nodes(s2) < nodes(s1)";
    assert_eq!(ruled(&rows, &[claim])[0].ruling, Ruling::Holds);
    assert!(ruled(&rows, &[claim; 4]).iter().all(|verdict| verdict.ruling == Ruling::Undecided));
    // Eight positions are enough for four claims. Identical claims move together, so the joint
    // correction makes four of them no more expensive than one.
    let rows = two(|at| (1000, 800 - at % 3), 8);
    assert!(ruled(&rows, &[claim; 4]).iter().all(|verdict| verdict.ruling == Ruling::Holds));
}

/// Twenty positions have the ratio 0.99, and one has 0.2 and dominates the mean. Without it the
/// mean is different, and the claim names it.
#[test]
fn claim_names_its_most_influential_position() {
    let rows = two(|at| (1000, if at == 3 { 200 } else { 990 - at % 2 }), 21);
    let held = ruled(&rows, &["nodes(s2) < nodes(s1)"]).remove(0);
    assert!(
        held.measured.contains("0.990 without p3") || held.measured.contains("0.989 without p3"),
        "{}",
        held.measured
    );
    // Eleven positions go up, nine don't change, one goes far down: without it, the mean changes
    // its sign.
    let turned = two(
        |at| {
            (
                1000,
                if at == 3 {
                    100
                } else if at % 2 == 0 {
                    1020
                } else {
                    1000
                },
            )
        },
        21,
    );
    let held = ruled(&turned, &["nodes(s2) < nodes(s1)"]).remove(0);
    assert!(held.measured.contains("without p3: significance depends on it"), "{}", held.measured);
}

#[test]
fn key_seeds_are_averaged_position_by_position() {
    // s2 / s1 is 1/2 and 1/2 with the first seed, 2 and 1/8 with the second: the means of the
    // logarithms are 0 and -2, as powers of 2.
    let row = |name: &str, position: &str, seed: u32, nodes: u32| format!("{name},{position},1,{seed},{nodes}");
    let text = [
        row("s1", "p", 1, 100),
        row("s1", "q", 1, 100),
        row("s2", "p", 1, 50),
        row("s2", "q", 1, 50),
        row("\"s1, key seed 2\"", "p", 2, 80),
        row("\"s1, key seed 2\"", "q", 2, 80),
        row("\"s2, key seed 2\"", "p", 2, 160),
        row("\"s2, key seed 2\"", "q", 2, 10),
    ];
    let text = format!("variant,position,depth,keys.seed,search.nodes\n{}\n", text.join("\n"));
    let frame = Frame::parse(text.as_bytes(), "seeds").unwrap();
    let (folded, seeds) = seeds::fold_seeds(&frame).unwrap();
    assert_eq!(seeds.count, 2);
    let summary = Summary::new(&folded, &question("s1", &["nodes"], &folded)).unwrap();
    assert_eq!(summary.lines.len(), 2);
    let line = &summary.lines[1];
    // The clusters are 0 and -2: the mean is -1 with residuals of 1 and -1; the standard error is
    // sqrt(2 x 2) / 2. All sign patterns are as extreme. Totals are those of the first seed.
    ratio(line.ratio(), -1.0, 1.0, 1.0, 2, 2);
    assert_eq!((line.sum("search.nodes"), line.searches), (100.0, 2));
    // The totals that a claim shows beside its ratio are also those of the first seed.
    let claim: Expect = from_toml("claim = 'nodes(s2) < nodes(s1)'").unwrap();
    let found = judge_claims(&[claim], 0.005, &folded, &summary);
    assert!(found[0].measured.starts_with("100 against 200; ratio 0.500"), "{}", found[0].measured);
}

/// Formats all figures of a summary without the names.
fn figures(summary: &Summary) -> Vec<String> {
    let bare = |line: &Line| format!("{:?}", Line { name: String::new(), values: Vec::new(), ..line.clone() });
    summary.lines.iter().map(bare).collect()
}

#[test]
fn page_figures_change_with_the_rows() {
    let all = rows(&[1, 2, 6]);
    let known = summary(&all, "s1");
    // The rows in another order.
    let mut turned = all.clone();
    turned.reverse();
    turned.rotate_left(17);
    assert_eq!(figures(&summary(&turned, "s1")), figures(&known));
    // With one more repeat and a time between the others: medians and counts stay the same, except
    // that there are more failed rows.
    let more = summary(&rows(&[1, 2, 6, 2]), "s1");
    assert_eq!(more.repeats, 4);
    for (line, was) in more.lines.iter().zip(&known.lines) {
        let same = Line { errors: was.errors, ..line.clone() };
        assert_eq!(format!("{same:?}"), format!("{was:?}"));
    }
    // With the sides swapped, ratios are inverted, and the ends of intervals change places.
    let swapped = summary(&all, "b1");
    let (there, back) = (known.lines[2].ratio(), swapped.lines[0].ratio());
    near(there.mean * back.mean, 1.0);
    near(there.low * back.high, 1.0);
    near(there.p, back.p);
    // With other names.
    let renamed: Vec<String> = all.iter().map(|row| row.replacen("s1,", "zz,", 1)).collect();
    let frame = frame(&renamed);
    let mut question = question("zz", &["nodes", "seconds", "hit_rate"], &frame);
    question.order[0] = "zz".to_owned();
    assert_eq!(figures(&Summary::new(&frame, &question).unwrap()), figures(&known));
}

/// One variant goes to depth 2 and one to depth 3; a third searches depth 3 directly and has no
/// depth in common with the first.
const UNLIKE: &str = r#"
name = "unlike"
suite = "data/bratko-kopec.epd"
first = 6
limit = { depth = 3 }
[[variant]]
name = "shallow"
algorithm = "minimax"
"limit.depth" = 2
[[variant]]
name = "deep"
[[variant]]
name = "straight"
"deepening.step" = 0
[[expect]]
claim = "nodes(deep) < nodes(shallow)"
[[expect]]
claim = "nodes(straight) < nodes(shallow)"
"#;

#[test]
fn comparison_of_different_depths_is_reported() {
    let folder = scratch();
    let file = folder.path().join("unlike.toml");
    std::fs::write(&file, UNLIKE).unwrap();
    let out = folder.path().join("out");
    let (file, out) = (file.to_str().unwrap(), out.to_str().unwrap());
    let (_, stderr, code) = run(&["run", file, "--out", out, "--quiet"]);
    assert_eq!(code, 0, "{stderr}");
    let page = std::fs::read_to_string(format!("{out}/report.md")).unwrap();
    let line = |name: &str| page.lines().find(|line| line.starts_with(&format!("| {name} "))).unwrap();
    assert!(line("deep").contains('†'), "{page}");
    assert!(line("straight").contains("| - | - |"), "{page}");
    assert!(page.contains("-: the baseline (compared with itself); no common depth"), "{page}");
    assert!(
        page.contains("the ratios of \"deep\" count only the depths that the variant and the baseline both finished"),
        "{page}"
    );
    assert!(
        page.contains("searches of \"straight\" without a finished depth in common with the baseline are not compared"),
        "{page}"
    );
    assert!(page.contains("6 pairs of searches have no depth that both finished"), "{page}");
    // The ratio is that of a run in which no variant goes deeper.
    let level = UNLIKE.replace("limit = { depth = 3 }", "limit = { depth = 2 }");
    std::fs::write(file, level.replace("name = \"unlike\"", "name = \"level\"")).unwrap();
    let flat = format!("{out}-level");
    assert_eq!(run(&["run", file, "--out", &flat, "--quiet"]).2, 0);
    for folder in [out, &flat] {
        let (json, stderr, code) = run(&["report", folder, "--pairs", "--format", "json"]);
        assert_eq!(code, 0, "{stderr}");
        assert!(json.contains("Each against each"), "{json}");
    }
    let level = std::fs::read_to_string(format!("{flat}/report.md")).unwrap();
    let cells = |page: &str| -> String {
        let line = page.lines().find(|line| line.starts_with("| deep ")).unwrap();
        line.split('|').nth(4).unwrap().replace('*', "").trim().to_owned()
    };
    assert_eq!(cells(&page), cells(&level));
}

/// Judges expected figures, each by the rows of its filter: the eight rows of s1 have 10, 90, 20,
/// 180, 10, 40, 20 and 60 nodes.
#[test]
fn expected_figures_are_judged_by_the_rows_of_their_filter() {
    let frame = frame(&rows(&[1, 2]));
    let summary = Summary::new(&frame, &question("s1", &["nodes"], &frame)).unwrap();
    let judge = |text: &str| -> Vec<[String; 4]> {
        let expect: Expect = from_toml(text).unwrap();
        let found = judge_claims(&[expect], 0.005, &frame, &summary);
        found
            .into_iter()
            .map(|found| {
                [found.subject.clone(), found.published.clone(), found.measured.clone(), found.word().to_owned()]
            })
            .collect()
    };
    let s1 = "where = { variant = 's1', repeat = 0 }\n";
    for (figure, published, measured, word) in [
        ("nodes = { of = 'min', exact = 10 }", "min 10", "10", "holds"),
        ("nodes = { of = 'max', exact = 180 }", "max 180", "180", "holds"),
        ("nodes = { of = 'sum', exact = 430 }", "sum 430", "430", "holds"),
        ("nodes = { of = 'mean', exact = 53.75 }", "mean 53.75", "53.75", "holds"),
        ("nodes = { of = 'median', exact = 30 }", "median 30", "30", "holds"),
        ("nodes = { min = 10, max = 180 }", "10 to 180", "10 to 180", "holds"),
        ("nodes = { max = 179 }", "at most 179", "10 to 180", "differs"),
        ("nodes = { min = 11 }", "at least 11", "10 to 180", "differs"),
        ("nodes = 10", "10", "10 to 180", "differs"),
        ("finished = true", "1", "nothing", "no rows"),
        ("finished = 'true'", "true", "true", "holds"),
        ("solved = 'true'", "true", ", false, true", "differs"),
    ] {
        let metric = figure.split(' ').next().unwrap();
        let expected = [format!("repeat 0, s1: {metric}"), published.to_owned(), measured.to_owned(), word.to_owned()];
        assert_eq!(judge(&format!("{s1}{figure}")), [expected], "{figure}");
    }
    // A figure for each depth, starting from the first or a later one. Without a filter, the rows
    // of all variants count.
    let p = "where = { variant = 's1', position = 'p' }\n";
    let row = |subject: &str, published: &str, measured: &str, word: &str| {
        [subject, published, measured, word].map(str::to_owned)
    };
    let expected = [
        row("position p, s1, depth 1: nodes", "10", "10", "holds"),
        row("position p, s1, depth 2: nodes", "91", "90", "differs"),
        row("position p, s1, depth 3: nodes", "1", "nothing", "no rows"),
    ];
    assert_eq!(judge(&format!("{p}nodes = {{ by_depth = [10, 91, 1] }}")), expected);
    let expected = [row("position p, s1, depth 2: nodes", "90", "90", "holds")];
    assert_eq!(judge(&format!("{p}nodes = {{ from = 2, by_depth = [90] }}")), expected);
    assert_eq!(judge("nodes = { of = 'max', exact = 380 }"), [row("nodes", "max 380", "380", "holds")]);
    // Scores that differ from the baseline's come from the summary; the figures that follow in the
    // same expectation are judged too.
    let expected = [
        row("b1: other_scores", "1", "1 of 4 searches", "holds"),
        row("b1: search.nodes", "sum 1520", "1520", "holds"),
    ];
    let both = "where = { variant = 'b1' }\nother_scores = 1\n'search.nodes' = { of = 'sum', exact = 1520 }";
    assert_eq!(judge(both), expected);
    // A failed job has no figure.
    let failed = judge("where = { variant = 'b2', position = 'q' }\nnodes = 0");
    assert_eq!(failed, [row("position q, b2: nodes", "0", "nothing", "no rows")]);
    // An expectation that should differ is met if it differs; one with the verdict `either` passes
    // without being met.
    let judged = |verdict: &str, figure: &str| {
        let expect: Expect = from_toml(&format!("{s1}verdict = '{verdict}'\nnodes = {figure}")).unwrap();
        let found = judge_claims(&[expect], 0.005, &frame, &summary).remove(0);
        (found.passes(), found.is_met(), found.word())
    };
    assert_eq!(judged("holds", "{ min = 1 }"), (true, true, "holds"));
    assert_eq!(judged("holds", "{ min = 11 }"), (false, false, "differs"));
    assert_eq!(judged("differs", "{ min = 11 }"), (true, true, "differs (expected)"));
    assert_eq!(judged("differs", "{ min = 1 }"), (false, false, "holds"));
    assert_eq!(judged("either", "{ min = 11 }"), (true, false, "differs"));
}

/// Each search took 2, 4 and 12 seconds (or half of that). Relative to the median, the deviations
/// are 1/2, 0 and 2, so the noise is 1.4826 / 2. The last repeat took six times as long as the
/// first.
#[test]
fn noise_and_drift_of_times_are_reported() {
    let folder = scratch();
    let message = |seconds: &[u32]| {
        let file = folder.path().join("hand.csv");
        std::fs::write(&file, format!("{HEADER}\n{}\n", rows(seconds).join("\n"))).unwrap();
        let (page, stderr, code) = run(&["report", file.to_str().unwrap(), "--format", "json"]);
        assert_eq!(code, 0, "{stderr}");
        page
    };
    let page = message(&[1, 2, 6]);
    let expected = "times: median of 3 repeats; noise between repeats 74.1 %, drift +500.0 %";
    assert!(page.contains(expected), "{page}");
    assert!(page.contains("times are noisy"), "{page}");
    assert!(page.contains("changed its speed"), "{page}");
    // Two repeats are too few to estimate noise.
    let page = message(&[2, 2]);
    assert!(page.contains("times: median of 2 repeats; noise between repeats -, drift +0.0 %"), "{page}");
    assert!(!page.contains("times are noisy"), "{page}");
    assert!(!page.contains("changed its speed"), "{page}");
}
