//! Tables of engines that compare keys without checking whether a slot is empty, so that key bits
//! of 0 match an empty slot ([`ZeroKey`]).

use super::{Bounded, Packing, Replacement};
use crate::table::options::Refresh;
use crate::table::shape::ZeroKey;
use crate::table::{Entry, Hit};

impl<P: Replacement, L: Packing, const SLOTS: usize> Bounded<P, L, SLOTS> {
    /// The special meaning of key bits of 0, if a search for this key must heed it. Most keys of
    /// most layouts need not, and are compared by the fast code.
    #[inline(always)]
    pub(super) fn zero_key_for(&self, stored_key: u64) -> Option<ZeroKey> {
        self.packing.zero_key().filter(|zero| zero.frees_slots() || stored_key & self.key_mask == 0)
    }

    /// The first slot whose stored key bits are all 0: such a slot is free under
    /// [`ZeroKey::frees_slots`].
    #[inline(always)]
    pub(super) fn first_with_key_zero(&self, bucket: &[L::Word]) -> Option<usize> {
        self.first_slot(|slot| self.packing.key(bucket, slot) == 0)
    }

    /// If `ends_at_zero` is true, slots after the first slot whose key bits are 0 are not searched.
    #[inline(always)]
    fn find_by_key_alone(&self, bucket: &[L::Word], stored_key: u64, ends_at_zero: bool) -> Option<usize> {
        let found = self.first_slot(|slot| (self.packing.key(bucket, slot) ^ stored_key) & self.key_mask == 0);
        found.filter(|&slot| !ends_at_zero || self.first_with_key_zero(bucket).is_none_or(|end| slot <= end))
    }

    #[inline(always)]
    pub(super) fn find_for_probe(&self, bucket: &[L::Word], stored_key: u64, zero: ZeroKey) -> Option<usize> {
        self.find_by_key_alone(bucket, stored_key, zero == ZeroKey::Ends)
            .filter(|&slot| zero != ZeroKey::Stores || !self.packing.is_empty(bucket, slot))
    }

    /// The slot may be empty.
    #[inline(always)]
    pub(super) fn find_for_store(&self, bucket: &[L::Word], stored_key: u64) -> Option<usize> {
        match self.zero_key_for(stored_key) {
            Some(zero) => self.find_by_key_alone(bucket, stored_key, zero.frees_slots()),
            None => self.find(bucket, stored_key),
        }
    }

    #[inline(always)]
    pub(super) fn find_free(&self, bucket: &[L::Word], stored_key: u64) -> Option<usize> {
        match self.find_for_store(bucket, stored_key) {
            Some(slot) => self.packing.is_empty(bucket, slot).then_some(slot),
            None if self.policy.fills_empty() => self.first_free(bucket),
            None => None,
        }
    }

    /// The entry of the hit has only an evaluation. It is marked as used, so that the hit is not
    /// counted as the first use of a stored entry.
    #[cold]
    pub(super) fn answer_empty(&mut self, key: u64, bucket_number: usize, slot: usize, empty: Entry, age: u16) -> Hit {
        self.counters.hits += 1;
        let Entry { generation, evaluation, .. } = empty;
        let entry = Entry { generation, evaluation, used: true, ..Entry::evaluation(0, false) };
        if self.refresh == Refresh::Match {
            // Renews the age of the empty slot.
            let (now, start) = (self.now, bucket_number * self.words());
            self.record_fill(start);
            let (bucket, packing) = self.words_at_mut(start);
            packing.write(bucket, slot, 0, &Entry { generation: now, ..Entry::default() });
        }
        if let Some(probed) = &mut self.probed {
            probed.push(key, slot);
        }
        Hit { entry, draft: 0, age, slot: bucket_number * self.slots() + slot }
    }
}
