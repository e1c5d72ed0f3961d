//! Matches: the same file gives the same games with any number of jobs, after kills and in shards;
//! the page reports their results; an invalid match is refused; and python-chess accepts every game
//! as legal.

use crate::common::{has_python, run, scratch, skip};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

const TRIAL: &str = r#"
name = "trial"
suite = "data/openings.epd"
first = 4
limit = { nodes = 800 }
[match]
max_moves = 40
resign = { score = 600, moves = 2 }
draw = { score = 20, moves = 4, from = 10 }
test = { elo0 = 0, elo1 = 50 }
[engine]
preset = "match"
quiescence = { delta = 200 }
table.size = "64 KiB"
table.keep_move = false
[[variant]]
name = "base"
[[variant]]
name = "bare"
table = "none"
[[variant]]
name = "plain"
aspiration = 0
"#;

struct Trial {
    folder: TempDir,
}

impl Trial {
    fn new(text: &str) -> Self {
        let folder = scratch();
        fs::write(folder.path().join("trial.toml"), text).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    fn run(&self, out: &str, args: &[&str]) -> (String, String, i32) {
        let (file, out) = (self.text("trial.toml"), self.text(out));
        run(&[&["run", &file, "--out", &out], args].concat())
    }

    /// Kills the run at several moments, then continues it to the end.
    fn run_with_kills(&self, out: &str) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ttlab"));
        command.args(["run", &self.text("trial.toml"), "--out", &self.text(out), "--quiet", "--jobs", "2"]);
        command.current_dir(env!("CARGO_MANIFEST_DIR")).stderr(Stdio::null());
        for moment in [60, 90, 150, 250] {
            let mut child = command.spawn().unwrap();
            std::thread::sleep(std::time::Duration::from_millis(moment));
            child.kill().unwrap();
            child.wait().unwrap();
        }
        assert_eq!(self.run(out, &["--quiet", "--retry-failed"]).2, 0);
    }

    fn games(&self, out: &str) -> String {
        fs::read_to_string(self.path(out).join("games.pgn")).unwrap()
    }

    /// The rows without their `seconds`.
    fn rows(&self, out: &str) -> Vec<Vec<String>> {
        rows(&self.path(out).join("results.csv"))
    }
}

fn rows(path: &Path) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_path(path).unwrap();
    let header = reader.headers().unwrap().clone();
    let keep = |at: &usize| !["seconds"].contains(&&header[*at]);
    reader
        .records()
        .map(|row| {
            let row = row.unwrap();
            (0..row.len()).filter(keep).map(|at| row[at].to_owned()).collect()
        })
        .collect()
}

fn column(path: &Path, name: &str) -> Vec<String> {
    let mut reader = csv::Reader::from_path(path).unwrap();
    let at = reader.headers().unwrap().iter().position(|column| column == name).unwrap();
    reader.records().map(|row| row.unwrap()[at].to_owned()).collect()
}

#[test]
fn games_are_independent_of_jobs_kills_and_shards() {
    let trial = Trial::new(TRIAL);
    let (_, stderr, code) = trial.run("one", &["--jobs", "1", "--quiet"]);
    assert_eq!(code, 0, "{stderr}");
    let (games, rows) = (trial.games("one"), trial.rows("one"));
    // Two variants against the baseline, four openings, two games per opening.
    assert_eq!((rows.len(), games.matches("[Event ").count()), (16, 16));
    let path = trial.path("one").join("results.csv");
    assert_eq!(column(&path, "match.colour"), ["white", "black"].repeat(8));
    assert!(column(&path, "match.opponent").iter().all(|name| name == "base"));
    assert_eq!(column(&path, "variant")[..6], ["bare", "bare", "plain", "plain", "bare", "bare"]);
    assert_eq!(run(&["verify", &trial.text("one")]).2, 0);

    assert_eq!(trial.run("two", &["--jobs", "2", "--quiet"]).2, 0);
    assert_eq!((trial.games("two"), trial.rows("two")), (games.clone(), rows.clone()));

    trial.run_with_kills("killed");
    assert_eq!((trial.games("killed"), trial.rows("killed")), (games.clone(), rows.clone()));
    assert_eq!(run(&["verify", &trial.text("killed")]).2, 0);

    let (plan, out) = (trial.text("plan.json"), trial.text("merged"));
    assert_eq!(run(&["plan", &trial.text("trial.toml"), "--shards", "3", "-o", &plan]).2, 0);
    for shard in ["2", "0", "1"] {
        let (_, stderr, code) = run(&["run", "--plan", &plan, "--shard", shard, "--out", &out, "--quiet"]);
        assert_eq!(code, 0, "{stderr}");
    }
    let (_, stderr, code) = run(&["merge", &plan, "--out", &out, "--quiet"]);
    assert_eq!(code, 0, "{stderr}");
    assert_eq!((trial.games("merged"), trial.rows("merged")), (games, rows));
}

