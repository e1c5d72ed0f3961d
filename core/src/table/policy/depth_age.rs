//! Evicts the entry of least worth, where worth = depth - factor x age. Source: factor 8 in
//! Stockfish, Obsidian and Weiss, 4 in Ethereal, Berserk, Reckless and Viridithas; refusal: Arasan.

use super::{Newcomer, Replacement, Decision, Ties, least_slot_by};
use crate::table::Entry;
use serde::{Deserialize, Serialize};

/// The factor, and whether the newcomer may be refused.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct DepthAge {
    /// Plies of depth that an entry loses for each tick of its age, 0..=255; Stockfish's is 8.
    pub factor: u8,
    /// Whether the newcomer is refused when every entry is worth more.
    pub refuse: bool,
    /// Which of several entries of equal worth goes.
    pub ties: Ties,
    /// Whether an empty slot is weighed like an entry of depth `empty_depth` stored at time 0, so
    /// that an old entry may be replaced first. Otherwise an empty slot is always filled first.
    /// Source: Ethereal, Obsidian.
    pub weigh_empty: bool,
    /// The depth that an empty slot is weighed as. In an engine it is the depth that is stored as
    /// 0. Source: Stockfish, -3.
    pub empty_depth: i8,
}

impl Default for DepthAge {
    fn default() -> Self {
        Self { factor: 8, refuse: false, ties: Ties::First, weigh_empty: false, empty_depth: 0 }
    }
}

impl Replacement for DepthAge {
    const AGE_PARAMETERS: &'static [&'static str] = &["factor"];

    #[inline]
    fn fills_empty(&self) -> bool {
        !self.weigh_empty
    }

    #[inline]
    fn decide(&self, bucket: &[Entry], newcomer: &Newcomer, now: u16) -> Decision {
        self.decide_lazily(bucket.len(), |slot| bucket[slot], newcomer, now)
    }

    #[inline(always)]
    fn decide_lazily(&self, slots: usize, entry: impl Fn(usize) -> Entry, newcomer: &Newcomer, now: u16) -> Decision {
        let is_free = |entry: &Entry| self.weigh_empty && entry.is_empty();
        let depth = |entry: &Entry| if is_free(entry) { self.empty_depth.into() } else { i32::from(entry.depth) };
        let worth = |entry: &Entry| depth(entry) - i32::from(self.factor) * i32::from(entry.age(now));
        let (slot, least_worth) = least_slot_by(slots, self.ties, |slot| worth(&entry(slot)));
        if self.refuse && least_worth > i32::from(newcomer.entry.depth) {
            Decision::Refuse
        } else {
            Decision::replace(slot)
        }
    }
}
