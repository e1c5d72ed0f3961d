//! Always overwrite; in buckets of several slots, first in, first out. Source: "New" in Breuker,
//! Uiterwijk and van den Herik, "Replacement schemes for transposition tables", 1994; the engines
//! `purple`, `otter` and `webster`.

use super::{Newcomer, Replacement, Decision};
use crate::table::Entry;
use serde::{Deserialize, Serialize};

/// This policy has no parameters. In a bucket of several slots, the newest entry is in the first
/// slot, and the oldest entry is evicted. A position that is stored again keeps its slot.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Always {}

impl Replacement for Always {
    const ORDERED: bool = true;

    #[inline]
    fn decide(&self, bucket: &[Entry], _: &Newcomer, _: u16) -> Decision {
        // The newcomer comes first. All entries move down by one slot, and the last is evicted.
        Decision::Insert { slot: 0, last: bucket.len() - 1 }
    }
}
