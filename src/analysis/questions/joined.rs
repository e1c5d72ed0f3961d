//! Two results joined by their source: what they are of, and which rows belong together.

use super::gate::GateError;
use crate::analysis::pairing::pairs::rows_that_meet;
use crate::analysis::pairing::searches::Searches;
use crate::analysis::rows::column::SOURCE;
use crate::analysis::rows::frame::{Frame, FrameError};
use crate::analysis::rows::grouping::Grouping;
use crate::analysis::rows::score_error;
use crate::experiment::text::{FileText, SuiteTexts};
use crate::record::columns;
use crate::record::manifest::{Manifest, ManifestError, SealKind};
use crate::record::verify::UNSEALED;
use crate::record::{reference, thin, verify};
use std::collections::HashMap;
use std::path::Path;

/// One of the two results.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// Where it was read from, as the user wrote it.
    pub name: String,
    /// Its rows.
    pub frame: Frame,
    /// What was run; none for a results file that lies alone.
    pub manifest: Option<Manifest>,
    /// Which rows of its plan are missing, in words; none where none are.
    pub missing: Option<String>,
}

/// Why results cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum RecordedError {
    /// The rows.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The manifest.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// The rows are not what a run wrote: the file, and what is wrong with it.
    #[error("{0}: {1}\nhelp: the figures would not be those of a run; `ttlab run` with --repair makes such rows again")]
    Wrong(String, String),
    /// Thin rows are not what was written: the file, and what is wrong with it.
    #[error("{0}: {1}\nhelp: restore it, or make the full rows with `ttlab run`")]
    Thin(String, String),
    /// Two positions of one name: the results, and which.
    #[error("{0} and {1}: {2}")]
    Unlike(String, String, String),
    /// Two rows of one search and depth: the results, and which.
    #[error("{0}: {1}: join no results that overlap")]
    Twice(String, String),
    /// A gate that cannot be judged.
    #[error(transparent)]
    Gate(#[from] GateError),
}

impl Recorded {
    /// Reads a results folder, or a results file (with the manifest of its folder, if it is a folder's `results.csv`).
    ///
    /// # Errors
    /// When there are no results, or they cannot be read.
    pub fn read(path: &Path) -> Result<Self, RecordedError> {
        if let Some(folder) = thin::thin_folder(path) {
            return Self::read_thin(path, folder);
        }
        let rows = if path.is_dir() { path.join("results.csv") } else { path.to_owned() };
        // The manifest of another file's folder says nothing of it.
        let manifest = match rows.parent().filter(|_| rows.file_name().is_some_and(|name| name == "results.csv")) {
            Some(folder) => Manifest::read(folder)?,
            None => None,
        };
        let frame = Frame::read(&rows)?;
        let wrong = |problem| RecordedError::Wrong(rows.display().to_string(), problem);
        let verified = verify::verify(&rows, manifest.as_ref()).map_err(|error| wrong(error.to_string()))?;
        match verified.describe_damage() {
            Some(problem) => Err(wrong(problem)),
            None => {
                Ok(Self { name: path.display().to_string(), frame, manifest, missing: verified.describe_missing() })
            }
        }
    }

    /// As [`Recorded::read`], of a folder of thin rows.
    fn read_thin(path: &Path, folder: &Path) -> Result<Self, RecordedError> {
        let rows = folder.join(thin::NAME).display().to_string();
        let wrong = |problem: String| RecordedError::Thin(rows.clone(), problem);
        let manifest = Manifest::read(folder)?.ok_or_else(|| wrong("there is no manifest beside it".to_owned()))?;
        let found = thin::read(folder, &manifest).map_err(|error| wrong(error.to_string()))?;
        let remedy = format!(
            "`ttlab run FILE --out FOLDER` makes the full rows (the experiment as it was run: {})",
            folder.join("experiment.toml").display()
        );
        let frame = Frame::of_thin(&found, &rows, remedy)?;
        let unsealed = (manifest.seal_kind() != SealKind::Whole).then(|| UNSEALED.to_owned());
        let missing = manifest.thin.as_ref().and_then(|thin| thin.missing.clone()).or(unsealed);
        Ok(Self { name: path.display().to_string(), frame, manifest: Some(manifest), missing })
    }
}

