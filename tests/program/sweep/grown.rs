//! Experiment files that were extended, reduced or renamed: rows that the folder already has aren't
//! searched again.

use super::*;
use crate::common::skip;
use std::time::{Duration, Instant};

const HEAD: &str = "name = 'grown'\nsuite = 'data/bratko-kopec.epd'\nfirst = 3\nlimit = { depth = 3 }\n[grid]\n";

#[test]
fn run_and_plan_print_how_many_jobs_are_known() {
    let trial = Trial::new(&format!("{HEAD}'table.size' = [1024, 2048]\n"));
    trial.run("out", &[]).expect(0);
    fs::write(&trial.file, format!("{HEAD}'table.size' = [2048, 4096, 8192]\n")).unwrap();
    let plan = ttlab(&["plan", &trial.file, "--out", &trial.text("out")]).expect(0);
    assert!(plan.stdout.contains("known       3 of 9 jobs already done, 6 to run in "), "{}", plan.stdout);
    assert!(plan.stdout.contains("for 6 jobs (3 jobs of this plan are done in"), "{}", plan.stdout);
    let output = ttlab(&["run", &trial.file, "--out", &trial.text("out")]).expect(0);
    output.prints(&[
        "the plan has changed: 9 rows outside the new plan are kept in unused.csv",
        "3 of 9 jobs already done, 6 to run",
    ]);
    let grown = counts(&trial.results("out"));
    trial.run("new", &[]).expect(0);
    assert_eq!(grown, counts(&trial.results("new")));
    ttlab(&["verify", &trial.text("out")]).expect(0);
    ttlab(&["report", &trial.text("out")]).expect(0);
}

/// A run killed at any rename or unlink in the folder: the next run has all rows, and so has a run
/// of the previous plan.
#[test]
fn killed_change_of_plan_loses_no_row() {
    if Command::new("strace").arg("-V").output().is_err() {
        skip("strace", "strace is not installed: kills in a change of plan were not tested");
        return;
    }
    let texts = ["'table.size' = [1024, 2048]\n", "'table.slots' = [1, 2]\n"].map(|grid| format!("{HEAD}{grid}"));
    let trial = Trial::new(&texts[0]);
    let write = |text: usize| fs::write(&trial.file, &texts[text]).unwrap();
    let whole = [0, 1].map(|text| {
        write(text);
        trial.run("whole", &["--fresh"]).expect(0);
        counts(&trial.results("whole"))
    });
    let mut kills = 0;
    for call in 1.. {
        let out = format!("out-{call}");
        write(0);
        trial.run(&out, &[]).expect(0);
        write(1);
        let mut command = Command::new("strace");
        command.args(["-f", "-qq", "-o", "/dev/null", "-e", "trace=rename,renameat,renameat2,linkat,unlink,unlinkat"]);
        let inject = format!("inject=rename,renameat,renameat2,linkat,unlink,unlinkat:signal=KILL:when={call}");
        command.args(["-e", &inject]).arg(binary()).args(["run", &trial.file, "--quiet", "--out", &trial.text(&out)]);
        let ended = run_command(&mut command);
        let killed = ended.code != Some(0);
        kills += u32::from(killed);
        for text in if call % 2 == 0 { [0, 1] } else { [1, 0] } {
            write(text);
            trial.run(&out, &[]).expect(0);
            assert_eq!(counts(&trial.results(&out)), whole[text], "call {call}, plan {text}");
            ttlab(&["verify", &trial.text(&out)]).expect(0);
        }
        // Jobs that had rows before the kill still have them.
        write(0);
        let again = ttlab(&["run", &trial.file, "--out", &trial.text(&out)]).expect(0);
        assert!(again.stderr.contains("6 of 6 jobs already done, 0 to run"), "call {call}: {}", again.stderr);
        if !killed {
            break;
        }
    }
    assert!(kills > 5, "{kills}");
}

