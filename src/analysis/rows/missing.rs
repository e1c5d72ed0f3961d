//! Columns that thin rows lack, and the errors for requests that need these columns.

use super::column::{KEYS_SEED, THREADS_SEED};
use crate::record::columns::{self, Role};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ThinRowsError {
    /// The request needs a column that thin rows do not store for each row. Holds the name of the
    /// column, and how to make the full rows.
    #[error("thin rows do not have `{0}` for each depth, only full rows do: {1}")]
    Column(String, String),
    /// A filter or grouping would split searches, but most counters are stored only once per
    /// search. Holds the column of the filter or grouping, and how to make the full rows.
    #[error("thin rows have most counters only once for each search, but `{0}` varies within a search: {1}")]
    Choice(String, String),
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MissingColumns {
    /// Columns that are stored once per search or once per variant.
    stored_once: Vec<String>,
    absent: Vec<String>,
    remedy: String,
}

impl MissingColumns {
    /// Creates the list from the columns that are not stored. `remedy` tells users how to make the
    /// full rows.
    pub fn new(absent: Vec<String>, remedy: String) -> Self {
        Self { stored_once: Vec::new(), absent, remedy }
    }

    /// Marks a column as stored once per search or once per variant. It no longer counts as not
    /// stored.
    pub fn mark_partial(&mut self, column: &str) {
        self.absent.retain(|absent| absent != column);
        self.stored_once.push(column.to_owned());
    }

    /// Adds the missing columns of another frame, whose rows are joined to the rows of this frame.
    pub fn merge(&mut self, other: &Self) {
        for (list, other_list) in [(&mut self.stored_once, &other.stored_once), (&mut self.absent, &other.absent)] {
            let new_names: Vec<String> = other_list.iter().filter(|name| !list.contains(name)).cloned().collect();
            list.extend(new_names);
        }
        if self.remedy.is_empty() {
            self.remedy.clone_from(&other.remedy);
        }
    }

    /// Whether a column is stored once per search or once per variant.
    pub fn is_partial(&self, column: &str) -> bool {
        self.stored_once.iter().any(|name| name == column)
    }

    pub fn column_error(&self, name: &str) -> Option<ThinRowsError> {
        let refers_to = |column: &&String| columns::refers_to(name, column);
        let column = self.stored_once.iter().chain(&self.absent).find(refers_to)?;
        Some(ThinRowsError::Column(column.clone(), self.remedy.clone()))
    }

    /// Counters that are stored once per search would be assigned to the wrong rows.
    pub fn grouping_error(&self, column: &str) -> Option<ThinRowsError> {
        let is_constant_in_search = match columns::role(column) {
            Role::Option => column != KEYS_SEED && column != THREADS_SEED,
            Role::Key => column != columns::REPEAT && column != columns::DEPTH,
            _ => false,
        };
        let is_usable = self.stored_once.is_empty() || is_constant_in_search;
        (!is_usable).then(|| ThinRowsError::Choice(column.to_owned(), self.remedy.clone()))
    }
}
