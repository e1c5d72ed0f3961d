//! EPD: a position to a line, with operations such as `bm Qd1+; id "BK.01";`.
//!
//! Both modes accept the following, although it is not in the standard:
//! - comment lines (`#`), blank lines, a byte order mark, and any line ends
//! - halfmove clock and move number before the operations
//! - `;` before the first operation and no `;` after the last one, as in `;D1 20 ;D2 400`
//! - texts of one word without quotes
//! - moves in the coordinates of UCI
//! - unknown opcodes, which are kept unchanged
//!
//! Lenient mode also accepts the following, and reports it as a repair:
//! - what [`super::fen`] and [`super::san`] repair
//! - control characters
//! - a stray `-` after the position
//! - a check sign after a space (`Qd1 +`)
//! - texts of several words without quotes or without the closing quote
//! - trailing prose that starts with a digit
//!
//! Lenient mode drops an operation that cannot be read. Only an unreadable `bm` is an error, so
//! that no position gets a wrong answer. Source: S. Edwards, "Portable Game Notation Specification
//! and Implementation Guide", 1994, section 16.2.

use super::board::Board;
use super::fault::{Fault, Faults, OnError};
use super::fen::{self, FenError, Strictness, quote_start};
use super::lines::Lines;
use super::moves::Move;
use super::opcode::{self, Operation, OperationValue, RawOperation, Word};
use super::pgn_lexer::read_quoted;
use std::collections::HashSet;
use std::io::BufRead;

#[derive(Debug, Clone)]
pub struct Epd {
    /// The position; `hmvc` and `fmvn` are in its clocks.
    pub board: Board,
    pub operations: Vec<Operation>,
    /// The line of the file, from 1.
    pub line: usize,
}

impl Epd {
    pub fn value(&self, opcode: &str) -> Option<&OperationValue> {
        opcode::value(&self.operations, opcode)
    }
}

/// The longest line that is read, in bytes: a file with a longer one is of another kind.
const MAX_LINE: usize = 1 << 20;

/// The positions of a file, read line by line.
pub struct Reader<R> {
    file_name: String,
    lines: Lines<R>,
    strictness: Strictness,
    on_error: OnError,
    line: Vec<u8>,
    line_number: usize,
    faults: Vec<Fault>,
    notes: Vec<Fault>,
}

impl<R: BufRead> Reader<R> {
    /// Creates a reader. Its faults call the file `file_name`.
    pub fn new(file_name: &str, input: R, strictness: Strictness, on_error: OnError) -> Self {
        let (file_name, lines) = (file_name.to_owned(), Lines::new(input));
        let (line, faults, notes) = (Vec::new(), Vec::new(), Vec::new());
        Self { file_name, lines, strictness, on_error, line, line_number: 0, faults, notes }
    }

    /// # Errors
    /// Returns an error if lines could not be read and were not skipped. The error contains the
    /// first fault of each such line.
    pub fn finish(self) -> Result<Vec<Fault>, Faults> {
        if self.faults.is_empty() { Ok(self.notes) } else { Err(Faults(self.faults)) }
    }

    /// Adds the file and the current line to a fault.
    fn locate(&self, fault: FenError) -> Fault {
        Fault { file: self.file_name.clone(), line: self.line_number, column: fault.column, message: fault.message }
    }

    /// Reads the current line. Returns its position and the notes about the line. The position is
    /// `None` if the line is blank or a comment.
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
        // The first line may begin with a byte order mark.
        let after_mark = if self.line_number == 1 { text.strip_prefix('\u{feff}') } else { None };
        let content = after_mark.unwrap_or(&text);
        if content.trim().is_empty() || content.trim_start().starts_with('#') {
            return Ok((None, notes));
        }
        let mark_len = text.len() - content.len();
        let shift_column = |fault: FenError| FenError { column: fault.column + mark_len, ..fault };
        let (epd, line_notes) = read_line(content, self.strictness).map_err(shift_column)?;
        notes.extend(line_notes.into_iter().map(shift_column));
        Ok((Some(Epd { line: self.line_number, ..epd }), notes))
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Epd;

