//! The command that ttlab itself calls to start an engine under a guard.

use crate::subject::guard;

/// Runs the guard if the command line is `ttlab engine-guard PARENT -- PROGRAM ARGUMENTS`, where
/// PARENT is the id of the parent process. Returns the exit code of the engine. A guard is started
/// for each process of an engine, so it does not pay for the other commands' description.
pub fn run_if_called() -> Option<u8> {
    let words: Vec<_> = std::env::args_os().collect();
    let [_, command, parent, _, program @ ..] = words.as_slice() else { return None };
    let parent = parent.to_str().filter(|_| command == guard::COMMAND)?.parse().ok()?;
    Some(guard::run(parent, program).unwrap_or_else(|message| {
        eprintln!("{message}");
        guard::NOT_STARTED
    }))
}
