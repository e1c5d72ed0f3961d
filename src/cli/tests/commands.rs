//! Runs whole commands in this process, and checks their exit codes and output.

use crate::cli::{Cli, execute};
use crate::console::capture;
use crate::record::manifest::{MANIFEST, Manifest};
use clap::Parser;
use std::path::{Path, PathBuf};

/// Runs a command; returns its exit code, standard output and standard error.
pub(in crate::cli) fn call(words: &[&str]) -> (u8, String, String) {
    let cli = Cli::try_parse_from([&["ttlab"], words].concat()).unwrap_or_else(|error| panic!("{error}"));
    let (exit_code, [stdout, stderr]) = capture(|| execute(&cli.command));
    (exit_code, stdout, stderr)
}

pub(in crate::cli) fn exit_code(words: &[&str]) -> u8 {
    let (exit_code, ..) = call(words);
    exit_code
}

/// Writes an experiment with three positions, followed by the lines `more`; returns its path.
pub(in crate::cli) fn write_experiment(folder: &Path, name: &str, more: &str) -> String {
    let suite = "8/8/8/3k4/8/3K4/4P3/8 w - - id \"a\";\n8/5k2/8/8/2R5/8/3K4/8 b - - id \"b\";\n\
                 r3k2r/8/8/8/8/8/8/R3K2R w KQkq - id \"c\";\n";
    std::fs::write(folder.join("three.epd"), suite).unwrap();
    let path = folder.join(name);
    let text = format!("name = 'x'\nsuite = 'three.epd'\nlimit = {{ depth = 2 }}\n{more}\n");
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

pub(in crate::cli) const TWO_SIZES: &str = "[grid]\n'table.size' = [64, 256]";

/// Two variants, one with a table that does not fit into any memory, so that three of six jobs
/// fail.
pub(in crate::cli) const VAST_TABLE: &str = "[grid]\n'table.size' = [64, '8192 GiB']";

/// Copies a results folder and edits one file in the copy; an edited manifest gets a new checksum.
/// Returns the path of the copy.
pub(in crate::cli) fn copy_and_edit(source: &Path, name: &str, file: &str, edit: impl Fn(String) -> String) -> String {
    let target = source.with_file_name(name);
    std::fs::create_dir(&target).unwrap();
    for entry in std::fs::read_dir(source).unwrap().flatten() {
        std::fs::copy(entry.path(), target.join(entry.file_name())).unwrap();
    }
    let path = target.join(file);
    let mut text = edit(std::fs::read_to_string(&path).unwrap());
    if file == MANIFEST {
        text = serde_json::from_str::<Manifest>(&text).unwrap().to_text().unwrap();
    }
    std::fs::write(&path, text).unwrap();
    target.display().to_string()
}

/// Options of which one would have no effect.
#[test]
fn options_that_exclude_each_other_are_refused() {
    for words in [
        "report x --keep k --where depth=1",
        "report x --keep k --by size",
        "report x --keep k --pairs",
        "plan x.toml -o p --key",
        "plan x.toml -o p --jobs-list",
        "plan x.toml -o p --reuse r",
        "plan --missing p --reuse r",
        "new --hash 1MiB --nodes 9",
    ] {
        assert!(Cli::try_parse_from(["ttlab"].into_iter().chain(words.split(' '))).is_err(), "{words}");
    }
}

/// An experiment that is refused leaves no file, and one that was edited is not overwritten.
#[test]
fn try_writes_only_what_it_runs() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let call_try = |more: &[&str]| {
        let words = ["try", "startpos", "--depth", "1", "--vary", "table.slots=1,2", "-o", out.to_str().unwrap()];
        exit_code(&[&words[..], more].concat())
    };
    assert_eq!(call_try(&["--set", "nonsense=1"]), 2);
    assert!(!out.exists());
    assert_eq!([call_try(&[]), call_try(&[])], [0, 0]);
    assert_eq!(call_try(&["--set", "draws=true", "--set", "draws=false"]), 2);
    assert_eq!(call_try(&["--set", "draws=true"]), 2);
    assert_eq!(call_try(&[]), 0);
}

