//! End-to-end tests of experiments with the scripted engine, from the experiment file to the
//! report.

use super::{AT_D, Trial};

/// Two table sizes of the scripted engine, and our own engine beside them.
const THREE: &str = r#"
limit = { depth = 3 }
[subject]
uci = "ENGINE"
options = { Threads = 1, OwnBook = false, Style = "Very Risky" }
[[variant]]
name = "small"
"uci.Hash" = 4
[[variant]]
name = "large"
"uci.Hash" = 64
[[variant]]
name = "ours"
"subject.uci" = "builtin"
"#;

#[test]
fn columns_that_no_engine_reports_are_left_out() {
    let trial = Trial::new(THREE);
    trial.run("out", &["--jobs", "2"]).expect(0).prints(&["Scripted 1: counts exact; go depth respected"]);
    let rows = trial.rows("out");
    for (variant, nodes, table) in [("small", "3004", "4"), ("large", "3064", "64")] {
        let mine: Vec<_> = rows.iter().filter(|row| row["variant"] == variant).collect();
        assert_eq!(mine.len(), 6);
        for row in mine {
            assert_eq!((row["search.nodes"].as_str(), row["uci.Hash"].as_str()), (nodes, table));
            assert_eq!((row["best"].as_str(), row["score"].as_str(), row["depth"].as_str()), ("e2e4", "31", "3"));
            assert_eq!((row["reported.repeats"].as_str(), row["reported.hashfull"].as_str()), ("exact", "17"));
            for unknown in ["search.evals", "table.probes", "entries", "bytes", "hashfull", "error"] {
                assert_eq!(row[unknown], "", "{unknown}");
            }
        }
    }
    // Best moves are judged if the suite names them.
    let solved = |position: &str| {
        rows.iter().find(|row| row["variant"] == "small" && row["position"] == position).unwrap()["solved"].clone()
    };
    assert_eq!((solved("A").as_str(), solved("B").as_str(), solved("C").as_str()), ("true", "false", ""));
    let ours: Vec<_> = rows.iter().filter(|row| row["variant"] == "ours").collect();
    assert_eq!(ours.len(), 6 * 3);
    assert!(ours.iter().all(|row| row["subject.uci"] == "builtin" && !row["table.probes"].is_empty()));
    // Our engine has the same counts beside other engines as alone.
    let alone = Trial::new("limit = { depth = 3 }\n");
    alone.run("out", &[]).expect(0);
    for (beside, alone) in ours.iter().zip(alone.rows("out")) {
        assert_eq!((&beside["id"], &beside["search.nodes"]), (&alone["id"], &alone["search.nodes"]));
    }
    let manifest = trial.manifest("out");
    let small = &manifest["subjects"]["small"];
    assert_eq!((small["name"].as_str(), small["repeats"].as_str()), (Some("Scripted 1"), Some("exact")));
    // All declared options, with the configured value or the default. A button has no value.
    let options = serde_json::json!({ "Threads": "1", "Hash": "4", "OwnBook": "false", "Style": "Very Risky" });
    assert_eq!(small["options"], options);
    assert_eq!(small["sha256"].as_str().unwrap().len(), 64);
    assert!(manifest["subjects"].get("ours").is_none());
    let page = std::fs::read_to_string(trial.path("out/report.md")).unwrap();
    assert!(page.contains("Scripted 1"), "{page}");
    assert!(!page.contains("NaN"), "{page}");
}

