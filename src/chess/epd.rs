//! EPD: a position to a line, with operations such as `bm Qd1+; id "BK.01";`.
//!
//! Both modes take, beyond the standard: comment lines (`#`), blank lines, a byte order mark, any
//! line ends, halfmove clock and move number before the operations, `;` before the first operation
//! and none after the last (so that `;D1 20 ;D2 400` reads), unquoted one-word texts, moves in the
//! coordinates of UCI, and opcodes of any maker, which are kept as they stand. Lenient also takes,
//! and notes: what [`super::fen`] and [`super::san`] repair; control characters; a stray `-` after
//! the position; a check sign set apart (`Qd1 +`); texts of several words without quotes, or
//! without the closing one; trailing prose that starts with a digit. It drops an operation that
//! cannot be read, but never a `bm`: a position whose answer is wrong is an error. Source: S.
//! Edwards, "Portable Game Notation Specification and Implementation Guide", 1994, section 16.2.

use super::board::Board;
use super::fault::{Fault, Faults, OnError};
use super::fen::{self, FenError, Strictness, quote_start};
use super::lines::Lines;
use super::moves::Move;
use super::opcode::{self, Operand, Operation, OperationValue, Word};
use std::collections::HashSet;
use std::io::BufRead;

/// A position and what its line says of it.
#[derive(Debug, Clone)]
pub struct Epd {
    /// The position; `hmvc` and `fmvn` are in its clocks.
    pub board: Board,
    /// The operations in the order of the line.
    pub operations: Vec<Operation>,
    /// The line of the file, from 1.
    pub line: usize,
}

impl Epd {
    /// The value of an opcode.
    pub fn value(&self, opcode: &str) -> Option<&OperationValue> {
        opcode::value(&self.operations, opcode)
    }
}

/// A line that is longer, in bytes, is no position: the file is another, or has no lines.
const LONGEST: usize = 1 << 20;

/// The positions of a file, read line by line.
pub struct Reader<R> {
    name: String,
    lines: Lines<R>,
    strictness: Strictness,
    on_error: OnError,
    line: Vec<u8>,
    number: usize,
    faults: Vec<Fault>,
    notes: Vec<Fault>,
}

impl<R: BufRead> Reader<R> {
    /// `name` is what the faults call the file.
    pub fn new(name: &str, input: R, strictness: Strictness, on_error: OnError) -> Self {
        let (name, lines) = (name.to_owned(), Lines::new(input));
        Self { name, lines, strictness, on_error, line: Vec::new(), number: 0, faults: Vec::new(), notes: Vec::new() }
    }

    /// What was repaired or left out of what was read.
    ///
    /// # Errors
    /// All lines that could not be read, with the first fault of each.
    pub fn finish(self) -> Result<Vec<Fault>, Faults> {
        if self.faults.is_empty() { Ok(self.notes) } else { Err(Faults(self.faults)) }
    }

    fn place(&self, fault: FenError) -> Fault {
        Fault { file: self.name.clone(), line: self.number, column: fault.column, message: fault.message }
    }

    /// The line's position, if it holds one, and its notes.
    fn read_position(&self) -> Result<(Option<Epd>, Vec<FenError>), FenError> {
        let mut notes = Vec::new();
        let text = String::from_utf8_lossy(&self.line);
        if let Err(error) = std::str::from_utf8(&self.line) {
            let byte = self.line.get(error.valid_up_to()).copied().unwrap_or_default();
            let message = format!("expected UTF-8 text, found the byte {byte:#04x}");
            let fault = FenError { column: error.valid_up_to() + 1, message };
            if self.strictness == Strictness::Strict {
                return Err(fault);
            }
            notes.push(fault);
        }
        let marked = if self.number == 1 { text.strip_prefix('\u{feff}') } else { None };
        let unmarked = marked.unwrap_or(&text);
        if unmarked.trim().is_empty() || unmarked.trim_start().starts_with('#') {
            return Ok((None, notes));
        }
        let skipped = text.len() - unmarked.len();
        let place = |fault: FenError| FenError { column: fault.column + skipped, ..fault };
        let (epd, repairs) = read_line(unmarked, self.strictness).map_err(place)?;
        notes.extend(repairs.into_iter().map(place));
        Ok((Some(Epd { line: self.number, ..epd }), notes))
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Epd;

    fn next(&mut self) -> Option<Epd> {
        loop {
            self.number += 1;
            let end = match self.lines.read(&mut self.line, LONGEST) {
                Ok(false) => return None,
                Ok(true) if self.line.len() <= LONGEST => None,
                Ok(true) => Some(format!("expected a position, found a line of more than {LONGEST} bytes")),
                Err(error) => Some(format!("cannot be read: {error}")),
            };
            if let Some(message) = end {
                self.faults.push(self.place(FenError { column: 1, message }));
                return None;
            }
            match self.read_position() {
                Ok((position, notes)) => {
                    let notes: Vec<Fault> = notes.into_iter().map(|note| self.place(note)).collect();
                    self.notes.extend(notes);
                    if position.is_some() {
                        return position;
                    }
                }
                Err(fault) => self.on_error.put(self.place(fault), &mut self.faults, &mut self.notes),
            }
        }
    }
}

/// Reads one line (its number is given as 1) and returns it with its notes.
///
/// # Errors
/// The first fault of the line.
pub fn read_line(text: &str, strictness: Strictness) -> Result<(Epd, Vec<FenError>), FenError> {
    let odd = text.char_indices().find(|(_, c)| c.is_control() && *c != '\t').map(|(index, found)| FenError {
        column: index + 1,
        message: format!("control character {:#04x}", u32::from(found)),
    });
    let mut reading = match odd {
        Some(fault) if strictness == Strictness::Strict => return Err(fault),
        _ => fen::read_start(text, strictness)?,
    };
    reading.repairs.extend(odd);
    let mut board = reading.board;
    let mut line = Operations { text, at: reading.end, strictness, notes: reading.repairs };
    let mut operations: Vec<Operation> = Vec::new();
    let mut seen = HashSet::new();
    while let Some((column, name)) = line.opcode()? {
        let (words, is_closed) = line.operands()?;
        let mut raw = line.raw(column, name).to_owned();
        if !is_closed {
            raw.push('"');
        }
        let source = Operand { column, name, words: &words, raw: &raw };
        let operation = match opcode::read(&board, &source, strictness) {
            Ok((value, notes)) => {
                line.notes.extend(notes);
                Operation { opcode: name.to_owned(), value, column }
            }
            Err(fault) if strictness == Strictness::Strict || name == "bm" => return Err(fault),
            Err(fault) => {
                line.notes.push(fault);
                continue;
            }
        };
        if !seen.insert(name) {
            line.note(column, format!("opcode `{name}` stands twice"))?;
            continue;
        }
        let hint = opcode::slip(name);
        if !hint.is_empty() {
            line.notes.push(FenError { column, message: format!("unknown opcode `{name}` kept{hint}") });
        }
        match operation.value {
            OperationValue::Integer(value) if name == "hmvc" => board.set_clock(value as u16),
            OperationValue::Integer(value) if name == "fmvn" => board.set_move_number(value as u16),
            _ => {}
        }
        operations.push(operation);
    }
    operations.shrink_to_fit();
    Ok((Epd { board, operations, line: 1 }, line.notes))
}

struct Operations<'a> {
    text: &'a str,
    at: usize,
    strictness: Strictness,
    notes: Vec<FenError>,
}

