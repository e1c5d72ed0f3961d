use super::{CommandResult, Exit, ttlab_command};
use clap_complete::Shell;

/// Print shell completions
#[derive(clap::Args)]
#[command(after_help = include_str!("help/completions.txt"))]
pub struct Args {
    /// bash, elvish, fish, powershell or zsh
    shell: Shell,
}

pub fn run(args: &Args) -> CommandResult {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut ttlab_command(), "ttlab", &mut script);
    print!("{}", String::from_utf8_lossy(&script));
    Ok(Exit::Done)
}
