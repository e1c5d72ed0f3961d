//! Tests the page of a comparison and the formats for programs on figures made by hand.

use super::*;
use crate::analysis::questions::verdict::Ruling;
use crate::report::machine::{bench_json, comparison_json, junit};
use crate::report::sheet::assert_drop_orders_distinct;
use crate::stats::ratio::Ratio;

#[test]
fn tiny_change_is_not_shown_as_zero() {
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
        assert_eq!(format_change(totals), text, "{totals:?}");
    }
}

/// A variant with `paired` rows, `moved` of them different; its nodes changed from `base` to `new`.
fn variant(name: &str, paired: usize, moved: usize, [base, new]: [f64; 2]) -> Change {
    Change {
        variant: name.to_owned(),
        paired,
        moved,
        totals: vec![[base, new], [8.0, 9.5]],
        differing: vec![moved, 0],
        nodes: Ratio { mean: 0.5, low: 0.25, high: 0.75, pairs: paired, ..Ratio::default() },
        p: 0.125,
        seconds: Ratio { mean: 2.0, ..Ratio::default() },
        spread: 0.25,
        ..Change::default()
    }
}

fn gate_result(variant: &str, fails: bool, noise: bool) -> GateResult {
    GateResult {
        gate: "nodes > +1%".to_owned(),
        variant: variant.to_owned(),
        metric: columns::NODES.to_owned(),
        totals: [1000.0, 1234.0],
        differing_rows: 1,
        ruling: if noise { Ruling::Undecided } else { Ruling::from_holds(Some(fails)) },
        caution: None,
    }
}

fn comparison_of(variants: Vec<Change>) -> Comparison {
    let paired_count = variants.iter().map(|change| change.paired).sum();
    let moved_count = variants.iter().map(|change| change.moved).sum();
    Comparison {
        names: ["old", "new"].map(str::to_owned),
        metrics: [columns::NODES, columns::SECONDS].map(str::to_owned).to_vec(),
        variants,
        paired_count,
        moved_count,
        ..Comparison::default()
    }
}

#[test]
fn headline_states_the_finding() {
    let equal = comparison_of(vec![variant("a", 5, 0, [9.0, 9.0])]);
    let moved = comparison_of(vec![variant("a", 5, 2, [9.0, 8.0])]);
    let with_gates =
        |comparison: &Comparison, gate_results: Vec<GateResult>| Comparison { gate_results, ..comparison.clone() };
    let (pass, noise, fail) =
        (gate_result("a", false, false), gate_result("a", false, true), gate_result("a", true, false));
    for (comparison, text) in [
        (equal.clone(), "ok: all 5 paired rows are equal"),
        (moved.clone(), "ok: 2 of 5 paired rows differ"),
        (with_gates(&equal, vec![pass.clone()]), "ok: the gate passes; all 5 paired rows are equal"),
        (with_gates(&moved, vec![fail.clone()]), "FAIL: 1 of 1 gate; 2 of 5 paired rows differ"),
        (with_gates(&equal, vec![pass.clone(), noise.clone()]), "ok: 2 gates pass; all 5 paired rows are equal"),
        (
            with_gates(&moved, vec![pass.clone(), fail.clone(), noise.clone()]),
            "FAIL: 1 of 3 gates; 2 of 5 paired rows differ",
        ),
        (
            Comparison { missing_count: 1, listed_missing: vec!["r".to_owned()], ..moved.clone() },
            "FAIL: NEW lacks 1 row of BASE; 2 of 5 paired rows differ",
        ),
        (comparison_of(vec![]), "FAIL: NEW has no row of BASE"),
        (
            Comparison { same_plan: Some(true), ..moved.clone() },
            "FAIL: the plans are equal, but 2 of 5 paired rows differ",
        ),
        (Comparison { same_plan: Some(true), moves_allowed: true, ..moved.clone() }, "ok: 2 of 5 paired rows differ"),
    ] {
        assert_eq!(headline(&comparison), text);
    }
    assert_eq!([&pass, &noise, &fail].map(gate_outcome), ["pass", "pass (within noise)", "FAIL"]);
    let seconds_gate =
        GateResult { metric: columns::SECONDS.to_owned(), totals: [1.0, 1.5], differing_rows: 0, ..fail.clone() };
    assert_eq!(gate_values(&fail), "1,000 -> 1,234 (+23.40 %, 1 row differs)");
    assert_eq!(gate_values(&seconds_gate), "1.000 -> 1.500 (+50.00 %)");
    let last_line = lead_lines(&comparison_of(vec![variant("a", 0, 0, [0.0, 0.0])])).pop();
    assert_eq!(last_line.as_deref(), Some("gate: nothing to judge: no row is in both"));
    assert_eq!(lead_lines(&with_gates(&equal, vec![pass.clone()])).pop().as_deref(), Some("gate: it passes"));
    let last_lines = [vec![], vec![pass.clone(), noise], vec![fail, pass]]
        .map(|gate_results| lead_lines(&with_gates(&equal, gate_results)).pop());
    let last_lines = last_lines.map(Option::unwrap_or_default);
    assert_eq!(last_lines, ["gate: none was given (--fail-on)", "gate: all 2 pass", "gate: 1 of 2 fail"]);
}

