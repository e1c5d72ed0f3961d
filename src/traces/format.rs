//! The formats of events: narrow ones of 16 bytes, and wide ones of 40 bytes with the further
//! fields that other engines can provide.

use super::{Event, MAGIC, ORDER};

/// The largest number of parts of a ply in which depths can be counted.
const MAX_DEPTH_PARTS: u16 = 1000;

/// The widest event in words of eight bytes.
const MAX_WORDS: usize = 5;

/// The format of a trace's events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format {
    /// Whether events have 40 bytes (version 2) instead of 16 (version 1).
    pub wide: bool,
    /// Depths are counted in this many parts of a ply, 1..=1000; 1 for narrow events.
    pub depth_parts: u16,
}

impl Format {
    /// Events of 16 bytes, depths in plies.
    pub const NARROW: Self = Self { wide: false, depth_parts: 1 };

    pub fn version(self) -> u16 {
        1 + u16::from(self.wide)
    }

    pub fn from_version(version: u16) -> Option<Self> {
        [false, true].map(|wide| Self { wide, ..Self::NARROW }).into_iter().find(|format| format.version() == version)
    }

    /// The number of words of an event, and of the header.
    const fn words(self) -> usize {
        if self.wide { MAX_WORDS } else { 2 }
    }

    /// The number of bytes of an event, and of the header.
    pub const fn event_bytes(self) -> usize {
        8 * self.words()
    }

    /// The header.
    pub fn head(self) -> Vec<u8> {
        let mut head = MAGIC.to_vec();
        head.extend(
            [self.version(), ORDER, if self.wide { self.depth_parts } else { 0 }].map(u16::to_le_bytes).concat(),
        );
        head.resize(self.event_bytes(), 0);
        head
    }

    /// This format with the fields that the rest of its header gives, after version and byte order;
    /// `None` if they are damaged.
    pub fn with_rest(self, rest: &[u8]) -> Option<Self> {
        // Only wide headers state the parts of a ply; in narrow traces, depths are whole plies.
        let (parts, zeros) = rest.split_at(if self.wide { 2 } else { 0 });
        let depth_parts = parts.try_into().map_or(1, u16::from_le_bytes);
        let is_valid = (1..=MAX_DEPTH_PARTS).contains(&depth_parts) && zeros.iter().all(|byte| *byte == 0);
        is_valid.then_some(Self { depth_parts, ..self })
    }

    /// The format that can hold the events of two traces; none if their units of depth differ.
    pub fn join(self, other: Self) -> Option<Self> {
        (self.depth_parts == other.depth_parts).then_some(Self { wide: self.wide || other.wide, ..self })
    }

    /// An event as words, and their number. Narrow events drop the fields that they have no room
    /// for, clip depths, and count costs modulo 2^32.
    #[inline]
    pub(super) fn encode(self, event: &Event) -> ([u64; MAX_WORDS], usize) {
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

    pub fn bytes(self, event: &Event) -> Vec<u8> {
        let (words, count) = self.encode(event);
        words[..count].iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// Decodes an event without validating it. `bytes`: [`Self::event_bytes`] of them.
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
