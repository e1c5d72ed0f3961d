//! One event of a trace, and which events are possible.

use super::UNIT;
use crate::chess::Bound;

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    /// The table was asked.
    Probe,
    /// A store was offered.
    Store,
    /// A search, or an iteration of one, is about to begin.
    Search,
    /// The table was emptied.
    Clear,
}

/// The bits of [`Event::flags`] above the two of the kind; what a bit says depends on the kind.
pub mod flags {
    /// Store: the bits of the bound (1 upper, 2 lower, 3 exact).
    pub const BOUND: u8 = 3 << 2;
    /// Probe, store: the node's window was open (beta - alpha > 1).
    pub const PV: u8 = 1 << 4;
    /// Store: the entry has a move.
    pub const MOVE: u8 = 1 << 5;
    /// Store: `nodes` are those of the entry's own subtree, not all so far.
    pub const SUBTREE: u8 = 1 << 6;
    /// Probe: `value` is the node's beta.
    pub const WINDOW: u8 = 1 << 5;
    /// Probe: the engine's own table answered.
    pub const HIT: u8 = 1 << 6;
    /// Probe: the answer ended the node.
    pub const CUT: u8 = 1 << 7;
    /// Search: the first of a game, or of a position that has nothing to do with the one before.
    pub const GAME: u8 = 1 << 4;
    /// Search: only another iteration of the search that runs.
    pub const ITERATION: u8 = 1 << 5;
}

/// One event, as a file has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Event {
    /// The position's key.
    pub key: u64,
    /// Store: the score, as the table keeps it. Probe: the node's beta, where [`flags::WINDOW`] says so.
    pub value: i16,
    /// Store: the draft. Probe: the remaining depth of the node. Search: plies played in the game since the search before.
    pub depth: i8,
    /// The kind, and what [`flags`] says.
    pub flags: u8,
    /// Nodes that the search has entered so far, modulo 2^32. It may begin anew with each search.
    pub nodes: u32,
}

/// What makes an event impossible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// A bound where there is none.
    #[error("a probe with a bound")]
    ProbeWithBound,
    /// An answer that ended a node though there was none.
    #[error("a probe that ended its node and was not answered")]
    CutWithoutHit,
    /// A store of nothing.
    #[error("a store without a bound")]
    StoreWithoutBound,
    /// Bits that say nothing for this kind.
    #[error("{0} with flags that mean nothing there")]
    Flags(&'static str),
    /// Fields that say nothing for this kind.
    #[error("{0} with fields that mean nothing there")]
    Fields(&'static str),
}

impl Event {
    /// What happened.
    #[inline]
    #[must_use]
    pub fn kind(&self) -> EventKind {
        match self.flags & 3 {
            0 => EventKind::Probe,
            1 => EventKind::Store,
            2 => EventKind::Search,
            _ => EventKind::Clear,
        }
    }

    /// Whether a game begins with it, or a position that has nothing to do with the one before.
    #[inline]
    #[must_use]
    pub fn begins_game(&self) -> bool {
        match self.kind() {
            EventKind::Clear => true,
            EventKind::Search => self.has(flags::GAME),
            EventKind::Probe | EventKind::Store => false,
        }
    }

    /// Whether it has all the bits of [`flags`].
    #[inline]
    #[must_use]
    pub fn has(&self, bits: u8) -> bool {
        self.flags & bits == bits
    }

    /// A store's bound.
    #[inline]
    #[must_use]
    pub fn bound(&self) -> Bound {
        Bound::from_bits(self.flags >> 2)
    }

    /// A probe of a node of some depth; `bits` of [`flags`].
    #[must_use]
    pub fn probe(key: u64, depth: i8, value: i16, bits: u8, nodes: u32) -> Self {
        Self { key, value, depth, flags: bits & !3, nodes }
    }

    /// An offer; `bits` of [`flags`], the bound among them.
    #[must_use]
    pub fn store(key: u64, depth: i8, value: i16, bits: u8, nodes: u32) -> Self {
        Self { key, value, depth, flags: bits & !3 | 1, nodes }
    }

    /// A search begins; `plies` were played since the one before.
    #[must_use]
    pub fn search(plies: i8, bits: u8, nodes: u32) -> Self {
        Self { key: 0, value: 0, depth: plies, flags: bits & !3 | 2, nodes }
    }

    /// The table is emptied.
    #[must_use]
    pub fn clear(nodes: u32) -> Self {
        Self { flags: 3, nodes, ..Self::default() }
    }

    /// The bits of a bound, for the flags of a store.
    #[must_use]
    pub fn bits_of(bound: Bound) -> u8 {
        (bound as u8) << 2
    }

    /// Whether it can have happened.
    ///
    /// # Errors
    /// Why not.
    #[inline]
    pub fn check(&self) -> Result<(), Flaw> {
        match self.kind() {
            EventKind::Probe if self.flags & flags::BOUND != 0 => Err(Flaw::ProbeWithBound),
            EventKind::Probe if self.has(flags::CUT) && !self.has(flags::HIT) => Err(Flaw::CutWithoutHit),
            EventKind::Store if self.flags & flags::BOUND == 0 => Err(Flaw::StoreWithoutBound),
            EventKind::Store if self.has(1 << 7) => Err(Flaw::Flags("a store")),
            EventKind::Search if self.flags & !(flags::GAME | flags::ITERATION) != 2 => Err(Flaw::Flags("a search")),
            EventKind::Search if self.value != 0 || self.depth < 0 => Err(Flaw::Fields("a search")),
            EventKind::Clear if self.flags != 3 => Err(Flaw::Flags("a clear")),
            EventKind::Clear if self.key != 0 || self.value != 0 || self.depth != 0 => Err(Flaw::Fields("a clear")),
            _ => Ok(()),
        }
    }

    /// Its bytes.
    #[inline]
    #[must_use]
    pub fn bytes(&self) -> [u8; UNIT] {
        let [key, rest] = self.words();
        (u128::from(key) | u128::from(rest) << 64).to_le_bytes()
    }

    /// Its two halves.
    #[inline]
    pub(super) fn words(&self) -> [u64; 2] {
        let low = u64::from(self.value as u16) | u64::from(self.depth as u8) << 16 | u64::from(self.flags) << 24;
        [self.key, low | u64::from(self.nodes) << 32]
    }

    /// The event of some bytes, possible or not.
    #[inline]
    #[must_use]
    pub fn of(bytes: [u8; UNIT]) -> Self {
        let all = u128::from_le_bytes(bytes);
        let word = (all >> 64) as u64;
        Self {
            key: all as u64,
            value: word as u16 as i16,
            depth: (word >> 16) as u8 as i8,
            flags: (word >> 24) as u8,
            nodes: (word >> 32) as u32,
        }
    }
}
