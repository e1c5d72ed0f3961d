//! Tests of EPD: how strict and lenient readers treat the irregularities of real files, and that no
//! input makes them panic.

use proptest::prelude::*;
use ttlab::internals::chess::fault::{Fault, Faults, OnError};
use ttlab::internals::chess::opcode::OperationValue;
use ttlab::internals::chess::{Board, Strictness, epd};

const BK01: &str = "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - -";

/// The positions of a file, and the reader's notes.
type EpdFile = (Vec<epd::Epd>, Vec<Fault>);

fn read_positions(file: &str, text: &str, strictness: Strictness, on_error: OnError) -> Result<EpdFile, Faults> {
    let mut reader = epd::Reader::new(file, text.as_bytes(), strictness, on_error);
    let positions = reader.by_ref().collect();
    Ok((positions, reader.finish()?))
}

fn strict(line: &str) -> Result<epd::Epd, String> {
    epd::read_line(line, Strictness::Strict).map(|(epd, _)| epd).map_err(|fault| fault.to_string())
}

/// Reads a line in lenient mode, and returns it with the reader's notes.
fn lenient(line: &str) -> Result<(epd::Epd, Vec<String>), String> {
    match epd::read_line(line, Strictness::Lenient) {
        Ok((epd, notes)) => Ok((epd, notes.iter().map(ToString::to_string).collect())),
        Err(fault) => Err(fault.to_string()),
    }
}

fn best(epd: &epd::Epd) -> Vec<String> {
    epd::moves(&epd.operations, "bm").iter().map(ToString::to_string).collect()
}

#[test]
fn known_opcodes_are_read_and_written() {
    let line = format!(
        "{BK01} bm Qd1+; am Qb6 Rc8; id \"BK.01\"; c0 \"a; b\"; c9 word; acd 12; acs 30; ce -150; dm 3; pv Qd1+ Kxd1 Bg4+; \
         hmvc 4; fmvn 7; D1 40; D2 1764; Ae \"any thing\" 3;"
    );
    let epd = strict(&line).unwrap();
    let text = |name| match epd.value(name) {
        Some(OperationValue::Text(text) | OperationValue::Raw(text)) => text.clone(),
        other => panic!("{name}: {other:?}"),
    };
    assert_eq!(best(&epd), ["d6d1"]);
    assert_eq!(epd::moves(&epd.operations, "am").len(), 2);
    assert_eq!(
        epd::moves(&epd.operations, "pv").iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["d6d1", "c1d1", "d7g4"]
    );
    assert_eq!((text("id"), text("c0"), text("c9")), ("BK.01".into(), "a; b".into(), "word".into()));
    assert_eq!(text("Ae"), "\"any thing\" 3", "unknown opcodes are kept as they stand");
    for (name, number) in [("acd", 12), ("acs", 30), ("ce", -150), ("dm", 3), ("hmvc", 4), ("fmvn", 7)] {
        assert_eq!(epd.value(name), Some(&OperationValue::Integer(number)));
    }
    assert_eq!(
        (epd.value("D1"), epd.value("D2")),
        (Some(&OperationValue::Nodes(40)), Some(&OperationValue::Nodes(1764)))
    );
    assert_eq!((epd.board.halfmove_clock(), epd.board.game_ply()), (4, 13));
}

