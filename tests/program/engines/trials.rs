//! Tests of the trial before a run: what it accepts, what it refuses, and what it accepts if the
//! engine is trusted.

use super::Trial;

fn subject(fault: &str, limit: &str, more: &str) -> Trial {
    Trial::new(&format!("limit = {{ {limit} }}\n[subject]\nuci = [\"ENGINE\", \"{fault}\"]\n{more}\n"))
}

#[test]
fn white_space_in_engine_lines_is_ignored() {
    let [plain, blanks] = ["none", "blanks"].map(|fault| {
        let trial = subject(fault, "depth = 3", "options = { Hash = 4, Style = \"Very Risky\" }");
        trial.run("out", &[]).expect(0).prints(&["Scripted 1: counts exact; go depth respected"]);
        let words = |row: std::collections::BTreeMap<String, String>| {
            ["position", "depth", "search.nodes", "score", "best", "pv", "reported.hashfull"]
                .map(|name| row[name].clone())
        };
        trial.rows("out").into_iter().map(words).collect::<Vec<_>>()
    });
    assert_eq!(plain, blanks);
    assert_eq!(plain.len(), 6);
}

/// The last depth has only a bound: its row has its nodes, but neither a score nor a variation.
#[test]
fn row_has_depth_score_and_variation_of_one_line() {
    let trial = subject("bound", "depth = 3", "");
    trial.run("out", &[]).expect(0).prints(&["go depth respected"]);
    let rows = trial.rows("out");
    let output = |row: &std::collections::BTreeMap<String, String>| {
        ["depth", "search.nodes", "score", "pv"].map(|name| row[name].clone()).join(" ")
    };
    assert_eq!(rows.iter().take(2).map(output).collect::<Vec<_>>(), ["2 2516 20 e2e4 e7e5", "3 500  "]);
}

/// 2700 of 8000 nodes are reported, because the next depth would end at 8100; and 300 of 800.
#[test]
fn engine_that_reports_nodes_at_the_end_of_a_depth_is_accepted() {
    let trial = subject("ends", "nodes = 8000", "");
    let note = "under a node limit it reports 2700 nodes at a limit of 8000, 300 nodes at a limit of 800";
    trial.run("out", &[]).expect(0).prints(&["counts exact; go depth respected; go nodes respected\n", note]);
    let deepest = trial.rows("out").iter().map(|row| row["depth"].clone()).max();
    assert_eq!(deepest.as_deref(), Some("4"));
}

/// A trusted engine runs; the trial's findings are recorded in the manifest and shown in the
/// report.
#[test]
fn trusted_engine_runs_despite_the_findings_of_the_trial() {
    let problem = "Scripted 1 ignores `go nodes`: it searched 6 nodes at a limit of 5000, 6 nodes at a limit of 500";
    subject("few", "nodes = 5000", "").run("out", &[]).expect(2).prints(&[problem, "trust = true"]);
    let trial = subject("few", "nodes = 5000", "trust = true");
    trial.run("out", &[]).expect(0).prints(&[&format!("; trusted although {problem}")]);
    let found = trial.manifest("out")["subjects"]["default"]["trusted"].as_str().unwrap_or_default().to_owned();
    assert!(found.starts_with(problem), "{found}");
    let page = std::fs::read_to_string(trial.path("out/report.md")).unwrap().replace('\u{a0}', " ");
    assert!(page.contains("| exact, trusted |"), "{page}");
}

/// An engine's log is no part of the engine, though an argument names it: each run appends to it.
#[test]
fn file_that_the_engine_writes_is_no_part_of_it() {
    let trial = Trial::new(
        "limit = { depth = 2 }\n[subject]\nuci = [\"env\", \"LOG=engine.log\", \"ENGINE\", \"none\", \"engine.log\"]\n\
         restart = \"game\"\n",
    );
    trial.run("out", &[]).expect(0);
    let subject = |out: &str| trial.manifest(out)["subjects"]["default"].clone();
    trial.run("again", &[]).expect(0).prints(&["engine.log is written by the engine: it is no part of it"]);
    assert_eq!(subject("out")["sha256"], subject("again")["sha256"]);
    trial.run("out", &[]).expect(0).prints(&["6 of 6 jobs already done"]);
}

