//! A table of one bucket, through which the buckets of another table pass.

use super::{Bounded, Packing, Replacement, Table};
use crate::chess::Bound;
use crate::table::entry;

/// A table of one bucket, whose words are another table's for the time of a call.
pub trait OneBucket: Table {
    /// Replaces all words.
    fn load(&mut self, words: &[u64]);
    /// The words as the last call left them.
    fn words(&self) -> &[u64];
}

impl<P: Replacement, L: Packing, const SLOTS: usize> OneBucket for Bounded<P, L, SLOTS> {
    fn load(&mut self, words: &[u64]) {
        for slot in 0..self.slots() {
            let (old, new) = (L::data(&self.memory, slot), L::data(words, slot));
            if entry::bound(old) != Bound::None {
                self.by_generation[usize::from(entry::generation(old))] -= 1;
            }
            if entry::bound(new) != Bound::None {
                self.by_generation[usize::from(entry::generation(new))] += 1;
            }
        }
        self.memory.copy_from_slice(words);
    }

    fn words(&self) -> &[u64] {
        &self.memory
    }
}
