use super::{CommandFailure, CommandResult, Exit};
use crate::report;
use std::path::PathBuf;

/// Make thin results: a page and the rows that it needs
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ttlab thin reports/quick -o kept/quick
  ttlab report kept/quick                     the same page as from the full rows
  ttlab verify kept/quick
  ttlab compare kept/quick reports/again      by the columns that thin rows keep

From complete results, writes rows.csv.xz (docs/formats.md: nodes, scores and moves by row, other counters once a search or
variant), the manifest with a hash of each column of the full rows, experiment.toml, the judgements of a [reference], and report.md with
three figures. Thin rows suffice for the page, its claims, `compare` and gates on the columns that they keep; `ttlab run` makes
the full rows. Given thin results, writes their page again.
Exit: 0 done, 2 usage, or results that are incomplete or edited, 3 rows are missing or jobs failed, 5 input/output.")]
pub struct Args {
    /// A folder that `ttlab run` or `ttlab merge` wrote
    folder: PathBuf,
    /// Folder of the thin results
    #[arg(short, long)]
    out: PathBuf,
    /// Print nothing but errors
    #[arg(short, long)]
    quiet: bool,
}

pub fn run(args: &Args) -> CommandResult {
    let path = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
    if path(&args.folder) == path(&args.out) {
        refuse!("{}: is also the input: choose another folder with --out", args.out.display());
    }
    report::thin::write(&args.folder, &args.out).map_err(CommandFailure::usage)?;
    if !args.quiet {
        println!("thin results: {}", args.out.display());
    }
    let sources = report::source::load(std::slice::from_ref(&args.out)).map_err(CommandFailure::usage)?;
    Ok(if super::report::warn_about_incomplete(&sources) == Exit::Done { Exit::Done } else { Exit::Failed })
}
