//! Compares every cell of a run's results with sequential searches made here, for variants that are
//! written out by hand: this checks what an experiment file means, the order in which it is run,
//! what is kept from search to search, and what the rows record. Also compares the manifest with
//! the rows.

use crate::common;
use crate::common::scratch;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use ttlab::internals::chess::suite::{Suite, SuiteOptions};
use ttlab::internals::chess::{Board, Color, Increments};
use ttlab::internals::decode::from_toml;
use ttlab::internals::engine::{Engine, EngineOptions, Iteration, Limit};

type Row = BTreeMap<String, String>;

/// The meaning of a variant in the file: its name, all its options as TOML, its limit, and the
/// cells of the options that vary.
struct Variant {
    name: &'static str,
    options: &'static str,
    limit: Limit,
    cells: &'static [(&'static str, &'static str)],
}

const fn depth(depth: u8) -> Limit {
    Limit { depth: Some(depth), nodes: None }
}

/// Which plies of a game are searched, or how many plies of self-play, and for which side.
#[derive(Clone, Copy)]
struct Plies {
    from: u16,
    to: u16,
    own: u16,
    side: Option<Color>,
}

struct Case {
    file: &'static str,
    suite: (&'static str, &'static str),
    repeats: u32,
    plies: Option<Plies>,
    variants: Vec<Variant>,
    baseline: &'static str,
    /// The index of a variant that takes the whole suite as one job.
    whole: Option<usize>,
}

fn found(engine: &mut Engine, board: &Board, past: &[Board], limit: Limit) -> Vec<Iteration> {
    engine.search(board, past, limit, &AtomicBool::new(false), &mut |_| {}).iterations
}

/// The names and values of counters, taken from their `Debug` output, so that no list of the
/// program is involved.
fn counter_fields(prefix: &str, counters: &impl std::fmt::Debug) -> Vec<(String, String)> {
    let text = format!("{counters:?}");
    let fields = text.split_once('{').unwrap().1.trim_end_matches('}').split(',');
    let field = |field: &str| {
        let (name, value) = field.split_once(':').unwrap();
        (format!("{prefix}.{}", name.trim()), value.trim().to_owned())
    };
    fields.map(field).collect()
}

