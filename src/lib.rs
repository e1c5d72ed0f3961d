//! A laboratory for chess transposition tables: which table, replacement policy and key scheme
//! answers a search with the fewest nodes, and why.
//!
//! Experiments and their results as rows, comparisons and reports, and the `ttlab` command, so that
//! a program can add a policy to it. Boards, search, tables and traces are the crate `ttlab-core`.
//!
//! `docs/library.md` shows how to run an experiment from code and read its rows into a frame.

// What users see is documented: `.ci/run` checks it without `internals`.
#![cfg_attr(surface, warn(missing_docs))]

#[cfg(not(unix))]
compile_error!("ttlab runs on Unix systems only");

// The kernel's modules, below all others.
use ttlab_core::internals::{chess, decode, engine, settings, signature, system, table, traces};

#[cfg(test)]
mod golden;

// A module may use only the modules that are declared above it (see `docs/architecture.md`).
mod parallel;

mod text;

mod console;

mod memory_watch;

mod submit;

mod stats;

mod subject;

mod generate;

mod record;

mod experiment;

mod uci;

mod analysis;

mod report;

mod runner;

mod doctor;

mod tune;

pub mod cli;

pub use analysis::{CompareError, Comparison, Frame, FrameError, compare};
pub use experiment::{Experiment, Plan, Problem};
pub use report::Page as Report;
pub use runner::{RunError, RunSummary, Settings as RunSettings, run};

/// All modules, for the project's own tests, benchmarks and fuzz targets. They are not part of the
/// stable API.
#[doc(hidden)]
#[cfg(not(surface))]
pub mod internals {
    pub use ttlab_core::internals::*;

    /// Re-exports modules under their own names.
    macro_rules! modules {
        ($($module:ident)*) => { $(pub mod $module { pub use crate::$module::*; })* };
    }
    modules! { analysis experiment generate record report runner stats subject submit }
}

/// The code in `docs/library.md` is tested together with the doc comments.
#[cfg(doctest)]
#[doc = include_str!("../docs/library.md")]
struct LibraryPage;
