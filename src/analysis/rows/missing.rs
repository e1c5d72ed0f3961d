//! Columns that thin rows lack, and the errors that say so.

use super::column::{KEYS_SEED, THREADS_SEED};
use crate::record::columns::{self, Role};

/// Thin rows cannot answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ThinRowsError {
    /// A column that they do not hold by row: its name, and how to make the full rows.
    #[error("thin rows do not hold `{0}` by row: {1}")]
    Column(String, String),
    /// A filter or grouping that splits searches, while most counters are stored once a search: the
    /// column, and how to make the full rows.
    #[error("the compact rows have most counters only once for each search, and `{0}` varies within a search: {1}")]
    Choice(String, String),
}

/// What a frame of thin rows lacks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MissingColumns {
    /// Columns that are stored once a search or once a variant.
    partial: Vec<String>,
    /// Columns that are not stored.
    absent: Vec<String>,
    /// How to make the full rows.
    remedy: String,
}

impl MissingColumns {
    /// For columns that are not stored by row; `remedy` says how to make the full rows.
    pub fn new(absent: Vec<String>, remedy: String) -> Self {
        Self { partial: Vec::new(), absent, remedy }
    }

    /// Notes that a column is stored once a search or once a variant.
    pub fn mark_partial(&mut self, column: &str) {
        self.absent.retain(|absent| absent != column);
        self.partial.push(column.to_owned());
    }

    /// Adds what joined rows lack.
    pub fn merge(&mut self, other: &Self) {
        for (own, theirs) in [(&mut self.partial, &other.partial), (&mut self.absent, &other.absent)] {
            own.extend(theirs.iter().filter(|name| !own.contains(name)).cloned().collect::<Vec<_>>());
        }
        if self.remedy.is_empty() {
            self.remedy.clone_from(&other.remedy);
        }
    }

    /// Whether a column is stored once a search or once a variant.
    pub fn is_partial(&self, column: &str) -> bool {
        self.partial.iter().any(|name| name == column)
    }

    /// The error for a column that `name` may mean, if it is not stored by row or not at all.
    pub fn column_error(&self, name: &str) -> Option<ThinRowsError> {
        let may_mean = |column: &&String| columns::may_mean(name, column);
        let column = self.partial.iter().chain(&self.absent).find(may_mean)?;
        Some(ThinRowsError::Column(column.clone(), self.remedy.clone()))
    }

    /// The error for a filter or grouping by a column that varies within searches: counters stored
    /// once a search would be assigned to the wrong rows.
    pub fn choice_error(&self, column: &str) -> Option<ThinRowsError> {
        let whole = match columns::role(column) {
            Role::Option => column != KEYS_SEED && column != THREADS_SEED,
            Role::Key => column != columns::REPEAT && column != columns::DEPTH,
            _ => false,
        };
        let is_usable = self.partial.is_empty() || whole;
        (!is_usable).then(|| ThinRowsError::Choice(column.to_owned(), self.remedy.clone()))
    }
}
