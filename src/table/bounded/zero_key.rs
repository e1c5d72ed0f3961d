//! Tables of engines that compare keys alone, where key bits of 0 match an empty slot
//! ([`ZeroKey`]).

use super::{Bounded, Packing, Replacement};
use crate::table::options::Refresh;
use crate::table::shape::ZeroKey;
use crate::table::{Entry, Hit};

impl<P: Replacement, L: Packing, const SLOTS: usize> Bounded<P, L, SLOTS> {
    /// The first slot with a key, empty ones included; `ends`: if no slot before it has key bits of
    /// 0.
    #[cold]
    pub(super) fn find_by_key_alone(&self, bucket: &[L::Word], stored_key: u64, ends: bool) -> Option<usize> {
        let key = |slot| self.packing.key(bucket, slot) & self.key_mask;
        let wanted = stored_key & self.key_mask;
        let slot = (0..self.slots()).find(|&slot| key(slot) == wanted || ends && key(slot) == 0);
        slot.filter(|&slot| key(slot) == wanted)
    }

    /// As [`Self::find`], for a store.
    #[inline]
    pub(super) fn find_for_store(&self, bucket: &[L::Word], stored_key: u64) -> Option<usize> {
        match self.packing.zero_key() {
            Some(zero) => self.find_by_key_alone(bucket, stored_key, zero != ZeroKey::Answers),
            None => self.find(bucket, stored_key),
        }
    }

    /// Where key bits of 0 have a meaning: the slot that a store takes without asking, if there is
    /// one.
    #[cold]
    pub(super) fn find_free(&self, bucket: &[L::Word], stored_key: u64) -> Option<usize> {
        match self.find_for_store(bucket, stored_key) {
            Some(slot) => self.packing.is_empty(bucket, slot).then_some(slot),
            None => self.first_free(bucket).filter(|_| self.policy.fills_empty()),
        }
    }

    /// The answer of an empty slot to a key of 0: an evaluation alone. It is marked, so that nobody
    /// counts it as an entry that answered for the first time.
    #[cold]
    pub(super) fn answer_empty(&mut self, key: u64, number: usize, slot: usize, empty: Entry, age: u16) -> Hit {
        self.counters.hits += 1;
        let Entry { generation, evaluation, .. } = empty;
        let entry = Entry { generation, evaluation, used: true, ..Entry::evaluation(0, false) };
        if self.refresh == Refresh::Match {
            let (now, start) = (self.now, number * self.words());
            let (bucket, packing) = self.words_at_mut(start);
            packing.write(bucket, slot, 0, &Entry { generation: now, ..Entry::default() });
        }
        if let Some(probed) = &mut self.probed {
            probed.push(key, slot);
        }
        Hit { entry, draft: 0, age, slot: number * self.slots() + slot }
    }
}
