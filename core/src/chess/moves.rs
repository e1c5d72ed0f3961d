//! Moves: fifteen bits in a `u16`, and a list of them that needs no allocation.

use super::types::{Piece, Square};
use std::fmt;

/// A move: from (bits 0-5), to (6-11), promotion piece (12-14: 0 none, 1 knight .. 4 queen).
///
/// Castling is the king's move of two squares; en passant is the pawn's diagonal move to an empty
/// square.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Move(u16);

impl Move {
    /// No move. (a1a1, which no piece can play.)
    pub const NONE: Self = Self(0);

    /// A move without promotion.
    #[inline]
    pub const fn new(from: Square, to: Square) -> Self {
        Self(from.index() as u16 | (to.index() as u16) << 6)
    }

    /// A pawn's move to the last rank.
    #[inline]
    pub const fn promoting(from: Square, to: Square, piece: Piece) -> Self {
        debug_assert!(!matches!(piece, Piece::Pawn | Piece::King), "no pawn becomes that");
        Self(from.index() as u16 | (to.index() as u16) << 6 | (piece as u16) << 12)
    }

    /// The square it leaves.
    #[inline]
    pub const fn from(self) -> Square {
        Square::new((self.0 & 63) as u8)
    }

    /// The square it reaches.
    #[inline]
    pub const fn to(self) -> Square {
        Square::new((self.0 >> 6 & 63) as u8)
    }

    /// The piece to which a pawn promotes, if the move is a promotion.
    #[inline]
    pub const fn promotion(self) -> Option<Piece> {
        match self.0 >> 12 & 7 {
            1 => Some(Piece::Knight),
            2 => Some(Piece::Bishop),
            3 => Some(Piece::Rook),
            4 => Some(Piece::Queen),
            _ => None,
        }
    }

    /// Whether this is [`Move::NONE`].
    #[inline]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// The fifteen bits, for packing into a table's entry.
    #[inline]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// The move with these bits, as returned by [`Move::bits`].
    #[inline]
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits & 0x7fff)
    }

    /// The sixteen bits of another engine's own move. Only tables whose layout has room for them
    /// keep them (`TableOptions::keep_opaque_moves`), and no board can play them.
    #[inline]
    pub const fn opaque(bits: u16) -> Self {
        Self(bits)
    }
}

impl fmt::Display for Move {
    /// Writes the move in UCI notation, such as `e2e4` or `e7e8q`. The null move is `0000`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() {
            return f.write_str("0000");
        }
        write!(f, "{}{}", self.from(), self.to())?;
        self.promotion().map_or(Ok(()), |piece| write!(f, "{}", piece.letter()))
    }
}

/// A list of up to 256 moves on the stack. No legal position is known to have more than 218.
#[derive(Clone)]
pub struct MoveList {
    moves: [Move; 256],
    len: usize,
}

impl MoveList {
    /// An empty list.
    #[inline]
    pub const fn new() -> Self {
        Self { moves: [Move::NONE; 256], len: 0 }
    }

    /// Appends a move. A 257th move would overwrite the first move, but no chess position has so
    /// many moves.
    #[inline]
    pub fn push(&mut self, mv: Move) {
        debug_assert!(self.len < self.moves.len(), "more moves than any position has");
        self.moves[self.len & 255] = mv;
        self.len += 1;
    }

    /// Removes all moves.
    #[inline]
    pub fn clear(&mut self) {
        self.len = 0;
    }
}

impl Default for MoveList {
    fn default() -> Self {
        Self::new()
    }
}

impl std::ops::Deref for MoveList {
    type Target = [Move];
    #[inline]
    fn deref(&self) -> &[Move] {
        &self.moves[..self.len.min(256)]
    }
}

impl std::ops::DerefMut for MoveList {
    #[inline]
    fn deref_mut(&mut self) -> &mut [Move] {
        &mut self.moves[..self.len.min(256)]
    }
}
