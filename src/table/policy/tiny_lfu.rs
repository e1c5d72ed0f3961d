//! TinyLFU over LRU: a newcomer is let in if it was met more often, of late, than the one that would leave. Source: G. Einziger, R. Friedman
//! and B. Manes, "TinyLFU: a highly efficient cache admission policy", ACM Transactions on Storage 2017; without its doorkeeper, and without
//! the window of W-TinyLFU, which in a bucket would be less than a slot.

use super::{Decision, Newcomer, Notes, Replacement};
use crate::table::{Entry, bounded::MOST_SLOTS};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// How long meetings are remembered. Each store and each answered probe is counted in a sketch of the bucket, two rows of sixteen counters;
/// the newcomer is refused unless its count is above that of the entry that was not met for the longest time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct TinyLfu {
    /// After so many meetings for each slot of the bucket all counts are halved, 1..=255.
    #[cfg_attr(test, schemars(range(min = 1, max = 255)))]
    pub sample: u8,
}

impl Default for TinyLfu {
    fn default() -> Self {
        Self { sample: 10 }
    }
}

/// Words: the order of the slots, four bits each, the one met last first, with the number of meetings since the halving above it; the
/// sketch's two rows.
const ORDER: usize = 0;
const SINCE: u32 = 32;
const ROWS: [usize; 2] = [1, 2];

/// A counter of each row: the place of its four bits.
fn counters(key: u64) -> [u32; 2] {
    // Two products of the key with odd numbers (those of SplitMix64); their high bits.
    let at = |odd: u64| (key.wrapping_mul(odd) >> 60) as u32 * 4;
    [at(0x9e37_79b9_7f4a_7c15), at(0xbf58_476d_1ce4_e5b9)]
}

/// How often a key was met: the lesser of its counters.
#[inline]
fn count(words: &[u64], key: u64) -> u64 {
    let [first, second] = counters(key);
    (words[ROWS[0]] >> first & MOST).min(words[ROWS[1]] >> second & MOST)
}

/// The order of the slots with one of them first; `len` are in it.
fn first(order: u64, slot: usize, len: usize) -> u64 {
    // The lowest four bits that are 0 after the exclusive or are found by the borrow that they make; those of `len` are made to be.
    const ONES: u64 = 0x1_1111_1111;
    let apart = (order ^ (ONES * slot as u64)) & !(15 << (4 * len));
    let at = (apart.wrapping_sub(ONES) & !apart & ONES << 3).trailing_zeros() as usize / 4;
    let before = order & ((1 << (4 * at)) - 1);
    let behind = (order >> (4 * at)) >> 4 << (4 * at) << 4;
    (behind | before << 4 | slot as u64) & 0xffff_ffff
}

/// Counters end here.
const MOST: u64 = 15;

impl TinyLfu {
    /// Counts a meeting of a key, and says how often it was met by now.
    #[inline(always)]
    fn count(&self, words: &mut [u64], key: u64, slots: usize) -> u64 {
        let [first, second] = counters(key);
        let (one, other) = (words[ROWS[0]] >> first & MOST, words[ROWS[1]] >> second & MOST);
        let least = one.min(other);
        // Only counters that are the lesser grow: the others count another key besides. Which they are cannot be foreseen: no branch.
        let more = u64::from(least < MOST);
        words[ROWS[0]] += (more & u64::from(one == least)) << first;
        words[ROWS[1]] += (more & u64::from(other == least)) << second;
        words[ORDER] += 1 << SINCE;
        if words[ORDER] >> SINCE < u64::from(self.sample) * slots as u64 {
            return least + more;
        }
        words[ORDER] &= (1 << SINCE) - 1;
        ROWS.into_iter().for_each(|row| words[row] = words[row] >> 1 & 0x7777_7777_7777_7777);
        (least + more) >> 1
    }
}

impl Replacement for TinyLfu {
    const ORDERED: bool = true;
    const SLOTS: RangeInclusive<u8> = 2..=8;
    const WORDS: usize = 3;

    fn decide(&self, bucket: &[Entry], newcomer: &Newcomer, now: u16) -> Decision {
        self.decide_with(bucket, Notes { words: &mut [0; 3], keys: &[0; MOST_SLOTS], key: newcomer.key }, newcomer, now)
    }

    // Within the table's store it is seen that only the emptiness of entries is asked for: the rest is then not unpacked.
    #[inline(always)]
    fn decide_with(&self, bucket: &[Entry], notes: Notes<'_>, _: &Newcomer, _: u16) -> Decision {
        let Notes { words, keys, key } = notes;
        let met = self.count(words, key, bucket.len());
        let free = bucket.iter().position(Entry::is_empty);
        let held = free.unwrap_or(bucket.len());
        let slot = free.unwrap_or_else(|| (words[ORDER] >> (4 * (held - 1)) & 7) as usize % bucket.len());
        if free.is_none() && met <= count(words, keys[slot]) {
            return Decision::Refuse;
        }
        words[ORDER] = words[ORDER] >> SINCE << SINCE | first(words[ORDER] & 0xffff_ffff, slot, held);
        Decision::replace(slot)
    }

    #[inline(always)]
    fn met(&self, words: &mut [u64], slot: usize, slots: usize, key: u64) {
        self.count(words, key, slots);
        words[ORDER] = words[ORDER] >> SINCE << SINCE | first(words[ORDER] & 0xffff_ffff, slot, slots);
    }

    fn check(&self) -> Result<(), String> {
        if self.sample == 0 {
            return Err("sample = 0 is out of range: expected 1 to 255".to_owned());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_halved_after_something() {
        let message = |sample| TinyLfu { sample }.check().err();
        assert_eq!(message(0).as_deref(), Some("sample = 0 is out of range: expected 1 to 255"));
        assert_eq!((message(1), message(255)), (None, None));
    }
}
