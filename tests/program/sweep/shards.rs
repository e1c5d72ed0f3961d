//! Plans split into shards: the merged shards have the same bytes as a single run.

use super::*;
use crate::common::skip;

/// Sequences in which searches share a table; some of the games are too short for these plies.
const GAMES: &str = "name = 'games'\nsuite = 'data/games.pgn'\nlimit = { nodes = 300 }\nrepeats = 2\n\
    [sequence]\nfrom = 60\nto = 62\nside = 'white'\n[grid]\n'table.size' = [512, 1024]\n";

struct Sweep {
    trial: Trial,
}

impl Sweep {
    fn new(text: &str, shards: u64) -> Self {
        let sweep = Self { trial: Trial::new(text) };
        let (plan, number) = (sweep.plan(), shards.to_string());
        ttlab(&["plan", &sweep.trial.file, "--shards", &number, "-o", &plan]).expect(0);
        sweep
    }

    fn plan(&self) -> String {
        self.trial.text("plan.json")
    }

    fn shard(&self, index: u64, out: &str, more: &[&str]) -> Output {
        let (plan, index, out) = (self.plan(), index.to_string(), self.trial.text(out));
        ttlab(&[&["run", "--quiet", "--plan", &plan, "--shard", &index, "--out", &out], more].concat())
    }

    fn merge(&self, out: &str, more: &[&str]) -> Output {
        ttlab(&[&["merge", "--quiet", &self.plan(), "--out", &self.trial.text(out)], more].concat())
    }

    fn missing(&self, out: &str) -> Output {
        ttlab(&["plan", "--missing", &self.plan(), "--out", &self.trial.text(out)])
    }
}

#[test]
fn merged_shards_equal_one_run_byte_for_byte() {
    // Fewer shards than items, the same number, more, and more than jobs (five variants on each of
    // three items, and one job over all items). Each shard is a process that first measures its
    // machine, which takes most of this test's time.
    let few = SMALL.replace("first = 6", "first = 3");
    for (text, name, numbers) in [(few.as_str(), "small", &[1, 3, 5, 17][..]), (GAMES, "games", &[4])] {
        let single = Trial::new(text);
        single.run("out", &["--jobs", "1"]).expect(0);
        let whole = bytes(&single.results("out"));
        for &shards in numbers {
            let sweep = Sweep::new(text, shards);
            for index in (0..shards).rev() {
                sweep.shard(index, "out", &["--jobs", "2"]).expect(0);
            }
            sweep.missing("out").expect(0);
            // A shard only has its own jobs, not all jobs of the plan.
            ttlab(&["verify", &sweep.trial.text("out/shards/0")]).expect(0);
            sweep.merge("out", &[]).expect(0);
            assert_eq!(bytes(&sweep.trial.results("out")), whole, "{name} in {shards} shards");
            let manifest = fs::read_to_string(sweep.trial.path("out/manifest.json")).unwrap();
            assert_eq!(manifest.matches("\"calibration\"").count() as u64, shards);
            assert!(sweep.trial.path("out/report.md").exists());
            assert!(sweep.trial.path("out/experiment.toml").exists());
            // Merging again changes nothing, and merged results can be used like any others.
            sweep.merge("out", &[]).expect(0);
            assert_eq!(bytes(&sweep.trial.results("out")), whole);
            ttlab(&["report", &sweep.trial.text("out")]).expect(0);
        }
    }
}

#[test]
fn missing_rows_are_named_and_the_earlier_result_is_kept() {
    let sweep = Sweep::new(SMALL, 5);
    let message = sweep.missing("out").expect(3).prints(&["shard 0 of 5: not started", "shard 4 of 5: not started"]);
    assert_eq!(message.stdout, "0-4\n");
    for index in [0, 1, 3] {
        sweep.shard(index, "out", &[]).expect(0);
    }
    assert_eq!(sweep.missing("out").expect(3).stdout, "2,4\n");
    sweep.merge("out", &[]).expect(3).prints(&["shard 2 of 5: not started", "2 of 5 shards are incomplete"]);
    assert!(!sweep.trial.results("out").exists());
    sweep.shard(2, "out", &[]).expect(0);
    sweep.shard(4, "out", &[]).expect(0);
    // A shard that was killed: its file is cut off in the middle.
    let part = sweep.trial.path("out/shards/4/results.csv");
    let all = fs::read(&part).unwrap();
    fs::write(&part, &all[..all.len() * 2 / 3]).unwrap();
    let message = sweep.missing("out").expect(3);
    assert_eq!(message.stdout, "4\n");
    assert!(message.stderr.contains("jobs missing"), "{}", message.stderr);
    sweep.merge("out", &[]).expect(3);
    sweep.shard(4, "out", &[]).expect(0);
    assert_eq!(sweep.missing("out").expect(0).stdout, "");
    sweep.merge("out", &[]).expect(0);
}

