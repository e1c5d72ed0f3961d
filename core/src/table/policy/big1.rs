//! Keep the larger subtree. Source: "Big1" in Breuker, Uiterwijk and van den Herik, 1994.

use super::{Newcomer, Replacement, Decision, least_worth};
use crate::table::Entry;
use serde::{Deserialize, Serialize};

/// No parameters. `table.layout = "bytes24"` keeps node counts exact, the other layouts rounded.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Big1 {}

impl Replacement for Big1 {
    #[inline]
    fn decide(&self, bucket: &[Entry], newcomer: &Newcomer, _: u16) -> Decision {
        let (slot, least_nodes) = least_worth(bucket, |entry| entry.nodes);
        if newcomer.entry.nodes >= least_nodes { Decision::replace(slot) } else { Decision::Refuse }
    }
}
