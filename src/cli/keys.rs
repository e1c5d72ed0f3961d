use super::args::EngineArgs;
use super::{CommandResult, Exit};
use crate::chess::{Keys, keyaudit};

/// The buckets over which the positions of a small game tree are spread: some 80 for each.
const BUCKETS: usize = 1024;

/// Check a key scheme for equal keys and collisions
#[derive(clap::Args)]
#[command(after_help = include_str!("help/keys.txt"))]
pub struct Args {
    #[command(flatten)]
    engine: EngineArgs,
}

pub fn run(args: &Args) -> CommandResult {
    let options = args.engine.options()?;
    let keys = Keys::new(&options.keys);
    let audit = keyaudit::audit(&keys);
    println!(
        "piece-square keys   {} distinct of 768, {} colliding pairs",
        audit.distinct_piece_squares, audit.colliding_pair_count
    );
    println!("side and castling   {} distinct of 32", audit.distinct_side_and_castling);
    println!("en passant squares  {} distinct of 16", audit.distinct_en_passant);
    println!("zero keys           {}", audit.zero_keys);
    let spread = keyaudit::spread(&keys, BUCKETS, |key| options.table.index.bucket(key, BUCKETS as u64));
    println!(
        "spread              {} keys of {} positions; over {BUCKETS} buckets chi-square {:.0} (chance: {} +- {:.0})",
        spread.keys,
        spread.positions,
        spread.chi_square,
        BUCKETS - 1,
        (2.0 * (BUCKETS as f64 - 1.0)).sqrt()
    );
    for ((color, piece, square), (other_color, other_piece, other_square)) in audit.first_colliding_pairs {
        println!("    {color:?} {piece:?} {square} = {other_color:?} {other_piece:?} {other_square}");
    }
    Ok(Exit::Done)
}
