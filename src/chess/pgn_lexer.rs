//! The words of a PGN text, with what says nothing about moves left out.

use super::fen::{is_gap, shown};
use super::pgn::Halt;

/// A word that matters.
pub(super) enum Token<'a> {
    Tag(String, String),
    /// A variation starts.
    Open,
    /// A variation ends.
    Close,
    Result(&'a str),
    /// Anything else: it should be a move.
    Move(&'a str),
}

#[derive(Clone)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    /// Where the next token is looked for.
    at: usize,
    /// Where the last one started.
    start: usize,
    /// The line on which `counted` lies, so that counting lines stays linear.
    line: usize,
    counted: usize,
}

const RESULTS: [&str; 4] = ["1-0", "0-1", "1/2-1/2", "*"];

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, start: 0, line: 1, counted: 0 }
    }

    /// The line of the last token, from 1.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    /// The byte of the line where the last token starts, from 1.
    pub(super) fn column(&self) -> usize {
        self.start + 1 - self.text[..self.start].rfind('\n').map_or(0, |at| at + 1)
    }

    fn mark(&mut self) {
        self.start = self.at;
        self.line += self.text[self.counted..self.start].bytes().filter(|&b| b == b'\n').count();
        self.counted = self.start;
    }

    fn stop(&self, message: String) -> Halt {
        Halt { line: self.line(), column: self.column(), message }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Passes over blanks, comments, escaped lines, glyphs and move numbers.
    fn skip(&mut self) -> Result<(), Halt> {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start_matches(is_gap).len();
            let rest = self.rest();
            let new_line = self.at == 0 || self.text[..self.at].ends_with(['\n', '\u{feff}']);
            if rest.starts_with(';') || rest.starts_with('%') && new_line {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with('{') {
                self.mark();
                let Some(length) = rest.find('}') else {
                    self.at = self.text.len();
                    return Err(self.stop("expected }, found the end of the file".to_owned()));
                };
                self.at += length + 1;
            } else if let Some(glyph) = rest.strip_prefix('$') {
                self.at += 1 + digits(glyph);
            } else if let Some(length) = move_number(rest) {
                self.at += length;
            } else {
                return Ok(());
            }
        }
    }

    /// Whether a tag comes next. A comment that does not end is left to [`Lexer::next_token`] to tell.
    pub(super) fn at_tag(&mut self) -> bool {
        let before = self.clone();
        if self.skip().is_err() {
            *self = before;
        }
        self.rest().starts_with('[')
    }

    pub(super) fn next_token(&mut self) -> Result<Option<Token<'a>>, Halt> {
        self.skip()?;
        self.mark();
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Ok(None) };
        match first {
            '[' => self.tag().map(Some),
            '(' | ')' => {
                self.at += 1;
                Ok(Some(if first == '(' { Token::Open } else { Token::Close }))
            }
            _ => {
                let ends = |c: char| is_gap(c) || matches!(c, '(' | ')' | '{' | '}' | '[' | ']' | ';' | '$');
                // At least one character, so that a stray bracket is told and passed.
                let length = rest.find(ends).unwrap_or(rest.len()).max(first.len_utf8());
                self.at += length;
                let word = &rest[..length];
                Ok(Some(if RESULTS.contains(&word) { Token::Result(word) } else { Token::Move(word) }))
            }
        }
    }

    /// `[Name "value"]`, with `\"` and `\\` in the value.
    fn tag(&mut self) -> Result<Token<'a>, Halt> {
        let line = self.rest().split(['\n', '\r']).next().unwrap_or_default();
        let expected = || self.stop(format!("expected a tag, [Name \"value\"], found {}", shown(line)));
        let inside = line[1..].trim_start();
        let length = inside.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').ok_or_else(expected)?;
        let (name, rest) = inside.split_at(length);
        let quoted = rest.trim_start().strip_prefix('"').filter(|_| length > 0).ok_or_else(expected)?;
        let mut value = String::new();
        let mut escaped = false;
        let mut end = None;
        for (at, c) in quoted.char_indices() {
            match c {
                '\\' if !escaped => escaped = true,
                '"' if !escaped => {
                    end = Some(at + 1);
                    break;
                }
                _ => {
                    value.push(c);
                    escaped = false;
                }
            }
        }
        let rest = end.map(|end| quoted[end..].trim_start()).ok_or_else(expected)?;
        let rest = rest.strip_prefix(']').ok_or_else(expected)?;
        let name = name.to_owned();
        self.at += line.len() - rest.len();
        Ok(Token::Tag(name, value))
    }

    /// Goes to the first tag of the next game, or to the end: to the next line that starts with `[Event `, or with any tag after a game's moves.
    pub(super) fn skip_to_next_game(&mut self) {
        // A tag that could not be read has not been passed: its bracket is one byte.
        let from = if self.at > self.start { self.at } else { (self.start + 1).min(self.text.len()) };
        let line_of = |at: usize| self.text[..at].rfind('\n').map_or(0, |end| end + 1);
        let is_tag = |line: &str| line.starts_with('[') && line[1..].starts_with(|c: char| c.is_ascii_alphabetic());
        let mut among_tags = is_tag(&self.text[line_of(self.start)..]);
        // What follows on the line where it failed belongs to that game.
        let mut at = if line_of(from) == from {
            from
        } else {
            self.text[from..].find('\n').map_or(self.text.len(), |end| from + end + 1)
        };
        for line in self.text[at..].split_inclusive('\n') {
            if line.starts_with("[Event ") || is_tag(line) && !among_tags {
                break;
            }
            among_tags &= is_tag(line) || line.trim().is_empty();
            at += line.len();
        }
        self.at = at;
    }
}

fn digits(text: &str) -> usize {
    text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len()
}

/// The length of `12.`, `12...`, `...` or a bare number before a blank; none for a result or a move.
fn move_number(text: &str) -> Option<usize> {
    let number = digits(text);
    let dots = text[number..].len() - text[number..].trim_start_matches('.').len();
    let bare = number > 0 && text[number..].starts_with(is_gap);
    (dots > 0 || bare).then_some(number + dots)
}
