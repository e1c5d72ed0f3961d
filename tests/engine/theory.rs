//! Compares the search with plain minimax, to check what holds for any correct search: values,
//! windows and lines.

use super::twin::rules::evaluate;
use std::sync::atomic::AtomicBool;
use ttlab::internals::chess::{Board, Increments, Move, MoveList, legal};
use ttlab::internals::decode::from_toml;
use ttlab::internals::engine::eval::piece_square_values;
use ttlab::internals::engine::{Engine, EngineOptions, Iteration, Limit};

/// Positions with near mates and stalemates, promotions, en passant and either side to move, with a
/// depth to which every move can be searched.
const POSITIONS: [(&str, u8); 6] = [
    ("7k/5Q2/8/6K1/8/8/8/8 b - - 0 1", 4),
    ("8/8/8/8/4k3/r7/1r6/4K3 b - - 0 1", 3),
    ("8/P1k5/K7/8/2pP4/8/8/8 b - d3 0 1", 4),
    ("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1", 5),
    ("1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - 0 1", 2),
    ("3k4/8/3K4/3R4/8/8/8/8 w - - 0 1", 3),
];

fn moves(board: &Board) -> MoveList {
    let mut moves = MoveList::new();
    legal(board, &mut moves);
    moves
}

fn after(board: &Board, mv: Move) -> Board {
    let mut child = *board;
    child.play(mv, Increments::none());
    child
}

/// Returns the minimax value of a position. Mates count from the root.
fn value(options: &EngineOptions, board: &Board, depth: u8, ply: i32) -> i32 {
    let moves = moves(board);
    if moves.is_empty() {
        return if board.in_check() { ply - options.mate.value } else { 0 };
    }
    if depth == 0 {
        return evaluate(options, &piece_square_values(&options.eval), board);
    }
    moves.iter().map(|&mv| -value(options, &after(board, mv), depth - 1, ply + 1)).max().unwrap()
}

fn searched(options: &EngineOptions, board: &Board, depth: u8) -> Vec<Iteration> {
    let limit = Limit { depth: Some(depth), nodes: None };
    let mut engine = Engine::new(options, None).unwrap();
    engine.search(board, &[], limit, &AtomicBool::new(false), &mut |_| {}).iterations
}

/// However the tree is pruned, its value is the minimax value, provided that the pruning is sound
/// and the table only answers at equal depth.
#[test]
fn every_algorithm_returns_the_minimax_value() {
    let mut texts: Vec<String> = Vec::new();
    for algorithm in ["algorithm = 'alpha-beta'", "algorithm = 'pvs'", "algorithm = 'mtdf'", "algorithm = 'minimax'"] {
        for (extra, width) in [
            ("fail = 'hard'", 0),
            ("iid.min_depth = 2", 1),
            ("etc_depth = 1\nfail = 'hard'", 30),
            ("probe.at = 'before-leaf'\nstore.at = 'before-leaf'\nstore.known = 'window'", 3000),
            ("ordering = ['see', 'countermove', 'table-move']\ndeepening.step = 2", 32_000),
        ] {
            texts.push(format!("{algorithm}\naspiration = {width}\n{extra}\ntable.size = 300\nprobe.depth = 'equal'"));
        }
        if !algorithm.contains("mtdf") {
            texts
                .push(format!("{algorithm}\nlmr = {{ min_depth = 1, full_moves = 1, reduction = 0 }}\ntable = 'none'"));
            texts.push(format!(
                "{algorithm}\nlmr = {{ min_depth = 1, full_moves = 255, reduction = 3 }}\ntable = 'none'"
            ));
        }
    }
    for (fen, depth) in POSITIONS {
        let board = Board::from_fen(fen).unwrap();
        let expected: Vec<i32> = (0..=depth).map(|depth| value(&EngineOptions::default(), &board, depth, 0)).collect();
        for text in &texts {
            let options: EngineOptions = from_toml(&format!("leaf = 'static'\n{text}")).unwrap();
            for found in searched(&options, &board, depth) {
                assert_eq!(found.score, expected[usize::from(found.depth)], "{fen}, depth {}\n{text}", found.depth);
            }
        }
    }
}

/// Without a table nothing truncates the line: it is legal, begins with the best move, and ends
/// where the score was found.
#[test]
fn principal_variation_leads_to_its_score() {
    for text in [
        "",
        "algorithm = 'pvs'\naspiration = 20",
        "fail = 'hard'",
        "algorithm = 'pvs'\niid.min_depth = 2",
        "algorithm = 'pvs'\nlmr.min_depth = 2",
        "algorithm = 'minimax'",
        "algorithm = 'pvs'\nnull_move.min_depth = 2\naspiration = 1",
    ] {
        let options: EngineOptions = from_toml(&format!("leaf = 'static'\ntable = 'none'\n{text}")).unwrap();
        for (fen, depth) in POSITIONS {
            let root = Board::from_fen(fen).unwrap();
            for found in searched(&options, &root, depth) {
                let mut board = root;
                for &mv in &found.pv {
                    assert!(moves(&board).contains(&mv), "{fen}: {mv} of {:?}\n{text}", found.pv);
                    board = after(&board, mv);
                }
                let plies = found.pv.len();
                assert_eq!(found.pv.first().copied().unwrap_or(Move::NONE), found.best);
                assert!(plies == usize::from(found.depth) || moves(&board).is_empty(), "{fen}: {:?}\n{text}", found.pv);
                let end = value(&options, &board, 0, plies as i32);
                let end = if plies.is_multiple_of(2) { end } else { -end };
                assert_eq!(found.score, end, "{fen}, depth {}: {:?}\n{text}", found.depth, found.pv);
            }
        }
    }
}

/// Late move reductions or null moves with an unreachable threshold change nothing, node for node.
#[test]
fn threshold_at_infinity_disables_its_option() {
    let count = |text: &str| -> Vec<_> {
        let options: EngineOptions = from_toml(&format!("algorithm = 'pvs'\ntable.size = 1024\n{text}")).unwrap();
        POSITIONS
            .iter()
            .flat_map(|&(fen, depth)| searched(&options, &Board::from_fen(fen).unwrap(), depth))
            .map(|found| (found.search, found.table, found.score, found.pv))
            .collect()
    };
    let plain = count("");
    for text in [
        "lmr.min_depth = 255",
        "lmr = { min_depth = 1, full_moves = 255 }",
        "null_move.min_depth = 255",
        "iid.min_depth = 255",
        "etc_depth = 255",
        "quiescence.delta = 32000",
    ] {
        assert!(count(text) == plain, "{text}");
    }
}

/// The null move isn't tried with only pawns. The node counts with and without the option show
/// whether it was tried.
#[test]
fn null_move_is_tried_only_where_allowed() {
    // In the first position both sides have only pawns, in the second they also have a knight.
    for (fen, depth, may) in
        [("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1", 5, false), ("8/k7/3p4/p2P1p2/P2P1P2/6N1/8/K6n w - - 0 1", 5, true)]
    {
        let board = Board::from_fen(fen).unwrap();
        let nodes = |text: &str| -> u64 {
            let options: EngineOptions = from_toml(&format!("table = 'none'\n{text}")).unwrap();
            searched(&options, &board, depth).iter().map(|found| found.search.nodes).sum()
        };
        assert_eq!(nodes("null_move.min_depth = 1") != nodes(""), may, "{fen}");
    }
}
