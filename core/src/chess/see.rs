//! Static exchange evaluation: what a capture wins once both sides have recaptured as long as it
//! pays.

use super::attacks;
use super::bitboard::Bitboard;
use super::board::Board;
use super::moves::Move;
use super::types::{Color, Piece, Square};

impl Board {
    /// `values` has the value of each [`Piece`]. The value of the king is not used.
    ///
    /// Each side recaptures with its cheapest piece and may stop at any time. Sliders behind a
    /// capturer join in once the capturer has moved. Pins and promotions by a recapture are
    /// ignored. Castling is worth 0. Source: F. Reul, "Static exchange evaluation with alpha-beta
    /// approach", ICGA Journal, 2010.
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
        // For each ply, the balance of material for the side that moves at this ply, if the
        // exchange ends with this move.
        let mut gains = [0; 33];
        gains[0] = self.captured(mv).map_or(0, value) + promotion_gain;
        let mut piece_on_target = mv.promotion().unwrap_or(mover);
        let mut side = !self.turn();
        let mut ply = 0;
        while ply < 32 {
            let Some((from, piece)) = self.cheapest_attacker(to, side, occupied) else { break };
            occupied = occupied ^ Bitboard::from_square(from);
            if piece == Piece::King && self.cheapest_attacker(to, !side, occupied).is_some() {
                break;
            }
            ply += 1;
            gains[ply] = value(piece_on_target) - gains[ply - 1];
            piece_on_target = piece;
            side = !side;
        }
        // From the last ply to the first, a side moves only if the move wins more than stopping.
        while ply > 0 {
            gains[ply - 1] = -gains[ply].max(-gains[ply - 1]);
            ply -= 1;
        }
        gains[0]
    }

    /// Only pieces on `occupied` squares are considered.
    fn cheapest_attacker(&self, to: Square, side: Color, occupied: Bitboard) -> Option<(Square, Piece)> {
        Piece::ALL.into_iter().find_map(|piece| {
            let reach = attacks::of(piece, !side, to, occupied);
            (reach & self.pieces(side, piece) & occupied).first().map(|square| (square, piece))
        })
    }
}
