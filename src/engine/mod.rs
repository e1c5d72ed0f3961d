//! The game-tree search: table, move ordering and iterative deepening.

mod alpha_beta;
pub mod anatomy;
pub mod audit;
mod check;
mod deepening;
pub mod eval;
mod fifty_moves;
mod frontier;
mod instruments;
mod leaf;
mod minimax;
mod node;
mod observer;
pub mod options;
mod oracle;
pub mod ordering;
pub mod outcome;
mod probe;
mod pv;
pub mod reference;
mod renamed;
mod root;
mod search;
mod stop;
mod switches;
mod table_use;
mod terms;

pub use check::OptionError;
pub use deepening::{Engine, EngineError};
pub use options::EngineOptions;
pub use outcome::{Iteration, Limit, Outcome, SearchCounters, SearchProgress};
pub use renamed::renamed;
pub use stop::Stop;
