//! What `ttlab run` runs, and where its results go.

use super::super::folder::{default_folder, shard_folder};
use super::super::{CommandFailure, with_skip};
use super::Args;
use crate::experiment::{Experiment, Plan, PlanFile};
use crate::record::manifest::Shard;
use std::path::{Path, PathBuf};

/// The experiment, its plan or one shard of it, and the folder of the results.
pub(super) fn load(args: &Args) -> Result<(Experiment, Plan, Option<Shard>, PathBuf), CommandFailure> {
    let results = |experiment: &Experiment| args.out.clone().unwrap_or_else(|| default_folder(experiment));
    // clap does not check `requires` here, because a file conflicts with --plan.
    if args.plan.is_none() && args.shard.is_some() {
        refuse!("--shard needs --plan: create a plan with `ttlab plan FILE --shards N -o plan.json`");
    }
    let (Some(path), Some(index)) = (&args.plan, args.shard) else {
        let sets = with_skip(&args.run.sets, args.skip_bad)?;
        let file = args.file.as_deref().unwrap_or(Path::new(""));
        let experiment = Experiment::load(file, &sets).map_err(CommandFailure::usage)?;
        let (plan, folder) = (Plan::new(&experiment), results(&experiment));
        return Ok((experiment, plan, None, folder));
    };
    let (PlanFile { shards: of, .. }, experiment, plan) = PlanFile::load(path).map_err(CommandFailure::usage)?;
    if index >= of {
        refuse!("--shard {index}: {} has {of} shards: expected 0 to {}", path.display(), of - 1);
    }
    let folder = shard_folder(&results(&experiment), index);
    Ok((experiment, plan, Some(Shard { index, count: of }), folder))
}
