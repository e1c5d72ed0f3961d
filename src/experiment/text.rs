//! The text of an experiment file: where its mistakes are, and the suite that it names.

use super::file::{File, OnePosition, SuiteChoice};
use super::problem::{Problem, nearest};
use crate::chess::Board;
use crate::chess::fault::OnError;
use crate::chess::suite::{Suite, SuiteKind, SuiteOptions};
use std::path::{Path, PathBuf};

/// The text of a file and how to point into it.
pub struct FileText<'a> {
    /// The text.
    pub text: &'a str,
    /// The file.
    pub path: &'a Path,
    /// The text of the suite's file, where a plan holds it (or holds that there is none); else the file is looked for.
    pub suite: Option<Option<&'a str>>,
}

impl FileText<'_> {
    /// A mistake with no place.
    #[must_use]
    pub fn problem(&self, message: impl Into<String>) -> Problem {
        Problem {
            file: self.path.display().to_string(),
            text: self.text.to_owned(),
            span: None,
            message: message.into(),
            help: None,
        }
    }

    /// A mistake at a key of the file (`name`, `grid.table.size`), as far as the path can be followed.
    #[must_use]
    pub fn at(&self, path: &str, message: impl Into<String>) -> Problem {
        Problem { span: super::place::locate(self.text, path), ..self.problem(message) }
    }

    /// As [`FileText::at`], at the word of the key's value that is meant.
    #[must_use]
    pub fn at_word(&self, path: &str, word: &str, message: impl Into<String>) -> Problem {
        Problem { span: super::place::locate_word(self.text, path, Some(word)), ..self.problem(message) }
    }

    pub(super) fn suite(
        &self,
        choice: &SuiteChoice,
        on_error: OnError,
    ) -> Result<(String, Option<PathBuf>, Suite), Problem> {
        let file = match choice {
            SuiteChoice::One(OnePosition { fen: Some(fen), startpos: false }) => {
                let board = Board::from_fen(fen).map_err(|error| self.at("suite", format!("suite.fen: {error}")))?;
                return Ok((fen.clone(), None, Suite::of_board("fen", board)));
            }
            SuiteChoice::One(OnePosition { fen: None, startpos: true }) => {
                return Ok(("startpos".to_owned(), None, Suite::of_board("startpos", Board::startpos())));
            }
            SuiteChoice::One(_) => {
                return Err(self.at("suite", "suite: expected a file, { startpos = true } or { fen = \"...\" }"));
            }
            SuiteChoice::File(file) => file,
        };
        let (name, options) = (file.display().to_string(), SuiteOptions { on_error, ..SuiteOptions::default() });
        if let Some(text) = self.suite {
            let text = text.ok_or_else(|| self.at("suite", "suite: the plan does not hold its text"))?;
            let kind = SuiteKind::of(file).ok_or_else(|| self.at("suite", format!("suite: {name} is no suite")))?;
            let stem = file.file_stem().unwrap_or_default().to_string_lossy();
            let suite = Suite::read(&stem, &name, kind, text.as_bytes(), options);
            let suite = suite.map_err(|error| self.at("suite", format!("suite: {error}")))?;
            if suite.items.is_empty() {
                return Err(self.at("suite", format!("suite: {name}: no positions or games")));
            }
            return Ok((name, None, suite));
        }
        let beside = self.path.parent().unwrap_or(Path::new("")).join(file);
        let found = if beside.is_file() { &beside } else { file };
        if !found.is_file() {
            let siblings = std::fs::read_dir(found.parent().filter(|dir| dir.is_dir()).unwrap_or(Path::new("data")));
            let names: Vec<String> = siblings
                .map(|dir| dir.flatten().map(|entry| entry.path().display().to_string()).collect())
                .unwrap_or_default();
            return Err(Problem {
                help: nearest(&name, names.iter().map(String::as_str)),
                ..self.at("suite", format!("suite: there is no file {name}"))
            });
        }
        let suite = Suite::load(found, options).map_err(|error| self.at("suite", format!("suite: {error}")))?;
        Ok((name, Some(found.clone()), suite))
    }

    pub(super) fn check_sequence(&self, file: &File, suite: &Suite) -> Result<(), Problem> {
        let games = suite.items.iter().any(|item| item.game().is_some());
        match file.sequence {
            Some(sequence) if games && sequence.self_play > 0 => {
                Err(self.at("sequence", "sequence.self_play: the suite's games give the moves: leave it out"))
            }
            Some(sequence) if !games && sequence.self_play == 0 => Err(self.at(
                "sequence",
                "sequence: the suite has single positions: give self_play (plies of the engine's own play)",
            )),
            Some(sequence) if sequence.to.is_some_and(|to| to < sequence.from) => {
                Err(self.at("sequence", "sequence.to: lies before sequence.from"))
            }
            Some(sequence) if !suite.items.iter().any(|item| sequence.searches(item)) => {
                Err(self.at("sequence", "sequence: no item of the suite has such plies: nothing would be searched"))
            }
            _ => Ok(()),
        }
    }
}
