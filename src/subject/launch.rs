//! How an engine's process is started.

use super::options::{OptionValue, Restart};
use super::program::Program;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Clone, Default)]
pub struct Launch {
    pub path: PathBuf,
    pub arguments: Vec<String>,
    /// The program as it was found. An engine is not started if it was replaced since.
    pub program: Option<Program>,
    /// The `ttlab` program to run as the engine's guard. Without a guard, the engine keeps running
    /// if this process is killed.
    pub guard: Option<PathBuf>,
    pub options: Vec<(String, OptionValue)>,
    pub restart: Restart,
    pub timeout: Option<Duration>,
}

impl Launch {
    /// Describes how to start a program with default settings. If this process runs `ttlab`, the
    /// program runs under a guard.
    pub fn new(program: &Program) -> Self {
        Self {
            path: program.path.clone(),
            arguments: program.resolved_arguments(),
            program: Some(program.clone()),
            guard: guard_program(),
            ..Self::default()
        }
    }
}

fn guard_program() -> Option<PathBuf> {
    let path = std::env::current_exe().ok()?;
    // The link stays valid even if the program's file is replaced during a long run.
    let link = PathBuf::from("/proc/self/exe");
    (path.file_stem()? == "ttlab").then_some(if link.exists() { link } else { path })
}
