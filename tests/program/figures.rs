//! Every figure of a small results file, by hand: two axes, three repeats, a failed job, a variant
//! that went less deep, a game, and a variant without a table. Then the laws that any figures keep:
//! rows in another order, one more repeat, sides swapped, names changed.
//!
//! Nodes at depths 1 and 2 (`none` was searched to depth 1 alone; `b2` on q failed). g/1 and g/2
//! are two plies of one game:
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
use ttlab::internals::analysis::questions::claims::{Ruling, Verdict, judge_claims};
use ttlab::internals::analysis::questions::curves::responses;
use ttlab::internals::analysis::questions::effects::{interactions, main_effects, reference_levels};
use ttlab::internals::analysis::rows::axes::find_axes;
use ttlab::internals::analysis::rows::seeds;
use ttlab::internals::analysis::{Frame, Line, Metric, Question, Summary};
use ttlab::internals::decode::from_toml;
use ttlab::internals::experiment::expect::Expect;
use ttlab::internals::stats::ratio::Ratio;

const UNITS: [(&str, &str); 4] = [("", "p"), ("", "q"), ("g", "g/1"), ("g", "g/2")];

/// Name, kind, size and slots of the table, and the nodes of depths 1 and 2 on each unit (0: not
/// searched).
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

/// The rows, of so many repeats: the n-th takes so many seconds for each iteration.
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
                    // b1 ends p with another score; s1 solves p and not q.
                    let score = if (name, *position, depth) == ("b1", "p", 2) { 7 } else { 5 };
                    let solved = match (name, *position) {
                        ("s1", "p") => "true",
                        ("s1", "q") => "false",
                        _ => "",
                    };
                    // Of each iteration: half its nodes evaluated; 8 probes, 6 hits, 2 usable, 3
                    // good for their move, 1 miss on a free slot and 1 on others; 4 stores at depth
                    // 1, all into free slots, 12 at depth 2: 2 free, 7 evictions, 3 refused (on q 4
                    // free, 5 evictions, 3 refused).
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

/// Of a ratio: its mean as a power of 2, standard error in units of ln 2, p, pairs and clusters.
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

    // Totals are of one repeat. Evals: half of each row's nodes, rounded down: s2's 15 gives 7,
    // b2's 15 gives 7.
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
    // Two iterations of each search: 16 probes, 12 hits, 4 usable, 16 stores into 8 slots, 6 of
    // which are full at its end.
    for (line, searches) in [(&s1, 4.0), (&s2, 4.0), (&b1, 4.0), (&b2, 3.0)] {
        assert_eq!((line.sum("table.probes"), line.sum("table.hits")), (16.0 * searches, 12.0 * searches));
        assert_eq!((line.sum("search.usable"), line.sum("table.stores")), (4.0 * searches, 16.0 * searches));
        assert_eq!((line.pressure, line.hashfull), (2.0, 750.0));
        near(line.measures[2].value, 0.75);
    }
    near(none.pressure, nan);
    near(none.hashfull, nan);
    near(none.measures[2].value, nan);

    // A search of two iterations takes 2, 4 and 12 seconds in its repeats, one of one 1, 2 and 6:
    // medians 4 and 2.
    let seconds = [&s1, &s2, &b1, &b2, &none].map(|line| (line.seconds, line.measures[1].value));
    assert_eq!(seconds, [(16.0, 16.0), (16.0, 16.0), (16.0, 16.0), (12.0, 12.0), (8.0, 8.0)]);

    // Nodes by nodes of s1, in powers of 2, of p, q and the game's two plies; the game is one
    // cluster.
    assert!(s1.is_baseline);
    assert!(!s2.is_baseline);
    ratio(s1.ratio(), 0.0, nan, nan, 4, 0);
    // -1, -1, -1, -1. Flipped signs of the clusters -1, -1, -2 come as far in 2 of 8 patterns.
    ratio(s2.ratio(), -1.0, 0.0, 0.25, 4, 3);
    // 0, 1, 1, 1: mean 3/4; what the clusters 0, 1 and 2 leave: -3/4, 1/4, 1/2, whose squares sum
    // to 7/8; x 3/2, root, / 4. 0's sign turns nothing: 4 of 8 patterns.
    ratio(b1.ratio(), 0.75, 1.3125_f64.sqrt() / 4.0, 0.5, 4, 3);
    // -2, 0, 0 (q failed): mean -2/3; the clusters -2 and 0 leave -4/3 and 4/3; 2 x 32/9, root, /
    // 3. All 4 patterns.
    ratio(b2.ratio(), -2.0 / 3.0, (2.0 * 32.0 / 9.0_f64).sqrt() / 3.0, 1.0, 3, 2);
    // Depth 1 alone is common: 40/10, 80/20, 20/10, 40/20: 2, 2, 1, 1; clusters 2, 2, 2 leave 1/2,
    // 1/2, -1; 3/2 x 3/2, root, / 4.
    ratio(none.ratio(), 1.5, 1.5 / 4.0, 0.25, 4, 3);
    assert_eq!([&s1, &s2, &b1, &b2, &none].map(|line| line.measures[0].truncated), [0, 0, 0, 0, 4]);
    // Seconds: 4 against 4; at the common depth 2 against 2.
    for line in [&s2, &b1, &b2, &none] {
        near(line.measures[1].ratio.mean, 1.0);
    }
    // Of searches that end at one depth.
    assert_eq!([&s2, &b1, &b2, &none].map(|line| line.other_scores), [(0, 4), (1, 4), (0, 3), (0, 0)]);
    assert_eq!((s1.solved, b1.solved), ((1, 2), (0, 0)));
}

