//! Playing a move in place, and the key that it would lead to.

use super::attacks;
use super::board::{Board, COLORS, EMPTY};
use super::increments::Increments;
use super::moves::Move;
use super::types::{Color, Piece, Square};

const PAWN: usize = Piece::Pawn as usize;
const KING: usize = Piece::King as usize;
const ROOK: usize = Piece::Rook as usize;

/// From and to of the rook when the king castles to `to`.
#[inline]
const fn castling_rook(to: usize) -> (usize, usize) {
    if to & 7 == 6 { (to + 1, to - 1) } else { (to & !7, to + 1) }
}

impl Board {
    /// Plays a legal move in place. What an illegal move does is not specified, but it does not panic.
    #[inline]
    pub fn play(&mut self, mv: Move, inc: &Increments) {
        match self.turn() {
            Color::White => self.play_as::<true>(mv, inc),
            Color::Black => self.play_as::<false>(mv, inc),
        }
    }

    #[inline(always)]
    fn play_as<const WHITE: bool>(&mut self, mv: Move, inc: &Increments) {
        let (us, them) = if WHITE { (0, 1) } else { (1, 0) };
        let (from, to) = (mv.from().index(), mv.to().index());
        let (from_bit, to_bit) = (1_u64 << from, 1_u64 << to);
        let (code, captured) = (self.code(from), self.code(to));
        let keys = inc.keys();

        let (left, reached, taken) = (inc.at(code, from), inc.at(code, to), inc.at(captured, to));
        let mut key = self.key ^ keys.side ^ left.key ^ reached.key ^ taken.key;
        let mut sum = self.sum + reached.value - left.value - taken.value;

        // The colours are read first: else they would wait for the stores below, whose places are not known early.
        let own = self.sets[COLORS + us] ^ (from_bit | to_bit);
        let other = self.sets[COLORS + them] & !to_bit;
        // Where nothing is captured this names the set of White's pieces, which is written again below: no branch.
        self.sets[captured & 7] &= !to_bit;
        self.sets[code & 7] ^= from_bit | to_bit;
        self.sets[COLORS + us] = own;
        self.sets[COLORS + them] = other;
        self.change_code(from, code ^ EMPTY);
        self.change_code(to, captured ^ code);

        let before = self.state;
        let mut state = before.after(from, to, captured == EMPTY && code & 7 != PAWN);
        key ^= keys.castling[before.castling() as usize] ^ keys.castling[state.castling() as usize];
        if before.keyed() != 0 {
            key ^= keys.en_passant[before.keyed()];
        }
        if code & 7 == PAWN {
            if from ^ to == 16 {
                let target = Square::new(((from + to) / 2) as u8);
                state = state.with_en_passant(target.index());
                if self.en_passant_counts(target, keys.rule, 0) {
                    state = state.with_keyed(target.index());
                    key ^= keys.en_passant[target.index()];
                }
            } else if let Some(piece) = mv.promotion() {
                let promoted = us * 8 + piece as usize;
                let (pawn, new) = (inc.at(code, to), inc.at(promoted, to));
                key ^= pawn.key ^ new.key;
                sum += new.value - pawn.value;
                self.sets[PAWN] ^= to_bit;
                self.sets[piece as usize] ^= to_bit;
                self.change_code(to, code ^ promoted);
            // Last: the number of no e.p. square is a1's, which pawns reach only by promotion.
            } else if to == before.en_passant() {
                let victim = to ^ 8;
                let taken = inc.at(them * 8, victim);
                key ^= taken.key;
                sum -= taken.value;
                self.sets[PAWN] ^= 1 << victim;
                self.sets[COLORS + them] ^= 1 << victim;
                self.change_code(victim, (them * 8) ^ EMPTY);
            }
        } else if code & 7 == KING && from.abs_diff(to) == 2 {
            let (rook_from, rook_to) = castling_rook(to);
            let rook = us * 8 + ROOK;
            let (left, reached) = (inc.at(rook, rook_from), inc.at(rook, rook_to));
            key ^= left.key ^ reached.key;
            sum += reached.value - left.value;
            let moved = 1_u64 << rook_from | 1 << rook_to;
            self.sets[ROOK] ^= moved;
            self.sets[COLORS + us] ^= moved;
            self.change_code(rook_from, rook ^ EMPTY);
            self.change_code(rook_to, EMPTY ^ rook);
        }
        self.key = key;
        self.sum = sum;
        self.state = state;
        self.checkers = self.find_checkers::<WHITE>();
    }

    /// The pieces of the side that has just moved (White if `WHITE`) that attack the enemy king.
    #[inline]
    fn find_checkers<const WHITE: bool>(&self) -> u64 {
        let (us, them) = if WHITE { (Color::White, Color::Black) } else { (Color::Black, Color::White) };
        let [pawns, knights, bishops, rooks, queens, ..] = self.sets;
        let king = self.king(them);
        let mut checkers = attacks::pawn(them, king).0 & pawns | attacks::knight(king).0 & knights;
        let sliders = attacks::bishop_rays(king).0 & (bishops | queens) | attacks::rook_rays(king).0 & (rooks | queens);
        let occupied = self.occupied().0;
        checkers &= self.sets[COLORS + us as usize];
        let mut sliders = sliders & self.sets[COLORS + us as usize];
        while sliders != 0 {
            let square = Square::new(sliders.trailing_zeros() as u8);
            if attacks::between(king, square).0 & occupied == 0 {
                checkers |= 1 << square.index();
            }
            sliders &= sliders - 1;
        }
        checkers
    }

    /// Passes the turn. Only where the side to move is not in check.
    pub fn play_null(&mut self, inc: &Increments) {
        let keys = inc.keys();
        self.key ^= keys.side;
        if self.state.keyed() != 0 {
            self.key ^= keys.en_passant[self.state.keyed()];
        }
        self.state = self.state.after_null();
        self.checkers = 0;
    }

    /// The key that a legal move leads to, exactly, without playing it: for prefetching and for looking ahead.
    #[inline]
    #[must_use]
    pub fn key_after(&self, mv: Move, inc: &Increments) -> u64 {
        let (from, to) = (mv.from().index(), mv.to().index());
        let (code, captured) = (self.code(from), self.code(to));
        let keys = inc.keys();
        let (before, after) = (self.state, self.state.after(from, to, false));
        let mut key = self.key
            ^ keys.side
            ^ inc.at(code, from).key
            ^ inc.at(code, to).key
            ^ inc.at(captured, to).key
            ^ keys.castling[before.castling() as usize]
            ^ keys.castling[after.castling() as usize];
        if before.keyed() != 0 {
            key ^= keys.en_passant[before.keyed()];
        }
        if code & 7 == PAWN {
            if from ^ to == 16 {
                let target = Square::new(((from + to) / 2) as u8);
                if self.en_passant_counts(target, keys.rule, 1 << from | 1 << to) {
                    key ^= keys.en_passant[target.index()];
                }
            } else if let Some(piece) = mv.promotion() {
                key ^= inc.at(code, to).key ^ inc.at((code & 8) + piece as usize, to).key;
            } else if to == before.en_passant() {
                key ^= inc.at((code ^ 8) & 8, to ^ 8).key;
            }
        } else if code & 7 == KING && from.abs_diff(to) == 2 {
            let (rook_from, rook_to) = castling_rook(to);
            let rook = (code & 8) + ROOK;
            key ^= inc.at(rook, rook_from).key ^ inc.at(rook, rook_to).key;
        }
        key
    }
}
