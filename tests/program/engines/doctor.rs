//! Tests of `ttlab doctor`, which examines an engine without an experiment: its findings, its
//! output, and how an experiment file uses the diagnosis.

use super::{Trial, all_gone, scripted};

/// Examines our own engine with `ttlab doctor` for one second. The sed script `output` filters the
/// commands that the engine receives, `text` filters what it prints.
fn examine(output: &str, text: &str, more: &[&str], code: i32) -> (super::Output, serde_json::Value) {
    examine_settings("--preset match", (output, text), &[&["--time", "1"], more].concat(), code)
}

/// The same as `examine`, with these settings of the engine.
fn examine_settings(
    settings: &str,
    (output, text): (&str, &str),
    more: &[&str],
    code: i32,
) -> (super::Output, serde_json::Value) {
    let trial = Trial::new("");
    let engine = format!(
        "sed -u -e '/^quit/q' -e '{output}' | \"$0\" uci {settings} | sed -u -e '{text}' -e 's/name ttlab/name Filtered/'"
    );
    let words =
        [&["doctor", "/bin/sh", "-o", "doctor.json"][..], more, &["--", "-c", &engine, env!("CARGO_BIN_EXE_ttlab")]];
    let text = trial.call(&words.concat()).expect(code);
    assert_eq!(all_gone(&trial.token), Vec::<String>::new());
    let found = std::fs::read_to_string(trial.path("doctor.json")).unwrap();
    (text, serde_json::from_str(&found).unwrap())
}

/// Returns the result and the finding of a check.
fn check(found: &serde_json::Value, name: &str) -> (String, String) {
    let all = found["checks"].as_array().unwrap();
    let one = all.iter().find(|check| check["check"] == name).unwrap_or_else(|| panic!("no {name} in {found}"));
    (one["result"].as_str().unwrap().to_owned(), one["finding"].as_str().unwrap().to_owned())
}

#[test]
fn doctor_prints_one_screen() {
    let (text, found) = examine("", "", &["--option", "Hash=32", "--option", "table.slots=2"], 0);
    for (name, part) in [
        ("go depth", "respected"),
        ("go nodes", "20000 nodes at a limit of 20000, 2000 nodes at a limit of 2000"),
        ("node counts", "rise from depth to depth, begin at 0"),
        ("repeats", "same nodes, score, move, variation and depths"),
        ("ucinewgame", "like a new process"),
        ("stop", "obeyed"),
        ("moves", "legal moves in all 21 positions"),
        ("mate scores", "6 of 6"),
        ("quit", "leaves nothing behind"),
    ] {
        let (result, finding) = check(&found, name);
        assert!(result == "holds", "{name}: {result}: {finding}");
        assert!(finding.contains(part), "{name}: {result}: {finding}");
        assert!(text.out.contains(&finding), "{}", text.out);
    }
    assert_eq!(check(&found, "ended games"), ("note".to_owned(), "mated: no move, stalemated: no move".to_owned()));
    assert_eq!((&found["options"]["Hash"], &found["options"]["table.slots"]), (&"32".into(), &"2".into()));
    assert_eq!((&found["options"]["Threads"], &found["options"]["Ponder"]), (&"1".into(), &"false".into()));
    assert!(text.out.starts_with("Filtered "), "{}", text.out);
    assert!(text.out.contains("with Threads 1, Hash 32"), "{}", text.out);
    assert!(text.out.contains("times the nodes of 32 MiB to depth "), "{}", text.out);
    assert!(text.out.contains("No fault."), "{}", text.out);
    assert!(text.out.lines().count() < 34, "{}", text.out);
    assert_eq!(text.err, "");
}

/// The engine's smallest table has 128 entries and always replaces. If its search asks the table
/// how deep to go, node counts are found to mislead; without that term they lead. With a fixed
/// number of games to a fixed depth, the figures are the same on every machine.
#[test]
fn nodes_mislead_in_a_search_that_asks_its_table_and_lead_in_the_same_without() {
    let small = "s/name Hash value 1$/name table.size value 128/";
    let examined_as = |settings: &str, output: &str, code: i32| {
        let settings = format!("{settings} --set table.policy=always");
        let output = format!("{small}; {output}");
        let (_, found) = examine_settings(&settings, (&output, ""), &["--depth", "4", "--games", "24"], code);
        assert_eq!((&found["forgetting"]["depth"], &found["forgetting"]["games"]), (&4.into(), &24.into()));
        (found["nodes"].clone(), found["forgetting"]["kept"]["mean"].as_f64().unwrap())
    };
    let examined = |settings: &str| examined_as(settings, "", 0);
    let (verdict, ratio) = examined("--preset modern --set iir.min_depth=2");
    assert!(verdict == "mislead", "{verdict} {ratio}");
    assert!(ratio < 0.8, "{verdict} {ratio}");
    let (verdict, ratio) = examined("--preset match");
    assert!(verdict == "lead", "{verdict} {ratio}");
    assert!(ratio > 1.3, "{verdict} {ratio}");
    // An engine that keeps its state is started for each game, which gives the same counts.
    assert_eq!(examined_as("--preset match", "s/^ucinewgame/isready/", 1), (verdict, ratio));
}

