use super::{CommandFailure, CommandResult, Exit};
use crate::engine::EngineError;
use crate::signature;
use std::time::Instant;

/// Search fixed positions and print the node count (signature)
#[derive(clap::Args)]
#[command(after_help = include_str!("help/bench.txt"))]
pub struct Args {}

pub fn run(_: &Args) -> CommandResult {
    let (nodes, last_line) = run_bench().map_err(CommandFailure::usage)?;
    eprintln!("Nodes searched  : {nodes}");
    println!("{last_line}");
    Ok(Exit::Done)
}

/// Searches the fixed positions. Returns the number of nodes, and the last line to print. The
/// `bench` commands of other engines also end with such a line.
pub fn run_bench() -> Result<(u64, String), EngineError> {
    let started = Instant::now();
    let nodes = signature::nodes(&signature::bench_options())?;
    Ok((nodes, format!("{nodes} nodes {:.0} nps", nodes as f64 / started.elapsed().as_secs_f64())))
}
