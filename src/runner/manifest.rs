//! The manifest of a run that begins.

use super::machine;
use crate::experiment::{Experiment, Plan};
use crate::record::manifest::{Build, Manifest, Shard};

/// This build.
fn build() -> Build {
    Build {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        commit: option_env!("TTLAB_COMMIT").unwrap_or("unknown").to_owned(),
        profile: if cfg!(debug_assertions) { "debug" } else { "release" }.to_owned(),
    }
}

/// The manifest of a run that begins.
#[must_use]
pub fn manifest(experiment: &Experiment, plan: &Plan, jobs: usize, shard: Option<Shard>) -> Manifest {
    let options = plan
        .variants
        .iter()
        .map(|point| (point.name.clone(), serde_json::to_value(&point.options).unwrap_or_default()));
    Manifest {
        schema: 1,
        name: experiment.name.clone(),
        question: experiment.file.question.clone(),
        suite: experiment.suite_name.clone(),
        items: experiment.suite.items.len(),
        sequence: experiment.file.sequence.is_some() || experiment.suite.items.iter().any(|item| item.game().is_some()),
        repeats: experiment.file.repeats,
        seeds: experiment.file.seeds,
        variants: plan.variants.iter().map(|point| point.name.clone()).collect(),
        baseline: plan.variants[plan.baseline].name.clone(),
        varying: plan.varying(),
        options: options.collect(),
        plan: format!("{:016x}", plan.id()),
        jobs_total: plan.len(),
        jobs,
        shard,
        shards: Vec::new(),
        calibration: shard.and_then(|_| calibration()),
        build: build(),
        machine: machine::this(),
        huge_pages: huge_pages(plan),
        begun: now(),
        ended: None,
    }
}

/// Nodes per second of the fixed searches of `ttlab bench`: the best of three, since a machine can only be too slow.
fn calibration() -> Option<u64> {
    let options = crate::signature::bench_options();
    let once = || {
        let begun = std::time::Instant::now();
        let nodes = crate::signature::nodes(&options).ok()?;
        Some((nodes as f64 / begun.elapsed().as_secs_f64()) as u64)
    };
    (0..3).filter_map(|_| once()).max()
}

/// Seconds since 1970.
pub fn now() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Whether the kernel gives huge pages to the first table that is large enough to ask for them.
fn huge_pages(plan: &Plan) -> Option<bool> {
    let asks = |table: &&crate::table::TableOptions| {
        table.huge_pages && crate::table::bytes(table, None).is_some_and(|bytes| (2 << 20..=1 << 30).contains(&bytes))
    };
    let table = plan.variants.iter().map(|point| &point.options.table).find(asks)?;
    crate::table::build(table, None, false).ok()??.huge_pages()
}
