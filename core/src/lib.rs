//! The kernel of ttlab: boards, suites of positions, a search engine in which every choice is an
//! option, the engine's transposition table with its replacement policies, and traces of table
//! accesses, which can be replayed.
//!
//! This example runs a search and prints counters of its table:
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use ttlab_core::{Board, Engine, EngineOptions, Limit, Size};
//!
//! let mut options = EngineOptions::default();
//! options.table.size = Size::Bytes(1 << 20);
//! let mut engine = Engine::new(&options, None)?;
//! let limit = Limit { depth: Some(5), nodes: None };
//! let stop = AtomicBool::new(false);
//! let outcome = engine.search(&Board::startpos(), &[], limit, &stop, &mut |_| {});
//! for iteration in &outcome.iterations {
//!     let (nodes, table) = (iteration.search.nodes, iteration.table);
//!     println!("{}: {nodes} nodes, {} of {} hits", iteration.best, table.hits, table.probes);
//! }
//! # assert_eq!(outcome.iterations.len(), 5);
//! # Ok::<(), ttlab_core::EngineError>(())
//! ```
//!
//! `docs/library.md` of the project shows more. The crate `ttlab` runs experiments on this one.

// What users see is documented: `.ci/run` checks it without `internals`.
#![cfg_attr(surface, warn(missing_docs))]

#[cfg(not(unix))]
compile_error!("ttlab runs on Unix systems only");

// A module may use only the modules that are declared above it (see `docs/architecture.md`).
mod counters;

mod decode;

mod system;

mod chess;

mod table;

mod traces;

mod engine;

mod settings;

mod signature;

pub use chess::{
    Bitboard, Board, Bound, Color, FenError, Increments, Item, Keys, Move, MoveList, Piece, Score, Square, Strictness,
    Suite, SuiteOptions, legal as legal_moves, parse_move, suite::SuiteError,
};
pub use engine::{Engine, EngineError, EngineOptions, Iteration, Limit, Outcome, SearchCounters, SearchProgress, Stop};
pub use settings::{fault::OptionFault, table_options};
pub use table::entry::{Bytes10, Bytes16, Bytes24, Packing};
pub use table::policy::{Decision, Mark, Newcomer, Policy, Replacement, register};
pub use table::{
    Bounded, Entry, Hit, Instrumented, Occupancy, OptionError, ShadowCounters, SharedTable, Size, StaticEvaluation,
    StoreOutcome, Table, TableCounters, TableError, TableOptions, build as build_table,
};

/// The values of [`EngineOptions`] and [`TableOptions`].
pub mod options {
    pub use crate::chess::{EpRule, GenerationOrder, Generator, KeyOptions, Scheme};
    pub use crate::engine::options::*;
    pub use crate::table::options::*;
}

/// Traces of table accesses: writing them, reading them, and replaying them on another table.
pub mod trace {
    pub use crate::traces::replay::{Objective, ReplayCounters, Step, clairvoyant, make_steps, replay};
    pub use crate::traces::{Event, EventKind, Flaw, Reader, Recorder, SharedWriter, TraceError, Writer, flags, read};
}

/// All modules, for the laboratory and for the project's own tests. They are not part of the stable
/// API.
#[doc(hidden)]
#[cfg(not(surface))]
pub mod internals {
    /// Re-exports modules under their own names.
    macro_rules! modules {
        ($($module:ident)*) => { $(pub mod $module { pub use crate::$module::*; })* };
    }
    modules! { chess decode engine settings signature system table traces }
}
