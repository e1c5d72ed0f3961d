//! What the tests of the binary share.

use std::io::Write;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;
use ttlab::record::manifest::Manifest;
use ttlab::record::verify::verify;

/// A folder that is deleted with its owner; in memory where the system has such a place, since runs wait for the disk at every step.
pub fn scratch() -> TempDir {
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() };
    made.or_else(|_| TempDir::new()).unwrap()
}

/// Says that something was not tested and why, past the harness, which shows nothing of a test that passes.
pub fn skip(why: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED: {why}");
}

/// The same of what continuous integration installs: there nothing of it is skipped, and the test fails.
#[track_caller]
pub fn skip_outside_ci(why: &str) {
    let ci = std::env::var_os("CI");
    assert!(ci.is_none_or(|ci| ci != "true"), "CI=true, and a test cannot run: {why}");
    skip(why);
}

/// Changes a folder's manifest, and seals it and the results beside it as a run would have left them.
pub fn seal_anew(folder: &Path, change: impl FnOnce(&mut serde_json::Value)) {
    let path = folder.join("manifest.json");
    let mut manifest = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    change(&mut manifest);
    let mut manifest: Manifest = serde_json::from_value(manifest).unwrap();
    if let Ok(found) = verify(&folder.join("results.csv"), None) {
        manifest.header_seal = Some(found.seals.header);
        manifest.file_seal = manifest.file_seal.map(|_| found.seals.file);
        if !manifest.column_seals.is_empty() {
            manifest.column_seals = found.seals.columns;
        }
    }
    std::fs::write(&path, manifest.to_text().unwrap()).unwrap();
}

/// Calls the program in the project's folder: standard output, standard error, exit code.
pub fn run(args: &[&str]) -> (String, String, i32) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ttlab"));
    let output = command.current_dir(env!("CARGO_MANIFEST_DIR")).args(args).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr), output.status.code().unwrap_or(-1))
}

/// The names of the commands that `ttlab --help` lists, in its order.
pub fn listed_commands(help: &str) -> Vec<&str> {
    let lines = help.lines().skip_while(|line| *line != "Experiments:").take_while(|line| *line != "Options:");
    lines.filter_map(|line| line.strip_prefix("  ")?.split(' ').next()).collect()
}
