//! The game-tree search.

pub mod options;
pub mod outcome;

pub use options::EngineOptions;
pub use outcome::{Iteration, Limit, Outcome, SearchCounters};
