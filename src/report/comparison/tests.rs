//! What a comparison says, from figures by hand: the sentences that lead it, its tables, and the forms for machines.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::analysis::Ratio;
use crate::report::machine::{bench_json, json, junit};
use crate::report::sheet::each_goes_in_its_turn;

#[test]
fn small_changes_do_not_look_like_none() {
    for (totals, text) in [
        ([1000.0, 1010.0], "+1.00 %"),
        ([1000.0, 1000.0], "="),
        ([1e9, 1e9 + 1.0], "+1e-7 %"),
        ([1e9, 1e9 - 1.0], "-1e-7 %"),
        ([100_000.0, 100_005.0], "+0.01 %"),
        ([100_000.0, 99_996.0], "-4e-3 %"),
        ([0.0, 3.0], "from 0"),
        ([0.0, 0.0], "="),
        ([4.0, 1.0], "-75.00 %"),
        ([4.0, 0.0], "-100.00 %"),
    ] {
        assert_eq!(change(totals), text, "{totals:?}");
    }
}

/// A variant whose nodes were `base` and are `new` in so many paired rows, of which so many moved.
fn variant(name: &str, paired: usize, moved: usize, [base, new]: [f64; 2]) -> Change {
    Change {
        variant: name.to_owned(),
        paired,
        moved,
        totals: vec![[base, new], [8.0, 9.5]],
        differ: vec![moved, 0],
        nodes: Ratio { mean: 0.5, low: 0.25, high: 0.75, pairs: paired, ..Ratio::default() },
        p: 0.125,
        seconds: Ratio { mean: 2.0, ..Ratio::default() },
        spread: 0.25,
        ..Change::default()
    }
}

fn judged(variant: &str, fails: bool, noise: bool) -> GateResult {
    GateResult {
        gate: "nodes > +1%".to_owned(),
        variant: variant.to_owned(),
        metric: columns::NODES.to_owned(),
        totals: [1000.0, 1234.0],
        differ: 1,
        fails,
        noise,
    }
}

fn found(variants: Vec<Change>) -> Comparison {
    let rows = variants.iter().fold((0, 0), |(rows, moved), of| (rows + of.paired, moved + of.moved));
    Comparison {
        names: ["old", "new"].map(str::to_owned),
        metrics: [columns::NODES, columns::SECONDS].map(str::to_owned).to_vec(),
        variants,
        rows,
        ..Comparison::default()
    }
}

/// Each outcome has its headline; what fails is counted among all gates.
#[test]
fn the_headline_says_what_it_ends_with() {
    let fine = found(vec![variant("a", 5, 0, [9.0, 9.0])]);
    let moved = found(vec![variant("a", 5, 2, [9.0, 8.0])]);
    let gates = |found: &Comparison, judged: Vec<GateResult>| Comparison { judged, ..found.clone() };
    let (pass, noise, fail) = (judged("a", false, false), judged("a", false, true), judged("a", true, false));
    for (comparison, text) in [
        (fine.clone(), "ok: all 5 paired rows are equal"),
        (moved.clone(), "ok: 2 of 5 paired rows moved"),
        (gates(&fine, vec![pass.clone()]), "ok: the gate passes; all 5 paired rows are equal"),
        (gates(&moved, vec![fail.clone()]), "FAIL: 1 of 1 gate; 2 of 5 paired rows moved"),
        (gates(&fine, vec![pass.clone(), noise.clone()]), "ok: 2 gates pass; all 5 paired rows are equal"),
        (
            gates(&moved, vec![pass.clone(), fail.clone(), noise.clone()]),
            "FAIL: 1 of 3 gates; 2 of 5 paired rows moved",
        ),
        (
            Comparison { missing: (1, vec!["r".to_owned()]), ..moved.clone() },
            "FAIL: NEW lacks 1 row of BASE; 2 of 5 paired rows moved",
        ),
        (found(vec![]), "FAIL: no row of BASE is in NEW"),
        (
            Comparison { same_plan: Some(true), ..moved.clone() },
            "FAIL: the plans are equal, but 2 of 5 paired rows moved",
        ),
        (Comparison { same_plan: Some(true), moves_allowed: true, ..moved.clone() }, "ok: 2 of 5 paired rows moved"),
    ] {
        assert_eq!(headline(&comparison), text);
    }
    assert_eq!([&pass, &noise, &fail].map(outcome), ["pass", "pass (within noise)", "FAIL"]);
    let of_seconds = GateResult { metric: columns::SECONDS.to_owned(), totals: [1.0, 1.5], differ: 0, ..fail.clone() };
    assert_eq!(seen(&fail), "1,000 -> 1,234 (+23.40 %, 1 row differs)");
    assert_eq!(seen(&of_seconds), "1.000 -> 1.500 (+50.00 %)");
    let nothing = lead(&found(vec![variant("a", 0, 0, [0.0, 0.0])])).pop();
    assert_eq!(nothing.as_deref(), Some("gate: nothing to judge: no row is in both"));
    assert_eq!(lead(&gates(&fine, vec![pass.clone()])).pop().as_deref(), Some("gate: it passes"));
    let lasts = [vec![], vec![pass.clone(), noise], vec![fail, pass]].map(|judged| lead(&gates(&fine, judged)).pop());
    let lasts = lasts.map(Option::unwrap_or_default);
    assert_eq!(lasts, ["gate: none was given (--fail-on)", "gate: all 2 pass", "gate: 1 of 2 fail"]);
}

