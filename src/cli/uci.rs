use super::{CommandFailure, CommandResult, Exit};
use crate::uci::{self, UciSettings};

/// Run ttlab as a UCI engine
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ttlab uci                                                 use this as the engine command in a GUI or match runner
  ttlab uci --preset match --set table.policy=two-big1 --set table.slots=2
  printf 'position startpos\\ngo depth 8\\n' | ttlab uci

Every option of the engine can be set by its path: setoption name table.policy.kind value always")]
pub struct Args {
    /// A named starting point for the options
    #[arg(short, long, default_value = "match")]
    preset: String,
    /// Set an option: path=value (may be repeated)
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
}

pub fn run(args: &Args) -> CommandResult {
    let settings = UciSettings::new(Some(&args.preset), &args.sets).map_err(CommandFailure::usage)?;
    let bench = || super::bench::bench().map_or_else(|error| format!("info string {error}"), |(_, line)| line);
    uci::serve(std::io::stdin().lock(), std::io::stdout(), settings, bench);
    Ok(Exit::Done)
}
