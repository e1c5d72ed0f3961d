use super::{Exit, Failure, Outcome};
use std::path::PathBuf;

/// Write the report of a results folder again
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ttlab report reports/quick          report.md again, and the summary")]
pub struct Args {
    /// A folder that `ttlab run` wrote
    folder: PathBuf,
}

pub fn run(args: &Args) -> Outcome {
    let report = crate::report::write(&args.folder).map_err(Failure::usage)?;
    println!("{}", report.text);
    Ok(Exit::Done)
}
