//! Reports: findings as pages. Each page is a [`Sheet`]; how it is written out is a pure function of it. Nothing here touches a disk
//! but reading results ([`source`]) and [`write_sheet`].

mod anatomy;
pub mod choices;
pub mod comparison;
pub mod confirmed;
mod courses;
mod crossed;
pub mod data;
mod engines;
pub mod explore;
pub mod figure;
mod gridded;
pub mod html;
mod identity;
pub mod machine;
pub mod markdown;
mod number;
pub mod page;
pub mod played;
pub mod published;
pub mod sheet;
pub mod source;
pub mod svg;
mod table;
pub mod text;
pub mod thin;
pub mod tuned;
mod verdicts;

pub use choices::Choices;
pub use page::Page;
pub use sheet::Sheet;

use crate::record;
use anyhow::{Context, Result};
use std::path::Path;

/// Width in pixels of a figure that is a file of its own.
const FIGURE: f64 = 860.0;

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
pub fn write(folder: &Path) -> Result<Page> {
    let page = read(folder)?;
    write_page(&page, folder)?;
    Ok(page)
}

/// As [`write_sheet`], and of a match its games, which are made of the rows.
///
/// # Errors
/// When it cannot be written to, or a game is not what the rules say.
pub fn write_page(page: &Page, folder: &Path) -> Result<()> {
    if page.games.is_some() {
        let results = folder.join("results.csv");
        record::games::write(&results).with_context(|| results.display().to_string())?;
    }
    write_sheet(&page.sheet, folder)
}

/// Replaces a file of a folder as a whole.
fn put(folder: &Path, name: &str, bytes: &[u8]) -> Result<()> {
    let path = folder.join(name);
    record::write_atomic(&path, bytes).with_context(|| path.display().to_string())
}

/// What begins the last line of `report.md`: the figures that were written with it.
const RECORD: &str = "<!-- ttlab wrote ";

/// The figures that the last report wrote into a folder. A line of the author's own cannot be taken for the record: on a page every `<`
/// from outside is written as `&lt;`.
fn written(folder: &Path) -> Vec<String> {
    let text = crate::system::files::read_text(&folder.join("report.md")).unwrap_or_default();
    let line =
        text.lines().last().and_then(|line| line.strip_prefix(RECORD)).and_then(|line| line.strip_suffix(" -->"));
    let is_figure = |name: &&str| name.ends_with(".svg") && !name.contains(['/', '\\']);
    line.unwrap_or_default().split(' ').filter(is_figure).map(str::to_owned).collect()
}

/// Writes a page's files into a folder: `report.md`, `report.html`, figures.
///
/// # Errors
/// When it cannot be written to.
pub fn write_sheet(sheet: &Sheet, folder: &Path) -> Result<()> {
    write_markdown(sheet, folder)?;
    put(folder, "report.html", html::render(sheet).as_bytes())
}

/// Writes `report.md` and its figures. Figures that the last report wrote and this one has not are
/// taken away; other files are not touched.
///
/// # Errors
/// When it cannot be written to.
fn write_markdown(sheet: &Sheet, folder: &Path) -> Result<()> {
    let figures = sheet.figures();
    let names: Vec<String> = figures.iter().map(|figure| format!("{}.svg", figure.file)).collect();
    for name in written(folder).into_iter().filter(|name| !names.contains(name)) {
        let path = folder.join(name);
        if path.exists() {
            std::fs::remove_file(&path).with_context(|| path.display().to_string())?;
        }
    }
    for (figure, name) in figures.iter().zip(&names) {
        put(folder, name, figure.render(FIGURE, true).as_bytes())?;
    }
    let mut text = markdown::render(sheet, markdown::Style { level: 1, figures: true });
    if !names.is_empty() {
        text += &format!("{RECORD}{} -->\n", names.join(" "));
    }
    put(folder, "report.md", text.as_bytes())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Figures of this folder alone: no path leads out of it, and nothing else is named.
    #[test]
    fn the_record_names_figures_of_its_folder() {
        let folder = tempfile::TempDir::new().unwrap();
        for (last, names) in [
            ("<!-- ttlab wrote a.svg ../b.svg c\\d.svg e.md f.svg -->", &["a.svg", "f.svg"][..]),
            ("<!-- ttlab wrote a.svg -->\nwords", &[]),
            ("words <!-- ttlab wrote a.svg -->", &[]),
        ] {
            std::fs::write(folder.path().join("report.md"), format!("<!-- ttlab wrote z.svg -->\n{last}\n")).unwrap();
            assert_eq!(written(folder.path()), names, "{last}");
        }
    }

    #[test]
    fn a_report_takes_away_its_own_figures_and_nothing_else() {
        let folder = tempfile::TempDir::new().unwrap();
        let there = |name: &str| folder.path().join(name).exists();
        let mut sheet = sheet::trial();
        std::fs::write(folder.path().join("mine.svg"), "mine").unwrap();
        write_sheet(&sheet, folder.path()).unwrap();
        assert!(there("map.svg") && there("mine.svg"));
        // The author's words cannot forge the record.
        sheet.parts = vec![sheet::Part::Prose("<!-- ttlab wrote mine.svg -->".to_owned())];
        write_sheet(&sheet, folder.path()).unwrap();
        assert!(!there("map.svg") && there("mine.svg"));
        let page = std::fs::read_to_string(folder.path().join("report.md")).unwrap();
        assert!(!page.contains(RECORD), "without a figure nothing is recorded: {page}");
        write_sheet(&sheet::trial(), folder.path()).unwrap();
        assert!(there("map.svg") && there("mine.svg"));
    }
}
