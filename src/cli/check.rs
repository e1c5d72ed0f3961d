use super::args::FileArgs;
use super::{CommandFailure, CommandResult, Exit};
use crate::analysis::caveats::preflight;
use crate::experiment::{Experiment, Plan};
use crate::runner::{self, Settings};
use crate::subject::find_program;
use crate::subject::options::CommandLine;
use crate::table::Size;
use crate::text::plural;
use std::path::{Path, PathBuf};

/// Check experiment files without running anything
#[derive(clap::Args)]
#[command(after_help = include_str!("help/check.txt"))]
pub struct Args {
    /// The experiment files to check
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    changes: FileArgs,
    /// Fail if an experiment cannot show an effect of what it varies
    #[arg(long)]
    strict: bool,
}

pub fn run(args: &Args) -> CommandResult {
    let (mut invalid_file_count, mut warning_count) = (0, 0);
    let overrides = args.changes.settings()?;
    for file in &args.files {
        match check(file, &overrides) {
            Ok(count) => warning_count += count,
            Err(failure) => {
                invalid_file_count += 1;
                eprintln!("{}", failure.message.trim_end());
            }
        }
    }
    if invalid_file_count > 0 {
        refuse!("{} checked, {invalid_file_count} with errors", plural(args.files.len(), "file"));
    }
    if args.strict && warning_count > 0 {
        refuse!("--strict: {}", plural(warning_count, "warning"));
    }
    Ok(Exit::Done)
}

fn list_notes(experiment: &Experiment) -> Vec<String> {
    let file = &experiment.file;
    let has_grid = !file.grid.is_empty() || !file.zip.is_empty();
    let variants_note = (has_grid && !file.variant.is_empty()).then(|| {
        "each [[variant]] adds one variant to those of the grid: to combine it with each of them, make it a point of \
         a [[zip]]"
            .to_owned()
    });
    let small_sizes = experiment.variants.iter().filter_map(|variant| match variant.table()?.size {
        Size::Entries(entries) if entries < 1024 => Some(entries),
        _ => None,
    });
    let size_note = small_sizes
        .min()
        .map(|entries| format!("table.size = {entries} means {entries} entries: did you mean \"{entries} MiB\"?"));
    variants_note.into_iter().chain(size_note).collect()
}

/// A message for each engine program that the experiment file names. The message contains the path
/// of the program, or says that the program was not found.
fn describe_programs(experiment: &Experiment) -> Vec<String> {
    let engines = experiment.variants.iter().filter_map(|variant| Some(&variant.external()?.uci));
    let reference = experiment.file.reference.iter().filter_map(|reference| reference.uci.as_ref());
    let mut commands: Vec<&CommandLine> = Vec::new();
    for command in engines.chain(reference) {
        if !commands.contains(&command) {
            commands.push(command);
        }
    }
    let describe_program = |command: &CommandLine| match find_program(command, &experiment.folder) {
        Ok(program) => {
            format!(
                "note: the engine {command} was found at {}; `ttlab plan` starts it and tests its options",
                program.path.display()
            )
        }
        Err(problem) => format!("warning: {problem}: `ttlab run` needs this engine"),
    };
    commands.into_iter().map(describe_program).collect()
}

/// Checks one file. Returns the number of its warnings.
fn check(file: &Path, overrides: &[String]) -> Result<usize, CommandFailure> {
    let experiment = Experiment::load(file, overrides).map_err(CommandFailure::usage)?;
    let (plan, file_name) = (Plan::new(&experiment), file.display());
    super::warn_about_skipped_items(&experiment);
    println!("{file_name}: {}, {}", plural(plan.variants.len(), "variant"), plural(plan.len(), "job"));
    let warning_count = print_warnings(&experiment, &plan, &format!("{file_name}: "));
    describe_programs(&experiment).iter().for_each(|line| eprintln!("{file_name}: {line}"));
    Ok(warning_count)
}

/// Prints what speaks against a plan on standard error, each line after `prefix`. Returns the
/// number of warnings.
pub(super) fn print_warnings(experiment: &Experiment, plan: &Plan, prefix: &str) -> usize {
    let caveats = preflight::plan_warnings(experiment, plan);
    let jobs_that_fit = runner::jobs_that_fit(plan, Settings::default_jobs(experiment));
    let memory_warnings = runner::memory_warnings(plan, jobs_that_fit);
    caveats.lines().chain(memory_warnings).for_each(|warning| eprintln!("{prefix}warning: {warning}"));
    list_notes(experiment).iter().for_each(|note| eprintln!("{prefix}note: {note}"));
    caveats.all_warnings().count()
}
