use super::{CommandResult, Exit, parse_position};
use crate::chess::{Increments, Keys, perft};
use std::time::Instant;

/// Count the leaves of the legal move tree
#[derive(clap::Args)]
#[command(after_help = include_str!("help/perft.txt"))]
pub struct Args {
    /// A FEN in quotes, or startpos
    position: String,
    /// Depth in plies, 0 to 20
    #[arg(value_parser = clap::value_parser!(u32).range(0..=20))]
    depth: u32,
    /// Show the count of each move
    #[arg(long)]
    divide: bool,
}

pub fn run(args: &Args) -> CommandResult {
    let mut board = parse_position(&args.position)?;
    let increments = Increments::of_keys(Keys::new(&crate::chess::KeyOptions::default()));
    board.rekey(&increments);
    if args.divide && args.depth > 0 {
        let counts = perft::divide(&board, &increments, args.depth);
        for (mv, count) in &counts {
            println!("{mv}: {count}");
        }
        println!("{}", counts.iter().map(|(_, count)| count).sum::<u64>());
        return Ok(Exit::Done);
    }
    let started = Instant::now();
    let count = perft::full_count(&board, &increments, args.depth);
    let seconds = started.elapsed().as_secs_f64();
    println!("{count}");
    eprintln!("{seconds:.3} s, {:.1} million leaves per second", count as f64 / seconds / 1e6);
    Ok(Exit::Done)
}
