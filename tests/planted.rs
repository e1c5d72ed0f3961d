//! The list of planted faults (`tests/faults/`) fits the tree: each edit still applies, each net is a test, and
//! `docs/correctness.md` shows the list. Whether the nets hold is for `tests/faults/run.py` to show.
#![allow(clippy::unwrap_used)]

use serde::Deserialize;
use std::fs;
use std::path::Path;

#[derive(Deserialize)]
struct List {
    fault: Vec<Fault>,
}

#[derive(Deserialize)]
struct Fault {
    name: String,
    file: String,
    old: String,
    new: String,
    net: String,
}

#[test]
fn every_planted_fault_applies_and_has_its_net() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    let List { fault: faults } = toml::from_str(&read("tests/faults/faults.toml")).unwrap();
    assert!(faults.len() >= 20);
    let page = read("docs/correctness.md");
    for Fault { name, file, old, new, net } in &faults {
        assert_eq!(read(file).matches(old.as_str()).count(), 1, "{name}: what it replaces is not there once in {file}");
        assert_ne!(old, new, "{name}");
        let (place, test) = net.split_once("::").unwrap();
        let function = test.rsplit("::").next().unwrap();
        let home = match place {
            "lib" => format!("src/{}.rs", test.split("::tests").next().unwrap().replace("::", "/")),
            file => format!("tests/{file}.rs"),
        };
        assert!(read(&home).contains(&format!("fn {function}(")), "{name}: there is no test {net}");
        let row = format!("| {name} | `{}` | `{net}` |", file.trim_start_matches("src/"));
        assert!(
            page.contains(&row),
            "docs/correctness.md lacks this (tests/faults/run.py --markdown prints it): {row}"
        );
    }
}
