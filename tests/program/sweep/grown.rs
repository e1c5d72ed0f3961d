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
        "the plan has changed: its earlier results are in ",
        "reused 3 jobs from ",
        "out/previous\n3 of 9 jobs already done, 6 to run",
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
    for pattern in ["/**", "a/***b"] {
        fs::write(&trial.file, file.replace("first = 3", &format!("first = 3\nreuse = ['{pattern}']"))).unwrap();
        trial.run("out", &[]).expect(2).prints(&["reuse.0: `**` is not allowed"]);
        fs::write(&trial.file, &file).unwrap();
        reuse(pattern).expect(2).prints(&["reuse: ", "`**` is not allowed"]);
    }
    // An edited row: nothing is taken from the folder.
    let text = fs::read_to_string(trial.results("a")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let edited = text.replace(lines[2], &lines[2].replacen(",2,", ",3,", 1));
    fs::write(trial.results("a"), edited).unwrap();
    ttlab(&["verify", &trial.text("a")]).expect(4);
    reuse(&trial.text("a")).expect(4).prints(&["line 3", "none of its rows is taken"]);
    assert!(!trial.results("out").exists());
    // A pattern leaves it out.
    let output = ttlab(&["run", &trial.file, "--out", &trial.text("out"), "--reuse", &trial.text("[a]")]);
    output.expect(0).prints(&["not reused: ", "line 3"]);
    // Neither is anything taken from an own folder.
    let before = fs::read(trial.results("a")).unwrap();
    fs::write(&trial.file, file.replace("[1024, 2048]", "[1024, 2048, 4096]")).unwrap();
    trial.run("a", &[]).expect(4).prints(&["line 3", "none of its rows is taken", "--fresh"]);
    assert_eq!(fs::read(trial.results("a")).unwrap(), before);
    trial.run("a", &["--fresh"]).expect(0);
    assert_eq!(fs::read(trial.results("a/previous")).unwrap(), before);
}

/// Changes the nodes of all rows, with right checksums and seals, so that a row shows whether it
/// was taken.
fn mark(folder: &Path) {
    let path = folder.join("results.csv");
    let mut reader = csv::Reader::from_path(&path).unwrap();
    let header = reader.headers().unwrap().clone();
    let nodes = header.iter().position(|name| name == "search.nodes").unwrap();
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(&header).unwrap();
    let mut check = 0;
    for row in reader.records().map(Result::unwrap) {
        let last = row.len() - 1;
        if row[last] == format!("{:08x}", ttlab::internals::record::checksum(0, row.iter().take(last))) {
            // The first row of a job.
            check = 0;
        }
        let mut fields: Vec<String> = row.iter().take(last).map(str::to_owned).collect();
        fields[nodes] = "7777".to_owned();
        check = ttlab::internals::record::append_checksum(&mut fields, check);
        writer.write_record(&fields).unwrap();
    }
    fs::write(path, writer.into_inner().unwrap()).unwrap();
    seal_anew(folder, |_| {});
}

fn count_marks(results: &Path) -> usize {
    fs::read_to_string(results).unwrap().lines().filter(|line| line.contains(",7777,")).count()
}

/// Rows of an engine are taken only if its program has the same bytes, and its options the same
/// values.
#[test]
fn rows_of_another_engine_program_or_other_options_are_not_taken() {
    let trial = Trial::new("");
    let engine = trial.text("engine");
    fs::copy(binary(), &engine).unwrap();
    let write = |sizes: &str| {
        let text = "suite = 'data/bratko-kopec.epd'\nfirst = 2\nlimit = { depth = 2 }\n";
        let text = format!("{text}[subject]\nuci = ['{engine}', 'uci']\n[grid]\n'uci.Hash' = [{sizes}]\n");
        fs::write(&trial.file, text).unwrap();
    };
    write("1, 2");
    for out in ["a", "changed", "other"] {
        trial.run(out, &[]).expect(0);
        mark(&trial.path(out));
    }
    let plan = trial.text("plan.json");
    ttlab(&["plan", &trial.file, "--shards", "2", "-o", &plan]).expect(0);
    let shard = |index: &str| {
        ttlab(&["run", "--quiet", "--plan", &plan, "--shard", index, "--out", &trial.text("merged")]).expect(0)
    };
    shard("0");
    write("1, 2, 4");
    let reuse =
        |out: &str| ttlab(&["run", &trial.file, "--out", &trial.text(out), "--reuse", &trial.text("a")]).expect(0);
    reuse("same").prints(&["reused 4 jobs from "]);
    let marks = count_marks(&trial.results("same"));
    assert_eq!(marks, count_marks(&trial.results("a")));
    assert!(marks >= 4, "{marks}");
    // Other options of the engine.
    seal_anew(&trial.path("other"), |manifest| {
        for engine in manifest["subjects"].as_object_mut().unwrap().values_mut() {
            engine["options"]["Hash"] = "99".into();
        }
    });
    trial.run("other", &[]).expect(0);
    assert_eq!(count_marks(&trial.results("other")), 0);
    // One byte more.
    let mut program = fs::read(&engine).unwrap();
    program.push(0);
    fs::write(&engine, program).unwrap();
    let another = "not 4 jobs: their engine has another program, other arguments or other options";
    reuse("new").prints(&["reused 0 jobs from ", another]);
    assert_eq!(count_marks(&trial.results("new")), 0);
    trial.run("changed", &[]).expect(0);
    assert_eq!((count_marks(&trial.results("changed")), count_marks(&trial.results("changed/previous"))), (0, marks));
    shard("1");
    ttlab(&["merge", &plan, "--out", &trial.text("merged")]).expect(2).prints(&["another program", "--any-build"]);
    ttlab(&["merge", &plan, "--out", &trial.text("merged"), "--any-build"]).expect(0);
}

