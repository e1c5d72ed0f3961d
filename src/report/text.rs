//! The summary for a terminal: columns that line up within a width.

use super::Page;
use super::table::{self, Table};
use std::fmt::Write;

/// Columns that go first where there is no room, the least missed first.
const SPARE: &[&str] = &["move", "full", "seconds", "stores/slot", "p", "usable", "95 %"];

/// Names are not cut shorter than this.
const SHORTEST: usize = 24;

/// Renders the summary in so many columns.
#[must_use]
pub fn render(page: &Page, width: usize) -> String {
    let mut out = grid(&table::summary(page), width);
    let _ = writeln!(
        out,
        "{}",
        wrap(
            "* baseline; x base: geometric mean over positions of the ratio to it; 95 %: its interval (! clear of 1 after correction, ~ within chaos)",
            width,
            ""
        )
    );
    for finding in &page.findings {
        let _ = writeln!(out, "{}", wrap(finding, width, "- "));
    }
    if !page.verdicts.is_empty() {
        let failed = page.failed();
        let _ = writeln!(out, "\nverdicts: {} of {} as wanted", page.verdicts.len() - failed, page.verdicts.len());
        for verdict in page.verdicts.iter().filter(|verdict| !verdict.passes()) {
            let text = format!(
                "{}: published {}, measured {}: {}",
                verdict.subject,
                verdict.published,
                verdict.measured,
                verdict.word()
            );
            let _ = writeln!(out, "{}", wrap(&text, width, "  "));
        }
    }
    for warning in &page.warnings {
        let _ = writeln!(out, "{}", wrap(&format!("warning: {warning}"), width, ""));
    }
    out.trim_end().to_owned()
}

/// A table with columns that line up; the spare ones are left out and long names cut until it fits.
#[must_use]
pub fn grid(table: &Table, width: usize) -> String {
    let mut shown: Vec<usize> = (0..table.columns.len()).collect();
    let size = |column: usize| {
        let cells = table.rows.iter().map(|row| row[column].text.chars().count());
        cells.chain([table.columns[column].0.chars().count()]).max().unwrap_or(0)
    };
    let total = |shown: &[usize], names: usize| {
        shown.iter().map(|&column| if column == 0 { size(0).min(names) } else { size(column) + 2 }).sum::<usize>()
    };
    for spare in SPARE {
        if total(&shown, SHORTEST) <= width {
            break;
        }
        shown.retain(|&column| column == 0 || table.columns[column].0 != *spare);
    }
    let rest = total(&shown, 0);
    let names = size(0).min(width.saturating_sub(rest).max(SHORTEST));
    let mut out = String::new();
    let mut line = |field: &dyn Fn(usize) -> String| {
        let mut text = String::new();
        for &column in &shown {
            let field = field(column);
            if column == 0 {
                let _ = write!(text, "{:<names$}", cut(&field, names));
            } else if column < table.texts {
                let _ = write!(text, "  {field:<wide$}", wide = size(column));
            } else {
                let _ = write!(text, "  {field:>wide$}", wide = size(column));
            }
        }
        let _ = writeln!(out, "{}", text.trim_end());
    };
    line(&|column| table.columns[column].0.clone());
    for row in &table.rows {
        line(&|column| row[column].text.clone());
    }
    out
}

/// A name cut in the middle, since names often differ at their ends.
fn cut(text: &str, width: usize) -> String {
    let letters: Vec<char> = text.chars().collect();
    if letters.len() <= width {
        return text.to_owned();
    }
    let (head, tail) = ((width - 1).div_ceil(2), (width - 1) / 2);
    letters[..head].iter().chain(&['…']).chain(&letters[letters.len() - tail..]).collect()
}

/// Text in lines of at most `width`, all but the first indented by two blanks more than `start` takes.
#[must_use]
pub fn wrap(text: &str, width: usize, start: &str) -> String {
    let indent = " ".repeat(start.chars().count().max(2));
    let (mut out, mut line) = (String::new(), start.to_owned());
    let mut empty = true;
    for word in text.split_whitespace() {
        if !empty && line.chars().count() + 1 + word.chars().count() > width {
            let _ = writeln!(out, "{line}");
            (line, empty) = (indent.clone(), true);
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(word);
        empty = false;
    }
    out + &line
}

#[cfg(test)]
mod tests {
    use super::super::table::Cell;
    use super::*;

    #[test]
    fn a_table_fits_its_width() {
        let names = ["variant", "nodes", "x base", "move", "full", "seconds"];
        let table = Table {
            columns: names.map(|name| (name.to_owned(), String::new())).to_vec(),
            texts: 1,
            rows: vec![
                vec![
                    "size=64 KiB, policy=aged-depth factor=4 on=store, slots=4",
                    "100,258,490",
                    "0.653",
                    "0.4 %",
                    "99 %",
                    "21.42",
                ],
                vec!["no table *", "139,440,796", "1.000", "-", "-", "28.26"],
            ]
            .into_iter()
            .map(|row| row.into_iter().map(Cell::text).collect())
            .collect(),
            ..Table::default()
        };
        for width in [60, 80, 100, 200] {
            let text = grid(&table, width);
            assert!(text.lines().all(|line| line.chars().count() <= width), "{width}:\n{text}");
            assert!(text.contains("139,440,796"), "{text}");
        }
        assert!(grid(&table, 200).contains("seconds") && !grid(&table, 50).contains("full"));
        insta::assert_snapshot!(grid(&table, 62), @r"
        variant                           nodes  x base  full  seconds
        size=64 KiB, …ore, slots=4  100,258,490   0.653  99 %    21.42
        no table *                  139,440,796   1.000     -    28.26
        ");
    }

    #[test]
    fn long_sentences_are_wrapped() {
        assert_eq!(wrap("one two three four", 11, "- "), "- one two\n  three\n  four");
    }
}