/// The largest change is by factor: halving counts as much as doubling.
#[test]
fn lead_lines_name_the_largest_change() {
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
        (vec![variant("a", 5, 1, [100.0, 110.0]), variant("b", 0, 1, [0.0, 70.0])], "nodes: 100 -> 110 (+10.00 %)"),
    ] {
        assert_eq!(lead_lines(&comparison_of(variants))[3], text);
    }
    let mut comparison = comparison_of(vec![variant("a", 5, 1, [9.0, 8.0])]);
    for (missing, added, text) in [
        (0, 0, "rows: 1 of 5 moved"),
        (1, 0, "rows: 1 of 5 moved, 1 missing in NEW"),
        (0, 1, "rows: 1 of 5 moved, 1 only in NEW"),
        (2, 3, "rows: 1 of 5 moved, 2 missing in NEW, 3 only in NEW"),
    ] {
        (comparison.missing_count, comparison.added) = (missing, added);
        assert_eq!(lead_lines(&comparison)[2], text);
    }
    for (differences, text) in [
        (None, "plans: unknown: one of the results has no manifest.json"),
        (Some(vec![]), "plans: equal"),
        (Some(vec!["a", "b"]), "plans: they differ in a; b"),
    ] {
        comparison.differences = differences.map(|list: Vec<&str>| list.into_iter().map(str::to_owned).collect());
        assert_eq!(lead_lines(&comparison)[..2], ["BASE old, NEW new".to_owned(), text.to_owned()]);
    }
}

