//! Which modules may import which, as far as the two crates do not decide it: data flows in one
//! direction through the top-level modules of each.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The sources of the two crates, and their top-level modules in order: each may only use those
/// before it.
const ROOMS: [(&str, &[&str]); 2] = [
    ("core/src", &["counters", "decode", "system", "chess", "table", "traces", "engine", "settings", "signature"]),
    (
        "src",
        &[
            "parallel",
            "text",
            "console",
            "memory_watch",
            "golden",
            "submit",
            "stats",
            "subject",
            "generate",
            "record",
            "experiment",
            "uci",
            "analysis",
            "report",
            "runner",
            "doctor",
            "tune",
            "cli",
        ],
    ),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn files(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    fs::read_dir(path).unwrap().flat_map(|entry| files(&entry.unwrap().path())).collect()
}

#[test]
fn rooms_import_only_rooms_before_them() {
    for (src, order) in ROOMS {
        check_order(&root().join(src), order);
    }
}

/// Checks that the modules of a crate use only modules before them, and that all are in the list.
fn check_order(src: &Path, order: &[&str]) {
    for (at, room) in order.iter().enumerate() {
        let place = [src.join(room), src.join(format!("{room}.rs"))].into_iter().find(|path| path.exists()).unwrap();
        for file in files(&place).into_iter().filter(|file| file.extension().is_some_and(|ext| ext == "rs")) {
            let text = fs::read_to_string(&file).unwrap();
            let upper = after(&text, "crate::").find(|name| order[at + 1..].contains(name));
            assert_eq!(upper, None, "{} uses a room above its own", file.display());
        }
    }
    let known = |path: &Path| order.contains(&path.file_stem().unwrap().to_str().unwrap());
    let rooms: Vec<_> = fs::read_dir(src).unwrap().map(|entry| entry.unwrap().path()).collect();
    let unknown: Vec<_> =
        rooms.iter().filter(|path| !known(path) && !path.ends_with("lib.rs") && !path.ends_with("main.rs")).collect();
    assert!(unknown.is_empty(), "rooms that this test does not know: {unknown:?}");
}

/// The layers inside `analysis`: each may only use itself and those before it.
const LAYERS: &[&str] = &["rows", "pairing", "questions", "caveats"];

/// The identifiers that directly follow `start` in a text.
fn after<'a>(text: &'a str, start: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(start).skip(1).map(|rest| rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap())
}

/// The text of a file up to its unit tests, because tests may use modules from higher up.
fn without_tests(text: &str) -> &str {
    text.split("\nmod tests").next().unwrap_or(text)
}

/// The paths at the start of a text, with `{...}` expanded, and the rest of the text.
fn take_paths(text: &str) -> (Vec<Vec<&str>>, &str) {
    let text = text.trim_start();
    if let Some(mut rest) = text.strip_prefix('{') {
        let mut all = Vec::new();
        loop {
            rest = rest.trim_start_matches([',', ' ', '\n']);
            if rest.is_empty() || rest.starts_with('}') {
                return (all, rest.strip_prefix('}').unwrap_or(rest));
            }
            let (paths, after) = take_paths(rest);
            all.extend(paths);
            rest = after.find([',', '}']).map_or("", |end| &after[end..]);
        }
    }
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && !"_*".contains(c)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end.max(usize::from(end == 0 && !text.is_empty())));
    match rest.strip_prefix("::") {
        Some(rest) => {
            let (tails, rest) = take_paths(rest);
            (tails.into_iter().map(|tail| [vec![name], tail].concat()).collect(), rest)
        }
        None => (vec![vec![name]], rest),
    }
}

/// The source text of a crate by module path, without comments and tests.
fn modules(src: &Path) -> BTreeMap<Vec<String>, String> {
    let mut all = BTreeMap::new();
    for file in files(src).into_iter().filter(|file| file.extension().is_some_and(|ext| ext == "rs")) {
        let path = file.strip_prefix(src).unwrap().with_extension("");
        let mut path: Vec<String> = path.iter().map(|part| part.to_str().unwrap().to_owned()).collect();
        path.pop_if(|last| last == "mod");
        if path.iter().all(|part| part != "tests") {
            let text = fs::read_to_string(&file).unwrap();
            let lines = without_tests(&text).lines().map(|line| line.split("//").next().unwrap_or_default());
            all.insert(path, lines.collect::<Vec<_>>().join("\n"));
        }
    }
    all
}

/// The module that a path resolves to, seen from another module; re-exports on the way are
/// followed.
fn module_of(modules: &BTreeMap<Vec<String>, String>, from: &[String], path: &[&str]) -> Vec<String> {
    let (mut at, mut path) = (from.to_vec(), path.to_vec());
    while let Some(&name) = path.first() {
        match name {
            "crate" => at.clear(),
            "self" => {}
            "super" => drop(at.pop()),
            _ if modules.contains_key(&[&at[..], &[name.to_owned()]].concat()) => at.push(name.to_owned()),
            _ => {
                let text = modules.get(&at).map_or("", String::as_str);
                let exported = text.split("pub use ").skip(1).flat_map(|rest| take_paths(rest).0);
                let Some(found) = exported.filter(|path| path.len() > 1).find(|path| path.last() == Some(&name)) else {
                    return at;
                };
                return module_of(modules, &at, &found);
            }
        }
        path.remove(0);
    }
    at
}

