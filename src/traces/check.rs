//! The checksum of a trace, which detects damage to its events.

use super::Event;

/// A checksum over all bits of the events and their order. It detects damage, not tampering.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Check(u64);

impl Check {
    /// Adds an event. Each step is a bijection of the word, so that a single changed word always
    /// changes the sum.
    #[inline]
    pub fn add_event(&mut self, event: &Event) {
        event.words().into_iter().for_each(|word| self.add_word(word));
    }

    #[inline]
    fn add_word(&mut self, word: u64) {
        let mixed = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 32;
    }

    /// The `value` and `depth` fields of the end event for a node total: 24 bits, never all 0.
    pub fn end_fields(mut self, nodes: u32) -> (i16, i8) {
        self.add_word(nodes.into());
        let bits = (self.0 >> 40).max(1);
        (bits as u16 as i16, (bits >> 16) as u8 as i8)
    }
}
