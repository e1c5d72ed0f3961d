//! Computes the signature of a build, which is one exact node count. `tests/signatures.txt` records
//! the signature of the default options, each preset, each policy and each value of each option.

use crate::chess::{Board, Increments};
use crate::engine::{Engine, EngineError, EngineOptions, Iteration, Limit};
use crate::table::options::Size;
use std::sync::atomic::AtomicBool;

/// An opening, two middle games (one with castling, promotion and en passant), a pawn endgame and a
/// mate.
const POSITIONS: [&str; 5] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3r1k1/ppqb1ppp/8/4p1NQ/8/2P5/PP3PPP/R3R1K1 b - - 0 1",
    "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1",
    "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - - 0 1",
];

/// The options of `ttlab bench`. They are the defaults, except that the table is so small that
/// entries must be replaced.
pub fn bench_options() -> EngineOptions {
    let mut options = EngineOptions::default();
    options.table.size = Size::Bytes(1 << 20);
    options
}

/// Each position is searched to depth 5 with an empty table. Then the best move is played, and the
/// new position is searched with the same table. In this position, too, the best move is played,
/// and the position after it is searched.
pub fn nodes(options: &EngineOptions) -> Result<u64, EngineError> {
    let (mut engine, mut nodes) = (Engine::new(options, None)?, 0);
    for fen in POSITIONS {
        // Every position is valid.
        let Ok(mut board) = Board::from_fen(fen) else { continue };
        engine.reset();
        for _ in 0..3 {
            match search(&mut engine, &board, &[], 5, &mut nodes) {
                Some(last) if !last.best.is_none() => board.play(last.best, Increments::none()),
                _ => break,
            }
        }
    }
    Ok(nodes)
}

/// Searches a position and returns the last iteration. Adds the nodes of all iterations to `nodes`.
fn search(engine: &mut Engine, board: &Board, past: &[Board], depth: u8, nodes: &mut u64) -> Option<Iteration> {
    let limit = Limit { depth: Some(depth), nodes: None };
    let mut outcome = engine.search(board, past, limit, &AtomicBool::new(false), &mut |_| {});
    *nodes += outcome.iterations.iter().map(|iteration| iteration.search.nodes).sum::<u64>();
    outcome.iterations.pop()
}
