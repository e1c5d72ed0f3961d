//! Faults of a text: what is wrong, and where.

use serde::Deserialize;
use std::fmt;

/// One thing wrong with a file, or repaired in it. Shown as
/// `file.epd:3:17: expected ..., found ...`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}:{column}: {message}")]
pub struct Fault {
    /// The file's name as the user gave it.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The byte of the line, from 1.
    pub column: usize,
    /// What was expected and what was found.
    pub message: String,
}

/// How to treat an item that cannot be read, or a game without moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum OnError {
    /// The file is refused.
    #[default]
    Stop,
    /// The item is skipped and reported.
    Skip,
}

impl OnError {
    pub(super) fn record(self, fault: Fault, faults: &mut Vec<Fault>, notes: &mut Vec<Fault>) {
        match self {
            Self::Stop => faults.push(fault),
            Self::Skip => notes.push(Fault { message: format!("left out: {}", fault.message), ..fault }),
        }
    }
}

/// The maximum number of faults that are printed. A file of another kind has a fault in every line.
const MAX_PRINTED: usize = 20;

/// All faults of a file, in the order of its lines. They are printed one per line. Only the first
/// few are printed, and the others are counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Faults(pub Vec<Fault>);

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.0.iter().take(MAX_PRINTED).enumerate() {
            write!(f, "{}{fault}", if index == 0 { "" } else { "\n" })?;
        }
        match self.0.len().saturating_sub(MAX_PRINTED) {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

impl std::error::Error for Faults {}

pub fn hint(name: &str, known_names: &[&str]) -> String {
    let max_distance = name.chars().count().div_ceil(3);
    let similar = known_names.iter().filter_map(|&known| Some((distance(name, known, max_distance)?, known)));
    similar.min().map_or_else(String::new, |(_, known)| format!(" (did you mean `{known}`?)"))
}

/// The number of mistakes that make `a` of `b`, where the case of a letter is none. Names whose
/// lengths differ by more than `max_distance` are not compared, because the time of a comparison
/// grows with the product of the lengths.
pub fn distance(a: &str, b: &str, max_distance: usize) -> Option<usize> {
    if a.chars().count().abs_diff(b.chars().count()) > max_distance {
        return None;
    }
    Some(strsim::damerau_levenshtein(&a.to_lowercase(), &b.to_lowercase())).filter(|&distance| distance <= max_distance)
}

#[cfg(test)]
mod tests {
    use super::{Fault, Faults, distance, hint};

    #[test]
    fn many_faults_are_summarised() {
        let fault = |line| Fault { file: "x".to_owned(), line, column: 1, message: "wrong".to_owned() };
        let text = |faults: usize| Faults((1..=faults).map(fault).collect()).to_string();
        assert_eq!(text(1), "x:1:1: wrong");
        assert_eq!(text(20).lines().last(), Some("x:20:1: wrong"));
        let many: Vec<String> = text(1000).lines().map(str::to_owned).collect();
        assert_eq!((many.len(), many[19].as_str(), many[20].as_str()), (21, "x:20:1: wrong", "and 980 more"));
    }

    /// Names of very different length are not compared: a name of a megabyte takes no time and has
    /// no similar name.
    #[test]
    fn name_of_very_different_length_is_not_compared() {
        assert_eq!(distance("abcd", "abcdef", 2), Some(2));
        assert_eq!(distance("abcd", "abcdef", 1), None);
        assert_eq!(distance("abcdef", "abcd", 2), Some(2));
        assert_eq!(distance("abcd", "efgh", 3), None);
        assert_eq!(distance("é", "e", 1), Some(1));
        let long = "k".repeat(1 << 20);
        assert_eq!((distance(&long, "depth", 1 << 18), hint(&long, &["depth", "nodes"])), (None, String::new()));
    }

    /// A name is similar if at most a third of its letters, rounded up, are wrong. Of two equally
    /// similar names the alphabetically first is suggested.
    #[test]
    fn similar_name_is_suggested() {
        let output = |name: &str| hint(name, &["depth", "nodes", "é"]).replace(['`', '(', ')', '?'], "");
        assert_eq!(output("detph"), " did you mean depth", "two letters exchanged are one mistake");
        assert_eq!(output("depxx"), " did you mean depth", "two of five");
        assert_eq!(output("dexxx"), "", "three of five");
        assert_eq!(output("nxds"), " did you mean nodes", "two of four");
        assert_eq!(output("noded"), " did you mean nodes");
        assert_eq!(output("x"), " did you mean é", "one of one, a letter of two bytes");
        assert_eq!(output("ééé"), "", "two of three letters, of six bytes");
        assert_eq!(hint("bat", &["rat", "cat"]), " (did you mean `cat`?)");
        assert_eq!(hint("bat", &[]), "");
    }
}
