//! Makes the messages of `ttlab run`.

use super::super::CommandFailure;
use super::super::folder::run_failure;
use crate::record::ResultsError;
use crate::runner::{self, OutputError, RunError};
use crate::text::plural;

pub(super) fn inconclusive_message(warnings: &[String]) -> String {
    format!("this experiment cannot show what it varies:\n- {}", warnings.join("\n- "))
}

/// If the results or the manifest are damaged, the message also says how to repair them.
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
        RunError::Output(OutputError::WrongRows(_)) => (
            "if this is the run's own folder, run the file of its rows with --repair, or start over with --fresh, which \
             moves them",
            "",
        ),
        RunError::Output(OutputError::RowsChanged(_)) => {
            ("restore the file, start over with --fresh, or use --repair to seal the file as it is", "")
        }
        _ => return run_failure(error),
    };
    let mut failure = run_failure(error);
    failure.message += &format!("\nhelp: {help}{note}");
    failure
}

/// The message for an interrupted run. It contains the number of jobs that are done and the command
/// to resume the run.
pub(super) fn resume_hint(summary: &runner::RunSummary, command: &str) -> String {
    format!("interrupted: {} done; to resume:\n  {command}", plural(summary.before + summary.done, "job"))
}