/// Runs killed at random moments, alternating between two plans. `TTLAB_KILLS` sets the number of
/// kills.
#[test]
fn kills_between_two_plans_lose_no_row() {
    let kills: u64 = std::env::var("TTLAB_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(12);
    let head = "name = 'grown'\nsuite = 'data/bratko-kopec.epd'\nlimit = { depth = 4 }\n[grid]\n";
    let texts = ["'table.size' = [1024, 2048]\n", "'table.size' = [2048, 4096]\n'table.slots' = [1, 2]\n"];
    let trial = Trial::new("");
    let write = |text: usize| fs::write(&trial.file, format!("{head}{}", texts[text])).unwrap();
    let begun = Instant::now();
    let whole = [0, 1].map(|text| {
        write(text);
        trial.run("whole", &["--fresh"]).expect(0);
        counts(&trial.results("whole"))
    });
    let longest = begun.elapsed();
    for kill in 0..kills {
        write(kill as usize % 2);
        let mut child = trial.spawn("out", &["--jobs", "2", "--quiet", "--retry-failed"]);
        let (begun, moment) = (Instant::now(), longest * (scatter(kill) % 500) as u32 / 1000);
        while begun.elapsed() < moment && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(2));
        }
        signal(&child, "-KILL");
        child.wait().unwrap();
    }
    for text in [0, 1, 0] {
        write(text);
        trial.run("out", &["--retry-failed"]).expect(0);
        assert_eq!(counts(&trial.results("out")), whole[text], "plan {text}");
        ttlab(&["verify", &trial.text("out")]).expect(0);
    }
}

