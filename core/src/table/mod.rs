//! The transposition table: entries, probes, stores and the policies that decide what is replaced.
//!
//! The search calls every table through one dynamic interface, [`Table`]. A bounded table is
//! compiled separately for each policy and layout.

pub mod bounded;
pub mod design;
pub mod entry;
pub(crate) mod error;
mod evaluated16;
pub mod expression;
mod forgetful;
pub mod kept;
pub mod key_map;
mod layout;
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
pub mod unbounded;
pub mod watch;

pub use bounded::Bounded;
pub use design::Design;
pub use error::{OptionError, TableError};
pub use make::{build, bytes, check_memory, gets_huge_pages, slot_count};
pub use observer::ObservedTable;
pub use options::{TableKind, TableOptions};
pub use ownership::ThreadCounters;
pub use shadow::ShadowCounters;
pub use shared::SharedTable;
pub use size::Size;

use crate::chess::{Bound, Move, Score};

/// The score of an entry that has no score. The bound of such an entry is a lower bound, so this
/// score ends no node.
pub const NO_SCORE: i16 = i16::MIN;

/// An optional static evaluation, in 16 bits. An [`Entry`] then has 16 bytes and is passed in two
/// registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StaticEvaluation(u16);

impl StaticEvaluation {
    /// Packs an evaluation, which must be above -32,768.
    #[must_use]
    pub const fn new(score: Score) -> Self {
        debug_assert!(score > NO_SCORE as Score && score <= i16::MAX as Score);
        Self(score as u16 ^ 1 << 15)
    }

    /// The evaluation, or `None` if there is none.
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
    /// The best move, or the move that caused a cutoff. There is no move after a node that failed
    /// low, unless the options say otherwise.
    pub mv: Move,
    /// The score as the search stored it. Mate scores are already relative to the node.
    pub score: i16,
    /// Whether the score is exact or a lower or upper bound.
    pub bound: Bound,
    /// The draft: the remaining depth in plies to which the position was searched, 0..=255.
    pub depth: u8,
    /// Whether the entry was stored at a node with an open window (beta - alpha > 1).
    pub pv: bool,
    /// The number of nodes in the position's subtree, including the node of the position itself. A
    /// table cutoff counts as one node or, under `big-all`, as the nodes of the stored subtree. A
    /// layout may round the number (see [`Layout`](options::Layout)).
    pub nodes: u32,
    /// The time of the table's clock at the store or at the last refresh, modulo 1,024 (see
    /// [`options::TickSource`]). The table sets it.
    pub generation: u16,
    /// Whether the entry has answered a probe since it was written or since this mark was reset.
    /// The table sets it.
    pub used: bool,
    /// The static evaluation of the position, if the entry keeps one
    /// (`table.static_evaluation`).
    pub evaluation: StaticEvaluation,
}

impl Entry {
    /// Creates an entry without a score or a move. The caller adds the static evaluation. Engines
    /// store such an entry if the table has no entry of the position.
    #[must_use]
    pub fn evaluation(depth: u8, pv: bool) -> Self {
        Self { score: NO_SCORE, bound: Bound::Lower, depth, pv, nodes: 1, ..Self::default() }
    }

    /// Whether the entry has no score, so that it has only a static evaluation.
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

    /// Returns the number of ticks of the clock since the entry was written or refreshed, modulo
    /// 1,024.
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
    /// The depth up to which the entry may end a node. It is the entry's depth minus the plies that
    /// an aging policy subtracts on a probe.
    pub draft: i32,
    /// Ticks of the clock since the entry was written or refreshed.
    pub age: u16,
    /// The number of the slot that answered, which [`Table::cutoff`] needs. Slots are numbered
    /// across the whole table.
    pub slot: usize,
}

/// The result of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreOutcome {
    /// The number of the slot that was written. Slots are numbered across the whole table. If the
    /// store was refused, this is the slot of the position's own entry, or 0 if the position has no
    /// entry.
    pub slot: usize,
    /// The number of entries that moved down by one slot. The first of them was in slot `slot`. The
    /// entry in slot `slot + moved` was evicted.
    pub moved: u8,
    /// Whether the bucket already held an entry of the same key.
    pub same: bool,
    /// Whether the table kept its old entries and stored nothing.
    pub refused: bool,
}

impl StoreOutcome {
    /// Returns the outcome of a store that changed only one slot.
    #[inline]
    #[must_use]
    pub const fn in_slot(slot: usize, same: bool) -> Self {
        Self { slot, moved: 0, same, refused: false }
    }

    /// Returns the outcome of a store that was refused. `own_slot` is the slot of the position's
    /// own entry, if there is one.
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
        /// Times that an entry lost depth by `table.demotion`.
        demoted,
    }
}

