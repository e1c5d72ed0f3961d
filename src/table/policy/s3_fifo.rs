//! S3-FIFO in a bucket, with a small probationary queue, a main queue, and ghosts of entries that
//! were evicted from the small queue. Source: J. Yang, Y. Zhang, Z. Qiu, Y. Yue and K. V. Rashmi,
//! "FIFO queues are all you need for cache eviction", SOSP 2023; the filling of an empty cache as
//! in libCacheSim.

use super::{Decision, Newcomer, BucketNotes, Replacement};
use crate::table::{Entry, entry::MAX_SLOTS};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// The sizes of the queues. A newcomer enters the small queue, or the main queue if it was recently
/// evicted from the small queue. An entry at the head of the small queue moves to the main queue if
/// it was accessed often enough. An entry at the head of the main queue is inserted again at its
/// tail if its access count is not 0, and the count is then decreased.
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

/// The largest access count. More accesses do not increase the count.
const MAX_ACCESSES: u64 = 3;

/// The bits of the queue word that contain the order of the slots.
const ORDER: u64 = 0xffff_ffff;

/// The shift of the access counts in the queue word. Each slot has a count of two bits.
const ACCESSES_SHIFT: u32 = 32;

/// The main queue and the small queue, unpacked from the queue word.
struct Queues {
    /// Slot numbers of four bits each. The slots of the main queue come first, then the slots of
    /// the small queue. In each queue the oldest slot is the first. Numbers after the end of the
    /// small queue are undefined.
    order: u64,
    main_len: usize,
    small_len: usize,
    /// The access counts of all slots, of two bits each.
    accesses: u64,
    /// Whether the bucket has ever evicted an entry.
    has_evicted: bool,
}

impl Queues {
    fn unpack(word: u64) -> Self {
        let read_len = |shift: u32| (word >> shift & 15) as usize;
        let order = word & ORDER;
        Self { order, main_len: read_len(48), small_len: read_len(52), accesses: word >> ACCESSES_SHIFT & 0xffff, has_evicted: word >> 56 & 1 != 0 }
    }

    fn pack(&self) -> u64 {
        let lengths = (self.main_len as u64) << 48 | (self.small_len as u64) << 52;
        self.order & ORDER | self.accesses << ACCESSES_SHIFT | lengths | u64::from(self.has_evicted) << 56
    }

    /// Removes the slot at position `index` of the order and returns the slot. The caller must
    /// adjust the length of the queue.
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

/// Returns a 16-bit fingerprint of a key. The fingerprint is never 0.
#[inline]
fn fingerprint(key: u64) -> u64 {
    let half = key ^ key >> 32;
    ((half ^ half >> 16) & 0xffff).max(1)
}

/// Fingerprints of evicted keys, of 16 bits each. The newest fingerprint is the first.
struct Ghosts(u128);

impl Ghosts {
    /// Removes a fingerprint. Returns whether the fingerprint was there.
    fn forget(&mut self, fingerprint: u64) -> bool {
        // Searches eight lanes of 16 bits at once. After the exclusive or, a lane that held the
        // fingerprint is 0. The lowest bit set in `zeros` is in the lowest such lane, because there
        // the subtraction borrows.
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

    /// Adds a fingerprint and keeps only the newest `max_count` fingerprints. Before the call there
    /// are at most `max_count` fingerprints, so only one of them may have to be removed.
    fn remember(&mut self, fingerprint: u64, max_count: u8) {
        let (mut low, mut high) = (self.0 as u64, (self.0 >> 64) as u64);
        (low, high) = (low << 16 | fingerprint, high << 16 | low >> 48);
        match max_count {
            0..4 => low &= !(0xffff << (16 * max_count)),
            4..8 => high &= !(0xffff << (16 * (max_count - 4))),
            _ => {}
        }
        self.0 = u128::from(low) | u128::from(high) << 64;
    }
}

impl S3Fifo {
    /// Chooses the entry to evict and removes it from its queue. Returns the slot of the entry and
    /// whether the entry was in the small queue. `main_slots` is the number of slots of the main
    /// queue.
    #[inline(always)]
    fn evict(&self, queues: &mut Queues, main_slots: usize) -> (u8, bool) {
        queues.has_evicted = true;
        // The entry comes from the small queue, unless the main queue has more entries than slots.
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

    // This function is inlined into the table's store. It asks only whether entries are empty, so
    // the compiler removes the code that unpacks their fields.
    #[inline(always)]
    fn decide_with(&self, bucket: &[Entry], notes: BucketNotes<'_>, _: &Newcomer, _: u16) -> Decision {
        let words = notes.words;
        let mut queues = Queues::unpack(words[0]);
        let mut ghosts = Ghosts(u128::from(words[1]) | u128::from(words[2]) << 64);
        let small_slots = usize::from(self.small).min(bucket.len() - 1);
        let newcomer_was_ghost = ghosts.forget(fingerprint(notes.key));
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
        // Until the first eviction, newcomers enter the main queue if the small queue is full.
        if newcomer_was_ghost || !queues.has_evicted && queues.small_len >= small_slots {
            queues.push_main(slot);
        } else {
            queues.push_small(slot);
        }
        words[0] = queues.pack();
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
