//! Why a table cannot be created.

use std::fmt::Display;
use std::ops::RangeInclusive;

/// An option that is out of range or conflicts with another option.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {problem}")]
pub struct OptionError {
    /// The option's dotted path.
    pub path: &'static str,
    /// What is wrong and what was expected.
    pub problem: String,
}

pub(crate) fn check_range<T: PartialOrd + Display>(
    path: &'static str,
    value: T,
    range: RangeInclusive<T>,
) -> Result<(), OptionError> {
    if range.contains(&value) {
        return Ok(());
    }
    let problem = format!("{value} is out of range: expected {} to {}", range.start(), range.end());
    Err(OptionError { path, problem })
}

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
