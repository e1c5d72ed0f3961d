//! Metrics whose direction can't reverse: score errors in pages, claims and gates.

use crate::common::{run, scratch};
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use ttlab::internals::record::manifest::Manifest;

const JUDGED: &str = "name = 'x'\nsuite = 'data/bratko-kopec.epd'\nfirst = 8\nlimit = { nodes = 500 }\n[reference]\nself = { nodes = 20_000 }\n[engine]\n\
    preset = 'match'\ntable.size = 512\n[grid]\n'limit.nodes' = [500, 4000]\n'table.policy' = ['always', 'depth-preferred']\n";

/// Searches of eight times the nodes have smaller errors. The page, a claim and a gate all use the
/// same figures, computed from the rows and from the reference scores, which are shared by all
/// variants.
#[test]
fn score_errors_are_judged_once_and_compared_everywhere() {
    let folder = scratch();
    let claim =
        "[[expect]]\nclaim = 'score_error(nodes=4000, policy=always) < 2 * score_error(nodes=500, policy=always)'\n";
    let file = folder.path().join("x.toml");
    fs::write(&file, format!("{JUDGED}{claim}")).unwrap();
    let [out, other] = ["out", "other"].map(|name| folder.path().join(name).display().to_string());
    let (_, errors, code) = run(&["run", file.to_str().unwrap(), "--out", &out, "--quiet"]);
    assert_eq!(code, 0, "{errors}");
    let rows = |name: &str| -> Vec<csv::StringRecord> {
        csv::Reader::from_path(format!("{out}/{name}")).unwrap().records().map(Result::unwrap).collect()
    };
    let judged = rows("reference.csv");
    assert_eq!(judged.len(), 8, "each position once");
    // The mean of one variant by hand: its last rows, with the distance from the reference score
    // cut at 150.
    let header = csv::Reader::from_path(format!("{out}/results.csv")).unwrap().headers().unwrap().clone();
    let at = |name: &str| header.iter().position(|column| column == name).unwrap();
    let results = rows("results.csv");
    let error = |judged: &csv::StringRecord| {
        let mut mine = results
            .iter()
            .filter(|row| row[at("variant")] == *"nodes=500, policy=always" && row[at("position")] == judged[1]);
        let [found, expected] =
            [&mine.next_back().unwrap()[at("score")], &judged[4]].map(|score| score.parse::<f64>().unwrap());
        (found - expected).abs().min(150.0)
    };
    let mean = judged.iter().map(error).sum::<f64>() / 8.0;
    let json = |args: &[&str]| -> serde_json::Value {
        serde_json::from_str(&run(&[&["report", &out, "--format", "json"], args].concat()).0).unwrap()
    };
    let table = |page: &serde_json::Value| {
        page["parts"].as_array().unwrap().iter().find(|part| part["key"] == "summary").unwrap()["rows"].clone()
    };
    let page = json(&[]);
    let line = &table(&page)[0];
    assert!(line["variant"] == "nodes=500, policy=always *", "{line}");
    assert!((line["score_error"].as_f64().unwrap() - mean).abs() < 1e-9, "{line}");
    let output = "score_error: distance, cut at 150 centipawns, from the score that the engine of \\\"nodes=500, policy=always\\\" has after 20,000 nodes \
                with a table without a bound";
    assert!(page.to_string().contains(output), "{page}");
    // Over both limits, each policy is compared with the other at the same number of nodes.
    let by = json(&["--metric", "score_error", "--by", "table.policy"]);
    assert_eq!(table(&by).as_array().unwrap().len(), 2, "{by}");
    assert!(page.to_string().contains("score_error(nodes=4000, policy=always) < 2 * score_error"), "{page}");
    // A gate measures both results against the reference of the old one. A difference that isn't
    // significant doesn't fail.
    let gate = |gate: &str| run(&["compare", &out, &other, "--fail-on", gate, "--allow-moves"]);
    let copy = |from: &str, to: &str| fs::write(to, fs::read(from).unwrap()).unwrap();
    fs::create_dir(&other).unwrap();
    ["results.csv", "manifest.json", "experiment.toml"]
        .iter()
        .for_each(|name| copy(&format!("{out}/{name}"), &format!("{other}/{name}")));
    let (stdout, errors, code) = gate("score_error > +2%");
    assert_eq!(code, 0, "{stdout}{errors}");
    assert!(stdout.contains(&format!("{mean:.1} -> {mean:.1} (=)")), "{stdout}");
    // Without reference scores the gate can't be evaluated.
    fs::remove_file(format!("{out}/reference.csv")).unwrap();
    let (_, errors, code) = gate("score_error > +2%");
    assert_eq!(code, 2, "{errors}");
    assert!(errors.contains("score_error"), "{errors}");
    fs::remove_file(format!("{out}/experiment.toml")).unwrap();
    let (_, errors, code) = gate("score_error > +2%");
    assert_eq!(code, 2, "{errors}");
    assert!(errors.contains("there is no metric `score_error`"), "{errors}");
}

