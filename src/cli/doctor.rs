use super::signals::stop_flag;
use super::{CommandFailure, CommandResult, Exit};
use crate::console::escape_control;
use crate::doctor::{Budget, Request, count_games, examine, format_diagnosis};
use crate::subject::options::CommandLine;
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::HashSet;
use std::path::PathBuf;
use std::time::Duration;

/// Examine a UCI engine before anything is measured with it
///
/// Is it repeatable, does `ucinewgame` reset it, does it respect its limits, are its node counts
/// sums, and does it need fewer nodes to a depth with a better table?
#[derive(clap::Args)]
#[command(after_help = include_str!("help/doctor.txt"))]
pub struct Args {
    /// The engine: a program on the path, or a file
    engine: String,
    /// Arguments of the engine
    arguments: Vec<String>,
    /// Set an option of the engine (may be repeated)
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// Processor time of the engine to spend, in seconds (approximate)
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=86_400))]
    time: u32,
    /// Search to this depth in each of --games games, instead of for --time seconds
    #[arg(long, value_name = "PLIES", requires = "games", conflicts_with = "time", value_parser = clap::value_parser!(u8).range(1..=60))]
    depth: Option<u8>,
    /// Number of built-in games to search, with --depth
    #[arg(long, requires = "depth")]
    games: Option<usize>,
    /// Write the result as JSON, for `[subject] doctor` of an experiment
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Show no progress on standard error
    #[arg(short, long)]
    quiet: bool,
}

pub fn run(args: &Args) -> CommandResult {
    let command = std::iter::once(&args.engine).chain(&args.arguments).cloned().collect();
    let options = args.options.iter().map(|text| parse_option(text)).collect::<Result<Vec<_>, _>>()?;
    let mut names = HashSet::new();
    if let Some((name, _)) = options.iter().find(|(name, _)| !names.insert(name.to_ascii_lowercase())) {
        refuse!("--option {name}: the option is given twice");
    }
    let budget = match args.depth.zip(args.games) {
        Some((depth, games)) if (2..=count_games()).contains(&games) => Budget::Games { depth, games },
        Some((_, games)) => refuse!("--games {games}: expected 2 to {}, the number of built-in games", count_games()),
        None => Budget::Time(Duration::from_secs(u64::from(args.time))),
    };
    let request = Request { command: CommandLine::List(command), options, budget };
    let stop = stop_flag()?;
    let bar = if args.quiet { ProgressBar::hidden() } else { ProgressBar::new_spinner() };
    if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {wide_msg}") {
        bar.set_style(style);
    }
    if !bar.is_hidden() {
        bar.enable_steady_tick(Duration::from_millis(250));
    }
    let result = examine(&request, &|step| bar.set_message(escape_control(step).into_owned()), &stop);
    bar.finish_and_clear();
    let Some(diagnosis) = result.map_err(CommandFailure::usage)? else { return Ok(Exit::Interrupted) };
    let json = diagnosis.to_json().map_err(CommandFailure::io)?;
    if args.json {
        print!("{json}");
    } else {
        print!("{}", escape_control(&format_diagnosis(&diagnosis)));
    }
    if let Some(file) = &args.out {
        super::write(file, &json)?;
    }
    Ok(if diagnosis.count_faults() > 0 { Exit::Gate } else { Exit::Done })
}

pub(super) fn parse_option(text: &str) -> Result<(String, String), CommandFailure> {
    match text.split_once('=').map(|(name, value)| (name.trim(), value.trim())) {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => refuse!("--option {text}: expected NAME=VALUE, as in Hash=16"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn option_splits_at_the_first_equals_sign() {
        for (text, name, value) in [
            ("Hash=16", "Hash", "16"),
            (" Clear Hash = true ", "Clear Hash", "true"),
            ("File=a=b", "File", "a=b"),
            ("A=", "A", ""),
        ] {
            assert_eq!(parse_option(text).unwrap(), (name.to_owned(), value.to_owned()));
        }
        for text in ["Hash", "=16", ""] {
            assert!(parse_option(text).unwrap_err().message.contains("expected NAME=VALUE"), "{text}");
        }
    }
}