/// The rows of an engine are found by its program, arguments and options, whatever its name is. A
/// script may call any program, and so may a program that is gone.
#[test]
fn rows_of_engines_follow_their_programs_and_not_their_names() {
    let trial = Trial::new("");
    let [engine, script] = ["engine", "script"].map(|name| trial.text(name));
    fs::copy(binary(), &engine).unwrap();
    fs::copy(binary(), &script).unwrap();
    fs::write(&script, format!("#!/bin/sh\nexec '{engine}' uci\n")).unwrap();
    let take = |engine: &str, names: [&str; 2], from: &str, out: &str| {
        let head = "suite = 'data/bratko-kopec.epd'\nfirst = 2\nlimit = { depth = 2 }\n";
        let variant = |(name, size): (&str, u32)| format!("[[variant]]\nname = '{name}'\n'uci.Hash' = {size}\n");
        let variants: String = names.into_iter().zip([1, 2]).map(variant).collect();
        fs::write(&trial.file, format!("{head}[subject]\nuci = ['{engine}', 'uci']\n{variants}")).unwrap();
        let reuse = trial.text(from);
        let words = ["run", &trial.file, "--out", &trial.text(out), "--reuse", &reuse];
        let output = ttlab(if from.is_empty() { &words[..4] } else { &words }).expect(0);
        (output.stderr, count_marks(&trial.results(out)))
    };
    for (engine, out) in [(&engine, "first"), (&script, "scripted")] {
        take(engine, ["a", "b"], "", out);
        mark(&trial.path(out));
    }
    for (key, value) in [
        ("arguments", serde_json::json!(["uci", "-q"])),
        ("repeats", "not repeatable".into()),
        ("program", "/no/such/program".into()),
    ] {
        let (text, marks) = take(&engine, ["b", "a"], "first", key);
        assert_eq!(marks, count_marks(&trial.results("first")), "{text}");
        seal_anew(&trial.path(key), |manifest| {
            let engines = manifest["subjects"].as_object_mut().unwrap().values_mut();
            engines.for_each(|engine| engine[key] = value.clone());
        });
        assert_eq!(take(&engine, ["a", "b"], key, "new").1, 0, "{key}");
        fs::remove_dir_all(trial.path("new")).unwrap();
    }
    let (text, marks) = take(&script, ["a", "b"], "scripted", "new");
    assert!(text.contains("not 4 jobs: their engine is a script"), "{text}");
    assert_eq!(marks, 0);
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
    let output = output.prints(&["3 jobs from ", "runs/a", "3 of 6 jobs already done, 3 to run"]);
    output.prints(&["reused 0 jobs from none/*: no folder with a results.csv found"]);
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

/// Rows of a smaller limit aren't used for a deeper one.
#[test]
fn deeper_limits_are_searched_anew() {
    let trial = Trial::new(&format!("{HEAD}'table.size' = [1024, 2048]\n"));
    trial.run("out", &[]).expect(0);
    let output = ttlab(&["run", &trial.file, "--out", &trial.text("out"), "--set", "limit.depth=4"]).expect(0);
    output.prints(&["reused 0 jobs from ", "6 jobs in "]);
    let keys = ["3", "4"].map(|depth| {
        let set = format!("limit.depth={depth}");
        ttlab(&["plan", &trial.file, "--set", &set, "--key"]).expect(0).stdout
    });
    let [(one, first), (other, second)] = keys.each_ref().map(|key| key.trim().split_once('-').unwrap());
    assert!(one == other, "{keys:?}");
    assert!(first != second, "{keys:?}");
    assert!(one.len() >= 16, "{keys:?}");
}