/// What an engine does not tell, or tells of another move, is said where its rows are read.
#[test]
fn rows_without_nodes_or_of_another_move_are_named() {
    let silent = subject("unnamed", "depth = 2", "");
    silent.run("out", &["--strict"]).expect(1).prints(&["no nodes: no search of \"default\" reports any"]);
    assert!(silent.call(&["compare", "out", "out"]).expect(0).out.contains("not reported"));
    let trial = subject("other", "depth = 2", "");
    trial.run("out", &[]).expect(0);
    let page = |trial: &Trial| std::fs::read_to_string(trial.path("out/report.md")).unwrap();
    let text = page(&trial);
    assert!(text.contains("score and line are of another move than the best in 6 rows"), "{text}");
    assert!(!text.contains("deeper than its limit"), "{text}");
    let trial = subject("deeper", "depth = 1", "");
    trial.run("out", &[]).expect(0);
    let text = page(&trial);
    assert!(text.contains("the search went deeper than its limit in 6 rows"), "{text}");
}

/// Ethereal 12.00, Glaurung 2.2, Toga II 3.0 and GNU Chess 6.2.7 round Hash down to a power of two
/// (findings/engines-hash-halved.sh); Glaurung has as many threads as there are processors
/// (findings/glaurung-default-threads.sh); GNU Chess and Toga II stop early where one move is legal
/// (findings/gnuchess-one-legal-move.sh).
#[test]
fn plan_names_what_touches_the_axes() {
    let plan = |fault: &str, more: &str| {
        Trial::new(&format!("limit = {{ depth = 3 }}\n{more}\n[subject]\nuci = [\"ENGINE\", \"{fault}\"]\n"))
            .call(&["plan", "trial.toml"])
            .expect(0)
    };
    let sizes = |list: &str| format!("[grid]\n\"uci.Hash\" = [{list}]");
    let equal = "\"Hash=2\" and \"Hash=3\" searched the same nodes in all 3 trial searches (hashfull up to 17): \
                 the engine may round";
    plan("rounds", &sizes("2, 3")).prints(&[equal]);
    assert!(!plan("none", &sizes("2, 3")).out.contains("may round"));
    plan("cores", "").prints(&["Threads is 2 unless it is set: counts of several threads do not repeat"]);
    assert!(!plan("none", "").out.contains("Threads is"));
}

/// Each size that npm's Stockfish 19.0.0 declares, up to 32 TiB, but cannot have
/// (findings/wasm-hash-beyond-addresses.sh): an engine that ends, in the trial or in the
/// experiment, or falls silent is named with what it declares, within its timeout.
#[test]
fn table_that_cannot_be_had_is_named_with_what_is_declared() {
    let run = |words: &str, hash: &str| {
        let file = format!(
            "limit = {{ depth = 3 }}\n[subject]\nuci = [{words}]\ntimeout = 2\noptions = {{ Hash = {hash} }}\n"
        );
        Trial::new(&file)
    };
    run("\"ENGINE\", \"huge\"", "33554432").run("out", &[]).expect(2).prints(&["uci.Hash", "memory"]);
    run("\"ENGINE\", \"huge\"", "1025")
        .run("out", &[])
        .expect(2)
        .prints(&["exit code 9", "with Hash = 1025, of which it declares a number from 1 to 33554432"]);
    for (fault, says) in [("silence", "did not answer within 2.0 s"), ("exit", "exited unexpectedly (exit code 3)")] {
        let trial = run(&format!("\"env\", \"AT={}\", \"ENGINE\", \"{fault}\"", super::AT_D), "1024");
        trial.run("out", &["--jobs", "1"]).expect(3).prints(&["1 job failed"]);
        let error = trial.rows("out").iter().map(|row| row["error"].clone()).collect::<String>();
        assert!(error.contains(says), "{error}");
        assert!(error.contains("with Hash = 1024, of which it declares a number from 1 to 1024"), "{error}");
    }
}