/// The rows of one shard in the folder of another: those of the other are missing.
#[test]
fn rows_of_another_shard_do_not_stand_for_its_own() {
    let sweep = Sweep::new(SMALL, 2);
    (0..2).for_each(|index| drop(sweep.shard(index, "out", &[]).expect(0)));
    let results = |index: usize| sweep.trial.path(&format!("out/shards/{index}/results.csv"));
    let first = fs::read(results(0)).unwrap();
    fs::copy(results(1), results(0)).unwrap();
    sweep.missing("out").expect(3).prints(&["shard 0 of 2: 16 of 16 jobs missing"]);
    sweep.merge("out", &[]).expect(3).prints(&["shard 0 of 2: 16 of 16 jobs missing"]);
    assert!(!sweep.trial.results("out").exists());
    fs::write(results(0), first).unwrap();
    sweep.merge("out", &[]).expect(0);
}

/// A run that was killed before it sorted its rows still has all of them.
#[test]
fn rows_in_any_order_are_merged_in_the_order_of_the_plan() {
    let sweep = Sweep::new(SMALL, 2);
    sweep.shard(0, "out", &[]).expect(0);
    sweep.shard(1, "out", &[]).expect(0);
    sweep.merge("out", &[]).expect(0);
    let whole = bytes(&sweep.trial.results("out"));
    let part = sweep.trial.path("out/shards/1/results.csv");
    let text = fs::read_to_string(&part).unwrap();
    let mut lines: Vec<&str> = text.lines().collect();
    // Each job has three rows: the last four jobs come first.
    let (header, rows) = (lines.remove(0), lines.len());
    lines.rotate_left(rows - 12);
    fs::write(&part, format!("{header}\n{}\n", lines.join("\n"))).unwrap();
    // Rows that moved after the end of the run are not what it wrote.
    sweep.merge("out", &[]).expect(4).prints(&["changed since the run ended"]);
    seal_anew(&sweep.trial.path("out/shards/1"), |manifest| manifest["ended"] = serde_json::Value::Null);
    sweep.merge("out", &[]).expect(0);
    assert_eq!(bytes(&sweep.trial.results("out")), whole);
}

#[test]
fn doubled_shard_counts_once_and_a_conflicting_one_is_refused() {
    let sweep = Sweep::new(SMALL, 2);
    sweep.shard(0, "a", &[]).expect(0);
    sweep.shard(1, "a", &[]).expect(0);
    sweep.shard(1, "b", &[]).expect(0);
    let [zero, one, other] = ["a/shards/0", "a/shards/1", "b/shards/1"].map(|name| sweep.trial.text(name));
    let from =
        |folders: &[&String]| folders.iter().flat_map(|f| ["--from".to_owned(), (*f).clone()]).collect::<Vec<_>>();
    let merge = |folders: &[&String]| {
        let from = from(folders);
        sweep.merge("out", &from.iter().map(String::as_str).collect::<Vec<_>>())
    };
    merge(&[&zero]).expect(3).prints(&["shard 1 of 2"]);
    merge(&[&zero, &sweep.trial.text("a")]).expect(2).prints(&["manifest.json"]);
    // The other folder has different counts: one row of a job has other nodes, with valid
    // checksums.
    let path = sweep.trial.path("b/shards/1/results.csv");
    let whole = fs::read(&path).unwrap();
    forge(&path);
    merge(&[&zero, &other]).expect(4).prints(&["changed since the run ended"]);
    seal_anew(&sweep.trial.path("b/shards/1"), |_| {});
    merge(&[&zero, &one, &other]).expect(4).prints(&["its counts differ", "b/shards/1", "BK.02"]);
    assert!(!sweep.trial.results("out").exists());
    fs::write(&path, whole).unwrap();
    seal_anew(&sweep.trial.path("b/shards/1"), |_| {});
    merge(&[&zero, &one, &other]).expect(0);
}

/// The message names the repeat that differs.
#[test]
fn differing_repeat_is_named() {
    let text = "name = 'trial'\nsuite = 'data/bratko-kopec.epd'\nfirst = 2\nlimit = { depth = 3 }\nrepeats = 2\n";
    let sweep = Sweep::new(text, 1);
    sweep.shard(0, "a", &[]).expect(0);
    sweep.shard(0, "b", &[]).expect(0);
    let [one, other] = ["a/shards/0", "b/shards/0"].map(|name| sweep.trial.text(name));
    let path = sweep.trial.path("b/shards/0/results.csv");
    // Two positions with three rows each; the first repeat is unchanged.
    forge_after(&path, 6);
    seal_anew(&sweep.trial.path("b/shards/0"), |_| {});
    sweep.merge("out", &["--from", &one, "--from", &other]).expect(4).prints(&["BK.01 (repeat 1)"]);
}

