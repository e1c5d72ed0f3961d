//! Writes suites as strict EPD.

use super::fault::Fault;
use super::opcode::{Operation, OperationValue};
use super::suite::{Item, Suite, printable};
use super::{Board, EpRule, Increments, Move, Strictness, epd, san};
use std::fmt::Write;

/// The SAN of successive moves. The first move is played in the position of `board`.
pub fn san_line(board: &Board, moves: &[Move]) -> Vec<String> {
    let mut board = *board;
    let write = |&mv: &Move| {
        let san = san::write(&board, mv);
        board.play(mv, Increments::none());
        san
    };
    moves.iter().map(write).collect()
}

pub fn san_choices(board: &Board, moves: &[Move]) -> Vec<String> {
    moves.iter().map(|&mv| san::write(board, mv)).collect()
}

/// The suite as strict EPD, and a fault for each item that cannot be written. Such items are left
/// out, because only the user can decide how to repair them. The faults call the file `file_name`.
pub fn epd_file(file_name: &str, suite: &Suite) -> (String, Vec<Fault>) {
    let (mut text, mut faults) = (String::new(), Vec::new());
    for item in &suite.items {
        let line = epd_line(item);
        match epd::read_line(line.trim_end(), Strictness::Strict) {
            Ok(_) => text += &line,
            Err(fault) => {
                let message = format!("cannot be written as strict EPD: {}", fault.message);
                faults.push(Fault { file: file_name.to_owned(), line: item.line, column: 1, message });
            }
        }
    }
    (text, faults)
}

/// Quotes and backslashes of texts are written with a backslash before them, as in PGN.
/// [`printable`] replaces control characters.
///
/// The clocks come before all other operations, because some programs look for the opcodes of the
/// clocks even inside texts.
pub fn epd_line(item: &Item) -> String {
    let fen = item.board.fen(EpRule::Always);
    let mut fields = fen.split(' ');
    let mut out = fields.by_ref().take(4).collect::<Vec<_>>().join(" ");
    let quoted = |text: &str| format!("\"{}\"", printable(text).replace('\\', r"\\").replace('"', r#"\""#));
    let has_operation = |opcode: &str| item.operations().iter().any(|operation| operation.opcode == opcode);
    let clocks = [("hmvc", "0"), ("fmvn", "1")];
    // The last two fields of the FEN.
    for ((opcode, default), clock) in clocks.into_iter().zip(fields) {
        if clock != default || has_operation(opcode) {
            let _ = write!(out, " {opcode} {clock};");
        }
    }
    let is_written = |operation: &&Operation| !["id", "hmvc", "fmvn"].contains(&operation.opcode.as_str());
    for operation in item.operations().iter().filter(is_written) {
        let value = match &operation.value {
            OperationValue::Moves(moves) => san_choices(&item.board, moves).join(" "),
            OperationValue::Line(moves) => san_line(&item.board, moves).join(" "),
            OperationValue::Text(text) => quoted(text),
            OperationValue::Integer(number) => number.to_string(),
            OperationValue::Mate(moves) if operation.opcode == "bm" => format!("#{moves}"),
            OperationValue::Mate(moves) => moves.to_string(),
            OperationValue::Nodes(number) => number.to_string(),
            OperationValue::Raw(text) => printable(text),
        };
        let gap = if value.is_empty() { "" } else { " " };
        let _ = write!(out, " {}{gap}{value};", operation.opcode);
    }
    if !item.moves().is_empty() {
        let _ = write!(out, " pv {};", san_line(&item.board, item.moves()).join(" "));
    }
    let _ = writeln!(out, " id {};", quoted(&item.id));
    out
}
