//! Reports: findings as Markdown and plain text. Pure functions but for [`write()`].

pub mod markdown;
pub mod published;
pub mod text;

use crate::analysis::{Frame, Summary, Verdict, verdict};
use crate::experiment::{Expect, File};
use crate::record;
use crate::record::manifest::Manifest;
use anyhow::{Context, Result};
use std::path::Path;

/// Everything that a report shows.
#[derive(Debug, Clone)]
pub struct Page {
    /// What was run.
    pub manifest: Manifest,
    /// The experiment's own words.
    pub analysis: String,
    /// The totals.
    pub summary: Summary,
    /// The verdicts.
    pub verdicts: Vec<Verdict>,
    /// What the reader must be warned of.
    pub warnings: Vec<String>,
}

/// What was written.
#[derive(Debug, Clone, Default)]
pub struct Written {
    /// The summary for a terminal.
    pub text: String,
    /// Verdicts that are not what was wanted.
    pub verdicts_failed: usize,
}

/// Reads a results folder.
///
/// # Errors
/// When a file is missing or is not what it should be.
pub fn read(folder: &Path) -> Result<Page> {
    let manifest_path = folder.join("manifest.json");
    let text = std::fs::read_to_string(&manifest_path)
        .with_context(|| format!("{}: no results of ttlab are there", manifest_path.display()))?;
    let manifest: Manifest = serde_json::from_str(&text).with_context(|| manifest_path.display().to_string())?;
    let experiment_path = folder.join("experiment.toml");
    let text = std::fs::read_to_string(&experiment_path).with_context(|| experiment_path.display().to_string())?;
    let file: File = toml::from_str(&text).with_context(|| experiment_path.display().to_string())?;
    let frame = Frame::read(&folder.join("results.csv"))?;
    page(manifest, &file.analysis, &file.expect, &frame)
}

/// Puts a page together.
///
/// # Errors
/// When an expectation speaks of a column that is not there.
pub fn page(manifest: Manifest, analysis: &str, expects: &[Expect], frame: &Frame) -> Result<Page> {
    let summary = Summary::new(frame, &manifest.variants, &manifest.baseline);
    let verdicts = verdict::verdicts(expects, frame, &summary)?;
    let warnings = crate::analysis::blindness::warnings(&manifest, &summary);
    Ok(Page { manifest, analysis: analysis.trim().to_owned(), summary, verdicts, warnings })
}

/// Writes the reports of a results folder.
///
/// # Errors
/// When the folder holds no results, or cannot be written to.
pub fn write(folder: &Path) -> Result<Written> {
    let page = read(folder)?;
    let path = folder.join("report.md");
    record::write_whole(&path, markdown::render(&page).as_bytes()).with_context(|| path.display().to_string())?;
    Ok(Written {
        text: text::render(&page),
        verdicts_failed: page.verdicts.iter().filter(|verdict| !verdict.passes()).count(),
    })
}
