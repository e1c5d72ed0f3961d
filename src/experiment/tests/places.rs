//! Errors in sequences, suites, subjects and settings.

use super::{Experiment, FileError, SEARCH, check, read, read_error};
use std::path::Path;

/// A quoted key is a single word, even with dots in it.
#[test]
fn quoted_path_is_refused_with_a_suggestion() {
    let expected_help = |path: &str| format!("a quoted key is one word: write it without quotes, `{path} = ...`");
    for (lines, path, word) in [
        ("[engine]\n\"table.policy\" = \"always\"", "table.policy", "table.policy"),
        ("[engine.table]\n\"policy.kind\" = \"always\"", "table.policy.kind", "policy.kind"),
    ] {
        let error = read_error(&format!("{SEARCH}{lines}\n"), &[]);
        assert_eq!(error.message, format!("{path}: unknown key `{word}` (variant \"default\")"));
        assert_eq!((error.excerpt, error.help), (format!("\"{word}\""), expected_help(word)));
    }
}

#[test]
fn sequence_and_suite_errors_have_their_place() {
    let limit = "limit = { depth = 1 }\n";
    check(
        limit,
        &[
            ("", "suite: missing: give suite = \"FILE\", or [trace] with file = \"FILE\"", "", ""),
            (
                "suite = { startpos = true, fen = \"x\" }",
                "suite: expected a file, { startpos = true } or { fen = \"...\" }",
                "suite",
                "",
            ),
            (
                "suite = \"data/games.pgm\"",
                "suite: there is no file data/games.pgm",
                "suite",
                "did you mean `data/games.pgn`?",
            ),
            ("suite = \"./data\"", "suite: ./data is a folder: give one of its files", "suite", ""),
            (
                "suite = { startpos = true }\ntrace = { file = \"x\" }",
                "trace: suite and [trace] are mutually exclusive: searches need a suite, a replay needs a trace",
                "trace",
                "",
            ),
            (
                "suite = { startpos = true }\n[sequence]\nfrom = 2",
                "sequence: the suite has single positions: give self_play, the number of plies to play from each position",
                "sequence",
                "",
            ),
            (
                "suite = \"data/games.pgn\"\n[sequence]\nself_play = 1",
                "sequence.self_play: the games of the suite already have moves: remove self_play",
                "sequence",
                "",
            ),
            (
                "suite = { startpos = true }\n[sequence]\nself_play = 4\nfrom = 2",
                "sequence.from, sequence.to: these select plies of a game, but the suite has single positions: \
                 remove them",
                "sequence",
                "",
            ),
            (
                "suite = { startpos = true }\n[sequence]\nself_play = 4\nto = 9",
                "sequence.from, sequence.to: these select plies of a game, but the suite has single positions: \
                 remove them",
                "sequence",
                "",
            ),
            ("suite = \"data/games.pgn\"\nfirst = 1\n[sequence]\nfrom = 5\nto = 5", "", "", ""),
            (
                "suite = \"data/games.pgn\"\nfirst = 1\n[sequence]\nfrom = 5\nto = 4",
                "sequence.to: lies before sequence.from",
                "sequence",
                "",
            ),
            (
                "suite = \"data/games.pgn\"\nfirst = 1\n[sequence]\nfrom = 60000",
                "sequence: no game of the suite has plies in this range: nothing would be searched",
                "sequence",
                "",
            ),
            (
                "suite = { startpos = true }\nsequence = { self_play = 1, side = \"black\" }",
                "sequence: no game of the suite has plies in this range: nothing would be searched",
                "sequence",
                "",
            ),
            ("suite = { startpos = true }\nsequence = { self_play = 2, side = \"black\" }", "", "", ""),
            (
                "suite = { startpos = true }\nname = \".x\"",
                "name: `.x` is not a valid folder name: expected letters, digits, - _ .",
                "name",
                "",
            ),
            ("suite = { startpos = true }\nname = \"x.Y-_9\"", "", "", ""),
            (
                "suite = { startpos = true }\nseeds = 2\n[subject]\nuci = \"x\"",
                "seeds: an external engine has no key seeds: give seeds = 1",
                "seeds",
                "",
            ),
            (
                "suite = { startpos = true }\nseeds = 2\n[[variant]]\nname = \"ours\"\n[[variant]]\nname = \"theirs\"\n'subject.uci' = \"x\"",
                "seeds: an external engine has no key seeds: give seeds = 1",
                "seeds",
                "",
            ),
        ],
    );
    // A search by nodes alone needs deepening; an external engine has its own.
    let message = "limit.depth: missing: a search without deepening needs a depth";
    let without_deepening = "suite = { startpos = true }\nlimit = { nodes = 9 }\n[engine]\ndeepening.step = 0\n";
    check(without_deepening, &[("", message, "limit", ""), ("[subject]\nuci = \"x\"", "", "", "")]);
    // If the file's name is not a valid experiment name, a name is suggested: the file need not be
    // renamed.
    for (file, name) in [("my dir/ex p.toml", "ex-p"), (".x.toml", "x.x"), ("-.toml", "-")] {
        let problem = Experiment::parse(SEARCH, Path::new(file), &[]).err();
        let help = problem.and_then(|problem| problem.help);
        let expected = format!(
            "the name was taken from the file's name: write name = \"{name}\" at the top of the \
            file"
        );
        assert_eq!(help, (name != "-").then_some(expected), "{file}");
    }
    // An experiment without a name takes the name of its file.
    assert_eq!(read(SEARCH, &[]).map(|experiment| experiment.name).unwrap_or_default(), "x");
}