/// A weak player and one about as strong as the baseline, with more openings than the tests need.
fn unequal() -> String {
    TRIAL
        .replace("first = 4", "first = 24")
        .replace("elo1 = 50", "elo1 = 100")
        .replace("name = \"bare\"", "name = \"bare\"\n\"limit.nodes\" = 60")
}

/// The rows of one variant, in their order.
fn of_variant(rows: &[Vec<String>], name: &str) -> Vec<Vec<String>> {
    rows.iter().filter(|row| row.iter().any(|cell| cell == name)).cloned().collect()
}

/// An encounter ends when its test is decided. Its rows are those up to the deciding pair (the pair
/// that the page of the complete run names), whatever the number of jobs, kills and shards; games
/// that weren't needed aren't reported as missing.
#[test]
fn decided_test_ends_its_encounter() {
    let text = unequal();
    let all = Trial::new(&text.replace("elo1 = 100", "elo1 = 100, stop = false"));
    assert_eq!(all.run("all", &["--quiet"]).2, 0);
    let every = all.rows("all");
    assert_eq!(every.len(), 2 * 24 * 2);
    let (stdout, _, _) = run(&["report", &all.text("all"), "--format", "json"]);
    let page: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    let table = page["parts"].as_array().unwrap().iter().find(|part| part["key"] == "encounters").unwrap();
    let pairs = |name: &str| {
        let row = table["rows"].as_array().unwrap().iter().find(|row| row["variant"] == name).unwrap();
        let message = row["test"].as_str().unwrap();
        let after = message.split_once(" after ").map(|(_, rest)| rest.split(' ').next().unwrap().parse().unwrap());
        after.unwrap_or(24)
    };
    let (weak, like): (usize, usize) = (pairs("bare"), pairs("plain"));
    assert!((2..20).contains(&weak), "{weak} {like}");
    assert!(like > weak, "{weak} {like}");

    let trial = Trial::new(&text);
    let (_, stderr, code) = trial.run("one", &["--jobs", "1"]);
    let spared = format!("{} other jobs are not needed", 48 - weak - like);
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains(&spared), "{stderr}");
    let (games, rows) = (trial.games("one"), trial.rows("one"));
    let ends: Vec<&str> = stderr.lines().filter(|line| line.contains(" against base: ")).collect();
    assert!(ends.len() == 2 && ends[0].starts_with("bare ") && ends[1].starts_with("plain "), "{stderr}");
    assert!(ends[0].contains("]: H0 accepted, W/D/L "), "{stderr}");
    assert!(ends[0].contains(", Ptnml(0-2) "), "{stderr}");
    assert!(games.lines().any(|line| line.contains("/2, n=")), "depth and nodes of each move");
    assert_eq!(of_variant(&rows, "bare"), of_variant(&every, "bare")[..2 * weak]);
    assert_eq!(of_variant(&rows, "plain"), of_variant(&every, "plain")[..2 * like]);
    assert_eq!(games.matches("[Event ").count(), 2 * (weak + like));
    let whole = |out: &str| {
        let (stdout, _, code) = run(&["verify", &trial.text(out)]);
        assert_eq!(code, 0, "{out}: {code} {stdout}");
        assert!(stdout.contains(&spared), "{out}: {code} {stdout}");
        assert_eq!((trial.games(out), trial.rows(out)), (games.clone(), rows.clone()), "{out}");
        assert_eq!(run(&["report", &trial.text(out)]).2, 0, "{out}");
    };
    whole("one");
    let (_, stderr, code) = trial.run("one", &["--jobs", "2"]);
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("0 jobs in"), "{stderr}");
    whole("one");
    assert_eq!(trial.run("four", &["--jobs", "4", "--quiet"]).2, 0);
    whole("four");
    trial.run_with_kills("killed");
    whole("killed");
}