#[test]
fn common_deviations_are_read_in_both_modes() {
    for (line, moves) in [
        // Six fields; moves in UCI notation; no semicolon at the end; perft counts after
        // semicolons.
        ("1R6/1brk2p1/4p2p/p1P1Pp2/P7/6P1/1P4P1/2R3K1 w - - 0 1 bm b8b7", vec!["b8b7"]),
        ("2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qg6; id WAC.001;", vec!["g3g6"]),
        ("r5k1/2p1brpp/p1nqbp2/P2pp3/BP6/2P1BN2/1P3PPP/R2QR1K1 w - - bm Rac1;", vec!["a1c1"]),
        ("5r1r/1pkb4/5pB1/2P5/p3R2P/Pq6/1PQ2Pn1/K2R4 w - - bm Rxd7; id \"ECM.1193\";", vec!["d1d7"]),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 ;D1 20 ;D2 400", vec![]),
        ("8/2K5/8/8/8/8/3p4/1k2N3 b - - wdl_table 2; wdl 2; dtz 1;", vec![]),
        ("2rr2k1/1p4bp/p1q1p1p1/4Pp1n/2PB4/1PN3P1/P3Q2P/2RR2K1 w - f6 0 20", vec![]),
        // A capture without the `x`.
        ("rnbq1b1r/ppp2kpp/3p1n2/8/3PP3/8/PPP2PPP/RNBQKB1R b KQ d3 1 5 id \"CCR13\"; bm Ne4; ", vec!["f6e4"]),
    ] {
        assert_eq!(best(&strict(line).unwrap_or_else(|fault| panic!("{line}: {fault}"))), moves, "{line}");
        assert_eq!(best(&lenient(line).unwrap().0), moves, "{line}");
    }
    assert_eq!(strict("8/2K5/8/8/8/8/3p4/1k2N3 b - - ;D1 3 ;D2 14").unwrap().operations.len(), 2);
}

#[test]
fn deviation_is_refused_with_its_column_or_repaired() {
    // The line, the strict reader's fault, the lenient reader's best moves, and the number of
    // notes.
    let dirty = format!("{BK01} ; bm Qd1 + ; id BK.01\0");
    let prose = "8/1p5k/1P1p4/3p4/3Pp2p/2K1P2p/7P/8 w - - bm Kb2; id \"Z.29\"; 1 Kb2! Kg8 2 Ka1!!, draw";
    for (line, fault, moves, notes) in [
        (dirty.as_str(), "column 71: expected printable text, found the control character 0x00", vec!["d6d1"], 2),
        (
            "rn2kbnr/pp3pp1/4p3/3pP1Bp/2pP3P/2P5/Pq2NPP1/RN1Q1RK1 b kq - - bm Qxa1;",
            "column 61: expected an opcode (a letter, then letters, digits, _ or -), found `-`",
            vec!["b2a1"],
            1,
        ),
        (
            "5k2/8/pppppppp/8/PPPPPPPP/8/8/5K2 w - - bm d5; id=\"33\";",
            "column 48: expected an opcode (a letter, then letters, digits, _ or -), found `id=\"33\"`",
            vec!["d4d5"],
            1,
        ),
        (
            "6k1/p3b1np/6pr/6P1/1B2p2Q/K7/7P/8 w - - bm Qxh6??; id \"x\";",
            "column 44: expected a move, found `Qxh6??`",
            vec!["h4h6"],
            1,
        ),
        (
            "2rqkb1r/3n1p1p/p3p1pn/1p1pP1N1/5P2/2N5/PPP3PP/R1BQ1R1K w kq - bm a4;",
            "column 58: the castling right q needs king and rook on their home squares",
            vec!["a2a4"],
            1,
        ),
        (prose, "column 61: expected an opcode (a letter, then letters, digits, _ or -), found `1`", vec!["c3b2"], 1),
        (
            "r1bqk2r/ppp2ppp/2n5/4P3/2Bp2n1/5N1P/PP1N1PP1/R2Q1RK1 b kq - 1 10 bm Nh6; am Ne5;",
            "column 77: `Ne5` is ambiguous: Ngxe5 or Ncxe5",
            vec!["g4h6"],
            1,
        ),
        (
            "8/8/8/8/8/3K4/R7/5k2 w - - id two words; bm Ke3;",
            "column 35: `id` expects one string in quotation marks",
            vec!["d3e3"],
            1,
        ),
        (
            "8/8/8/8/8/3K4/R7/5k2 w - - bm Ke3; id \"open",
            "column 39: expected a closing quotation mark",
            vec!["d3e3"],
            1,
        ),
        (
            "8/8/8/8/8/3K4/R7/5k2 w - - bm Ke3; acd \"5\";",
            "column 40: `acd` expects a count, found `5`",
            vec!["d3e3"],
            1,
        ),
        (
            "8/8/8/8/8/3K4/R7/5k2 w - - bm Ke3; acd many;",
            "column 40: `acd` expects a count, found `many`",
            vec!["d3e3"],
            1,
        ),
        (
            "8/8/8/8/8/3K4/R7/5k2 w - - bm Ke3; dm;",
            "column 36: `dm` expects an integer, found nothing",
            vec!["d3e3"],
            1,
        ),
        ("8/8/8/8/8/3K4/R7/5k2 w - - bm Ke3; bm Kd4;", "column 36: duplicate opcode `bm`", vec!["d3e3"], 1),
    ] {
        let error = strict(line).map(|_| ()).expect_err(line);
        assert!(error.starts_with(fault), "{line}: {error}");
        let (epd, repairs) = lenient(line).unwrap_or_else(|fault| panic!("{line}: {fault}"));
        assert_eq!(best(&epd), moves, "{line}");
        assert_eq!(repairs.len(), notes, "{line}: {repairs:?}");
        // The repaired line is valid in strict mode, with each operation only once.
        let names: std::collections::HashSet<&str> =
            epd.operations.iter().map(|operation| operation.opcode.as_str()).collect();
        assert_eq!(names.len(), epd.operations.len(), "{line}");
    }
}

