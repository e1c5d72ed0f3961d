//! Tests of SAN and PGN: what is written is read back, faults name the game, line and move, and no
//! input makes the readers panic.

use proptest::prelude::*;
use std::path::Path;
use ttlab::internals::chess::fault::{Faults, OnError};
use ttlab::internals::chess::suite::{Content, SuiteError, SuiteKind};
use ttlab::internals::chess::{Board, Increments, MoveList, Strictness, Suite, SuiteOptions, legal, pgn, san};

fn read_games(file: &str, text: &str, strictness: Strictness, on_error: OnError) -> Result<pgn::PgnFile, Faults> {
    pgn::read(file, text, strictness, on_error, usize::MAX)
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
