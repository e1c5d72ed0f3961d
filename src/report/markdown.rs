//! `report.md`: reads well where it lies, and on the pages of a code host.

use super::sheet::{Emphasis, Part, Sheet, SheetTable};
use std::fmt::Write;

/// How a page is written.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    /// The depth of the topmost heading.
    pub level: usize,
    /// Whether the plots lie beside it as SVG files.
    pub figures: bool,
}

/// Text from a file made harmless in Markdown; names between backticks stay code.
pub fn plain(text: &str) -> String {
    let harmless = |c: char| c.is_ascii_alphanumeric() || "-_.=/ ".contains(c);
    spans(text)
        .map(|(is_code, text)| match is_code && text.chars().all(harmless) {
            true => format!("`{text}`"),
            false if is_code => format!("\\`{}\\`", escape(text)),
            false => escape(text),
        })
        .collect()
}

/// A text in pieces: whether each stood between backticks, and the piece without them.
pub(super) fn spans(text: &str) -> impl Iterator<Item = (bool, &str)> {
    let mut rest = Some(text);
    let mut code = false;
    std::iter::from_fn(move || {
        let now = rest?;
        // A backtick without a partner is one of the text's own.
        let end = now.find('`').filter(|&at| code || now[at + 1..].contains('`'));
        let (piece, after) = end.map_or((now, None), |at| (&now[..at], Some(&now[at + 1..])));
        let out = (code, piece);
        (rest, code) = (after, !code);
        Some(out)
    })
    .filter(|(_, piece)| !piece.is_empty())
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '\n' | '\r' => out.push(' '),
            // Marks that would turn into emphasis, links, code or another column.
            '*' | '_' | '`' | '[' | ']' | '\\' | '|' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}

/// What closes a block of code that a text leaves open, so that it does not take in the rest of the page; nothing where none is open.
fn closing_fence(text: &str) -> String {
    let mut open: Option<(char, usize)> = None;
    for line in text.lines() {
        let inner = line.trim_start_matches(' ');
        let Some(mark) = inner.chars().next().filter(|&c| (c == '`' || c == '~') && line.len() - inner.len() <= 3)
        else {
            continue;
        };
        let after = inner.trim_start_matches(mark);
        let length = inner.len() - after.len();
        open = match open {
            None if length >= 3 && (mark == '~' || !after.contains('`')) => Some((mark, length)),
            Some((opened, least)) if mark == opened && length >= least && after.trim().is_empty() => None,
            unchanged => unchanged,
        };
    }
    open.map_or_else(String::new, |(mark, length)| format!("\n{}", mark.to_string().repeat(length)))
}

/// Renders a page.
pub fn render(sheet: &Sheet, style: Style) -> String {
    let mut out = String::new();
    if !sheet.name.is_empty() {
        let _ = writeln!(out, "{} {}\n", "#".repeat(style.level), plain(&sheet.name));
    }
    parts(&mut out, &sheet.parts, style);
    out.replace(super::html::unshown, "\u{fffd}")
}

fn parts(out: &mut String, parts: &[Part], style: Style) {
    let headed = |out: &mut String, text: &str| match text {
        "" => Ok(()),
        text => writeln!(out, "{} {}\n", "#".repeat(style.level + 1), plain(text)),
    };
    for part in parts {
        let _ = match part {
            Part::Question(text) => writeln!(out, "**{}**\n", plain(text)),
            Part::Prose(text) => writeln!(out, "{}{}\n", text.replace('<', "&lt;"), closing_fence(text)),
            Part::Findings(list) => list_of(out, list),
            Part::Warning(text) => writeln!(out, "> **Warning:** {}\n", plain(text)),
            Part::Heading(text) => headed(out, text),
            Part::Table(table) => {
                let _ = headed(out, &table.title);
                rows(out, table);
                match table.notes() {
                    notes if notes.is_empty() => writeln!(out),
                    notes => writeln!(out, "\n{}\n", plain(&notes)),
                }
            }
            Part::Figure(figure) if style.figures => {
                writeln!(out, "![{}]({}.svg)\n\n{}\n", plain(&figure.title), figure.file, plain(&figure.caption))
            }
            Part::Figure(_) | Part::Explorer(_) => Ok(()),
            Part::List(title, list) => {
                let _ = headed(out, title);
                list_of(out, list)
            }
            Part::Folded(title, folded) => {
                let _ = writeln!(out, "<details><summary>{}</summary>\n", plain(title));
                self::parts(out, folded, style);
                writeln!(out, "</details>\n")
            }
        };
    }
}

