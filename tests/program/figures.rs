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

use std::f64::consts::LN_2;
use ttlab::internals::analysis::questions::claims::judge_claims;
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
    let (grid, axes) = find_axes(&frame);
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
