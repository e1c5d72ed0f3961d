//! Errors of options, with the path of the option and the nearest valid name.

use crate::chess::fault::distance;
use crate::table::OptionError;
use std::fmt;
use toml::Value;

/// An error in options whose place in the file or command line is not known yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionFault {
    /// The path of the invalid key, such as `table.slots`.
    pub path: String,
    /// The word of the key's value that is wrong, unless it is the value as a whole.
    pub word: Option<String>,
    /// The path and what is wrong there.
    pub message: String,
    /// What to write instead, if a similar valid name or form is known.
    pub help: Option<String>,
}

impl OptionFault {
    /// Creates the error of an option. The message is `path: what`.
    pub fn new(path: &str, what: impl fmt::Display) -> Self {
        Self { path: path.to_owned(), word: None, message: format!("{path}: {what}"), help: None }
    }

    /// As [`OptionFault::new`]. The message is `path: "word" what`.
    pub fn with_word(path: &str, word: &str, what: impl fmt::Display) -> Self {
        Self { word: Some(word.to_owned()), ..Self::new(path, format!("\"{word}\" {what}")) }
    }

    /// Creates the error of a value that changes nothing.
    pub fn no_effect(path: &str, value: &Value, why: &str) -> Self {
        Self { message: format!("{path} = {value} has no effect: {why}"), ..Self::new(path, "") }
    }

    /// Creates the error of a value that cannot be decoded. `path` is its path.
    pub fn from_serde(path: &str, message: &str) -> Self {
        let Explained { message, help, word } = explain(message);
        Self { word, help, ..Self::new(path, message) }
    }

    /// Creates the error for a `path` that continues after `part`, although the value at `part` is
    /// not a table.
    pub fn not_a_table(path: &str, part: &str) -> Self {
        Self::new(path, format!("`{part}` is a single value, not a table"))
    }
}

impl fmt::Display for OptionFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.help.iter().try_for_each(|help| write!(f, "; {help}"))
    }
}

impl std::error::Error for OptionFault {}

impl From<OptionError> for OptionFault {
    fn from(error: OptionError) -> Self {
        Self { path: error.path.to_owned(), message: error.to_string(), word: error.word, help: None }
    }
}

/// Words that users know from other programs. Each word is followed by a name and a hint. The hint
/// is given only where that name is valid.
const WORDS_OF_OTHER_PROGRAMS: &[(&str, &str, &str)] = &[
    ("depth", "limit", "write limit = { depth = 5 }"),
    ("nodes", "limit", "write limit = { nodes = 100_000 }"),
    (
        "hash",
        "engine",
        "the size of the table is an option of the engine: write table.size = \"16 MiB\" under [engine]",
    ),
    ("hash", "table", "write table.size = \"16 MiB\""),
    ("time", "seconds", "did you mean `seconds`?"),
    ("worth", "search.saved", "did you mean `saved`?"),
];

/// Suggests what to write instead of an unknown name. If other programs use the name, returns the
/// hint for this name. Otherwise asks "did you mean ...?" with the nearest valid name. Returns
/// `None` if the edit distance of every valid name is more than one plus a third of the length of
/// `name`.
pub fn nearest<'a>(name: &str, valid_names: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let valid_names: Vec<&str> = valid_names.into_iter().collect();
    let has_hint = |(word, valid_name, _): &&(&str, &str, &str)| {
        name.eq_ignore_ascii_case(word) && valid_names.contains(valid_name)
    };
    let differs_in_case = |valid: &str| valid != name && valid.eq_ignore_ascii_case(name);
    let has_same_part = |valid: &&&str| differs_in_case(valid) || valid.rsplit('.').next().is_some_and(differs_in_case);
    if let Some(same) = valid_names.iter().find(has_same_part) {
        return Some(format!("did you mean `{same}`?"));
    }
    if let Some((_, _, hint)) = WORDS_OF_OTHER_PROGRAMS.iter().find(has_hint) {
        return Some((*hint).to_owned());
    }
    let max_distance = 1 + name.chars().count() / 3;
    let with_distance = |candidate: &'a str| {
        let full_distance = distance(name, candidate, max_distance);
        // The last part of a dotted name is also compared. This adds 1 to the distance.
        let last_part = candidate.rsplit('.').next().unwrap_or(candidate);
        let part_distance = distance(name, last_part, max_distance - 1).map(|distance| distance + 1);
        Some((full_distance.into_iter().chain(part_distance).min()?, candidate))
    };
    let (distance, nearest) = valid_names.into_iter().filter(|other| *other != name).filter_map(with_distance).min()?;
    (distance <= max_distance).then(|| format!("did you mean `{nearest}`?"))
}

