//! The game-tree search: table, move ordering and iterative deepening.

mod alpha_beta;
pub mod anatomy;
mod check;
mod crew;
mod deepening;
pub mod eval;
mod fifty_moves;
mod frontier;
mod helper;
mod instruments;
mod kernel;
mod leaf;
mod minimax;
mod node;
pub mod observer;
pub mod options;
mod oracle;
pub mod ordering;
pub mod outcome;
mod pace;
mod probe;
mod pv;
mod real;
mod root;
mod schedule;
mod search;
mod stop;
pub mod switches;
mod table_use;
mod terms;
mod threads;

pub use check::OptionError;
pub use deepening::{Engine, EngineError};
pub use options::EngineOptions;
pub use outcome::{Iteration, Limit, Outcome, SearchCounters, SearchProgress};
pub use stop::Stop;
