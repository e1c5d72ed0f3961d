//! Who may import whom: data flows one way through the rooms of the crate.

use std::fs;
use std::path::{Path, PathBuf};

/// Each room and the rooms that it may use.
const ROOMS: &[(&str, &[&str])] = &[
    ("counters", &[]),
    ("console", &[]),
    ("text", &[]),
    ("system", &[]),
    ("chess", &["system"]),
    ("table", &["counters", "system", "chess"]),
    ("engine", &["counters", "chess", "table"]),
    ("subject", &["chess", "engine"]),
    ("experiment", &["text", "system", "chess", "table", "engine", "subject", "record"]),
    ("generate", &["chess", "table", "engine"]),
    ("signature", &["chess", "table", "engine", "experiment"]),
    ("record", &["text", "system", "chess", "table", "engine", "subject", "experiment"]),
    ("runner", &["text", "system", "chess", "table", "engine", "subject", "experiment", "signature", "record"]),
    ("analysis", &["text", "system", "table", "record", "experiment"]),
    ("doctor", &["text", "chess", "engine", "subject", "record", "runner", "analysis"]),
    ("tune", &["text", "experiment", "record", "runner", "analysis"]),
    ("report", &["text", "system", "analysis", "experiment", "record"]),
    ("submit", &[]),
    ("uci", &["system", "chess", "table", "engine", "experiment"]),
];

fn files(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    fs::read_dir(path).unwrap().flat_map(|entry| files(&entry.unwrap().path())).collect()
}

#[test]
fn rooms_import_only_what_stands_before_them() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut checked = 0;
    for (room, allowed) in ROOMS {
        let place = [src.join(room), src.join(format!("{room}.rs"))].into_iter().find(|path| path.exists()).unwrap();
        for file in files(&place).into_iter().filter(|file| file.extension().is_some_and(|ext| ext == "rs")) {
            let text = fs::read_to_string(&file).unwrap();
            for used in text.split("crate::").skip(1) {
                let name: String = used.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
                let known = ROOMS.iter().any(|(room, _)| *room == name) || ["cli"].contains(&name.as_str());
                if known && name != *room {
                    assert!(allowed.contains(&name.as_str()), "{} uses crate::{name}", file.display());
                }
            }
            checked += 1;
        }
    }
    assert!(checked > 60, "only {checked} files were looked at");
}

/// The layers inside `analysis`: each uses itself and those before it.
const LAYERS: &[&str] = &["rows", "pairing", "questions", "caveats"];

/// The names that follow `start` in a text, up to the next character that is part of none.
fn after<'a>(text: &'a str, start: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(start).skip(1).map(|rest| rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap())
}

/// A file's text up to its tests; what is used in them alone may be named above.
fn without_tests(text: &str) -> &str {
    text.split("\nmod tests").next().unwrap_or(text)
}

/// Takes away what uses nothing that is left, until nothing is left, or a circle.
fn has_no_circle(room: &str, mut uses: Vec<(String, Vec<String>)>) {
    while !uses.is_empty() {
        let left: Vec<String> = uses.iter().map(|(name, _)| name.clone()).collect();
        uses.retain(|(name, used)| used.iter().any(|other| other != name && left.contains(other)));
        assert!(uses.len() < left.len(), "a circle in {room}: {left:?}");
    }
}

/// The engine's files, each folder one of them. `mod.rs` only names them.
#[test]
fn the_files_of_the_engine_stand_in_no_circle() {
    let engine = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/engine");
    let mut uses = Vec::new();
    for entry in fs::read_dir(&engine).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if name == "mod" {
            continue;
        }
        let mut used = Vec::new();
        for file in files(&path) {
            let text = fs::read_to_string(&file).unwrap();
            let text = without_tests(&text);
            // Inside a folder only its `mod.rs` looks out by `super`.
            let outward = if path.is_file() || file.ends_with("mod.rs") { "super::" } else { "crate::engine::" };
            used.extend(after(text, outward).chain(after(text, "crate::engine::")).map(str::to_owned));
        }
        uses.push((name, used));
    }
    assert!(uses.len() > 20, "{uses:?}");
    has_no_circle("engine", uses);
}

#[test]
fn the_layers_of_analysis_import_one_way_and_in_no_circle() {
    let analysis = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/analysis");
    for (place, layer) in LAYERS.iter().enumerate() {
        let mut uses: Vec<(String, Vec<String>)> = Vec::new();
        for file in files(&analysis.join(layer)) {
            let text = fs::read_to_string(&file).unwrap();
            assert!(!text.contains("super::super"), "{} climbs out of its layer", file.display());
            for used in after(&text, "crate::analysis::") {
                let allowed = LAYERS[..place].contains(&used);
                assert!(allowed, "{} uses crate::analysis::{used}", file.display());
            }
            let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
            uses.push((name, after(&text, "super::").map(str::to_owned).collect()));
        }
        has_no_circle(layer, uses);
    }
    assert_eq!(fs::read_dir(&analysis).unwrap().count(), LAYERS.len() + 1, "a layer that this test does not know");
}

#[test]
fn only_the_runner_and_the_commands_read_a_clock() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for room in ["counters.rs", "chess", "table", "engine", "experiment", "record", "analysis", "report"] {
        for file in files(&src.join(room)) {
            let text = fs::read_to_string(&file).unwrap();
            for clock in ["Instant::", "SystemTime::"] {
                assert!(!text.contains(clock), "{} reads a clock", file.display());
            }
        }
    }
}

/// Every column is named once, in `record/columns.rs`: elsewhere its constant stands. Sample rows in unit tests are written out.
#[test]
fn no_column_is_named_in_a_literal_but_where_it_is_defined() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let all: Vec<&str> = ttlab::internals::record::columns().iter().map(|column| column.name.as_ref()).collect();
    for file in files(&src).into_iter().filter(|file| file.extension().is_some_and(|ext| ext == "rs")) {
        let text = fs::read_to_string(&file).unwrap();
        let text = without_tests(&text);
        if file.ends_with("record/columns.rs") || file.ends_with("tests.rs") {
            continue;
        }
        // Plain words such as "depth" are headings and keys of other things in the rooms that print and read.
        let strict = ["analysis", "record", "tune"].iter().any(|room| file.starts_with(src.join(room)));
        for name in all.iter().filter(|name| strict || name.contains('.')) {
            assert!(!text.contains(&format!("\"{name}\"")), "{} names the column {name}", file.display());
        }
        for call in [".coded(\"", ".numbers(\"", ".words(\""] {
            assert!(!text.contains(call), "{} asks for a column by a literal", file.display());
        }
    }
}
