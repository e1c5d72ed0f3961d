//! Tests of FEN: what is refused and at which column, what is repaired, and that every position
//! that is written is read back.

use proptest::prelude::*;
use ttlab::internals::chess::{Board, EpRule, Increments, MoveList, Strictness, fen, legal};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Invalid texts, the column of the fault and a part of the message. Most are from the public test
/// sets of python-chess, shakmaty and cozy-chess, or from collections of broken EPD.
const REFUSED: [(&str, usize, &str); 38] = [
    ("", 1, "placement"),
    ("startpos", 1, "found `s`"),
    ("½", 1, "found `½`"),
    ("8/8/8/8/8/8/8/8 w - - 0 1", 1, "expected one king of White, found 0"),
    ("rnkqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 5, "expected one king of Black, found 2"),
    ("rnbqkbnr/pppppppp/8/6/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 22, "expected 8 squares on rank 5, found 6"),
    ("rnbqkbn1/ppppppppr/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 18, "rank 7, found more"),
    ("rnbqkbnr/ppppippp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 14, "found `i`"),
    ("rnbqkbnr/pppppppp/44/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 20, "found another number"),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w KQkq - 0 1", 35, "expected 8 ranks, found 7"),
    ("8/8/8/8/8/8/8/8/8 w - - 0 1", 16, "8 ranks, found more"),
    ("8/8/8/8/8/8/8/8[Q] w - - 0 1", 16, "found `[`"),
    ("br3rk1/p1p1qppp/1p2n3/3p4/3P4/1P3PQ1/P1P1NKPP/B3R2P b - - 7 15", 51, "pawn cannot stand on h1"),
    ("rnbqkbnr/ppppNNpp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 42, "at most 16 pieces of White, found 18"),
    ("rb3qkr/pppQ1p1p/1n4p1/3pp3/3n4/1pP1P1P1/PP5P/RB1NBRK1 b - - 0 8", 33, "Black has 9 pawns: at most 8 are allowed"),
    ("4k3/5P2/3N4/8/8/8/4R3/4K3 b - - 0 1", 2, "more than two pieces"),
    ("r6k/1K2q1Q1/8/8/8/8/8/8 w - -", 25, "not to move is in check"),
    ("7r/8/8/8/8/1k4P1/1K6/8 w - - 3 3", 24, "not to move is in check"),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", 44, "side to move, found nothing"),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1", 45, "found `x`"),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR  w KQkq - 0 1", 45, "side to move"),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w", 46, "castling rights, found nothing"),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQAb - 0 1", 49, "found `A`"),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KKkq - 0 1", 48, "is repeated"),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w QKkq - 0 1", 48, "order KQkq"),
    ("nrbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 47, "castling right q needs king and rook"),
    ("8/8/8/8/8/8/8/4K2k w · - 0 1", 22, "found `·`"),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e9 0 1", 52, "found `e9`"),
    ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e6 0 1", 54, "behind a double push of White, found e6"),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq e3 0 1", 52, "no pawn on e4"),
    ("5K2/8/2pp2Pp/2PP4/P5Pp/2pP1Ppp/P6p/7k b - g3 0 1", 43, "g3 is not empty"),
    ("2k5/ppp2r1p/p2rqnpQ/4pp2/4P3/2NP2P1/PPP1P2P/1K2RR2 b - e3 0 16", 56, "e2 is not empty"),
    ("8/8/8/1k6/3Pp3/8/8/4KQ2 b - d3 0 1", 29, "was in check before"),
    ("4k3/8/8/8/8/8/8/4K3 w - - 99999 1", 27, "halfmove clock"),
    ("4k3/8/8/8/8/8/8/4K3 w - - 0 0", 29, "move number"),
    ("4k3/8/8/8/8/8/8/4K3 w - - 0", 27, "expected no text after the fields"),
    ("4k3/8/8/8/8/8/8/4K3 w - - 0 1 +0+0", 31, "expected no text after the fields"),
    ("4k3/8/8/8/8/8/8/4K3 w - - 0 1 bm e1e2", 31, "expected no text after the fields"),
];

#[test]
fn faults_are_refused_with_their_column() {
    for (text, column, part) in REFUSED {
        let fault = Board::from_fen(text).expect_err(text);
        assert!(fault.message.contains(part), "{text}: {fault}");
        assert_eq!(fault.column, column, "{text}: {fault}");
    }
}

/// The message quotes up to 24 characters of the text, with unprintable characters escaped.
#[test]
fn fault_message_shows_what_was_found() {
    let kings = "4k3/8/8/8/8/8/8/4K3";
    let output = |text: &str| Board::from_fen(text).err().map(|fault| (fault.column, fault.message));
    let turn = |found: &str| Some((21, format!("expected the side to move, w or b, found `{found}`")));
    for (text, quoted) in [
        ("x".repeat(24), "x".repeat(24)),
        ("x".repeat(25), format!("{}...", "x".repeat(24))),
        ("w\u{1}".to_owned(), "w\\u{1}".to_owned()),
        ("\u{feff}b".to_owned(), "\\u{feff}b".to_owned()),
    ] {
        assert_eq!(output(&format!("{kings} {text} - -")), turn(&quoted));
    }
    assert_eq!(output("4k3/8/8/8/8/8/8/4K2 w - -"), Some((20, "expected 8 squares on rank 1, found 7".to_owned())));
    assert_eq!(output("4k3/8/8/8/8/8/4K3 w - -"), Some((18, "expected 8 ranks, found 7".to_owned())));
    // No space before the first field, exactly one between two fields, and clocks up to 9999.
    assert!(output(&format!(" {kings} w - -")).is_some_and(|(column, _)| column == 1));
    assert!(output(&format!("{kings}  w - -")).is_some_and(|(column, _)| column == 21));
    assert_eq!(output(&format!("{kings} w - - 9999 9999")), None);
    assert!(output(&format!("{kings} w - - 10000 1")).is_some_and(|(column, _)| column == 27));
    assert!(output(&format!("{kings} w - - 0 10000")).is_some_and(|(column, _)| column == 29));
}

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

/// Texts, their repaired versions, and the columns of the repairs.
const REPAIRED: [(&str, &str, &[usize]); 20] = [
    ("4k3/8/8/8/8/8/8/4K3", "4k3/8/8/8/8/8/8/4K3 w - - 0 1", &[20, 20, 20]),
    ("\u{feff}rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR  w\tKQkq -\0 0  1\r\n", START, &[]),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1", START, &[]),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR W QKkkq - 0 1", START, &[48, 50]),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e3 0 1", START, &[52]),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq ?? 0 1", START, &[52]),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 0", START, &[56]),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 99999999999 1", START, &[54]),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 and more", START, &[58]),
    ("4k3/44/8/8/8/8/8/4K3 b - - 3 7", "4k3/8/8/8/8/8/8/4K3 b - - 3 7", &[]),
    ("r3k2r/8/8/8/8/8/8/R3K3 w Kk - 0 1", "r3k2r/8/8/8/8/8/8/R3K3 w k - 0 1", &[26]),
    ("1r2k3/8/8/8/8/8/8/R3KR2 w KQkq - 0 1", "1r2k3/8/8/8/8/8/8/R3KR2 w Q - 0 1", &[27]),
    (
        "2rqkb1r/3n1p1p/p3p1pn/1p1pP1N1/5P2/2N5/PPP3PP/R1BQ1R1K w kq -",
        "2rqkb1r/3n1p1p/p3p1pn/1p1pP1N1/5P2/2N5/PPP3PP/R1BQ1R1K w k - 0 1",
        &[58],
    ),
    // The e.p. square is kept although the king was in check before the push: the capture is
    // possible, and published perft counts assume it.
    ("8/8/8/1k6/3Pp3/8/8/4KQ2 b - d3 0 1", "8/8/8/1k6/3Pp3/8/8/4KQ2 b - d3 0 1", &[29]),
    ("5K2/8/2pp2Pp/2PP4/P5Pp/2pP1Ppp/P6p/7k b - g3 0 1", "5K2/8/2pp2Pp/2PP4/P5Pp/2pP1Ppp/P6p/7k b - - 0 1", &[43]),
    // Five fields: a halfmove clock without a move number.
    ("4k3/8/8/8/8/8/8/4K3 b - - 12", "4k3/8/8/8/8/8/8/4K3 b - - 12 1", &[29]),
    ("4k3/8/8/8/8/8/8/4K3 b - - 12 -1", "4k3/8/8/8/8/8/8/4K3 b - - 12 1", &[30, 30]),
    ("4k3/8/8/8/8/8/8/4K3 b - - 10000", "4k3/8/8/8/8/8/8/4K3 b - - 0 1", &[27, 32]),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w qkQK - 0 1", START, &[48, 49, 50]),
    ("4k3/8/8/8/8/8/8/4K3 w - -0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1", &[25, 28]),
];

#[test]
fn lenient_repair_names_its_place() {
    for (text, repaired, columns) in REPAIRED {
        let reading = fen::read(text, Strictness::Lenient).unwrap_or_else(|fault| panic!("{text}: {fault}"));
        assert_eq!(reading.board.to_string(), repaired, "{text}");
        assert_eq!(reading.repairs.iter().map(|fault| fault.column).collect::<Vec<_>>(), columns, "{text}");
        assert_eq!(fen::read(repaired, Strictness::Lenient).unwrap().board, reading.board, "{text}");
    }
    for (text, ..) in
        REFUSED.iter().filter(|(_, _, part)| part.contains("expected one king") || part.contains("squares"))
    {
        assert!(fen::read(text, Strictness::Lenient).is_err(), "{text}");
    }
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
