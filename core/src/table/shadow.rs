//! The table's shadow (`diagnostics = "full"`): an independent key for each slot, and a ghost of
//! every position ever offered. It detects false matches, classifies misses and follows each
//! entry's life. It never affects the search.

use super::key_map::KeyMap;
use super::memory::check_free;
use super::{StoreOutcome, TableError};

crate::counters! {
    /// Counts that need an independent key of every position.
    pub struct ShadowCounters {
        /// Hits whose entry is another position's (type-1 errors). Expected number: the occupied
        /// slots that misses compared, times 2^-key_bits.
        false_hits,
        /// Updates whose old entry was another position's.
        false_updates,
        /// Stores of a position that was not in the table and had to displace another or be refused
        /// (type-2 errors).
        contended,
        /// Misses of positions that were never offered to the table.
        miss_never,
        /// Misses of positions that were stored and then displaced by another.
        miss_evicted,
        /// Misses of evicted positions whose lost entry was deep enough for the node.
        miss_evicted_deep,
        /// Misses of positions that the policy refused when they were last offered.
        miss_refused,
        /// Misses of refused positions whose refused entry was deep enough for the node.
        miss_refused_deep,
        /// Misses of positions that were offered before the table was last emptied, and not since.
        miss_emptied,
        /// Misses of positions that are in the table under another key (the same position with
        /// another en passant square) or, in an unbounded table with `probe.depth = "equal"`, with
        /// another depth.
        miss_elsewhere,
        /// Positions that came into the table. A position's life lasts until another takes its
        /// slot; its updates are part of it.
        lives,
        /// Lives in which the position answered a probe.
        lives_used,
        /// Lives in which the position ended a node.
        lives_cut,
    }
}

/// The life of the position in a slot: which position it is, and how it was used.
#[derive(Debug, Clone, Copy, Default)]
struct SlotLife {
    check: u64,
    depth: u8,
    occupied: bool,
    used: bool,
    cut: bool,
}

/// Why a position left the table or never entered it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LossReason {
    Evicted,
    Refused,
}

/// What is remembered about a position that was once offered.
#[derive(Debug, Clone, Copy)]
struct Ghost {
    /// The number of slots that hold the position in this epoch.
    copies: u8,
    loss: LossReason,
    /// The depth of the lost entry.
    depth: u8,
    /// The epoch in which the ghost was made. An epoch is the number of earlier clears.
    epoch: u32,
}

/// The independent keys of all slots, and the ghosts. Slots are numbered across the whole table.
#[derive(Debug, Default)]
pub struct Shadow {
    slots: Vec<SlotLife>,
    ghosts: KeyMap<u64, Ghost>,
    epoch: u32,
    counters: ShadowCounters,
}

/// The bytes that the shadow adds to each slot.
pub const SLOT_BYTES: u64 = size_of::<SlotLife>() as u64;

impl Shadow {
    /// Creates the shadow of a table with `slots` slots. More slots are added when an unbounded
    /// table grows.
    ///
    /// # Errors
    /// When there is not enough memory.
    pub fn new(slots: u64) -> Result<Self, TableError> {
        let _memory_lock = check_free(slots.saturating_mul(SLOT_BYTES))?;
        Ok(Self { slots: vec![SlotLife::default(); slots as usize], ..Self::default() })
    }

    /// Adds slots first if an unbounded table has grown.
    fn life_in(&mut self, slot: usize) -> &mut SlotLife {
        if slot >= self.slots.len() {
            self.slots.resize(slot + 1, SlotLife::default());
        }
        &mut self.slots[slot]
    }

    /// Counts a hit. The hit is true if `check` is the independent key of the position in the slot,
    /// and false otherwise. A true hit marks the position as used.
    pub fn hit(&mut self, slot: usize, check: u64) {
        let life = self.life_in(slot);
        let is_true_hit = life.check == check;
        let is_first_use = is_true_hit && !life.used;
        life.used |= is_true_hit;
        self.counters.false_hits += u64::from(!is_true_hit);
        self.counters.lives_used += u64::from(is_first_use);
    }

    /// Records a hit that cut off its node. A false match does not count.
    pub fn cutoff(&mut self, slot: usize, check: u64) {
        let life = self.life_in(slot);
        if life.check == check {
            let is_first_cutoff = !life.cut;
            life.cut = true;
            self.counters.lives_cut += u64::from(is_first_cutoff);
        }
    }