#[test]
fn subject_errors_have_their_place() {
    check(
        &format!("{SEARCH}[subject]\n"),
        &[
            ("uci = \"x\"\ntimeout = 0.001", "", "", ""),
            ("uci = \"x\"\ntimeout = 1e7", "", "", ""),
            (
                "uci = \"x\"\ntimeout = 0.0009",
                "subject.timeout: expected seconds, from 0.001 to 1e7 (variant \"default\")",
                "timeout",
                "",
            ),
            (
                "uci = \"x\"\ntimeout = 1.1e7",
                "subject.timeout: expected seconds, from 0.001 to 1e7 (variant \"default\")",
                "timeout",
                "",
            ),
            (
                "uci = \" \"",
                "subject.uci: expected a program, or a list with its arguments (variant \"default\")",
                "uci",
                "",
            ),
            (
                "uci = []",
                "subject.uci: expected a program, or a list with its arguments (variant \"default\")",
                "uci",
                "",
            ),
            (
                "uci = \"builtin\"\n[[variant]]\nname = \"v\"\n\"uci.Hash\" = 4",
                "uci.Hash: ttlab's own engine has no UCI options: set its options in [engine] (variant \"v\")",
                "\"uci.Hash\"",
                "",
            ),
            (
                "uci = \"x\"\noptions = 3\n[[variant]]\nname = \"v\"\n\"uci.Hash\" = 4",
                "uci.Hash: `options` is a single value, not a table (variant \"v\")",
                "\"uci.Hash\"",
                "",
            ),
            (
                "uci = [\"x\", \"-u\"]\n[[variant]]\nname = \"v\"\n\"table.slots\" = 4",
                "table.slots: is an option of ttlab's own engine, but this variant runs `x -u`: set its options as \"uci.NAME\" (variant \"v\")",
                "\"table.slots\"",
                "",
            ),
            ("uci = \"x\"\n[[variant]]\nname = \"v\"\n\"limit.depth\" = 4", "", "", ""),
            (
                "uci = \"x\"\n[[variant]]\nname = \"v\"\n\"uci.\" = 4",
                "variant.uci.: there is no option `uci.`",
                "\"uci.\"",
                "did you mean `subject.uci`?",
            ),
            (
                "uci = \"x\"\nrestart = \"gam\"",
                "subject.restart: unknown word `gam`, expected one of `experiment`, `game`, `search` (variant \"default\")",
                "\"gam\"",
                "did you mean `game`?",
            ),
        ],
    );
    let text = format!(
        "{SEARCH}[subject]\nuci = [\"x\", \"-u\"]\noptions = {{ Hash = 4 }}\n[[variant]]\nname = \"v\"\n\"uci.Hash\" = 8\n\"uci.A.b\" = true\n\"subject.timeout\" = 2.5\n\
        \"subject.restart\" = \"game\"\n[[variant]]\nname = \"w\"\nsubject = \"builtin\"\n"
    );
    let experiment = read(&text, &[]).map_err(|problem| problem.to_string());
    let columns = |index: usize| {
        experiment.as_ref().map(|experiment| crate::experiment::variant::option_columns(&experiment.variants[index]))
    };
    let expected = [
        ("subject.uci", "x -u"),
        ("subject.restart", "game"),
        ("subject.timeout", "2.5"),
        ("uci.A.b", "true"),
        ("uci.Hash", "8"),
        ("limit.depth", "2"),
    ];
    assert_eq!(columns(0), Ok(expected.map(|(path, value)| (path.to_owned(), value.to_owned())).to_vec()));
    let builtin = columns(1).map(|columns| (columns[0].clone(), columns.len() > 20)).map_err(Clone::clone);
    assert_eq!(builtin, Ok((("subject.uci".to_owned(), "builtin".to_owned()), true)));
}

