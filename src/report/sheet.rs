//! A page of tables and figures in a given order, in Markdown and in HTML.

use super::figure::Figure;
use super::table::Table;
use super::{html, markdown};
use anyhow::{Context, Result};
use maud::html;
use std::fmt::Write;
use std::path::Path;

/// What a sheet shows, from the top.
#[derive(Debug, Clone, Default)]
pub struct Sheet {
    /// Its heading.
    pub name: String,
    /// The question.
    pub question: String,
    /// The author's words.
    pub analysis: String,
    /// The answer, in sentences.
    pub findings: Vec<String>,
    /// What the reader must be warned of.
    pub warnings: Vec<String>,
    /// Tables and figures.
    pub parts: Vec<Part>,
    /// How it was made.
    pub origins: Vec<String>,
}

/// A part of a sheet.
#[derive(Debug, Clone)]
#[allow(missing_docs, clippy::large_enum_variant)]
pub enum Part {
    Table(Table),
    Figure(Figure),
}

impl Sheet {
    /// Its figures.
    pub fn figures(&self) -> impl Iterator<Item = &Figure> {
        self.parts.iter().filter_map(|part| match part {
            Part::Figure(figure) => Some(figure),
            Part::Table(_) => None,
        })
    }

    /// As Markdown; the figures lie beside it as SVG files.
    #[must_use]
    pub fn markdown(&self) -> String {
        use markdown::plain;
        let mut out = markdown::head(&self.name, &self.question, &self.analysis, &self.findings, &self.warnings);
        for part in &self.parts {
            match part {
                Part::Table(table) => markdown::put(&mut out, table),
                Part::Figure(figure) => {
                    let (title, caption) = (plain(&figure.title), plain(&figure.caption));
                    let _ = writeln!(out, "![{title}]({}.svg)\n\n{caption}\n", figure.file);
                }
            }
        }
        let _ = writeln!(out, "## How it was made\n");
        for line in &self.origins {
            let _ = writeln!(out, "- {}", plain(line));
        }
        out
    }

    /// Writes `report.md`, `report.html` and the figures into a folder; figures of an earlier report that this one has not are
    /// taken away.
    ///
    /// # Errors
    /// When it cannot be written to.
    pub fn write(&self, folder: &Path) -> Result<()> {
        let names: Vec<String> = self.figures().map(|figure| format!("{}.svg", figure.file)).collect();
        for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())?.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.ends_with(".svg") && !names.contains(&name) {
                std::fs::remove_file(entry.path()).with_context(|| entry.path().display().to_string())?;
            }
        }
        for (figure, name) in self.figures().zip(&names) {
            super::put(folder, name, figure.render(super::FIGURE, true).as_bytes())?;
        }
        super::put(folder, "report.md", self.markdown().as_bytes())?;
        super::put(folder, "report.html", self.html().as_bytes())
    }

    /// As a page that needs nothing else.
    #[must_use]
    pub fn html(&self) -> String {
        let body = html! {
            (html::head(&self.name, &self.question, &self.analysis, &self.findings, &self.warnings))
            @for part in &self.parts {
                @match part {
                    Part::Table(table) => (html::show(table)),
                    Part::Figure(figure) => (html::draw(figure)),
                }
            }
            h2 { "How it was made" }
            ul { @for line in &self.origins { li { (line) } } }
        };
        html::document(&self.name, &body)
    }
}
