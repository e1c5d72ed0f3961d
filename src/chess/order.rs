//! Generation orders.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The order in which moves are generated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GenerationOrder {
    /// That of the engine `purple`.
    #[default]
    Purple,
}