/// Changes the nodes of the first job and recomputes its checksums.
fn forge(path: &Path) {
    forge_after(path, 0);
}

/// The same for the first job after this many rows.
fn forge_after(path: &Path, rows: usize) {
    let mut reader = csv::Reader::from_path(path).unwrap();
    let header = reader.headers().unwrap().clone();
    let nodes = header.iter().position(|name| name == "search.nodes").unwrap();
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(&header).unwrap();
    let mut check = 0;
    for (at, record) in reader.records().enumerate() {
        let record = record.unwrap();
        let mut fields: Vec<String> = record.iter().map(str::to_owned).collect();
        if (rows..rows + 3).contains(&at) {
            fields[nodes] = "7".to_owned();
            fields.pop();
            check = ttlab::internals::record::append_checksum(&mut fields, check);
        }
        writer.write_record(&fields).unwrap();
    }
    fs::write(path, writer.into_inner().unwrap()).unwrap();
}

#[test]
fn folders_of_another_kind_are_refused() {
    let sweep = Sweep::new(SMALL, 2);
    sweep.shard(0, "out", &[]).expect(0);
    sweep.shard(1, "out", &[]).expect(0);
    let (zero, one) = (sweep.trial.path("out/shards/0"), sweep.trial.path("out/shards/1"));
    // Two shards that were exchanged do no harm.
    fs::rename(&zero, sweep.trial.path("out/shards/x")).unwrap();
    fs::rename(&one, &zero).unwrap();
    fs::rename(sweep.trial.path("out/shards/x"), &one).unwrap();
    sweep.merge("out", &[]).expect(0);
    // An edited row.
    let text = fs::read_to_string(one.join("results.csv")).unwrap();
    fs::write(one.join("results.csv"), text.replacen("depth 3", "depth 4", 1)).unwrap();
    sweep.merge("out", &[]).expect(4).prints(&["shards/1: ", "line 2"]);
    fs::write(one.join("results.csv"), &text).unwrap();
    // Another build.
    let manifest = fs::read_to_string(one.join("manifest.json")).unwrap();
    seal_anew(&one, |manifest| manifest["build"]["searches"] = "0".into());
    sweep.merge("out", &[]).expect(2).prints(&["differs from that of shard", "--any-build"]);
    sweep.merge("out", &["--any-build"]).expect(0);
    // A whole run has the rows too, but those of another plan are refused.
    fs::write(one.join("manifest.json"), &manifest).unwrap();
    sweep.trial.run("out/shards/1", &["--fresh"]).expect(0);
    sweep.merge("out", &[]).expect(0);
    let other = Sweep::new(&SMALL.replace("depth = 3", "depth = 2"), 2);
    fs::remove_dir_all(&one).unwrap();
    other.shard(1, "out", &[]).expect(0);
    fs::rename(other.trial.path("out/shards/1"), &one).unwrap();
    sweep.merge("out", &[]).expect(2).prints(&["results of another plan"]);
}

