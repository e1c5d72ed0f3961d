//! `doctor.json`: what `ttlab doctor` found of an engine, for the program and the options that it was found with.

use crate::experiment::decode::from_json;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The format of this file.
pub const FORMAT: u32 = 1;

/// Bytes of such a file at most: another file is none.
const MAX_BYTES: u64 = 1 << 20;

/// What was found of an engine.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Diagnosis {
    /// The format of the file.
    pub format: u32,
    /// The build of ttlab.
    pub ttlab: String,
    /// The engine's program.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// SHA-256 of the program.
    pub sha256: String,
    /// What it calls itself.
    pub name: String,
    /// All its options with the values that they had.
    pub options: BTreeMap<String, String>,
    /// How long it took.
    pub seconds: f64,
    /// What was looked at, in order.
    pub checks: Vec<Check>,
    /// Whether it searches less when its table forgets; none where that could not be tried.
    pub forgetting: Option<Forgetting>,
    /// Whether its nodes to a depth can lead.
    pub nodes: NodesVerdict,
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    /// What.
    pub check: String,
    /// How it came out.
    pub result: CheckResult,
    /// In words.
    pub finding: String,
}

/// How a check came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckResult {
    /// As it should.
    Good,
    /// A fault of the engine's.
    Fault,
    /// Neither: something to be known.
    Note,
}

/// What nodes to a depth are worth in an engine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NodesVerdict {
    /// They grow where the table forgets, and buy the same: they can lead.
    Lead,
    /// They shrink where the table forgets, or buy less under the same depth: they mislead.
    Mislead,
    /// Neither was shown.
    #[default]
    Undecided,
}

impl NodesVerdict {
    /// The word, as it stands in the file.
    pub fn word(self) -> &'static str {
        match self {
            Self::Lead => "lead",
            Self::Mislead => "mislead",
            Self::Undecided => "undecided",
        }
    }
}

/// A small table held against a large one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Forgetting {
    /// MiB of the small table.
    pub small: i64,
    /// MiB of the large one.
    pub large: i64,
    /// The depth of the searches.
    pub depth: u8,
    /// Games, and the searches along them.
    pub games: usize,
    /// The searches of each table.
    pub searches: usize,
    /// Of those, how many differ in nodes between the tables.
    pub differing: usize,
    /// Mean `hashfull` of the last searches of the games, with the small table and the large one, where it is told.
    pub hashfull: [Option<f64>; 2],
    /// Nodes with the small table over nodes with the large one, kept along a game.
    pub kept: Option<Figure>,
    /// The same with `ucinewgame` before each search, the first of each game left out.
    pub cleared: Option<Figure>,
    /// Nodes of cleared searches over kept ones with the large table: what tables and histories together save. The first search of each game, equal by design,
    /// is left out.
    pub clearing: Option<Figure>,
    /// Centipawns that the score errs by at that depth: with the small table more than with the large one.
    pub error_at_depth: Option<Figure>,
    /// Mean error at that depth with the large table.
    pub mean_error: Option<f64>,
    /// Nodes of the searches limited by nodes; none where the engine does not heed such a limit.
    pub nodes: Option<u64>,
    /// Centipawns that the score errs by after so many nodes: with the small table more than with the large one.
    pub error_at_nodes: Option<Figure>,
}

/// A mean with its 95 % interval by game; no ends where there are too few games.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// The mean.
    pub mean: f64,
    /// Its lower end.
    pub low: Option<f64>,
    /// Its upper end.
    pub high: Option<f64>,
}

impl Diagnosis {
    /// Reads a file.
    ///
    /// # Errors
    /// What is wrong with it, after its name.
    pub fn read(path: &Path) -> Result<Self, String> {
        let shown = path.display();
        let about = std::fs::metadata(path).map_err(|error| format!("{shown}: {error}"))?;
        if !about.is_file() || about.len() > MAX_BYTES {
            return Err(format!("{shown}: it is no file of `ttlab doctor`"));
        }
        let bytes = std::fs::read(path).map_err(|error| format!("{shown}: {error}"))?;
        let none = |why: String| format!("{shown}: it is no file of `ttlab doctor`: {why}");
        let value = serde_json::from_slice(&bytes).map_err(|error| none(error.to_string()))?;
        let found: Self = from_json(value).map_err(|error| none(error.to_string()))?;
        if found.format != FORMAT {
            return Err(none(format!("its format is {}, expected {FORMAT}", found.format)));
        }
        Ok(found)
    }

    /// The file's text.
    ///
    /// # Errors
    /// When a figure is no number.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }

