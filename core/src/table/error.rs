//! Why a table cannot be created.

use std::fmt::Display;
use std::ops::RangeInclusive;

/// An option that is out of range or conflicts with another option.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {}{problem}", word.as_ref().map_or_else(String::new, |word| format!("\"{word}\" ")))]
pub struct OptionError {
    /// The option's dotted path.
    pub path: &'static str,
    /// The word of the option's value that is wrong, unless it is the value as a whole.
    pub word: Option<String>,
    /// What is wrong with it and what was expected.
    pub problem: String,
}

impl OptionError {
    pub(crate) fn new(path: &'static str, problem: impl Into<String>) -> Self {
        Self { path, word: None, problem: problem.into() }
    }

    pub(crate) fn with_word(self, word: impl Display) -> Self {
        Self { word: Some(word.to_string()), ..self }
    }
}

pub(crate) fn check_range<T: PartialOrd + Display>(
    path: &'static str,
    value: T,
    range: RangeInclusive<T>,
) -> Result<(), OptionError> {
    if range.contains(&value) {
        return Ok(());
    }
    Err(OptionError::new(path, format!("{value} is out of range: expected {} to {}", range.start(), range.end())))
}

/// Ends the calling function with the first conflict that exists. A line has the option's path, the
/// word of its value that is wrong (unless it is the value as a whole), the condition and the
/// problem.
macro_rules! refuse {
    ($($path:literal $([$word:expr])? if $exists:expr => $problem:expr;)*) => {
        $(if $exists {
            let error = $crate::table::OptionError::new($path, $problem);
            $(let error = error.with_word($word);)?
            return Err(error);
        })*
    };
}
pub(crate) use refuse;

/// Why a table cannot be created.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// An option is out of range, or two options conflict.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// There is not enough free memory.
    #[error("table.size: {} MiB exceed the {}free memory", bytes >> 20, mebibytes(*available))]
    Memory {
        /// The number of bytes that was requested.
        bytes: u64,
        /// Bytes free, if known.
        available: Option<u64>,
    },
}

fn mebibytes(bytes: Option<u64>) -> String {
    bytes.map_or_else(String::new, |bytes| format!("{} MiB of ", bytes >> 20))
}
