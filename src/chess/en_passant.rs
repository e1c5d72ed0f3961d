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
        self.en_passant().is_some_and(|target| self.en_passant_counts(target, rule, 0))
    }

    /// Whether the number of the e.p. square `target` is in the key under `rule`. `pushed`: a mask
    /// of the two squares of the double push if it has not been played yet, else 0.
    #[inline]
    pub(super) fn en_passant_counts(&self, target: Square, rule: EpRule, pushed: u64) -> bool {
        // A target on the third rank was pushed by White.
        let pusher = if target.rank() == 2 { Color::White } else { Color::Black };
        let capturers = self.en_passant_capturers(target, pusher);
        match rule {
            EpRule::Always => true,
            EpRule::Never => false,
            EpRule::PseudoLegal => !capturers.is_empty(),
            EpRule::Legal => !capturers.is_empty() && self.any_en_passant_is_safe(capturers, target, pusher, pushed),
        }
    }

    #[cold]
    fn any_en_passant_is_safe(&self, mut capturers: Bitboard, target: Square, pusher: Color, pushed: u64) -> bool {
        capturers.any(|from| self.en_passant_is_safe(from, target, pusher, pushed))
    }

    /// The pawns that attack the e.p. square behind a pawn of `pusher`.
    #[inline]
    pub(super) fn en_passant_capturers(&self, target: Square, pusher: Color) -> Bitboard {
        attacks::pawn(pusher, target) & self.pieces(!pusher, Piece::Pawn)
    }

    /// Whether the king of the capturing side is safe after an en passant capture. `pushed`: the
    /// squares of a double push that the board does not show yet; 0 if it does.
    pub(super) fn en_passant_is_safe(&self, from: Square, target: Square, pusher: Color, pushed: u64) -> bool {
        // `^ 8`: the captured pawn stands one rank from the target, on the same file.
        let victim = 1_u64 << (target.index() ^ 8);
        let occupied = (self.occupied().0 ^ pushed ^ victim ^ 1 << from.index()) | 1 << target.index();
        let enemies = (self.pieces_of(pusher).0 ^ pushed) & !victim;
        let king = self.king(!pusher);
        let pawn_attackers = (self.kind(Piece::Pawn).0 ^ pushed) & attacks::pawn(!pusher, king).0;
        let other_attackers = self.attackers(king, pusher, Bitboard(occupied)).0 & !self.kind(Piece::Pawn).0;
        ((pawn_attackers | other_attackers) & enemies) == 0
    }

    /// Whether a move is an en passant capture.
    #[inline]
    pub fn is_en_passant(&self, mv: Move) -> bool {
        // No pawn can be pushed to the square behind an enemy pawn: it would have to come from that
        // pawn's square.
        self.en_passant() == Some(mv.to()) && self.piece_on(mv.from()) == Some(Piece::Pawn)
    }
}
