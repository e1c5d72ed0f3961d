//! Tests of sequences: searches that share a table during a game, and what is kept between them.

use proptest::prelude::*;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use ttlab::internals::chess::suite::{Suite, SuiteOptions};
use ttlab::internals::chess::{Board, Bound, Increments};
use ttlab::internals::decode::from_toml;
use ttlab::internals::engine::{Engine, EngineOptions, Iteration, Limit};
use ttlab::internals::table::kept::KeepTables;
use ttlab::internals::table::policy::Policy;
use ttlab::internals::table::{Design, TableOptions, build};

fn engine(text: &str) -> Engine {
    let options: EngineOptions = from_toml(text).unwrap();
    Engine::new(&options, None).unwrap()
}

fn search(engine: &mut Engine, board: &Board, past: &[Board], depth: u8) -> Iteration {
    let limit = Limit { depth: Some(depth), nodes: None };
    engine.search(board, past, limit, &AtomicBool::new(false), &mut |_| {}).iterations.pop().unwrap()
}

/// Returns the boards of the suite's first game, one for each ply.
fn game() -> Vec<Board> {
    let path = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join("data/games.pgn");
    let suite = Suite::load(&path, SuiteOptions::default()).unwrap();
    assert!(suite.items.len() >= 10);
    let mut board = suite.items[0].board;
    let mut boards = vec![board];
    for &mv in suite.items[0].game_moves().unwrap() {
        board.play(mv, Increments::none());
        boards.push(board);
    }
    boards
}

/// Returns the hits of each search along the game.
fn hits(text: &str) -> Vec<u64> {
    let mut engine = engine(&format!("deepening.step = 0\n{text}"));
    game()[10..16].iter().map(|board| search(&mut engine, board, &[], 4).table.hits).collect()
}

#[test]
fn kept_table_answers_from_the_last_search_and_cleared_does_not() {
    let (kept, cleared) = (hits("table.clear = 'game'"), hits("table.clear = 'search'"));
    assert_eq!(kept[0], cleared[0]);
    assert!((1..5).all(|at| kept[at] > cleared[at]), "{kept:?} {cleared:?}");
    // A cleared table in a sequence is like a new table: the same search alone has the same counts.
    let mut alone = engine("deepening.step = 0\ntable.clear = 'search'\nhistory_clear = 'search'");
    let mut along = engine("deepening.step = 0\ntable.clear = 'search'\nhistory_clear = 'search'");
    for board in &game()[10..16] {
        alone.reset();
        assert_eq!(search(&mut alone, board, &[], 4), search(&mut along, board, &[], 4));
    }
}

#[test]
fn history_and_killers_are_cleared_independently_of_the_table() {
    let nodes = |text: &str| -> Vec<u64> {
        let mut engine = engine(&format!("deepening.step = 0\ntable.clear = 'search'\n{text}"));
        game()[10..14].iter().map(|board| search(&mut engine, board, &[], 4).search.nodes).collect()
    };
    let (kept, cleared) = (nodes("history_clear = 'game'"), nodes("history_clear = 'search'"));
    assert_eq!(kept[0], cleared[0]);
    assert_ne!(kept[1..], cleared[1..]);
}

/// With factor 4 on probes, an entry must be eight plies deeper to cut off two plies later, so only
/// its move remains useful. If only stores are aged, cutoffs remain.
#[test]
fn aging_on_probe_leaves_only_the_moves_of_the_last_search() {
    let usable = |policy: &str| -> u64 {
        let text =
            format!("table.clock = 'game-ply'\ntable.policy = {policy}\ndeepening.step = 0\nprobe.min_depth = 3");
        let mut engine = engine(&text);
        let boards = game();
        search(&mut engine, &boards[12], &[], 6);
        // Two plies later, the entries of the last search have drafts of up to 4, so a probe at
        // depth 3 or more can only be answered by them or by this search itself.
        search(&mut engine, &boards[14], &[], 4).search.usable
    };
    let fresh = {
        let mut engine = engine("deepening.step = 0\nprobe.min_depth = 3");
        search(&mut engine, &game()[14], &[], 4).search.usable
    };
    let both = usable("{ kind = 'aged-depth', factor = 4, on = 'both' }");
    let probe = usable("{ kind = 'aged-depth', factor = 4, on = 'probe' }");
    let store = usable("{ kind = 'aged-depth', factor = 4, on = 'store' }");
    assert_eq!((both, probe), (fresh, fresh), "aged probes end no node");
    assert!(store > both, "store {store}, both {both}");
}

