//! What is near the inputs that others have reported: the same mistake through other doors. Each
//! case of `tests/golden/neighbours.txt` has files, a command, its input and its exit code, and
//! words that the output has or lacks. The file says how its lines begin.

use crate::common::scratch;
use std::collections::BTreeMap;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

#[derive(Default)]
struct Case<'a> {
    name: String,
    command: &'a str,
    input: String,
    code: i32,
    words: Vec<&'a str>,
    absent_words: Vec<&'a str>,
}

/// Runs the case in a folder with these files. Returns what is wrong.
fn fault_of(case: &Case<'_>, files: &BTreeMap<&str, String>) -> Option<String> {
    let folder = scratch();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        let mode = if text.starts_with("#!") { 0o755 } else { 0o644 };
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }
    let mut command = Command::new("sh");
    command.arg("-c").arg(case.command.replacen("ttlab", env!("CARGO_BIN_EXE_ttlab"), 1)).current_dir(folder.path());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A command that ends early does not read all of its input.
    let _ = child.stdin.take().unwrap().write_all(case.input.as_bytes());
    let output = child.wait_with_output().unwrap();
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let missing = case.words.iter().filter(|word| !text.contains(**word)).map(|word| format!("no `{word}`"));
    let found = case.absent_words.iter().filter(|word| text.contains(**word)).map(|word| format!("has `{word}`"));
    let code = output.status.code().unwrap_or(-1);
    let code = (code != case.code).then(|| format!("exit code {code}, expected {}", case.code));
    let faults: Vec<String> = missing.chain(found).chain(code).collect();
    (!faults.is_empty()).then(|| format!("{}: {}\n$ {}\n{text}", case.name, faults.join(", "), case.command))
}

#[test]
fn neighbours_of_reported_inputs_are_told() {
    let golden = include_str!("../golden/neighbours.txt");
    let (mut row, mut case, mut faults, mut count) = ("", Case::default(), Vec::new(), 0);
    let (mut files, mut file) = (BTreeMap::<&str, String>::new(), "");
    for line in golden.lines().chain(["--- "]) {
        let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
        if ["---", "==="].contains(&kind) && !case.command.is_empty() {
            faults.extend(fault_of(&std::mem::take(&mut case), &files));
            count += 1;
        }
        match kind {
            "===" => (row, files) = (rest, BTreeMap::new()),
            "---" => case.name = format!("row {row}, {rest}"),
            "==" => drop(files.insert(rest, String::new())),
            "+" => files.get_mut(file).unwrap().extend([rest, "\n"]),
            "$" => case.command = rest,
            "<" => case.input.extend([rest, "\n"]),
            "=" => case.code = rest.parse().unwrap(),
            ">" => case.words.push(rest),
            "!" => case.absent_words.push(rest),
            _ => assert_eq!(kind, "#", "{line}"),
        }
        if kind == "==" {
            file = rest;
        }
    }
    assert!(faults.is_empty(), "{} of {count} cases\n\n{}", faults.len(), faults.join("\n"));
    assert!(count > 80, "{count} cases");
}
