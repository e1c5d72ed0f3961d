use super::{Exit, Failure, Outcome, command};
use clap_complete::Shell;

/// Print shell completions
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ttlab completions bash > ~/.local/share/bash-completion/completions/ttlab
  ttlab completions fish > ~/.config/fish/completions/ttlab.fish")]
pub struct CompletionArgs {
    /// bash, elvish, fish, powershell or zsh
    shell: Shell,
}

pub fn completions(args: &CompletionArgs) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command(), "ttlab", &mut script);
    print!("{}", String::from_utf8_lossy(&script));
    Ok(Exit::Done)
}

/// Print the man page
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ttlab man > ttlab.1 && man ./ttlab.1")]
pub struct ManArgs {}

pub fn man(_: &ManArgs) -> Outcome {
    let mut page = Vec::new();
    clap_mangen::Man::new(command()).render(&mut page).map_err(Failure::io)?;
    print!("{}", String::from_utf8_lossy(&page));
    Ok(Exit::Done)
}
