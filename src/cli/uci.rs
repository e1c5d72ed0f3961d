use super::{CommandFailure, CommandResult, Exit};
use crate::uci::{self, UciSettings};

/// Run ttlab as a UCI engine
#[derive(clap::Args)]
#[command(after_help = include_str!("help/uci.txt"))]
pub struct Args {
    /// A named starting point for the options
    #[arg(short, long, default_value = "match")]
    preset: String,
    /// Set an option: path=value (may be repeated)
    #[arg(long = "set", value_name = "PATH=VALUE")]
    overrides: Vec<String>,
}

pub fn run(args: &Args) -> CommandResult {
    let settings = UciSettings::new(Some(&args.preset), &args.overrides).map_err(CommandFailure::usage)?;
    let bench_line = || super::bench::run_bench().map_or_else(|error| format!("info string {error}"), |(_, line)| line);
    uci::serve(std::io::stdin().lock(), std::io::stdout(), settings, bench_line);
    Ok(Exit::Done)
}
