//! Mobility: how many moves the pieces have. Source: "Writing a Chess Engine: Move Selection",
//! evaluation functions.

use crate::chess::{Board, Color, Piece, attacks};

/// Counts the pseudo-legal moves of a side's knights, bishops, rooks and queens.
pub fn count(board: &Board, side: Color) -> i32 {
    let not_own = !board.pieces_of(side);
    [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen]
        .into_iter()
        .flat_map(|piece| board.pieces(side, piece).map(move |square| (piece, square)))
        .map(|(piece, square)| (attacks::of(piece, side, square, board.occupied()) & not_own).count() as i32)
        .sum()
}
