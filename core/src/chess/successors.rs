//! Visits all positions that are one move away, one after the other in the same board.
//!
//! The work that all moves of a piece share is done only once: removing the piece from its square,
//! passing the turn, and finding the squares where the piece would give check. Each move then
//! overwrites the changes of the previous move. For perft, which plays every move, this takes less
//! than half the time of [`Board::play`].

use super::attacks;
use super::bitboard::Bitboard;
use super::board::Board;
use super::codes::{CODES, EMPTY, PLANE_MASKS};
use super::increments::Increments;
use super::movegen::{self, Sink, origin};
use super::moves::Move;
use super::types::{Color, Piece, Square};

const PAWN: usize = CODES[Piece::Pawn as usize];
const KING: usize = CODES[Piece::King as usize];

/// Calls `visit` with every position that a legal move leads to, in generation order. Each position
/// is equal to the result of [`Board::play`].
#[inline]
pub fn for_each<F: FnMut(&Board)>(board: &Board, inc: &Increments, visit: F) {
    match board.turn() {
        Color::White => movegen::generate_into(board, &mut Successors::<F, true>::new(board, inc, visit)),
        Color::Black => movegen::generate_into(board, &mut Successors::<F, false>::new(board, inc, visit)),
    }
}

/// The four planes are written out because `map` would call a function for each plane if the
/// closure is compiled in another codegen unit.
#[inline(always)]
const fn clear(planes: [u64; 4], squares: u64) -> [u64; 4] {
    let [a, b, c, d] = planes;
    [a & !squares, b & !squares, c & !squares, d & !squares]
}

/// Visits the position after each move as soon as the move is generated.
struct Successors<'a, F, const WHITE: bool> {
    board: &'a Board,
    inc: &'a Increments,
    visit: F,
    /// The board that holds the visited position. Between two visits, its mailbox is equal to the
    /// mailbox of `board`. Every move overwrites all other parts.
    next: Board,
    /// The key of `board` after the turn is passed, without the e.p. number.
    key: u64,
    /// The squares from which each kind of piece would give check, by [`Piece::number`].
    checking_squares: [u64; 8],
    /// Own pieces whose moves could uncover a check by another piece.
    discovering_pieces: u64,
}

impl<'a, F: FnMut(&Board), const WHITE: bool> Successors<'a, F, WHITE> {
    const US: Color = if WHITE { Color::White } else { Color::Black };
    const THEM: Color = if WHITE { Color::Black } else { Color::White };
    const OWN: usize = if WHITE { 0 } else { 8 };

    #[inline]
    fn new(board: &'a Board, inc: &'a Increments, visit: F) -> Self {
        let (king, occupied, own_pieces) = (board.king(Self::THEM), board.occupied(), board.pieces_of(Self::US));
        let mut checking_squares = [0; 8];
        let (diagonals, straights) = (attacks::bishop(king, occupied).0, attacks::rook(king, occupied).0);
        checking_squares[Piece::Pawn.number()] = attacks::pawn(Self::THEM, king).0;
        checking_squares[Piece::Knight.number()] = attacks::knight(king).0;
        checking_squares[Piece::Bishop.number()] = diagonals;
        checking_squares[Piece::Rook.number()] = straights;
        checking_squares[Piece::Queen.number()] = diagonals | straights;
        let aligned_sliders =
            attacks::bishop_rays(king) & board.diagonal_sliders() | attacks::rook_rays(king) & board.straight_sliders();
        let mut discovering_pieces = 0;
        for slider in aligned_sliders & own_pieces {
            let blockers = attacks::between(king, slider) & occupied;
            if !blockers.has_several() {
                discovering_pieces |= blockers.0 & own_pieces.0;
            }
        }
        let keys = inc.keys();
        let keyed_square = board.state.keyed();
        let key = board.key ^ keys.side ^ if keyed_square == 0 { 0 } else { keys.en_passant[keyed_square] };
        Self { board, inc, visit, next: *board, key, checking_squares, discovering_pieces }
    }

    /// Plays a move of any kind on a copy of the board, and visits the position.
    fn play_on_copy(&mut self, mv: Move) {
        let mut child = *self.board;
        child.play(mv, self.inc);
        (self.visit)(&child);
    }

    /// Visits the position in which the piece with this code stands on `to`. `captured` is the code
    /// of the captured piece, which is put back into the mailbox after the visit. `planes` are the
    /// planes without the moved piece and without the captured piece.
    #[inline(always)]
    fn visit_with_piece(&mut self, code: usize, to: Square, captured: usize, planes: [u64; 4]) {
        let bit = 1_u64 << to.index();
        for ((next, plane), mask) in self.next.planes.iter_mut().zip(planes).zip(PLANE_MASKS[code & 15]) {
            *next = plane | bit & mask;
        }
        self.next.squares[to.index()] = code as u8;
        self.next.checkers = self.checking_squares[code & 7] & bit;
        (self.visit)(&self.next);
        self.next.squares[to.index()] = captured as u8;
    }

