//! Orders captures by the most valuable victim, then by the least valuable attacker.

use crate::chess::{Board, Move, Piece};
use crate::engine::options::MvvLva;

/// Piece values of the engine `otter`. A king that captures counts 0.
const OTTER: [i32; 6] = [100, 300, 300, 500, 900, 0];

/// In Webster's scheme, returns `None` also for a promotion that captures nothing.
#[inline]
pub fn score(scheme: MvvLva, board: &Board, mv: Move) -> Option<i32> {
    let victim = board.captured(mv);
    let promotion = mv.promotion();
    if victim.is_none() && promotion.is_none() {
        return None;
    }
    // A move's from-square is never empty.
    let attacker = board.piece_on(mv.from()).unwrap_or(Piece::King);
    if promotion.is_none() {
        return victim.map(|victim| capture_score(scheme, attacker, victim));
    }
    match scheme {
        // A promotion gains the difference between the new piece and the pawn.
        MvvLva::PieceOrder => {
            let gain = victim.map_or(0, |piece| piece as i32 + 1) + promotion.map_or(0, |piece| piece as i32);
            Some(gain * 8 + 6 - attacker as i32)
        }
        MvvLva::Otter => {
            let capture = victim.map_or(0, |piece| 5 * OTTER[piece as usize] - OTTER[attacker as usize]);
            Some(1000 + capture + promotion.map_or(0, |piece| OTTER[piece as usize]))
        }
        MvvLva::Webster => victim.map(|victim| capture_score(scheme, Piece::Pawn, victim)),
    }
}

#[inline]
pub fn capture_score(scheme: MvvLva, attacker: Piece, victim: Piece) -> i32 {
    let (attacker_rank, victim_rank) = (attacker as i32, victim as i32);
    match scheme {
        MvvLva::PieceOrder => (victim_rank + 1) * 8 + 6 - attacker_rank,
        // The lowest score is 1000 + 500 - 900, for a queen that captures a pawn.
        MvvLva::Otter => 1000 + 5 * OTTER[victim as usize] - OTTER[attacker as usize],
        // A victim adds 100 for a pawn up to 600 for a king. An attacker subtracts 1 for a pawn up
        // to 6 for a king.
        MvvLva::Webster => (victim_rank + 1) * 100 + 6 - (attacker_rank + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score_of(scheme: MvvLva, fen: &str, uci: &str) -> Option<i32> {
        let board = Board::from_fen(fen).unwrap();
        let mut moves = crate::chess::MoveList::new();
        crate::chess::movegen::legal(&board, &mut moves);
        let mv = *moves.iter().find(|mv| mv.to_string() == uci).unwrap();
        score(scheme, &board, mv)
    }

    #[test]
    fn webster_scores_match_the_published_ones() {
        // The article's own examples; its 503 for bishop takes rook is corrected to 403, which is
        // 400 + 6 - 3.
        let pawn = "7k/8/8/8/3q1r2/4P3/8/7K w - - 0 1";
        assert_eq!(score_of(MvvLva::Webster, pawn, "e3d4"), Some(505));
        assert_eq!(score_of(MvvLva::Webster, pawn, "e3f4"), Some(405));
        let bishop = "7k/8/8/2q1r3/3B4/8/8/7K w - - 0 1";
        assert_eq!(score_of(MvvLva::Webster, bishop, "d4c5"), Some(503));
        assert_eq!(score_of(MvvLva::Webster, bishop, "d4e5"), Some(403));
        let passing = "7k/8/8/3pP3/8/8/8/K7 w - d6 0 1";
        assert_eq!(score_of(MvvLva::Webster, passing, "e5d6"), Some(105));
        assert_eq!(score_of(MvvLva::Webster, passing, "e5e6"), None);
    }

    #[test]
    fn better_victim_comes_before_a_cheaper_attacker() {
        let board = "7k/8/8/2q1r3/3Q4/8/8/7K w - - 0 1";
        for scheme in [MvvLva::PieceOrder, MvvLva::Otter, MvvLva::Webster] {
            assert!(score_of(scheme, board, "d4c5") > score_of(scheme, board, "d4e5"), "{scheme:?}");
        }
    }
}
