//! A variant of an experiment.

use super::{paths, subject};
use crate::engine::{EngineOptions, Limit};
use crate::subject::SubjectOptions;
use crate::table::options::Clear;
use toml::Value;

/// One variant: an engine's options under one limit.
#[derive(Debug, Clone, PartialEq)]
pub struct Variant {
    /// Its name, unique in the experiment.
    pub name: String,
    /// The paths that it sets beside `[engine]`, with their values.
    pub paths: Vec<(String, Value)>,
    /// All options of ttlab's own engine; placeholders for an external engine.
    pub options: EngineOptions,
    /// The limit of its searches, before that of a suite.
    pub limit: Limit,
    /// The engine under test, if the file names one.
    pub subject: Option<SubjectOptions>,
}

impl Variant {
    /// The external engine; none for ttlab's own.
    pub fn external(&self) -> Option<&SubjectOptions> {
        self.subject.as_ref().filter(|subject| !subject.is_builtin())
    }

    /// Whether its searches of one item leave state (table or history) to those of the next.
    pub fn keeps_state(&self) -> bool {
        let never = |clear: Clear| clear == Clear::Never;
        self.external().is_none() && (never(self.options.table.clear) || never(self.options.history_clear))
    }
}

/// The option columns of a variant and their values, with its limit.
pub fn option_columns(variant: &Variant) -> Vec<(String, String)> {
    let mut leaves = variant.subject.as_ref().map(subject::subject_columns).unwrap_or_default();
    if variant.external().is_none() {
        leaves.extend(paths::flatten(&serde_json::to_value(&variant.options).unwrap_or_default()));
    }
    leaves.extend(variant.limit.depth.map(|depth| ("limit.depth".to_owned(), depth.to_string())));
    leaves.extend(variant.limit.nodes.map(|nodes| ("limit.nodes".to_owned(), nodes.to_string())));
    leaves
}
