use super::*;
use crate::chess::Board;
use crate::engine::{Engine, EngineOptions, Iteration, Limit};
use crate::table::policy::Policy;
use crate::table::shape::Shape;
use crate::table::{SharedTable, Size, Table};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;

const MIDDLE_GAME: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

/// Options with a small table, so that searchers take entries from each other.
fn options(threads: &str) -> EngineOptions {
    let text = format!("{{ \"threads\": {threads}, \"table\": {{ \"slots\": 4, \"policy\": \"depth-preferred\" }} }}");
    let mut options: EngineOptions = serde_json::from_str(&text).unwrap();
    options.table.size = Size::Entries(1 << 12);
    options
}

fn search(options: &EngineOptions, fen: &str, limit: Limit) -> Vec<Iteration> {
    let mut engine = Engine::new(options, None).unwrap();
    engine.search(&Board::from_fen(fen).unwrap(), &[], limit, &AtomicBool::new(false), &mut |_| {}).iterations
}

fn to_depth(depth: u8) -> Limit {
    Limit { depth: Some(depth), nodes: None }
}

/// Helpers that get no turn before the main searcher is done change none of its counts. Source of
/// the test: R. Hyatt, talkchess 15912, 1998.
#[test]
fn helpers_that_start_after_the_main_searcher_change_no_count() {
    for helpers in ["same", "odd-even", "skip-depths", "shuffle"] {
        // The main searcher's first turn is longer than its search.
        let threads = format!("{{ \"count\": 4, \"quantum\": 4294967295, \"helpers\": \"{helpers}\" }}");
        let [alone, with_helpers] =
            [options("{}"), options(&threads)].map(|options| search(&options, MIDDLE_GAME, to_depth(5)));
        assert_eq!(alone.len(), with_helpers.len());
        for (alone, with_helpers) in alone.iter().zip(&with_helpers) {
            assert_eq!(with_helpers.threads.helper_nodes, 0);
            assert_eq!(*alone, Iteration { threads: alone.threads, ..with_helpers.clone() }, "{helpers}");
            assert_eq!(alone.threads.ticks, alone.search.nodes);
        }
    }
}

/// A node limit is for all searchers together, and they use it up exactly. Each turn has the length
/// of the quantum.
#[test]
fn node_limit_holds_for_all_searchers_together() {
    for (count, nodes) in [(1, 5000), (2, 1), (2, 5000), (3, 4999), (256, 30_000)] {
        let threads = format!("{{ \"count\": {count}, \"quantum\": 10 }}");
        let iterations = search(&options(&threads), MIDDLE_GAME, Limit { depth: None, nodes: Some(nodes) });
        let sum = |counter: fn(&Iteration) -> u64| iterations.iter().map(counter).sum::<u64>();
        let all_nodes = sum(|iteration| iteration.search.nodes);
        let helper_nodes = sum(|iteration| iteration.threads.helper_nodes);
        let ticks = sum(|iteration| iteration.threads.ticks);
        assert_eq!((all_nodes, ticks), (nodes, nodes / count), "{count} searchers");
        // In the last, incomplete round the main searcher comes first.
        let full_rounds = nodes / (10 * count);
        let main_nodes = 10 * full_rounds + (nodes - 10 * count * full_rounds).min(10);
        assert_eq!(all_nodes - helper_nodes, main_nodes, "{count} searchers");
        assert!(!iterations.last().unwrap().finished);
    }
}

