//! Tests of tuning an engine's own options: the race, from the experiment file to the report.

use super::{Trial, sixteen};

/// `Style = "Very Risky"` needs 100 nodes fewer, and one node fewer for every 8 MiB of Hash.
const RACE: &str = r#"
limit = { depth = 1 }
baseline = { "uci.Style" = "Solid" }
[subject]
uci = ["ENGINE", "styles"]
options = { Hash = 64 }
[grid]
"uci.Style" = ["Solid", "Very Risky"]
[tune]
first = 4
"#;

fn race(text: &str) -> Trial {
    let trial = Trial::new(text);
    std::fs::write(trial.path("suite.epd"), sixteen()).unwrap();
    trial
}

impl Trial {
    /// Tunes the experiment, with results in `out`.
    fn tune(&self, out: &str, more: &[&str]) -> super::Output {
        let output = self.call(&[&["tune", "trial.toml", "--out", out][..], more].concat());
        assert_eq!(super::all_gone(&self.token), Vec::<String>::new());
        output
    }
}

/// By the scripted engine's rule, the held-out items need 956 nodes instead of 1064.
#[test]
fn race_of_engine_options_confirms_its_winner() {
    let trial = race(RACE);
    trial.tune("out", &["--jobs", "2"]).expect(0).prints(&[
        "engine \"Style=Solid\": Scripted 1: counts exact",
        "Use \"Style=Very Risky\" instead of \"Style=Solid\": 10.2 % fewer nodes",
        "on 8 positions that the race never saw",
    ]);
    // Finished stages are read, not run again.
    trial.tune("out", &[]).expect(0).prints(&["\n0 jobs in "]);
}

#[test]
fn metric_that_an_engine_lacks_is_refused_before_the_race() {
    for (from, to, says) in [
        ("\"Very Risky\"]", "\"Very Riksy\"]", "did you mean `Very Risky`?"),
        (
            "depth = 1",
            "nodes = 5000",
            "tune.metric: with limit.nodes, every candidate searches the same number of nodes",
        ),
        ("first = 4", "metric = \"loss\"", "tune.metric: races compare ratios, but the loss of moves is a difference"),
        ("first = 4", "metric = \"usable_rate\"", "usable_rate"),
    ] {
        let text = RACE.replace(from, to);
        assert_ne!(text, RACE);
        let trial = race(&text);
        trial.tune("out", &[]).expect(2).prints(&[says]);
        assert!(!trial.path("out/race-1").exists(), "{to}");
    }
    // Counts that aren't repeatable are reported.
    let wander = race(&RACE.replace("styles", "wander"));
    wander.tune("out", &[]).expect(0).prints(&["counts not repeatable: another run may lead to other decisions"]);
    let page = std::fs::read_to_string(wander.path("out/report.md")).unwrap();
    assert!(page.contains("| not repeatable |"), "{page}");
}

/// If the engine fails in a position of a stage, nothing is concluded from the others.
#[test]
fn race_whose_engine_fails_has_no_winner() {
    let text = RACE.replace("[\"ENGINE\", \"styles\"]", "[\"env\", \"AT=pp1ppppp\", \"ENGINE\", \"exit\"]");
    let trial = race(
        &text
            .replace("\"uci.Style\" = [\"Solid\", \"Very Risky\"]", "\"uci.Hash\" = [16, 64]")
            .replace("baseline = { \"uci.Style\" = \"Solid\" }\n", ""),
    );
    trial.tune("out", &["--jobs", "2"]).expect(2).prints(&["the engine exited unexpectedly"]);
    assert!(!trial.path("out/report.md").exists());
}
