//! Compares the search with its twin: a second, plain implementation that computes every counter,
//! score and line, and makes the same calls of the table in the same order. Runs for each value of
//! each option.

pub mod rules;
mod search;
mod turns;

use crate::values::{self, Start};
use search::{Iterated, Twin, plain_table};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use ttlab::internals::chess::{Board, Increments};
use ttlab::internals::decode::from_toml;
use ttlab::internals::engine::anatomy::AnatomyCounters;
use ttlab::internals::engine::{Engine, EngineOptions, Iteration, Limit};
use ttlab::internals::table::{Entry, Hit, Instrumented, Occupancy, StoreOutcome, Table, TableCounters};
use turns::Fault;

/// A call of the table.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Call {
    Probe(u64, u8),
    Store(u64, Entry),
    /// Score and depth of the entry that ended a node.
    Cutoff(i16, u8),
    /// Score and depth of an entry with a bound that didn't settle its node.
    Missed(i16, u8),
    Advance(u16),
    Clear,
}

type Log = Arc<Mutex<Vec<Call>>>;

/// A table that records its calls.
struct Logged {
    table: Box<dyn Table>,
    log: Log,
}

impl Logged {
    fn note(&self, call: Call) {
        self.log.lock().unwrap().push(call);
    }
}

impl Table for Logged {
    fn probe(&mut self, key: u64, depth: u8) -> Option<Hit> {
        self.note(Call::Probe(key, depth));
        self.table.probe(key, depth)
    }
    fn store(&mut self, key: u64, entry: Entry) -> StoreOutcome {
        self.note(Call::Store(key, entry));
        self.table.store(key, entry)
    }
    fn cutoff(&mut self, hit: &Hit) {
        self.note(Call::Cutoff(hit.entry.score, hit.entry.depth));
        self.table.cutoff(hit);
    }
    fn missed(&mut self, hit: &Hit) {
        self.note(Call::Missed(hit.entry.score, hit.entry.depth));
        self.table.missed(hit);
    }
    fn prefetch(&self, key: u64) {
        self.table.prefetch(key);
    }
    fn advance(&mut self, ticks: u16) {
        self.note(Call::Advance(ticks));
        self.table.advance(ticks);
    }
    fn clear(&mut self) {
        self.note(Call::Clear);
        self.table.clear();
    }
    fn counters(&self) -> TableCounters {
        self.table.counters()
    }
    fn occupancy(&self) -> Occupancy {
        self.table.occupancy()
    }
}

impl Instrumented for Logged {
    fn counts_stored_nodes(&self) -> bool {
        self.table.counts_stored_nodes()
    }
    fn start_numbering_entries(&mut self) {
        self.table.start_numbering_entries();
    }
    fn mark_used(&mut self, hit: &Hit) {
        self.table.mark_used(hit);
    }
}

/// Returns a table that records its calls, if the options have a table.
fn logged(options: &EngineOptions) -> (Option<Box<dyn Table>>, Log) {
    let log = Log::default();
    let table = plain_table(options);
    (table.map(|table| Box::new(Logged { table, log: Arc::clone(&log) }) as Box<dyn Table>), log)
}

fn plain(found: &Iteration) -> Iterated {
    Iterated {
        depth: found.depth,
        score: found.score,
        best: found.best,
        pv: found.pv.clone(),
        search: found.search,
        // The twin doesn't track which position an entry belongs to; tests/engine/anatomy.rs tests
        // that.
        anatomy: found
            .anatomy
            .as_ref()
            .map(|anatomy| AnatomyCounters { cut_false: 0, ..anatomy.search })
            .unwrap_or_default(),
        threads: found.threads,
        finished: found.finished,
    }
}

/// Searches each position, and then positions along the line found, with the engine and with the
/// twin. All their results must be the same.
fn same(name: &str, options: &EngineOptions, starts: &[(&str, u8)], nodes: Option<u64>) -> u64 {
    same_with(None, name, options, starts, nodes)
}

