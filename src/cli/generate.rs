use super::{CommandFailure, CommandResult, Exit};
use crate::chess::generate::{self as openings, GenerateOptions};
use crate::generate::{self, GenerateRequest, PositionKind};

/// Generate a suite from a seed: openings, games or positions
#[derive(clap::Args)]
#[command(after_help = include_str!("help/generate.txt"))]
pub struct Args {
    /// Seed; the same seed makes the same suite on every machine
    #[arg(long, default_value_t = GenerateOptions::default().seed)]
    seed: u64,
    /// Number of positions or games
    #[arg(long, default_value_t = 240, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    count: u32,
    /// Random plies from the start position; every second line has one more
    #[arg(long, default_value_t = GenerateOptions::default().plies)]
    plies: u32,
    /// Play games from the positions, with at most PLIES plies, and write PGN
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u16).range(1..=400))]
    games: Option<u16>,
    /// Depth of the search that chooses each move of a game
    #[arg(long, default_value_t = 4, requires = "games", value_parser = clap::value_parser!(u8).range(1..=32))]
    depth: u8,
    /// Write a position of each game instead of the game, as EPD
    #[arg(long, value_enum, requires = "games")]
    take: Option<PositionKind>,
    /// Only every second position: 0 starts with the first, 1 with the second
    #[arg(long, requires = "take", value_parser = clap::value_parser!(u8).range(0..=1))]
    half: Option<u8>,
}

pub fn run(args: &Args) -> CommandResult {
    let &Args { seed, count, plies, depth, .. } = args;
    let count = count as usize;
    // If games are played, `--games` is the maximum number of their plies.
    let Some(max_plies) = args.games else {
        print!("{}", openings::epd(&GenerateOptions { count, seed, plies }).map_err(CommandFailure::usage)?);
        return Ok(Exit::Done);
    };
    let request = GenerateRequest { count, seed, plies, length: max_plies, depth };
    // `--take` replaces each game by one of its positions. `--half` keeps every second position.
    match args.take {
        Some(kind) => print!("{}", generate::epd(&request, kind, args.half).map_err(CommandFailure::usage)?),
        None => generate::pgn(&request, |text| {
            print!("{text}");
            // No more games are played if the output is closed.
            crate::console::is_open()
        })
        .map_err(CommandFailure::usage)?,
    }
    Ok(Exit::Done)
}
