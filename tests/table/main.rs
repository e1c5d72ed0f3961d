//! The transposition table: laws, stories by hand, plain models.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr)]

mod caches;
mod forget;
mod laws;
mod model;
mod policies;
mod replays;
mod trace;

use proptest::prelude::*;
use ttlab::internals::chess::{Bound, Move};
use ttlab::internals::table::Entry;

/// Entries of these moves (in bits), scores, depths and nodes, of every bound.
fn any_entry_of(
    mv: impl Strategy<Value = u16>,
    score: impl Strategy<Value = i32>,
    depth: impl Strategy<Value = u8>,
    nodes: impl Strategy<Value = u32>,
) -> impl Strategy<Value = Entry> {
    (mv, score, depth, 1u8..4, any::<bool>(), nodes).prop_map(|(mv, score, depth, bound, pv, nodes)| Entry {
        mv: Move::from_bits(mv),
        score,
        depth,
        bound: Bound::from_bits(bound),
        pv,
        nodes,
        ..Entry::default()
    })
}
