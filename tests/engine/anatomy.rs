//! Tests of full diagnostics: they change no count, their parts add up, and they agree with a plain
//! model that knows every position.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use ttlab::internals::chess::{Board, Bound, Increments};
use ttlab::internals::decode::from_toml;
use ttlab::internals::engine::{Engine, EngineOptions, Iteration, Limit};
use ttlab::internals::table::options::{Index, Size};
use ttlab::internals::table::policy::Policy;
use ttlab::internals::table::watch::{Watch, WatchedTable};
use ttlab::internals::table::{
    Entry, Hit, Instrumented, ObservedTable, ShadowCounters, StoreOutcome, Table, TableOptions, build,
};

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

/// Runs two searches, the second after the engine's best move.
fn search(text: &str, diagnostics: &str) -> Vec<Iteration> {
    let options: EngineOptions = from_toml(&format!("diagnostics = '{diagnostics}'\n{text}")).unwrap();
    let mut engine = Engine::new(&options, None).unwrap();
    let mut board = Board::from_fen(KIWIPETE).unwrap();
    let mut iterations = Vec::new();
    for _ in 0..2 {
        let limit = Limit { depth: Some(5), nodes: None };
        iterations.extend(engine.search(&board, &[], limit, &AtomicBool::new(false), &mut |_| {}).iterations);
        board.play(iterations.last().unwrap().best, Increments::none());
    }
    iterations
}

fn every_kind_of_table() -> Vec<String> {
    let mut tables: Vec<String> = Policy::NAMES
        .iter()
        .map(|policy| {
            let slots = 2.min(*Policy::from_name(policy).unwrap().slots().end());
            format!(
                "table = {{ size = 1024, slots = {slots}, policy = '{policy}', key_bits = 10, clock = 'iteration' }}"
            )
        })
        .collect();
    tables.push("table = 'unbounded'".to_owned());
    tables.push("probe.depth = 'equal'\ntable = 'unbounded'\nkeys.ep = 'always'".to_owned());
    tables.push(
        "probe.use = 'moves'\ntable = { size = 500, clear = 'search', same_key = 'policy' }\nalgorithm = 'pvs'"
            .to_owned(),
    );
    tables.push("table = { size = 500, same_key = 'deeper' }\nalgorithm = 'pvs'".to_owned());
    tables.push("table = { size = 500, layout = 'bytes10', slots = 3, same_key = 'guard', guard = { margin = 3, pv = 0, age = false } }".to_owned());
    tables
}

#[test]
fn diagnostics_change_no_count_and_add_up() {
    for text in every_kind_of_table() {
        let (plain, full) = (search(&text, "off"), search(&text, "full"));
        assert_eq!(plain.len(), full.len());
        for (plain, full) in plain.iter().zip(&full) {
            assert_eq!((plain.search, plain.score, plain.best), (full.search, full.score, full.best), "{text}");
            // `reused` is only counted with full diagnostics.
            let mut table = plain.table;
            table.reused = full.table.reused;
            assert_eq!(table, full.table, "{text}");
            assert_eq!(plain.occupancy, full.occupancy, "{text}");
            assert!(plain.anatomy.is_none());
            adds_up(full, &text);
        }
        let mut all = ShadowCounters::default();
        full.iter().for_each(|iteration| all += iteration.anatomy.as_ref().unwrap().table);
        assert!(all.lives_cut <= all.lives_used, "{text} {all:?}");
        assert!(all.lives_used <= all.lives, "{text} {all:?}");
        assert!(all.lives > 0, "{text} {all:?}");
    }
}

