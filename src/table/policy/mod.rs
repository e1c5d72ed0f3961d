//! Replacement policies: who gives way when a bucket is full.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

/// Which entry gives way.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Policy {
    /// Always overwrite.
    #[default]
    Always,
}

/// Reads a policy from `"name"` or from a table with `kind` and parameters.
///
/// # Errors
/// As serde's, for an unknown name or parameter.
pub fn shorthand<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Policy, D::Error> {
    Policy::deserialize(deserializer)
}
