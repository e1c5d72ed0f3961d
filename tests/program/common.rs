//! What the tests of the binary share.

use std::io::Write;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

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
