//! The checksum of a trace, which detects damage to its events.

/// A checksum over all bits of the events and their order. It detects damage, not tampering.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Check(u64);

impl Check {
    /// Adds a word of an event to the checksum. Different words always give different checksums, so
    /// a single changed word always changes the sum.
    #[inline]
    pub fn add_word(&mut self, word: u64) {
        let mixed = (self.0 ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 32;
    }

    /// The checksum also covers the total cost and the thread of the end event. It is never 0.
    pub fn wide_end_checksum(mut self, cost: u64, thread: u8) -> u64 {
        self.add_word(cost);
        self.add_word(thread.into());
        self.0.max(1)
    }

    /// Together they contain 24 bits of the checksum, which also covers the total cost. The two
    /// fields are never both 0.
    pub fn narrow_end_fields(mut self, cost: u32) -> (i16, i16) {
        self.add_word(cost.into());
        let bits = (self.0 >> 40).max(1);
        (bits as u16 as i16, i16::from((bits >> 16) as u8 as i8))
    }
}