/// Shards play all of their own games, but merging them gives the same rows as a single run. A
/// shard may be absent if the tests don't need its games, but not otherwise.
#[test]
fn merged_shards_have_the_rows_up_to_the_decisions() {
    let text = unequal().split("[[variant]]\nname = \"plain\"").next().unwrap().to_owned();
    let trial = Trial::new(&text);
    assert_eq!(trial.run("one", &["--quiet"]).2, 0);
    let (games, rows) = (trial.games("one"), trial.rows("one"));
    assert!(rows.len() < 40);
    let whole = |out: &str| {
        let (stdout, _, code) = run(&["verify", &trial.text(out)]);
        assert_eq!(code, 0, "{out}: {code} {stdout}");
        assert!(stdout.contains("not needed because their tests had ended"), "{out}: {code} {stdout}");
        assert_eq!((trial.games(out), trial.rows(out)), (games.clone(), rows.clone()), "{out}");
    };
    whole("one");
    let (plan, out) = (trial.text("plan.json"), trial.text("merged"));
    assert_eq!(run(&["plan", &trial.text("trial.toml"), "--shards", "24", "-o", &plan]).2, 0);
    for shard in 0..24 {
        assert_eq!(run(&["run", "--plan", &plan, "--shard", &shard.to_string(), "--out", &out, "--quiet"]).2, 0);
    }
    let shard = |shard: usize| trial.path("merged").join("shards").join(shard.to_string());
    assert_eq!((0..24).map(|at| self::rows(&shard(at).join("results.csv")).len()).sum::<usize>(), 2 * 24);
    assert_eq!(run(&["merge", &plan, "--out", &out, "--quiet"]).2, 0);
    whole("merged");
    let ids: Vec<String> = column(&trial.path("merged").join("results.csv"), "id");
    let asked = |at: &usize| column(&shard(*at).join("results.csv"), "id").iter().any(|id| ids.contains(id));
    let (some, none): (Vec<usize>, Vec<usize>) = (0..24).partition(asked);
    assert!(!none.is_empty(), "{some:?} {none:?}");
    assert!(!some.is_empty(), "{some:?} {none:?}");
    none.iter().for_each(|&at| fs::remove_dir_all(shard(at)).unwrap());
    assert_eq!(run(&["plan", "--missing", &plan, "--out", &out]).2, 0);
    assert_eq!(run(&["merge", &plan, "--out", &out, "--quiet"]).2, 0);
    whole("merged");
    fs::remove_dir_all(shard(some[0])).unwrap();
    assert_eq!(run(&["merge", &plan, "--out", &out, "--quiet"]).2, 3);
}

