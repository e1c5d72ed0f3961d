use super::folder::output_failure;
use super::{CommandFailure, CommandResult, Exit};
use crate::record::is_packed;
use crate::runner::verify::{FolderState, verify};
use crate::text::plural;
use std::path::PathBuf;

/// Check a results folder: complete, and unchanged since the run?
#[derive(clap::Args)]
#[command(after_help = include_str!("help/verify.txt"))]
pub struct Args {
    /// Folders that `ttlab run` or `ttlab merge` wrote
    #[arg(required = true)]
    folders: Vec<PathBuf>,
    /// Show only folders with problems
    #[arg(short, long)]
    quiet: bool,
}

pub fn run(args: &Args) -> CommandResult {
    let (mut worst_state, mut unreadable_exit, mut can_repair) = (FolderState::Complete, None, false);
    for folder in &args.folders {
        let folder_name = folder.display();
        match verify(folder) {
            Ok(verdict) => {
                let word = match verdict.state {
                    FolderState::Complete => "complete",
                    FolderState::Incomplete => "incomplete",
                    FolderState::Wrong => "WRONG",
                };
                if !args.quiet || verdict.state > FolderState::Complete {
                    println!("{folder_name}: {word}: {}", plural(verdict.rows, "row"));
                    verdict.lines.iter().for_each(|line| println!("  {line}"));
                }
                worst_state = worst_state.max(verdict.state);
                // No run continues a kept report.
                can_repair |= verdict.state == FolderState::Wrong && !is_packed(folder);
            }
            Err(error) => {
                eprintln!("error: {error}");
                unreadable_exit = Some(output_failure(error).exit);
            }
        }
    }
    if can_repair {
        eprintln!("help: `ttlab run --repair` drops edited or damaged rows and runs their jobs again");
    }
    exit_code(worst_state, unreadable_exit)
}

/// If a folder could not be read, `unreadable_exit` is the exit code for that failure. An
/// unreadable folder is worse than missing rows, but not as bad as wrong rows.
fn exit_code(worst_state: FolderState, unreadable_exit: Option<Exit>) -> CommandResult {
    match (worst_state, unreadable_exit) {
        (FolderState::Wrong, _) => Ok(Exit::Unequal),
        (_, Some(exit)) => Err(CommandFailure { exit, message: "not every folder could be verified".to_owned() }),
        (FolderState::Incomplete, None) => Ok(Exit::Failed),
        (FolderState::Complete, None) => Ok(Exit::Done),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_code_is_that_of_the_worst_folder() {
        let code_and_failure = |worst: FolderState, unreadable: Option<Exit>| match exit_code(worst, unreadable) {
            Ok(exit) => (exit, false),
            Err(failure) => (failure.exit, true),
        };
        for (worst, exit) in [
            (FolderState::Complete, Exit::Done),
            (FolderState::Incomplete, Exit::Failed),
            (FolderState::Wrong, Exit::Unequal),
        ] {
            assert_eq!(code_and_failure(worst, None), (exit, false));
            let expected = if worst == FolderState::Wrong { (Exit::Unequal, false) } else { (Exit::Io, true) };
            assert_eq!(code_and_failure(worst, Some(Exit::Io)), expected);
        }
    }
}
