//! System calls that sync the results: each row is written to disk while the next search runs.
//! Observed from outside with strace.

use super::*;
use crate::common::skip;
use std::time::{Duration, Instant};

/// The file of a call in a line of strace, such as `write(5</x/results.csv>, ...`, and whether the
/// call succeeded.
fn call<'a>(line: &'a str, name: &str) -> Option<(&'a str, bool)> {
    let rest = &line[line.find(&format!("{name}("))? + name.len() + 1..];
    let file = &rest[..rest.find('>')?];
    file.ends_with("results.csv").then(|| (file, !rest.contains("= -1")))
}

#[test]
fn row_is_on_the_disk_during_the_next_search() {
    if Command::new("strace").arg("-V").output().is_err() {
        skip(
            "strace",
            "strace is not installed: whether rows are put on the disk was not tested (apt-get install strace)",
        );
        return;
    }
    let trial = Trial::new(
        "suite = { startpos = true }\nlimit = { depth = 2 }\n[[variant]]\nname = 'short'\n[[variant]]\nname = 'endless'\n\
         'limit.depth' = 60\n",
    );
    let log = trial.path("strace.log");
    let mut child = Command::new("strace")
        .args(["-f", "-y", "-e", "trace=write,pwrite64,fdatasync,fsync", "-o"])
        .arg(&log)
        .arg(binary())
        .args(["run", &trial.file, "--out", &trial.text("out"), "--jobs", "1", "--quiet"])
        .current_dir(root())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    // The rows of the first job, then the sync, both on the same file; the second job never ends.
    let synced = loop {
        let text = fs::read_to_string(&log).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        let row = lines.iter().rposition(|line| ["write", "pwrite64"].iter().any(|name| call(line, name).is_some()));
        let after =
            |at: usize| lines[at + 1..].iter().any(|line| call(line, "fdatasync").is_some_and(|(_, fine)| fine));
        // The header is written and synced as well, so there must be a row.
        let rows = fs::read_to_string(trial.results("out")).unwrap_or_default().lines().count() > 1;
        if rows && row.is_some_and(after) {
            break true;
        }
        if begun.elapsed() > Duration::from_secs(30) || child.try_wait().unwrap().is_some() {
            break false;
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    let running = child.try_wait().unwrap().is_none();
    // The child is strace: the program that it traces is killed first.
    let _ = Command::new("pkill").args(["-KILL", "-P", &child.id().to_string()]).status();
    let _ = child.kill();
    child.wait().unwrap();
    let text = fs::read_to_string(&log).unwrap();
    assert!(synced, "{text}");
    assert!(running, "{text}");
    // A file that is replaced as a whole is synced before it is renamed, and the folder is synced
    // afterwards.
    let fsync = |end: &str| {
        let file = |line: &str| Some(line[line.find("fsync(")?..].split_once('>')?.0.to_owned());
        text.lines().filter_map(file).any(|file| file.contains(end))
    };
    assert!(fsync("/out/.ttlab-new"), "{text}");
    assert!(fsync(&format!("{}/out", trial.folder.path().display())), "{text}");
}
