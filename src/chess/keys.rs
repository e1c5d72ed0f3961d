//! Zobrist keys.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Options of the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct KeyOptions {
    /// Seed of the generator.
    pub seed: u64,
}
