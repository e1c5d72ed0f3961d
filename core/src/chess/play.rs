//! Playing a move in place, and computing the key that a move leads to.

use super::attacks;
use super::bitboard::Bitboard;
use super::board::Board;
use super::codes::{CODES, EMPTY, PLANE_MASKS};
use super::increments::{Increment, Increments};
use super::moves::Move;
use super::types::{Color, Piece, Square};

const PAWN: usize = CODES[Piece::Pawn as usize];
const KNIGHT: usize = CODES[Piece::Knight as usize];
const KING: usize = CODES[Piece::King as usize];
const ROOK: usize = CODES[Piece::Rook as usize];

#[inline]
const fn castling_rook(to: usize) -> (usize, usize) {
    if to & 7 == 6 { (to + 1, to - 1) } else { (to & !7, to + 1) }
}

impl Board {
    /// Plays a legal move in place. The effect of an illegal move is not specified. With debug
    /// assertions, an illegal move may panic.
    #[inline]
    pub fn play(&mut self, mv: Move, inc: &Increments) {
        match self.turn() {
            Color::White => self.play_as::<true, false>(mv, inc),
            Color::Black => self.play_as::<false, false>(mv, inc),
        }
    }

    /// As [`Self::play`], for a move that captures.
    #[inline]
    pub fn play_capture(&mut self, mv: Move, inc: &Increments) {
        match self.turn() {
            Color::White => self.play_as::<true, true>(mv, inc),
            Color::Black => self.play_as::<false, true>(mv, inc),
        }
    }

    /// Plays a legal move of one colour. A compiled copy of this function for each colour is 7 %
    /// faster than one copy for both colours.
    #[inline(always)]
    fn play_as<const WHITE: bool, const CAPTURES: bool>(&mut self, mv: Move, inc: &Increments) {
        let (us, them) = if WHITE { (0, 8) } else { (8, 0) };
        let (from, to) = (mv.from().index(), mv.to().index());
        let (from_bit, to_bit) = (1_u64 << from, 1_u64 << to);
        let (code, captured) = (self.code(from), self.code(to));
        debug_assert!(code != EMPTY && code & 8 == us, "{mv}: no piece of the side to move stands there");
        debug_assert!(captured == EMPTY || captured & 8 == them, "{mv}: takes its own piece");
        debug_assert!(captured & 7 != KING, "{mv}: takes a king");
        debug_assert!(mv.promotion().is_none() || code & 7 == PAWN, "{mv}: only pawns promote");
        let keys = inc.keys();
        let mut change = inc.at(code, to).without(inc.at(code, from)).without(inc.at(captured, to));

        let elsewhere = !(from_bit | to_bit);
        let masks = &PLANE_MASKS[code & 15];
        for (plane_index, plane) in self.planes.iter_mut().enumerate() {
            *plane = *plane & elsewhere | to_bit & masks[plane_index];
        }
        self.squares[from] = EMPTY as u8;
        self.squares[to] = code as u8;

        let before = self.state;
        let mut state = before.after(from, to, !CAPTURES && captured == EMPTY && code & 7 != PAWN);
        let mut key = self.key ^ keys.side ^ keys.castling[before.rights_changed(state)];
        if before.keyed() != 0 {
            key ^= keys.en_passant[before.keyed()];
        }
        let mut leaper_attacks = 0;
        if code & 7 == PAWN {
            leaper_attacks = attacks::pawn(if WHITE { Color::White } else { Color::Black }, mv.to()).0;
            if !CAPTURES && from ^ to == 16 {
                let target = Square::new(((from + to) / 2) as u8);
                state = state.with_en_passant(target.index());
                if self.en_passant_is_keyed(target, keys.rule, 0) {
                    state = state.with_keyed(target.index());
                    key ^= keys.en_passant[target.index()];
                }
            } else if let Some(piece) = mv.promotion() {
                let promoted = us + CODES[piece as usize];
                change = change.with(inc.at(promoted, to)).without(inc.at(code, to));
                self.toggle(code ^ promoted, to_bit);
                self.squares[to] = promoted as u8;
                leaper_attacks = if piece == Piece::Knight { attacks::knight(mv.to()).0 } else { 0 };
            // This check must come after the one for promotions. If there is no e.p. square,
            // `en_passant` is the index of a1, which a pawn reaches only by promotion.
            } else if to == before.en_passant() {
                change = change.without(inc.at(them + PAWN, to ^ 8));
                self.toggle(them + PAWN, 1 << (to ^ 8));
                self.squares[(to ^ 8) & 63] = EMPTY as u8;
            }
        } else if code & 7 == KNIGHT {
            leaper_attacks = attacks::knight(mv.to()).0;
        } else if !CAPTURES && code & 7 == KING && from.abs_diff(to) == 2 {
            let (rook_from, rook_to) = castling_rook(to);
            let rook = us + ROOK;
            change = change.with(inc.at(rook, rook_to)).without(inc.at(rook, rook_from));
            self.toggle(rook, 1 << rook_from | 1 << rook_to);
            self.squares[rook_from & 63] = EMPTY as u8;
            self.squares[rook_to & 63] = rook as u8;
        }
        self.key = key ^ change.key;
        self.sum += change.value;
        self.state = state;
        self.checkers = self.find_checkers::<WHITE>(to_bit, leaper_attacks);
        debug_assert_eq!(self.code(from), EMPTY, "{mv}: its piece is still where it was");
        debug_assert!(
            self.occupied().has(mv.to()) && !self.occupied().has(mv.from()),
            "{mv}: planes and squares differ"
        );
        debug_assert_eq!(self.turn() == Color::Black, WHITE, "{mv}: the turn has not passed");
        debug_assert_eq!(self.kind(Piece::King).count(), 2, "{mv}: a king is lost");
    }

