//! FEN: reading, strictly or with repairs, and writing.
//!
//! In strict mode, a FEN has four fields (as in EPD) or six, which are separated by one space. The
//! castling letters are in canonical order, and everything must be possible in a game. Blanks after
//! the last field are not a fault.
//!
//! Lenient mode also accepts the following, and reports it as a repair:
//! - a byte order mark, NULs, and any run of blanks
//! - missing fields, which are read as `w`, `-`, `-`, `0` and `1`, and a halfmove clock without a
//!   move number
//! - castling letters in any order, repeated, or in the A-H style of standard chess
//! - castling rights without king and rook on their home squares, which are dropped
//! - an e.p. square in capitals, or the square of the pawn that passed it
//! - an e.p. square that no pawn has just passed, which is dropped, or one that a pawn passed while
//!   the other king was in check, which is kept
//! - unreadable clocks, which are read as 0 and 1
//! - further fields, which are ignored
//!
//! Neither mode guesses where pieces are. Source: S. Edwards, "Portable Game Notation Specification
//! and Implementation Guide", 1994, section 16.1.

use super::board::{Board, rights};
use super::setup::Setup;
use super::types::{Color, Piece, Square};
use super::validity::{self, Illegality};
use serde::{Deserialize, Serialize};

/// How a reader treats deviations from the standard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Strictness {
    /// Every deviation from the standard is an error.
    #[default]
    Strict,
    /// Deviations with one sensible reading are repaired and recorded.
    Lenient,
}

/// Why a text is not a valid FEN, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {message}")]
pub struct FenError {
    /// The byte of the text, from 1.
    pub column: usize,
    /// What was expected and what was found.
    pub message: String,
}

/// A position and the repairs that were needed to read it.
#[derive(Debug, Clone)]
pub struct Reading {
    /// The position; its key and sum are 0 until [`Board::rekey`].
    pub board: Board,
    /// Repairs, in the order of the text; empty in strict mode.
    pub repairs: Vec<FenError>,
    /// The number of bytes read from the text.
    pub end: usize,
}

/// Reads a text that consists of one FEN.
///
/// # Errors
/// Returns the first fault that is not repaired. Strict mode repairs no faults.
pub fn read(text: &str, strictness: Strictness) -> Result<Reading, FenError> {
    let mut reading = read_start(text, strictness)?;
    let rest = &text[reading.end..];
    let rest_fault = FenError {
        column: reading.end + 1 + rest.len() - rest.trim_start().len(),
        message: format!("expected no text after the fields of the FEN, found {}", quote_start(rest.trim())),
    };
    let is_lenient = strictness == Strictness::Lenient;
    // Blanks after the last field are allowed even in strict mode.
    let has_only_blanks = rest.trim_end_matches([' ', '\t', '\r', '\n']).is_empty();
    if has_only_blanks || is_lenient && rest.trim_matches(is_blank).is_empty() {
        return Ok(reading);
    }
    if !is_lenient {
        return Err(rest_fault);
    }
    reading.repairs.push(rest_fault);
    Ok(reading)
}

/// Reads the FEN at the start of a text. The FEN consists of the first four fields, and of the next
/// two fields if both are numbers.
///
/// # Errors
/// Returns the first fault that is not repaired. Strict mode repairs no faults.
pub fn read_start(text: &str, strictness: Strictness) -> Result<Reading, FenError> {
    let mut fields = Fields { text, offset: 0, strictness, repairs: Vec::new() };
    let (placement_column, placement) = fields.next("the placement of the pieces", None)?;
    let squares = read_placement(placement, placement_column, strictness)?;
    let (turn_column, turn) = fields.next("the side to move", Some("w"))?;
    let turn = match (turn, strictness) {
        ("w", _) | ("W", Strictness::Lenient) => Color::White,
        ("b", _) | ("B", Strictness::Lenient) => Color::Black,
        _ => return Err(fault(turn_column, format!("expected the side to move, w or b, found {}", quote_start(turn)))),
    };
    let (castling_column, castling) = fields.next("castling rights", Some("-"))?;
    let castling = fields.read_castling(castling, castling_column)?;
    let (ep_column, ep) = fields.next("an en passant square", Some("-"))?;
    let en_passant = Square::parse(&ep.to_ascii_lowercase());
    let is_valid_ep_field = ep == "-" || en_passant.is_some();
    if ep != "-" && Square::parse(ep).is_none() {
        let message = format!("expected an en passant square or -, found {}", quote_start(ep));
        fields.repair(ep_column, message)?;
    }
    let (halfmove_clock, move_number) = fields.read_clocks(is_valid_ep_field)?;
    let black_plies = u16::from(turn == Color::Black);
    let game_ply = move_number.saturating_sub(1).saturating_mul(2).saturating_add(black_plies);
    let mut setup = Setup { squares, turn, castling, en_passant, halfmove_clock, game_ply };
    while let Some(flaw) = validity::flaw(&setup) {
        match flaw {
            Illegality::Placement(square, message) => {
                let offset = square.map_or(0, |square| square_offset(placement, square));
                return Err(fault(placement_column + offset, message));
            }
            Illegality::Turn(message) => return Err(fault(turn_column, message)),
            Illegality::Castling(message) => {
                fields.repair(castling_column, message)?;
                setup.castling = validity::possible_rights(&setup.squares, setup.castling);
            }
            Illegality::EnPassant(passed, message) => {
                fields.repair(ep_column, message)?;
                setup.en_passant = passed;
            }
            Illegality::EnPassantCheck(message) => {
                fields.repair(ep_column, message)?;
                break;
            }
        }
    }
    Ok(Reading { board: Board::assemble(&setup), repairs: fields.repairs, end: fields.offset })
}

