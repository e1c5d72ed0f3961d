//! The words of UCI: an engine's options, its `info` lines and its `bestmove`.
//!
//! Source: the description of the universal chess interface of April 2006 (S. Meyer-Kahlen). Unknown words are skipped, as it
//! asks; some engines write `nodes` or `hashfull` on lines of their own, so the last of each is kept.

use super::Reported;
use super::options::OptionValue;
use crate::chess::{Board, Increments, Move, MoveList, Score, legal};
use std::fmt;

/// An option as an engine declares it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    /// Its name, which may hold blanks.
    pub name: String,
    /// What it takes.
    pub kind: Kind,
    /// Its default, as written.
    pub default: String,
}

/// What an option takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// True or false.
    Check,
    /// A number from the first to the second.
    Spin(i64, i64),
    /// One of these.
    Combo(Vec<String>),
    /// To be pressed.
    Button,
    /// Any text.
    Text,
}

/// Why a value does not fit an option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Misfit {
    /// The engine has no such option; it has these.
    Unknown(Vec<String>),
    /// The value is not among what it takes.
    Value {
        /// What it takes.
        expected: String,
        /// The values that a hint may choose from.
        choices: Vec<String>,
    },
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Check => f.write_str("true or false"),
            Self::Spin(min, max) => write!(f, "a number from {min} to {max}"),
            Self::Combo(choices) => write!(f, "one of {}", choices.join(", ")),
            Self::Button => f.write_str("true, to press it"),
            Self::Text => f.write_str("a text"),
        }
    }
}

impl Declared {
    /// Reads `option name ... type ...`; none if the line is no such declaration.
    #[must_use]
    pub fn parse(line: &str) -> Option<Self> {
        let mut words = line.split_whitespace();
        if words.next() != Some("option") {
            return None;
        }
        let (mut name, mut kind, mut default) = (Vec::new(), "", Vec::new());
        let (mut min, mut max) = (i64::MIN, i64::MAX);
        let mut choices: Vec<Vec<&str>> = Vec::new();
        let mut field = "";
        for word in words {
            match word {
                // "name" and the others may be words of a name; the type ends it.
                "type" | "default" | "min" | "max" | "var" if field != "name" || word == "type" => {
                    field = word;
                    if word == "var" {
                        choices.push(Vec::new());
                    }
                }
                "name" if field.is_empty() => field = word,
                word => match field {
                    "name" => name.push(word),
                    "type" => kind = word,
                    "default" => default.push(word),
                    "min" => min = word.parse().ok()?,
                    "max" => max = word.parse().ok()?,
                    "var" => choices.last_mut()?.push(word),
                    _ => return None,
                },
            }
        }
        let kind = match kind {
            "check" => Kind::Check,
            "spin" => Kind::Spin(min, max),
            "combo" => Kind::Combo(choices.iter().map(|words| words.join(" ")).collect()),
            "button" => Kind::Button,
            "string" => Kind::Text,
            _ => return None,
        };
        let default = default.join(" ");
        let default = if default == "<empty>" { String::new() } else { default };
        (!name.is_empty()).then(|| Self { name: name.join(" "), kind, default })
    }

    /// Whether the option takes a value.
    fn takes(&self, value: &OptionValue) -> bool {
        match (&self.kind, value) {
            (Kind::Check, OptionValue::Check(_)) | (Kind::Button, OptionValue::Check(true)) => true,
            (Kind::Spin(min, max), OptionValue::Spin(value)) => (min..=max).contains(&value),
            (Kind::Combo(choices), value) => choices.contains(&value.to_string()),
            (Kind::Text, OptionValue::Text(text)) => !text.contains(char::is_control),
            (Kind::Text, OptionValue::Spin(_)) => true,
            _ => false,
        }
    }
}

/// Finds an option and checks its value. UCI's option names are not told apart by case.
///
/// # Errors
/// When there is none of that name, or it takes no such value.
pub fn check<'a>(options: &'a [Declared], name: &str, value: &OptionValue) -> Result<&'a Declared, Misfit> {
    let known = options.iter().find(|option| option.name.eq_ignore_ascii_case(name));
    let option = known.ok_or_else(|| Misfit::Unknown(options.iter().map(|option| option.name.clone()).collect()))?;
    if option.takes(value) {
        return Ok(option);
    }
    let choices = if let Kind::Combo(choices) = &option.kind { choices.clone() } else { Vec::new() };
    Err(Misfit::Value { expected: option.kind.to_string(), choices })
}

/// The line that sets an option.
#[must_use]
pub fn set_option(option: &Declared, value: &OptionValue) -> String {
    match option.kind {
        Kind::Button => format!("setoption name {}", option.name),
        _ => format!("setoption name {} value {value}", option.name),
    }
}

