//! The end of a game by the rules: FIDE Laws of Chess, articles 5.1, 5.2, 9.2, 9.3 and 9.6. A draw
//! that a player may claim is treated as claimed.

use super::keys::EpRule;
use super::types::{Color, Piece};
use super::{Bitboard, Board};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    Mate,
    Stalemate,
    /// The position occurred for the third time.
    Repetition,
    /// Fifty moves of each side without a capture or a pawn's move.
    FiftyMoves,
    /// Neither side has the pieces to mate.
    Material,
}

/// The squares of a1's colour.
const DARK: u64 = 0xAA55_AA55_AA55_AA55;

/// `past` are the earlier positions of the game, the oldest first.
pub fn ending(board: &Board, past: &[Board]) -> Option<Ending> {
    if !board.has_legal_move() {
        return Some(if board.in_check() { Ending::Mate } else { Ending::Stalemate });
    }
    if is_dead(board) {
        return Some(Ending::Material);
    }
    let clock = usize::from(board.halfmove_clock());
    if clock >= 100 {
        return Some(Ending::FiftyMoves);
    }
    // Only positions since the last capture or pawn move can repeat, and only with the same side to
    // move.
    let candidates = past.iter().rev().take(clock).skip(1).step_by(2);
    let earlier_occurrences = candidates.filter(|earlier| identity(earlier) == identity(board)).count();
    (earlier_occurrences >= 2).then_some(Ending::Repetition)
}

/// An e.p. square makes a difference only if an en passant capture is legal.
fn identity(board: &Board) -> ([u64; 4], u8, bool, bool) {
    let [a, b, c, d, _] = board.identity();
    ([a, b, c, d], board.castling(), board.turn() == Color::White, board.has_en_passant(EpRule::Legal))
}

/// Whether there are too few pieces for a mate by any sequence of moves. This is true of kings
/// alone, of kings with a single knight or bishop, and of kings with bishops that are all on
/// squares of one colour.
fn is_dead(board: &Board) -> bool {
    let kind = |piece| board.kind(piece);
    if [Piece::Pawn, Piece::Rook, Piece::Queen].into_iter().any(|piece| !kind(piece).is_empty()) {
        return false;
    }
    let (knights, bishops): (Bitboard, Bitboard) = (kind(Piece::Knight), kind(Piece::Bishop));
    knights.count() + bishops.count() <= 1 || knights.is_empty() && (bishops.0 & DARK == 0 || bishops.0 & !DARK == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Increments, san};

    fn ending_of(fen: &str) -> Option<Ending> {
        ending(&Board::from_fen(fen).unwrap(), &[])
    }

    #[test]
    fn ending_is_recognised_in_single_positions() {
        for (fen, expected) in [
            ("R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1", Some(Ending::Mate)),
            ("7k/5Q2/8/8/8/8/8/K7 b - - 0 1", Some(Ending::Stalemate)),
            ("8/8/4k3/8/8/3K4/8/8 w - - 0 1", Some(Ending::Material)),
            ("8/8/4k3/8/8/3K4/5N2/8 w - - 0 1", Some(Ending::Material)),
            // A mate can be composed of two knights, of bishop against knight, and of bishops of
            // both colours.
            ("8/8/4k3/8/8/3K4/5NN1/8 w - - 0 1", None),
            ("8/8/4k3/5b2/8/3K4/5N2/8 w - - 0 1", None),
            ("8/8/4k3/5b2/8/3K4/5B2/8 w - - 0 1", None),
            ("8/8/4k3/5b2/8/3K4/4B3/8 w - - 0 1", Some(Ending::Material)),
            ("8/8/4k3/4b3/8/3K4/5B2/8 w - - 0 1", Some(Ending::Material)),
            ("8/8/4k3/8/8/3K4/5P2/8 w - - 99 80", None),
            ("8/8/4k3/8/8/3K4/5P2/8 w - - 100 80", Some(Ending::FiftyMoves)),
            // A mate on the last of the fifty moves counts.
            ("R5k1/5ppp/8/8/8/8/8/K7 b - - 100 80", Some(Ending::Mate)),
        ] {
            assert_eq!(ending_of(fen), expected, "{fen}");
        }
    }

    /// The ending of a game, and the number of moves after which it ends. `moves`: in SAN.
    fn play(fen: &str, moves: &str) -> (Option<Ending>, usize) {
        let (mut board, mut past) = (Board::from_fen(fen).unwrap(), Vec::new());
        for (index, text) in moves.split(' ').enumerate() {
            if let Some(ending) = ending(&board, &past) {
                return (Some(ending), index);
            }
            let mv = san::read(&board, text, crate::chess::Strictness::Strict).unwrap();
            past.push(board);
            board.play(mv, Increments::none());
        }
        (ending(&board, &past), past.len())
    }

    #[test]
    fn third_occurrence_draws_with_equal_castling_rights() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let shuffle = "Nf3 Nf6 Ng1 Ng8";
        assert_eq!(play(start, &[shuffle; 3].join(" ")), (Some(Ending::Repetition), 8));
        assert_eq!(play(start, shuffle).0, None);
        // The first time White could still castle.
        let rooks = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1";
        let move_about = "Rg1 Rg8 Rh1 Rh8";
        assert_eq!(play(rooks, &[move_about; 3].join(" ")), (Some(Ending::Repetition), 10));
        // After the double push an e.p. capture is possible once; with the pawn pinned it is not,
        // and the position is the same.
        let free = "4k3/8/8/8/1p6/8/P7/4K3 w - - 0 1";
        assert_eq!(play(free, "a4 Kd8 Kd1 Ke8 Ke1 Kd8 Kd1 Ke8 Ke1").0, None);
        assert_eq!(play(free, "a4 Kd8 Kd1 Ke8 Ke1 Kd8 Kd1 Ke8 Ke1 Kd8").0, Some(Ending::Repetition));
        let pinned = "4K3/8/8/8/R1p4k/8/1P6/8 w - - 0 1";
        assert_eq!(play(pinned, "b4 Kh5 Kd8 Kh4 Ke8 Kh5 Kd8 Kh4 Ke8"), (Some(Ending::Repetition), 9));
    }
}
