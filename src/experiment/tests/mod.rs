//! Experiment files with one error each: tests of the message, the text that it points at, and the
//! suggestion, and of values on both sides of each limit.

mod confirm;
mod matches;
mod places;
mod reference;
mod suites;
mod variants;

use super::{Experiment, Problem};
use std::path::Path;

/// Reads an experiment file. `sets`: `path=value` pairs that override options of every variant.
fn read(text: &str, sets: &[&str]) -> Result<Experiment, Problem> {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    Experiment::parse(text, Path::new("files/x.toml"), &sets)
}

/// The first error in a file. All fields are empty if the file is valid.
#[derive(Debug, Default, PartialEq)]
struct FileError {
    message: String,
    /// The text that the error points at.
    excerpt: String,
    help: String,
}

/// The first error in a file, if `sets` override options of every variant.
fn read_error(text: &str, sets: &[&str]) -> FileError {
    match read(text, sets) {
        Ok(_) => FileError::default(),
        Err(Problem { text, span, message, help, .. }) => FileError {
            message,
            excerpt: span.map_or_else(String::new, |span| text[span].to_owned()),
            help: help.unwrap_or_default(),
        },
    }
}

/// For each case (lines, message, excerpt, help): checks the first error of a file that consists of
/// `start` and the lines. The message, excerpt and help are empty if the file is valid.
#[track_caller]
fn check(start: &str, cases: &[(&str, &str, &str, &str)]) {
    for (lines, message, excerpt, help) in cases {
        let error = read_error(&format!("{start}{lines}\n"), &[]);
        assert_eq!(
            (error.message.as_str(), error.excerpt.as_str(), error.help.as_str()),
            (*message, *excerpt, *help),
            "{lines}"
        );
    }
}

const SEARCH: &str = "suite = { startpos = true }\nlimit = { depth = 2 }\n";
const GRID: &str = "suite = { startpos = true }\nlimit = { depth = 2 }\n[grid]\n\"table.slots\" = [1, 2]\n\"table.size\" = [64, \"1 MiB\", 256]\n";
const GAMES: &str = "suite = { startpos = true }\nlimit = { nodes = 9 }\n[[variant]]\nname = \"first\"\n[[variant]]\nname = \"second\"\n\"keys.seed\" = 2\n\
    [[variant]]\nname = \"third, (x)\"\n\"keys.seed\" = 3\n[match]\n";
