//! Compares results of searches with different depth limits. If a search starts with an empty table
//! and empty histories, its counts at each depth do not depend on its depth limit. So if the rows
//! of a search with a smaller limit have other counts than the new rows, one of the two is wrong.

use super::output::OutputError;
use super::reuse::Reuse;
use crate::engine::options::Ordering;
use crate::experiment::{Experiment, Plan, Variant, Work};
use crate::record::columns::{self, Role};
use crate::record::manifest::Shard;
use crate::record::{self, ResultsError};
use crate::table::options::{Clear, Size};
use csv::StringRecord;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// The columns that identify a row, apart from its limit.
const KEY_COLUMNS: [&str; 6] =
    [columns::VARIANT, columns::GAME, columns::POSITION, columns::PLY, columns::REPEAT, columns::DEPTH];

/// A row of a search with a smaller limit, renamed to the names of this plan, and the file that
/// contains the row.
struct KnownRow<'f> {
    fields: Vec<String>,
    file: &'f Path,
}

/// Compares the rows of a plan with the rows that `files` contain for the same jobs with smaller
/// depth limits.
///
/// # Errors
/// If counts differ, or a file cannot be read.
pub(super) fn compare_depths(
    (experiment, plan): (&Experiment, &Plan),
    shard: Option<Shard>,
    results: &Path,
    files: &[PathBuf],
) -> Result<(), OutputError> {
    let is_comparable: Vec<bool> = plan.variants.iter().map(|variant| starts_empty(experiment, variant)).collect();
    let depth_limit = |variant: usize, item: usize| plan.limit(variant, item).depth.filter(|_| is_comparable[variant]);
    let max_depth = plan.jobs().filter_map(|job| depth_limit(job.variant, job.item)).max().unwrap_or(0);
    if files.is_empty() || plan.is_match() || max_depth < 2 {
        return Ok(());
    }
    // Only jobs with these ids are compared.
    let mut known_ids = HashSet::new();
    for file in files {
        let header = record::read_header(file).map_err(OutputError::results(file))?.unwrap_or_default();
        // `collect_id` returns false for each id, so that `scan_ids` does not read the id's row.
        let collect_id = |id| {
            known_ids.insert(id);
            false
        };
        record::scan_ids(file, &header, collect_id, |_, _| Ok(())).map_err(OutputError::results(file))?;
    }
    let mut known_rows: HashMap<String, Vec<KnownRow<'_>>> = HashMap::new();
    for depth in 1..max_depth {
        let shallower_plan = plan.limited_to(depth);
        let mut reuse = Reuse::new(experiment, &shallower_plan, shard);
        reuse.is_other_folder = true;
        reuse.jobs.retain(|id, jobs| {
            known_ids.contains(id) && depth_limit(jobs[0].variant, jobs[0].item).is_some_and(|limit| limit > depth)
        });
        if reuse.jobs.is_empty() {
            continue;
        }
        let key_indices = column_indices(&reuse.row_index.header, &KEY_COLUMNS);
        for file in files {
            let mut add_known_rows = |rows: Vec<Vec<String>>| {
                for fields in rows {
                    known_rows
                        .entry(row_key(&key_indices, |index| &fields[index]))
                        .or_default()
                        .push(KnownRow { fields, file });
                }
                Ok(())
            };
            reuse.read(file, &mut HashMap::new(), &mut add_known_rows).map_err(OutputError::results(file))?;
        }
    }
    if known_rows.is_empty() {
        return Ok(());
    }
    find_difference(results, &known_rows)
}

/// Fails if there is a row in the results whose counts differ from those of a known row of the same
/// search. The error describes the first such row.
fn find_difference(results: &Path, known_rows: &HashMap<String, Vec<KnownRow<'_>>>) -> Result<(), OutputError> {
    let find = || -> Result<Option<String>, ResultsError> {
        let header = record::read_header(results)?.unwrap_or_default();
        let key_indices = column_indices(&header, &KEY_COLUMNS);
        let count_indices = column_indices(&header, &count_columns(&header));
        // If the file has no column `finished`, every iteration counts as finished.
        let finished_indices = column_indices(&header, &[columns::FINISHED]);
        let mut difference = None;
        record::scan(results, &header, |line, row| {
            let Ok(row) = row else { return Ok(()) };
            let field = |index: usize| row.get(index).unwrap_or_default();
            let rows_of_same_search =
                known_rows.get(&row_key(&key_indices, field)).map(Vec::as_slice).unwrap_or_default();
            for KnownRow { fields, file } in rows_of_same_search {
                let both_finished =
                    finished_indices.iter().all(|&index| field(index) == "true" && fields[index] == "true");
                if both_finished
                    && let Some(&index) = count_indices.iter().find(|&&index| field(index) != fields[index])
                {
                    let (results, file) = (results.display(), file.display());
                    let search = describe_search(&header, row);
                    difference.get_or_insert_with(|| {
                        format!(
                            "{results}: line {} ({search}): {} is {}, but {file} has {} for the same search with a smaller depth limit",
                            line.number, header[index], field(index), fields[index]
                        )
                    });
                }
            }
            Ok(())
        })?;
        Ok(difference)
    };
    match find().map_err(OutputError::results(results))? {
        Some(difference) => Err(OutputError::CountsDiffer(difference)),
        None => Ok(()),
    }
}

/// Whether every search of a variant starts with an empty table and empty histories, so that the
/// counts of each depth do not depend on the depth limit.
fn starts_empty(experiment: &Experiment, variant: &Variant) -> bool {
    let (Some(options), Work::Search(sequence)) = (variant.builtin(), &experiment.work) else { return false };
    let has_sequences = experiment.has_sequences();
    let is_cleared = |clear: Clear| match clear {
        Clear::Iteration | Clear::Search => true,
        Clear::Game => !has_sequences,
        Clear::Never => false,
    };
    // The moves that lead to the next position are chosen by the whole search, so they depend on
    // the limit.
    sequence.is_none_or(|sequence| sequence.self_play == 0)
        && is_cleared(options.table.clear)
        && is_cleared(options.history_clear)
        && !matches!(options.table.size, Size::Share(_))
        // The oracle orders moves by an earlier search to the depth limit.
        && !options.ordering.contains(&Ordering::Oracle)
}

/// Returns the columns whose values are determined by the search.
fn count_columns(header: &[String]) -> Vec<&str> {
    let is_determined = |name: &&str| match columns::role(name) {
        Role::Sum | Role::Last => !name.starts_with(columns::ANATOMY),
        _ => [columns::BEST, columns::PV].contains(name),
    };
    header.iter().map(String::as_str).filter(is_determined).collect()
}

/// Returns the indices of columns. Columns that the header lacks are left out.
fn column_indices(header: &[String], names: &[&str]) -> Vec<usize> {
    names.iter().filter_map(|name| header.iter().position(|column| column == name)).collect()
}

/// Returns a row's key. The key consists of the fields with these indices, joined by a character
/// that no field contains.
fn row_key<'r>(indices: &[usize], field: impl Fn(usize) -> &'r str) -> String {
    indices.iter().map(|&index| field(index)).collect::<Vec<_>>().join("\0")
}

/// Returns a text with a row's variant, position and depth, for messages.
fn describe_search(header: &[String], row: &StringRecord) -> String {
    let names = [columns::VARIANT, columns::POSITION, columns::DEPTH];
    let fields = column_indices(header, &names).into_iter().map(|index| row.get(index).unwrap_or_default());
    fields.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
