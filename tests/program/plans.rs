//! Ids and shards: everything that changes what is searched changes the ids of the plan and of the
//! rows, and nothing else does; shards get nearly equal numbers of jobs.

use crate::common::scratch;
use crate::values;
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use ttlab::internals::experiment::{Experiment, Plan, Subject};

fn plan(text: &str) -> Plan {
    Plan::new(
        &Experiment::parse(text, Path::new("plan.toml"), &[])
            .unwrap_or_else(|error| panic!("{text}: {}", error.message)),
    )
}

/// The id of the plan, of the first row of its first job, and of that job.
fn ids(text: &str) -> [u64; 3] {
    let plan = plan(text);
    let job = plan.jobs().next().unwrap();
    [plan.id(), plan.row_id(&job, job.item, 0, 1), plan.job_id(&job)]
}

const FILE: &str = "suite = 'data/games.pgn'\nfirst = 2\nlimit = { depth = 3 }\n[sequence]\nfrom = 2\nto = 9\n";

#[test]
fn jobs_that_search_differently_have_different_ids() {
    let base = ids(FILE);
    for (from, to) in [
        ("depth = 3", "depth = 4"),
        ("depth = 3", "nodes = 3"),
        ("depth = 3", "depth = 3, nodes = 1000"),
        ("depth = 3", "depth = 3, nodes = 1001"),
        ("from = 2", "from = 3"),
        ("to = 9", "to = 10"),
        ("to = 9\n", ""),
        ("to = 9", "to = 9\nside = 'white'"),
        ("to = 9", "to = 9\nside = 'black'"),
        ("to = 9", "to = 9\n[engine]\ntable.slots = 2"),
        ("to = 9", "to = 9\n[engine]\npreset = 'otter'"),
    ] {
        let other = ids(&FILE.replace(from, to));
        assert_ne!(FILE, FILE.replace(from, to));
        for (at, what) in ["plan", "row", "job"].iter().enumerate() {
            assert_ne!(base[at], other[at], "{what}: {from} -> {to}");
        }
    }
    // A description of an experiment, or how much of it is run, doesn't change what is searched.
    let answer = "name = 'x'\nquestion = 'why?'\nanalysis = 'because'\nslow = true\nsuite";
    assert_eq!(base, ids(&FILE.replacen("suite", answer, 1)));
    for (from, to) in [("first = 2", "first = 3"), ("suite", "repeats = 2\nsuite")] {
        let other = ids(&FILE.replacen(from, to, 1));
        assert!(other[0] != base[0], "{to}: another plan of the same rows");
        assert!(other[1..] == base[1..], "{to}: another plan of the same rows");
    }
}

/// Given positions with self-play of two lengths: ids depend on the position itself, not on its
/// name.
#[test]
fn id_depends_on_every_property_of_a_position() {
    let ids_of_fen = |fen: &str| ids(&format!("suite = {{ fen = '{fen}' }}\nlimit = {{ depth = 3 }}\n"));
    let fens = [
        "r3k2r/8/8/8/3pP3/8/8/R3K2R w KQkq - 0 1",
        "r3k2r/8/8/8/3pP3/8/8/R3K2R b KQkq - 0 1",
        "r3k2r/8/8/8/3pP3/8/8/R3K2R w KQk - 0 1",
        "r3k2r/8/8/8/3pP3/8/8/R3K2R b KQkq e3 0 1",
        "r3k2r/8/8/8/3pP3/8/8/R3K2R w KQkq - 1 1",
        "r3k2r/8/8/8/3pP3/8/8/R3K2R w KQkq - 0 2",
        "r3k2r/8/8/8/4P3/8/8/R3K2R w KQkq - 0 1",
    ];
    let all: Vec<_> = fens.iter().map(|fen| ids_of_fen(fen)).collect();
    for (a, b) in (0..all.len()).flat_map(|a| (0..a).map(move |b| (a, b))) {
        assert!((0..3).all(|at| all[a][at] != all[b][at]), "{} and {}", fens[a], fens[b]);
    }
    let own = |plies: u16| {
        ids(&format!("suite = {{ startpos = true }}\nlimit = {{ depth = 3 }}\nsequence = {{ self_play = {plies} }}\n"))
    };
    assert!((0..3).all(|at| own(3)[at] != own(4)[at]));
}

