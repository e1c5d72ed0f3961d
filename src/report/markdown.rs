//! `report.md`: reads well where it lies, and on the pages of a code host.

use super::Page;
use super::table::{self, Mark, Table};
use std::fmt::Write;

/// Text from a file made harmless in Markdown.
#[must_use]
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '|' => out.push_str("\\|"),
            '<' => out.push_str("&lt;"),
            '\n' | '\r' => out.push(' '),
            // Marks that would turn into emphasis, links or code.
            '*' | '_' | '`' | '[' | ']' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

/// What stands at the top: the name, the question, the author's words, the findings and what to beware of.
#[must_use]
pub fn head(name: &str, question: &str, analysis: &str, findings: &[String], warnings: &[String]) -> String {
    let mut out = format!("# {}\n\n", plain(name));
    if !question.is_empty() {
        let _ = writeln!(out, "**{}**\n", plain(question));
    }
    if !analysis.is_empty() {
        let _ = writeln!(out, "{}\n", analysis.replace('<', "&lt;"));
    }
    for finding in findings {
        let _ = writeln!(out, "- {}", plain(finding));
    }
    if !findings.is_empty() {
        out.push('\n');
    }
    for warning in warnings {
        let _ = writeln!(out, "> **Warning:** {}\n", plain(warning));
    }
    out
}

/// Renders the report. `figures`: whether the plots lie beside it as SVG files.
#[must_use]
pub fn render(page: &Page, figures: bool) -> String {
    let manifest = &page.manifest;
    let mut out = head(&manifest.name, &manifest.question, &page.analysis, &page.findings, &page.warnings);
    put(&mut out, &table::summary(page));
    let show = |out: &mut String, names: &[&str]| {
        for figure in
            page.figures.iter().filter(|figure| figures && names.iter().any(|name| figure.file.starts_with(name)))
        {
            let _ = writeln!(out, "![{}]({}.svg)\n\n{}\n", plain(&figure.title), figure.file, plain(&figure.caption));
        }
    };
    show(&mut out, &["ratio", "nodes-by-depth"]);
    if let Some(grid) = &page.grid {
        put(&mut out, &table::effects(grid));
        show(&mut out, &["size", "response", "map"]);
        if let Some(table) = table::interactions(grid) {
            put(&mut out, &table);
        }
    }
    if let Some(table) = table::anatomy(page) {
        put(&mut out, &table);
        show(&mut out, &["anatomy"]);
    }
    put(&mut out, &table::details(page));
    show(&mut out, &["positions"]);
    for table in [table::seeds(page), table::verdicts(page)].into_iter().flatten() {
        put(&mut out, &table);
    }
    origin(&mut out, page);
    out
}

/// A table in Markdown.
pub fn put(out: &mut String, table: &Table) {
    let _ = writeln!(out, "## {}\n", plain(&table.title));
    rows(out, table);
    if !table.note.is_empty() {
        let _ = writeln!(out, "\n{}", plain(&table.note));
    }
    out.push('\n');
}

/// A table in Markdown, without heading and note.
pub fn rows(out: &mut String, table: &Table) {
    let heads: Vec<String> = table.columns.iter().map(|(name, _)| plain(name)).collect();
    let rule: String = (0..heads.len()).map(|at| if at < table.texts { "---|" } else { "---:|" }).collect();
    let _ = writeln!(out, "| {} |\n|{rule}", heads.join(" | "));
    for row in &table.rows {
        let cells = row.iter().map(|cell| match cell.mark {
            Mark::None | Mark::Passed => plain(&cell.text),
            _ => format!("**{}**", plain(&cell.text)),
        });
        let _ = writeln!(out, "| {} |", cells.collect::<Vec<_>>().join(" | "));
    }
}

/// How it was made.
fn origin(out: &mut String, page: &Page) {
    let _ = writeln!(out, "## How it was made\n");
    for line in origins(page) {
        let _ = writeln!(out, "- {}", plain(&line));
    }
}

/// How the results were made, a sentence for each.
#[must_use]
pub fn origins(page: &Page) -> Vec<String> {
    let mut lines = Vec::new();
    for (label, manifest) in &page.sources {
        let Some(manifest) = manifest else {
            lines.push(format!("{label}: no manifest"));
            continue;
        };
        let kind = if manifest.sequence { "items, searched in sequence" } else { "positions" };
        let name = if page.sources.len() > 1 { format!("{label}: ") } else { String::new() };
        lines.push(format!(
            "{name}suite {}, {} {kind}; {} variants; repeats {}; plan {}",
            manifest.suite,
            manifest.items,
            manifest.variants.len(),
            manifest.repeats,
            manifest.plan,
        ));
        let machine = &manifest.machine;
        let huge = match manifest.huge_pages {
            Some(true) => "got",
            Some(false) => "asked for, not got",
            None => "not asked for or unknown",
        };
        lines.push(format!(
            "{name}ttlab {} ({}, {}) on {}, {} cores, {:.1} GiB, {}; {} job(s) at a time; huge pages {huge}",
            manifest.build.version,
            manifest.build.commit,
            manifest.build.profile,
            machine.cpu,
            machine.cores,
            machine.memory_bytes as f64 / f64::from(1 << 30),
            machine.os,
            manifest.jobs
        ));
    }
    lines.extend(page.memory.clone());
    if let Some(timing) = &page.timing {
        lines.push(format!(
            "times: median of {} repeats; noise between repeats {}, drift {:+.1} %",
            page.summary.repeats,
            super::number::percent(timing.noise, if timing.noise.is_nan() { 0.0 } else { 1.0 }),
            100.0 * timing.drift
        ));
    }
    lines
}