/// Lays score errors into both results, by what was judged of BASE's folder: one judge for both. Nothing is laid where it judged no scores.
///
/// # Errors
/// When its judgements cannot be read.
pub fn lay_score_errors(base: &mut Recorded, new: &mut Recorded, path: &Path) -> Result<(), RecordedError> {
    let folder = if path.is_dir() { path } else { path.parent().unwrap_or(Path::new("")) };
    let experiment = folder.join("experiment.toml");
    let Ok(text) = crate::system::files::read_text(&experiment) else { return Ok(()) };
    let file = FileText { text: &text, path: &experiment, suites: SuiteTexts::Files }.parse_file();
    let Some(cut) = file.ok().and_then(|file| file.reference?.score_cut()) else { return Ok(()) };
    let judged = reference::read(folder)
        .map_err(|error| RecordedError::Wrong(folder.join(reference::NAME).display().to_string(), error.to_string()))?;
    [base, new].into_iter().for_each(|side| score_error::lay(&mut side.frame, &judged, cut));
    Ok(())
}

/// The two results as one frame, told apart by source, and which of their rows belong together.
#[derive(Debug, Clone, Default)]
pub struct Joined {
    /// The rows of BASE, then those of NEW, its variants called as BASE calls them.
    pub frame: Frame,
    /// Groups: each variant of each.
    pub grouping: Grouping,
    /// Their searches.
    pub searches: Searches,
    /// The columns that both have.
    pub shared: Vec<String>,
    /// The variants of BASE in order, then those that only NEW has.
    pub variants: Vec<String>,
    /// What is compared: each variant, or each variant in each suite where both results have several.
    pub lines: Vec<ComparedLine>,
    /// The groups of each line in BASE and in NEW.
    pub groups: Vec<[Option<usize>; 2]>,
    /// What NEW calls each variant, where it calls it otherwise: its options are the same.
    pub renamed: Vec<Option<String>>,
    /// Rows that both have.
    pub both: Vec<RowPair>,
    /// Rows of BASE that NEW lacks, each with its line.
    pub missing: Vec<(usize, usize)>,
    /// Rows of NEW that BASE lacks.
    pub added: usize,
    /// Jobs that failed, in BASE and in NEW.
    pub failed: [usize; 2],
}

/// Two rows of one search and depth.
#[derive(Debug, Clone, Copy)]
pub struct RowPair {
    /// The row of BASE.
    pub base: usize,
    /// The row of NEW.
    pub new: usize,
    /// The line's place.
    pub line: usize,
}

/// What is compared by itself: a variant, in one suite where there are several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComparedLine {
    /// The suite, where both results have several.
    pub suite: Option<String>,
    /// The variant's place.
    pub variant: usize,
}

/// What the sources are called in the joined frame.
const SOURCES: [&str; 2] = ["BASE", "NEW"];

