//! Tests of EPD: how strict and lenient readers treat the irregularities of real files, and that no
//! input makes them panic.

use proptest::prelude::*;
use ttlab::internals::chess::fault::{Fault, Faults, OnError};
use ttlab::internals::chess::suite::{Suite, SuiteKind, SuiteOptions};
use ttlab::internals::chess::{Strictness, epd, epd_write};

const BK01: &str = "1k1r4/pp1b1R2/3q2pp/4p3/2B5/4Q3/PPP2B2/2K5 b - -";

/// The positions of a file, and the reader's notes.
type EpdFile = (Vec<epd::Epd>, Vec<Fault>);

fn read_positions(file: &str, text: &str, strictness: Strictness, on_error: OnError) -> Result<EpdFile, Faults> {
    let mut reader = epd::Reader::new(file, text.as_bytes(), strictness, on_error);
    let positions = reader.by_ref().collect();
    Ok((positions, reader.finish()?))
}

fn best(epd: &epd::Epd) -> Vec<String> {
    epd::moves(&epd.operations, "bm").iter().map(ToString::to_string).collect()
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

/// A mate is given by `dm 4` or `bm #4`, also behind a FEN, and is written as it was read.
#[test]
fn mate_is_read_with_its_side_and_its_faults_are_told() {
    const START: &str = "8/8/8/8/8/3K4/R7/5k2 w - -";
    for (operations, mate) in [
        ("dm 4;", Some(4)),
        ("bm #4;", Some(4)),
        ("bm #-12;", Some(-12)),
        ("dm -1;", Some(-1)),
        ("0 1 bm #7; PV: a2a1", Some(7)),
        ("bm Ke3; dm 4;", Some(4)),
        ("bm #4; dm 4;", Some(4)),
        ("bm Ke3;", None),
        ("", None),
    ] {
        let text = format!("{START} {operations}\n");
        let read = |text: &str| {
            let kind = SuiteKind::Positions;
            Suite::read(
                "s",
                "s.epd",
                kind,
                text.as_bytes(),
                SuiteOptions { strictness: Strictness::Lenient, ..SuiteOptions::default() },
            )
        };
        let suite = read(&text).unwrap();
        assert_eq!(suite.items[0].mate(), mate, "{operations}");
        let written = epd_write::epd_line(&suite.items[0]);
        assert_eq!(read(&written).unwrap().items[0].mate(), mate, "{written}");
    }
    let expects = |name: &str, example: &str| {
        format!(
            "`{name}` expects the number of moves to mate, as {example} (negative: the side to move is mated), found"
        )
    };
    let (bm, dm) = (expects("bm", "#4"), expects("dm", "4"));
    for (operations, message) in [
        ("bm #0;", format!("{bm} `#0`")),
        ("bm #x;", format!("{bm} `#x`")),
        ("bm #4 #5;", format!("{bm} a second operand `#5`")),
        ("dm 0;", format!("{dm} `0`")),
        ("dm 500;", format!("{dm} `500`")),
        ("dm;", format!("{dm} nothing")),
        ("dm 3; bm #4;", "`bm` says mate in 4, but `dm` says mate in 3".to_owned()),
    ] {
        let fault = epd::read_line(&format!("{START} {operations}"), Strictness::Strict).unwrap_err();
        assert_eq!(fault.message, message, "{operations}");
    }
}
