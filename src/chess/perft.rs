//! Perft: the number of games of a given length, the classic check of a move generator.

use super::board::Board;
use super::increments::Increments;
use super::movegen;
use super::moves::{Move, MoveList};
use super::successors;

/// The number of legal games of `depth` plies. Every leaf's move is played, key and sum included.
pub fn full(board: &Board, inc: &Increments, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut leaves = 0;
    successors::for_each(board, inc, |child| {
        // The leaf is shown to a stranger, or the compiler would not make it.
        let child = std::hint::black_box(child);
        leaves += if depth > 1 { full(child, inc, depth - 1) } else { 1 };
    });
    leaves
}

/// The number of legal games of `depth` plies; at the last ply moves are counted, not played.
pub fn bulk(board: &Board, inc: &Increments, depth: u32) -> u64 {
    if depth <= 1 {
        return if depth == 0 { 1 } else { movegen::count(board) };
    }
    let mut leaves = 0;
    successors::for_each(board, inc, |child| leaves += bulk(child, inc, depth - 1));
    leaves
}

/// The games of `depth` plies (at least 1) by their first move, in generation order.
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
