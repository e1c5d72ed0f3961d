//! Signatures: one exact node count for the defaults, each preset, each policy and each value of
//! each option, as recorded in `tests/signatures.txt`.

pub mod values;

use crate::chess::{Board, Increments};
use crate::engine::{Engine, EngineError, EngineOptions, Iteration, Limit};
use crate::experiment::presets;
use crate::table::options::Size;
use crate::table::policy::Policy;
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

/// A position in FEN and its search depth.
pub type Start = (&'static str, u8);

/// The name of a signature and the function that counts it.
pub type Signature = (String, Box<dyn Fn() -> Result<u64, EngineError> + Send>);

/// Every signature, in the order of the file.
pub fn signatures() -> Vec<Signature> {
    let whole =
        named_options().into_iter().map(|(name, options)| -> Signature { (name, Box::new(move || nodes(&options))) });
    let base = values::options(&values::base()).unwrap_or_default();
    let points = [("base".to_owned(), base)]
        .into_iter()
        .chain(values::value_options().into_iter().flat_map(|(_, points)| points));
    let points = points.map(|(name, options)| -> Signature {
        (format!("option:{}", name.replace(' ', "")), Box::new(move || values::nodes(&options)))
    });
    whole.chain(points).collect()
}

/// The options of `ttlab bench`: the defaults with a table small enough to be under pressure.
pub fn bench_options() -> EngineOptions {
    let mut options = EngineOptions::default();
    options.table.size = Size::Bytes(1 << 20);
    options
}

/// The defaults, each preset and each policy, and their options.
pub fn named_options() -> Vec<(String, EngineOptions)> {
    let mut all = vec![("bench".to_owned(), bench_options())];
    for name in presets::names() {
        let options = presets::options(name).ok().and_then(|table| values::options(&table));
        all.extend(options.map(|options| (format!("preset:{name}"), options)));
    }
    for policy in Policy::NAMES.iter().filter_map(|name| Policy::from_name(name)) {
        let mut options = bench_options();
        options.table.policy = policy;
        options.table.size = Size::Entries(2048);
        options.table.slots = 2.min(*policy.slots().end());
        options.table.clock = crate::table::options::TickSource::Iteration;
        all.push((format!("policy:{}", policy.name()), options));
    }
    all
}

/// Total nodes of all positions to depth 5, each from an empty table, then of a short sequence that
/// shares the table.
///
/// # Errors
/// When there is not enough memory for the table.
pub fn nodes(options: &EngineOptions) -> Result<u64, EngineError> {
    let (mut engine, mut nodes) = (Engine::new(options, None)?, 0);
    for fen in POSITIONS {
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

/// Searches a position, adds its nodes to `nodes` and returns the last iteration.
fn search(engine: &mut Engine, board: &Board, past: &[Board], depth: u8, nodes: &mut u64) -> Option<Iteration> {
    let limit = Limit { depth: Some(depth), nodes: None };
    let mut outcome = engine.search(board, past, limit, &AtomicBool::new(false), &mut |_| {});
    *nodes += outcome.iterations.iter().map(|iteration| iteration.search.nodes).sum::<u64>();
    outcome.iterations.pop()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each policy and each preset has exactly one signature, under its own name.
    #[test]
    fn signature_names_match_their_policies_and_presets() {
        let all = named_options();
        for name in Policy::NAMES {
            let named: Vec<_> = all.iter().filter(|(known, _)| *known == format!("policy:{name}")).collect();
            assert_eq!(named.len(), 1, "{name}: {named:?}");
            assert!(named[0].1.table.policy.name() == *name, "{name}: {named:?}");
        }
        for name in presets::names() {
            assert_eq!(all.iter().filter(|(known, _)| *known == format!("preset:{name}")).count(), 1, "{name}");
        }
        assert_eq!(all.len(), 1 + presets::names().count() + Policy::NAMES.len());
    }
}
