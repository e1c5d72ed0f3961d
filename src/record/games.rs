//! Writes the games of a match as PGN. The PGN is generated only from the rows, so that equal rows
//! give equal bytes. Each game is replayed. A game is refused if its moves, its end or its result
//! break the rules.

use super::atomic::{begin_file, publish};
use super::results::{Lines, parse_header};
use super::{BLACK, ResultsError, WHITE, columns};
use crate::chess::ending::{Ending, ending};
use crate::chess::{Board, Color, EpRule, Increments, parse_move, san};
use crate::system::files;
use std::fmt::Write as _;
use std::io::{BufWriter, Write};
use std::path::Path;

pub const NAME: &str = "games.pgn";

/// Maximum width of a line of moves, in characters.
const MAX_WIDTH: usize = 80;

pub fn ending_word(ending: Ending) -> &'static str {
    match ending {
        Ending::Mate => "mate",
        Ending::Stalemate => "stalemate",
        Ending::Repetition => "repetition",
        Ending::FiftyMoves => "fifty-moves",
        Ending::Material => "material",
    }
}

/// The value of `match.end` for a game adjudicated as lost.
pub const RESIGNED: &str = "resigned";

/// The value of `match.end` for a game adjudicated as drawn.
pub const AGREED: &str = "draw-agreed";

pub const TOO_LONG: &str = "max-moves";

/// Writes the file of games into the folder of the results. Writes nothing if the rows are not
/// games.
///
/// # Errors
/// When a game breaks the rules, or when reading or writing fails.
pub fn write(results: &Path) -> Result<(), ResultsError> {
    let path = results.with_file_name(NAME);
    let mut new_file = begin_file(&path)?;
    let mut writer = BufWriter::new(new_file.as_file_mut());
    let has_games = for_each_game(results, |text| writer.write_all(text.as_bytes()))?;
    writer.flush()?;
    drop(writer);
    if has_games {
        publish(new_file, &path)?;
    }
    Ok(())
}

/// Calls `write_game` with the PGN of each game, in the order of the rows. Returns whether the rows
/// are games.
fn for_each_game(
    results: &Path,
    mut write_game: impl FnMut(&str) -> std::io::Result<()>,
) -> Result<bool, ResultsError> {
    let file = files::open(results)?;
    let lines = Lines::open(&file)?;
    let header = parse_header(&lines.header)?;
    let indices = PGN_COLUMNS.map(|name| header.iter().position(|column| column == name));
    if indices[..REQUIRED_COLUMN_COUNT].contains(&None) {
        return Ok(false);
    }
    let mut write_result = Ok(());
    let read_result = lines.for_each(
        header.len(),
        |_| true,
        |_, row| {
            let row = row?;
            let field = |index: Option<usize>| index.and_then(|index| row.get(index)).unwrap_or_default();
            let Some(text) = pgn(indices.map(field))? else { return Ok(()) };
            write_result = write_game(&text);
            // The empty error only stops the reading. An error in `write_result` is returned below.
            if write_result.is_ok() { Ok(()) } else { Err(String::new()) }
        },
    );
    write_result?;
    read_result.map(|_| true)
}

/// The columns from which a game's PGN is made. The first [`REQUIRED_COLUMN_COUNT`] columns must
/// exist. The last column does not exist in the results of older builds.
const PGN_COLUMNS: [&str; REQUIRED_COLUMN_COUNT + 1] = [
    columns::EXPERIMENT,
    columns::VARIANT,
    columns::POSITION,
    columns::OPPONENT,
    columns::COLOUR,
    columns::POINTS,
    columns::END,
    columns::START,
    columns::MOVES,
    columns::SCORES,
    columns::ERROR,
    columns::SEARCHES,
];

/// The number of columns in [`PGN_COLUMNS`] that must exist.
const REQUIRED_COLUMN_COUNT: usize = 11;