/// A plan needs no other file than the suite, in any working folder.
#[test]
fn plan_file_and_suite_suffice_for_a_shard() {
    let trial = Trial::new("suite = 'own.epd'\nlimit = { depth = 2 }\n");
    let suite = "8/8/8/8/8/4k3/4p3/4K3 w - - id \"the last\";\n";
    fs::write(trial.path("own.epd"), suite).unwrap();
    let plan = trial.text("plan.json");
    ttlab(&["plan", &trial.file, "--set", "algorithm=minimax", "--shards", "2", "-o", &plan]).expect(0);
    let away = scratch();
    fs::rename(&plan, away.path().join("plan.json")).unwrap();
    fs::remove_file(&trial.file).unwrap();
    let run = |args: &[&str]| run_command(Command::new(binary()).args(args).current_dir(away.path()));
    run(&["run", "--plan", "plan.json", "--shard", "0"]).expect(0);
    // A changed or missing suite is named, with its hashes.
    let own = trial.text("own.epd");
    let hash = fs::read_to_string(away.path().join("plan.json")).unwrap();
    let hash = hash.split("\"hash\": \"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    fs::write(&own, suite.replace("last", "first")).unwrap();
    let changed = format!("the suite {own} has changed: expected the hash {hash}, found ");
    fs::rename(&own, trial.path("away.epd")).unwrap();
    let missing = format!("the suite {own} with the hash {hash} cannot be read: No such file");
    for args in [&["run", "--plan", "plan.json", "--shard", "1"][..], &["merge", "plan.json"]] {
        run(args).expect(2).prints(&["plan.json: ", &missing]);
    }
    fs::rename(trial.path("away.epd"), &own).unwrap();
    for args in [&["run", "--plan", "plan.json", "--shard", "1"][..], &["merge", "plan.json"]] {
        run(args).expect(2).prints(&["plan.json: ", &changed]);
    }
    fs::write(&own, suite).unwrap();
    run(&["run", "--plan", "plan.json", "--shard", "1"]).expect(0);
    run(&["merge", "plan.json"]).expect(0);
    let results = fs::read_to_string(away.path().join("reports/trial/results.csv")).unwrap();
    assert!(results.contains("the last"), "{results}");
    assert!(fs::read_to_string(away.path().join("reports/trial/manifest.json")).unwrap().contains("minimax"));
}

/// If one shard's machine is slower than another's, their times aren't treated as comparable.
#[test]
fn merge_warns_of_shards_from_different_machines() {
    let sweep = Sweep::new(SMALL, 2);
    sweep.shard(0, "out", &[]).expect(0);
    sweep.shard(1, "out", &[]).expect(0);
    let set = |shard: u64, speed: u64| {
        seal_anew(&sweep.trial.path(&format!("out/shards/{shard}")), |manifest| {
            assert!(manifest["calibration"].as_u64().unwrap() > 10_000, "no speed was measured");
            manifest["calibration"] = speed.into();
        });
    };
    set(0, 1_000_000);
    set(1, 1_100_000);
    sweep.merge("out", &[]).expect(0);
    let report = || fs::read_to_string(sweep.trial.path("out/report.md")).unwrap();
    assert!(!report().contains("shards ran at different speeds"), "{}", report());
    set(1, 1_500_000);
    sweep.merge("out", &[]).expect(0);
    assert!(report().contains("the fastest is 50 % faster than the slowest"), "{}", report());
}

/// A merged manifest by hand: from the start of the earliest shard to the end of the latest, with
/// the largest number of parallel jobs, and with each shard's machine under its number.
#[test]
fn merged_manifest_equals_one_made_by_hand() {
    let sweep = Sweep::new(SMALL, 3);
    let read = |path: &str| -> serde_json::Value {
        serde_json::from_str(&fs::read_to_string(sweep.trial.path(path)).unwrap()).unwrap()
    };
    // Jobs, start, end, speed; the first shard starts in the middle, and the shard that ends last
    // isn't the one that starts last.
    let runs = [(2, 2000, 9000, 500_000), (5, 1000, 3000, 510_000), (1, 4000, 5000, 520_000)];
    for (shard, (jobs, begun, ended, speed)) in runs.iter().enumerate() {
        sweep.shard(shard as u64, "out", &[]).expect(0);
        seal_anew(&sweep.trial.path(&format!("out/shards/{shard}")), |manifest| {
            for (field, number) in [("jobs", jobs), ("started", begun), ("ended", ended), ("calibration", speed)] {
                manifest[field] = (*number).into();
            }
        });
    }
    sweep.merge("out", &[]).expect(0);
    let merged = read("out/manifest.json");
    assert_eq!((&merged["jobs"], &merged["started"]), (&5.into(), &1000.into()));
    assert_eq!((&merged["jobs_total"], &merged["rows"]), (&31.into(), &(31 * 3 + 15).into()));
    assert!(merged.get("shard").is_none(), "{merged}");
    assert!(merged.get("calibration").is_none(), "{merged}");
    let shards = merged["shards"].as_array().unwrap();
    assert_eq!((shards.len(), merged["segments"].as_array().unwrap().len()), (3, 3));
    for run in shards {
        let index = run["index"].as_u64().unwrap();
        let (jobs, begun, ended, speed) = runs[index as usize];
        let found = serde_json::json!([run["jobs"], run["started"], run["ended"], run["calibration"]]);
        assert_eq!(found, serde_json::json!([jobs, begun, ended, speed]));
        let own = merged["segments"].as_array().unwrap().iter().filter(|one| one["shard"] == index).count();
        assert_eq!(own, 1, "{merged}");
    }
}

#[test]
fn invalid_plan_files_are_refused() {
    let sweep = Sweep::new(SMALL, 3);
    let plan = fs::read_to_string(sweep.plan()).unwrap();
    let edits: &[(&str, &str, &str)] = &[
        (&plan, "", "not JSON"),
        (&plan, "[]", "not a plan of ttlab"),
        ("\"schema\": 2", "\"schema\": 1", "schema"),
        ("\"shards\": 3", "\"shards\": 0", "shards"),
        ("\"shards\": 3", "\"shards\": 18446744073709551615", "shards"),
        ("\"jobs\": 31", "\"jobs\": 32", "jobs: the plan has 32"),
        ("\"name\": \"trial\"", "\"name\": \"../../etc\"", "name"),
        ("name = \\\"trial\\\"", "name = \\\"../../etc\\\"", "not a valid folder name"),
        ("depth = 3", "depth = 4", "its experiment gives"),
        ("\"sets\": []", "\"sets\": [\"table.slots=2\"]", "its experiment gives"),
        ("\"sets\": []", "\"sets\": [\"table.slotz=2\"]", "table.slotz"),
        ("\"file\"", "\"files\"", "unknown field `files`"),
    ];
    for (from, to, words) in edits {
        assert!(plan.contains(from), "{from}");
        let edited = plan.replacen(from, to, 1);
        fs::write(sweep.plan(), &edited).unwrap();
        sweep.shard(0, "out", &[]).expect(2).prints(&["plan.json", words]);
        sweep.merge("out", &[]).expect(2).prints(&["plan.json", words]);
    }
    assert!(!sweep.trial.path("out").exists());
    fs::write(sweep.plan(), &plan).unwrap();
    sweep.shard(3, "out", &[]).expect(2).prints(&["has 3 shards: expected 0 to 2"]);
    ttlab(&["plan", &sweep.trial.file, "--shards", "0", "-o", "x"]).expect(2);
    ttlab(&["plan", &sweep.trial.file, "--shards", "2"]).expect(2).prints(&["--output"]);
    ttlab(&["run", "--plan", &sweep.plan()]).expect(2).prints(&["--shard"]);
    ttlab(&["run", "--shard", "1", &sweep.trial.file]).expect(2).prints(&["--plan"]);
    ttlab(&["merge", "no/plan.json"]).expect(2).prints(&["no/plan.json"]);
}

/// An item belongs to one shard with all its variants, so that compared searches are timed on the
/// same machine.
#[test]
fn item_is_searched_by_one_shard_with_all_variants() {
    let sweep = Sweep::new(SMALL, 3);
    sweep.shard(1, "out", &[]).expect(0);
    let rows = counts(&sweep.trial.path("out/shards/1/results.csv"));
    let positions: std::collections::BTreeSet<&str> = rows.iter().map(|row| row[4].as_str()).collect();
    assert_eq!(positions.into_iter().collect::<Vec<_>>(), ["BK.02", "BK.05"]);
    assert_eq!(rows.len(), 2 * 5 * 3, "each with all variants but the one that takes the whole suite");
}

/// A shard's file that ends early at any one of the merge's reads: either the complete results are
/// published, or nothing.
#[test]
fn merge_writes_nothing_when_a_read_of_a_shard_ends_early() {
    if Command::new("strace").arg("-V").output().is_err() {
        skip("strace", "strace is not installed: a shard that changes during its merge was not tested");
        return;
    }
    let sweep = Sweep::new(SMALL, 2);
    for index in [0, 1] {
        sweep.shard(index, "run", &[]).expect(0);
    }
    let shard = sweep.trial.text("run/shards/1/results.csv");
    let merge = |out: &str, read: u32| {
        let mut command = Command::new("strace");
        command.args(["-f", "-qq", "-o", "/dev/null", "-P", &shard, "-e", "trace=read,pread64"]);
        command.args(["-e", &format!("inject=read,pread64:retval=0:when={read}")]);
        command.arg(binary()).args(["merge", "--quiet", &sweep.plan(), "--out", &sweep.trial.text(out)]);
        for index in [0, 1] {
            command.args(["--from", &sweep.trial.text(&format!("run/shards/{index}"))]);
        }
        run_command(&mut command)
    };
    merge("whole", 1000).expect(0);
    let whole = bytes(&sweep.trial.results("whole"));
    let mut uneven = 0;
    for read in 1..=12 {
        let out = format!("out-{read}");
        let message = merge(&out, read);
        let results = sweep.trial.results(&out);
        if message.code == Some(0) {
            assert_eq!(bytes(&results), whole, "read {read}");
            continue;
        }
        assert!(!results.exists(), "read {read}: {}", message.stderr);
        // 2: a header that ends early is one of other columns.
        assert!(matches!(message.code, Some(2..=4)), "read {read}: {}", message.stderr);
        uneven += 1;
    }
    assert!(uneven >= 1, "no read of rows ended early");
}