    fn next(&mut self) -> Option<Epd> {
        loop {
            self.line_number += 1;
            let failure = match self.lines.read(&mut self.line, MAX_LINE) {
                Ok(false) => return None,
                Ok(true) if self.line.len() <= MAX_LINE => None,
                Ok(true) => Some(format!("expected a position, found a line of more than {MAX_LINE} bytes")),
                Err(error) => Some(format!("cannot be read: {error}")),
            };
            if let Some(message) = failure {
                self.faults.push(self.locate(FenError { column: 1, message }));
                return None;
            }
            match self.read_position() {
                Ok((position, notes)) => {
                    let notes: Vec<Fault> = notes.into_iter().map(|note| self.locate(note)).collect();
                    self.notes.extend(notes);
                    if position.is_some() {
                        return position;
                    }
                }
                Err(fault) => self.on_error.record(self.locate(fault), &mut self.faults, &mut self.notes),
            }
        }
    }
}

/// Reads one line. Returns the position and the notes about the line. The notes are the repairs and
/// the opcodes that may be misspelt. [`Epd::line`] is set to 1.
///
/// # Errors
/// Returns the first fault of the line.
pub fn read_line(text: &str, strictness: Strictness) -> Result<(Epd, Vec<FenError>), FenError> {
    let control_character = text.char_indices().find(|(_, c)| c.is_control() && *c != '\t');
    let control_fault = control_character.map(|(index, character)| FenError {
        column: index + 1,
        message: format!("expected printable text, found the control character {:#04x}", u32::from(character)),
    });
    let mut reading = match control_fault {
        Some(fault) if strictness == Strictness::Strict => return Err(fault),
        _ => fen::read_start(text, strictness)?,
    };
    reading.repairs.extend(control_fault);
    let mut board = reading.board;
    let mut reader = OperationReader { text, offset: reading.end, strictness, notes: reading.repairs };
    let mut operations: Vec<Operation> = Vec::new();
    let mut opcodes_read = HashSet::new();
    while let Some((column, name)) = reader.next_opcode()? {
        let (words, is_closed) = reader.next_operands()?;
        let mut operand_text = reader.operand_text(column, name).to_owned();
        if !is_closed {
            operand_text.push('"');
        }
        let raw_operation = RawOperation { column, name, words: &words, operand_text: &operand_text };
        let operation = match opcode::read(&board, &raw_operation, strictness) {
            Ok((value, repairs)) => {
                reader.notes.extend(repairs);
                Operation { opcode: name.to_owned(), value, column }
            }
            Err(fault) if strictness == Strictness::Strict || name == "bm" => return Err(fault),
            Err(fault) => {
                reader.notes.push(fault);
                continue;
            }
        };
        if !opcodes_read.insert(name) {
            reader.repair(column, format!("duplicate opcode `{name}`"))?;
            continue;
        }
        let hint = opcode::spelling_hint(name);
        if !hint.is_empty() {
            reader.notes.push(FenError { column, message: format!("the unknown opcode `{name}` is kept{hint}") });
        }
        let other_mate = operations.iter().find_map(|other| match other.value {
            OperationValue::Mate(moves) if operation.value != other.value => Some((moves, &other.opcode)),
            _ => None,
        });
        if let (OperationValue::Mate(moves), Some((other_moves, opcode))) = (&operation.value, other_mate) {
            let message = format!("`{name}` says mate in {moves}, but `{opcode}` says mate in {other_moves}");
            return Err(FenError { column, message });
        }
        match operation.value {
            OperationValue::Integer(value) if name == "hmvc" => board.set_clock(value as u16),
            OperationValue::Integer(value) if name == "fmvn" => board.set_move_number(value as u16),
            _ => {}
        }
        operations.push(operation);
    }
    operations.shrink_to_fit();
    Ok((Epd { board, operations, line: 1 }, reader.notes))
}

struct OperationReader<'a> {
    text: &'a str,
    /// The byte up to which the text has been read.
    offset: usize,
    strictness: Strictness,
    notes: Vec<FenError>,
}

