//! Joins two results in one frame and pairs their rows.

use super::gate::GateError;
use crate::analysis::pairing::pairs::pair_rows;
use crate::analysis::pairing::searches::Searches;
use crate::analysis::rows::column::SOURCE;
use crate::analysis::rows::frame::{Frame, FrameError};
use crate::analysis::rows::grouping::Grouping;
use crate::analysis::rows::score_error;
use crate::experiment::text::FileText;
use crate::record::manifest::{Manifest, ManifestError};
use crate::record::{EXPERIMENT, PACKED, RESULTS, columns, reference, results_file};
use std::collections::HashMap;
use std::path::Path;

#[derive(Debug, Clone)]
pub struct RecordedResult {
    /// The path that the result was read from, as the user wrote the path.
    pub name: String,
    pub frame: Frame,
    pub manifest: Option<Manifest>,
    /// A message about rows of the plan that are missing. `None` if the result is complete.
    pub missing: Option<String>,
}

/// Why results cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// The rows cannot be read.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The manifest cannot be read.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// The rows were changed after the run. Holds the file and a description of the damage.
    #[error("{0}: {1}\nhelp: `ttlab run --repair` drops damaged and duplicate rows and repeats their searches")]
    Damaged(String, String),
    /// The two results use one name for different positions. Holds the names of both results and a
    /// description of the positions.
    #[error("{0} and {1}: {2}")]
    DifferentPositions(String, String, String),
    /// A result has two rows of the same search and depth. Holds the name of the result and a
    /// description of the rows.
    #[error("{0}: {1}: results that overlap cannot be joined")]
    DuplicateRow(String, String),
    /// A gate cannot be parsed or judged.
    #[error(transparent)]
    Gate(#[from] GateError),
}

impl RecordedResult {
    /// Reads a results folder or a results file. If the file is called `results.csv` or
    /// `results.csv.xz`, the manifest in the same folder is read too.
    ///
    /// # Errors
    /// If there are no results, or if the results cannot be read or were changed after the run.
    pub fn read(path: &Path) -> Result<Self, CompareError> {
        let rows_path = if path.is_dir() { results_file(path) } else { path.to_owned() };
        let has_name =
            |names: [&str; 2]| rows_path.file_name().is_some_and(|file| names.iter().any(|name| file == *name));
        // The manifest in a folder belongs to its results only.
        let manifest = match rows_path.parent() {
            Some(folder) if has_name([RESULTS, PACKED]) => Manifest::read(folder)?,
            _ => None,
        };
        let (frame, verification) = Frame::read_verified(&rows_path, manifest.as_ref())?;
        let damage_error = |problem| CompareError::Damaged(rows_path.display().to_string(), problem);
        let verification = verification.map_err(|error| damage_error(error.to_string()))?;
        match verification.describe_damage() {
            Some(problem) => Err(damage_error(problem)),
            None => {
                Ok(Self { name: path.display().to_string(), frame, manifest, missing: verification.describe_missing() })
            }
        }
    }
}

/// Adds score errors to both results. The scores of both results are judged by the reference of
/// BASE, so that the score errors can be compared. Does nothing if the experiment of BASE defines
/// no reference for scores.
///
/// # Errors
/// If the judgements of BASE cannot be read.
pub fn add_score_errors(
    base: &mut RecordedResult,
    new: &mut RecordedResult,
    base_path: &Path,
) -> Result<(), CompareError> {
    let folder = if base_path.is_dir() { base_path } else { base_path.parent().unwrap_or(Path::new("")) };
    let experiment = folder.join(EXPERIMENT);
    let Ok(text) = crate::system::files::read_text(&experiment) else { return Ok(()) };
    let file = FileText { text: &text, path: &experiment, suite_paths: None }.parse_file::<crate::experiment::File>();
    let Some(score_cut) = file.ok().and_then(|file| file.reference?.score_cut()) else { return Ok(()) };
    let judgements = reference::read(folder).map_err(|error| {
        CompareError::Damaged(folder.join(reference::NAME).display().to_string(), error.to_string())
    })?;
    [base, new].into_iter().for_each(|result| score_error::add_score_error(&mut result.frame, &judgements, score_cut));
    Ok(())
}

#[derive(Debug, Clone, Default)]
pub struct PairedResults {
    /// The rows of BASE, followed by the rows of NEW. Variants are named as in BASE. The source
    /// column tells which result a row comes from.
    pub frame: Frame,
    /// One group for each combination of source (BASE or NEW) and variant. If both results have a
    /// suite column, there is one group for each combination of source, variant and suite.
    pub grouping: Grouping,
    pub searches: Searches,
    pub shared_columns: Vec<String>,
    /// The variants of BASE in order, followed by the variants that only NEW has.
    pub variants: Vec<String>,
    /// The units of comparison. Each variant is one line. If both results have a suite column, each
    /// variant in each suite is one line.
    pub lines: Vec<ComparedLine>,
    /// The group of each line in BASE and in NEW, or `None` if the line has no rows in that result.
    pub groups: Vec<[Option<usize>; 2]>,
    /// The name in NEW of each variant in `variants`. `None` if the variant has the same name in
    /// NEW as in BASE, or is missing in one of them.
    pub new_names: Vec<Option<String>>,
    pub pairs: Vec<RowPair>,
    /// The rows of BASE that are missing in NEW. Each row is paired with the index of its line.
    pub missing_rows: Vec<(usize, usize)>,
    /// The number of rows of NEW that are missing in BASE.
    pub added_count: usize,
    /// The number of failed jobs in BASE and in NEW.
    pub failed: [usize; 2],
}

#[derive(Debug, Clone, Copy)]
pub struct RowPair {
    pub base: usize,
    pub new: usize,
    pub line: usize,
}

