//! Compares table designs with the engines they model, by traces that include each engine's own
//! answers (`tests/traces/README.md`).

use crate::common::{run, scratch, skip};
use lzma_rust2::XzReader;
use std::collections::HashMap;
use std::fs;
use std::io::Read;
use std::path::Path;

/// Replays a trace with the given settings and returns the counts.
fn replay(trace: &Path, sets: &[&str]) -> HashMap<String, u64> {
    let sets = sets.iter().flat_map(|set| ["--set", set]);
    let args: Vec<&str> = ["replay", "--format", "csv", trace.to_str().unwrap()].into_iter().chain(sets).collect();
    let (stdout, stderr, code) = run(&args);
    assert_eq!(code, 0, "{args:?}: {stderr}");
    let mut reader = csv::Reader::from_reader(stdout.as_bytes());
    let row: HashMap<String, String> = reader.deserialize().next().unwrap().unwrap();
    row.into_iter().filter_map(|(column, value)| Some((column, value.parse().ok()?))).collect()
}

#[test]
fn design_answers_every_probe_as_its_engine_did() {
    let traces = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces");
    if !traces.is_dir() {
        return skip("reports", "tests/traces is not in the package: no design was compared with its engine");
    }
    let folder = scratch();
    for (design, size, expected) in [
        ("weiss", "table.size=64", [3419, 1779, 11]),
        ("ethereal", "table.size=96", [3165, 2119, 11]),
        ("berserk", "table.size=72", [2253, 1330, 36]),
        ("carp", "table.size=256", [5940, 3729, 11]),
        ("stockfish", "table.size=48", [3526, 1230, 32]),
    ] {
        let trace = folder.path().join(design);
        let mut bytes = Vec::new();
        let compressed = fs::File::open(traces.join(format!("{design}.trace.xz"))).unwrap();
        XzReader::new(compressed, false).read_to_end(&mut bytes).unwrap();
        fs::write(&trace, bytes).unwrap();
        let design = format!("table.design={design}");
        let replay_with = |set| replay(&trace, &[&design, size, set]);
        let counts = replay_with("table.prefetch=none");
        assert_eq!(counts["otherwise"], 0, "{design}: {counts:?}");
        assert_eq!(["probes", "hits", "refused"].map(|column| counts[column]), expected, "{design}: {counts:?}");
        // Another guard margin or another number of buckets doesn't match the engine.
        for set in ["table.guard.margin=0", "table.size=60"] {
            let other_counts = replay_with(set);
            assert!(
                other_counts["otherwise"] > 0 || other_counts["refused"] > expected[2],
                "{design}: {set}: {other_counts:?}"
            );
        }
    }
}
