//! The table's shadow (`diagnostics = "full"`): what an independent key knows about each slot, and a ghost of every position
//! that was ever offered. It tells false matches, says why a miss was one, and follows each entry's life. It decides nothing.

use super::by_key::ByKey;

crate::counters! {
    /// What only an independent key of every position can tell.
    pub struct ShadowCounters {
        /// Hits whose entry is another position's (type-1 errors). Law: misses x slots x 2^-key_bits.
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

/// What a write did to a bucket.
#[derive(Debug, Clone, Copy)]
pub struct Written {
    /// The newcomer's slot.
    pub at: usize,
    /// The slot whose entry left; entries between moved down by one.
    pub last: usize,
    /// Whether the table took the old entry for the same position's.
    pub same: bool,
}

impl Shadow {
    /// The shadow of so many slots; more may be added.
    #[must_use]
    pub fn new(slots: usize) -> Self {
        Self { slots: vec![Life::default(); slots], ..Self::default() }
    }

    /// Another slot, for tables that grow.
    pub fn grow(&mut self) -> usize {
        self.slots.push(Life::default());
        self.slots.len() - 1
    }

    /// A slot answered: whether with another position's entry.
    pub fn hit(&mut self, slot: usize, check: u64) -> bool {
        let life = &mut self.slots[slot];
        if life.check != check {
            self.counters.false_hits += 1;
            return true;
        }
        self.counters.lives_used += u64::from(!life.used);
        life.used = true;
        false
    }

    /// A slot's answer ended a node.
    pub fn cutoff(&mut self, slot: usize) {
        let life = &mut self.slots[slot];
        self.counters.lives_cut += u64::from(!life.cut);
        life.cut = true;
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

    /// A store was refused; `same`: by an entry that the table took for the same position's.
    pub fn refused(&mut self, check: u64, depth: u8, same: bool) {
        self.counters.contended += u64::from(!same);
        let ghost = self.ghost(check);
        if ghost.copies == 0 {
            (ghost.loss, ghost.depth) = (Loss::Refused, depth);
        }
    }

    /// A store was written to the bucket whose first slot is `first`.
    pub fn wrote(&mut self, first: usize, written: Written, check: u64, depth: u8) {
        let Written { at, last, same } = written;
        let leaving = self.slots[first + last];
        self.slots.copy_within(first + at..first + last, first + at + 1);
        let stays = leaving.lives && leaving.check == check;
        if stays {
            self.slots[first + at] = Life { depth, ..leaving };
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
        self.slots[first + at] = Life { check, depth, lives: true, used: false, cut: false };
        let ghost = self.ghost(check);
        ghost.copies = ghost.copies.saturating_add(1);
    }

    /// The table was emptied; its ghosts stay.
    pub fn emptied(&mut self) {
        self.slots.fill(Life::default());
        self.epoch += 1;
    }

    /// Everything is forgotten, and the table has so many slots; the counters stay.
    pub fn renew(&mut self, slots: usize) {
        self.slots.clear();
        self.slots.resize(slots, Life::default());
        self.ghosts.clear();
        self.epoch = 0;
    }

    /// What was counted.
    #[must_use]
    pub fn counters(&self) -> ShadowCounters {
        self.counters
    }
}
