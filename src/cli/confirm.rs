//! Plays the games of the section `[confirm]` of an experiment file after the searches of
//! `ttlab run` or `ttlab tune`.

use super::folder::{command_line, run_failure};
use super::progress::ConsoleProgress;
use super::{CommandFailure, CommandResult, Exit};
use crate::analysis::questions::screen::{Confirmation, ScreenResult};
use crate::experiment::Experiment;
use crate::record::CONFIRM_FOLDER;
use crate::runner::{Settings, progress};
use crate::text::plural;
use crate::tune::{RunsError, confirm};
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Plays games between the best variant and the other variants that the screen selected. Returns
/// the games, or the exit code if they were interrupted. There are no games if the experiment file
/// has no `[confirm]`, or if the screen leaves one variant.
pub fn play(
    experiment: &Experiment,
    screen_result: &ScreenResult,
    (folder, settings): (&Path, &Settings),
    stop: &AtomicBool,
    quiet: bool,
) -> Result<Result<Option<Confirmation>, Exit>, CommandFailure> {
    let Some(options) = &experiment.file.confirm else { return Ok(Ok(None)) };
    let find_variant = |name: &String| experiment.variants.iter().position(|variant| variant.name == *name);
    let Some(best) = find_variant(&screen_result.best) else {
        return Err(CommandFailure::new(
            Exit::Failed,
            "confirm: no variant has results, so there is no best variant to play against",
        ));
    };
    let others: Vec<usize> =
        screen_result.remaining.iter().filter_map(find_variant).filter(|&variant| variant != best).collect();
    let folder = folder.join(CONFIRM_FOLDER);
    let mut begin_stage = |stage: usize, contender_count: usize, pair_count: usize| -> Box<dyn progress::Progress> {
        if quiet {
            return Box::new(progress::Quiet);
        }
        eprintln!(
            "confirm, stage {stage}: {} against \"{}\", {} each",
            plural(contender_count, "variant"),
            screen_result.best,
            plural(pair_count, "pair")
        );
        Box::new(ConsoleProgress::new(true))
    };
    match confirm(experiment, options, (best, &others), (&folder, settings), stop, &mut begin_stage) {
        Ok(games) => Ok(Ok(games)),
        Err(error) => stage_failure(error).map(Err),
    }
}

pub fn stage_failure(error: RunsError) -> CommandResult {
    match error {
        RunsError::Interrupted(_) => {
            eprintln!("interrupted; finished jobs are kept; to resume:\n  {}", command_line());
            Ok(Exit::Interrupted)
        }
        RunsError::Run(error) => Err(run_failure(error)),
        error @ RunsError::Failed { .. } => Err(CommandFailure::new(Exit::Failed, error)),
        error => Err(CommandFailure::usage(error)),
    }
}
