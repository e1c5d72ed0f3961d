//! S3-FIFO in a bucket: a small probationary queue, a main queue, and ghosts of entries evicted
//! from the small one. Source: J. Yang, Y. Zhang, Z. Qiu, Y. Yue and K. V. Rashmi, "FIFO queues are
//! all you need for cache eviction", SOSP 2023; the filling of an empty cache as in libCacheSim.

use super::{Decision, Newcomer, BucketNotes, Replacement};
use crate::table::{Entry, entry::MAX_SLOTS};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// The sizes of the queues. A newcomer enters the small queue, or the main one if it was evicted
/// from the small one recently. At the head of the small queue, an entry accessed often enough
/// moves to the main queue; at the head of the main queue, an entry accessed since is reinserted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct S3Fifo {
    /// Slots of the small queue, 1..=7; the main queue has the others.
    #[cfg_attr(test, schemars(range(min = 1, max = 7)))]
    pub small: u8,
    /// How many positions that left the small queue are remembered, 0..=8, by 16 bits of their
    /// keys.
    #[cfg_attr(test, schemars(range(max = 8)))]
    pub ghosts: u8,
    /// How often an entry must have been accessed in the small queue to move to the main one,
    /// 1..=3.
    #[cfg_attr(test, schemars(range(min = 1, max = 3)))]
    pub meetings: u8,
}

impl Default for S3Fifo {
    fn default() -> Self {
        Self { small: 1, ghosts: 7, meetings: 2 }
    }
}

/// Access counts saturate here.
const MAX_ACCESSES: u64 = 3;

/// Bits of the queue word that hold the order of the slots.
const ORDER: u64 = 0xffff_ffff;

/// Shift of the access counts in the queue word: two bits per slot.
const ACCESSES_SHIFT: u32 = 32;

/// The queues: the slots of the main queue, the oldest first, then those of the small queue.
struct Queues {
    /// Slot numbers in order, four bits each; entries beyond the queues are undefined.
    order: u64,
    /// Entries of the main queue, which come first in the order.
    main_len: usize,
    small_len: usize,
    accesses: u64,
    /// Whether an entry was ever evicted.
    has_evicted: bool,
}

impl Queues {
    fn read(word: u64) -> Self {
        let count = |shift: u32| (word >> shift & 15) as usize;
        let order = word & ORDER;
        Self { order, main_len: count(48), small_len: count(52), accesses: word >> ACCESSES_SHIFT & 0xffff, has_evicted: word >> 56 & 1 != 0 }
    }

    fn word(&self) -> u64 {
        let lengths = (self.main_len as u64) << 48 | (self.small_len as u64) << 52;
        self.order & ORDER | self.accesses << ACCESSES_SHIFT | lengths | u64::from(self.has_evicted) << 56
    }

    /// Removes the slot at a position of the order; the caller adjusts the lengths.
    fn remove(&mut self, index: usize) -> u8 {
        let (before, behind) = (self.order & ((1 << (4 * index)) - 1), self.order >> (4 * index));
        self.order = before | behind >> 4 << (4 * index);
        (behind & 7) as u8
    }

    fn insert(&mut self, index: usize, slot: u8) {
        let (before, behind) = (self.order & ((1 << (4 * index)) - 1), self.order >> (4 * index));
        self.order = before | (behind << 4 | u64::from(slot)) << (4 * index);
    }

    fn accesses(&self, slot: u8) -> u64 {
        self.accesses >> (2 * slot) & MAX_ACCESSES
    }

    fn set_accesses(&mut self, slot: u8, count: u64) {
        self.accesses = self.accesses & !(MAX_ACCESSES << (2 * slot)) | count << (2 * slot);
    }

    fn push_main(&mut self, slot: u8) {
        self.insert(self.main_len, slot);
        self.main_len += 1;
    }

    fn push_small(&mut self, slot: u8) {
        self.insert(self.main_len + self.small_len, slot);
        self.small_len += 1;
    }
}

/// A 16-bit fingerprint of a key; never 0.
#[inline]
fn fingerprint(key: u64) -> u64 {
    let half = key ^ key >> 32;
    ((half ^ half >> 16) & 0xffff).max(1)
}

/// Fingerprints of evicted keys, the newest first, in two words.
struct Ghosts(u128);

impl Ghosts {
    /// Removes a fingerprint; returns whether it was there.
    fn forget(&mut self, fingerprint: u64) -> bool {
        // Searches eight lanes of 16 bits at once: the subtraction borrows in the lowest lane that
        // is 0 after the exclusive or.
        const ONES: u128 = u128::MAX / 0xffff;
        let differences = self.0 ^ (ONES * u128::from(fingerprint));
        let zeros = differences.wrapping_sub(ONES) & !differences & ONES << 15;
        if zeros != 0 {
            let shift = zeros.trailing_zeros() & !15;
            let newer = self.0 & ((1 << shift) - 1);
            self.0 = newer | self.0 >> shift >> 16 << shift;
        }
        zeros != 0
    }