/// An engine whose table is ttlab's has the option and reports the counters.
#[test]
fn doctor_says_linked() {
    let option = "s/^uciok/option name TTLAB type string default <empty>\\nuciok/";
    let counters = "s/^bestmove/info string ttlab table.probes 7\\nbestmove/";
    for (text, code, expected) in [
        (format!("{option};{counters}"), 0, ("holds", "its table is ttlab's, and it reports its counters")),
        (option.to_owned(), 1, ("does-not-hold", "the engine has the option ttlab, but writes no counters")),
    ] {
        let (_, found) = examine("", &text, &["--option", "Hash=32"], code);
        let (result, finding) = check(&found, "linked");
        assert_eq!(result, expected.0, "{finding}");
        assert!(finding.starts_with(expected.1), "{finding}");
    }
}

#[test]
fn doctor_check_finds_its_planted_fault() {
    let cases = [
        ("s/^ucinewgame/isready/", "", "ucinewgame", "does-not-hold", "keeps state"),
        ("s/^go nodes .*/go depth 1/", "", "go nodes", "does-not-hold", " nodes at a limit of 20000, "),
        (
            "s#^go depth 3$#position startpos\\ngo depth 3#; s/^go depth .*/go depth 1/",
            "",
            "go depth",
            "does-not-hold",
            "it searched to depth 1, expected 4",
        ),
        ("s/^stop//", "", "stop", "does-not-hold", "not obeyed"),
        ("", "s/ nodes [0-9]*/ nodes 18446744073709551615/", "node counts", "does-not-hold", "never"),
        (
            "s#^position fen k7/8/1K6/8/8/8/8/1R6 .*#position startpos#",
            "",
            "moves",
            "does-not-hold",
            "failed in 1 of 21",
        ),
        (
            "s/^setoption name Hash value 32$/ucinewgame/; s/^go movetime .*/go depth 4/",
            "",
            "Hash again",
            "note",
            "as a new process",
        ),
        ("s#^position fen rnb1kbnr/.*#position startpos#", "", "ended games", "note", ", stalemated: no move"),
        ("", "s/score mate /score mate -/", "mate scores", "does-not-hold", "instead of mate "),
        ("", "s/score mate [0-9]*/score cp 900/", "mate scores", "note", "cp 900 instead of mate "),
    ];
    std::thread::scope(|scope| {
        for (output, text, name, result, part) in cases {
            scope.spawn(move || {
                let options = ["--option", "Hash=32"];
                let (screen, found) = examine(output, text, &options, i32::from(result != "note"));
                // Mates are asked by depth alone. What the option Hash does, others do not.
                let asks_mates =
                    found["checks"].as_array().unwrap().iter().any(|check| check["check"] == "mate scores");
                assert_eq!(asks_mates, name != "go depth");
                if name == "go depth" {
                    assert_eq!(check(&found, "moves").0, "holds", "it is asked by nodes");
                }
                if name == "Hash again" {
                    assert_eq!(check(&found, "other options again").1, "changes nothing");
                    assert_eq!(check(&found, "nodes under a clock").1, "those of the last finished depth");
                }
                let (found, finding) = check(&found, name);
                assert!(found == result, "{output} {text}: {finding}\n{}", screen.out);
                assert!(finding.contains(part), "{output} {text}: {finding}\n{}", screen.out);
            });
        }
    });
}

