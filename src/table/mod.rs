//! The transposition table: entries, probes, stores and the policies that decide what is replaced.
//!
//! The search uses one dynamic interface, [`Table`]; behind it each table is compiled for its
//! policy and layout.

pub mod bounded;
pub mod design;
mod entered;
pub mod entry;
mod error;
pub mod expression;
mod flight;
mod forgetful;
pub mod key_map;
mod layout;
mod lock_free;
pub(crate) mod make;
pub mod memory;
mod observer;
pub mod offers;
pub mod options;
mod ownership;
pub mod packed;
pub mod policy;
mod probed_slots;
pub mod same_key;
pub mod shadow;
pub mod shape;
pub mod shared;
pub mod size;
pub mod tear;
pub mod unbounded;
pub mod watch;

pub use bounded::Bounded;
pub use design::Design;
pub use error::TableError;
pub use lock_free::{LockFree, has_whole_words};
pub use make::{build, bytes, check_memory, entries};
pub use observer::ObservedTable;
pub use options::{TableKind, TableOptions};
pub use ownership::ThreadCounters;
pub use shadow::ShadowCounters;
pub use shared::SharedTable;
pub use size::Size;
pub use tear::Tear;

use crate::chess::{Bound, Move, Score};

/// The score of an entry without one. As a lower bound it ends no node.
pub const NO_SCORE: i16 = i16::MIN;

/// The static evaluation that an entry keeps, or none, in 16 bits: an entry of 16 bytes is passed
/// in two registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StaticEvaluation(u16);

impl StaticEvaluation {
    /// Packs an evaluation, which must be above -32,768.
    #[must_use]
    pub const fn new(score: Score) -> Self {
        debug_assert!(score > NO_SCORE as Score && score <= i16::MAX as Score);
        Self(score as u16 ^ 1 << 15)
    }

    /// The evaluation, if there is one.
    #[must_use]
    pub fn get(self) -> Option<Score> {
        (self.0 != 0).then_some(Score::from((self.0 ^ 1 << 15) as i16))
    }

    /// This evaluation if there is one, otherwise `other`.
    #[inline]
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        if self.0 == 0 { other } else { self }
    }
}

/// One stored search result, unpacked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Entry {
    /// The best or cutting move; none after a node that failed low, unless the options say
    /// otherwise.
    pub mv: Move,
    /// The score as the search stored it (mate scores already made relative to the node).
    pub score: i16,
    /// Whether the score is exact or a lower or upper bound.
    pub bound: Bound,
    /// The draft: the remaining depth in plies to which the position was searched, 0..=255.
    pub depth: u8,
    /// Stored at a node with an open window (beta - alpha > 1).
    pub pv: bool,
    /// Nodes of the subtree below it, itself included; a table cutoff counts as 1 (or as its own
    /// subtree under `big-all`). Layouts may keep it rounded: see [`Layout`](options::Layout).
    pub nodes: u32,
    /// Written by the table: the clock at the store or at the last refresh, modulo
    /// 1,024 (see [`options::TickSource`]).
    pub generation: u16,
    /// Written by the table: the entry answered a probe since it was written or since its mark was
    /// reset.
    pub used: bool,
    /// The static evaluation of the position, if the entry keeps one
    /// (`table.static_evaluation`).
    pub evaluation: StaticEvaluation,
}

impl Entry {
    /// An entry that has only a static evaluation, without a score or a move. Engines store one
    /// when the table has no entry of the position.
    #[must_use]
    pub fn evaluation(depth: u8, pv: bool) -> Self {
        Self { score: NO_SCORE, bound: Bound::Lower, depth, pv, nodes: 1, ..Self::default() }
    }

    /// Whether the entry has only a static evaluation.
    #[inline]
    #[must_use]
    pub fn is_evaluation(&self) -> bool {
        self.score == NO_SCORE
    }

    /// Whether this is the entry of an empty slot.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bound == Bound::None
    }

    /// Ticks of the clock since the entry was written or refreshed, modulo 1,024.
    #[inline]
    #[must_use]
    pub fn age(&self, now: u16) -> u16 {
        now.wrapping_sub(self.generation) % entry::GENERATIONS
    }
}

/// An entry that answered a probe.
#[derive(Debug, Clone, Copy)]
pub struct Hit {
    /// A copy of the stored entry.
    pub entry: Entry,
    /// The draft that may end the node: the entry's depth, less what an aging policy takes off on a
    /// probe.
    pub draft: i32,
    /// Ticks of the clock since the entry was written or refreshed.
    pub age: u16,
    /// The slot that answered, for [`Table::cutoff`]; slots are numbered across the whole table.
    pub slot: usize,
}

/// The result of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreOutcome {
    /// The slot written, numbered across the table. If the store was refused: the slot of the
    /// position's own entry, or 0 if it has none.
    pub slot: usize,
    /// The number of entries, beginning with that slot's, that moved down by one slot. The entry of
    /// the last slot involved was evicted.
    pub moved: u8,
    /// Whether the bucket already held an entry of the same key.
    pub same: bool,
    /// Whether the table kept its old entries and stored nothing.
    pub refused: bool,
}

impl StoreOutcome {
    /// A store into one slot.
    #[inline]
    #[must_use]
    pub const fn in_slot(slot: usize, same: bool) -> Self {
        Self { slot, moved: 0, same, refused: false }
    }

    /// A store that was refused; `own_slot`: the slot of the position's entry, if it has one.
    #[inline]
    #[must_use]
    pub const fn refused(own_slot: Option<usize>) -> Self {
        let (slot, same) = match own_slot {
            Some(slot) => (slot, true),
            None => (0, false),
        };
        Self { slot, moved: 0, same, refused: true }
    }
}