/// Output that cannot be written is no fault of the arguments.
#[test]
fn kept_report_that_cannot_be_written_is_an_error_of_output() {
    let folder = tempfile::tempdir().unwrap();
    let (file, out) = (write_experiment(folder.path(), "x.toml", TWO_SIZES), folder.path().join("out"));
    let out = out.to_str().unwrap();
    assert_eq!(exit_code(&["run", &file, "-q", "--out", out]), 0);
    assert_eq!(exit_code(&["report", out, "--keep", &file]), 5);
    assert_eq!(exit_code(&["report", folder.path().to_str().unwrap(), "--keep", out]), 2);
}

#[test]
fn verify_exit_code_is_that_of_the_worst_folder() {
    let folder = tempfile::tempdir().unwrap();
    let complete_path = folder.path().join("whole");
    let complete = complete_path.display().to_string();
    let nothing_printed = (0, String::new(), String::new());
    assert_eq!(
        call(&["run", &write_experiment(folder.path(), "x.toml", TWO_SIZES), "-q", "--out", &complete]),
        nothing_printed
    );
    assert_eq!(call(&["verify", &complete, "-q"]), nothing_printed);
    let incomplete = copy_and_edit(&complete_path, "lacking", "manifest.json", |text| {
        assert!(text.contains("\"jobs_total\": 6"), "{text}");
        text.replace("\"jobs_total\": 6", "\"jobs_total\": 7")
    });
    let wrong = copy_and_edit(&complete_path, "wrong", "results.csv", |text| text.replacen(",true,", ",false,", 1));
    for (folders, code) in [
        (vec![&complete], 0),
        (vec![&incomplete], 3),
        (vec![&wrong], 4),
        (vec![&complete, &incomplete], 3),
        (vec![&incomplete, &complete], 3),
        (vec![&wrong, &incomplete, &complete], 4),
        (vec![&complete, &wrong, &incomplete], 4),
        (vec![&incomplete, &complete, &wrong], 4),
    ] {
        let words: Vec<&str> = std::iter::once("verify").chain(folders.iter().map(|folder| folder.as_str())).collect();
        let (exit_code, stdout, _) = call(&words);
        assert_eq!(exit_code, code, "{folders:?}");
        assert!(folders.iter().all(|folder| stdout.contains(&format!("{folder}: "))), "{stdout}");
        let (exit_code, stdout, _) = call(&[&words[..], &["--quiet"]].concat());
        assert!(exit_code == code, "{folders:?}: {stdout}");
        assert!(!stdout.contains("whole: complete"), "{folders:?}: {stdout}");
        for (folder, verdict) in
            [(&incomplete, "incomplete"), (&wrong, "WRONG")].into_iter().filter(|(folder, _)| folders.contains(folder))
        {
            assert!(stdout.contains(&format!("{folder}: {verdict}: ")), "{folders:?}: {stdout}");
        }
        if !folders.contains(&&wrong) {
            let (exit_code, _, stderr) = call(&[&["report"], &words[1..], &["--by", "variant"]].concat());
            assert_eq!(
                (exit_code, stderr.lines().count()),
                (code, folders.iter().filter(|folder| ***folder == incomplete).count()),
                "{stderr}"
            );
        }
        if let [base, new] = folders[..] {
            let (exit_code, _, stderr) = call(&["compare", base, new]);
            assert!(exit_code == code, "{folders:?}: {stderr}");
            assert!(stderr.starts_with(&incomplete), "{folders:?}: {stderr}");
        }
    }
    assert_eq!(exit_code(&["compare", &complete, &complete]), 0);
}