/// Whether a line that follows an option says that it was not taken.
#[must_use]
pub fn refuses(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    [
        "no such option",
        "unknown option",
        "unknown command",
        "invalid option",
        "illegal option",
        "invalid value",
        "bad option",
    ]
    .iter()
    .any(|refusal| line.contains(refusal))
}

/// The move of a board that a word names.
#[must_use]
pub fn read_move(board: &Board, word: &str) -> Option<Move> {
    let mut moves = MoveList::new();
    legal(board, &mut moves);
    moves.iter().copied().find(|mv| mv.to_string() == word)
}

/// Scores of mates are below this by their plies.
const MATE: Score = 32_000;

/// What a search's lines have said so far. The variation stays text until it is asked for.
#[derive(Debug, Clone, Default)]
pub struct Heard {
    reported: Reported,
    pv: String,
}

impl Heard {
    /// Takes an `info` line; other lines say nothing here.
    pub fn take(&mut self, line: &str) {
        let mut words = line.split_whitespace();
        if words.next() != Some("info") {
            return;
        }
        // Of several variations only the first is the engine's choice.
        if line.split_whitespace().skip_while(|word| *word != "multipv").nth(1).is_some_and(|rank| rank != "1") {
            return;
        }
        let found = &mut self.reported;
        while let Some(word) = words.next() {
            let mut number = || words.next().and_then(|word| word.parse::<u64>().ok());
            match word {
                "string" => return,
                "depth" => found.depth = number().and_then(|depth| u8::try_from(depth).ok()).or(found.depth),
                "nodes" => found.nodes = number().or(found.nodes),
                "hashfull" => found.hashfull = number().and_then(|full| u16::try_from(full).ok()).or(found.hashfull),
                "time" => found.milliseconds = number().or(found.milliseconds),
                "score" => {
                    let (kind, value) = (words.next(), words.next().and_then(|word| word.parse::<i32>().ok()));
                    found.score = match (kind, value) {
                        (Some("cp"), Some(value)) => Some(value.clamp(1 - MATE, MATE - 1)),
                        (Some("mate"), Some(moves)) => Some(mate(moves)),
                        _ => found.score,
                    };
                }
                "pv" => {
                    self.pv.clear();
                    self.pv.extend(words.flat_map(|word| [word, " "]));
                    return;
                }
                _ => {}
            }
        }
    }

    /// Nodes so far.
    #[must_use]
    pub fn nodes(&self) -> Option<u64> {
        self.reported.nodes
    }

    /// All that was said, with the move of the answer.
    #[must_use]
    pub fn end(self, board: &Board, best: Move) -> Reported {
        let (mut board, mut pv) = (*board, Vec::new());
        for word in self.pv.split_whitespace() {
            let Some(mv) = read_move(&board, word) else { break };
            pv.push(mv);
            board.play(mv, Increments::none());
        }
        Reported { best, pv, ..self.reported }
    }
}

