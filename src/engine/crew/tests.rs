#![allow(clippy::unwrap_used)]

use super::*;
use crate::chess::Board;
use crate::engine::{Engine, EngineOptions, Iteration, Limit};
use crate::table::same_key::SameKey;
use crate::table::{Size, Table, ThreadCounters};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

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

/// A helper on a thread of the system, which waits while it is not its turn.
struct Thread {
    turns: Sender<u64>,
    ends: Receiver<Turn>,
    thread: Option<JoinHandle<()>>,
}

/// A thread's view of the turns.
struct Waiting {
    turns: Receiver<u64>,
    ends: Sender<Turn>,
    began: bool,
    completed: Option<Completed>,
}

impl Baton for Waiting {
    fn pass(&mut self, count: &SearchCounters) -> u64 {
        if std::mem::replace(&mut self.began, true) {
            self.ends.send(Turn::Over(Report { count: *count, completed: self.completed.take() })).unwrap();
        }
        self.turns.recv().unwrap()
    }

    fn complete(&mut self, completed: Completed) {
        self.completed = Some(completed);
    }
}

impl Thread {
    fn suspend(mut helper: Box<Helper>, task: Task) -> Box<dyn Suspended> {
        let ((turns, my_turns), (my_ends, ends)) = (channel(), channel());
        let run = move || {
            let last = my_ends.clone();
            let mut turn = Waiting { turns: my_turns, ends: my_ends, began: false, completed: None };
            let count = helper.run(&task, &mut turn);
            last.send(Turn::Ended(helper, Report { count, completed: turn.completed })).unwrap();
        };
        Box::new(Self { turns, ends, thread: Some(std::thread::spawn(run)) })
    }
}

impl Suspended for Thread {
    fn resume(&mut self, nodes: u64) -> Turn {
        self.turns.send(nodes).unwrap();
        let turn = self.ends.recv().unwrap();
        if matches!(turn, Turn::Ended(..)) {
            self.thread.take().unwrap().join().unwrap();
        }
        turn
    }
}

/// Searchers on stacks of their own find and count what threads of the system do that take the same
/// turns, in two searches of a game.
#[test]
fn searchers_equal_threads_that_take_the_same_turns() {
    for threads in [
        r#"{ "count": 2, "quantum": 1 }"#,
        r#"{ "count": 3, "quantum": 7, "main_quantum": 20, "helpers": "odd-even" }"#,
        r#"{ "count": 5, "schedule": "random", "helpers": "shuffle", "answer": "first" }"#,
        r#"{ "count": 4, "schedule": "list", "turns": "0:64 1:20 2:9 3:100", "helpers": "abdada", "answer": "vote" }"#,
    ] {
        let mut options = options(threads);
        options.table.same_key = SameKey::Deeper;
        let found = [Routine::suspend, Thread::suspend].map(|suspend| {
            let mut engine = Engine::new(&options, None).unwrap();
            let (stop, first) = (AtomicBool::new(false), Board::from_fen(MIDDLE_GAME).unwrap());
            let mut second = first;
            let mut all = engine.search_with(suspend, &first, &[], to_depth(4), (&stop).into(), &mut |_| {}).iterations;
            second.play(all[3].best, crate::chess::Increments::none());
            let limit = Limit { depth: None, nodes: Some(20_000) };
            all.extend(engine.search_with(suspend, &second, &[first], limit, (&stop).into(), &mut |_| {}).iterations);
            all
        });
        assert!(found[0] == found[1], "{threads}");
        let mut all = ThreadCounters::default();
        found[0].iter().for_each(|at| all += at.threads);
        let named = ThreadCounters::COLUMNS.iter().map(|(name, _)| *name).zip(all.values());
        let none: Vec<&str> = named.filter(|&(_, count)| count == 0).map(|(name, _)| name).collect();
        let elsewhere = |name: &&str| *name == "avoided" || name.starts_with("torn");
        assert!(none.iter().all(elsewhere), "{threads}: {none:?}");
    }
}

/// Helpers that start after the main searcher change nothing. Source of the test: R. Hyatt,
/// talkchess 15912, 1998.
#[test]
fn helpers_that_start_after_the_main_searcher_change_no_count() {
    for helpers in ["same", "odd-even", "skip-depths", "shuffle", "simplified-abdada"] {
        let threads = format!("{{ \"count\": 4, \"quantum\": 4294967295, \"helpers\": \"{helpers}\" }}");
        let [alone, later] =
            [options("{}"), options(&threads)].map(|options| search(&options, MIDDLE_GAME, to_depth(5)));
        for (alone, later) in alone.iter().zip(&later) {
            assert_eq!(later.threads.helper_nodes, 0);
            assert_eq!(*alone, Iteration { threads: alone.threads, ..later.clone() }, "{helpers}");
            assert_eq!(alone.threads.ticks, alone.search.nodes);
        }
        assert_eq!(alone.len(), later.len());
    }
}

