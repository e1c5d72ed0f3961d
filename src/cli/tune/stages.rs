//! Names and clears the stages of `ttlab tune`, and collects what its page says about them.

use super::super::CommandFailure;
use super::super::folder::output_failure;
use crate::analysis::questions::race::RaceStage;
use crate::experiment::Tune;
use crate::record::manifest::Manifest;
use crate::report;
use crate::runner::Output;
use std::path::Path;

/// Returns the name of a stage for messages.
pub(super) fn stage_name(stage: RaceStage, pressures: &[String]) -> String {
    match stage {
        RaceStage::Race(round) => format!("race, round {}", round + 1),
        RaceStage::HeldOut(pressure) => format!("held out, {}", pressures[pressure]),
    }
}

/// Deletes the results of all stages in the folder of a tuning.
pub(super) fn clear_stages(folder: &Path, pressure_count: usize) -> Result<(), CommandFailure> {
    // The number of items doubles with each round, so there are always fewer than 64 rounds.
    let stages = (0..64).map(RaceStage::Race).chain((0..pressure_count).map(RaceStage::HeldOut));
    for stage_folder in stages.map(|stage| folder.join(stage.folder())).filter(|path| path.is_dir()) {
        Output::open(&stage_folder).and_then(|output| output.clear()).map_err(output_failure)?;
    }
    Ok(())
}

/// Returns the warnings on the pages of the held-out stages. Each warning begins with the pressure
/// of its stage.
pub(super) fn held_out_warnings(folder: &Path, pressures: &[String]) -> Result<Vec<String>, CommandFailure> {
    let mut warnings = Vec::new();
    for (index, pressure) in pressures.iter().enumerate() {
        let page = report::Page::read(&folder.join(RaceStage::HeldOut(index).folder())).map_err(CommandFailure::io)?;
        // `undetectable` contains warnings about effects that the results cannot show.
        warnings.extend(page.undetectable.iter().map(|warning| format!("{pressure}: {warning}")));
    }
    Ok(warnings)
}

/// Returns lines that say on which suite, plan, build and engines the result of a tuning is based.
pub(super) fn describe_provenance(manifest: &Manifest, tune: &Tune, engines: Vec<String>) -> Vec<String> {
    let Manifest { suite, items, variants, plan, build, .. } = manifest;
    let suite_line = format!(
        "suite {suite}, {items} items; {} candidates; plan {plan}; `ttlab tune`, seed {}, alpha {}",
        variants.len(),
        tune.seed,
        tune.alpha
    );
    let build_line = format!("ttlab {} ({}, {})", build.version, build.commit, build.profile);
    let engine_lines = engines.into_iter().map(|line| format!("engine {line}"));
    [suite_line, build_line].into_iter().chain(engine_lines).collect()
}
