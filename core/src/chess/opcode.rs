//! The operations of EPD: which operands each known opcode takes.

use super::board::Board;
use super::fen::{FenError, Strictness, is_blank, quote_start, repair};
use super::increments::Increments;
use super::moves::Move;
use super::{fault, san};
use std::borrow::Cow;

#[derive(Debug, Clone)]
pub(super) struct Word<'a> {
    pub(super) column: usize,
    /// Without quotes and escapes.
    pub(super) text: Cow<'a, str>,
    pub(super) is_quoted: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// Its name, such as `bm`.
    pub opcode: String,
    pub value: OperationValue,
    /// The byte of the line where it starts, from 1.
    pub column: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OperationValue {
    /// `bm`, `am`: moves of the position, in the order of the line.
    Moves(Vec<Move>),
    /// `pv`: moves that follow one another.
    Line(Vec<Move>),
    /// `id`, `c0` to `c9`.
    Text(String),
    /// `acd`, `acs`, `ce`, `hmvc`, `fmvn`.
    Integer(i64),
    /// `dm 4` or `bm #4`: the moves until the side to move mates; negative if it is mated.
    Mate(i16),
    /// `D1` to `D9`: perft counts.
    Nodes(u64),
    /// Any other opcode: its operands unchanged, quotes included.
    Raw(String),
}

/// The opcodes of the standard (section 16.2.5), and the perft counts.
const KNOWN: &str = "acd acn acs am bm c0 c1 c2 c3 c4 c5 c6 c7 c8 c9 ce dm draw_accept draw_claim draw_offer \
    draw_reject eco fmvn hmvc id nic noop pm pv rc resign sm tcgs tcri tcsi v0 v1 v2 v3 v4 v5 v6 v7 v8 v9 \
    D1 D2 D3 D4 D5 D6 D7 D8 D9";

/// No mate is further away, in moves: scores of 500 moves and more are not mates to UCI engines.
const MAX_MATE: i16 = 499;

pub fn value<'a>(operations: &'a [Operation], name: &str) -> Option<&'a OperationValue> {
    operations.iter().find(|operation| operation.opcode == name).map(|operation| &operation.value)
}

pub(super) fn spelling_hint(name: &str) -> String {
    let known: Vec<&str> = KNOWN.split(' ').collect();
    if known.contains(&name) { String::new() } else { fault::hint(name, &known) }
}

pub(super) struct RawOperation<'a> {
    pub(super) column: usize,
    pub(super) name: &'a str,
    pub(super) words: &'a [Word<'a>],
    pub(super) operand_text: &'a str,
}

/// Reads the operands of an operation. Returns their value and the faults that were repaired.
pub(super) fn read(
    board: &Board,
    operation: &RawOperation<'_>,
    strictness: Strictness,
) -> Result<(OperationValue, Vec<FenError>), FenError> {
    let RawOperation { column, name, words, operand_text } = *operation;
    let mut repairs = Vec::new();
    let missing_operand = |what: &str| FenError { column, message: format!("`{name}` expects {what}, found nothing") };
    let value = match name {
        "bm" if words.first().is_some_and(|word| word.text.starts_with('#')) => {
            OperationValue::Mate(read_mate(operation, '#')?)
        }
        "dm" => OperationValue::Mate(read_mate(operation, '\0')?),
        "bm" | "am" | "pv" => {
            if words.is_empty() {
                return Err(missing_operand("moves"));
            }
            let moves = read_moves(board, name == "pv", words, strictness, &mut repairs)?;
            if name == "pv" { OperationValue::Line(moves) } else { OperationValue::Moves(moves) }
        }
        "id" | "c0" | "c1" | "c2" | "c3" | "c4" | "c5" | "c6" | "c7" | "c8" | "c9" => match words {
            [] => return Err(missing_operand("a string")),
            [word] => OperationValue::Text(word.text.to_string()),
            [_, second, ..] => {
                let message =
                    format!("`{name}` expects one string in quotation marks, found {}", quote_start(&second.text));
                repair(strictness, second.column, message, &mut repairs)?;
                OperationValue::Text(operand_text.trim_matches(|c| c == '"' || is_blank(c)).to_owned())
            }
        },
        "acd" | "acs" => OperationValue::Integer(read_integer(operation, 0, i64::MAX)?),
        "ce" => OperationValue::Integer(read_integer(operation, i64::MIN, i64::MAX)?),
        "hmvc" => OperationValue::Integer(read_integer(operation, 0, 9999)?),
        "fmvn" => OperationValue::Integer(read_integer(operation, 1, 9999)?),
        "D1" | "D2" | "D3" | "D4" | "D5" | "D6" | "D7" | "D8" | "D9" => {
            OperationValue::Nodes(read_integer(operation, 0, i64::MAX)? as u64)
        }
        _ => OperationValue::Raw(operand_text.to_owned()),
    };
    Ok((value, repairs))
}

