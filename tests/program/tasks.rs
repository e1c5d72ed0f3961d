//! What a new user comes for, with documented commands only: each answer is within the first 25 lines of the terminal.

use crate::common::{run, scratch};
use std::fs;
use std::path::{Path, PathBuf};

/// Lines of a screen before one has to scroll.
const SCREEN: usize = 25;

/// The first screen of what a command that must succeed prints.
fn screen(args: &[&str]) -> String {
    let (output, errors, code) = run(args);
    assert_eq!(code, 0, "{args:?}: {errors}");
    output.lines().take(SCREEN).collect::<Vec<_>>().join("\n")
}

/// Writes a file and runs it: the folder of its results and the first screen.
fn results(folder: &Path, text: &str) -> (String, String) {
    let (file, out) = (folder.join("trial.toml"), folder.join("out").display().to_string());
    fs::write(&file, text).unwrap();
    let shown = screen(&["run", file.to_str().unwrap(), "--out", &out]);
    (out, shown)
}

/// Twelve positions to a depth that a test can wait for.
const SEARCHES: &str = "suite = \"data/bratko-kopec.epd\"\nfirst = 12\nlimit = { depth = 3 }\n";

/// My engine's table against another at two sizes: one sentence a size.
#[test]
fn policy_is_compared_at_each_of_two_sizes() {
    let folder = scratch();
    let grid = "baseline = { \"table.policy.kind\" = \"always\" }\n[grid]\n\"table.size\" = [64, 1048576]\n\
                \"table.policy\" = [\"always\", \"depth-preferred\"]\n";
    let (out, shown) = results(folder.path(), &format!("{SEARCHES}{grid}"));
    assert!(shown.contains("- At size=64: "), "{shown}");
    assert!(shown.contains("- At size=1048576: "), "{shown}");
    assert!(shown.contains("at size=1048576") || shown.contains("% full") || shown.contains("same nodes"), "{shown}");
    let page = fs::read_to_string(format!("{out}/report.md")).unwrap();
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text}: {page}"));
    assert!(place("At size=64: ") < place("| nodes"), "the answer comes before the first table");
    let manifest = fs::read_to_string(format!("{out}/manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    let base = |size: u32| manifest["baselines"][format!("size={size}, policy=depth-preferred")].clone();
    assert_eq!([base(64), base(1_048_576)], [64, 1_048_576].map(|size| format!("size={size}, policy=always")));
}

/// A question that the file asks as a claim is answered first, in words.
#[test]
fn claim_is_answered_first() {
    let folder = scratch();
    let file = "[[variant]]\nname = \"none\"\ntable = \"none\"\n[[variant]]\nname = \"table\"\n[[expect]]\n\
                claim = \"nodes(table) < nodes(none)\"\n";
    let (_, shown) = results(folder.path(), &format!("{SEARCHES}{file}"));
    let first = shown.lines().find(|line| line.starts_with("- ")).unwrap_or_default();
    assert!(first.starts_with("- Claim "), "{shown}");
    assert!(first.contains("nodes of \"table\" less than nodes of \"none\""), "{shown}");
}

/// One table for a thesis: a row for each group with its ratio and interval.
#[test]
fn thesis_table_is_one_command() {
    let folder = scratch();
    let grid = "[grid]\n\"table.slots\" = [1, 4]\n";
    let (out, _) = results(folder.path(), &format!("{SEARCHES}{grid}"));
    let shown = screen(&["report", &out, "--by", "table.slots", "--format", "csv"]);
    assert!(shown.lines().any(|line| line.starts_with("table,") && line.contains("slots")), "{shown}");
}

/// Two results and a gate: the verdict and the exit code.
#[test]
fn two_builds_meet_a_gate() {
    let folder = scratch();
    let (out, _) = results(folder.path(), &format!("{SEARCHES}[engine]\ntable.slots = 4\n"));
    let shown = screen(&["compare", &out, &out, "--fail-on", "nodes > +1%"]);
    assert!(shown.contains("nodes"), "{shown}");
}

/// A trace of two games under another policy.
#[test]
fn trace_is_replayed_under_another_policy() {
    let trace = PathBuf::from("experiments/traces/two-games.trace");
    let shown = screen(&["replay", trace.to_str().unwrap()]);
    assert!(shown.to_lowercase().contains("hit"), "{shown}");
}

/// After the first run the terminal says what to type next; afterwards it does not repeat itself.
#[test]
fn first_run_says_what_to_type_next() {
    let folder = scratch();
    let text = format!("{SEARCHES}[grid]\n\"table.slots\" = [1, 4]\n");
    let (out, shown) = results(folder.path(), &text);
    assert!(shown.lines().any(|line| line.starts_with(&format!("next: `ttlab report {out} --pairs`"))), "{shown}");
    assert!(!results(folder.path(), &text).1.contains("next: "));
}

/// The commands stand in groups, with the first ones first.
#[test]
fn help_lists_commands_in_groups() {
    let shown = screen(&["--help"]);
    let place = |text: &str| shown.find(text).unwrap_or_else(|| panic!("{text}: {shown}"));
    assert!(place("Experiments:") < place("new"), "{shown}");
    assert!(place("check") < place("Results:"), "{shown}");
}
