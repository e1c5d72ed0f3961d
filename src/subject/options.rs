//! `[subject]`: which engine is tested, and its settings.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

/// The name of the built-in engine.
pub const BUILTIN: &str = "builtin";

/// Which engine is examined.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SubjectOptions {
    /// `"builtin"`: ttlab's own, set up by `[engine]`. Else an engine that speaks UCI: a program on
    /// the path, a path, or a list with its arguments, as in `["gnuchess", "-u"]`. It is started as
    /// it stands, through no shell.
    pub uci: CommandLine,
    /// Its options by the names that it gives them: `Hash = 16`. In a grid `"uci.Hash"`. What it
    /// names `OwnBook` and `Ponder` is switched off where nothing else is said.
    pub options: BTreeMap<String, OptionValue>,
    /// How long one process is kept: `experiment`, `game` (or single position) or `search`.
    /// Default: `experiment`; in a file with `[match]` `game`.
    pub restart: Restart,
    /// Seconds that a search may take before it is taken for hung. Default: by the limit and the
    /// rate measured so far. It also gives an engine longer that takes more than 20 seconds to be
    /// ready.
    #[cfg_attr(test, schemars(range(min = 0.001)))]
    pub timeout: Option<f64>,
    /// Whether the engine is accepted though the trial before the run speaks against it: it does
    /// not respect the limit, or a match with it would not be the same twice. Manifest and page say
    /// what was found.
    #[serde(skip_serializing_if = "is_false")]
    pub trust: bool,
    /// The file that `ttlab doctor -o` wrote of this engine: whether its nodes to a depth can lead
    /// a page. It must be of this program, with these options (`Hash` apart).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doctor: Option<PathBuf>,
}

impl SubjectOptions {
    pub fn is_builtin(&self) -> bool {
        self.uci == CommandLine::default()
    }
}

/// The `Hash` option, if set: its name as written, and MiB.
pub fn hash_size(options: &BTreeMap<String, OptionValue>) -> Option<(&str, i64)> {
    options.iter().find_map(|(name, value)| Some((name.as_str(), hash_mebibytes(name, value)?)))
}

/// The MiB that an option sets, if it is `Hash`.
pub fn hash_mebibytes(name: &str, value: &OptionValue) -> Option<i64> {
    match value {
        OptionValue::Spin(size) if name.eq_ignore_ascii_case("Hash") => Some(*size),
        _ => None,
    }
}

/// Whether a switch is off; serde passes a reference.
#[allow(clippy::trivially_copy_pass_by_ref)]
const fn is_false(switch: &bool) -> bool {
    !*switch
}

/// A program with optional arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "expected a program in quotes, or a list of it and its arguments")]
pub enum CommandLine {
    /// A program without arguments, by name or path.
    Name(String),
    /// A program and its arguments.
    List(Vec<String>),
}

impl Default for CommandLine {
    fn default() -> Self {
        Self::Name(BUILTIN.to_owned())
    }
}

impl CommandLine {
    /// The program as written, and its arguments.
    pub fn split(&self) -> (&str, &[String]) {
        match self {
            Self::Name(program) => (program, &[]),
            Self::List(words) => words.split_first().map_or(("", &[]), |(program, arguments)| (program, arguments)),
        }
    }
}

impl fmt::Display for CommandLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (program, arguments) = self.split();
        f.write_str(program)?;
        arguments.iter().try_for_each(|word| write!(f, " {word}"))
    }
}

/// The value of an engine's option.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged, expecting = "expected true or false, a whole number, or text in quotes")]
pub enum OptionValue {
    /// Of a check; of a button, true presses it.
    Check(bool),
    /// Of a spin, within its range.
    Spin(i64),
    /// Of a combo or a string.
    Text(String),
}

impl fmt::Display for OptionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Check(value) => write!(f, "{value}"),
            Self::Spin(value) => write!(f, "{value}"),
            Self::Text(value) => f.write_str(value),
        }
    }
}

/// How long one process of an engine is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Restart {
    /// For all its searches: `ucinewgame` stands between games and unrelated positions.
    #[default]
    Experiment,
    /// For one game, or one single position: for engines that do not forget at `ucinewgame`.
    Game,
    /// For one search: nothing is kept, even along a game.
    Search,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn program_words_and_values_are_displayed_as_typed() {
        let list = |words: &[&str]| CommandLine::List(words.iter().map(|word| (*word).to_owned()).collect());
        assert_eq!(CommandLine::Name("a b".to_owned()).to_string(), "a b");
        assert_eq!(list(&["a", "-u", "x y"]).to_string(), "a -u x y");
        assert_eq!((list(&[]).to_string(), list(&[]).split().0), (String::new(), ""));
        assert_eq!(list(&["a", "-u", "b"]).split(), ("a", &["-u".to_owned(), "b".to_owned()][..]));
        assert_eq!(CommandLine::Name("a".to_owned()).split(), ("a", &[][..]));
        let values = [OptionValue::Check(true), OptionValue::Spin(-3), OptionValue::Text("x".to_owned())];
        assert_eq!(values.map(|value| value.to_string()), ["true", "-3", "x"]);
        let default = SubjectOptions::default();
        assert!(default.is_builtin());
        assert!(
            !SubjectOptions { uci: list(&[BUILTIN]), ..default.clone() }.is_builtin(),
            "a list names an external program"
        );
    }

    /// The name is case-insensitive; the value must be a number.
    #[test]
    fn hash_size_is_found_in_any_case() {
        let options = |pairs: &[(&str, OptionValue)]| {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect()
        };
        let spin = OptionValue::Spin;
        assert_eq!(
            hash_size(&options(&[("Contempt", spin(5)), ("HASH", spin(16)), ("Threads", spin(2))])),
            Some(("HASH", 16))
        );
        assert_eq!(hash_size(&options(&[("hash", OptionValue::Text("16".to_owned())), ("Hash Size", spin(3))])), None);
    }
}
