//! What the tests of the binary share.

use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// A folder that is deleted with its owner; in memory where the system has such a place, since runs wait for the disk at every step.
pub fn scratch() -> TempDir {
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() };
    made.or_else(|_| TempDir::new()).unwrap()
}

/// Calls the program in the project's folder: standard output, standard error, exit code.
pub fn run(args: &[&str]) -> (String, String, i32) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ttlab"));
    let output = command.current_dir(env!("CARGO_MANIFEST_DIR")).args(args).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr), output.status.code().unwrap_or(-1))
}