#[test]
fn effects_and_interaction_equal_figures_by_hand() {
    let frame = frame(&rows(&[1, 2, 6]));
    let (grid, axes) = find_axes(&frame, &["search.nodes"]);
    assert_eq!(axes.iter().map(|axis| axis.name.as_str()).collect::<Vec<_>>(), ["size", "slots"]);
    let references = reference_levels(&grid, &axes, Some("s1"));
    let effects = main_effects(&grid, &axes, &references, &Metric::nodes());
    let places: Vec<(usize, usize)> = effects.iter().map(|effect| (effect.axis, effect.level)).collect();
    assert_eq!(places, [(0, 0), (0, 1), (1, 0), (1, 1)]);
    // 1 MiB by 64 KiB: b1 by s1 0, 1, 1, 1; b2 by s2 -1, -, 1, 1.
    near(effects[1].judged.ratio.mean.log2(), 4.0 / 7.0);
    // Two slots by one: s2 by s1 -1 four times; b2 by b1 -2, -, -1, -1.
    near(effects[3].judged.ratio.mean.log2(), -8.0 / 7.0);
    assert_eq!([1, 3].map(|at| (effects[at].judged.ratio.pairs, effects[at].judged.ratio.clusters)), [(7, 3), (7, 3)]);
    // b2 by s2 over b1 by s1: -1 - 0, then 1 - 1 twice.
    let found = interactions(&grid, &axes, &references, &Metric::nodes());
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].first, found[0].second), ((0, 1), (1, 1)));
    near(found[0].judged.ratio.mean.log2(), -1.0 / 3.0);
    assert_eq!((found[0].judged.ratio.pairs, found[0].judged.ratio.clusters), (3, 2));
}

/// A line for each size, each against the reference of its own axis: two slots, the middle one,
/// where the sizes' reference is the first.
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

/// Seeds are folded into their variants, and no column of theirs is made where there was none.
#[test]
fn folded_seeds_add_no_column() {
    let text = "variant,position,depth,search.nodes\na,p,1,10\n\"a, key seed 2\",p,1,12\n";
    let (folded, _) = seeds::fold_seeds(&Frame::parse(text.as_bytes(), "by hand").unwrap()).unwrap();
    assert!(!folded.names().iter().any(|name| name == "keys.seed"), "{:?}", folded.names());
}

/// A field that is no number is told by its line and its column's place in the file, whatever is
/// left out of the frame.
#[test]
fn field_that_is_not_a_number_is_reported_by_line_and_column() {
    let text = "id,variant,position,depth,search.nodes,seconds\n1,a,p,1,10,0.1\n2,a,q,1,many,0.1\n";
    let output = Frame::parse(text.as_bytes(), "by hand").unwrap_err().to_string();
    assert!(output.starts_with("by hand:3: column 5, `search.nodes`: expected a number, found `many`"), "{output}");
}

/// Student's quantiles for 95 %, of one and two degrees of freedom: with fewer than five clusters
/// intervals are his. Source: any table.
const T: [f64; 2] = [12.706_204_736_174_7, 4.302_652_729_749_46];