/// `plan` estimates the time of the remaining games from the rows of finished pairs, counting both
/// players' time; if all tests have ended, no time is left.
#[test]
fn plan_estimates_the_time_of_its_games() {
    let trial = Trial::new(&unequal());
    let time = |args: &[&str]| {
        let (stdout, stderr, code) =
            run(&[&["plan", &trial.text("trial.toml"), "--out", &trial.text("out")], args].concat());
        assert_eq!(code, 0, "{stderr}");
        stdout.lines().find_map(|line| line.strip_prefix("time ").map(|time| time.trim().to_owned())).unwrap()
    };
    assert!(time(&[]).ends_with("has no rows of this plan"));
    assert_eq!(trial.run("out", &["--quiet"]).2, 0);
    assert!(time(&[]).starts_with("none: "), "{}", time(&[]));
    // By hand: two pairs are done. In each game the variant took one second for 100 nodes and its
    // opponent searched 300 nodes, so a game takes four seconds.
    let file = trial.path("out").join("results.csv");
    let mut reader = csv::Reader::from_path(&file).unwrap();
    let header = reader.headers().unwrap().clone();
    let at = |name: &str| header.iter().position(|column| column == name).unwrap();
    let mut rows: Vec<Vec<String>> =
        reader.records().take(4).map(|row| row.unwrap().iter().map(str::to_owned).collect()).collect();
    for row in &mut rows {
        for (name, value) in [("seconds", "1"), ("search.nodes", "100"), ("match.opponent_nodes", "300")] {
            row[at(name)] = value.to_owned();
        }
    }
    for pair in rows.chunks_mut(2) {
        pair.iter_mut().fold(0, |previous, row| {
            row.pop();
            ttlab::internals::record::append_checksum(row, previous)
        });
    }
    fs::remove_file(trial.path("out").join("manifest.json")).unwrap();
    let mut writer = csv::Writer::from_path(&file).unwrap();
    writer.write_record(&header).unwrap();
    rows.iter().for_each(|row| writer.write_record(row).unwrap());
    writer.flush().unwrap();
    drop(writer);
    // 46 pairs of two games are left.
    assert_eq!(time(&[]).split(" with").next(), Some("about 6.1 minutes"), "{}", time(&[]));
}

/// Other bounds stop the same games elsewhere: a finished run continues to the new end, or drops
/// the games that are no longer needed.
#[test]
fn test_with_other_bounds_continues_with_the_same_games() {
    let (wide, narrow) = (Trial::new(&unequal()), Trial::new(&unequal().replace("elo1 = 100", "elo1 = 60")));
    assert_eq!((wide.run("out", &["--quiet"]).2, narrow.run("out", &["--quiet"]).2), (0, 0));
    let (few, many) = (wide.games("out"), narrow.games("out"));
    assert!(few.len() < many.len());
    let file = wide.text("trial.toml");
    fs::copy(narrow.path("trial.toml"), &file).unwrap();
    assert_eq!(wide.run("out", &["--quiet", "--jobs", "2"]).2, 0);
    assert_eq!((wide.games("out"), wide.rows("out")), (many, narrow.rows("out")));
    fs::write(&file, unequal()).unwrap();
    assert_eq!(wide.run("out", &["--quiet", "--jobs", "2"]).2, 0);
    assert_eq!(wide.games("out"), few);
    assert_eq!(run(&["verify", &wide.text("out")]).2, 0);
}

/// The settings of the test are no part of any id, because the test is computed from the games. The
/// rules that end a game are part of it.
#[test]
fn games_are_independent_of_metrics_and_claims() {
    let id = |text: &str| {
        let trial = Trial::new(text);
        let (stdout, stderr, code) = run(&["plan", &trial.text("trial.toml")]);
        assert_eq!(code, 0, "{stderr}");
        stdout.lines().find(|line| line.starts_with("plan ")).unwrap().to_owned()
    };
    let one = id(TRIAL);
    assert_eq!(id(&TRIAL.replace("elo1 = 50", "elo1 = 5, alpha = 0.01")), one);
    for (old, new) in [
        ("max_moves = 40", "max_moves = 41"),
        ("score = 600", "score = 601"),
        ("from = 10", "from = 11"),
        ("max_moves = 40", "max_moves = 40\npairing = \"round-robin\""),
        ("nodes = 800", "nodes = 801"),
    ] {
        assert!(TRIAL.contains(old), "{new}");
        assert!(id(&TRIAL.replace(old, new)) != one, "{new}");
    }
}

