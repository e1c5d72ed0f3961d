//! What a run says.

use super::super::CommandFailure;
use super::super::folder::run_failure;
use crate::record::ResultsError;
use crate::runner::reuse::ReuseSummary;
use crate::runner::{self, OutputError, RunError};
use crate::text::{and_more, plural};

/// The message for a folder whose rows were another plan's.
pub(super) fn changed_plan(known: &ReuseSummary) -> String {
    let mut text = "the plan has changed".to_owned();
    if known.unused > 0 {
        text += &format!(": {} that it no longer has are kept in unused.csv", plural(known.unused, "row"));
    }
    text
}

/// The warning of rows in the folder that are not used.
pub(super) fn damaged_rows(known: &ReuseSummary) -> Option<String> {
    let (first, saved) = (known.damaged.first()?, known.saved.as_ref()?);
    let more = and_more(known.damaged.len() - 1);
    Some(format!("not used: {first}{more}; a copy of the file is kept as {}", saved.display()))
}

/// The message for an experiment that cannot show what it varies.
pub(super) fn cannot_show(blind: &[String]) -> String {
    format!("this experiment cannot show what it varies:\n- {}", blind.join("\n- "))
}

/// A failure; if rows are damaged, with the hint to repair them.
pub(super) fn failure_with_repair(error: RunError) -> CommandFailure {
    let help = match &error {
        RunError::Output(OutputError::Results { error: ResultsError::Damaged { .. }, .. }) => {
            "drop such rows and run their jobs again with --repair"
        }
        RunError::Output(OutputError::Results { error: ResultsError::OtherColumns(_), .. }) => {
            "if only its first line is damaged, restore it with --repair, which keeps the rows of this plan"
        }
        RunError::Output(OutputError::Edited(_)) => {
            let mut failure = run_failure(error);
            failure.message += "\nhelp: restore the file, start over with --fresh, or seal it as it is with --repair";
            return failure;
        }
        _ => return run_failure(error),
    };
    let mut failure = run_failure(error);
    failure.message +=
        &format!("\nhelp: {help}; a copy of the file is kept as results.csv.damaged-1 (or the next number)");
    failure
}

/// The message of an interrupted run: the jobs done so far, and the command to resume.
pub(super) fn resume_hint(ran: &runner::RunSummary, command: &str) -> String {
    format!("interrupted: {} done; to resume:\n  {command}", plural(ran.before + ran.done, "job"))
}
