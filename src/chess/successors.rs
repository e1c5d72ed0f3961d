//! All positions that are one move away, shown one after the other in the same board.
//!
//! The work that the moves of a piece share (removing it from its square, passing the turn, finding
//! the squares where it would give check) is done once, and each move overwrites the changes of the
//! one before. For perft, which plays every move, this takes less than half the time of
//! [`Board::play`].

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

/// Calls `show` with every position that a legal move leads to, in generation order. Each is equal
/// to the result of [`Board::play`].
#[inline]
pub fn for_each<F: FnMut(&Board)>(board: &Board, inc: &Increments, show: F) {
    match board.turn() {
        Color::White => movegen::generate_into(board, &mut Successors::<F, true>::new(board, inc, show)),
        Color::Black => movegen::generate_into(board, &mut Successors::<F, false>::new(board, inc, show)),
    }
}

/// The planes without the pieces on some squares. Written out, because `map` would call a function
/// for each plane if its closure is compiled in another codegen unit.
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
    /// The board in which positions are shown. Between calls its mailbox is that of `board`; all
    /// other parts are written by every move.
    next: Board,
    /// The key with the turn passed and without the e.p. number.
    key: u64,
    /// The squares from which a piece would give check, by the number of its kind.
    checking: [u64; 8],
    /// Own pieces that could uncover a check by another piece.
    hiding: u64,
}

impl<'a, F: FnMut(&Board), const WHITE: bool> Successors<'a, F, WHITE> {
    const US: Color = if WHITE { Color::White } else { Color::Black };
    const THEM: Color = if WHITE { Color::Black } else { Color::White };
    const OWN: usize = if WHITE { 0 } else { 8 };

    #[inline]
    fn new(board: &'a Board, inc: &'a Increments, show: F) -> Self {
        let (king, occupied, own_pieces) = (board.king(Self::THEM), board.occupied(), board.pieces_of(Self::US));
        let mut checking = [0; 8];
        let (diagonals, straights) = (attacks::bishop(king, occupied).0, attacks::rook(king, occupied).0);
        checking[Piece::Pawn.number()] = attacks::pawn(Self::THEM, king).0;
        checking[Piece::Knight.number()] = attacks::knight(king).0;
        checking[Piece::Bishop.number()] = diagonals;
        checking[Piece::Rook.number()] = straights;
        checking[Piece::Queen.number()] = diagonals | straights;
        let snipers =
            attacks::bishop_rays(king) & board.diagonal_sliders() | attacks::rook_rays(king) & board.straight_sliders();
        let mut hiding = 0;
        for sniper in snipers & own_pieces {
            let blockers = attacks::between(king, sniper) & occupied;
            if !blockers.many() {
                hiding |= blockers.0 & own_pieces.0;
            }
        }
        let keys = inc.keys();
        let keyed_square = board.state.keyed();
        let key = board.key ^ keys.side ^ if keyed_square == 0 { 0 } else { keys.en_passant[keyed_square] };
        Self { board, inc, show, next: *board, key, checking, hiding }
    }

    /// Shows the position after any move, played on a copy of the board.
    fn play(&mut self, mv: Move) {
        let mut child = *self.board;
        child.play(mv, self.inc);
        (self.show)(&child);
    }

    /// Shows the position with a piece put on `to`, in place of `captured`. `planes`: the planes
    /// without both pieces.
    #[inline(always)]
    fn show_with_piece(&mut self, code: usize, to: Square, captured: usize, planes: [u64; 4]) {
        let bit = 1_u64 << to.index();
        for ((next, plane), spread) in self.next.planes.iter_mut().zip(planes).zip(SPREAD[code & 15]) {
            *next = plane | bit & spread;
        }
        self.next.squares[to.index()] = code as u8;
        self.next.checkers = self.checking[code & 7] & bit;
        (self.show)(&self.next);
        self.next.squares[to.index()] = captured as u8;
    }