    /// Visits the position after a pawn's push. `en_passant_number` is the e.p. number that the
    /// push adds to the key, or 0.
    ///
    /// Before the call, the state of `next` must be set, and its planes must be equal to those of
    /// the board. The planes of pawns and of colour need not be equal, because the call overwrites
    /// them.
    #[inline(always)]
    fn visit_push(&mut self, to: Square, from: Square, en_passant_number: u64) {
        if self.discovering_pieces >> from.index() & 1 != 0 {
            return self.play_on_copy(Move::new(from, to));
        }
        let (code, bit) = (Self::OWN + PAWN, 1 << to.index());
        let both_squares = bit | 1 << from.index();
        let change = self.inc.at(code, to.index()).without(self.inc.at(code, from.index()));
        self.next.key = self.key ^ change.key ^ en_passant_number;
        self.next.sum = self.board.sum + change.value;
        // Every pawn is in the first plane, and every black pawn is also in the fourth plane.
        self.next.planes[0] = self.board.planes[0] ^ both_squares;
        if !WHITE {
            self.next.planes[3] = self.board.planes[3] ^ both_squares;
        }
        self.next.checkers = self.checking_squares[PAWN] & bit;
        self.next.squares[from.index()] = EMPTY as u8;
        self.next.squares[to.index()] = code as u8;
        (self.visit)(&self.next);
        self.next.squares[to.index()] = EMPTY as u8;
        self.next.squares[from.index()] = code as u8;
    }

    /// Visits the position after a pawn's capture. The state of `next` must be set before the call.
    #[inline(always)]
    fn visit_pawn_capture(&mut self, to: Square, from: Square) {
        let (code, captured) = (Self::OWN + PAWN, self.board.code(to.index()));
        // In an en passant capture, `to` is empty.
        if self.discovering_pieces >> from.index() & 1 != 0 || captured == EMPTY {
            return self.play_on_copy(Move::new(from, to));
        }
        let captured_increment = self.inc.at(captured, to.index());
        let change = self.inc.at(code, to.index()).without(self.inc.at(code, from.index())).without(captured_increment);
        self.next.key = self.key ^ change.key;
        self.next.sum = self.board.sum + change.value;
        self.next.squares[from.index()] = EMPTY as u8;
        self.visit_with_piece(code, to, captured, clear(self.board.planes, 1 << from.index() | 1 << to.index()));
        self.next.squares[from.index()] = code as u8;
    }
}

impl<F: FnMut(&Board), const WHITE: bool> Sink for Successors<'_, F, WHITE> {
    #[inline]
    fn add(&mut self, mv: Move) -> bool {
        self.play_on_copy(mv);
        false
    }

    #[inline]
    fn add_piece_moves(&mut self, _: Piece, from: Square, targets: Bitboard) -> bool {
        if targets.is_empty() {
            return false;
        }
        let code = self.board.code(from.index());
        let includes_castling = code & 7 == KING && !(targets & !attacks::king(from)).is_empty();
        if includes_castling || self.discovering_pieces >> from.index() & 1 != 0 {
            for to in targets {
                self.play_on_copy(Move::new(from, to));
            }
            return false;
        }
        // The moves of one call are either all captures or all quiet.
        let are_captures = !(targets & self.board.occupied()).is_empty();
        let from_increment = self.inc.at(code, from.index());
        let before = self.board.state;
        // The state after the piece has left its square. If a capture removes another castling
        // right, the state is changed once more for each target below.
        let after = before.after(from.index(), from.index(), !are_captures);
        let castling = &self.inc.keys().castling;
        let key = self.key ^ from_increment.key;
        let sum = self.board.sum - from_increment.value;
        let planes = clear(self.board.planes, 1 << from.index());
        self.next.squares[from.index()] = EMPTY as u8;
        if are_captures {
            targets.for_each(|to| {
                let captured = self.board.code(to.index());
                let change = self.inc.at(code, to.index()).without(self.inc.at(captured, to.index()));
                let state = after.after_capture(to.index());
                self.next.state = state;
                self.next.key = key ^ change.key ^ castling[before.rights_changed(state)];
                self.next.sum = sum + change.value;
                self.visit_with_piece(code, to, captured, clear(planes, 1 << to.index()));
            });
        } else {
            self.next.state = after;
            let key = key ^ castling[before.rights_changed(after)];
            targets.for_each(|to| {
                let change = self.inc.at(code, to.index());
                self.next.key = key ^ change.key;
                self.next.sum = sum + change.value;
                self.visit_with_piece(code, to, EMPTY, planes);
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
        // None of these moves changes a castling right. The move from a2 (8) to a2 stands for all
        // of them, because a2 has no influence on castling rights either.
        let state = board.state.after(8, 8, false);
        self.next.state = state;
        // The steps of captures are 7 and 9. The steps of pushes are 8 and 16.
        if step & 7 != 0 {
            targets.for_each(|to| self.visit_pawn_capture(to, origin(to, step)));
        } else if step.unsigned_abs() == 8 {
            self.next.planes = board.planes;
            targets.for_each(|to| self.visit_push(to, origin(to, step), 0));
        } else {
            let keys = self.inc.keys();
            self.next.planes = board.planes;
            targets.for_each(|to| {
                let (from, skipped) = (origin(to, step), origin(to, step / 2));
                let is_keyed = board.en_passant_is_keyed(skipped, keys.rule, 1 << from.index() | 1 << to.index());
                let (keyed_square, number) =
                    if is_keyed { (skipped.index(), keys.en_passant[skipped.index()]) } else { (0, 0) };
                self.next.state = state.with_en_passant(skipped.index()).with_keyed(keyed_square);
                self.visit_push(to, from, number);
            });
        }
        false
    }
}
