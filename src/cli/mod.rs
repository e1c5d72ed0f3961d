//! The commands of `ttlab`. Each command has a module with its arguments and a function `run` that
//! returns the exit code.

/// Prints like the standard library's `print!`, but a write error does not end the program. See
/// [`crate::console`].
macro_rules! print {
    ($($text:tt)*) => { $crate::console::out(format_args!($($text)*)) };
}

/// Prints like the standard library's `println!`, but a write error does not end the program. See
/// [`crate::console`].
macro_rules! println {
    () => { $crate::console::out(format_args!("\n")) };
    ($($text:tt)*) => { $crate::console::out(format_args!("{}\n", format_args!($($text)*))) };
}

/// Prints like the standard library's `eprintln!`, but a write error does not end the program. See
/// [`crate::console`].
macro_rules! eprintln {
    ($($text:tt)*) => { $crate::console::err(format_args!("{}\n", format_args!($($text)*))) };
}

/// Ends the calling function with a usage error (exit code 2).
macro_rules! refuse {
    ($($text:tt)*) => { return Err($crate::cli::CommandFailure::usage(format_args!($($text)*))) };
}

mod args;
mod bench;
mod check;
mod columns;
mod compare;
mod completions;
mod confirm;
mod doctor;
mod folder;
mod generate;
mod guard;
mod judge;
mod keys;
mod merge;
mod new;
mod options;
mod perft;
mod plan;
mod progress;
mod replay;
mod report;
mod reproduce;
mod run;
mod search;
mod signals;
mod speed;
mod submit;
mod suite;
mod terminal;
mod trace;
mod tune;
mod uci;
mod vary;
mod verify;

use crate::analysis::questions::paired_rows::CompareError;
use crate::analysis::rows::frame::FrameError;
use crate::experiment::Experiment;
use crate::memory_watch::OUT_OF_MEMORY;
use crate::record::manifest::MANIFEST;
use crate::record::{EXPERIMENT, PACKED, RESULTS, games, reference};
use clap::{CommandFactory, FromArgMatches, Parser};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The exit codes (see `docs/guarantees.md`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The command has done its work.
    Done = 0,
    /// A gate or an expectation failed.
    Gate = 1,
    /// The usage was wrong, or a file was bad.
    Usage = 2,
    /// A job failed, or rows are missing.
    Failed = 3,
    /// Counts that should be equal are not.
    Unequal = 4,
    /// Input or output failed.
    Io = 5,
    /// The command was interrupted and can be resumed.
    Interrupted = 75,
}

fn out_of_memory() -> CommandFailure {
    let help = "give a smaller limit, or options whose memory does not grow";
    CommandFailure::new(Exit::Failed, format!("{OUT_OF_MEMORY}\nhelp: {help}"))
}

/// An error that ends a command, with its message and exit code.
#[derive(Debug)]
pub(crate) struct CommandFailure {
    exit: Exit,
    message: String,
}

impl CommandFailure {
    /// Creates a failure because of wrong usage or a bad file.
    pub fn usage(message: impl std::fmt::Display) -> Self {
        Self::new(Exit::Usage, message)
    }

    pub fn io(message: impl std::fmt::Display) -> Self {
        Self::new(Exit::Io, message)
    }

    /// Creates a failure. If `message` is an error with causes, the text includes all of them,
    /// because the first text may name only the file and the last one the reason.
    fn new(exit: Exit, message: impl std::fmt::Display) -> Self {
        Self { exit, message: format!("{message:#}") }
    }
}

/// Results without rows are no wrong usage: their rows are missing.
fn unreadable_results(error: anyhow::Error) -> CommandFailure {
    let has_no_rows = matches!(error.downcast_ref(), Some(FrameError::NoRows(_)))
        || matches!(error.downcast_ref(), Some(CompareError::Frame(FrameError::NoRows(_))));
    CommandFailure::new(if has_no_rows { Exit::Failed } else { Exit::Usage }, error)
}

type CommandResult = Result<Exit, CommandFailure>;

/// A laboratory for chess transposition tables: exact node counts, hit rates and timings from ten
/// lines of TOML.
#[derive(Parser)]
#[command(name = "ttlab", version, propagate_version = true, max_term_width = 100)]
#[command(after_help = include_str!("help/ttlab.txt"))]
struct Cli {
    #[command(subcommand)]
    command: Commands,
}