#[test]
fn setting_errors_have_their_place() {
    for (set, expected_message, expected_excerpt, expected_help) in [
        ("table.slots", "--set table.slots: expected path=value, as in table.size=\"4 MiB\"", "table.slots", ""),
        ("table.slots=9", "table.slots: 9 is out of range: expected 1 to 8 (variant \"default\")", "9", ""),
        (
            "table.slotz=9",
            "--set.table.slotz: there is no option `table.slotz`",
            "table.slotz",
            "did you mean `table.slots`?",
        ),
        (
            "engine.table.slots=2",
            "--set.engine.table.slots: there is no option `engine.table.slots`",
            "engine.table.slots",
            "did you mean `table.slots`? --set expects the path below [engine]",
        ),
        (
            "grid.table.slots=2",
            "--set.grid.table.slots: there is no option `grid.table.slots`",
            "grid.table.slots",
            "did you mean `table.slots`? --set expects the path below [engine]",
        ),
        (
            "repeats=2",
            "--set.repeats: there is no option `repeats`",
            "repeats",
            "`repeats` can be set only in the file: --set overrides only engine options and limits of all variants",
        ),
        ("draws=", "draws: expected a value after the =", "", "expected true | false"),
        ("draws.x=1", "draws.x: `draws` is a single value, not a table (variant \"default\")", "1", ""),
        ("limit.depth=0", "limit.depth: expected a number from 1 to 255, found 0", "0", ""),
        ("limit.depth=256", "limit.depth: expected a number from 1 to 255, found 256", "256", ""),
        ("limit.nodes=0", "limit.nodes: expected a number above 0, found 0", "0", ""),
        ("limit.nodes=many", "limit.nodes: expected a number above 0, found many", "many", ""),
        ("preset=3", "preset: expected a name in quotes (variant \"default\")", "3", ""),
    ] {
        let FileError { message, excerpt, help } = read_error(SEARCH, &[set]);
        if set == "draws.x=1" {
            // The path is unknown before options are read.
            assert!(message.contains("draws.x"), "{message}: {help}");
            assert!(!help.contains("draws.x"), "{message}: {help}");
            continue;
        }
        assert_eq!(
            (message.as_str(), excerpt.as_str(), help.as_str()),
            (expected_message, expected_excerpt, expected_help),
            "{set}"
        );
    }
    let error = read_error(SEARCH, &["subject.patience=3"]);
    assert_eq!(
        (error.message.as_str(), error.excerpt.as_str()),
        ("--set.subject.patience: there is no option `subject.patience`", "subject.patience")
    );
    let problem = crate::experiment::options(Some("purpel"), &[]).err().map(|problem| (problem.message, problem.help));
    let presets = "purple, purple-listing, purple-as-published, otter, webster, webster-as-published, ancient, vipermate, match, modern";
    assert_eq!(
        problem,
        Some((
            format!("preset: unknown preset `purpel`, expected one of {presets}"),
            Some("did you mean `purple`?".to_owned())
        ))
    );
    let message = crate::experiment::options(None, &["limit.depth=3".to_owned()]).err().map(|problem| problem.message);
    assert_eq!(message.as_deref(), Some("limit.depth: is not an option of ttlab's own engine"));
}

#[test]
fn file_numbers_are_checked_at_both_limits() {
    check(
        SEARCH,
        &[
            ("repeats = 1", "", "", ""),
            ("repeats = 10000", "", "", ""),
            ("repeats = 0", "repeats: 0 is out of range: expected 1 to 10000", "repeats", ""),
            ("repeats = 10001", "repeats: 10001 is out of range: expected 1 to 10000", "repeats", ""),
            ("seeds = 10000", "", "", ""),
            ("seeds = 0", "seeds: 0 is out of range: expected 1 to 10000", "seeds", ""),
            ("seeds = 10001", "seeds: 10001 is out of range: expected 1 to 10000", "seeds", ""),
            ("schedules = 10001", "schedules: 10001 is out of range: expected 1 to 10000", "schedules", ""),
            (
                "schedules = 2",
                "schedules: no variant has a schedule that depends on a seed: give one threads.count above 1 and \
                 threads.schedule = \"random\" or threads.helpers = \"shuffle\"",
                "schedules",
                "",
            ),
            (
                "schedules = 2\nseeds = 2",
                "schedules: is not allowed beside seeds: give the seeds as variants (\"keys.seed\" = [1, 2, 3] in [grid])",
                "schedules",
                "",
            ),
            ("smallest_effect = 0.0", "", "", ""),
            ("smallest_effect = 0.99", "", "", ""),
            (
                "smallest_effect = 1.0",
                "smallest_effect: 1 is out of range: expected at least 0 and below 1",
                "smallest_effect",
                "",
            ),
            ("first = 1", "", "", ""),
            ("first = 0", "first: 0 is out of range: expected at least 1", "first", ""),
        ],
    );
}