/// Every value of every option: no two share an id.
#[test]
fn id_depends_on_every_option() {
    let mut seen: HashMap<[u64; 3], String> = HashMap::new();
    let mut different: HashMap<String, String> = HashMap::new();
    for (name, options) in values::value_options().into_iter().flat_map(|(_, points)| points) {
        let mut experiment =
            Experiment::parse("suite = { startpos = true }\nlimit = { depth = 3 }\n", Path::new("plan.toml"), &[])
                .unwrap();
        let text = serde_json::to_string(&options).unwrap();
        experiment.variants[0].subject = Subject::Builtin { options: Box::new(options), is_named_by_file: false };
        let plan = Plan::new(&experiment);
        let job = plan.jobs().next().unwrap();
        let ids = [plan.id(), plan.row_id(&job, 0, 0, 1), plan.job_id(&job)];
        // Two names for the same options (a parameter at its default) are the same plan.
        match (seen.insert(ids, name.clone()), different.insert(text, name.clone())) {
            (Some(other), None) => panic!("{name} and {other} have one id"),
            (None, Some(other)) => panic!("{name} and {other} are the same and have two ids"),
            _ => {}
        }
    }
    assert!(seen.len() > 200);
}

/// A variant whose table or history is never cleared runs through the whole suite as one job, and
/// the ids of its rows depend on the earlier items; the ids of other variants don't.
#[test]
fn id_of_a_kept_table_depends_on_earlier_items() {
    let folder = scratch();
    let plan = |first: &str| {
        let suite = format!("{first}\n8/8/8/4k3/8/8/8/R3K3 w - - id \"rook\";\n");
        fs::write(folder.path().join("own.epd"), suite).unwrap();
        let file = folder.path().join("plan.toml");
        let text = "suite = 'own.epd'\nlimit = { depth = 2 }\n[[variant]]\nname = 'cleared'\n[[variant]]\nname = 'table'\n\
            'table.clear' = 'never'\n[[variant]]\nname = 'history'\n'history_clear' = 'never'\n";
        fs::write(&file, text).unwrap();
        let plan = Plan::new(&Experiment::load(&file, &[]).unwrap_or_else(|problem| panic!("{}", problem.message)));
        let kept = [0, 1, 2].map(|variant| plan.is_whole_suite_job(variant));
        let ids = [0, 1, 2].map(|variant| plan.row_id(&plan.job_for(variant, None, 1, 0), 1, 0, 1));
        (kept, ids, plan.len())
    };
    let (kept, ids, jobs) = plan("8/8/8/4k3/8/8/8/K7 b - - id \"kings\";");
    assert_eq!((kept, jobs), ([false, true, true], 2 + 1 + 1));
    let (_, others, _) = plan("8/8/8/4k3/8/8/8/1K6 b - - id \"kings\";");
    assert_eq!([0, 1, 2].map(|variant| ids[variant] == others[variant]), [true, false, false]);
}

/// An option accepts the ends of the range on its page (or of the narrower range that an error
/// message names), and no value beyond them.
#[test]
fn option_ranges_equal_their_documentation() {
    let text = "suite = { startpos = true }\nlimit = { depth = 1 }\n";
    let answer = |path: &str, value: i64| {
        let set = format!("{path}={value}");
        Experiment::parse(text, Path::new("x.toml"), &[set])
            .map_or_else(|error| error.message.clone(), |_| String::new())
    };
    let mut tried = 0;
    for page in ttlab::internals::experiment::schema::option_pages()
        .iter()
        .filter(|page| !page.path.starts_with("table.policy"))
    {
        let range = page.values.strip_prefix("integer ").and_then(|range| range.split(' ').next()?.split_once("..="));
        let Some((low, high)) = range.and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?))) else {
            continue;
        };
        let path = &page.path;
        // `expected 0 to 64`: the type may accept more values than make sense for the option.
        let narrower = |value: i64| -> Option<i64> {
            let message = answer(path, value);
            let (least, rest) = message.split_once("out of range: expected ")?.1.split_once(" to ")?;
            let end =
                if value == low { least } else { rest.split(|c: char| c != '-' && !c.is_ascii_digit()).next()? };
            end.parse().ok()
        };
        let (low, high) = (narrower(low).unwrap_or(low), narrower(high).unwrap_or(high));
        for value in [low, high] {
            let message = answer(path, value);
            assert!(!message.contains("out of range"), "{path} = {value}: {message}");
            assert!(!message.contains("invalid value"), "{path} = {value}: {message}");
        }
        for value in [low - 1, high + 1] {
            assert_ne!(answer(path, value), "", "{path} = {value}");
        }
        tried += 1;
    }
    assert!(tried > 10, "{tried} options with a range");
}

