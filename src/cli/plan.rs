use super::args::FileArgs;
use super::folder::{default_folder, output_failure, run_failure};
use super::signals::stop_flag;
use super::{CommandFailure, CommandResult, Exit, warn};
use crate::experiment::shards::MAX_SHARDS;
use crate::experiment::{Confirm, Experiment, Plan, PlanFile};
use crate::record::RESULTS;
use crate::runner::{self, Settings, Subjects, estimate};
use crate::submit::quote_for_shell;
use crate::text::plural;
use crate::tune::estimate_by_trial;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

mod lines;

use lines::{describe_confirmation, print_head, print_jobs, print_missing_shards, print_variants};

/// Show what an experiment would run and what it would cost
///
/// If the file names external engines (`[subject]`, `[reference]`), their programs are started for
/// a few test searches: plan only files whose programs you would run. `ttlab check` starts nothing.
#[derive(clap::Args)]
#[command(after_help = include_str!("help/plan.txt"))]
pub struct Args {
    /// The experiment file to plan
    #[arg(required_unless_present = "missing")]
    file: Option<PathBuf>,
    #[command(flatten)]
    changes: FileArgs,
    /// Also count the rows of these results folders, as `run --reuse` does (may be repeated)
    #[arg(long, value_name = "FOLDER")]
    reuse: Vec<String>,
    /// Print only a cache key for the results: the hash of what decides counts in this build, a
    /// hyphen, and the plan's id
    #[arg(long)]
    key: bool,
    /// List every job with its id
    #[arg(long)]
    jobs_list: bool,
    /// Split the jobs into N shards
    #[arg(long, requires = "output", value_parser = clap::value_parser!(u64).range(1..=MAX_SHARDS))]
    shards: Option<u64>,
    /// Write the plan to a file
    #[arg(short, long, value_name = "PLAN", conflicts_with_all = ["key", "jobs_list", "reuse"])]
    output: Option<PathBuf>,
    /// List the incomplete shards of this plan
    #[arg(long, value_name = "PLAN", conflicts_with_all = ["file", "overrides", "reuse", "key", "jobs_list", "shards", "output"])]
    missing: Option<PathBuf>,
    /// Folder of the results [default: reports/<name>]
    #[arg(long, conflicts_with = "output")]
    out: Option<PathBuf>,
}

pub fn run(args: &Args) -> CommandResult {
    if let Some(path) = &args.missing {
        return print_missing_shards(path, args.out.as_deref());
    }
    let (file, overrides) = (args.file.as_deref().unwrap_or(Path::new("")), args.changes.settings()?);
    let experiment = Experiment::load(file, &overrides).map_err(CommandFailure::usage)?;
    if let Some(path) = &args.output {
        let plan = PlanFile::new(&experiment, file, &overrides, args.shards.unwrap_or(1), path)
            .map_err(CommandFailure::usage)?;
        super::write(path, &plan.text().map_err(CommandFailure::io)?)?;
        println!("{}: {} in {}", path.display(), plural(plan.jobs, "job"), plural(plan.shards, "shard"));
        let quoted_path = quote_for_shell(&path.display().to_string());
        println!("run one:  ttlab run --plan {quoted_path} --shard 0");
        println!("then:     ttlab merge {quoted_path}");
        return Ok(Exit::Done);
    }
    let plan = Plan::new(&experiment);
    if args.key {
        println!("{}-{}", runner::build().searches, plan.id_text());
        return Ok(Exit::Done);
    }
    super::warn_about_skipped_items(&experiment);
    let (mut engines, mut subjects) = (Vec::new(), BTreeMap::new());
    if plan.has_external() {
        let stop = stop_flag()?;
        let prepared_engines = match Subjects::prepare(&experiment, &plan, 1, &stop) {
            Err(runner::RunError::Interrupted) => return Ok(Exit::Interrupted),
            result => result.map_err(run_failure)?,
        };
        prepared_engines.check_memory(&plan, 1).map_err(run_failure)?;
        warn(prepared_engines.expectation_warnings(&experiment, &plan));
        (engines, subjects) = (prepared_engines.describe(&plan), prepared_engines.engine_infos(&plan));
    }
    let folder = args.out.clone().unwrap_or_else(|| default_folder(&experiment));
    print_head(&experiment, &plan);
    let mut known_jobs = HashSet::new();
    if folder.join(RESULTS).exists() || !experiment.file.reuse.is_empty() || !args.reuse.is_empty() {
        let mut manifest = runner::manifest(&experiment, &plan, 1, None);
        manifest.run.subjects = subjects;
        let (jobs, notes) =
            runner::sources::survey((&experiment, &plan), &folder, &manifest, &args.reuse).map_err(output_failure)?;
        notes.iter().for_each(|note| eprintln!("{note}"));
        let (all, known) = (plan.len(), jobs.len() as u64);
        println!("known       {known} of {all} jobs already done, {} to run in {}", all - known, folder.display());
        known_jobs = jobs;
    }
    let known_time = estimate::from_rows(&experiment, &plan, &folder, &known_jobs).map(|estimate| estimate.to_string());
    let time = match &experiment.file.confirm {
        Some(confirm) if known_time.is_none() && !plan.has_external() => Some(try_searches(&experiment, confirm)?),
        _ => known_time,
    };
    println!(
        "time        {}",
        time.unwrap_or_else(|| format!("unknown: {} has no rows of this plan", folder.display()))
    );
    if let Some(line) = describe_confirmation(&experiment) {
        println!("confirm     {line}");
    }
    print_variants(&experiment, &plan);
    super::check::print_warnings(&experiment, &plan, "");
    if !engines.is_empty() {
        println!();
        engines.iter().for_each(|line| println!("engine {line}"));
    }
    if args.jobs_list {
        println!();
        print_jobs(&experiment, &plan);
    }
    Ok(Exit::Done)
}

/// Says how long searches and games take, from a trial of both.
fn try_searches(experiment: &Experiment, confirm: &Confirm) -> Result<String, CommandFailure> {
    let (jobs, stop) = (Settings::default_jobs(experiment), stop_flag()?);
    let folder = tempfile::tempdir().map_err(CommandFailure::io)?;
    let seconds = estimate_by_trial(experiment, confirm, (folder.path(), &stop)).map_err(CommandFailure::usage)?;
    let time = estimate::format_seconds(seconds / jobs as f64);
    Ok(format!(
        "at most about {time} with {}, games included (a trial of two items and two openings)",
        plural(jobs, "job")
    ))
}

#[cfg(test)]
mod tests;
