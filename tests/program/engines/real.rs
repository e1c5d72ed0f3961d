//! Tests with Debian's engines, if they are installed: compares their rows with an independent
//! driver and with totals measured earlier.

use super::Trial;
use crate::common::{has_python, skip};
use std::path::Path;
use std::process::Command;

/// An engine as Debian packages it: its command and arguments, the depth of a quick search, and its
/// options.
struct Real {
    words: &'static [&'static str],
    depth: u8,
    options: &'static [(&'static str, &'static str)],
}

const REPEATING: &[Real] = &[
    Real { words: &["stockfish"], depth: 9, options: &[("Threads", "1"), ("Hash", "16")] },
    Real { words: &["ethereal-chess"], depth: 9, options: &[("Threads", "1"), ("Hash", "16")] },
    Real { words: &["glaurung"], depth: 7, options: &[("Threads", "1"), ("Hash", "16"), ("OwnBook", "false")] },
    Real { words: &["gnuchess", "-u"], depth: 6, options: &[("Hash", "16"), ("OwnBook", "false")] },
];

fn path(program: &str) -> Option<String> {
    let words = ttlab::internals::subject::options::CommandLine::Name(program.to_owned());
    ttlab::internals::subject::find_program(&words, Path::new("")).ok().map(|found| found.path.display().to_string())
}

/// Returns whether an engine is installed, and reports the skip if it isn't.
fn here(program: &str) -> bool {
    let found = path(program).is_some();
    if !found {
        skip("engines", &format!("{program} is not installed: nothing of it was tested (apt-get install {program})"));
    }
    found
}

fn suite() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data/bratko-kopec.epd").display().to_string()
}

fn trial(rest: &str) -> Trial {
    let trial = Trial::new("");
    std::fs::write(trial.path("trial.toml"), format!("suite = {:?}\n{rest}", suite())).unwrap();
    trial
}

/// Returns the TOML table of a variant.
fn variant(name: &str, words: &[&str], depth: u8, options: &[(&str, &str)]) -> String {
    let mut text = format!("[[variant]]\nname = {name:?}\n\"subject.uci\" = {words:?}\n\"limit.depth\" = {depth}\n");
    options.iter().for_each(|(name, value)| text.push_str(&format!("\"uci.{name}\" = {value}\n")));
    text
}

/// Returns position, depth, nodes and best move for each depth of each search, as the independent
/// driver reports them.
fn drive_independently(first: &str, depth: u8, options: &[(&str, &str)], words: &[&str]) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/program/engines/independent.py");
    let options: Vec<String> = options.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let output = Command::new("python3")
        .arg(&script)
        .args([&suite(), first, &depth.to_string(), &options.join(","), &path(words[0]).unwrap()])
        .args(&words[1..])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

#[test]
fn rows_equal_those_of_an_independent_driver() {
    if !has_python("chess") {
        return;
    }
    let engines: Vec<&Real> = REPEATING.iter().filter(|real| here(real.words[0])).collect();
    if engines.is_empty() {
        return;
    }
    const FIRST: &str = "3";
    let variants = engines.iter().map(|real| variant(real.words[0], real.words, real.depth, real.options));
    let trial = trial(&format!("first = {FIRST}\n{}", variants.collect::<String>()));
    trial.run("out", &["--jobs", "1"]).expect(0);
    let rows = trial.rows("out");
    for real in engines {
        let expected = drive_independently(FIRST, real.depth, real.options, real.words);
        let mine = rows.iter().filter(|row| row["variant"] == real.words[0]);
        let mine: Vec<String> = mine
            .map(|row| format!("{} {} {} {}", row["position"], row["depth"], row["search.nodes"], row["best"]))
            .collect();
        assert!(mine.len() > 3 * 3, "depths of {}: {mine:?}", real.words[0]);
        assert_eq!(mine.join("\n"), expected, "{}", real.words[0]);
        assert!(rows.iter().all(|row| row["reported.repeats"] == "exact"));
    }
}

