use super::{CommandFailure, CommandResult, Exit};
use crate::analysis::caveats::before;
use crate::experiment::{Experiment, Plan};
use crate::runner::{self, Settings};
use crate::words::many;
use std::path::PathBuf;

/// Check experiment files: every option of every variant, the suite, the expectations
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
        match Experiment::load(file, &super::with_skip(&[], args.skip_bad)) {
            Ok(experiment) => {
                let plan = Plan::new(&experiment);
                super::tell_left_out(&experiment);
                println!("{}: {}, {}", file.display(), many(plan.variants.len(), "variant"), many(plan.len(), "job"));
                let jobs = if experiment.file.repeats > 1 { 1 } else { 2 };
                let folder = super::run::default_folder(&experiment);
                for warning in before::warnings(&experiment, &plan, jobs, Some(&folder)) {
                    eprintln!("{}: warning: {warning}", file.display());
                    blind += 1;
                }
                let enough = before::reach(&experiment, Some(&folder)).filter(|reach| !reach.falls_short());
                if let Some(reach) = enough {
                    eprintln!("{}: {reach}", file.display());
                }
                for warning in runner::memory_warnings(&plan, Settings::usual_jobs(&experiment)) {
                    eprintln!("{}: warning: {warning}", file.display());
                }
                // What is laid over the variants when they are tuned must be right too.
                if experiment.file.tune.is_some()
                    && let Err(failure) = super::tune::at_pressures(file, &[], experiment)
                {
                    wrong += 1;
                    eprintln!("{}", failure.message.trim_end());
                }
            }
            Err(problem) => {
                wrong += 1;
                eprintln!("{}", problem.to_string().trim_end());
            }
        }
    }
    if wrong > 0 {
        return Err(CommandFailure::usage(format!("{wrong} of {} wrong", many(args.files.len(), "file"))));
    }
    if args.strict && blind > 0 {
        return Err(CommandFailure::usage(format!("--strict: {}", many(blind, "warning"))));
    }
    Ok(Exit::Done)
}
