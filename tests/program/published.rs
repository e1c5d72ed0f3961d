//! The pages of published claims: the influence of a single position on a claim, where the pages
//! are written, and what they report when rows are missing.

use crate::common::{run, scratch};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

const FILE: &str = r#"
name = "first"
article = { title = "A | title", author = "A. Author", year = 1994, link = "https://example.org/a" }
question = "Does it hold?"
suite = "SUITE"
first = 8
limit = { depth = 4 }
[[variant]]
name = "none"
table = "none"
[[variant]]
name = "small"
"table.size" = 256
[[expect]]
kind = "published"
claim = "nodes(none) < 1.1 * nodes(small)"
quote = "a tenth at most"
verdict = "either"
[[expect]]
kind = "published"
where = { variant = "none", depth = 1, position = "BK.01" }
evals = 1
article = "Another title"
verdict = "either"
"#;

fn folder() -> TempDir {
    let folder = scratch();
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/bratko-kopec.epd");
    fs::create_dir(folder.path().join("files")).unwrap();
    let first = FILE.replace("SUITE", suite.to_str().unwrap());
    fs::write(folder.path().join("files/first.toml"), &first).unwrap();
    fs::write(folder.path().join("files/second.toml"), first.replace("\"first\"", "\"second\"")).unwrap();
    folder
}

fn reproduce(folder: &Path, args: &[&str]) -> (String, i32) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ttlab"));
    let output = command.current_dir(folder).args(["reproduce", "files"]).args(args).output().unwrap();
    (String::from_utf8_lossy(&output.stderr).into_owned(), output.status.code().unwrap())
}

#[test]
fn reproduce_writes_only_the_pages_of_the_experiments() {
    let folder = folder();
    let (stderr, code) = reproduce(folder.path(), &[]);
    assert_eq!(code, 0, "{stderr}");
    // The default folder is ignored by git.
    let page = fs::read_to_string(folder.path().join("reports/reproduced/first/report.md")).unwrap();
    assert!(page.contains("\"a tenth at most\""), "{page}");
    assert!(page.contains("\"Another title\""), "{page}");
    for place in ["reports/reproduced/first/report.md", "reports/quick/results.csv"] {
        let ignored = Command::new("git")
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .args(["check-ignore", "--quiet", place])
            .status();
        // Exit code 128: this isn't a git checkout.
        assert!(ignored.is_ok_and(|status| matches!(status.code(), Some(0 | 128))), "{place} is tracked");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "only `files` and `reports` are there");
    assert_eq!(fs::read_dir(folder.path().join("reports/reproduced")).unwrap().count(), 2, "one folder each");
    let out = folder.path().join("kept");
    assert_eq!(reproduce(folder.path(), &["--out", "kept", "--only", "first"]).1, 0);
    assert!(out.join("first/report.md").exists());
}

/// A claim that is decided by a ratio also shows the effect of leaving out its most influential
/// position; the test computes that from the rows.
#[test]
fn claim_shows_the_effect_of_its_most_influential_position() {
    let folder = folder();
    assert_eq!(reproduce(folder.path(), &["--only", "first"]).1, 0);
    let out = folder.path().join("reports/reproduced/first");
    let mut reader = csv::Reader::from_path(out.join("results.csv")).unwrap();
    let header = reader.headers().unwrap().clone();
    let at = |name: &str| header.iter().position(|column| column == name).unwrap();
    let mut nodes: BTreeMap<String, [f64; 2]> = BTreeMap::new();
    for row in reader.records().map(Result::unwrap) {
        let sums = nodes.entry(row[at("position")].to_owned()).or_default();
        sums[usize::from(&row[at("variant")] == "small")] += row[at("search.nodes")].parse::<f64>().unwrap();
    }
    let logs: Vec<(&String, f64)> = nodes.iter().map(|(name, [none, small])| (name, (none / small).ln())).collect();
    let mean = |left: Option<&str>| {
        let kept: Vec<f64> = logs.iter().filter(|(name, _)| Some(name.as_str()) != left).map(|(_, log)| *log).collect();
        kept.iter().sum::<f64>() / kept.len() as f64
    };
    let moves = |name: &str| (mean(Some(name)) - mean(None)).abs();
    let (most, _) = logs.iter().max_by(|a, b| moves(a.0).total_cmp(&moves(b.0))).unwrap();
    let expected = format!("{:.3} without {most}", mean(Some(most)).exp());
    let page = fs::read_to_string(out.join("report.md")).unwrap().replace('\u{a0}', " ").replace('\\', "");
    let line = page.lines().find(|line| line.contains("1.1 * nodes(small)")).unwrap();
    assert!(line.contains(&expected), "{expected:?} in {line}");
}

/// Jobs without rows are reported on the page itself, in every format, and the report exits with 3.
#[test]
fn page_reports_missing_rows() {
    let folder = folder();
    let (file, out) = (folder.path().join("files/first.toml"), folder.path().join("out"));
    let (file, out) = (file.to_str().unwrap(), out.to_str().unwrap());
    assert_eq!(run(&["run", file, "--out", out, "--quiet"]).2, 0);
    assert_eq!(run(&["report", out]).2, 0);
    let rows = format!("{out}/results.csv");
    let text = fs::read_to_string(&rows).unwrap();
    let kept: Vec<&str> = text.lines().filter(|line| !line.contains(",BK.03,")).collect();
    fs::write(&rows, kept.join("\n") + "\n").unwrap();
    let (stdout, stderr, code) = run(&["report", out]);
    assert_eq!(code, 3, "{stdout}{stderr}");
    let message = "2 jobs of the plan without rows";
    assert!(stdout.contains(message), "{stdout}{stderr}");
    assert!(stderr.contains(message), "{stdout}{stderr}");
    for page in ["report.md", "report.html"] {
        let text = fs::read_to_string(format!("{out}/{page}")).unwrap().replace('\u{a0}', " ");
        assert!(text.contains(message), "{page}");
    }
    let (stdout, _, code) = run(&["report", out, "--format", "json"]);
    assert_eq!(code, 3, "{stdout}");
    assert!(stdout.contains(message), "{stdout}");
}

/// An unmet expectation exits with 1, unless the file expects it to fail. Slow files can be left
/// out.
#[test]
fn reproduce_exits_1_for_unmet_verdicts() {
    let folder = folder();
    let path = |name: &str| folder.path().join("files").join(name);
    let write = |verdict: &str| {
        let text = fs::read_to_string(path("first.toml")).unwrap();
        // The last expectation is a figure that no search gives.
        let (before, _) = text.rsplit_once("verdict").unwrap();
        fs::write(path("first.toml"), format!("{before}verdict = \"{verdict}\"\n")).unwrap();
    };
    let second = fs::read_to_string(path("second.toml")).unwrap();
    fs::write(path("second.toml"), format!("slow = true\n{second}")).unwrap();
    write("holds");
    assert_eq!(reproduce(folder.path(), &["--quick"]).1, 1);
    let out = folder.path().join("reports/reproduced");
    let page = || fs::read_to_string(out.join("first/report.md")).unwrap().replace('\u{a0}', " ");
    assert!(page().contains("0 of 1 expected outcomes met"), "{}", page());
    assert!(!out.join("second").exists());
    write("differs");
    assert_eq!(reproduce(folder.path(), &["--quick"]).1, 0);
    assert!(page().contains("1 of 1 expected outcomes met"), "{}", page());
    assert_eq!(reproduce(folder.path(), &["--only", "first"]).1, 0);
    assert_eq!(reproduce(folder.path(), &[]).1, 0);
    assert!(out.join("second/report.md").exists());
}
