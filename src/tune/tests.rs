//! Tests what a tuning determines before anything is searched.

use super::*;
use crate::analysis::Metric;
use crate::experiment::{Experiment, Plan};
use std::path::Path;

#[test]
fn check_refuses_experiments_that_cannot_be_raced() {
    let errors = |head: &str, grid: &str| {
        let text = format!("suite = 'data/bratko-kopec.epd'\n{head}\n[grid]\n{grid}\n");
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("x.toml");
        let experiment = Experiment::parse(&text, &file, &[]).unwrap_or_else(|wrong| panic!("{wrong}"));
        let nodes = check_metric(&experiment, &Metric::nodes());
        [check_experiment(&experiment), nodes].map(Result::err)
    };
    let two_variants = "'table.slots' = [1, 2]";
    // Exactly one of the two checks fails, with these words.
    let assert_refused = |head: &str, grid: &str, check: usize, words: &str| {
        let errors = errors(head, grid);
        assert!(errors[check].as_deref().is_some_and(|text| text.contains(words)), "{head} {grid}: {errors:?}");
        assert_eq!(errors[1 - check], None, "{head} {grid}");
    };
    let depth = "limit = { depth = 2 }\nfirst = 4";
    assert_eq!(errors(depth, two_variants), [None, None]);
    assert_refused(depth, "'table.slots' = [1]", 0, "a race needs at least two variants");
    assert_refused("limit = { depth = 2 }\nfirst = 3", two_variants, 0, "3 items are too few");
    assert_refused(depth, "'table.slots' = [1, 2]\n'table.clear' = ['search', 'never']", 0, "table.clear = \"never\"");
    assert_refused(
        depth,
        "'table.slots' = [1, 2]\n'history_clear' = ['search', 'never']",
        0,
        "table.clear = \"never\"",
    );
    assert_refused(
        "limit = { nodes = 100 }\nfirst = 4",
        two_variants,
        1,
        "with limit.nodes, every candidate searches the same number of nodes",
    );
    assert_eq!(errors("limit = { nodes = 100, depth = 3 }\nfirst = 4", two_variants), [None, None]);
}

#[test]
fn external_engine_is_raced_only_by_nodes() {
    let (ours, theirs) = ("[[variant]]\nname = 'a'\n", "[[variant]]\nname = 'b'\n'subject.uci' = './engine'\n");
    let text =
        |variants: &[&str]| format!("suite = {{ startpos = true }}\nlimit = {{ depth = 2 }}\n{}", variants.concat());
    let refusal = |variants: &[&str], name: &str| {
        let experiment =
            Experiment::parse(&text(variants), Path::new("x.toml"), &[]).unwrap_or_else(|wrong| panic!("{wrong}"));
        let metric = find_metric(name, &Plan::new(&experiment));
        metric.and_then(|metric| check_metric(&experiment, &metric)).err()
    };
    let other = theirs.replace("'b'", "'c'").replace("engine", "other");
    let expected = |name: &str, column: &str, engine: &str| {
        Some(format!("tune.metric: {name} needs {column}, which {engine} does not report. Use the metric `nodes`"))
    };
    for variants in [&[ours, theirs][..], &[theirs, ours], &[theirs, &other], &[ours, theirs, &other]] {
        assert_eq!(refusal(variants, "nodes"), None);
        assert_eq!(refusal(variants, "evals"), expected("evals", "search.evals", "./engine (\"b\")"), "{variants:?}");
    }
    assert_eq!(refusal(&[&other, theirs], "evals"), expected("evals", "search.evals", "./other (\"c\")"));
    assert_eq!(refusal(&[ours, &ours.replace("'a'", "'d'\n'keys.seed' = 2")], "evals"), None);
}

/// Six of the thirteen games have more than 81 plies, five have more than 82; a race needs four.
#[test]
fn items_without_searches_are_left_out() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let raced = |from: u16| {
        let text = format!(
            "suite = 'data/games.pgn'\nlimit = {{ depth = 2 }}\nsequence = {{ from = {from} }}\n[grid]\n'table.slots' = [1, 2]\n"
        );
        let mut experiment =
            Experiment::parse(&text, &root.join("x.toml"), &[]).unwrap_or_else(|wrong| panic!("{wrong}"));
        remove_items_without_searches(&mut experiment);
        (experiment.suite.items.len(), check_experiment(&experiment).is_ok())
    };
    assert_eq!([0, 81, 82, 89].map(raced), [(13, true), (6, true), (5, true), (2, false)]);
}
