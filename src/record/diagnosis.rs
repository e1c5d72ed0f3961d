//! Reads and writes `doctor.json`, which contains the findings of `ttlab doctor` about an engine.
//! The findings are valid only for the program and the options with which they were made.

use crate::decode::from_json;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

pub const FORMAT: u32 = 2;

/// The check whether nodes to a depth tell a good table from a bad one.
pub const NODES_QUESTION: &str = "nodes to a depth";

/// Maximum size of a file of findings in bytes. Longer files are refused.
const MAX_BYTES: u64 = 1 << 20;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Diagnosis {
    pub format: u32,
    pub ttlab: String,
    pub program: String,
    pub arguments: Vec<String>,
    /// SHA-256 of the program.
    pub sha256: String,
    /// The engine's name, from its `id name` line.
    pub name: String,
    pub options: BTreeMap<String, String>,
    /// Duration of the examination in seconds.
    pub seconds: f64,
    pub checks: Vec<Check>,
    /// Comparison of a small table with a large table. `None` if they could not be compared.
    pub forgetting: Option<Forgetting>,
    /// Whether the nodes that the engine needs to reach a depth may be the leading metric.
    pub nodes: NodesVerdict,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Check {
    pub check: String,
    pub result: CheckResult,
    pub finding: String,
}

/// The answer to a question about an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckResult {
    Holds,
    DoesNotHold,
    /// Undecided. The finding names the command that decides.
    NeedsMore,
    /// Information for the user that answers no question.
    Note,
}

/// Whether the nodes that an engine needs to reach a depth tell good tables from bad tables.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NodesVerdict {
    /// With a table that forgets entries, the engine needs more nodes for the same quality. Fewer
    /// nodes therefore mean a better table, and nodes can be the leading metric.
    Lead,
    /// With a table that forgets entries, the engine needs fewer nodes, or its searches to the same
    /// depth are worse. Nodes are therefore misleading.
    Mislead,
    #[default]
    Undecided,
}

impl NodesVerdict {
    pub fn word(self) -> &'static str {
        match self {
            Self::Lead => "lead",
            Self::Mislead => "mislead",
            Self::Undecided => "undecided",
        }
    }
}

/// The comparison of searches with a small table, which forgets entries, and a large table.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Forgetting {
    /// Size of the small table in MiB.
    pub small: i64,
    /// Size of the large table in MiB.
    pub large: i64,
    /// Depth of the searches, in plies.
    pub depth: u8,
    pub games: usize,
    pub searches: usize,
    /// Number of searches for which the two tables need different numbers of nodes.
    pub differing: usize,
    /// Mean nodes of a search with the large table.
    pub nodes: u64,
    /// Mean `hashfull` at the end of the games, for the small and the large table. `None` if the
    /// engine does not report it.
    pub hashfull: [Option<f64>; 2],
    /// Nodes with the small table divided by nodes with the large table. The tables are kept
    /// between the searches of a game.
    pub kept: Option<Figure>,
}

/// A mean with its 95 % confidence interval. The interval is clustered by game. There is no
/// interval if there are too few games.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    pub mean: f64,
    pub low: Option<f64>,
    pub high: Option<f64>,
}

impl Diagnosis {
    /// Reads a file of findings.
    ///
    /// # Errors
    /// Returns a message that begins with the path.
    pub fn read(path: &Path) -> Result<Self, String> {
        let display = path.display();
        let metadata = std::fs::metadata(path).map_err(|error| format!("{display}: {error}"))?;
        if !metadata.is_file() || metadata.len() > MAX_BYTES {
            return Err(format!("{display}: not a file that `ttlab doctor` wrote"));
        }
        let bytes = std::fs::read(path).map_err(|error| format!("{display}: {error}"))?;
        let invalid_error = |why: String| format!("{display}: not a file that `ttlab doctor` wrote: {why}");
        let value = serde_json::from_slice(&bytes).map_err(|error| invalid_error(error.to_string()))?;
        let diagnosis: Self = from_json(value).map_err(|error| invalid_error(error.to_string()))?;
        if diagnosis.format != FORMAT {
            return Err(invalid_error(format!("its format is {}, expected {FORMAT}", diagnosis.format)));
        }
        Ok(diagnosis)
    }

    /// # Errors
    /// When the findings cannot be written as JSON.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }

