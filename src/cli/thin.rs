use super::{CommandFailure, CommandResult};
use crate::report;
use std::path::PathBuf;

/// Make thin results: a page and the rows that it needs
#[derive(clap::Args)]
#[command(after_help = include_str!("help/thin.txt"))]
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
    let canonicalize = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
    if canonicalize(&args.folder) == canonicalize(&args.out) {
        refuse!("{}: is also the input: choose another folder with --out", args.out.display());
    }
    report::thin::write(&args.folder, &args.out).map_err(CommandFailure::usage)?;
    if !args.quiet {
        println!("thin results: {}", args.out.display());
    }
    let sources = report::source::load(std::slice::from_ref(&args.out)).map_err(CommandFailure::usage)?;
    Ok(super::report::warn_about_missing_rows(&sources))
}
