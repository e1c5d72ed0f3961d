//! The state of a position besides its pieces, packed into one word so that a move updates it with
//! a few instructions.

use super::types::{Color, Square};

/// Castling rights as bits: White's king side, White's queen side, Black's king side, Black's queen
/// side.
pub mod rights {
    pub const WHITE_KING: u8 = 1;
    pub const WHITE_QUEEN: u8 = 2;
    pub const BLACK_KING: u8 = 4;
    pub const BLACK_QUEEN: u8 = 8;
}

/// Halfmove clock (bits 0-19), game ply (20-39), castling rights (40-43), e.p. square (44-49), the
/// e.p. square whose number is in the key (50-55), Black to move (63). a1 cannot be an e.p. square,
/// so 0 means that there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StateBits(u64);

const CLOCK: u64 = 0xf_ffff;
const ONE_PLY: u64 = 1 << PLY;
const PLY: u32 = 20;
const CASTLING: u32 = 40;
const EN_PASSANT: u32 = 44;
const KEYED: u32 = 50;
const BLACK: u64 = 1 << 63;

/// For each square, a mask of the bits that survive a move from or to the square. A move clears
/// both en passant squares, and the castling rights of the king or rook whose home square this is.
static KEPT: [u64; 64] = {
    let mut masks = [!(63 << EN_PASSANT | 63 << KEYED); 64];
    masks[0] ^= (rights::WHITE_QUEEN as u64) << CASTLING;
    masks[4] ^= ((rights::WHITE_KING | rights::WHITE_QUEEN) as u64) << CASTLING;
    masks[7] ^= (rights::WHITE_KING as u64) << CASTLING;
    masks[56] ^= (rights::BLACK_QUEEN as u64) << CASTLING;
    masks[60] ^= ((rights::BLACK_KING | rights::BLACK_QUEEN) as u64) << CASTLING;
    masks[63] ^= (rights::BLACK_KING as u64) << CASTLING;
    masks
};

impl StateBits {
    /// Packs the state. The fields of clock and ply have 20 bits, and their initial values are at
    /// most 65,535, so that no game is long enough to overflow the fields.
    pub(super) fn new(turn: Color, castling: u8, en_passant: Option<Square>, clock: u16, ply: u16) -> Self {
        let square = en_passant.map_or(0, |square| square.index() as u64);
        let black = if turn == Color::Black { BLACK } else { 0 };
        let castling = u64::from(castling & 15) << CASTLING;
        Self(u64::from(clock) | u64::from(ply) << PLY | castling | square << EN_PASSANT | black)
    }

    #[inline]
    pub(super) const fn turn(self) -> Color {
        if self.0 & BLACK == 0 { Color::White } else { Color::Black }
    }

    #[inline]
    pub(super) const fn clock(self) -> u16 {
        (self.0 & CLOCK) as u16
    }

    #[inline]
    pub(super) const fn ply(self) -> u16 {
        (self.0 >> PLY & CLOCK) as u16
    }

    #[inline]
    pub(super) const fn castling(self) -> u8 {
        (self.0 >> CASTLING & 15) as u8
    }

    #[inline]
    pub(super) const fn rights_changed(self, other: Self) -> usize {
        ((self.0 ^ other.0) >> CASTLING & 15) as usize
    }

    #[inline]
    pub(super) const fn en_passant(self) -> usize {
        (self.0 >> EN_PASSANT & 63) as usize
    }

    #[inline]
    pub(super) const fn keyed(self) -> usize {
        (self.0 >> KEYED & 63) as usize
    }

    /// `is_reversible` must be true if the move neither captures nor moves a pawn.
    #[inline]
    pub(super) const fn after(self, from: usize, to: usize, is_reversible: bool) -> Self {
        debug_assert!(from < 64 && to < 64, "square index above 63");
        debug_assert!(self.0 & CLOCK < CLOCK && self.0 >> PLY & CLOCK < CLOCK, "clock or ply overflows");
        let kept = self.0 & KEPT[from & 63] & KEPT[to & 63];
        // Adding 1 increases the clock, which has the lowest bits.
        let with_clock = if is_reversible { kept + 1 } else { kept & !CLOCK };
        Self((with_clock + ONE_PLY) ^ BLACK)
    }

    /// Removes the castling right that a capture on `to` takes from the state after a move.
    #[inline]
    pub(super) const fn after_capture(self, to: usize) -> Self {
        Self(self.0 & KEPT[to & 63])
    }

    /// A null move keeps the castling rights and increases the clock.
    pub(super) const fn after_null(self) -> Self {
        Self(((self.0 & !(63 << EN_PASSANT | 63 << KEYED)) + 1 + ONE_PLY) ^ BLACK)
    }

    pub(super) const fn with_clock(self, clock: u16) -> Self {
        Self(self.0 & !CLOCK | clock as u64)
    }

    pub(super) const fn with_ply(self, ply: u16) -> Self {
        Self(self.0 & !(CLOCK << PLY) | (ply as u64) << PLY)
    }

    /// The state must not have an e.p. square yet.
    #[inline]
    pub(super) const fn with_en_passant(self, square: usize) -> Self {
        debug_assert!(square < 64 && self.en_passant() == 0, "no square, or a second one");
        Self(self.0 | (square as u64) << EN_PASSANT)
    }

    #[inline]
    pub(super) const fn with_keyed(self, square: usize) -> Self {
        debug_assert!(square < 64, "square index above 63");
        Self(self.0 & !(63 << KEYED) | (square as u64) << KEYED)
    }
}
