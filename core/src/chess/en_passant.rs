//! En passant: when a capture exists, and when it is safe.

use super::attacks;
use super::bitboard::Bitboard;
use super::board::Board;
use super::keys::EpRule;
use super::moves::Move;
use super::types::{Color, Piece, Square};

impl Board {
    /// Whether an en passant capture exists in the sense of `rule`.
    pub fn has_en_passant(&self, rule: EpRule) -> bool {
        self.en_passant().is_some_and(|target| self.en_passant_is_keyed(target, rule, 0))
    }

    /// Whether the number of the e.p. square `target` is in the key under `rule`. `push_mask` has
    /// the two squares of the double push if the push has not been played on this board yet,
    /// otherwise it is 0.
    #[inline]
    pub(super) fn en_passant_is_keyed(&self, target: Square, rule: EpRule, push_mask: u64) -> bool {
        // A target on the third rank is behind a pawn of White.
        let pusher = if target.rank() == 2 { Color::White } else { Color::Black };
        let capturers = self.en_passant_capturers(target, pusher);
        match rule {
            EpRule::Always => true,
            EpRule::Never => false,
            EpRule::PseudoLegal => !capturers.is_empty(),
            EpRule::Legal => !capturers.is_empty() && self.any_en_passant_is_safe(capturers, target, pusher, push_mask),
        }
    }

    #[cold]
    fn any_en_passant_is_safe(&self, mut capturers: Bitboard, target: Square, pusher: Color, push_mask: u64) -> bool {
        capturers.any(|from| self.en_passant_is_safe(from, target, pusher, push_mask))
    }

    /// The pawns that attack the e.p. square behind a pawn of `pusher`.
    #[inline]
    pub(super) fn en_passant_capturers(&self, target: Square, pusher: Color) -> Bitboard {
        attacks::pawn(pusher, target) & self.pieces(!pusher, Piece::Pawn)
    }

    /// Whether the king of the capturing side is safe after an en passant capture by the pawn on
    /// `from`. `push_mask` has the two squares of the double push if the push has not been played
    /// on this board yet, otherwise it is 0.
    pub(super) fn en_passant_is_safe(&self, from: Square, target: Square, pusher: Color, push_mask: u64) -> bool {
        // The captured pawn stands on the same file as the target, one rank away from it. `^ 8`
        // gives this square.
        let captured_pawn = 1_u64 << (target.index() ^ 8);
        let occupied = (self.occupied().0 ^ push_mask ^ captured_pawn ^ 1 << from.index()) | 1 << target.index();
        let enemies = (self.pieces_of(pusher).0 ^ push_mask) & !captured_pawn;
        let king = self.king(!pusher);
        let pawn_attackers = (self.kind(Piece::Pawn).0 ^ push_mask) & attacks::pawn(!pusher, king).0;
        let other_attackers = self.attackers(king, pusher, Bitboard(occupied)).0 & !self.kind(Piece::Pawn).0;
        ((pawn_attackers | other_attackers) & enemies) == 0
    }

    /// Whether a move is an en passant capture.
    #[inline]
    pub fn is_en_passant(&self, mv: Move) -> bool {
        // A pawn that moves to the e.p. square captures. A push to this square would have to come
        // from the square of the enemy pawn.
        self.en_passant() == Some(mv.to()) && self.piece_on(mv.from()) == Some(Piece::Pawn)
    }
}