    pub fn miss(&mut self, check: u64, depth: u8) {
        let counters = &mut self.counters;
        match self.ghosts.get(&check) {
            None => counters.miss_never += 1,
            Some(ghost) if ghost.epoch != self.epoch => counters.miss_emptied += 1,
            Some(ghost) if ghost.copies > 0 => counters.miss_elsewhere += 1,
            Some(ghost) if ghost.loss == LossReason::Evicted => {
                counters.miss_evicted += 1;
                counters.miss_evicted_deep += u64::from(ghost.depth >= depth);
            }
            Some(ghost) => {
                counters.miss_refused += 1;
                counters.miss_refused_deep += u64::from(ghost.depth >= depth);
            }
        }
    }

    /// If the position has no ghost, or its ghost is of an earlier epoch, creates a new ghost.
    fn ghost(&mut self, check: u64) -> &mut Ghost {
        let new_ghost = Ghost { copies: 0, loss: LossReason::Refused, depth: 0, epoch: self.epoch };
        let ghost = self.ghosts.entry(check).or_insert(new_ghost);
        if ghost.epoch != self.epoch {
            *ghost = new_ghost;
        }
        ghost
    }

    /// Records the outcome of a store. If the position was already in the table, its life there
    /// goes on. If it came into the table by this store, a new life begins.
    pub fn store(&mut self, stored: StoreOutcome, check: u64, depth: u8) {
        let StoreOutcome { slot, moved, same, refused } = stored;
        if refused {
            self.counters.contended += u64::from(!same);
            let ghost = self.ghost(check);
            if ghost.copies == 0 {
                (ghost.loss, ghost.depth) = (LossReason::Refused, depth);
            }
            return;
        }
        let old_slot = slot + usize::from(moved);
        let old_life = *self.life_in(old_slot);
        // The lives move down by one slot together with their entries.
        self.slots.copy_within(slot..old_slot, slot + 1);
        if old_life.occupied && old_life.check == check {
            // The position was already in the table, so its life goes on.
            self.slots[slot] = SlotLife { depth, ..old_life };
            return;
        }
        if old_life.occupied {
            self.counters.contended += u64::from(!same);
            self.counters.false_updates += u64::from(same);
            let ghost = self.ghost(old_life.check);
            ghost.copies = ghost.copies.saturating_sub(1);
            (ghost.loss, ghost.depth) = (LossReason::Evicted, old_life.depth);
        }
        self.counters.lives += 1;
        self.slots[slot] = SlotLife { check, depth, occupied: true, used: false, cut: false };
        let ghost = self.ghost(check);
        ghost.copies = ghost.copies.saturating_add(1);
    }

    /// Records that the table was cleared. Ghosts are kept.
    pub fn clear(&mut self) {
        self.slots.fill(SlotLife::default());
        self.epoch += 1;
    }

    /// Forgets all positions. The counters are kept.
    pub fn renew(&mut self) {
        self.slots.fill(SlotLife::default());
        self.ghosts.clear();
        self.epoch = 0;
    }

    pub fn counters(&self) -> ShadowCounters {
        self.counters
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hand-written sequence: misses of positions that were never offered, evicted, refused,
    /// cleared, forgotten and stored elsewhere; hits of the right position and of another one.
    #[test]
    fn each_miss_is_counted_by_its_cause() {
        let mut shadow = Shadow::new(2).unwrap();
        shadow.miss(1, 0);
        shadow.store(StoreOutcome::in_slot(0, false), 1, 5);
        // The second position evicts the first.
        shadow.store(StoreOutcome::in_slot(0, false), 2, 3);
        [5, 6].into_iter().for_each(|depth| shadow.miss(1, depth));
        shadow.store(StoreOutcome::refused(None), 3, 4);
        [4, 5].into_iter().for_each(|depth| shadow.miss(3, depth));
        shadow.clear();
        shadow.miss(1, 0);
        shadow.renew();
        shadow.miss(1, 0);
        shadow.store(StoreOutcome::in_slot(1, false), 9, 2);
        shadow.miss(9, 2);
        [9, 9, 8].into_iter().for_each(|check| shadow.hit(1, check));
        [8, 9, 9].into_iter().for_each(|check| shadow.cutoff(1, check));
        let expected = ShadowCounters {
            false_hits: 1,
            false_updates: 0,
            contended: 2,
            miss_never: 2,
            miss_evicted: 2,
            miss_evicted_deep: 1,
            miss_refused: 2,
            miss_refused_deep: 1,
            miss_emptied: 1,
            miss_elsewhere: 1,
            lives: 3,
            lives_used: 1,
            lives_cut: 1,
        };
        assert_eq!(shadow.counters(), expected);
    }
}