/// The rows of one search.
#[allow(clippy::too_many_arguments)]
fn lines(
    case: &Case,
    variant: &Variant,
    repeat: u32,
    id: &str,
    ply: Option<u16>,
    solved: Option<&dyn Fn(&str) -> bool>,
    found: &[Iteration],
) -> Vec<Row> {
    let limit = match (variant.limit.depth, variant.limit.nodes) {
        (Some(depth), None) => format!("depth {depth}"),
        (None, Some(nodes)) => format!("nodes {nodes}"),
        (depth, nodes) => format!("depth {}, nodes {}", depth.unwrap(), nodes.unwrap()),
    };
    let name = case.file.split('\'').nth(1).unwrap();
    let line = |iteration: &Iteration| {
        let mut row: Row = Row::new();
        let mut put = |column: &str, text: String| assert!(row.insert(column.to_owned(), text).is_none(), "{column}");
        put("experiment", name.to_owned());
        put("variant", variant.name.to_owned());
        put("game", ply.map_or(String::new(), |_| id.to_owned()));
        put("position", ply.map_or_else(|| id.to_owned(), |ply| format!("{id} ply {ply}")));
        put("ply", ply.map_or(String::new(), |ply| ply.to_string()));
        put("repeat", repeat.to_string());
        put("depth", iteration.depth.to_string());
        put("limit", limit.clone());
        variant.cells.iter().for_each(|(column, text)| put(column, (*text).to_owned()));
        put("best", iteration.best.to_string());
        put("score", iteration.score.to_string());
        put("pv", iteration.pv.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "));
        put("solved", solved.map_or(String::new(), |solved| solved(&iteration.best.to_string()).to_string()));
        put("finished", iteration.finished.to_string());
        counter_fields("search", &iteration.search).into_iter().for_each(|(column, value)| put(&column, value));
        counter_fields("table", &iteration.table).into_iter().for_each(|(column, value)| put(&column, value));
        if let Some(anatomy) = &iteration.anatomy {
            let parts = [counter_fields("", &anatomy.search), counter_fields("", &anatomy.table)];
            parts.concat().into_iter().for_each(|(column, value)| put(&format!("anatomy{column}"), value));
        }
        let held = iteration.occupancy;
        let bounded = |value: u64| if held.slots == 0 { String::new() } else { value.to_string() };
        put("slots", bounded(held.slots));
        put("entries", held.occupied.to_string());
        put("current", held.current.to_string());
        put("bytes", held.bytes.to_string());
        put("hashfull", bounded(held.occupied * 1000 / held.slots.max(1)));
        put("error", String::new());
        row
    };
    found.iter().map(line).collect()
}

/// The searches of a variant on an item, with an engine that may have searched other items before.
fn job(
    case: &Case,
    engine: &mut Engine,
    variant: &Variant,
    repeat: u32,
    item: &ttlab::internals::chess::Item,
) -> Vec<Row> {
    engine.new_game();
    let Some(plies) = case.plies else {
        let names = |moves: &[ttlab::internals::chess::Move]| moves.iter().map(ToString::to_string).collect::<Vec<_>>();
        let (good, bad) = (names(item.best_moves()), names(item.avoided_moves()));
        let solves = |best: &str| {
            if good.is_empty() { bad.iter().all(|mv| mv != best) } else { good.iter().any(|mv| mv == best) }
        };
        let solved: Option<&dyn Fn(&str) -> bool> = if good.len() + bad.len() > 0 { Some(&solves) } else { None };
        let found = found(engine, &item.board, &[], variant.limit);
        return lines(case, variant, repeat, &item.id, None, solved, &found);
    };
    let (mut board, mut past, mut rows) = (item.board, Vec::new(), Vec::new());
    let given = item.moves().to_vec();
    let count = if plies.own > 0 { usize::from(plies.own) } else { given.len() };
    for at in 0..count {
        let ply = board.game_ply();
        let mine = plies.side.is_none_or(|side| side == board.turn());
        let required = mine && ply >= plies.from && ply <= plies.to;
        let mut next = given.get(at).copied();
        // In self-play the engine moves for both sides; in a game, the other plies aren't searched.
        if required || plies.own > 0 {
            let found = found(engine, &board, &past, variant.limit);
            if plies.own > 0 {
                next = found.last().map(|last| last.best).filter(|best| !best.is_none());
            }
            if required {
                rows.extend(lines(case, variant, repeat, &item.id, Some(ply), None, &found));
            }
        }
        let Some(mv) = next else { break };
        past.push(board);
        board.play(mv, Increments::none());
    }
    rows
}

fn expected(case: &Case, suite: &Path) -> (Vec<Row>, u64, usize) {
    let suite = Suite::load(suite, SuiteOptions::default()).unwrap();
    let (mut rows, mut jobs) = (Vec::new(), 0);
    for repeat in 0..case.repeats {
        // The rows of the whole-suite job for each item.
        let mut kept: Vec<Vec<Row>> = Vec::new();
        for (at, item) in suite.items.iter().enumerate() {
            for (place, variant) in case.variants.iter().enumerate() {
                let whole = case.whole == Some(place);
                if whole && at > 0 {
                    rows.append(&mut kept[at]);
                    continue;
                }
                let options: EngineOptions = from_toml(variant.options).unwrap();
                let share = options.table.size.to_string().ends_with('%');
                let items = if whole { &suite.items[..] } else { std::slice::from_ref(item) };
                let working_set = share.then(|| {
                    // The number of entries that an unbounded table has after the same searches.
                    let mut unbounded = options.clone();
                    unbounded.table.kind = ttlab::internals::table::TableKind::Unbounded;
                    let mut engine = Engine::new(&unbounded, None).unwrap();
                    items.iter().for_each(|item| drop(job(case, &mut engine, variant, repeat, item)));
                    engine.table().unwrap().occupancy().occupied
                });
                let mut engine = Engine::new(&options, working_set).unwrap();
                let mut found: Vec<Vec<Row>> =
                    items.iter().map(|item| job(case, &mut engine, variant, repeat, item)).collect();
                let mine = std::mem::take(&mut found[0]);
                if whole {
                    kept = found;
                }
                jobs += u64::from(!mine.is_empty());
                if let Some(set) = working_set {
                    let slots = u64::from(options.table.slots);
                    let named: f64 = options.table.size.to_string().trim_end_matches([' ', '%']).parse().unwrap();
                    let buckets = ((set as f64 * named / 100.0) as u64 / slots).max(1);
                    assert!(mine.iter().all(|row| row["slots"] == (buckets * slots).to_string()));
                }
                rows.extend(mine);
            }
        }
    }
    (rows, jobs, suite.items.len())
}

/// Runs a case and compares every row and the manifest with the expected ones.
fn holds(case: &Case, more: &[&str]) {
    let folder = scratch();
    let path = |name: &str| -> PathBuf { folder.path().join(name) };
    fs::write(path(case.suite.0), case.suite.1).unwrap();
    fs::write(path("case.toml"), case.file).unwrap();
    let (required, jobs, items) = expected(case, &path(case.suite.0));
    let (file, out) = (path("case.toml"), path("out"));
    let args = [&["run", file.to_str().unwrap(), "--quiet", "--out", out.to_str().unwrap()], more].concat();
    let (_, stderr, code) = common::run(&args);
    assert_eq!(code, 0, "{stderr}");
    let mut reader = csv::Reader::from_path(out.join("results.csv")).unwrap();
    let header: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let rows: Vec<Row> = reader
        .records()
        .map(|record| header.iter().cloned().zip(record.unwrap().iter().map(str::to_owned)).collect())
        .collect();
    let mut ids = BTreeSet::new();
    for (at, (row, required)) in rows.iter().zip(&required).enumerate() {
        for (column, text) in required {
            assert_eq!(row.get(column), Some(text), "row {at}, {column}: {required:?}");
        }
        let rest: Vec<&str> = row.keys().map(String::as_str).filter(|column| !required.contains_key(*column)).collect();
        assert_eq!(rest, ["check", "id", "seconds"]);
        assert!(ids.insert(row["id"].clone()), "row {at}: its id was given before");
        assert!(row["seconds"].parse::<f64>().unwrap() < 60.0);
    }
    assert_eq!(rows.len(), required.len());

    let manifest: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(out.join("manifest.json")).unwrap()).unwrap();
    let names: Vec<&str> = case.variants.iter().map(|variant| variant.name).collect();
    assert_eq!(manifest["variants"], serde_json::json!(names));
    assert_eq!(manifest["baseline"], case.baseline);
    assert_eq!((&manifest["items"], &manifest["repeats"]), (&items.into(), &case.repeats.into()));
    assert_eq!(manifest["jobs_total"], jobs);
    assert_eq!(manifest["suite"], case.suite.0);
    assert_eq!(manifest["name"], rows[0]["experiment"]);
    assert_eq!(manifest["question"], "What is it?");
    assert_eq!(manifest["sequence"], case.plies.is_some());
    assert_eq!(manifest["schema"], 4);
    let varying: Vec<&str> = case.variants[0].cells.iter().map(|cell| cell.0).collect();
    assert_eq!(manifest["varying"], serde_json::json!(varying));
    for variant in &case.variants {
        let options: EngineOptions = from_toml(variant.options).unwrap();
        assert_eq!(manifest["options"][variant.name], serde_json::to_value(&options).unwrap(), "{}", variant.name);
    }
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let (begun, ended) = (manifest["started"].as_u64().unwrap(), manifest["ended"].as_u64().unwrap());
    assert!(begun <= ended);
    assert!(ended <= now);
    assert!(now - begun < 600);
}

