//! The position: bitboards and a mailbox, with key, piece-square sum and checkers kept by each move.
//!
//! A board is 128 bytes and `Copy`: the most that is still copied by a few instructions in place, where a larger one calls
//! `memcpy` and then waits for its bytes. A search copies it and plays in place: a `fn played(&self) -> Board` would copy
//! twice.

use super::attacks;
use super::bitboard::Bitboard;
use super::increments::Increments;
use super::keys::Keys;
use super::moves::Move;
use super::state::State;
use super::types::{Color, Piece, Square};

/// Castling rights as bits: White's king side, White's queen side, Black's king side, Black's queen side.
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

/// The mailbox code of an empty square. A piece's code is `color * 8 + piece`.
pub(super) const EMPTY: usize = 6;
/// Where [`Board::sets`] holds White's pieces; Black's follow.
pub(super) const COLORS: usize = 6;

/// A position, its clock and its place in the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Board {
    /// By piece, and then by colour.
    pub(super) sets: [u64; 8],
    /// The codes of the squares, four bits each, a1 the lowest of the first word.
    squares: [u64; 4],
    pub(super) key: u64,
    /// Pieces that give check to the side to move.
    pub(super) checkers: u64,
    pub(super) sum: i32,
    pub(super) state: State,
}

const _: () = assert!(size_of::<Board>() == 128);

/// What a board is made of, before its bitboards are derived.
#[derive(Debug, Clone, Copy)]
pub(super) struct Setup {
    pub(super) squares: [Option<(Color, Piece)>; 64],
    pub(super) turn: Color,
    pub(super) castling: u8,
    pub(super) en_passant: Option<Square>,
    pub(super) halfmove_clock: u16,
    pub(super) game_ply: u16,
}

impl Board {
    /// The start position. Key and sum are 0 until [`Board::rekey`].
    #[must_use]
    pub fn startpos() -> Self {
        use Piece::{Bishop, King, Knight, Queen, Rook};
        let mut squares = [None; 64];
        for (file, piece) in [Rook, Knight, Bishop, Queen, King, Bishop, Knight, Rook].into_iter().enumerate() {
            squares[file] = Some((Color::White, piece));
            squares[8 + file] = Some((Color::White, Piece::Pawn));
            squares[48 + file] = Some((Color::Black, Piece::Pawn));
            squares[56 + file] = Some((Color::Black, piece));
        }
        let turn = Color::White;
        Self::assemble(&Setup { squares, turn, castling: 15, en_passant: None, halfmove_clock: 0, game_ply: 0 })
    }

    /// A board from its parts, which the caller has checked: one king each, rights and e.p. square that fit.
    pub(super) fn assemble(setup: &Setup) -> Self {
        let mut board = Self {
            sets: [0; 8],
            squares: [EMPTY as u64 * 0x1111_1111_1111_1111; 4],
            key: 0,
            checkers: 0,
            sum: 0,
            state: State::new(setup.turn, setup.castling, setup.en_passant, setup.halfmove_clock, setup.game_ply),
        };
        for (square, content) in setup.squares.iter().enumerate() {
            if let Some((color, piece)) = *content {
                board.sets[piece as usize] |= 1 << square;
                board.sets[COLORS + color as usize] |= 1 << square;
                board.change_code(square, EMPTY ^ (color as usize * 8 + piece as usize));
            }
        }
        board.checkers = board.attackers(board.king(setup.turn), !setup.turn, board.occupied()).0;
        board
    }

    /// The mailbox code of a square.
    #[inline]
    pub(super) const fn code(&self, square: usize) -> usize {
        (self.squares[square >> 4 & 3] >> (square << 2 & 63) & 15) as usize
    }

    /// Changes the code of a square by exclusive or with `change`.
    #[inline]
    pub(super) const fn change_code(&mut self, square: usize, change: usize) {
        self.squares[square >> 4 & 3] ^= (change as u64) << (square << 2 & 63);
    }

    /// Sets key and sum from scratch; both are kept by [`Board::play`] from then on.
    pub fn rekey(&mut self, inc: &Increments) {
        self.key = self.key_from_scratch(inc.keys());
        self.sum = self.sum_from_scratch(inc);
        let keyed = if self.has_en_passant(inc.keys().rule) { self.state.en_passant() } else { 0 };
        self.state = self.state.with_keyed(keyed);
    }

    /// The key of this position, computed anew.
    #[must_use]
    pub fn key_from_scratch(&self, keys: &Keys) -> u64 {
        let mut key = keys.castling[self.castling() as usize];
        for square in self.occupied() {
            let code = self.code(square.index());
            key ^= keys.piece[(code >> 3) * 6 + (code & 7)][square.index()];
        }
        if self.turn() == Color::Black {
            key ^= keys.side;
        }
        match self.en_passant() {
            Some(square) if self.has_en_passant(keys.rule) => key ^ keys.en_passant[square.index()],
            _ => key,
        }
    }

    /// The piece-square sum of this position, computed anew: positive is good for White.
    #[must_use]
    pub fn sum_from_scratch(&self, inc: &Increments) -> i32 {
        self.occupied().map(|square| inc.at(self.code(square.index()), square.index()).value).sum()
    }

