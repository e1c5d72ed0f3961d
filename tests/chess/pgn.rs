//! Tests of SAN and PGN: what is written is read back, faults name the game, line and move, and no
//! input makes the readers panic.

use proptest::prelude::*;
use std::path::Path;
use ttlab::internals::chess::fault::{Faults, OnError};
use ttlab::internals::chess::suite::{Content, SuiteError, SuiteKind};
use ttlab::internals::chess::{Board, Increments, MoveList, Strictness, Suite, SuiteOptions, legal, movegen, pgn, san};

fn read_games(file: &str, text: &str, strictness: Strictness, on_error: OnError) -> Result<pgn::PgnFile, Faults> {
    pgn::read(file, text, strictness, on_error, usize::MAX)
}

fn board(fen: &str) -> Board {
    Board::from_fen(fen).unwrap_or_else(|fault| panic!("{fen}: {fault}"))
}

/// Position, text, the move in coordinates, and its canonical text.
const SAN: [(&str, &str, &str, &str); 20] = [
    ("1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - -", "Qd1", "d6d1", "Qd1+"),
    ("r5k1/2p1brpp/p1nqbp2/P2pp3/BP6/2P1BN2/1P3PPP/R2QR1K1 w - -", "Rac1", "a1c1", "Rc1"),
    ("r5k1/2p1brpp/p1nqbp2/P2pp3/BP6/2P1BN2/1P3PPP/R2QR1K1 w - -", "Ra1c1", "a1c1", "Rc1"),
    ("rnbq1b1r/ppp2kpp/3p1n2/8/3PP3/8/PPP2PPP/RNBQKB1R b KQ d3 1 5", "Ne4", "f6e4", "Nxe4"),
    ("4k3/8/8/8/8/8/8/R3K2R w KQ -", "O-O", "e1g1", "O-O"),
    ("4k3/8/8/8/8/8/8/R3K2R w KQ -", "O-O-O", "e1c1", "O-O-O"),
    ("4k3/8/8/8/8/8/8/R3K2R w KQ -", "e1c1", "e1c1", "O-O-O"),
    ("3k4/8/8/8/8/8/8/R3K2R w KQ -", "O-O-O+", "e1c1", "O-O-O+"),
    ("5k2/8/8/8/8/8/8/4K2R w K -", "O-O", "e1g1", "O-O+"),
    ("4k3/P7/8/8/8/8/8/4K3 w - -", "a8=Q", "a7a8q", "a8=Q+"),
    ("1r2k3/P7/8/8/8/8/8/4K3 w - -", "axb8=N", "a7b8n", "axb8=N"),
    ("1r2k3/P7/8/8/8/8/8/4K3 w - -", "a7b8r", "a7b8r", "axb8=R+"),
    ("4k3/8/8/3pP3/8/8/8/4K3 w - d6", "exd6", "e5d6", "exd6"),
    ("4k3/8/8/3pP3/8/8/8/4K3 w - d6", "e5d6", "e5d6", "exd6"),
    // Three queens can reach e1: one needs the file, one the rank, and one both.
    ("1k6/8/8/8/4Q2Q/8/8/K6Q w - -", "Qh4e1", "h4e1", "Qh4e1"),
    ("1k6/8/8/8/4Q2Q/8/8/K6Q w - -", "Qee1", "e4e1", "Qee1"),
    ("1k6/8/8/8/4Q2Q/8/8/K6Q w - -", "Q1e1", "h1e1", "Q1e1"),
    // A pinned piece that could otherwise reach the square doesn't make a move ambiguous.
    ("4k3/8/8/8/1b6/2N5/8/4K1N1 w - -", "Ne2", "g1e2", "Ne2"),
    ("6k1/5ppp/8/8/8/8/8/K3R3 w - -", "Re8", "e1e8", "Re8#"),
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", "e4", "e2e4", "e4"),
];

#[test]
fn moves_are_read_and_written() {
    for (fen, text, uci, canonical) in SAN {
        let board = board(fen);
        let mv = san::read(&board, text, Strictness::Strict).unwrap_or_else(|error| panic!("{fen} {text}: {error}"));
        assert_eq!(mv.to_string(), uci, "{fen} {text}");
        assert_eq!(san::write(&board, mv), canonical, "{fen} {text}");
        // The coordinates give the same move, including its promotion; incomplete coordinates
        // aren't a move.
        assert_eq!(movegen::parse_move(&board, uci), Some(mv), "{fen} {uci}");
        assert_eq!(
            (movegen::parse_move(&board, &uci[..3]), movegen::parse_move(&board, &format!("{uci}x"))),
            (None, None)
        );
    }
}