crate::counters! {
    /// What the table did. `stores = fills + updates + evictions + rejections` holds at all times.
    pub struct TableCounters {
        /// Probes of the table.
        probes,
        /// Probes answered by a key match.
        hits,
        /// Misses that found a free slot in the bucket.
        misses_empty,
        /// Misses that found every slot of the bucket taken by other keys.
        misses_other,
        /// Stores offered to the table.
        stores,
        /// Stores into an empty slot.
        fills,
        /// Stores over an entry of the same key.
        updates,
        /// Stores that displaced another position.
        evictions,
        /// Stores that the policy or the same-key rule refused.
        rejections,
        /// Entries that answered a probe for the first time since they were stored. In a bounded
        /// table, an entry that is written again within one tick of the clock counts as the same
        /// entry. Counted by an unbounded table, under `diagnostics = "full"`, and by the policy
        /// `ancient` with `useful = "match"`; otherwise 0.
        reused,
        /// Stores with a depth, score or static evaluation that does not fit into the bits of
        /// `table.layout`. The nearest depth or score that fits is stored instead; such an
        /// evaluation is left out.
        clipped,
        /// Hits of which `table.forget` lost the entry, the move or the score. A lost entry counts
        /// only here: probes = hits + misses_empty + misses_other + lost entries.
        forgotten,
    }
}

/// How full a table is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Occupancy {
    /// Total slots (0: the table is unbounded).
    pub slots: u64,
    /// Slots that hold an entry.
    pub occupied: u64,
    /// Occupied slots that were written or refreshed in the current tick of the clock.
    pub current: u64,
    /// Memory for the entries, in bytes.
    pub bytes: u64,
}

/// The interface between search and table. `key` is the position's hash key.
pub trait Table: Send {
    /// Looks the position up and counts the result. `depth`: the remaining depth of the node, used
    /// only by a table that keeps one entry per depth.
    fn probe(&mut self, key: u64, depth: u8) -> Option<Hit>;
    /// Offers an entry; the table sets `generation` and `used`, decides whether and where to write
    /// it, and returns what it did.
    fn store(&mut self, key: u64, entry: Entry) -> StoreOutcome;
    /// Records that a hit cut off its node.
    fn cutoff(&mut self, hit: &Hit);
    /// Records that a hit was deep enough for a node with a closed window, but its bound did not
    /// decide the node. Called only if `table.demotion` needs it.
    fn missed(&mut self, hit: &Hit) {
        let _ = hit;
    }
    /// Prefetches the bucket of a key into the cache.
    fn prefetch(&self, key: u64);
    /// Advances the clock by `ticks`, modulo 1,024.
    fn advance(&mut self, ticks: u16);
    /// Empties the table and resets the clock to 0; the counters are kept.
    fn clear(&mut self);
    /// Resets the table as if it were new: diagnostic memory is dropped too. The counters are kept.
    fn renew(&mut self) {
        self.clear();
    }
    /// Whether the nodes saved by a table cutoff are added to the subtree sizes above it (the
    /// policy `big-all`).
    fn counts_stored_nodes(&self) -> bool {
        false
    }
    /// Gives an independent key for the position of the next probe or store, for observers of the
    /// table.
    fn identify(&mut self, check: u64) {
        let _ = check;
    }
    /// In a table without slots: numbers the entries from now on and reports these numbers as
    /// slots. Called by a wrapper that observes this table.
    fn number_entries(&mut self) {}
    /// Marks the entry of a hit as used and counts it in `reused`, unless the policy already does.
    /// Called by a wrapper that observes this table.
    fn mark_used(&mut self, hit: &Hit) {
        let _ = hit;
    }
    /// The last entry that the search offered for a position and depth, if offers are recorded.
    fn last_offer(&mut self, key: u64, depth: u8) -> Option<Entry> {
        let _ = (key, depth);
        None
    }
    /// Ends a turn of the searcher that uses this handle of a shared table; `path`: the keys of the
    /// positions on its way from the root to the current node.
    fn suspend(&mut self, path: &[u64]) {
        let _ = path;
    }
    /// Whether another searcher of a shared table is in the middle of a position. If so, counts it
    /// in `avoided`.
    fn is_elsewhere(&mut self, key: u64) -> bool {
        let _ = key;
        false
    }
    /// Records that this searcher of a shared table begins to search a position, at the entry that
    /// its last probe or store met, if there is one. `leave` ends it (ABDADA).
    fn enter(&mut self, key: u64, depth: u8) {
        let _ = (key, depth);
    }
    /// Records that the searcher has finished the position of an earlier `enter`.
    fn leave(&mut self, key: u64, depth: u8) {
        let _ = (key, depth);
    }
    /// Whether any searcher has entered a position at this depth. If so, counts it in `avoided`.
    fn is_entered(&mut self, key: u64, depth: u8) -> bool {
        let _ = (key, depth);
        false
    }
    /// The counters of the shadow table, if there is one.
    fn shadow(&self) -> ShadowCounters {
        ShadowCounters::default()
    }
    /// The current clock value, for [`Entry::age`].
    fn now(&self) -> u16;
    /// Counts since the table was created.
    fn counters(&self) -> TableCounters;
    /// For a shared table: the counts of how its searchers affected each other, since it was
    /// created.
    fn thread_counters(&self) -> ThreadCounters {
        ThreadCounters::default()
    }
    /// How full the table is now; an estimate for a large table without locks. Fast, since it is
    /// called after each iteration.
    fn occupancy(&self) -> Occupancy;
    /// Calls `visit` with every stored entry, for histograms and audits.
    fn for_each(&self, visit: &mut dyn FnMut(&Entry));
    /// Whether the memory lies in huge pages; `None` if unknown or not applicable.
    fn huge_pages(&self) -> Option<bool> {
        None
    }
}