/// Defines the subcommands and the groups to which they belong. Each subcommand has a module with
/// its `Args` and its `run`.
macro_rules! commands {
    ($($group:literal: $($command:ident($file:ident),)*)*) => {
        #[derive(clap::Subcommand)]
        enum Commands {
            $($($command($file::Args),)*)*
        }

        impl Commands {
            fn run(&self) -> CommandResult {
                match self {
                    $($(Self::$command(args) => $file::run(args),)*)*
                }
            }
        }

        /// The groups in the output of `ttlab --help`, with the names of their commands.
        const GROUPS: &[(&str, &[&str])] = &[$(($group, &[$(stringify!($command)),*]),)*];
    };
}

commands! {
    "Experiments":
        New(new),
        Check(check),
        Plan(plan),
        Run(run),
        Try(vary),
        Tune(tune),
        Reproduce(reproduce),
    "Results":
        Report(report),
        Compare(compare),
        Verify(verify),
    "Many machines":
        Submit(submit),
        Merge(merge),
    "Traces":
        Trace(trace),
        Replay(replay),
    "Engines and positions":
        Doctor(doctor),
        Speed(speed),
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
        Completions(completions),
}

/// Reads the command line, runs the command and reports errors.
pub fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|info| eprintln!("error: internal: {info}")));
    signals::report_file_size_limit_as_error();
    let run = || std::panic::catch_unwind(run_command_line).unwrap_or(PANIC_EXIT_CODE);
    // The command runs in another thread, because the user's limits may make the stack of the main
    // thread too small.
    let mut exit_code = match std::thread::Builder::new().stack_size(STACK_SIZE).spawn(run) {
        Ok(thread) => thread.join().unwrap_or(PANIC_EXIT_CODE),
        Err(_) => run(),
    };
    let output_error = crate::console::close();
    if exit_code == Exit::Done as u8
        && let Some(error) = output_error
    {
        eprintln!("error: standard output: {error}");
        exit_code = Exit::Io as u8;
    }
    exit_code.into()
}

/// The stack size in bytes of the thread in which a command runs.
const STACK_SIZE: usize = 8 << 20;

/// The exit code after a panic. Rust programs return it by default.
const PANIC_EXIT_CODE: u8 = 101;

/// Reads the command line and runs the command. Returns the exit code.
fn run_command_line() -> u8 {
    if let Some(exit_code) = guard::run_if_called() {
        return exit_code;
    }
    if let Some(word) = std::env::args_os().find(|word| word.to_str().is_none()) {
        // Manifests, plans and the command to resume a run are UTF-8 texts, so they cannot contain
        // the name.
        eprintln!("error: {}: ttlab can only use names in valid UTF-8: rename it", word.display());
        return Exit::Usage as u8;
    }
    let matches = ttlab_command().try_get_matches();
    // clap also returns a request for help as an error.
    let clap_error = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => return execute(&cli.command),
        Err(error) => error,
    };
    // Help is printed on standard output. If standard output is a pipe that was closed, this is not
    // an error.
    let print_failed = clap_error.print().is_err_and(|error| error.kind() != std::io::ErrorKind::BrokenPipe);
    if let Some(file) = std::env::args().nth(1).filter(|word| word.ends_with(".toml"))
        && clap_error.kind() == clap::error::ErrorKind::InvalidSubcommand
    {
        eprintln!("\nhelp: to run an experiment: ttlab run {file}");
    }
    match clap_error.exit_code() {
        0 if print_failed => Exit::Io as u8,
        0 => Exit::Done as u8,
        _ => Exit::Usage as u8,
    }
}

/// Runs a command and reports its error. Returns the exit code.
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

/// Its help lists the subcommands in groups.
fn ttlab_command() -> clap::Command {
    let command = Cli::command();
    let mut groups = String::new();
    for (group, names) in GROUPS {
        let mut lines = String::new();
        for subcommand in names.iter().filter_map(|name| command.find_subcommand(name.to_lowercase())) {
            let about = subcommand.get_about().map(ToString::to_string).unwrap_or_default();
            lines += &format!("  {:<12} {about}\n", subcommand.get_name());
        }
        groups += &format!("{group}:\n{lines}\n");
    }
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}\
         `ttlab help COMMAND` describes a command, with examples.\n\nOptions:\n{{options}}{{after-help}}"
    ))
}

