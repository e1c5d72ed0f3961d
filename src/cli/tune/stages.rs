//! Names and clears the stages of `ttlab tune`.

use super::super::CommandFailure;
use super::super::folder::output_failure;
use crate::analysis::questions::race::RaceStage;
use crate::runner::Output;
use std::path::Path;

pub(super) fn stage_name(stage: RaceStage) -> String {
    match stage {
        RaceStage::Race(round) => format!("race, round {}", round + 1),
        RaceStage::HeldOut => "held out".to_owned(),
    }
}

pub(super) fn clear_stages(folder: &Path) -> Result<(), CommandFailure> {
    // The number of items doubles with each round, so there are always fewer than 64 rounds.
    let stages = (0..64).map(RaceStage::Race).chain([RaceStage::HeldOut]);
    for stage_folder in stages.map(|stage| folder.join(stage.folder())).filter(|path| path.is_dir()) {
        Output::open(&stage_folder).and_then(|output| output.clear()).map_err(output_failure)?;
    }
    Ok(())
}
