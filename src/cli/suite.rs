use super::{CommandFailure, CommandResult, Exit, output_format};
use crate::chess::epd_write::{epd_file, san_choices, san_line};
use crate::chess::fault::{Fault, Faults, OnError};
use crate::chess::suite::{Item, Suite, SuiteOptions};
use crate::chess::{EpRule, Move, Strictness};
use crate::experiment::{builtin, text};
use crate::text::plural;
use serde_json::Value;
use std::fmt::Write;
use std::path::PathBuf;

/// Check, convert or repair a suite
#[derive(clap::Args)]
#[command(after_help = include_str!("help/suite.txt"))]
pub struct Args {
    /// An EPD, FEN or PGN file
    file: PathBuf,
    /// Repair notation that differs from the standard (docs/formats.md lists the repairs)
    #[arg(long)]
    lenient: bool,
    /// Skip positions and games that are unreadable or duplicate
    #[arg(long)]
    skip_bad: bool,
    /// Output format [default: by the extension of -o, else text]
    #[arg(long)]
    format: Option<SuiteFormat>,
    /// Write the output to a file
    #[arg(short, long)]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum SuiteFormat {
    /// A table
    Text,
    /// A list of objects
    Json,
    /// One line per item
    Csv,
    /// Strict EPD
    Epd,
}

pub fn run(args: &Args) -> CommandResult {
    let strictness = if args.lenient { Strictness::Lenient } else { Strictness::Strict };
    let on_error = if args.skip_bad { OnError::Skip } else { OnError::Stop };
    let mut suite =
        builtin::load(&args.file, SuiteOptions { strictness, on_error, first: None }).map_err(CommandFailure::usage)?;
    let name = args.file.display().to_string();
    if args.skip_bad {
        text::remove_duplicates(&name, &mut suite);
    }
    list_notes(&name, &suite).iter().for_each(|note| eprintln!("{note}"));
    let duplicates: Vec<Fault> = text::find_duplicates(&name, &suite).into_values().collect();
    if !duplicates.is_empty() {
        return Err(CommandFailure::usage(format!("{}\nhelp: --skip-bad leaves out such items", Faults(duplicates))));
    }
    let output = match output_format(args.format, args.out.as_deref(), SuiteFormat::Text)? {
        SuiteFormat::Text => format_table(&suite),
        SuiteFormat::Json => format!("{:#}\n", suite.items.iter().map(item_fields).collect::<Value>()),
        SuiteFormat::Csv => format_csv(&suite).map_err(CommandFailure::io)?,
        SuiteFormat::Epd => {
            let (text, faults) = epd_file(&name, &suite);
            if on_error == OnError::Stop && !faults.is_empty() {
                return Err(CommandFailure::usage(format!(
                    "{}\nhelp: use --skip-bad to leave out what strict EPD cannot express",
                    Faults(faults)
                )));
            }
            faults.iter().for_each(|fault| eprintln!("{fault}: skipped"));
            text
        }
    };
    super::write_output(args.out.as_deref(), &output)?;
    Ok(Exit::Done)
}

fn list_notes(name: &str, suite: &Suite) -> Vec<String> {
    let ended = text::describe_ended(&suite.items).map(|text| format!("{name}: {text}"));
    suite.notes.iter().map(ToString::to_string).chain(ended).collect()
}

fn format_table(suite: &Suite) -> String {
    let mut out = format!("{:<24} {:>5}  {:<20} position\n", "id", "line", "best / moves");
    for item in &suite.items {
        let moves = match item.game_moves() {
            Some(moves) => format!("{} {}", moves.len(), if moves.len() == 1 { "ply" } else { "plies" }),
            None => {
                let avoid = item.avoided_moves().iter().map(|mv| format!("not {mv}")).collect();
                [to_uci(item.best_moves()), avoid].concat().join(" ")
            }
        };
        let _ = writeln!(out, "{:<24} {:>5}  {moves:<20} {}", item.id, item.line, item.board.fen(EpRule::Always));
    }
    let _ = writeln!(out, "{}", plural(suite.items.len(), "item"));
    out
}

fn to_uci(moves: &[Move]) -> Vec<String> {
    moves.iter().map(ToString::to_string).collect()
}

fn item_fields(item: &Item) -> Value {
    let (board, moves) = (&item.board, item.moves());
    serde_json::json!({
        "id": item.id,
        "line": item.line,
        "fen": board.fen(EpRule::Always),
        "best": to_uci(item.best_moves()),
        "best_san": san_choices(board, item.best_moves()),
        "avoid": to_uci(item.avoided_moves()),
        "avoid_san": san_choices(board, item.avoided_moves()),
        "moves": to_uci(moves),
        "moves_san": san_line(board, moves),
    })
}

fn format_csv(suite: &Suite) -> Result<String, csv::Error> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for (index, item) in suite.items.iter().map(item_fields).enumerate() {
        let fields = || item.as_object().into_iter().flatten();
        if index == 0 {
            writer.write_record(fields().map(|(name, _)| name))?;
        }
        writer.write_record(fields().map(|(_, value)| match value {
            Value::Array(moves) => moves.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        }))?;
    }
    let bytes = writer.into_inner().map_err(|error| error.into_error())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests;