#[test]
fn repetitions_and_fifty_moves_are_draws_if_enabled() {
    let none = Increments::none();
    // White is a queen ahead. The knights moved out, and all but one moved back, so a repetition is
    // one move away.
    let start = Board::from_fen("6k1/5ppp/5n2/8/8/5N2/3Q1PPP/6K1 w - - 10 40").unwrap();
    let mut past = Vec::new();
    let mut board = start;
    for uci in ["f3g5", "f6h5", "g5f3"] {
        past.push(board);
        let mut moves = ttlab::internals::chess::MoveList::new();
        ttlab::internals::chess::legal(&board, &mut moves);
        board.play(*moves.iter().find(|mv| mv.to_string() == uci).unwrap(), none);
    }
    // Black to move: ...Nf6 repeats the first position.
    let on = search(&mut engine("draws = true\ntable = 'none'"), &board, &past, 1);
    let off = search(&mut engine("draws = false\ntable = 'none'"), &board, &past, 1);
    assert_eq!((on.score, on.best.to_string().as_str()), (0, "h5f6"));
    assert!(off.score < -500, "{}", off.score);
    // The hundredth halfmove is a draw unless it gives mate, which is impossible here.
    let late = Board::from_fen("6k1/8/8/8/8/5N2/3Q4/6K1 w - - 99 90").unwrap();
    assert_eq!(search(&mut engine("draws = true\ntable = 'none'"), &late, &[], 2).score, 0);
    assert!(search(&mut engine("draws = false\ntable = 'none'"), &late, &[], 2).score > 500);
}

/// King and rook mate in five plies, and a table that isn't cleared knows this from a search with a
/// small clock. With clock 95, mate comes on the hundredth halfmove, in time; with clock 96, one
/// halfmove too late. Conversely, draws that were found with a large clock aren't used with a small
/// one. With `in-key`, clocks 95 and 96 have the same key.
#[test]
fn mate_beyond_the_fifty_moves_is_not_taken_from_the_table() {
    let at = |clock: u16| Board::from_fen(&format!("8/k7/8/1K4R1/8/8/8/8 w - - {clock} 60")).unwrap();
    let (mate, draw) = (31_000 - 5, 0);
    for (table, expected) in [
        ("table = 'none'", [mate, draw, mate, mate]),
        ("table = { size = '1 MiB', clear = 'game' }\nfifty_moves = 'guarded'", [mate, draw, mate, mate]),
        ("table = { size = '1 MiB', clear = 'game' }\nfifty_moves = 'in-key'", [mate, draw, draw, mate]),
        (
            "table = { size = '1 MiB', clear = 'game' }\nfifty_moves = 'guarded'\netc_depth = 1",
            [mate, draw, mate, mate],
        ),
        ("table = { size = '1 MiB', clear = 'game' }", [mate, mate, mate, mate]),
    ] {
        let mut engine = engine(&format!("draws = true\n{table}"));
        let found = [0, 96, 95, 0].map(|clock| search(&mut engine, &at(clock), &[], 6).score);
        assert_eq!(found, expected, "{table}");
    }
    // The large clock first: a position that is a draw with it isn't a draw with a small one.
    for fifty_moves in ["guarded", "in-key"] {
        let mut engine = engine(&format!("draws = true\ntable.clear = 'never'\nfifty_moves = '{fifty_moves}'"));
        let found = [96, 0].map(|clock| search(&mut engine, &at(clock), &[], 6).score);
        assert_eq!(found, [draw, mate], "{fifty_moves}");
    }
}

/// 13 and 17 evaluations at depths 1 and 2 are the published counts with the faults. Sound keys
/// give 20 and 39 with any seed.
#[test]
fn fault_options_have_their_faults_and_sound_ones_do_not() {
    let evals = |preset: &str, over: &str| -> Vec<u64> {
        let mut table = ttlab::internals::experiment::presets::options(preset).unwrap();
        ttlab::internals::experiment::paths::merge(&mut table, &over.parse().unwrap());
        let mut engine = Engine::new(&table.try_into().unwrap(), None).unwrap();
        (1..=2).map(|depth| search(&mut engine, &Board::startpos(), &[], depth).search.evals).collect()
    };
    assert_eq!(evals("purple-as-published", ""), [13, 17]);
    assert_eq!(evals("purple-as-published", "table.key_bits = 64"), [13, 17], "the index alone does it");
    for seed in 1..20 {
        assert_eq!(
            evals(
                "purple-as-published",
                &format!("keys = {{ scheme = 'standard', seed = {seed} }}\ntable.key_bits = 64")
            ),
            [20, 39]
        );
    }
}

