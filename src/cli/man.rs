use super::{CommandFailure, CommandResult, Exit, command, write_error};
use clap_mangen::Man;
use std::path::PathBuf;

/// Print man pages
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ttlab man > ttlab.1 && man ./ttlab.1
  ttlab man run | man -l -                      one command's page; also `ttlab man trace import`
  ttlab man --out ~/.local/share/man/man1       all pages; then `man ttlab-run`")]
pub struct Args {
    /// A command, or a command and its subcommand
    #[arg(value_name = "COMMAND", conflicts_with = "out")]
    command: Vec<String>,
    /// Write the pages of all commands to a folder
    #[arg(short, long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

pub fn run(args: &Args) -> CommandResult {
    let mut root = command();
    root.build();
    match &args.out {
        Some(folder) => {
            crate::record::create_folder(folder).map_err(write_error(folder))?;
            let mut all = Vec::new();
            gather(&root, &mut all);
            for command in &all {
                super::write(&folder.join(format!("{}.1", name(command))), &page(&root, command)?)?;
            }
            println!("{} pages in {}", all.len(), folder.display());
        }
        None => print!("{}", page(&root, find_command(&root, &args.command)?)?),
    }
    Ok(Exit::Done)
}

/// Finds a command by its words, as in `trace import`.
fn find_command<'a>(root: &'a clap::Command, words: &[String]) -> Result<&'a clap::Command, CommandFailure> {
    words.iter().try_fold(root, |above, word| {
        visible_subcommands(above).find(|below| below.get_name() == word).ok_or_else(|| {
            let hint = super::hint(word, visible_subcommands(above).map(clap::Command::get_name));
            CommandFailure::usage(format!("`{}` has no command `{word}`{hint}", name(above).replace('-', " ")))
        })
    })
}

/// The visible subcommands of a command.
fn visible_subcommands(command: &clap::Command) -> impl Iterator<Item = &clap::Command> {
    command.get_subcommands().filter(|below| !below.is_hide_set() && below.get_name() != "help")
}

fn gather<'a>(command: &'a clap::Command, all: &mut Vec<&'a clap::Command>) {
    all.push(command);
    visible_subcommands(command).for_each(|below| gather(below, all));
}

/// The name of a command's page, as in `ttlab-trace-import`.
fn name(command: &clap::Command) -> &str {
    command.get_display_name().unwrap_or_else(|| command.get_name())
}

/// The exit codes of commands whose help does not list them.
const EXITS: &str =
    "0 done, 2 wrong usage or a bad file, 3 a job failed or rows are missing, 5 input/output, 75 interrupted.";

/// A command's man page, with the examples and exit codes of its help under their own headings.
fn page(root: &clap::Command, command: &clap::Command) -> Result<String, CommandFailure> {
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let help = if help.is_empty() { examples_of_parent(root, command) } else { help };
    // The examples end at the next empty line; the text before and after them are notes.
    let heading =
        ["Examples:\n", "Example:\n"].into_iter().find_map(|heading| Some((help.find(heading)?, heading.len())));
    let (examples, words) = match heading {
        Some((at, length)) => {
            let rest = &help[at + length..];
            let (examples, after) = rest.split_once("\n\n").unwrap_or((rest, ""));
            (examples, format!("{}\n{}", help[..at].trim(), after.trim()))
        }
        None => ("", help.clone()),
    };
    let (words, exits) = words.split_once("Exit: ").unwrap_or((&words, EXITS));
    let (words, exits) = (words.trim(), exits.trim());
    let mut out = Vec::new();
    let man = Man::new(command.clone());
    man.render_title(&mut out)
        .and_then(|()| man.render_name_section(&mut out))
        .and_then(|()| man.render_synopsis_section(&mut out))
        .and_then(|()| man.render_description_section(&mut out))
        .and_then(|()| man.render_options_section(&mut out))
        .and_then(|()| visible_subcommands(command).next().map_or(Ok(()), |_| man.render_subcommands_section(&mut out)))
        .map_err(CommandFailure::io)?;
    let mut text = String::from_utf8_lossy(&out).into_owned();
    for (heading, words) in
        [("NOTES", words), ("EXAMPLES", examples)].into_iter().filter(|(_, words)| !words.is_empty())
    {
        text += &format!(".SH {heading}\n.nf\n{}\n.fi\n", escape(words));
    }
    text += &format!(".SH \"EXIT STATUS\"\n{}\n", escape(exits));
    let above = name(command).rsplit_once('-').map_or("ttlab", |(above, _)| above);
    let also = if name(command) == "ttlab" { "ttlab\\-run" } else { &above.replace('-', "\\-") };
    text += &format!(".SH \"SEE ALSO\"\n\\fB{also}\\fR(1)\n");
    Ok(text)
}

/// For a command without examples: the lines of its parent's examples that call it.
fn examples_of_parent(root: &clap::Command, command: &clap::Command) -> String {
    let words = name(command).replace('-', " ");
    let above = visible_subcommands(root).find(|above| words.starts_with(&format!("ttlab {} ", above.get_name())));
    let help = above.and_then(clap::Command::get_after_help).map(ToString::to_string).unwrap_or_default();
    let calls: Vec<&str> = help.lines().filter(|line| line.trim_start().starts_with(&format!("{words} "))).collect();
    if calls.is_empty() { String::new() } else { format!("Examples:\n{}", calls.join("\n")) }
}

/// Escapes text for a man page.
fn escape(text: &str) -> String {
    let line = |line: &str| {
        let line = line.replace('\\', "\\e").replace('-', "\\-");
        if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
