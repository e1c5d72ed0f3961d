//! The page of a comparison and the formats for programs, for figures made by hand:
//! `tests/golden/pages/comparison.txt` has the headline, the first lines and every table of each
//! case, and what programs read.

use super::super::sheet::{assert_drop_orders_distinct, describe};
use super::*;
use crate::analysis::questions::verdict::Ruling;
use crate::golden::assert_golden;
use crate::report::machine::{bench_json, comparison_json, junit};
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

/// A pass takes ten lines at most, also with gates and changed rows; a failure the whole page.
#[test]
fn summary_of_a_pass_has_ten_lines() {
    let lines = |comparison: &Comparison| {
        let style = crate::report::markdown::Style { level: 3, links_figures: false };
        crate::report::markdown::render(&summary_sheet(comparison), style).lines().count()
    };
    let passes = |fails| Comparison {
        gate_results: vec![gate_result("a", fails, false), gate_result("b", false, false)],
        notes: vec!["x".to_owned()],
        ..comparison_of(vec![variant("a", 5, 2, [9.0, 8.0]), variant("b", 5, 0, [9.0, 9.0])])
    };
    assert!((3..=10).contains(&lines(&passes(false))), "{}", lines(&passes(false)));
    assert!(lines(&passes(true)) > 10);
}

/// Comparisons by the name of what they show.
fn cases() -> Vec<(&'static str, Comparison)> {
    let equal = comparison_of(vec![variant("a", 5, 0, [900.0, 900.0])]);
    let moved = comparison_of(vec![variant("a", 5, 2, [900.0, 450.0])]);
    let with_gates = |comparison: &Comparison, gate_results: &[GateResult]| Comparison {
        gate_results: gate_results.to_vec(),
        ..comparison.clone()
    };
    let (pass, noise, fail) =
        (gate_result("a", false, false), gate_result("a", false, true), gate_result("a", true, false));
    let with_caution = |gate: &GateResult| GateResult { caution: Some("why <so>".to_owned()), ..gate.clone() };
    let seconds =
        GateResult { metric: columns::SECONDS.to_owned(), totals: [1.0, 1.5], differing_rows: 0, ..fail.clone() };
    let plans = |differences: Option<&[&str]>| Comparison {
        differences: differences.map(|list| list.iter().map(|&text| text.to_owned()).collect()),
        ..moved.clone()
    };
    let rows = |missing_count, added| Comparison { missing_count, added, ..moved.clone() };
    let two = |a: [f64; 2], b: [f64; 2]| comparison_of(vec![variant("a", 5, 1, a), variant("b", 5, 1, b)]);
    let make_row = |repeat: u32, columns: usize| MovedRow {
        variant: "a".to_owned(),
        position: "p".to_owned(),
        depth: 3.0,
        repeat,
        nodes: [10.0, 5.0],
        columns: (0..columns).map(|index| format!("c{index}")).collect(),
    };
    let mut full = comparison_of(vec![
        variant("a", 5, 1, [1000.0, 500.0]),
        Change { missing: 2, ..variant("b", 7, 0, [20.0, 20.0]) },
        Change { missing: 1, ..variant("lost", 0, 0, [0.0; 2]) },
        Change { truncated: 1, ..variant("partial", 9, 9, [10.0, 15.0]) },
        variant("from nothing", 1, 1, [0.0, 70.0]),
    ]);
    full.moved = vec![make_row(0, 6), make_row(1, 7)];
    (full.failed, full.added, full.missing_count, full.notes) = ([2, 3], 4, 6, vec!["x".to_owned()]);
    full.variants[0].nodes.p = 0.375;
    full.gate_results =
        vec![fail.clone(), pass.clone(), gate_result("lost", false, true), with_caution(&fail), with_caution(&pass)];
    let same_plan = |moves_allowed: bool| Comparison { same_plan: Some(true), moves_allowed, ..full.clone() };
    vec![
        ("equal", equal.clone()),
        ("moved", moved.clone()),
        ("a gate that passes", with_gates(&equal, std::slice::from_ref(&pass))),
        ("a gate that fails", with_gates(&moved, std::slice::from_ref(&fail))),
        ("gates that pass, one within noise", with_gates(&equal, &[pass.clone(), noise.clone()])),
        ("one gate of four fails, one on seconds", with_gates(&moved, &[pass, fail, noise, seconds])),
        ("nothing in common", comparison_of(vec![])),
        ("no row in both", comparison_of(vec![variant("a", 0, 0, [0.0, 0.0])])),
        ("one row missing", Comparison { listed_missing: vec!["r".to_owned()], ..rows(1, 0) }),
        ("one row added", rows(0, 1)),
        ("rows missing and added", rows(2, 3)),
        ("equal plans", plans(Some(&[]))),
        ("plans that differ", plans(Some(&["a", "b"]))),
        // The largest change is by factor: halving counts as much as doubling.
        ("halving is more than half as much again", two([100.0, 150.0], [100.0, 50.0])),
        ("the first changed most", two([100.0, 20.0], [100.0, 100.0])),
        ("everything", full.clone()),
        ("everything, of one plan", same_plan(false)),
        ("everything, of one plan whose moves may change", same_plan(true)),
    ]
}

#[test]
fn comparisons_equal_their_golden_file() {
    let mut text = String::new();
    for (name, comparison) in cases() {
        text += &format!("=== {name}\n{}\n{}\n", headline(&comparison), lead_lines(&comparison).join("\n"));
        let of_sheet = |part: &Part| match part {
            Part::Table(table) => {
                assert_drop_orders_distinct(table);
                describe(table)
            }
            Part::Folded(title, parts) => format!("folded: {title}, {} parts\n", parts.len()),
            // The first lines are above.
            Part::List(title, _) if title.is_empty() => String::new(),
            part => format!("{part:?}\n"),
        };
        text += &sheet(&comparison).parts.iter().map(of_sheet).collect::<String>();
        if name.starts_with("everything") {
            text += &[metrics_table, rows_table].map(|table| describe(&table(&comparison))).concat();
            text += &format!("{}\n", junit(&comparison));
        }
        if name == "everything" {
            text += &format!("{}\n{}\n", bench_json(&comparison), comparison_json(&comparison));
        }
    }
    assert_golden("pages/comparison.txt", &text);
}