/// Rows taken from other folders have the counts of a new run; their times aren't taken.
#[test]
fn reused_rows_give_the_counts_of_a_new_run() {
    let text = |grid: &str| format!("{HEAD}{grid}\n[[variant]]\nname = 'no table'\ntable = 'none'\n");
    let trial = Trial::new(&text("'table.size' = [1024, 2048]"));
    trial.run("runs/a", &[]).expect(0);
    fs::write(&trial.file, text("'table.slots' = [1, 2]")).unwrap();
    trial.run("runs/b", &[]).expect(0);
    fs::write(&trial.file, text("'table.size' = [2048, 4096]")).unwrap();
    let pattern = trial.text("runs/*");
    let reuse = |out: &str| ttlab(&["run", &trial.file, "--out", &trial.text(out), "--reuse", &pattern]);
    reuse("out").expect(0).prints(&["6 jobs from ", "runs/a", "6 of 9 jobs already done, 3 to run"]);
    trial.run("new", &[]).expect(0);
    assert_eq!(counts(&trial.results("out")), counts(&trial.results("new")));
    ttlab(&["verify", &trial.text("out")]).expect(0);
    let page = ttlab(&["report", &trial.text("out"), "--format", "text"]).expect(0);
    assert!((page.stdout + &page.stderr).contains("18 rows taken from other results have no times"));
    let manifest = fs::read_to_string(trial.path("out/manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!((&manifest["sources"][0]["jobs"], &manifest["sources"][0]["rows"]), (&6.into(), &18.into()));
    // Running again takes nothing twice.
    reuse("out").expect(0).prints(&["9 of 9 jobs already done, 0 to run"]);
    assert_eq!(counts(&trial.results("out")), counts(&trial.results("new")));
}

#[test]
fn reuse_refuses_untrusted_results() {
    let trial = Trial::new(&format!("{HEAD}'table.size' = [1024, 2048]\n"));
    trial.run("a", &[]).expect(0);
    let reuse = |folder: &str| trial.run("out", &["--fresh", "--reuse", folder]);
    reuse(&trial.text("nothing")).expect(2).prints(&["no folder with a results.csv found"]);
    let file = fs::read_to_string(&trial.file).unwrap();
    fs::write(&trial.file, file.replace("first = 3", "first = 3\nrepeats = 2")).unwrap();
    reuse(&trial.text("a")).expect(2).prints(&["times are never taken from other folders"]);
    fs::write(&trial.file, file.replace("first = 3", "first = 3\ntimes = true")).unwrap();
    reuse(&trial.text("a")).expect(2).prints(&["the file asks for times", "times are never taken from other folders"]);
    fs::write(&trial.file, file.replace("first = 3", "first = 3\nrepeats = 2\nreuse = ['a']")).unwrap();
    reuse(&trial.text("a")).expect(2).prints(&["reuse: is not allowed with times = true"]);
    fs::write(&trial.file, file.replace("first = 3", "first = 3\nreuse = ['a/***b']")).unwrap();
    trial.run("out", &[]).expect(2).prints(&["reuse.0: Pattern syntax error"]);
    fs::write(&trial.file, file).unwrap();
    // An edited row only costs its own job.
    let text = fs::read_to_string(trial.results("a")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let edited = text.replace(lines[2], &lines[2].replacen(",2,", ",3,", 1));
    fs::write(trial.results("a"), edited).unwrap();
    let output = ttlab(&["run", &trial.file, "--out", &trial.text("out"), "--fresh", "--reuse", &trial.text("a")]);
    output.expect(0).prints(&["not used: ", "results.csv: line 3: its checksum does not match"]);
    // Runs with `--quiet` report it too.
    reuse(&trial.text("a")).expect(0).prints(&["warning: not used: "]);
    // A source in which every row is truncated.
    let short: Vec<String> = lines[1..].iter().map(|line| line[..40].to_owned()).collect();
    fs::write(trial.results("a"), format!("{}\n{}\n", lines[0], short.join("\n"))).unwrap();
    reuse(&trial.text("a")).expect(0).prints(&["warning: not used: ", "results.csv: line 4: not a row: expected "]);
    fs::write(trial.results("a"), &text).unwrap();
    trial.run("whole", &[]).expect(0);
    assert_eq!(counts(&trial.results("out")), counts(&trial.results("whole")));
    // Rows of another folder with different counts and valid checksums.
    let mut fields: Vec<&str> = lines[3].split(',').collect();
    let nodes = lines[0].split(',').position(|name| name == "search.nodes").unwrap();
    fields.pop();
    fields[nodes] = "7";
    let before = lines[2].rsplit(',').next().map(|check| u32::from_str_radix(check, 16).unwrap()).unwrap();
    let check = ttlab::internals::record::checksum(before, fields.iter().copied());
    let other = format!("{},{check:08x}", fields.join(","));
    fs::write(trial.results("a"), text.replace(lines[3], &other)).unwrap();
    trial
        .run("whole", &["--reuse", &trial.text("a")])
        .expect(4)
        .prints(&["the row's counts differ from those of other results of the same job"]);
    // The rows of a folder before the refused one are kept, and so is its name.
    trial.run("third", &["--reuse", &trial.text("out"), "--reuse", &trial.text("a")]).expect(4);
    let manifest = fs::read_to_string(format!("{}/manifest.json", trial.text("third"))).unwrap();
    assert!(manifest.contains(&format!("{:?}", trial.text("out"))), "{manifest}");
}

/// Patterns in the file are relative to the file's folder, wherever the command runs.
#[test]
fn file_names_folders_whose_rows_are_reused() {
    let trial = Trial::new(&format!("{HEAD}'table.size' = [1024, 2048]\n"));
    trial.run("runs/a", &[]).expect(0);
    let grown =
        format!("{HEAD}'table.size' = [2048, 4096]\n").replacen("first", "reuse = ['runs/*', 'none/*']\nfirst", 1);
    fs::write(&trial.file, grown).unwrap();
    let plan = ttlab(&["plan", &trial.file, "--out", &trial.text("out")]).expect(0);
    assert!(plan.stdout.contains("known       3 of 6 jobs already done, 3 to run in "), "{}", plan.stdout);
    let output = ttlab(&["run", &trial.file, "--out", &trial.text("out")]).expect(0);
    output.prints(&["3 jobs from ", "runs/a", "3 of 6 jobs already done, 3 to run"]);
}

#[test]
fn tune_and_reproduce_reuse_rows() {
    let trial = Trial::new(
        &format!("{HEAD}'table.size' = [1024, 2048]\n[tune]\nfirst = 2\n").replace("first = 3", "first = 12"),
    );
    trial.run("whole", &[]).expect(0);
    let (whole, folder) = (trial.text("whole"), trial.text(""));
    for (command, of) in [("tune", &trial.file), ("reproduce", &folder)] {
        let output = ttlab(&[command, of, "--out", &trial.text(command), "--reuse", &whole]);
        assert!(output.stderr.contains(" jobs from "), "{}", output.stderr);
        assert!(output.stderr.contains(" jobs already done, 0 to run"), "{}", output.stderr);
    }
}

/// Rows of a smaller limit aren't used for a deeper one, but they are compared with its rows.
#[test]
fn deeper_limits_are_searched_anew() {
    let trial = Trial::new(&format!("{HEAD}'table.size' = [1024, 2048]\n"));
    trial.run("out", &[]).expect(0);
    let output = ttlab(&["run", &trial.file, "--out", &trial.text("out"), "--set", "limit.depth=4"]).expect(0);
    output.prints(&["18 rows outside the new plan are kept in unused.csv", "6 jobs in "]);
    let keys = ["3", "4"].map(|depth| {
        let set = format!("limit.depth={depth}");
        ttlab(&["plan", &trial.file, "--set", &set, "--key"]).expect(0).stdout
    });
    let [(one, first), (other, second)] = keys.each_ref().map(|key| key.trim().split_once('-').unwrap());
    assert!(one == other, "{keys:?}");
    assert!(first != second, "{keys:?}");
    assert!(one.len() >= 16, "{keys:?}");
}
