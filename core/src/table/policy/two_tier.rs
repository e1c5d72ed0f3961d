//! One depth-preferred slot and one or more always-replace slots. Source: Thompson and Condon,
//! Belle. Many later engines have two always-replace slots in the same cache line.

use super::{Newcomer, Replacement, Decision};
use crate::table::Entry;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// This policy has no parameters. The number of always-replace slots is `table.slots` minus one.
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
            // The old entry is dropped. Unlike under `two-deep` and `two-big1`, it does not move to
            // the second slot.
            Decision::replace(0)
        } else {
            Decision::Insert { slot: 1, last: bucket.len() - 1 }
        }
    }
}