/// A ratio's mean and interval from powers of 2: the mean, its standard error and how many
/// clusters.
fn power_report(power: f64, error: f64, clusters: usize) -> (f64, serde_json::Value) {
    let reach = T[clusters - 2] * error;
    (power.exp2(), serde_json::json!([(power - reach).exp2(), (power + reach).exp2()]))
}

/// The same value, numbers to nine digits.
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

/// The page of it as `ttlab report --format json` gives it, every cell of every table and every
/// point of the plots of ratios. In powers of 2:
///
/// Corrected p, of 4 patterns of the clusters p, q, g: sums over roots of sums of squares are s2
/// 4/6^.5 = 1.63, b1 3/5^.5 = 1.34, b2 1, none 6/12^.5 = 1.73. Only the pattern as it is comes as
/// far as none or s2: 1/4. Among b1 and b2, q and g with one sign come as far as b1: 2/4. b2 alone:
/// always.
///
/// Pairs: 1.73 for each against none but b2, s2 by s1 1.63, s2 by b1 (1, 2, 4) 7/21^.5 = 1.53: 1/4.
/// b2 by b1 and by none (2, 2) 1.41: p and g with one sign, 2/4. s1 by b1 1.34: q and g with one
/// sign, or p and g with two, where s2 by b2 (1, -2) comes as far: 3/4. b2 by s1 1 and s2 by b2
/// 0.45: always.
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
    // Variant and verdict; nodes, ratio, interval, p; seconds (medians, 4 of each search) alike;
    // hit rate alike.
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
    // The baseline has its star; `none`, which was searched to depth 1 alone, is compared in the
    // depth that both finished.
    let cut = json!({ "interval": "†", "seconds_interval": "†", "hit_rate_interval": "†" });
    let signs =
        part("summary").unwrap()["rows"].as_array().unwrap().iter().map(|row| row["signs"].clone()).collect::<Vec<_>>();
    assert_eq!(json!(signs), json!([{ "variant": "*" }, null, null, null, cut]));
    let note = part("summary").unwrap()["note"].as_str().unwrap().to_owned();
    assert!(note.contains("over 3 to 4 searches"), "b2 failed on one: {note}");
    // The size: clusters p (0, -1), q (1), g (1, 1, 1, 1) leave -15/7, 3/7, 12/7 of the mean 4/7;
    // 3/2 x 378/49, root, / 7. Flips of -1, 1, 4 come as far as 4 in 3 of 4. The slots: p (-1, -2),
    // q (-1), g (-1, -1, -1, -1) leave -5/7, 1/7, 4/7 of -8/7; 3/2 x 42/49, root, / 7. 8/26^.5 =
    // 1.57 is reached by no other pattern, of the size neither: 6/18^.5 = 1.41.
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
    // -1 on p, 0 twice in the game: leaves -2/3 and 2/3 of -1/3; 2 x 8/9, root, / 3.
    let (both, both_range) = power_report(-1.0 / 3.0, (16.0_f64 / 9.0).sqrt() / 3.0, 2);
    held("interactions", &[json!(["size=1 MiB", "slots=2", both, both_range, 1, 3])]);
    // Four searches of two iterations: 64 probes, 48 hits, 8 and 8 misses, 64 stores, 26 evictions,
    // 12 refused.
    held(
        "traffic",
        &[
            json!(["s1 *", 64, 0.75, 0.125, 0.125, 64, 26.0 / 64.0, 12.0 / 64.0]),
            json!(["s2", 64, 0.75, 0.125, 0.125, 64, 26.0 / 64.0, 12.0 / 64.0]),
            json!(["b1", 64, 0.75, 0.125, 0.125, 64, 26.0 / 64.0, 12.0 / 64.0]),
            json!(["b2", 48, 0.75, 0.125, 0.125, 48, 21.0 / 48.0, 9.0 / 48.0]),
        ],
    );
    // Hits, cutoffs, moves, misses on others, evictions, refusals. What does not vary has no width.
    // Evictions of clusters p 7/16, q 5/16 and g 14/32 leave 1/2, -3/2 and 1 of 26/64: squares 7/2;
    // x 3/2, root, / 64.
    let reach = T[1] * 5.25_f64.sqrt() / 64.0;
    let evictions = [26.0 / 64.0 - reach, 26.0 / 64.0 + reach];
    let shares = |name: &str, evictions: [f64; 2]| {
        let [hits, usable, moves, misses, refused] = [0.75, 0.25, 0.375, 0.125, 0.1875].map(|share| [share, share]);
        json!([name, hits, usable, moves, misses, evictions, refused])
    };
    let b2_shares = shares("b2", [21.0 / 48.0; 2]);
    held("rates", &[shares("s1 *", evictions), shares("s2", evictions), shares("b1", evictions), b2_shares]);
    // Searches, evaluations, other scores, solved, p by itself, median, clusters below, the mean
    // without one; nothing can be seen. b1 without p (the first of two that move it alike): 3/3.
    // none without the game: 4/2.
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
    // Who has less than most others comes first: s2 less than four, b2 than three, s1 than two, b1
    // than one.
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
    for warning in [
        "3 jobs failed and are left out",
        "count only the depths that the variant and the baseline both finished",
        "3 games are too few for 10 comparisons",
        "use at least 9",
    ] {
        assert!(words.contains(warning), "{warning}: {words}");
    }
    // By depth, paired: depth 1 is alike for all but none (2, 2, 1, 1); at depth 2, in natural
    // numbers, b2 on p, g/1 and g/2 makes 15/90, 40/40, 60/60, where means over other positions
    // would say 0.41.
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