#[test]
fn sloppy_moves_are_read_only_leniently() {
    for (fen, text, uci) in [
        ("6k1/p3b1np/6pr/6P1/1B2p2Q/K7/7P/8 w - -", "Qxh6??", "h4h6"),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ -", "0-0-0", "e1c1"),
        ("4k3/P7/8/8/8/8/8/4K3 w - -", "a8Q", "a7a8q"),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ -", "0-0", "e1g1"),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ -", "o-o", "e1g1"),
        ("r3k2r/8/8/8/8/8/8/4K3 b kq -", "o-o-o", "e8c8"),
        ("4k3/8/8/8/8/8/p7/1N2K3 b - -", "a1Q", "a2a1q"),
        ("4k3/8/8/8/8/8/p7/1N2K3 b - -", "axb1N", "a2b1n"),
        ("4k3/P7/8/8/8/8/8/4K3 w - -", "a8(R)", "a7a8r"),
        ("4k3/P7/8/8/8/8/8/4K3 w - -", "a8/b", "a7a8b"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6", "exd6e.p.", "e5d6"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6", "e5:d6", "e5d6"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", "Pe4", "e2e4"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", "e2-e4!?", "e2e4"),
    ] {
        let board = board(fen);
        assert!(san::read(&board, text, Strictness::Strict).is_err(), "{text}");
        assert_eq!(san::read(&board, text, Strictness::Lenient).unwrap().to_string(), uci, "{text}");
    }
}

#[test]
fn illegal_and_unreadable_moves_are_refused() {
    let start = Board::startpos();
    for (text, error) in [
        ("Ke2", "no legal move `Ke2`"),
        ("e5", "no legal move `e5`"),
        ("e7e5", "no legal move `e7e5`"),
        ("O-O", "no legal move `O-O`"),
        ("e9", "expected a move, found `e9`"),
        ("", "expected a move, found nothing"),
        ("x", "expected a move, found `x`"),
        ("é4", "expected a move, found `é4`"),
        ("Nbbd2", "expected a move, found `Nbbd2`"),
    ] {
        for strictness in [Strictness::Strict, Strictness::Lenient] {
            assert_eq!(san::read(&start, text, strictness).unwrap_err().to_string(), error);
        }
    }
    // A king that isn't on its original square can't castle, wherever it can go.
    for strictness in [Strictness::Strict, Strictness::Lenient] {
        for (fen, castling, king_move) in
            [("4k3/8/8/8/8/8/8/5K1R w - -", "O-O", "Kg1"), ("4k3/8/8/8/8/8/8/R2K4 w - -", "O-O-O", "Kc1")]
        {
            assert_eq!(
                san::read(&board(fen), castling, strictness).unwrap_err().to_string(),
                format!("no legal move `{castling}`")
            );
            assert!(san::read(&board(fen), king_move, strictness).is_ok(), "{king_move}");
        }
    }
    // A pawn capture must name its file.
    let can_capture = board("4k3/8/8/3p4/4P3/8/8/4K3 w - -");
    for strictness in [Strictness::Strict, Strictness::Lenient] {
        assert_eq!(san::read(&can_capture, "d5", strictness).unwrap_err().to_string(), "no legal move `d5`");
    }
    let two_knights = board("r1bqk2r/ppp2ppp/2n5/4P3/2Bp2n1/5N1P/PP1N1PP1/R2Q1RK1 b kq - 1 10");
    let error = san::read(&two_knights, "Ne5", Strictness::Lenient).unwrap_err();
    assert_eq!(error.to_string(), "`Ne5` is ambiguous: Ngxe5 or Ncxe5");
}