/// Positions with a winning move, a stalemate, and a move to avoid.
const EPD: &str = "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - bm Qd1+; id \"one\";\n\
    7k/5Q2/8/6K1/8/8/8/8 b - - id \"two\";\n8/8/8/8/4k3/r7/1r6/4K3 b - - am Rh3; id \"three\";\n\
    r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - id \"four\";\n";

#[test]
fn rows_of_grid_exclude_and_variant_equal_the_expected() {
    const FILE: &str = "name = 'single'\nquestion = \"What is it?\"\nsuite = 'own.epd'\nlimit = { depth = 3 }\nrepeats = 2\n\
        baseline = { 'table.size' = 4096 }\n[engine]\ntable.slots = 2\neval.squares = 'none'\n[grid]\n'table.size' = [64, 4096]\n\
        'probe.at' = ['after-leaf', 'before-leaf']\n[[exclude]]\n'table.size' = 64\n'probe.at' = 'before-leaf'\n\
        [[variant]]\nname = 'size=32'\n'table.size' = 32\n[[variant]]\nname = 'none'\ntable = 'none'\n'limit.nodes' = 700\n";
    let variants = vec![
        Variant {
            name: "size=64, at=after-leaf",
            options: "eval.squares = 'none'\ntable = { slots = 2, size = 64 }",
            limit: depth(3),
            cells: &[("probe.at", "after-leaf"), ("table.kind", "bounded"), ("table.size", "64")],
        },
        Variant {
            name: "size=4096, at=after-leaf",
            options: "eval.squares = 'none'\ntable = { slots = 2, size = 4096 }",
            limit: depth(3),
            cells: &[("probe.at", "after-leaf"), ("table.kind", "bounded"), ("table.size", "4096")],
        },
        Variant {
            name: "size=4096, at=before-leaf",
            options: "eval.squares = 'none'\nprobe.at = 'before-leaf'\ntable = { slots = 2, size = 4096 }",
            limit: depth(3),
            cells: &[("probe.at", "before-leaf"), ("table.kind", "bounded"), ("table.size", "4096")],
        },
        Variant {
            name: "size=32",
            options: "eval.squares = 'none'\ntable = { slots = 2, size = 32 }",
            limit: depth(3),
            cells: &[("probe.at", "after-leaf"), ("table.kind", "bounded"), ("table.size", "32")],
        },
        Variant {
            name: "none",
            options: "eval.squares = 'none'\ntable = { slots = 2, kind = 'none' }",
            limit: Limit { depth: Some(3), nodes: Some(700) },
            cells: &[("probe.at", "after-leaf"), ("table.kind", "none"), ("table.size", "")],
        },
    ];
    let case = Case {
        file: FILE,
        suite: ("own.epd", EPD),
        repeats: 2,
        plies: None,
        variants,
        baseline: "size=4096, at=after-leaf",
        whole: None,
    };
    holds(&case, &["--jobs", "2"]);
}