/// The score of a mate in so many moves, of the side to move if above 0.
fn mate(moves: i32) -> Score {
    let plies = moves.saturating_abs().saturating_mul(2).saturating_sub(i32::from(moves > 0)).min(MATE);
    if moves > 0 { MATE - plies } else { plies - MATE }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read_with_blanks_in_names_and_values() {
        let parse = |line: &str| Declared::parse(line).unwrap();
        let spin = parse("option name Futility Margin type spin default 100 min -5 max 500");
        assert_eq!((spin.name.as_str(), spin.default.as_str()), ("Futility Margin", "100"));
        assert_eq!(spin.kind, Kind::Spin(-5, 500));
        let combo =
            parse("option name NullMove Pruning type combo default Fail High var Always var Fail High var Never");
        assert_eq!(combo.default, "Fail High");
        assert_eq!(combo.kind, Kind::Combo(["Always", "Fail High", "Never"].map(str::to_owned).to_vec()));
        let text = parse("option name Debug Log File type string default ");
        assert_eq!((text.kind, text.default.as_str()), (Kind::Text, ""));
        assert_eq!(parse("option name Clear Hash type button").kind, Kind::Button);
        // A name may hold any word but "type".
        assert_eq!(parse("option name min default type check default true").name, "min default");
        for line in ["id name X", "option", "option name X", "option name X type spin default 1 min x max 3"] {
            assert_eq!(Declared::parse(line), None, "{line}");
        }
    }

    #[test]
    fn what_is_said_of_the_first_variation_counts() {
        let board = Board::startpos();
        let end = |lines: &[&str]| {
            let mut heard = Heard::default();
            lines.iter().for_each(|line| heard.take(line));
            (heard.nodes(), heard.end(&board, read_move(&board, "e2e4").unwrap()))
        };
        let (nodes, told) = end(&[
            "info depth 3 seldepth 5 multipv 1 score cp 15 nodes 900 nps 1 hashfull 21 time 7 pv e2e4 e7e5",
            "info depth 4 multipv 2 score cp 99 nodes 950 hashfull 22 time 8 pv d2d4",
            "info string depth 9 nodes 1 score cp 7",
            "info currmove a2a3 nodes 1000",
            "bestmove d2d4",
        ]);
        assert_eq!((nodes, told.nodes), (Some(1000), Some(1000)));
        assert_eq!((told.depth, told.score, told.hashfull, told.milliseconds), (Some(3), Some(15), Some(21), Some(7)));
        assert_eq!(told.pv.iter().map(ToString::to_string).collect::<Vec<_>>(), ["e2e4", "e7e5"]);
        assert_eq!(told.best.to_string(), "e2e4");
        let score = |said: &str| end(&["info score cp 1", &format!("info depth 1 score {said}")]).1.score;
        assert_eq!(["mate 1", "mate 3", "mate -1", "mate -3"].map(score), [31_999, 31_995, -31_998, -31_994].map(Some));
        assert_eq!(["cp -20", "cp 99999", "lower 5"].map(score), [-20, 31_999, 1].map(Some));
        // A line ends before a move that cannot be made.
        assert_eq!(end(&["info pv e2e4 e2e4 e7e5"]).1.pv.len(), 1);
    }

    #[test]
    fn values_are_held_against_the_declaration() {
        let lines = [
            "option name Hash type spin default 16 min 1 max 1024",
            "option name OwnBook type check default true",
            "option name Style type combo default Solid var Solid var Risky",
            "option name Clear Hash type button",
            "option name File type string default <empty>",
        ];
        let options: Vec<Declared> = lines.iter().filter_map(|line| Declared::parse(line)).collect();
        let text = |text: &str| OptionValue::Text(text.to_owned());
        for (name, value) in [
            ("hash", OptionValue::Spin(1024)),
            ("OwnBook", OptionValue::Check(false)),
            ("Style", text("Risky")),
            ("Clear Hash", OptionValue::Check(true)),
            ("File", text("book.bin")),
        ] {
            assert!(check(&options, name, &value).is_ok(), "{name}");
        }
        for (name, value) in [
            ("Hash", OptionValue::Spin(0)),
            ("Hash", text("16")),
            ("OwnBook", OptionValue::Spin(0)),
            ("Style", text("risky")),
            ("Clear Hash", OptionValue::Check(false)),
            ("File", text("a\nquit")),
        ] {
            assert!(matches!(check(&options, name, &value), Err(Misfit::Value { .. })), "{name} = {value}");
        }
        let Err(Misfit::Unknown(names)) = check(&options, "Hsah", &OptionValue::Spin(1)) else { panic!() };
        assert_eq!(names.len(), 5);
        assert_eq!(set_option(&options[0], &OptionValue::Spin(4)), "setoption name Hash value 4");
        assert_eq!(set_option(&options[3], &OptionValue::Check(true)), "setoption name Clear Hash");
    }

    #[test]
    fn the_last_of_each_figure_is_kept_wherever_it_stands() {
        let mut heard = Heard::default();
        // Lines as Glaurung 2.2 and GNU Chess 6.2.7 write them.
        for line in [
            "info depth 6",
            "info depth 6 seldepth 12 score cp -7 time 2 nodes 3331 pv e2e4 e7e5 e2e4",
            "info depth 6 seldepth 12 time 17 nodes 9447 nps 0",
            "info multipv 2 depth 9 score cp 400 nodes 1 pv a2a3",
            "info string depth 44 nodes 44",
            "info nodes x hashfull 3",
            "bestmove e2e4 ponder e7e5",
        ] {
            heard.take(line);
        }
        let board = Board::startpos();
        let best = read_move(&board, "e2e4").unwrap();
        let reply = read_move(
            &{
                let mut next = board;
                next.play(best, Increments::none());
                next
            },
            "e7e5",
        )
        .unwrap();
        let expected = Reported {
            depth: Some(6),
            score: Some(-7),
            best,
            pv: vec![best, reply],
            nodes: Some(9447),
            hashfull: Some(3),
            milliseconds: Some(17),
        };
        assert_eq!(heard.end(&board, best), expected);
    }

    #[test]
    fn mates_are_scores_by_their_plies() {
        for (moves, score) in [(1, 31_999), (2, 31_997), (-1, -31_998), (0, -32_000), (i32::MIN, 0), (i32::MAX, 0)] {
            assert_eq!(mate(moves), score, "mate {moves}");
        }
    }
}
