//! SIEVE: a queue whose entries are sifted in place. Source: Y. Zhang, J. Yang, Y. Yue, Y.
//! Vigfusson and K. V. Rashmi, "SIEVE is simpler than LRU", NSDI 2024.

use super::{Decision, Newcomer, BucketNotes, Replacement};
use crate::table::Entry;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// No parameters. The newest entry comes first. A hit, or a new store of the same position, marks
/// the entry; a hand moves from the oldest to the newest, clears marks and evicts the first
/// unmarked entry. Unlike under `clock`, a surviving entry keeps its place in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Sieve {}

/// Layout of the word: a mark per slot, then one more than the slot under the hand; 0: the oldest
/// entry.
const HAND: u32 = 8;

impl Replacement for Sieve {
    const ORDERED: bool = true;
    const SLOTS: RangeInclusive<u8> = 2..=8;
    const WORDS: usize = 1;

    fn decide(&self, bucket: &[Entry], newcomer: &Newcomer, now: u16) -> Decision {
        self.decide_with(bucket, BucketNotes { words: &mut [0], keys: &[], key: 0 }, newcomer, now)
    }

    #[inline]
    fn decide_with(&self, bucket: &[Entry], notes: BucketNotes<'_>, _: &Newcomer, _: u16) -> Decision {
        let (mut marks, mut hand) = (notes.words[0] & 0xff, notes.words[0] >> HAND);
        let oldest = bucket.len() - 1;
        let last = match bucket.iter().position(Entry::is_empty) {
            Some(free_slot) => free_slot,
            None => {
                // The hand is its slot plus 1, or 0 at the oldest entry.
                let mut slot = (hand as usize).checked_sub(1).unwrap_or(oldest).min(oldest);
                while marks >> slot & 1 != 0 {
                    marks &= !(1 << slot);
                    slot = slot.checked_sub(1).unwrap_or(oldest);
                }
                // The next entry to examine preceded the evicted one, and moves into its slot.
                hand = if slot == 0 { 0 } else { slot as u64 + 1 };
                slot
            }
        };
        // The entries before slot `last` move down by one slot, with their marks.
        let after = marks >> (last + 1) << (last + 1);
        let before = marks & ((1 << last) - 1);
        notes.words[0] = after | before << 1 | hand << HAND;
        Decision::Insert { slot: 0, last }
    }

    #[inline]
    fn on_access(&self, words: &mut [u64], slot: usize, _: usize, _: u64) {
        words[0] |= 1 << slot;
    }
}