#[test]
fn round_robin_page_has_every_encounter() {
    let text = TRIAL
        .replace("first = 4", "first = 6")
        .replace("[match]", "[match]\npairing = \"round-robin\"")
        .replace("elo1 = 50", "elo1 = 50, stop = false");
    let trial = Trial::new(&text);
    let (_, stderr, code) = trial.run("out", &[]);
    assert_eq!(code, 0, "{stderr}");
    let path = trial.path("out").join("results.csv");
    assert_eq!(column(&path, "variant").len(), 3 * 6 * 2);
    // The page's figures equal those of the rows; the points are counted by hand here.
    let (stdout, _, code) = run(&["report", &trial.text("out"), "--format", "json"]);
    assert_eq!(code, 0);
    let json: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    let parts = json["parts"].as_array().unwrap();
    let table = |key: &str| parts.iter().find(|part| part["key"] == key).unwrap()["rows"].as_array().unwrap().clone();
    let names = [("base", "bare"), ("base", "plain"), ("bare", "plain")];
    let (variants, opponents) = (column(&path, "variant"), column(&path, "match.opponent"));
    let points: Vec<f64> = column(&path, "match.points").iter().map(|text| text.parse().unwrap()).collect();
    for (row, (first, second)) in table("encounters").iter().zip(names) {
        assert_eq!((row["variant"].as_str(), row["opponent"].as_str()), (Some(first), Some(second)));
        let games = (0..points.len()).filter(|&at| variants[at] == first && opponents[at] == second);
        let score = games.clone().map(|at| points[at]).sum::<f64>() / games.clone().count() as f64;
        let shown = row["score"].as_f64().unwrap();
        assert!((shown - score).abs() < 1e-9, "{shown} {score}");
        assert_eq!(row["pairs"], 6.0);
        let [won, drawn, lost] = [1.0, 0.5, 0.0].map(|worth| games.clone().filter(|&at| points[at] == worth).count());
        assert_eq!(row["wdl"], format!("{won}/{drawn}/{lost}"));
    }
    // Missing games are also reported in the short form, which ends every run and report.
    let text = fs::read_to_string(&path).unwrap();
    let id = column(&path, "id").pop().unwrap();
    let kept: Vec<&str> = text.lines().filter(|line| !line.starts_with(&id)).collect();
    fs::write(&path, kept.join("\n") + "\n").unwrap();
    let (stdout, _, code) = run(&["report", &trial.text("out")]);
    assert_eq!(code, 3, "{stdout}");
    assert!(stdout.contains("missing"), "{stdout}");
}

#[test]
fn games_are_written_again_from_the_rows() {
    let trial = Trial::new(&TRIAL.replace("first = 4", "first = 1"));
    assert_eq!(trial.run("out", &["--quiet"]).2, 0);
    let path = trial.path("out").join("games.pgn");
    let games = trial.games("out");
    for args in
        [&["compare", &trial.text("out"), &trial.text("out")][..], &["report", &trial.text("out"), "--by", "variant"]]
    {
        let (_, stderr, code) = run(args);
        assert_eq!(code, 2, "{args:?}: {code} {stderr}");
        assert!(stderr.contains("rows are games"), "{args:?}: {code} {stderr}");
    }
    // `report` writes the page again together with the games that it links to.
    fs::remove_file(&path).unwrap();
    assert_eq!(run(&["report", &trial.text("out")]).2, 0);
    assert_eq!(trial.games("out"), games);
    // `--fresh` deletes the games with their rows and plays them again.
    assert_eq!(trial.run("out", &["--quiet", "--fresh"]).2, 0);
    assert_eq!(trial.games("out"), games);
}

