//! Reports: findings as Markdown, HTML and plain text. Pure functions but for reading results and [`write()`].

pub mod comparison;
pub mod figure;
pub mod html;
pub mod machine;
pub mod markdown;
pub mod number;
pub mod page;
pub mod published;
pub mod sheet;
pub mod source;
pub mod svg;
pub mod table;
pub mod text;
pub mod tuned;

pub use page::{Choices, Page};

use crate::record;
use anyhow::{Context, Result};
use std::path::Path;

/// Columns of a terminal that a summary is made for.
pub const WIDTH: usize = 100;

/// Width in pixels of a figure that is a file of its own.
const FIGURE: f64 = 860.0;

/// What was written.
#[derive(Debug, Clone, Default)]
pub struct Written {
    /// The summary for a terminal.
    pub text: String,
    /// Verdicts that are not what was wanted.
    pub verdicts_failed: usize,
    /// What the counts cannot show.
    pub blind: Vec<String>,
}

/// Reads a results folder.
///
/// # Errors
/// When a file is missing or is not what it should be.
pub fn read(folder: &Path) -> Result<Page> {
    Page::new(&[source::Source::load(folder)?], &Choices::default())
}

/// Writes the reports of a results folder: `report.md`, `report.html` and the figures as SVG files.
///
/// # Errors
/// When the folder holds no results, or cannot be written to.
pub fn write(folder: &Path) -> Result<Written> {
    let page = read(folder)?;
    write_page(&page, folder)?;
    Ok(Written { text: text::render(&page, WIDTH), verdicts_failed: page.failed(), blind: page.blind })
}

/// Replaces a file of a folder as a whole.
fn put(folder: &Path, name: &str, bytes: &[u8]) -> Result<()> {
    let path = folder.join(name);
    record::write_whole(&path, bytes).with_context(|| path.display().to_string())
}

/// Writes a page's files into a folder; figures of an earlier report that this one has not are taken away.
///
/// # Errors
/// When it cannot be written to.
pub fn write_page(page: &Page, folder: &Path) -> Result<()> {
    let put = |name: &str, text: &str| put(folder, name, text.as_bytes());
    let names: Vec<String> = page.figures.iter().map(|figure| format!("{}.svg", figure.file)).collect();
    for (figure, name) in page.figures.iter().zip(&names) {
        put(name, &figure.render(FIGURE, true))?;
    }
    for name in figure::FILES.iter().map(|file| format!("{file}.svg")).filter(|name| !names.contains(name)) {
        let path = folder.join(&name);
        if path.exists() {
            std::fs::remove_file(&path).with_context(|| path.display().to_string())?;
        }
    }
    put("report.md", &markdown::render(page, true))?;
    put("report.html", &html::render(page))
}
