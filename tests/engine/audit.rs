//! Runs the node audit with all policies, bucket sizes, placements, orderings and algorithms, on
//! positions with mates: no answer of the table may differ from a search without one. Also checks
//! that the audit detects known faults.

mod auditor;
mod reference;

use auditor::{AuditedClaim, AuditedEngine, Findings, comparable_options, with_draws};
use std::sync::atomic::AtomicBool;
use ttlab::internals::chess::Board;
use ttlab::internals::decode::from_toml;
use ttlab::internals::engine::{Engine, EngineOptions, Limit};
use ttlab::internals::table::policy::Policy;

/// Mates in one to three, stalemate tricks, en passant (possible or not in the same position),
/// castling, promotions, and a blocked endgame with many transpositions.
const POSITIONS: [(&str, u8); 7] = [
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 4),
    ("1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - 0 1", 4),
    ("7k/5Q2/8/6K1/8/8/8/8 b - - 0 1", 7),
    ("8/8/8/8/4k3/r7/1r6/4K3 b - - 0 1", 5),
    ("8/P1k5/K7/8/2pP4/8/8/8 b - d3 0 1", 8),
    ("7k/8/8/8/2p5/8/3P4/K7 w - - 0 1", 9),
    ("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1", 9),
];

/// Searches every position, then the position after the best move, with the table of the first
/// search.
fn audited(text: &str, depth_less: u8) -> (Findings, u64) {
    let options: EngineOptions = from_toml(text).unwrap();
    let options = comparable_options(&options).unwrap();
    let (mut findings, mut nodes) = (Findings::default(), 0);
    for (fen, depth) in POSITIONS {
        let mut board = Board::from_fen(fen).unwrap();
        let mut engine = AuditedEngine::new(&options);
        for _ in 0..2 {
            let iterations = engine.search(&board, Limit { depth: Some(depth - depth_less), nodes: None });
            nodes += iterations.iter().map(|iteration| iteration.search.nodes).sum::<u64>();
            match iterations.last().map(|last| last.best) {
                Some(best) if !best.is_none() => board.play(best, ttlab::internals::chess::Increments::none()),
                _ => break,
            }
        }
        findings.add(engine.findings());
    }
    (findings, nodes)
}

fn is_sound(text: &str, least: u64) {
    let (findings, _) = audited(text, 0);
    let first = findings.wrong_answers.first().map(ToString::to_string).unwrap_or_default();
    assert_eq!(findings.count.wrong, 0, "{text}\n{first}");
    assert!(findings.count.cutoffs >= least, "only {} cutoffs were audited with {text}", findings.count.cutoffs);
    assert!(findings.count.roots > 20, "{:?} with {text}", findings.count);
    assert!(findings.count.moves > 100, "{:?} with {text}", findings.count);
}

#[test]
fn audit_of_every_policy_and_bucket_finds_no_fault() {
    let rules = [("replace", "search"), ("policy", "iteration"), ("guard", "game-ply")];
    for (at, policy) in Policy::NAMES.iter().enumerate() {
        let allowed = Policy::from_name(policy).unwrap().slots();
        // Two-level schemes need two slots, so their small buckets have two or three. Of the other
        // policies, every second one is tested with the largest bucket.
        let slots: &[u8] = match *allowed.start() {
            1 if at % 2 == 0 => &[1, 4],
            1 => &[8, 1],
            _ => &[2, 3],
        };
        // The same-key rule and the clock change from case to case, so neighbouring policies cover
        // all three.
        for (slots, turn) in slots.iter().filter(|slots| allowed.contains(slots)).zip(at..) {
            let (same_key, clock) = rules[turn % rules.len()];
            is_sound(
                &format!(
                    "table = {{ size = 512, slots = {slots}, policy = '{policy}', same_key = '{same_key}', \
                     clock = '{clock}', keep_move = true, refresh = 'match' }}"
                ),
                500,
            );
        }
    }
}

#[test]
fn audit_of_every_size_layout_and_index_finds_no_fault() {
    for (size, least) in [(8, 20), (300, 100), (100_000, 500)] {
        for (layout, slots) in [("bytes16", 2), ("bytes24", 1)] {
            for index in ["modulo", "mask", "multiply"] {
                is_sound(
                    &format!(
                        "table = {{ size = {size}, layout = '{layout}', slots = {slots}, index = '{index}', \
                         policy = 'depth-preferred' }}"
                    ),
                    least,
                );
            }
        }
    }
    is_sound("table = 'unbounded'", 1000);
}