/// Reads the single operand of an operation as an integer from `least` to `most`.
fn read_integer(operation: &RawOperation<'_>, least: i64, most: i64) -> Result<i64, FenError> {
    let RawOperation { name, words, .. } = *operation;
    let expected = match (least, most) {
        (i64::MIN, _) => "an integer".to_owned(),
        (0, i64::MAX) => "a count".to_owned(),
        _ => format!("a number from {least} to {most}"),
    };
    let (column, actual) = match words {
        [word] => match word.text.parse() {
            Ok(value) if (least..=most).contains(&value) && !word.is_quoted => return Ok(value),
            _ => (word.column, quote_start(&word.text)),
        },
        [] => (operation.column, "nothing".to_owned()),
        [_, second, ..] => (second.column, format!("a second operand {}", quote_start(&second.text))),
    };
    Err(FenError { column, message: format!("`{name}` expects {expected}, found {actual}") })
}

/// Reads the only operand, moves to mate after the sign `sign`, if there is one.
fn read_mate(operation: &RawOperation<'_>, sign: char) -> Result<i16, FenError> {
    let RawOperation { name, words, .. } = *operation;
    let example = if sign == '#' { "#4" } else { "4" };
    let fault = |column, found: &str| FenError {
        column,
        message: format!(
            "`{name}` expects the number of moves to mate, as {example} (negative: the side to move is mated), \
             found {found}"
        ),
    };
    match words {
        [word] => match word.text.trim_start_matches(sign).parse() {
            Ok(moves) if moves != 0 && (-MAX_MATE..=MAX_MATE).contains(&moves) && !word.is_quoted => Ok(moves),
            _ => Err(fault(word.column, &quote_start(&word.text))),
        },
        [] => Err(fault(operation.column, "nothing")),
        [_, second, ..] => Err(fault(second.column, &format!("a second operand {}", quote_start(&second.text)))),
    }
}

/// Reads moves. If `is_line`, each move is played before the next one is read. Otherwise, all moves
/// are alternatives in the same position.
fn read_moves(
    board: &Board,
    is_line: bool,
    words: &[Word<'_>],
    strictness: Strictness,
    repairs: &mut Vec<FenError>,
) -> Result<Vec<Move>, FenError> {
    let mut board = *board;
    let mut moves = Vec::new();
    for word in words {
        // This word is the check sign of the previous move, after a space.
        if !moves.is_empty() && matches!(&*word.text, "+" | "#" | "++") {
            repair(strictness, word.column, format!("expected a move, found {}", quote_start(&word.text)), repairs)?;
            continue;
        }
        let at_word = |error: san::SanError| FenError { column: word.column, message: error.to_string() };
        let (mv, flaw) = san::read_noting(&board, &word.text, strictness).map_err(at_word)?;
        repairs.extend(flaw.map(at_word));
        if is_line {
            board.play(mv, Increments::none());
        }
        moves.push(mv);
    }
    Ok(moves)
}