/// The program listed in "Move Selection" stores no bounds and treats every score as exact. On this
/// position it gives a different value than a search without a table. If bounds are checked and
/// depths must be equal, it doesn't.
#[test]
fn ignored_bounds_give_wrong_values_and_checked_do_not() {
    let board = Board::from_fen("3rn2k/ppb2rpp/2ppqp2/5N2/2P1P3/1P5Q/PB3PPP/3RR1K1 w - - 0 1").unwrap();
    let score = |over: &str| {
        let mut table = ttlab::internals::experiment::presets::options("purple-listing").unwrap();
        ttlab::internals::experiment::paths::merge(&mut table, &over.parse().unwrap());
        search(&mut Engine::new(&table.try_into().unwrap(), None).unwrap(), &board, &[], 5).score
    };
    let truth = score("table = 'none'");
    assert_ne!(score("probe.depth = 'equal'"), truth);
    assert_eq!(score("probe = { bounds = 'checked', depth = 'equal' }"), truth);
}

/// A registered policy declares itself whether the nodes saved by cutoffs count, independently of
/// the policy in the options.
#[test]
fn registered_policy_counts_stored_nodes_if_it_declares_so() {
    use ttlab::internals::table::entry::Bytes16;
    use ttlab::internals::table::policy::{Big1, Decision, Newcomer, Policy, Replacement};
    use ttlab::internals::table::{Bounded, Entry, StoreOutcome, Table};

    #[derive(Clone, Copy)]
    struct Mine<const CREDIT: bool>;

    impl<const CREDIT: bool> Replacement for Mine<CREDIT> {
        fn decide(&self, bucket: &[Entry], newcomer: &Newcomer, now: u16) -> Decision {
            Big1 {}.decide(bucket, newcomer, now)
        }
        fn counts_stored_nodes(&self) -> bool {
            CREDIT
        }
    }

    let mut options: EngineOptions = from_toml("table.size = 1024").unwrap();
    let nodes = |mut engine: Engine| {
        let limit = Limit { depth: Some(6), nodes: None };
        let outcome = engine.search(&Board::startpos(), &[], limit, &AtomicBool::new(false), &mut |_| {});
        outcome.iterations.iter().map(|iteration| iteration.search.nodes).sum::<u64>()
    };
    let with = Bounded::<_, Bytes16, 0>::new(&options.table, Mine::<true>, 1024).unwrap();
    let without = Bounded::<_, Bytes16, 0>::new(&options.table, Mine::<false>, 1024).unwrap();
    let found = [Box::new(with) as Box<dyn Table>, Box::new(without)].map(|mut table| {
        assert_eq!(table.store(1, Entry { bound: Bound::Exact, ..Entry::default() }), StoreOutcome::in_slot(0, false));
        table.clear();
        table.forget_records();
        nodes(Engine::with_table(&options, table).unwrap())
    });
    let named = ["big-all", "big1"].map(|name| {
        options.table.policy = Policy::from_name(name).unwrap();
        nodes(Engine::new(&options, None).unwrap())
    });
    assert_eq!(found, named);
    assert_ne!(found[0], found[1], "nothing was tested");
}

/// The table's clock in game plies: it doesn't advance before the first search of a game, however
/// far into the game that is. Between two searches of a game it advances by the number of plies
/// played.
#[test]
fn ply_clock_restarts_with_each_game() {
    use std::sync::{Arc, atomic::AtomicU16, atomic::Ordering};
    use ttlab::internals::table::watch::{Watch, WatchedTable};

    struct Clock(Arc<AtomicU16>);

    impl Watch for Clock {
        fn on_advance(&mut self, ticks: u16) {
            self.0.fetch_add(ticks, Ordering::Relaxed);
        }
        fn on_clear(&mut self) {
            self.0.store(0, Ordering::Relaxed);
        }
    }

    let boards = game();
    let options: EngineOptions = from_toml("table = { clock = 'game-ply', clear = 'never', size = 1024 }").unwrap();
    let (clock, table) = (Arc::new(AtomicU16::new(0)), build(&options.table, None, false).unwrap().unwrap());
    let watched = WatchedTable::with_watch(Clock(Arc::clone(&clock)), table);
    let mut engine = Engine::with_table(&options, Box::new(watched)).unwrap();
    let now = |engine: &mut Engine, ply: usize| {
        search(engine, &boards[ply], &[], 2);
        clock.load(Ordering::Relaxed)
    };
    assert_eq!([10, 12, 15, 15].map(|ply| now(&mut engine, ply)), [0, 2, 5, 5]);
    engine.new_game();
    assert_eq!([30, 31].map(|ply| now(&mut engine, ply)), [5, 6]);
    // Going back in a game doesn't change the clock.
    assert_eq!(now(&mut engine, 20), 6);
    engine.reset();
    assert_eq!([24, 25].map(|ply| now(&mut engine, ply)), [0, 1]);
}

