//! Names the folders of results, and turns errors of runs and of these folders into the failures of
//! commands.

use super::{CommandFailure, Exit};
use crate::experiment::Experiment;
use crate::record::ResultsError;
use crate::record::manifest::ManifestError;
use crate::runner::{OutputError, RunError};
use crate::submit::quote_for_shell;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

pub(super) fn default_folder(experiment: &Experiment) -> PathBuf {
    PathBuf::from("reports").join(&experiment.name)
}

pub(super) fn shard_folder(results: &Path, index: u64) -> PathBuf {
    results.join("shards").join(index.to_string())
}

/// Turns the error of a run into a failure with the right exit code.
pub(super) fn run_failure(error: RunError) -> CommandFailure {
    let exit = match error {
        RunError::Output(error) => return output_failure(error),
        RunError::Memory(_) | RunError::Subject(_) => Exit::Usage,
        RunError::Interrupted => Exit::Interrupted,
        RunError::Write { .. } | RunError::ResultsChanged(_) | RunError::Threads { .. } => Exit::Io,
    };
    CommandFailure::new(exit, error)
}

/// Turns the error of opening or writing a folder of results into a failure with the right exit
/// code. The exit code for edited rows is `Unequal`. The exit code for an edited manifest is
/// `Usage`, because the rows may be unchanged.
pub(super) fn output_failure(error: OutputError) -> CommandFailure {
    let exit = match &error {
        OutputError::Io { .. }
        | OutputError::NoLocks { .. }
        | OutputError::Manifest(ManifestError::Io { .. })
        | OutputError::Results { error: ResultsError::Io(_), .. } => Exit::Io,
        OutputError::WrongRows(_) | OutputError::RowsChanged(_) | OutputError::CountsDiffer(_) => Exit::Unequal,
        OutputError::Manifest(_) | OutputError::Results { .. } | OutputError::Unusable(_) | OutputError::Locked(_) => {
            Exit::Usage
        }
    };
    CommandFailure::new(exit, error)
}

/// The command that resumes the run, if it is not the command line.
static RESUMING: OnceLock<String> = OnceLock::new();

pub(super) fn resume_with(command: String) {
    let _ = RESUMING.set(command);
}

/// The command that resumes the run.
pub(super) fn command_line() -> String {
    if let Some(command) = RESUMING.get() {
        return command.clone();
    }
    shell_command(std::env::args_os().map(|word| word.to_string_lossy().into_owned()))
}

/// Joins the words of a command line and quotes them for a shell. The flag `--fresh` is left out,
/// because it would move the results of the run that will be resumed.
fn shell_command(words: impl Iterator<Item = String>) -> String {
    let quoted_words = words.filter(|word| word != "--fresh").map(|word| quote_for_shell(&word));
    quoted_words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shell_command_is_quoted_without_fresh() {
        for (words, line) in [
            (
                &["ttlab", "run", "a.toml", "--fresh", "--set", "table.size=1"][..],
                "ttlab run a.toml --set table.size=1",
            ),
            (&["ttlab", "it's", "", "a b", "100%", "--fresher"], "ttlab 'it'\\''s' '' 'a b' '100%' --fresher"),
            (&["ttlab", "$HOME", "a;b", "ü", "-x/.:,+@=_"], "ttlab '$HOME' 'a;b' 'ü' '-x/.:,+@=_'"),
        ] {
            assert_eq!(shell_command(words.iter().map(|&word| word.to_owned())), line);
        }
    }
}