    /// What makes two positions the same, exactly: pieces, side to move, castling rights and the e.p. square where the rule
    /// of the last [`Board::rekey`] counts it.
    #[must_use]
    pub const fn identity(&self) -> [u64; 5] {
        let [a, b, c, d] = self.squares;
        let state = self.state;
        [a, b, c, d, state.castling() as u64 | (state.keyed() as u64) << 8 | (state.turn() as u64) << 16]
    }

    /// The key as the scheme of the last [`Board::rekey`] has it.
    #[inline]
    #[must_use]
    pub const fn key(&self) -> u64 {
        self.key
    }

    /// The sum of the piece-square values: positive is good for White.
    #[inline]
    #[must_use]
    pub const fn sum(&self) -> i32 {
        self.sum
    }

    /// The side to move.
    #[inline]
    #[must_use]
    pub const fn turn(&self) -> Color {
        self.state.turn()
    }

    /// The pieces that give check.
    #[inline]
    #[must_use]
    pub const fn checkers(&self) -> Bitboard {
        Bitboard(self.checkers)
    }

    /// Whether the side to move is in check.
    #[inline]
    #[must_use]
    pub const fn in_check(&self) -> bool {
        self.checkers != 0
    }

    /// The piece on a square, of either colour.
    #[inline]
    #[must_use]
    pub fn piece_on(&self, square: Square) -> Option<Piece> {
        Piece::ALL.get(self.code(square.index()) & 7).copied()
    }

    /// The colour of the piece on a square.
    #[inline]
    #[must_use]
    pub fn color_on(&self, square: Square) -> Option<Color> {
        match self.code(square.index()) {
            EMPTY => None,
            code if code < 8 => Some(Color::White),
            _ => Some(Color::Black),
        }
    }

    /// The pieces of one kind and colour.
    #[inline]
    #[must_use]
    pub const fn pieces(&self, color: Color, piece: Piece) -> Bitboard {
        Bitboard(self.sets[piece as usize] & self.sets[COLORS + color as usize])
    }

    /// The pieces of one kind, of both colours.
    #[inline]
    #[must_use]
    pub const fn kind(&self, piece: Piece) -> Bitboard {
        Bitboard(self.sets[piece as usize])
    }

    /// The squares that are not empty.
    #[inline]
    #[must_use]
    pub const fn occupied(&self) -> Bitboard {
        Bitboard(self.sets[COLORS] | self.sets[COLORS + 1])
    }

    /// The pieces of one colour.
    #[inline]
    #[must_use]
    pub const fn colored(&self, color: Color) -> Bitboard {
        Bitboard(self.sets[COLORS + color as usize])
    }

    /// The king's square.
    #[inline]
    #[must_use]
    pub const fn king(&self, color: Color) -> Square {
        Square::new(self.pieces(color, Piece::King).0.trailing_zeros() as u8)
    }

    /// Plies since the last capture or pawn move (half-moves), 0..=65535.
    #[inline]
    #[must_use]
    pub const fn halfmove_clock(&self) -> u16 {
        self.state.clock()
    }

    /// Plies since the start of the game, 0 = White's first move; of a FEN, by its move number.
    #[inline]
    #[must_use]
    pub const fn game_ply(&self) -> u16 {
        self.state.ply()
    }

    /// Sets the halfmove clock.
    pub fn set_clock(&mut self, clock: u16) {
        self.state = self.state.with_clock(clock);
    }

    /// Sets the game ply by a FEN's move number, from 1.
    pub fn set_move_number(&mut self, number: u16) {
        let ply = number.saturating_sub(1).saturating_mul(2).saturating_add(self.turn() as u16);
        self.state = self.state.with_ply(ply);
    }

    /// The castling rights, as bits of [`rights`].
    #[inline]
    #[must_use]
    pub const fn castling(&self) -> u8 {
        self.state.castling()
    }

    /// The square behind a pawn that has just moved two squares, whether or not it can be captured.
    #[inline]
    #[must_use]
    pub const fn en_passant(&self) -> Option<Square> {
        match self.state.en_passant() {
            0 => None,
            square => Some(Square::new(square as u8)),
        }
    }

    /// The pieces of `by` that attack `square`, seen through `occupied`.
    #[inline]
    #[must_use]
    pub fn attackers(&self, square: Square, by: Color, occupied: Bitboard) -> Bitboard {
        let [pawns, knights, bishops, rooks, queens, kings, ..] = self.sets;
        let found = attacks::pawn(!by, square).0 & pawns
            | attacks::knight(square).0 & knights
            | attacks::king(square).0 & kings
            | attacks::bishop(square, occupied).0 & (bishops | queens)
            | attacks::rook(square, occupied).0 & (rooks | queens);
        Bitboard(found & self.sets[COLORS + by as usize])
    }

    /// The piece that a move captures; a pawn for en passant.
    #[inline]
    #[must_use]
    pub fn captured(&self, mv: Move) -> Option<Piece> {
        match self.piece_on(mv.to()) {
            None if self.is_en_passant(mv) => Some(Piece::Pawn),
            found => found,
        }
    }

    /// Whether a move neither captures nor promotes.
    #[inline]
    #[must_use]
    pub fn is_quiet(&self, mv: Move) -> bool {
        mv.promotion().is_none() && self.captured(mv).is_none()
    }
}
