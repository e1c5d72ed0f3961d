//! Each value of each option, one at a time, since presets and policies leave most options
//! unchanged. Generated from the schema, so that new options are included automatically.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use toml::{Table, Value};
use ttlab::internals::chess::{Board, Increments};
use ttlab::internals::engine::{Engine, EngineError, EngineOptions, Limit};
use ttlab::internals::experiment::options::read_options;
use ttlab::internals::experiment::{paths, schema};

/// A position in FEN and its search depth.
pub type Start = (&'static str, u8);

/// Everything on which other options may act, in a small table under pressure.
const BASE: &str = "
algorithm = 'pvs'
aspiration = 30
draws = true
ordering = ['table-move', 'mvv-lva', 'killers', 'countermove', 'history']
etc_depth = 2
history_clear = 'search'
quiescence = { delta = 150 }
iid = { min_depth = 3 }
lmr = { min_depth = 2, full_moves = 3, reduction = 1 }
null_move = { min_depth = 2, reduction = 1 }
probe = { at = 'before-leaf' }
store = { at = 'before-leaf' }
table = { size = 600, slots = 2, policy = { kind = 'depth-age', factor = 2 } }
";

/// What a value needs to be valid, or to have an effect: the prefix of `path=value`, and options to
/// add to the base.
const PREREQUISITES: &[(&str, &str)] = &[
    ("shape", "iir.min_depth = 2\nsingular.min_depth = 3"),
    ("singular.double", "singular.min_depth = 3"),
    ("algorithm=minimax", "leaf = 'static'"),
    ("keys.seed", "table.key_bits = 6"),
    ("mate.value", "draws = false"),
    ("threads.quantum", "threads = { count = 3, quantum = 60 }"),
    ("threads.schedule", "threads = { count = 3, quantum = 60 }"),
    ("threads.helpers", "threads = { count = 3, quantum = 60 }"),
    ("threads.seed", "threads = { count = 3, quantum = 60, helpers = 'shuffle' }"),
    ("table.kind=none", "aspiration = 0"),
    ("table.layout=bytes10", "table.slots = 3"),
    ("table.forget_part", "table.forget = 0.5"),
    ("table.bucket_bytes", "table = { key_bits = 20, size = '12 KiB' }"),
    ("table.age_bits", "table.clock = 'iteration'"),
    ("table.evaluations", "store.evaluations = true"),
    ("table.keep_pv", "table.clock = 'iteration'\ntable.same_key = 'guard'"),
    (
        "table.demotion.refused_score",
        "table = { clock = 'iteration', same_key = 'guard', demotion = { refused = 2, from = 0 } }",
    ),
    (
        "table.demotion.missed_depth",
        "table = { clock = 'iteration', same_key = 'guard', demotion = { missed = 2, from = 0 } }",
    ),
    (
        "table.demotion.once",
        "table = { clock = 'iteration', same_key = 'guard', demotion = { refused = 2, from = 0 } }",
    ),
    ("table.demotion.refused", "table = { clock = 'iteration', same_key = 'guard', demotion.from = 0 }"),
    ("table.demotion.missed", "table = { clock = 'iteration', same_key = 'guard', demotion.from = 0 }"),
    (
        "table.demotion",
        "table = { clock = 'iteration', same_key = 'guard', demotion = { refused = 1, missed = 1, from = 1 } }",
    ),
    ("table.victim", "table.clock = 'iteration'"),
    ("table.guard", "table.clock = 'iteration'\ntable.same_key = 'guard'"),
    ("table.refresh", "table.clock = 'iteration'"),
    ("table.policy.empty_depth", "table = { clock = 'iteration', policy.weigh_empty = true }"),
    ("table.policy.kind=vipermate-first", "table = { slots = 1, same_key = 'policy' }"),
    ("table.policy.useful", "table = { clock = 'iteration', same_key = 'policy' }"),
    ("table.policy", "table.clock = 'iteration'"),
];

/// Positions and depths: castling on both sides, promotions, en passant; near mates; pawn endings
/// with draws and transpositions; mates and stalemates of bare kings; double pushes past a pawn.
pub const STARTS: [Start; 7] = [
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 3),
    ("1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - 0 1", 3),
    ("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 92 60", 7),
    ("8/P1k5/K7/8/2pP4/8/8/8 b - d3 0 1", 6),
    ("8/8/8/8/4k3/r7/1r6/4K3 b - - 0 1", 4),
    ("7k/5Q2/8/6K1/8/8/8/8 b - - 0 1", 5),
    ("7k/8/8/8/2p1p3/8/3P1P2/K7 w - - 0 1", 7),
];