/// Totals over the first four positions at depth 13, from another driver (`independent.py`). Over
/// the first twelve positions, that driver's totals are the ones measured before either driver was
/// written: 714,145, 1,652,297 and 1,735,514. For other versions of an engine, the other driver
/// computes the expected totals now.
#[test]
fn totals_equal_those_measured_before() {
    let totals: [(&str, &str, u64); 3] =
        [("stockfish", "16", 217_199), ("ethereal-chess", "2", 573_950), ("ethereal-chess", "16", 710_422)];
    let versions = [("stockfish", "Stockfish 15.1"), ("ethereal-chess", "Ethereal 12.00")];
    let here: Vec<_> = totals.into_iter().filter(|(program, ..)| here(program)).collect();
    if here.is_empty() {
        return;
    }
    let variants = here.iter().map(|(program, hash, _)| {
        variant(&format!("{program} {hash}"), &[program], 13, &[("Threads", "1"), ("Hash", hash)])
    });
    let trial = trial(&format!("first = 4\n{}", variants.collect::<String>()));
    trial.run("out", &["--jobs", "2"]).expect(0);
    let manifest = trial.manifest("out");
    for (program, hash, total) in here {
        let name = format!("{program} {hash}");
        let version = manifest["subjects"][&name]["name"].as_str().unwrap().to_owned();
        let total = match versions.contains(&(program, &version)) {
            true => total,
            false if !has_python("chess") => continue,
            false => {
                let lines = drive_independently("4", 13, &[("Threads", "1"), ("Hash", hash)], &[program]);
                lines.lines().map(|line| line.split(' ').nth(2).unwrap().parse::<u64>().unwrap()).sum()
            }
        };
        let rows = trial.rows("out");
        let nodes =
            rows.iter().filter(|row| row["variant"] == name).map(|row| row["search.nodes"].parse::<u64>().unwrap());
        assert_eq!(nodes.sum::<u64>(), total, "{name}");
    }
}

#[test]
fn ignored_limit_is_reported_without_a_hang() {
    if here("ethereal-chess") {
        let trial = trial(&format!("first = 2\nlimit = {{ nodes = 5000 }}\n[subject]\nuci = {:?}\n", "ethereal-chess"));
        trial.run("out", &[]).expect(2).prints(&[
            "Ethereal",
            "ignores `go nodes`: it searched ",
            "it respects limit.depth",
        ]);
    }
}

/// A race of Stockfish's evaluations: whichever wins, all stages are present and their rows have
/// each depth of each search. It uses as few items as possible, because each stage
/// tries both engines in five processes each. `races.rs` tests the rest with the scripted engine,
/// which is fast.
#[test]
fn race_of_stockfish_options_has_all_stages() {
    if !here("stockfish") {
        return;
    }
    let trial = trial(
        "first = 4\nlimit = { depth = 6 }\nbaseline = { \"uci.Use NNUE\" = true }\n[subject]\nuci = \"stockfish\"\noptions = { Threads = 1, Hash = 16 }\n\
         [grid]\n\"uci.Use NNUE\" = [false, true]\n[tune]\nfirst = 2\n",
    );
    trial
        .call(&["tune", "trial.toml", "--out", "out"])
        .expect(0)
        .prints(&["counts exact", " on 2 positions that the race never saw"]);
    for stage in ["out/race-1", "out/held-out"] {
        let rows = trial.rows(stage);
        assert_eq!(rows.iter().filter(|row| row["depth"] == "6").count(), 2 * 2, "{stage}");
        assert!(rows.len() > 2 * 2, "{stage}");
    }
}

/// Stockfish is judged by its own longer searches: each position is judged once, and the mean score
/// difference equals a calculation by hand.
#[test]
fn score_error_of_stockfish_equals_a_calculation_by_hand() {
    if !here("stockfish") {
        return;
    }
    let trial = trial(
        "first = 4\nlimit = { nodes = 2000 }\n[subject]\nuci = \"stockfish\"\noptions = { Threads = 1, Hash = 1 }\n\
         [reference]\nself = { nodes = 40_000, options = { Hash = 16 } }\n[grid]\n\"limit.nodes\" = [500, 2000]\n",
    );
    trial.run("out", &[]).expect(0);
    let judged: Vec<std::collections::BTreeMap<String, String>> =
        csv::Reader::from_path(trial.path("out/reference.csv")).unwrap().deserialize().map(Result::unwrap).collect();
    assert_eq!(judged.len(), 4);
    let number = |text: &str| text.parse::<f64>().unwrap();
    assert!(judged.iter().all(|one| number(&one["nodes"]) >= 40_000.0), "{judged:?}");
    let rows = trial.rows("out");
    let message = trial.call(&["report", "out", "--format", "json"]).expect(0);
    let page: serde_json::Value = serde_json::from_str(&message.out).unwrap();
    let parts = page["parts"].as_array().unwrap();
    let lines = parts.iter().find(|part| part["key"] == "summary").unwrap()["rows"].as_array().unwrap();
    assert_eq!(lines.len(), 2);
    for (line, name) in lines.iter().zip(["nodes=500", "nodes=2000"]) {
        let error = |one: &std::collections::BTreeMap<String, String>| {
            let mut search = rows.iter().filter(|row| row["variant"] == name && row["position"] == one["position"]);
            (number(&search.next_back().unwrap()["score"]) - number(&one["score"])).abs().min(150.0)
        };
        let mean = judged.iter().map(error).sum::<f64>() / 4.0;
        assert!((line["score_error"].as_f64().unwrap() - mean).abs() < 1e-9, "{name}: {line} {mean}");
    }
}
