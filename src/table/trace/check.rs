//! The check of a trace: what damage to its events changes.

use super::Event;

/// A number that hangs on every bit of the events so far and on their order. It finds damage, no intent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Check(u64);

impl Check {
    /// Takes an event in. No two halves in one place lead to the same number.
    #[inline]
    pub fn add(&mut self, event: &Event) {
        event.words().into_iter().for_each(|word| self.word(word));
    }

    #[inline]
    fn word(&mut self, word: u64) {
        let mixed = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 32;
    }

    /// Value and depth of the trace's end, which says so many nodes: 24 bits, never all 0.
    #[must_use]
    pub fn at_end(mut self, nodes: u32) -> (i16, i8) {
        self.word(nodes.into());
        let bits = (self.0 >> 40).max(1);
        (bits as u16 as i16, (bits >> 16) as u8 as i8)
    }
}