/// If the table decides how deep the search goes, nodes get a heading of their own and no verdict,
/// on the page and in each figure. A gate on nodes prints one line about it, and score errors come
/// first if there are reference scores. Nothing changes for `match`.
#[test]
fn nodes_that_may_mislead_carry_no_verdict() {
    let folder = scratch();
    let text = "name = 'x'\nsuite = 'data/bratko-kopec.epd'\nfirst = 12\nlimit = { depth = 4 }\n[engine]\npreset = 'PRESET'\n[grid]\n'table.size' = [64, 65536]\n";
    let ran = |preset: &str| {
        let (file, out) = (folder.path().join("x.toml"), folder.path().join(preset).display().to_string());
        fs::write(&file, text.replace("PRESET", preset)).unwrap();
        let (_, errors, code) = run(&["run", file.to_str().unwrap(), "--out", &out, "--quiet"]);
        assert_eq!(code, 0, "{errors}");
        let page = fs::read_to_string(format!("{out}/report.md")).unwrap();
        let gate = run(&["compare", &out, &out, "--fail-on", "nodes > +1%"]);
        assert_eq!(gate.2, 0, "{}", gate.1);
        (page, gate.0, out)
    };
    let output = "odes at equal depth may mislead in \"size=64\", \"size=65536\": `iir` and `singular` ask the table how deep to search";
    let (plain, gate, out) = ran("match");
    let message = run(&["report", &out]).0;
    assert!(message.contains("% fewer nodes"), "{message}{gate}");
    assert!(message.contains("(\"size=65536\")"), "{message}{gate}");
    assert!(message.contains('!'), "{message}{gate}");
    assert!(!gate.contains("mislead"), "{message}{gate}");
    assert!(plain.contains("| nodes |"), "{plain}");
    assert!(!plain.contains("nodes to the nominal depth"), "{plain}");
    let (modern, gate, out) = ran("modern");
    let message = run(&["report", &out]).0;
    assert!(message.contains(output), "{message}");
    assert!(message.contains("nodes to the nominal depth / baseline"), "{message}");
    assert!(!message.contains("% fewer"), "{message}");
    assert!(!message.lines().any(|line| line.starts_with("size") && line.contains('!')), "{message}");
    assert!(!modern.lines().any(|line| line.starts_with("| size") && line.contains('!')), "{modern}");
    assert!(gate.contains(&format!("gate `nodes > +1%`: n{output}")), "{gate}");
    assert!(gate.contains("pass (may mislead)"), "{gate}");
    // Worth by itself decides nothing.
    let gates = |gates: &[&str]| {
        let gates: Vec<&str> = gates.iter().flat_map(|gate| ["--fail-on", gate]).collect();
        run(&[&["compare", &out, &out], &gates[..]].concat())
    };
    let (_, errors, code) = gates(&["saved < -1%"]);
    assert_eq!(code, 2, "{errors}");
    assert!(errors.contains("the worth of cutoffs cannot decide alone, because it leaves out the cost"), "{errors}");
    assert_eq!(gates(&["saved < -1%", "nodes > +1%"]).2, 0);
}

