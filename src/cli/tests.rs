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