/// `fault`: what the twin does wrong.
fn same_with(
    fault: Option<Fault>,
    name: &str,
    options: &EngineOptions,
    starts: &[(&str, u8)],
    nodes: Option<u64>,
) -> u64 {
    let mut options = options.clone();
    // Diagnostics only work with one searcher, and need the mark that two table options take.
    let mark_is_taken = options.table.demotion.once || options.table.guard.best_move;
    let diagnosed = options.threads.count == 1 && !mark_is_taken;
    if diagnosed {
        options.diagnostics = ttlab::internals::engine::options::Diagnostics::Full;
    }
    let ((mine, my_log), (its, its_log)) = (logged(&options), logged(&options));
    let mut engine = match its {
        Some(table) => Engine::with_table(&options, table).unwrap(),
        None => Engine::new(&options, None).unwrap(),
    };
    let mut twin = Twin::with_fault(&options, mine, fault);
    let mut visited = 0;
    for &(fen, depth) in starts {
        let mut board = Board::from_fen(fen).unwrap();
        let mut past = Vec::new();
        engine.new_game();
        twin.new_game();
        for _ in 0..2 {
            let limit = Limit { depth: Some(depth), nodes };
            let found = engine.search(&board, &past, limit, &AtomicBool::new(false), &mut |_| {}).iterations;
            let expected = twin.search(&board, &past, limit);
            for (found, mut expected) in found.iter().map(plain).zip(expected.iter().cloned()) {
                if !diagnosed {
                    expected.anatomy = AnatomyCounters::default();
                }
                let (found, expected) = (format!("{found:#?}"), format!("{expected:#?}"));
                let differ: Vec<_> = found.lines().zip(expected.lines()).filter(|(a, b)| a != b).collect();
                assert!(found == expected, "{name}: {fen}: engine, twin: {differ:#?}");
            }
            assert_eq!(found.len(), expected.len(), "{name}: {fen}");
            let (calls, required) =
                (std::mem::take(&mut *its_log.lock().unwrap()), std::mem::take(&mut *my_log.lock().unwrap()));
            for (at, (call, required)) in calls.iter().zip(&required).enumerate() {
                assert_eq!(call, required, "{name}: {fen}: call {at} of the table: engine, twin");
            }
            assert_eq!(calls.len(), required.len(), "{name}: {fen}: calls of the table");
            visited += found.iter().map(|found| found.search.nodes).sum::<u64>();
            for &mv in found.last().iter().flat_map(|last| last.pv.iter().take(2)) {
                past.push(board);
                board.play(mv, Increments::none());
            }
        }
    }
    visited
}

/// Runs a check for each case, on two threads.
fn each<T: Sync>(cases: &[T], check: impl Fn(&T) + Sync) {
    let next = Mutex::new(cases.iter());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(case) = next.lock().unwrap().next() else { break };
                    check(case);
                }
            });
        }
    });
}

fn base() -> EngineOptions {
    values::base().try_into().unwrap()
}

fn points() -> Vec<(String, EngineOptions)> {
    values::value_options().into_iter().flat_map(|(_, points)| points).collect()
}

/// Returns the start positions with depths that are small enough for many options: 2 and 3 for full
/// boards, 4 for endgames.
fn starts(deeper: u8) -> Vec<Start> {
    let depth = |at: usize, depth: u8| depth.min([2, 3, 4, 4, 4, 4, 4][at] + deeper);
    values::STARTS.iter().enumerate().map(|(at, &(fen, most))| (fen, depth(at, most))).collect()
}

#[test]
fn every_option_value_equals_the_twin() {
    same("base", &base(), &starts(1), None);
    each(&points(), |(name, options)| {
        // Without pruning, or without good captures first, trees are large; switching between
        // searchers is slow.
        let large = ["ordering=", "algorithm=minimax", "threads."].iter().any(|start| name.starts_with(start));
        let starts: Vec<Start> = starts(0).into_iter().filter(|(fen, _)| !large || fen.len() < 50).collect();
        same(name, options, &starts, None);
    });
}

