//! A table of one bucket, through which the buckets of another table pass.

use super::{Bounded, Packing, Replacement, Table, Word};
use crate::table::{Entry, entry};

/// A table of one bucket, whose words are another table's for the time of a call.
pub trait OneBucket: Table {
    /// Replaces all words.
    fn load(&mut self, words: &[u64]);
    /// The words as the last call left them.
    fn words(&self) -> &[u64];
    /// Combines the keys of a bucket with their data by XOR, or takes them apart again.
    fn combine(&self, words: &mut [u64]);
    /// Whether a slot of a bucket has no entry.
    fn is_empty(&self, words: &[u64], slot: usize) -> bool;
    /// The entry of a slot of a bucket.
    fn entry(&self, words: &[u64], slot: usize) -> Entry;
    /// The bits of a slot in the words of a bucket.
    fn slot_bits(&self, slot: usize) -> Vec<u64>;
}

impl<P: Replacement, L: Packing, const SLOTS: usize> Bounded<P, L, SLOTS> {
    /// Counts the times of the bucket's entries, or no longer.
    fn count_times(&mut self, count: fn(&mut u64)) {
        for slot in 0..self.slots() {
            let bucket = self.words_at(0);
            if !self.packing.is_empty(bucket, slot) {
                let time = entry::generation(self.packing.data(bucket, slot));
                count(&mut self.by_generation[usize::from(time)]);
            }
        }
    }
}

impl<P: Replacement, L: Packing, const SLOTS: usize> OneBucket for Bounded<P, L, SLOTS> {
    fn load(&mut self, words: &[u64]) {
        self.count_times(|count| *count -= 1);
        self.memory.copy_from_slice(words);
        self.count_times(|count| *count += 1);
    }

    fn words(&self) -> &[u64] {
        &self.memory
    }

    fn combine(&self, words: &mut [u64]) {
        self.packing.combine(L::Word::view_mut(words), self.slots());
    }

    fn is_empty(&self, words: &[u64], slot: usize) -> bool {
        self.packing.is_empty(L::Word::view(words), slot)
    }

    fn entry(&self, words: &[u64], slot: usize) -> Entry {
        self.packing.entry(L::Word::view(words), slot)
    }

    fn slot_bits(&self, slot: usize) -> Vec<u64> {
        let mut bits = vec![0; self.memory.len()];
        self.packing.fill(L::Word::view_mut(&mut bits), slot);
        bits
    }
}