/// As [`nearest`]. If no valid name is near, lists the first valid names instead.
pub fn nearest_or_all<'a>(name: &str, names: impl Iterator<Item = &'a str> + Clone) -> String {
    nearest(name, names.clone()).unwrap_or_else(|| format!("expected one of {}", list_quoted(names)))
}

/// Lists the first names in backquotes, followed by the number of further names.
pub fn list_quoted<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    const MAX_NAMES: usize = 12;
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    let first_names = names[..names.len().min(MAX_NAMES)].join(", ");
    match names.len().saturating_sub(MAX_NAMES) {
        0 => first_names,
        more => format!("{first_names} and {more} more"),
    }
}

/// A message of serde or of the TOML parser, in the words of this program.
pub struct Explained {
    pub message: String,
    /// The nearest valid name, if the message is about an unknown name.
    pub help: Option<String>,
    /// The value or the name that was found.
    pub word: Option<String>,
}

/// Explains a message of serde or of the TOML parser. They have no other form than text: what was
/// found is in backquotes or, if it is a text, in double quotes, and the valid names follow it in
/// backquotes.
pub fn explain(message: &str) -> Explained {
    let message = message.lines().next().unwrap_or_default();
    // The parts between two backquotes are the second, the fourth and so on.
    let mut quoted_parts = message.split('`').skip(1).step_by(2);
    let found = quoted_parts.next().or_else(|| message.split('"').nth(1)).filter(|word| !word.is_empty());
    let unknown_name = found.filter(|_| message.starts_with("unknown"));
    Explained {
        message: in_plain_words(message),
        help: unknown_name.and_then(|name| nearest(name, quoted_parts)),
        word: found.map(str::to_owned),
    }
}

/// Rust's terms in serde messages, each with the TOML term that replaces it.
const PLAIN_WORDS: &[(&str, &str)] = &[
    ("invalid type: unit variant, expected string only", "expected a word in quotes"),
    ("string only", "a word in quotes"),
    ("invalid type: boolean ", "invalid type: "),
    ("unknown variant", "unknown word"),
    ("unknown field", "unknown key"),
    ("missing field", "missing key"),
    ("invalid type: map", "invalid type: a table"),
    ("invalid type: sequence", "invalid type: a list"),
    ("invalid type: unit", "invalid type: nothing"),
    ("expected a map", "expected a table"),
    ("expected a sequence", "expected a list"),
    ("expected map", "expected a table"),
    ("expected sequence", "expected a list"),
    ("expected a boolean", "expected true or false"),
    ("expected u8", "expected a whole number from 0 to 255"),
    ("expected u16", "expected a whole number from 0 to 65535"),
    ("expected i16", "expected a whole number from -32768 to 32767"),
    ("expected u32", "expected a whole number from 0 to 4294967295"),
    ("expected i32", "expected a whole number"),
    ("expected u64", "expected a whole number from 0 on"),
    ("expected any valid TOML value", "expected a whole number from -9223372036854775808 to 9223372036854775807"),
    (" as i128", ""),
    (" as u128", ""),
    ("expected i64", "expected a whole number"),
    ("expected usize", "expected a whole number from 0 on"),
    ("expected f64", "expected a number"),
    ("there are no fields", "expected none"),
    ("floating point", "number"),
    ("unit value", "nothing"),
    ("expected string or map", "expected text in quotes, or a table"),
    ("string \"", "text \""),
    ("a string", "text in quotes"),
];

