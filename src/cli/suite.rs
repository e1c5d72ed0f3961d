use super::{Exit, Failure, Outcome};
use crate::chess::{Strictness, generate, suite};
use std::path::PathBuf;

/// Show what a suite holds, and check it
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ttlab suite data/bratko-kopec.epd
  ttlab suite --lenient old-suite.epd      repair what can be repaired, and say so")]
pub struct Args {
    /// An EPD, FEN or PGN file
    file: PathBuf,
    /// Repair what can be repaired: see docs/formats.md
    #[arg(long)]
    lenient: bool,
}

pub fn run(args: &Args) -> Outcome {
    let strictness = if args.lenient { Strictness::Lenient } else { Strictness::Strict };
    let suite = suite::load(&args.file, strictness).map_err(Failure::usage)?;
    for repair in &suite.repairs {
        eprintln!("repaired: {repair}");
    }
    println!("{}", suite.describe());
    Ok(Exit::Done)
}

/// Make a suite of quiet opening positions from a seed
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ttlab generate --seed 1 --count 200 > openings.epd       the file data/openings.epd")]
pub struct GenerateArgs {
    /// Seed: the same seed makes the same positions everywhere
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many positions
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    count: u32,
}

pub fn generate(args: &GenerateArgs) -> Outcome {
    print!("{}", generate::epd(args.seed, args.count as usize));
    Ok(Exit::Done)
}
