use super::*;
use crate::engine::audit::{Findings, Wrong};

#[test]
fn exit_code_needs_a_finished_iteration_of_every_variant() {
    let one = |searches: u64, wrong: u64| Audited {
        variant: format!("v{searches}"),
        searches,
        nodes: 1,
        findings: Findings { count: AuditCounters { wrong, ..AuditCounters::default() }, wrong: Vec::new() },
        drawn: None,
    };
    let code = |of: &[Audited]| match judge(of) {
        Ok(exit) => format!("{exit:?}"),
        Err(failure) => failure.message,
    };
    assert_eq!(code(&[one(3, 0), one(2, 0)]), "Done");
    assert_eq!(code(&[one(0, 0), one(2, 1)]), "Unequal");
    // A score that depends on the path is no fault; an illegal move always is.
    let drawn = |wrong: u64, illegal: u64| {
        let count = AuditCounters { wrong, illegal, ..AuditCounters::default() };
        Audited { drawn: Some(Findings { count, wrong: Vec::new() }), ..one(3, 0) }
    };
    assert_eq!((code(&[drawn(5, 0)]), code(&[drawn(5, 1)])), ("Done".to_owned(), "Unequal".to_owned()));
    assert!(table(&[drawn(5, 1)], 0).ends_with("        1        4  v3\n"), "{}", table(&[drawn(5, 1)], 0));
    assert!(code(&[one(3, 0), one(0, 0)]).contains("variant \"v0\": no iteration was finished"));
}

#[test]
fn progress_is_reported_twenty_to_forty_times() {
    for of in [1, 2, 19, 20, 21, 39, 40, 41, 59, 60, 420, 10_000] {
        let output: Vec<u64> = (1..=of).filter(|&done| should_report(done, of)).collect();
        assert!((of.min(20)..40).contains(&(output.len() as u64)), "{of}: {output:?}");
        assert!((1..).zip(&output).all(|(at, &done)| done == at * output[0]), "{of}: {output:?}");
    }
}

#[test]
fn table_lists_wrong_answers_below_their_variant() {
    let wrong = |fen: &&str| Wrong {
        fen: (*fen).to_owned(),
        claim: AuditedClaim::Root,
        score: 0,
        truth: std::cmp::Ordering::Equal,
        depth: 1,
        ply: 1,
        window: (0, 1),
    };
    let count = AuditCounters { answers: 11, cutoffs: 12, moves: 13, roots: 14, wrong: 15, illegal: 0 };
    let findings = Findings { count, wrong: ["x", "y", "z"].iter().map(wrong).collect() };
    let output: Vec<String> = findings.wrong.iter().map(|wrong| format!("    {wrong}")).collect();
    let by_path: Vec<String> = findings.wrong.iter().map(|wrong| format!("    by path: {wrong}")).collect();
    let first = Audited { variant: "one".to_owned(), searches: 9, nodes: 10, findings, drawn: None };
    let second = Audited { variant: "two".to_owned(), drawn: Some(first.findings.clone()), ..first.clone() };
    let line = |name: &str, path: &str| ["9", "10", "11", "12", "13", "15", path, name].map(str::to_owned).join(" ");
    for (show, shown) in [(0, 0), (1, 1), (2, 2), (3, 3), (4, 3)] {
        let text = table(&[first.clone(), second.clone()], show);
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let plain = |line: &String| line.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(plain(&lines[0]), "iterations nodes answers cutoffs moves wrong path variant");
        for (at, name, path) in [(1, "one", "-"), (2 + shown, "two", "15")] {
            assert_eq!(plain(&lines[at]), line(name, path));
            assert_eq!(lines[at + 1..=at + shown], output[..shown]);
        }
        assert_eq!(lines[3 + 2 * shown..], by_path[..shown]);
    }
}