/// With the fault `deepens`, the scripted engine searches 1000 nodes for each depth, and Hash more
/// for the last.
#[test]
fn engine_search_writes_one_row_per_depth() {
    let trial = Trial::new(
        "[subject]\nuci = [\"ENGINE\", \"deepens\"]\n[[variant]]\nname = \"depth\"\n\"limit.depth\" = 4\n\
         [[variant]]\nname = \"nodes\"\n\"limit.nodes\" = 2500\n\
         [[variant]]\nname = \"ours\"\n\"limit.depth\" = 3\n\"subject.uci\" = \"builtin\"\n",
    );
    trial.run("out", &["--jobs", "2"]).expect(0);
    let rows = trial.rows("out");
    let fields = |variant: &str, position: &str| -> Vec<String> {
        let mine = rows.iter().filter(|row| row["variant"] == variant && row["position"] == position);
        let words = |row: &std::collections::BTreeMap<String, String>| {
            ["depth", "search.nodes", "score", "best", "pv", "reported.hashfull", "finished", "solved"]
                .map(|column| row[column].clone())
                .join(" ")
        };
        mine.map(words).collect()
    };
    let last = "31 e2e4 e2e4 e7e5 17";
    for (position, solved) in [("A", "true"), ("B", "false"), ("C", "")] {
        let row = |depth: u8| format!("{depth} 1000 {depth} e2e4 e2e4 e7e5 {depth} true {solved}");
        let with = |depth: &[u8], last: String| depth.iter().map(|&depth| row(depth)).chain([last]).collect::<Vec<_>>();
        assert_eq!(fields("depth", position), with(&[1, 2, 3], format!("4 1016 {last} true {solved}")));
        assert_eq!(fields("nodes", position), with(&[1, 2], format!("3 500 {last} false {solved}")));
    }
    // Columns that only our own engine reports are present if it takes part.
    let page = std::fs::read_to_string(trial.path("out/report.md")).unwrap();
    assert!(page.contains("cutoffs"), "{page}");
    assert!(page.contains("evaluations"), "{page}");
    // Totals are those that the engine reports, and a search counts once, however many depths it
    // has.
    let page = std::fs::read_to_string(trial.path("out/report.md")).unwrap();
    assert!(page.contains("24,096"), "{page}");
    assert!(page.contains("15,000"), "{page}");
    trial.call(&["verify", "out"]).expect(0);
    trial.run("three", &["--jobs", "3"]).expect(0);
    assert_eq!(trial.timeless("out"), trial.timeless("three"));
    // A missing row in the middle of a search is detected.
    let path = trial.path("three/results.csv");
    let text = std::fs::read_to_string(&path).unwrap();
    let lost: Vec<&str> = text.lines().enumerate().filter(|(at, _)| *at != 2).map(|(_, line)| line).collect();
    std::fs::write(&path, lost.join("\n") + "\n").unwrap();
    trial.call(&["verify", "three"]).expect(4).prints(&["line 3: "]);
    trial.run("three", &["--repair"]).expect(0);
    assert_eq!(trial.timeless("out"), trial.timeless("three"));
}

#[test]
fn engine_counts_are_independent_of_jobs_shards_and_process_lifetime() {
    let trial = Trial::new(THREE);
    trial.run("one", &["--jobs", "1"]).expect(0);
    trial.run("three", &["--jobs", "3"]).expect(0);
    assert_eq!(trial.timeless("one"), trial.timeless("three"));
    trial.call(&["plan", "trial.toml", "--shards", "2", "-o", "plan.json"]).expect(0);
    for shard in ["0", "1"] {
        trial.call(&["run", "--plan", "plan.json", "--shard", shard, "--out", "merged"]).expect(0);
    }
    trial.call(&["merge", "plan.json", "--out", "merged"]).expect(0);
    assert_eq!(trial.timeless("one"), trial.timeless("merged"));
    for restart in ["game", "search"] {
        let again = Trial::new(&THREE.replace("[subject]", &format!("[subject]\nrestart = \"{restart}\"")));
        again.run("out", &[]).expect(0);
        let nodes = |rows: Vec<std::collections::BTreeMap<String, String>>| {
            rows.into_iter().map(|row| (row["variant"].clone(), row["search.nodes"].clone())).collect::<Vec<_>>()
        };
        assert_eq!(nodes(again.rows("out")), nodes(trial.rows("one")), "{restart}");
    }
    trial.call(&["compare", "one", "three", "--fail-on", "nodes changed"]).expect(0);
}

