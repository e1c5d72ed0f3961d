//! Two results joined by source, with their rows paired.

use super::gate::GateError;
use crate::analysis::pairing::pairs::pair_rows;
use crate::analysis::pairing::searches::Searches;
use crate::analysis::rows::column::SOURCE;
use crate::analysis::rows::frame::{Frame, FrameError};
use crate::analysis::rows::grouping::Grouping;
use crate::analysis::rows::score_error;
use crate::experiment::text::{FileText, SuiteTexts};
use crate::record::columns;
use crate::record::manifest::{Manifest, ManifestError, SealKind};
use crate::record::verify::UNSEALED;
use crate::record::{RESULTS, reference, thin, verify};
use std::collections::HashMap;
use std::path::Path;

/// One of the two results.
#[derive(Debug, Clone)]
pub struct RecordedResult {
    /// The path it was read from, as the user wrote it.
    pub name: String,
    pub frame: Frame,
    /// The manifest; none for a results file without its folder.
    pub manifest: Option<Manifest>,
    /// A message about missing rows of its plan; none if it is complete.
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
    /// The rows were changed after the run: the file, and what is wrong with it.
    #[error("{0}: {1}\nhelp: search such rows again with `ttlab run --repair`")]
    Damaged(String, String),
    /// Thin rows were changed after they were written: the file, and what is wrong with it.
    #[error("{0}: {1}\nhelp: restore it, or make the full rows with `ttlab run`")]
    Thin(String, String),
    /// Different positions with one name: both results, and which.
    #[error("{0} and {1}: {2}")]
    DifferentPositions(String, String, String),
    /// Two rows of one search and depth: the result, and which.
    #[error("{0}: {1}: results that overlap cannot be joined")]
    DuplicateRow(String, String),
    /// A gate that cannot be judged.
    #[error(transparent)]
    Gate(#[from] GateError),
}

impl RecordedResult {
    /// Reads a results folder, or a results file (with the folder's manifest if it is
    /// `results.csv`).
    ///
    /// # Errors
    /// If there are no results, or they cannot be read.
    pub fn read(path: &Path) -> Result<Self, CompareError> {
        if let Some(folder) = thin::thin_folder(path) {
            return Self::read_thin(path, folder);
        }
        let rows = if path.is_dir() { path.join(RESULTS) } else { path.to_owned() };
        // The manifest of the folder does not belong to another file.
        let manifest = match rows.parent().filter(|_| rows.file_name().is_some_and(|name| name == RESULTS)) {
            Some(folder) => Manifest::read(folder)?,
            None => None,
        };
        let frame = Frame::read(&rows)?;
        let wrong = |problem| CompareError::Damaged(rows.display().to_string(), problem);
        let verified = verify::verify(&rows, manifest.as_ref()).map_err(|error| wrong(error.to_string()))?;
        match verified.describe_damage() {
            Some(problem) => Err(wrong(problem)),
            None => {
                Ok(Self { name: path.display().to_string(), frame, manifest, missing: verified.describe_missing() })
            }
        }
    }