/// Each type of value, and numbers at and beyond the ends of their ranges.
#[test]
fn operands_at_their_limits_are_read_and_beyond_refused() {
    let kings = "4k3/8/8/8/8/8/8/4K3 w - -";
    let value = |operation: &str| {
        let name = operation.split(' ').next().unwrap_or_default();
        strict(&format!("{kings} {operation};")).ok().and_then(|epd| epd.value(name).cloned())
    };
    use OperationValue::{Integer, Line, Moves, Nodes, Raw, Text};
    for (operation, expected) in [
        ("hmvc 0", Some(Integer(0))),
        ("hmvc 9999", Some(Integer(9999))),
        ("hmvc 10000", None),
        ("hmvc -1", None),
        ("fmvn 1", Some(Integer(1))),
        ("fmvn 9999", Some(Integer(9999))),
        ("fmvn 10000", None),
        ("fmvn 0", None),
        ("acd 0", Some(Integer(0))),
        ("acd -1", None),
        ("acd 5 6", None),
        ("acs 9223372036854775807", Some(Integer(i64::MAX))),
        ("ce -9223372036854775808", Some(Integer(i64::MIN))),
        ("ce 9223372036854775808", None),
        ("D1 0", Some(Nodes(0))),
        ("D9 7", Some(Nodes(7))),
        ("D9 -1", None),
        ("D10 7", Some(Raw("7".to_owned()))),
        ("c9 \"\"", Some(Text(String::new()))),
        ("c9", None),
        ("c9 a b", None),
    ] {
        assert_eq!(value(operation), expected, "{operation}");
    }
    let clocks = strict(&format!("{kings} hmvc 9999; fmvn 9999;")).unwrap().board;
    assert_eq!((clocks.halfmove_clock(), clocks.game_ply()), (9999, 2 * 9998));
    assert!(matches!(value("pv Kd2 Kd7"), Some(Line(moves)) if moves.len() == 2));
    assert!(matches!(value("bm Kd2 Kf2"), Some(Moves(moves)) if moves.len() == 2));
    assert!(matches!(value("am Kd2"), Some(Moves(moves)) if moves.len() == 1));
    // A dropped operation ends at its semicolon, but not at one inside quotes. Several words
    // without quotes are one text.
    let line = "b@d \"a; b\" c; id \"one\" two; 7 men \"are; left\" ; c1 last;";
    let (epd, notes) = lenient(&format!("{kings} {line}")).unwrap();
    let texts: Vec<_> = ["id", "c1"].into_iter().map(|name| epd.value(name).cloned()).collect();
    assert_eq!(texts, [Some(Text("one\" two".to_owned())), Some(Text("last".to_owned()))]);
    assert_eq!((epd.operations.len(), notes.len()), (2, 3), "{notes:?}");
}