/// A worker keeps up to eight engines running; with nine it keeps only the last. In either case the
/// counts are the same.
#[test]
fn ninth_engine_of_a_worker_has_the_same_counts() {
    for engines in [8, 9] {
        let variants: String =
            (1..=engines).map(|hash| format!("[[variant]]\nname = \"v{hash}\"\n\"uci.Hash\" = {hash}\n")).collect();
        let trial = Trial::new(&format!("limit = {{ depth = 3 }}\n[subject]\nuci = \"ENGINE\"\n{variants}"));
        trial.run("out", &["--jobs", "2"]).expect(0);
        let rows = trial.rows("out");
        assert_eq!(rows.len(), engines * 6);
        for row in rows {
            let hash: u32 = row["uci.Hash"].parse().unwrap();
            assert_eq!(
                (row["variant"].as_str(), row["search.nodes"].as_str()),
                (&*format!("v{hash}"), &*format!("{}", 3000 + hash))
            );
        }
    }
}

#[test]
fn unknown_engine_option_is_refused_before_the_run() {
    let file = |point: &str| {
        Trial::new(&format!(
            "limit = {{ depth = 3 }}\n[subject]\nuci = \"ENGINE\"\n[[variant]]\nname = \"x\"\n{point}\n"
        ))
    };
    for (point, says) in [
        ("\"uci.Hahs\" = 4", &["uci.Hahs: ", "has no such option", "did you mean `Hash`?"][..]),
        ("\"uci.Hash\" = 4096", &["uci.Hash: expected a number from 1 to 1024, found 4096"]),
        ("\"uci.Style\" = \"Very Riksy\"", &["expected one of Solid, Very Risky", "did you mean `Very Risky`?"]),
        ("\"uci.OwnBook\" = 1", &["uci.OwnBook: expected true or false, found 1"]),
        ("\"aspiration\" = 50", &["aspiration: is an option of ttlab's own engine", "trial.toml:7:1"]),
        ("\"table.size\" = \"1 MiB\"", &["table: ", "has no option `ttlab`, so it has a table of its own"]),
        ("\"table.sise\" = 1", &["there is no option `table.sise`", "did you mean `table.size`?"]),
        ("\"subject.uci\" = \"no-such-engine\"", &["no program `no-such-engine` on the PATH"]),
        ("\"subject.uci\" = \"gnuchess -u\"", &["write arguments as a list, as in [\"gnuchess\", \"-u\"]"]),
        ("\"subject.uci\" = \"/bin/false\"", &["the engine exited unexpectedly (exit code 1) at `uci`"]),
        ("\"subject.restart\" = \"never\"", &["unknown word `never`"]),
        ("\"subject.timeout\" = 0", &["subject.timeout: expected seconds"]),
        ("\"subject.timeout\" = 1e300", &["subject.timeout: expected seconds, from 0.001 to 1e7"]),
        ("\"subject.ucii\" = \"x\"", &["did you mean `subject.uci`?"]),
        ("\"subject.uci\" = \"builtin\"\n\"uci.Hash\" = 3", &["uci.Hash: ttlab's own engine has no UCI options"]),
    ] {
        let trial = file(point);
        trial.run("out", &[]).expect(2).prints(says);
        assert!(!trial.path("out/results.csv").exists(), "{point}");
    }
    // The refusal comes before any process is started, because even a trial would allocate the
    // memory.
    let started = "#!/bin/sh\ntouch started\nexec ENGINE\n".replace("ENGINE", super::scripted().to_str().unwrap());
    let large = |file: &str| {
        let trial = Trial::new(file);
        std::fs::write(trial.path("engine"), &started).unwrap();
        std::fs::set_permissions(trial.path("engine"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        trial.run("out", &["--jobs", "1024"]).expect(2).prints(&["uci.Hash: 1024 jobs x 1024 MiB", "use --jobs"]);
        assert!(!trial.path("started").exists());
        assert!(!trial.path("out/results.csv").exists());
    };
    large("limit = { depth = 3 }\n[subject]\nuci = \"./engine\"\noptions = { hash = 1024 }\n");
    large("limit = { depth = 3 }\n[reference]\nuci = \"./engine\"\nlimit = { depth = 4 }\noptions = { Hash = 1024 }\n");
    // An engine without the option satisfies `Ponder = false` anyway.
    let trial = Trial::new("limit = { depth = 3 }\n[subject]\nuci = \"ENGINE\"\noptions = { Ponder = false }\n");
    trial.run("out", &[]).expect(0);
}

#[test]
fn failed_job_has_a_row_and_can_be_retried() {
    let whole = Trial::new("limit = { depth = 3 }\n[subject]\nuci = \"ENGINE\"\n");
    whole.run("out", &[]).expect(0);
    for (fault, says) in [
        ("crash", "the engine exited unexpectedly (signal 11) at `go depth 3`; its last lines: "),
        ("silence", "the engine did not answer within 2.0 s"),
        ("illegal", "the engine's move e2e5 in rnbqkbnr/pp1ppppp"),
    ] {
        let trial = Trial::new("");
        let mark = trial.path("mark");
        let program = format!(
            "[\"env\", \"AT={AT_D}\", \"{}\", \"{fault}\", \"{}\"]",
            super::scripted().display(),
            mark.display()
        );
        let text = format!("suite = \"suite.epd\"\nlimit = {{ depth = 3 }}\n[subject]\nuci = {program}\ntimeout = 2\n");
        std::fs::write(trial.path("trial.toml"), text).unwrap();
        trial.run("out", &["--jobs", "1"]).expect(3).prints(&["1 job failed", "--retry-failed"]);
        let rows = trial.rows("out");
        assert_eq!(rows.len(), 6, "{fault}");
        let failed: Vec<_> = rows.iter().filter(|row| !row["error"].is_empty()).collect();
        assert_eq!(failed.len(), 1);
        assert_eq!(failed[0]["position"], "D");
        assert!(failed[0]["error"].contains(says), "{fault}: {}", failed[0]["error"]);
        trial.run("out", &["--retry-failed"]).expect(0);
        let nodes = |trial: &Trial| -> Vec<String> {
            trial
                .rows("out")
                .iter()
                .map(|row| format!("{} {} {}", row["position"], row["search.nodes"], row["error"]))
                .collect()
        };
        assert_eq!(nodes(&trial), nodes(&whole), "{fault}");
    }
}

#[test]
fn limits_and_claims_are_checked_by_the_trial() {
    let file = |fault: &str, limit: &str, more: &str| {
        Trial::new(&format!("limit = {{ {limit} }}\n[subject]\nuci = [\"ENGINE\", \"{fault}\"]\n{more}"))
    };
    file("few", "nodes = 5000", "")
        .run("out", &[])
        .expect(2)
        .prints(&["ignores `go nodes`: it searched 6", "it respects limit.depth"]);
    // What the file does not limit is not tried.
    file("few", "depth = 3", "").run("out", &[]).expect(0).prints(&["counts exact; go depth respected\n"]);
    let claim = "[[expect]]\nwhere = { position = \"A\" }\nnodes = 3016\n";
    let trial = file("wander", "depth = 3", claim);
    trial.call(&["plan", "trial.toml"]).expect(0).prints(&["counts not repeatable", "warning: expect.nodes"]);
    trial.run("out", &["--check"]).expect(4).prints(&["exact counts expected of "]);
    assert!(!trial.path("out/results.csv").exists());
    trial.run("out", &[]).expect(0).prints(&["warning: expect.nodes"]);
    assert!(trial.rows("out").iter().all(|row| row["reported.repeats"] == "not repeatable"));
    trial
        .call(&["compare", "out", "out", "--fail-on", "nodes changed"])
        .expect(4)
        .prints(&["so their counts always change: give a bound"]);
    trial.call(&["compare", "out", "out", "--fail-on", "nodes > +5%"]).expect(0);
    file("none", "depth = 3", claim).run("out", &["--check"]).expect(0);
}

/// Checks the exact wording of the trial's findings: state that the engine keeps, limits that it
/// ignores and those that it respects, and the memory of its table.
#[test]
fn trial_findings_name_their_engine() {
    let trial = Trial::new(
        "limit = { depth = 3 }\n[[variant]]\nname = \"well\"\n\"subject.uci\" = \"ENGINE\"\n\
         [[variant]]\nname = \"keeps\"\n\"subject.uci\" = [\"ENGINE\", \"keeps\"]\n",
    );
    let message = trial.call(&["plan", "trial.toml"]).expect(0);
    let line = |name: &str| {
        let text = format!("\"{name}\": Scripted 1: ");
        message
            .err
            .lines()
            .chain(message.out.lines())
            .find_map(|line| line.split(&text).nth(1))
            .unwrap_or_default()
            .to_owned()
    };
    assert_eq!(line("well"), "counts exact; go depth respected");
    // The first search counts 10 more than the rule, the third 30: a difference of 20 from 3026,
    // which is rounded up. A new process doesn't show it.
    assert_eq!(
        line("keeps"),
        "counts within 1.4 %; go depth respected; difference: nodes 3026, then 3046; `ucinewgame` does not fully reset the engine: try restart = \"game\""
    );
    let file =
        |limit: &str| Trial::new(&format!("limit = {{ {limit} }}\n[subject]\nuci = [\"ENGINE\", \"shallow\"]\n"));
    let no = "it searched to depth 1, expected ";
    file("depth = 3").run("out", &[]).expect(2).prints(&["ignores `go depth`: ", no]);
    file("nodes = 5000").run("out", &[]).expect(0).prints(&["go depth not respected: ", no, "; go nodes respected"]);
    // Memory is reported in MiB, and an engine's default size counts like a configured one: this
    // engine takes 1 TiB by default.
    let trial = Trial::new("limit = { depth = 3 }\n[subject]\nuci = \"./engine\"\n");
    let text = std::fs::read_to_string(super::scripted()).unwrap();
    let vast = text.replace("default 16 min 1 max $most", "default 1048576 min 1 max 4194304");
    assert_ne!(vast, text);
    std::fs::write(trial.path("engine"), vast).unwrap();
    std::fs::set_permissions(trial.path("engine"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    trial.run("out", &[]).expect(2).prints(&[" x 1048576 MiB (1 engine, the first is \"default\")"]);
}

/// A program's name is looked up in `PATH` as a shell does it: files that aren't executable are
/// skipped.
#[test]
fn engine_is_found_along_the_path_if_executable() {
    let trial = Trial::new("limit = { depth = 1 }\nfirst = 1\n[subject]\nuci = \"an-engine\"\n");
    for (folder, mode) in [("first", 0o644), ("second", 0o755)] {
        std::fs::create_dir(trial.path(folder)).unwrap();
        let engine = trial.path(folder).join("an-engine");
        std::fs::copy(super::scripted(), &engine).unwrap();
        std::fs::set_permissions(engine, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
    }
    let path = ["first", "second"].map(|folder| trial.path(folder).display().to_string()).join(":");
    let usual = std::env::var("PATH").unwrap_or_default();
    let output =
        trial.command(&["run", "trial.toml", "--out", "out"]).env("PATH", format!("{path}:{usual}")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let manifest = std::fs::read_to_string(trial.path("out/manifest.json")).unwrap();
    assert!(manifest.contains(&trial.path("second/an-engine").display().to_string()), "{manifest}");
}

#[test]
fn results_of_another_build_of_an_engine_are_not_continued() {
    let trial = Trial::new("limit = { depth = 3 }\n[subject]\nuci = \"./engine\"\n");
    let engine = trial.path("engine");
    std::fs::copy(super::scripted(), &engine).unwrap();
    trial.run("out", &[]).expect(0);
    trial.run("out", &[]).expect(0);
    let mut text = std::fs::read_to_string(&engine).unwrap();
    text.push_str("# Another build.\n");
    std::fs::write(&engine, text).unwrap();
    trial.run("out", &[]).expect(2).prints(&["holds results of another build of the engine of \"default\"", "--fresh"]);
    trial.run("out", &["--any-build"]).expect(0);
}

#[test]
fn results_of_two_engine_builds_can_be_compared() {
    let trial = Trial::new(
        "limit = { depth = 3 }\nbaseline = { \"subject.uci\" = \"./base\" }\n[grid]\n\"subject.uci\" = [\"./base\", \"./new\"]\n",
    );
    let text = std::fs::read_to_string(super::scripted()).unwrap();
    for (name, text) in [("base", text.clone()), ("new", text.replace("1000 * limit + hash", "900 * limit + hash"))] {
        std::fs::write(trial.path(name), text).unwrap();
        std::fs::set_permissions(trial.path(name), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    // 2716 nodes against 3016 on each of six positions.
    trial.run("out", &[]).expect(0).prints(&["0.901"]);
    let page = std::fs::read_to_string(trial.path("out/report.md")).unwrap();
    for unknown in ["cutoffs", "move only", "stores per slot", "evaluations", "| full |"] {
        assert!(!page.contains(unknown), "{unknown}: {page}");
    }
    assert!(page.contains("./new"), "{page}");
    assert!(page.contains("16,296"), "{page}");
}

#[test]
fn reference_judges_each_move_once() {
    let trial = Trial::new(
        r#"
limit = { depth = 2 }
[reference]
uci = "builtin"
limit = { depth = 3 }
[subject]
uci = "ENGINE"
[[variant]]
name = "scripted"
[[variant]]
name = "ours"
"subject.uci" = "builtin"
"limit.depth" = 3
"#,
    );
    trial.run("out", &["--jobs", "2"]).expect(0).prints(&["judging the moves with the reference"]);
    let quiet = trial.run("quiet", &["--quiet"]).expect(0);
    assert!(!quiet.err.contains("judging"), "{}", quiet.err);
    assert!(trial.path("quiet/reference.csv").exists(), "{}", quiet.err);
    let judged = std::fs::read_to_string(trial.path("out/reference.csv")).unwrap();
    let mut reader = csv::Reader::from_reader(judged.as_bytes());
    let rows: Vec<std::collections::BTreeMap<String, String>> = reader.deserialize().map(Result::unwrap).collect();
    // For each of the six positions the best move, and the scripted engine's move if it is
    // different.
    let bests: std::collections::BTreeMap<String, String> = rows
        .iter()
        .filter(|row| row["move"].is_empty())
        .map(|row| (row["position"].clone(), row["best"].clone()))
        .collect();
    assert_eq!(bests.len(), 6);
    let others = bests.values().filter(|best| *best != "e2e4").count();
    assert_eq!(rows.len(), 6 + 6 + others);
    // The same engine at the same depth chooses the reference's moves, so its moves have no loss.
    for row in trial.rows("out").iter().filter(|row| row["variant"] == "ours" && row["depth"] == "3") {
        assert_eq!(row["best"], bests[&row["position"]]);
    }
    // Numbers and their units are joined by non-breaking spaces.
    let page = std::fs::read_to_string(trial.path("out/report.md")).unwrap().replace('\u{a0}', " ");
    let line = |name: &str| {
        page.lines().find(|line| line.starts_with(&format!("| {name}")) && line.contains(" of 6")).unwrap()
    };
    assert!(page.contains("Quality of the moves"));
    assert!(line("ours").contains("| 6 | 0.0 |"), "{page}");
    assert!(line("ours").contains("6 of 6"), "{page}");
    assert!(line("scripted").contains(&format!("{} of 6", 6 - others)), "{page}");
    // Existing judgements are reused.
    trial.run("out", &[]).expect(0);
    assert_eq!(std::fs::read_to_string(trial.path("out/reference.csv")).unwrap(), judged);
}

/// Each shard judges its own moves. The merged judgements equal those of a single run. Lost
/// judgements are reported and made again.
#[test]
fn merged_shards_have_the_judgements_of_one_run() {
    let text = r#"
limit = { depth = 2 }
repeats = 2
[reference]
uci = "builtin"
limit = { depth = 3 }
[subject]
uci = "ENGINE"
[[variant]]
name = "scripted"
[[variant]]
name = "ours"
"subject.uci" = "builtin"
"#;
    let trial = Trial::new(text);
    trial.run("whole", &["--jobs", "2"]).expect(0);
    trial.call(&["plan", "trial.toml", "--shards", "3", "-o", "plan.json"]).expect(0);
    for shard in ["2", "0", "1"] {
        trial.call(&["run", "--plan", "plan.json", "--shard", shard, "--out", "merged"]).expect(0);
    }
    trial.call(&["plan", "--missing", "plan.json", "--out", "merged"]).expect(0);
    trial.call(&["merge", "plan.json", "--out", "merged"]).expect(0);
    let read = |name: &str| std::fs::read_to_string(trial.path(name)).unwrap();
    assert_eq!(trial.timeless("whole"), trial.timeless("merged"));
    assert_eq!(read("whole/reference.csv"), read("merged/reference.csv"));
    let quality = |out: &str| {
        let page = read(&format!("{out}/report.md"));
        let part = page.split("Quality of the moves").nth(1).unwrap();
        part.lines().take_while(|line| !line.starts_with('#')).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(quality("whole"), quality("merged"));
    // A shard that has lost some or all of its judgements.
    let path = trial.path("merged/shards/1/reference.csv");
    let judged = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, judged.lines().take(2).collect::<Vec<_>>().join("\n") + "\n").unwrap();
    std::fs::remove_file(trial.path("merged/reference.csv")).unwrap();
    let missing = trial.call(&["plan", "--missing", "plan.json", "--out", "merged"]).expect(3);
    assert_eq!(missing.out.trim(), "1");
    missing.prints(&["shard 1 of 3: all jobs done, ", " searches by the reference engine missing"]);
    trial.call(&["merge", "plan.json", "--out", "merged"]).expect(3).prints(&["reference engine are missing"]);
    trial.call(&["run", "--plan", "plan.json", "--shard", "1", "--out", "merged"]).expect(0);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), judged);
    trial.call(&["merge", "plan.json", "--out", "merged"]).expect(0);
    assert_eq!(read("whole/reference.csv"), read("merged/reference.csv"));
    // Two shards that were judged by different references.
    let other = Trial::new(&text.replace("limit = { depth = 3 }", "limit = { depth = 4 }"));
    other.run("whole", &[]).expect(0);
    std::fs::copy(other.path("whole/reference.csv"), &path).unwrap();
    trial
        .call(&["merge", "plan.json", "--out", "merged"])
        .expect(2)
        .prints(&["its reference engine differs from that of "]);
}

/// A reference is an engine with its options: with other options, moves are judged again.
#[test]
fn judgement_under_other_options_is_not_reused() {
    let who = |options: &str| {
        let file = format!(
            "limit = {{ depth = 2 }}\n[reference]\nuci = [{:?}, \"uci\"]\nlimit = {{ depth = 3 }}\noptions = {{ {options} }}\n",
            env!("CARGO_BIN_EXE_ttlab")
        );
        let trial = Trial::new(&file);
        trial.run("out", &[]).expect(0);
        let mut reader = csv::Reader::from_path(trial.path("out/reference.csv")).unwrap();
        let at = reader.headers().unwrap().iter().position(|name| name == "reference").unwrap();
        let first = reader.records().next().unwrap().unwrap();
        first[at].split('-').next().unwrap().to_owned()
    };
    assert_eq!(who("Hash = 16"), who("Hash = 16"));
    assert_ne!(who("Hash = 16"), who("Hash = 32"));
}

/// A judgement belongs to a position, not to its name: if the suite changes, it is discarded.
#[test]
fn judgement_of_a_changed_position_is_not_reused() {
    let text = "limit = { depth = 2 }\n[reference]\nuci = \"builtin\"\nlimit = { depth = 3 }\n";
    let changed = super::SUITE.replace("1ppppppp", "ppppppp1");
    assert_ne!(changed, super::SUITE);
    let trial = Trial::new(text);
    trial.run("out", &[]).expect(0);
    std::fs::write(trial.path("suite.epd"), &changed).unwrap();
    trial.run("out", &["--fresh"]).expect(0);
    let other = Trial::new(text);
    std::fs::write(other.path("suite.epd"), &changed).unwrap();
    other.run("out", &[]).expect(0);
    let read = |trial: &Trial| std::fs::read_to_string(trial.path("out/reference.csv")).unwrap();
    assert_eq!(read(&trial), read(&other));
}
