//! An installed program without a checkout beside it: templates, and the suites that are compiled
//! in.

use crate::common::scratch;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs the program in a folder and returns stdout followed by stderr, and the exit code.
fn ttlab(folder: &Path, args: &[&str]) -> (String, i32) {
    let output = Command::new(env!("CARGO_BIN_EXE_ttlab")).current_dir(folder).args(args).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (String::from_utf8_lossy(&text).into_owned(), output.status.code().unwrap_or(-1))
}

/// The names that `ttlab new` lists.
fn templates(folder: &Path) -> Vec<String> {
    let (text, code) = ttlab(folder, &["new"]);
    assert_eq!(code, 0, "{text}");
    let lines = text.lines().take_while(|line| !line.is_empty());
    lines.map(|line| line.split(' ').next().unwrap().to_owned()).collect()
}

#[test]
fn template_is_commented_and_valid_in_an_empty_folder() {
    let names = templates(scratch().path());
    assert_eq!(names, ["quick", "which-policy", "ageing", "match", "engine", "gate", "tune", "trace", "thesis"]);
    for name in names {
        let folder = scratch();
        let (text, code) = ttlab(folder.path(), &["new", &name]);
        assert_eq!(code, 0, "{text}");
        let file = format!("{name}.toml");
        let written = fs::read_to_string(folder.path().join(&file)).unwrap();
        assert!(!written.contains("data/bratko"), "{written}");
        assert!(!written.contains("#:schema"), "{written}");
        assert!(written.lines().filter(|line| line.contains("# ")).count() > 2, "few comments: {written}");
        assert!(fs::read_dir(folder.path()).unwrap().count() > 1, "{name} has no suite beside it");
        let (text, code) = ttlab(folder.path(), &["check", &file]);
        assert_eq!(code, 0, "{text}");
    }
}

#[test]
fn quick_template_runs_in_an_empty_folder() {
    let folder = scratch();
    assert_eq!(ttlab(folder.path(), &["new", "quick"]).1, 0);
    let (text, code) = ttlab(folder.path(), &["run", "quick.toml", "--set", "limit.depth=2", "--quiet"]);
    assert_eq!(code, 0, "{text}");
    let rows = fs::read_to_string(folder.path().join("reports/quick/results.csv")).unwrap();
    assert_eq!(rows.lines().count(), 1 + 24 * 7 * 2);
}

#[test]
fn new_never_overwrites_and_keeps_a_suite_that_is_the_same() {
    let folder = scratch();
    assert_eq!(ttlab(folder.path(), &["new", "quick"]).1, 0);
    fs::write(folder.path().join("quick.toml"), "mine").unwrap();
    let (text, code) = ttlab(folder.path(), &["new", "quick"]);
    assert_eq!(code, 2, "{code} {text}");
    assert!(text.contains("quick.toml: already exists and is not overwritten"), "{code} {text}");
    assert_eq!(fs::read_to_string(folder.path().join("quick.toml")).unwrap(), "mine");
    // The next template uses the same suite file.
    let (text, code) = ttlab(folder.path(), &["new", "engine"]);
    assert_eq!(code, 0, "{text}");
    fs::write(folder.path().join("selfplay.pgn"), "other").unwrap();
    let (text, code) = ttlab(folder.path(), &["new", "which-policy"]);
    assert_eq!(code, 2, "{code} {text}");
    assert!(text.contains("selfplay.pgn: already exists and is not overwritten"), "{code} {text}");
    let left: Vec<bool> =
        ["openings.epd", "which-policy.toml"].iter().map(|name| folder.path().join(name).exists()).collect();
    assert_eq!(left, [false, false], "files of a refused template were written");
    // A dangling symbolic link counts as an existing file.
    fs::remove_file(folder.path().join("selfplay.pgn")).unwrap();
    std::os::unix::fs::symlink("nowhere", folder.path().join("which-policy.toml")).unwrap();
    assert_eq!(ttlab(folder.path(), &["new", "which-policy"]).1, 2);
    assert!(!folder.path().join("nowhere").exists());
    let (text, code) = ttlab(folder.path(), &["new", "which-policy", "--out", "a/b"]);
    assert_eq!(code, 0, "{text}");
    assert!(folder.path().join("a/b/openings.epd").is_file(), "{text}");
}

#[test]
fn unknown_template_names_the_nearest_and_lists_all() {
    let (text, code) = ttlab(scratch().path(), &["new", "quik"]);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("`quik`: did you mean `quick`? there are quick, which-policy"), "{text}");
}

const BUILTIN: &str =
    "first = 2\nlimit = { depth = 2 }\n[[variant]]\nname = 'a'\n[[variant]]\nname = 'b'\ntable = 'none'\n";