/// Several searchers with a table in which entries refuse each other and move within buckets, and
/// with what each helper does for itself.
#[test]
fn searchers_of_a_table_that_refuses_equal_the_twin() {
    let ordering = "ordering = ['table-move', 'killers', 'history']";
    for (threads, table, more) in [
        ("", "policy = 'depth-preferred'", ""),
        ("", "policy = 'always'", ""),
        ("", "clear = 'iteration'", "deepening = { step = 0 }"),
        (", helpers = 'shuffle', seed = 3", "clear = 'iteration'", "history_clear = 'iteration'"),
        (", helpers = 'odd-even'", "kind = 'unbounded'", "draws = true"),
    ] {
        let table = format!("{{ size = 600, slots = 3, same_key = 'deeper', {table} }}");
        let text = format!("{ordering}\nthreads = {{ count = 3, quantum = 5{threads} }}\ntable = {table}\n{more}\n");
        let options = from_toml(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        same(&text, &options, &values::STARTS[4..5], None);
        same(&text, &options, &[(values::STARTS[0].0, 5)], Some(9001));
    }
}

/// Typical faults in the interaction of searchers are detected: a twin with any of these faults
/// differs from the engine.
#[test]
fn faults_between_searchers_are_noticed() {
    let text = "threads = { count = 3, quantum = 5 }\ntable = { size = 600, slots = 3 }";
    let options = from_toml(text).unwrap();
    for fault in [Fault::ForgottenHandle, Fault::SharedKillers, Fault::WrongCounter] {
        let compare = || same_with(Some(fault), "fault", &options, &values::STARTS[4..5], None);
        assert!(catch_unwind(AssertUnwindSafe(compare)).is_err(), "{fault:?} was not noticed");
    }
    same("no fault", &options, &values::STARTS[4..5], None);
}

/// Combines the options of several cases: each contributes the values in which it differs from the
/// base.
fn together(chosen: &[&EngineOptions]) -> Option<EngineOptions> {
    let json = |options: &EngineOptions| serde_json::to_value(options).unwrap();
    let base = json(&base());
    let mut all = base.clone();
    for options in chosen {
        for (key, value) in json(options).as_object().unwrap() {
            match value.as_object() {
                Some(inner) => inner.iter().filter(|(name, value)| base[key][name.as_str()] != **value).for_each(
                    |(name, value)| {
                        all[key][name.as_str()] = value.clone();
                    },
                ),
                None if base[key] != *value => all[key] = value.clone(),
                None => {}
            }
        }
    }
    let options: EngineOptions = serde_json::from_value(all).ok()?;
    // Each twin has its own list of offers.
    if options.threads.count > 1 && options.records_offers() || options.threads.is_real() {
        return None;
    }
    Engine::new(&options, None).ok().map(|_| options)
}

/// Combinations of options: six random values at a time.
#[test]
fn combined_options_equal_the_twin() {
    let points: Vec<_> = points()
        .into_iter()
        .filter(|(name, _)| !name.starts_with("ordering=") && !name.starts_with("algorithm=minimax"))
        .collect();
    let mut state = 20_u64;
    let mut draw = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut cases = Vec::new();
    while cases.len() < 80 {
        let chosen: Vec<usize> = (0..6).map(|_| draw(points.len())).collect();
        let names: Vec<&str> = chosen.iter().map(|&at| points[at].0.as_str()).collect();
        let options: Vec<_> = chosen.iter().map(|&at| &points[at].1).collect();
        let start = values::STARTS[draw(values::STARTS.len())];
        cases.extend(together(&options).map(|options| (names.join(", "), options, start, draw(3000) as u64)));
    }
    each(&cases, |(name, options, (fen, depth), nodes)| {
        // Once without a node limit, and once with a random one.
        same(name, options, &[(fen, (*depth).min(3))], None);
        same(name, options, &[(fen, 9)], Some(nodes + 1));
    });
}

/// Minimax combined with each option of stores, probes, draws and mate scores, on simple positions
/// with near mates, complete and interrupted.
#[test]
fn minimax_equals_the_twin_with_any_stored_entries() {
    let points = points();
    let (_, minimax) = points.iter().find(|(name, _)| name.starts_with("algorithm=minimax")).unwrap();
    let beside =
        |name: &str| ["store.", "probe.", "draws=", "mate.", "leaf"].iter().any(|start| name.starts_with(start));
    let cases: Vec<(String, EngineOptions)> = points
        .iter()
        .filter(|(name, _)| beside(name))
        .filter_map(|(name, options)| Some((format!("minimax, {name}"), together(&[minimax, options])?)))
        .collect();
    assert!(cases.len() > 10, "{}", cases.len());
    each(&cases, |(name, options)| {
        for mate in ["7k/8/5K2/6Q1/8/8/8/8 w - - 0 1", "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"] {
            same(name, options, &[(mate, 3)], None);
            same(name, options, &[(mate, 9)], Some(701));
        }
    });
}

/// A search that is interrupted at any node has the twin's counters, and the score, best move and
/// line of the last complete iteration.
#[test]
fn search_stopped_at_any_node_equals_the_twin() {
    for over in
        ["", "algorithm = 'mtdf'", "algorithm = 'minimax'\nleaf = 'static'", "fail = 'hard'\nalgorithm = 'alpha-beta'"]
    {
        let mut table = values::base();
        ttlab::internals::experiment::paths::merge(&mut table, &over.parse().unwrap());
        let options: EngineOptions = table.try_into().unwrap();
        let cases: Vec<u64> = (1..40).chain((40..1500).step_by(97)).collect();
        each(&cases, |&nodes| {
            same(over, &options, &[values::STARTS[2], values::STARTS[4]], Some(nodes));
        });
    }
}

/// The fifty-move rule at every distance from its limit, and mates on the last move.
#[test]
fn draws_by_fifty_moves_equal_the_twin() {
    for text in [
        "draws = true\ntable = 'none'",
        "draws = true\ntable.size = 4096",
        "draws = true\nalgorithm = 'minimax'\nleaf = 'static'",
        "draws = true\ntable = { size = 4096, clear = 'never' }\nfifty_moves = 'guarded'\nprobe.start_value = true",
        "draws = true\ntable = { size = 4096, clear = 'never' }\nfifty_moves = 'in-key'\netc_depth = 2",
        "draws = true\ntable = { size = 4096, clear = 'never' }\nfifty_moves = 'guarded'\netc_depth = 2\nnull_move.min_depth = 2",
    ] {
        let options: EngineOptions = from_toml(text).unwrap();
        // Minimax reaches the limit in three plies as well as in four, and takes less time.
        let depth = if text.contains("minimax") { 3 } else { 4 };
        let cases: Vec<u16> = (93..=101).collect();
        each(&cases, |clock| {
            for board in ["7k/8/5K2/8/8/8/8/6R1 w - -", "7k/5Q2/8/6K1/8/8/8/8 b - -", "8/8/4k3/8/8/3KP3/8/8 w - -"] {
                // A table that is never cleared has entries that were stored with another clock.
                let (fresh, late) = (format!("{board} 0 90"), format!("{board} {clock} 90"));
                let starts = [(fresh.as_str(), depth), (late.as_str(), depth), (fresh.as_str(), depth)];
                same(text, &options, if text.contains("never") { &starts } else { &starts[1..2] }, None);
            }
        });
    }
}

/// Games in which pieces move out and back: repetitions of earlier positions at every distance, in
/// searches without a table and with one that contains values from other paths.
#[test]
fn draws_by_repetition_equal_the_twin() {
    let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8", "b1c3", "b8c6", "c3b1", "c6b8", "g1h3"];
    let cases: Vec<(&str, usize)> = [
        "draws = true\ntable = 'none'",
        "draws = true\ntable.size = 4096",
        "draws = true\ntable.size = 300\nnull_move.min_depth = 2\nprobe = { at = 'before-leaf', depth = 'equal' }",
        "draws = true\nkeys.scheme = 'pieces-only'",
    ]
    .iter()
    .flat_map(|&text| (0..=shuffle.len()).map(move |plies| (text, plies)))
    .collect();
    each(&cases, |&(text, plies)| {
        let options: EngineOptions = from_toml(text).unwrap();
        let (mut board, mut past) = (Board::startpos(), Vec::new());
        for uci in &shuffle[..plies] {
            past.push(board);
            let mut moves = ttlab::internals::chess::MoveList::new();
            ttlab::internals::chess::legal(&board, &mut moves);
            board.play(*moves.iter().find(|mv| mv.to_string() == **uci).unwrap(), Increments::none());
        }
        let limit = Limit { depth: Some(3), nodes: None };
        let mut engine = Engine::new(&options, None).unwrap();
        let mut twin = Twin::new(&options, plain_table(&options));
        let found = engine.search(&board, &past, limit, &AtomicBool::new(false), &mut |_| {}).iterations;
        let expected = twin.search(&board, &past, limit);
        for (found, expected) in found.iter().map(plain).zip(expected) {
            assert_eq!(found, Iterated { anatomy: Default::default(), ..expected }, "{text}, {plies} plies");
        }
    });
}

/// Bare kings and a rook: every move of the losing side leads to mate, so a null move seems to be
/// followed by mate.
#[test]
fn mates_behind_a_null_move_equal_the_twin() {
    for text in ["", "algorithm = 'pvs'", "mate.distance = 'depth'", "fail = 'hard'\ntable = 'none'"] {
        let options: EngineOptions =
            from_toml(&format!("null_move = {{ min_depth = 1, reduction = 0 }}\n{text}")).unwrap();
        let starts =
            ["1k6/8/1K6/8/8/8/8/7R b - - 0 1", "k7/8/1K6/8/8/8/8/6R1 b - - 0 1", "8/8/8/8/8/1k6/7r/1K6 w - - 0 1"];
        same(text, &options, &starts.map(|fen| (fen, 6)), None);
    }
    // Here the null move is tried with a zero window below the mate score: its result is stored
    // only as far as it is proven.
    for text in ["algorithm = 'pvs'", "algorithm = 'mtdf'"] {
        let options: EngineOptions =
            from_toml(&format!("null_move = {{ min_depth = 1, reduction = 0 }}\n{text}")).unwrap();
        same(text, &options, &[("k7/8/8/K7/8/8/8/5R2 b - - 0 1", 6)], None);
    }
}

/// An entry of the previous search loses depth by aging. With `probe.depth = 'equal'`, its own
/// depth must be equal and its aged depth sufficient.
#[test]
fn aged_entries_of_equal_depth_equal_the_twin() {
    for on in ["both", "store", "probe"] {
        let text = format!(
            "probe.depth = 'equal'\n[table]\nsize = 4096\npolicy = {{ kind = 'aged-depth', factor = 1, on = '{on}' }}"
        );
        same(&text, &from_toml(&text).unwrap(), &starts(0), None);
    }
}

/// Reductions and extensions that use the table, at depths where they interact.
#[test]
fn terms_that_probe_the_table_equal_the_twin() {
    let iir = "iir.min_depth = 2";
    let singular = "singular = { min_depth = 3, double = 5 }";
    let cases: Vec<String> = [
        iir.to_owned(),
        singular.to_owned(),
        format!("{iir}\n{singular}\netc_depth = 2\nnull_move.min_depth = 2\niid.min_depth = 3\nlmr.min_depth = 2"),
        format!("{iir}\n{singular}\nfail = 'hard'\nprobe.bounds = 'ignored'"),
        format!("{iir}\n{singular}\nprobe.use = 'cutoffs'"),
        format!("{iir}\n{singular}\nprobe.use = 'moves'"),
        format!("{iir}\n{singular}\nprobe.min_depth = 3\nordering = ['mvv-lva']"),
        format!("{iir}\n{singular}\ntable.key_bits = 4\nprobe.depth = 'equal'"),
        format!("{iir}\n{singular}\ntable = 'none'"),
        format!("{iir}\n{singular}\nshape = 'neutral'\ntable.size = 64"),
        format!("{iir}\nprobe.at = 'quiescence'\nstore = {{ at = 'quiescence', evaluations = true }}\ntable.design = 'weiss'\ntable.size = 64"),
        format!("{iir}\nprobe = {{ at = 'quiescence' }}\nstore = {{ at = 'quiescence', evaluations = true }}\ntable = {{ design = 'weiss', size = 64, static_evaluation = true, keep_pv = true }}"),
        "probe = { at = 'quiescence' }\nleaf = 'quiescence'\nstore.at = 'quiescence'\ntable = { size = 600, static_evaluation = true }".to_owned(),
        format!("{iir}\n{singular}\nprobe = {{ start_value = true }}\nstore.rises = true\ntable.size = 600"),
        format!("{iir}\nstore = {{ rises = true, at = 'before-leaf', min_depth = 2 }}\nfail = 'hard'\nnull_move.min_depth = 2\ntable = {{ policy = 'depth-age', slots = 2, same_key = 'guard', size = 96, victim = 'probe', demotion = {{ refused = 1, missed = 1, from = 1, missed_depth = 2 }} }}"),
        "probe = { at = 'before-leaf' }\nstore = { at = 'before-leaf', evaluations = true, min_depth = 1 }\ntable = { kind = 'unbounded', static_evaluation = true }".to_owned(),
        format!(
            "{iir}\n{singular}\nshape = 'neutral'\nprobe.at = 'before-leaf'\nstore.at = 'quiescence'\nstore.evaluations = true\netc_depth = 2\n\
             table = {{ size = 60, slots = 2, same_key = 'guard', guard = {{ move_first = true }}, evaluations = 'empty', refresh = 'cutoff', clock = 'iteration', keep_move = true }}"
        ),
        format!("{iir}\n{singular}\nshape = 'neutral'\ntable = {{ forget = 0.4, kind = 'unbounded' }}\nprobe.depth = 'equal'"),
        format!("{iir}\n{singular}\nshape = 'neutral'\ntable = {{ forget = 1, forget_part = 'score', size = 4096 }}"),
        format!("{iir}\n{singular}\ntable = {{ forget = 0.5, forget_part = 'move', size = 4096 }}\nprobe.bounds = 'ignored'"),
    ]
    .into();
    // Here every reply to a check is forced, so moves are singular all the way down.
    let starts = [values::STARTS[2].0, values::STARTS[6].0, "6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 0 1"];
    each(&cases, |text| {
        let table = if text.contains("table") { "" } else { "table.size = 4096\n" };
        let options: EngineOptions = from_toml(&format!("algorithm = 'pvs'\ndraws = true\n{table}{text}")).unwrap();
        same(text, &options, &starts.map(|fen| (fen, 5)), None);
        same(text, &options, &starts.map(|fen| (fen, 20)), Some(1501));
    });
}

/// A node that is cut off by a child's entry is stored like any other, down to `store.min_depth`.
#[test]
fn refuted_child_is_stored_as_in_the_twin() {
    for text in ["store.min_depth = 2", "store.min_depth = 3", "store.min_depth = 9", "store.at = 'quiescence'"] {
        let options: EngineOptions = from_toml(&format!("etc_depth = 1\ntable.size = 4096\n{text}")).unwrap();
        same(text, &options, &starts(0), None);
    }
}

/// The table that an engine builds is the one that its options specify. An unbounded table has an
/// entry for each depth if depths must be equal, and only then.
#[test]
fn engine_with_a_table_of_its_options_equals_the_built_in() {
    for (kind, depth) in ["unbounded", "bounded"]
        .into_iter()
        .flat_map(|kind| ["at-least", "equal", "ignored"].map(|depth| (kind, depth)))
    {
        let options: EngineOptions = from_toml(&format!("probe.depth = '{depth}'\ntable = '{kind}'")).unwrap();
        let engines = [Engine::new(&options, None), Engine::with_table(&options, plain_table(&options).unwrap())];
        let [built_in, given] = engines.map(|engine| {
            let (mut engine, board) = (engine.unwrap(), Board::from_fen(values::STARTS[0].0).unwrap());
            let limit = Limit { depth: Some(4), nodes: None };
            let found = engine.search(&board, &[], limit, &AtomicBool::new(false), &mut |_| {}).iterations;
            (format!("{:?}", found.iter().map(plain).collect::<Vec<_>>()), engine.table().unwrap().occupancy().occupied)
        });
        assert_eq!(built_in, given, "{kind}, {depth}");
    }
}