/// `fields` contains the row's field of each column in [`PGN_COLUMNS`].
///
/// # Errors
/// When a field is not valid, or when the game breaks the rules.
fn pgn(fields: [&str; PGN_COLUMNS.len()]) -> Result<Option<String>, String> {
    let [experiment, variant, position, opponent, colour, points, end, start, moves, scores, error, searches] = fields;
    if !error.is_empty() {
        return Ok(None);
    }
    let (white, black, game_number) = match colour {
        WHITE => (variant, opponent, 1),
        BLACK => (opponent, variant, 2),
        _ => return Err(format!("{}: `{colour}` is not a colour: expected white or black", columns::COLOUR)),
    };
    let result = match (points, colour) {
        ("1", WHITE) | ("0", BLACK) => "1-0",
        ("0", WHITE) | ("1", BLACK) => "0-1",
        ("0.5", _) => "1/2-1/2",
        _ => return Err(format!("{}: `{points}` is not a result: expected 1, 0.5 or 0", columns::POINTS)),
    };
    let board = Board::from_fen(start).map_err(|error| format!("{}: {error}", columns::START))?;
    let moves: Vec<&str> = moves.split_whitespace().collect();
    let scores: Vec<&str> = scores.split_whitespace().collect();
    if moves.len() != scores.len() {
        return Err(format!("{} moves have {} scores", moves.len(), scores.len()));
    }
    let mut searches = searches.split_whitespace();
    let comments: Vec<Option<String>> = scores.iter().map(|score| format_comment(score, searches.next())).collect();
    let movetext = format_moves(&board, &moves, &comments, (end, result))?;
    let fen = board.fen(EpRule::Legal);
    let termination = if [RESIGNED, AGREED, TOO_LONG].contains(&end) { "adjudication" } else { "normal" };
    let mut pgn = String::new();
    for (name, value) in [
        ("Event", experiment),
        ("Site", "?"),
        ("Date", "????.??.??"),
        ("Round", &format!("{position}.{game_number}")),
        ("White", white),
        ("Black", black),
        ("Result", result),
        ("SetUp", "1"),
        ("FEN", &fen),
        ("PlyCount", &moves.len().to_string()),
        ("Termination", termination),
        ("End", end),
    ] {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(pgn, "[{name} \"{value}\"]");
    }
    let _ = write!(pgn, "\n{movetext}\n");
    Ok(Some(pgn))
}

/// Formats the comment of a move. Returns `None` if no score was reported. The comment contains the
/// mover's score in pawns or the number of moves to mate, followed by the depth and the nodes of
/// the search. `search` has the form `DEPTH/NODES`.
fn format_comment(score: &str, search: Option<&str>) -> Option<String> {
    let score = match score.parse::<i32>() {
        Ok(score) => format!("{:+.2}", f64::from(score) / 100.0),
        Err(_) if score.starts_with('M') => format!("+{score}"),
        Err(_) if score.starts_with("-M") => score.to_owned(),
        Err(_) => return None,
    };
    let depth_and_nodes = search.and_then(|search| search.split_once('/'));
    Some(
        depth_and_nodes
            .map_or_else(|| format!("{{{score}}}"), |(depth, nodes)| format!("{{{score}/{depth}, n={nodes}}}")),
    )
}

/// Formats the moves of a game in SAN, with their comments and the result.
///
/// # Errors
/// When a move is not legal, or when the recorded end or result contradicts the rules.
fn format_moves(
    start: &Board,
    moves: &[&str],
    comments: &[Option<String>],
    (end, result): (&str, &str),
) -> Result<String, String> {
    let (mut board, mut history) = (*start, Vec::with_capacity(moves.len()));
    let mut movetext = WrappedText::default();
    for (index, (&text, comment)) in moves.iter().zip(comments).enumerate() {
        if let Some(rules_end) = ending(&board, &history) {
            return Err(format!("move {} is played after the game has ended: {}", index + 1, ending_word(rules_end)));
        }
        let mv = parse_move(&board, text).ok_or_else(|| format!("move {}, `{text}`, is not legal", index + 1))?;
        let move_number = board.game_ply() / 2 + 1;
        match board.turn() {
            Color::White => movetext.push(&format!("{move_number}.")),
            Color::Black if index == 0 => movetext.push(&format!("{move_number}...")),
            Color::Black => {}
        }
        movetext.push(&san::write(&board, mv));
        if let Some(comment) = comment {
            comment.split(' ').for_each(|word| movetext.push(word));
        }
        history.push(board);
        board.play(mv, Increments::none());
    }
    let rules_end = ending(&board, &history);
    let result_if_mover_lost = if board.turn() == Color::White { "0-1" } else { "1-0" };
    let is_consistent = match rules_end {
        Some(Ending::Mate) => end == ending_word(Ending::Mate) && result == result_if_mover_lost,
        Some(rules_end) => end == ending_word(rules_end) && result == "1/2-1/2",
        None => match end {
            RESIGNED => result != "1/2-1/2",
            AGREED | TOO_LONG => result == "1/2-1/2",
            _ => false,
        },
    };
    if !is_consistent {
        let by_rules = rules_end.map_or("no end", ending_word);
        return Err(format!("the row says {end} with {result}, but the rules of chess say {by_rules}"));
    }
    movetext.push(result);
    Ok(movetext.text + "\n")
}

