//! TinyLFU over LRU. A newcomer is admitted if its position was recently accessed more often than
//! that of the entry that would be evicted. Source: G. Einziger, R. Friedman and B. Manes,
//! "TinyLFU: a highly efficient cache admission policy", ACM Transactions on Storage 2017; without
//! its doorkeeper, and without the window of W-TinyLFU, which in a bucket would be less than a
//! slot.

use super::{Decision, Newcomer, BucketNotes, Replacement};
use crate::table::{Entry, entry::MAX_SLOTS};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// How long accesses are remembered. Each store and each hit is counted in the sketch of the
/// bucket, which has two rows of sixteen counters. The newcomer is refused unless its count is
/// above that of the least recently used entry.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct TinyLfu {
    /// All counts are halved after this many accesses for each slot of the bucket, 1..=255.
    #[cfg_attr(test, schemars(range(min = 1, max = 255)))]
    pub sample: u8,
}

impl Default for TinyLfu {
    fn default() -> Self {
        Self { sample: 10 }
    }
}

/// The policy's words of a bucket. The first word has the recency order of the slots, of four bits
/// each, in its low half. The number of accesses since the last halving is in its high half. The
/// other words are the two rows of the sketch.
const ORDER: usize = 0;
const RECORDED_SHIFT: u32 = 32;
const ROWS: [usize; 2] = [1, 2];

/// Returns the shift of the key's counter in each row.
fn counter_shifts(key: u64) -> [u32; 2] {
    // The shifts are the high bits of the products of the key and two odd constants of SplitMix64.
    let shift = |odd: u64| (key.wrapping_mul(odd) >> 60) as u32 * 4;
    [shift(0x9e37_79b9_7f4a_7c15), shift(0xbf58_476d_1ce4_e5b9)]
}

/// Returns the estimated frequency of a key, which is the smaller of its two counters.
#[inline]
fn estimate(words: &[u64], key: u64) -> u64 {
    let [first, second] = counter_shifts(key);
    (words[ROWS[0]] >> first & MAX_COUNT).min(words[ROWS[1]] >> second & MAX_COUNT)
}

/// Returns `order` with a slot moved to the front. Each place in the order is a slot number of four
/// bits, and the first `len` places are valid.
fn move_to_front(order: u64, slot: usize, len: usize) -> u64 {
    // After the exclusive or, the place that holds the slot is 0. The subtraction then borrows in
    // the lowest such place. The place after the valid places is set to 0, so that it is found if
    // the slot is in none of the valid places.
    const ONES: u64 = 0x1_1111_1111;
    let differences = (order ^ (ONES * slot as u64)) & !(15 << (4 * len));
    let index = (differences.wrapping_sub(ONES) & !differences & ONES << 3).trailing_zeros() as usize / 4;
    let before = order & ((1 << (4 * index)) - 1);
    let behind = order >> (4 * index + 4) << (4 * index + 4);
    (behind | before << 4 | slot as u64) & 0xffff_ffff
}

/// The largest value of a counter, which has four bits.
const MAX_COUNT: u64 = 15;

impl TinyLfu {
    /// Counts an access to a key and returns its estimated frequency.
    #[inline(always)]
    fn record(&self, words: &mut [u64], key: u64, slots: usize) -> u64 {
        let [first, second] = counter_shifts(key);
        let (first_count, second_count) = (words[ROWS[0]] >> first & MAX_COUNT, words[ROWS[1]] >> second & MAX_COUNT);
        let estimate = first_count.min(second_count);
        // Only the smaller counter grows, because the larger counter also counts another key. If
        // both are equal, both grow. There is no branch, because a branch would be unpredictable.
        let increment = u64::from(estimate < MAX_COUNT);
        words[ROWS[0]] += (increment & u64::from(first_count == estimate)) << first;
        words[ROWS[1]] += (increment & u64::from(second_count == estimate)) << second;
        words[ORDER] += 1 << RECORDED_SHIFT;
        if words[ORDER] >> RECORDED_SHIFT < u64::from(self.sample) * slots as u64 {
            return estimate + increment;
        }
        words[ORDER] &= (1 << RECORDED_SHIFT) - 1;
        // Halves all counters at once.
        ROWS.into_iter().for_each(|row| words[row] = words[row] >> 1 & 0x7777_7777_7777_7777);
        (estimate + increment) >> 1
    }
}

impl Replacement for TinyLfu {
    const ORDERED: bool = true;
    const SLOTS: RangeInclusive<u8> = 2..=8;
    const WORDS: usize = 3;

    fn decide(&self, bucket: &[Entry], newcomer: &Newcomer, now: u16) -> Decision {
        self.decide_with(bucket, BucketNotes { words: &mut [0; 3], keys: &[0; MAX_SLOTS], key: newcomer.key }, newcomer, now)
    }

    // This function is inlined into the table's store. It asks only whether entries are empty, so
    // the compiler removes the code that unpacks their fields.
    #[inline(always)]
    fn decide_with(&self, bucket: &[Entry], notes: BucketNotes<'_>, _: &Newcomer, _: u16) -> Decision {
        let BucketNotes { words, keys, key } = notes;
        let frequency = self.record(words, key, bucket.len());
        let free_slot = bucket.iter().position(Entry::is_empty);
        // Slots are filled in order, so the number of the first free slot is the number of occupied
        // slots.
        let occupied = free_slot.unwrap_or(bucket.len());
        // The last slot in the order is the least recently used.
        let slot = free_slot.unwrap_or_else(|| (words[ORDER] >> (4 * (occupied - 1)) & 7) as usize % bucket.len());
        if free_slot.is_none() && frequency <= estimate(words, keys[slot]) {
            return Decision::Refuse;
        }
        words[ORDER] = words[ORDER] >> RECORDED_SHIFT << RECORDED_SHIFT | move_to_front(words[ORDER] & 0xffff_ffff, slot, occupied);
        Decision::replace(slot)
    }

    #[inline(always)]
    fn on_access(&self, words: &mut [u64], slot: usize, slots: usize, key: u64) {
        self.record(words, key, slots);
        words[ORDER] = words[ORDER] >> RECORDED_SHIFT << RECORDED_SHIFT | move_to_front(words[ORDER] & 0xffff_ffff, slot, slots);
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
    fn sample_of_zero_is_refused() {
        let message = |sample| TinyLfu { sample }.check().err();
        assert_eq!(message(0).as_deref(), Some("sample = 0 is out of range: expected 1 to 255"));
        assert_eq!((message(1), message(255)), (None, None));
    }
}
