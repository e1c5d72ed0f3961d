//! The number of searchers that are in the middle of each entry's position: the field `nproc` of
//! ABDADA, kept outside the entries. Source: J.-C. Weill, "The ABDADA distributed minimax-search
//! algorithm", 1996.

use super::StoreOutcome;
use super::key_map::KeyMap;

/// How many searchers are in the middle of the position of a slot.
#[derive(Clone, Copy, Default)]
struct Count {
    key: u64,
    /// The remaining depth at which the searchers entered the position.
    depth: u8,
    /// The number of searchers. If it is 0, the slot has no count.
    searchers: u16,
}

/// The counts of all slots; empty until the first searcher enters.
#[derive(Default)]
pub struct Entered {
    counts: Vec<Count>,
    /// The slot that has the count of each position.
    slots: KeyMap<u64, usize>,
    /// For each searcher, the slot of the entry that its last probe or store found or wrote.
    last_slots: Vec<Option<usize>>,
}

impl Entered {
    /// Records the slot of the entry that a searcher has just found by a probe or written by a
    /// store. `slot` is `None` if there is no such entry.
    pub fn set_last_slot(&mut self, searcher: u8, slot: Option<usize>) {
        let searcher = usize::from(searcher);
        if searcher >= self.last_slots.len() {
            self.last_slots.resize(searcher + 1, None);
        }
        self.last_slots[searcher] = slot;
    }

    /// Counts a searcher in the slot of its last probe or store. The searcher is not counted if the
    /// slot has a count of the same position for a greater depth.
    pub fn enter(&mut self, searcher: u8, key: u64, depth: u8) {
        let Some(slot) = self.last_slots.get(usize::from(searcher)).copied().flatten() else { return };
        self.grow_to_include(slot);
        let count = self.counts[slot];
        if count.searchers > 0 && count.key == key && count.depth >= depth {
            self.counts[slot].searchers += u16::from(count.depth == depth);
            return;
        }
        // The slot may have the count of another position or of a smaller depth.
        if count.searchers > 0 {
            self.slots.remove(&count.key);
        }
        // The position may still have an old count in another slot.
        if let Some(&old_slot) = self.slots.get(&key) {
            self.counts[old_slot] = Count::default();
        }
        self.set_count(slot, Count { key, depth, searchers: 1 });
    }

    /// Removes a searcher from the count of a position, if the count still exists and is for this
    /// depth.
    pub fn leave(&mut self, key: u64, depth: u8) {
        let Some(&slot) = self.slots.get(&key) else { return };
        if self.counts[slot].depth == depth {
            self.counts[slot].searchers -= 1;
            if self.counts[slot].searchers == 0 {
                self.slots.remove(&key);
            }
        }
    }

    /// Whether any searcher is counted in a position at this depth.
    pub fn is_entered(&self, key: u64, depth: u8) -> bool {
        self.slots.get(&key).is_some_and(|&slot| self.counts[slot].depth == depth)
    }

    /// Records a store. The count of an entry moves with the entry. The count is dropped if the
    /// entry is evicted.
    pub fn record_store(&mut self, stored: StoreOutcome, key: u64) {
        if stored.refused || self.slots.is_empty() {
            return;
        }
        let old_slot = stored.slot + usize::from(stored.moved);
        self.grow_to_include(old_slot);
        let old_count = std::mem::take(&mut self.counts[old_slot]);
        // The entries from `stored.slot` on have moved down by one slot.
        for slot in (stored.slot..old_slot).rev() {
            let count = std::mem::take(&mut self.counts[slot]);
            self.set_count(slot + 1, count);
        }
        if old_count.key == key {
            // The overwritten entry was the old entry of the stored position.
            self.set_count(stored.slot, old_count);
        } else if old_count.searchers > 0 {
            self.slots.remove(&old_count.key);
        }
    }

    pub fn clear(&mut self) {
        *self = Self::default();
    }

    fn grow_to_include(&mut self, slot: usize) {
        if slot >= self.counts.len() {
            self.counts.resize(slot + 1, Count::default());
        }
    }

    fn set_count(&mut self, slot: usize, count: Count) {
        self.counts[slot] = count;
        if count.searchers > 0 {
            self.slots.insert(count.key, slot);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(slot: usize, moved: u8) -> StoreOutcome {
        StoreOutcome { moved, ..StoreOutcome::in_slot(slot, false) }
    }

    /// Searcher 0 has entered position 7, whose entry is in slot 2, at depth 5.
    fn one_searcher() -> Entered {
        let mut entered = Entered::default();
        entered.set_last_slot(0, Some(2));
        entered.enter(0, 7, 5);
        entered
    }

    #[test]
    fn position_is_entered_until_the_last_searcher_leaves() {
        let mut entered = one_searcher();
        entered.set_last_slot(1, Some(2));
        entered.enter(1, 7, 5);
        assert!(entered.is_entered(7, 5) && !entered.is_entered(7, 4) && !entered.is_entered(8, 5));
        entered.leave(7, 5);
        assert!(entered.is_entered(7, 5));
        entered.leave(7, 5);
        assert!(!entered.is_entered(7, 5));
        entered.leave(7, 5);
    }

    #[test]
    fn deeper_searcher_takes_the_count_and_a_shallower_one_has_none() {
        let mut entered = one_searcher();
        entered.enter(0, 7, 4);
        assert!(!entered.is_entered(7, 4));
        entered.leave(7, 4);
        entered.enter(0, 7, 6);
        entered.leave(7, 5);
        assert!(entered.is_entered(7, 6) && !entered.is_entered(7, 5));
    }

    #[test]
    fn searcher_without_an_entry_is_not_counted() {
        let mut entered = Entered::default();
        entered.enter(0, 7, 5);
        entered.set_last_slot(0, None);
        entered.enter(0, 7, 5);
        assert!(!entered.is_entered(7, 5));
    }

    /// A store of the same position keeps the count. A store of another position in the slot
    /// removes it, and one that moves the entry down moves the count too.
    #[test]
    fn count_moves_with_its_entry() {
        for (outcome, key, stays) in [
            (stored(2, 0), 7, true),
            (stored(2, 0), 8, false),
            (stored(2, 1), 8, true),
            (stored(1, 1), 7, true),
            (stored(1, 1), 8, false),
            (StoreOutcome { refused: true, ..stored(2, 0) }, 8, true),
        ] {
            let mut entered = one_searcher();
            entered.record_store(outcome, key);
            assert_eq!(entered.is_entered(7, 5), stays, "{outcome:?} of {key}");
            entered.leave(7, 5);
            assert!(!entered.is_entered(7, 5));
        }
        let mut entered = one_searcher();
        entered.record_store(stored(1, 1), 7);
        entered.record_store(stored(2, 0), 8);
        assert!(entered.is_entered(7, 5), "it is in slot 1");
        entered.record_store(stored(1, 0), 8);
        assert!(!entered.is_entered(7, 5));
    }
}