/// The input is the file `input` or, if `input` is a folder, the files in it that a run wrote.
fn refuse_overwrite(input: &Path, out: &Path) -> Result<(), CommandFailure> {
    let canonicalize = |path: &Path| std::fs::canonicalize(path).ok();
    let Some(out) = canonicalize(out).filter(|out| out.is_file()) else { return Ok(()) };
    let names = [RESULTS, PACKED, MANIFEST, EXPERIMENT, reference::NAME, reference::COMPRESSED_NAME, games::NAME];
    let folder_files = names.map(|name| input.join(name));
    let mut inputs = std::iter::once(input).chain(folder_files.iter().map(PathBuf::as_path));
    if inputs.any(|input| canonicalize(input).as_ref() == Some(&out)) {
        refuse!("{}: cannot be written because it is also an input: choose another file", out.display());
    }
    Ok(())
}

fn io_failure(file: &Path) -> impl Fn(std::io::Error) -> CommandFailure {
    move |error| CommandFailure::io(format!("{}: {error}", file.display()))
}

/// Writes a file atomically. If the path is that of a pipe or a device, the text is written to it
/// directly.
fn write(file: &Path, text: &str) -> Result<(), CommandFailure> {
    let result = match crate::record::write_atomic(file, text.as_bytes()) {
        // `write_atomic` refuses a path that is not that of a regular file.
        Err(error) if error.kind() == std::io::ErrorKind::InvalidInput => std::fs::write(file, text),
        result => result,
    };
    result.map_err(io_failure(file))
}

/// If no format is requested, returns the format that belongs to the extension of the output file,
/// or without an extension the default format.
///
/// # Errors
/// If no format belongs to the extension.
fn output_format<F: clap::ValueEnum>(
    requested: Option<F>,
    out: Option<&Path>,
    default: F,
) -> Result<F, CommandFailure> {
    let ending = out.filter(|_| requested.is_none()).and_then(|out| Some((out.display(), out.extension()?.to_str()?)));
    let Some((out, ending)) = ending else { return Ok(requested.unwrap_or(default)) };
    let name = match ending {
        "htm" => "html",
        "fen" => "epd",
        "txt" => "text",
        ending => ending,
    };
    F::from_str(name, false).map_err(|_| {
        let names = F::value_variants().iter().filter_map(clap::ValueEnum::to_possible_value);
        let names: Vec<String> = names.map(|value| value.get_name().to_owned()).collect();
        CommandFailure::usage(format!(
            "{out}: no form ends in .{ending}: choose one by --format ({})",
            names.join(", ")
        ))
    })
}

fn write_output(out: Option<&Path>, text: &str) -> Result<(), CommandFailure> {
    match out {
        Some(file) => write(file, text)?,
        None => print!("{text}"),
    }
    Ok(())
}

/// Prints each warning as a line on standard error.
fn warn(warnings: impl IntoIterator<Item = impl std::fmt::Display>) {
    warnings.into_iter().for_each(|warning| eprintln!("warning: {warning}"));
}

/// A text that suggests a similar valid name, to append to a message about an unknown name. The
/// text is empty if no valid name is similar.
fn hint<'a>(name: &str, valid: impl IntoIterator<Item = &'a str>) -> String {
    crate::experiment::problem::nearest(name, valid).map(|hint| format!(": {hint}")).unwrap_or_default()
}

fn warn_about_skipped_items(experiment: &Experiment) {
    let notes: Vec<String> = experiment.suite.notes.iter().map(ToString::to_string).collect();
    if let Some(text) = crate::report::page::describe_left_out(&experiment.suite_name, &notes) {
        eprintln!("warning: {text}");
    }
}

fn parse_position(text: &str) -> Result<crate::chess::Board, CommandFailure> {
    if text == "startpos" {
        return Ok(crate::chess::Board::startpos());
    }
    crate::chess::Board::from_fen(text).map_err(|error| {
        CommandFailure::usage(format!("{error}\n  in {text}\nhelp: give a FEN in quotes, or startpos"))
    })
}

#[cfg(test)]
mod tests;