fn fault(column: usize, message: String) -> FenError {
    FenError { column, message }
}

pub(super) fn repair(
    strictness: Strictness,
    column: usize,
    message: String,
    repairs: &mut Vec<FenError>,
) -> Result<(), FenError> {
    let fault = fault(column, message);
    if strictness == Strictness::Strict {
        return Err(fault);
    }
    repairs.push(fault);
    Ok(())
}

/// Control characters and unusual blanks are escaped. For an empty text, returns `nothing` without
/// quotes.
pub fn quote_start(text: &str) -> String {
    const MAX_LEN: usize = 24;
    let escape = |c: char| {
        if c.is_control() || is_blank(c) && c != ' ' { c.escape_unicode().to_string() } else { c.to_string() }
    };
    let start: String = text.chars().take(MAX_LEN).map(escape).collect();
    if text.is_empty() {
        "nothing".to_owned()
    } else if text.chars().nth(MAX_LEN).is_some() {
        format!("`{start}...`")
    } else {
        format!("`{start}`")
    }
}

/// Whether a character separates fields where repairs are allowed.
pub(super) fn is_blank(c: char) -> bool {
    c.is_whitespace() || c == '\0' || c == '\u{feff}'
}

/// The fields of a FEN, which are read one after the other.
struct Fields<'a> {
    text: &'a str,
    /// The byte up to which the text has been read.
    offset: usize,
    strictness: Strictness,
    repairs: Vec<FenError>,
}

impl<'a> Fields<'a> {
    fn repair(&mut self, column: usize, message: String) -> Result<(), FenError> {
        repair(self.strictness, column, message, &mut self.repairs)
    }

    /// The offset and the text of the next field without consuming the field. The text is empty at
    /// the end of the FEN.
    fn peek(&self) -> (usize, &'a str) {
        let rest = &self.text[self.offset..];
        // In strict mode, exactly one space separates two fields.
        let (skipped, ends_field): (usize, fn(char) -> bool) = match self.strictness {
            Strictness::Strict => (usize::from(self.offset > 0 && rest.starts_with(' ')), char::is_whitespace),
            Strictness::Lenient => (rest.len() - rest.trim_start_matches(is_blank).len(), is_blank),
        };
        let rest = &rest[skipped..];
        // In EPD, a `;` may follow the last field.
        let length = rest.find(|c| ends_field(c) || c == ';').unwrap_or(rest.len());
        (self.offset + skipped, &rest[..length])
    }

    /// Consumes the next field and returns its column and text. `expected` describes the field in
    /// messages. `default` replaces a missing field if repairs are allowed.
    fn next(&mut self, expected: &str, default: Option<&'static str>) -> Result<(usize, &'a str), FenError> {
        let (start, field) = self.peek();
        if !field.is_empty() {
            self.offset = start + field.len();
            return Ok((start + 1, field));
        }
        let actual = quote_start(self.text[start..].split(is_blank).next().unwrap_or_default());
        let error = fault(start + 1, format!("expected {expected}, found {actual}"));
        match default {
            Some(default) if self.strictness == Strictness::Lenient => {
                self.repairs.push(error);
                Ok((start + 1, default))
            }
            _ => Err(error),
        }
    }

    /// Reads the castling rights from `field`, which begins at `column` of the text.
    fn read_castling(&mut self, field: &str, column: usize) -> Result<u8, FenError> {
        if field == "-" {
            return Ok(0);
        }
        let mut castling = 0;
        for (offset, letter) in field.char_indices() {
            let right = match (letter, self.strictness) {
                ('K', _) | ('H', Strictness::Lenient) => rights::WHITE_KING,
                ('Q', _) | ('A', Strictness::Lenient) => rights::WHITE_QUEEN,
                ('k', _) | ('h', Strictness::Lenient) => rights::BLACK_KING,
                ('q', _) | ('a', Strictness::Lenient) => rights::BLACK_QUEEN,
                _ => {
                    let actual = quote_start(&letter.to_string());
                    return Err(fault(
                        column + offset,
                        format!("expected castling rights (KQkq or -), found {actual}"),
                    ));
                }
            };
            // In the canonical order, the bit of each right is higher than the bits of all rights
            // before it.
            if right <= castling {
                self.repair(column + offset, format!("castling right {letter} is repeated, or not in the order KQkq"))?;
            }
            castling |= right;
        }
        Ok(castling)
    }

