//! The tokens of a PGN text. Comments, glyphs and move numbers are skipped.

use super::fen::{is_blank, quote_start};

/// A fault whose file and game are not known yet.
pub(super) struct TextFault {
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) message: String,
}

pub(super) enum Token<'a> {
    Tag(String, String),
    VariationStart,
    VariationEnd,
    Result(&'a str),
    /// Any other word. It should be a move.
    Move(&'a str),
}

#[derive(Clone)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    /// The byte up to which the text has been read.
    offset: usize,
    start: usize,
    line: usize,
    /// The byte up to which line feeds have been counted. Later counts start here, so that no line
    /// feed is counted twice.
    line_offset: usize,
}

const RESULTS: [&str; 4] = ["1-0", "0-1", "1/2-1/2", "*"];

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, offset: 0, start: 0, line: 1, line_offset: 0 }
    }

    /// The line of the last token, from 1.
    pub(super) fn line(&self) -> usize {
        self.line
    }

    /// The byte of the line where the last token starts, from 1.
    fn column(&self) -> usize {
        self.start + 1 - self.text[..self.start].rfind('\n').map_or(0, |index| index + 1)
    }

    pub(super) fn start_token(&mut self) {
        self.start = self.offset;
        self.line += self.text[self.line_offset..self.start].bytes().filter(|&b| b == b'\n').count();
        self.line_offset = self.start;
    }

    pub(super) fn fault(&self, message: String) -> TextFault {
        TextFault { line: self.line(), column: self.column(), message }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.offset..]
    }

    /// Skips blanks, comments, escaped lines, move numbers, and numeric glyphs such as `$1`.
    /// Returns an error for a comment that is not closed. Such a comment is skipped up to the next
    /// tag or the end of the file.
    fn skip_to_token(&mut self) -> Result<(), TextFault> {
        loop {
            let rest = self.rest();
            self.offset += rest.len() - rest.trim_start_matches(is_blank).len();
            let rest = self.rest();
            let is_line_start = self.offset == 0 || self.text[..self.offset].ends_with(['\n', '\u{feff}']);
            if rest.starts_with(';') || rest.starts_with('%') && is_line_start {
                self.offset += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with('{') {
                self.start_token();
                self.skip_comment()?;
            } else if let Some(glyph) = rest.strip_prefix('$') {
                self.offset += 1 + digit_count(glyph);
            } else if let Some(length) = move_number_length(rest) {
                self.offset += length;
            } else {
                return Ok(());
            }
        }
    }

    /// Skips a comment. A line that begins with a tag ends the comment, because the next game
    /// begins there.
    fn skip_comment(&mut self) -> Result<(), TextFault> {
        for (index, line) in self.rest().split_inclusive('\n').enumerate() {
            if index > 0 && tag_name(line.trim_start_matches([' ', '\t'])).is_some() {
                return Err(self.fault("expected }, found a line that begins with a tag".to_owned()));
            }
            if let Some(end) = line.find('}') {
                self.offset += end + 1;
                return Ok(());
            }
            self.offset += line.len();
        }
        Err(self.fault("expected }, found the end of the file".to_owned()))
    }

    /// If the next token is a tag, returns the tag's name and whether a blank line precedes the
    /// tag. A comment that is not closed is not skipped, so that [`Lexer::next_token`] reports it.
    pub(super) fn peek_tag_name(&mut self) -> Option<(&'a str, bool)> {
        let before = self.clone();
        if self.skip_to_token().is_err() {
            *self = before;
        }
        tag_name(self.rest()).map(|name| (name, is_after_blank_line(&self.text[..self.offset])))
    }

    pub(super) fn is_before_blank_line(&self) -> bool {
        let rest = self.rest();
        let gap = rest.len() - rest.trim_start_matches(is_blank).len();
        rest[..gap].matches('\n').nth(1).is_some()
    }

    /// Reads the next token. Returns `None` at the end of the text.
    pub(super) fn next_token(&mut self) -> Result<Option<Token<'a>>, TextFault> {
        self.skip_to_token()?;
        self.start_token();
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Ok(None) };
        match first {
            '[' => self.read_tag().map(Some),
            '(' | ')' => {
                self.offset += 1;
                Ok(Some(if first == '(' { Token::VariationStart } else { Token::VariationEnd }))
            }
            _ => {
                let ends_word = |c: char| is_blank(c) || matches!(c, '(' | ')' | '{' | '}' | '[' | ']' | ';' | '$');
                // A stray bracket is a word of one character, so that it is reported and skipped.
                let length = rest.find(ends_word).unwrap_or(rest.len()).max(first.len_utf8());
                self.offset += length;
                let word = &rest[..length];
                Ok(Some(if RESULTS.contains(&word) { Token::Result(word) } else { Token::Move(word) }))
            }
        }
    }

    /// Reads a tag, such as `[Name "value"]`.
    fn read_tag(&mut self) -> Result<Token<'a>, TextFault> {
        let line = self.rest().split('\n').next().unwrap_or_default();
        // If the tag cannot be read, its whole line is skipped.
        self.offset += line.len();
        let expected = || self.fault(format!("expected a tag, [Name \"value\"], found {}", quote_start(line)));
        let inside = line[1..].trim_start();
        let length = inside.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').ok_or_else(expected)?;
        let (name, rest) = inside.split_at(length);
        if length == 0 {
            return Err(expected());
        }
        let quoted = rest.trim_start().strip_prefix('"').ok_or_else(expected)?;
        let (value, length) = read_quoted(quoted);
        let after_value = length.map(|end| quoted[end..].trim_start()).ok_or_else(expected)?;
        let after_tag = after_value.strip_prefix(']').ok_or_else(expected)?;
        let name = name.to_owned();
        // Goes back from the end of the line to the end of the tag.
        self.offset -= after_tag.len();
        Ok(Token::Tag(name, value))
    }
}

/// Reads a text up to its closing quotation mark. `\"` stands for a quotation mark, and `\\` for a
/// backslash; any other backslash is kept. Returns the text, and its length in bytes with the mark
/// if there is one.
pub(super) fn read_quoted(text: &str) -> (String, Option<usize>) {
    let mut value = String::new();
    let mut chars = text.char_indices().peekable();
    while let Some((index, c)) = chars.next() {
        match c {
            '"' => return (value, Some(index + 1)),
            '\\' => value.push(chars.next_if(|(_, next)| matches!(next, '"' | '\\')).map_or(c, |(_, next)| next)),
            _ => value.push(c),
        }
    }
    (value, None)
}

/// For example, the name in `[White "` is `White`.
fn tag_name(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('[')?.trim_start_matches([' ', '\t']);
    let length = inside.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    let (name, rest) = inside.split_at(length);
    (length > 0 && rest.trim_start_matches([' ', '\t']).starts_with('"')).then_some(name)
}

fn is_after_blank_line(text: &str) -> bool {
    text[text.trim_end_matches(is_blank).len()..].matches('\n').nth(1).is_some()
}

fn digit_count(text: &str) -> usize {
    text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len()
}

/// A move number is `12.`, `12...`, `...`, or digits before a blank.
fn move_number_length(text: &str) -> Option<usize> {
    let digits = digit_count(text);
    let rest = &text[digits..];
    let dots = rest.len() - rest.trim_start_matches('.').len();
    let is_bare_number = digits > 0 && rest.starts_with(is_blank);
    (dots > 0 || is_bare_number).then_some(digits + dots)
}
