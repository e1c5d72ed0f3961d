//! The commands: one file each, arguments in, rooms called, exit code out.

/// As the standard library's, but nothing that cannot be written ends the program (see [`crate::talk`]).
macro_rules! print {
    ($($text:tt)*) => { $crate::talk::say(format_args!($($text)*)) };
}

/// As the standard library's, but nothing that cannot be written ends the program (see [`crate::talk`]).
macro_rules! println {
    () => { $crate::talk::say(format_args!("\n")) };
    ($($text:tt)*) => { $crate::talk::say(format_args!("{}\n", format_args!($($text)*))) };
}

/// As the standard library's, but nothing that cannot be written ends the program (see [`crate::talk`]).
macro_rules! eprintln {
    ($($text:tt)*) => { $crate::talk::tell(format_args!("{}\n", format_args!($($text)*))) };
}

mod audit;
mod bench;
mod check;
mod columns;
mod compare;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod flags;
mod generate;
mod guard;
mod keys;
mod merge;
mod options;
mod perft;
mod plan;
mod replay;
mod report;
mod reproduce;
mod run;
mod schema;
mod screen;
mod search;
mod shell;
mod signals;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod spoken;
mod submit;
mod suite;
mod trace;
mod tune;
mod uci;
mod verify;

use clap::{Parser, Subcommand};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What a command ends with (see `docs/exit-codes.md`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// All is well.
    Done = 0,
    /// A gate or an expectation failed.
    Gate = 1,
    /// Wrong usage or a bad file.
    Usage = 2,
    /// A job failed, or rows are missing.
    Failed = 3,
    /// Counts that should be equal are not.
    Unequal = 4,
    /// Input or output failed.
    Io = 5,
    /// Interrupted; can be resumed.
    Interrupted = 75,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// A command's failure: what to say, and how to exit.
#[derive(Debug)]
pub struct CommandFailure {
    exit: Exit,
    message: String,
}

impl CommandFailure {
    /// A mistake of the user's.
    pub fn usage(message: impl std::fmt::Display) -> Self {
        Self::of(Exit::Usage, message)
    }

    /// The system would not.
    pub fn io(message: impl std::fmt::Display) -> Self {
        Self::of(Exit::Io, message)
    }

    /// An error that has causes is told with all of them: the first names the file, the last says why.
    fn of(exit: Exit, message: impl std::fmt::Display) -> Self {
        Self { exit, message: format!("{message:#}") }
    }
}

type CommandResult = Result<Exit, CommandFailure>;

/// A laboratory for chess transposition tables: exact node counts, hit rates and timings from ten lines of TOML.
#[derive(Parser)]
#[command(name = "ttlab", version, propagate_version = true, max_term_width = 100)]
#[command(after_help = "Examples:
  ttlab run experiments/quick.toml            run an experiment; results in reports/quick/
  ttlab check experiments/*.toml              is each file right?
  ttlab search startpos --depth 8             one search, all counters
  ttlab options table                         what can be set, and what it means")]
struct Cli {
    #[command(subcommand)]
    command: Commands,
}

#[derive(Subcommand)]
enum Commands {
    Run(run::Args),
    Plan(plan::Args),
    Merge(merge::Args),
    Submit(submit::Args),
    Check(check::Args),
    Reproduce(reproduce::Args),
    Tune(tune::Args),
    Verify(verify::Args),
    Report(report::Args),
    Compare(compare::Args),
    Audit(audit::Args),
    Trace(trace::Args),
    Replay(replay::Args),
    Search(search::Args),
    Perft(perft::Args),
    Bench(bench::Args),
    Suite(suite::Args),
    Generate(generate::Args),
    Keys(keys::Args),
    Options(options::Args),
    Columns(columns::Args),
    Uci(uci::Args),
    Schema(schema::Args),
    Completions(shell::CompletionArgs),
    Man(shell::ManArgs),
    #[command(name = crate::subject::guard::COMMAND, hide = true)]
    Guard(guard::Args),
}

/// Reads the command line, runs the command, says what went wrong.
#[must_use]
pub fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|info| eprintln!("error: internal: {info}")));
    let exit = std::panic::catch_unwind(command_line).unwrap_or(FAULT);
    match crate::talk::close() {
        Some(error) if exit == Exit::Done as u8 => {
            eprintln!("error: standard output: {error}");
            Exit::Io.into()
        }
        _ => exit.into(),
    }
}

/// What a fault of the program itself ends with.
const FAULT: u8 = 101;

/// Reads the command line and runs the command. Returns how to exit.
fn command_line() -> u8 {
    if let Some(word) = std::env::args_os().find(|word| word.to_str().is_none()) {
        // Manifests, plans and the command that continues are text: such a name would be lost half way.
        eprintln!(
            "error: {}: not UTF-8: ttlab writes names into its files, and takes such as are text",
            word.display()
        );
        return Exit::Usage as u8;
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help goes to standard output, and its reader may have seen enough.
            let lost = error.print().is_err_and(|lost| lost.kind() != std::io::ErrorKind::BrokenPipe);
            return match error.exit_code() {
                0 if lost => Exit::Io as u8,
                0 => Exit::Done as u8,
                _ => Exit::Usage as u8,
            };
        }
    };
    carried_out(cli.command)
}

/// Does what is asked for; the exit code.
fn carried_out(command: Commands) -> u8 {
    let outcome = match command {
        Commands::Run(args) => run::run(&args),
        Commands::Plan(args) => plan::run(&args),
        Commands::Merge(args) => merge::run(&args),
        Commands::Submit(args) => submit::run(&args),
        Commands::Check(args) => check::run(&args),
        Commands::Reproduce(args) => reproduce::run(&args),
        Commands::Tune(args) => tune::run(&args),
        Commands::Verify(args) => verify::run(&args),
        Commands::Report(args) => report::run(&args),
        Commands::Compare(args) => compare::run(&args),
        Commands::Audit(args) => audit::run(&args),
        Commands::Trace(args) => trace::run(&args),
        Commands::Replay(args) => replay::run(&args),
        Commands::Search(args) => search::run(&args),
        Commands::Perft(args) => perft::run(&args),
        Commands::Bench(args) => bench::run(&args),
        Commands::Suite(args) => suite::run(&args),
        Commands::Generate(args) => generate::run(&args),
        Commands::Keys(args) => keys::run(&args),
        Commands::Options(args) => options::run(&args),
        Commands::Columns(args) => columns::run(&args),
        Commands::Uci(args) => uci::run(&args),
        Commands::Schema(args) => schema::run(&args),
        Commands::Completions(args) => shell::completions(&args),
        Commands::Man(args) => shell::man(&args),
        Commands::Guard(args) => guard::run(&args),
    };
    match outcome {
        Ok(exit) => exit as u8,
        Err(failure) => {
            let message = failure.message.trim_end();
            eprintln!("{}{message}", if message.starts_with("error") { "" } else { "error: " });
            failure.exit as u8
        }
    }
}

/// The command line of the tool itself, for completions and man pages.
fn command() -> clap::Command {
    <Cli as clap::CommandFactory>::command()
}

/// Refuses to write over what is read: a file, or what a run left in a folder.
fn not_the_same(read: &Path, out: &Path) -> Result<(), CommandFailure> {
    let whole = |path: &Path| std::fs::canonicalize(path).ok();
    let Some(out) = whole(out).filter(|out| out.is_file()) else { return Ok(()) };
    let kept = ["results.csv", "manifest.json", "experiment.toml"].map(|name| read.join(name));
    if std::iter::once(read).chain(kept.iter().map(PathBuf::as_path)).any(|read| whole(read).as_ref() == Some(&out)) {
        let message = format!("{}: is read and cannot be written at the same time", out.display());
        return Err(CommandFailure::usage(message));
    }
    Ok(())
}

/// Settings, and what `--skip-bad` is short for.
fn with_skip(sets: &[String], skip: bool) -> Vec<String> {
    sets.iter().cloned().chain(skip.then(|| crate::experiment::SKIP_BAD.to_owned())).collect()
}

/// Tells on stderr what was left out of a suite.
fn tell_left_out(experiment: &crate::experiment::Experiment) {
    let notes: Vec<String> = experiment.suite.notes.iter().map(ToString::to_string).collect();
    if let Some(text) = crate::report::page::left_out(&experiment.suite_name, &notes) {
        eprintln!("warning: {text}");
    }
}

/// A FEN, or `startpos`.
fn position(text: &str) -> Result<crate::chess::Board, CommandFailure> {
    if text == "startpos" {
        return Ok(crate::chess::Board::startpos());
    }
    crate::chess::Board::from_fen(text).map_err(|error| {
        CommandFailure::usage(format!("{error}\n  in {text}\nhelp: give a FEN in quotes, or startpos"))
    })
}

/// Options from a preset and `--set`s.
fn engine_options(preset: Option<&str>, sets: &[String]) -> Result<crate::engine::EngineOptions, CommandFailure> {
    crate::experiment::options(preset, sets).map_err(CommandFailure::usage)
}
