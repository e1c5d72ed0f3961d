use super::*;
use crate::chess::Board;
use crate::chess::epd_write::epd_line as epd;
use crate::chess::suite::SuiteKind;
use std::path::Path;

fn read(kind: SuiteKind, text: &str) -> Suite {
    let options = SuiteOptions::default();
    Suite::read("s", "s.epd", kind, text.as_bytes(), options).unwrap_or_else(|faults| panic!("{faults}"))
}

#[test]
fn format_follows_the_extension_of_the_output() {
    for (out, listing) in [
        (None, SuiteFormat::Text),
        (Some("a.json"), SuiteFormat::Json),
        (Some("a.csv"), SuiteFormat::Csv),
        (Some("a.epd"), SuiteFormat::Epd),
        (Some("a.fen"), SuiteFormat::Epd),
        (Some("a.txt"), SuiteFormat::Text),
        (Some("json"), SuiteFormat::Text),
    ] {
        assert!(output_format(None, out.map(Path::new), SuiteFormat::Text).is_ok_and(|it| it == listing), "{out:?}");
        assert!(
            output_format(Some(SuiteFormat::Csv), out.map(Path::new), SuiteFormat::Text)
                .is_ok_and(|it| it == SuiteFormat::Csv),
            "{out:?}"
        );
    }
}

#[test]
fn positions_without_a_legal_move_are_named() {
    let text = format!(
        "{ROOKS} id \"a\";\nR5k1/5ppp/8/8/8/8/8/6K1 b - - id \"mate\";\n7k/5Q2/8/8/8/8/8/K7 b - - id \"stale\";\n"
    );
    let suite = read(SuiteKind::Positions, &text);
    let note = "s.epd: 2 positions without a legal move (\"mate\", \"stale\"): nothing is searched there, and other engines are \
                not asked";
    assert_eq!(list_notes("s.epd", &suite), [note]);
}

const ROOKS: &str = "4k3/8/8/8/8/8/8/R3K2R w KQ -";

/// Clocks are written as operations unless they have the default value.
#[test]
fn epd_is_readable_by_the_strict_reader() {
    for (input, expected) in [
        (format!("{ROOKS} bm O-O O-O-O; id \"a\";"), format!("{ROOKS} bm O-O O-O-O; id \"a\";")),
        (format!("{ROOKS} hmvc 7; fmvn 30; id \"a\";"), format!("{ROOKS} hmvc 7; fmvn 30; id \"a\";")),
        (format!("{ROOKS} id \"a\"; am Ke2; ce -5;"), format!("{ROOKS} am Ke2; ce -5; id \"a\";")),
        (format!("{ROOKS} D1 26; D2 112; id \"a\";"), format!("{ROOKS} D1 26; D2 112; id \"a\";")),
        (format!("{ROOKS} noop; pv Ra8+ Ke7; id \"a\";"), format!("{ROOKS} noop; pv Ra8+ Ke7; id \"a\";")),
        // Each move is written for its own position: when Rhh8 is played, the other rook is on the
        // eighth rank already.
        (format!("{ROOKS} pv Ra8+ Kd7 Rhh8; id \"a\";"), format!("{ROOKS} pv Ra8+ Kd7 Rhh8; id \"a\";")),
    ] {
        let suite = read(SuiteKind::Positions, &format!("{input}\n"));
        assert_eq!(epd(&suite.items[0]), format!("{expected}\n"));
    }
    let write_with_clocks = |clocks: &str| {
        let board = Board::from_fen(&format!("{ROOKS} {clocks}")).unwrap();
        let mut item = Suite::of_board("x\"y", board).items.remove(0);
        item.id = "x\"y".to_owned();
        epd(&item)
    };
    assert_eq!(write_with_clocks("0 1"), format!("{ROOKS} id \"x\\\"y\";\n"));
    assert_eq!(write_with_clocks("7 1"), format!("{ROOKS} hmvc 7; id \"x\\\"y\";\n"));
    assert_eq!(write_with_clocks("0 30"), format!("{ROOKS} fmvn 30; id \"x\\\"y\";\n"));
}

