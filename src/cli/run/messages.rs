//! Makes the messages of `ttlab run`.

use super::super::CommandFailure;
use super::super::folder::run_failure;
use crate::record::ResultsError;
use crate::runner::reuse::ReuseSummary;
use crate::runner::{self, OutputError, RunError};
use crate::text::{and_more, plural};

/// Returns the message for a folder whose rows belong to an earlier plan of the experiment.
pub(super) fn changed_plan_message(reuse_summary: &ReuseSummary) -> String {
    let mut text = "the plan has changed".to_owned();
    if reuse_summary.unused > 0 {
        text += &format!(": {} outside the new plan are kept in unused.csv", plural(reuse_summary.unused, "row"));
    }
    text
}

/// Returns a warning that damaged rows in the folder are not used, or `None` if no row is damaged.
pub(super) fn damaged_rows_warning(reuse_summary: &ReuseSummary) -> Option<String> {
    let (first, copy) = (reuse_summary.damaged.first()?, reuse_summary.copy.as_ref()?);
    let and_more = and_more(reuse_summary.damaged.len() - 1);
    Some(format!("not used: {first}{and_more}; a copy of the file is kept as {}", copy.display()))
}

/// Returns the message for an experiment that cannot show the effect of what it varies.
pub(super) fn inconclusive_message(warnings: &[String]) -> String {
    format!("this experiment cannot show what it varies:\n- {}", warnings.join("\n- "))
}

/// Returns the failure of a run. If the results or the manifest are damaged, the message also says
/// how to repair them.
pub(super) fn failure_with_repair(error: RunError) -> CommandFailure {
    let note_on_copy = "; a copy of the file is kept as results.csv.damaged-1 (or the next number)";
    let (help, note) = match &error {
        RunError::Output(OutputError::Results { error: ResultsError::Damaged { .. }, .. }) => {
            ("--repair drops damaged rows and runs their jobs again", note_on_copy)
        }
        RunError::Output(OutputError::Results { error: ResultsError::OtherColumns(_), .. }) => (
            "if only its first line is damaged, --repair restores this line and keeps the rows of this plan",
            note_on_copy,
        ),
        RunError::Output(OutputError::SecondsEdited(_)) => {
            ("restore the file, start over with --fresh, or use --repair to seal the file as it is", "")
        }
        _ => return run_failure(error),
    };
    let mut failure = run_failure(error);
    failure.message += &format!("\nhelp: {help}{note}");
    failure
}

/// Returns the message for an interrupted run. It contains the number of jobs that are done and the
/// command to resume the run.
pub(super) fn resume_hint(summary: &runner::RunSummary, command: &str) -> String {
    format!("interrupted: {} done; to resume:\n  {command}", plural(summary.before + summary.done, "job"))
}
