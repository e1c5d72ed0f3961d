//! Renders a page as `report.md`, readable as text and on the pages of a code host.

use super::figure::Plot;
use super::sheet::{Emphasis, Part, Sheet, SheetTable};
use crate::text::plural;
use std::collections::BTreeMap;
use std::fmt::Write;

/// A page with linked figures has at most this many lines, so that a reader finds its end. Tables
/// that do not fit are only in `report.html` and in the data.
const MAX_LINES: usize = 390;

#[derive(Debug, Clone, Copy)]
pub struct Style {
    /// Level of the topmost heading, from 1.
    pub level: usize,
    /// Whether to link the figures, which are SVG files in the folder of the page.
    pub links_figures: bool,
}

/// Escapes text from a file for Markdown. A name between backticks stays code if it consists of
/// harmless characters.
pub fn escape_text(text: &str) -> String {
    let is_harmless = |c: char| c.is_ascii_alphanumeric() || "-_.=/ ".contains(c);
    code_spans(text)
        .map(|(is_code, text)| {
            if !is_code {
                escape(text)
            } else if text.chars().all(is_harmless) {
                format!("`{text}`")
            } else {
                format!("\\`{}\\`", escape(text))
            }
        })
        .collect()
}

/// Splits a text at its backticks into pieces. The first value of a piece is true if the piece
/// stood between two backticks.
pub(super) fn code_spans(text: &str) -> impl Iterator<Item = (bool, &str)> {
    let mut unread = Some(text);
    let mut is_code = false;
    std::iter::from_fn(move || {
        let text = unread?;
        // A backtick without a partner stays in the text.
        let has_partner = |backtick: &usize| is_code || text[backtick + 1..].contains('`');
        let (piece, after) = match text.find('`').filter(has_partner) {
            Some(backtick) => (&text[..backtick], Some(&text[backtick + 1..])),
            None => (text, None),
        };
        let span = (is_code, piece);
        (unread, is_code) = (after, !is_code);
        Some(span)
    })
    .filter(|(_, piece)| !piece.is_empty())
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '\n' | '\r' => out.push(' '),
            // These would become emphasis, links, code or another column.
            '*' | '_' | '`' | '[' | ']' | '\\' | '|' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}

/// The fence that closes the last code block of a text if the text itself does not close it.
/// Otherwise the rest of the page would be in the code block. Returns an empty text if no code
/// block is open at the end.
fn closing_fence(text: &str) -> String {
    // The mark and the length of the open fence.
    let mut open_fence: Option<(char, usize)> = None;
    for line in text.lines() {
        let unindented = line.trim_start_matches(' ');
        let is_code_line = line.len() - unindented.len() > 3;
        let Some(mark) = unindented.chars().next().filter(|&c| "`~".contains(c) && !is_code_line) else { continue };
        let after = unindented.trim_start_matches(mark);
        let length = unindented.len() - after.len();
        let opens = length >= 3 && (mark == '~' || !after.contains('`'));
        open_fence = match open_fence {
            None => opens.then_some((mark, length)),
            Some((open_mark, open_length)) if mark == open_mark && length >= open_length && after.trim().is_empty() => {
                None
            }
            unchanged => unchanged,
        };
    }
    open_fence.map_or_else(String::new, |(mark, length)| format!("\n{}", mark.to_string().repeat(length)))
}

pub fn render(sheet: &Sheet, style: Style) -> String {
    let page = render_rows(sheet, style, &BTreeMap::new());
    let excess = page.lines().count().saturating_sub(if style.links_figures { MAX_LINES } else { usize::MAX });
    if excess == 0 { page } else { render_rows(sheet, style, &shorten(sheet, excess)) }
}

/// Leaves out the largest tables, the last first, and then cuts the first one. Summaries and
/// verdicts stay. Returns how many rows such tables keep, by their keys.
fn shorten(sheet: &Sheet, mut excess: usize) -> BTreeMap<&str, usize> {
    let tables =
        sheet.all_parts().into_iter().filter_map(|part| if let Part::Table(table) = part { Some(table) } else { None });
    let tables: Vec<&SheetTable> = tables.collect();
    let may_go = |table: &&SheetTable| !["summary", "verdicts"].iter().any(|key| table.key.ends_with(key));
    let mut candidates: Vec<&SheetTable> = tables.iter().skip(1).copied().filter(may_go).collect();
    candidates.sort_by_key(|table| table.rows.len());
    let mut kept_rows = BTreeMap::new();
    while excess > 0
        && let Some(table) = candidates.pop()
    {
        kept_rows.insert(table.key.as_str(), 0);
        // Its two heading lines and its blank line go too; the remark that replaces it has two
        // lines.
        excess = excess.saturating_sub(table.rows.len() + 1);
    }
    if excess > 0
        && let Some(first) = tables.first()
    {
        kept_rows.insert(&first.key, first.rows.len().saturating_sub(excess + 2));
    }
    kept_rows
}