/// A unit of comparison: a variant or, if both results have a suite column, a variant in one suite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedLine {
    pub suite: Option<String>,
    pub variant: usize,
}

const SOURCES: [&str; 2] = ["BASE", "NEW"];

impl PairedResults {
    /// Takes the rows of two results, joins them, and pairs them by variant, position, depth and
    /// repeat. A variant of NEW is matched with the variant of BASE that has the same name. If
    /// there is no such variant, it is matched with a variant of BASE that has the same options and
    /// whose name NEW does not use.
    ///
    /// # Errors
    /// If a result contains a row twice, or if different positions have the same name.
    pub fn new(base: &mut RecordedResult, new: &mut RecordedResult) -> Result<Self, CompareError> {
        let manifests = base.manifest.as_ref().zip(new.manifest.as_ref());
        if let Some(problem) = manifests.and_then(|(base, new)| base.describe_different_items(new)) {
            return Err(CompareError::DifferentPositions(base.name.clone(), new.name.clone(), problem));
        }
        let [base_names, new_names] =
            [&*base, &*new].map(|side| side.frame.text_column(columns::VARIANT).list().to_vec());
        // Returns the index of a variant of BASE that has the same options as a variant of NEW and
        // whose name NEW does not use.
        let find_by_options = |new_name: &String| {
            let (base, new) = manifests?;
            let options = new.planned.options.get(new_name)?;
            let was_renamed =
                |name: &String| !new_names.contains(name) && base.planned.options.get(name) == Some(options);
            base_names.iter().position(was_renamed)
        };
        let mut results =
            Self { variants: base_names.clone(), new_names: vec![None; base_names.len()], ..Self::default() };
        // Maps the name of each variant in NEW to its name in BASE.
        let mut base_name_by_new_name = HashMap::new();
        for new_name in &new_names {
            let index = base_names.iter().position(|base_name| base_name == new_name);
            if let Some(index) = index.or_else(|| find_by_options(new_name)) {
                if base_names[index] != *new_name {
                    results.new_names[index] = Some(new_name.clone());
                }
                base_name_by_new_name.insert(new_name.as_str(), base_names[index].as_str());
            } else {
                results.variants.push(new_name.clone());
                results.new_names.push(None);
            }
        }
        results.shared_columns =
            base.frame.names().iter().filter(|name| new.frame.names().contains(name)).cloned().collect();
        let base_row_count = base.frame.rows();
        results.frame = std::mem::take(&mut base.frame);
        results.frame.set_word(SOURCE, SOURCES[0]);
        let mut new_frame = std::mem::take(&mut new.frame);
        new_frame.set_word(SOURCE, SOURCES[1]);
        if results.new_names.iter().any(Option::is_some) {
            let variants = new_frame.text_column(columns::VARIANT).into_owned();
            new_frame.set_texts(columns::VARIANT, |row| {
                let name = variants.text(row);
                base_name_by_new_name.get(name).copied().unwrap_or(name).to_owned()
            });
        }
        results.frame.append(new_frame);
        let mut by = vec![SOURCE.to_owned(), columns::VARIANT.to_owned()];
        let mut suites = vec![None];
        if results.shared_columns.iter().any(|name| name == columns::SUITE) {
            by.push(columns::SUITE.to_owned());
            suites = results.frame.text_column(columns::SUITE).list().iter().cloned().map(Some).collect();
        }
        results.grouping = Grouping::new(&results.frame, &by);
        results.searches = Searches::gather(&results.frame, &results.grouping);
        let variants = 0..results.variants.len();
        results.lines = suites
            .iter()
            .flat_map(|suite| variants.clone().map(|variant| ComparedLine { suite: suite.clone(), variant }))
            .collect();
        let find_group = |source: &str, line: &ComparedLine| {
            let values = [source.to_owned(), results.variants[line.variant].clone()];
            results.grouping.find(&values.into_iter().chain(line.suite.clone()).collect::<Vec<_>>())
        };
        results.groups = results.lines.iter().map(|line| SOURCES.map(|source| find_group(source, line))).collect();
        for (group, error_count) in results.searches.errors.iter().enumerate() {
            let is_in_new = results.grouping.values[group][0] == SOURCES[1];
            results.failed[usize::from(is_in_new)] += error_count;
        }
        if let Some((row, description)) = results.searches.describe_duplicate(&results.frame) {
            // The rows of NEW follow the rows of BASE.
            let result = if row < base_row_count { base } else { new };
            return Err(CompareError::DuplicateRow(result.name.clone(), description));
        }
        results.pair_lines();
        Ok(results)
    }

    fn pair_lines(&mut self) {
        for (line, groups) in self.groups.iter().enumerate() {
            let [base, new] = groups.map(|group| group.map_or(&[][..], |group| self.searches.cells(group)));
            let row_pairs = pair_rows(&self.searches, base, new);
            self.pairs.extend(row_pairs.paired.into_iter().map(|(base, new)| RowPair { base, new, line }));
            self.missing_rows.extend(row_pairs.missing.into_iter().map(|row| (row, line)));
            self.added_count += row_pairs.added;
        }
        self.pairs.sort_by_key(|pair| pair.base);
        self.missing_rows.sort_unstable();
    }

    /// If the line has a suite, the name begins with the suite.
    pub fn line_name(&self, line: &ComparedLine) -> String {
        let variant = &self.variants[line.variant];
        line.suite.as_ref().map_or_else(|| variant.clone(), |suite| format!("{suite}, {variant}"))
    }

    pub fn describe_row(&self, row: usize) -> String {
        let text = |column: &str| self.frame.text(column, row);
        format!("\"{}\", {}, depth {}", text(columns::VARIANT), text(columns::POSITION), text(columns::DEPTH))
    }
}