/// The base options, from which each other set differs in one value.
pub fn base() -> Table {
    BASE.parse().unwrap_or_default()
}

/// The values to try for an option, as TOML, from its schema.
fn values(page: &schema::OptionPage) -> Vec<Value> {
    let words = page.words.iter().map(|(word, _)| Value::from(word.as_str()));
    match page.values.split(' ').next().unwrap_or_default() {
        "true" => vec![Value::from(true), Value::from(false)],
        "list" => words.map(|word| Value::from(vec![word])).chain([Value::Array(Vec::new())]).collect(),
        "word" if page.path == "table.policy.worth" => vec![Value::from("2 * depth - 5 * age + 3 * pv - exact")],
        "word" if page.words.is_empty() => vec![Value::from("2 * depth >= old_depth - 4 * age")],
        "size" => vec![Value::from("12 KiB"), Value::from(601)],
        "number" => [0.25, 1.0].map(Value::from).to_vec(),
        "integer" => {
            let range = page.values.split(' ').nth(1).and_then(|range| range.split_once("..="));
            let (low, high) =
                range.and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?))).unwrap_or((0, 1000));
            let numbers = [low, 0, 1, 2, 3, 40].into_iter().chain(page.default.parse().ok());
            let allowed: BTreeSet<i64> = numbers.filter(|number| (low..=high).contains(number)).collect();
            allowed.into_iter().map(Value::from).collect()
        }
        _ => words.collect(),
    }
}

/// Each option's path with its valid values other than the base's: `path=value` and the options.
pub fn value_options() -> Vec<(String, Vec<(String, EngineOptions)>)> {
    schema::option_pages()
        .iter()
        .map(|page| {
            // "Of `kind`: ...": a parameter of one policy.
            let kind = page.meaning.strip_prefix("Of `").and_then(|rest| rest.split('`').next());
            let full_name = kind.map_or_else(|| page.path.clone(), |kind| format!("{}({kind})", page.path));
            let points = values(page).iter().filter_map(|value| value_option(page, kind, &full_name, value)).collect();
            (full_name, points)
        })
        .collect()
}

/// Parses options from a table; `None` if they are invalid.
pub fn options(table: &Table) -> Option<EngineOptions> {
    read_options(None, table, std::iter::empty()).ok()
}

/// The base with one value changed; `None` if the value is invalid or equals the base.
fn value_option(
    page: &schema::OptionPage,
    kind: Option<&str>,
    full_name: &str,
    value: &Value,
) -> Option<(String, EngineOptions)> {
    let name = format!("{full_name}={}", paths::format_value(value));
    let mut table = base();
    if let Some((_, needed)) = PREREQUISITES.iter().find(|(prefix, _)| name.starts_with(prefix)) {
        paths::merge(&mut table, &needed.parse().ok()?);
    }
    if let Some(kind) = kind {
        paths::set(&mut table, "table.policy.kind", Value::from(kind)).ok()?;
    }
    if page.path == "table.design" {
        // The base's own table would override it.
        table.insert("table".to_owned(), "size = 600\nclock = 'iteration'".parse::<Table>().ok()?.into());
    }
    let unchanged = options(&table)?;
    paths::set(&mut table, &page.path, value.clone()).ok()?;
    let changed = options(&table)?;
    (changed != unchanged && Engine::new(&changed, None).is_ok()).then_some((name, changed))
}

/// Total nodes of all positions, each searched twice along the engine's own play with the state of
/// the first search, then the next as a new game.
///
/// # Errors
/// When there is not enough memory for the table.
pub fn nodes(options: &EngineOptions) -> Result<u64, EngineError> {
    let (mut engine, mut nodes) = (Engine::new(options, None)?, 0);
    for (fen, depth) in STARTS {
        let Ok(mut board) = Board::from_fen(fen) else { continue };
        engine.new_game();
        let mut past = Vec::new();
        for _ in 0..2 {
            let limit = Limit { depth: Some(depth), nodes: None };
            let outcome = engine.search(&board, &past, limit, &AtomicBool::new(false), &mut |_| {});
            nodes += outcome.iterations.iter().map(|iteration| iteration.search.nodes).sum::<u64>();
            for &mv in outcome.iterations.last().iter().flat_map(|last| last.pv.iter().take(2)) {
                past.push(board);
                board.play(mv, Increments::none());
            }
        }
    }
    Ok(nodes)
}