fn render_rows(sheet: &Sheet, style: Style, kept_rows: &BTreeMap<&str, usize>) -> String {
    let mut out = String::new();
    if !sheet.name.is_empty() {
        let _ = writeln!(out, "{} {}\n", "#".repeat(style.level), escape_text(&sheet.name));
    }
    write_parts(&mut out, &sheet.parts, style, kept_rows);
    if style.links_figures
        && sheet.figures().iter().any(|figure| matches!(figure.plot, Plot::Forest(_) | Plot::Heat(_)))
    {
        let _ = writeln!(out, "In figures: blue is better, orange worse, grey no difference shown.\n");
    }
    out.replace(super::sheet::is_unprintable, "\u{fffd}")
}

fn write_parts(out: &mut String, parts: &[Part], style: Style, kept_rows: &BTreeMap<&str, usize>) {
    let write_heading = |out: &mut String, text: &str| match text {
        "" => Ok(()),
        text => writeln!(out, "{} {}\n", "#".repeat(style.level + 1), escape_text(text)),
    };
    for part in parts {
        let _ = match part {
            Part::Question(text) => writeln!(out, "**{}**\n", escape_text(text)),
            Part::Prose(text) => writeln!(out, "{}{}\n", text.replace('<', "&lt;"), closing_fence(text)),
            Part::Findings(list) => write_list(out, list),
            Part::Blocker(text) => writeln!(out, "> **Blocks the conclusion:** {}\n", escape_text(text)),
            Part::Warning(text) => writeln!(out, "> **Warning:** {}\n", escape_text(text)),
            Part::Heading(text) => write_heading(out, text),
            Part::Table(table) => {
                let _ = write_heading(out, &table.title);
                let kept = kept_rows.get(table.key.as_str()).copied().unwrap_or(table.rows.len());
                if kept > 0 || table.rows.is_empty() {
                    write_table(out, table, kept);
                    let _ = writeln!(out);
                }
                if kept < table.rows.len() {
                    let rows = plural(table.rows.len() - kept, "row");
                    let _ = writeln!(out, "{rows}: in `report.html`, and by `ttlab report FOLDER --format csv`.\n");
                    continue;
                }
                match table.notes() {
                    notes if notes.is_empty() => Ok(()),
                    notes => writeln!(out, "{}\n", escape_text(&notes)),
                }
            }
            Part::Figure(figure) if style.links_figures => {
                let (title, caption) = (escape_text(&figure.title), escape_text(&figure.caption));
                writeln!(out, "![{title}]({}.svg)\n\n{caption}\n", figure.file)
            }
            Part::Figure(_) => Ok(()),
            Part::List(title, list) => {
                let _ = write_heading(out, title);
                write_list(out, list)
            }
            Part::Folded(title, folded) => {
                let _ = writeln!(out, "<details><summary>{}</summary>\n", escape_text(title));
                write_parts(out, folded, style, kept_rows);
                writeln!(out, "</details>\n")
            }
        };
    }
}

fn write_list(out: &mut String, sentences: &[String]) -> std::fmt::Result {
    for sentence in sentences {
        let _ = writeln!(out, "- {}", escape_text(sentence));
    }
    writeln!(out)
}

fn write_table(out: &mut String, table: &SheetTable, kept: usize) {
    let heads: Vec<String> = table.columns.iter().map(|column| escape_text(&column.name)).collect();
    let rule: String = table.columns.iter().map(|column| if column.is_text { "---|" } else { "---:|" }).collect();
    let _ = writeln!(out, "| {} |\n|{rule}", heads.join(" | "));
    for row in &table.rows[..kept] {
        let cells = row.iter().zip(&table.columns).map(|(cell, column)| {
            // The blanks in a number do not break, so that the number and its unit stay on one
            // line.
            let text =
                if column.is_text { escape_text(&cell.text) } else { escape_text(&cell.text).replace(' ', "\u{a0}") };
            match cell.emphasis {
                Emphasis::None | Emphasis::Unclear | Emphasis::Passed => text,
                _ => format!("**{text}**"),
            }
        });
        let _ = writeln!(out, "| {} |", cells.collect::<Vec<_>>().join(" | "));
    }
}

