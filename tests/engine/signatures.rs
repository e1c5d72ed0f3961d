//! Tests of the signatures file, which has an exact node count for the defaults, each preset, each
//! policy and each value of each option. Changes in search behaviour must be intentional: they need
//! an update of the file (`.ci/bless`) and `Counts: moved` in the commit.

use crate::values;
use std::collections::HashSet;
use std::sync::Mutex;
use ttlab::internals::engine::{EngineError, EngineOptions};
use ttlab::internals::experiment::presets;
use ttlab::internals::signature::{bench_options, nodes};
use ttlab::internals::table::options::{Size, TickSource};
use ttlab::internals::table::policy::Policy;

/// Returns the file's lines, without the comment at its top.
fn held() -> Vec<&'static str> {
    include_str!("../signatures.txt").lines().filter(|line| !line.starts_with('#')).collect()
}

/// The name of a signature and the function that counts its nodes.
type Signature = (String, Box<dyn Fn() -> Result<u64, EngineError> + Send>);

/// Returns every signature, in the order of the file.
fn signatures() -> Vec<Signature> {
    let whole =
        named_options().into_iter().map(|(name, options)| -> Signature { (name, Box::new(move || nodes(&options))) });
    let base = values::options(&values::base()).unwrap_or_default();
    let points = [("base".to_owned(), base)]
        .into_iter()
        .chain(values::value_options().into_iter().flat_map(|(_, points)| points));
    let points = points.map(|(name, options)| -> Signature {
        (format!("option:{}", name.replace(' ', "")), Box::new(move || values::nodes(&options)))
    });
    whole.chain(points).collect()
}

/// Returns the defaults, each preset and each policy, with their options.
fn named_options() -> Vec<(String, EngineOptions)> {
    let mut all = vec![("bench".to_owned(), bench_options())];
    for name in presets::names() {
        let options = presets::options(name).ok().and_then(|table| values::options(&table));
        all.extend(options.map(|options| (format!("preset:{name}"), options)));
    }
    for policy in Policy::NAMES.iter().filter_map(|name| Policy::from_name(name)) {
        let mut options = bench_options();
        options.table.policy = policy;
        options.table.size = Size::Entries(2048);
        options.table.slots = 2.min(*policy.slots().end());
        options.table.clock = TickSource::Iteration;
        all.push((format!("policy:{}", policy.name()), options));
    }
    all
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
    let all = signatures();
    if std::env::var_os("TTLAB_BLESS").is_some() {
        let mut text = include_str!("../signatures.txt").lines().next().unwrap().to_owned() + "\n";
        all.iter().for_each(|(name, count)| text += &format!("{name} {}\n", count().unwrap()));
        return std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/signatures.txt"), text).unwrap();
    }
    let held = held();
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

/// Values that don't change the base's node count, and why: where their effect is tested instead.
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
    ("eval.work=", "time only"),
    ("table.prefetch=", "time only"),
    ("table.huge_pages=", "time only"),
    ("keys.ep=pseudo-legal", "needs a pinned capturer: tests/chess/keys.rs"),
    ("diagnostics=", "time only"),
    ("threads.kind=real", "several searchers repeat nothing there, and one is as ever: src/engine/crew/tests.rs"),
];

/// An option without a value here has no signature that would detect a change. A value that changes
/// no count needs a reason.
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

/// Each policy and each preset has exactly one signature, under its own name.
#[test]
fn signature_names_match_their_policies_and_presets() {
    let all = named_options();
    for name in Policy::NAMES {
        let named: Vec<_> = all.iter().filter(|(known, _)| *known == format!("policy:{name}")).collect();
        assert_eq!(named.len(), 1, "{name}: {named:?}");
        assert!(named[0].1.table.policy.name() == *name, "{name}: {named:?}");
    }
    for name in presets::names() {
        assert_eq!(all.iter().filter(|(known, _)| *known == format!("preset:{name}")).count(), 1, "{name}");
    }
    assert_eq!(all.len(), 1 + presets::names().count() + Policy::NAMES.len());
}
