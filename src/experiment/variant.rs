//! A variant of an experiment.

use super::{paths, subject};
use crate::engine::options::{Diagnostics, Mate};
use crate::engine::{EngineOptions, Limit};
use crate::record::columns::Extra;
use crate::subject::UCI_MATE;
use crate::subject::options::{BUILTIN, SubjectOptions};
use crate::table::TableOptions;
use crate::table::options::{Clear, Size};
use toml::Value;

/// One variant: an engine's options under one limit.
#[derive(Debug, Clone, PartialEq)]
pub struct Variant {
    pub name: String,
    /// The option paths that the variant sets in addition to `[engine]`, with their values.
    pub path_values: Vec<(String, Value)>,
    /// The limit of the variant's searches. A suite may give the limit that is missing here.
    pub limit: Limit,
    pub subject: Subject,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Subject {
    Builtin {
        options: Box<EngineOptions>,
        /// Whether the file names ttlab's own engine by `subject.uci = "builtin"`. If so, rows have
        /// this name, too.
        is_named_by_file: bool,
    },
    External(SubjectOptions),
}

impl Variant {
    /// The options of ttlab's own engine; `None` for an external engine.
    pub fn builtin(&self) -> Option<&EngineOptions> {
        if let Subject::Builtin { options, .. } = &self.subject { Some(options) } else { None }
    }

    /// The table options of ttlab's own engine; `None` for an external engine.
    pub fn table(&self) -> Option<&TableOptions> {
        self.builtin().map(|options| &options.table)
    }

    /// The options of the external engine; `None` for ttlab's own engine.
    pub fn external(&self) -> Option<&SubjectOptions> {
        if let Subject::External(subject) = &self.subject { Some(subject) } else { None }
    }

    /// How the scores of mates are written.
    pub fn mate_scale(&self) -> Mate {
        self.builtin().map_or(UCI_MATE, |options| options.mate)
    }

    /// Whether the table or the history is kept from the searches of one item to those of the next.
    pub fn keeps_state(&self) -> bool {
        self.builtin().is_some_and(|options| [options.table.clear, options.history_clear].contains(&Clear::Never))
    }

    /// Whether the table's size is a share of what its searches store.
    pub fn has_share(&self) -> bool {
        self.table().is_some_and(|table| matches!(table.size, Size::Share(_)))
    }
}

/// `is_match` is whether the rows are games, `has_suites` is whether there are several suites, and
/// `mates` is whether they give mates.
pub fn extra_columns(variants: &[Variant], is_match: bool, has_suites: bool, mates: bool) -> Extra {
    let has_builtin_with =
        |condition: fn(&EngineOptions) -> bool| variants.iter().filter_map(Variant::builtin).any(condition);
    Extra {
        anatomy: has_builtin_with(|options| options.diagnostics == Diagnostics::Full),
        threads: has_builtin_with(|options| options.threads.count > 1),
        external: has_builtin_with(|options| options.threads.is_real())
            || variants.iter().any(|variant| variant.external().is_some()),
        mates: mates && !is_match,
        games: is_match,
        suites: has_suites,
    }
}

/// The variant's limits are included.
pub fn option_columns(variant: &Variant) -> Vec<(String, String)> {
    let mut columns = match &variant.subject {
        Subject::Builtin { options, is_named_by_file } => {
            let name = is_named_by_file.then(|| (subject::PROGRAM.to_owned(), BUILTIN.to_owned()));
            let options = paths::flatten(&serde_json::to_value(options).unwrap_or_default());
            name.into_iter().chain(options).collect()
        }
        Subject::External(subject) => subject::subject_columns(subject),
    };
    columns.extend(variant.limit.depth.map(|depth| ("limit.depth".to_owned(), depth.to_string())));
    columns.extend(variant.limit.nodes.map(|nodes| ("limit.nodes".to_owned(), nodes.to_string())));
    columns
}
