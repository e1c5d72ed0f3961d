use super::CommandResult;
use crate::subject::guard;
use std::ffi::OsString;

/// Run an engine so that it ends with the process that asked for it (ttlab starts this by itself)
#[derive(clap::Args)]
pub struct Args {
    /// The process that asks
    parent: u32,
    /// The program and its arguments
    #[arg(last = true, required = true)]
    words: Vec<OsString>,
}

pub fn run(args: &Args) -> CommandResult {
    match guard::run(args.parent, &args.words) {
        // Every code is the engine's: the program ends here, with that one.
        Ok(code) => std::process::exit(i32::from(code)),
        Err(message) => {
            eprintln!("{message}");
            std::process::exit(i32::from(guard::NOT_STARTED))
        }
    }
}
