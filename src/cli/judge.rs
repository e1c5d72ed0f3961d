//! Judges results by a reference after a run.

use super::CommandFailure;
use super::folder::run_failure;
use crate::experiment::Experiment;
use crate::runner::{Session, reference};
use std::sync::atomic::AtomicBool;

/// If the experiment has a reference, judges the moves or scores of a session's results by it;
/// false if interrupted.
pub(super) fn judge(
    experiment: &Experiment,
    session: &Session<'_>,
    stop: &AtomicBool,
    quiet: bool,
) -> Result<bool, CommandFailure> {
    if let Some(reference) = &experiment.file.reference
        && !quiet
    {
        let judged = if reference.own_search.is_none() { "moves" } else { "scores" };
        eprintln!("judging the {judged} with the reference");
    }
    let Session { settings, output, subjects, .. } = session;
    let result = reference::judge(experiment, subjects, &output.folder, settings.jobs, stop);
    Ok(result.map_err(run_failure)?.is_some())
}
