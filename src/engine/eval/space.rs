//! Space: safe squares for the minor pieces. Source: "Writing a Chess Engine: Move Selection",
//! evaluation functions.

use super::attacks_of;
use crate::chess::{Bitboard, Board, Color, Piece};

/// Squares that a side's knights and bishops can go to and that no enemy pawn attacks, each counted
/// once.
pub fn count(board: &Board, side: Color) -> i32 {
    let guarded = board
        .pieces(!side, Piece::Pawn)
        .fold(Bitboard(0), |squares, pawn| squares | attacks_of(Piece::Pawn, !side, pawn, board.occupied()));
    let reach = [Piece::Knight, Piece::Bishop]
        .into_iter()
        .flat_map(|piece| board.pieces(side, piece).map(move |square| (piece, square)))
        .fold(Bitboard(0), |squares, (piece, square)| squares | attacks_of(piece, side, square, board.occupied()));
    (reach & !board.colored(side) & !guarded).count() as i32
}
