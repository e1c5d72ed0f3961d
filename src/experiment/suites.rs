//! Several suites in one experiment: `suites = { NAME = { file = "...", depth = 8 } }`. Each is a
//! section of the experiment's items with its own limit. Item names begin with `NAME/`, so searches
//! of different suites are never paired.

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
    /// A variant's limit in this suite; limits of the variant (or `--set`) take precedence.
    pub fn limit(&self, limit: Limit) -> Limit {
        Limit { depth: limit.depth.or(self.depth), nodes: limit.nodes.or(self.nodes) }
    }
}

/// A suite's range of the experiment's items.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Its name: the value of the column `suite`, and the prefix of its items' names.
    pub name: String,
    /// The suite's entry in the file.
    pub entry: SuiteEntry,
    /// The path of its file; none if a plan holds its text.
    pub path: Option<PathBuf>,
    /// Indices of its items.
    pub item_range: Range<usize>,
}

/// Separates the suite's name from the item's.
pub const SEPARATOR: char = '/';

/// The limits of a variant's searches, each with its place in the file: one, or one per suite.
pub fn limits(suites: Option<&SuiteEntries>, limit: Limit) -> Vec<(String, Limit)> {
    match suites {
        None => vec![("limit".to_owned(), limit)],
        Some(SuiteEntries(entries)) => {
            entries.iter().map(|(name, entry)| (format!("suites.{name}"), entry.limit(limit))).collect()
        }
    }
}

/// Reads every suite. Returns a name for all of them together, all items, and the section of each
/// suite. `first`: how many items to read from each suite.
pub(super) fn load(
    entries: &SuiteEntries,
    on_error: OnError,
    first: Option<usize>,
    source: &FileText<'_>,
) -> Result<(String, Suite, Vec<Section>), Problem> {
    let mut joint_suite = Suite { name: String::new(), items: Vec::new(), notes: Vec::new() };
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

/// Applies a change to the items of each suite separately, and updates the sections' ranges.
pub(super) fn edit_sections(
    suite: &mut Suite,
    sections: &mut [Section],
    mut apply: impl FnMut(&Section, &mut Suite) -> Result<(), Problem>,
) -> Result<(), Problem> {
    let mut items = std::mem::take(&mut suite.items).into_iter();
    let mut edited_items = Vec::new();
    for section in sections {
        let section_items = items.by_ref().take(section.item_range.len()).collect();
        let mut part = Suite { name: String::new(), items: section_items, notes: Vec::new() };
        apply(section, &mut part)?;
        section.item_range = edited_items.len()..edited_items.len() + part.items.len();
        edited_items.extend(part.items);
        suite.notes.extend(part.notes);
    }
    suite.items = edited_items;
    Ok(())
}

/// Refuses or removes positions and games that an earlier suite also contains, because they would
/// count twice in results over all suites.
pub(super) fn check_unique_across(
    suite: &mut Suite,
    sections: &mut [Section],
    on_error: OnError,
    source: &FileText<'_>,
) -> Result<(), Problem> {
    let mut names_by_content: HashMap<String, String> = HashMap::new();
    edit_sections(suite, sections, |section, part| {
        let mut notes = Vec::new();
        let mut first_message = None;
        part.items.retain(|item| {
            let content = super::identity::item_content(item);
            let Some(earlier) = names_by_content.get(&content) else {
                names_by_content.insert(content, item.id.clone());
                return true;
            };
            let kind = if item.game().is_some() { "game" } else { "position" };
            let message = format!("{} is the same {kind} as {earlier}: each may occur only once", item.id);
            first_message.get_or_insert_with(|| message.clone());
            let file = section.entry.file.display().to_string();
            notes.push(Fault { file, line: item.line, column: 1, message: format!("left out: {message}") });
            false
        });
        match (first_message, on_error) {
            (Some(message), OnError::Stop) => {
                let help = Some("--skip-bad, or on_error = \"skip\" in the file, leaves it out".to_owned());
                Err(Problem { help, ..source.invalid(&format!("suites.{}", section.name), message) })
            }
            _ => {
                part.notes.extend(notes);
                Ok(())
            }
        }
    })
}
