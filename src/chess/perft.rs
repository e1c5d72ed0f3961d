//! Perft: the number of games of a given length, the classic check of a move generator.

use super::bitboard::Bitboard;
use super::board::Board;
use super::increments::Increments;
use super::movegen::{self, Sink, origin};
use super::moves::{Move, MoveList};
use super::types::{Piece, Square};

/// The number of legal games of `depth` plies. Every leaf's move is played, key and sum included.
#[must_use]
pub fn full(board: &Board, inc: &Increments, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut games = Games { board, inc, depth, leaves: 0 };
    movegen::show(board, &mut games);
    games.leaves
}

/// Plays moves as they are generated.
struct Games<'a> {
    board: &'a Board,
    inc: &'a Increments,
    depth: u32,
    leaves: u64,
}

impl Games<'_> {
    #[inline]
    fn play(&mut self, mv: Move) {
        let mut child = *self.board;
        child.play(mv, self.inc);
        // The leaf is shown to a stranger, or the compiler would not make it.
        let child = std::hint::black_box(&child);
        self.leaves += if self.depth > 1 { full(child, self.inc, self.depth - 1) } else { 1 };
    }
}

impl Sink for Games<'_> {
    #[inline]
    fn piece(&mut self, from: Square, targets: Bitboard) -> bool {
        targets.for_each(|to| self.play(Move::new(from, to)));
        false
    }

    #[inline]
    fn pawns(&mut self, targets: Bitboard, step: i8) -> bool {
        targets.for_each(|to| self.play(Move::new(origin(to, step), to)));
        false
    }

    #[inline]
    fn promotions(&mut self, targets: Bitboard, step: i8) -> bool {
        for to in targets {
            for piece in [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen] {
                self.play(Move::promoting(origin(to, step), to, piece));
            }
        }
        false
    }
}

/// The number of legal games of `depth` plies; at the last ply moves are counted, not played.
#[must_use]
pub fn bulk(board: &Board, inc: &Increments, depth: u32) -> u64 {
    if depth <= 1 {
        return if depth == 0 { 1 } else { movegen::count(board) };
    }
    let mut moves = MoveList::new();
    movegen::legal(board, &mut moves);
    let mut leaves = 0;
    for &mv in moves.iter() {
        let mut child = *board;
        child.play(mv, inc);
        leaves += bulk(&child, inc, depth - 1);
    }
    leaves
}

/// The games of `depth` plies (at least 1) by their first move, in generation order.
#[must_use]
pub fn divide(board: &Board, inc: &Increments, depth: u32) -> Vec<(Move, u64)> {
    let mut moves = MoveList::new();
    movegen::legal(board, &mut moves);
    let after = |&mv: &Move| {
        let mut child = *board;
        child.play(mv, inc);
        (mv, bulk(&child, inc, depth.saturating_sub(1)))
    };
    moves.iter().map(after).collect()
}
