//! `[subject]`: which engine is tested, and its settings.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

pub const BUILTIN: &str = "builtin";

/// The UCI option of an engine that is linked with ttlab's table. Its value is a text of settings.
pub const TABLE_OPTION: &str = "ttlab";

/// Which engine is examined.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct SubjectOptions {
    /// The engine. `"builtin"` is ttlab's own engine, which `[engine]` sets up. Any other value is
    /// an engine that speaks UCI: the name of a program on the PATH, a path, or a list of a program
    /// and its arguments, as in `["gnuchess", "-u"]`. The program is started directly, not through
    /// a shell.
    pub uci: CommandLine,
    /// The engine's options by their names, as in `Hash = 16`. In a grid, this option is written
    /// `"uci.Hash"`. The options `OwnBook` and `Ponder` are switched off unless they are set.
    pub options: BTreeMap<String, OptionValue>,
    /// How long one process is kept: `experiment`, `game` (or single position) or `search`. The
    /// default is `experiment`, or `game` in a file with `[match]`.
    pub restart: Restart,
    /// Seconds that a search may take before the engine counts as hung. By default, the timeout
    /// depends on the limit and on the nodes and times measured so far. A timeout of more than 20
    /// seconds also gives the engine more time to become ready.
    #[cfg_attr(test, schemars(range(min = 0.001)))]
    pub timeout: Option<f64>,
    /// Whether to accept the engine even if the trial before the run finds that it does not respect
    /// the limit, or that a match with it would not be repeatable. The manifest and the page say
    /// what was found.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub trust: bool,
    /// The file that `ttlab doctor -o` wrote about this engine. It says whether a page may lead
    /// with the number of nodes that this engine needs to reach a depth. The file must be about
    /// this program with these options, except `Hash`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doctor: Option<PathBuf>,
}

impl SubjectOptions {
    pub fn is_builtin(&self) -> bool {
        self.uci == CommandLine::default()
    }
}

/// The name is spelled as in the options, because option names are case-insensitive.
pub fn hash_size(options: &BTreeMap<String, OptionValue>) -> Option<(&str, i64)> {
    options.iter().find_map(|(name, value)| Some((name.as_str(), hash_mebibytes(name, value)?)))
}

pub fn hash_mebibytes(name: &str, value: &OptionValue) -> Option<i64> {
    match value {
        OptionValue::Spin(size) if name.eq_ignore_ascii_case("Hash") => Some(*size),
        _ => None,
    }
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
    /// The value of a check. For a button, true presses the button.
    Check(bool),
    /// The value of a spin, within its range.
    Spin(i64),
    /// The value of a combo or a string.
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
    /// For all searches of the engine. `ucinewgame` is sent between games and unrelated positions.
    #[default]
    Experiment,
    /// For one game or one single position. Suits engines that do not forget at `ucinewgame`.
    Game,
    /// For one search. Nothing is kept, not even between the searches of a game.
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