/// The line of the nodes: unmoved, moved by one variant or more, moved so that the sums are equal; a halving is as much as a doubling.
#[test]
fn the_lead_names_what_moved_most() {
    for (variants, text) in [
        (vec![variant("a", 5, 0, [900.0, 900.0])], "nodes: 900, unmoved"),
        (vec![variant("a", 5, 1, [900.0, 450.0])], "nodes: 900 -> 450 (-50.00 %)"),
        (
            vec![variant("a", 5, 1, [100.0, 150.0]), variant("b", 5, 1, [100.0, 50.0])],
            "nodes: 200 -> 200 (=); most in \"b\": -50.00 %",
        ),
        (
            vec![variant("a", 5, 1, [100.0, 20.0]), variant("b", 5, 0, [100.0, 100.0])],
            "nodes: 200 -> 120 (-40.00 %); most in \"a\": -80.00 %",
        ),
        // What has no pairs is not in it.
        (vec![variant("a", 5, 1, [100.0, 110.0]), variant("b", 0, 1, [0.0, 70.0])], "nodes: 100 -> 110 (+10.00 %)"),
    ] {
        assert_eq!(lead(&found(variants))[3], text);
    }
    let mut comparison = found(vec![variant("a", 5, 1, [9.0, 8.0])]);
    for (missing, added, text) in [
        (0, 0, "rows: 1 of 5 moved"),
        (1, 0, "rows: 1 of 5 moved, 1 missing in NEW"),
        (0, 1, "rows: 1 of 5 moved, 1 only in NEW"),
        (2, 3, "rows: 1 of 5 moved, 2 missing in NEW, 3 only in NEW"),
    ] {
        (comparison.missing.0, comparison.added) = (missing, added);
        assert_eq!(lead(&comparison)[2], text);
    }
    for (differences, text) in [
        (None, "plans: unknown: no manifest.json beside one of them"),
        (Some(vec![]), "plans: equal"),
        (Some(vec!["a", "b"]), "plans: they differ in a; b"),
    ] {
        comparison.differences = differences.map(|list: Vec<&str>| list.into_iter().map(str::to_owned).collect());
        assert_eq!(lead(&comparison)[..2], ["BASE old, NEW new".to_owned(), text.to_owned()]);
    }
}