#[cfg(test)]
mod tests {
    use super::super::sheet::sample_sheet;
    use super::*;

    #[test]
    fn only_names_between_backticks_stay_code() {
        assert_eq!(escape_text("`table.size` and `<b>`, a`b *c*"), "`table.size` and \\`&lt;b>\\`, a\\`b \\*c\\*");
        assert_eq!(escape_text("`a|b`"), "\\`a\\|b\\`");
    }

    /// The largest tables go first, summaries and verdicts stay, and the first table is cut last.
    #[test]
    fn long_page_loses_its_largest_tables() {
        use super::super::sheet::{Cell, SheetColumn};
        let table = |key: &str, rows: usize| {
            let rows = (0..rows).map(|_| [Cell::text("x")]);
            Part::Table(SheetTable::new(key, key, SheetColumn::from_names(["a"]), rows))
        };
        let lines_and_left_out = |tables: &[(&str, usize)]| {
            let parts = tables.iter().map(|(key, rows)| table(key, *rows)).collect();
            let page = render(&Sheet { parts, ..Sheet::default() }, Style { level: 1, links_figures: true });
            let left_out = page.lines().filter(|line| line.ends_with("--format csv`.")).count();
            (page.lines().count() <= MAX_LINES, left_out, page.matches("| x |").count())
        };
        let tables = [("summary", 150), ("details", 140), ("shares", 100), ("a.verdicts", 90), ("b.summary", 20)];
        assert_eq!(lines_and_left_out(&tables), (true, 1, 360));
        assert_eq!(lines_and_left_out(&tables[..2]), (true, 0, 290));
        assert_eq!(lines_and_left_out(&[("summary", 500), ("shares", 1)]), (true, 2, 379));
    }

    #[test]
    fn open_code_block_is_closed_after_its_text() {
        for (text, fence) in [
            ("", ""),
            ("a `b` c", ""),
            ("```\ncode\n```", ""),
            ("```text\ncode\n````", ""),
            ("```\ncode", "\n```"),
            ("````\n```\ncode", "\n````"),
            ("~~~\n```\ncode", "\n~~~"),
            ("```\ncode\n~~~", "\n```"),
            ("```\ncode\n``` no end", "\n```"),
            ("```\na\n```\n\n   ~~~~ text\nb", "\n~~~~"),
            ("    ```\nindented", ""),
            ("``` a `b`", ""),
            ("``", ""),
        ] {
            assert_eq!(closing_fence(text), fence, "{text:?}");
            let page = Sheet { parts: vec![Part::Prose(text.to_owned())], ..Sheet::default() };
            assert_eq!(render(&page, Style { level: 1, links_figures: false }), format!("{text}{fence}\n\n"));
        }
    }

    /// Captions, titles and the author's text come from files.
    #[test]
    fn text_from_files_opens_no_element() {
        let mut sheet = sample_sheet();
        let name = "<b onload=x>|`";
        for part in &mut sheet.parts {
            match part {
                Part::Figure(figure) => (figure.title, figure.caption) = (name.to_owned(), name.to_owned()),
                Part::Folded(title, _) | Part::Blocker(title) | Part::Warning(title) | Part::Prose(title) => {
                    *title = name.to_owned();
                }
                Part::Findings(list) => list.push(name.to_owned()),
                _ => {}
            }
        }
        sheet.parts.extend([Part::Heading(name.to_owned()), Part::List(name.to_owned(), vec![name.to_owned()])]);
        sheet.name = name.to_owned();
        let page = render(&sheet, Style { level: 1, links_figures: true });
        assert!(!page.contains("<b"), "{page}");
        assert_eq!(page.matches("&lt;b onload=x>").count(), 11);
    }

    #[test]
    fn headings_have_their_level_and_untitled_parts_none() {
        // A part without a title has no empty heading.
        let table = SheetTable::new("k", "", super::super::sheet::SheetColumn::from_names(["a"]), Vec::<Vec<_>>::new());
        let untitled = vec![Part::Table(table), Part::List(String::new(), vec!["b".to_owned()])];
        let untitled = Sheet { parts: untitled, ..Sheet::default() };
        assert_eq!(render(&untitled, Style { level: 1, links_figures: true }), "| a |\n|---|\n\n- b\n\n");
        let small = render(&sample_sheet(), Style { level: 3, links_figures: false });
        assert!(small.starts_with("### A page\n"));
        assert!(small.contains("\n#### A table\n"));
        assert!(!small.contains("map.svg"));
    }
}