/// Joins words into lines of at most [`MAX_WIDTH`] characters.
#[derive(Default)]
struct WrappedText {
    text: String,
    width: usize,
}

impl WrappedText {
    /// Appends a word. A blank or a line feed separates the word from the previous word.
    fn push(&mut self, word: &str) {
        if self.width > 0 {
            let is_full = self.width + 1 + word.len() > MAX_WIDTH;
            self.text.push(if is_full { '\n' } else { ' ' });
            self.width = if is_full { 0 } else { self.width + 1 };
        }
        self.text.push_str(word);
        self.width += word.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MATE: [&str; 4] = ["f2f3", "e7e5", "g2g4", "d8h4"];

    #[test]
    fn game_is_written_in_san() {
        let comments = [("-30", Some("2/35")), ("?", Some("3/9")), ("-M1", None), ("M1", Some("4/1997"))]
            .map(|(score, search)| format_comment(score, search));
        let text = format_moves(&Board::startpos(), &MATE, &comments, ("mate", "0-1"));
        assert_eq!(text.as_deref(), Ok("1. f3 {-0.30/2, n=35} e5 2. g4 {-M1} Qh4# {+M1/4, n=1997} 0-1\n"));
        // Move numbers continue from the position's.
        for (turn, expected) in
            [("w", "12. Kd1 {+0.05} Kd8 13. Ke1 1/2-1/2\n"), ("b", "12... Kd8 {+0.05} 13. Kd1 Ke8 1/2-1/2\n")]
        {
            let board = Board::from_fen(&format!("4k3/8/8/8/8/8/4P3/4K3 {turn} - - 3 12")).unwrap();
            let moves = if turn == "w" { ["e1d1", "e8d8", "d1e1"] } else { ["e8d8", "e1d1", "d8e8"] };
            let text = format_moves(&board, &moves, &[format_comment("5", None), None, None], (AGREED, "1/2-1/2"));
            assert_eq!(text.as_deref(), Ok(expected));
        }
    }

    #[test]
    fn game_that_breaks_the_rules_is_refused() {
        let write_moves =
            |moves: &[&str], end: (&str, &str)| format_moves(&Board::startpos(), moves, &vec![None; moves.len()], end);
        for (moves, end, problem) in [
            (&MATE[..], ("mate", "1-0"), "the row says mate with 1-0"),
            (&MATE[..3], ("mate", "0-1"), "the rules of chess say no end"),
            (&MATE[..3], ("resigned", "1/2-1/2"), "the row says resigned"),
            (&MATE[..2], ("draw-agreed", "1-0"), "the row says draw-agreed with 1-0"),
            (&MATE[..2], ("max-moves", "0-1"), "the row says max-moves with 0-1"),
            (&MATE[..2], ("mate", "0-1"), "the rules of chess say no end"),
            (&["f2f3", "e7e5", "g2g4", "d8h4", "a2a3"], ("resigned", "0-1"), "after the game has ended: mate"),
            (&["f2f3", "e7e4"], ("resigned", "0-1"), "move 2, `e7e4`, is not legal"),
        ] {
            assert!(write_moves(moves, end).is_err_and(|message| message.contains(problem)), "{moves:?} {end:?}");
        }
        // A stalemate is a draw.
        let board = Board::from_fen("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1").unwrap();
        for (end, result, is_consistent) in [
            ("stalemate", "1/2-1/2", true),
            ("stalemate", "1-0", false),
            ("stalemate", "0-1", false),
            ("material", "1/2-1/2", false),
            ("mate", "1-0", false),
        ] {
            assert_eq!(
                format_moves(&board, &["f1f7"], &[None], (end, result)).is_ok(),
                is_consistent,
                "{end} {result}"
            );
        }
        assert!(write_moves(&MATE[..3], ("resigned", "0-1")).is_ok());
        assert!(write_moves(&MATE[..2], ("max-moves", "1/2-1/2")).is_ok());
        // The start position occurs a second time after four moves of knights and a third time
        // after eight: only then the game is drawn.
        let knights = ["g1f3", "g8f6", "f3g1", "f6g8"].repeat(2);
        for (moves, end, is_consistent) in [
            (8, ("repetition", "1/2-1/2"), true),
            (8, ("repetition", "1-0"), false),
            (8, ("draw-agreed", "1/2-1/2"), false),
            (8, ("resigned", "1-0"), false),
            (7, ("repetition", "1/2-1/2"), false),
            (7, ("draw-agreed", "1/2-1/2"), true),
            (4, ("repetition", "1/2-1/2"), false),
        ] {
            assert_eq!(write_moves(&knights[..moves], end).is_ok(), is_consistent, "{moves} {end:?}");
        }
        let played_on = [&knights[..], &["e2e4"]].concat();
        let message = "move 9 is played after the game has ended: repetition";
        assert_eq!(write_moves(&played_on, ("repetition", "1/2-1/2")), Err(message.to_owned()));
        // The hundredth ply without a capture or pawn move, and a capture that leaves bare kings.
        for (fen, moves, end) in [
            ("4k3/8/8/8/8/8/4P3/4K2R w - - 98 80", &["h1h2", "e8e7"][..], "fifty-moves"),
            ("4k3/8/8/8/8/8/3q4/4K3 w - - 0 1", &["e1d2"], "material"),
        ] {
            let board = Board::from_fen(fen).unwrap();
            let write_moves =
                |moves: &[&str], end| format_moves(&board, moves, &vec![None; moves.len()], (end, "1/2-1/2")).is_ok();
            assert!(write_moves(moves, end), "{end}");
            assert!(!write_moves(moves, "max-moves"), "{end}");
            assert!(!write_moves(&moves[1..], end), "{end}");
            assert!(write_moves(&moves[..moves.len() - 1], "max-moves"), "{end}");
        }
    }

    #[test]
    fn lines_break_between_words() {
        let mut lines = WrappedText::default();
        (0..40).for_each(|_| lines.push("Nf3 x"));
        // Thirteen times six characters less the last space are 77; a fourteenth would make 83.
        // Forty words are three lines and one word.
        assert!(lines.text.lines().count() == 4, "{}", lines.text);
        assert!(lines.text.lines().all(|line| line.len() <= MAX_WIDTH), "{}", lines.text);
    }

    const PGN: &str = "[Event \"an \\\"event\\\"\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"p1.1\"]\n[White \"ours\"]\n[Black \"back\\\\slash\"]\n\
        [Result \"0-1\"]\n[SetUp \"1\"]\n[FEN \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"]\n[PlyCount \"4\"]\n\
        [Termination \"normal\"]\n[End \"mate\"]\n\n1. f3 {-0.30} e5 2. g4 {-310.00} Qh4# {+310.00} 0-1\n\n";

    /// The rows of a match: the columns that games need, in another order, and one more. `change`
    /// is called with the column, the row and the field, and returns the field to write.
    fn rows(change: impl Fn(&str, usize, &str) -> String) -> String {
        let (white, no_error) = ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "");
        let black = "rnbqkbnr/pppppppp/8/8/8/5P2/PPPPP1PP/RNBQKBNR b KQkq - 0 1";
        let lines = [
            [
                white,
                "ours",
                "back\\slash",
                "p1",
                "white",
                "0",
                "mate",
                "f2f3 e7e5 g2g4 d8h4",
                "-30 ? -31000 31000",
                no_error,
                "an \"event\"",
                "0.1",
            ],
            [
                black,
                "ours",
                "back\\slash",
                "p1",
                "black",
                "1",
                "resigned",
                "e7e5 g2g4",
                "5 -250",
                no_error,
                "an \"event\"",
                "0.1",
            ],
            [
                black,
                "ours",
                "back\\slash",
                "p2",
                "black",
                "0.5",
                "max-moves",
                "e7e5",
                "?",
                no_error,
                "an \"event\"",
                "0.1",
            ],
            ["", "ours", "back\\slash", "p3", "", "", "", "", "", "why", "an \"event\"", "0.1"],
        ];
        let names = [
            columns::START,
            columns::VARIANT,
            columns::OPPONENT,
            columns::POSITION,
            columns::COLOUR,
            columns::POINTS,
            columns::END,
            columns::MOVES,
            columns::SCORES,
            columns::ERROR,
            columns::EXPERIMENT,
            columns::SECONDS,
        ];
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(names).expect("a header");
        for (index, line) in lines.iter().enumerate() {
            writer.write_record(names.iter().zip(line).map(|(name, field)| change(name, index, field))).expect("a row");
        }
        String::from_utf8(writer.into_inner().expect("bytes")).expect("text")
    }

