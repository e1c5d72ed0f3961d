use super::{CommandFailure, CommandResult, Exit};
use crate::analysis::caveats::before;
use crate::experiment::{Experiment, Plan};
use crate::runner::{self, Settings};
use crate::text::plural;
use std::path::{Path, PathBuf};

/// Check experiment files without running anything
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ttlab check experiments/quick.toml
  ttlab check experiments/*.toml experiments/published/*.toml")]
pub struct Args {
    /// The experiment files
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Leave out what cannot be read of the suite or stands in it twice, and tell of it (as `on_error = "skip"` does)
    #[arg(long)]
    skip_bad: bool,
    /// Refuse experiments that cannot show what they vary
    #[arg(long)]
    strict: bool,
}

pub fn run(args: &Args) -> CommandResult {
    let (mut wrong, mut blind) = (0, 0);
    for file in &args.files {
        if let Err(failure) = check(file, args.skip_bad, &mut blind) {
            wrong += 1;
            eprintln!("{}", failure.message.trim_end());
        }
    }
    if wrong > 0 {
        refuse!("{wrong} of {} wrong", plural(args.files.len(), "file"));
    }
    if args.strict && blind > 0 {
        refuse!("--strict: {}", plural(blind, "warning"));
    }
    Ok(Exit::Done)
}

/// Checks one file, and counts of what it is blind to.
fn check(file: &Path, skip_bad: bool, blind: &mut usize) -> Result<(), CommandFailure> {
    let experiment = Experiment::load(file, &super::with_skip(&[], skip_bad)).map_err(CommandFailure::usage)?;
    let (plan, shown) = (Plan::new(&experiment), file.display());
    super::tell_left_out(&experiment);
    println!("{shown}: {}, {}", plural(plan.variants.len(), "variant"), plural(plan.len(), "job"));
    let jobs = if experiment.file.repeats > 1 { 1 } else { 2 };
    let folder = super::run::default_folder(&experiment);
    let warnings = before::warnings(&experiment, &plan, jobs, Some(&folder));
    warnings.iter().for_each(|warning| eprintln!("{shown}: warning: {warning}"));
    *blind += warnings.len();
    super::reach(&experiment, Some(&folder)).iter().for_each(|reach| eprintln!("{shown}: {reach}"));
    let memory = runner::memory_warnings(&plan, runner::jobs_that_fit(&plan, Settings::default_jobs(&experiment)));
    memory.iter().for_each(|warning| eprintln!("{shown}: warning: {warning}"));
    // What is laid over the variants when they are tuned must be right too.
    if experiment.file.tune.is_some() {
        super::tune::at_pressures(file, &[], experiment)?;
    }
    Ok(())
}