#[test]
fn unreadable_lines_are_refused_in_both_modes() {
    for (line, fault) in [
        ("startpos\0", "column"),
        ("a8/Q e1/Q 4 Qd5+ Kb4 5 Qd3!, white wins\"; id \"ZPTS.06\";", "column 1: expected a piece"),
        ("1r2r1k1/1pqn1pp1/p3p1p1/3pP3/P7/2PQ3P/1P1N1PP1/R3R1K1 w - - bm Nf4;", "column 64: no legal move `Nf4`"),
        (
            "1r4Q1/7p/2N1B2k/7P/3Pp1P1/K1N1P2R/PP2PR2/8 b - -; +- no repet - StackOverflow",
            "column 51: expected an opcode",
        ),
        ("rnbr2k1/pp2pp1p/6p1/q1PQ4/8/2b1PN2/PP1BBPPP/R3K2R w KQ - 0 1;48;1893;86741", "column 62: expected an opcode"),
        ("8/8/8/8/8/3K4/R7/5k2 w - - bm;", "column 28: `bm` expects moves, found nothing"),
    ] {
        for error in [strict(line).map(|_| ()), lenient(line).map(|_| ())] {
            let error = error.expect_err(line);
            assert!(error.starts_with(fault) || error.contains("control"), "{line}: {error}");
        }
    }
}

#[test]
fn file_with_comments_blanks_and_any_line_ends_is_read() {
    let text =
        format!("\u{feff}# heading\r\n\r\n  # more\r\n{BK01} bm Qd1+;\r\n\n8/8/8/8/8/3K4/R7/5k2 w - - dm 4; bn Ke3;\n");
    let file = read_positions("f.epd", &text, Strictness::Strict, OnError::Stop).unwrap();
    assert_eq!(file.0.iter().map(|epd| epd.line).collect::<Vec<_>>(), [4, 6]);
    let notes: Vec<String> = file.1.iter().map(ToString::to_string).collect();
    assert_eq!(notes, ["f.epd:6:34: the unknown opcode `bn` is kept (did you mean `bm`?)"]);

    let faults = read_positions(
        "f.epd",
        "\u{feff}8/x\n# fine\n8/8/8/8/8/3K4/R7/5k2 w - - bm Kd9;\n",
        Strictness::Strict,
        OnError::Stop,
    );
    assert_eq!(
        faults.unwrap_err().to_string(),
        "f.epd:1:6: expected a piece (pnbrqkPNBRQK), 1-8 or /, found `x`\nf.epd:3:31: expected a move, found `Kd9`",
        "columns count the bytes of the line, its mark included"
    );
    let text = format!("{BK01} id \"a\";\n8/x\n{BK01} bm Kz9;\n{BK01} id \"d\";\n");
    let file = read_positions("f.epd", &text, Strictness::Strict, OnError::Skip).unwrap();
    assert_eq!(file.0.iter().map(|epd| epd.line).collect::<Vec<_>>(), [1, 4]);
    let notes: Vec<String> = file.1.iter().map(ToString::to_string).collect();
    assert!(notes.len() == 2, "{notes:?}");
    assert!(notes[0].starts_with("f.epd:2:3: left out: "), "{notes:?}");
    assert!(notes[1].starts_with("f.epd:3:"), "{notes:?}");
}

