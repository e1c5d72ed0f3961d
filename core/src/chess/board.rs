//! The position: bitboards and a mailbox, with key, piece-square sum and checkers updated by each
//! move.
//!
//! A board is `Copy` and has 128 bytes. This is the largest size that is copied by a few inline
//! instructions. Copying a larger board would call `memcpy`, and reads would then wait for the
//! copied bytes. A search copies the board and plays the move in the copy. A function that returns
//! the board after a move would copy the board twice.

use super::attacks;
use super::bitboard::Bitboard;
use super::codes::{EMPTY, PIECES, PLANE_MASKS};
use super::increments::Increments;
use super::keys::Keys;
use super::moves::Move;
use super::state::StateBits;
pub use super::state::rights;
use super::types::{Color, Piece, Square};

/// A position, its clock and its place in the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Board {
    /// The codes of all squares as four bitboards, one for each bit of the codes. The fourth
    /// bitboard has all pieces of Black.
    pub(super) planes: [u64; 4],
    pub(super) squares: [u8; 64],
    pub(super) key: u64,
    /// Pieces that give check to the side to move.
    pub(super) checkers: u64,
    pub(super) sum: i32,
    pub(super) state: StateBits,
}

const _: () = assert!(size_of::<Board>() == 128);

impl Board {
    /// The mailbox code of a square.
    #[inline]
    pub(super) const fn code(&self, square: usize) -> usize {
        self.squares[square & 63] as usize
    }

    /// Puts pieces with this code on `squares`, or removes the pieces if they are already there.
    /// Only the planes are changed.
    #[inline]
    pub(super) fn toggle(&mut self, code: usize, squares: u64) {
        let masks = &PLANE_MASKS[code & 15];
        for (index, plane) in self.planes.iter_mut().enumerate() {
            *plane ^= squares & masks[index];
        }
    }

    /// Computes the key and the piece-square sum from scratch. From then on, [`Board::play`]
    /// updates both.
    pub fn rekey(&mut self, inc: &Increments) {
        self.key = self.key_from_scratch(inc.keys());
        self.sum = self.sum_from_scratch(inc);
        // A `keyed_square` of 0 means that the key does not contain an e.p. number.
        let keyed_square = if self.has_en_passant(inc.keys().rule) { self.state.en_passant() } else { 0 };
        self.state = self.state.with_keyed(keyed_square);
    }

    /// Computes the key of this position from scratch.
    pub fn key_from_scratch(&self, keys: &Keys) -> u64 {
        let mut key = keys.castling[self.castling() as usize];
        for square in self.occupied() {
            if let (Some(color), Some(piece)) = (self.color_on(square), self.piece_on(square)) {
                key ^= keys.piece[color as usize * 6 + piece as usize][square.index()];
            }
        }
        if self.turn() == Color::Black {
            key ^= keys.side;
        }
        match self.en_passant() {
            Some(square) if self.has_en_passant(keys.rule) => key ^ keys.en_passant[square.index()],
            _ => key,
        }
    }

    /// Computes the piece-square sum of this position from scratch. A positive sum is good for
    /// White.
    pub fn sum_from_scratch(&self, inc: &Increments) -> i32 {
        self.occupied().map(|square| inc.at(self.code(square.index()), square.index()).value).sum()
    }

    /// Returns a value that is equal for two boards exactly if they have the same position. A
    /// position consists of the pieces, the side to move, the castling rights, and the e.p. square.
    /// The e.p. square is included only if its number is in the key.
    pub const fn identity(&self) -> [u64; 5] {
        let [a, b, c, d] = self.planes;
        let state = self.state;
        [a, b, c, d, state.castling() as u64 | (state.keyed() as u64) << 8 | (state.turn() as u64) << 16]
    }

    /// The key, in the scheme of the last [`Board::rekey`].
    #[inline]
    pub const fn key(&self) -> u64 {
        self.key
    }

    /// The sum of the piece-square values. A positive sum is good for White.
    #[inline]
    pub const fn sum(&self) -> i32 {
        self.sum
    }

    /// The side to move.
    #[inline]
    pub const fn turn(&self) -> Color {
        self.state.turn()
    }

    /// The pieces that give check.
    #[inline]
    pub const fn checkers(&self) -> Bitboard {
        Bitboard(self.checkers)
    }

    /// Whether the side to move is in check.
    #[inline]
    pub const fn in_check(&self) -> bool {
        self.checkers != 0
    }

    /// The piece on a square, of either colour.
    #[inline]
    pub fn piece_on(&self, square: Square) -> Option<Piece> {
        PIECES[self.code(square.index()) & 7]
    }

