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
        trial.run("out", &[]).expect(0).prints(&["Scripted 1: counts exact; go depth respected; go nodes respected"]);
        let words = |row: std::collections::BTreeMap<String, String>| {
            ["position", "depth", "search.nodes", "score", "best", "pv", "reported.hashfull"]
                .map(|name| row[name].clone())
        };
        trial.rows("out").into_iter().map(words).collect::<Vec<_>>()
    });
    assert_eq!(plain, blanks);
    assert_eq!(plain.len(), 6);
}

/// The last exact score is that of the previous depth.
#[test]
fn score_that_is_a_bound_is_not_recorded() {
    let trial = subject("bound", "depth = 3", "");
    trial.run("out", &[]).expect(0);
    let rows = trial.rows("out");
    let output = |row: &std::collections::BTreeMap<String, String>| {
        ["depth", "search.nodes", "score"].map(|name| row[name].clone()).join(" ")
    };
    assert_eq!(rows.iter().take(2).map(output).collect::<Vec<_>>(), ["2 2516 20", "3 500 20"]);
}

/// 8100 of 20,000 nodes are reported, because the next depth would end at 24,300.
#[test]
fn engine_that_reports_nodes_at_the_end_of_a_depth_is_accepted() {
    let trial = subject("ends", "nodes = 5000", "");
    trial
        .run("out", &[])
        .expect(0)
        .prints(&["counts exact; go depth respected; go nodes respected; nodes are reported when a depth ends"]);
    assert_eq!(trial.manifest("out")["subjects"]["default"]["nodes_reported"], "when a depth ends");
    let deepest = trial.rows("out").iter().map(|row| row["depth"].clone()).max();
    assert_eq!(deepest.as_deref(), Some("4"));
}

/// A trusted engine runs; the trial's findings are recorded in the manifest and shown in the
/// report.
#[test]
fn trusted_engine_runs_despite_the_findings_of_the_trial() {
    let problem = "Scripted 1 ignores `go nodes`: it searched 6 nodes, expected 20000";
    subject("few", "nodes = 5000", "").run("out", &[]).expect(2).prints(&[problem, "trust = true"]);
    let trial = subject("few", "nodes = 5000", "trust = true");
    trial.run("out", &[]).expect(0).prints(&[&format!("; trusted although {problem}")]);
    let found = trial.manifest("out")["subjects"]["default"]["trusted"].as_str().unwrap_or_default().to_owned();
    assert!(found.starts_with(problem), "{found}");
    let page = std::fs::read_to_string(trial.path("out/report.md")).unwrap().replace('\u{a0}', " ");
    assert!(page.contains("| exact, trusted |"), "{page}");
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

/// The trial finds a fault at the second position and refuses the engine. A fault at the third
/// position appears only in the run, where its rows fail.
#[test]
fn trial_searches_the_first_two_positions_of_the_suite() {
    let run = |pawns: &str| {
        let file =
            format!("limit = {{ depth = 3 }}\n[subject]\nuci = [\"env\", \"AT={pawns}\", \"ENGINE\", \"illegal\"]\n");
        Trial::new(&file).run("out", &[])
    };
    run("/1ppppppp/").expect(2).prints(&["bestmove e2e5"]);
    run("/p1pppppp/").expect(3).prints(&["e2e5"]);
}