/// The reader finds the same positions at the same lines, whatever the line ending, and no
/// operation of one line is attributed to the line before.
#[test]
fn lines_end_with_lf_crlf_or_cr() {
    let lines = ["# heading", "", &format!("{BK01} bm Qd1+;"), "4k3/8/8/8/8/8/4P3/4K3 w - - bm e4;", ""];
    for end in ["\n", "\r\n", "\r"] {
        for strictness in [Strictness::Strict, Strictness::Lenient] {
            for text in [lines.join(end), lines[..4].join(end)] {
                let file = read_positions("f.epd", &text, strictness, OnError::Stop).unwrap();
                let positions: Vec<_> = file.0.iter().map(|epd| (epd.line, best(epd))).collect();
                assert_eq!(positions, [(3, vec!["d6d1".to_owned()]), (4, vec!["e2e4".to_owned()])], "{text:?}");
                assert_eq!(file.1, [], "{text:?}");
            }
        }
    }
}

/// A halfmove clock without a move number is accepted, with or without operations after it. A
/// number that lost its opcode is still a fault.
#[test]
fn lenient_reads_a_clock_without_a_move_number() {
    let kings = "4k3/8/8/8/8/8/4P3/4K3 w - -";
    for (line, clock, moves) in [
        (format!("{kings} 7 bm e4; id \"a\";"), 7, vec!["e2e4"]),
        (format!("{kings} 7"), 7, vec![]),
        (format!("{kings} 7 0 bm e4;"), 7, vec!["e2e4"]),
    ] {
        strict(&line).expect_err(&line);
        let (epd, notes) = lenient(&line).unwrap_or_else(|fault| panic!("{line}: {fault}"));
        assert_eq!(
            (epd.board.halfmove_clock(), epd.board.game_ply(), best(&epd)),
            (clock, 0, moves.iter().map(|&mv| mv.to_owned()).collect()),
            "{line}"
        );
        assert_eq!(notes.len(), 1, "{line}: {notes:?}");
    }
    lenient(&format!("{kings} 7;48;1893")).unwrap_err();
}

/// A line of more than one mebibyte isn't a position. The line before it is read, but none of those
/// after it.
#[test]
fn line_of_a_mebibyte_is_read_and_longer_refused() {
    let max = 1 << 20;
    for (length, is_read) in [(max, true), (max + 1, false)] {
        let start = format!("{BK01} c0 \"");
        let line = format!("{start}{}\";", "x".repeat(length - start.len() - 2));
        assert_eq!(line.len(), length);
        let text = format!("{BK01} id \"a\";\n{line}\n{BK01} id \"c\";\n");
        for on_error in [OnError::Stop, OnError::Skip] {
            let result = read_positions("f.epd", &text, Strictness::Strict, on_error);
            let output = "f.epd:2:1: expected a position, found a line of more than 1048576 bytes";
            match result {
                Ok(file) => assert!(is_read && file.0.len() == 3),
                Err(faults) => assert!(!is_read && faults.to_string() == output, "{faults}"),
            }
        }
    }
}

#[test]
fn start_position_without_operations_is_read() {
    let epd = strict("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -").unwrap();
    assert_eq!((epd.board, epd.operations), (Board::startpos(), vec![]));
}

proptest! {
    #[test]
    fn strange_lines_cause_no_panic(tail in "\\PC{0,60}", letters in "[ ;\"a-z0-9+#D-]{0,40}") {
        for line in [tail.clone(), format!("{BK01} {tail}"), format!("{BK01} bm Qd1; {letters}"), format!("{BK01} {letters}")] {
            for strictness in [Strictness::Strict, Strictness::Lenient] {
                match read_positions("x.epd", &line, strictness, OnError::Stop) {
                    Ok(file) => prop_assert!(file.0.len() <= 1 + line.matches('\n').count()),
                    Err(faults) => {
                        for fault in &faults.0 {
                            prop_assert!((1..=line.len() + 1).contains(&fault.column), "{:?}: {}", line, fault);
                        }
                    }
                }
            }
        }
    }
}
