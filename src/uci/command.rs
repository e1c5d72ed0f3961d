//! Parses the commands of a UCI client, one per line. Unknown words are skipped, as the protocol
//! requires.

use crate::chess::Color;
use std::time::Duration;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Asks for the engine's name and options.
    Uci,
    IsReady,
    NewGame,
    /// The name and the value of an option. A button has no value.
    SetOption(String, Option<String>),
    /// The words before `moves`, and the moves.
    Position(String, Vec<String>),
    Go(Go),
    Stop,
    PonderHit,
    Bench,
    Quit,
    Unknown(String),
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Go {
    /// Maximum depth in plies, 1 to 255.
    pub depth: Option<u8>,
    pub nodes: Option<u64>,
    pub move_time: Option<Duration>,
    /// The remaining clock times of White and Black.
    pub time: [Option<Duration>; 2],
    /// The increments per move of White and Black.
    pub increment: [Duration; 2],
    /// Moves until the next time control, 1 to 1000.
    pub moves_to_go: Option<u32>,
    /// The moves after `searchmoves`, as the client wrote them.
    pub search_moves: Vec<String>,
    pub infinite: bool,
    /// Whether to search on the opponent's time until `ponderhit`.
    pub ponder: bool,
    /// Whether the command has other words than `infinite`, `ponder` and `searchmoves`. Any other
    /// word counts as an attempt to give a limit.
    pub names_limit: bool,
    /// Messages about words that were ignored and numbers that were changed.
    pub messages: Vec<String>,
}

/// The time after which a search that has only invalid limits ends.
const TIME_WITHOUT_LIMIT: Duration = Duration::from_secs(1);

impl Go {
    /// Decides how a search without a valid limit ends, and adds a message. If the command names no
    /// limit, the search becomes infinite, as in most engines. A pondering search is not changed.
    /// If all limits in the command are invalid, the search gets a fixed time.
    pub fn ensure_limit(&mut self, turn: Color) {
        let has_clock = self.time[turn as usize].is_some();
        if !has_clock && self.time[!turn as usize].is_some() {
            self.messages.push(format!("no clock for the side to move ({turn:?})"));
        }
        if has_clock || self.infinite || self.depth.is_some() || self.nodes.is_some() || self.move_time.is_some() {
            return;
        }
        if self.names_limit {
            self.move_time = Some(TIME_WITHOUT_LIMIT);
            let time = TIME_WITHOUT_LIMIT.as_millis();
            self.messages.push(format!("no valid limit: the search ends after {time} ms"));
        } else if !self.ponder {
            self.infinite = true;
            self.messages.push("no limit: searching until `stop`".to_owned());
        }
    }
}

/// Parses a line. Words before the first known command are skipped, as in other engines. Returns
/// `None` for an empty line, and for a command that is ignored.
pub fn parse(line: &str) -> Option<Command> {
    let mut words = line.split_whitespace();
    let first = words.clone().next()?;
    while let Some(word) = words.next() {
        return Some(match word {
            "uci" => Command::Uci,
            "isready" => Command::IsReady,
            "ucinewgame" => Command::NewGame,
            "stop" => Command::Stop,
            "ponderhit" => Command::PonderHit,
            "bench" => Command::Bench,
            "quit" => Command::Quit,
            // These commands of the protocol are ignored.
            "debug" | "register" => return None,
            "go" => Command::Go(parse_go(words)),
            "setoption" => parse_set_option(words),
            "position" => parse_position(words),
            _ => continue,
        });
    }
    Some(Command::Unknown(first.to_owned()))
}

/// Parses the words after `setoption`: a name, and a value if there is one. Both may consist of
/// several words.
fn parse_set_option<'a>(words: impl Iterator<Item = &'a str>) -> Command {
    let words: Vec<&str> = words.collect();
    let name_and_value = words.strip_prefix(&["name"]).unwrap_or(&words);
    let mut parts = name_and_value.splitn(2, |&word| word == "value").map(|part| part.join(" "));
    Command::SetOption(parts.next().unwrap_or_default(), parts.next())
}

/// Parses the words after `position`.
fn parse_position<'a>(words: impl Iterator<Item = &'a str>) -> Command {
    let words: Vec<&str> = words.collect();
    let mut parts = words.splitn(2, |&word| word == "moves");
    let start = parts.next().unwrap_or_default().join(" ");
    Command::Position(start, parts.next().unwrap_or_default().iter().map(ToString::to_string).collect())
}

/// Parses a number. Returns the integer part, and whether a fraction was dropped. A number that is
/// too large becomes [`MAX_NUMBER`], so that it remains a limit.
fn parse_number(text: &str) -> Option<(i64, bool)> {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (digits, fraction) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
    if digits.is_empty()
        || fraction.is_empty()
        || !(digits.bytes().chain(fraction.bytes())).all(|byte| byte.is_ascii_digit())
    {
        return None;
    }
    let number = digits.parse::<i64>().map_or(MAX_NUMBER, |number| number.min(MAX_NUMBER));
    let has_fraction = fraction.bytes().any(|byte| byte != b'0');
    Some((if text.starts_with('-') { -number } else { number }, has_fraction))
}