#[test]
fn tables_show_changed_rows() {
    let make_row = |repeat: u32, columns: usize| MovedRow {
        variant: "a".to_owned(),
        position: "p".to_owned(),
        depth: 3.0,
        repeat,
        nodes: [10.0, 5.0],
        columns: (0..columns).map(|index| format!("c{index}")).collect(),
    };
    let mut comparison = comparison_of(vec![variant("a", 5, 1, [1000.0, 500.0]), variant("b", 7, 0, [20.0, 20.0])]);
    comparison.variants[1].missing = 2;
    comparison.moved = vec![make_row(0, 6), make_row(1, 7)];
    let row_texts = |table: &SheetTable| -> Vec<String> {
        let describe_row = |row: &Vec<Cell>| row.iter().map(|cell| cell.text.as_str()).collect::<Vec<_>>().join(" | ");
        table.rows.iter().map(describe_row).collect()
    };
    assert_eq!(
        row_texts(&variants_table(&comparison)),
        [
            "a | 5 | 1 | 0 | 1,000 | 500 | -50.00 % | 0.500 | 0.250-0.750 | 0.125",
            "b | 7 | 0 | 2 | 20 | 20 | = | 0.500 | 0.250-0.750 | 0.125",
        ]
    );
    assert_eq!(
        row_texts(&metrics_table(&comparison)),
        [format!("{} | a | 1 | 1,000 | 500 | -50.00 %", columns::NODES)]
    );
    assert_eq!(
        row_texts(&rows_table(&comparison)),
        [
            "\"a\", p, depth 3 | 10 | 5 | -50.00 % | c0, c1, c2, c3, c4, c5 differ",
            "\"a\", p, depth 3, repeat 1 | 10 | 5 | -50.00 % | c0, c1, c2, c3, c4, c5 and 1 more differ",
        ]
    );
    for table in [variants_table, metrics_table, rows_table, gates_table] {
        assert_drop_orders_distinct(&table(&comparison));
    }
    for (totals, share, emphasis) in
        [([4.0, 1.0], -0.75, Emphasis::Better), ([4.0, 5.0], 0.25, Emphasis::Worse), ([0.0, 0.0], 0.0, Emphasis::None)]
    {
        let cell = change_cell(totals, totals[0] != totals[1]);
        assert_eq!((cell.value, cell.emphasis), (Datum::Number(share), emphasis));
    }
    comparison.gate_results = vec![gate_result("a", true, false), gate_result("b", false, true)];
    let emphases: Vec<Emphasis> = gates_table(&comparison).rows.iter().map(|row| row[0].emphasis).collect();
    assert_eq!(emphases, [Emphasis::Failed, Emphasis::Passed]);
    let part_kinds = |comparison: &Comparison| -> String {
        let part_kind = |part: &Part| match part {
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
        sheet(comparison).parts.iter().map(part_kind).collect()
    };
    assert_eq!(part_kinds(&comparison), "lgv2");
    (comparison.missing_count, comparison.notes) = (1, vec!["x".to_owned()]);
    assert_eq!(part_kinds(&comparison), "lgnv2m");
    assert_eq!(part_kinds(&comparison_of(vec![variant("b", 7, 0, [20.0, 20.0])])), "lv");
}

#[test]
fn junit_counts_failures_by_variant() {
    let mut comparison = comparison_of(vec![
        variant("a", 5, 1, [9.0, 8.0]),
        variant("b", 0, 0, [0.0; 2]),
        variant("lost", 0, 0, [0.0; 2]),
    ]);
    comparison.variants[2].missing = 1;
    comparison.gate_results =
        vec![gate_result("a", true, false), gate_result("a", false, false), gate_result("lost", false, true)];
    let suite_heads = |comparison: &Comparison| -> Vec<String> {
        let text = junit(comparison);
        let lines = text.lines().filter(|line| line.contains("failures="));
        lines.map(|line| line.trim().replace("testsuite", "").replace('"', "")).collect()
    };
    assert_eq!(
        suite_heads(&comparison),
        [
            "<s name=ttlab compare tests=5 failures=2>",
            "< name=a tests=3 failures=1>",
            "< name=lost tests=2 failures=1>"
        ]
    );
    comparison.same_plan = Some(true);
    assert_eq!(
        suite_heads(&comparison),
        [
            "<s name=ttlab compare tests=7 failures=3>",
            "< name=a tests=4 failures=2>",
            "< name=lost tests=3 failures=1>"
        ]
    );
    let text = junit(&comparison);
    assert!(text.contains("name=\"counts are equal\"><failure message=\"1 of 5 rows differ\"/>"), "{text}");
    assert!(text.contains("name=\"rows are there\"><failure message=\"1 row of BASE missing\"/>"), "{text}");
    // If moves are allowed, no test case requires equal counts.
    let moves_allowed = Comparison { moves_allowed: true, ..comparison.clone() };
    assert_eq!(suite_heads(&moves_allowed)[0], "<s name=ttlab compare tests=5 failures=2>");
    assert!(text.contains("<failure message=\"FAIL: 1,000 -&gt; 1,234 (+23.40 %, 1 row differs)\"/>"), "{text}");
}

#[test]
fn machine_formats_have_the_page_figures() {
    let mut comparison = comparison_of(vec![variant("a", 5, 1, [9.0, 8.0]), variant("b", 0, 0, [0.0; 2])]);
    (comparison.failed, comparison.added, comparison.missing_count) = ([2, 3], 4, 6);
    let list: serde_json::Value = serde_json::from_str(&bench_json(&comparison)).unwrap();
    let field_text = |index: usize, name: &str| list[index][name].to_string().replace('"', "");
    let fields: Vec<[String; 3]> = (0..list.as_array().unwrap().len())
        .map(|index| ["name", "value", "range"].map(|name| field_text(index, name)))
        .collect();
    assert_eq!(fields, [["a: nodes", "8.0", "± 0"], ["a: s", "9.5", "± 0.25"]].map(|row| row.map(str::to_owned)));
    let page: serde_json::Value = serde_json::from_str(&comparison_json(&comparison)).unwrap();
    let rows = &page["rows"];
    let counts = ["paired", "moved", "missing", "added", "failed_base", "failed_new"].map(|name| rows[name].as_u64());
    assert_eq!(counts, [5, 1, 6, 4, 2, 3].map(Some));
    let change = &page["variants"][0];
    let means = ["nodes_ratio", "seconds_ratio"].map(|name| change[name]["mean"].as_f64());
    assert_eq!((means, change["nodes_p_corrected"].as_f64()), ([Some(0.5), Some(2.0)], Some(0.125)));
    assert_eq!((page["base"].as_str(), page["new"].as_str()), (Some("old"), Some("new")));
}

#[test]
fn json_fields_belong_to_their_side() {
    let mut comparison = comparison_of(vec![variant("a", 5, 1, [9.0, 8.0])]);
    comparison.variants[0].missing = 7;
    comparison.variants[0].nodes.p = 0.375;
    comparison.gate_results = vec![gate_result("a", true, false), gate_result("a", false, true)];
    comparison.moved = vec![MovedRow {
        variant: "a".to_owned(),
        position: "p".to_owned(),
        depth: 3.0,
        repeat: 2,
        nodes: [10.0, 5.0],
        columns: vec!["c".to_owned()],
    }];
    let page: serde_json::Value = serde_json::from_str(&comparison_json(&comparison)).unwrap();
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

/// A gate on nodes that may mislead passes or fails like any other; each format gives the caution.
#[test]
fn gate_that_may_mislead_says_so_in_every_format() {
    let mut comparison = comparison_of(vec![variant("a", 5, 1, [9.0, 8.0])]);
    let without_caution = [gate_result("a", true, false), gate_result("a", false, false)];
    let with_caution = without_caution.clone().map(|gate| GateResult { caution: Some("why <so>".to_owned()), ..gate });
    assert_eq!(without_caution.each_ref().map(gate_outcome), ["FAIL", "pass"]);
    assert_eq!(with_caution.each_ref().map(gate_outcome), ["FAIL (may mislead)", "pass (may mislead)"]);
    comparison.gate_results = without_caution.to_vec();
    assert!(!junit(&comparison).contains("system-out"));
    comparison.gate_results = with_caution.to_vec();
    let xml = junit(&comparison);
    assert_eq!(xml.matches("<system-out>why &lt;so&gt;</system-out></testcase>").count(), 2, "{xml}");
    assert!(xml.contains("<failure message=\"FAIL (may mislead): 1,000 -"), "{xml}");
    let page: serde_json::Value = serde_json::from_str(&comparison_json(&comparison)).unwrap();
    assert_eq!(page["gates"][1]["caution"], "why <so>");
}

#[test]
fn ratio_of_common_depths_has_a_dagger() {
    let partial = Change { truncated: 1, ..variant("partial", 9, 9, [10.0, 5.0]) };
    let table = variants_table(&comparison_of(vec![partial, variant("whole", 9, 9, [10.0, 5.0])]));
    let intervals: Vec<&str> = table.rows.iter().map(|row| row[8].text.as_str()).collect();
    assert_eq!(intervals, ["0.250-0.750 \u{2020}", "0.250-0.750"]);
}
