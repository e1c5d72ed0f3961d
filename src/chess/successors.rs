//! All positions that are one move away, each shown in turn in one and the same place.
//!
//! What the moves of a piece share (its leaving, the pass of the turn, where it would give check)
//! is done once, and what a move changes is taken back by the next one's change: for perft, where
//! every move is played, less than half of what [`Board::play`] takes.

use super::attacks;
use super::bitboard::Bitboard;
use super::board::Board;
use super::codes::{CODES, EMPTY, SPREAD};
use super::increments::Increments;
use super::movegen::{self, Sink, origin};
use super::moves::Move;
use super::types::{Color, Piece, Square};

const PAWN: usize = CODES[Piece::Pawn as usize];
const KING: usize = CODES[Piece::King as usize];

/// Shows every position that a legal move leads to, in generation order: exactly as [`Board::play`]
/// leaves it.
#[inline]
pub fn for_each<F: FnMut(&Board)>(board: &Board, inc: &Increments, show: F) {
    match board.turn() {
        Color::White => movegen::show(board, &mut Successors::<F, true>::new(board, inc, show)),
        Color::Black => movegen::show(board, &mut Successors::<F, false>::new(board, inc, show)),
    }
}

/// Planes without what stands on some squares. Spelt out: `map` is a call for each plane wherever
/// the compiler lays its closure in another unit.
#[inline(always)]
const fn without(planes: [u64; 4], squares: u64) -> [u64; 4] {
    let [a, b, c, d] = planes;
    [a & !squares, b & !squares, c & !squares, d & !squares]
}

/// Plays moves as they are generated.
struct Successors<'a, F, const WHITE: bool> {
    board: &'a Board,
    inc: &'a Increments,
    show: F,
    /// Where positions are shown. Between calls its mailbox is the board's; the rest is written by
    /// every move.
    next: Board,
    /// The key without what the last move left of en passant, with the turn passed.
    key: u64,
    /// By the code of a kind: from where it would give check.
    checking: [u64; 8],
    /// Own pieces that hide another's check.
    hiding: u64,
}

impl<'a, F: FnMut(&Board), const WHITE: bool> Successors<'a, F, WHITE> {
    const US: Color = if WHITE { Color::White } else { Color::Black };
    const THEM: Color = if WHITE { Color::Black } else { Color::White };
    const OWN: usize = if WHITE { 0 } else { 8 };

    #[inline]
    fn new(board: &'a Board, inc: &'a Increments, show: F) -> Self {
        let (king, occupied, own) = (board.king(Self::THEM), board.occupied(), board.colored(Self::US));
        let mut checking = [0; 8];
        let (bishop, rook) = (attacks::bishop(king, occupied).0, attacks::rook(king, occupied).0);
        checking[Piece::Pawn.number()] = attacks::pawn(Self::THEM, king).0;
        checking[Piece::Knight.number()] = attacks::knight(king).0;
        checking[Piece::Bishop.number()] = bishop;
        checking[Piece::Rook.number()] = rook;
        checking[Piece::Queen.number()] = bishop | rook;
        let snipers =
            attacks::bishop_rays(king) & board.diagonal_sliders() | attacks::rook_rays(king) & board.straight_sliders();
        let mut hiding = 0;
        for sniper in snipers & own {
            let blockers = attacks::between(king, sniper) & occupied;
            if !blockers.many() {
                hiding |= blockers.0 & own.0;
            }
        }
        let keys = inc.keys();
        let before = board.state.keyed();
        let key = board.key ^ keys.side ^ if before == 0 { 0 } else { keys.en_passant[before] };
        Self { board, inc, show, next: *board, key, checking, hiding }
    }

    /// Any move, by a copy of the board.
    fn play(&mut self, mv: Move) {
        let mut child = *self.board;
        child.play(mv, self.inc);
        (self.show)(&child);
    }

    /// Shows the position with a piece put on `to`, where `captured` stood.
    #[inline(always)]
    fn put(&mut self, code: usize, to: Square, captured: usize, planes: [u64; 4]) {
        let bit = 1_u64 << to.index();
        for ((next, plane), spread) in self.next.planes.iter_mut().zip(planes).zip(SPREAD[code & 15]) {
            *next = plane | bit & spread;
        }
        self.next.squares[to.index()] = code as u8;
        self.next.checkers = self.checking[code & 7] & bit;
        (self.show)(&self.next);
        self.next.squares[to.index()] = captured as u8;
    }

