//! CLOCK, which is first in, first out, with a second chance for entries that were used. Source: F.
//! J. Corbato, "A paging experiment with the Multics system", 1968.

use super::{Decision, Newcomer, BucketNotes, Replacement};
use crate::table::Entry;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// CLOCK has no parameters. A hand moves round the slots of the bucket. A hit, or a new store of
/// the same position, marks the entry. The hand clears marks as it passes, and evicts the first
/// unmarked entry.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Clock {}

/// The shift of the hand in the policy's word. The hand is a slot number. The bits below the hand
/// are the marks of the slots.
const HAND_SHIFT: u32 = 8;

impl Replacement for Clock {
    const SLOTS: RangeInclusive<u8> = 2..=8;
    const WORDS: usize = 1;

    fn decide(&self, bucket: &[Entry], newcomer: &Newcomer, now: u16) -> Decision {
        self.decide_with(bucket, BucketNotes { words: &mut [0], keys: &[], key: 0 }, newcomer, now)
    }

    #[inline]
    fn decide_with(&self, bucket: &[Entry], notes: BucketNotes<'_>, _: &Newcomer, _: u16) -> Decision {
        let (mut marks, mut hand) = (notes.words[0] & 0xff, (notes.words[0] >> HAND_SHIFT) as usize % bucket.len());
        while marks >> hand & 1 != 0 {
            marks &= !(1 << hand);
            hand = (hand + 1) % bucket.len();
        }
        notes.words[0] = marks | (((hand + 1) % bucket.len()) as u64) << HAND_SHIFT;
        Decision::replace(hand)
    }

    #[inline]
    fn on_access(&self, words: &mut [u64], slot: usize, _: usize, _: u64) {
        words[0] |= 1 << slot;
    }
}
