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
    /// The `ttlab` program to run as the engine's guard. Without a guard, the engine goes on if
    /// this process is killed.
    pub guard: Option<PathBuf>,
    /// Options to set, by name.
    pub options: Vec<(String, OptionValue)>,
    /// How long a process is kept.
    pub restart: Restart,
    /// The user's timeout per search.
    pub timeout: Option<Duration>,
}

impl Launch {
    /// A program with default settings. If this process runs `ttlab`, the program runs under its
    /// guard.
    pub fn new(program: &Program) -> Self {
        Self {
            path: program.path.clone(),
            arguments: program.arguments.clone(),
            guard: guard_program(),
            ..Self::default()
        }
    }
}

/// This process's own program, if it has the guard subcommand.
fn guard_program() -> Option<PathBuf> {
    let path = std::env::current_exe().ok()?;
    // The link stays valid if the file is replaced during a long run.
    let link = PathBuf::from("/proc/self/exe");
    (path.file_stem()? == "ttlab").then_some(if link.exists() { link } else { path })
}
