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
mod search;
mod stop;
pub mod switches;
mod table_use;
mod terms;
mod threads;

pub use deepening::{Engine, EngineError};
pub use options::EngineOptions;
pub use outcome::{Iteration, Limit, Outcome, SearchCounters, SearchProgress};
pub use stop::Stop;

/// The JSON Schema of the types that experiment files have from this crate.
pub const TYPES_JSON: &str = include_str!("../../types.json");

#[cfg(test)]
mod tests {
    /// The types that experiment files have from this crate.
    #[derive(schemars::JsonSchema)]
    #[allow(dead_code)]
    struct Types {
        options: super::EngineOptions,
        limit: super::Limit,
        on_error: crate::chess::fault::OnError,
    }

    /// After a change of the types, `TTLAB_BLESS=1 cargo test --lib types_json` rewrites the file.
    #[test]
    fn types_json_equals_the_option_types() {
        let schema = schemars::schema_for!(Types).to_value();
        if std::env::var_os("TTLAB_BLESS").is_some() {
            let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
            std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/types.json"), text).unwrap();
        } else {
            let written: serde_json::Value = serde_json::from_str(super::TYPES_JSON).unwrap();
            assert!(schema == written, "the types of options have changed: TTLAB_BLESS=1 cargo test --lib types_json");
        }
    }
}
