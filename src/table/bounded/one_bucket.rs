//! A table of one bucket, which works on buckets copied from another table.

use super::{Bounded, Packing, Replacement, Table, Word};
use crate::table::{Entry, entry};

/// A table of one bucket, which is loaded with the words of another table's bucket before a call.
pub trait OneBucket: Table {
    /// Replaces the words of the bucket.
    fn load(&mut self, words: &[u64]);
    /// The words of the bucket, with the changes of all calls since `load`.
    fn words(&self) -> &[u64];
    /// Combines the keys of a bucket with their data by XOR. A second call restores the keys.
    fn xor_keys_with_data(&self, words: &mut [u64]);
    /// Whether a slot of a bucket has no entry.
    fn is_empty(&self, words: &[u64], slot: usize) -> bool;
    /// The entry of a slot of a bucket.
    fn entry(&self, words: &[u64], slot: usize) -> Entry;
    /// Returns a mask for each word of a bucket. The mask has the bits of the word that belong to
    /// the slot.
    fn slot_mask(&self, slot: usize) -> Vec<u64>;
}

impl<P: Replacement, L: Packing, const SLOTS: usize> Bounded<P, L, SLOTS> {
    /// For each entry in the bucket, calls `update` with the counter of the entry's generation.
    fn update_generation_counts(&mut self, update: fn(&mut u64)) {
        for slot in 0..self.slots() {
            let bucket = self.words_at(0);
            if !self.packing.is_empty(bucket, slot) {
                let generation = entry::generation(self.packing.data(bucket, slot));
                update(&mut self.generation_counts[usize::from(generation)]);
            }
        }
    }
}

impl<P: Replacement, L: Packing, const SLOTS: usize> OneBucket for Bounded<P, L, SLOTS> {
    fn load(&mut self, words: &[u64]) {
        self.update_generation_counts(|count| *count -= 1);
        self.memory.copy_from_slice(words);
        self.update_generation_counts(|count| *count += 1);
    }

    fn words(&self) -> &[u64] {
        &self.memory
    }

    fn xor_keys_with_data(&self, words: &mut [u64]) {
        self.packing.xor_keys_with_data(L::Word::view_mut(words), self.slots());
    }

    fn is_empty(&self, words: &[u64], slot: usize) -> bool {
        self.packing.is_empty(L::Word::view(words), slot)
    }

    fn entry(&self, words: &[u64], slot: usize) -> Entry {
        self.packing.entry(L::Word::view(words), slot)
    }

    fn slot_mask(&self, slot: usize) -> Vec<u64> {
        let mut mask = vec![0; self.memory.len()];
        self.packing.fill(L::Word::view_mut(&mut mask), slot);
        mask
    }
}
