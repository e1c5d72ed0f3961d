//! Judges the results of a run by a reference engine.

use super::CommandFailure;
use super::folder::run_failure;
use crate::experiment::Experiment;
use crate::runner::{Session, reference};
use std::sync::atomic::AtomicBool;

/// Judges the moves or scores of a session's results by the experiment's reference. Does nothing if
/// the experiment has no reference. Returns false if the judging was interrupted.
pub(super) fn judge(
    experiment: &Experiment,
    session: &Session<'_>,
    stop: &AtomicBool,
    quiet: bool,
) -> Result<bool, CommandFailure> {
    if let Some(reference) = &experiment.file.reference
        && !quiet
    {
        let what = if reference.own_search.is_none() { "moves" } else { "scores" };
        eprintln!("judging the {what} with the reference");
    }
    let Session { settings, output, subjects, .. } = session;
    let result = reference::judge(experiment, subjects, &output.folder, settings.jobs, stop);
    Ok(result.map_err(run_failure)?.is_some())
}
