//! Several suites in one experiment: `suites = { NAME = { file = "...", depth = 8 } }`. The items
//! of each suite form a section of the experiment's items, and each suite has its own limit. Names
//! of items begin with `NAME/`, so searches of different suites are never paired.

use crate::engine::Limit;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use std::fmt;
use std::ops::Range;
use std::path::PathBuf;

/// One entry of `suites`.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SuiteEntry {
    /// An EPD, FEN or PGN file, looked up as `suite` is.
    pub file: PathBuf,
    /// Depth limit of its searches, in plies, 1..=255.
    #[cfg_attr(test, schemars(range(min = 1, max = 255)))]
    pub depth: Option<u8>,
    /// Node limit of its searches, over all iterations.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub nodes: Option<u64>,
    /// Whether each position has a mate (`dm`, `bm #`) and no shorter one: then a search that shows
    /// a shorter one is wrong.
    #[serde(default)]
    pub minimal: bool,
}

/// The suites of a file, in the file's order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SuiteEntries(pub Vec<(String, SuiteEntry)>);

impl<'de> Deserialize<'de> for SuiteEntries {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = SuiteEntries;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a table of suites: { NAME = { file = \"FILE\", depth = 8 } }")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<SuiteEntries, M::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(SuiteEntries(entries))
            }
        }
        deserializer.deserialize_map(Entries)
    }
}

impl SuiteEntry {
    /// The limit of a variant's searches in this suite. The suite's own limit applies only where
    /// `variant_limit` has no limit.
    pub fn limit(&self, variant_limit: Limit) -> Limit {
        Limit { depth: variant_limit.depth.or(self.depth), nodes: variant_limit.nodes.or(self.nodes) }
    }
}

/// The items of one suite within the items of the experiment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The suite's name. It is the value of the column `suite` and the prefix of the items' names.
    pub name: String,
    /// The suite's entry in the file.
    pub entry: SuiteEntry,
    /// The path of the suite's file.
    pub path: Option<PathBuf>,
    /// The indices of the suite's items.
    pub item_range: Range<usize>,
}

/// Separates the name of the suite from the rest of an item's name.
pub const SEPARATOR: char = '/';

/// Without suites, the only limit is the variant's own limit. With suites, there is one limit for
/// each suite. Each limit is returned together with its path in the experiment file, such as
/// `suites.NAME`.
pub fn search_limits(suites: Option<&SuiteEntries>, variant_limit: Limit) -> Vec<(String, Limit)> {
    match suites {
        None => vec![("limit".to_owned(), variant_limit)],
        Some(SuiteEntries(entries)) => {
            entries.iter().map(|(name, entry)| (format!("suites.{name}"), entry.limit(variant_limit))).collect()
        }
    }
}
