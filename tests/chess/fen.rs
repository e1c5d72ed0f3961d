//! Tests of FEN: what is refused and at which column, what is repaired, and that every position
//! that is written is read back.

use proptest::prelude::*;
use ttlab::internals::chess::{Board, EpRule, Increments, MoveList, Strictness, fen, legal};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

#[test]
fn unusual_positions_are_read() {
    for (text, known_count) in [
        ("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1", Some(218)),
        ("rnbqkbnr/nnnnnnnn/8/8/8/8/NNNNNNNN/RNBQKBNR w KQkq - 0 1", None),
        ("rnbqkbnr/rrrrrrrr/8/8/8/8/RRRRRRRR/RNBQKBNR w KQkq - 0 1", None),
        ("2K5/8/8/8/8/8/pppppppp/rrrkrrrr b - - 0 1", Some(0)),
        // Two pieces give check at once.
        ("4k3/8/8/8/4r3/3n4/8/4K3 w - - 0 1", None),
        // En passant with a pinned pawn, and where it is impossible: the square is kept even if no
        // pawn can capture.
        ("8/8/8/r2Pp2K/8/8/4k3/8 w - e6 0 1", None),
        ("1nbqkbnr/ppppppp1/6r1/6Pp/6K1/8/PPPP1PPP/RNBQ1BNR w k h6 0 2", None),
    ] {
        let board = Board::from_fen(text).unwrap_or_else(|fault| panic!("{text}: {fault}"));
        let mut list = MoveList::new();
        legal(&board, &mut list);
        let mut oracle_count = 0;
        if let Ok(board) = text.parse::<cozy_chess::Board>() {
            board.generate_moves(|moves| {
                oracle_count += moves.len();
                false
            });
            assert_eq!(list.len(), oracle_count, "{text}");
        }
        assert_eq!(list.len(), known_count.unwrap_or(oracle_count), "{text}");
    }
    assert!(Board::from_fen("4k3/8/8/8/8/8/8/4K3 w - - ").is_ok(), "four fields and a blank");
}

/// If two pawns can capture en passant and one is pinned, the square counts as long as the other
/// may capture.
#[test]
fn en_passant_square_is_kept_if_one_of_two_pawns_can_take() {
    for (ranks, is_legal) in [
        ("3r1r1k/8/8/3PpP2/8/8/8/3K4", true),
        ("3r1r1k/8/8/3PpP2/8/8/8/5K2", true),
        ("3r1r1k/8/8/3PpP2/8/8/8/K7", true),
        ("3r3k/8/8/3Pp3/8/8/8/3K4", false),
        ("5r1k/8/8/4pP2/8/8/8/5K2", false),
    ] {
        let board = Board::from_fen(&format!("{ranks} w - e6 0 9")).unwrap();
        assert_eq!(board.fen(EpRule::Legal).contains(" e6 "), is_legal, "{ranks}");
    }
}

#[test]
fn en_passant_square_is_written_by_the_rule() {
    let board = Board::from_fen("rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3").unwrap();
    assert!(board.fen(EpRule::Legal).contains(" e3 "));
    let board = Board::from_fen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1").unwrap();
    assert!(board.fen(EpRule::Always).contains(" e3 "));
    assert!(board.fen(EpRule::PseudoLegal).contains(" - 0"));
    let pinned = Board::from_fen("8/8/8/r2Pp2K/8/8/4k3/8 w - e6 0 1").unwrap();
    assert!(pinned.fen(EpRule::PseudoLegal).contains(" e6 "));
    assert!(pinned.fen(EpRule::Legal).contains(" - 0"));
}

#[test]
fn plies_and_clocks_are_read_from_their_fields() {
    let board = Board::from_fen("4k3/8/8/8/8/8/8/4K3 b - - 12 34").unwrap();
    assert_eq!((board.halfmove_clock(), board.game_ply()), (12, 67));
    assert_eq!(Board::startpos().to_string(), START);
    assert_eq!(Board::from_fen(START).unwrap(), Board::startpos());
}

/// Returns the position after random moves from the start position.
fn random_position(choices: &[u8]) -> Board {
    let mut board = Board::startpos();
    for &choice in choices {
        let mut list = MoveList::new();
        legal(&board, &mut list);
        if list.is_empty() {
            break;
        }
        board.play(list[usize::from(choice) % list.len()], Increments::none());
    }
    board
}

proptest! {
    #[test]
    fn written_position_is_read_back(choices in proptest::collection::vec(any::<u8>(), 0..200)) {
        let board = random_position(&choices);
        prop_assert_eq!(Board::from_fen(&board.to_string()).unwrap(), board);
        prop_assert_eq!(fen::read(&board.to_string(), Strictness::Lenient).unwrap().repairs, vec![]);
    }

    #[test]
    fn strange_texts_cause_no_panic(text in "\\PC*") {
        for strictness in [Strictness::Strict, Strictness::Lenient] {
            let _ = fen::read(&text, strictness);
        }
    }

    /// A FEN with a few bytes changed is refused with a column inside the text, or is a position in
    /// which moves can be played.
    #[test]
    fn damaged_texts_are_refused_or_sound(
        choices in proptest::collection::vec(any::<u8>(), 0..60),
        damage in proptest::collection::vec((any::<prop::sample::Index>(), "[pnbrqkPNBRQK1-8/ wb-]"), 1..4),
    ) {
        let mut text = random_position(&choices).to_string();
        for (index, replacement) in damage {
            let offset = index.index(text.len());
            text.replace_range(offset..=offset, &replacement);
        }
        for strictness in [Strictness::Strict, Strictness::Lenient] {
            match fen::read(&text, strictness) {
                Err(fault) => prop_assert!((1..=text.len() + 1).contains(&fault.column), "{}: {}", text, fault),
                Ok(reading) => {
                    let mut list = MoveList::new();
                    legal(&reading.board, &mut list);
                    for &mv in list.iter() {
                        let mut child = reading.board;
                        child.play(mv, Increments::none());
                        prop_assert!(Board::from_fen(&child.to_string()).is_ok(), "{} {} {}", text, mv, child);
                    }
                }
            }
        }
    }
}