/// Checks what is cleared when, from the first iteration of a second search, and of a third in
/// another game: the table by its hits, history and killers by the node count without a table.
#[test]
fn clear_option_empties_at_its_event_and_at_rarer_ones() {
    let board = game()[12];
    let limit = Limit { depth: Some(3), nodes: None };
    let first = |engine: &mut Engine| {
        engine.search(&board, &[], limit, &AtomicBool::new(false), &mut |_| {}).iterations.swap_remove(0)
    };
    for (word, within, between) in
        [("iteration", false, false), ("search", false, false), ("game", true, false), ("never", true, true)]
    {
        let mut kept = engine(&format!("deepening.start = 2\ntable.clear = '{word}'"));
        assert_eq!(first(&mut kept).table.hits, 0, "a new engine");
        assert_eq!(first(&mut kept).table.hits > 0, within, "{word}: within a game");
        kept.new_game();
        assert_eq!(first(&mut kept).table.hits > 0, between, "{word}: in another game");
        let mut learned = engine(&format!("deepening.start = 2\ntable = 'none'\nhistory_clear = '{word}'"));
        let fresh = first(&mut learned).search;
        assert_eq!(first(&mut learned).search != fresh, within, "{word}: orders within a game");
        learned.new_game();
        assert_eq!(first(&mut learned).search != fresh, between, "{word}: orders in another game");
    }
}

/// The table of a job, as TOML: a policy with a layout, or the design of an engine, of every kind
/// of size, with a clock and an occasion to be cleared.
fn any_table() -> impl Strategy<Value = String> {
    let layout = prop::sample::select(vec![
        "slots = 1",
        "slots = 2",
        "slots = 4",
        "layout = 'bytes24'\nslots = 2",
        "layout = 'bytes10'\nslots = 3",
        "layout = { bucket = 64, entry = 12 }\nslots = 5",
    ]);
    let of_policy = (prop::sample::select(Policy::NAMES), layout)
        .prop_map(|(policy, layout)| format!("policy = '{policy}'\n{layout}"))
        .prop_filter("is a table", |text| from_toml::<TableOptions>(text).is_ok_and(|table| table.check().is_ok()));
    let of_design = prop::sample::select(Design::ALL).prop_map(|design| design.toml().to_owned());
    let table = prop_oneof![3 => of_policy, 2 => of_design];
    let size = prop::sample::select(vec!["768 B", "4 KiB", "48 KiB", "4 MiB"]);
    let clock = prop::sample::select(vec!["search", "iteration", "game-ply"]);
    let clear = prop::sample::select(vec!["search", "game", "never"]);
    (table, size, clock, clear).prop_map(|(table, size, clock, clear)| {
        format!("[probe]\nat = 'quiescence'\n[store]\nat = 'quiescence'\n[table]\nsize = '{size}'\nclock = '{clock}'\nclear = '{clear}'\n{table}")
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    /// A job gets the memory of the last job of the same size. Its rows are those from nothing.
    #[test]
    fn second_of_two_jobs_is_as_if_it_were_alone(tables in [any_table(), any_table()], depths in [1u8..6, 1u8..6]) {
        let boards = game();
        let run = |job: usize| -> Vec<Iteration> {
            let mut engine = engine(&tables[job]);
            engine.reset();
            [12, 14].iter().map(|&ply| search(&mut engine, &boards[ply], &[], depths[job])).collect()
        };
        let alone = run(1);
        let _kept = KeepTables::up_to(8 << 20);
        run(0);
        for _ in 0..2 {
            prop_assert_eq!(&run(1), &alone);
        }
    }
}
