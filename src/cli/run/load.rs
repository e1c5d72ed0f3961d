//! Loads the experiment or the plan that `ttlab run` will run, and finds the folder of its results.

use super::super::CommandFailure;
use super::super::folder::{default_folder, shard_folder};
use super::Args;
use crate::experiment::{Experiment, Plan, PlanFile};
use crate::record::manifest::Shard;
use std::path::{Path, PathBuf};

/// The shard is `None` if the whole plan will run.
pub(super) fn load(args: &Args) -> Result<(Experiment, Plan, Option<Shard>, PathBuf), CommandFailure> {
    let results_folder = |experiment: &Experiment| args.out.clone().unwrap_or_else(|| default_folder(experiment));
    // If a file is given, clap does not check that --shard requires --plan, because the file
    // conflicts with --plan.
    if args.plan.is_none() && args.shard.is_some() {
        refuse!("--shard needs --plan: create a plan with `ttlab plan FILE --shards N -o plan.json`");
    }
    let (Some(path), Some(index)) = (&args.plan, args.shard) else {
        let overrides = args.changes.settings()?;
        let file = args.file.as_deref().unwrap_or(Path::new(""));
        let experiment = Experiment::load(file, &overrides).map_err(CommandFailure::usage)?;
        let (plan, folder) = (Plan::new(&experiment), results_folder(&experiment));
        return Ok((experiment, plan, None, folder));
    };
    let (PlanFile { shards: count, .. }, experiment, plan) = PlanFile::load(path).map_err(CommandFailure::usage)?;
    if index >= count {
        refuse!("--shard {index}: {} has {count} shards: expected 0 to {}", path.display(), count - 1);
    }
    let folder = shard_folder(&results_folder(&experiment), index);
    Ok((experiment, plan, Some(Shard { index, count }), folder))
}