/// Every cell of a variant and of a row that moved; the parts that are there, and those that are not.
#[test]
fn tables_show_what_moved() {
    let row = |repeat: u32, columns: usize| Moved {
        variant: "a".to_owned(),
        position: "p".to_owned(),
        depth: 3.0,
        repeat,
        nodes: [10.0, 5.0],
        columns: (0..columns).map(|at| format!("c{at}")).collect(),
    };
    let mut comparison = found(vec![variant("a", 5, 1, [1000.0, 500.0]), variant("b", 7, 0, [20.0, 20.0])]);
    comparison.variants[1].missing = 2;
    comparison.moved = vec![row(0, 6), row(1, 7)];
    let texts = |table: &SheetTable| -> Vec<String> {
        let line = |row: &Vec<Cell>| row.iter().map(|cell| cell.text.as_str()).collect::<Vec<_>>().join(" | ");
        table.rows.iter().map(line).collect()
    };
    assert_eq!(
        texts(&variants(&comparison)),
        [
            "a | 5 | 1 | 0 | 1,000 | 500 | -50.00 % | 0.500 | 0.250-0.750 | 0.125",
            "b | 7 | 0 | 2 | 20 | 20 | = | 0.500 | 0.250-0.750 | 0.125",
        ]
    );
    assert_eq!(texts(&movements(&comparison)), [format!("{} | a | 1 | 1,000 | 500 | -50.00 %", columns::NODES)]);
    assert_eq!(
        texts(&rows(&comparison)),
        [
            "\"a\", p, depth 3 | 10 | 5 | -50.00 % | c0, c1, c2, c3, c4, c5 differ",
            "\"a\", p, depth 3, repeat 1 | 10 | 5 | -50.00 % | c0, c1, c2, c3, c4, c5 and 1 more differ",
        ]
    );
    for table in [variants, movements, rows, gates] {
        each_goes_in_its_turn(&table(&comparison));
    }
    for (totals, share, mark) in
        [([4.0, 1.0], -0.75, Emphasis::Less), ([4.0, 5.0], 0.25, Emphasis::More), ([0.0, 0.0], 0.0, Emphasis::None)]
    {
        let cell = moved(totals);
        assert_eq!((cell.value, cell.mark), (Datum::Number(share), mark));
    }
    comparison.judged = vec![judged("a", true, false), judged("b", false, true)];
    let marks: Vec<Emphasis> = gates(&comparison).rows.iter().map(|row| row[0].mark).collect();
    assert_eq!(marks, [Emphasis::Failed, Emphasis::Passed]);
    let kinds = |comparison: &Comparison| -> String {
        let kind = |part: &Part| match part {
            Part::List(..) => 'l',
            Part::Table(table) => table.key.chars().next().unwrap(),
            Part::Folded(title, parts) => {
                if title == "What moved" {
                    char::from(b'0' + parts.len() as u8)
                } else {
                    'm'
                }
            }
            Part::Findings(_) => 'n',
            _ => '?',
        };
        sheet(comparison).parts.iter().map(kind).collect()
    };
    assert_eq!(kinds(&comparison), "lgv2");
    (comparison.missing.0, comparison.notes) = (1, vec!["x".to_owned()]);
    assert_eq!(kinds(&comparison), "lgv2mn");
    assert_eq!(kinds(&found(vec![variant("b", 7, 0, [20.0, 20.0])])), "lv");
}

/// A suite for each variant that BASE has; what fails is counted in its suite and in all; gates stand under their own variant.
#[test]
fn junit_counts_what_fails() {
    let mut comparison =
        found(vec![variant("a", 5, 1, [9.0, 8.0]), variant("b", 0, 0, [0.0; 2]), variant("lost", 0, 0, [0.0; 2])]);
    comparison.variants[2].missing = 1;
    comparison.judged = vec![judged("a", true, false), judged("a", false, false), judged("lost", false, true)];
    let heads = |comparison: &Comparison| -> Vec<String> {
        let text = junit(comparison);
        let lines = text.lines().filter(|line| line.contains("failures="));
        lines.map(|line| line.trim().replace("testsuite", "").replace('"', "")).collect()
    };
    assert_eq!(
        heads(&comparison),
        [
            "<s name=ttlab compare tests=5 failures=2>",
            "< name=a tests=3 failures=1>",
            "< name=lost tests=2 failures=1>"
        ]
    );
    comparison.same_plan = Some(true);
    assert_eq!(
        heads(&comparison),
        [
            "<s name=ttlab compare tests=7 failures=3>",
            "< name=a tests=4 failures=2>",
            "< name=lost tests=3 failures=1>"
        ]
    );
    let text = junit(&comparison);
    assert!(text.contains("name=\"counts are equal\"><failure message=\"1 of 5 rows moved\"/>"), "{text}");
    assert!(text.contains("name=\"rows are there\"><failure message=\"1 row of BASE missing\"/>"), "{text}");
    // Where moves are allowed no case says that counts must be equal.
    let allowed = Comparison { moves_allowed: true, ..comparison.clone() };
    assert_eq!(heads(&allowed)[0], "<s name=ttlab compare tests=5 failures=2>");
    assert!(text.contains("<failure message=\"FAIL: 1,000 -&gt; 1,234 (+23.40 %, 1 row differs)\"/>"), "{text}");
}

