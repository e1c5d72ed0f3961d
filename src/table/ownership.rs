//! Which of several searchers wrote the entry of each slot, and whether anyone has read it.

use super::StoreOutcome;

crate::counters! {
    /// Counts of several searchers that share a table. The table counts what is foreign, the
    /// engine the rest.
    pub struct ThreadCounters {
        /// Time, if each node takes as long: nodes of all searchers divided by their number. The
        /// speed-up of several searchers is the ticks of one, divided by theirs.
        ticks,
        /// Of the nodes, those of helpers.
        helper_nodes,
        /// Table hits whose entry another searcher wrote last.
        foreign_hits,
        /// Of those, ended their node.
        foreign_cutoffs,
        /// Worth of those cutoffs: nodes of the subtrees stored with the entries, as in
        /// `search.saved`.
        foreign_saved,
        /// Probes of a position that another searcher is in the middle of (it is on the way from
        /// the root to where that one's turn ended).
        in_flight,
        /// Moves put off (`helpers = "abdada"`), or nodes whose late moves were reduced more
        /// (`"breadcrumbs"`), because another searcher was there.
        avoided,
        /// Results offered of a position that the table has from another searcher at the same
        /// depth: work done twice, as far as the table remembers.
        duplicates,
        /// Of the stores that were refused, those for an entry of the same position that another
        /// searcher wrote.
        foreign_refusals,
        /// Entries overwritten, by another position or a new result of their own, before they
        /// answered a probe.
        unread,
        /// Of those, by another searcher than wrote them.
        foreign_unread,
        /// Stores whose second half was late (`threads.tear`).
        torn,
        /// Hits that found halves of two stores.
        torn_reads,
        /// Of those, taken for whole.
        torn_accepted,
    }
}

/// What is known of the entry in a slot.
#[derive(Debug, Clone, Copy, Default)]
struct Note {
    writer: u8,
    depth: u8,
    /// Whether the slot has an entry.
    occupied: bool,
    /// Whether the entry answered a probe since it was written.
    read: bool,
}

/// The notes of all slots of a table.
pub struct Ownership(Vec<Note>);

impl Ownership {
    /// The notes of an empty table; one without slots grows.
    pub fn new(slots: usize) -> Self {
        Self(vec![Note::default(); slots])
    }

    pub fn clear(&mut self) {
        self.0.fill(Note::default());
    }

    /// Whether another searcher wrote the entry of a slot.
    pub fn is_foreign(&self, slot: usize, searcher: u8) -> bool {
        self.0.get(slot).is_some_and(|note| note.writer != searcher)
    }

    /// Notes that the entry of a slot answered a probe; returns whether another searcher wrote it.
    pub fn read(&mut self, slot: usize, searcher: u8) -> bool {
        self.0.get_mut(slot).is_some_and(|note| {
            note.read = true;
            note.writer != searcher
        })
    }

    /// Follows a store and counts what became of the entry that it met.
    pub fn store(&mut self, stored: StoreOutcome, searcher: u8, depth: u8, counters: &mut ThreadCounters) {
        let last = stored.slot + usize::from(stored.moved);
        if last >= self.0.len() {
            self.0.resize(last + 1, Note::default());
        }
        let met = self.0[last];
        let foreign = met.occupied && met.writer != searcher;
        if stored.same && foreign {
            counters.duplicates += u64::from(met.depth == depth);
            counters.foreign_refusals += u64::from(stored.refused);
        }
        if stored.refused {
            return;
        }
        let unread = met.occupied && !met.read;
        counters.unread += u64::from(unread);
        counters.foreign_unread += u64::from(unread && foreign);
        self.0.copy_within(stored.slot..last, stored.slot + 1);
        self.0[stored.slot] = Note { writer: searcher, depth, occupied: true, read: false };
    }
}
