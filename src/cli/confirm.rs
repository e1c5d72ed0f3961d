//! What `ttlab run` and `ttlab tune` do with a file's `[confirm]` once their searches are made.

use super::run::{command_line, run_failure};
use super::{CommandFailure, CommandResult, Exit};
use crate::analysis::questions::screen::Screened;
use crate::experiment::Experiment;
use crate::report::{self, confirm_page};
use crate::runner::{Settings, progress};
use crate::text::plural;
use crate::tune::{RunsError, confirm};
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// The folder of the games, in that of the screen.
const FOLDER: &str = "confirm";

/// Lets the variants that a screen left play, where the file asks for it, and says what came of it.
pub fn play(
    experiment: &Experiment,
    screened: &Screened,
    (folder, settings): (&Path, &Settings),
    stop: &AtomicBool,
    quiet: bool,
) -> CommandResult {
    let Some(expected) = &experiment.file.confirm else { return Ok(Exit::Done) };
    let place = |name: &String| experiment.variants.iter().position(|point| point.name == *name);
    let Some(best) = place(&screened.best) else {
        return Err(CommandFailure::of(Exit::Failed, "confirm: the screen has no figures to choose by"));
    };
    let others: Vec<usize> = screened.left.iter().filter_map(place).filter(|&at| at != best).collect();
    let folder = folder.join(FOLDER);
    let mut tell = |stage: usize, contenders: usize, pairs: usize| -> Box<dyn progress::Progress> {
        if quiet {
            return Box::new(progress::Quiet);
        }
        let players = plural(contenders, "variant");
        eprintln!("confirm, stage {stage}: {players} against \"{}\", {} each", screened.best, plural(pairs, "pair"));
        Box::new(progress::Talk::default())
    };
    let found = match confirm(experiment, expected, (best, &others), (&folder, settings), stop, &mut tell) {
        Ok(found) => found,
        Err(error) => return ended(error),
    };
    let sheet = confirm_page::sheet(&experiment.name, screened, &found.contenders, found.critical_value);
    if !quiet {
        super::screen::show(&sheet);
    }
    std::fs::create_dir_all(&folder).map_err(CommandFailure::io)?;
    report::write_sheet(&sheet, &folder).map_err(CommandFailure::io)?;
    Ok(Exit::Done)
}

/// What a stage that did not come to its end ends a command with.
pub fn ended(error: RunsError) -> CommandResult {
    match error {
        RunsError::Interrupted(_) => {
            eprintln!("interrupted: what was finished is kept; to continue:\n  {}", command_line());
            Ok(Exit::Interrupted)
        }
        RunsError::Run(error) => Err(run_failure(error)),
        error @ RunsError::Failed { .. } => Err(CommandFailure::of(Exit::Failed, error)),
        error => Err(CommandFailure::usage(error)),
    }
}
