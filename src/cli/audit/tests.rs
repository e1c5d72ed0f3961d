use super::*;
use crate::engine::audit::{Findings, WrongAnswer};

#[test]
fn exit_code_needs_a_finished_iteration_of_every_variant() {
    let make_audited = |iterations: u64, wrong: u64| Audited {
        variant: format!("v{iterations}"),
        iterations,
        nodes: 1,
        findings: Findings { count: AuditCounters { wrong, ..AuditCounters::default() }, wrong_answers: Vec::new() },
        findings_with_draws: None,
    };
    let exit_code = |variants: &[Audited]| match exit_code(variants) {
        Ok(exit) => format!("{exit:?}"),
        Err(failure) => failure.message,
    };
    assert_eq!(exit_code(&[make_audited(3, 0), make_audited(2, 0)]), "Done");
    assert_eq!(exit_code(&[make_audited(0, 0), make_audited(2, 1)]), "Unequal");
    // A score that depends on the path is no fault; an illegal move always is.
    let with_drawn = |wrong: u64, illegal: u64| {
        let count = AuditCounters { wrong, illegal, ..AuditCounters::default() };
        Audited { findings_with_draws: Some(Findings { count, wrong_answers: Vec::new() }), ..make_audited(3, 0) }
    };
    assert_eq!(
        (exit_code(&[with_drawn(5, 0)]), exit_code(&[with_drawn(5, 1)])),
        ("Done".to_owned(), "Unequal".to_owned())
    );
    assert!(
        render_table(&[with_drawn(5, 1)], 0).ends_with("        1        4  v3\n"),
        "{}",
        render_table(&[with_drawn(5, 1)], 0)
    );
    assert!(exit_code(&[make_audited(3, 0), make_audited(0, 0)]).contains("variant \"v0\": no iteration was finished"));
}

#[test]
fn progress_is_reported_twenty_to_forty_times() {
    for total in [1, 2, 19, 20, 21, 39, 40, 41, 59, 60, 420, 10_000] {
        let reported: Vec<u64> = (1..=total).filter(|&done| should_report(done, total)).collect();
        assert!((total.min(20)..40).contains(&(reported.len() as u64)), "{total}: {reported:?}");
        assert!((1..).zip(&reported).all(|(index, &done)| done == index * reported[0]), "{total}: {reported:?}");
    }
}

#[test]
fn table_lists_wrong_answers_below_their_variant() {
    let make_wrong = |fen: &&str| WrongAnswer {
        fen: (*fen).to_owned(),
        claim: AuditedClaim::Root,
        score: 0,
        comparison: std::cmp::Ordering::Equal,
        depth: 1,
        ply: 1,
        window: (0, 1),
    };
    let count = AuditCounters { answers: 11, cutoffs: 12, moves: 13, roots: 14, wrong: 15, illegal: 0 };
    let findings = Findings { count, wrong_answers: ["x", "y", "z"].iter().map(make_wrong).collect() };
    let wrong_lines: Vec<String> = findings.wrong_answers.iter().map(|wrong| format!("    {wrong}")).collect();
    let path_lines: Vec<String> = findings.wrong_answers.iter().map(|wrong| format!("    by path: {wrong}")).collect();
    let first = Audited { variant: "one".to_owned(), iterations: 9, nodes: 10, findings, findings_with_draws: None };
    let second =
        Audited { variant: "two".to_owned(), findings_with_draws: Some(first.findings.clone()), ..first.clone() };
    let variant_line =
        |name: &str, path: &str| ["9", "10", "11", "12", "13", "15", path, name].map(str::to_owned).join(" ");
    for (show, shown) in [(0, 0), (1, 1), (2, 2), (3, 3), (4, 3)] {
        let text = render_table(&[first.clone(), second.clone()], show);
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let collapse_spaces = |line: &String| line.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(collapse_spaces(&lines[0]), "iterations nodes answers cutoffs moves wrong path variant");
        for (index, name, path) in [(1, "one", "-"), (2 + shown, "two", "15")] {
            assert_eq!(collapse_spaces(&lines[index]), variant_line(name, path));
            assert_eq!(lines[index + 1..=index + shown], wrong_lines[..shown]);
        }
        assert_eq!(lines[3 + 2 * shown..], path_lines[..shown]);
    }
}