/// Axes that vary together, in either order, and sizes given as a share of each item's own working
/// set.
#[test]
fn rows_of_zipped_axes_and_working_set_shares_equal_the_expected() {
    for (one, two) in [
        ("'table.size' = ['20 %', '50 %']\n", "'eval.centre' = [0, 7]\n"),
        ("'eval.centre' = [0, 7]\n", "'table.size' = ['20 %', '50 %']\n"),
    ] {
        let file = format!(
            "name = 'zipped'\nquestion = \"What is it?\"\nsuite = 'own.epd'\nlimit = {{ depth = 3 }}\n[engine]\ntable.slots = 4\n\
             [[zip]]\n{one}{two}[grid]\n'table.policy' = ['always', {{ kind = 'aged-depth', factor = 3 }}]\n"
        );
        let size_first = one.contains("size");
        let name = |policy: &str, size: &str, centre: &str| -> &'static str {
            let (size, centre) = (format!("size={size} %"), format!("centre={centre}"));
            let (first, second) = if size_first { (size, centre) } else { (centre, size) };
            format!("policy={policy}, {first}, {second}").leak()
        };
        let variants = vec![
            Variant {
                name: name("always", "20", "0"),
                options: "table = { slots = 4, size = '20 %', policy = 'always' }",
                limit: depth(3),
                cells: &[("eval.centre", "0"), ("table.size", "20 %"), ("table.policy.kind", "always")],
            },
            Variant {
                name: name("always", "50", "7"),
                options: "eval.centre = 7\ntable = { slots = 4, size = '50 %', policy = 'always' }",
                limit: depth(3),
                cells: &[("eval.centre", "7"), ("table.size", "50 %"), ("table.policy.kind", "always")],
            },
            Variant {
                name: name("aged-depth factor=3", "20", "0"),
                options: "table = { slots = 4, size = '20 %', policy = { kind = 'aged-depth', factor = 3 } }",
                limit: depth(3),
                cells: &[("eval.centre", "0"), ("table.size", "20 %"), ("table.policy.kind", "aged-depth")],
            },
            Variant {
                name: name("aged-depth factor=3", "50", "7"),
                options: "eval.centre = 7\ntable = { slots = 4, size = '50 %', policy = { kind = 'aged-depth', factor = 3 } }",
                limit: depth(3),
                cells: &[("eval.centre", "7"), ("table.size", "50 %"), ("table.policy.kind", "aged-depth")],
            },
        ];
        let baseline = variants[0].name;
        let case = Case {
            file: file.leak(),
            suite: ("own.epd", EPD),
            repeats: 1,
            plies: None,
            variants,
            baseline,
            whole: None,
        };
        holds(&case, &["--jobs", "2"]);
    }
}