    /// Reads the halfmove clock and the move number if the next two fields are both numbers.
    /// Otherwise, consumes nothing and returns 0 and 1. If `allow_clock_alone`, lenient mode also
    /// accepts a halfmove clock without a move number.
    fn read_clocks(&mut self, allow_clock_alone: bool) -> Result<(u16, u16), FenError> {
        let start = self.offset;
        let (clock_offset, clock) = self.peek();
        self.offset = clock_offset + clock.len();
        let (number_offset, move_number) = self.peek();
        let is_numeric = |field: &str| field.starts_with(|c: char| c.is_ascii_digit());
        let accepts_clock_alone = allow_clock_alone
            && self.strictness == Strictness::Lenient
            && clock.bytes().all(|byte| byte.is_ascii_digit())
            && !self.text[self.offset..].starts_with(';');
        if !is_numeric(clock) || !is_numeric(move_number) && !accepts_clock_alone {
            self.offset = start;
            return Ok((0, 1));
        }
        let halfmove_clock = match clock.parse() {
            Ok(value) if value <= 9999 => value,
            _ => {
                self.repair(
                    clock_offset + 1,
                    format!("expected a halfmove clock, 0 to 9999, found {}", quote_start(clock)),
                )?;
                0
            }
        };
        // A missing move number is replaced by an empty text, which is repaired below.
        let move_number = if is_numeric(move_number) { move_number } else { "" };
        if !move_number.is_empty() {
            self.offset = number_offset + move_number.len();
        }
        match move_number.parse() {
            Ok(value @ 1..=9999) => Ok((halfmove_clock, value)),
            _ => {
                self.repair(
                    number_offset + 1,
                    format!("expected a move number, 1 to 9999, found {}", quote_start(move_number)),
                )?;
                Ok((halfmove_clock, 1))
            }
        }
    }
}

type Placement = [Option<(Color, Piece)>; 64];

/// Reads the field that places the pieces. It begins at `column` of the text.
fn read_placement(field: &str, column: usize, strictness: Strictness) -> Result<Placement, FenError> {
    let mut squares = [None; 64];
    let (mut rank, mut file) = (7, 0);
    let mut is_after_digit = false;
    for (offset, letter) in field.char_indices() {
        let letter_column = column + offset;
        let describe_short_rank = |file| format!("expected 8 squares on rank {}, found {file}", rank + 1);
        match letter {
            '/' if file != 8 => return Err(fault(letter_column, describe_short_rank(file))),
            '/' if rank == 0 => return Err(fault(letter_column, "expected 8 ranks, found more".to_owned())),
            '/' => (rank, file) = (rank - 1, 0),
            '1'..='8' if is_after_digit && strictness == Strictness::Strict => {
                return Err(fault(letter_column, "expected a piece or /, found another number".to_owned()));
            }
            '1'..='8' => file += letter as u8 - b'0',
            _ => {
                let Some(piece) = Piece::from_letter(letter) else {
                    let actual = quote_start(&letter.to_string());
                    return Err(fault(
                        letter_column,
                        format!("expected a piece (pnbrqkPNBRQK), 1-8 or /, found {actual}"),
                    ));
                };
                let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
                if file < 8 {
                    squares[Square::from_file_rank(file, rank).index()] = Some((color, piece));
                }
                file += 1;
            }
        }
        is_after_digit = letter.is_ascii_digit();
        if file > 8 {
            return Err(fault(letter_column, format!("expected 8 squares on rank {}, found more", rank + 1)));
        }
    }
    match (rank, file) {
        (0, 8) => Ok(squares),
        (0, _) => Err(fault(column + field.len(), format!("expected 8 squares on rank 1, found {file}"))),
        _ => Err(fault(column + field.len(), format!("expected 8 ranks, found {}", 8 - rank))),
    }
}

/// The character is the letter of the piece on the square, or a digit that counts empty squares.
fn square_offset(placement: &str, square: Square) -> usize {
    let squares_before = u32::from(7 - square.rank()) * 8 + u32::from(square.file());
    let mut squares_read = 0;
    for (offset, letter) in placement.char_indices() {
        squares_read += if letter == '/' { 0 } else { letter.to_digit(10).unwrap_or(1) };
        if squares_read > squares_before {
            return offset;
        }
    }
    // Not reached, because a valid placement describes all squares.
    0
}

impl Board {
    /// Reads a FEN strictly: nothing is repaired.
    ///
    /// # Errors
    /// Returns the first fault of the text, with its column.
    pub fn from_fen(text: &str) -> Result<Self, FenError> {
        read(text, Strictness::Strict).map(|reading| reading.board)
    }
}

impl std::str::FromStr for Board {
    type Err = FenError;

    fn from_str(text: &str) -> Result<Self, FenError> {
        Self::from_fen(text)
    }
}
