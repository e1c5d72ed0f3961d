//! Closed pipes and full devices as output: messages may be lost, but neither results nor exit
//! codes are.

use super::*;
use crate::common::skip;
use std::fs::File;

/// A pipe whose reader has gone.
fn gone() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

fn full() -> Stdio {
    File::options().write(true).open("/dev/full").unwrap().into()
}

/// Runs a command with the given stdout and stderr. Returns the exit code, and the text of those
/// that are captured.
fn with(args: &[&str], stdout: Stdio, stderr: Stdio) -> Output {
    let child = Command::new(binary()).args(args).current_dir(root()).stdout(stdout).stderr(stderr).spawn().unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Output { stdout: text(&output.stdout), stderr: text(&output.stderr), code: output.status.code() }
}

const QUICK: &str = "suite = 'data/bratko-kopec.epd'\nfirst = 3\nlimit = { depth = 2 }\n";

#[test]
fn closed_pipe_does_not_change_the_exit_code() {
    let trial = Trial::new(&format!("{QUICK}[[expect]]\nwhere = {{ depth = 1 }}\nnodes = 1\nsource = 'nobody'\n"));
    let out = trial.text("out");
    let run = ["run", &trial.file, "--check", "--out", &out];
    for (stdout, stderr) in [(gone(), Stdio::null()), (Stdio::null(), gone()), (gone(), gone())] {
        let _ = fs::remove_dir_all(&out);
        with(&run, stdout, stderr).expect(1);
        assert_eq!(counts(&trial.results("out")).len(), 6, "the run should have gone on to its end");
        assert!(trial.path("out").join("report.html").exists());
    }
    // A comparison whose gate fails, with a reader that only wanted one line.
    let other = Trial::new(&format!("{QUICK}[engine]\ntable = 'none'\n"));
    other.run("out", &[]).expect(0);
    let compare = ["compare", &out, &other.text("out"), "--fail-on", "nodes>0%"];
    let code = with(&compare, Stdio::piped(), Stdio::piped()).code;
    assert!(matches!(code, Some(1 | 3 | 4)), "{code:?}");
    assert_eq!(with(&compare, gone(), gone()).code, code);
    // A merge without one of its shards.
    let plan = trial.text("plan.json");
    ttlab(&["plan", &trial.file, "--shards", "2", "-o", &plan]).expect(0);
    let whole = trial.text("whole");
    ttlab(&["run", "--plan", &plan, "--shard", "0", "--quiet", "--out", &whole]).expect(0);
    with(&["merge", &plan, "--out", &whole], gone(), gone()).expect(3);
    // A usage error stays a usage error.
    with(&["run", "nowhere.toml"], gone(), gone()).expect(2);
    with(&["nonsense"], gone(), gone()).expect(2);
    // A reader that has seen enough of a list isn't a failure.
    with(&["columns"], gone(), Stdio::piped()).expect(0);
    with(&["--help"], gone(), Stdio::piped()).expect(0);
}

#[test]
fn full_disk_for_outputs_is_reported_without_loss() {
    if !Path::new("/dev/full").exists() {
        skip("dev-full", "there is no /dev/full: writing to a full disk was not tested");
        return;
    }
    for args in [&["columns"][..], &["--help"], &["completions", "bash"], &["options", "table"]] {
        let message = with(args, full(), Stdio::piped()).expect(5);
        assert!(args == ["--help"] || message.stderr.contains("standard output: No space left on device"), "{args:?}");
    }
    let trial = Trial::new(QUICK);
    let out = trial.text("out");
    with(&["run", &trial.file, "--out", &out], full(), Stdio::piped()).expect(5).prints(&["No space left on device"]);
    assert_eq!(counts(&trial.results("out")).len(), 6);
    fs::remove_dir_all(&out).unwrap();
    with(&["run", &trial.file, "--out", &out], Stdio::piped(), full()).expect(0);
    assert_eq!(counts(&trial.results("out")).len(), 6);
    with(&["run", "nowhere.toml"], full(), full()).expect(2);
}

/// The system refuses a thread whose stack is larger than its memory.
#[test]
fn refused_thread_is_reported() {
    let trial = Trial::new(QUICK);
    trial.run("undisturbed", &[]).expect(0);
    let starved =
        |args: &[&str]| run_command(Command::new(binary()).args(args).env("RUST_MIN_STACK", (1u64 << 46).to_string()));
    let out = trial.text("out");
    starved(&["run", &trial.file, "--out", &out]).expect(5).prints(&["--jobs", "started only"]);
    // Optional parallel work continues in a single thread.
    starved(&["report", &trial.text("undisturbed")]).expect(0);
    trial.run("out", &[]).expect(0);
}

#[test]
fn impossible_table_size_is_refused_before_allocation() {
    for size in ["17179869184 GiB", "17179869183 GiB", "999999999999999", "8796093022208"] {
        let set = format!("table.size={size}");
        let huge = |args: &[&str]| ttlab(&[args, &["--set", &set]].concat());
        // The last size is one that some machine might have, but not this one.
        let expected = if size.starts_with('8') { 5 } else { 2 };
        let message = huge(&["search", "startpos", "--depth", "2"]);
        assert!(matches!(message.code, Some(2 | 5)), "{size}: {}", message.stderr);
        assert!(message.stderr.contains("table.size"), "{size}: {}", message.stderr);
        assert!(expected == 5 || message.code == Some(2), "{size}: {}", message.stderr);
        let trace = huge(&["trace", "startpos", "--depth", "2", "-o", "/dev/null"]);
        assert!(matches!(trace.code, Some(2 | 5)), "{size}: {}", trace.stderr);
        assert!(trace.stderr.contains("table.size"), "{size}: {}", trace.stderr);
        let trial = Trial::new(&format!("{QUICK}[engine]\ntable.size = '{size}'\n"));
        if expected == 2 {
            ttlab(&["check", &trial.file]).expect(2).prints(&["table.size", "is too large"]);
        }
    }
}

#[test]
fn control_characters_in_names_are_escaped() {
    let message = ttlab(&["check", "a\u{1b}]0;title\u{7}.toml"]).expect(2).prints(&["a\\u{1b}]0;title\\u{7}.toml"]);
    assert!(!message.stderr.contains(['\u{1b}', '\u{7}']), "{:?}", message.stderr);
}
