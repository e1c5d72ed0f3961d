//! One event of a trace, and its validation.

use super::EVENT_BYTES;
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
    /// Store: `nodes` counts the entry's own subtree, not all nodes so far.
    pub const SUBTREE: u8 = 1 << 6;
    /// Probe: `value` is the node's beta.
    pub const WINDOW: u8 = 1 << 5;
    /// Probe: the engine's own table answered.
    pub const HIT: u8 = 1 << 6;
    /// Probe: the answer cut off the node.
    pub const CUT: u8 = 1 << 7;
    /// Search: the first of a game, or of an unrelated position.
    pub const GAME: u8 = 1 << 4;
    /// Search: another iteration of the running search.
    pub const ITERATION: u8 = 1 << 5;
}

/// One event, as in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Event {
    /// The full key of the position.
    pub key: u64,
    /// Store: the score as stored. Probe: the node's beta, if [`flags::WINDOW`] is set.
    pub value: i16,
    /// Store: the draft. Probe: the remaining depth of the node. Search: plies played since the
    /// previous search.
    pub depth: i8,
    /// The kind in the two low bits, and [`flags`].
    pub flags: u8,
    /// Nodes searched so far, modulo 2^32. The count may restart with each search.
    pub nodes: u32,
}

/// Why an event is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// A probe has no bound.
    #[error("a probe with a bound")]
    ProbeWithBound,
    /// A cutoff requires a hit.
    #[error("a probe with a cutoff but no hit")]
    CutWithoutHit,
    /// Flags that are undefined for this kind.
    #[error("{0} with undefined flags")]
    Flags(&'static str),
    /// Fields that must be 0 for this kind.
    #[error("{0} with fields that must be 0")]
    Fields(&'static str),
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

    /// Whether it begins a game or an unrelated position.
    #[inline]
    pub fn begins_game(&self) -> bool {
        match self.kind() {
            EventKind::Clear => true,
            EventKind::Search => self.has(flags::GAME),
            EventKind::Probe | EventKind::Store => false,
        }
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

    /// A probe at a node of depth `depth`; `bits` of [`flags`].
    pub fn probe(key: u64, depth: i8, value: i16, bits: u8, nodes: u32) -> Self {
        Self { key, value, depth, flags: bits & !3, nodes }
    }

    /// A store; `bits` of [`flags`], the bound among them.
    pub fn store(key: u64, depth: i8, value: i16, bits: u8, nodes: u32) -> Self {
        Self { key, value, depth, flags: bits & !3 | 1, nodes }
    }

    /// A search begins; `plies` were played since the previous one.
    pub fn search(plies: i8, bits: u8, nodes: u32) -> Self {
        Self { key: 0, value: 0, depth: plies, flags: bits & !3 | 2, nodes }
    }

    /// The table is cleared.
    pub fn clear(nodes: u32) -> Self {
        Self { flags: 3, nodes, ..Self::default() }
    }

    /// The flag bits of a bound, for a store.
    pub fn bound_bits(bound: Bound) -> u8 {
        (bound as u8) << 2
    }

    /// Validates the event.
    ///
    /// # Errors
    /// What is invalid.
    #[inline]
    pub fn check(&self) -> Result<(), Flaw> {
        match self.kind() {
            EventKind::Probe if self.flags & flags::BOUND != 0 => Err(Flaw::ProbeWithBound),
            EventKind::Probe if self.has(flags::CUT) && !self.has(flags::HIT) => Err(Flaw::CutWithoutHit),
            EventKind::Store if self.has(1 << 7) => Err(Flaw::Flags("a store")),
            EventKind::Search if self.flags & !(flags::GAME | flags::ITERATION) != 2 => Err(Flaw::Flags("a search")),
            EventKind::Search if self.value != 0 || self.depth < 0 => Err(Flaw::Fields("a search")),
            EventKind::Clear if self.flags != 3 => Err(Flaw::Flags("a clear")),
            EventKind::Clear if self.key != 0 || self.value != 0 || self.depth != 0 => Err(Flaw::Fields("a clear")),
            _ => Ok(()),
        }
    }

    /// The event as the bytes of the file.
    #[inline]
    pub fn bytes(&self) -> [u8; EVENT_BYTES] {
        let [key, rest] = self.words();
        (u128::from(key) | u128::from(rest) << 64).to_le_bytes()
    }

    /// The encoded event as two words.
    #[inline]
    pub(super) fn words(&self) -> [u64; 2] {
        let low = u64::from(self.value as u16) | u64::from(self.depth as u8) << 16 | u64::from(self.flags) << 24;
        [self.key, low | u64::from(self.nodes) << 32]
    }

    /// Decodes an event without validating it.
    #[inline]
    pub fn from_bytes(bytes: [u8; EVENT_BYTES]) -> Self {
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
