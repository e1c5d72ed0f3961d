//! The transposition table: what is stored, how it is asked, and who decides what is replaced.
//!
//! The search sees one dynamic boundary, [`Table`]; behind it each table is compiled for its policy and layout.

pub mod bounded;
pub mod by_key;
pub mod entry;
mod forgetful;
mod make;
pub mod memory;
mod observed;
pub mod offers;
pub mod options;
pub mod policy;
pub mod replay;
pub mod shadow;
pub mod size;
pub mod trace;
pub mod unbounded;
pub mod watched;

pub use bounded::Bounded;
pub use make::{TableError, build, bytes, check_memory, entries};
pub use observed::Observed;
pub use options::{Layout, TableKind, TableOptions};
pub use shadow::ShadowCounters;
pub use size::Size;

use crate::chess::{Bound, Move, Score};

/// One stored result, unpacked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Entry {
    /// The best or cutting move; none after a node that failed low, unless the options say otherwise.
    pub mv: Move,
    /// The score as the search stored it (mate scores already made relative to the node).
    pub score: Score,
    /// What the score says about the true value.
    pub bound: Bound,
    /// The draft: remaining depth it was searched to, 0..=255.
    pub depth: u8,
    /// Stored at a node with an open window (beta - alpha > 1).
    pub pv: bool,
    /// Nodes of the subtree below it, itself included; a table cutoff counts as 1 (or as its own subtree under `big-all`).
    /// Layouts may keep it rounded: see [`Layout`].
    pub nodes: u32,
    /// Written by the table: the clock's time of the store or of the last refresh (see [`options::TickSource`]).
    pub generation: u16,
    /// Written by the table: the entry answered a probe since it was written or since its mark was reset.
    pub used: bool,
}

impl Entry {
    /// Whether this is an empty slot.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bound == Bound::None
    }

    /// Ticks of the clock since the entry was written or refreshed, modulo [`entry::GENERATIONS`].
    #[inline]
    #[must_use]
    pub fn age(&self, now: u16) -> u16 {
        now.wrapping_sub(self.generation) % entry::GENERATIONS
    }
}

/// An answered probe.
#[derive(Debug, Clone, Copy)]
pub struct Hit {
    /// What was stored.
    pub entry: Entry,
    /// The draft that may end the node: the entry's depth, less what an aging policy takes off on a probe.
    pub draft: i32,
    /// Ticks of the clock since the entry was written or refreshed.
    pub age: u16,
    /// Which slot of the table answered, for [`Table::cutoff`]; slots are numbered through the table.
    pub slot: usize,
}

/// What became of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stored {
    /// The newcomer's slot, by its number in the table; means nothing where it was refused.
    pub slot: usize,
    /// By how many slots the entries from there on moved down: the entry that left stood so far behind.
    pub moved: u8,
    /// Whether the bucket already held an entry of the same key.
    pub same: bool,
    /// Whether the newcomer was turned away.
    pub refused: bool,
}

impl Stored {
    /// A newcomer that took one slot.
    #[inline]
    #[must_use]
    pub const fn into(slot: usize, same: bool) -> Self {
        Self { slot, moved: 0, same, refused: false }
    }

    /// A newcomer that was turned away.
    #[inline]
    #[must_use]
    pub const fn refused(same: bool) -> Self {
        Self { slot: 0, moved: 0, same, refused: true }
    }
}

crate::counters! {
    /// What the table did. The law `stores = fills + updates + evictions + rejections` holds at all times.
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
        /// Entries that answered a probe for the first time since they were stored; one of a table with a bound that is written again within
        /// a tick of the clock stays the same entry. Counted in full by an unbounded table, under
        /// `diagnostics = "full"` and by the policy `ancient` where a match is useful; else 0.
        reused,
        /// Hits of which `table.forget` lost the entry, the move or the score. A lost entry counts
        /// here alone: probes = hits + misses_empty + misses_other + lost entries.
        forgotten,
    }
}

/// How full a table is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Occupancy {
    /// Slots in all (0: the table has no bound).
    pub slots: u64,
    /// Slots that hold an entry.
    pub occupied: u64,
    /// Of those, written or refreshed at the current time of the clock.
    pub current: u64,
    /// Bytes of memory that the entries take.
    pub bytes: u64,
}

/// What the search asks of a table. `key` is the position's key.
pub trait Table: Send {
    /// Looks the position up and counts the answer. `depth`: the remaining depth of the asking node, which only a table
    /// that keeps one entry for each depth needs.
    fn probe(&mut self, key: u64, depth: u8) -> Option<Hit>;
    /// Offers an entry; the table fills in `generation` and `used`, decides, writes, counts and says what it did.
    fn store(&mut self, key: u64, entry: Entry) -> Stored;
    /// Tells the table that a hit ended its node.
    fn cutoff(&mut self, hit: &Hit);
    /// Brings the bucket of a key towards the cache.
    fn prefetch(&self, key: u64);
    /// Moves the clock forward.
    fn advance(&mut self, ticks: u16);
    /// Empties the table and sets the clock to 0; the counters stay.
    fn clear(&mut self);
    /// Empties the table as if it were new: what is remembered for diagnostics goes too. The counters stay.
    fn renew(&mut self) {
        self.clear();
    }
    /// Whether the nodes that a table cutoff saved count among those of the subtrees above it (the policy `big-all`).
    fn counts_stored_nodes(&self) -> bool {
        false
    }
    /// Says which position the next probe or store is about, by a key of its own: for whoever watches the table ([`watched`]).
    fn identify(&mut self, check: u64) {
        let _ = check;
    }
    /// Gives its entries numbers as slots, if they have none of their own: asked for by a table that watches this one.
    fn number(&mut self) {}
    /// Marks the entry of a hit as used and counts it in `reused`, where the policy does not; called by a table that watches this one.
    fn seen(&mut self, hit: &Hit) {
        let _ = hit;
    }
    /// What the search offered of a position, for a node of some depth, where that is kept ([`offers`]).
    fn offered(&mut self, key: u64, depth: u8) -> Option<Entry> {
        let _ = (key, depth);
        None
    }
    /// What was found out by watching.
    fn shadow(&self) -> ShadowCounters {
        ShadowCounters::default()
    }
    /// The clock, for [`Entry::age`].
    fn now(&self) -> u16;
    /// What happened since the table was made.
    fn counters(&self) -> TableCounters;
    /// How full it is now: exact, and without a look at the slots, for it is asked after each iteration.
    fn occupancy(&self) -> Occupancy;
    /// Each occupied slot's entry, for histograms and audits.
    fn for_each(&self, visit: &mut dyn FnMut(&Entry));
    /// Whether the memory lies in huge pages; none where that is unknown or means nothing.
    fn huge_pages(&self) -> Option<bool> {
        None
    }
}