impl<'a> Operations<'a> {
    fn note(&mut self, column: usize, message: String) -> Result<(), FenError> {
        let fault = FenError { column, message };
        if self.strictness == Strictness::Strict {
            return Err(fault);
        }
        self.notes.push(fault);
        Ok(())
    }

    fn skip(&mut self, required: impl Fn(char) -> bool) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start_matches(required).len();
    }

    /// Takes the rest of an operation, without its semicolon.
    fn drop_operation(&mut self) {
        let mut quoted = false;
        self.skip_until(|c| {
            quoted ^= c == '"';
            c == ';' && !quoted
        });
    }

    fn skip_until(&mut self, stop: impl FnMut(char) -> bool) {
        self.at = self.text[self.at..].find(stop).map_or(self.text.len(), |length| self.at + length);
    }

    /// The next opcode with its column; none at the end of the line.
    fn opcode(&mut self) -> Result<Option<(usize, &'a str)>, FenError> {
        loop {
            self.skip(|c| fen::is_blank(c) || c == ';');
            let start = self.at;
            if start == self.text.len() {
                return Ok(None);
            }
            self.skip_until(|c| fen::is_blank(c) || c == ';');
            let name = &self.text[start..self.at];
            let expected =
                || format!("expected an opcode (a letter, then letters, digits, _ or -), found {}", quote_start(name));
            let first = name.chars().next().unwrap_or_default();
            if first.is_ascii_alphabetic() {
                if name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-') {
                    return Ok(Some((start + 1, name)));
                }
                self.note(start + 1, expected())?;
                self.drop_operation();
            } else if name == "-" {
                self.note(start + 1, expected())?;
            } else if first.is_ascii_digit() && !name.bytes().all(|b| b.is_ascii_digit()) || self.prose_follows() {
                self.note(start + 1, expected())?;
                self.drop_operation();
            } else {
                return Err(FenError { column: start + 1, message: expected() });
            }
        }
    }

    /// Whether a number is followed by words: prose, not a value that lost its opcode.
    fn prose_follows(&self) -> bool {
        let start = self.text[..self.at].rfind([' ', ';']).map_or(0, |index| index + 1);
        let number = self.text[start..self.at].bytes().all(|b| b.is_ascii_digit());
        let rest = self.text[self.at..].trim_start_matches(fen::is_blank);
        number && !rest.is_empty() && !rest.starts_with(';')
    }

    /// The operands up to the semicolon, which is left, and whether all quotation marks are closed.
    fn operands(&mut self) -> Result<(Vec<Word<'a>>, bool), FenError> {
        let (mut words, mut is_closed) = (Vec::new(), true);
        loop {
            self.skip(fen::is_blank);
            let start = self.at;
            match self.text[start..].chars().next() {
                None | Some(';') => return Ok((words, is_closed)),
                Some('"') => {
                    self.at += 1;
                    self.skip_until(|c| c == '"');
                    words.push(Word { column: start + 1, text: &self.text[start + 1..self.at], quoted: true });
                    if self.at == self.text.len() {
                        is_closed = false;
                        self.note(
                            start + 1,
                            "expected a closing quotation mark, found the end of the line".to_owned(),
                        )?;
                    } else {
                        self.at += 1;
                    }
                }
                Some(_) => {
                    self.skip_until(|c| fen::is_blank(c) || c == ';');
                    words.push(Word { column: start + 1, text: &self.text[start..self.at], quoted: false });
                }
            }
        }
    }

    /// What stands between an opcode and the place reached.
    fn raw(&self, column: usize, name: &str) -> &'a str {
        self.text[column - 1 + name.len()..self.at].trim_matches(fen::is_blank)
    }
}

/// The moves of an operation that has some, else none.
pub fn moves<'a>(operations: &'a [Operation], name: &str) -> &'a [Move] {
    match opcode::value(operations, name) {
        Some(OperationValue::Moves(moves) | OperationValue::Line(moves)) => moves,
        _ => &[],
    }
}
