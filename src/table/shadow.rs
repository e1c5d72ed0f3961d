//! The table's shadow (`diagnostics = "full"`): what an independent key knows about each slot, and a ghost of every position
//! that was ever offered. It tells false matches, says why a miss was one, and follows each entry's life. It decides nothing.

use super::by_key::ByKey;
use super::memory::check_free;
use super::{Stored, TableError};

crate::counters! {
    /// What only an independent key of every position can tell.
    pub struct ShadowCounters {
        /// Hits whose entry is another position's (type-1 errors). Law: occupied slots that misses compared x 2^-key_bits.
        false_hits,
        /// Updates whose old entry was another position's.
        false_updates,
        /// Stores of a position that was not in the table and had to displace another or be refused (type-2 errors).
        contended,
        /// Misses of positions that were never offered to the table.
        miss_never,
        /// Misses of positions that were stored and then displaced by another.
        miss_evicted,
        /// Of those, entries that were deep enough for the node that missed them.
        miss_evicted_deep,
        /// Misses of positions that were offered last when the policy refused them.
        miss_refused,
        /// Of those, entries that were deep enough for the node that missed them.
        miss_refused_deep,
        /// Misses of positions that were offered before the table was last emptied, and not since.
        miss_emptied,
        /// Misses of positions that are in the table under another key (the same position with another en passant square) or,
        /// in an unbounded table with `probe.depth = "equal"`, with another depth.
        miss_elsewhere,
        /// Positions that came into the table. A position's life lasts until another takes its slot; its updates are part of it.
        lives,
        /// Of those, answered a probe.
        lives_used,
        /// Of those, ended a node.
        lives_cut,
    }
}

/// What is known about a slot.
#[derive(Debug, Clone, Copy, Default)]
struct Life {
    check: u64,
    depth: u8,
    lives: bool,
    used: bool,
    cut: bool,
}

/// Why a position is not in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Loss {
    Evicted,
    Refused,
}

/// What is remembered of a position that was offered.
#[derive(Debug, Clone, Copy)]
struct Ghost {
    /// Slots that hold it, in the epoch.
    copies: u8,
    loss: Loss,
    /// The depth that was lost.
    depth: u8,
    /// Which filling of the table this is about.
    epoch: u32,
}

/// The slots' independent keys and the ghosts. Slots are numbered through the table.
#[derive(Debug, Default)]
pub struct Shadow {
    slots: Vec<Life>,
    ghosts: ByKey<u64, Ghost>,
    epoch: u32,
    counters: ShadowCounters,
}

/// Bytes of what is known about a slot.
pub const SLOT_BYTES: u64 = size_of::<Life>() as u64;

impl Shadow {
    /// The shadow of so many slots; more are added as a table without a bound grows.
    ///
    /// # Errors
    /// When there is no memory for what is known about them.
    pub fn new(slots: u64) -> Result<Self, TableError> {
        let _touching = check_free(slots.saturating_mul(SLOT_BYTES))?;
        Ok(Self { slots: vec![Life::default(); slots as usize], ..Self::default() })
    }

    /// What is known about a slot. A table without a bound has as many as were asked for.
    fn slot(&mut self, slot: usize) -> &mut Life {
        if slot >= self.slots.len() {
            self.slots.resize(slot + 1, Life::default());
        }
        &mut self.slots[slot]
    }

    /// A slot answered.
    pub fn hit(&mut self, slot: usize, check: u64) {
        let life = self.slot(slot);
        let own = life.check == check;
        let first = own && !life.used;
        life.used |= own;
        self.counters.false_hits += u64::from(!own);
        self.counters.lives_used += u64::from(first);
    }

    /// A slot's answer ended a node; another position's answer is no merit of its own.
    pub fn cutoff(&mut self, slot: usize, check: u64) {
        let life = self.slot(slot);
        if life.check == check {
            let first = !life.cut;
            life.cut = true;
            self.counters.lives_cut += u64::from(first);
        }
    }

    /// No slot answered a node of some depth.
    pub fn miss(&mut self, check: u64, depth: u8) {
        let count = &mut self.counters;
        match self.ghosts.get(&check) {
            None => count.miss_never += 1,
            Some(ghost) if ghost.epoch != self.epoch => count.miss_emptied += 1,
            Some(ghost) if ghost.copies > 0 => count.miss_elsewhere += 1,
            Some(ghost) if ghost.loss == Loss::Evicted => {
                count.miss_evicted += 1;
                count.miss_evicted_deep += u64::from(ghost.depth >= depth);
            }
            Some(ghost) => {
                count.miss_refused += 1;
                count.miss_refused_deep += u64::from(ghost.depth >= depth);
            }
        }
    }

    /// The ghost of a position, of this epoch.
    fn ghost(&mut self, check: u64) -> &mut Ghost {
        let fresh = Ghost { copies: 0, loss: Loss::Refused, depth: 0, epoch: self.epoch };
        let ghost = self.ghosts.entry(check).or_insert(fresh);
        if ghost.epoch != self.epoch {
            *ghost = fresh;
        }
        ghost
    }

    /// A store was written or refused.
    pub fn stored(&mut self, stored: Stored, check: u64, depth: u8) {
        let Stored { slot: at, moved, same, refused } = stored;
        if refused {
            self.counters.contended += u64::from(!same);
            let ghost = self.ghost(check);
            if ghost.copies == 0 {
                (ghost.loss, ghost.depth) = (Loss::Refused, depth);
            }
            return;
        }
        let last = at + usize::from(moved);
        let leaving = *self.slot(last);
        self.slots.copy_within(at..last, at + 1);
        if leaving.lives && leaving.check == check {
            self.slots[at] = Life { depth, ..leaving };
            return;
        }
        if leaving.lives {
            self.counters.contended += u64::from(!same);
            self.counters.false_updates += u64::from(same);
            let ghost = self.ghost(leaving.check);
            ghost.copies = ghost.copies.saturating_sub(1);
            (ghost.loss, ghost.depth) = (Loss::Evicted, leaving.depth);
        }
        self.counters.lives += 1;
        self.slots[at] = Life { check, depth, lives: true, used: false, cut: false };
        let ghost = self.ghost(check);
        ghost.copies = ghost.copies.saturating_add(1);
    }

    /// The table was emptied; its ghosts stay.
    pub fn emptied(&mut self) {
        self.slots.fill(Life::default());
        self.epoch += 1;
    }

    /// Everything is forgotten; the counters stay.
    pub fn renew(&mut self) {
        self.slots.fill(Life::default());
        self.ghosts.clear();
        self.epoch = 0;
    }

    /// What was counted.
    #[must_use]
    pub fn counters(&self) -> ShadowCounters {
        self.counters
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// A story by hand: what is never offered, evicted, refused, emptied, forgotten, and held elsewhere; answers of the right and of another position.
    #[test]
    fn why_a_position_is_not_there() {
        let mut shadow = Shadow::new(2).unwrap();
        shadow.miss(1, 0);
        shadow.stored(Stored::into(0, false), 1, 5);
        // The second takes the slot of the first.
        shadow.stored(Stored::into(0, false), 2, 3);
        [5, 6].into_iter().for_each(|depth| shadow.miss(1, depth));
        shadow.stored(Stored::refused(false), 3, 4);
        [4, 5].into_iter().for_each(|depth| shadow.miss(3, depth));
        shadow.emptied();
        shadow.miss(1, 0);
        shadow.renew();
        shadow.miss(1, 0);
        shadow.stored(Stored::into(1, false), 9, 2);
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
