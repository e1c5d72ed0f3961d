//! Several suites in one experiment: `suites = { NAME = { file = "...", depth = 8 } }`. The items
//! of each suite form a section of the experiment's items, and each suite has its own limit. Names
//! of items begin with `NAME/`, so searches of different suites are never paired.

use super::choices::SuiteChoice;
use super::problem::Problem;
use super::text::{FileText, LoadedSuite};
use crate::chess::fault::{Fault, OnError};
use crate::chess::suite::{Item, Suite};
use crate::engine::Limit;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use std::collections::HashMap;
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
    #[serde(default)]
    #[cfg_attr(test, schemars(range(min = 1, max = 255)))]
    pub depth: Option<u8>,
    /// Node limit of its searches, over all iterations.
    #[serde(default)]
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub nodes: Option<u64>,
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

/// Reads all suites. Returns a joint name, a joint suite with the items of all suites, and the
/// section of each suite. If `first` is given, only that many items of each suite are read.
pub(super) fn load(
    entries: &SuiteEntries,
    on_error: OnError,
    first: Option<usize>,
    source: &FileText<'_>,
) -> Result<(String, Suite, Vec<Section>), Problem> {
    let mut joint_suite = Suite::default();
    let (mut sections, mut names) = (Vec::new(), Vec::new());
    for (name, entry) in &entries.0 {
        let place = format!("suites.{name}.file");
        let LoadedSuite { name: file, path, suite } =
            source.load_suite(&SuiteChoice::File(entry.file.clone()), &place, Some(name), on_error, first)?;
        let start = joint_suite.items.len();
        let prefix_name = |item: Item| Item { id: format!("{name}{SEPARATOR}{}", item.id), ..item };
        joint_suite.items.extend(suite.items.into_iter().map(prefix_name));
        joint_suite.notes.extend(suite.notes);
        names.push(format!("{name}: {file}"));
        let item_range = start..joint_suite.items.len();
        sections.push(Section { name: name.clone(), entry: entry.clone(), path, item_range });
    }
    Ok((names.join(", "), joint_suite, sections))
}

/// Calls `edit` with the items of each suite separately. `edit` may remove items. Afterwards the
/// sections have the ranges of the remaining items.
pub(super) fn edit_sections(
    suite: &mut Suite,
    sections: &mut [Section],
    mut edit: impl FnMut(&Section, &mut Suite) -> Result<(), Problem>,
) -> Result<(), Problem> {
    let mut items = std::mem::take(&mut suite.items).into_iter();
    let mut edited_items = Vec::new();
    for section in sections {
        let section_items = items.by_ref().take(section.item_range.len()).collect();
        let mut section_suite = Suite { items: section_items, notes: Vec::new() };
        edit(section, &mut section_suite)?;
        section.item_range = edited_items.len()..edited_items.len() + section_suite.items.len();
        edited_items.extend(section_suite.items);
        suite.notes.extend(section_suite.notes);
    }
    suite.items = edited_items;
    Ok(())
}

/// Refuses or removes positions and games that an earlier suite also contains. Such items would
/// be counted twice when the results of all suites are combined.
pub(super) fn check_unique_across(
    suite: &mut Suite,
    sections: &mut [Section],
    on_error: OnError,
    source: &FileText<'_>,
) -> Result<(), Problem> {
    let mut names_by_content: HashMap<String, String> = HashMap::new();
    edit_sections(suite, sections, |section, section_suite| {
        let mut notes = Vec::new();
        let mut first_message = None;
        section_suite.items.retain(|item| {
            let content = super::identity::item_content(item);
            let Some(earlier_name) = names_by_content.get(&content) else {
                names_by_content.insert(content, item.id.clone());
                return true;
            };
            let kind = if item.game_moves().is_some() { "game" } else { "position" };
            let message = format!("{} is the same {kind} as {earlier_name}: each may occur only once", item.id);
            first_message.get_or_insert_with(|| message.clone());
            let file = section.entry.file.display().to_string();
            notes.push(Fault { file, line: item.line, column: 1, message: format!("left out: {message}") });
            false
        });
        match (first_message, on_error) {
            (Some(message), OnError::Stop) => {
                let help = Some("--skip-bad, or on_error = \"skip\" in the file, leaves out such items".to_owned());
                Err(Problem { help, ..source.invalid(&format!("suites.{}", section.name), message) })
            }
            _ => {
                section_suite.notes.extend(notes);
                Ok(())
            }
        }
    })
}
