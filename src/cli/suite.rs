use super::{Exit, Failure, Outcome};
use crate::chess::generate::{self, GenerateOptions};
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

/// Make a suite of quiet opening positions from a seed
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ttlab generate --count 240 --seed 1 --plies 10 > openings.epd       the file data/openings.epd")]
pub struct GenerateArgs {
    /// The same seed makes the same positions everywhere
    #[arg(long, default_value_t = GenerateOptions::default().seed)]
    seed: u64,
    /// How many positions
    #[arg(long, default_value_t = 240, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    count: u32,
    /// Random plies from the start position; every second walk plays one more
    #[arg(long, default_value_t = GenerateOptions::default().plies)]
    plies: u32,
}

pub fn generate(args: &GenerateArgs) -> Outcome {
    let options = GenerateOptions { count: args.count as usize, seed: args.seed, plies: args.plies };
    print!("{}", generate::epd(&options).map_err(Failure::usage)?);
    Ok(Exit::Done)
}