/// With a table each, nobody has anything of another: the main searcher counts what it counts
/// alone.
#[test]
fn searchers_with_tables_of_their_own_share_nothing() {
    let own = options(r#"{ "count": 3, "tables": "own", "helpers": "shuffle" }"#);
    let [alone, beside] = [&options("{}"), &own].map(|options| search(options, MIDDLE_GAME, to_depth(5)));
    for (alone, beside) in alone.iter().zip(&beside) {
        let ThreadCounters { foreign_hits, foreign_cutoffs, duplicates, foreign_unread, helper_nodes, .. } =
            beside.threads;
        assert_eq!([foreign_hits, foreign_cutoffs, duplicates, foreign_unread], [0; 4]);
        assert_eq!(beside.search.nodes - helper_nodes, alone.search.nodes);
        assert_eq!((beside.score, &beside.pv), (alone.score, &alone.pv));
        assert_eq!(beside.occupancy.slots, 3 * alone.occupancy.slots);
        assert_eq!(beside.occupancy.bytes, 3 * alone.occupancy.bytes);
    }
    let [last, all] = [&alone, &beside].map(|found| found.last().unwrap());
    assert!(all.occupancy.occupied > 2 * last.occupancy.occupied && all.table.probes > 2 * last.table.probes);
    let bytes = |threads: &str| options(threads).memory_bytes().unwrap();
    let table = bytes("{}");
    assert_eq!(bytes(r#"{ "count": 3, "tables": "own" }"#) - bytes(r#"{ "count": 3 }"#), 2 * table);
    let table = crate::table::build(&own.table, None, false).unwrap().unwrap();
    let refused = Engine::with_table(&own, table).err().unwrap().to_string();
    assert_eq!(refused, "threads.tables: a table of the caller's is one: expected \"shared\"");
    let abdada = options(r#"{ "count": 3, "tables": "own", "helpers": "abdada" }"#);
    assert!(Engine::new(&abdada, None).err().unwrap().to_string().ends_with("expected threads.tables = \"shared\""));
}

/// A limit of nodes is one of all searchers together, and is reached; each turn has its quantum.
#[test]
fn node_limit_holds_for_all_searchers_together() {
    for (count, nodes) in [(1, 5000), (2, 1), (2, 5000), (3, 4999), (256, 30_000)] {
        let threads = format!("{{ \"count\": {count}, \"quantum\": 10 }}");
        let found = search(&options(&threads), MIDDLE_GAME, Limit { depth: None, nodes: Some(nodes) });
        let sum = |of: fn(&Iteration) -> u64| found.iter().map(of).sum::<u64>();
        let (all, helped) = (sum(|at| at.search.nodes), sum(|at| at.threads.helper_nodes));
        assert_eq!((all, sum(|at| at.threads.ticks)), (nodes, nodes / count), "{count} searchers");
        let rounds = nodes / (10 * count);
        let main = 10 * rounds + (nodes - 10 * count * rounds).min(10);
        assert_eq!(all - helped, main, "{count} searchers");
        assert!(!found.last().unwrap().finished);
    }
}

/// The turns of a search, recorded and taken again, give its counts to the last one; those of real
/// threads give a search that repeats.
#[test]
fn recorded_turns_give_the_search_again() {
    let record = |threads: &str| {
        let mut engine = Engine::new(&options(threads), None).unwrap();
        engine.record_turns();
        let (board, stop) = (Board::from_fen(MIDDLE_GAME).unwrap(), AtomicBool::new(false));
        let found = engine.search(&board, &[], to_depth(5), &stop, &mut |_| {}).iterations;
        (found, engine.recorded_turns().unwrap().to_owned())
    };
    let again = |helpers: &str, turns: &str| {
        let list = r#""schedule": "list", "turns": "#;
        record(&format!(r#"{{ "count": 3, "helpers": "{helpers}", {list} "{turns}" }}"#))
    };
    for helpers in ["same", "shuffle"] {
        let random = r#""schedule": "random", "main_quantum": 100, "seed": 1"#;
        let (found, turns) = record(&format!(r#"{{ "count": 3, "helpers": "{helpers}", {random} }}"#));
        assert!(turns.split(' ').count() > 50, "{turns}");
        assert!(again(helpers, &turns) == (found, turns));
    }
    let (_, turns) = record(r#"{ "count": 3, "kind": "real" }"#);
    assert!(turns.contains("0:1024") && turns.split(' ').count() > 5, "{turns}");
    assert!(again("same", &turns) == again("same", &turns));
}

/// A helper whose search is over (a mate and a stalemate have no moves) leaves its turns to others.
#[test]
fn helper_without_moves_ends_its_search() {
    for fen in ["7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1"] {
        let found = search(&options(r#"{ "count": 3, "quantum": 300 }"#), fen, to_depth(255));
        assert_eq!(found.len(), 255);
        let helped: u64 = found.iter().map(|iteration| iteration.threads.helper_nodes).sum();
        assert_eq!(helped, 0, "the main searcher is ready before its turn ends");
        let found = search(&options(r#"{ "count": 3, "quantum": 200 }"#), fen, to_depth(255));
        let helped: u64 = found.iter().map(|iteration| iteration.threads.helper_nodes).sum();
        assert_eq!(helped, 2 * 200);
        let found = search(&options(r#"{ "count": 3, "quantum": 300, "main_quantum": 100 }"#), fen, to_depth(255));
        let helped: u64 = found.iter().map(|iteration| iteration.threads.helper_nodes).sum();
        assert_eq!(helped, 2 * 255);
    }
}

/// Searchers on threads of the system reach the depth, keep the limit of nodes, and count each
/// other's entries. What they count is another draw each time.
#[test]
fn searchers_on_threads_of_the_system_keep_their_limits() {
    for (answer, lock) in [("main", true), ("first", false), ("vote", false)] {
        let options = options(&format!(r#"{{ "count": 3, "kind": "real", "lock": {lock}, "answer": "{answer}" }}"#));
        let found = search(&options, MIDDLE_GAME, to_depth(5));
        assert_eq!(found.iter().map(|at| at.depth).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
        assert!(found.iter().all(|at| at.finished && !at.best.is_none()));
        let found = search(&options, MIDDLE_GAME, Limit { depth: None, nodes: Some(9000) });
        let nodes: u64 = found.iter().map(|at| at.search.nodes).sum();
        assert!((1..=9000).contains(&nodes), "{nodes}");
    }
}

/// The stop signal ends a search in the middle of a turn of any length.
#[test]
fn stop_ends_a_turn() {
    for threads in
        [r#"{ "count": 2, "quantum": 4294967295 }"#, r#"{ "count": 2, "main_quantum": 1, "quantum": 4294967295 }"#]
    {
        let mut engine = Engine::new(&options(threads), None).unwrap();
        let (stop, asked) = (AtomicBool::new(false), std::sync::atomic::AtomicU32::new(0));
        let late = || asked.fetch_add(1, std::sync::atomic::Ordering::Relaxed) > 20;
        let stop = Stop::with_callback(&stop, &late);
        let board = Board::from_fen(MIDDLE_GAME).unwrap();
        let outcome = engine.search(&board, &[], to_depth(200), stop, &mut |_| {});
        let nodes: u64 = outcome.iterations.iter().map(|iteration| iteration.search.nodes).sum();
        assert!(outcome.stopped, "{nodes} nodes");
        assert!(nodes < 40 * POLL, "{nodes} nodes");
    }
}

/// A table without a lock is refused where it could not do what is asked for, and a caller's table.
#[test]
fn table_without_a_lock_is_refused_where_it_needs_one() {
    let real = |rest: &str| options(&format!(r#"{{ "count": 2, "kind": "real"{rest} }}"#));
    let mut policy = real("");
    policy.table.policy = crate::table::policy::Policy::from_name("sieve").unwrap();
    let others = [
        r#", "helpers": "abdada""#,
        r#", "tear": { "probability": 0.1 }"#,
        r#", "tear": { "entries": "word" }"#,
        r#", "tables": "own""#,
    ];
    for mut options in others.map(real).into_iter().chain([policy]) {
        let refused = Engine::new(&options, None).err().unwrap().to_string();
        assert!(
            refused.starts_with("threads.lock: ") && refused.ends_with(" needs a lock: expected true"),
            "{refused}"
        );
        options.threads.lock = true;
        Engine::new(&options, None).unwrap();
        (options.threads.lock, options.threads.count) = (false, 1);
        Engine::new(&options, None).unwrap();
    }
    let mut own = real("");
    let table = |options: &EngineOptions| crate::table::build(&options.table, None, false).unwrap().unwrap();
    assert!(Engine::with_table(&own, table(&own)).is_err());
    own.threads.lock = true;
    Engine::with_table(&own, table(&own)).unwrap();
}

/// A table that fails at the hundredth probe of a helper.
struct Failing(Box<dyn Table>, u32);

impl Table for Failing {
    fn probe(&mut self, key: u64, depth: u8) -> Option<crate::table::Hit> {
        self.1 += 1;
        assert!(self.1 < 100, "the hundredth probe");
        self.0.probe(key, depth)
    }
    fn store(&mut self, key: u64, entry: crate::table::Entry) -> crate::table::StoreOutcome {
        self.0.store(key, entry)
    }
    fn cutoff(&mut self, hit: &crate::table::Hit) {
        self.0.cutoff(hit);
    }
    fn prefetch(&self, key: u64) {
        self.0.prefetch(key);
    }
    fn advance(&mut self, ticks: u16) {
        self.0.advance(ticks);
    }
    fn clear(&mut self) {
        self.0.clear();
    }
    fn now(&self) -> u16 {
        self.0.now()
    }
    fn counters(&self) -> crate::table::TableCounters {
        self.0.counters()
    }
    fn occupancy(&self) -> crate::table::Occupancy {
        self.0.occupancy()
    }
    fn for_each(&self, visit: &mut dyn FnMut(&crate::table::Entry)) {
        self.0.for_each(visit);
    }
}

/// A searcher that fails ends the search with its message; the others, in the middle of theirs,
/// are dropped with it.
#[test]
fn searcher_that_fails_ends_the_search() {
    // The hundredth probe is the main searcher's or a helper's.
    for (kind, main_quantum) in [("virtual", 1), ("virtual", 4000), ("real", 1)] {
        let options = options(&format!(
            "{{ \"count\": 4, \"kind\": \"{kind}\", \"lock\": true, \"quantum\": 60, \"main_quantum\": {main_quantum} }}"
        ));
        let table = crate::table::build(&options.table, None, false).unwrap().unwrap();
        let mut engine = Engine::with_table(&options, Box::new(Failing(table, 0))).unwrap();
        let board = Board::from_fen(MIDDLE_GAME).unwrap();
        let search = || engine.search(&board, &[], to_depth(5), &AtomicBool::new(false), &mut |_| {});
        let payload = catch_unwind(AssertUnwindSafe(search)).unwrap_err();
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"the hundredth probe"));
    }
}

/// Each way to be different changes what is counted, and so does each seed; a search that is
/// repeated after a reset counts the same.
#[test]
fn helpers_and_schedules_change_the_counts() {
    let limit = to_depth(5);
    let all = [
        r#"{ "count": 3 }"#,
        r#"{ "count": 3, "quantum": 65 }"#,
        r#"{ "count": 3, "main_quantum": 65 }"#,
        r#"{ "count": 3, "helpers": "odd-even" }"#,
        r#"{ "count": 3, "helpers": "skip-depths" }"#,
        r#"{ "count": 3, "helpers": "shuffle" }"#,
        r#"{ "count": 3, "helpers": "shuffle", "seed": 2 }"#,
        r#"{ "count": 3, "schedule": "random" }"#,
        r#"{ "count": 3, "schedule": "random", "seed": 2 }"#,
        r#"{ "count": 3, "schedule": "list", "turns": "0:64 1:64 1:64 2:64" }"#,
        r#"{ "count": 3, "helpers": "simplified-abdada" }"#,
        r#"{ "count": 3, "helpers": "abdada" }"#,
        r#"{ "count": 3, "answer": "first" }"#,
        r#"{ "count": 4 }"#,
    ];
    let found: Vec<Vec<Iteration>> = all.iter().map(|threads| search(&options(threads), MIDDLE_GAME, limit)).collect();
    for (at, one) in found.iter().enumerate() {
        let same: Vec<&str> = (0..at).filter(|&other| found[other] == *one).map(|other| all[other]).collect();
        assert!(same.is_empty(), "{} counts as {same:?}", all[at]);
    }
    let mut engine = Engine::new(&options(all[6]), None).unwrap();
    let (board, stop) = (Board::from_fen(MIDDLE_GAME).unwrap(), AtomicBool::new(false));
    let mut again = || {
        engine.reset();
        engine.search(&board, &[], limit, &stop, &mut |_| {}).iterations
    };
    assert!(again() == found[6]);
    assert!(again() == found[6]);
}
