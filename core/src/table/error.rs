//! Why a table cannot be created.

/// Why a table cannot be created.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TableError {
    /// An option is out of range, or two options conflict.
    #[error("{path}: {problem}")]
    Option {
        /// The option's dotted path.
        path: &'static str,
        /// What is wrong and what was expected.
        problem: String,
    },
    /// There is not enough free memory.
    #[error("table.size: {} MiB exceed the {}free memory", bytes >> 20, mebibytes(*available))]
    Memory {
        /// The number of bytes that was requested.
        bytes: u64,
        /// Bytes free, if known.
        available: Option<u64>,
    },
}

/// Formats the free memory.
fn mebibytes(bytes: Option<u64>) -> String {
    bytes.map_or_else(String::new, |bytes| format!("{} MiB of ", bytes >> 20))
}
