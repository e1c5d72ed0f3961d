//! Names of columns and options as people write them: as in labels or as in files. Ambiguous names
//! are refused.

use crate::common::{run, scratch};
use std::fs;
use std::path::Path;

/// Runs an experiment into a folder and returns the folder's path.
fn results(folder: &Path, name: &str, text: &str) -> String {
    let (file, out) = (folder.join(format!("{name}.toml")), folder.join(name));
    let head = "suite = 'data/bratko-kopec.epd'\nfirst = 3\nlimit = { depth = 3 }\n";
    fs::write(&file, format!("{head}{text}")).unwrap();
    let (_, stderr, code) = run(&["run", file.to_str().unwrap(), "--out", out.to_str().unwrap(), "--quiet"]);
    assert_eq!(code, 0, "{stderr}");
    out.to_str().unwrap().to_owned()
}

/// The rows of a report's summary, one per group.
fn groups(args: &[&str]) -> Vec<String> {
    let (stdout, stderr, code) = run(&[&["report", "--format", "json"][..], args].concat());
    assert_eq!(code, 0, "{args:?}: {stderr}");
    let page: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    let summary = page["parts"].as_array().unwrap().iter().find(|part| part["key"] == "summary").unwrap();
    let rows = summary["rows"].as_array().unwrap();
    rows.iter().map(|row| row.to_string()).collect()
}

const GRID: &str =
    "[grid]\n\"table.size\" = [256, 1024]\n\"table.policy\" = ['always', { kind = 'aged-depth', factor = 2 }]\n";

#[test]
fn policy_is_found_by_its_label_and_by_its_name_in_the_file() {
    let folder = scratch();
    let out = results(folder.path(), "a", GRID);
    for by in ["policy", "table.policy", "table.policy.kind"] {
        let rows = groups(&[&out, "--by", by]);
        assert_eq!(rows.len(), 2, "{by}: {rows:?}");
        assert!(rows[0].contains("always"), "{by}: {rows:?}");
        assert!(rows[1].contains("aged-depth"), "{by}: {rows:?}");
        let rows = groups(&[&out, "--where", &format!("{by}=always")]);
        assert_eq!(rows.len(), 2, "{by}: {rows:?}");
        assert!(rows.iter().all(|row| !row.contains("aged-depth")), "{by}: {rows:?}");
        let (stdout, stderr, code) =
            run(&["report", &out, "--by", "size,policy", "--baseline", &format!("{by}=aged-depth")]);
        assert_eq!(code, 0, "{by}: {stdout}{stderr}");
    }
    // A baseline given by policy alone is one baseline per size; with the size it is one for all.
    let (stdout, stderr, code) = run(&["report", &out, "--baseline", "policy=always"]);
    assert_eq!(code, 0, "{stderr}");
    for size in ["256", "1024"] {
        let line = stdout.lines().find(|line| line.starts_with(&format!("{size} *")));
        assert!(line.is_some_and(|line| line.contains("always")), "{size}: {stdout}");
    }
    let (stdout, stderr, code) = run(&["report", &out, "--baseline", "table.policy=always,size=1024"]);
    let line = stdout.lines().find(|line| line.starts_with("1024 *"));
    assert_eq!(code, 0, "{stdout}{stderr}");
    assert!(line.is_some_and(|line| line.contains("always")), "{stdout}{stderr}");
    // The same baselines in the experiment file.
    for (baseline, expected) in
        [("policy = 'aged-depth', size = 1024", None), ("nonsense = 3", Some("there is no option"))]
    {
        let file = folder.path().join("b.toml");
        let text =
            format!("suite = {{ startpos = true }}\nlimit = {{ depth = 2 }}\nbaseline = {{ {baseline} }}\n{GRID}");
        fs::write(&file, text).unwrap();
        let (stdout, stderr, code) = run(&["plan", file.to_str().unwrap()]);
        match expected {
            None => assert!(stdout.contains("size=1024, policy=aged-depth factor=2  (baseline)"), "{stdout}{stderr}"),
            Some(expected) => assert!(code == 2 && stderr.contains(expected), "{stderr}"),
        }
    }
}