/// Rows of two variants on so many positions.
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
    // Three positions or games: the best of 8 patterns has p 0.25.
    assert_eq!(small[0].ruling, Ruling::Undecided);
    assert!(
        small[0].measured.contains("3 positions or games are too few for 3 claims: at least 7"),
        "{}",
        small[0].measured
    );
    assert!(small[0].measured.starts_with("215 against 430; ratio 0.500"), "{}", small[0].measured);
    // Each cluster is 1/2: leaving one out moves nothing.
    assert!(small[0].measured.contains("0.500 without "), "{}", small[0].measured);
    assert!(!small[0].measured.contains("both finished"), "{}", small[0].measured);
    let unlike = ruled(&rows(&[1]), &["nodes(none) > nodes(s1)"]).remove(0);
    assert!(unlike.measured.contains("4 searches in the depths that both finished"), "{}", unlike.measured);
    // The ratio is 1/2 everywhere, so no interval holds more.
    assert_eq!(small[1].ruling, Ruling::Holds);
    // Medians of the repeats, each 4 seconds: equal.
    assert_eq!(small[2].ruling, Ruling::Holds);
    assert!(small[2].measured.starts_with("16 against 16"), "{}", small[2].measured);

    // Twelve positions of 1,000 nodes, s2 with 900; but one of 100,000, where s2 has 200,000:
    // totals say the opposite of the ratio.
    let skewed = two(|at| if at == 0 { (100_000, 200_000) } else { (1000, 900 - at % 3) }, 13);
    let one = |rows: &[String], claim: &str| ruled(rows, &[claim]).remove(0);
    let held = one(&two(|at| (1000, 900 - at % 3), 13), "nodes(s2) < nodes(s1)");
    assert_eq!(held.ruling, Ruling::Holds, "{}", held.measured);
    assert_eq!(one(&skewed, "nodes(s2) < nodes(s1)").ruling, Ruling::Undecided);
    let rest = two(|at| if at == 0 { (100_000, 111_000) } else { (1000, 900 - 20 * (at % 5)) }, 24);
    let rest = one(&rest, "nodes(s2) < nodes(s1)");
    assert!(rest.ruling == Ruling::Holds, "{}", rest.measured);
    assert!(rest.measured.contains("the totals point the other way"), "{}", rest.measured);

    // Against its own factor: 0.9 is below 0.95, not below 0.8.
    let tenth = two(|at| (10_000, 9000 - at % 3), 40);
    assert_eq!(one(&tenth, "nodes(s2) < 0.95 * nodes(s1)").ruling, Ruling::Holds);
    assert_eq!(one(&tenth, "nodes(s2) < 0.8 * nodes(s1)").ruling, Ruling::Differs);
    assert_eq!(one(&tenth, "nodes(s1) > 1.05 * nodes(s2)").ruling, Ruling::Holds);
    // Three nodes in a thousand, everywhere: told from none, and too little to matter.
    let hair = two(|at| (100_000, 99_700 - at % 3), 13);
    let less = one(&hair, "nodes(s2) < nodes(s1)");
    assert_eq!(less.ruling, Ruling::Differs);
    // Totals and ratio are both a hair less: neither points another way than the other.
    assert!(less.measured.contains("no difference that matters"), "{}", less.measured);
    assert!(!less.measured.contains("totals"), "{}", less.measured);
    // A hair beyond the claim's own factor.
    let beyond = one(&hair, "nodes(s2) < 0.999 * nodes(s1)");
    assert_eq!(beyond.ruling, Ruling::Differs);
    assert!(beyond.measured.contains("no difference from 0.999 x that matters"), "{}", beyond.measured);
    let equal = one(&hair, "nodes(s2) = nodes(s1)");
    assert_eq!(equal.ruling, Ruling::Holds);
    assert!(!equal.measured.contains("totals"), "{}", equal.measured);
    assert!(!equal.measured.contains("matters"), "{}", equal.measured);
    // One position stands for itself.
    let single = one(&two(|_| (10, 9), 1), "nodes(s2) < nodes(s1)");
    assert!(single.ruling == Ruling::Holds, "{}", single.measured);
    assert!(single.measured.contains("one position"), "{}", single.measured);
}

