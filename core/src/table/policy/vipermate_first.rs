//! The store rule of `ViperMate`'s first version. Source: the `ViperMate` journal and its engine.

use super::{Newcomer, Replacement, Decision};
use crate::chess::Bound;
use crate::table::Entry;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// This policy has no parameters. It needs `table.slots = 1`. Use it with `table.same_key =
/// "policy"`, because its rule also covers stores of the same position.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct VipermateFirst {}

impl Replacement for VipermateFirst {
    const SLOTS: RangeInclusive<u8> = 1..=1;

    #[inline]
    fn decide(&self, bucket: &[Entry], newcomer: &Newcomer, _: u16) -> Decision {
        let old = &bucket[0];
        // The order of bounds is none, upper, lower, exact.
        let is_old_bound_weak = old.bound <= Bound::Upper;
        // The bounds are compared only if both entries are of the same position.
        let is_better = newcomer.entry.depth >= old.depth && (newcomer.entry.bound >= old.bound || newcomer.same.is_none());
        if is_old_bound_weak || is_better { Decision::replace(0) } else { Decision::Refuse }
    }
}
