//! The commands of `ttlab`. Each has a file with its arguments and its function `run`, which
//! returns the exit code.

/// Like the standard library's macro, but write errors do not end the program (see
/// [`crate::console`]).
macro_rules! print {
    ($($text:tt)*) => { $crate::console::out(format_args!($($text)*)) };
}

/// Like the standard library's macro, but write errors do not end the program (see
/// [`crate::console`]).
macro_rules! println {
    () => { $crate::console::out(format_args!("\n")) };
    ($($text:tt)*) => { $crate::console::out(format_args!("{}\n", format_args!($($text)*))) };
}

/// Like the standard library's macro, but write errors do not end the program (see
/// [`crate::console`]).
macro_rules! eprintln {
    ($($text:tt)*) => { $crate::console::err(format_args!("{}\n", format_args!($($text)*))) };
}

/// Returns a usage error (exit code 2) from a command.
macro_rules! refuse {
    ($($text:tt)*) => { return Err($crate::cli::CommandFailure::usage(format_args!($($text)*))) };
}

mod args;
mod audit;
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
mod man;
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
mod schema;
mod screen;
mod search;
mod signals;
mod submit;
mod suite;
mod thin;
mod trace;
mod tune;
mod uci;
mod verify;

use crate::experiment::Experiment;
use crate::system::watch::OUT_OF_MEMORY;
use clap::{CommandFactory, FromArgMatches, Parser};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The exit codes (see `docs/guarantees.md`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The command did what it was asked to do.
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

/// The failure of a search whose table grew until too little memory was left.
fn out_of_memory() -> CommandFailure {
    let help = "give a smaller limit, or options whose memory does not grow";
    CommandFailure::new(Exit::Failed, format!("{OUT_OF_MEMORY}\nhelp: {help}"))
}

/// An error that ends a command: its message and exit code.
#[derive(Debug)]
pub(crate) struct CommandFailure {
    exit: Exit,
    message: String,
}

impl CommandFailure {
    /// A failure because of wrong usage or a bad file.
    pub fn usage(message: impl std::fmt::Display) -> Self {
        Self::new(Exit::Usage, message)
    }

    /// A failure of input or output.
    pub fn io(message: impl std::fmt::Display) -> Self {
        Self::new(Exit::Io, message)
    }

    /// The message includes all causes of the error: the first names the file, the last the reason.
    fn new(exit: Exit, message: impl std::fmt::Display) -> Self {
        Self { exit, message: format!("{message:#}") }
    }
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

/// The subcommands by group. Each has a module with its `Args` and its `run`.
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

/// Reads the command line, runs the command and reports errors.
pub fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|info| eprintln!("error: internal: {info}")));
    signals::report_full_files_as_errors();
    let run = || std::panic::catch_unwind(run_command_line).unwrap_or(PANIC_EXIT_CODE);
    // Commands run in a thread of their own, because the main thread's stack can be small,
    // depending on the user's limits.
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

/// The size of the commands' stack in bytes.
const STACK_SIZE: usize = 8 << 20;

/// The exit code after a panic: the one that Rust programs return by default.
const PANIC_EXIT_CODE: u8 = 101;

/// Reads the command line and runs the command. Returns the exit code.
fn run_command_line() -> u8 {
    if let Some(word) = std::env::args_os().find(|word| word.to_str().is_none()) {
        // Manifests, plans and the command to resume are text, which cannot contain such a name.
        eprintln!("error: {}: this name is not valid UTF-8, which the files of ttlab need: rename it", word.display());
        return Exit::Usage as u8;
    }
    let matches = join_help_lines(ttlab_command()).try_get_matches();
    // clap also returns a request for help as an error.
    let clap_error = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => return execute(&cli.command),
        Err(error) => error,
    };
    // Help goes to standard output; a closed pipe is no error.
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

/// The clap command of `ttlab`, whose help lists the subcommands in groups.
fn ttlab_command() -> clap::Command {
    let command = Cli::command();
    let mut groups = String::new();
    for (group, names) in GROUPS {
        let mut lines = String::new();
        for subcommand in names.iter().filter_map(|name| command.find_subcommand(name)) {
            let about = subcommand.get_about().map(ToString::to_string).unwrap_or_default();
            lines += &format!("  {:<12} {about}\n", subcommand.get_name());
        }
        if !lines.is_empty() {
            groups += &format!("{group}:\n{lines}\n");
        }
    }
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{groups}\
         `ttlab help COMMAND` describes a command, with examples.\n\nOptions:\n{{options}}{{after-help}}"
    ))
}

/// Joins the lines of each paragraph in the help after a command's options, so that only the
/// terminal's width wraps them.
fn join_help_lines(command: clap::Command) -> clap::Command {
    let joined_help = command.get_after_help().map(|help| join_lines(&help.to_string()));
    let command = match joined_help {
        Some(help) => command.after_help(help),
        None => command,
    };
    command.mut_subcommands(join_help_lines)
}

