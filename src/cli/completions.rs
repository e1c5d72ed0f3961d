use super::{CommandResult, Exit, command};
use clap_complete::Shell;

/// Print shell completions
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ttlab completions bash > ~/.local/share/bash-completion/completions/ttlab
  ttlab completions zsh > ~/.zfunc/_ttlab               with fpath+=~/.zfunc before compinit in ~/.zshrc
  ttlab completions fish > ~/.config/fish/completions/ttlab.fish")]
pub struct Args {
    /// bash, elvish, fish, powershell or zsh
    shell: Shell,
}

pub fn run(args: &Args) -> CommandResult {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command(), "ttlab", &mut script);
    print!("{}", String::from_utf8_lossy(&script));
    Ok(Exit::Done)
}
