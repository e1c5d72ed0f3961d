use super::CommandResult;
use crate::subject::guard;
use std::ffi::OsString;

/// Run an engine that ends with its parent process (used by ttlab itself)
#[derive(clap::Args)]
pub struct Args {
    /// The id of the parent process
    parent: u32,
    /// The program and its arguments
    #[arg(last = true, required = true)]
    command: Vec<OsString>,
}

pub fn run(args: &Args) -> CommandResult {
    match guard::run(args.parent, &args.command) {
        // The exit code is that of the engine, so it may be a code that `Exit` does not contain.
        Ok(code) => std::process::exit(i32::from(code)),
        Err(message) => {
            eprintln!("{message}");
            std::process::exit(i32::from(guard::NOT_STARTED))
        }
    }
}