/// A claim on nodes that may mislead is undecided and gives the reason, on the page and in its
/// data, and `--check` fails. An expected number of nodes and claims on other metrics are still
/// judged.
#[test]
fn claim_on_nodes_that_may_mislead_is_undecided() {
    let folder = scratch();
    let text = "name = 'x'\nsuite = 'data/bratko-kopec.epd'\nfirst = 12\nlimit = { depth = 4 }\n[engine]\npreset = 'PRESET'\n\
        [[variant]]\nname = 'a'\ntable.size = 64\n[[variant]]\nname = 'b'\ntable.size = 65536\n\
        [[expect]]\nclaim = 'nodes(a) > nodes(b)'\n[[expect]]\nclaim = 'table.hits(a) < table.hits(b)'\n[[expect]]\nnodes = { min = 1 }\n";
    let judge = |preset: &str| {
        let (file, out) = (folder.path().join("x.toml"), folder.path().join(preset).display().to_string());
        fs::write(&file, text.replace("PRESET", preset)).unwrap();
        let code = run(&["run", file.to_str().unwrap(), "--out", &out, "--quiet", "--check"]).2;
        let forms = ["text", "md", "json"].map(|form| run(&["report", &out, "--format", form]).0);
        (code, forms)
    };
    let reason = "no verdict, because nodes at equal depth may mislead: `iir` and `singular` ask the table";
    let (code, forms) = judge("match");
    assert_eq!(code, 0, "{}", forms[1]);
    assert!(!forms.concat().contains(reason), "{}", forms[1]);
    let (code, forms) = judge("modern");
    assert_eq!(code, 1, "{}", forms[1]);
    for form in &forms {
        assert!(form.contains(reason), "{form}");
    }
    assert!(forms[1].contains("2 hold, 0 differ, 1 undecided"), "{}", forms[1]);
}

/// One command runs a screen and then the games: the baseline and the variants within the margin
/// play, those beyond it are left out, and running the command again plays no new games. The page
/// of the searches has it all, and `report` makes it again. A race passes its survivors on in the
/// same way.
#[test]
fn confirm_plays_games_among_the_screened_variants() {
    let folder = scratch();
    let text = "name = 'x'\nsuite = 'data/bratko-kopec.epd'\nfirst = 12\nlimit = { depth = 4 }\nsequence = { self_play = 2 }\n[engine]\npreset = 'match'\n[tune]\nfirst = 4\n\
        held_out = 0.4\n[[variant]]\nname = 'small'\ntable.size = 64\n[[variant]]\nname = 'large'\ntable.size = 65536\n[[variant]]\nname = 'none'\ntable = 'none'\n\
        [confirm]\nopenings = 'data/openings.epd'\nlimit = { nodes = 60 }\nfirst = 30\nbudget = 45\ndraw = { score = 2000, moves = 1, from = 3 }\n";
    let file = folder.path().join("x.toml");
    fs::write(&file, text).unwrap();
    for command in ["run", "tune"] {
        let out = folder.path().join(command).display().to_string();
        let ran = || run(&[command, file.to_str().unwrap(), "--out", &out]);
        let (stdout, errors, code) = ran();
        assert_eq!(code, 0, "{errors}");
        assert!(errors.contains("confirm, stage 1: "), "{errors}");
        assert!(errors.contains("against \"large\", 30 pairs each"), "{errors}");
        assert!(errors.contains("confirm, stage 2: "), "{errors}");
        assert!(errors.contains("against \"large\", 15 pairs each"), "{errors}");
        assert!(stdout.contains(" in 45 pairs of games, which may be chance.\n"), "{stdout}");
        let page = fs::read_to_string(format!("{out}/report.md")).unwrap();
        assert!(page.lines().any(|line| line.starts_with("| small |") && line.ends_with("| undecided |")), "{page}");
        if command == "run" {
            let left_out = "Left out of the games: \"none\", more than 60 Elo behind \"large\" by nodes";
            assert!(stdout.contains(left_out), "{stdout}");
            let head = |page: &str| page.lines().take(10).map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(head(&run(&["report", &out, "--format", "md"]).0), head(&page));
        }
        let games = fs::read(format!("{out}/confirm/2/results.csv")).unwrap();
        let (again, errors, code) = ran();
        assert_eq!(code, 0, "{errors}");
        assert_eq!(again.lines().next(), stdout.lines().next());
        assert_eq!(fs::read(format!("{out}/confirm/2/results.csv")).unwrap(), games);
        // The games of other options, and those of a stage that an earlier run has left, do not
        // count.
        if command == "run" {
            let stage = |number: u32| format!("{out}/confirm/{number}");
            fs::create_dir(stage(3)).unwrap();
            for name in ["experiment.toml", "manifest.json", "results.csv"] {
                fs::copy(format!("{}/{name}", stage(2)), format!("{}/{name}", stage(3))).unwrap();
            }
            let (again, ..) = ran();
            assert_eq!(again.lines().next(), stdout.lines().next());
            assert!(!Path::new(&stage(3)).join("results.csv").exists());
            let mut manifest = Manifest::read(stage(1).as_ref()).unwrap().unwrap();
            manifest.run.sets.push("draws=true".to_owned());
            fs::write(format!("{}/manifest.json", stage(1)), manifest.to_text().unwrap()).unwrap();
            assert!(!run(&["report", &out, "--format", "md"]).0.contains("pairs of games"));
        }
        for row in csv::Reader::from_reader(&games[..]).deserialize::<HashMap<String, String>>().map(Result::unwrap) {
            assert_eq!(["limit", "match.end"].map(|column| row[column].as_str()), ["nodes 60", "draw-agreed"]);
        }
    }
}

