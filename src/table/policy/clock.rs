//! CLOCK: first in, first out, with a second chance for what was asked for. Source: F. J. Corbato, "A paging experiment with the Multics
//! system", 1968.

use super::{Decision, Newcomer, Notes, Replacement};
use crate::table::Entry;
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// No parameters. The bucket's slots stand in a circle under a hand. An entry that answers, or whose position is stored again, gets a mark;
/// the hand takes marks away as it passes, and the first entry without one leaves.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Clock {}

/// The word: a mark for each slot, then the slot under the hand.
const HAND: u32 = 8;

impl Replacement for Clock {
    const SLOTS: RangeInclusive<u8> = 2..=8;
    const WORDS: usize = 1;

    fn decide(&self, bucket: &[Entry], newcomer: &Newcomer, now: u16) -> Decision {
        self.decide_with(bucket, Notes { words: &mut [0], keys: &[], key: 0 }, newcomer, now)
    }

    #[inline]
    fn decide_with(&self, bucket: &[Entry], notes: Notes<'_>, _: &Newcomer, _: u16) -> Decision {
        let (mut marks, mut hand) = (notes.words[0] & 0xff, (notes.words[0] >> HAND) as usize % bucket.len());
        while marks >> hand & 1 != 0 {
            marks &= !(1 << hand);
            hand = (hand + 1) % bucket.len();
        }
        notes.words[0] = marks | (((hand + 1) % bucket.len()) as u64) << HAND;
        Decision::replace(hand)
    }

    #[inline]
    fn met(&self, words: &mut [u64], slot: usize, _: usize, _: u64) {
        words[0] |= 1 << slot;
    }
}
