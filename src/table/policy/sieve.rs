//! SIEVE, a queue whose entries are sifted in place. Source: Y. Zhang, J. Yang, Y. Yue, Y.
//! Vigfusson and K. V. Rashmi, "SIEVE is simpler than LRU", NSDI 2024.

use super::{Decision, Newcomer, BucketNotes, Replacement};
use crate::table::Entry;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// SIEVE has no parameters. The newest entry of the bucket comes first. A hit, or a new store of
/// the same position, marks the entry. A hand moves from the oldest to the newest entry, clears
/// marks as it passes, and evicts the first unmarked entry. Unlike under `clock`, a surviving entry
/// keeps its place in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Sieve {}

/// The shift of the hand in the policy's word. The bits below the hand are the marks of the slots.
/// The hand is stored as the number of its slot plus 1. A stored hand of 0 is at the oldest entry.
const HAND_SHIFT: u32 = 8;

impl Replacement for Sieve {
    const ORDERED: bool = true;
    const SLOTS: RangeInclusive<u8> = 2..=8;
    const WORDS: usize = 1;

    fn decide(&self, bucket: &[Entry], newcomer: &Newcomer, now: u16) -> Decision {
        self.decide_with(bucket, BucketNotes { words: &mut [0], keys: &[], key: 0 }, newcomer, now)
    }

    #[inline]
    fn decide_with(&self, bucket: &[Entry], notes: BucketNotes<'_>, _: &Newcomer, _: u16) -> Decision {
        let (mut marks, mut hand) = (notes.words[0] & 0xff, notes.words[0] >> HAND_SHIFT);
        let oldest = bucket.len() - 1;
        let last = match bucket.iter().position(Entry::is_empty) {
            Some(free_slot) => free_slot,
            None => {
                // The stored value of the hand is its slot number plus 1, or 0 for the oldest
                // entry.
                let mut slot = (hand as usize).checked_sub(1).unwrap_or(oldest).min(oldest);
                while marks >> slot & 1 != 0 {
                    marks &= !(1 << slot);
                    slot = slot.checked_sub(1).unwrap_or(oldest);
                }
                // The hand moves on to the entry before the evicted entry. That entry is about to
                // move down into the slot of the evicted entry.
                hand = if slot == 0 { 0 } else { slot as u64 + 1 };
                slot
            }
        };
        // The marks of the entries before slot `last` move down by one slot with their entries.
        let marks_after = marks >> (last + 1) << (last + 1);
        let marks_before = marks & ((1 << last) - 1);
        notes.words[0] = marks_after | marks_before << 1 | hand << HAND_SHIFT;
        Decision::Insert { slot: 0, last }
    }

    #[inline]
    fn on_access(&self, words: &mut [u64], slot: usize, _: usize, _: u64) {
        words[0] |= 1 << slot;
    }
}