    /// Shows the position after a pawn's push. `number`: the e.p. number that it adds to the key.
    /// Before the call the state must be set, and the planes must be those of the board, except
    /// that the planes of pawns and colour may have the last push.
    #[inline(always)]
    fn show_push(&mut self, to: Square, from: Square, number: u64) {
        if self.hiding >> from.index() & 1 != 0 {
            return self.play(Move::new(from, to));
        }
        let (code, bit) = (Self::OWN + PAWN, 1 << to.index());
        let both_squares = bit | 1 << from.index();
        let change = self.inc.at(code, to.index()).without(self.inc.at(code, from.index()));
        self.next.key = self.key ^ change.key ^ number;
        self.next.sum = self.board.sum + change.value;
        // A pawn is in the first plane, a black one in the fourth too.
        self.next.planes[0] = self.board.planes[0] ^ both_squares;
        if !WHITE {
            self.next.planes[3] = self.board.planes[3] ^ both_squares;
        }
        self.next.checkers = self.checking[PAWN] & bit;
        self.next.squares[from.index()] = EMPTY as u8;
        self.next.squares[to.index()] = code as u8;
        (self.show)(&self.next);
        self.next.squares[to.index()] = EMPTY as u8;
        self.next.squares[from.index()] = code as u8;
    }

    /// Shows the position after a pawn's capture. The state must be set before the call.
    #[inline(always)]
    fn show_pawn_capture(&mut self, to: Square, from: Square) {
        let (code, captured) = (Self::OWN + PAWN, self.board.code(to.index()));
        // An en passant capture takes nothing on `to`.
        if self.hiding >> from.index() & 1 != 0 || captured == EMPTY {
            return self.play(Move::new(from, to));
        }
        let captured_increment = self.inc.at(captured, to.index());
        let change = self.inc.at(code, to.index()).without(self.inc.at(code, from.index())).without(captured_increment);
        self.next.key = self.key ^ change.key;
        self.next.sum = self.board.sum + change.value;
        self.next.squares[from.index()] = EMPTY as u8;
        self.show_with_piece(code, to, captured, without(self.board.planes, 1 << from.index() | 1 << to.index()));
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
    fn add_piece_moves(&mut self, from: Square, targets: Bitboard) -> bool {
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
        // The moves of one call are either all captures or all quiet.
        let captures = !(targets & self.board.occupied()).is_empty();
        let removed = self.inc.at(code, from.index());
        let before = self.board.state;
        // The state after the piece has left its square; a capture may also take a castling right.
        let after = before.after(from.index(), from.index(), !captures);
        let castling = &self.inc.keys().castling;
        let key = self.key ^ removed.key;
        let sum = self.board.sum - removed.value;
        let planes = without(self.board.planes, 1 << from.index());
        self.next.squares[from.index()] = EMPTY as u8;
        if captures {
            targets.for_each(|to| {
                let captured = self.board.code(to.index());
                let change = self.inc.at(code, to.index()).without(self.inc.at(captured, to.index()));
                let state = after.after_capture(to.index());
                self.next.state = state;
                self.next.key = key ^ change.key ^ castling[before.rights_changed(state)];
                self.next.sum = sum + change.value;
                self.show_with_piece(code, to, captured, without(planes, 1 << to.index()));
            });
        } else {
            self.next.state = after;
            let key = key ^ castling[before.rights_changed(after)];
            targets.for_each(|to| {
                let change = self.inc.at(code, to.index());
                self.next.key = key ^ change.key;
                self.next.sum = sum + change.value;
                self.show_with_piece(code, to, EMPTY, planes);
            });
        }
        self.next.squares[from.index()] = code as u8;
        false
    }

    #[inline]
    fn add_pawn_moves(&mut self, targets: Bitboard, step: i8) -> bool {
        if targets.is_empty() {
            return false;
        }
        let board = self.board;
        // None of these moves changes a castling right; a2 (8) stands for squares that change none.
        let state = board.state.after(8, 8, false);
        self.next.state = state;
        // Captures step by 7 or 9, pushes by 8 or 16.
        if step & 7 != 0 {
            targets.for_each(|to| self.show_pawn_capture(to, origin(to, step)));
        } else if step.unsigned_abs() == 8 {
            self.next.planes = board.planes;
            targets.for_each(|to| self.show_push(to, origin(to, step), 0));
        } else {
            let keys = self.inc.keys();
            self.next.planes = board.planes;
            targets.for_each(|to| {
                let (from, target) = (origin(to, step), origin(to, step / 2));
                let counts = board.en_passant_counts(target, keys.rule, 1 << from.index() | 1 << to.index());
                let (keyed_square, number) =
                    if counts { (target.index(), keys.en_passant[target.index()]) } else { (0, 0) };
                self.next.state = state.with_en_passant(target.index()).with_keyed(keyed_square);
                self.show_push(to, from, number);
            });
        }
        false
    }
}