fn adds_up(full: &Iteration, text: &str) {
    let anatomy = full.anatomy.as_deref().unwrap();
    let (tree, table) = (anatomy.search, anatomy.table);
    let (hits, count) = (full.table.hits, full.table);
    assert_eq!(hits, tree.cut + tree.shallow + tree.indecisive + tree.unasked, "{text}");
    assert_eq!(tree.cut, full.search.usable);
    assert_eq!(tree.cut, tree.cut_exact + tree.cut_lower + tree.cut_upper);
    assert_eq!(hits, tree.hits_ply_0 + tree.hits_ply_3 + tree.hits_ply_6 + tree.hits_ply_9);
    assert_eq!(tree.cut, tree.cut_ply_0 + tree.cut_ply_3 + tree.cut_ply_6 + tree.cut_ply_9);
    assert_eq!(hits, tree.hits_depth_0 + tree.hits_depth_3 + tree.hits_depth_6 + tree.hits_depth_9);
    assert_eq!(tree.cut, tree.cut_depth_0 + tree.cut_depth_3 + tree.cut_depth_6 + tree.cut_depth_9);
    let probes = tree.probes_ply_0 + tree.probes_ply_3 + tree.probes_ply_6 + tree.probes_ply_9;
    assert_eq!(count.probes, probes);
    assert!(tree.unique <= full.search.nodes && tree.unique > full.search.nodes / 10);
    assert!(tree.cut_old <= tree.hits_old);
    assert!(tree.cut_pv <= tree.hits_pv);
    assert!(full.search.saved >= tree.cut);
    assert!(tree.cut_false <= table.false_hits);
    let misses = table.miss_never + table.miss_evicted + table.miss_refused + table.miss_emptied + table.miss_elsewhere;
    assert_eq!(misses, count.misses_empty + count.misses_other, "{text}");
    assert_eq!(table.lives, count.fills + count.evictions + table.false_updates, "{text}");
    assert!(table.contended >= count.evictions);
}

#[test]
fn counters_of_false_matches_and_pressure_are_zero_without_them() {
    for iteration in search("table = { size = '64 MiB' }", "full") {
        let table = iteration.anatomy.unwrap().table;
        assert_eq!((table.false_hits, table.false_updates), (0, 0));
        assert!(table.miss_evicted * 100 <= table.lives + 100, "64 MiB lose almost nothing: {table:?}");
    }
    let last = search("table = { size = 1024, policy = 'never' }", "full").pop().unwrap().anatomy.unwrap().table;
    assert_eq!(last.miss_evicted, 0);
    assert!(last.miss_refused > 1000, "{last:?}");
    assert!(last.miss_refused_deep > 100, "{last:?}");
    let last = search("table = { size = 1024, policy = 'always', clear = 'search' }", "full").pop().unwrap();
    let table = last.anatomy.unwrap().table;
    assert_eq!(table.miss_refused, 0);
    assert!(table.miss_evicted > 1000, "{table:?}");
    assert!(table.miss_emptied > 0, "{table:?}");
}

/// With e.p. squares always in the key, the same position with different e.p. squares is in
/// different places of the table.
#[test]
fn en_passant_squares_in_keys_hide_positions() {
    let elsewhere = |ep: &str| -> u64 {
        let text = format!("keys.ep = '{ep}'\ntable = 'unbounded'");
        search(&text, "full").iter().map(|found| found.anatomy.as_ref().unwrap().table.miss_elsewhere).sum()
    };
    assert!(elsewhere("always") > 0);
    assert_eq!(elsewhere("legal"), 0);
}

/// A plain model of a table with one slot per bucket: it records the entry in each slot, and what
/// happened to each position.
#[derive(Default)]
struct Model {
    /// Whether it keeps the deeper of two positions, instead of the later one.
    prefers_depth: bool,
    slots: HashMap<u64, (u64, u64, u8, bool, bool)>,
    offered: HashSet<u64>,
    evicted: HashMap<u64, u8>,
    refused: HashMap<u64, u8>,
    emptied: HashSet<u64>,
    count: ShadowCounters,
}

impl Model {
    /// A probe of the table, counted in the model's way; `cut`: a hit ends its node.
    fn probe(&mut self, slot: u64, kept: u64, check: u64, depth: u8, cut: bool) {
        match self.slots.get_mut(&slot) {
            Some((held, other, _, used, ended)) if *held == kept => {
                if *other != check {
                    self.count.false_hits += 1;
                    return;
                }
                self.count.lives_used += u64::from(!*used);
                self.count.lives_cut += u64::from(cut && !*ended);
                (*used, *ended) = (true, *ended || cut);
            }
            _ => {
                if self.emptied.contains(&check) {
                    self.count.miss_emptied += 1;
                } else if let Some(&lost) = self.evicted.get(&check) {
                    self.count.miss_evicted += 1;
                    self.count.miss_evicted_deep += u64::from(lost >= depth);
                } else if let Some(&lost) = self.refused.get(&check) {
                    self.count.miss_refused += 1;
                    self.count.miss_refused_deep += u64::from(lost >= depth);
                } else {
                    assert!(!self.offered.contains(&check));
                    self.count.miss_never += 1;
                }
            }
        }
    }