    /// As [`Recorded::read`], for a folder of thin rows.
    fn read_thin(path: &Path, folder: &Path) -> Result<Self, CompareError> {
        let rows = folder.join(thin::NAME).display().to_string();
        let wrong = |problem: String| CompareError::Thin(rows.clone(), problem);
        let manifest = Manifest::read(folder)?.ok_or_else(|| wrong("there is no manifest beside it".to_owned()))?;
        let found = thin::read(folder, &manifest).map_err(|error| wrong(error.to_string()))?;
        let remedy = format!(
            "`ttlab run FILE --out FOLDER` makes the full rows (the experiment as it was run: {})",
            folder.join("experiment.toml").display()
        );
        let frame = Frame::from_thin_rows(&found, &rows, remedy)?;
        let unsealed = (manifest.seal_kind() != SealKind::Whole).then(|| UNSEALED.to_owned());
        let missing = manifest.thin.as_ref().and_then(|thin| thin.missing.clone()).or(unsealed);
        Ok(Self { name: path.display().to_string(), frame, manifest: Some(manifest), missing })
    }
}

/// Adds score errors to both results by BASE's reference, so that both are judged alike. Does
/// nothing if BASE has no judged scores.
///
/// # Errors
/// If the judgements cannot be read.
pub fn add_score_errors(base: &mut RecordedResult, new: &mut RecordedResult, path: &Path) -> Result<(), CompareError> {
    let folder = if path.is_dir() { path } else { path.parent().unwrap_or(Path::new("")) };
    let experiment = folder.join("experiment.toml");
    let Ok(text) = crate::system::files::read_text(&experiment) else { return Ok(()) };
    let file =
        FileText { text: &text, path: &experiment, suites: SuiteTexts::Files }.parse_file::<crate::experiment::File>();
    let Some(cap) = file.ok().and_then(|file| file.reference?.score_cut()) else { return Ok(()) };
    let judged = reference::read(folder).map_err(|error| {
        CompareError::Damaged(folder.join(reference::NAME).display().to_string(), error.to_string())
    })?;
    [base, new].into_iter().for_each(|side| score_error::add_score_error(&mut side.frame, &judged, cap));
    Ok(())
}

/// The two results as one frame, with a source column, and their paired rows.
#[derive(Debug, Clone, Default)]
pub struct PairedResults {
    /// The rows of BASE, then those of NEW, with variants named as in BASE.
    pub frame: Frame,
    /// One group for each source and variant (and suite).
    pub grouping: Grouping,
    /// The searches of both.
    pub searches: Searches,
    /// The columns that both have.
    pub shared: Vec<String>,
    /// The variants of BASE in order, then those that only NEW has.
    pub variants: Vec<String>,
    /// The units of comparison: each variant, or each variant in each suite if both results have
    /// several.
    pub lines: Vec<ComparedLine>,
    /// The groups of each line in BASE and in NEW.
    pub groups: Vec<[Option<usize>; 2]>,
    /// NEW's name of each variant, if it has another name with the same options.
    pub renamed: Vec<Option<String>>,
    /// Rows that both have.
    pub both: Vec<RowPair>,
    /// Rows of BASE that NEW lacks, each with its line.
    pub missing: Vec<(usize, usize)>,
    /// The number of NEW's rows that BASE lacks.
    pub added: usize,
    /// The number of failed jobs in BASE and in NEW.
    pub failed: [usize; 2],
}

/// Two rows of the same search and depth.
#[derive(Debug, Clone, Copy)]
pub struct RowPair {
    pub base: usize,
    pub new: usize,
    /// The index of the line.
    pub line: usize,
}

/// A unit of comparison: a variant, in one suite if there are several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedLine {
    /// The suite, if both results have several.
    pub suite: Option<String>,
    /// The index of the variant.
    pub variant: usize,
}

/// The values of the source column.
const SOURCES: [&str; 2] = ["BASE", "NEW"];

