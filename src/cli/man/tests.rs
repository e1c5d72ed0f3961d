use super::*;

#[test]
fn page_exists_for_every_command_without_empty_sections() {
    let mut root = ttlab_command();
    root.build();
    let mut commands = Vec::new();
    collect_commands(&root, &mut commands);
    let names: Vec<&str> = commands.iter().map(|command| page_name(command)).collect();
    for expected in ["ttlab", "ttlab-run", "ttlab-trace", "ttlab-trace-info", "ttlab-man"] {
        assert_eq!(names.iter().filter(|name| **name == expected).count(), 1, "{expected} in {names:?}");
    }
    assert!(!names.contains(&"ttlab-engine-guard"), "{names:?}");
    assert!(!names.iter().any(|name| name.ends_with("help")), "{names:?}");
    for command in commands {
        let text = render_page(&root, command).unwrap();
        assert!(!text.contains(".nf\n\n.fi"), "{}", page_name(command));
        assert_eq!(
            text.contains(".SH SUBCOMMANDS"),
            visible_subcommands(command).next().is_some(),
            "{}",
            page_name(command)
        );
    }
}

#[test]
fn page_splits_help_into_notes_examples_and_exit_codes() {
    let render_sections = |help: &'static str, child_help: &'static str| {
        let below = clap::Command::new("below").after_help(child_help);
        let mut root =
            clap::Command::new("ttlab").subcommand(clap::Command::new("x").after_help(help).subcommand(below));
        root.build();
        let x = root.find_subcommand("x").unwrap();
        [x, x.find_subcommand("below").unwrap()].map(|command| {
            let text = render_page(&root, command).unwrap();
            let find_section = |heading: &str| text.split(heading).nth(1).map(|text| text.split(".SH").next().unwrap());
            let strip_markup = |text: &str| text.replace(".nf\n", "").replace("\n.fi", "").trim().to_owned();
            [".SH NOTES", ".SH EXAMPLES", ".SH \"EXIT STATUS\"", ".SH \"SEE ALSO\""]
                .map(|heading| find_section(heading).map_or_else(String::new, strip_markup))
        })
    };
    let exits = escape(DEFAULT_EXIT_CODES);
    let expected =
        |notes: &str, examples: &str, exits: &str, also: &str| [notes, examples, exits, also].map(str::to_owned);
    let [x, below] = render_sections(
        "Before.\n\nExamples:\n  ttlab x -a\n  ttlab x below 1\n  ttlab xx below\n\nAfter.\n\nExit: 0 well, 1 not.",
        "",
    );
    assert_eq!(
        x,
        expected(
            "Before.\nAfter.",
            "ttlab x \\-a\n  ttlab x below 1\n  ttlab xx below",
            "0 well, 1 not.",
            "\\fBttlab\\fR(1)"
        )
    );
    assert_eq!(
        below,
        expected("", "ttlab x below 1", &exits, "\\fBttlab\\-x\\fR(1)"),
        "the parent's examples that call it"
    );
    let [x, below] = render_sections("", "Example:\n  one");
    assert_eq!(x, expected("", "", &exits, "\\fBttlab\\fR(1)"));
    assert_eq!(below, expected("", "one", &exits, "\\fBttlab\\-x\\fR(1)"));
}

#[test]
fn escape_protects_formatter_commands() {
    assert_eq!(escape(".SH x\n'y\nIt ends.\nit's -a \\b"), "\\&.SH x\n\\&'y\nIt ends.\nit's \\-a \\eb");
}
