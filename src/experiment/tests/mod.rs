//! Experiment files with one error each: the message, the bytes that it points at, and the
//! suggestion; and values on both sides of each limit.

mod confirm;
mod matches;
mod places;
mod reference;
mod suites;
mod variants;

use super::{Experiment, Problem};
use std::path::Path;

fn read(text: &str, sets: &[&str]) -> Result<Experiment, Problem> {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    Experiment::parse(text, Path::new("files/x.toml"), &sets)
}

/// The error of a file: message, text that it points at, help; empty strings without an error.
fn output(text: &str, sets: &[&str]) -> (String, String, String) {
    match read(text, sets) {
        Ok(_) => Default::default(),
        Err(Problem { text, span, message, help, .. }) => {
            (message, span.map_or_else(String::new, |span| text[span].to_owned()), help.unwrap_or_default())
        }
    }
}

#[track_caller]
fn check(start: &str, cases: &[(&str, &str, &str, &str)]) {
    for (text, message, place, help) in cases {
        let (found, excerpt, suggestion) = output(&format!("{start}{text}\n"), &[]);
        assert_eq!((found.as_str(), excerpt.as_str(), suggestion.as_str()), (*message, *place, *help), "{text}");
    }
}

const SEARCH: &str = "suite = { startpos = true }\nlimit = { depth = 2 }\n";
const GRID: &str = "suite = { startpos = true }\nlimit = { depth = 2 }\n[grid]\n\"table.slots\" = [1, 2]\n\"table.size\" = [64, \"1 MiB\", 256]\n";
const GAMES: &str = "suite = { startpos = true }\nlimit = { nodes = 9 }\n[[variant]]\nname = \"first\"\n[[variant]]\nname = \"second\"\n\"keys.seed\" = 2\n\
    [[variant]]\nname = \"third, (x)\"\n\"keys.seed\" = 3\n[match]\n";
