//! Two levels by depth. Source: "TwoDeep" in Breuker, Uiterwijk and van den Herik, 1994.

use super::{Newcomer, Replacement, Decision};
use crate::table::Entry;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// This policy has no parameters. It needs `table.slots = 2` or more. An entry that leaves the
/// second slot moves to the third slot, and so on.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct TwoDeep {}

impl Replacement for TwoDeep {
    const ORDERED: bool = true;
    const SLOTS: RangeInclusive<u8> = 2..=8;

    #[inline]
    fn decide(&self, bucket: &[Entry], newcomer: &Newcomer, _: u16) -> Decision {
        let first = &bucket[0];
        let takes_first = first.is_empty() || newcomer.entry.depth >= first.depth;
        Decision::Insert { slot: if takes_first { 0 } else { 1 }, last: bucket.len() - 1 }
    }
}