/// In checkmate or stalemate each of the 255 iterations has one node, so a search ends after 255
/// nodes. The turns of a helper that has finished go to the others.
#[test]
fn helper_without_moves_ends_its_search() {
    for fen in ["7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"] {
        let search_with = |threads: &str| search(&options(threads), fen, to_depth(255));
        let helper_nodes = |iterations: &[Iteration]| -> u64 {
            iterations.iter().map(|iteration| iteration.threads.helper_nodes).sum()
        };
        let iterations = search_with(r#"{ "count": 3, "quantum": 300 }"#);
        assert_eq!(iterations.len(), 255);
        assert_eq!(helper_nodes(&iterations), 0, "the main searcher is ready before its turn ends");
        let iterations = search_with(r#"{ "count": 3, "quantum": 200 }"#);
        assert_eq!(helper_nodes(&iterations), 2 * 200);
        // In some schedules both helpers are ready before the main searcher.
        let random_with =
            |seed: u32| format!(r#"{{ "count": 3, "quantum": 100, "schedule": "random", "seed": {seed} }}"#);
        assert!((1..=20).any(|seed| helper_nodes(&search_with(&random_with(seed))) == 2 * 255));
    }
}

/// Searchers on operating-system threads respect depth and node limits. Their counts differ from
/// run to run.
#[test]
fn real_threads_respect_limits() {
    let options = options(r#"{ "count": 3, "kind": "real" }"#);
    let iterations = search(&options, MIDDLE_GAME, to_depth(5));
    assert_eq!(iterations.iter().map(|iteration| iteration.depth).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
    assert!(iterations.iter().all(|iteration| iteration.finished && !iteration.best.is_none()));
    let iterations = search(&options, MIDDLE_GAME, Limit { depth: None, nodes: Some(9000) });
    let nodes: u64 = iterations.iter().map(|iteration| iteration.search.nodes).sum();
    assert!((1..=9000).contains(&nodes), "{nodes}");
}

/// One searcher on a table that is divided for several threads has the counts of a search without
/// threads, with every policy and layout.
#[test]
fn divided_table_changes_no_count() {
    let policies = Policy::NAMES.iter().map(|name| {
        let slots = 2.min(*Policy::from_name(name).unwrap().slots().end());
        format!("slots = {slots}\npolicy = '{name}'")
    });
    let shapes = ["3x8", "5x12", "1x10", "1x12"].map(|name| Shape::from_name(name).unwrap().text());
    let layouts = ["layout = 'bytes24'", "slots = 3\nlayout = 'bytes10'"].map(str::to_owned);
    for text in policies.chain(shapes).chain(layouts) {
        let mut options = options("{}");
        options.table = crate::decode::from_toml(&text).unwrap();
        options.table.size = Size::Entries(1 << 12);
        let table = crate::table::build(&options.table, None, false).unwrap().unwrap();
        let divided = SharedTable::for_searchers(table, 1, false).remove(0);
        let mut engine = Engine::with_table(&options, divided).unwrap();
        let board = Board::from_fen(MIDDLE_GAME).unwrap();
        let iterations = engine.search(&board, &[], to_depth(4), &AtomicBool::new(false), &mut |_| {}).iterations;
        let plain: Vec<Iteration> = search(&options, MIDDLE_GAME, to_depth(4));
        for (plain, divided) in plain.iter().zip(&iterations) {
            assert_eq!(*plain, Iteration { threads: plain.threads, ..divided.clone() }, "{text}");
        }
        assert_eq!(plain.len(), iterations.len());
    }
}

/// The stop signal ends a search in the middle of a turn, however long the turn is.
#[test]
fn stop_ends_a_turn() {
    for threads in [
        r#"{ "count": 2, "quantum": 4294967295 }"#,
        r#"{ "count": 9, "schedule": "random", "quantum": 4294967295 }"#,
        r#"{ "count": 3, "kind": "real" }"#,
    ] {
        let mut engine = Engine::new(&options(threads), None).unwrap();
        let (flag, polls) = (AtomicBool::new(false), std::sync::atomic::AtomicU32::new(0));
        let stops_after_20_polls = || polls.fetch_add(1, std::sync::atomic::Ordering::Relaxed) > 20;
        let stop = Stop::with_callback(&flag, &stops_after_20_polls);
        let board = Board::from_fen(MIDDLE_GAME).unwrap();
        let limit = Limit { depth: None, nodes: Some(100 * POLL) };
        let outcome = engine.search(&board, &[], limit, stop, &mut |_| {});
        let nodes: u64 = outcome.iterations.iter().map(|iteration| iteration.search.nodes).sum();
        assert!(outcome.stopped, "{nodes} nodes");
        assert!(nodes < 40 * POLL, "{nodes} nodes");
    }
}

#[test]
fn seed_is_used_by_several_searchers_alone() {
    let random = |count| Threads { count, schedule: Schedule::Random, ..Threads::default() };
    assert_eq!([1, 2].map(|count| random(count).uses_seed()), [false, true]);
}

/// A helper searches only the moves of the root to which its search is restricted: here a mate,
/// which is all that is stored.
#[test]
fn helpers_search_only_the_moves_that_the_root_may_have() {
    let stored = |count: u32| {
        let threads = format!("{{ \"count\": {count}, \"quantum\": 50 }}");
        let mut engine = Engine::new(&options(&threads), None).unwrap();
        let board = Board::from_fen("6k1/5ppp/8/8/8/8/8/K3R3 w - - 0 1").unwrap();
        engine.restrict_root(&[crate::chess::parse_move(&board, "e1e8").unwrap()]);
        engine.search(&board, &[], to_depth(60), &AtomicBool::new(false), &mut |_| {});
        engine.table().unwrap().occupancy().occupied
    };
    assert_eq!([stored(1), stored(2)], [1, 1]);
}

/// The main searcher waits until a real helper has asked for its third turn, so that its nodes must
/// be in the counts.
#[test]
fn nodes_of_a_real_helper_are_counted() {
    let main = std::thread::current().id();
    let polls = std::sync::atomic::AtomicU32::new(0);
    let waits = || {
        let is_main = std::thread::current().id() == main;
        polls.fetch_add(u32::from(!is_main), std::sync::atomic::Ordering::SeqCst);
        while is_main && polls.load(std::sync::atomic::Ordering::SeqCst) < 3 {
            std::thread::yield_now();
        }
        false
    };
    let mut engine = Engine::new(&options(r#"{ "count": 2, "kind": "real" }"#), None).unwrap();
    let (board, flag) = (Board::from_fen(MIDDLE_GAME).unwrap(), AtomicBool::new(false));
    let stop = Stop::with_callback(&flag, &waits);
    let iterations = engine.search(&board, &[], to_depth(3), stop, &mut |_| {}).iterations;
    assert!(iterations.iter().map(|iteration| iteration.threads.helper_nodes).sum::<u64>() >= POLL, "{iterations:?}");
}

/// A table that panics at the hundredth probe, whoever makes it.
struct FailingTable {
    table: Box<dyn Table>,
    probes: u32,
}

impl crate::table::Instrumented for FailingTable {}

impl Table for FailingTable {
    fn probe(&mut self, key: u64, depth: u8) -> Option<crate::table::Hit> {
        self.probes += 1;
        assert!(self.probes < 100, "the hundredth probe");
        self.table.probe(key, depth)
    }
    fn store(&mut self, key: u64, entry: crate::table::Entry) -> crate::table::StoreOutcome {
        self.table.store(key, entry)
    }
    fn cutoff(&mut self, hit: &crate::table::Hit) {
        self.table.cutoff(hit);
    }
    fn prefetch(&self, key: u64) {
        self.table.prefetch(key);
    }
    fn advance(&mut self, ticks: u16) {
        self.table.advance(ticks);
    }
    fn clear(&mut self) {
        self.table.clear();
    }
    fn counters(&self) -> crate::table::TableCounters {
        self.table.counters()
    }
    fn occupancy(&self) -> crate::table::Occupancy {
        self.table.occupancy()
    }
}

/// If a searcher panics, the search ends with its panic message, and the other searchers, which are
/// in the middle of their searches, are dropped.
#[test]
fn panic_of_a_searcher_ends_the_search() {
    // With short turns a helper makes the hundredth probe, with long ones the main searcher does.
    for (kind, quantum) in [("virtual", 60), ("virtual", 4000), ("real", 60)] {
        let options = options(&format!("{{ \"count\": 4, \"kind\": \"{kind}\", \"quantum\": {quantum} }}"));
        let table = crate::table::build(&options.table, None, false).unwrap().unwrap();
        let mut engine = Engine::with_table(&options, Box::new(FailingTable { table, probes: 0 })).unwrap();
        let board = Board::from_fen(MIDDLE_GAME).unwrap();
        let search = || engine.search(&board, &[], to_depth(5), &AtomicBool::new(false), &mut |_| {});
        let payload = catch_unwind(AssertUnwindSafe(search)).unwrap_err();
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"the hundredth probe"));
    }
}

/// Each of these options, and each seed, changes the counts. A search that is repeated after a
/// reset has the same counts.
#[test]
fn helpers_and_schedules_change_the_counts() {
    let limit = to_depth(5);
    let variants = [
        r#"{ "count": 3 }"#,
        r#"{ "count": 3, "quantum": 65 }"#,
        r#"{ "count": 3, "helpers": "odd-even" }"#,
        r#"{ "count": 3, "helpers": "skip-depths" }"#,
        r#"{ "count": 3, "helpers": "shuffle" }"#,
        r#"{ "count": 3, "helpers": "shuffle", "seed": 2 }"#,
        r#"{ "count": 3, "schedule": "random" }"#,
        r#"{ "count": 3, "schedule": "random", "seed": 2 }"#,
        r#"{ "count": 4 }"#,
    ];
    let results: Vec<Vec<Iteration>> =
        variants.iter().map(|threads| search(&options(threads), MIDDLE_GAME, limit)).collect();
    for (index, result) in results.iter().enumerate() {
        let earlier = results.iter().zip(variants).take(index);
        let same: Vec<&str> = earlier.filter(|(other, _)| *other == result).map(|(_, variant)| variant).collect();
        assert!(same.is_empty(), "{} counts as {same:?}", variants[index]);
    }
    // The variant with a shuffle and seed 2.
    let mut engine = Engine::new(&options(variants[5]), None).unwrap();
    let (board, stop) = (Board::from_fen(MIDDLE_GAME).unwrap(), AtomicBool::new(false));
    let mut reset_and_search = || {
        engine.reset();
        engine.search(&board, &[], limit, &stop, &mut |_| {}).iterations
    };
    assert!(reset_and_search() == results[5]);
    assert!(reset_and_search() == results[5]);
}
