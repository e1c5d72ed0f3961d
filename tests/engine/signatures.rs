//! The signatures file: one exact node count for the defaults, each preset, each policy and each
//! value of each option. A change of search behaviour moves it on purpose
//! (`cargo run --release -- bench --all > tests/signatures.txt`, and `Counts: moved` in the commit)
//! or not at all.

use std::collections::HashSet;
use std::sync::Mutex;
use ttlab::internals::signature::{self, values};

/// The file's lines, without the comment at its head.
fn held() -> Vec<&'static str> {
    include_str!("../signatures.txt").lines().filter(|line| !line.starts_with('#')).collect()
}

#[test]
fn policies_documented_as_equal_are_equal() {
    let count = |name: &str| {
        let line =
            include_str!("../signatures.txt").lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap().to_owned()
    };
    // The documentation of `scored` says so.
    assert_eq!(count("policy:scored"), count("policy:depth-age"));
}

#[test]
fn counts_equal_the_signatures() {
    let held = held();
    let all = signature::signatures();
    let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
    let listed: Vec<&str> = held.iter().filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(names, listed, "a preset, a policy, an option or one of its values was added, renamed or removed");
    let all: Vec<_> = all.into_iter().map(Mutex::new).collect();
    let next = Mutex::new(0..all.len());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(at) = next.lock().unwrap().next() else { break };
                    let signature = all[at].lock().unwrap();
                    assert_eq!(held[at], format!("{} {}", signature.0, signature.1().unwrap()));
                }
            });
        }
    });
}

/// Values whose nodes are the base's own, and why: what they do is held elsewhere.
const SILENT: &[(&str, &str)] = &[
    ("mate.distance=", "changes scores, hardly ever nodes: tests/engine/twin"),
    ("store.terminals=", "a mate that is looked up is one node, as is one that is found again: tests/engine/twin"),
    ("store.known=", "an evaluation that is looked up is one node, as is one that is made again: tests/engine/twin"),
    ("iir.min_depth=40", "deeper than any search here: tests/engine/terms.rs"),
    ("singular.min_depth=40", "deeper than any search here: tests/engine/terms.rs"),
    ("table.size=601", "half a bucket is no bucket"),
    ("table.layout=bytes24", "differs in the rounding of nodes, which this policy does not read: tests/table/model.rs"),
    ("table.key_bits=40", "so few positions share no 40 bits: tests/table/laws.rs"),
    ("table.same_key=policy", "this policy refuses nothing: tests/table/model.rs"),
    ("table.static_evaluation=", "saves evaluations, not nodes: tests/engine/twin"),
    ("table.evaluations=", "these tables are full, and an evaluation refused is none: tests/table/model.rs"),
    ("table.prefetch=", "time only"),
    ("table.huge_pages=", "time only"),
    ("keys.ep=pseudo-legal", "needs a pinned capturer: tests/chess/keys.rs"),
    ("diagnostics=", "time only"),
    ("threads.kind=real", "several searchers repeat nothing there, and one is as ever: src/engine/crew/tests.rs"),
];

/// An option without a value here is one that no signature would miss; a value that moves nothing
/// needs a reason.
#[test]
fn every_option_has_a_value_that_changes_the_count() {
    let held = held();
    let count = |name: &str| held.iter().find_map(|line| line.strip_prefix(&format!("option:{name} "))).unwrap();
    let base = count("base");
    let mut names = HashSet::new();
    for (option, points) in values::value_options() {
        assert!(!points.is_empty(), "no value of `{option}` is allowed: say in values.rs what it needs beside it");
        for (name, _) in points {
            let name = name.replace(' ', "");
            let silent = SILENT.iter().any(|(begin, _)| name.starts_with(begin));
            assert_eq!(count(&name) == base, silent, "{name}");
            assert!(names.insert(name));
        }
    }
    assert!(names.len() > 200);
}