fn list_of(out: &mut String, list: &[String]) -> std::fmt::Result {
    for line in list {
        let _ = writeln!(out, "- {}", plain(line));
    }
    writeln!(out)
}

/// A table without heading and notes.
fn rows(out: &mut String, table: &SheetTable) {
    let heads: Vec<String> = table.columns.iter().map(|column| plain(&column.name)).collect();
    let rule: String = table.columns.iter().map(|column| if column.words { "---|" } else { "---:|" }).collect();
    let _ = writeln!(out, "| {} |\n|{rule}", heads.join(" | "));
    for row in &table.rows {
        let cells = row.iter().zip(&table.columns).map(|(cell, column)| {
            // A number is not torn from its unit.
            let text = if column.words { plain(&cell.text) } else { plain(&cell.text).replace(' ', "\u{a0}") };
            let text = if cell.link.is_empty() { text } else { format!("[{text}]({})", cell.link) };
            match cell.mark {
                Emphasis::None | Emphasis::Passed => text,
                _ => format!("**{text}**"),
            }
        });
        let _ = writeln!(out, "| {} |", cells.collect::<Vec<_>>().join(" | "));
    }
}

#[cfg(test)]
mod tests {
    use super::super::sheet::trial;
    use super::*;

    #[test]
    fn names_stay_code_and_nothing_else_does() {
        assert_eq!(plain("`table.size` and `<b>`, a`b *c*"), "`table.size` and \\`&lt;b>\\`, a\\`b \\*c\\*");
        assert_eq!(plain("`a|b`"), "\\`a\\|b\\`");
    }

    /// A block of code that an author leaves open ends with the author's words: the page goes on behind it. What is closed is left alone.
    #[test]
    fn an_open_block_of_code_ends_with_its_text() {
        for (text, closed) in [
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
            assert_eq!(closing_fence(text), closed, "{text:?}");
            let page = Sheet { parts: vec![Part::Prose(text.to_owned())], ..Sheet::default() };
            assert_eq!(render(&page, Style { level: 1, figures: false }), format!("{text}{closed}\n\n"));
        }
    }

    /// What stands under a figure, over what is folded and in the author's words comes from files, and opens no element.
    #[test]
    fn no_word_of_a_file_opens_an_element() {
        let mut sheet = trial();
        let name = "<b onload=x>|`";
        for part in &mut sheet.parts {
            match part {
                Part::Figure(figure) => (figure.title, figure.caption) = (name.to_owned(), name.to_owned()),
                Part::Folded(title, _) | Part::Warning(title) | Part::Prose(title) => *title = name.to_owned(),
                Part::Findings(list) => list.push(name.to_owned()),
                _ => {}
            }
        }
        sheet.parts.extend([Part::Heading(name.to_owned()), Part::List(name.to_owned(), vec![name.to_owned()])]);
        sheet.name = name.to_owned();
        let page = render(&sheet, Style { level: 1, figures: true });
        assert!(!page.contains("<b"), "{page}");
        assert_eq!(page.matches("&lt;b onload=x>").count(), 10);
    }

    #[test]
    fn a_page_of_every_kind_of_part() {
        let page = render(&trial(), Style { level: 1, figures: true });
        assert_eq!(
            page,
            "# A page\n\n**Is &lt;it> so?**\n\nWords\nof *its* author.\n\nTwo paragraphs.\n\n- It is.\n\n> **Warning:** One position.\n\n\
             ## A table\n\n| variant | nodes | 95 % |\n|---|---:|---:|\n| a\\|b &lt;c> | **1,234** | 0.500-0.750 |\n\
             | base | 2,000 | - |\n\nSee `table.size`. A dash: held against itself.\n\n![Map](map.svg)\n\nLess is blue.\n\n\
             <details><summary>More</summary>\n\n## How\n\n- By hand.\n\n</details>\n\n"
        );
        // What has no title has no empty heading either.
        let table = SheetTable::new("k", "", super::super::sheet::SheetColumn::named(["a"]), Vec::<Vec<_>>::new());
        let untitled = vec![Part::Table(table), Part::List(String::new(), vec!["b".to_owned()])];
        let untitled = Sheet { parts: untitled, ..Sheet::default() };
        assert_eq!(render(&untitled, Style { level: 1, figures: true }), "| a |\n|---|\n\n- b\n\n");
        let small = render(&trial(), Style { level: 3, figures: false });
        assert!(small.starts_with("### A page\n") && small.contains("\n#### A table\n") && !small.contains("map.svg"));
    }
}