/// Joins the lines of each paragraph of prose. Lines of examples and tables, which are indented,
/// and of exit codes stay separate.
fn join_lines(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    let is_separate = |line: &str| line.is_empty() || line.starts_with(' ');
    for line in text.lines() {
        match lines.last_mut().filter(|last| !is_separate(last) && !last.ends_with(':')) {
            Some(last) if !is_separate(line) && !line.starts_with("Exit:") => {
                *last += " ";
                *last += line;
            }
            _ => lines.push(line.to_owned()),
        }
    }
    lines.join("\n")
}

/// Refuses to write to `out` if it is an input: the file `input`, or a file that a run wrote to the
/// folder `input`.
fn refuse_overwrite(input: &Path, out: &Path) -> Result<(), CommandFailure> {
    let canonicalize = |path: &Path| std::fs::canonicalize(path).ok();
    let Some(out) = canonicalize(out).filter(|out| out.is_file()) else { return Ok(()) };
    let folder_files =
        [crate::record::RESULTS, crate::record::manifest::MANIFEST, "experiment.toml"].map(|name| input.join(name));
    let mut inputs = std::iter::once(input).chain(folder_files.iter().map(PathBuf::as_path));
    if inputs.any(|input| canonicalize(input).as_ref() == Some(&out)) {
        refuse!("{}: cannot be written because it is also an input: choose another file", out.display());
    }
    Ok(())
}

/// The error for a file that cannot be written.
fn write_error(file: &Path) -> impl Fn(std::io::Error) -> CommandFailure {
    move |error| CommandFailure::io(format!("{}: {error}", file.display()))
}

/// Writes a file atomically; a pipe or device is written directly.
fn write(file: &Path, text: &str) -> Result<(), CommandFailure> {
    let result = match crate::record::write_atomic(file, text.as_bytes()) {
        // It is not a regular file.
        Err(error) if error.kind() == std::io::ErrorKind::InvalidInput => std::fs::write(file, text),
        result => result,
    };
    result.map_err(write_error(file))
}

/// The output format: the requested one or, without a request, the one that belongs to the file's
/// extension; otherwise the default.
fn output_format<F: clap::ValueEnum>(requested: Option<F>, out: Option<&Path>, default: F) -> F {
    let extension_format = || match out?.extension()?.to_str()? {
        "htm" => F::from_str("html", false).ok(),
        "fen" => F::from_str("epd", false).ok(),
        extension => F::from_str(extension, false).ok(),
    };
    requested.or_else(extension_format).unwrap_or(default)
}

/// Writes a command's result to a file or to standard output.
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

/// A suggestion for an unknown name, to append to a message.
fn hint<'a>(name: &str, valid: impl IntoIterator<Item = &'a str>) -> String {
    crate::experiment::problem::nearest(name, valid).map(|hint| format!(": {hint}")).unwrap_or_default()
}

/// The values of `--set`, with the setting that `--skip-bad` stands for if that flag was given.
///
/// # Errors
/// If a path is set twice.
fn with_skip_bad(sets: &[String], skip_bad: bool) -> Result<Vec<String>, CommandFailure> {
    let parse_path = |set: &String| set.split('=').next().unwrap_or_default().trim().to_owned();
    let repeats_earlier =
        |index: &usize| sets[..*index].iter().any(|earlier| parse_path(earlier) == parse_path(&sets[*index]));
    if let Some(index) = (1..sets.len()).find(repeats_earlier) {
        refuse!("--set {}: `{}` is set twice", sets[index], parse_path(&sets[index]));
    }
    Ok(sets.iter().cloned().chain(skip_bad.then(|| crate::experiment::SKIP_BAD.to_owned())).collect())
}

fn warn_about_skipped(experiment: &Experiment) {
    let notes: Vec<String> = experiment.suite.notes.iter().map(ToString::to_string).collect();
    if let Some(text) = crate::report::page::describe_skipped(&experiment.suite_name, &notes) {
        eprintln!("warning: {text}");
    }
}

/// Parses a FEN or `startpos`.
fn parse_position(text: &str) -> Result<crate::chess::Board, CommandFailure> {
    if text == "startpos" {
        return Ok(crate::chess::Board::startpos());
    }
    crate::chess::Board::from_fen(text).map_err(|error| {
        CommandFailure::usage(format!("{error}\n  in {text}\nhelp: give a FEN in quotes, or startpos"))
    })
}

/// The engine options from a preset and `--set` values.
fn engine_options(preset: Option<&str>, sets: &[String]) -> Result<crate::engine::EngineOptions, CommandFailure> {
    crate::experiment::options(preset, sets).map_err(CommandFailure::usage)
}

#[cfg(test)]
mod tests;