#[test]
fn repaired_file_is_always_strict_epd() {
    use rand::{RngExt, SeedableRng};
    const PIECES: [&str; 28] = [
        "\u{1}",
        "\u{1b}[31m",
        "\0",
        "\u{85}",
        "\t",
        "\"",
        "\\",
        "'",
        ";",
        "; ",
        " ",
        "id",
        "id \"a\u{1b}\"",
        "c0",
        "c1 \"open",
        "Ae \"x\" \"",
        "Ae x\" \"y",
        "bm e4",
        "am Ke2",
        "am Kz9",
        "pv e4",
        "hmvc 3",
        "fmvn 0",
        "7",
        "x@",
        "noop",
        "\u{feff}",
        "Qd1 +",
    ];
    const STARTS: [&str; 5] = [
        "4k3/8/8/8/8/8/4P3/4K3 w - -",
        "4k3/8/8/8/8/8/4P3/4K3 w  KQ e3 7",
        "4k3/8/8/8/8/8/4P3/4K3\0w - - 0 0",
        "8/8/8/1k6/3Pp3/8/8/4KQ2 b - d3",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w qkQK - 0 1",
    ];
    let mut random = rand_pcg::Pcg64::seed_from_u64(1);
    let (mut repaired, mut left_out) = (0, 0);
    for _ in 0..3000 {
        let mut line = STARTS[random.random_range(0..STARTS.len())].to_owned();
        for _ in 0..random.random_range(0..7) {
            line += if random.random_bool(0.7) { " " } else { "" };
            line += PIECES[random.random_range(0..PIECES.len())];
            line += if random.random_bool(0.5) { ";" } else { "" };
        }
        let options = SuiteOptions { strictness: Strictness::Lenient, on_error: OnError::Skip, first: None };
        let suite = Suite::read("a\u{1b}\n\"", "s.epd", SuiteKind::Positions, line.as_bytes(), options).unwrap();
        let (text, faults) = epd_file("s.epd", &suite);
        let reread = read(SuiteKind::Positions, &text);
        let list_boards = |suite: &Suite| suite.items.iter().map(|item| item.board).collect::<Vec<_>>();
        left_out += suite.items.len() - reread.items.len();
        if reread.items.len() == suite.items.len() {
            assert_eq!(list_boards(&reread), list_boards(&suite), "{line:?}");
            assert_eq!(
                reread.items.first().map(Item::best_moves),
                suite.items.first().map(Item::best_moves),
                "{line:?}"
            );
            repaired += usize::from(!suite.notes.is_empty());
        } else {
            assert!(line.starts_with(STARTS[3]), "{line:?}: {text}");
            assert_eq!(faults.len(), 1, "{line:?}: {text}");
        }
    }
    assert!(repaired > 500, "{repaired} {left_out}");
    assert!(left_out > 100, "{repaired} {left_out}");
}

/// The lenient reader accepts such a position, because it has published counts. It must not be
/// changed silently.
#[test]
fn position_that_strict_epd_refuses_is_not_written() {
    let line = "8/8/8/1k6/3Pp3/8/8/4KQ2 b - d3 bm exd3; id \"a\";\n4k3/8/8/8/8/8/8/4K3 w - - id \"b\";\n";
    let options = SuiteOptions { strictness: Strictness::Lenient, ..SuiteOptions::default() };
    let suite = Suite::read("s", "s.epd", SuiteKind::Positions, line.as_bytes(), options).unwrap();
    let (written, faults) = epd_file("s.epd", &suite);
    assert_eq!(written, "4k3/8/8/8/8/8/8/4K3 w - - id \"b\";\n");
    let fault = "s.epd:1:1: cannot be written as strict EPD: the side to move was in check before the pawn passed d3";
    assert_eq!(faults.iter().map(ToString::to_string).collect::<Vec<_>>(), [fault]);
}

/// Control characters are replaced, quotes and backslashes are escaped. Clocks come before a text
/// that names them, because other readers misread them there.
#[test]
fn texts_are_written_as_other_programs_read_them() {
    let input = format!("{ROOKS} c0 \"hmvc fmvn\"; c1 \"a\\\\\"; hmvc 7; fmvn 30; id \"a\\b\";\n");
    let suite = read(SuiteKind::Positions, &input);
    let written = format!("{ROOKS} hmvc 7; fmvn 30; c0 \"hmvc fmvn\"; c1 \"a\\\\\"; id \"a\\\\b\";\n");
    assert_eq!(epd(&suite.items[0]), written);
    let game = read(SuiteKind::Games, "[White \"a\u{1b}\\\"\"]\n[Black \"b\"]\n\n1. e4 *\n");
    assert!(epd(&game.items[0]).ends_with(" id \"a\u{fffd}\\\" - b\";\n"), "{}", epd(&game.items[0]));
}

#[test]
fn listing_has_each_kind_of_moves_in_its_field() {
    let suite = read(SuiteKind::Positions, &format!("{ROOKS} bm O-O Ra8+; am Ke2; id \"a\";\n{ROOKS} id \"b\";\n"));
    let line = |item: &str, line: &str, best: &str, fen: &str| format!("{item:<24} {line:>5}  {best:<20} {fen}\n");
    let fen = format!("{ROOKS} 0 1");
    let head = format!("{:<24} {:>5}  {:<20} position\n", "id", "line", "best / moves");
    let first = line("a", "1", "e1g1 a1a8 not e1e2", &fen);
    assert_eq!(format_table(&suite), format!("{head}{first}{}2 items\n", line("b", "2", "", &fen)));
    assert_eq!(
        format_csv(&suite).unwrap(),
        format!(
            "id,line,fen,best,best_san,avoid,avoid_san,moves,moves_san\n\
             a,1,{fen},e1g1 a1a8,O-O Ra8+,e1e2,Ke2,,\nb,2,{fen},,,,,,\n"
        )
    );
    let game = read(SuiteKind::Games, "[Event \"g\"]\n[Result \"*\"]\n\n1. e4 e5 2. Nf3 *\n");
    let fields = item_fields(&game.items[0]);
    assert_eq!(fields["moves_san"], serde_json::json!(["e4", "e5", "Nf3"]));
    assert_eq!(fields["moves"], serde_json::json!(["e2e4", "e7e5", "g1f3"]));
    assert!(format_table(&game).contains(" 3 plies "), "{}", format_table(&game));
    assert!(epd(&game.items[0]).contains(" pv e4 e5 Nf3; id "), "{}", format_table(&game));
}