/// Knights that move out and back, so that the game's history matters; a game too short to be
/// searched; and a game that starts from a given position with Black to move.
const PGN: &str = "[Event \"a\"]\n[White \"A\"]\n[Black \"B\"]\n[Result \"*\"]\n\n1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. e4 e5 6. d3 d6 *\n\n\
    [Event \"b\"]\n[White \"C\"]\n[Black \"D\"]\n[Result \"*\"]\n\n1. f3 e5 *\n\n\
    [Event \"c\"]\n[White \"E\"]\n[Black \"F\"]\n[Result \"*\"]\n[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 3\"]\n\n3... Kd7 4. e4 Kd6 5. Kd2 *\n";

const ALONG: &[(&str, Option<Color>)] = &[("white", Some(Color::White)), ("black", Some(Color::Black)), ("both", None)];

fn pair(limit: Limit) -> Vec<Variant> {
    vec![
        Variant {
            name: "clear=game",
            options: "draws = true\ntable = { size = 128, clock = 'game-ply', policy = 'aged-depth' }",
            limit,
            cells: &[("table.clear", "game")],
        },
        Variant {
            name: "clear=search",
            options: "draws = true\ntable = { size = 128, clear = 'search', clock = 'game-ply', policy = 'aged-depth' }",
            limit,
            cells: &[("table.clear", "search")],
        },
    ]
}

#[test]
fn rows_along_games_equal_the_expected() {
    for &(side, color) in ALONG {
        let file = format!(
            "name = 'along'\nquestion = \"What is it?\"\nsuite = 'own.pgn'\nlimit = {{ depth = 2 }}\nrepeats = 2\n\
             [sequence]\nfrom = 4\nto = 9\nside = '{side}'\n[engine]\ndraws = true\ntable.size = 128\ntable.clock = 'game-ply'\n\
             table.policy = 'aged-depth'\n[grid]\n'table.clear' = ['game', 'search']\n"
        );
        let case = Case {
            file: file.leak(),
            suite: ("own.pgn", PGN),
            repeats: 2,
            plies: Some(Plies { from: 4, to: 9, own: 0, side: color }),
            variants: pair(depth(2)),
            baseline: "clear=game",
            whole: None,
        };
        holds(&case, &["--jobs", "1"]);
    }
}

#[test]
fn rows_of_self_play_equal_the_expected() {
    for &(side, color) in ALONG {
        let file = format!(
            "name = 'own'\nquestion = \"What is it?\"\nsuite = 'own.epd'\nlimit = {{ nodes = 1000 }}\n\
             sequence = {{ self_play = 5, side = '{side}' }}\n[engine]\ndraws = true\ntable.size = 128\ntable.clock = 'game-ply'\n\
             table.policy = 'aged-depth'\n[grid]\n'table.clear' = ['game', 'search']\n"
        );
        // King and rook, shuffling; bare kings; and a board full of pieces with few captures, so
        // that the first iteration finishes within the limit.
        let epd = "8/8/8/4k3/8/8/8/R3K3 w - - bm Ra5; id \"rook\";\n8/8/8/4k3/8/8/8/K7 b - - id \"kings\";\n\
            r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - id \"open\";\n";
        let case = Case {
            file: file.leak(),
            suite: ("own.epd", epd),
            repeats: 1,
            plies: Some(Plies { from: 0, to: u16::MAX, own: 5, side: color }),
            variants: pair(Limit { depth: None, nodes: Some(1000) }),
            baseline: "clear=game",
            whole: None,
        };
        holds(&case, &["--jobs", "2"]);
    }
}