/// The maximum of all numbers. It is larger than the time on any clock, and sums of such numbers do
/// not overflow.
const MAX_NUMBER: i64 = 1 << 53;

const KEYWORDS: [&str; 12] = [
    "infinite",
    "ponder",
    "searchmoves",
    "mate",
    "depth",
    "nodes",
    "movetime",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
];

fn parse_go<'a>(words: impl Iterator<Item = &'a str>) -> Go {
    let mut words = words.peekable();
    let mut go = Go::default();
    while let Some(word) = words.next() {
        let mut messages = Vec::new();
        // Reads the next word as a number. A keyword in place of a number is not consumed.
        let mut next_number = || {
            let text = words.next_if(|next| !KEYWORDS.contains(next)).unwrap_or_default();
            let number = parse_number(text);
            match number {
                None => messages.push(format!("{word}: expected a number, found `{text}`")),
                Some((whole, true)) => {
                    messages.push(format!("{word}: expected an integer, found `{text}`: using {whole}"))
                }
                Some((_, false)) => {}
            }
            number.map(|(number, _)| number)
        };
        go.names_limit |= !["infinite", "ponder", "searchmoves"].contains(&word);
        match word {
            "infinite" => go.infinite = true,
            "ponder" => go.ponder = true,
            "depth" => go.depth = next_number().and_then(|depth| limit(depth, 1, 255, word, &mut messages)),
            "nodes" => go.nodes = next_number().and_then(|nodes| limit(nodes, 1, MAX_NUMBER, word, &mut messages)),
            "movestogo" => {
                go.moves_to_go = next_number().and_then(|moves| limit(moves, 1, 1000, word, &mut messages));
            }
            "movetime" => {
                let time = next_number().and_then(|time| limit(time, 0, MAX_NUMBER, word, &mut messages));
                go.move_time = time.map(Duration::from_millis);
            }
            "wtime" => go.time[0] = next_number().map(clock),
            "btime" => go.time[1] = next_number().map(clock),
            "winc" => go.increment[0] = next_number().map(clock).unwrap_or_default(),
            "binc" => go.increment[1] = next_number().map(clock).unwrap_or_default(),
            "searchmoves" => {
                let moves = std::iter::from_fn(|| words.next_if(|next| !KEYWORDS.contains(next)));
                go.search_moves.extend(moves.map(str::to_owned));
            }
            "mate" => {
                while words.next_if(|next| !KEYWORDS.contains(next)).is_some() {}
                messages.push(format!("{word}: is ignored"));
            }
            _ => messages.push(format!("unknown word `{word}`")),
        }
        go.messages.append(&mut messages);
    }
    go
}

/// Clamps the number after the keyword `word` to a range. A negative number is no limit. Adds a
/// message if the number is not in the range.
fn limit<T: TryFrom<i64>>(number: i64, least: i64, most: i64, word: &str, messages: &mut Vec<String>) -> Option<T> {
    let clamped = number.clamp(least, most);
    let is_used = number >= 0;
    if clamped != number {
        let using = if is_used { format!(": using {clamped}") } else { String::new() };
        messages.push(format!("{word}: expected {least} to {most}, found {number}{using}"));
    }
    T::try_from(clamped).ok().filter(|_| is_used)
}

/// Some clients send negative times for expired clocks.
fn clock(millis: i64) -> Duration {
    Duration::from_millis(millis.max(0).unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers that a limit takes, with what is beyond their range, and the messages of each
    /// word that is ignored.
    #[test]
    fn commands_are_read_as_the_golden_file_says() {
        crate::golden::assert_answers("uci/commands.txt", |_, line| {
            let complete = |turn: Color| match parse(line) {
                Some(Command::Go(mut go)) => {
                    go.ensure_limit(turn);
                    format!("{go:?}")
                }
                command => format!("{command:?}"),
            };
            let [white, black] = [Color::White, Color::Black].map(complete);
            if white == black { white } else { format!("{white}\nfor Black: {black}") }
        });
    }

    #[test]
    fn numbers_are_whole_or_cut() {
        for (text, expected) in [
            ("12", Some((12, false))),
            ("+12", Some((12, false))),
            ("-12", Some((-12, false))),
            ("1000.5", Some((1000, true))),
            ("1000.0", Some((1000, false))),
            ("-3.5", Some((-3, true))),
            ("0.9", Some((0, true))),
            ("", None),
            ("-", None),
            (".", None),
            (".5", None),
            ("5.", None),
            ("1.2.3", None),
            ("1e3", None),
            ("1x", None),
            ("9007199254740993", Some((MAX_NUMBER, false))),
        ] {
            assert_eq!(parse_number(text), expected, "{text}");
        }
    }
}
