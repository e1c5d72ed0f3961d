//! Errors in `[reference]`.

use super::{check, read_error};
use crate::experiment::Experiment;

const SEARCHES: &str = "suite = { startpos = true }\nlimit = { nodes = 1000 }\n[[variant]]\nname = \"a\"\n[[variant]]\nname = \"b\"\n\"limit.nodes\" = 3000\n[reference]\n";

#[test]
fn judge_of_scores_needs_more_nodes_than_the_variants() {
    check(
        SEARCHES,
        &[
            ("self = { nodes = 3001 }", "", "", ""),
            (
                "self = { nodes = 3000 }",
                "reference.self: nodes: 3000 is too small: expected far more than the 3000 nodes of \"b\"",
                "self",
                "",
            ),
            (
                "self = { nodes = 900 }",
                "reference.self: nodes: 900 is too small: expected far more than the 1000 nodes of \"a\"",
                "self",
                "",
            ),
            ("self = { nodes = 9000 }\ncut = 1", "", "", ""),
            ("self = { nodes = 9000 }\ncut = 10000", "", "", ""),
            ("self = { nodes = 9000 }\ncut = 0", "reference.cut: 0 is out of range: expected 1 to 10000", "cut", ""),
            (
                "self = { nodes = 9000 }\ncut = 10001",
                "reference.cut: 10001 is out of range: expected 1 to 10000",
                "cut",
                "",
            ),
            (
                "self = { nodes = 9000, options = { Hash = 256 } }",
                "reference.self: options: these apply only to external engines, and ttlab's own judge has an \
                 unbounded table: remove them",
                "self",
                "",
            ),
            (
                "",
                "reference: has no judge: give uci = \"ENGINE\" with a limit to judge moves, or self = { nodes = \
                 600_000 } to judge scores",
                "reference",
                "",
            ),
            (
                "uci = \"builtin\"\nlimit = { depth = 9 }\ncut = 100",
                "reference.cut: applies to score errors only: give self = { nodes = 600_000 }",
                "cut",
                "",
            ),
            ("uci = \"builtin\"\nlimit = { depth = 9 }", "", "", ""),
        ],
    );
    for (path, more) in
        [("uci", "uci = \"builtin\""), ("options", "options = { Hash = 9 }"), ("limit", "limit = { depth = 9 }")]
    {
        let message = read_error(&format!("{SEARCHES}self = {{ nodes = 9000 }}\n{more}\n"), &[]).message;
        let expected = "is not allowed with `self`: the baseline's own engine judges the scores, with the nodes and options of `self`";
        assert_eq!(message, format!("reference.{path}: {expected}"));
    }
}

/// Score errors need a limit of nodes alone and one engine: other limits, self-play and a second
/// engine are refused.
#[test]
fn scores_are_judged_for_one_engine_with_node_limits() {
    let judge = "[reference]\nself = { nodes = 9000 }\n";
    let message = |text: &str| read_error(text, &[]).message;
    for limit in ["depth = 3", "depth = 3, nodes = 100"] {
        let text = format!("suite = {{ startpos = true }}\nlimit = {{ {limit} }}\n{judge}");
        let expected =
            "reference.self: score errors need a limit of nodes alone: \"default\" needs limit = { nodes = 20000 }";
        assert_eq!(message(&text), expected);
    }
    let start = "suite = { startpos = true }\nlimit = { nodes = 100 }\n";
    let expected = "reference.self: needs positions that all variants search, but in self-play each variant reaches different \
         ones";
    assert_eq!(message(&format!("{start}sequence = {{ self_play = 3 }}\n{judge}")), expected);
    let two_engines = "[[variant]]\nname = \"a\"\n[[variant]]\nname = \"b\"\n\"subject.uci\" = \"x\"\n";
    let expected = "reference.self: scores are judged by the engine of \"a\", but \"b\" is another engine";
    assert_eq!(message(&format!("{start}{judge}{two_engines}")), expected);
    // Two builds of an external engine count as one engine, whose options may be set.
    let builds = "[grid]\n\"subject.uci\" = [\"./x\", \"./y\"]\n";
    assert_eq!(
        message(&format!("{start}[reference]\nself = {{ nodes = 9000, options = {{ Hash = 256 }} }}\n{builds}")),
        ""
    );
}

/// Without a judge of scores, a claim about score errors is refused.
#[test]
fn score_error_claim_needs_a_judge() {
    let text = |judge: &str| {
        let claim = "[[expect]]\nclaim = \"score_error(b) < 2 * score_error(a)\"\n";
        format!("{}{claim}", SEARCHES.replace("[reference]", judge))
    };
    assert_eq!(read_error(&text("[reference]\nself = { nodes = 9000 }"), &[]).message, "");
    let error = read_error(&text(""), &[]);
    assert_eq!(
        (error.message.as_str(), error.excerpt.as_str()),
        ("expect.claim: there is no metric `score_error`", "score_error")
    );
    let cut = |more: &str| {
        let experiment = Experiment::parse(&format!("{SEARCHES}{more}"), "x.toml".as_ref(), &[]).ok()?;
        Some(experiment.file.reference.and_then(|reference| reference.score_cut()))
    };
    assert_eq!(cut("self = { nodes = 9000 }"), Some(Some(150)));
    assert_eq!(cut("self = { nodes = 9000 }\ncut = 70"), Some(Some(70)));
    assert_eq!(cut("uci = 'builtin'\nlimit = { depth = 9 }"), Some(None));
}