/// What is left of a table in later searches (`table.clear`), and which option of an equal value is
/// a reset: in Sjaak II 1.4.1 each `go` begins with an empty table, and an equal UCI_Variant resets
/// all (findings/sjaak-empties-at-go.sh, docs/engine-behaviour.md).
#[test]
fn doctor_tells_a_kept_table_from_one_that_each_search_empties() {
    let examined = |settings: &str, output: &str, text: &str| {
        let settings = format!("--preset match {settings}");
        let (_, found) = examine_settings(&settings, (output, text), &["--depth", "4", "--games", "2"], 0);
        ["table", "other options again", "searchmoves", "hashfull"].map(|name| check(&found, name).1)
    };
    // The seventh search of a game has 1 node.
    let seventh = r"/^readyok/{x; s/.*//; x}; /^bestmove/H; /^info/{G; /^[^\n]*\n\(\n[^\n]*\)\{6\}$/s/ nodes [0-9]*/ nodes 1/; s/\n.*//}";
    let [table, options, moves, hashfull] = examined("", "", seventh);
    assert_eq!(table, "kept from search to search (of 10 equal searches the cheapest takes 0 % of the first)");
    assert_eq!((options.as_str(), moves.as_str()), ("changes nothing", "obeyed"));
    assert!(hashfull.ends_with(", of all entries"), "{hashfull}");
    let equal = "s/^setoption name algorithm value .*/ucinewgame/";
    let [table, options, moves, hashfull] =
        examined("--set table.clear=search", &format!("s/searchmoves .*//; {equal}"), "");
    assert!(table.starts_with("emptied at every `go`"), "{table}");
    assert_eq!((options.as_str(), moves.as_str()), ("as a new process", "ignored"));
    assert!(hashfull.ends_with(", of one search's entries, so it falls"), "{hashfull}");
}

/// An engine whose searches differ from process to process, and one that stops before its depth.
#[test]
fn doctor_tells_counts_that_do_not_repeat_and_a_depth_that_is_not_reached() {
    let schedule = "--preset match --set threads.quantum=16 --set threads.schedule=random --set threads.seed=$$";
    let more = ["--depth", "4", "--games", "2", "--option", "Threads=2"];
    let (_, found) = examine_settings(schedule, ("", ""), &more, 1);
    assert_eq!(check(&found, "kept along a game").1, "other counts in a second process");
    assert!(check(&found, "repeats").1.contains(", even in new processes, at depth 4 ("));
    let output = "s/^go depth [5-9]$/go depth 4/";
    let (_, found) = examine_settings("--preset match", (output, ""), &["--depth", "6", "--games", "2"], 0);
    assert_eq!(check(&found, "nodes to a depth").1, "cannot be asked without `go depth` and node counts");
}

/// The node counts of our engine, as a counter that begins again with each depth and as one that
/// goes on from search to search would have them.
#[test]
fn doctor_names_a_counter_that_restarts_or_goes_on() {
    for (count, part) in
        [("n - before", "its node counts are no sums: "), ("total + n", "goes on from search to search: ")]
    {
        let filter = format!(
            "before=0 total=0; while read -r line; do case $line in info*' nodes '*) n=${{line#* nodes }}; n=${{n%% *}}; \
             line=\"${{line%% nodes *}} nodes $(({count}))${{line#* nodes $n}}\"; before=$n;; \
             bestmove*) total=$((total + before)) before=0;; esac; echo \"$line\"; done"
        );
        let engine = format!("sed -u -e '/^quit/q' | \"$0\" uci --preset match | (trap '' PIPE; {filter})");
        let trial = Trial::new("");
        let words = ["doctor", "/bin/sh", "--time", "1", "--json", "--", "-c", &engine, env!("CARGO_BIN_EXE_ttlab")];
        let text = trial.call(&words).expect(1);
        let (result, finding) = check(&serde_json::from_str(&text.out).unwrap(), "node counts");
        assert_eq!(result, "does-not-hold", "{finding}");
        assert!(finding.contains(part), "{finding}");
    }
}

/// A process that the engine leaves behind in its own session is named and killed.
#[test]
fn doctor_names_and_ends_a_leftover_process() {
    let trial = Trial::new("");
    let script = "setsid sleep 1000 & exec \"$0\" uci";
    let words = ["doctor", "/bin/sh", "--time", "1", "--", "-c", script, env!("CARGO_BIN_EXE_ttlab")];
    // The name is `setsid`, or `sleep` after setsid has started it.
    trial.call(&words).expect(1).prints(&["ends, and leaves processes behind: s", "1 fault."]);
    assert_eq!(all_gone(&trial.token), Vec::<String>::new());
}