/// Replaces the Rust terms in a serde message by TOML terms.
fn in_plain_words(message: &str) -> String {
    let mut text = message.to_owned();
    for (rust, plain) in PLAIN_WORDS {
        text = text.replace(rust, plain);
    }
    // Serde writes names of Rust types, as in "expected struct Limit" or "expected internally
    // tagged enum Policy". The author of a file does not know these types.
    for kind in
        ["struct ", "internally tagged enum ", "adjacently tagged enum ", "enum ", "tuple struct ", "newtype struct "]
    {
        while let Some(index) = text.find(&format!("expected {kind}")) {
            let start = index + "expected ".len();
            let name_start = start + kind.len();
            let name_end = text[name_start..].find([' ', ',']).map_or(text.len(), |length| name_start + length);
            let plain = if kind.contains("struct") { "a table" } else { "a word, or a table with the key `kind`" };
            text.replace_range(start..name_end, plain);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggestion_is_made_only_for_a_near_name() {
        let valid = ["table.size", "table.slots", "algorithm"];
        assert_eq!(nearest("tabel.size", valid).as_deref(), Some("did you mean `table.size`?"));
        assert_eq!(nearest("sizes", valid).as_deref(), Some("did you mean `table.size`?"));
        assert_eq!(nearest("colour", valid), None);
        assert_eq!(nearest("depth", ["suite", "limit"]).as_deref(), Some("write limit = { depth = 5 }"));
        assert_eq!(nearest("time", ["search.nodes", "seconds"]).as_deref(), Some("did you mean `seconds`?"));
        assert!(nearest("Hash", ["probe", "table"]).is_some_and(|hint| hint.contains("table.size")));
        assert_eq!(nearest("Hash", ["probe", "store"]), None);
        assert_eq!(nearest("algorithm", valid), None, "what was written is no hint");
    }

    #[test]
    fn unknown_variant_suggests_from_serdes_list() {
        let explained = explain("unknown variant `alwyas`, expected one of `always`, `never`");
        assert_eq!(explained.help.as_deref(), Some("did you mean `always`?"));
        assert_eq!(explained.word.as_deref(), Some("alwyas"));
        let explained = explain("invalid type: string \"d e\", expected u8");
        assert_eq!((explained.help, explained.word.as_deref()), (None, Some("d e")));
        assert_eq!(explain("invalid type: string").word, None);
    }

    #[test]
    fn serde_message_has_no_rust_terms() {
        for (rust, plain) in [
            (
                "invalid value: integer `300`, expected u8",
                "invalid value: integer `300`, expected a whole number from 0 to 255",
            ),
            ("invalid type: map, expected a string", "invalid type: a table, expected text in quotes"),
            ("invalid type: string \"x\", expected struct Limit", "invalid type: text \"x\", expected a table"),
            (
                "invalid type: integer `3`, expected internally tagged enum Policy",
                "invalid type: integer `3`, expected a word, or a table with the key `kind`",
            ),
            ("unknown variant `x`, expected `y`", "unknown word `x`, expected `y`"),
            (
                "invalid type: integer `9223372036854775808` as i128, expected any valid TOML value",
                "invalid type: integer `9223372036854775808`, expected a whole number from -9223372036854775808 to 9223372036854775807",
            ),
            // The type name ends at a space or comma, and every occurrence is replaced.
            (
                "expected struct Limit or expected enum Leaf, found 3",
                "expected a table or expected a word, or a table with the key `kind`, found 3",
            ),
        ] {
            assert_eq!(explain(rust).message, plain);
        }
    }

    #[test]
    fn names_are_listed_and_suggested() {
        let names: Vec<String> = (1..=14).map(|index| format!("n{index}")).collect();
        let list = |count: usize| list_quoted(names[..count].iter().map(String::as_str));
        assert_eq!((list(0).as_str(), list(2).as_str()), ("", "`n1`, `n2`"));
        assert!(list(12).ends_with("`n12`"));
        assert!(list(13).ends_with("`n12` and 1 more"));
        assert!(list(14).ends_with(" and 2 more"));
        // One letter in three may be wrong, plus one; for a name without its path, one less.
        for (name, is_near) in [("abc", true), ("abxy", true), ("axyz", false), ("abx", true), ("x", false)] {
            assert_eq!(nearest(name, ["abcd"]).is_some(), is_near, "{name}");
        }
        assert_eq!(nearest("size", ["table.size", "sise"]).as_deref(), Some("did you mean `sise`?"));
        assert_eq!(nearest("abc", []), None);
        let explained = explain("unknown field `x`, there are no fields\nmore");
        assert_eq!((explained.message.as_str(), explained.help), ("unknown key `x`, expected none", None));
    }
}