crate::counters! {
    /// How full a table is.
    pub struct Occupancy {
        /// Total slots (0: the table is unbounded).
        slots,
        /// Slots that hold an entry.
        occupied,
        /// Occupied slots that were written or refreshed in the current tick of the clock.
        current,
        /// Memory for the entries, in bytes.
        bytes,
    }
}

/// The interface between search and table. `key` is the position's hash key. A table that needs
/// nothing of [`Instrumented`] says `impl Instrumented for MyTable {}`.
pub trait Table: Instrumented + Send {
    /// Looks up the position and counts the result. `depth` is the remaining depth of the node,
    /// which only a table that keeps one entry per depth uses.
    fn probe(&mut self, key: u64, depth: u8) -> Option<Hit>;
    /// Offers an entry to the table. The table decides whether and where to write the entry, and
    /// sets its fields `generation` and `used`.
    fn store(&mut self, key: u64, entry: Entry) -> StoreOutcome;
    /// Records that a hit cut off its node.
    fn cutoff(&mut self, hit: &Hit);
    /// Records that a hit was deep enough for a node with a closed window, but that its bound did
    /// not end the node. Called only if `table.demotion` needs it.
    fn missed(&mut self, _hit: &Hit) {}
    /// The slot in its bucket that the last probe found or chose under `victim = "probe"`.
    fn probed_slot(&self) -> usize {
        0
    }
    /// As `store`, for a search that keeps the slot of the probe with its node, as engines do.
    /// Under `victim = "probe"` the entry goes to this slot of its bucket. `store` takes the slot
    /// of the last probe of the same key.
    fn store_at(&mut self, key: u64, _slot: usize, entry: Entry) -> StoreOutcome {
        self.store(key, entry)
    }
    /// Prefetches the bucket of a key into the cache.
    fn prefetch(&self, key: u64);
    /// Advances the clock by `ticks`, modulo 1,024.
    fn advance(&mut self, ticks: u16);
    /// Empties the table and resets the clock to 0. The counters are kept.
    fn clear(&mut self);
    /// Counts since the table was created.
    fn counters(&self) -> TableCounters;
    /// How full the table is now. This must be fast because it is called after each iteration.
    fn occupancy(&self) -> Occupancy;
}

/// What diagnostics, wrappers of a table and several searchers ask of it. The defaults are those of
/// a table that has none of this.
pub trait Instrumented {
    /// Forgets what diagnostics have recorded about positions. Called after `clear`, to reset the
    /// table as if it were new.
    fn forget_records(&mut self) {}
    /// Whether the nodes saved by a table cutoff are added to the subtree sizes above it (the
    /// policy `big-all`).
    fn counts_stored_nodes(&self) -> bool {
        false
    }
    /// Tells observers of the table an independent key, `check`, of the position of the next probe
    /// or store.
    fn identify(&mut self, _check: u64) {}
    /// Makes a table without slots number its entries and report these numbers as slots. Called by
    /// a wrapper that observes this table.
    fn start_numbering_entries(&mut self) {}
    /// Marks the entry of a hit as used and counts it in `reused`, unless the policy already does.
    /// Called by a wrapper that observes this table.
    fn mark_used(&mut self, _hit: &Hit) {}
    /// The last entry that the search offered for a position and depth, if offers are recorded.
    fn last_offer(&mut self, _key: u64, _depth: u8) -> Option<Entry> {
        None
    }
    /// The counters of the shadow table, if there is one.
    fn shadow(&self) -> ShadowCounters {
        ShadowCounters::default()
    }
    /// Where the buckets are, if they are in one place.
    fn places(&self) -> Option<shared::Places> {
        None
    }
    /// Gives away the memory of a table that has not been used, and makes a table with a window of
    /// one bucket for each of `users` users. `None` if the table cannot be divided.
    fn divide(&mut self, _users: u32) -> Option<shared::Division> {
        None
    }
    /// The words of a table from `divide`, which are taken as those of this bucket, and as many
    /// more.
    fn window(&mut self, _bucket: u64) -> &mut [u64] {
        &mut []
    }
    /// Ends a turn of the searcher that uses this handle of a shared table: the others then see
    /// what it has counted. `path` contains the keys of the positions from the root to the
    /// searcher's current node.
    fn suspend(&mut self, _path: &[u64]) {}
    /// The counts of how the searchers of a shared table affected each other, since the table was
    /// created.
    fn thread_counters(&self) -> ThreadCounters {
        ThreadCounters::default()
    }
}

/// The methods that a wrapper passes on to its table.
macro_rules! pass_on {
    ($table:expr; $(fn $name:ident(& $($receiver:ident)+ $(, $argument:ident: $type:ty)*) $(-> $output:ty)?;)*) => {
        $(fn $name(& $($receiver)+ $(, $argument: $type)*) $(-> $output)? {
            $table.$name($($argument),*)
        })*
    };
}
use pass_on;
