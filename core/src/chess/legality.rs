//! Whether there is a legal move, and whether a given one is.

use super::attacks;
use super::bitboard::Bitboard;
use super::board::Board;
use super::movegen::{ahead, castling_moves, has_any_move, origin};
use super::moves::{Move, MoveList};
use super::types::{Color, Piece, Square};

impl Board {
    /// Whether there is a legal move. There is none at checkmate and stalemate. In most positions,
    /// a legal pawn push is found without generating moves.
    #[inline]
    pub fn has_legal_move(&self) -> bool {
        let has_push = match self.turn() {
            Color::White => self.has_free_push::<true>(),
            Color::Black => self.has_free_push::<false>(),
        };
        has_push || has_any_move(self)
    }

    /// Whether the side to move is not in check and can push a pawn that is not on a rank, file or
    /// diagonal of its king. Such a pawn cannot be pinned.
    #[inline]
    fn has_free_push<const WHITE: bool>(&self) -> bool {
        let us = if WHITE { Color::White } else { Color::Black };
        let king = self.king(us);
        let king_lines = attacks::bishop_rays(king).0 | attacks::rook_rays(king).0;
        let unpinned_pawns = self.pieces(us, Piece::Pawn).0 & !king_lines;
        !self.in_check() && ahead::<WHITE>(unpinned_pawns, 0) & !self.occupied().0 != 0
    }

    /// Whether a move is legal in this position. The move may have been generated for another
    /// position. For example, a table with short keys may return the move of another position.
    pub fn is_legal(&self, mv: Move) -> bool {
        let (from, to) = (mv.from(), mv.to());
        let (us, them) = (self.turn(), !self.turn());
        let Some(piece) = self.piece_on(from) else { return false };
        // A promotion code above 4 does not stand for a piece.
        if !self.pieces_of(us).has(from) || self.pieces_of(us).has(to) || mv.bits() >> 12 > 4 {
            return false;
        }
        let promotes = piece == Piece::Pawn && Bitboard::BACK_RANKS.has(to);
        if promotes != mv.promotion().is_some() {
            return false;
        }
        let occupied = self.occupied();
        let reached = match piece {
            Piece::Pawn => return self.is_legal_pawn_move(from, to),
            Piece::Knight => attacks::knight(from),
            Piece::Bishop => attacks::bishop(from, occupied),
            Piece::Rook => attacks::rook(from, occupied),
            Piece::Queen => attacks::queen(from, occupied),
            Piece::King if from.index().abs_diff(to.index()) == 2 => return self.is_legal_castling(mv),
            Piece::King => {
                let occupied_without_king = occupied ^ Bitboard::from_square(from);
                return attacks::king(from).has(to) && self.attackers(to, them, occupied_without_king).is_empty();
            }
        };
        reached.has(to) && self.leaves_king_safe(from, to)
    }

    fn is_legal_pawn_move(&self, from: Square, to: Square) -> bool {
        let us = self.turn();
        if self.en_passant() == Some(to) {
            return attacks::pawn(us, from).has(to) && self.en_passant_is_safe(from, to, !us, 0);
        }
        let (home_rank, step) = if us == Color::White { (1, 8) } else { (6, -8) };
        let is_empty = |square: Square| !self.occupied().has(square);
        // `origin` returns the square behind a step, so a negative step gives the square ahead.
        let [one_ahead, two_ahead] = [origin(from, -step), origin(from, -2 * step)];
        let can_reach = attacks::pawn(us, from).has(to) && self.pieces_of(!us).has(to)
            || to == one_ahead && is_empty(one_ahead)
            || from.rank() == home_rank && to == two_ahead && is_empty(one_ahead) && is_empty(to);
        can_reach && self.leaves_king_safe(from, to)
    }

    fn is_legal_castling(&self, mv: Move) -> bool {
        let mut list = MoveList::new();
        if !self.in_check() {
            castling_moves(self, &mut list);
        }
        list.contains(&mv)
    }

    /// Whether no enemy piece attacks the king after a piece other than the king has moved from
    /// `from` to `to`.
    fn leaves_king_safe(&self, from: Square, to: Square) -> bool {
        let occupied = (self.occupied() ^ Bitboard::from_square(from)) | Bitboard::from_square(to);
        let attackers = self.attackers(self.king(self.turn()), !self.turn(), occupied);
        (attackers & !Bitboard::from_square(to)).is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Increments, parse_move};

    /// An en passant capture removes two pawns from the fifth rank. If that exposes the king to a
    /// rook on the rank, the move is illegal; with a bishop there it is legal.
    #[test]
    fn en_passant_that_exposes_the_king_is_illegal() {
        for (fen, legal) in [("4k3/3p4/8/K3P2r/8/8/8/8 b - - 0 1", false), ("4k3/3p4/8/K3P2b/8/8/8/8 b - - 0 1", true)]
        {
            let mut board = Board::from_fen(fen).unwrap();
            board.play(parse_move(&board, "d7d5").unwrap(), Increments::none());
            let [from, to] = ["e5", "d6"].map(|square| Square::parse(square).unwrap());
            assert_eq!(board.is_legal(Move::new(from, to)), legal, "{fen}");
        }
    }
}
