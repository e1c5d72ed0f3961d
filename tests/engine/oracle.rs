//! Tests of the minimal tree and graph: compares them with Knuth and Moore's formula and with the
//! smallest proof that exhaustive search finds.

use std::sync::atomic::AtomicBool;
use ttlab::internals::chess::keys::Keys;
use ttlab::internals::chess::{Board, Increments, MoveList, Score, movegen};
use ttlab::internals::engine::eval::{Evaluator, piece_square_values};
use ttlab::internals::engine::options::{Leaf, Ordering};
use ttlab::internals::engine::{Engine, EngineOptions, Iteration, Limit};
use ttlab::internals::table::TableKind;

const POSITIONS: [&str; 4] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - 0 1",
];

fn options(kind: TableKind, oracle: bool) -> EngineOptions {
    let mut options = EngineOptions { leaf: Leaf::Static, leaf_mates: false, draws: false, ..EngineOptions::default() };
    options.table.kind = kind;
    if oracle {
        options.ordering.insert(0, Ordering::Oracle);
    }
    options
}

fn search(options: &EngineOptions, board: &Board, depth: u8) -> Iteration {
    let mut engine = Engine::new(options, None).unwrap();
    let limit = Limit { depth: Some(depth), nodes: None };
    let outcome = engine.search(board, &[], limit, &AtomicBool::new(false), &mut |_| {});
    outcome.iterations.last().unwrap().clone()
}

#[test]
fn oracle_search_of_two_plies_is_the_minimal_tree() {
    // With twenty moves at each node there are 20^1 + 20^1 - 1 leaves; the children of the other 19
    // root moves are cut off by their first reply.
    let found = search(&options(TableKind::None, true), &Board::startpos(), 2);
    assert_eq!((found.search.leaves, found.search.interior), (39, 21));
}

/// A complete tree of values.
struct Tree {
    value: Score,
    children: Vec<Tree>,
}

/// Grows a tree: the evaluator for leaves, and the value of a mate.
struct Grower {
    evaluator: Evaluator,
    increments: Increments,
    mate: Score,
}

impl Grower {
    fn new(options: &EngineOptions) -> Self {
        let increments = Increments::new(Keys::new(&options.keys), &piece_square_values(&options.eval));
        Self { evaluator: Evaluator::new(options.eval, 29_000), increments, mate: options.mate.value }
    }

    fn grow(&self, board: &Board, depth: u8, ply: Score) -> Tree {
        let mut moves = MoveList::new();
        movegen::legal(board, &mut moves);
        let value = match (depth, moves.is_empty()) {
            (0, _) => self.evaluator.evaluate(board),
            (_, true) if board.in_check() => ply - self.mate,
            _ => 0,
        };
        if depth == 0 || moves.is_empty() {
            return Tree { value, children: Vec::new() };
        }
        let child = |&mv| {
            let mut child = *board;
            child.play(mv, &self.increments);
            self.grow(&child, depth - 1, ply + 1)
        };
        let children: Vec<Tree> = moves.iter().map(child).collect();
        Tree { value: children.iter().map(|child| -child.value).max().unwrap(), children }
    }
}

impl Tree {
    /// Returns the smallest number of leaves that proves that the value is at least `bound`.
    fn at_least(&self, bound: Score) -> u64 {
        if self.children.is_empty() {
            return 1;
        }
        self.children.iter().filter(|child| -child.value >= bound).map(|child| child.at_most(-bound)).min().unwrap()
    }

    /// Returns the smallest number of leaves that proves that the value is at most `bound`.
    fn at_most(&self, bound: Score) -> u64 {
        if self.children.is_empty() {
            return 1;
        }
        self.children.iter().map(|child| child.at_least(-bound)).sum()
    }

    /// Returns the smallest number of leaves that proves the value.
    fn exact(&self) -> u64 {
        if self.children.is_empty() {
            return 1;
        }
        let refuted: Vec<u64> = self.children.iter().map(|child| child.at_least(-self.value)).collect();
        let all: u64 = refuted.iter().sum();
        let best = self.children.iter().zip(&refuted).filter(|(child, _)| -child.value == self.value);
        best.map(|(child, refuted)| all - refuted + child.exact()).min().unwrap()
    }
}

#[test]
fn oracle_tree_is_between_smallest_proof_and_plain_search() {
    for fen in POSITIONS {
        let board = Board::from_fen(fen).unwrap();
        for depth in [2, 3] {
            let plain = options(TableKind::None, false);
            let grower = Grower::new(&plain);
            let mut root = board;
            root.rekey(&grower.increments);
            let tree = grower.grow(&root, depth, 0);
            let plain = search(&plain, &board, depth);
            let least = tree.exact();
            assert_eq!(plain.score, tree.value, "{fen}");
            let minimal = search(&options(TableKind::None, true), &board, depth);
            let leaves = minimal.search.leaves + minimal.search.mates + minimal.search.stalemates;
            assert_eq!((minimal.score, minimal.best), (plain.score, minimal.pv[0]), "{fen}");
            assert!(leaves >= least, "{fen} at {depth}: {leaves} leaves cannot prove what takes {least}");
            assert!(minimal.search.leaves <= plain.search.leaves, "{fen} at {depth}");
            if depth == 2 {
                // The first refutation found is as good as any other: each costs one leaf.
                assert_eq!(leaves, least, "{fen}");
            }
        }
    }
}

#[test]
fn oracle_graph_is_no_larger_than_its_tree() {
    for fen in POSITIONS {
        let board = Board::from_fen(fen).unwrap();
        let plain = search(&options(TableKind::Unbounded, false), &board, 5);
        let tree = search(&options(TableKind::None, true), &board, 5);
        let graph = search(&options(TableKind::Unbounded, true), &board, 5);
        assert_eq!((tree.score, graph.score), (plain.score, plain.score), "{fen}");
        assert!(graph.search.nodes <= tree.search.nodes, "{fen}: {} {}", graph.search.nodes, tree.search.nodes);
        assert!(graph.search.nodes < plain.search.nodes, "{fen}: {} {}", graph.search.nodes, plain.search.nodes);
        // Nearly every cutoff comes from the first move.
        assert!(graph.search.first_cuts * 100 >= graph.search.cuts * 97, "{fen}: {:?}", graph.search);
    }
}

#[test]
fn oracle_is_independent_of_earlier_searches() {
    let options = options(TableKind::None, true);
    let mut engine = Engine::new(&options, None).unwrap();
    let limit = Limit { depth: Some(4), nodes: None };
    let mut counts = |fen: &str| {
        engine.new_game();
        let outcome = engine.search(&Board::from_fen(fen).unwrap(), &[], limit, &AtomicBool::new(false), &mut |_| {});
        outcome.iterations.iter().map(|iteration| iteration.search).collect::<Vec<_>>()
    };
    let first = counts(POSITIONS[1]);
    counts(POSITIONS[2]);
    assert_eq!(counts(POSITIONS[1]), first);
}

#[test]
fn oracle_must_be_the_first_rule() {
    let mut options = EngineOptions::default();
    options.ordering.push(Ordering::Oracle);
    assert!(options.check().unwrap_err().to_string().contains("must be the first rule"));
}