/// `slots` is both a result column (slots of the whole table) and the end of an option's name
/// (slots of a bucket).
#[test]
fn ambiguous_column_name_is_refused_with_both_columns() {
    let folder = scratch();
    for (name, text) in [
        ("varies", "[grid]\n\"table.slots\" = [1, 2]\n\"table.size\" = [256, 1024]\n"),
        ("constant", "[grid]\n\"table.size\" = [256, 1024]\n"),
    ] {
        let out = results(folder.path(), name, text);
        let (_, stderr, code) = run(&["report", &out, "--where", "slots>=2"]);
        assert_eq!(code, 2, "{name}: {stderr}");
        assert!(stderr.contains("`row.slots`"), "{name}: {stderr}");
        assert!(stderr.contains("`table.slots`"), "{name}: {stderr}");
        // A CSV file alone only has its columns; the program still knows which options exist.
        let (_, stderr, code) = run(&["report", &format!("{out}/results.csv"), "--where", "slots>=2"]);
        assert_eq!(code, 2, "{name}: {stderr}");
        assert!(stderr.contains("row.slots"), "{name}: {stderr}");
        let expected = if name == "varies" { 2 } else { 1 };
        assert_eq!(groups(&[&out, "--where", "row.slots>=1000", "--by", "size"]).len(), 1, "{name}");
        assert_eq!(groups(&[&out, "--by", "table.slots"]).len(), expected, "{name}");
        assert_eq!(groups(&[&out, "--by", "slots"]).len(), expected, "{name}: groups are told apart by options");
    }
    let file = folder.path().join("c.toml");
    fs::write(
        &file,
        format!("suite = {{ startpos = true }}\nlimit = {{ depth = 2 }}\n{GRID}[[expect]]\nwhere = {{ slots = 2 }}\nevals = 3\n"),
    )
    .unwrap();
    let (_, stderr, code) = run(&["check", file.to_str().unwrap()]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("`table.slots` or `row.slots`"), "{stderr}");
}

/// An option that doesn't vary within one result has no column there, but it can distinguish joined
/// results, because their manifests record it.
#[test]
fn option_that_varies_only_between_results_is_a_column() {
    let folder = scratch();
    let [pvs, mtdf] = [("pvs", 1), ("mtdf", 2)].map(|(algorithm, slots)| {
        let text = format!("[engine]\nalgorithm = '{algorithm}'\ntable.slots = {slots}\n{GRID}");
        results(folder.path(), algorithm, &text)
    });
    let rows = groups(&[&pvs, &mtdf, "--by", "algorithm"]);
    assert_eq!(rows.len(), 2, "{rows:?}");
    assert!(rows[0].contains("pvs"), "{rows:?}");
    assert!(rows[1].contains("mtdf"), "{rows:?}");
    let rows = groups(&[&pvs, &mtdf, "--where", "algorithm=mtdf", "--by", "policy"]);
    assert_eq!(rows.len(), 2, "{rows:?}");
    // Every form of condition works.
    for (condition, left) in
        [("algorithm!=pvs", "mtdf"), ("table.slots>=2", "mtdf"), ("table.slots<2", "pvs"), ("table.slots > 1", "mtdf")]
    {
        let rows = groups(&[&pvs, &mtdf, "--where", condition, "--by", "algorithm"]);
        assert_eq!(rows.len(), 1, "{condition}: {rows:?}");
        assert!(rows[0].contains(left), "{condition}: {rows:?}");
    }
    let (_, stderr, code) = run(&["report", &pvs, &mtdf, "--where", "algorithm=minimax"]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("no row matches"), "{stderr}");
    assert!(stderr.contains("`pvs`, `mtdf`"), "{stderr}");
    let (_, stderr, code) = run(&["report", &pvs, "--by", "polici"]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("did you mean `table.policy`"), "{stderr}");
    let (_, stderr, code) = run(&["report", &pvs, &mtdf, "--by", "algoritm"]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("no column"), "{stderr}");
}