/// If the engine crashes, that is one fault, and the report includes the engine's last lines.
#[test]
fn doctor_reports_a_failing_engine_with_its_last_lines() {
    let trial = Trial::new("");
    let engine = scripted().display().to_string();
    let text = trial.call(&["doctor", &engine, "crash", "--time", "1"]).expect(1);
    text.prints(&[
        "DOES NOT HOLD  depths ",
        "signal 11",
        "It was not measured what nodes to a depth say about its table. 1 fault.",
    ]);
    assert_eq!(all_gone(&trial.token), Vec::<String>::new());
}

/// Our own engine has no faults. Its diagnosis can be used in an experiment with the same program
/// and options, but not with other options or another program.
#[test]
fn diagnosis_is_valid_only_for_its_program_and_options() {
    let ttlab = env!("CARGO_BIN_EXE_ttlab");
    let trial = Trial::new(&format!(
        "limit = {{ depth = 2 }}\nfirst = 1\n[subject]\nuci = [{ttlab:?}, \"uci\"]\ndoctor = \"doctor.json\"\n"
    ));
    let options = ["--option", "table.slots=4"];
    let text =
        trial.call(&[&["doctor", ttlab, "uci", "--time", "1", "-o", "doctor.json", "--quiet"][..], &options].concat());
    text.expect(0).prints(&["No fault.", "holds          moves", "holds          mate scores", "MiB to depth "]);
    let doctor = std::fs::read_to_string(trial.path("doctor.json")).unwrap();
    let verdict: serde_json::Value = serde_json::from_str(&doctor).unwrap();
    // The file lies beside that of the experiment.
    let elsewhere = trial.path("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let words = ["run", "../trial.toml", "--out", "../out", "--set", "uci.table.slots=4", "--set", "uci.Hash=1"];
    assert!(trial.command(&words).current_dir(&elsewhere).output().unwrap().status.success());
    assert_eq!(trial.manifest("out")["subjects"]["default"]["doctor"], verdict["nodes"]);
    let wrong = |sets: &[&str], says: &str| {
        trial.run("wrong", sets).expect(2).prints(&["subject.doctor: ", says]);
    };
    wrong(
        &["--set", "uci.table.slots=2"],
        "it was made with other options: table.slots = 4, but 2 in this experiment; make it again with `ttlab doctor -o`",
    );
    std::fs::write(trial.path("doctor.json"), doctor.replace("\"sha256\": \"", "\"sha256\": \"0")).unwrap();
    wrong(&["--set", "uci.table.slots=4"], "it was made with another build");
    std::fs::write(trial.path("doctor.json"), "{}").unwrap();
    wrong(&[], "not a file that `ttlab doctor` wrote");
    std::fs::remove_file(trial.path("doctor.json")).unwrap();
    wrong(&[], "No such file");
}

#[test]
fn doctor_refuses_an_unusable_engine_with_a_hint() {
    let trial = Trial::new("");
    let engine = scripted().display().to_string();
    for (words, says) in [
        (&["no-such-engine"][..], "no program `no-such-engine` on the PATH"),
        (&["/bin/false"], "the engine exited unexpectedly (exit code 1) at `uci`"),
        (&[&engine, "--option", "Hahs=4"], "--option Hahs: "),
        (&[&engine, "--option", "Hash=4096"], "--option Hash: expected a number from 1 to 1024, found 4096"),
        (&[&engine, "--option", "Hash"], "expected NAME=VALUE"),
        (&[&engine, "--time", "0"], "--time"),
        (&[&engine, "--depth", "4"], "--games <GAMES>"),
        (&[&engine, "--depth", "4", "--games", "1"], "--games 1: expected 2 to "),
        (&[&engine, "--depth", "4", "--games", "1000"], "--games 1000: expected 2 to "),
    ] {
        trial.call(&[&["doctor"], words].concat()).expect(2).prints(&[says]);
    }
}

#[test]
fn doctor_stops_at_a_signal() {
    let trial = Trial::new("");
    let engine = scripted().display().to_string();
    let child = trial
        .command(&["doctor", &engine, "slow", "--time", "600", "-o", "doctor.json"])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let begun = std::time::Instant::now();
    while super::alive(&trial.token).len() < 3 {
        assert!(begun.elapsed() < std::time::Duration::from_secs(60), "no engine is started");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let mut child = child;
    std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(75));
    assert_eq!(all_gone(&trial.token), Vec::<String>::new());
    assert!(!trial.path("doctor.json").exists());
}