#[test]
fn failed_jobs_set_the_exit_code_of_every_command() {
    if crate::system::available_bytes().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path_in = |name: &str| folder.path().join(name).display().to_string();
    let (vast, out, plan) =
        (write_experiment(folder.path(), "x.toml", VAST_TABLE), path_in("out"), path_in("plan.json"));
    for quiet in [&[][..], &["-q"]] {
        let run_command = [&["run", &vast, "--out", &out, "--jobs", "1"], quiet].concat();
        for known_jobs in [0, 6] {
            let (code, stdout, stderr) = call(&run_command);
            assert_eq!(code, 3, "{stderr}");
            assert!(stderr.contains("3 jobs failed: see the error column"), "{stderr}");
            assert!(!stderr.contains("reference"), "{stderr}");
            assert_eq!(stdout.is_empty() && stderr.lines().count() == 1, !quiet.is_empty(), "{stdout}{stderr}");
            assert_eq!(
                stderr.contains("6 of 6 jobs already done, 0 to run"),
                known_jobs == 6 && quiet.is_empty(),
                "{stderr}"
            );
            assert_eq!(
                stderr.contains("failed: \"size=8192 GiB\" on a: "),
                known_jobs == 0 && quiet.is_empty(),
                "{stderr}"
            );
        }
        let (code, ..) = call(&[&run_command[..], &["--fresh"]].concat());
        assert_eq!(code, 3);
        std::fs::remove_dir_all(&out).unwrap();
    }
    let (code, stdout, _) = call(&["plan", &vast, "--shards", "2", "-o", &plan]);
    let next = format!("run one:  ttlab run --plan {plan} --shard 0\nthen:     ttlab merge {plan}\n");
    assert_eq!((code, stdout), (0, format!("{plan}: 6 jobs in 2 shards\n{next}")));
    let (code, _, stderr) = call(&["run", "--plan", &plan, "--shard", "2", "-q", "--out", &out]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.ends_with("plan.json has 2 shards: expected 0 to 1\n"), "{stderr}");
    let (missing_command, merge_command) =
        (["plan", "--missing", &plan, "--out", &out], ["merge", &plan, "--out", &out]);
    let run_shard = |index: &str| exit_code(&["run", "--plan", &plan, "--shard", index, "-q", "--out", &out]);
    assert_eq!(run_shard("1"), 3);
    let (code, stdout, stderr) = call(&missing_command);
    let [shard_0_text, shard_1_text] =
        [0, 1].map(|index| if index == 0 { "shard 0 of 2: not started" } else { "shard 1 of 2: all jobs done, " });
    assert_eq!(code, 3, "{stdout}{stderr}");
    assert!(stdout == "0-1\n", "{stdout}{stderr}");
    assert!(stderr.contains(shard_0_text), "{stdout}{stderr}");
    assert!(stderr.contains(shard_1_text), "{stdout}{stderr}");
    assert_eq!(exit_code(&[&merge_command[..], &["-q"]].concat()), 3);
    assert_eq!(run_shard("0"), 3);
    let (code, stdout, stderr) = call(&missing_command);
    assert_eq!(code, 3, "{stdout}{stderr}");
    assert!(stdout == "0-1\n", "{stdout}{stderr}");
    assert!(stderr.matches("all jobs done, ").count() == 2, "{stdout}{stderr}");
    let shard_folder = |index: u32| format!("{out}/shards/{index}");
    for words in [vec![], vec!["-q"], vec!["--from", &shard_folder(1), "--from", &shard_folder(0)]] {
        let (code, stdout, stderr) = call(&[&merge_command[..], &words].concat());
        assert_eq!(stdout.is_empty(), words == ["-q"], "{stdout}");
        assert_eq!(code, 3, "{stderr}");
        assert!(
            stderr.ends_with("3 jobs failed: see the error column; run the shards again with --retry-failed\n"),
            "{stderr}"
        );
    }
}

