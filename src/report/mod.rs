//! Reports show findings as pages. Every page is a [`Sheet`], and each renderer is a pure function
//! of a sheet. Only [`source`] reads results, and only the functions here write reports.

pub mod choices;
pub mod comparison;
pub mod confirm_page;
mod contents;
pub mod data;
mod effects;
mod emphasis;
mod engines;
pub mod figure;
mod grid_figures;
pub mod html;
mod identity;
pub mod kept;
pub mod latex;
pub mod machine;
pub mod markdown;
mod match_figures;
pub mod match_page;
pub mod number;
pub mod page;
mod pivot;
pub mod replay_page;
pub mod sheet;
pub mod source;
pub mod svg;
mod table;
pub mod text;
mod threads;
pub mod tune_page;
mod verdicts;

pub use choices::Choices;
pub use contents::Page;
pub use sheet::Sheet;
pub use verdicts::verdict_sheet;

use crate::record;
use anyhow::{Context, Result};
use std::path::Path;

/// Width in pixels of a figure on a desktop and in its own file.
const FIGURE_WIDTH: f64 = 860.0;

impl Page {
    /// Reads a results folder and makes its default page.
    ///
    /// # Errors
    /// When a file is missing or invalid.
    pub fn read(folder: &Path) -> Result<Self> {
        Self::new(&[source::Source::load(folder)?], &Choices::default())
    }

    /// Writes `report.md`, `report.html` and the figures as SVG files into a folder. For a match,
    /// also writes `games.pgn`, which is made from the rows.
    ///
    /// # Errors
    /// When the folder cannot be written to, or a game breaks the rules of chess.
    pub fn write(&self, folder: &Path) -> Result<()> {
        // A kept report has no moves.
        if self.games.is_some() && !record::is_packed(folder) {
            let results = folder.join(record::RESULTS);
            record::games::write(&results).with_context(|| results.display().to_string())?;
        }
        write_sheet(&self.sheet, folder)
    }
}

fn write_file(folder: &Path, name: &str, bytes: &[u8]) -> Result<()> {
    let path = folder.join(name);
    record::write_atomic(&path, bytes).with_context(|| path.display().to_string())
}

/// Start of the last line of `report.md`, which names the figures written with it.
const FIGURES_PREFIX: &str = "<!-- ttlab wrote ";

/// The names are read from the last line of `report.md`. Text on a page cannot forge this line,
/// because every `<` in such text is written as `&lt;`.
pub fn recorded_figures(folder: &Path) -> Vec<String> {
    let text = crate::system::files::read_text(&folder.join("report.md")).unwrap_or_default();
    let names = text.lines().last().and_then(|line| line.strip_prefix(FIGURES_PREFIX)?.strip_suffix(" -->"));
    let is_figure = |name: &&str| name.ends_with(".svg") && !name.contains(['/', '\\']);
    names.unwrap_or_default().split(' ').filter(is_figure).map(str::to_owned).collect()
}

/// Writes `report.md`, `report.html` and the figures into a folder.
///
/// # Errors
/// When the folder cannot be written to.
pub fn write_sheet(sheet: &Sheet, folder: &Path) -> Result<()> {
    write_markdown(sheet, folder)?;
    write_file(folder, "report.html", html::render(sheet).as_bytes())
}

/// Writes `report.md` and its figures. Removes the figures that the previous report had and this
/// report does not have. Other files are left alone.
///
/// # Errors
/// When the folder cannot be written to.
fn write_markdown(sheet: &Sheet, folder: &Path) -> Result<()> {
    let figures = sheet.figures();
    let names: Vec<String> = figures.iter().map(|figure| format!("{}.svg", figure.file)).collect();
    for name in recorded_figures(folder).into_iter().filter(|name| !names.contains(name)) {
        let path = folder.join(name);
        if path.exists() {
            std::fs::remove_file(&path).with_context(|| path.display().to_string())?;
        }
    }
    for (figure, name) in figures.iter().zip(&names) {
        write_file(folder, name, figure.render(FIGURE_WIDTH, true).as_bytes())?;
    }
    let mut text = markdown::render(sheet, markdown::Style { level: 1, links_figures: true });
    if !names.is_empty() {
        // This line is an HTML comment. It is read by `recorded_figures`.
        text += &format!("{FIGURES_PREFIX}{} -->\n", names.join(" "));
    }
    write_file(folder, "report.md", text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorded_figures_are_those_of_the_last_line() {
        let folder = tempfile::TempDir::new().unwrap();
        for (last_line, names) in [
            ("<!-- ttlab wrote a.svg ../b.svg c\\d.svg e.md f.svg -->", &["a.svg", "f.svg"][..]),
            ("<!-- ttlab wrote a.svg -->\nwords", &[]),
            ("words <!-- ttlab wrote a.svg -->", &[]),
        ] {
            std::fs::write(folder.path().join("report.md"), format!("<!-- ttlab wrote z.svg -->\n{last_line}\n"))
                .unwrap();
            assert_eq!(recorded_figures(folder.path()), names, "{last_line}");
        }
    }

    #[test]
    fn report_removes_only_its_own_former_figures() {
        let folder = tempfile::TempDir::new().unwrap();
        let exists = |name: &str| folder.path().join(name).exists();
        let mut sheet = sheet::sample_sheet();
        std::fs::write(folder.path().join("mine.svg"), "mine").unwrap();
        write_sheet(&sheet, folder.path()).unwrap();
        assert!(exists("map.svg"));
        assert!(exists("mine.svg"));
        // The author's text cannot forge the list of figures.
        sheet.parts = vec![sheet::Part::Prose("<!-- ttlab wrote mine.svg -->".to_owned())];
        write_sheet(&sheet, folder.path()).unwrap();
        assert!(!exists("map.svg"));
        assert!(exists("mine.svg"));
        let page = std::fs::read_to_string(folder.path().join("report.md")).unwrap();
        assert!(!page.contains(FIGURES_PREFIX), "without a figure nothing is recorded: {page}");
        write_sheet(&sheet::sample_sheet(), folder.path()).unwrap();
        assert!(exists("map.svg"));
        assert!(exists("mine.svg"));
    }
}