impl PairedResults {
    /// Joins two results and pairs their rows by variant, position, depth and repeat. Variants are
    /// matched by name; the rest by equal options.
    ///
    /// # Errors
    /// If a result has a row twice, or if different positions have the same name.
    pub fn new(base: &RecordedResult, new: &RecordedResult) -> Result<Self, CompareError> {
        let manifests = base.manifest.as_ref().zip(new.manifest.as_ref());
        if let Some(problem) = manifests.and_then(|(base, new)| base.describe_unlike_items(new)) {
            return Err(CompareError::DifferentPositions(base.name.clone(), new.name.clone(), problem));
        }
        let [base_names, new_names] = [base, new].map(|side| side.frame.text_column(columns::VARIANT).list().to_vec());
        // The variant of BASE, missing in NEW, that has the options of one of NEW.
        let same_options = |name: &String| {
            let (base, new) = manifests?;
            let options = new.options.get(name)?;
            base_names.iter().position(|known| !new_names.contains(known) && base.options.get(known) == Some(options))
        };
        let mut joined =
            Self { variants: base_names.clone(), renamed: vec![None; base_names.len()], ..Self::default() };
        // BASE's name of each of NEW's variants.
        let mut base_names_of = HashMap::new();
        for name in &new_names {
            let index = base_names.iter().position(|known| known == name);
            if let Some(index) = index.or_else(|| same_options(name)) {
                if base_names[index] != *name {
                    joined.renamed[index] = Some(name.clone());
                }
                base_names_of.insert(name.as_str(), base_names[index].as_str());
            } else {
                joined.variants.push(name.clone());
                joined.renamed.push(None);
            }
        }
        joined.shared = base.frame.names().iter().filter(|name| new.frame.names().contains(name)).cloned().collect();
        joined.frame = base.frame.clone();
        joined.frame.set_word(SOURCE, SOURCES[0]);
        let mut new_frame = new.frame.clone();
        new_frame.set_word(SOURCE, SOURCES[1]);
        if joined.renamed.iter().any(Option::is_some) {
            let variants = new.frame.text_column(columns::VARIANT);
            new_frame.set_words(columns::VARIANT, |row| {
                let name = variants.text(row);
                base_names_of.get(name).copied().unwrap_or(name).to_owned()
            });
        }
        joined.frame.append(&new_frame);
        let mut by = vec![SOURCE.to_owned(), columns::VARIANT.to_owned()];
        let mut suites = vec![None];
        if joined.shared.iter().any(|name| name == columns::SUITE) {
            by.push(columns::SUITE.to_owned());
            suites = joined.frame.text_column(columns::SUITE).list().iter().cloned().map(Some).collect();
        }
        joined.grouping = Grouping::new(&joined.frame, &by);
        joined.searches = Searches::gather(&joined.frame, &joined.grouping, &[]);
        let variants = 0..joined.variants.len();
        joined.lines = suites
            .iter()
            .flat_map(|suite| variants.clone().map(|variant| ComparedLine { suite: suite.clone(), variant }))
            .collect();
        let group = |source: &str, line: &ComparedLine| {
            let own = [source.to_owned(), joined.variants[line.variant].clone()];
            joined.grouping.find(&own.into_iter().chain(line.suite.clone()).collect::<Vec<_>>())
        };
        joined.groups = joined.lines.iter().map(|line| SOURCES.map(|source| group(source, line))).collect();
        for (group, errors) in joined.searches.errors.iter().enumerate() {
            joined.failed[usize::from(joined.grouping.values[group][0] == SOURCES[1])] += errors;
        }
        joined.pair_lines([base, new])?;
        Ok(joined)
    }

    /// Pairs the rows of each line.
    fn pair_lines(&mut self, sides: [&RecordedResult; 2]) -> Result<(), CompareError> {
        if let Some((row, duplicate)) = self.searches.describe_duplicate(&self.frame) {
            let side = sides[usize::from(row >= sides[0].frame.rows())].name.clone();
            return Err(CompareError::DuplicateRow(side, duplicate));
        }
        for (line, groups) in self.groups.iter().enumerate() {
            let [base, new] = groups.map(|group| group.map_or(&[][..], |group| self.searches.cells(group)));
            let rows = pair_rows(&self.searches, base, new);
            self.both.extend(rows.both.into_iter().map(|(base, new)| RowPair { base, new, line }));
            self.missing.extend(rows.missing.into_iter().map(|row| (row, line)));
            self.added += rows.added;
        }
        self.both.sort_by_key(|pair| pair.base);
        self.missing.sort_unstable();
        Ok(())
    }

    /// The name of a line, with its suite if there are several.
    pub fn line_name(&self, line: &ComparedLine) -> String {
        let variant = &self.variants[line.variant];
        line.suite.as_ref().map_or_else(|| variant.clone(), |suite| format!("{suite}, {variant}"))
    }

    /// Describes a row for messages.
    pub fn describe_row(&self, row: usize) -> String {
        let text = |column: &str| self.frame.text(column, row);
        format!("\"{}\", {}, depth {}", text(columns::VARIANT), text(columns::POSITION), text(columns::DEPTH))
    }
}