    /// Shows a pawn's step, whose number of en passant is `number`. The planes are the board's but
    /// for what the last step left in those of pawns and colour; the state is set.
    #[inline(always)]
    fn pawn_steps(&mut self, to: Square, from: Square, number: u64) {
        if self.hiding >> from.index() & 1 != 0 {
            return self.play(Move::new(from, to));
        }
        let (code, bit) = (Self::OWN + PAWN, 1 << to.index());
        let both = bit | 1 << from.index();
        let change = self.inc.at(code, to.index()).without(self.inc.at(code, from.index()));
        self.next.key = self.key ^ change.key ^ number;
        self.next.sum = self.board.sum + change.value;
        self.next.planes[0] = self.board.planes[0] ^ both;
        if !WHITE {
            self.next.planes[3] = self.board.planes[3] ^ both;
        }
        self.next.checkers = self.checking[PAWN] & bit;
        self.next.squares[from.index()] = EMPTY as u8;
        self.next.squares[to.index()] = code as u8;
        (self.show)(&self.next);
        self.next.squares[to.index()] = EMPTY as u8;
        self.next.squares[from.index()] = code as u8;
    }

    /// Shows a pawn's capture; the state is set.
    #[inline(always)]
    fn pawn_takes(&mut self, to: Square, from: Square) {
        let (code, captured) = (Self::OWN + PAWN, self.board.code(to.index()));
        if self.hiding >> from.index() & 1 != 0 || captured == EMPTY {
            return self.play(Move::new(from, to));
        }
        let taken = self.inc.at(captured, to.index());
        let change = self.inc.at(code, to.index()).without(self.inc.at(code, from.index())).without(taken);
        self.next.key = self.key ^ change.key;
        self.next.sum = self.board.sum + change.value;
        self.next.squares[from.index()] = EMPTY as u8;
        self.put(code, to, captured, without(self.board.planes, 1 << from.index() | 1 << to.index()));
        self.next.squares[from.index()] = code as u8;
    }
}

impl<F: FnMut(&Board), const WHITE: bool> Sink for Successors<'_, F, WHITE> {
    #[inline]
    fn add(&mut self, mv: Move) -> bool {
        self.play(mv);
        false
    }

    #[inline]
    fn piece(&mut self, from: Square, targets: Bitboard) -> bool {
        if targets.is_empty() {
            return false;
        }
        let code = self.board.code(from.index());
        let castles = code & 7 == KING && !(targets & !attacks::king(from)).is_empty();
        if castles || self.hiding >> from.index() & 1 != 0 {
            for to in targets {
                self.play(Move::new(from, to));
            }
            return false;
        }
        let captures = !(targets & self.board.occupied()).is_empty();
        let leaving = self.inc.at(code, from.index());
        let before = self.board.state;
        let left = before.after(from.index(), from.index(), !captures);
        let castling = &self.inc.keys().castling;
        let key = self.key ^ leaving.key;
        let sum = self.board.sum - leaving.value;
        let planes = without(self.board.planes, 1 << from.index());
        self.next.squares[from.index()] = EMPTY as u8;
        if captures {
            targets.for_each(|to| {
                let captured = self.board.code(to.index());
                let change = self.inc.at(code, to.index()).without(self.inc.at(captured, to.index()));
                let state = left.after_capture(to.index());
                self.next.state = state;
                self.next.key = key ^ change.key ^ castling[before.rights_changed(state)];
                self.next.sum = sum + change.value;
                self.put(code, to, captured, without(planes, 1 << to.index()));
            });
        } else {
            self.next.state = left;
            let key = key ^ castling[before.rights_changed(left)];
            targets.for_each(|to| {
                let change = self.inc.at(code, to.index());
                self.next.key = key ^ change.key;
                self.next.sum = sum + change.value;
                self.put(code, to, EMPTY, planes);
            });
        }
        self.next.squares[from.index()] = code as u8;
        false
    }

    #[inline]
    fn pawns(&mut self, targets: Bitboard, step: i8) -> bool {
        if targets.is_empty() {
            return false;
        }
        let board = self.board;
        // No pawn of any of these moves touches a castling right, and neither does a2.
        let state = board.state.after(8, 8, false);
        self.next.state = state;
        if step & 7 != 0 {
            targets.for_each(|to| self.pawn_takes(to, origin(to, step)));
        } else if step.unsigned_abs() == 8 {
            self.next.planes = board.planes;
            targets.for_each(|to| self.pawn_steps(to, origin(to, step), 0));
        } else {
            let keys = self.inc.keys();
            self.next.planes = board.planes;
            targets.for_each(|to| {
                let (from, target) = (origin(to, step), origin(to, step / 2));
                let keyed = board.en_passant_counts(target, keys.rule, 1 << from.index() | 1 << to.index());
                let (square, number) = if keyed { (target.index(), keys.en_passant[target.index()]) } else { (0, 0) };
                self.next.state = state.with_en_passant(target.index()).with_keyed(square);
                self.pawn_steps(to, from, number);
            });
        }
        false
    }
}
