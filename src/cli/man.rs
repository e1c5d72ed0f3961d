use super::{CommandFailure, CommandResult, Exit, command, write_error};
use clap_mangen::Man;
use std::path::PathBuf;

/// Print man pages
#[derive(clap::Args)]
#[command(after_help = "Examples:
  ttlab man > ttlab.1 && man ./ttlab.1
  ttlab man run | man -l -                      one command's; `ttlab man trace import` one below it
  ttlab man --out ~/.local/share/man/man1       all of them: then `man ttlab-run`")]
pub struct Args {
    /// A command, and one below it
    #[arg(value_name = "COMMAND", conflicts_with = "out")]
    command: Vec<String>,
    /// Write the pages of all commands into a folder
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
        None => print!("{}", page(&root, meant(&root, &args.command)?)?),
    }
    Ok(Exit::Done)
}

/// The command of these words, each below the one before it.
fn meant<'a>(root: &'a clap::Command, words: &[String]) -> Result<&'a clap::Command, CommandFailure> {
    words.iter().try_fold(root, |above, word| {
        shown(above).find(|below| below.get_name() == word).ok_or_else(|| {
            let hint = super::hint(word, shown(above).map(clap::Command::get_name));
            CommandFailure::usage(format!("`{}` has no command `{word}`{hint}", name(above).replace('-', " ")))
        })
    })
}

/// The commands below one, those apart that nobody is shown.
fn shown(command: &clap::Command) -> impl Iterator<Item = &clap::Command> {
    command.get_subcommands().filter(|below| !below.is_hide_set() && below.get_name() != "help")
}

fn gather<'a>(command: &'a clap::Command, all: &mut Vec<&'a clap::Command>) {
    all.push(command);
    shown(command).for_each(|below| gather(below, all));
}

/// `ttlab-trace-import`.
fn name(command: &clap::Command) -> &str {
    command.get_display_name().unwrap_or_else(|| command.get_name())
}

/// What every command may end with, where its own help does not say more.
const EXITS: &str =
    "0 done, 2 wrong usage or a bad file, 3 a job failed or rows are missing, 5 input/output, 75 interrupted.";

/// A command's page: what its help says, the examples and the exit codes under headings of their own.
fn page(root: &clap::Command, command: &clap::Command) -> Result<String, CommandFailure> {
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let help = if help.is_empty() { from_above(root, command) } else { help };
    // The examples reach from their heading to the next empty line; what stands before and after them is said of the command.
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
        .and_then(|()| shown(command).next().map_or(Ok(()), |_| man.render_subcommands_section(&mut out)))
        .map_err(CommandFailure::io)?;
    let mut text = String::from_utf8_lossy(&out).into_owned();
    for (heading, words) in
        [("NOTES", words), ("EXAMPLES", examples)].into_iter().filter(|(_, words)| !words.is_empty())
    {
        text += &format!(".SH {heading}\n.nf\n{}\n.fi\n", literal(words));
    }
    text += &format!(".SH \"EXIT STATUS\"\n{}\n", literal(exits));
    let above = name(command).rsplit_once('-').map_or("ttlab", |(above, _)| above);
    let also = if name(command) == "ttlab" { "ttlab\\-run" } else { &above.replace('-', "\\-") };
    text += &format!(".SH \"SEE ALSO\"\n\\fB{also}\\fR(1)\n");
    Ok(text)
}

/// Of a command that has no examples of its own, those of the one above it that call it.
fn from_above(root: &clap::Command, command: &clap::Command) -> String {
    let words = name(command).replace('-', " ");
    let above = shown(root).find(|above| words.starts_with(&format!("ttlab {} ", above.get_name())));
    let help = above.and_then(clap::Command::get_after_help).map(ToString::to_string).unwrap_or_default();
    let calls: Vec<&str> = help.lines().filter(|line| line.trim_start().starts_with(&format!("{words} "))).collect();
    if calls.is_empty() { String::new() } else { format!("Examples:\n{}", calls.join("\n")) }
}

/// Text in which a manual's formatter finds no commands.
fn literal(text: &str) -> String {
    let line = |line: &str| {
        let line = line.replace('\\', "\\e").replace('-', "\\-");
        if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Every command has a page, those below others too; none has a heading with nothing below it.
    #[test]
    fn every_command_has_a_page() {
        let mut root = command();
        root.build();
        let mut all = Vec::new();
        gather(&root, &mut all);
        let names: Vec<&str> = all.iter().map(|command| name(command)).collect();
        for expected in ["ttlab", "ttlab-run", "ttlab-trace", "ttlab-trace-info", "ttlab-man"] {
            assert_eq!(names.iter().filter(|name| **name == expected).count(), 1, "{expected} in {names:?}");
        }
        assert!(
            !names.contains(&"ttlab-engine-guard") && !names.iter().any(|name| name.ends_with("help")),
            "{names:?}"
        );
        for command in all {
            let text = page(&root, command).unwrap();
            assert!(!text.contains(".nf\n\n.fi"), "{}", name(command));
            assert_eq!(text.contains(".SH SUBCOMMANDS"), shown(command).next().is_some(), "{}", name(command));
        }
    }

    /// Examples up to the next empty line, exit codes, and what is left as notes: each under its heading, or none where there is nothing.
    #[test]
    fn a_page_has_what_the_help_ends_with() {
        let sections = |help: &'static str, own: &'static str| {
            let below = clap::Command::new("below").after_help(own);
            let mut root =
                clap::Command::new("ttlab").subcommand(clap::Command::new("x").after_help(help).subcommand(below));
            root.build();
            let x = root.find_subcommand("x").unwrap();
            [x, x.find_subcommand("below").unwrap()].map(|command| {
                let text = page(&root, command).unwrap();
                let from = |heading: &str| text.split(heading).nth(1).map(|text| text.split(".SH").next().unwrap());
                let words = |text: &str| text.replace(".nf\n", "").replace("\n.fi", "").trim().to_owned();
                [".SH NOTES", ".SH EXAMPLES", ".SH \"EXIT STATUS\"", ".SH \"SEE ALSO\""]
                    .map(|heading| from(heading).map_or_else(String::new, words))
            })
        };
        let exits = literal(EXITS);
        let own =
            |notes: &str, examples: &str, exits: &str, also: &str| [notes, examples, exits, also].map(str::to_owned);
        let [x, below] = sections(
            "Before.\n\nExamples:\n  ttlab x -a\n  ttlab x below 1\n  ttlab xx below\n\nAfter.\n\nExit: 0 well, 1 not.",
            "",
        );
        assert_eq!(
            x,
            own(
                "Before.\nAfter.",
                "ttlab x \\-a\n  ttlab x below 1\n  ttlab xx below",
                "0 well, 1 not.",
                "\\fBttlab\\fR(1)"
            )
        );
        assert_eq!(below, own("", "ttlab x below 1", &exits, "\\fBttlab\\-x\\fR(1)"), "those above that call it");
        let [x, below] = sections("", "Example:\n  one");
        assert_eq!(x, own("", "", &exits, "\\fBttlab\\fR(1)"));
        assert_eq!(below, own("", "one", &exits, "\\fBttlab\\-x\\fR(1)"));
    }

    /// A line that begins as a formatter's command would is shielded; one that ends so is not.
    #[test]
    fn text_holds_no_commands_of_a_formatter() {
        assert_eq!(literal(".SH x\n'y\nIt ends.\nit's -a \\b"), "\\&.SH x\n\\&'y\nIt ends.\nit's \\-a \\eb");
    }
}
