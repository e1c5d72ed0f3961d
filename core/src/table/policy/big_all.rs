//! Keep the larger subtree, counting what table cutoffs saved. Source: "BigAll" in Breuker,
//! Uiterwijk and van den Herik, 1994.

use super::{Newcomer, Big1, Replacement, Decision};
use crate::table::Entry;
use serde::{Deserialize, Serialize};

/// No parameters. `table.layout = "bytes24"` keeps node counts exact, the other layouts rounded.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct BigAll {}

impl Replacement for BigAll {
    #[inline]
    fn decide(&self, bucket: &[Entry], newcomer: &Newcomer, now: u16) -> Decision {
        Big1 {}.decide(bucket, newcomer, now)
    }

    fn counts_stored_nodes(&self) -> bool {
        true
    }
}
