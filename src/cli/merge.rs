use super::folder::{default_folder, output_failure, shard_folder};
use super::{CommandFailure, CommandResult, Exit};
use crate::experiment::{Experiment, Plan, PlanFile};
use crate::record::manifest::Manifest;
use crate::runner::{MergeError, Output, ShardJobs, Shards, reference};
use crate::text::plural;
use std::path::{Path, PathBuf};

/// Merge the shards of a plan into the results of one run
#[derive(clap::Args)]
#[command(after_help = include_str!("help/merge.txt"))]
pub struct Args {
    /// The plan file that `ttlab plan --shards` wrote
    plan: PathBuf,
    /// Folder of a shard (may be repeated) [default: shards/0 and so on in the results' folder]
    #[arg(long, value_name = "FOLDER")]
    from: Vec<PathBuf>,
    /// Folder of the results [default: reports/<name>]
    #[arg(short, long)]
    out: Option<PathBuf>,
    /// Exit with 1 if an [[expect]] is not met
    #[arg(long)]
    check: bool,
    /// Merge shards of different builds of ttlab
    #[arg(long)]
    any_build: bool,
    /// Do not print the summary
    #[arg(short, long)]
    quiet: bool,
}

pub fn run(args: &Args) -> CommandResult {
    let (file, experiment, plan) = PlanFile::load(&args.plan).map_err(CommandFailure::usage)?;
    let results = args.out.clone().unwrap_or_else(|| default_folder(&experiment));
    let shards = find_shards(&file, &experiment, &plan, &results, &args.from)?;
    let output = Output::open(&results).map_err(output_failure)?;
    let print_missing_shards = |error: &MergeError| {
        if let MergeError::Missing(incomplete, shard_count) = error {
            print_incomplete(incomplete, *shard_count);
        }
    };
    let (manifest, failed_jobs) =
        shards.merge(&output, args.any_build).inspect_err(print_missing_shards).map_err(merge_failure)?;
    let page = crate::report::Page::read(&results).map_err(CommandFailure::io)?;
    super::terminal::report(&page, &results, args.quiet)?;
    if !args.quiet {
        println!(
            "merged {}; report: {}",
            plural(manifest.run.shards.len(), "shard"),
            results.join("report.md").display()
        );
    }
    let missing_count = reference::count_missing_searches(&experiment, &results).map_err(CommandFailure::io)?;
    if missing_count > 0 {
        let (searches, verb) = (plural(missing_count, "search"), if missing_count == 1 { "is" } else { "are" });
        eprintln!(
            "{searches} by the reference engine {verb} missing: run the shards that `ttlab plan --missing` lists \
             again and merge them, or make the searches here with `ttlab run FILE --out {}`",
            results.display()
        );
        return Ok(Exit::Failed);
    }
    if failed_jobs > 0 {
        let jobs = plural(failed_jobs, "job");
        eprintln!("{jobs} failed: see the error column; run the shards again with --retry-failed");
        return Ok(Exit::Failed);
    }
    let failed_checks = page.count_failed();
    Ok(if args.check && failed_checks > 0 { Exit::Gate } else { Exit::Done })
}

/// If `given_folders` is empty, each shard has the folder to which `ttlab run --plan` writes its
/// rows by default.
pub(super) fn find_shards<'a>(
    file: &PlanFile,
    experiment: &'a Experiment,
    plan: &'a Plan,
    results: &Path,
    given_folders: &[PathBuf],
) -> Result<Shards<'a>, CommandFailure> {
    let mut folders = Vec::new();
    if given_folders.is_empty() {
        folders.extend((0..file.shards).map(|index| (index, shard_folder(results, index))));
    }
    for folder in given_folders {
        let Some(manifest) = Manifest::read(folder).map_err(CommandFailure::usage)? else {
            refuse!("{}: no manifest.json found: give a results folder of ttlab", folder.display());
        };
        let Some(shard) = manifest.run.shard else { refuse!("{}: not a shard's folder", folder.display()) };
        folders.push((shard.index, folder.clone()));
    }
    Ok(Shards { experiment, plan, shard_count: file.shards, folders })
}

/// Prints a line about each incomplete shard on standard error.
pub(super) fn print_incomplete(incomplete: &[ShardJobs], shard_count: u64) {
    describe_incomplete(incomplete, shard_count).iter().for_each(|line| eprintln!("{line}"));
}

fn describe_incomplete(incomplete: &[ShardJobs], shard_count: u64) -> Vec<String> {
    let describe_shard = |shard_jobs: &ShardJobs| {
        let state = match (&shard_jobs.folder, shard_jobs.missing) {
            (_, 0) => "all jobs done".to_owned(),
            (_, missing) if shard_jobs.has_begun => format!("{missing} of {} jobs missing", shard_jobs.jobs),
            (Some(folder), _) => format!("not started: no results in {}", folder.display()),
            (None, _) => "not started".to_owned(),
        };
        let failed_text = if shard_jobs.failed > 0 { format!(", {} failed", shard_jobs.failed) } else { String::new() };
        let reference_text = match shard_jobs.searches_left {
            0 => String::new(),
            searches => format!(", {} by the reference engine missing", plural(searches, "search")),
        };
        format!("shard {} of {shard_count}: {state}{failed_text}{reference_text}", shard_jobs.shard)
    };
    incomplete.iter().map(describe_shard).collect()
}

/// Turns the error of a merge into a failure with the right exit code.
pub(super) fn merge_failure(error: MergeError) -> CommandFailure {
    match error {
        MergeError::Output(error) => output_failure(error),
        MergeError::Missing(..) => CommandFailure::new(Exit::Failed, error),
    }
}

#[cfg(test)]
mod tests;