#[test]
fn missed_claim_of_one_experiment_fails_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let expectation_text =
        |nodes: u32| format!("{TWO_SIZES}\n[[expect]]\nclaim = 'nodes(size=64) > {nodes} * nodes(size=256)'");
    for (missed_claim, others) in [("a", ["b", "c"]), ("b", ["a", "c"]), ("c", ["a", "b"])] {
        let folder = folder.path().join(missed_claim);
        std::fs::create_dir(&folder).unwrap();
        let write_named = |name: &str, nodes: u32| {
            let path = write_experiment(&folder, &format!("{name}.toml"), &expectation_text(nodes));
            let text = std::fs::read_to_string(&path).unwrap().replace("'x'", &format!("'{name}'"));
            let slow = if nodes > 0 { "slow = true\n" } else { "" };
            std::fs::write(&path, format!("{slow}{}", text.replace("> 0 * ", ">= 0.001 * "))).unwrap();
        };
        others.iter().for_each(|name| write_named(name, 0));
        write_named(missed_claim, 1000);
        let out: PathBuf = folder.join("out");
        let (source, out_text) = (folder.display().to_string(), out.display().to_string());
        let reproduce = |words: &[&str]| exit_code(&[&["reproduce", &source, "--out", &out_text], words].concat());
        let reproduce_only =
            |names: &[&str]| reproduce(&names.iter().flat_map(|name| ["--only", name]).collect::<Vec<_>>());
        // With `--quick` the slow experiment is skipped.
        if missed_claim == "b" {
            assert_eq!((reproduce(&["--quick"]), out.join(missed_claim).exists()), (0, false));
        }
        assert_eq!((reproduce_only(&others), reproduce_only(&[missed_claim])), (0, 1), "{missed_claim}");
        assert_eq!(reproduce(&[]), 1, "{missed_claim}");
    }
}

#[test]
fn submit_refuses_a_backslash_before_writing() {
    let folder = tempfile::tempdir().unwrap();
    let path_in = |name: &str| folder.path().join(name).display().to_string();
    let plan = path_in("plan.json");
    assert_eq!(
        exit_code(&["plan", &write_experiment(folder.path(), "x.toml", TWO_SIZES), "--shards", "9", "-o", &plan]),
        0
    );
    for (system, code) in [("slurm", 2), ("parallel", 0)] {
        let (exit_code, _, stderr) = call(&["submit", system, &plan, "--out", &path_in("a\\b")]);
        assert_eq!((exit_code, folder.path().join("a\\b").exists()), (code, code == 0), "{stderr}");
        assert_eq!(stderr.starts_with("error: slurm: "), code == 2, "{stderr}");
    }
}

#[test]
fn report_writes_games_with_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let path = write_experiment(
        folder.path(),
        "x.toml",
        "[[variant]]\nname = 'a'\n[[variant]]\nname = 'b'\n'keys.seed' = 2\n[match]\nmax_moves = 2\n",
    );
    let out = folder.path().join("out");
    let out_text = out.display().to_string();
    assert_eq!(exit_code(&["run", &path, "-q", "--out", &out_text]), 0);
    let games = out.join("games.pgn");
    let text = std::fs::read_to_string(&games).unwrap();
    assert_eq!(text.matches("[Event ").count(), 6);
    std::fs::write(&games, "[Event \"another\"]\n").unwrap();
    assert_eq!(exit_code(&["report", &out_text]), 0);
    assert_eq!(std::fs::read_to_string(&games).unwrap(), text);
    assert_eq!(std::fs::read_to_string(&games).unwrap(), text);
}

#[test]
fn limit_depth_filters_rows_everywhere() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out").display().to_string();
    let text = "[grid]\n'limit.depth' = [1, 2]\n[[expect]]\ndepth = { max = 1 }\nwhere = { 'limit.depth' = 1 }\n\
                [[expect]]\ndepth = { of = 'max', exact = 2 }\nwhere = { 'limit.depth' = 2 }";
    let experiment = write_experiment(folder.path(), "x.toml", text);
    assert_eq!(exit_code(&["check", &experiment]), 0);
    assert_eq!(exit_code(&["run", &experiment, "-q", "--check", "--out", &out]), 0);
    let (code, page, _) = call(&["report", &out, "--by", "limit.depth", "--where", "limit.depth>=2"]);
    let lines: Vec<&str> = page.lines().filter(|line| line.starts_with("2 ") || line.starts_with("1 ")).collect();
    assert_eq!(code, 0, "{page}");
    assert_eq!(lines.len(), 1, "{page}");
    assert!(lines[0].starts_with("2 "), "{page}");
}
