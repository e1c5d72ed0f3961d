//! Shards and judgements of folders that were changed.

use super::commands::{TWO_SIZES, call, copy_and_edit, exit_code, write_experiment};
use std::path::Path;

/// An edited judgement is reported and prevents the report; a missing one is also reported. Another
/// run restores both.
#[test]
fn verify_detects_edited_and_missing_judgements() {
    let folder = tempfile::tempdir().unwrap();
    let complete_path = folder.path().join("whole");
    let complete = complete_path.display().to_string();
    let judged_file = write_experiment(
        folder.path(),
        "x.toml",
        &format!("[reference]\nuci = 'builtin'\nlimit = {{ depth = 3 }}\n{TWO_SIZES}"),
    );
    assert_eq!(exit_code(&["run", &judged_file, "-q", "--out", &complete]), 0);
    let (code, stdout, _) = call(&["verify", &complete]);
    assert_eq!(code, 0, "{stdout}");
    assert!(!stdout.contains("reference.csv"), "{stdout}");
    let edited = copy_and_edit(&complete_path, "edited", "reference.csv", |text| {
        let row = text.lines().nth(2).unwrap();
        let fields: Vec<&str> = row.split(',').collect();
        assert_ne!(fields[4], "77");
        text.replace(row, &[&fields[..4], &["77"], &fields[5..]].concat().join(","))
    });
    let shortened = copy_and_edit(&complete_path, "cut", "reference.csv", |text| {
        let rows: Vec<&str> = text.split_inclusive('\n').collect();
        rows[..rows.len() - 1].concat()
    });
    for (folder, verify_code, report_code, stderr) in [
        (&edited, 4, 2, "reference.csv: 1 row edited or damaged (the first is line 3)"),
        (&shortened, 3, 0, "reference.csv: 1 search by the reference engine missing"),
    ] {
        let (code, stdout, _) = call(&["verify", folder]);
        assert!(code == verify_code, "{code}: {stdout}");
        assert!(stdout.contains(stderr), "{code}: {stdout}");
        let (code, _, errors) = call(&["report", folder]);
        assert!(code == report_code, "{code}: {errors}");
        assert!(errors.contains("line 3 was edited") == (report_code == 2), "{code}: {errors}");
        let (code, _, stderr) = call(&["run", &judged_file, "--out", folder]);
        assert_eq!(code, 0, "{stderr}");
        assert!(stderr.contains("judging the moves with the reference\n"), "{stderr}");
        let read_judgements = |folder: &str| std::fs::read(Path::new(folder).join("reference.csv")).unwrap();
        assert_eq!(read_judgements(folder), read_judgements(&complete));
        assert_eq!(exit_code(&["verify", folder]), 0);
    }
}

#[test]
fn merge_refuses_folders_that_are_not_shards() {
    let folder = tempfile::tempdir().unwrap();
    let path_in = |name: &str| folder.path().join(name).display().to_string();
    let (plan, out) = (path_in("plan.json"), path_in("out"));
    let experiment = write_experiment(folder.path(), "x.toml", TWO_SIZES);
    assert_eq!(exit_code(&["plan", &experiment, "--shards", "2", "-o", &plan]), 0);
    assert_eq!(exit_code(&["run", &experiment, "-q", "--out", &path_in("whole")]), 0);
    for (shard_folder, stderr) in [
        (path_in("whole"), "not a shard's folder"),
        (path_in("none"), "no manifest.json found: give a results folder of ttlab"),
    ] {
        let (code, _, errors) = call(&["merge", &plan, "--from", &shard_folder, "--out", &out]);
        assert_eq!((code, errors), (2, format!("error: {shard_folder}: {stderr}\n")));
    }
    for shard in ["0", "1"] {
        assert_eq!(exit_code(&["run", "--plan", &plan, "--shard", shard, "-q", "--out", &path_in("parts")]), 0);
    }
    let (code, stdout, _) = call(&[
        "merge",
        &plan,
        "--from",
        &path_in("parts/shards/1"),
        "--from",
        &path_in("parts/shards/0"),
        "--out",
        &out,
    ]);
    assert_eq!(code, 0, "{stdout}");
    assert!(stdout.contains("merged 2 shards; report: "), "{stdout}");
}

#[test]
fn merge_reports_moves_that_are_not_judged() {
    let folder = tempfile::tempdir().unwrap();
    let path_in = |name: &str| folder.path().join(name).display().to_string();
    let (plan, out) = (path_in("plan.json"), path_in("out"));
    let experiment = write_experiment(
        folder.path(),
        "x.toml",
        &format!("[reference]\nuci = 'builtin'\nlimit = {{ depth = 3 }}\n{TWO_SIZES}"),
    );
    assert_eq!(exit_code(&["plan", &experiment, "--shards", "2", "-o", &plan]), 0);
    for shard in ["0", "1"] {
        assert_eq!(exit_code(&["run", "--plan", &plan, "--shard", shard, "-q", "--out", &path_in("parts")]), 0);
    }
    let judgements = folder.path().join("parts/shards/1/reference.csv");
    let text = std::fs::read_to_string(&judgements).unwrap();
    let rows: Vec<&str> = text.split_inclusive('\n').collect();
    std::fs::write(&judgements, rows[..rows.len() - 1].concat()).unwrap();
    let (code, _, errors) = call(&[
        "merge",
        &plan,
        "--from",
        &path_in("parts/shards/0"),
        "--from",
        &path_in("parts/shards/1"),
        "--out",
        &out,
    ]);
    assert_eq!(code, 3, "{errors}");
    assert!(errors.starts_with("1 search by the reference engine is missing: run the shards that"), "{errors}");
    let (code, stdout, errors) = call(&["plan", "--missing", &plan, "--out", &path_in("parts")]);
    assert_eq!(
        (code, stdout.as_str(), errors.as_str()),
        (3, "1\n", "shard 1 of 2: all jobs done, 1 search by the reference engine missing\n")
    );
}
