//! Tests of the command line as a whole.

use super::*;

pub(super) mod commands;
mod flags;
mod folders;
mod traces;

#[test]
fn help_lists_every_visible_command_in_one_group() {
    let command = ttlab_command();
    for visible in command.get_subcommands().filter(|command| !command.is_hide_set()) {
        let name = visible.get_name();
        let groups = GROUPS.iter().filter(|(_, names)| names.iter().any(|other| other.to_lowercase() == name)).count();
        assert_eq!(groups, 1, "{name}");
    }
}

#[test]
fn every_line_of_the_command_list_fits_into_80_columns() {
    for line in ttlab_command().render_help().to_string().lines().take_while(|line| *line != "Options:") {
        assert!(line.chars().count() <= 80 || line.starts_with("A laboratory"), "{line}");
    }
}

#[test]
fn help_paragraphs_are_joined_and_examples_and_exit_codes_keep_their_lines() {
    for (text, joined) in [
        ("One\ntwo.\n\nThree.", "One two.\n\nThree."),
        ("Examples:\n  a b\n  c\nProse\nends.", "Examples:\n  a b\n  c\nProse ends."),
        ("Prose.\nExit: 0 done,\n1 not.", "Prose.\nExit: 0 done, 1 not."),
        ("Prose:\nit ends.", "Prose:\nit ends."),
    ] {
        assert_eq!(join_lines(text), joined);
    }
    let command = join_help_lines(ttlab_command());
    let help = command.find_subcommand("run").unwrap().get_after_help().unwrap().to_string();
    let last = help.lines().last().unwrap();
    assert!(last.starts_with("Exit: 0 done, "), "{help}");
    assert!(last.ends_with("75 interrupted (can be resumed)."), "{help}");
}