/// The rows of a run without columns that depend on the clock.
fn nodes(folder: &Path, out: &str) -> Vec<String> {
    let mut reader = csv::Reader::from_path(folder.join(out).join("results.csv")).unwrap();
    let heading = reader.headers().unwrap().clone();
    let wanted = ["id", "variant", "position", "depth", "search.nodes"]
        .map(|name| heading.iter().position(|column| column == name).unwrap());
    reader.records().map(|row| row.map(|row| wanted.map(|at| row[at].to_owned()).join(" ")).unwrap()).collect()
}

#[test]
fn builtin_suite_gives_the_rows_of_its_file_and_goes_through_a_plan() {
    let folder = scratch();
    let file = format!("{}/data/bratko-kopec.epd", env!("CARGO_MANIFEST_DIR"));
    for (name, suite) in [("file", file.as_str()), ("builtin", "builtin:bratko-kopec")] {
        fs::write(folder.path().join(format!("{name}.toml")), format!("suite = '{suite}'\n{BUILTIN}")).unwrap();
        let (text, code) = ttlab(folder.path(), &["run", &format!("{name}.toml"), "-q", "--out", name]);
        assert_eq!(code, 0, "{text}");
    }
    assert_eq!(nodes(folder.path(), "file").len(), 8);
    assert_eq!(nodes(folder.path(), "file"), nodes(folder.path(), "builtin"));
    let (text, code) = ttlab(folder.path(), &["plan", "builtin.toml", "--shards", "1", "-o", "plan.json"]);
    assert_eq!(code, 0, "{text}");
    let (text, code) = ttlab(folder.path(), &["run", "--plan", "plan.json", "--shard", "0", "-q", "--out", "shard"]);
    assert_eq!(code, 0, "{text}");
    assert_eq!(nodes(&folder.path().join("shard/shards"), "0"), nodes(folder.path(), "builtin"));
}

#[test]
fn builtin_suite_is_accepted_wherever_a_suite_is() {
    let folder = scratch();
    let several = "suites = { a = { file = 'builtin:fine-70', depth = 2 }, b = { file = 'builtin:endgames', depth = 1 } }\n\
                   first = 1\n[[variant]]\nname = 'a'\n";
    fs::write(folder.path().join("several.toml"), several).unwrap();
    for args in [&["check", "several.toml"][..], &["suite", "builtin:games"]] {
        let (text, code) = ttlab(folder.path(), args);
        assert_eq!(code, 0, "{text}");
    }
    let args = ["trace", "builtin:games", "--first", "1", "--depth", "1", "-o", "one.trace"];
    let (text, code) = ttlab(folder.path(), &args);
    assert_eq!(code, 0, "{text}");
    let (text, code) = ttlab(folder.path(), &["suite", "builtin:game"]);
    assert_eq!(code, 2, "{code} {text}");
    assert!(text.contains("did you mean builtin:games?"), "{code} {text}");
    fs::write(folder.path().join("wrong.toml"), "suite = 'builtin:fine'\nlimit = { depth = 1 }\n").unwrap();
    let (text, code) = ttlab(folder.path(), &["check", "wrong.toml"]);
    assert_eq!(code, 2, "{code} {text}");
    assert!(text.contains("suite: there is no built-in suite builtin:fine"), "{code} {text}");
    assert!(text.contains("wrong.toml:1:"), "the place is not shown: {text}");
}

/// The rows of an experiment without their times.
fn rows(results: &Path) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_path(results.join("results.csv")).unwrap();
    let is_kept: Vec<bool> =
        reader.headers().unwrap().iter().map(|name| !["seconds", "check"].contains(&name)).collect();
    let cells = |row: csv::StringRecord| {
        row.iter().zip(&is_kept).filter(|(_, kept)| **kept).map(|(cell, _)| cell.to_owned()).collect()
    };
    reader.records().map(|row| cells(row.unwrap())).collect()
}

#[test]
fn try_has_the_rows_of_the_file_by_hand() {
    let folder = scratch();
    let text = "name = 'try'\nsuite = 'builtin:bratko-kopec'\nlimit = { depth = 3 }\n[engine]\ntable.size = '64 KiB'\n[grid]\n\
        'table.policy' = ['always', 'depth-age']\n'table.slots' = [2, 4]\n";
    fs::write(folder.path().join("mine.toml"), text).unwrap();
    let (text, code) = ttlab(folder.path(), &["run", "mine.toml", "--quiet", "--out", "mine"]);
    assert_eq!(code, 0, "{text}");
    let words = "try builtin:bratko-kopec --depth 3 --set table.size=64KiB --vary table.policy=always,depth-age --vary \
        table.slots=2,4 --out tried";
    let (text, code) = ttlab(folder.path(), &words.split(' ').collect::<Vec<_>>());
    assert_eq!(code, 0, "{text}");
    assert_eq!(rows(&folder.path().join("tried")), rows(&folder.path().join("mine")));
}
