//! Playing a move in place, and the key that it would lead to.

use super::attacks;
use super::board::{Board, EMPTY, NO_SQUARE, rights};
use super::increments::Increments;
use super::moves::Move;
use super::types::{Color, Piece, Square};

const PAWN: u8 = Piece::Pawn as u8;
const KING: u8 = Piece::King as u8;
const ROOK: u8 = Piece::Rook as u8;

/// By square: the castling rights that survive a move from or to it.
static KEPT: [u8; 64] = {
    let mut kept = [15; 64];
    kept[0] = 15 & !rights::WHITE_QUEEN;
    kept[4] = 15 & !(rights::WHITE_KING | rights::WHITE_QUEEN);
    kept[7] = 15 & !rights::WHITE_KING;
    kept[56] = 15 & !rights::BLACK_QUEEN;
    kept[60] = 15 & !(rights::BLACK_KING | rights::BLACK_QUEEN);
    kept[63] = 15 & !rights::BLACK_KING;
    kept
};

/// From and to of the rook when the king castles to `to`.
#[inline]
const fn castling_rook(to: usize) -> (usize, usize) {
    if to & 7 == 6 { (to + 1, to - 1) } else { (to & !7, to + 1) }
}

impl Board {
    /// Plays a legal move in place. What an illegal move does is not specified, but it does not panic.
    #[inline]
    pub fn play(&mut self, mv: Move, inc: &Increments) {
        match self.turn {
            Color::White => self.play_as::<true>(mv, inc),
            Color::Black => self.play_as::<false>(mv, inc),
        }
    }

    #[inline]
    fn play_as<const WHITE: bool>(&mut self, mv: Move, inc: &Increments) {
        let (us, them) = if WHITE { (0, 1) } else { (1, 0) };
        let (from, to) = (mv.from().index(), mv.to().index());
        let (from_bit, to_bit) = (1_u64 << from, 1_u64 << to);
        let (code, captured) = (self.squares[from], self.squares[to]);
        let keys = inc.keys();

        let (left, reached, taken) = (inc.at(code, from), inc.at(code, to), inc.at(captured, to));
        let mut key = self.key ^ keys.side ^ left.key ^ reached.key ^ taken.key;
        let mut sum = self.sum + reached.value - left.value - taken.value;

        self.kinds[code as usize & 7] ^= from_bit | to_bit;
        // Of an empty square the "captured kind" is the set of empty squares, which loses `to`: no branch.
        self.kinds[captured as usize & 7] ^= to_bit;
        self.kinds[EMPTY as usize] ^= from_bit;
        self.colors[us] ^= from_bit | to_bit;
        self.colors[them] &= !to_bit;
        self.squares[from] = EMPTY;
        self.squares[to] = code;

        let kept = self.castling & KEPT[from] & KEPT[to];
        key ^= keys.castling[self.castling as usize & 15] ^ keys.castling[kept as usize & 15];
        self.castling = kept;

        if self.keyed != NO_SQUARE {
            key ^= keys.en_passant[self.keyed as usize & 63];
            self.keyed = NO_SQUARE;
        }
        let en_passant = self.en_passant;
        self.en_passant = NO_SQUARE;
        self.halfmove_clock = if captured == EMPTY { self.halfmove_clock.saturating_add(1) } else { 0 };
        self.game_ply = self.game_ply.saturating_add(1);
        self.turn = if WHITE { Color::Black } else { Color::White };

        if code & 7 == PAWN {
            self.halfmove_clock = 0;
            if from ^ to == 16 {
                let target = Square::new(((from + to) / 2) as u8);
                self.en_passant = target.index() as u8;
                if self.en_passant_counts(target, keys.rule, 0) {
                    self.keyed = self.en_passant;
                    key ^= keys.en_passant[target.index()];
                }
            } else if to as u8 == en_passant {
                let victim = to ^ 8;
                let taken = inc.at(them as u8 * 8, victim);
                key ^= taken.key;
                sum -= taken.value;
                self.kinds[PAWN as usize] ^= 1 << victim;
                self.kinds[EMPTY as usize] ^= 1 << victim;
                self.colors[them] ^= 1 << victim;
                self.squares[victim] = EMPTY;
            } else if let Some(piece) = mv.promotion() {
                let promoted = us as u8 * 8 + piece as u8;
                let (pawn, new) = (inc.at(code, to), inc.at(promoted, to));
                key ^= pawn.key ^ new.key;
                sum += new.value - pawn.value;
                self.kinds[PAWN as usize] ^= to_bit;
                self.kinds[piece as usize] ^= to_bit;
                self.squares[to] = promoted;
            }
        } else if code & 7 == KING && from.abs_diff(to) == 2 {
            let (rook_from, rook_to) = castling_rook(to);
            let rook = us as u8 * 8 + ROOK;
            let (left, reached) = (inc.at(rook, rook_from), inc.at(rook, rook_to));
            key ^= left.key ^ reached.key;
            sum += reached.value - left.value;
            let moved = 1_u64 << rook_from | 1 << rook_to;
            self.kinds[ROOK as usize] ^= moved;
            self.kinds[EMPTY as usize] ^= moved;
            self.colors[us] ^= moved;
            self.squares[rook_from & 63] = EMPTY;
            self.squares[rook_to & 63] = rook;
        }
        self.key = key;
        self.sum = sum;
        self.checkers = self.find_checkers::<WHITE>();
    }