/// Claims are judged by the Elo interval that holds for all encounters jointly, and decide the exit
/// code of `--check`.
#[test]
fn claims_about_games_are_judged() {
    let claims = |texts: &[&str]| {
        let claims: String = texts.iter().map(|text| format!("[[expect]]\nclaim = \"{text}\"\n")).collect();
        Trial::new(&format!("{}{claims}", unequal().replace("elo1 = 100", "elo1 = 100, stop = false")))
    };
    let trial =
        claims(&["elo(base, bare) > 0", "score(bare, base) < 0.5", "elo(bare, base) > 0", "elo(plain, base) > 1"]);
    let (_, stderr, code) = trial.run("out", &["--quiet", "--check"]);
    assert_eq!(code, 1, "{stderr}");
    let (stdout, _, _) = run(&["report", &trial.text("out"), "--format", "json"]);
    let page: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    let table = page["parts"].as_array().unwrap().iter().find(|part| part["key"] == "verdicts").unwrap();
    let words: Vec<&str> =
        table["rows"].as_array().unwrap().iter().map(|row| row["verdict"].as_str().unwrap()).collect();
    assert_eq!(words, ["holds", "holds", "differs", "undecided"]);
    // The rows exist already: other claims are judged from the same rows.
    let other = claims(&["elo(base, bare) > 0"]);
    fs::copy(other.path("trial.toml"), trial.path("trial.toml")).unwrap();
    assert_eq!(trial.run("out", &["--quiet", "--check"]).2, 0);
}

/// python-chess replays every game: all moves are legal, and the result and the end of the game
/// agree.
#[test]
fn games_are_legal_for_python_chess() {
    if !has_python("chess") {
        return;
    }
    let trial = Trial::new(&TRIAL.replace("max_moves = 40", "max_moves = 200").replace("first = 4", "first = 6"));
    assert_eq!(trial.run("out", &["--quiet"]).2, 0);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program/clients/replay.py");
    let output = Command::new("python3").arg(script).arg(trial.path("out").join("games.pgn")).output().unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{stdout}{}", String::from_utf8_lossy(&output.stderr));
    assert!(stdout.starts_with("24 games"), "{stdout}{}", String::from_utf8_lossy(&output.stderr));
}

/// The command that starts Stockfish, or none (reported as skipped) if it isn't installed.
fn stockfish() -> Option<&'static str> {
    let there = ["/usr/games/stockfish", "stockfish"]
        .into_iter()
        .find(|name| Command::new(name).stdin(Stdio::null()).stdout(Stdio::null()).status().is_ok());
    if there.is_none() {
        skip("engines", "stockfish is not installed: nobody played us from python-chess (apt-get install stockfish)");
    }
    there
}