/// Two table sizes of an engine. Its `ucinewgame` resets the history tables but not the
/// transposition table.
fn forgets_half(more: &str) -> Trial {
    let text = format!(
        "limit = {{ nodes = 300 }}\nbaseline = {{ variant = \"small\" }}\n[match]\nmax_moves = 12\n[subject]\nuci = [{:?}, \"uci\", \"--preset\", \"match\"]\n\
         options = {{ \"table.clear\" = \"never\" }}\n{more}\n[[variant]]\nname = \"small\"\n\"uci.table.size\" = \"256\"\n[[variant]]\nname = \"large\"\n\
         \"uci.table.size\" = \"1 MiB\"\n",
        env!("CARGO_BIN_EXE_ttlab")
    );
    Trial::new(&text)
}

#[test]
fn game_is_independent_of_earlier_games() {
    let trial = forgets_half("");
    let games = ["1", "2", "3"].map(|jobs| {
        trial.run(jobs, &["--jobs", jobs]).expect(0);
        std::fs::read_to_string(trial.path(jobs).join("games.pgn")).unwrap()
    });
    assert!(games[0].contains("Round"));
    assert!(games[0] == games[1]);
    assert!(games[0] == games[2]);
    assert!(trial.rows("1").iter().all(|row| row["reported.repeats"] == "exact"));
    let manifest = std::fs::read_to_string(trial.path("1/manifest.json")).unwrap();
    assert_eq!(manifest.matches("\"restart\": \"game\"").count(), 2);
}

#[test]
fn engine_that_keeps_state_between_games_plays_only_if_trusted() {
    let problem = "does not reset completely on `ucinewgame`, so its games depend on earlier ones";
    let message = forgets_half("restart = \"experiment\"").run("out", &[]).expect(2);
    message.prints(&[problem, "use restart = \"game\" to start a process for each game", "trust = true"]);
    let trial = forgets_half("restart = \"experiment\"\ntrust = true");
    trial.run("out", &[]).expect(0).prints(&[problem]);
    let trusted = trial.manifest("out")["subjects"]["large"]["trusted"].as_str().unwrap_or_default().to_owned();
    assert!(trusted.contains(problem), "{trusted}");
    assert!(trial.rows("out").iter().all(|row| row["reported.repeats"] != "exact"));
    // An engine that isn't repeatable, even in new processes.
    let wander = |more: &str| {
        Trial::new(&format!(
            "limit = {{ depth = 3 }}\nfirst = 1\nbaseline = {{ variant = \"ours\" }}\n[match]\nmax_moves = 1\n[subject]\nuci = [\"ENGINE\", \"wander\"]\n{more}\n\
             [[variant]]\nname = \"theirs\"\n[[variant]]\nname = \"ours\"\nsubject = \"builtin\"\n"
        ))
    };
    let problem = "variant \"theirs\": subject: Scripted 1 is not repeatable, so its games cannot be reproduced";
    wander("").call(&["plan", "trial.toml"]).expect(2).prints(&[problem, "help: use `[subject] trust = true`"]);
    wander("trust = true").call(&["plan", "trial.toml"]).expect(0).prints(&["trusted although "]);
}

/// The trial searches the first, the middle and the last position, so a fault there refuses the
/// engine. Elsewhere it appears only in the run, where its rows fail.
#[test]
fn trial_searches_positions_of_the_whole_suite() {
    let run = |text: &str| {
        let file =
            format!("limit = {{ depth = 3 }}\n[subject]\nuci = [\"env\", \"AT={text}\", \"ENGINE\", \"illegal\"]\n");
        Trial::new(&file).run("out", &[])
    };
    for tried in ["/p1pppppp/", "/ppppp1pp/"] {
        run(tried).expect(2).prints(&["bestmove e2e5"]);
    }
    run("/1ppppppp/").expect(3).prints(&["e2e5"]);
}