#[test]
fn audit_of_every_placement_leaf_and_failure_finds_no_fault() {
    let places = [
        ("after-leaf", "after-leaf"),
        ("before-leaf", "before-leaf"),
        ("quiescence", "quiescence"),
        ("after-leaf", "quiescence"),
        ("quiescence", "before-leaf"),
    ];
    let rules = [("soft", "exact"), ("hard", "window"), ("soft", "window"), ("hard", "exact")];
    for (at, (probe, store)) in places.iter().enumerate() {
        for (turn, (fail, known)) in rules.iter().enumerate() {
            // Each placement is tested under each rule. The leaf and the other options alternate,
            // so that each placement and each rule is tested with both values.
            let leaf = if (at + turn) % 2 == 0 { "static" } else { "quiescence" };
            let upper_move = (at + turn) / 2 % 2 == 0;
            is_sound(
                &format!(
                    "algorithm = 'pvs'\nleaf = '{leaf}'\nfail = '{fail}'\nprobe = {{ at = '{probe}', start_value = {upper_move} }}\n\
                     store = {{ at = '{store}', known = '{known}', upper_move = {upper_move} }}\n\
                     table.size = 4096"
                ),
                100,
            );
        }
    }
}

#[test]
fn audit_of_every_algorithm_ordering_and_mate_score_finds_no_fault() {
    let orderings = [
        "[]",
        "['table-move']",
        "['table-move', 'mvv-lva', 'killers', 'history']",
        "['see', 'countermove', 'table-move']",
    ];
    let mates = ["ply", "depth", "none"];
    // Each ordering is tested with each algorithm. The mate rule changes with both, so that any two
    // of the three are combined. Minimax doesn't use the ordering and is slow.
    let ordered = ["alpha-beta", "pvs", "mtdf"].iter().enumerate().flat_map(|(row, algorithm)| {
        orderings.iter().enumerate().map(move |(at, ordering)| (*algorithm, *ordering, mates[(row + at) % 3]))
    });
    for (algorithm, ordering, mate) in ordered.chain(["ply", "depth"].map(|mate| ("minimax", "[]", mate))) {
        // With unordered captures, quiescence takes too long.
        let leaf = if ordering.len() < 16 { "static" } else { "quiescence" };
        let text = format!(
            "algorithm = '{algorithm}'\nleaf = '{leaf}'\nordering = {ordering}\nmate.distance = '{mate}'\naspiration = 40\n\
             etc_depth = 2\niid.min_depth = 3\nkeys.ep = 'always'\ntable.size = 2048"
        );
        let (findings, _) = audited(&text, 2 * u8::from(algorithm == "minimax"));
        let first = findings.wrong_answers.first().map(ToString::to_string).unwrap_or_default();
        assert_eq!(findings.count.wrong, 0, "{text}\n{first}");
        assert!(findings.count.cutoffs > 300, "{:?} with {text}", findings.count);
    }
}

/// Mate or stalemate at the horizon is evaluated like any other leaf if `leaf_mates` is off; the
/// reference search does the same.
#[test]
fn audit_of_leaves_without_mates_finds_no_fault() {
    is_sound("algorithm = 'alpha-beta'\nleaf = 'static'\nleaf_mates = false\ntable.size = 2048", 300);
}

#[test]
fn audit_changes_no_count() {
    let text = "table = { size = 1024, policy = 'depth-preferred', slots = 2 }";
    let options = comparable_options(&from_toml(text).unwrap()).unwrap();
    let (_, audited) = audited(text, 0);
    let mut plain = 0;
    for (fen, depth) in POSITIONS {
        let mut board = Board::from_fen(fen).unwrap();
        let mut engine = Engine::new(&options, None).unwrap();
        for _ in 0..2 {
            let limit = Limit { depth: Some(depth), nodes: None };
            let outcome = engine.search(&board, &[], limit, &AtomicBool::new(false), &mut |_| {});
            plain += outcome.iterations.iter().map(|iteration| iteration.search.nodes).sum::<u64>();
            match outcome.iterations.last().map(|last| last.best) {
                Some(best) if !best.is_none() => board.play(best, ttlab::internals::chess::Increments::none()),
                _ => break,
            }
        }
    }
    assert_eq!(audited, plain);
}

/// Faults that are available as options: each must be found, by the claim that it breaks.
#[test]
fn audit_finds_the_named_faults() {
    type Test = fn(&AuditedClaim) -> bool;
    let cases: [(&str, Test); 6] = [
        ("fail = 'hard'\ntable.size = 4096\nprobe.bounds = 'ignored'", |claim| *claim == AuditedClaim::Cutoff),
        ("table.size = 4096\nprobe.depth = 'ignored'", |claim| matches!(claim, AuditedClaim::Stored(_))),
        ("table = { size = 4096, key_bits = 4 }", |claim| matches!(claim, AuditedClaim::Move(_))),
        ("keys = { scheme = 'pieces-only' }\ntable.size = 4096", |claim| !matches!(claim, AuditedClaim::Root)),
        ("keys = { scheme = 'purple-product' }\ntable.size = 4096", |claim| matches!(claim, AuditedClaim::Move(_))),
        ("keys = { ep = 'never' }\ntable = 'unbounded'", |claim| {
            matches!(claim, AuditedClaim::Stored(_) | AuditedClaim::Move(_))
        }),
    ];
    for (text, expected) in cases {
        let (findings, _) = audited(text, 0);
        assert!(findings.count.wrong > 0, "not found: {text}");
        assert!(
            findings.wrong_answers.iter().any(|wrong| expected(&wrong.claim)),
            "{text}: {}",
            findings.wrong_answers[0]
        );
        assert!(findings.wrong_answers.len() <= 20);
        assert!(findings.wrong_answers[0].to_string().contains('/'));
    }
}