/// Both sides, each in its own field; counts have no range, times that of their repeats; a variant without pairs has no figure.
#[test]
fn machines_read_the_same() {
    let mut comparison = found(vec![variant("a", 5, 1, [9.0, 8.0]), variant("b", 0, 0, [0.0; 2])]);
    (comparison.failed, comparison.added, comparison.missing.0) = ([2, 3], 4, 6);
    let list: serde_json::Value = serde_json::from_str(&bench_json(&comparison)).unwrap();
    let field = |at: usize, name: &str| list[at][name].to_string().replace('"', "");
    let shown: Vec<[String; 3]> =
        (0..list.as_array().unwrap().len()).map(|at| ["name", "value", "range"].map(|name| field(at, name))).collect();
    assert_eq!(shown, [["a: nodes", "8.0", "± 0"], ["a: s", "9.5", "± 0.25"]].map(|row| row.map(str::to_owned)));
    let page: serde_json::Value = serde_json::from_str(&json(&comparison)).unwrap();
    let rows = &page["rows"];
    let counts = ["paired", "moved", "missing", "added", "failed_base", "failed_new"].map(|name| rows[name].as_u64());
    assert_eq!(counts, [5, 1, 6, 4, 2, 3].map(Some));
    let change = &page["variants"][0];
    let means = ["nodes_ratio", "seconds_ratio"].map(|name| change[name]["mean"].as_f64());
    assert_eq!((means, change["nodes_p_corrected"].as_f64()), ([Some(0.5), Some(2.0)], Some(0.125)));
    assert_eq!((page["base"].as_str(), page["new"].as_str()), (Some("old"), Some("new")));
}

/// Gates, rows that moved and metrics say of each side what the page says of it, under the side's own name.
#[test]
fn fields_for_machines_are_of_their_own_side() {
    let mut comparison = found(vec![variant("a", 5, 1, [9.0, 8.0])]);
    comparison.variants[0].missing = 7;
    comparison.variants[0].nodes.p = 0.375;
    comparison.judged = vec![judged("a", true, false), judged("a", false, true)];
    comparison.moved = vec![Moved {
        variant: "a".to_owned(),
        position: "p".to_owned(),
        depth: 3.0,
        repeat: 2,
        nodes: [10.0, 5.0],
        columns: vec!["c".to_owned()],
    }];
    let page: serde_json::Value = serde_json::from_str(&json(&comparison)).unwrap();
    for (gate, fails, noise) in [(0, true, false), (1, false, true)] {
        let gate = &page["gates"][gate];
        assert_eq!((gate["base"].as_f64(), gate["new"].as_f64()), (Some(1000.0), Some(1234.0)));
        assert_eq!((gate["fails"].as_bool(), gate["within_noise"].as_bool()), (Some(fails), Some(noise)));
    }
    let row = &page["moved_rows"][0];
    let fields = ["depth", "repeat", "nodes_base", "nodes_new"].map(|name| row[name].as_f64());
    assert_eq!(fields, [3.0, 2.0, 10.0, 5.0].map(Some));
    let change = &page["variants"][0];
    assert_eq!(["rows", "moved", "missing"].map(|name| change[name].as_u64()), [5, 1, 7].map(Some));
    let seconds = &change["metrics"][columns::SECONDS];
    assert_eq!(["base", "new"].map(|name| seconds[name].as_f64()), [8.0, 9.5].map(Some));
    let ratio = ["mean", "low", "high", "p", "pairs"].map(|name| change["nodes_ratio"][name].as_f64());
    assert_eq!(ratio, [0.5, 0.25, 0.75, 0.375, 5.0].map(Some));
}

/// As in a report: only a ratio that leaves depths out is marked.
#[test]
fn ratios_of_common_depths_are_marked() {
    let cut = Change { cut: 1, ..variant("cut", 9, 9, [10.0, 5.0]) };
    let table = variants(&found(vec![cut, variant("whole", 9, 9, [10.0, 5.0])]));
    let shown: Vec<&str> = table.rows.iter().map(|row| row[8].text.as_str()).collect();
    assert_eq!(shown, ["0.250-0.750 \u{2020}", "0.250-0.750"]);
}
