//! Tests of the neutral shape: with a table that forgets nothing, the search tree is the same in
//! both shapes, with any options; with a table that forgets, it isn't.

use proptest::prelude::*;
use std::sync::atomic::AtomicBool;
use ttlab::internals::chess::{Board, Increments};
use ttlab::internals::decode::from_toml;
use ttlab::internals::engine::{Engine, EngineOptions, Iteration, Limit};

const STARTS: [(&str, u8); 3] = [
    ("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1", 7),
    ("7k/8/8/8/2p1p3/8/3P1P2/K7 w - - 0 1", 6),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 3),
];

/// Both terms, at the smallest depths that they allow.
const TERMS: &str = "iir.min_depth = 2\nsingular = { min_depth = 3, double = 20 }\n";

/// Plays a short game from each position, each as a new game, and returns the iterations and the
/// table's evictions. `None` if the options can't be combined.
fn played(text: &str, depth_less: u8) -> Option<(Vec<Iteration>, u64)> {
    let options: EngineOptions = from_toml(text).unwrap();
    let mut engine = Engine::new(&options, None).ok()?;
    let mut iterations = Vec::new();
    for (fen, depth) in STARTS {
        let (mut board, mut past) = (Board::from_fen(fen).unwrap(), Vec::new());
        engine.new_game();
        for _ in 0..3 {
            let limit = Limit { depth: Some(depth - depth_less.min(depth - 2)), nodes: None };
            let found = engine.search(&board, &past, limit, &AtomicBool::new(false), &mut |_| {}).iterations;
            for &mv in found.last().iter().flat_map(|last| last.pv.iter().take(2)) {
                past.push(board);
                board.play(mv, Increments::none());
            }
            iterations.extend(found);
        }
    }
    Some((iterations, engine.table().map_or(0, |table| table.counters().evictions)))
}

/// Runs the search in both shapes.
fn both(text: &str, depth_less: u8) -> Option<[(Vec<Iteration>, u64); 2]> {
    let shape = |shape: &str| played(&format!("shape = '{shape}'\n{text}"), depth_less);
    Some([shape("table")?, shape("neutral")?])
}

