//! Records for each slot which of several searchers wrote its entry, and whether any has read it.

use super::StoreOutcome;
use super::memory::{Memory, Word};

crate::counters! {
    /// Counts of several searchers that share a table. The engine counts ticks and nodes, the table
    /// the rest.
    pub struct ThreadCounters {
        /// Time if every node takes equally long: the nodes of all searchers divided by the number
        /// of searchers. The speed-up of several searchers is the ticks of one searcher divided by
        /// their ticks.
        ticks,
        /// Nodes of the helpers, as part of `search.nodes`.
        helper_nodes,
        /// Table hits whose entry another searcher wrote last. 0 with real threads, like all that
        /// depends on who wrote an entry.
        foreign_hits,
        /// Table hits that ended their node and whose entry another searcher wrote last.
        foreign_cutoffs,
        /// Worth of these foreign cutoffs, as in `search.saved`.
        foreign_saved,
        /// Sum of the ages of the entries that answered, in ticks of `table.clock`.
        ages,
        /// Sum of the squares of these ages, for their spread.
        squared_ages,
        /// Probes of a position that another searcher is in the middle of searching: the position
        /// is on that searcher's path from the root to the node where its turn ended. 0 with
        /// real threads.
        in_flight,
        /// Stores of a position for which the table already has an entry of the same depth by
        /// another searcher: work done twice, as far as the table remembers.
        duplicates,
        /// Stores that were refused because of an entry of the same position that another searcher
        /// wrote.
        foreign_refusals,
        /// Entries overwritten, by another position or a new result of their own, before they
        /// answered a probe.
        unread,
        /// Unread entries that were overwritten by another searcher than the one that wrote them.
        foreign_unread,
    }
}

/// What is recorded about the entry in a slot.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Note {
    writer: u8,
    depth: u8,
    /// Whether the slot has an entry.
    occupied: bool,
    /// Whether the entry answered a probe since it was written.
    read: bool,
}

/// The size of a note in memory, in bytes.
pub const NOTE_BYTES: usize = 4;

/// The notes of all slots of a table, in huge pages if the kernel grants them: they are as far
/// apart as the slots.
#[derive(Default)]
pub struct Ownership(Memory);

impl Ownership {
    /// Creates the notes of an empty table. An empty unbounded table has no slots, so its notes are
    /// added later by [`Self::grow_to`].
    pub fn new(slots: usize) -> Self {
        let memory = Memory::new(slots.div_ceil(8 / NOTE_BYTES), true);
        Self(memory.unwrap_or_else(|error| panic!("no memory for the notes of who wrote which entry: {error}")))
    }

    pub fn grow_to(&mut self, slots: usize) {
        let len = self.0.len();
        if slots > len * (8 / NOTE_BYTES) {
            let mut larger = Self::new(slots.max(4 * len));
            larger.0[..len].copy_from_slice(&self.0);
            *self = larger;
        }
    }

    pub fn address(&self) -> usize {
        self.0.as_ptr().addr()
    }

    pub fn clear(&mut self) {
        self.0.fill(0);
    }

    #[inline]
    fn note(&self, slot: usize) -> Note {
        match u16::view(&self.0).get(2 * slot..2 * slot + 2) {
            Some(&[who, state]) => {
                Note { writer: who as u8, depth: (who >> 8) as u8, occupied: state & 1 > 0, read: state & 2 > 0 }
            }
            _ => Note::default(),
        }
    }

    #[inline]
    fn set_note(&mut self, slot: usize, note: Note) {
        let words = &mut u16::view_mut(&mut self.0)[2 * slot..2 * slot + 2];
        words[0] = u16::from(note.writer) | u16::from(note.depth) << 8;
        words[1] = u16::from(note.occupied) | u16::from(note.read) << 1;
    }

    pub fn is_foreign(&self, slot: usize, searcher: u8) -> bool {
        let note = self.note(slot);
        note.occupied && note.writer != searcher
    }

    /// Records that the entry of a slot answered a probe of `searcher`. Returns whether another
    /// searcher wrote the entry.
    pub fn record_hit(&mut self, slot: usize, searcher: u8) -> bool {
        let note = self.note(slot);
        // What is read by several cores stays with all of them.
        if note.occupied && !note.read {
            self.set_note(slot, Note { read: true, ..note });
        }
        note.occupied && note.writer != searcher
    }

    /// Records a store and counts its effect on the old entry. The old entry is the previous entry
    /// of the same position or, if there is none, the evicted entry. There must be a note for
    /// each slot that the store changed (see [`Self::grow_to`]).
    pub fn record_store(&mut self, stored: StoreOutcome, searcher: u8, depth: u8, counters: &mut ThreadCounters) {
        let old_slot = stored.slot + usize::from(stored.moved);
        let old = self.note(old_slot);
        let is_foreign = old.occupied && old.writer != searcher;
        if stored.same && is_foreign {
            counters.duplicates += u64::from(old.depth == depth);
            counters.foreign_refusals += u64::from(stored.refused);
        }
        if stored.refused {
            return;
        }
        let is_unread = old.occupied && !old.read;
        counters.unread += u64::from(is_unread);
        counters.foreign_unread += u64::from(is_unread && is_foreign);
        // Each note moves down together with its entry.
        (stored.slot..old_slot).rev().for_each(|slot| self.set_note(slot + 1, self.note(slot)));
        self.set_note(stored.slot, Note { writer: searcher, depth, occupied: true, read: false });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An empty slot may answer a key of 0. It is nobody's.
    #[test]
    fn only_what_another_searcher_wrote_is_foreign() {
        let mut owners = Ownership::new(1);
        assert!(!owners.record_hit(0, 3));
        owners.record_store(StoreOutcome::in_slot(0, false), 1, 5, &mut ThreadCounters::default());
        assert_eq!([1, 3].map(|searcher| owners.record_hit(0, searcher)), [false, true]);
    }
}
