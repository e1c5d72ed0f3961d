//! Space: safe squares for the minor pieces. Source: "Writing a Chess Engine: Move Selection",
//! evaluation functions.

use crate::chess::{Bitboard, Board, Color, Piece, attacks};

/// Counts the squares to which a knight or bishop of `side` can move and which no enemy pawn
/// attacks.
pub fn count(board: &Board, side: Color) -> i32 {
    let attacked_by_pawns = board
        .pieces(!side, Piece::Pawn)
        .fold(Bitboard(0), |squares, pawn| squares | attacks::of(Piece::Pawn, !side, pawn, board.occupied()));
    let reachable = [Piece::Knight, Piece::Bishop]
        .into_iter()
        .flat_map(|piece| board.pieces(side, piece).map(move |square| (piece, square)))
        .fold(Bitboard(0), |squares, (piece, square)| squares | attacks::of(piece, side, square, board.occupied()));
    (reachable & !board.pieces_of(side) & !attacked_by_pawns).count() as i32
}
