use super::{Exit, Failure, Outcome};
use crate::chess::suite::{Suite, SuiteOptions};
use crate::chess::{EpRule, Strictness};
use std::path::PathBuf;

/// Show what a suite holds, and check it
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ttlab suite data/bratko-kopec.epd        one line for each position
  ttlab suite --lenient old-suite.epd      repair what can be repaired, and say what was")]
pub struct Args {
    /// An EPD, FEN or PGN file
    file: PathBuf,
    /// Repair what can be repaired (docs/formats.md says what)
    #[arg(long)]
    lenient: bool,
}

pub fn run(args: &Args) -> Outcome {
    let strictness = if args.lenient { Strictness::Lenient } else { Strictness::Strict };
    let options = SuiteOptions { strictness, ..SuiteOptions::default() };
    let suite = Suite::load(&args.file, options).map_err(Failure::usage)?;
    for note in &suite.notes {
        eprintln!("{note}");
    }
    println!("{:<24} {:>5}  {:<20} position", "id", "line", "best / moves");
    for item in &suite.items {
        let what = match item.game() {
            Some(moves) => format!("{} plies", moves.len()),
            None => {
                let list = |moves: &[crate::chess::Move], sign: &str| {
                    moves.iter().map(|mv| format!("{sign}{mv}")).collect::<Vec<_>>()
                };
                [list(item.best(), ""), list(item.avoid(), "not ")].concat().join(" ")
            }
        };
        println!("{:<24} {:>5}  {what:<20} {}", item.id, item.line, item.board.fen(EpRule::Always));
    }
    println!("{} items", suite.items.len());
    Ok(Exit::Done)
}
