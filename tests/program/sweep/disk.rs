//! Full disks, folders that can't be written to, and folders that disappear.

use super::*;
use crate::common::skip;
use std::time::{Duration, Instant};

/// Runs ttlab in a shell that sets limits first.
fn limited(limits: &str, trial: &Trial, out: &str) -> Output {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "'\\''"));
    let command = format!(
        "{limits}; exec {} run {} --quiet --jobs 2 --out {}",
        quoted(binary().to_str().unwrap()),
        quoted(&trial.file),
        quoted(&trial.text(out))
    );
    run_command(Command::new("sh").args(["-c", &command]))
}

/// A file size limit acts like a full disk: it is reported, and all finished rows are safe.
#[test]
fn full_disk_ends_the_run_without_loss() {
    let trial = Trial::new(&LONG.replace("depth = 5", "depth = 3"));
    trial.run("undisturbed", &[]).expect(0);
    let undisturbed = counts(&trial.results("undisturbed"));
    let size = fs::metadata(trial.results("undisturbed")).unwrap().len();
    // With and without ignoring the limit's signal.
    for (blocks, trap) in [(12, ""), (16, "trap '' XFSZ; "), (size / 512 - 1, "")] {
        let out = format!("full-{blocks}");
        let message = limited(&format!("{trap}ulimit -f {blocks}"), &trial, &out);
        message.expect(5).prints(&["error: ", "all earlier rows are safe", "run the same command again"]);
        // All rows in the file are complete.
        let text = fs::read_to_string(trial.results(&out)).unwrap();
        assert!(text.ends_with('\n'), "{} bytes", text.len());
        assert!(text.len() as u64 <= blocks * 512, "{} bytes", text.len());
        let rows = counts(&trial.results(&out));
        assert!(!rows.is_empty());
        assert!(rows.iter().all(|row| undisturbed.contains(row)));
        trial.run(&out, &[]).expect(0);
        assert_eq!(counts(&trial.results(&out)), undisturbed);
    }
}

/// The program doesn't depend on the user's stack limit.
#[test]
fn small_stack_limit_does_not_end_the_run() {
    let trial = Trial::new("suite = { startpos = true }\nlimit = { depth = 3 }\n");
    limited("ulimit -s 64", &trial, "out").expect(0);
}

/// A real full disk, if the system allows it: a small file system in memory, mounted in a namespace
/// of its own.
#[test]
fn full_file_system_ends_the_run_without_loss() {
    let trial = Trial::new(&LONG.replace("depth = 5", "depth = 3"));
    trial.run("undisturbed", &[]).expect(0);
    let disk = trial.path("disk");
    fs::create_dir(&disk).unwrap();
    let script = format!(
        "mount -t tmpfs -o size=28k none '{disk}' || exit 99
         '{binary}' run '{file}' --quiet --out '{disk}/out' && exit 98
         test $? = 5 || exit 97
         mount -o remount,size=4m '{disk}' || exit 96
         '{binary}' run '{file}' --quiet --out '{disk}/out' || exit 95
         cp '{disk}/out/results.csv' '{kept}'",
        disk = disk.display(),
        binary = binary().display(),
        file = trial.file,
        kept = trial.text("kept.csv")
    );
    let message =
        run_command(Command::new("unshare").args(["--user", "--map-root-user", "--mount", "sh", "-c", &script]));
    if message.code != Some(0) && (message.stderr.contains("unshare") || message.code == Some(99)) {
        skip("namespaces", &format!("no name space to mount a file system in: {}", message.stderr.trim()));
        return;
    }
    let message = message.expect(0).prints(&["No space left on device", "all earlier rows are safe"]);
    assert_eq!(counts(&trial.path("kept.csv")), counts(&trial.results("undisturbed")), "{}", message.stderr);
}

#[test]
fn unwritable_output_is_refused_before_the_first_search() {
    let trial = Trial::new(SMALL);
    fs::write(trial.path("a-file"), "").unwrap();
    let begun = Instant::now();
    trial.run("a-file", &[]).expect(5).prints(&["a-file"]);
    ttlab(&["run", &trial.file, "--out", "/proc/ttlab"]).expect(5).prints(&["/proc/ttlab"]);
    // A read-only folder; root can write to it nevertheless, so that is checked first.
    let locked = trial.path("locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, std::os::unix::fs::PermissionsExt::from_mode(0o555)).unwrap();
    if fs::write(locked.join("probe"), "").is_err() {
        trial.run("locked", &[]).expect(5).prints(&["locked", "ermission denied"]);
    }
    // Results that can't be written, because `results.csv` is a folder.
    fs::create_dir_all(trial.path("mine/results.csv")).unwrap();
    trial.run("mine", &[]).expect(5).prints(&["results.csv"]);
    assert!(begun.elapsed() < Duration::from_secs(20));
}

/// Waits until rows are written.
fn wait_for_rows(trial: &Trial, out: &str) {
    let begun = Instant::now();
    while fs::metadata(trial.results(out)).map_or(0, |meta| meta.len()) < 2000 {
        assert!(begun.elapsed() < Duration::from_secs(20), "no rows were written");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn folder_deleted_during_a_run_is_restored() {
    let trial = Trial::new(LONG);
    trial.run("undisturbed", &[]).expect(0);
    let child = trial.spawn("out", &["--jobs", "1"]);
    wait_for_rows(&trial, "out");
    fs::remove_dir_all(trial.path("out")).unwrap();
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(5), "{stderr}");
    assert!(stderr.contains("was deleted"), "{stderr}");
    assert!(stderr.contains("run the same command again"), "{stderr}");
    assert!(!counts(&trial.results("out")).is_empty());
    trial.run("out", &[]).expect(0);
    assert_eq!(counts(&trial.results("out")), counts(&trial.results("undisturbed")));
}

#[test]
fn folder_moved_during_a_run_keeps_its_rows() {
    let trial = Trial::new(LONG);
    trial.run("undisturbed", &[]).expect(0);
    let child = trial.spawn("out", &["--jobs", "1"]);
    wait_for_rows(&trial, "out");
    fs::rename(trial.path("out"), trial.path("elsewhere")).unwrap();
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(5), "{stderr}");
    assert!(stderr.contains("was moved"), "{stderr}");
    assert!(stderr.contains("move it back"), "{stderr}");
    fs::rename(trial.path("elsewhere"), trial.path("out")).unwrap();
    trial.run("out", &[]).expect(0);
    assert_eq!(counts(&trial.results("out")), counts(&trial.results("undisturbed")));
}

/// An editor that saves over the results replaces the file: the saved file stays, and the rows
/// found meanwhile are written to another one.
#[test]
fn results_replaced_during_a_run_are_kept_beside() {
    let trial = Trial::new(LONG);
    let child = trial.spawn("out", &["--jobs", "1"]);
    wait_for_rows(&trial, "out");
    fs::write(trial.path("saved"), "saved by an editor\n").unwrap();
    fs::rename(trial.path("saved"), trial.results("out")).unwrap();
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(5), "{stderr}");
    assert!(stderr.contains("results.rescued.csv"), "{stderr}");
    assert_eq!(fs::read_to_string(trial.results("out")).unwrap(), "saved by an editor\n");
    assert!(!counts(&trial.path("out").join("results.rescued.csv")).is_empty());
}