impl Joined {
    /// Joins two results and pairs their rows by variant, position, depth and repeat. Variants are the same if they have the same name;
    /// of the others, if they have the same options.
    ///
    /// # Errors
    /// When a file holds a row twice, or the two call unlike positions alike.
    pub fn new(base: &Recorded, new: &Recorded) -> Result<Self, RecordedError> {
        let manifests = base.manifest.as_ref().zip(new.manifest.as_ref());
        if let Some(problem) = manifests.and_then(|(base, new)| base.describe_unlike_items(new)) {
            return Err(RecordedError::Unlike(base.name.clone(), new.name.clone(), problem));
        }
        let [base_names, new_names] = [base, new].map(|side| side.frame.coded(columns::VARIANT).list().to_vec());
        // The variant of BASE, unknown to NEW, that has the options of one of NEW.
        let same_options = |name: &String| {
            let (base, new) = manifests?;
            let options = new.options.get(name)?;
            base_names.iter().position(|known| !new_names.contains(known) && base.options.get(known) == Some(options))
        };
        let mut out = Self { variants: base_names.clone(), renamed: vec![None; base_names.len()], ..Self::default() };
        // What each of NEW's variants is called in BASE.
        let mut called = HashMap::new();
        for name in &new_names {
            let at = base_names.iter().position(|known| known == name);
            if let Some(at) = at.or_else(|| same_options(name)) {
                if base_names[at] != *name {
                    out.renamed[at] = Some(name.clone());
                }
                called.insert(name.as_str(), base_names[at].as_str());
            } else {
                out.variants.push(name.clone());
                out.renamed.push(None);
            }
        }
        out.shared = base.frame.names().iter().filter(|name| new.frame.names().contains(name)).cloned().collect();
        out.frame = base.frame.clone();
        out.frame.put(SOURCE, SOURCES[0]);
        let mut theirs = new.frame.clone();
        theirs.put(SOURCE, SOURCES[1]);
        if out.renamed.iter().any(Option::is_some) {
            let variants = new.frame.coded(columns::VARIANT);
            theirs.put_words(columns::VARIANT, |row| {
                let name = variants.at(row);
                called.get(name).copied().unwrap_or(name).to_owned()
            });
        }
        out.frame.append(&theirs);
        let mut by = vec![SOURCE.to_owned(), columns::VARIANT.to_owned()];
        let mut suites = vec![None];
        if out.shared.iter().any(|name| name == columns::SUITE) {
            by.push(columns::SUITE.to_owned());
            suites = out.frame.coded(columns::SUITE).list().iter().cloned().map(Some).collect();
        }
        out.grouping = Grouping::new(&out.frame, &by);
        out.searches = Searches::gather(&out.frame, &out.grouping, &[]);
        let variants = 0..out.variants.len();
        out.lines = suites
            .iter()
            .flat_map(|suite| variants.clone().map(|variant| ComparedLine { suite: suite.clone(), variant }))
            .collect();
        let group = |source: &str, line: &ComparedLine| {
            let own = [source.to_owned(), out.variants[line.variant].clone()];
            out.grouping.find(&own.into_iter().chain(line.suite.clone()).collect::<Vec<_>>())
        };
        out.groups = out.lines.iter().map(|line| SOURCES.map(|source| group(source, line))).collect();
        for (group, errors) in out.searches.errors.iter().enumerate() {
            out.failed[usize::from(out.grouping.values[group][0] == SOURCES[1])] += errors;
        }
        out.pair([base, new])?;
        Ok(out)
    }

    /// Pairs the rows of each line.
    fn pair(&mut self, sides: [&Recorded; 2]) -> Result<(), RecordedError> {
        if let Some((row, doubled)) = self.searches.doubled(&self.frame) {
            let side = sides[usize::from(row >= sides[0].frame.rows())].name.clone();
            return Err(RecordedError::Twice(side, doubled));
        }
        for (line, groups) in self.groups.iter().enumerate() {
            let [base, new] = groups.map(|group| group.map_or(&[][..], |group| self.searches.cells(group)));
            let rows = rows_that_meet(&self.searches, base, new);
            self.both.extend(rows.both.into_iter().map(|(base, new)| RowPair { base, new, line }));
            self.missing.extend(rows.missing.into_iter().map(|row| (row, line)));
            self.added += rows.added;
        }
        self.both.sort_by_key(|pair| pair.base);
        self.missing.sort_unstable();
        Ok(())
    }

    /// What a line is called.
    pub fn name(&self, line: &ComparedLine) -> String {
        let variant = &self.variants[line.variant];
        line.suite.as_ref().map_or_else(|| variant.clone(), |suite| format!("{suite}, {variant}"))
    }

    /// A row in words.
    pub fn row(&self, row: usize) -> String {
        let text = |column: &str| self.frame.text(column, row);
        format!("\"{}\", {}, depth {}", text(columns::VARIANT), text(columns::POSITION), text(columns::DEPTH))
    }
}
