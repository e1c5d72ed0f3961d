//! One depth-preferred slot beside always-replace slots. Source: Thompson and Condon, Belle; in one
//! cache line with two always slots in many later engines.

use super::{Newcomer, Replacement, Decision};
use crate::table::Entry;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// No parameters: the number of always slots is `table.slots` less one (2 slots: 1 + 1; 3 slots: 1
/// + 2).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct TwoTier {}

impl Replacement for TwoTier {
    const ORDERED: bool = true;
    const SLOTS: RangeInclusive<u8> = 2..=8;

    #[inline]
    fn decide(&self, bucket: &[Entry], newcomer: &Newcomer, _: u16) -> Decision {
        let first = &bucket[0];
        if first.is_empty() || newcomer.entry.depth >= first.depth {
            // The displaced entry is dropped: unlike in the two-level schemes, nothing moves
            // between the tiers.
            Decision::replace(0)
        } else {
            Decision::Insert { slot: 1, last: bucket.len() - 1 }
        }
    }
}
