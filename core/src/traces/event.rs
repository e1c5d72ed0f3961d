//! One event of a trace, and its validation.

use crate::chess::Bound;

/// The kind of event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    /// The table was probed.
    Probe,
    /// A store was offered.
    Store,
    /// A search, or an iteration of one, begins.
    Search,
    /// The table was cleared.
    Clear,
}

/// The bits of [`Event::flags`] above the two of the kind; their meaning depends on the kind.
pub mod flags {
    /// Store: the bits of the bound (0 a static evaluation alone, 1 upper, 2 lower, 3 exact).
    pub const BOUND: u8 = 3 << 2;
    /// Probe, store: the node's window was open (beta - alpha > 1).
    pub const PV: u8 = 1 << 4;
    /// Store: the entry has a move.
    pub const MOVE: u8 = 1 << 5;
    /// Store: `cost` is the cost of the entry's own subtree instead of the total so far.
    pub const SUBTREE: u8 = 1 << 6;
    /// Probe: `value` is the node's beta.
    pub const WINDOW: u8 = 1 << 5;
    /// Probe: the engine's own table answered.
    pub const HIT: u8 = 1 << 6;
    /// Probe: the answer cut off the node.
    pub const CUT: u8 = 1 << 7;
    /// Search: the first search of a game or of an unrelated position.
    pub const GAME: u8 = 1 << 4;
    /// Search: another iteration of the running search.
    pub const ITERATION: u8 = 1 << 5;
}

/// One event, as in the file. Narrow traces do not store `high`, `mv`, `thread` and `clock`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Event {
    /// The full key of the position, or the low half of a key of 128 bits; tables use this part.
    pub key: u64,
    /// The high half of a key of 128 bits.
    pub high: u64,
    /// The total cost so far of what this thread has searched, in nodes or any other measure. The
    /// total may restart from 0 with each search.
    pub cost: u64,
    /// A clock that several programs share, or 0.
    pub clock: u64,
    /// Store: the score as stored. Probe: the node's beta, if [`flags::WINDOW`] is set.
    pub value: i16,
    /// Store: the draft. Probe: the remaining depth of the node. Both are counted in the parts of a
    /// ply that the header states. Search: the number of plies played since the previous search.
    pub depth: i16,
    /// Store: the best move, if the trace has moves; 0: unknown.
    pub mv: u16,
    /// The thread that probed or stored.
    pub thread: u8,
    /// The kind in the two low bits, and [`flags`].
    pub flags: u8,
}

/// Why an event is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// A probe has no bound.
    #[error("a probe with a bound")]
    ProbeWithBound,
    /// A probe caused a cutoff without a hit.
    #[error("a probe with a cutoff but no hit")]
    CutWithoutHit,
    /// Flags are set that are undefined for this kind of event.
    #[error("{0} with undefined flags")]
    Flags(&'static str),
    /// Fields that must be 0 for this kind of event are not 0.
    #[error("{0} with fields that must be 0")]
    Fields(&'static str),
    /// There is a move, but the flags say that there is none.
    #[error("the move {0} without the flag that there is a move: expected 0")]
    Move(u16),
}

impl Event {
    /// The kind of event.
    #[inline]
    pub fn kind(&self) -> EventKind {
        match self.flags & 3 {
            0 => EventKind::Probe,
            1 => EventKind::Store,
            2 => EventKind::Search,
            _ => EventKind::Clear,
        }
    }

    /// Whether the event begins a game or an unrelated position.
    #[inline]
    pub fn begins_game(&self) -> bool {
        match self.kind() {
            EventKind::Clear => true,
            EventKind::Search => self.has(flags::GAME) && self.is_main(),
            EventKind::Probe | EventKind::Store => false,
        }
    }

    /// Whether the event belongs to the first thread. Only searches of the first thread advance the
    /// clock by which the age of entries is counted.
    #[inline]
    fn is_main(&self) -> bool {
        self.thread == 0
    }

    /// Whether `cost` is the total so far rather than the cost of an entry's own subtree.
    #[inline]
    pub fn has_total(&self) -> bool {
        self.kind() != EventKind::Store || !self.has(flags::SUBTREE)
    }

    /// The number is the key of the position. If the key has 128 bits, its two halves are mixed
    /// into one number.
    #[inline]
    pub fn position(&self) -> u64 {
        match self.high {
            0 => self.key,
            high => self.key ^ hash(high).rotate_left(8),
        }
    }

    /// The best move of a store in fifteen bits, or 0 if the store has no move. If the store has a
    /// move but the trace does not say which, the result is 1.
    #[inline]
    pub fn best_move(&self) -> u16 {
        if self.has(flags::MOVE) { (self.mv & 0x7fff).max(1) } else { 0 }
    }

    /// Whether all of the bits are set.
    #[inline]
    pub fn has(&self, bits: u8) -> bool {
        self.flags & bits == bits
    }

    /// The bound of a store.
    #[inline]
    pub fn bound(&self) -> Bound {
        Bound::from_bits(self.flags >> 2)
    }

    /// Creates a probe at a node of depth `depth`. `bits` are the [`flags`] of the probe.
    pub fn probe(key: u64, depth: i16, value: i16, bits: u8, cost: u64) -> Self {
        Self { key, value, depth, flags: bits & !3, cost, ..Self::default() }
    }

    /// Creates a store. `bits` are the [`flags`] of the store, including its bound.
    pub fn store(key: u64, depth: i16, value: i16, bits: u8, cost: u64) -> Self {
        Self { key, value, depth, flags: bits & !3 | 1, cost, ..Self::default() }
    }

    /// Creates the beginning of a search. `plies` is the number of plies played since the previous
    /// search, and `bits` are the [`flags`].
    pub fn search(plies: i16, bits: u8, cost: u64) -> Self {
        Self { depth: plies, flags: bits & !3 | 2, cost, ..Self::default() }
    }

    /// Creates a clear of the table.
    pub fn clear(cost: u64) -> Self {
        Self { flags: 3, cost, ..Self::default() }
    }

    /// The flag bits of a store with this bound.
    pub fn bound_bits(bound: Bound) -> u8 {
        (bound as u8) << 2
    }

    /// Validates the event.
    ///
    /// # Errors
    /// Returns what is invalid.
    #[inline]
    pub fn check(&self) -> Result<(), Flaw> {
        // The kind is in the two low bits: 2 for a search, 3 for a clear. Stores do not use bit 7.
        match self.kind() {
            EventKind::Probe if self.flags & flags::BOUND != 0 => Err(Flaw::ProbeWithBound),
            EventKind::Probe if self.has(flags::CUT) && !self.has(flags::HIT) => Err(Flaw::CutWithoutHit),
            EventKind::Store if self.has(1 << 7) => Err(Flaw::Flags("a store")),
            EventKind::Search if self.flags & !(flags::GAME | flags::ITERATION) != 2 => Err(Flaw::Flags("a search")),
            EventKind::Search if self.value != 0 || self.depth < 0 => Err(Flaw::Fields("a search")),
            EventKind::Clear if self.flags != 3 => Err(Flaw::Flags("a clear")),
            EventKind::Clear if self.key | self.high != 0 || self.value != 0 || self.depth != 0 => {
                Err(Flaw::Fields("a clear"))
            }
            kind if self.mv != 0 && (kind != EventKind::Store || !self.has(flags::MOVE)) => Err(Flaw::Move(self.mv)),
            _ => Ok(()),
        }
    }
}

pub(super) fn hash(key: u64) -> u64 {
    let key = (key ^ key >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    (key ^ key >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93) >> 8
}
