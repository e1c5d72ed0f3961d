use super::{CommandFailure, CommandResult, Exit, io_failure, ttlab_command};
use clap_mangen::Man;
use std::path::PathBuf;

/// Print man pages
#[derive(clap::Args)]
#[command(after_help = include_str!("help/man.txt"))]
pub struct Args {
    /// A command, or a command and its subcommand
    #[arg(value_name = "COMMAND", conflicts_with = "out")]
    command: Vec<String>,
    /// Write the pages of all commands to a folder
    #[arg(short, long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

pub fn run(args: &Args) -> CommandResult {
    let mut root = ttlab_command();
    root.build();
    match &args.out {
        Some(folder) => {
            crate::record::create_folder(folder).map_err(io_failure(folder))?;
            let mut commands = Vec::new();
            collect_commands(&root, &mut commands);
            for command in &commands {
                super::write(&folder.join(format!("{}.1", page_name(command))), &render_page(&root, command)?)?;
            }
            println!("{} pages in {}", commands.len(), folder.display());
        }
        None => print!("{}", render_page(&root, find_command(&root, &args.command)?)?),
    }
    Ok(Exit::Done)
}

/// Finds the command that is given by several words, such as `trace` and `import`. Without words,
/// returns `root`.
fn find_command<'a>(root: &'a clap::Command, words: &[String]) -> Result<&'a clap::Command, CommandFailure> {
    words.iter().try_fold(root, |parent, word| {
        visible_subcommands(parent).find(|subcommand| subcommand.get_name() == word).ok_or_else(|| {
            let hint = super::hint(word, visible_subcommands(parent).map(clap::Command::get_name));
            CommandFailure::usage(format!("`{}` has no command `{word}`{hint}", page_name(parent).replace('-', " ")))
        })
    })
}

fn visible_subcommands(command: &clap::Command) -> impl Iterator<Item = &clap::Command> {
    command.get_subcommands().filter(|subcommand| !subcommand.is_hide_set() && subcommand.get_name() != "help")
}

/// Adds a command and all its visible subcommands, at any depth, to the list.
fn collect_commands<'a>(command: &'a clap::Command, commands: &mut Vec<&'a clap::Command>) {
    commands.push(command);
    visible_subcommands(command).for_each(|subcommand| collect_commands(subcommand, commands));
}

/// Returns the name of a command's man page, such as `ttlab-trace-import`.
fn page_name(command: &clap::Command) -> &str {
    command.get_display_name().unwrap_or_else(|| command.get_name())
}

/// The text about exit codes in the man pages of commands whose help does not list exit codes.
const DEFAULT_EXIT_CODES: &str =
    "0 done, 2 wrong usage or a bad file, 3 a job failed or rows are missing, 5 input/output, 75 interrupted.";

/// Renders the man page of a command. The examples and the exit codes, which are part of the
/// command's help, are moved to sections of their own.
fn render_page(root: &clap::Command, command: &clap::Command) -> Result<String, CommandFailure> {
    let own_help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let help = if own_help.is_empty() { examples_of_parent(root, command) } else { own_help };
    // The examples end at the next empty line. The texts before and after the examples are notes.
    let split_at_heading = ["Examples:\n", "Example:\n"].into_iter().find_map(|heading| help.split_once(heading));
    let (examples, notes) = match split_at_heading {
        Some((notes_before, after_heading)) => {
            let (examples, notes_after) = after_heading.split_once("\n\n").unwrap_or((after_heading, ""));
            (examples, format!("{}\n{}", notes_before.trim(), notes_after.trim()))
        }
        None => ("", help.clone()),
    };
    let (notes, exit_codes) = notes.split_once("Exit: ").unwrap_or((&notes, DEFAULT_EXIT_CODES));
    let (notes, exit_codes) = (notes.trim(), exit_codes.trim());
    let mut out = Vec::new();
    let man = Man::new(command.clone());
    man.render_title(&mut out)
        .and_then(|()| man.render_name_section(&mut out))
        .and_then(|()| man.render_synopsis_section(&mut out))
        .and_then(|()| man.render_description_section(&mut out))
        .and_then(|()| man.render_options_section(&mut out))
        .and_then(|()| match visible_subcommands(command).next() {
            Some(_) => man.render_subcommands_section(&mut out),
            None => Ok(()),
        })
        .map_err(CommandFailure::io)?;
    let mut text = String::from_utf8_lossy(&out).into_owned();
    for (heading, section) in
        [("NOTES", notes), ("EXAMPLES", examples)].into_iter().filter(|(_, section)| !section.is_empty())
    {
        text += &format!(".SH {heading}\n.nf\n{}\n.fi\n", escape(section));
    }
    text += &format!(".SH \"EXIT STATUS\"\n{}\n", escape(exit_codes));
    let parent = page_name(command).rsplit_once('-').map_or("ttlab", |(parent, _)| parent);
    let see_also = if page_name(command) == "ttlab" { "ttlab\\-run" } else { &parent.replace('-', "\\-") };
    text += &format!(".SH \"SEE ALSO\"\n\\fB{see_also}\\fR(1)\n");
    Ok(text)
}

/// Returns examples for a command whose help has none. They are the lines in the help of the parent
/// command that call the command. Returns an empty text if there are no such lines.
fn examples_of_parent(root: &clap::Command, command: &clap::Command) -> String {
    let command_words = page_name(command).replace('-', " ");
    let parent =
        visible_subcommands(root).find(|parent| command_words.starts_with(&format!("ttlab {} ", parent.get_name())));
    let help = parent.and_then(clap::Command::get_after_help).map(ToString::to_string).unwrap_or_default();
    let calls: Vec<&str> =
        help.lines().filter(|line| line.trim_start().starts_with(&format!("{command_words} "))).collect();
    if calls.is_empty() { String::new() } else { format!("Examples:\n{}", calls.join("\n")) }
}

/// Escapes text for a man page.
fn escape(text: &str) -> String {
    let escape_line = |line: &str| {
        let line = line.replace('\\', "\\e").replace('-', "\\-");
        if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line }
    };
    text.lines().map(escape_line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests;
