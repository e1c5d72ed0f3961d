//! The folders of a tuning's stages, and what its page says of them.

use super::super::CommandFailure;
use super::super::folder::output_failure;
use crate::analysis::questions::race::RaceStage;
use crate::experiment::Tune;
use crate::record::manifest::Manifest;
use crate::report;
use crate::runner::Output;
use std::path::Path;

/// A stage, as messages name it.
pub(super) fn name(stage: RaceStage, pressures: &[String]) -> String {
    match stage {
        RaceStage::Race(round) => format!("race, round {}", round + 1),
        RaceStage::HeldOut(pressure) => format!("held out, {}", pressures[pressure]),
    }
}

/// Deletes the results of all stages.
pub(super) fn clear(folder: &Path, pressures: usize) -> Result<(), CommandFailure> {
    let stages = (0..64).map(RaceStage::Race).chain((0..pressures).map(RaceStage::HeldOut));
    for stage in stages.map(|stage| folder.join(stage.folder())).filter(|stage| stage.is_dir()) {
        Output::open(&stage).and_then(|output| output.clear()).map_err(output_failure)?;
    }
    Ok(())
}

/// The warnings on the held-out pages of the pressures.
pub(super) fn held_out_warnings(folder: &Path, pressures: &[String]) -> Result<Vec<String>, CommandFailure> {
    let mut warnings = Vec::new();
    for (at, pressure) in pressures.iter().enumerate() {
        let page = report::Page::read(&folder.join(RaceStage::HeldOut(at).folder())).map_err(CommandFailure::io)?;
        warnings.extend(page.undetectable.iter().map(|blind| format!("{pressure}: {blind}")));
    }
    Ok(warnings)
}

/// What the result is based on: suite, plan, build and engines.
pub(super) fn origins(manifest: &Manifest, tune: &Tune, engines: Vec<String>) -> Vec<String> {
    let Manifest { suite, items, variants, plan, build, .. } = manifest;
    let searched = format!(
        "suite {suite}, {items} items; {} candidates; plan {plan}; `ttlab tune`, seed {}, alpha {}",
        variants.len(),
        tune.seed,
        tune.alpha
    );
    let built = format!("ttlab {} ({}, {})", build.version, build.commit, build.profile);
    let engines = engines.into_iter().map(|line| format!("engine {line}"));
    [searched, built].into_iter().chain(engines).collect()
}