    fn store(&mut self, slot: u64, kept: u64, check: u64, depth: u8) {
        if let Some((held, other, lost, used, ended)) = self.slots.get(&slot).copied() {
            if other == check {
                self.slots.insert(slot, (kept, check, depth, used, ended));
                return;
            }
            if self.prefers_depth && held != kept && depth < lost {
                self.count.contended += 1;
                self.emptied.remove(&check);
                self.evicted.remove(&check);
                self.refused.insert(check, depth);
                return;
            }
            self.refused.remove(&other);
            self.evicted.insert(other, lost);
            if held == kept {
                self.count.false_updates += 1;
            } else {
                self.count.contended += 1;
            }
        }
        self.count.lives += 1;
        self.offered.insert(check);
        self.evicted.remove(&check);
        self.refused.remove(&check);
        self.emptied.remove(&check);
        self.slots.insert(slot, (kept, check, depth, false, false));
    }

    fn clear(&mut self) {
        self.emptied.extend(self.offered.drain().chain(self.refused.drain().map(|(check, _)| check)));
        self.evicted.clear();
        self.slots.clear();
    }
}

#[test]
fn shadow_equals_a_plain_model() {
    for policy in ["always", "depth-preferred"] {
        shadowed(policy);
    }
}

fn shadowed(policy: &str) {
    let policy = Policy::from_name(policy).unwrap();
    let prefers_depth = policy.name() == "depth-preferred";
    let options =
        TableOptions { size: Size::Entries(64), index: Index::Modulo, key_bits: 3, policy, ..TableOptions::default() };
    let mut table = ObservedTable::new(build(&options, None, false).unwrap().unwrap()).unwrap();
    let mut model = Model { prefers_depth, ..Model::default() };
    let mut state = 7u64;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for step in 0..60_000 {
        let position = random(400);
        // The high bits of the keys take few values (three of them are compared); the low bits,
        // which select the slot, are arbitrary.
        let key = (position * 0x9e37_79b9).wrapping_mul(0x2545_f491_4f6c_dd1d);
        let (slot, kept, check, depth) = (key % 64, key >> 61, position + 1, random(10) as u8);
        table.identify(check);
        match random(8) {
            0..4 => {
                let cut = random(3) == 0;
                if let Some(hit) = table.probe(key, depth).filter(|_| cut) {
                    table.cutoff(&hit);
                }
                model.probe(slot, kept, check, depth, cut);
            }
            _ => {
                table.store(key, Entry { bound: Bound::Lower, depth, ..Entry::default() });
                model.store(slot, kept, check, depth);
            }
        }
        if step % 7919 == 7918 {
            table.clear();
            model.clear();
        }
        assert_eq!(table.shadow(), model.count, "step {step}");
    }
    let count = model.count;
    assert_eq!(count.miss_refused > 500 && count.miss_refused_deep > 20, prefers_depth, "{count:?}");
    assert!(count.false_hits > 500, "{count:?}");
    assert!(count.false_updates > 500, "{count:?}");
    assert!(count.miss_emptied > 20, "{count:?}");
    table.clear();
    table.forget_records();
    table.identify(5);
    table.probe(1, 0);
    assert_eq!(table.shadow().miss_never, count.miss_never + 1, "after a renewal nothing is remembered");
}

/// False matches in a search are as frequent as expected by chance: in a full table, misses x slots
/// x 2^-bits.
#[test]
fn type_one_errors_follow_the_law() {
    for (bits, slots) in [(6u32, 1u32), (6, 4), (9, 2)] {
        let (mut false_hits, mut expected) = (0, 0.0);
        for seed in 1..=8 {
            let text = format!(
                "keys.seed = {seed}\nordering = ['mvv-lva']\n\
                 table = {{ size = 256, slots = {slots}, policy = 'always', key_bits = {bits} }}\nprobe.use = 'moves'"
            );
            for iteration in search(&text, "full") {
                let found = iteration.anatomy.unwrap();
                let asked = iteration.table.misses_other + found.table.false_hits;
                false_hits += found.table.false_hits;
                expected += asked as f64 * (1.0 - (1.0 - 0.5f64.powi(bits as i32)).powi(slots as i32));
            }
        }
        let ratio = false_hits as f64 / expected;
        assert!((0.85..1.15).contains(&ratio), "{false_hits} against {expected} with {bits} bits, {slots} slots");
    }
}

