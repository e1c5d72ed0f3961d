//! Perft counts the games of a given length. It is the classic check of a move generator.

use super::board::Board;
use super::increments::Increments;
use super::moves::{Move, MoveList};
use super::{movegen, successors};

/// The last moves are played too, and their key and sum are computed.
pub fn full_count(board: &Board, inc: &Increments, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut leaves = 0;
    successors::for_each(board, inc, |child| {
        // Without the black box, the compiler would not build the position of a leaf.
        let child = std::hint::black_box(child);
        leaves += if depth > 1 { full_count(child, inc, depth - 1) } else { 1 };
    });
    leaves
}

/// The last moves are counted without being played.
pub fn bulk_count(board: &Board, inc: &Increments, depth: u32) -> u64 {
    if depth <= 1 {
        return if depth == 0 { 1 } else { movegen::count_legal(board) };
    }
    let mut leaves = 0;
    successors::for_each(board, inc, |child| leaves += bulk_count(child, inc, depth - 1));
    leaves
}

/// `depth` must be at least 1.
pub fn divide(board: &Board, inc: &Increments, depth: u32) -> Vec<(Move, u64)> {
    let mut moves = MoveList::new();
    movegen::legal(board, &mut moves);
    let count_after = |&mv: &Move| {
        let mut child = *board;
        child.play(mv, inc);
        (mv, bulk_count(&child, inc, depth.saturating_sub(1)))
    };
    moves.iter().map(count_after).collect()
}