    /// Adds a fingerprint and keeps the newest `most`: only the lane after them must be emptied.
    fn remember(&mut self, fingerprint: u64, most: u8) {
        let (mut low, mut high) = (self.0 as u64, (self.0 >> 64) as u64);
        (low, high) = (low << 16 | fingerprint, high << 16 | low >> 48);
        match most {
            0..4 => low &= !(0xffff << (16 * most)),
            4..8 => high &= !(0xffff << (16 * (most - 4))),
            _ => {}
        }
        self.0 = u128::from(low) | u128::from(high) << 64;
    }
}

impl S3Fifo {
    /// Evicts an entry; returns its slot and whether it came from the small queue. `main_slots`:
    /// the number of slots of the main queue.
    #[inline(always)]
    fn evict(&self, queues: &mut Queues, main_slots: usize) -> (u8, bool) {
        queues.has_evicted = true;
        // The small queue gives way, unless the main one has outgrown its slots.
        if queues.main_len <= main_slots {
            while queues.small_len > 0 {
                let slot = queues.remove(queues.main_len);
                queues.small_len -= 1;
                if queues.accesses(slot) < u64::from(self.meetings) {
                    return (slot, true);
                }
                queues.set_accesses(slot, 0);
                queues.push_main(slot);
            }
        }
        loop {
            let slot = queues.remove(0);
            queues.main_len -= 1;
            match queues.accesses(slot) {
                0 => return (slot, false),
                count => queues.set_accesses(slot, count - 1),
            }
            queues.push_main(slot);
        }
    }
}

impl Replacement for S3Fifo {
    const ORDERED: bool = true;
    const SLOTS: RangeInclusive<u8> = 2..=8;
    const WORDS: usize = 3;

    fn decide(&self, bucket: &[Entry], newcomer: &Newcomer, now: u16) -> Decision {
        self.decide_with(bucket, BucketNotes { words: &mut [0; 3], keys: &[0; MAX_SLOTS], key: newcomer.key }, newcomer, now)
    }

    // Inlined into the table's store, so that only the emptiness of entries is unpacked.
    #[inline(always)]
    fn decide_with(&self, bucket: &[Entry], notes: BucketNotes<'_>, _: &Newcomer, _: u16) -> Decision {
        let words = notes.words;
        let mut queues = Queues::read(words[0]);
        let mut ghosts = Ghosts(u128::from(words[1]) | u128::from(words[2]) << 64);
        let small_slots = usize::from(self.small).min(bucket.len() - 1);
        let was_ghost = ghosts.forget(fingerprint(notes.key));
        let slot = match bucket.iter().position(Entry::is_empty) {
            Some(free_slot) => free_slot as u8,
            None => {
                let (slot, from_small) = self.evict(&mut queues, bucket.len() - small_slots);
                if from_small {
                    ghosts.remember(fingerprint(notes.keys[usize::from(slot)]), self.ghosts);
                }
                slot
            }
        };
        queues.set_accesses(slot, 0);
        // Until the first eviction, the main queue takes what the small one has no room for.
        if was_ghost || !queues.has_evicted && queues.small_len >= small_slots {
            queues.push_main(slot);
        } else {
            queues.push_small(slot);
        }
        words[0] = queues.word();
        (words[1], words[2]) = (ghosts.0 as u64, (ghosts.0 >> 64) as u64);
        Decision::replace(usize::from(slot))
    }

    fn check(&self) -> Result<(), String> {
        for (name, value, range) in [("small", self.small, 1..=7), ("ghosts", self.ghosts, 0..=8), ("meetings", self.meetings, 1..=3)] {
            if !range.contains(&value) {
                return Err(format!("{name} = {value} is out of range: expected {} to {}", range.start(), range.end()));
            }
        }
        Ok(())
    }

    #[inline]
    fn on_access(&self, words: &mut [u64], slot: usize, _: usize, _: u64) {
        let shift = ACCESSES_SHIFT + 2 * slot as u32;
        if words[0] >> shift & MAX_ACCESSES < MAX_ACCESSES {
            words[0] += 1 << shift;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameter_out_of_range_is_refused() {
        let message = |small, ghosts, meetings| S3Fifo { small, ghosts, meetings }.check().err();
        for allowed in [(1, 0, 1), (7, 8, 3)] {
            assert_eq!(message(allowed.0, allowed.1, allowed.2), None, "{allowed:?}");
        }
        for (small, ghosts, meetings, problem) in [
            (0, 4, 1, "small = 0 is out of range: expected 1 to 7"),
            (8, 4, 1, "small = 8 is out of range: expected 1 to 7"),
            (1, 9, 1, "ghosts = 9 is out of range: expected 0 to 8"),
            (1, 4, 0, "meetings = 0 is out of range: expected 1 to 3"),
            (1, 4, 4, "meetings = 4 is out of range: expected 1 to 3"),
        ] {
            assert_eq!(message(small, ghosts, meetings).as_deref(), Some(problem));
        }
    }
}
