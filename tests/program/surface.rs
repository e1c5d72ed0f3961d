//! The public interface of the two libraries: the names at the root of each crate.

use std::fs;
use std::path::Path;

/// The public names of each crate, in alphabetical order. Adding or removing a name is a change for
/// users.
const SURFACE: [(&str, &str); 2] = [
    (
        "core/src/lib.rs",
        "Bitboard Board Bound Bounded Bytes10 Bytes16 Bytes24 Color Decision Engine EngineError EngineOptions \
         Entry FenError Hit Increments Instrumented Item Iteration Keys Limit Mark Move MoveList Newcomer Occupancy OptionError OptionFault \
         Outcome Packing Piece Policy Replacement Score SearchCounters SearchProgress ShadowCounters SharedTable Size Square \
         StaticEvaluation Stop \
         StoreOutcome Strictness Suite SuiteError SuiteOptions Table TableCounters TableError TableOptions build_table \
         internals legal_moves options parse_move register table_options trace",
    ),
    (
        "src/lib.rs",
        "CompareError Comparison Experiment Frame FrameError Plan Problem Report RunError RunSettings RunSummary cli compare \
         internals run",
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
    for (file, expected) in SURFACE {
        let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
        let mut found = Vec::new();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if let Some(paths) = line.strip_prefix("pub use ") {
                let mut paths = paths.to_owned();
                while !paths.ends_with(';') {
                    paths += lines.next().unwrap();
                }
                found.extend(names(paths.trim_end_matches(';')));
            } else if let Some(module) = line.strip_prefix("pub mod ") {
                found.push(module.trim_end_matches([' ', '{', ';']).to_owned());
            }
        }
        found.sort();
        assert_eq!(found.join(" "), expected, "{file}");
    }
}
