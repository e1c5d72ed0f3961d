//! The commands: one file each, arguments in, rooms called, exit code out.

/// As the standard library's, but nothing that cannot be written ends the program (see [`crate::console`]).
macro_rules! print {
    ($($text:tt)*) => { $crate::console::out(format_args!($($text)*)) };
}

/// As the standard library's, but nothing that cannot be written ends the program (see [`crate::console`]).
macro_rules! println {
    () => { $crate::console::out(format_args!("\n")) };
    ($($text:tt)*) => { $crate::console::out(format_args!("{}\n", format_args!($($text)*))) };
}

/// As the standard library's, but nothing that cannot be written ends the program (see [`crate::console`]).
macro_rules! eprintln {
    ($($text:tt)*) => { $crate::console::err(format_args!("{}\n", format_args!($($text)*))) };
}

/// Ends a command with a mistake of the user's.
macro_rules! refuse {
    ($($text:tt)*) => { return Err($crate::cli::CommandFailure::usage(format_args!($($text)*))) };
}

mod audit;
mod bench;
mod check;
mod columns;
mod compare;
mod completions;
mod confirm;
mod doctor;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod flags;
mod generate;
mod guard;
mod keys;
mod man;
mod merge;
mod new;
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
mod signals;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod spoken;
mod submit;
mod suite;
mod thin;
mod trace;
mod tune;
mod uci;
mod verify;