/// Seven positions with p 2/128 each: one claim passes 5 %, four of a file do not (4 x 2/128 =
/// 0.0625).
#[test]
fn claims_of_a_file_are_corrected_together() {
    let rows = two(|at| (1000, 800 - at % 3), 7);
    let claim = "nodes(s2) < nodes(s1)";
    assert_eq!(ruled(&rows, &[claim])[0].ruling, Ruling::Holds);
    assert!(ruled(&rows, &[claim; 4]).iter().all(|verdict| verdict.ruling == Ruling::Undecided));
    // Eight positions can show something among four claims. Four that say the same move together
    // and cost no more than one, where four strangers' correction would leave 8 x 2/256 = 0.0625 of
    // the eight below.
    let rows = two(|at| (1000, 800 - at % 3), 8);
    assert!(ruled(&rows, &[claim; 4]).iter().all(|verdict| verdict.ruling == Ruling::Holds));
}

/// Twenty positions of 0.99, and one of 0.2 that carries the mean: without it the mean is another,
/// and the claim says whose.
#[test]
fn claim_names_its_most_influential_position() {
    let rows = two(|at| (1000, if at == 3 { 200 } else { 990 - at % 2 }), 21);
    let held = ruled(&rows, &["nodes(s2) < nodes(s1)"]).remove(0);
    assert!(
        held.measured.contains("0.990 without p3") || held.measured.contains("0.989 without p3"),
        "{}",
        held.measured
    );
    // Ten up and eleven down, all by as much, but one down by far: its sign turns without it.
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
    // s2 by s1: under the first seed 1/2 and 1/2, under the second 2 and 1/8: means of the
    // logarithms 0 and -2 in powers of 2.
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
    // Clusters 0 and -2: mean -1, each 1 from it; 2 x 2, root, / 2. Every pattern of signs comes as
    // far. Totals are of the first seed.
    ratio(line.ratio(), -1.0, 1.0, 1.0, 2, 2);
    assert_eq!((line.sum("search.nodes"), line.searches), (100.0, 2));
    // What a claim shows beside its ratio are the first seed's totals too.
    let claim: Expect = from_toml("claim = 'nodes(s2) < nodes(s1)'").unwrap();
    let found = judge_claims(&[claim], 0.005, &folded, &summary);
    assert!(found[0].measured.starts_with("100 against 200; ratio 0.500"), "{}", found[0].measured);
}

/// All figures of a summary, names apart.
fn figures(summary: &Summary) -> Vec<String> {
    let bare = |line: &Line| format!("{:?}", Line { name: String::new(), values: Vec::new(), ..line.clone() });
    summary.lines.iter().map(bare).collect()
}

#[test]
fn page_figures_change_with_the_rows() {
    let all = rows(&[1, 2, 6]);
    let known = summary(&all, "s1");
    // In another order.
    let mut turned = all.clone();
    turned.reverse();
    turned.rotate_left(17);
    assert_eq!(figures(&summary(&turned, "s1")), figures(&known));
    // With one more repeat, of a time between: medians and counts stay, failed rows are one more.
    let more = summary(&rows(&[1, 2, 6, 2]), "s1");
    assert_eq!(more.repeats, 4);
    for (line, was) in more.lines.iter().zip(&known.lines) {
        let same = Line { errors: was.errors, ..line.clone() };
        assert_eq!(format!("{same:?}"), format!("{was:?}"));
    }
    // The other way round, ratios are turned over; ends of intervals change places.
    let swapped = summary(&all, "b1");
    let (there, back) = (known.lines[2].ratio(), swapped.lines[0].ratio());
    near(there.mean * back.mean, 1.0);
    near(there.low * back.high, 1.0);
    near(there.p, back.p);
    // Under other names.
    let renamed: Vec<String> = all.iter().map(|row| row.replacen("s1,", "zz,", 1)).collect();
    let frame = frame(&renamed);
    let mut question = question("zz", &["nodes", "seconds", "hit_rate"], &frame);
    question.order[0] = "zz".to_owned();
    assert_eq!(figures(&Summary::new(&frame, &question).unwrap()), figures(&known));
}

