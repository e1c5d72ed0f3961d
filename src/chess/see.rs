//! Static exchange evaluation: what a capture wins once both sides have recaptured as long as it
//! pays.

use super::attacks;
use super::bitboard::Bitboard;
use super::board::Board;
use super::moves::Move;
use super::types::{Color, Piece, Square};

impl Board {
    /// The material that a move wins or loses on its target square, for the side to move, in the
    /// units of `values` (by [`Piece`]; the king's is not used).
    ///
    /// Each side recaptures with its cheapest piece and may stop at any time; pieces behind the
    /// capturers join in. Pins and promotions by recapture are not seen. Castling is worth 0.
    /// Source: F. Reul, "Static exchange evaluation with alpha-beta approach", ICGA Journal, 2010.
    pub fn see(&self, mv: Move, values: &[i32; 6]) -> i32 {
        let (from, to) = (mv.from(), mv.to());
        let Some(mover) = self.piece_on(from) else { return 0 };
        if mover == Piece::King && from.index().abs_diff(to.index()) == 2 {
            return 0;
        }
        let mut occupied = (self.occupied() ^ Bitboard::from_square(from)) | Bitboard::from_square(to);
        if self.is_en_passant(mv) {
            occupied = occupied ^ Bitboard(1 << (to.index() ^ 8));
        }
        let value = |piece: Piece| values[piece as usize];
        let promotion_gain = mv.promotion().map_or(0, |piece| value(piece) - value(Piece::Pawn));
        // By ply: what the side that moves there has won if the exchange ends with its move.
        let mut gains = [0; 33];
        gains[0] = self.captured(mv).map_or(0, value) + promotion_gain;
        let mut on_target = mv.promotion().unwrap_or(mover);
        let mut side = !self.turn();
        let mut ply = 0;
        while ply < 32 {
            let Some((from, piece)) = self.cheapest_attacker(to, side, occupied) else { break };
            occupied = occupied ^ Bitboard::from_square(from);
            if piece == Piece::King && self.cheapest_attacker(to, !side, occupied).is_some() {
                break;
            }
            ply += 1;
            gains[ply] = value(on_target) - gains[ply - 1];
            on_target = piece;
            side = !side;
        }
        // Backwards: a side moves only if that wins more than to stop.
        while ply > 0 {
            gains[ply - 1] = -gains[ply].max(-gains[ply - 1]);
            ply -= 1;
        }
        gains[0]
    }

    /// The cheapest piece of `side` that attacks `to`, of those that still stand in `occupied`.
    fn cheapest_attacker(&self, to: Square, side: Color, occupied: Bitboard) -> Option<(Square, Piece)> {
        Piece::ALL.into_iter().find_map(|piece| {
            let reach = match piece {
                Piece::Pawn => attacks::pawn(!side, to),
                Piece::Knight => attacks::knight(to),
                Piece::Bishop => attacks::bishop(to, occupied),
                Piece::Rook => attacks::rook(to, occupied),
                Piece::Queen => attacks::queen(to, occupied),
                Piece::King => attacks::king(to),
            };
            (reach & self.pieces(side, piece) & occupied).first().map(|square| (square, piece))
        })
    }
}