use crate::experiment::Experiment;
use clap::{CommandFactory, FromArgMatches, Parser};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What a command ends with (see `docs/guarantees.md`).
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
  ttlab new quick                             write quick.toml and its suite, to begin with
  ttlab run experiments/quick.toml            run an experiment; results in reports/quick/
  ttlab check experiments/*.toml              is each file right?
  ttlab search startpos --depth 8             one search, all counters
  ttlab options table                         what can be set, and what it means")]
struct Cli {
    #[command(subcommand)]
    command: Commands,
}

/// The subcommands by group: each has its arguments and what it does in a file of its own.
macro_rules! commands {
    ($($group:literal: $($(#[$attribute:meta])* $command:ident($file:ident),)*)*) => {
        #[derive(clap::Subcommand)]
        enum Commands {
            $($($(#[$attribute])* $command($file::Args),)*)*
        }

        impl Commands {
            fn run(&self) -> CommandResult {
                match self {
                    $($(Self::$command(args) => $file::run(args),)*)*
                }
            }
        }

        /// The groups of `ttlab --help`, with the names of their commands.
        const GROUPS: &[(&str, &[&str])] = &[$(($group, &[$(stringify!($file)),*]),)*];
    };
}

commands! {
    "Experiments":
        New(new),
        Check(check),
        Plan(plan),
        Run(run),
        Tune(tune),
        Reproduce(reproduce),
        Audit(audit),
    "Results":
        Report(report),
        Compare(compare),
        Verify(verify),
        Thin(thin),
    "Many machines":
        Submit(submit),
        Merge(merge),
    "Traces":
        Trace(trace),
        Replay(replay),
    "Engines and positions":
        Doctor(doctor),
        Search(search),
        Uci(uci),
        Bench(bench),
        Perft(perft),
        Keys(keys),
        Suite(suite),
        Generate(generate),
    "Reference":
        Options(options),
        Columns(columns),
        Schema(schema),
        Man(man),
        Completions(completions),
    "Internal":
        #[command(name = crate::subject::guard::COMMAND, hide = true)]
        Guard(guard),
}

/// Reads the command line, runs the command, says what went wrong.
pub fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|info| eprintln!("error: internal: {info}")));
    signals::let_full_files_be_errors();
    let run = || std::panic::catch_unwind(command_line).unwrap_or(FAULT);
    // On a stack of its own: that of the first thread is as small as the user's limits have it.
    let mut exit = match std::thread::Builder::new().stack_size(STACK).spawn(run) {
        Ok(thread) => thread.join().unwrap_or(FAULT),
        Err(_) => run(),
    };
    if let Some(error) = crate::console::close().filter(|_| exit == Exit::Done as u8) {
        eprintln!("error: standard output: {error}");
        exit = Exit::Io as u8;
    }
    exit.into()
}

/// Bytes of the stack on which commands run.
const STACK: usize = 8 << 20;

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
    let parsed = command().try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches));
    let unparsed = match parsed {
        Ok(cli) => return execute(&cli.command),
        Err(error) => error,
    };
    // Help goes to standard output, and its reader may have seen enough.
    let lost = unparsed.print().is_err_and(|lost| lost.kind() != std::io::ErrorKind::BrokenPipe);
    if let Some(file) = std::env::args().nth(1).filter(|word| word.ends_with(".toml"))
        && unparsed.kind() == clap::error::ErrorKind::InvalidSubcommand
    {
        eprintln!("\nhelp: to run an experiment: ttlab run {file}");
    }
    match unparsed.exit_code() {
        0 if lost => Exit::Io as u8,
        0 => Exit::Done as u8,
        _ => Exit::Usage as u8,
    }
}

/// Does what is asked for; the exit code.
fn execute(command: &Commands) -> u8 {
    match command.run() {
        Ok(exit) => exit as u8,
        Err(failure) => {
            let message = failure.message.trim_end();
            eprintln!("{}{message}", if message.starts_with("error") { "" } else { "error: " });
            failure.exit as u8
        }
    }
}

/// The command line of the tool itself, with its commands in groups.
fn command() -> clap::Command {
    let command = Cli::command();
    let mut groups = String::new();
    for (group, names) in GROUPS {
        let commands: Vec<String> = names
            .iter()
            .filter_map(|name| command.find_subcommand(name))
            .map(|command| {
                format!(
                    "  {:<12} {}\n",
                    command.get_name(),
                    command.get_about().map(ToString::to_string).unwrap_or_default()
                )
            })
            .collect();
        if !commands.is_empty() {
            groups += &format!("{group}:\n{}\n", commands.concat());
        }
    }
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}\
         `ttlab help COMMAND` describes a command, with examples.\n\nOptions:\n{{options}}{{after-help}}"
    ))
}

/// Refuses to write over what is read: a file, or what a run left in a folder.
fn refuse_overwrite(read: &Path, out: &Path) -> Result<(), CommandFailure> {
    let whole = |path: &Path| std::fs::canonicalize(path).ok();
    let Some(out) = whole(out).filter(|out| out.is_file()) else { return Ok(()) };
    let kept = ["results.csv", "manifest.json", "experiment.toml"].map(|name| read.join(name));
    if std::iter::once(read).chain(kept.iter().map(PathBuf::as_path)).any(|read| whole(read).as_ref() == Some(&out)) {
        refuse!("{}: is read and cannot be written at the same time", out.display());
    }
    Ok(())
}

/// What the system said of a file that should be written.
fn write_error(file: &Path) -> impl Fn(std::io::Error) -> CommandFailure {
    move |error| CommandFailure::io(format!("{}: {error}", file.display()))
}

/// Writes a file whole or not at all.
fn write(file: &Path, text: &str) -> Result<(), CommandFailure> {
    crate::record::write_atomic(file, text.as_bytes()).map_err(write_error(file))
}

/// How an answer is written: as is asked for, else as the ending of its file names it, else as usual.
fn form<F: clap::ValueEnum>(asked: Option<F>, out: Option<&Path>, usual: F) -> F {
    let named = || match out?.extension()?.to_str()? {
        "htm" => F::from_str("html", false).ok(),
        "fen" => F::from_str("epd", false).ok(),
        ending => F::from_str(ending, false).ok(),
    };
    asked.or_else(named).unwrap_or(usual)
}

/// Gives an answer: into a file, or on standard output.
fn answer(out: Option<&Path>, text: &str) -> Result<(), CommandFailure> {
    match out {
        Some(file) => write(file, text)?,
        None => print!("{text}"),
    }
    Ok(())
}

/// What an experiment can show of engines that are not ours, where it has items enough; `folder`: where rows of an earlier run may lie.
fn reach(experiment: &Experiment, folder: Option<&Path>) -> Option<impl std::fmt::Display> {
    crate::analysis::caveats::before::reach(experiment, folder).filter(|reach| !reach.falls_short())
}

/// Says what is to be known before the work begins.
fn warn(warnings: impl IntoIterator<Item = impl std::fmt::Display>) {
    warnings.into_iter().for_each(|warning| eprintln!("warning: {warning}"));
}

/// What was probably meant by a name that is not there, to stand behind what is said of it.
fn hint<'a>(name: &str, valid: impl IntoIterator<Item = &'a str>) -> String {
    crate::experiment::problem::nearest(name, valid).map(|hint| format!(": {hint}")).unwrap_or_default()
}

/// Settings, and what `--skip-bad` is short for.
fn with_skip(sets: &[String], skip: bool) -> Vec<String> {
    sets.iter().cloned().chain(skip.then(|| crate::experiment::SKIP_BAD.to_owned())).collect()
}

/// Tells on stderr what was left out of a suite.
fn tell_left_out(experiment: &Experiment) {
    let notes: Vec<String> = experiment.suite.notes.iter().map(ToString::to_string).collect();
    if let Some(text) = crate::report::page::describe_skipped(&experiment.suite_name, &notes) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_lists_every_visible_command_in_one_group() {
        let command = command();
        for visible in command.get_subcommands().filter(|command| !command.is_hide_set()) {
            let name = visible.get_name();
            let groups = GROUPS.iter().filter(|(_, names)| names.contains(&name)).count();
            assert_eq!(groups, 1, "{name}");
        }
    }

    #[test]
    fn every_line_of_the_command_list_fits_into_80_columns() {
        for line in command().render_help().to_string().lines().take_while(|line| *line != "Options:") {
            assert!(line.chars().count() <= 80 || line.starts_with("A laboratory"), "{line}");
        }
    }
}
