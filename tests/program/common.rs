//! What the tests of the binary share.

use assert_cmd::Command;

/// Calls the program in the project's folder: standard output, standard error, exit code.
pub fn run(args: &[&str]) -> (String, String, i32) {
    let mut command = Command::cargo_bin("ttlab").unwrap();
    let output = command.current_dir(env!("CARGO_MANIFEST_DIR")).args(args).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr), output.status.code().unwrap_or(-1))
}
