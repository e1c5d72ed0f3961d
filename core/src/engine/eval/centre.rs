//! Centre control. Source: "Writing a Chess Engine: Move Selection", evaluation functions.

use crate::chess::{Bitboard, Board, Color, Piece, attacks};

/// d4, e4, d5, e5.
const CENTRE: Bitboard = Bitboard(0x0000_0018_1800_0000);

/// Counts a side's pieces on the four central squares, and its attacks on them.
pub fn count(board: &Board, side: Color) -> i32 {
    let occupying = (board.pieces_of(side) & CENTRE).count() as i32;
    let attacking: i32 = Piece::ALL
        .into_iter()
        .flat_map(|piece| board.pieces(side, piece).map(move |square| (piece, square)))
        .map(|(piece, square)| (attacks::of(piece, side, square, board.occupied()) & CENTRE).count() as i32)
        .sum();
    occupying + attacking
}