/// In a search whose shape depends on its table, a race on nodes warns that they may mislead, and
/// the table that forgets more wins. With `shape=neutral` there is no warning, and the other table
/// wins.
#[test]
fn race_on_neutral_nodes_finds_the_table_that_forgets_less() {
    let folder = scratch();
    let text = "suite = 'data/bratko-kopec.epd'\nlimit = { depth = 6 }\n[engine]\npreset = 'modern'\nsingular.min_depth = 0\ntable.size = 512\n\
        [tune]\nfirst = 6\n[[variant]]\nname = 'scored'\n[[variant]]\nname = 'always'\ntable.policy = 'always'\n";
    let file = folder.path().join("x.toml");
    fs::write(&file, text).unwrap();
    let race = |shape: &str| {
        let out = folder.path().join(shape).display().to_string();
        let (stdout, errors, code) =
            run(&["tune", file.to_str().unwrap(), "--out", &out, "--set", &format!("shape={shape}")]);
        assert_eq!(code, 0, "{errors}");
        (stdout, errors)
    };
    let (stdout, errors) = race("table");
    assert!(errors.contains("nodes at equal depth may mislead in \"always\", \"scored\""), "{errors}");
    assert!(stdout.contains("- Use \"always\" instead of \"scored\": "), "{stdout}");
    let (stdout, errors) = race("neutral");
    assert!(!errors.contains("mislead"), "{errors}");
    assert!(stdout.contains("- Keep the baseline, \"scored\": "), "{stdout}");
}

/// `plan` prints the largest possible number of `[confirm]` games before the run, and the time of
/// searches and games from a trial, which leaves nothing behind.
#[test]
fn plan_states_the_number_of_confirming_games() {
    let folder = scratch();
    let text = "suite = 'data/bratko-kopec.epd'\nfirst = 12\nlimit = { depth = 4 }\nsequence = { self_play = 2 }\n[engine]\npreset = 'match'\n[grid]\n'table.size' = [64, 128, 65536]\n\
        [confirm]\nopenings = 'data/openings.epd'\nlimit = { nodes = 60 }\nfirst = 30\nbudget = 45\n";
    let file = folder.path().join("x.toml");
    fs::write(&file, text).unwrap();
    let (stdout, errors, code) = run(&["plan", file.to_str().unwrap()]);
    assert_eq!(code, 0, "{errors}");
    let find = |heading: &str| stdout.lines().find_map(|line| line.strip_prefix(heading)).unwrap();
    let most = "at most 2 encounters x 45 pairs of games; they are judged after 30, 45 pairs";
    assert_eq!(find("confirm     "), most);
    let time = find("time        ");
    assert!(time.starts_with("at most about ") && time.ends_with("(a trial of two items and two openings)"), "{time}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}