    /// The pieces of the side that has just moved (White if `WHITE`) that attack the enemy king.
    #[inline]
    fn find_checkers<const WHITE: bool>(&self) -> u64 {
        let (us, them) = if WHITE { (Color::White, Color::Black) } else { (Color::Black, Color::White) };
        let [pawns, knights, bishops, rooks, queens, ..] = self.kinds;
        let king = self.king(them);
        let mut checkers = attacks::pawn(them, king).0 & pawns | attacks::knight(king).0 & knights;
        let sliders = attacks::bishop_rays(king).0 & (bishops | queens) | attacks::rook_rays(king).0 & (rooks | queens);
        let occupied = self.occupied().0;
        checkers &= self.colors[us as usize];
        let mut sliders = sliders & self.colors[us as usize];
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
        if self.keyed != NO_SQUARE {
            self.key ^= keys.en_passant[self.keyed as usize & 63];
        }
        self.keyed = NO_SQUARE;
        self.en_passant = NO_SQUARE;
        self.halfmove_clock = self.halfmove_clock.saturating_add(1);
        self.game_ply = self.game_ply.saturating_add(1);
        self.turn = !self.turn;
        self.checkers = 0;
    }

    /// The key that a legal move leads to, exactly, without playing it: for prefetching and for looking ahead.
    #[inline]
    #[must_use]
    pub fn key_after(&self, mv: Move, inc: &Increments) -> u64 {
        let (from, to) = (mv.from().index(), mv.to().index());
        let (code, captured) = (self.squares[from], self.squares[to]);
        let keys = inc.keys();
        let kept = self.castling & KEPT[from] & KEPT[to];
        let mut key = self.key
            ^ keys.side
            ^ inc.at(code, from).key
            ^ inc.at(code, to).key
            ^ inc.at(captured, to).key
            ^ keys.castling[self.castling as usize & 15]
            ^ keys.castling[kept as usize & 15];
        if self.keyed != NO_SQUARE {
            key ^= keys.en_passant[self.keyed as usize & 63];
        }
        if code & 7 == PAWN {
            if from ^ to == 16 {
                let target = Square::new(((from + to) / 2) as u8);
                if self.en_passant_counts(target, keys.rule, 1 << from | 1 << to) {
                    key ^= keys.en_passant[target.index()];
                }
            } else if to as u8 == self.en_passant {
                key ^= inc.at((code ^ 8) & 8, to ^ 8).key;
            } else if let Some(piece) = mv.promotion() {
                key ^= inc.at(code, to).key ^ inc.at((code & 8) + piece as u8, to).key;
            }
        } else if code & 7 == KING && from.abs_diff(to) == 2 {
            let (rook_from, rook_to) = castling_rook(to);
            let rook = (code & 8) + ROOK;
            key ^= inc.at(rook, rook_from).key ^ inc.at(rook, rook_to).key;
        }
        key
    }
}