    /// The number of the kind of piece on a square (see [`Piece::number`]); 0 if it is empty.
    #[inline]
    pub const fn kind_on(&self, square: Square) -> usize {
        self.code(square.index()) & 7
    }

    /// The colour of the piece on a square.
    #[inline]
    pub fn color_on(&self, square: Square) -> Option<Color> {
        match self.code(square.index()) {
            EMPTY => None,
            code if code < 8 => Some(Color::White),
            _ => Some(Color::Black),
        }
    }

    /// The pieces of one kind and colour.
    #[inline]
    pub fn pieces(&self, color: Color, piece: Piece) -> Bitboard {
        let black = Bitboard(self.planes[3]);
        self.kind(piece) & if color == Color::White { !black } else { black }
    }

    /// The pieces of one kind, of both colours.
    #[inline]
    pub const fn kind(&self, piece: Piece) -> Bitboard {
        // Each plane has the pieces whose code has the bit of the plane.
        let [first, second, third, _] = self.planes;
        Bitboard(match piece {
            Piece::Pawn => first & !second & !third,
            Piece::Knight => second & !first & !third,
            Piece::Bishop => first & third & !second,
            Piece::Rook => second & third & !first,
            Piece::Queen => first & second & third,
            Piece::King => first & second & !third,
        })
    }

    /// Bishops and queens of both colours.
    #[inline]
    pub const fn diagonal_sliders(&self) -> Bitboard {
        Bitboard(self.planes[0] & self.planes[2])
    }

    /// Rooks and queens of both colours.
    #[inline]
    pub const fn straight_sliders(&self) -> Bitboard {
        Bitboard(self.planes[1] & self.planes[2])
    }

    /// The squares that are not empty.
    #[inline]
    pub const fn occupied(&self) -> Bitboard {
        Bitboard(self.planes[0] | self.planes[1] | self.planes[2])
    }

    /// Returns the squares of all pieces of one colour.
    #[inline]
    pub const fn pieces_of(&self, color: Color) -> Bitboard {
        match color {
            Color::White => Bitboard(self.occupied().0 & !self.planes[3]),
            Color::Black => Bitboard(self.planes[3]),
        }
    }

    /// The square of a side's king.
    #[inline]
    pub fn king(&self, color: Color) -> Square {
        Square::new(self.pieces(color, Piece::King).0.trailing_zeros() as u8)
    }

    /// Plies since the last capture or pawn move (half-moves), 0..=65535.
    #[inline]
    pub const fn halfmove_clock(&self) -> u16 {
        self.state.clock()
    }

    /// Plies since the start of the game, 0 before White's first move. In a FEN it follows from the
    /// move number and the side to move.
    #[inline]
    pub const fn game_ply(&self) -> u16 {
        self.state.ply()
    }

    /// Sets the halfmove clock.
    pub fn set_clock(&mut self, clock: u16) {
        self.state = self.state.with_clock(clock);
    }

    /// Sets the game ply from the move number of a FEN, which starts at 1.
    pub fn set_move_number(&mut self, number: u16) {
        let ply = number.saturating_sub(1).saturating_mul(2).saturating_add(self.turn() as u16);
        self.state = self.state.with_ply(ply);
    }

    /// The castling rights as bits: 1 and 2 White's king side and queen side, 4 and 8 Black's.
    #[inline]
    pub const fn castling(&self) -> u8 {
        self.state.castling()
    }

    /// The square behind a pawn that has just moved two squares. The square is returned even if no
    /// en passant capture is possible.
    #[inline]
    pub const fn en_passant(&self) -> Option<Square> {
        match self.state.en_passant() {
            0 => None,
            square => Some(Square::new(square as u8)),
        }
    }

    /// Sliders are blocked by the squares in `occupied`, whether or not a piece stands there.
    #[inline]
    pub fn attackers(&self, square: Square, by: Color, occupied: Bitboard) -> Bitboard {
        let of_both_colors = attacks::pawn(!by, square) & self.kind(Piece::Pawn)
            | attacks::knight(square) & self.kind(Piece::Knight)
            | attacks::king(square) & self.kind(Piece::King)
            | attacks::bishop(square, occupied) & self.diagonal_sliders()
            | attacks::rook(square, occupied) & self.straight_sliders();
        of_both_colors & self.pieces_of(by)
    }

    /// For an en passant capture, this is a pawn.
    #[inline]
    pub fn captured(&self, mv: Move) -> Option<Piece> {
        match self.piece_on(mv.to()) {
            None if self.is_en_passant(mv) => Some(Piece::Pawn),
            captured => captured,
        }
    }

    /// Whether a move neither captures nor promotes.
    #[inline]
    pub fn is_quiet(&self, mv: Move) -> bool {
        mv.promotion().is_none() && self.captured(mv).is_none()
    }
}
