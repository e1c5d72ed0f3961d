//! A laboratory for chess transposition tables: which table, replacement policy and key scheme
//! answers a search with the fewest nodes, and why.
//!
//! The library has three parts:
//!
//! - Always included are boards, suites of positions, a search engine in which every choice is an
//!   option, the engine's transposition table with replacement policies, and traces of table
//!   accesses, which can be replayed.
//! - The feature `lab` adds experiments and their results as rows, comparisons and reports.
//! - The feature `cli` (the default, includes `lab`) adds the `ttlab` command, so that a program
//!   can add a policy to this command.
//!
//! This example runs a search and prints counters of its table:
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use ttlab::{Board, Engine, EngineOptions, Limit, Size};
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
//! # Ok::<(), ttlab::EngineError>(())
//! ```
//!
//! `docs/library.md` shows more: how to add a policy, run an experiment from code, and read its
//! rows into a frame.

// Everything public is documented, except what only `internals` makes public.
#![cfg_attr(not(feature = "internals"), warn(missing_docs))]
// Some modules have parts that only the larger features use.
#![cfg_attr(not(feature = "cli"), allow(dead_code, unused_imports))]

#[cfg(not(unix))]
compile_error!("ttlab runs on Unix systems only");

// A module may use only the modules that are declared above it (see `docs/architecture.md`).
mod counters;

#[cfg(feature = "lab")]
mod parallel;

#[cfg(feature = "lab")]
mod decode;

#[cfg(feature = "lab")]
mod text;

#[cfg(feature = "cli")]
mod console;

mod system;

#[cfg(feature = "cli")]
mod submit;

#[cfg(feature = "lab")]
mod stats;

mod chess;

mod table;

mod traces;

mod engine;

#[cfg(feature = "lab")]
mod subject;

#[cfg(feature = "lab")]
mod generate;

#[cfg(feature = "lab")]
mod record;

#[cfg(feature = "lab")]
mod experiment;

#[cfg(feature = "lab")]
mod signature;

#[cfg(feature = "cli")]
mod uci;

#[cfg(feature = "lab")]
mod analysis;

#[cfg(feature = "lab")]
mod report;

#[cfg(feature = "lab")]
mod runner;

#[cfg(feature = "lab")]
mod doctor;

#[cfg(feature = "lab")]
mod tune;

#[cfg(feature = "cli")]
pub mod cli;

pub use chess::{
    Bitboard, Board, Bound, Color, FenError, Increments, Item, Keys, Move, MoveList, Piece, Score, Square, Strictness,
    Suite, SuiteOptions, legal as legal_moves, parse_move, suite::SuiteError,
};
pub use engine::{
    Engine, EngineError, EngineOptions, Iteration, Limit, OptionError, Outcome, SearchCounters, SearchProgress, Stop,
};
pub use table::entry::{Bytes10, Bytes16, Bytes24, Packing};
pub use table::policy::{Decision, Mark, Newcomer, Policy, Replacement, register};
pub use table::{
    Bounded, Entry, Hit, Occupancy, ShadowCounters, Size, StoreOutcome, Table, TableCounters, TableError, TableOptions,
    build as build_table,
};

#[cfg(feature = "lab")]
pub use analysis::{CompareError, Comparison, Frame, FrameError, compare};
#[cfg(feature = "lab")]
pub use experiment::{Experiment, Plan, Problem};
#[cfg(feature = "lab")]
pub use report::Page as Report;
#[cfg(feature = "lab")]
pub use runner::{RunError, RunSummary, Settings as RunSettings, run};

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

/// All modules, for the project's own tests, benchmarks and fuzz targets. They are not part of the
/// stable API.
#[cfg(feature = "internals")]
#[doc(hidden)]
pub mod internals {
    /// Re-exports modules under their own names.
    macro_rules! modules {
        ($($module:ident)*) => { $(pub mod $module { pub use crate::$module::*; })* };
    }
    modules! {
        analysis chess decode engine experiment generate record report runner signature stats subject submit table traces
    }
}

/// The code in `docs/library.md` is tested together with the doc comments.
#[cfg(doctest)]
#[doc = include_str!("../docs/library.md")]
struct LibraryPage;