    /// Whether it is of this program with these options, the size of the table apart, which `ttlab doctor` varies.
    ///
    /// # Errors
    /// What is another.
    pub fn check_matches(
        &self,
        sha256: &str,
        arguments: &[String],
        options: &BTreeMap<String, String>,
    ) -> Result<(), String> {
        if self.sha256 != sha256 {
            let short = |digits: &str| digits.get(..12).unwrap_or(digits).to_owned();
            return Err(format!(
                "it is of another build: SHA-256 {}, this one has {}",
                short(&self.sha256),
                short(sha256)
            ));
        }
        if self.arguments != arguments {
            let words = |words: &[String]| if words.is_empty() { "none".to_owned() } else { words.join(" ") };
            return Err(format!("it is of other arguments: {}, here {}", words(&self.arguments), words(arguments)));
        }
        let names = self.options.keys().chain(options.keys()).filter(|name| !name.eq_ignore_ascii_case("Hash"));
        let value = |of: &BTreeMap<String, String>, name: &str| of.get(name).cloned().unwrap_or_default();
        for name in names {
            let (there, here) = (value(&self.options, name), value(options, name));
            if there != here {
                return Err(format!("it is of other options: {name} = {there}, here {here}"));
            }
        }
        Ok(())
    }

    /// Whether anything is a fault.
    pub fn has_faults(&self) -> bool {
        self.checks.iter().any(|check| check.result == CheckResult::Fault)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn sample() -> Diagnosis {
        let options = [("Hash", "16"), ("Threads", "1")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        Diagnosis {
            format: FORMAT,
            sha256: "00112233445566778899".to_owned(),
            arguments: vec!["-u".to_owned()],
            options: options.into(),
            seconds: 1.5,
            checks: vec![Check {
                check: "go depth".to_owned(),
                result: CheckResult::Good,
                finding: "heeded".to_owned(),
            }],
            forgetting: Some(Forgetting {
                kept: Some(Figure { mean: 0.9, low: Some(0.8), high: None }),
                ..Forgetting::default()
            }),
            nodes: NodesVerdict::Mislead,
            ..Diagnosis::default()
        }
    }

    #[test]
    fn a_file_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("doctor.json");
        let write = |text: &str| std::fs::write(&path, text).unwrap();
        let text = sample().to_json().unwrap();
        write(&text);
        assert_eq!(Diagnosis::read(&path), Ok(sample()));
        let wrong = |text: &str| {
            write(text);
            Diagnosis::read(&path).unwrap_err()
        };
        for (text, message) in [
            (text.replace("\"format\": 1", "\"format\": 2"), "its format is 2, expected 1"),
            (text.replace("mislead", "misled"), "misled"),
            (text.replace("\"seconds\"", "\"secs\""), "secs"),
            (text[..text.len() / 2].to_owned(), "it is no file of `ttlab doctor`"),
            (String::new(), "it is no file of `ttlab doctor`"),
            (" ".repeat((1 << 20) + 1), "it is no file of `ttlab doctor`"),
        ] {
            let output = wrong(&text);
            assert!(output.contains(message) && output.starts_with(&path.display().to_string()), "{output}");
        }
        assert!(Diagnosis::read(folder.path()).unwrap_err().ends_with("it is no file of `ttlab doctor`"));
        assert!(Diagnosis::read(&folder.path().join("none.json")).unwrap_err().contains("No such file"));
    }

    /// The table's size is what was varied; all else must be the same.
    #[test]
    fn a_diagnosis_is_valid_for_its_program_and_options() {
        let one = sample();
        let of = |sha256: &str, argument: &str, options: &[(&str, &str)]| {
            let options = options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            one.check_matches(sha256, &[argument.to_owned()], &options)
        };
        let same = "00112233445566778899";
        assert_eq!(of(same, "-u", &[("Hash", "64"), ("Threads", "1")]), Ok(()));
        for (message, found) in [
            (
                "it is of another build: SHA-256 001122334455, this one has ff1122334455",
                of("ff112233445566778899", "-u", &[("Threads", "1")]),
            ),
            ("it is of other arguments: -u, here -x", of(same, "-x", &[("Threads", "1")])),
            ("it is of other options: Threads = 1, here 2", of(same, "-u", &[("Threads", "2")])),
            ("it is of other options: Threads = 1, here ", of(same, "-u", &[])),
            ("it is of other options: Style = , here wild", of(same, "-u", &[("Style", "wild"), ("Threads", "1")])),
        ] {
            assert_eq!(found, Err(message.to_owned()));
        }
    }

    #[test]
    fn one_fault_is_a_fault() {
        let mut one = sample();
        assert!(!one.has_faults());
        one.checks.push(Check { result: CheckResult::Note, ..one.checks[0].clone() });
        assert!(!one.has_faults());
        one.checks.push(Check { result: CheckResult::Fault, ..one.checks[0].clone() });
        assert!(one.has_faults());
        let words = [NodesVerdict::Lead, NodesVerdict::Mislead, NodesVerdict::Undecided];
        for word in words {
            assert_eq!(serde_json::to_string(&word).unwrap(), format!("\"{}\"", word.word()));
        }
    }
}