impl<'a> OperationReader<'a> {
    fn repair(&mut self, column: usize, message: String) -> Result<(), FenError> {
        fen::repair(self.strictness, column, message, &mut self.notes)
    }

    fn skip_while(&mut self, is_skipped: impl Fn(char) -> bool) {
        let rest = &self.text[self.offset..];
        self.offset += rest.len() - rest.trim_start_matches(is_skipped).len();
    }

    fn skip_until(&mut self, stop: impl FnMut(char) -> bool) {
        self.offset = self.text[self.offset..].find(stop).map_or(self.text.len(), |length| self.offset + length);
    }

    /// Reads the next opcode. Returns its column and name, or `None` at the end of the line.
    fn next_opcode(&mut self) -> Result<Option<(usize, &'a str)>, FenError> {
        loop {
            self.skip_while(|c| fen::is_blank(c) || c == ';');
            let start = self.offset;
            if start == self.text.len() {
                return Ok(None);
            }
            self.skip_until(|c| fen::is_blank(c) || c == ';');
            let name = &self.text[start..self.offset];
            let expected =
                || format!("expected an opcode (a letter, then letters, digits, _ or -), found {}", quote_start(name));
            let first = name.chars().next().unwrap_or_default();
            if first.is_ascii_alphabetic() {
                if name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-') {
                    return Ok(Some((start + 1, name)));
                }
                self.repair(start + 1, expected())?;
                self.next_operands()?;
            } else if name == "-" {
                // A stray `-` after the position is skipped.
                self.repair(start + 1, expected())?;
            } else if first.is_ascii_digit() && !name.bytes().all(|b| b.is_ascii_digit())
                || self.is_number_before_prose()
            {
                // Prose that begins with a digit is skipped.
                self.repair(start + 1, expected())?;
                self.next_operands()?;
            } else {
                return Err(FenError { column: start + 1, message: expected() });
            }
        }
    }

    /// Whether the word that was just read is a number, and other words follow the number. Such a
    /// text is taken for prose. A number alone could be a value whose opcode is missing.
    fn is_number_before_prose(&self) -> bool {
        let start = self.text[..self.offset].rfind([' ', ';']).map_or(0, |index| index + 1);
        let is_number = self.text[start..self.offset].bytes().all(|b| b.is_ascii_digit());
        let rest = self.text[self.offset..].trim_start_matches(fen::is_blank);
        is_number && !rest.is_empty() && !rest.starts_with(';')
    }

    /// Reads the operands before the next semicolon. Returns the operands, and whether all
    /// quotation marks are closed.
    fn next_operands(&mut self) -> Result<(Vec<Word<'a>>, bool), FenError> {
        let (mut words, mut is_closed) = (Vec::new(), true);
        loop {
            self.skip_while(fen::is_blank);
            let start = self.offset;
            match self.text[start..].chars().next() {
                None | Some(';') => return Ok((words, is_closed)),
                Some('"') => {
                    self.offset += 1;
                    let (text, length) = read_quoted(&self.text[self.offset..]);
                    words.push(Word { column: start + 1, text: text.into(), is_quoted: true });
                    self.offset = length.map_or(self.text.len(), |length| self.offset + length);
                    if length.is_none() {
                        is_closed = false;
                        let message = "expected a closing quotation mark, found the end of the line";
                        self.repair(start + 1, message.to_owned())?;
                    }
                }
                Some(_) => {
                    self.skip_until(|c| fen::is_blank(c) || c == ';');
                    let text = self.text[start..self.offset].into();
                    words.push(Word { column: start + 1, text, is_quoted: false });
                }
            }
        }
    }

    /// `column` and `name` are those of the opcode.
    fn operand_text(&self, column: usize, name: &str) -> &'a str {
        self.text[column - 1 + name.len()..self.offset].trim_matches(fen::is_blank)
    }
}

pub fn moves<'a>(operations: &'a [Operation], name: &str) -> &'a [Move] {
    match opcode::value(operations, name) {
        Some(OperationValue::Moves(moves) | OperationValue::Line(moves)) => moves,
        _ => &[],
    }
}
