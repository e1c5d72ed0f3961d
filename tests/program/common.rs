//! Helpers shared by the end-to-end tests.

use std::io::Write;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;
use ttlab::internals::record::manifest::Manifest;
use ttlab::internals::record::verify::verify;

/// Creates a folder that is deleted when it is dropped. It is in memory if the system has
/// `/dev/shm`, because runs sync to disk at every step.
pub fn scratch() -> TempDir {
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() };
    made.or_else(|_| TempDir::new()).unwrap()
}

/// What some tests need besides Rust: the words that `TTLAB_REQUIRE` accepts.
const NEEDS: [&str; 11] = [
    "actionlint",
    "browser",
    "cc",
    "dev-full",
    "engines",
    "namespaces",
    "parallel",
    "python",
    "reports",
    "slurm",
    "strace",
];

/// Reports that a test was skipped because something isn't installed, and how to get it. Writes
/// past the test harness, which hides the output of passing tests. The test fails if
/// `TTLAB_REQUIRE` lists this need.
#[track_caller]
pub fn skip(need: &str, why: &str) {
    assert!(NEEDS.contains(&need), "no need of this name: {need}");
    let required = std::env::var("TTLAB_REQUIRE").unwrap_or_default();
    for word in required.split_whitespace() {
        assert!(NEEDS.contains(&word), "TTLAB_REQUIRE: nothing is called {word:?}; it takes {}", NEEDS.join(", "));
        assert_ne!(word, need, "TTLAB_REQUIRE={required}, and a test cannot run: {why}");
    }
    let _ = writeln!(std::io::stderr(), "SKIPPED ({need}): {why}");
}

/// Returns whether Python has a package, and reports the skip if it doesn't.
#[track_caller]
pub fn has_python(package: &str) -> bool {
    let output = Command::new("python3").args(["-c", &format!("import {package}")]).output();
    let found = output.is_ok_and(|output| output.status.success());
    if !found {
        skip("python", &format!("python3 has no package {package}: it was not compared with (pip install {package})"));
    }
    found
}

/// Returns whether the recorded results are present: the published package leaves them out.
pub fn has_reports() -> bool {
    let found = Path::new(env!("CARGO_MANIFEST_DIR")).join("reports/studies").is_dir();
    if !found {
        skip(
            "reports",
            "reports/, tests/pools and transcripts are not in the package: what needs them was not tested (clone the repository)",
        );
    }
    found
}

/// Changes a folder's manifest, then recomputes the seals of the manifest and the results, as if a
/// run had written them.
pub fn seal_anew(folder: &Path, change: impl FnOnce(&mut serde_json::Value)) {
    let path = folder.join("manifest.json");
    let mut manifest = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    change(&mut manifest);
    let mut manifest: Manifest = serde_json::from_value(manifest).unwrap();
    let results = folder.join("results.csv");
    if let Ok(found) = verify(&results, None) {
        let rows = std::fs::read(&results).unwrap();
        let header = rows.split(|&byte| byte == b'\n').next().unwrap_or_default();
        manifest.sealed.header = String::from_utf8_lossy(header).into_owned();
        manifest.sealed.bytes = manifest.sealed.bytes.map(|_| found.seals.bytes);
        manifest.sealed.counts = manifest.sealed.counts.map(|_| found.seals.counts);
    }
    std::fs::write(&path, manifest.to_text().unwrap()).unwrap();
}

/// Runs the program in the project's folder, and returns its standard output, standard error and
/// exit code.
pub fn run(args: &[&str]) -> (String, String, i32) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ttlab"));
    let output = command.current_dir(env!("CARGO_MANIFEST_DIR")).args(args).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr), output.status.code().unwrap_or(-1))
}

/// The script of a step of an action or workflow, run as a GitHub runner runs `shell: bash`.
pub fn bash_step(text: &str, name: &str) -> Command {
    let step = text.split_once(&format!("- name: {name}\n")).unwrap_or_else(|| panic!("no step {name}")).1;
    let script = step.split_once("run: |\n").unwrap().1;
    let indentation = script.len() - script.trim_start().len();
    let is_script = |line: &&str| line.trim().is_empty() || line.starts_with(&" ".repeat(indentation));
    let lines: Vec<&str> =
        script.lines().take_while(is_script).map(|line| line.get(indentation..).unwrap_or("")).collect();
    let mut command = Command::new("bash");
    command.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", &lines.join("\n")]);
    command
}

/// Returns the names of the commands that `ttlab --help` lists, in its order.
pub fn listed_commands(help: &str) -> Vec<&str> {
    let lines = help.lines().skip_while(|line| *line != "Experiments:").take_while(|line| *line != "Options:");
    lines.filter_map(|line| line.strip_prefix("  ")?.split(' ').next()).collect()
}

/// Runs one test of this test binary with a `PATH` in which no program can be found.
fn without_programs(require: &str) -> (String, bool) {
    let test = "sweep::synced::row_is_on_the_disk_during_the_next_search";
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test]).env("PATH", "/nowhere").env("TTLAB_REQUIRE", require);
    let output = command.output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (String::from_utf8_lossy(&text).into_owned(), output.status.success())
}

#[test]
fn skipped_test_passes_and_names_its_need() {
    let (text, passed) = without_programs("browser slurm");
    assert!(passed, "{text}");
    assert!(text.contains("SKIPPED (strace): strace is not installed"), "{text}");
    assert!(text.contains("1 passed"), "{text}");
}

#[test]
fn skipped_test_fails_where_its_need_is_required() {
    let (text, passed) = without_programs("browser strace");
    assert!(!passed, "{text}");
    assert!(text.contains("a test cannot run: strace is not installed"), "{text}");
}

#[test]
fn unknown_need_fails_and_lists_the_known() {
    let (text, passed) = without_programs("slrum");
    assert!(!passed, "{text}");
    assert!(text.contains("nothing is called \"slrum\"; it takes actionlint, browser"), "{text}");
}