    /// Three rows have games, and a failed one has none. The first game is compared as a whole, the
    /// others by their tags and moves.
    #[test]
    fn pgn_has_all_tags_and_errors_name_the_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let results = folder.path().join("results.csv");
        let as_is = |_: &str, _: usize, field: &str| field.to_owned();
        std::fs::write(&results, rows(as_is)).expect("rows");
        write(&results).expect("games");
        let text = std::fs::read_to_string(folder.path().join(NAME)).expect("games");
        let [first, second, third] = text
            .split_inclusive("\n\n")
            .collect::<Vec<_>>()
            .chunks(2)
            .map(<[&str]>::concat)
            .collect::<Vec<_>>()
            .try_into()
            .expect("three games");
        assert_eq!(first, PGN);
        for line in [
            "[Round \"p1.2\"]",
            "[White \"back\\\\slash\"]",
            "[Black \"ours\"]",
            "[Result \"0-1\"]",
            "[Termination \"adjudication\"]",
            "[PlyCount \"2\"]",
            "[End \"resigned\"]",
            "1... e5 {+0.05} 2. g4 {-2.50} 0-1",
        ] {
            assert!(second.lines().any(|text| text == line), "{line}: {second}");
        }
        for line in [
            "[Round \"p2.2\"]",
            "[Result \"1/2-1/2\"]",
            "[Termination \"adjudication\"]",
            "[End \"max-moves\"]",
            "1... e5 1/2-1/2",
        ] {
            assert!(third.lines().any(|text| text == line), "{line}: {third}");
        }
        for (name, index, value, problem) in [
            (columns::COLOUR, 0, "red", "line 2: match.colour: `red` is not a colour: expected white or black"),
            (columns::POINTS, 1, "2", "line 3: match.points: `2` is not a result: expected 1, 0.5 or 0"),
            (columns::SCORES, 1, "5", "line 3: 2 moves have 1 scores"),
            (columns::SCORES, 1, "5 6 7", "line 3: 2 moves have 3 scores"),
            (columns::POINTS, 0, "1", "line 2: the row says mate with 1-0, but the rules of chess say mate"),
            (
                columns::END,
                2,
                "stalemate",
                "line 4: the row says stalemate with 1/2-1/2, but the rules of chess say no end",
            ),
            (columns::MOVES, 1, "e7e5 g2g5", "line 3: move 2, `g2g5`, is not legal"),
            (columns::START, 2, "x", "line 4: match.start: "),
        ] {
            let changed = rows(
                |column, row, field| if column == name && row == index { value.to_owned() } else { field.to_owned() },
            );
            std::fs::write(&results, &changed).expect("rows");
            let message = write(&results).expect_err(name).to_string();
            assert!(message.starts_with(problem), "{name}: {message}");
        }
        // Rows that are not games give no file.
        std::fs::write(&results, "id,variant\n1,a\n").expect("rows");
        std::fs::remove_file(folder.path().join(NAME)).expect("gone");
        assert!(write(&results).is_ok());
        assert!(!folder.path().join(NAME).exists());
    }

    /// A word that ends at the eightieth character fits, and one more breaks the line; the next
    /// line is counted from its start.
    #[test]
    fn line_has_at_most_eighty_characters() {
        let widths = |words: &[usize]| {
            let mut lines = WrappedText::default();
            words.iter().for_each(|&length| lines.push(&"x".repeat(length)));
            lines.text.lines().map(str::len).collect::<Vec<_>>()
        };
        assert_eq!(widths(&[40, 39]), [80]);
        assert_eq!(widths(&[40, 40]), [40, 40]);
        assert_eq!(widths(&[40, 40, 39, 1]), [40, 80, 1]);
    }

    #[test]
    fn ending_has_its_word() {
        let endings = [Ending::Mate, Ending::Stalemate, Ending::Repetition, Ending::FiftyMoves, Ending::Material];
        assert_eq!(endings.map(ending_word), ["mate", "stalemate", "repetition", "fifty-moves", "material"]);
    }
}
