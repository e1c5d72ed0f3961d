//! Tests of the transposition table: general laws, sequences worked out by hand, and plain models.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr)]

mod designs;
mod forget;
mod laws;
mod layouts;
mod model;
mod policies;
mod recorded;
mod replays;
mod trace;

use proptest::prelude::*;
use ttlab::internals::chess::{Bound, Move};
use ttlab::internals::table::Entry;
use ttlab::internals::table::options::{Guard, SameKey};

/// Generates entries with these moves (as bits), scores, depths and node counts, with every bound.
fn any_entry_of(
    mv: impl Strategy<Value = u16>,
    score: impl Strategy<Value = i16>,
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

/// Viridithas' guard, in which each bound adds some plies.
pub const VIRIDITHAS: &str = "exact and not old_exact or 3 * (depth + 3 * exact + 2 * lower + upper + age * age / 4 + pv) \
                              >= 2 * (old_depth + 3 * old_exact + 2 * old_lower + old_upper)";

/// All same-key rules; the guards have every clause on and off, and `Deeper` heeds none.
fn same_key_rules() -> [(SameKey, Guard); 8] {
    let ethereal = Guard { margin: 3, pv: 0, age: false, ..Guard::default() };
    let bare = Guard {
        lets: Default::default(),
        margin: -1,
        pv: 1,
        exact: false,
        age: false,
        move_first: true,
        fill_move: false,
        best_move: false,
    };
    [
        (SameKey::Replace, Guard::default()),
        (SameKey::Policy, Guard::default()),
        (SameKey::Deeper, Guard { move_first: true, ..Guard::default() }),
        (SameKey::Guard, Guard::default()),
        (SameKey::Guard, Guard { move_first: true, ..ethereal }),
        (SameKey::Guard, bare),
        (SameKey::Guard, ttlab::internals::decode::from_toml(&format!("lets = '{VIRIDITHAS}'")).unwrap()),
        (SameKey::Guard, Guard { move_first: false, fill_move: true, ..bare }),
    ]
}