fn word(words: &[&'static str]) -> impl Strategy<Value = &'static str> + use<> {
    prop::sample::select(words.to_vec())
}

prop_compose! {
    /// How the search uses its table.
    fn uses()(
        probe in word(&["after-leaf", "before-leaf", "quiescence"]),
        store in word(&["after-leaf", "before-leaf", "quiescence"]),
        least in [0..4_u8, 0..4],
        bounds in word(&["checked", "checked", "ignored"]),
        depth in word(&["at-least", "at-least", "equal", "ignored"]),
        returns in word(&["stored", "window"]),
        uses in word(&["both", "both", "moves", "cutoffs"]),
        flags in any::<[bool; 4]>(),
        known in word(&["exact", "window"]),
    ) -> String {
        let [start_value, upper_move, terminals, hard] = flags;
        let [ask, keep] = least;
        format!(
            "fail = '{}'\nprobe = {{ at = '{probe}', min_depth = {ask}, bounds = '{bounds}', depth = '{depth}', returns = '{returns}', \
             use = '{uses}', start_value = {start_value} }}\nstore = {{ at = '{store}', min_depth = {keep}, \
             upper_move = {upper_move}, terminals = {terminals}, known = '{known}' }}\n",
            if hard { "hard" } else { "soft" }
        )
    }
}

prop_compose! {
    /// A table with room for everything, and when it is cleared.
    fn table()(
        policy in word(&["always", "depth-preferred", "scored", "aged-depth", "two-tier", "ancient", "random"]),
        layout in word(&["bytes16", "bytes24"]),
        index in word(&["multiply", "mask", "modulo"]),
        same_key in word(&["'replace'", "'deeper'", "'guard'", "'guard', guard = { margin = 2, pv = 0, age = false, move_first = true }"]),
        refresh in word(&["never", "match", "cutoff"]),
        clock in word(&["search", "iteration", "game-ply"]),
        clear in word(&["iteration", "search", "game", "never"]),
        history in word(&["iteration", "search", "game", "never"]),
        keep_move in any::<bool>(),
    ) -> String {
        format!(
            "history_clear = '{history}'\ntable = {{ size = 262144, slots = 8, policy = '{policy}', layout = '{layout}', index = '{index}', \
             same_key = {same_key}, refresh = '{refresh}', clock = '{clock}', clear = '{clear}', keep_move = {keep_move} }}\n"
        )
    }
}

prop_compose! {
    /// The rest of the search, and the terms.
    fn search()(
        algorithm in word(&["pvs", "pvs", "alpha-beta", "mtdf"]),
        from in [0..3_u8, 0..3],
        rest in [0..4_u8, 0..4, 0..4, 0..4],
        draws in any::<bool>(),
    ) -> String {
        let (iir, singular) = ([0, 2, 3][usize::from(from[0])], [0, 3, 4][usize::from(from[1])]);
        let [iid, lmr, null, etc] = rest;
        format!(
            "algorithm = '{algorithm}'\naspiration = 30\ndraws = {draws}\niid.min_depth = {}\nlmr.min_depth = {lmr}\n\
             null_move.min_depth = {null}\netc_depth = {etc}\niir.min_depth = {iir}\n\
             singular = {{ min_depth = {singular}, double = 20 }}\n",
            if iid == 1 { 2 } else { iid }
        )
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn shape_with_a_table_that_forgets_nothing_is_unchanged(search in search(), uses in uses(), table in table()) {
        let text = format!("{search}{uses}{table}");
        if let Some([own, neutral]) = both(&text, 1) {
            prop_assume!(own.1 == 0);
            prop_assert!(own == neutral, "{}", text);
        }
    }
}

/// With a table that loses entries, the two shapes differ.
#[test]
fn shape_with_a_table_that_forgets_differs() {
    for loss in ["size = 64", "forget = 0.5", "forget = 1.0\nforget_part = 'move'", "size = 256\nkey_bits = 4"] {
        let text = format!("algorithm = 'pvs'\n{TERMS}[table]\n{loss}");
        let [own, neutral] = both(&text, 1).unwrap();
        assert!(own.0 != neutral.0, "{loss}");
    }
}

/// With share 1 all hits are lost, and each is counted; with share 0 none is.
#[test]
fn forgotten_hits_are_counted() {
    let counts = |forget: &str| {
        let text = format!("algorithm = 'pvs'\ntable.size = 4096\ntable.forget = {forget}\n");
        let found = played(&text, 1).unwrap().0;
        let sum = |count: fn(&Iteration) -> u64| found.iter().map(count).sum::<u64>();
        (sum(|found| found.table.hits), sum(|found| found.table.forgotten))
    };
    let (none, all, half) = (counts("0.0"), counts("1.0"), counts("0.5"));
    assert!(none.0 > 0, "{none:?}");
    assert_eq!(none.1, 0, "{none:?}");
    assert_eq!(all.0, 0, "{all:?}");
    assert!(all.1 > 0, "{all:?}");
    let share = half.1 as f64 / (half.0 + half.1) as f64;
    assert!((0.4..0.6).contains(&share), "{half:?}");
}

/// With a table that keeps no moves, iir reduces every node; in neutral shape it reduces fewer.
#[test]
fn shape_keeps_iir_from_nodes_whose_move_was_forgotten() {
    let reduced = |text: &str| -> u64 {
        let text = format!("algorithm = 'pvs'\niir.min_depth = 2\n{text}");
        played(&text, 0).unwrap().0.iter().map(|found| found.search.iir_nodes).sum()
    };
    let forgets = "table.forget = 1.0\ntable.forget_part = 'move'\n";
    let (whole, own, neutral) = (reduced(""), reduced(forgets), reduced(&format!("{forgets}shape = 'neutral'")));
    assert!(own > 2 * whole, "{whole} {own} {neutral}");
    assert!(neutral < own, "{whole} {own} {neutral}");
}

/// Without a term that uses the table, the shape has no effect.
#[test]
fn shape_without_terms_changes_nothing() {
    let text = "algorithm = 'pvs'\nlmr.min_depth = 2\nnull_move.min_depth = 2\ntable.size = 64";
    let [own, neutral] = both(text, 1).unwrap();
    assert_eq!(own, neutral);
}

#[test]
fn shape_neutral_needs_a_table() {
    let refused = |text: &str| from_toml::<EngineOptions>(text).unwrap().check().err().map(|error| error.path);
    assert_eq!(refused("shape = 'neutral'\ntable = 'none'"), Some("shape"));
    assert_eq!(refused("shape = 'neutral'\ntable = 'unbounded'"), None);
    assert_eq!(refused("shape = 'table'\ntable = 'none'"), None);
}

/// A mark renews the age of an entry, which the guard of the same key reads.
#[test]
fn shape_knows_the_ages_that_marks_renew() {
    let text = "algorithm = 'pvs'\naspiration = 30\netc_depth = 1\niir.min_depth = 2\nsingular = { min_depth = 3, double = 20 }\n\
        lmr.min_depth = 0\nnull_move.min_depth = 0\niid.min_depth = 0\nfail = 'soft'\nhistory_clear = 'game'\n\
        probe = { at = 'after-leaf', min_depth = 2, depth = 'equal', returns = 'stored', start_value = true }\n\
        store = { at = 'after-leaf', known = 'exact' }\n\
        table = { size = 262144, slots = 8, policy = 'ancient', same_key = 'guard', clear = 'game', keep_move = false }\n";
    let [own, neutral] = both(text, 1).unwrap();
    assert_eq!(own, neutral);
}