/// Observes a table of 512 slots that never compares keys. It knows the full keys, so it can tell
/// when another position's entry answers.
struct Last {
    keys: HashMap<u64, u64>,
    foreign: bool,
    cuts: Arc<AtomicU64>,
}

impl Watch for Last {
    fn on_probe(&mut self, key: u64, _: u8, _: Option<&Hit>) -> bool {
        self.foreign = self.keys.get(&(key % 512)) != Some(&key);
        false
    }
    fn on_store(&mut self, key: u64, _: &Entry, _: StoreOutcome) {
        self.keys.insert(key % 512, key);
    }
    fn on_cutoff(&mut self, _: &Hit) {
        self.cuts.fetch_add(u64::from(self.foreign), Ordering::Relaxed);
    }
    fn on_clear(&mut self) {
        self.keys.clear();
    }
}

#[test]
fn cuts_by_other_positions_entries_are_counted_by_their_keys() {
    let text = "diagnostics = 'full'\ntable = { size = 512, index = 'modulo', key_bits = 0, policy = 'always' }\nkeys.ep = 'legal'";
    let options: EngineOptions = from_toml(text).unwrap();
    let cuts = Arc::new(AtomicU64::new(0));
    let table = build(&options.table, None, false).unwrap().unwrap();
    let table = WatchedTable::with_watch(Last { keys: HashMap::new(), foreign: false, cuts: Arc::clone(&cuts) }, table);
    let mut engine = Engine::with_table(&options, Box::new(table)).unwrap();
    let (mut wrong, mut right) = (0, 0);
    for fen in [KIWIPETE, "8/8/4k3/8/8/3KP3/8/8 w - - 0 1"] {
        let limit = Limit { depth: Some(4), nodes: None };
        let board = Board::from_fen(fen).unwrap();
        let found = engine.search(&board, &[], limit, &AtomicBool::new(false), &mut |_| {}).iterations;
        let trees = found.iter().map(|found| found.anatomy.as_ref().unwrap().search);
        let (cut, cut_false) = trees.fold((0, 0), |sums, tree| (sums.0 + tree.cut, sums.1 + tree.cut_false));
        assert_eq!(cut_false, cuts.swap(0, Ordering::Relaxed), "{fen}");
        wrong += cut_false;
        right += cut - cut_false;
    }
    assert!(wrong > 50, "{wrong} wrong, {right} right");
    assert!(right > 20, "{wrong} wrong, {right} right");
}

/// Without an observer, nodes above bare leaves process all their moves at once; with an observer,
/// one by one. Counters, scores and lines are the same.
#[test]
fn counters_added_at_once_equal_those_added_one_by_one() {
    let bare = "algorithm = 'alpha-beta'\nordering = []\nleaf = 'static'\nleaf_mates = false\ndraws = false\nprobe.min_depth = 1\nstore.min_depth = 1\n";
    let mut first_cuts = 0;
    for table in ["table = 'none'", "table = { size = 1024, policy = 'always' }"] {
        let reduced = "lmr = { min_depth = 1, full_moves = 1, reduction = 1 }";
        for more in ["", "fail = 'hard'", "eval.squares = 'none'", "eval.squares = 'none'\nfail = 'hard'", reduced] {
            let text = format!("{bare}{table}\n{more}");
            let found = ["off", "full"].map(|diagnostics| {
                let options: EngineOptions = from_toml(&format!("diagnostics = '{diagnostics}'\n{text}")).unwrap();
                let (limit, board) = (Limit { depth: Some(4), nodes: None }, Board::from_fen(KIWIPETE).unwrap());
                let mut engine = Engine::new(&options, None).unwrap();
                engine.search(&board, &[], limit, &AtomicBool::new(false), &mut |_| {}).iterations
            });
            let [plain, full] = found;
            for (plain, full) in plain.iter().zip(&full) {
                assert_eq!((plain.search, plain.score, plain.best), (full.search, full.score, full.best), "{text}");
                assert_eq!(plain.pv, full.pv, "{text}");
                first_cuts += plain.search.first_cuts;
            }
        }
    }
    assert!(first_cuts > 1000);
}