/// One variant goes to depth 2, one to depth 3; a third goes straight to depth 3, and shares no
/// depth with the first.
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
    assert!(page.contains("searches of \"straight\" that share no finished depth are not compared"), "{page}");
    assert!(page.contains("6 searches share no depth that both finished"), "{page}");
    // The ratio is that of a run in which neither goes deeper.
    let level = UNLIKE.replace("limit = { depth = 3 }", "limit = { depth = 2 }");
    std::fs::write(file, level.replace("name = \"unlike\"", "name = \"level\"")).unwrap();
    let flat = format!("{out}-level");
    assert_eq!(run(&["run", file, "--out", &flat, "--quiet"]).2, 0);
    let ratio = |folder: &str| {
        let (json, stderr, code) = run(&["report", folder, "--pairs", "--format", "json"]);
        assert_eq!(code, 0, "{stderr}");
        let page: serde_json::Value = serde_json::from_str(&json).unwrap();
        let text = page.to_string();
        assert!(text.contains("Each against each"), "{text}");
        text
    };
    let _ = (ratio(out), ratio(&flat));
    let level = std::fs::read_to_string(format!("{flat}/report.md")).unwrap();
    let cells = |page: &str| -> String {
        let line = page.lines().find(|line| line.starts_with("| deep ")).unwrap();
        line.split('|').nth(4).unwrap().replace('*', "").trim().to_owned()
    };
    assert_eq!(cells(&page), cells(&level));
}

/// Figures that are expected, each against its own rows: s1 has 10, 90, 20, 180, 10, 40, 20 and 60
/// nodes in its eight.
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
    // A figure for each depth, from the first or another; of rows of all variants where none is
    // named.
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
    // Scores that end otherwise than the baseline's are the summary's; what follows is looked at
    // too.
    let expected = [
        row("b1: other_scores", "1", "1 of 4 searches", "holds"),
        row("b1: search.nodes", "sum 1520", "1520", "holds"),
    ];
    let both = "where = { variant = 'b1' }\nother_scores = 1\n'search.nodes' = { of = 'sum', exact = 1520 }";
    assert_eq!(judge(both), expected);
    // A job that failed has no figure.
    let failed = judge("where = { variant = 'b2', position = 'q' }\nnodes = 0");
    assert_eq!(failed, [row("position q, b2: nodes", "0", "nothing", "no rows")]);
    // What was wanted to differ is met where it does; what nothing was wanted of passes and is not
    // met.
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

/// Each search took 2, 4 and 12 seconds (or half of each): the deviations from the median are a
/// half of it, nothing and twice it, so that the noise is 1.4826 / 2; the last repeat took six
/// times as long as the first.
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
    // Two repeats tell no noise.
    let page = message(&[2, 2]);
    assert!(page.contains("times: median of 2 repeats; noise between repeats -, drift +0.0 %"), "{page}");
    assert!(!page.contains("times are noisy"), "{page}");
    assert!(!page.contains("changed its speed"), "{page}");
}

/// Each relation below, at and above equality.
#[test]
fn relation_of_a_claim_is_judged_exactly_at_equality() {
    use ttlab::internals::experiment::expect::Claim;
    for (relation, expected) in [
        ("<", [true, false, false]),
        ("<=", [true, true, false]),
        ("=", [false, true, false]),
        (">=", [false, true, true]),
        (">", [false, false, true]),
    ] {
        let claim = Claim::parse(&format!("2 * nodes(a=b) {relation} nodes(c)")).unwrap();
        assert_eq!((claim.left.variant.as_str(), claim.left.factor, claim.right.factor), ("a=b", 2.0, 1.0));
        assert_eq!([4.0, 5.0, 6.0].map(|left| claim.holds(left, 5.0)), expected, "{relation}");
    }
}