const GAMES: &str = "\u{feff}% escaped\r
[Event \"a \\\"quoted\\\" name\"]\r
[White \"A\"]\r
[Black \"B\"]\r
[Date \"1999.??.??\"]\r
\r
1. e4 {a comment; with (signs} e5 ; to the end of the line\r
2.Nf3!? $14 (2. f4 exf4 (2... d5 {no} 3. exd5) 3. Nf3) 2... Nc6 3 Bb5 1-0\r
\r
[Event \"from a position\"]
[SetUp \"1\"]
[FEN \"4k3/8/8/8/8/8/8/R3K2R b KQ - 5 30\"]
30... Kd7 31.O-O-O+ Ke6 1/2-1/2
[Event \"no tags but this\"]
1. d4 *
";

#[test]
fn game_with_every_feature_of_pgn_is_read() {
    let file = read_games("g.pgn", GAMES, Strictness::Strict, OnError::Stop).unwrap();
    let moves = |game: &pgn::Game| game.moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let [first, second, third] = &file.games[..] else { panic!("three games") };
    assert_eq!(first.tag("Event"), Some("a \"quoted\" name"));
    assert_eq!((first.line, moves(first).as_str(), first.result.as_str()), (2, "e2e4 e7e5 g1f3 b8c6 f1b5", "1-0"));
    assert_eq!((moves(second).as_str(), second.result.as_str()), ("e8d7 e1c1 d7e6", "1/2-1/2"));
    assert_eq!(second.start.game_ply(), 59);
    assert_eq!((third.line, moves(third).as_str(), third.result.as_str()), (14, "d2d4", "*"));
}

#[test]
fn faults_name_the_game_the_line_and_the_move() {
    let text = "[Event \"1\"]\n1. e4 e5 2. Ke3 1-0\n\n[Event \"2\"]\n1. e4 1-0\n\n[Event \"3\"]\n1. d4 d5\n2. c4 Qh4 *\n\n\
                [Event \"4\"]\n1-0\n[Event \"5\"]\n1. e4 {open\n";
    let faults = read_games("g.pgn", text, Strictness::Strict, OnError::Stop).unwrap_err();
    let messages: Vec<String> = faults.0.iter().map(ToString::to_string).collect();
    assert_eq!(
        messages,
        [
            "g.pgn:2:13: game 1: move 2.`Ke3`: no legal move `Ke3`",
            "g.pgn:9:7: game 3: move 2...`Qh4`: no legal move `Qh4`",
            "g.pgn:11:1: game 4: no moves (result 1-0)",
            "g.pgn:14:7: game 5: expected }, found the end of the file",
        ]
    );
    for (text, fault) in [
        ("[Event]\n1. e4 *", "g.pgn:1:1: game 1: expected a tag, [Name \"value\"], found `[Event]`"),
        ("[FEN \"8/8 w\"]\n1. e4 *", "g.pgn:1:1: game 1: tag FEN, column 4: expected 8 ranks, found 2"),
        ("1. e4", "g.pgn:1:6: game 1: expected a result (1-0, 0-1, 1/2-1/2 or *), found the end of the file"),
        (
            "1. e4 [Event \"2\"] 1. d4 *",
            "g.pgn:1:4: game 1: expected a result (1-0, 0-1, 1/2-1/2 or *), found the next game",
        ),
        ("1. e4 ) *", "g.pgn:1:7: game 1: found ) without ("),
        ("1. e4 {} {", "g.pgn:1:10: game 1: expected }, found the end of the file"),
        ("1. e4 -- 2. d4 *", "g.pgn:1:7: game 1: expected a move, found the null move --, which ends the game"),
        ("1. e4 (1. d4 1-0", "g.pgn:1:17: game 1: expected ), found the end of the file"),
        ("1. e4 {of two\nlines} e5 $7 % 2. d4 *", "g.pgn:2:14: game 1: move 2.`%`: expected a move, found `%`"),
        ("[White \"A]\n1. e4 *", "g.pgn:1:1: game 1: expected a tag, [Name \"value\"], found `[White \"A]`"),
        ("[White \"A\" x]\n1. e4 *", "g.pgn:1:1: game 1: expected a tag, [Name \"value\"], found `[White \"A\" x]`"),
        ("1. e4 } *", "g.pgn:1:7: game 1: move 1...`}`: expected a move, found `}`"),
    ] {
        assert_eq!(read_games("g.pgn", text, Strictness::Strict, OnError::Stop).unwrap_err().0[0].to_string(), fault);
    }
    let file = read_games("g.pgn", "1. e4 [Event \"2\"] 1. d4 -- 2. c4", Strictness::Lenient, OnError::Stop).unwrap();
    assert_eq!(file.games.iter().map(|game| game.moves.len()).collect::<Vec<_>>(), [1, 1]);
    // A game without a result keeps the unknown result `*`.
    assert!(file.games.iter().all(|game| game.result == "*"), "{:?}", file.games);
    // Each repair is reported with its own game.
    let notes: Vec<String> = file.notes.iter().map(ToString::to_string).collect();
    for (note, part) in
        notes.iter().zip(["game 1: expected a result", "game 2: expected a move", "game 2: expected a result"])
    {
        assert!(note.contains(part), "{notes:?}");
    }
    assert_eq!(notes.len(), 3, "{notes:?}");
    // No space is needed between a move and a comment, a NAG or a variation. A tag name needs at
    // least one letter.
    let unspaced = "% escaped\n[A \"b\"]\n1. e4{c}e5$14Nf3 (2. f4)Nc6;c\n*";
    let file = read_games("g.pgn", unspaced, Strictness::Strict, OnError::Stop).unwrap();
    let moves: Vec<String> = file.games[0].moves.iter().map(ToString::to_string).collect();
    assert_eq!((moves.join(" ").as_str(), file.games[0].tag("A")), ("e2e4 e7e5 g1f3 b8c6", Some("b")));
    assert!(read_games("g.pgn", "[\"b\"]\n1. e4 *", Strictness::Lenient, OnError::Stop).is_err());
    // A start position is read in the same mode as the rest of the file.
    let set_up_game = "[FEN \"4k3/8/8/8/8/8/8/R3K3 w aQ\"]\n1. Kd2 *";
    let read =
        |strictness| read_games("g.pgn", set_up_game, strictness, OnError::Stop).map(|file| file.games.len()).ok();
    assert_eq!([Strictness::Strict, Strictness::Lenient].map(read), [None, Some(1)]);
    // A backslash escapes another. A variation that isn't closed is reported, and its game is kept.
    let file = read_games("g.pgn", "[ White_2 \"a\\\\b\" ] 1. e4(1.d4$14 d5;c4)\n", Strictness::Lenient, OnError::Stop)
        .unwrap();
    let [game] = &file.games[..] else { panic!("one game") };
    assert_eq!((game.tag("White_2"), game.moves.len(), file.notes.len()), (Some("a\\b"), 1, 1));
    let file = read_games("g.pgn", "[White \"A\"] 0-1 1. e4 *", Strictness::Strict, OnError::Skip).unwrap();
    assert_eq!((file.games.len(), file.notes.len()), (1, 1));
    // Only the second game can be read; the others are reported.
    let file = read_games("g.pgn", text, Strictness::Strict, OnError::Skip).unwrap();
    assert_eq!(file.games.iter().map(|game| game.line).collect::<Vec<_>>(), [4]);
    let left_out: Vec<usize> = file.notes.iter().map(|note| note.line).collect();
    assert_eq!(left_out, [2, 9, 11, 14]);
    assert_eq!(file.notes[2].to_string(), "g.pgn:11:1: left out: game 4: no moves (result 1-0)");
}

#[test]
fn items_of_a_suite_have_unique_names() {
    let read =
        |kind, text: &str| Suite::read("stem", "stem.x", kind, text.as_bytes(), SuiteOptions::default()).unwrap();
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    let suite = read(
        SuiteKind::Positions,
        &format!("{start} id \"a\";\n\n{start}\n{start} id \"a\";\n{start} id \" \";\n{start} id \"a\";"),
    );
    assert_eq!(
        suite.items.iter().map(|item| item.id.as_str()).collect::<Vec<_>>(),
        ["a", "stem.3", "a#2", "stem.5", "a#3"]
    );
    let suite = read(SuiteKind::Games, GAMES);
    assert_eq!(
        suite.items.iter().map(|item| item.id.as_str()).collect::<Vec<_>>(),
        ["A - B, 1999", "stem.10", "stem.14"]
    );
    assert!(matches!(suite.items[0].content, Content::Game(_)));
    assert!(suite.items[0].moves().len() == 5);

    let options = SuiteOptions::default();
    // An incomplete year isn't used in the id.
    for (date, id) in
        [("1999.??.??", "A - B, 1999"), ("19??.??.??", "A - B"), ("????.??.??", "A - B"), ("199", "A - B")]
    {
        let text = format!("[White \"A\"]\n[Black \"B\"]\n[Date \"{date}\"]\n\n1. e4 e5 *\n");
        assert_eq!(read(SuiteKind::Games, &text).items[0].id, id);
    }
    // If a player is unknown, the id doesn't use the players' names.
    for (white, black) in [("A", "?"), ("?", "B"), ("?", "?"), ("A", " "), ("", "B")] {
        let text = format!("[White \"{white}\"]\n[Black \"{black}\"]\n[Date \"1999.01.02\"]\n\n1. e4 e5 *\n");
        assert_eq!(read(SuiteKind::Games, &text).items[0].id, "stem.1", "{white} - {black}");
    }
    // A position is solved by one of its best moves and by none of its bad ones. If only bad moves
    // are listed, every other move solves it.
    let position = |operations: &str| read(SuiteKind::Positions, &format!("{start} {operations}")).items[0].clone();
    let moves = ["e2e4", "d2d4", "c2c4"].map(|text| {
        let mut list = MoveList::new();
        legal(&Board::startpos(), &mut list);
        list.iter().copied().find(|mv| mv.to_string() == text).unwrap()
    });
    for (operations, solved) in [
        ("bm e4 d4;", [Some(true), Some(true), Some(false)]),
        ("am e4;", [Some(false), Some(true), Some(true)]),
        ("bm e4 d4; am d4;", [Some(true), Some(false), Some(false)]),
        ("id \"none\";", [None; 3]),
    ] {
        let item = position(operations);
        assert_eq!(moves.map(|mv| item.is_solved_by(mv)), solved, "{operations}");
    }

    let empty = tempfile::Builder::new().suffix(".epd").tempfile().unwrap();
    assert!(matches!(Suite::load(empty.path(), options), Err(SuiteError::Empty { .. })));
    for (path, kind) in [
        ("a.epd", Some(SuiteKind::Positions)),
        ("A.FEN", Some(SuiteKind::Positions)),
        ("Games.Pgn", Some(SuiteKind::Games)),
        ("pgn", None),
        ("a.pgn.gz", None),
    ] {
        assert_eq!(SuiteKind::from_path(Path::new(path)), kind, "{path}");
    }
    assert!(matches!(Suite::load(Path::new("missing.epd"), options), Err(SuiteError::Unreadable { .. })));
    assert!(matches!(Suite::load(Path::new("Cargo.toml"), options), Err(SuiteError::Kind { .. })));
    let error = Suite::read("s", "s.epd", SuiteKind::Positions, &b"# fine\n8/\xff"[..], options).unwrap_err();
    assert_eq!(error.to_string(), "s.epd:2:3: expected UTF-8 text, found the byte 0xff");
    let options = SuiteOptions { strictness: Strictness::Lenient, ..options };
    assert_eq!(Suite::read("s", "s.epd", SuiteKind::Positions, &b"# fine\xff\n"[..], options).unwrap().notes.len(), 1);
    // Repairs are reported with the suite, for positions and for games.
    for (kind, text) in [(SuiteKind::Positions, format!("{start} id a b;")), (SuiteKind::Games, "1. e4".to_owned())] {
        let suite = Suite::read("s", "s.x", kind, text.as_bytes(), options).unwrap();
        assert_eq!((suite.items.len(), suite.notes.len()), (1, 1), "{text}");
    }
    // PGN files are UTF-8, or Latin-1 as in the PGN standard.
    for strictness in [Strictness::Strict, Strictness::Lenient] {
        for name in [&b"Andr\xe9"[..], "Andr\u{e9}".as_bytes()] {
            let text = [b"[White \"", name, b"\"]\n[Black \"B\"]\n\n1. e4 *\n"].concat();
            let suite =
                Suite::read("s", "s.pgn", SuiteKind::Games, &text[..], SuiteOptions { strictness, ..options }).unwrap();
            assert_eq!((suite.items[0].id.as_str(), suite.notes.len()), ("Andr\u{e9} - B", 0));
        }
    }
}

proptest! {
    #[test]
    fn every_legal_move_is_read_back_as_written(choices in proptest::collection::vec(any::<u8>(), 0..120)) {
        let mut board = Board::startpos();
        for choice in choices {
            let mut list = MoveList::new();
            legal(&board, &mut list);
            let mut texts = std::collections::HashSet::new();
            for &mv in list.iter() {
                let text = san::write(&board, mv);
                prop_assert_eq!(san::read(&board, &text, Strictness::Strict), Ok(mv));
                prop_assert_eq!(san::read(&board, &text, Strictness::Lenient), Ok(mv));
                prop_assert_eq!(san::read(&board, &mv.to_string(), Strictness::Strict), Ok(mv));
                prop_assert!(texts.insert(text));
            }
            if list.is_empty() {
                break;
            }
            board.play(list[usize::from(choice) % list.len()], Increments::none());
        }
    }

    #[test]
    fn strange_texts_cause_no_panic(
        text in "\\PC{0,80}",
        pieces in proptest::collection::vec("(\\[Event \"x\"\\]|\\[|\\]|\n|\\{|\\}|\\(|\\)|1\\.|e4|e5|Nf3|\\*|1-0|;|%|\\$|\"| )", 0..30),
    ) {
        for text in [text, pieces.concat()] {
            for strictness in [Strictness::Strict, Strictness::Lenient] {
                let _ = san::read(&Board::startpos(), &text, strictness);
                let lines = text.matches('\n').count() + 1;
                match read_games("x.pgn", &text, strictness, OnError::Skip) {
                    Ok(file) => prop_assert!(file.games.iter().all(|game| !game.moves.is_empty())),
                    Err(faults) => prop_assert!(faults.0.iter().all(|fault| fault.line <= lines && fault.column <= text.len() + 1)),
                }
            }
        }
    }
}

/// Each of fifty games is damaged in many ways, one at a time. The other games are read as they are
/// from the undamaged file.
#[test]
fn damaged_game_affects_no_other() {
    let text = include_str!("../../data/selfplay.pgn");
    let texts: Vec<String> = text.split("\n\n").skip(1).take(50).map(|game| format!("{}\n\n", game.trim())).collect();
    let describe = |game: &pgn::Game| {
        let moves: Vec<String> = game.moves.iter().map(ToString::to_string).collect();
        (game.tags.clone(), game.start, moves, game.result.clone())
    };
    let undamaged = read_games("g.pgn", &texts.concat(), Strictness::Strict, OnError::Stop).unwrap();
    let undamaged: Vec<_> = undamaged.games.iter().map(describe).collect();
    assert_eq!(undamaged.len(), 50);
    type Damage = fn(&str) -> String;
    let damages: [(&str, Damage); 21] = [
        ("an illegal move", |game| game.replacen(" 9. ", " 9. Ka1 ", 1)),
        ("an open variation", |game| game.replacen(" 9. ", " ( 9. ", 1)),
        ("two open variations", |game| game.replacen(" 9. ", " (( 9. ", 1)),
        ("a closed variation that was not open", |game| game.replacen(" 9. ", " ) 9. ", 1)),
        ("an open comment", |game| game.replacen(" 9. ", " { 9. ", 1)),
        ("an open comment in an open variation", |game| game.replacen(" 9. ", " ( 9. e4 { ", 1)),
        ("an open comment before the moves", |game| game.replacen("]\n1", "]\n{ 1", 1).replacen("]\n6", "]\n{ 6", 1)),
        ("an open comment before the tags", |game| format!("{{{game}")),
        ("a closed comment that was not open", |game| game.replacen(" 9. ", " } 9. ", 1)),
        ("an open bracket", |game| game.replacen(" 9. ", " [ 9. ", 1)),
        ("an open text of the first tag", |game| game.replacen("\"]", "]", 1)),
        ("an open text of the last tag", |game| game.replacen("\"]\n1", "]\n1", 1).replacen("\"]\n6", "]\n6", 1)),
        ("an open tag", |game| game.replacen("\"]", "\"", 1)),
        ("a tag without a text", |game| game.replacen("[SetUp \"1\"]", "[SetUp]", 1)),
        ("a backslash before the end of a text", |game| game.replacen("\"]", "\\\"]", 1)),
        ("a start that is none", |game| game.replacen("[FEN \"", "[FEN \"x", 1)),
        ("no result", |game| game.trim_end().trim_end_matches(['0', '1', '-', '/', '2', '*']).to_owned() + "\n\n"),
        ("no moves", |game| game.split_inclusive("]\n").filter(|line| line.starts_with('[')).collect()),
        ("other rules", |game| game.replacen("[SetUp", "[Variant \"Atomic\"]\n[SetUp", 1)),
        ("a blank line among the moves and a wrong move", |game| game.replacen(" 9. ", "\n\n9. Ka1 ", 1)),
        ("a file cut within the moves", |game| format!("{}\n", &game[..game.len() / 2])),
    ];
    let read = |games: &[String], strictness: Strictness| {
        let file = read_games("g.pgn", &games.concat(), strictness, OnError::Skip).unwrap();
        (file.games.iter().map(describe).collect::<Vec<_>>(), file.notes)
    };
    for (index, original) in texts.iter().enumerate() {
        for (kind, (name, damage)) in damages.iter().enumerate() {
            // To save time, each game is tested with one kind of damage in the whole file, and with
            // the other kinds between its neighbours only.
            let range =
                if index % damages.len() == kind { 0..50 } else { index.saturating_sub(1)..(index + 2).min(50) };
            let mut games = texts[range.clone()].to_vec();
            games[index - range.start] = damage(original);
            assert_ne!(&games[index - range.start], original, "{name}");
            let others: Vec<_> =
                range.clone().filter(|other| *other != index).map(|other| undamaged[other].clone()).collect();
            let (read_back, notes) = read(&games, Strictness::Strict);
            assert!(read_back == others, "{name} in game {}: {} games; {notes:?}", index + 1, read_back.len());
            assert!(!notes.is_empty(), "{name}");
            if index % 10 == 0 {
                // The lenient reader repairs some damage and then includes the game; the other
                // games are the same.
                let (read_back, notes) = read(&games, Strictness::Lenient);
                assert!(others.iter().all(|game| read_back.contains(game)), "{name} in game {}, leniently", index + 1);
                assert!(read_back.len() <= range.len(), "{name}");
                assert!(!notes.is_empty(), "{name}");
            }
        }
    }
}

/// A game between two others is cut off at every place, or gets an extra bracket or quotation mark
/// there: the other two games are always read.
#[test]
fn damage_at_any_place_affects_no_other_game() {
    let game = |name: &str, mv: &str| {
        format!(
            "[Event \"{name}\"]\n[White \"a {{b}}\"]\n[Black \"c\"]\n\n1. {mv} {{to\nthe (point}} e5 (1... c5 2. Nf3) 2. Nc3 1-0\n\n"
        )
    };
    let [before, damaged_one, after] = [("a", "e4"), ("b", "d4"), ("c", "c4")].map(|(name, mv)| game(name, mv));
    let read = |text: &str| {
        let file = read_games("g.pgn", text, Strictness::Strict, OnError::Skip).unwrap();
        let name = |game: &pgn::Game| (game.tag("Event").unwrap_or_default().to_owned(), game.moves.len());
        file.games.iter().map(name).collect::<Vec<_>>()
    };
    let undamaged = [("a".to_owned(), 3), ("c".to_owned(), 3)];
    let check = |damaged: &str| {
        let games = read(&format!("{before}{damaged}{after}"));
        assert!(undamaged.iter().all(|game| games.contains(game)), "{damaged:?}: {games:?}");
        assert!(games.len() <= 3, "{damaged:?}: {games:?}");
    };
    for offset in 0..damaged_one.len() {
        check(&format!("{}\n", &damaged_one[..offset]));
        for mark in ["{", "}", "(", ")", "[", "]", "\"", "\\", ";", "%", "$", "x", "\n", "\n\n", "\0"] {
            check(&format!("{}{mark}{}", &damaged_one[..offset], &damaged_one[offset..]));
        }
    }
}

/// Four games, with and without tags. The second has a variation that isn't closed. Other readers
/// also find four games.
#[test]
fn unclosed_variation_affects_only_its_game() {
    for (tags, bad) in [("[White \"A\"]\n[Black \"B\"]\n\n", "1. e4 (1. c4 e5 1-0"), ("", "1. e4 (1. c4 e5 1-0")] {
        let games = ["1. d4 d5 1-0", bad, "1. Nf3 d5 0-1", "1. Nc3 d5 0-1"];
        let text: String = games.iter().map(|moves| format!("{tags}{moves}\n\n")).collect();
        let file = read_games("g.pgn", &text, Strictness::Strict, OnError::Skip).unwrap();
        let first_moves: Vec<_> = file.games.iter().map(|game| game.moves[0].to_string()).collect();
        assert_eq!(first_moves, ["d2d4", "g1f3", "b1c3"]);
        assert_eq!(file.notes.len(), 1, "{:?}", file.notes);
        assert!(file.notes[0].message.starts_with("left out: game 2: expected ), found"), "{:?}", file.notes);
        let lenient = read_games("g.pgn", &text, Strictness::Lenient, OnError::Stop).unwrap();
        assert_eq!((lenient.games.len(), lenient.notes.len()), (4, 1), "{:?}", lenient.notes);
    }
}

#[test]
fn game_of_another_variant_is_refused_by_its_tag() {
    let read = |variant: &str, strictness, on_error| {
        let text = format!("[White \"A\"]\n[Black \"B\"]\n{variant}\n1. e4 d5 2. exd5 Nf6 3. Nc3 *\n");
        read_games("g.pgn", &text, strictness, on_error).map(|file| file.games.len())
    };
    for strictness in [Strictness::Strict, Strictness::Lenient] {
        for variant in ["Standard", "standard", "From Position", "Chess", "Normal", "", "?", "-"] {
            assert_eq!(read(&format!("[Variant \"{variant}\"]\n"), strictness, OnError::Stop), Ok(1), "{variant}");
        }
        assert_eq!(read("", strictness, OnError::Stop), Ok(1));
        for variant in [
            "Atomic",
            "atomic",
            "Crazyhouse",
            "Antichess",
            "King of the Hill",
            "Horde",
            "Racing Kings",
            "Three-check",
            "Chess960",
            "Fischerandom",
            "Standard 2",
        ] {
            let tag = format!("[Variant \"{variant}\"]\n");
            let output = read(&tag, strictness, OnError::Stop).unwrap_err().to_string();
            assert_eq!(
                output,
                format!("g.pgn:3:1: game 1: tag Variant, expected Standard or From Position, found `{variant}`")
            );
            assert_eq!(read(&tag, strictness, OnError::Skip), Ok(0), "{variant}");
        }
    }
}

/// The reader finds the same games at the same lines, whatever the line ending, even with a comment
/// that extends to the end of its line.
#[test]
fn game_lines_may_end_with_lf_crlf_or_cr() {
    let text = "% escaped [Event \"x\"]\n[Event \"a\"]\n\n1. e4 ; to the end (\ne5 {over\nlines} 1-0\n\n[Event \"b\"]\n\n1. d4 Zz *\n";
    for end in ["\n", "\r\n", "\r"] {
        let file = read_games("g.pgn", &text.replace('\n', end), Strictness::Strict, OnError::Skip).unwrap();
        assert_eq!((file.games.len(), file.games[0].line, file.games[0].moves.len()), (1, 2, 2), "{end:?}");
        assert_eq!(
            file.notes[0].to_string(),
            "g.pgn:10:7: left out: game 2: move 1...`Zz`: expected a move, found `Zz`"
        );
    }
}

/// Repairs of a start position are reported like those of any position.
#[test]
fn repairs_of_a_start_position_are_reported() {
    let text = "[SetUp \"1\"]\n[FEN \"4k3/8/8/8/8/8/8/R3K3 w Q - 0 0\"]\n\n1. Kd2 *\n";
    read_games("g.pgn", text, Strictness::Strict, OnError::Stop).unwrap_err();
    let file = read_games("g.pgn", text, Strictness::Lenient, OnError::Stop).unwrap();
    let output: Vec<String> = file.notes.iter().map(ToString::to_string).collect();
    assert_eq!(output, ["g.pgn:2:1: game 1: tag FEN, column 30: expected a move number, 1 to 9999, found `0`"]);
    assert_eq!(file.games[0].start.game_ply(), 0);
}

/// If only the first items are requested, the rest of the file isn't read, so faults there aren't
/// reported.
#[test]
fn first_items_are_read_without_the_rest() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    let epd = format!("{start} id \"a\";\n{start} id \"b\";\nno position\n");
    let pgn = "1. e4 e5 *\n\n1. d4 d5 *\n\n1. e4 Zz *\n";
    for (kind, text) in [(SuiteKind::Positions, epd.as_str()), (SuiteKind::Games, pgn)] {
        for (first, items) in [(Some(1), Some(1)), (Some(2), Some(2)), (Some(3), None), (None, None)] {
            let options = SuiteOptions { first, ..SuiteOptions::default() };
            let count = Suite::read("s", "s.x", kind, text.as_bytes(), options).map(|suite| suite.items.len()).ok();
            assert_eq!(count, items, "{kind:?} {first:?}");
        }
    }
}

/// Repairs in a skipped game aren't reported, and aren't attributed to the next game either.
#[test]
fn repairs_of_a_skipped_game_are_not_reported() {
    let text = "[Event \"a\"]\n\n1. e4 ) e5 2. Qd9 *\n\n[Event \"b\"]\n\n1. d4 d5 *\n";
    let file = read_games("g.pgn", text, Strictness::Lenient, OnError::Skip).unwrap();
    let output: Vec<String> = file.notes.iter().map(ToString::to_string).collect();
    assert_eq!((file.games.len(), output.len()), (1, 1), "{output:?}");
    assert!(output[0].contains("game 1"), "{output:?}");
    assert!(output[0].contains("Qd9"), "{output:?}");
}

/// The tags after an invalid one still belong to the skipped game.
#[test]
fn game_with_a_bad_tag_is_skipped_with_all_its_tags() {
    let text =
        "[Event \"a\"]\n[FEN \"8/8 w\"]\n[White \"A\"]\n[Black \"B\"]\n\n1. e4 *\n\n[Event \"b\"]\n\n1. d4 d5 *\n";
    let file = read_games("g.pgn", text, Strictness::Strict, OnError::Skip).unwrap();
    let [game] = &file.games[..] else { panic!("one game: {:?}", file.games) };
    let moves: Vec<String> = game.moves.iter().map(ToString::to_string).collect();
    assert_eq!(moves.join(" "), "d2d4 d7d5");
    assert_eq!(file.notes.iter().map(|note| note.line).collect::<Vec<_>>(), [2]);
}