/// A search that runs out of nodes leaves no wrong entries in the table, wherever it stops, and it
/// is repeatable.
#[test]
fn stopped_search_leaves_no_wrong_entry() {
    for text in [
        "table = { size = 4096, slots = 2, policy = 'depth-preferred' }",
        "fail = 'hard'\nalgorithm = 'mtdf'\nprobe.at = 'quiescence'\nstore.at = 'quiescence'\ntable = { size = 4096 }",
        "algorithm = 'minimax'\nleaf = 'static'\ntable = 'unbounded'",
    ] {
        let options = comparable_options(&from_toml(text).unwrap()).unwrap();
        let board = Board::from_fen(POSITIONS[1].0).unwrap();
        let run = |nodes| {
            let mut engine = AuditedEngine::new(&options);
            let mut search = |depth, nodes| engine.search(&board, Limit { depth: Some(depth), nodes });
            let mut found = search(9, Some(nodes));
            assert_eq!(found.iter().map(|iteration| iteration.search.nodes).sum::<u64>(), nodes, "{text}");
            found.extend(search(2, None));
            let counted: Vec<_> = found.iter().map(|found| (found.search, found.table, found.score)).collect();
            (counted, engine.findings())
        };
        for nodes in (1..=20).map(|step| step * 211) {
            let (counted, findings) = run(nodes);
            let first = findings.wrong_answers.first().map(ToString::to_string).unwrap_or_default();
            assert_eq!(findings.count.wrong, 0, "{nodes} nodes with {text}\n{first}");
            assert_eq!(counted, run(nodes).0, "{nodes} nodes with {text}");
        }
    }
}

/// An entry that was stored with a small halfmove clock can be wrong with a large one. Three plies
/// are too few to repeat a position, so only the fifty-move rule can be the cause. With `guarded`,
/// no such answer is given; with `in-key`, no such entry is found. Without draws, there is nothing
/// for the second audit to check.
#[test]
fn answers_that_the_clock_makes_wrong_are_counted() {
    let audited = |more: &str| {
        let options = with_draws(&from_toml(&format!("draws = true\n{more}")).unwrap()).unwrap();
        let mut engine = AuditedEngine::new(&options);
        for clock in [0, 98, 0] {
            let board = Board::from_fen(&format!("8/k7/8/1K4R1/8/8/8/8 w - - {clock} 60")).unwrap();
            engine.search(&board, Limit { depth: Some(3), nodes: None });
        }
        engine.findings().count
    };
    // An unbounded table has an entry for each depth, so later iterations don't overwrite what
    // deeper ones stored with another clock.
    let table = "table = { kind = 'unbounded', clear = 'never' }";
    let ignored = audited(table);
    assert!(ignored.wrong > 0, "{ignored:?}");
    assert_eq!(ignored.illegal, 0, "{ignored:?}");
    for fifty_moves in ["guarded", "in-key"] {
        let found = audited(&format!("{table}\nfifty_moves = '{fifty_moves}'"));
        assert_eq!((found.wrong, found.illegal), (0, 0), "{fifty_moves}: {found:?}");
        assert!(found.cutoffs > 20, "{fifty_moves}: {found:?}");
    }
    assert_eq!(with_draws(&from_toml("table.size = 1024").unwrap()), None);
    assert_eq!(with_draws(&from_toml("draws = true\ntable = 'none'").unwrap()), None);
}

/// Kings with blocked pawns: a position that recurs after four plies is a draw on one path but not
/// on another. The audit with draws counts such answers; the one without has nothing to count.
#[test]
fn answers_that_a_repetition_makes_wrong_are_counted() {
    let options: EngineOptions = from_toml("draws = true\ntable.size = '1 MiB'").unwrap();
    let count = |options: &EngineOptions| {
        let mut engine = AuditedEngine::new(options);
        let board = Board::from_fen("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1").unwrap();
        engine.search(&board, Limit { depth: Some(8), nodes: None });
        engine.findings().count
    };
    let (plain, drawn) = (count(&comparable_options(&options).unwrap()), count(&with_draws(&options).unwrap()));
    assert_eq!(plain.wrong, 0);
    assert!(drawn.wrong > 0, "{drawn:?}");
    assert_eq!(drawn.illegal, 0, "{drawn:?}");
    assert!(drawn.wrong < drawn.answers, "{drawn:?}");
}
