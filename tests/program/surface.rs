//! The library's public interface: the names at the root of the crate, by the feature that enables
//! them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The public names by feature, in alphabetical order. Adding or removing a name is a change for
/// users.
const SURFACE: [(&str, &str); 4] = [
    (
        "",
        "Bitboard Board Bound Bounded Bytes10 Bytes16 Bytes24 Color Decision Engine EngineError EngineOptions \
         Entry FenError Hit Increments Item Iteration Keys Limit Mark Move MoveList Newcomer Occupancy OptionError \
         Outcome Packing Piece Policy Replacement Score SearchCounters SearchProgress ShadowCounters Size Square Stop \
         StoreOutcome Strictness Suite SuiteError SuiteOptions Table TableCounters TableError TableOptions build_table \
         legal_moves options parse_move register trace",
    ),
    ("cli", "cli"),
    ("internals", "internals"),
    (
        "lab",
        "CompareError Comparison Experiment Frame FrameError Plan Problem Report RunError RunSettings RunSummary compare \
         run",
    ),
];

/// The names that a `use` exports: the last part of each path, or its new name.
fn names(paths: &str) -> Vec<String> {
    let plain = paths.replace(['{', '}'], ",");
    let last = |path: &str| path.rsplit([':', ' ']).next().unwrap().to_owned();
    plain.split(',').map(str::trim).filter(|path| !path.is_empty() && !path.ends_with("::")).map(last).collect()
}

#[test]
fn surface_is_the_list_of_public_names() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap();
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut feature = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(gate) = line.strip_prefix("#[cfg(feature = \"") {
            feature = gate.trim_end_matches("\")]").to_owned();
        } else if let Some(paths) = line.strip_prefix("pub use ") {
            let mut paths = paths.to_owned();
            while !paths.ends_with(';') {
                paths += lines.next().unwrap();
            }
            found.entry(std::mem::take(&mut feature)).or_default().extend(names(paths.trim_end_matches(';')));
        } else if let Some(module) = line.strip_prefix("pub mod ") {
            found
                .entry(std::mem::take(&mut feature))
                .or_default()
                .push(module.trim_end_matches([' ', '{', ';']).to_owned());
        } else if !line.starts_with("#[") {
            feature.clear();
        }
    }
    found.values_mut().for_each(|names| names.sort());
    let found: Vec<(String, String)> = found.into_iter().map(|(feature, names)| (feature, names.join(" "))).collect();
    assert_eq!(found, SURFACE.map(|(feature, names)| (feature.to_owned(), names.to_owned())));
}