    /// Returns the pieces that give check after a move. The move was made by White if `WHITE`,
    /// otherwise by Black. `to_bit` is the square on which the moved piece now stands.
    ///
    /// Of all pawns and knights, only the moved one can give check. `leaper_attacks` are the
    /// squares that the moved pawn or knight attacks. If another kind of piece moved, there are
    /// no such squares.
    #[inline(always)]
    fn find_checkers<const WHITE: bool>(&self, to_bit: u64, leaper_attacks: u64) -> u64 {
        let (us, them) = if WHITE { (Color::White, Color::Black) } else { (Color::Black, Color::White) };
        let kings = self.pieces(them, Piece::King);
        let king = Square::new(kings.0.trailing_zeros() as u8);
        let aligned_sliders =
            attacks::bishop_rays(king) & self.diagonal_sliders() | attacks::rook_rays(king) & self.straight_sliders();
        let (own_pieces, occupied) = (self.pieces_of(us), self.occupied());
        let mut checkers = Bitboard(if leaper_attacks & kings.0 == 0 { 0 } else { to_bit });
        // Checking the few aligned sliders for blockers is cheaper than computing the attacks of
        // sliders on the king's square.
        for slider in aligned_sliders & own_pieces {
            if (attacks::between(king, slider) & occupied).is_empty() {
                checkers = checkers | Bitboard::from_square(slider);
            }
        }
        checkers.0
    }

    /// Passes the turn to the other side. The side to move must not be in check.
    pub fn play_null(&mut self, inc: &Increments) {
        debug_assert!(!self.in_check(), "a null move in check");
        let keys = inc.keys();
        self.key ^= keys.side;
        if self.state.keyed() != 0 {
            self.key ^= keys.en_passant[self.state.keyed()];
        }
        self.state = self.state.after_null();
        self.checkers = 0;
    }

    /// The key is used for prefetching and for looking ahead.
    #[inline]
    pub fn key_after(&self, mv: Move, inc: &Increments) -> u64 {
        let (from, to) = (mv.from().index(), mv.to().index());
        let keys = inc.keys();
        // Only the castling rights of `after` are used, so its clock may be wrong.
        let (before, after) = (self.state, self.state.after(from, to, false));
        let mut key =
            self.key ^ keys.side ^ keys.castling[before.rights_changed(after)] ^ self.piece_change(mv, inc).key;
        if before.keyed() != 0 {
            key ^= keys.en_passant[before.keyed()];
        }
        let is_double_push = from ^ to == 16 && self.code(from) & 7 == PAWN;
        if is_double_push {
            let target = Square::new(((from + to) / 2) as u8);
            if self.en_passant_is_keyed(target, keys.rule, 1 << from | 1 << to) {
                key ^= keys.en_passant[target.index()];
            }
        }
        key
    }

    /// A positive sum is good for White.
    #[inline]
    pub fn sum_after(&self, mv: Move, inc: &Increments) -> i32 {
        self.sum + self.piece_change(mv, inc).value
    }

    /// The change of the key is limited to the numbers of the pieces.
    #[inline(always)]
    fn piece_change(&self, mv: Move, inc: &Increments) -> Increment {
        let (from, to) = (mv.from().index(), mv.to().index());
        let (code, captured) = (self.code(from), self.code(to));
        debug_assert!(code != EMPTY, "{mv} starts from an empty square");
        let change = inc.at(code, to).without(inc.at(code, from)).without(inc.at(captured, to));
        if code & 7 == PAWN {
            if let Some(piece) = mv.promotion() {
                let promoted = (code & 8) + CODES[piece as usize];
                return change.with(inc.at(promoted, to)).without(inc.at(code, to));
            }
            if to == self.state.en_passant() {
                // `code ^ 8` is the enemy's pawn, and `to ^ 8` is its square, one rank behind `to`.
                return change.without(inc.at(code ^ 8, to ^ 8));
            }
        } else if code & 7 == KING && from.abs_diff(to) == 2 {
            let (rook_from, rook_to) = castling_rook(to);
            let rook = (code & 8) + ROOK;
            return change.with(inc.at(rook, rook_to)).without(inc.at(rook, rook_from));
        }
        change
    }
}
