//! What a frame of thin rows lacks, and how it is told.

use super::column::KEYS_SEED;
use crate::record::columns::{self, Role};

/// Why thin rows do not answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LackError {
    /// A column that they do not keep by row: which, and how the full rows are made.
    #[error("thin rows do not keep `{0}` by row: {1}")]
    Column(String, String),
    /// A choice of rows that what they keep once a search does not follow: by which column, and how the full rows are made.
    #[error("thin rows keep most counters once a search, and `{0}` is not one of whole searches: {1}")]
    Choice(String, String),
}

/// What a frame of thin rows lacks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lacks {
    /// Columns that are kept once a search or a variant.
    partial: Vec<String>,
    /// Columns that are not kept.
    absent: Vec<String>,
    /// How the full rows are made.
    remedy: String,
}

impl Lacks {
    /// Columns that are not kept by row, and how the full rows are made.
    pub fn new(absent: Vec<String>, remedy: String) -> Self {
        Self { partial: Vec::new(), absent, remedy }
    }

    /// A column that is kept once a search or a variant.
    pub fn keep_in_part(&mut self, column: &str) {
        self.absent.retain(|absent| absent != column);
        self.partial.push(column.to_owned());
    }

    /// Takes over what other rows lack, which are joined with these.
    pub fn join(&mut self, other: &Self) {
        for (own, theirs) in [(&mut self.partial, &other.partial), (&mut self.absent, &other.absent)] {
            own.extend(theirs.iter().filter(|name| !own.contains(name)).cloned().collect::<Vec<_>>());
        }
        if self.remedy.is_empty() {
            self.remedy.clone_from(&other.remedy);
        }
    }

    /// Whether a column is kept once a search or a variant.
    pub fn is_partial(&self, column: &str) -> bool {
        self.partial.iter().any(|name| name == column)
    }

    /// The error of a column that is not kept by row, or not at all, by a name that may mean it.
    pub fn error(&self, name: &str) -> Option<LackError> {
        let may_mean = |column: &&String| columns::may_mean(name, column);
        let column = self.partial.iter().chain(&self.absent).find(may_mean)?;
        Some(LackError::Column(column.clone(), self.remedy.clone()))
    }

    /// The error where rows are chosen, or told apart, by a column that is not one of whole searches: what is kept once a search would be counted wrong.
    pub fn error_of_choice(&self, column: &str) -> Option<LackError> {
        let whole = match columns::role(column) {
            Role::Option => column != KEYS_SEED,
            Role::Key => column != columns::REPEAT && column != columns::DEPTH,
            _ => false,
        };
        let kept = self.partial.is_empty() || whole;
        (!kept).then(|| LackError::Choice(column.to_owned(), self.remedy.clone()))
    }
}