/// A variant that never clears its table takes the whole suite as one job; its rows are still
/// stored with their items.
#[test]
fn table_that_is_never_cleared_lasts_through_the_suite() {
    let case = Case {
        file: "name = 'kept'\nquestion = \"What is it?\"\nsuite = 'own.epd'\nlimit = { depth = 3 }\nrepeats = 2\n\
            baseline = { variant = 'cleared' }\n[engine]\ntable.size = 512\n[[variant]]\nname = 'kept'\n'table.clear' = 'never'\n\
            [[variant]]\nname = 'cleared'\n",
        suite: ("own.epd", EPD),
        repeats: 2,
        plies: None,
        variants: vec![
            Variant {
                name: "kept",
                options: "table = { size = 512, clear = 'never' }",
                limit: depth(3),
                cells: &[("table.clear", "never")],
            },
            Variant {
                name: "cleared",
                options: "table.size = 512",
                limit: depth(3),
                cells: &[("table.clear", "game")],
            },
        ],
        baseline: "cleared",
        whole: Some(0),
    };
    holds(&case, &["--jobs", "2"]);
}

/// The columns of the anatomy, with a small table and short keys, so that every kind of miss occurs
/// and entries of other positions answer.
#[test]
fn diagnostics_have_their_documented_columns() {
    let variant = |name: &'static str, options: &'static str, size: &'static str| Variant {
        name,
        options,
        limit: depth(4),
        cells: vec![("table.size", size)].leak(),
    };
    let case = Case {
        file: "name = 'anatomy'\nquestion = \"What is it?\"\nsuite = 'own.epd'\nlimit = { depth = 4 }\n[engine]\ndiagnostics = 'full'\n\
            table.key_bits = 4\ntable.slots = 2\n[grid]\n'table.size' = [64, 1024]\n",
        suite: ("own.epd", EPD),
        repeats: 1,
        plies: None,
        variants: vec![
            variant("size=64", "diagnostics = 'full'\ntable = { size = 64, slots = 2, key_bits = 4 }", "64"),
            variant("size=1024", "diagnostics = 'full'\ntable = { size = 1024, slots = 2, key_bits = 4 }", "1024"),
        ],
        baseline: "size=64",
        whole: None,
    };
    holds(&case, &["--jobs", "2"]);
}

#[test]
fn anatomy_columns_are_written_if_requested() {
    let folder = tempfile::tempdir().unwrap();
    let run = |name: &str, text: &str| {
        let file = folder.path().join(format!("{name}.toml"));
        fs::write(&file, format!("suite = {{ startpos = true }}\nlimit = {{ depth = 4 }}\n{text}")).unwrap();
        let out = folder.path().join(name);
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_ttlab"));
        command.args(["run", "--quiet"]).arg(&file).arg("--out").arg(&out);
        assert!(command.status().unwrap().success());
        let mut reader = csv::Reader::from_path(out.join("results.csv")).unwrap();
        let header: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
        let rows: Vec<BTreeMap<String, String>> = reader
            .records()
            .map(|row| header.iter().cloned().zip(row.unwrap().iter().map(str::to_owned)).collect())
            .collect();
        (header, rows)
    };
    let (header, _) = run("off", "");
    assert!(!header.iter().any(|column| column.starts_with("anatomy.")));
    let (header, rows) = run("some", "[[variant]]\nname = 'off'\n[[variant]]\nname = 'full'\ndiagnostics = 'full'\n");
    assert!(header.iter().filter(|column| column.starts_with("anatomy.")).count() > 35);
    assert_eq!(rows.len(), 8);
    for row in rows {
        let given = !row["anatomy.unique"].is_empty();
        assert_eq!(given, row["variant"] == "full");
        assert!(!given || row["anatomy.cut"] == row["search.usable"]);
    }
}
