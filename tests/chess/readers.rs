//! What the readers of FEN, EPD, SAN and PGN make of each text, strictly and leniently.
//!
//! `tests/golden/chess/*.txt` have texts (`\n`, `\r`, `\t`, `\0` and `\BOM` are escaped) and, after
//! `> `, the position, moves or operations that are read, each repair, or the fault with its
//! column. The texts are from the public test sets of python-chess, shakmaty and cozy-chess, from
//! collections of broken EPD, and at both sides of each limit.

use crate::golden::assert_answers;
use std::fmt::Display;
use ttlab::internals::chess::fault::{Fault, OnError};
use ttlab::internals::chess::opcode::OperationValue;
use ttlab::internals::chess::{Board, Strictness, epd, fen, movegen, pgn, san};

fn unescape(text: &str) -> String {
    let escapes = [("\\n", "\n"), ("\\r", "\r"), ("\\t", "\t"), ("\\0", "\0"), ("\\BOM", "\u{feff}"), ("\\1", "\u{1}")];
    escapes.into_iter().fold(text.to_owned(), |text, (escape, character)| text.replace(escape, character))
}

/// Describes both readings; one line if they are the same.
fn in_both_modes<R: Display>(read: impl Fn(Strictness) -> Result<(String, Vec<R>), String>) -> String {
    let [strict, lenient] = [Strictness::Strict, Strictness::Lenient].map(|strictness| match read(strictness) {
        Ok((text, repairs)) => {
            let repairs = repairs.iter().map(|fault| format!("\nrepaired: {fault}"));
            format!("{text}{}", repairs.collect::<String>())
        }
        Err(fault) => format!("refused: {fault}"),
    });
    if strict == lenient { strict } else { format!("{strict}\nleniently: {lenient}") }
}

#[test]
fn fen_is_read_as_the_golden_file_says() {
    assert_answers("chess/fen.txt", |_, text| {
        in_both_modes(|strictness| {
            let reading = fen::read(&unescape(text), strictness).map_err(|fault| fault.to_string())?;
            let written = reading.board.to_string();
            assert_eq!(fen::read(&written, Strictness::Lenient).unwrap().board, reading.board, "{text}");
            Ok((written, reading.repairs))
        })
    });
}

/// What is repaired is a valid line, in which each operation is given once.
#[test]
fn epd_is_read_as_the_golden_file_says() {
    assert_answers("chess/epd.txt", |_, text| {
        in_both_modes(|strictness| {
            let (epd, notes) = epd::read_line(&unescape(text), strictness).map_err(|fault| fault.to_string())?;
            let mut opcodes: Vec<&str> = epd.operations.iter().map(|operation| operation.opcode.as_str()).collect();
            let describe = |value: &OperationValue| match value {
                OperationValue::Moves(moves) | OperationValue::Line(moves) => {
                    moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
                }
                value => format!("{value:?}"),
            };
            let operations = epd.operations.iter().map(|it| format!("; {} {}", it.opcode, describe(&it.value)));
            let described = format!("{}{}", epd.board, operations.collect::<String>());
            opcodes.sort_unstable();
            assert!(opcodes.windows(2).all(|pair| pair[0] != pair[1]), "{text}");
            Ok((described, notes))
        })
    });
}

/// A line is a position, a bar and a move.
#[test]
fn san_is_read_as_the_golden_file_says() {
    assert_answers("chess/san.txt", |_, text| {
        let (board, text) = text.split_once(" | ").unwrap();
        let board = Board::from_fen(board).unwrap();
        in_both_modes(|strictness| {
            let mv = san::read(&board, text, strictness).map_err(|fault| fault.to_string())?;
            // The coordinates give the same move, including its promotion; incomplete ones do not.
            let uci = mv.to_string();
            assert_eq!(movegen::parse_move(&board, &uci), Some(mv), "{text}");
            assert_eq!([&uci[..3], &format!("{uci}x")].map(|text| movegen::parse_move(&board, text)), [None, None]);
            Ok((format!("{mv} {}", san::write(&board, mv)), Vec::<Fault>::new()))
        })
    });
}

#[test]
fn pgn_is_read_as_the_golden_file_says() {
    assert_answers("chess/pgn.txt", |section, text| {
        let on_error = if section == "skip" { OnError::Skip } else { OnError::Stop };
        in_both_modes(|strictness| {
            let file = pgn::read("g", &unescape(text), strictness, on_error, usize::MAX);
            let file = file.map_err(|faults| faults.to_string())?;
            let describe = |game: &pgn::Game| {
                let moves: Vec<String> = game.moves.iter().map(ToString::to_string).collect();
                let tags: Vec<String> = game.tags.iter().map(|(name, text)| format!("{name}={text}")).collect();
                let ply = game.start.game_ply();
                format!("line {}, {} from ply {ply} ({}): {}", game.line, game.result, tags.join(", "), moves.join(" "))
            };
            Ok((file.games.iter().map(describe).collect::<Vec<_>>().join("\n"), file.notes))
        })
    });
}
