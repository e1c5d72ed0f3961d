//! How an engine's process is started.

use super::options::{OptionValue, Restart};
use super::program::Program;
use std::path::PathBuf;
use std::time::Duration;

/// How to start an engine.
#[derive(Debug, Clone, Default)]
pub struct Launch {
    pub path: PathBuf,
    pub arguments: Vec<String>,
    /// The `ttlab` program to run as the engine's guard. Without a guard, the engine keeps running
    /// if this process is killed.
    pub guard: Option<PathBuf>,
    /// The names and values of the options to set.
    pub options: Vec<(String, OptionValue)>,
    /// How long a process is kept.
    pub restart: Restart,
    /// The user's timeout for each search.
    pub timeout: Option<Duration>,
}

impl Launch {
    /// Describes how to start a program with default settings. If this process runs `ttlab`, the
    /// program runs under a guard.
    pub fn new(program: &Program) -> Self {
        Self {
            path: program.path.clone(),
            arguments: program.arguments.clone(),
            guard: guard_program(),
            ..Self::default()
        }
    }
}

/// Returns the program that this process runs, or `None` if the program is not `ttlab` and thus
/// lacks the guard subcommand.
fn guard_program() -> Option<PathBuf> {
    let path = std::env::current_exe().ok()?;
    // The link stays valid even if the program's file is replaced during a long run.
    let link = PathBuf::from("/proc/self/exe");
    (path.file_stem()? == "ttlab").then_some(if link.exists() { link } else { path })
}