/// The files of a folder don't use each other in a circle (a subfolder counts as one file). A
/// folder's `mod.rs` only declares them.
#[test]
fn files_of_a_folder_use_each_other_in_no_circle() {
    for (src, _) in ROOMS {
        check_circles(&modules(&root().join(src)));
    }
}

fn check_circles(modules: &BTreeMap<Vec<String>, String>) {
    let mut uses: BTreeMap<(Vec<String>, &String), BTreeSet<String>> = BTreeMap::new();
    for (module, text) in modules {
        for (at, start) in ["crate::", "super::"].iter().flat_map(|start| text.match_indices(start)) {
            let before = text[..at].chars().next_back();
            if before.is_some_and(|c| c.is_ascii_alphanumeric() || "_:".contains(c)) {
                continue;
            }
            for path in take_paths(&text[at..]).0.iter().filter(|path| path.len() > usize::from(start == "crate::")) {
                let used = module_of(modules, module, path);
                // The common folder of both, and the file or subfolder of each inside it.
                let shared = module.iter().zip(&used).take_while(|(a, b)| a == b).count();
                if let (Some(own), Some(other)) = (module.get(shared), used.get(shared)) {
                    uses.entry((module[..shared].to_vec(), own)).or_default().insert(other.clone());
                }
            }
        }
    }
    assert!(uses.len() > 80, "{}", uses.len());
    let folders: BTreeSet<&Vec<String>> =
        uses.keys().map(|(folder, _)| folder).filter(|path| !path.is_empty()).collect();
    let mut circles = Vec::new();
    for folder in folders {
        let mut left: BTreeMap<&String, &BTreeSet<String>> =
            uses.iter().filter(|((path, _), _)| path == folder).map(|((_, file), used)| (*file, used)).collect();
        loop {
            // Remove everything that uses nothing in the remaining set, and everything that nothing
            // there uses.
            let names: BTreeSet<&String> = left.keys().copied().collect();
            let used: BTreeSet<&String> = left.values().copied().flatten().collect();
            left.retain(|file, uses| used.contains(file) && uses.iter().any(|name| names.contains(name)));
            if left.len() == names.len() {
                break;
            }
        }
        if !left.is_empty() {
            circles.push((folder.join("/"), left.into_keys().map(String::as_str).collect::<Vec<_>>()));
        }
    }
    assert!(circles.is_empty(), "{circles:?}");
}

#[test]
fn layers_of_analysis_import_one_way() {
    let analysis = root().join("src/analysis");
    for (place, layer) in LAYERS.iter().enumerate() {
        for file in files(&analysis.join(layer)) {
            let text = fs::read_to_string(&file).unwrap();
            let text = text.split("\nmod tests {").next().unwrap_or_default().to_owned();
            assert!(!text.contains("super::super"), "{} climbs out of its layer", file.display());
            for used in after(&text, "crate::analysis::") {
                let allowed = LAYERS[..place].contains(&used);
                assert!(allowed, "{} uses crate::analysis::{used}", file.display());
            }
        }
    }
    assert_eq!(fs::read_dir(&analysis).unwrap().count(), LAYERS.len() + 1, "a layer that this test does not know");
}

#[test]
fn only_the_runner_and_the_commands_read_a_clock() {
    for room in ["core/src", "src/experiment", "src/record", "src/analysis", "src/report"] {
        for file in files(&root().join(room)) {
            let text = fs::read_to_string(&file).unwrap();
            for clock in ["Instant::", "SystemTime::"] {
                assert!(!text.contains(clock), "{} reads a clock", file.display());
            }
        }
    }
}

/// Every column name is a literal only in `record/columns.rs`; other code uses its constant. Unit
/// tests may write sample rows in full.
#[test]
fn column_names_are_literals_only_where_they_are_defined() {
    let src = root().join("src");
    let all: Vec<&str> = ttlab::internals::record::columns().iter().map(|column| column.name.as_ref()).collect();
    for file in files(&src).into_iter().filter(|file| file.extension().is_some_and(|ext| ext == "rs")) {
        let text = fs::read_to_string(&file).unwrap();
        let text = without_tests(&text);
        if file.ends_with("record/columns.rs") || file.ends_with("tests.rs") {
            continue;
        }
        // Words such as "depth" are also headings and keys of other things in modules that print
        // and parse.
        let strict = ["analysis", "record", "tune"].iter().any(|room| file.starts_with(src.join(room)));
        for name in all.iter().filter(|name| strict || name.contains('.')) {
            assert!(!text.contains(&format!("\"{name}\"")), "{} names the column {name}", file.display());
        }
        for call in [".text_column(\"", ".numbers(\""] {
            assert!(!text.contains(call), "{} asks for a column by a literal", file.display());
        }
    }
}