/// python-chess drives both engines: every move is legal, every PGN replays, nobody loses on time.
#[test]
fn cutechess_plays_complete_games_with_ttlab() {
    let (true, Some(other)) = (has_python("chess"), stockfish()) else { return };
    let folder = scratch();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pgn = folder.path().join("games.pgn").display().to_string();
    let suite = root.join("data/openings.epd").display().to_string();
    let ttlab = env!("CARGO_BIN_EXE_ttlab").to_owned();
    // Seconds on the clock: the test checks that clocks are respected at all, not how fast this
    // machine is.
    for (games, limit) in [("2", "nodes=1000"), ("1", "clock=2+0.05")] {
        let mut command = Command::new("python3");
        command.arg(root.join("tests/program/clients/play.py")).args([games, limit, &pgn, &suite, "--", &ttlab, "uci"]);
        let output = command.args(["--preset", "match", "--", other]).output().unwrap();
        let stdout = String::from_utf8_lossy(&output.stdout);
        let expected = format!("{games} games");
        assert!(output.status.success(), "{limit}: {stdout}{}", String::from_utf8_lossy(&output.stderr));
        assert!(stdout.starts_with(&expected), "{limit}: {stdout}{}", String::from_utf8_lossy(&output.stderr));
        assert!(
            stdout.contains("time forfeits: ours 0,"),
            "{limit}: {stdout}{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

/// A move is a search. If a variant without a table makes the first move, its score and depth equal
/// those that the search command prints for the opening, and every search of both sides uses
/// exactly its node limit.
#[test]
fn game_equals_its_single_searches() {
    let trial = Trial::new(&TRIAL.replace("max_moves = 40", "max_moves = 1").replace("first = 4", "first = 2"));
    assert_eq!(trial.run("out", &["--quiet"]).2, 0);
    let path = trial.path("out").join("results.csv");
    let read = |name: &str| column(&path, name);
    let (variants, colours, starts) = (read("variant"), read("match.colour"), read("match.start"));
    let (scores, moves, plies) = (read("match.scores"), read("match.moves"), read("match.plies"));
    let mut seen = 0;
    for at in 0..variants.len() {
        let list = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let (message, played) = (list(&scores[at]), list(&moves[at]));
        assert_eq!((message.len(), played.len(), plies[at].as_str()), (2, 2, "2"));
        assert_eq!((read("search.nodes")[at].as_str(), read("match.opponent_nodes")[at].as_str()), ("800", "800"));
        assert_eq!((read("match.blind")[at].as_str(), read("match.end")[at].as_str()), ("0", "max-moves"));
        // One search of 800 nodes left some entries in a table of 64 KiB; a player without a table
        // has none.
        let (slots, entries) = (read("slots")[at].clone(), read("entries")[at].parse::<u64>().unwrap_or(0));
        let (required, filled) = if variants[at] == "bare" { ("", 0..1) } else { ("4096", 1..801) };
        assert!(slots == required || slots == "0" && required.is_empty(), "{slots}");
        assert!(filled.contains(&entries), "{}: {entries}", variants[at]);
        let first = starts[at].contains(if colours[at] == "white" { " w " } else { " b " });
        if variants[at] == "bare" && first {
            let sets = ["--set", "table=none", "--set", "quiescence.delta=200"];
            let args = ["search", &starts[at], "--nodes", "800", "--preset", "match"];
            let (stdout, stderr, code) = run(&[&args[..], &sets[..]].concat());
            assert_eq!(code, 0, "{stderr}");
            let lines = stdout.lines().skip(1).take_while(|line| !line.is_empty() && !line.contains("(unfinished)"));
            let last = list(lines.last().unwrap());
            assert_eq!(
                (&last[0], &last[1], &last[5]),
                (&read("match.depths")[at], &message[0], &played[0]),
                "{stdout}"
            );
            assert_eq!(list(&read("match.searches")[at])[0], format!("{}/800", last[0]), "{stdout}");
            seen += 1;
        }
    }
    assert_eq!(seen, 2);
}

/// The games file follows the PGN standard of 1994 (section 8): quotes in tags are escaped, lines
/// have at most 80 characters and are as full as the words allow, and `Termination` gives how a
/// game ended.
#[test]
fn games_are_written_as_standard_pgn() {
    let text = TRIAL.replace("\"bare\"", "'the \"bare\" one'").replace("max_moves = 40", "max_moves = 12");
    let text = text
        .replace("resign = { score = 600, moves = 2 }", "")
        .replace("draw = { score = 20, moves = 4, from = 10 }", "");
    let trial = Trial::new(&text);
    let (_, stderr, code) = trial.run("out", &["--quiet"]);
    assert_eq!(code, 0, "{stderr}");
    let (games, path) = (trial.games("out"), trial.path("out").join("results.csv"));
    assert_eq!(games.matches("[White \"the \\\"bare\\\" one\"]").count(), 4);
    let suite = ttlab::internals::chess::Suite::load(
        &trial.path("out").join("games.pgn"),
        ttlab::internals::chess::SuiteOptions::default(),
    )
    .unwrap();
    let plies: Vec<String> = suite.items.iter().map(|item| item.moves().len().to_string()).collect();
    assert_eq!(plies, column(&path, "match.plies"));
    // No rule of chess ends a game within twelve moves here, and nobody resigns.
    assert!(column(&path, "match.end").iter().all(|end| end == "max-moves"));
    assert_eq!(games.matches("[Termination \"adjudication\"]").count(), suite.items.len());
    let mut wrapped = 0;
    for game in games.split("\n\n").filter(|part| !part.starts_with('[')) {
        let lines: Vec<&str> = game.trim_end().lines().collect();
        for (at, line) in lines.iter().enumerate() {
            assert!(line.len() <= 80, "{line}");
            assert!(!line.ends_with(' '), "{line}");
            if let Some(next) = lines.get(at + 1) {
                let word = next.split(' ').next().unwrap();
                assert!(line.len() + 1 + word.len() > 80, "{line} has room for {word}");
                wrapped += 1;
            }
        }
    }
    assert!(wrapped > 16, "{wrapped}");
}

/// A game has two players: if one table takes seven tenths of the free memory, the memory for one
/// game isn't enough.
#[test]
fn memory_of_a_game_is_that_of_two_players() {
    let answer = |size: &str| {
        let text = TRIAL.split("[[variant]]").next().unwrap().replace("64 KiB", size);
        let trial = Trial::new(&format!("{text}[[variant]]\nname = 'a'\n[[variant]]\nname = 'b'\naspiration = 0\n"));
        let (stdout, stderr, _) = run(&["check", &trial.text("trial.toml")]);
        stdout + &stderr
    };
    let number =
        |text: &str, before: &str| -> Option<u64> { text.split(before).nth(1)?.split(' ').next()?.parse().ok() };
    let absurd = answer("8000 GiB");
    // If the system doesn't report its free memory, nothing is refused.
    let Some(free) = number(&absurd, "exceed the ") else { return assert!(!absurd.contains("memory"), "{absurd}") };
    let size = free * 7 / 10;
    let message = answer(&format!("{size} MiB"));
    let both = number(&message, "table.size: ").unwrap_or_else(|| panic!("nothing is said: {message}"));
    assert!((2 * size).abs_diff(both) <= 2, "{size} twice is {both}? {message}");
}

/// The baseline plays against copies of itself with fewer nodes, and the page gives each variant's
/// strength in nodes of the baseline. The copies only serve as a scale and get no test of their
/// own.
#[test]
fn handicap_page_states_strength_in_nodes_of_the_baseline() {
    let text = TRIAL.replace("first = 4", "first = 12").replace("nodes = 800", "nodes = 400");
    let trial = Trial::new(&text.replace("test = { elo0 = 0, elo1 = 50 }", "handicap = [2, 6]"));
    let (_, errors, code) = trial.run("out", &["--jobs", "2", "--quiet"]);
    assert_eq!(code, 0, "{errors}");
    let (stdout, _, _) = run(&["report", &trial.text("out"), "--format", "json"]);
    let page: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    let parts = page["parts"].as_array().unwrap();
    let table = |key: &str| parts.iter().find(|part| part["key"] == key).unwrap()["rows"].as_array().unwrap().clone();
    let (encounters, copies) = (table("encounters"), table("handicaps"));
    let names = |rows: &[serde_json::Value]| {
        rows.iter().map(|row| row["variant"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&encounters), ["bare", "plain"]);
    assert_eq!(names(&copies), ["base, nodes / 2", "base, nodes / 6"]);
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    // Halving the nodes costs much Elo, and the variant without a table lies between half and all
    // nodes: its value is on the line through both in log nodes.
    let (bare, half) = (number(&encounters[0]["elo"]), number(&copies[0]["elo"]));
    assert!(half < bare && bare < 0.0, "{bare} {half}");
    let equal = number(&encounters[0]["equal_nodes"]);
    assert!((equal - 0.5_f64.powf(bare / half)).abs() < 1e-3, "{equal} {bare} {half}");
    let ends = [0, 1].map(|at| number(&encounters[0]["equal_nodes_interval"][at]));
    assert!(0.0 < ends[0], "{ends:?}");
    assert!(ends[0] < equal, "{ends:?}");
    assert!(equal < ends[1], "{ends:?}");
    assert!(ends[1] < 1.0, "{ends:?}");
    // The other variant is stronger than the baseline, and no copy played with more nodes.
    assert!(number(&encounters[1]["elo"]) > 0.0);
    assert!(encounters[1]["equal_nodes"].is_null());
}
