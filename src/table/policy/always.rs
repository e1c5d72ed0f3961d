//! Always overwrite; in buckets of several slots, first in, first out. Source: "New" in Breuker,
//! Uiterwijk and van den Herik, "Replacement schemes for transposition tables", 1994; the engines
//! `purple`, `otter` and `webster`.

use super::{Newcomer, Replacement, Decision};
use crate::table::Entry;
use serde::{Deserialize, Serialize};

/// No parameters. With several slots per bucket the newest entry is in the first slot and the
/// oldest is evicted; storing a position again keeps its slot.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Always {}

impl Replacement for Always {
    const ORDERED: bool = true;

    #[inline]
    fn decide(&self, bucket: &[Entry], _: &Newcomer, _: u16) -> Decision {
        // Newest first: all entries move down by one and the last is evicted.
        Decision::Insert { slot: 0, last: bucket.len() - 1 }
    }
}