/// One ply of self-play with searches for one side only: a position where the other side is to move
/// has no search. With two plies, each position has one.
#[test]
fn self_play_begins_with_the_side_to_move() {
    let searched = |plies: u16, side: &str| {
        let text = format!(
            "suite = 'data/bratko-kopec.epd'\nfirst = 6\nlimit = {{ depth = 1 }}\nsequence = {{ self_play = {plies}, side = '{side}' }}\n"
        );
        plan(&text).jobs().count()
    };
    let suite = ttlab::internals::chess::Suite::load(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("data/bratko-kopec.epd"),
        ttlab::internals::chess::SuiteOptions::default(),
    )
    .unwrap();
    let white =
        suite.items[..6].iter().filter(|item| item.board.turn() == ttlab::internals::chess::Color::White).count();
    assert!((1..6).contains(&white));
    assert_eq!(
        [(1, "white"), (1, "black"), (2, "white"), (1, "both")].map(|(plies, side)| searched(plies, side)),
        [white, 6 - white, 6, 6]
    );
}

/// The last `preset` that is set wins over the others and over the preset argument, and an error
/// names the setting that caused it.
#[test]
fn last_set_flag_wins() {
    let options = |preset: Option<&str>, sets: &[&str]| {
        let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
        ttlab::internals::experiment::options(preset, &sets)
    };
    let [purple, webster] = ["purple", "webster"].map(|preset| options(Some(preset), &[]).unwrap());
    assert_ne!(purple, webster);
    assert_eq!(options(Some("match"), &["preset=purple", "preset=webster"]).unwrap(), webster);
    assert_eq!(options(None, &["preset=webster", "preset=purple"]).unwrap(), purple);
    let output = options(None, &["table.slots=2", "table.slots=9"]).unwrap_err().to_string();
    assert!(output.contains("table.slots=9"), "{output}");
    assert!(!output.contains("table.slots=2"), "{output}");
}

#[test]
fn rows_have_unique_ids() {
    let text = "suite = 'data/games.pgn'\nfirst = 3\nlimit = { depth = 3 }\nrepeats = 2\nseeds = 3\nsequence = { from = 2, to = 5 }\n\
        [grid]\n'table.size' = [64, 128]\n'table.clear' = ['game', 'never']\n";
    let plan = plan(text);
    let mut seen = HashMap::new();
    let (mut jobs, mut before) = (0, None);
    for job in plan.jobs() {
        jobs += 1;
        assert!(before < Some(plan.order_key(&job)), "jobs stand in the order of their places");
        before = Some(plan.order_key(&job));
        for item in job.item..job.item + job.item_count {
            for (ply, depth) in [(2, 1), (2, 2), (3, 1), (5, 3)] {
                let place = (job.variant, item, job.repeat, ply, depth);
                assert_eq!(seen.insert(plan.row_id(&job, item, ply, depth), place), None);
            }
        }
        assert_eq!(seen.insert(plan.job_id(&job), (job.variant, job.item, job.repeat, 0, 0)), None);
        assert_eq!(plan.job_for(job.variant, None, job.item, job.repeat), job);
    }
    // For each repeat and key seed: two sizes cleared between games, with three games each, and two
    // variants that are never cleared, with one job each.
    assert_eq!((jobs, plan.len()), (2 * 3 * (2 * 3 + 2), 2 * 3 * (2 * 3 + 2)));
    let seeds: Vec<u64> = plan.variants.iter().map(|point| point.builtin().unwrap().keys.seed).collect();
    assert_eq!(seeds, [1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]);
    // For a variant that is never cleared, the searches before the third game are part of its
    // result; for the others they aren't.
    let one = self::plan(&text.replace("first = 3", "first = 2"));
    let kept = |plan: &Plan, item: usize| {
        let job = plan.job_for(1, None, item, 0);
        assert!(job.item_count > 1);
        plan.row_id(&job, item, 2, 1)
    };
    assert_eq!(kept(&plan, 1), kept(&one, 1), "the same games came before");
}
