//! The contribution of each piece on each square to a position's key and to its piece-square sum.

use super::codes::CODES;
use super::keys::{EpRule, Keys};
use super::types::{Color, Piece};

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Increment {
    pub(super) key: u64,
    pub(super) value: i32,
}

impl Increment {
    #[inline]
    pub(super) const fn with(self, other: Self) -> Self {
        Self { key: self.key ^ other.key, value: self.value + other.value }
    }

    #[inline]
    pub(super) const fn without(self, other: Self) -> Self {
        Self { key: self.key ^ other.key, value: self.value - other.value }
    }
}

/// The keys of a scheme and the values of an evaluation, stored side by side because a move reads
/// both at once.
#[derive(Debug, Clone)]
pub struct Increments {
    /// The contributions, indexed by mailbox code (see `codes.rs`) and square. The row of the empty
    /// code is all zeros, so that a move needs no branch for captures.
    table: [[Increment; 64]; 16],
    keys: Keys,
}

impl Increments {
    /// Combines keys and values. `values` are in centipawns and are indexed by `color * 6 + piece`
    /// and square. A positive value is good for White, so the values of Black's pieces are usually
    /// negative.
    pub fn new(keys: Keys, values: &[[i32; 64]; 12]) -> Self {
        let mut table = [[Increment::default(); 64]; 16];
        for color in Color::ALL {
            for piece in Piece::ALL {
                let row = color as usize * 6 + piece as usize;
                let code = color as usize * 8 + CODES[piece as usize];
                for square in 0..64 {
                    table[code][square] = Increment { key: keys.piece[row][square], value: values[row][square] };
                }
            }
        }
        Self { table, keys }
    }

    /// Returns increments that are all 0, for playing moves when neither key nor sum matters.
    pub fn none() -> &'static Self {
        static NONE: Increments =
            Increments { table: [[Increment { key: 0, value: 0 }; 64]; 16], keys: Keys::empty(EpRule::Never) };
        &NONE
    }

    /// Every piece-square value is 0.
    pub fn of_keys(keys: Keys) -> Self {
        Self::new(keys, &[[0; 64]; 12])
    }

    /// The keys of the increments.
    #[inline]
    pub const fn keys(&self) -> &Keys {
        &self.keys
    }

    /// The contribution of a mailbox code on a square; 0 for the empty code.
    #[inline]
    pub(super) fn at(&self, code: usize, square: usize) -> Increment {
        self.table[code & 15][square & 63]
    }
}
