//! SIEVE: a queue whose entries are sifted where they stand. Source: Y. Zhang, J. Yang, Y. Yue, Y. Vigfusson and K. V. Rashmi, "SIEVE is
//! simpler than LRU", NSDI 2024.

use super::{Decision, Newcomer, Notes, Replacement};
use crate::table::Entry;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// No parameters. The newest stands first. An entry that answers, or whose position is stored again, gets a mark; a hand goes from the
/// oldest to the newest, takes marks away, and the first entry without one leaves. Unlike under `clock` nothing that is kept becomes new.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Sieve {}

/// The word: a mark for each slot, then the slot under the hand and one more; 0: the oldest entry's.
const HAND: u32 = 8;

impl Replacement for Sieve {
    const ORDERED: bool = true;
    const SLOTS: RangeInclusive<u8> = 2..=8;
    const WORDS: usize = 1;

    fn decide(&self, bucket: &[Entry], newcomer: &Newcomer, now: u16) -> Decision {
        self.decide_with(bucket, Notes { words: &mut [0], keys: &[], key: 0 }, newcomer, now)
    }

    #[inline]
    fn decide_with(&self, bucket: &[Entry], notes: Notes<'_>, _: &Newcomer, _: u16) -> Decision {
        let (mut marks, mut hand) = (notes.words[0] & 0xff, notes.words[0] >> HAND);
        let oldest = bucket.len() - 1;
        let gone = match bucket.iter().position(Entry::is_empty) {
            Some(free) => free,
            None => {
                let mut at = (hand as usize).checked_sub(1).unwrap_or(oldest).min(oldest);
                while marks >> at & 1 != 0 {
                    marks &= !(1 << at);
                    at = at.checked_sub(1).unwrap_or(oldest);
                }
                // The next to be looked at stood before the one that leaves, and moves into its slot.
                hand = if at == 0 { 0 } else { at as u64 + 1 };
                at
            }
        };
        let behind = marks >> (gone + 1) << (gone + 1);
        let before = marks & ((1 << gone) - 1);
        notes.words[0] = behind | before << 1 | hand << HAND;
        Decision::Insert { at: 0, last: gone }
    }

    #[inline]
    fn met(&self, words: &mut [u64], slot: usize, _: usize, _: u64) {
        words[0] |= 1 << slot;
    }
}
