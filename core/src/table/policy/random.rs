//! Evicts a pseudo-random entry of the bucket. This policy is the control that every comparison of
//! policies needs.

use super::{Newcomer, Replacement, Decision};
use crate::chess::keys::mix;
use crate::table::Entry;
use serde::{Deserialize, Serialize};

/// The seed of the choices.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Random {
    /// Seed of the choice, which is a pseudo-random function of the newcomer's key.
    pub seed: u64,
}

impl Default for Random {
    fn default() -> Self {
        Self { seed: 1 }
    }
}

impl Replacement for Random {
    #[inline]
    fn decide(&self, bucket: &[Entry], newcomer: &Newcomer, _: u16) -> Decision {
        // This hash is the finaliser of SplitMix64. The same key always chooses the same slot.
        let hash = mix(newcomer.key ^ self.seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        Decision::replace((hash % bucket.len() as u64) as usize)
    }
}