    /// Checks that the findings were made with the given program, arguments and options. The
    /// option `Hash` may differ, because `ttlab doctor` varies the table's size.
    ///
    /// # Errors
    /// Returns a message about the first difference.
    pub fn check_matches(
        &self,
        sha256: &str,
        arguments: &[String],
        options: &BTreeMap<String, String>,
    ) -> Result<(), String> {
        if self.sha256 != sha256 {
            let first_digits = |digits: &str| digits.get(..12).unwrap_or(digits).to_owned();
            return Err(format!(
                "it was made with another build: SHA-256 {}, but this program has {}",
                first_digits(&self.sha256),
                first_digits(sha256)
            ));
        }
        if self.arguments != arguments {
            let join_words = |words: &[String]| if words.is_empty() { "none".to_owned() } else { words.join(" ") };
            return Err(format!(
                "it was made with other arguments: {}, but {} in this experiment",
                join_words(&self.arguments),
                join_words(arguments)
            ));
        }
        let names = self.options.keys().chain(options.keys()).filter(|name| !name.eq_ignore_ascii_case("Hash"));
        let option_value = |options: &BTreeMap<String, String>, name: &str| {
            options.get(name).filter(|value| !value.is_empty()).cloned().unwrap_or_else(|| "no value".to_owned())
        };
        for name in names {
            let (examined, current) = (option_value(&self.options, name), option_value(options, name));
            if examined != current {
                return Err(format!(
                    "it was made with other options: {name} = {examined}, but {current} in this experiment"
                ));
            }
        }
        Ok(())
    }

    /// Counts what does not hold. What the nodes are worth is no fault.
    pub fn count_faults(&self) -> usize {
        let is_fault = |check: &&Check| check.result == CheckResult::DoesNotHold && check.check != NODES_QUESTION;
        self.checks.iter().filter(is_fault).count()
    }
}

#[cfg(test)]
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
                result: CheckResult::Holds,
                finding: "respected".to_owned(),
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
    fn diagnosis_is_read_back_as_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("doctor.json");
        let write = |text: &str| std::fs::write(&path, text).unwrap();
        let text = sample().to_json().unwrap();
        write(&text);
        assert_eq!(Diagnosis::read(&path), Ok(sample()));
        let read_error = |text: &str| {
            write(text);
            Diagnosis::read(&path).unwrap_err()
        };
        for (text, message) in [
            (text.replace("\"format\": 2", "\"format\": 1"), "its format is 1, expected 2"),
            (text.replace("mislead", "misled"), "misled"),
            (text.replace("\"seconds\"", "\"secs\""), "secs"),
            (text[..text.len() / 2].to_owned(), "not a file that `ttlab doctor` wrote"),
            (String::new(), "not a file that `ttlab doctor` wrote"),
            (" ".repeat((1 << 20) + 1), "not a file that `ttlab doctor` wrote"),
        ] {
            let error = read_error(&text);
            assert!(error.contains(message), "{error}");
            assert!(error.starts_with(&path.display().to_string()), "{error}");
        }
        assert!(Diagnosis::read(folder.path()).unwrap_err().ends_with("not a file that `ttlab doctor` wrote"));
        assert!(Diagnosis::read(&folder.path().join("none.json")).unwrap_err().contains("No such file"));
    }

    /// The table's size may differ; everything else must be equal.
    #[test]
    fn diagnosis_is_valid_for_its_program_and_options() {
        let diagnosis = sample();
        let check = |sha256: &str, argument: &str, options: &[(&str, &str)]| {
            let options = options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            diagnosis.check_matches(sha256, &[argument.to_owned()], &options)
        };
        let same = "00112233445566778899";
        assert_eq!(check(same, "-u", &[("Hash", "64"), ("Threads", "1")]), Ok(()));
        for (message, result) in [
            (
                "it was made with another build: SHA-256 001122334455, but this program has ff1122334455",
                check("ff112233445566778899", "-u", &[("Threads", "1")]),
            ),
            ("it was made with other arguments: -u, but -x in this experiment", check(same, "-x", &[("Threads", "1")])),
            (
                "it was made with other options: Threads = 1, but 2 in this experiment",
                check(same, "-u", &[("Threads", "2")]),
            ),
            ("it was made with other options: Threads = 1, but no value in this experiment", check(same, "-u", &[])),
            (
                "it was made with other options: Style = no value, but wild in this experiment",
                check(same, "-u", &[("Style", "wild"), ("Threads", "1")]),
            ),
        ] {
            assert_eq!(result, Err(message.to_owned()));
        }
    }

    #[test]
    fn faults_are_checks_that_do_not_hold() {
        let mut diagnosis = sample();
        assert_eq!(diagnosis.count_faults(), 0);
        diagnosis.checks.push(Check { result: CheckResult::Note, ..diagnosis.checks[0].clone() });
        assert_eq!(diagnosis.count_faults(), 0);
        diagnosis.checks.push(Check { result: CheckResult::DoesNotHold, ..diagnosis.checks[0].clone() });
        assert_eq!(diagnosis.count_faults(), 1);
        let verdicts = [NodesVerdict::Lead, NodesVerdict::Mislead, NodesVerdict::Undecided];
        for verdict in verdicts {
            assert_eq!(serde_json::to_string(&verdict).unwrap(), format!("\"{}\"", verdict.word()));
        }
    }
}
