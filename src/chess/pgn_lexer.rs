//! The words of a PGN text, with what says nothing about moves left out.

use super::fen::{is_blank, quote_start};

/// A fault before it knows file and game.
pub(super) struct ReadStop {
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) message: String,
}

/// A word that matters.
pub(super) enum Token<'a> {
    Tag(String, String),
    /// An opening bracket: a variation starts.
    Open,
    /// A closing bracket: a variation ends.
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
        self.start + 1 - self.text[..self.start].rfind('\n').map_or(0, |index| index + 1)
    }

    fn mark(&mut self) {
        self.start = self.at;
        self.line += self.text[self.counted..self.start].bytes().filter(|&b| b == b'\n').count();
        self.counted = self.start;
    }

    fn stop(&self, message: String) -> ReadStop {
        ReadStop { line: self.line(), column: self.column(), message }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Passes over blanks, comments, escaped lines, glyphs and move numbers; over a comment that is
    /// not closed up to where it must end.
    fn skip(&mut self) -> Result<(), ReadStop> {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start_matches(is_blank).len();
            let rest = self.rest();
            let new_line = self.at == 0 || self.text[..self.at].ends_with(['\n', '\u{feff}']);
            if rest.starts_with(';') || rest.starts_with('%') && new_line {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with('{') {
                self.mark();
                self.comment()?;
            } else if let Some(glyph) = rest.strip_prefix('$') {
                self.at += 1 + digits(glyph);
            } else if let Some(length) = move_number(rest) {
                self.at += length;
            } else {
                return Ok(());
            }
        }
    }

    /// Passes over a comment. No line of a comment begins with a tag: there the next game begins.
    fn comment(&mut self) -> Result<(), ReadStop> {
        for (number, line) in self.rest().split_inclusive('\n').enumerate() {
            if number > 0 && begins_tag(line.trim_start_matches([' ', '\t'])).is_some() {
                return Err(self.stop("expected }, found a line that begins with a tag".to_owned()));
            }
            if let Some(end) = line.find('}') {
                self.at += end + 1;
                return Ok(());
            }
            self.at += line.len();
        }
        Err(self.stop("expected }, found the end of the file".to_owned()))
    }

    /// The name of the tag that comes next, if one does, and whether a blank line is before it. A
    /// comment that is not closed is left to [`Lexer::next_token`].
    pub(super) fn coming_tag(&mut self) -> Option<(&'a str, bool)> {
        let before = self.clone();
        if self.skip().is_err() {
            *self = before;
        }
        begins_tag(self.rest()).map(|name| (name, is_after_blank_line(&self.text[..self.at])))
    }

    /// Whether nothing follows on this line and the next one is blank.
    pub(super) fn is_before_blank_line(&self) -> bool {
        let rest = self.rest();
        let gap = rest.len() - rest.trim_start_matches(is_blank).len();
        rest[..gap].matches('\n').nth(1).is_some()
    }

    pub(super) fn next_token(&mut self) -> Result<Option<Token<'a>>, ReadStop> {
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
                let ends = |c: char| is_blank(c) || matches!(c, '(' | ')' | '{' | '}' | '[' | ']' | ';' | '$');
                // At least one character, so that a stray bracket is reported and passed.
                let length = rest.find(ends).unwrap_or(rest.len()).max(first.len_utf8());
                self.at += length;
                let word = &rest[..length];
                Ok(Some(if RESULTS.contains(&word) { Token::Result(word) } else { Token::Move(word) }))
            }
        }
    }

    /// `[Name "value"]`, with `\"` and `\\` in the value.
    fn tag(&mut self) -> Result<Token<'a>, ReadStop> {
        let line = self.rest().split('\n').next().unwrap_or_default();
        // A tag that cannot be read is passed with its line.
        self.at += line.len();
        let expected = || self.stop(format!("expected a tag, [Name \"value\"], found {}", quote_start(line)));
        let inside = line[1..].trim_start();
        let length = inside.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').ok_or_else(expected)?;
        let (name, rest) = inside.split_at(length);
        let quoted = rest.trim_start().strip_prefix('"').filter(|_| length > 0).ok_or_else(expected)?;
        let mut value = String::new();
        let mut escaped = false;
        let mut end = None;
        for (index, c) in quoted.char_indices() {
            match c {
                '\\' if !escaped => escaped = true,
                '"' if !escaped => {
                    end = Some(index + 1);
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
        self.at -= rest.len();
        Ok(Token::Tag(name, value))
    }
}

/// The name of the tag that a text begins with, as far as it can be read from `[Name "`.
fn begins_tag(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('[')?.trim_start_matches([' ', '\t']);
    let length = inside.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    let (name, rest) = inside.split_at(length);
    (length > 0 && rest.trim_start_matches([' ', '\t']).starts_with('"')).then_some(name)
}

fn is_after_blank_line(text: &str) -> bool {
    text[text.trim_end_matches(is_blank).len()..].matches('\n').nth(1).is_some()
}

fn digits(text: &str) -> usize {
    text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len()
}

/// The length of `12.`, `12...`, `...` or a bare number before a blank; none for a result or a
/// move.
fn move_number(text: &str) -> Option<usize> {
    let number = digits(text);
    let dots = text[number..].len() - text[number..].trim_start_matches('.').len();
    let bare = number > 0 && text[number..].starts_with(is_blank);
    (dots > 0 || bare).then_some(number + dots)
}
