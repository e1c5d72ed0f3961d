use super::{CommandFailure, CommandResult, Exit};
use crate::engine::EngineError;
use crate::signature;
use std::time::Instant;

/// Search fixed positions: this build's signature
#[derive(clap::Args)]
#[command(after_help = "The count is the same on every machine; it moves only when search behaviour does.
stderr: Nodes searched  : N          stdout: N nodes M nps

Examples:
  ttlab bench
  ttlab bench --all                  each preset, policy and value of an option, as in tests/signatures.txt")]
pub struct Args {
    /// The signature of every preset, policy and value of an option
    #[arg(long)]
    all: bool,
}

pub fn run(args: &Args) -> CommandResult {
    if args.all {
        for (name, count) in signature::signatures() {
            println!("{name} {}", count().map_err(CommandFailure::usage)?);
        }
    } else {
        let (nodes, line) = bench().map_err(CommandFailure::usage)?;
        eprintln!("Nodes searched  : {nodes}");
        println!("{line}");
    }
    Ok(Exit::Done)
}

/// The signature of this build, and the line that other engines' `bench` ends with.
pub fn bench() -> Result<(u64, String), EngineError> {
    let begun = Instant::now();
    let nodes = signature::nodes(&signature::bench_options())?;
    Ok((nodes, format!("{nodes} nodes {:.0} nps", nodes as f64 / begun.elapsed().as_secs_f64())))
}
