//! The two formats of events. A narrow event has 16 bytes. A wide event has 40 bytes, with further
//! fields that other engines can provide.

use super::{Event, MAGIC, ORDER};

/// The maximum number of parts into which a ply can be divided to count depths.
const MAX_DEPTH_PARTS: u16 = 1000;

/// The number of words of eight bytes in a wide event.
const MAX_WORDS: usize = 5;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format {
    /// Whether events have 40 bytes (version 2) instead of 16 (version 1).
    pub wide: bool,
    /// The number of parts of a ply in which depths are counted, 1..=1000. Always 1 for narrow
    /// events.
    pub depth_parts: u16,
}

impl Format {
    /// Events of 16 bytes, with depths in whole plies.
    pub const NARROW: Self = Self { wide: false, depth_parts: 1 };

    pub fn version(self) -> u16 {
        1 + u16::from(self.wide)
    }

    pub fn from_version(version: u16) -> Option<Self> {
        [false, true].map(|wide| Self { wide, ..Self::NARROW }).into_iter().find(|format| format.version() == version)
    }

    /// The number of words of an event. The header is as long as an event.
    const fn words(self) -> usize {
        if self.wide { MAX_WORDS } else { 2 }
    }

    /// The number of bytes of an event. The header is as long as an event.
    pub const fn event_bytes(self) -> usize {
        8 * self.words()
    }

    /// The bytes of the header.
    pub fn header(self) -> Vec<u8> {
        let mut header = MAGIC.to_vec();
        header.extend(
            [self.version(), ORDER, if self.wide { self.depth_parts } else { 0 }].map(u16::to_le_bytes).concat(),
        );
        header.resize(self.event_bytes(), 0);
        header
    }

    /// Reads the fields of the header that follow the version and the byte order, and returns this
    /// format with the values of these fields. Returns `None` if `rest` is damaged.
    pub fn with_rest(self, rest: &[u8]) -> Option<Self> {
        // A wide header contains the number of parts of a ply in which depths are counted. In
        // narrow traces, depths are whole plies.
        let (parts, zeros) = rest.split_at(if self.wide { 2 } else { 0 });
        let depth_parts = parts.try_into().map_or(1, u16::from_le_bytes);
        let is_valid = (1..=MAX_DEPTH_PARTS).contains(&depth_parts) && zeros.iter().all(|byte| *byte == 0);
        is_valid.then_some(Self { depth_parts, ..self })
    }

    pub fn join(self, other: Self) -> Option<Self> {
        (self.depth_parts == other.depth_parts).then_some(Self { wide: self.wide || other.wide, ..self })
    }

    /// Encodes an event. Returns an array of words and the number of words that are used. A narrow
    /// event has no room for some fields, so these are dropped. Its depth is clipped to eight bits,
    /// and its cost is stored modulo 2^32.
    #[inline]
    pub fn encode(self, event: &Event) -> ([u64; MAX_WORDS], usize) {
        let value = u64::from(event.value as u16);
        let words = if self.wide {
            let low = value | u64::from(event.depth as u16) << 16 | u64::from(event.mv) << 32;
            let last = low | u64::from(event.thread) << 48 | u64::from(event.flags) << 56;
            [event.key, event.high, event.cost, event.clock, last]
        } else {
            let depth = event.depth.clamp(i8::MIN.into(), i8::MAX.into()) as u8;
            let low = value | u64::from(depth) << 16 | u64::from(event.flags) << 24;
            [event.key, low | u64::from(event.cost as u32) << 32, 0, 0, 0]
        };
        (words, self.words())
    }

    /// Decodes an event without validating it. `bytes` are the [`Self::event_bytes`] bytes of the
    /// event.
    #[inline]
    pub fn decode(self, bytes: &[u8]) -> Event {
        let word = |index: usize| {
            bytes.get(8 * index..).and_then(<[u8]>::first_chunk).map_or(0, |word| u64::from_le_bytes(*word))
        };
        let key = word(0);
        if self.wide {
            let last = word(4);
            return Event {
                key,
                high: word(1),
                cost: word(2),
                clock: word(3),
                value: last as i16,
                depth: (last >> 16) as i16,
                mv: (last >> 32) as u16,
                thread: (last >> 48) as u8,
                flags: (last >> 56) as u8,
            };
        }
        let low = word(1);
        let (depth, flags) = (i16::from((low >> 16) as i8), (low >> 24) as u8);
        Event { key, value: low as i16, depth, flags, cost: low >> 32, ..Event::default() }
    }
}
