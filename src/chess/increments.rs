//! What each piece on each square adds to a position's key and to its piece-square sum.

use super::codes::CODES;
use super::keys::{EpRule, Keys};
use super::types::{Color, Piece, Square};

/// One piece on one square.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Increment {
    pub(super) key: u64,
    pub(super) value: i32,
}

impl Increment {
    /// With another piece on the board.
    #[inline]
    pub(super) const fn with(self, other: Self) -> Self {
        Self { key: self.key ^ other.key, value: self.value + other.value }
    }

    /// With one piece fewer.
    #[inline]
    pub(super) const fn without(self, other: Self) -> Self {
        Self { key: self.key ^ other.key, value: self.value - other.value }
    }
}

/// The keys of a scheme and the values of an evaluation, laid side by side: a move reads both at
/// once.
#[derive(Debug, Clone)]
pub struct Increments {
    /// By mailbox code (see `board.rs`); the row of the empty square is all zeros, so that captures
    /// need no branch.
    table: [[Increment; 64]; 16],
    keys: Keys,
}

impl Increments {
    /// Joins keys and values. `values` is indexed by `color * 6 + piece` and square, in centipawns,
    /// positive where it is good for White: the rows of Black's pieces are usually negative.
    pub fn new(keys: Keys, values: &[[i32; 64]; 12]) -> Self {
        let mut table = [[Increment::default(); 64]; 16];
        for color in Color::ALL {
            for piece in Piece::ALL {
                let row = color as usize * 6 + piece as usize;
                for square in 0..64 {
                    table[color as usize * 8 + CODES[piece as usize]][square] =
                        Increment { key: keys.piece[row][square], value: values[row][square] };
                }
            }
        }
        Self { table, keys }
    }

    /// Nothing adds anything: for playing moves where neither key nor sum matters.
    pub fn none() -> &'static Self {
        static NONE: Increments =
            Increments { table: [[Increment { key: 0, value: 0 }; 64]; 16], keys: Keys::empty(EpRule::Never) };
        &NONE
    }

    /// Keys alone: every piece-square sum is 0.
    pub fn of_keys(keys: Keys) -> Self {
        Self::new(keys, &[[0; 64]; 12])
    }

    /// The random numbers that the increments are made of.
    #[inline]
    pub const fn keys(&self) -> &Keys {
        &self.keys
    }

    /// The value of a piece on a square, positive where it is good for White.
    #[inline]
    pub fn value(&self, color: Color, piece: Piece, square: Square) -> i32 {
        self.table[color as usize * 8 + CODES[piece as usize]][square.index()].value
    }

    /// What a mailbox code adds on a square; nothing for the empty code.
    #[inline]
    pub(super) fn at(&self, code: usize, square: usize) -> Increment {
        self.table[code & 15][square & 63]
    }
}
