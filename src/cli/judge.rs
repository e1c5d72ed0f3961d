//! Judges results by a reference after a run.

use super::CommandFailure;
use super::folder::run_failure;
use crate::experiment::Experiment;
use crate::runner::{Session, reference};
use std::sync::atomic::AtomicBool;

/// Judges the moves of a session's results by the experiment's reference, if it has one; false if
/// interrupted.
pub(super) fn judge(
    experiment: &Experiment,
    session: &Session<'_>,
    stop: &AtomicBool,
    quiet: bool,
) -> Result<bool, CommandFailure> {
    if let Some(moves) = experiment.file.reference.as_ref().map(|reference| reference.own_search.is_none())
        && !quiet
    {
        eprintln!("judging the {} with the reference", if moves { "moves" } else { "scores" });
    }
    let Session { settings, output, subjects, .. } = session;
    let judged = reference::judge(experiment, subjects, &output.folder, settings.jobs, stop);
    Ok(judged.map_err(run_failure)?.is_some())
}
