//! Depth aging, in which an entry's depth is increased by a factor times the game ply. Source: the
//! `ViperMate` journal, "Improved usage of transposition tables in alpha-beta search" (factor 4, on
//! both store and probe).
//!
//! A field for such depths would need many bits. A depth minus a factor times the entry's age gives
//! the same order, and an age needs only ten bits. With `table.clock = "game-ply"` an age is the
//! number of plies played since the entry was written.

use super::{Newcomer, Replacement, Decision, least_worth};
use crate::table::Entry;
use serde::{Deserialize, Serialize};

/// When depths are aged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum AgedAt {
    /// On store and probe, as published: on the engine's own next move an entry must be 2 x factor
    /// plies deeper to end a node.
    #[default]
    Both,
    /// On store only: old entries are replaced sooner, but answer with their full depth while they
    /// last.
    Store,
    /// On probe only: old entries must be deeper to end a node, but are replaced as new ones.
    Probe,
}

/// The factor and where it applies.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct AgedDepth {
    /// Plies of depth that an entry loses for each tick of its age, 0..=255; ViperMate's is 4.
    pub factor: u8,
    /// When depths are aged.
    pub on: AgedAt,
}

impl Default for AgedDepth {
    fn default() -> Self {
        Self { factor: 4, on: AgedAt::default() }
    }
}

impl AgedDepth {
    #[inline]
    fn aged_depth(&self, entry: &Entry, age: u16) -> i32 {
        i32::from(entry.depth) - i32::from(self.factor) * i32::from(age)
    }
}

impl Replacement for AgedDepth {
    const AGE_PARAMETERS: &'static [&'static str] = &["factor"];

    #[inline]
    fn decide(&self, bucket: &[Entry], newcomer: &Newcomer, now: u16) -> Decision {
        // If depths are aged only on a probe, replacement ignores ages.
        let worth = |entry: &Entry| if self.on == AgedAt::Probe { i32::from(entry.depth) } else { self.aged_depth(entry, entry.age(now)) };
        let (slot, least_worth) = least_worth(bucket, worth);
        if i32::from(newcomer.entry.depth) >= least_worth { Decision::replace(slot) } else { Decision::Refuse }
    }

    #[inline]
    fn draft(&self, entry: &Entry, age: u16) -> i32 {
        if self.on == AgedAt::Store { i32::from(entry.depth) } else { self.aged_depth(entry, age) }
    }
}
