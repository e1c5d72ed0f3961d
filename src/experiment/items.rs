//! Loads the items of an experiment: those of its suite, of its suites or of its trace.

use super::choices::SuiteChoice;
use super::file::File;
use super::problem::Problem;
use super::suites::{SEPARATOR, Section, SuiteEntries};
use super::text::{FileText, LoadedSuite, SKIP_HELP, left_out};
use super::trace::Trace;
use super::variant::Variant;
use super::work::Work;
use crate::chess::fault::{Fault, OnError};
use crate::chess::suite::Suite;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// The items, and what the jobs do with them.
pub(super) struct Items {
    pub(super) suite_name: String,
    /// The path of the only suite's file.
    pub(super) suite_file: Option<PathBuf>,
    pub(super) suite: Suite,
    /// The section of each suite if there are several suites; otherwise empty.
    pub(super) sections: Vec<Section>,
    pub(super) work: Work,
}

/// Loads the items of a file, and checks them.
pub(super) fn load(file: &File, variants: &[Variant], source: &FileText<'_>) -> Result<Items, Problem> {
    let work = match &file.games {
        Some(games) => Work::Match(games.clone()),
        None => Work::Search(file.sequence),
    };
    // If tables are never cleared, a search depends on all earlier items, so a repeated position is
    // not a duplicate.
    let needs_unique = file.games.is_some() || !variants.iter().all(Variant::keeps_state);
    let load_suite = |choice: &SuiteChoice, key: &str, name: Option<&str>| {
        let place = if name.is_some() { format!("{key}.file") } else { key.to_owned() };
        let mut loaded = source.load_suite(choice, &place, name, file.on_error, file.first)?;
        if needs_unique {
            source.check_unique(key, &loaded.name, file.on_error, &mut loaded.suite)?;
        }
        loaded.suite.items.truncate(file.first.unwrap_or(usize::MAX));
        source.check_sequence(file.sequence, &loaded.suite)?;
        Ok(loaded)
    };
    match (&file.suite, &file.suites, &file.trace) {
        (Some(choice), ..) => {
            let LoadedSuite { name, path, suite } = load_suite(choice, "suite", None)?;
            Ok(Items { suite_name: name, suite_file: path, suite, sections: Vec::new(), work })
        }
        (None, Some(SuiteEntries(entries)), _) => {
            let mut joint_suite = Suite::default();
            let (mut sections, mut names, mut earlier_items) = (Vec::new(), Vec::new(), HashMap::new());
            for (name, entry) in entries {
                let key = format!("suites.{name}");
                let LoadedSuite { name: file_name, path, mut suite } =
                    load_suite(&SuiteChoice::File(entry.file.clone()), &key, Some(name))?;
                for item in &mut suite.items {
                    if entry.minimal && item.mate().is_none() {
                        let message = format!("{}: no mate: expected dm N; or bm #N;", item.id);
                        let fault = Fault { file: file_name, line: item.line, column: 1, message };
                        return Err(source.invalid(&format!("{key}.minimal"), fault));
                    }
                    item.is_minimal = entry.minimal;
                    item.id = format!("{name}{SEPARATOR}{}", item.id);
                }
                let shared = remove_shared(&mut suite, &mut earlier_items, &file_name);
                if let (Some(fault), OnError::Stop) = (shared.first(), file.on_error) {
                    return Err(Problem { help: Some(SKIP_HELP.to_owned()), ..source.invalid(&key, &fault.message) });
                }
                suite.notes.extend(shared.into_iter().map(left_out));
                let start = joint_suite.items.len();
                joint_suite.items.extend(suite.items);
                joint_suite.notes.extend(suite.notes);
                names.push(format!("{name}: {file_name}"));
                let item_range = start..joint_suite.items.len();
                sections.push(Section { name: name.clone(), entry: entry.clone(), path, item_range });
            }
            Ok(Items { suite_name: names.join(", "), suite_file: None, suite: joint_suite, sections, work })
        }
        (None, None, Some(choice)) => {
            let trace = Arc::new(Trace::load(choice, source)?);
            let (suite_name, suite) = (format!("{} (a trace: open loop)", trace.name), trace.suite());
            Ok(Items { suite_name, suite_file: None, suite, sections: Vec::new(), work: Work::Replay(trace) })
        }
        (None, None, None) => {
            Err(source.problem("suite: missing: give suite = \"FILE\", or [trace] with file = \"FILE\""))
        }
    }
}

/// Removes positions and games that an earlier suite also contains, which would be counted twice
/// when the results of all suites are combined. Returns a fault for each. `earlier_items` has the
/// name of each item so far by its content.
fn remove_shared(suite: &mut Suite, earlier_items: &mut HashMap<String, String>, file: &str) -> Vec<Fault> {
    let mut faults = Vec::new();
    suite.items.retain(|item| {
        let content = super::identity::item_content(item, crate::chess::EpRule::Legal);
        let Some(earlier_name) = earlier_items.get(&content) else {
            earlier_items.insert(content, item.id.clone());
            return true;
        };
        let kind = if item.game_moves().is_some() { "game" } else { "position" };
        let message = format!("{} is the same {kind} as {earlier_name}: each may occur only once", item.id);
        faults.push(Fault { file: file.to_owned(), line: item.line, column: 1, message });
        false
    });
    faults
}
