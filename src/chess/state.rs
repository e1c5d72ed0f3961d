//! What a position has beside its pieces, in one word: a move changes all of it with a few
//! instructions.

use super::types::{Color, Square};

/// Castling rights as bits: White's king side, White's queen side, Black's king side, Black's queen
/// side.
pub mod rights {
    /// White may castle on the king's side.
    pub const WHITE_KING: u8 = 1;
    /// White may castle on the queen's side.
    pub const WHITE_QUEEN: u8 = 2;
    /// Black may castle on the king's side.
    pub const BLACK_KING: u8 = 4;
    /// Black may castle on the queen's side.
    pub const BLACK_QUEEN: u8 = 8;
}

/// Halfmove clock (bits 0-19), game ply (20-39), castling rights (40-43), e.p. square (44-49), the
/// e.p. square whose number is in the key (50-55), Black to move (63). a1 is no e.p. square, so
/// that 0 says there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StateBits(u64);

const CLOCK: u64 = 0xf_ffff;
const ONE_PLY: u64 = 1 << PLY;
const PLY: u32 = 20;
const CASTLING: u32 = 40;
const EN_PASSANT: u32 = 44;
const KEYED: u32 = 50;
const BLACK: u64 = 1 << 63;

/// By square: what survives a move from or to it: all but some castling rights and what is said of
/// en passant.
static KEPT: [u64; 64] = {
    let mut kept = [!(63 << EN_PASSANT | 63 << KEYED); 64];
    kept[0] ^= (rights::WHITE_QUEEN as u64) << CASTLING;
    kept[4] ^= ((rights::WHITE_KING | rights::WHITE_QUEEN) as u64) << CASTLING;
    kept[7] ^= (rights::WHITE_KING as u64) << CASTLING;
    kept[56] ^= (rights::BLACK_QUEEN as u64) << CASTLING;
    kept[60] ^= ((rights::BLACK_KING | rights::BLACK_QUEEN) as u64) << CASTLING;
    kept[63] ^= (rights::BLACK_KING as u64) << CASTLING;
    kept
};

impl StateBits {
    /// Clock and ply are at most 65,535, so that no game is long enough to overflow them.
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

    /// The castling rights that only one of two states has.
    #[inline]
    pub(super) const fn rights_changed(self, other: Self) -> usize {
        ((self.0 ^ other.0) >> CASTLING & 15) as usize
    }

    /// The e.p. square's index, or 0 (a1: ask whether a move promotes before comparing its target).
    #[inline]
    pub(super) const fn en_passant(self) -> usize {
        (self.0 >> EN_PASSANT & 63) as usize
    }

    /// The index of the square whose e.p. number is in the key, or 0.
    #[inline]
    pub(super) const fn keyed(self) -> usize {
        (self.0 >> KEYED & 63) as usize
    }

    /// The state after a move; `lasting` if it neither captures nor moves a pawn.
    #[inline]
    pub(super) const fn after(self, from: usize, to: usize, lasting: bool) -> Self {
        debug_assert!(from < 64 && to < 64, "no square");
        debug_assert!(self.0 & CLOCK < CLOCK && self.0 >> PLY & CLOCK < CLOCK, "clock or ply overflows");
        let kept = self.0 & KEPT[from & 63] & KEPT[to & 63];
        let clocked = if lasting { kept + 1 } else { kept & !CLOCK };
        Self((clocked + ONE_PLY) ^ BLACK)
    }

    /// A state after a move, with what is captured on its target gone.
    #[inline]
    pub(super) const fn after_capture(self, to: usize) -> Self {
        Self(self.0 & KEPT[to & 63])
    }

    /// The state after a pass, which is no pawn's move and takes no right.
    pub(super) const fn after_null(self) -> Self {
        Self(((self.0 & !(63 << EN_PASSANT | 63 << KEYED)) + 1 + ONE_PLY) ^ BLACK)
    }

    /// With another halfmove clock.
    pub(super) const fn with_clock(self, clock: u16) -> Self {
        Self(self.0 & !CLOCK | clock as u64)
    }

    /// With another game ply.
    pub(super) const fn with_ply(self, ply: u16) -> Self {
        Self(self.0 & !(CLOCK << PLY) | (ply as u64) << PLY)
    }

    /// With an e.p. square, where there was none.
    #[inline]
    pub(super) const fn with_en_passant(self, square: usize) -> Self {
        debug_assert!(square < 64 && self.en_passant() == 0, "no square, or a second one");
        Self(self.0 | (square as u64) << EN_PASSANT)
    }

    /// With the e.p. square that is in the key (0: none is).
    #[inline]
    pub(super) const fn with_keyed(self, square: usize) -> Self {
        debug_assert!(square < 64, "no square");
        Self(self.0 & !(63 << KEYED) | (square as u64) << KEYED)
    }
}
