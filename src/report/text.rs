//! Renders a page for a terminal of a given width. The columns of tables are aligned. Names are
//! wrapped, never truncated.

use super::sheet::{Cell, Emphasis, Part, Sheet, SheetTable};
use std::fmt::Write;

#[derive(Debug, Clone, Copy)]
pub struct Screen {
    /// Its width in characters.
    pub width: usize,
    pub colour: bool,
}

/// Text columns are not narrower than this while other columns can still be dropped.
const READABLE_WIDTH: usize = 24;

const MIN_WIDTH: usize = 10;

/// Number of blanks between columns.
const GAP: usize = 2;

pub fn render(sheet: &Sheet, screen: Screen) -> String {
    let mut out = String::new();
    if !sheet.name.is_empty() {
        let _ = writeln!(out, "{}", wrap(&sheet.name, screen.width, ""));
    }
    push_parts(&mut out, &sheet.parts, screen);
    out.trim_end().to_owned()
}

fn push_parts(out: &mut String, parts: &[Part], screen: Screen) {
    let push_heading = |out: &mut String, text: &str| {
        if text.is_empty() {
            return;
        }
        if !out.is_empty() {
            out.push('\n');
        }
        let _ = writeln!(out, "{}", paint(&wrap(text, screen.width, ""), BOLD, screen));
    };
    for part in parts {
        match part {
            Part::Question(text) => push_heading(out, text),
            Part::Prose(text) => {
                for paragraph in text.split("\n\n").filter(|text| !text.trim().is_empty()) {
                    let _ = writeln!(out, "{}", wrap(paragraph, screen.width, ""));
                }
            }
            Part::Findings(list) => push_sentences(out, list, screen),
            Part::Blocker(text) | Part::Warning(text) => {
                let label = if matches!(part, Part::Blocker(_)) { "blocks the conclusion" } else { "warning" };
                let text = wrap(&format!("{label}: {text}"), screen.width, "");
                let _ = writeln!(out, "{}", paint(&text, emphasis_colour(Emphasis::Failed), screen));
            }
            Part::Heading(text) => push_heading(out, text),
            Part::Table(table) => {
                push_heading(out, &table.title);
                let (fitted, dropped_names) = fit_columns(table, screen.width);
                out.push_str(&render_table(&fitted, screen));
                let dropped_note = match dropped_names.is_empty() {
                    true => String::new(),
                    false => format!(
                        "Not shown at {} columns: {}; widen the terminal, or write to a file.",
                        screen.width,
                        dropped_names.join(", ")
                    ),
                };
                for text in [fitted.notes(), dropped_note].iter().filter(|text| !text.is_empty()) {
                    let _ = writeln!(out, "{}", wrap(text, screen.width, ""));
                }
            }
            // A terminal shows no drawings.
            Part::Figure(_) => {}
            Part::List(title, list) => {
                push_heading(out, title);
                push_sentences(out, list, screen);
            }
            Part::Folded(title, folded) => {
                push_heading(out, title);
                push_parts(out, folded, screen);
            }
        }
    }
}

fn push_sentences(out: &mut String, sentences: &[String], screen: Screen) {
    for sentence in sentences {
        let _ = writeln!(out, "{}", wrap(sentence, screen.width, "- "));
    }
}

const BOLD: &str = "1";

/// The terminal chooses the shade, so that the shade suits the background.
fn emphasis_colour(emphasis: Emphasis) -> &'static str {
    match emphasis {
        Emphasis::None | Emphasis::Unclear => "",
        Emphasis::Better | Emphasis::Passed => "34",
        Emphasis::Worse => "33",
        Emphasis::Failed => "31",
        Emphasis::Other => BOLD,
    }
}

/// The text in a colour. The text stays as it is if the screen shows no colours, if `colour` is
/// empty, or if the text is blank.
fn paint(text: &str, colour: &str, screen: Screen) -> String {
    if screen.colour && !colour.is_empty() && !text.trim().is_empty() {
        format!("\u{1b}[{colour}m{text}\u{1b}[0m")
    } else {
        text.to_owned()
    }
}

fn natural_width(table: &SheetTable, column: usize) -> usize {
    content_width(table, column).max(table.columns[column].name.chars().count())
}

/// The heading is ignored.
fn content_width(table: &SheetTable, column: usize) -> usize {
    table.rows.iter().map(|row| row[column].text.chars().count()).max().unwrap_or(0)
}

/// A column of text can be as narrow as `min_text_width`. In a column of numbers, the numbers are
/// not wrapped, and the heading is wrapped only between words.
fn min_width(table: &SheetTable, column: usize, min_text_width: usize) -> usize {
    let natural = natural_width(table, column);
    if table.columns[column].is_text {
        return natural.min(min_text_width);
    }
    let word_lengths = table.columns[column].name.split(' ').map(|word| word.chars().count());
    content_width(table, column).max(word_lengths.max().unwrap_or(0)).min(natural)
}

fn total_width(widths: impl Iterator<Item = usize>) -> usize {
    widths.map(|width| width + GAP).sum::<usize>().saturating_sub(GAP)
}

/// Drops columns until the table fits into `width` or no other column may be dropped. Returns the
/// table with the remaining columns, and the names of the dropped columns.
fn fit_columns(table: &SheetTable, width: usize) -> (SheetTable, Vec<String>) {
    let drop_order = |column: usize| table.columns[column].drop_order;
    let mut kept_columns: Vec<usize> = (0..table.columns.len()).collect();
    while total_width(kept_columns.iter().map(|&column| min_width(table, column, READABLE_WIDTH))) > width {
        let droppable = kept_columns.iter().copied().filter(|&column| drop_order(column) > 0);
        let Some(dropped) = droppable.max_by_key(|&column| drop_order(column)) else { break };
        kept_columns.retain(|&column| column != dropped);
    }
    let dropped = (0..table.columns.len()).filter(|column| !kept_columns.contains(column));
    let dropped_names = dropped.map(|column| table.columns[column].name.clone()).collect();
    (table.select_columns(&kept_columns), dropped_names)
}

/// Renders a table with aligned columns. If the table is too wide, the headings of numeric columns
/// are wrapped first. If the table is still too wide, columns of text are wrapped.
fn render_table(table: &SheetTable, screen: Screen) -> String {
    let all_columns = 0..table.columns.len();
    let mut widths: Vec<usize> = all_columns.clone().map(|column| natural_width(table, column)).collect();
    let minimum_widths: Vec<usize> = all_columns.clone().map(|column| min_width(table, column, MIN_WIDTH)).collect();
    for is_text in [false, true] {
        // The widest column shrinks first.
        while total_width(widths.iter().copied()) > screen.width {
            let candidates = all_columns
                .clone()
                .filter(|&column| table.columns[column].is_text == is_text && widths[column] > minimum_widths[column]);
            match candidates.max_by_key(|&column| widths[column]) {
                Some(widest) => widths[widest] -= 1,
                None => break,
            }
        }
    }
    let mut out = String::new();
    let heads: Vec<Cell> = table.columns.iter().map(|column| Cell::text(&column.name)).collect();
    for (cells, is_head) in std::iter::once((&heads, true)).chain(table.rows.iter().map(|row| (row, false))) {
        let wrapped: Vec<Vec<String>> =
            cells.iter().zip(&widths).map(|(cell, &width)| wrap_words(&cell.text, width)).collect();
        for line_index in 0..wrapped.iter().map(Vec::len).max().unwrap_or(0) {
            // Blanks are written only when more text follows, so that no line ends with blanks.
            let (mut text, mut pending_blanks) = (String::new(), 0);
            for (column, cell_lines) in wrapped.iter().enumerate() {
                let field = cell_lines.get(line_index).map_or("", String::as_str);
                let pad = widths[column].saturating_sub(field.chars().count());
                let (left_pad, right_pad) = if table.columns[column].is_text { (0, pad) } else { (pad, 0) };
                if !field.is_empty() {
                    text.push_str(&" ".repeat(pending_blanks + left_pad));
                    let colour = if is_head { BOLD } else { emphasis_colour(cells[column].emphasis) };
                    text.push_str(&paint(field, colour, screen));
                    pending_blanks = 0;
                } else {
                    pending_blanks += left_pad;
                }
                pending_blanks += right_pad + GAP;
            }
            let _ = writeln!(out, "{text}");
        }
    }
    out
}

/// Replaces escape characters in text that comes from files, so that only the renderer sets
/// colours.
fn strip_escapes(text: &str) -> String {
    text.replace('\u{1b}', "\u{fffd}")
}

/// Wraps text into lines of at most `width` characters. A word that is longer than a line is
/// broken.
fn wrap_words(text: &str, width: usize) -> Vec<String> {
    let (width, text) = (width.max(1), strip_escapes(text));
    let (mut lines, mut line) = (Vec::new(), String::new());
    let mut remaining = width;
    for word in text.split(' ') {
        let mut letters: Vec<char> = word.chars().collect();
        let is_line_empty = remaining == width;
        if !is_line_empty && letters.len() + 1 > remaining {
            lines.push(std::mem::take(&mut line));
            remaining = width;
        } else if !is_line_empty {
            line.push(' ');
            remaining -= 1;
        }
        while letters.len() > remaining {
            let next_letters = letters.split_off(remaining);
            line.extend(&letters);
            lines.push(std::mem::take(&mut line));
            (letters, remaining) = (next_letters, width);
        }
        remaining -= letters.len();
        line.extend(&letters);
    }
    lines.push(line);
    lines
}

/// Wraps text into lines of at most `width` characters. A word that is longer than a line is not
/// broken. The first line begins with `start`. The other lines are indented by the width of
/// `start`, but by at least two blanks.
pub fn wrap(text: &str, width: usize, start: &str) -> String {
    let indent = " ".repeat(start.chars().count().max(2));
    let (mut out, mut line) = (String::new(), start.to_owned());
    let mut is_line_empty = true;
    for word in strip_escapes(text).split_whitespace() {
        if !is_line_empty && line.chars().count() + 1 + word.chars().count() > width {
            let _ = writeln!(out, "{line}");
            (line, is_line_empty) = (indent.clone(), true);
        }
        if !is_line_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_line_empty = false;
    }
    out + &line
}

#[cfg(test)]
mod tests {
    use super::super::sheet::{SheetColumn, sample_sheet};
    use super::*;

    fn screen(width: usize) -> Screen {
        Screen { width, colour: false }
    }

    #[test]
    fn table_fits_its_width_and_keeps_names_whole() {
        let names = ["nodes", "nodes / baseline", "move", "full", "seconds"];
        let mut columns = vec![SheetColumn::text("variant", "variant", "")];
        columns.extend(
            names
                .iter()
                .zip([0, 0, 4, 3, 2])
                .map(|(name, drop_order)| SheetColumn::number(name, name, "").drop_order(drop_order)),
        );
        let policy = "size=64 KiB, policy=aged-depth factor=4 on=store, slots=4";
        let rows = [
            [policy, "100,258,490", "0.653", "0.4 %", "99 %", "21.42"],
            ["no table *", "139,440,796", "1.000", "-", "-", "28.26"],
        ];
        let rows = rows.map(|row| row.map(Cell::text).to_vec()).to_vec();
        let table = SheetTable { columns, rows, ..SheetTable::default() };
        let render_at = |width: usize| render_table(&fit_columns(&table, width).0, screen(width));
        for width in 60..=200 {
            let text = render_at(width);
            assert!(text.lines().all(|line| line.chars().count() <= width), "{width}:\n{text}");
            // No letter of the name is lost.
            let first_column: String =
                text.lines().map(|line| line.chars().take(57.min(width)).collect::<String>()).collect();
            let letters_of = |text: &str| text.chars().filter(char::is_ascii_alphabetic).collect::<String>();
            assert!(policy.split(' ').all(|word| letters_of(&first_column).contains(&letters_of(word))), "{text}");
        }
        assert!(render_at(200).contains("seconds"));
        assert!(!render_at(60).contains("full"));
        // Headings are wrapped before columns are dropped, and text is wrapped last.
        let lines = [
            "variant                          nodes   nodes /   move  full  seconds",
            "                                        baseline",
            "size=64 KiB,               100,258,490     0.653  0.4 %  99 %    21.42",
            "policy=aged-depth",
            "factor=4 on=store,",
            "slots=4",
            "no table *                 139,440,796     1.000      -     -    28.26",
        ];
        assert_eq!(render_at(70).lines().collect::<Vec<_>>(), lines);
    }

    #[test]
    fn paragraphs_of_blanks_are_none_and_no_colour_comes_from_a_file() {
        let blank_paragraph = Sheet { parts: vec![Part::Prose("a\n\n \t\n\nb\n".to_owned())], ..Sheet::default() };
        assert_eq!(render(&blank_paragraph, screen(40)), "a\nb", "a paragraph of blanks is none");
        let coloured = render(&sample_sheet(), Screen { width: 40, colour: true });
        assert!(coloured.contains("\u{1b}[34m1,234\u{1b}[0m"), "{coloured:?}");
        assert_eq!(
            (wrap("\u{1b}[31mred", 40, ""), wrap_words("\u{1b}[31mred", 40)),
            ("\u{fffd}[31mred".to_owned(), vec!["\u{fffd}[31mred".to_owned()])
        );
    }

    #[test]
    fn long_words_are_broken_and_sentences_wrapped() {
        assert_eq!(wrap_words("aa bbbbbbb c", 4), ["aa", "bbbb", "bbb", "c"]);
        assert_eq!(wrap("one two three four", 11, "- "), "- one two\n  three\n  four");
    }

    #[test]
    fn lines_are_filled_to_their_width() {
        for (text, width, lines) in [
            ("ab cd", 5, &["ab cd"][..]),
            ("ab cd", 4, &["ab", "cd"]),
            ("abcdef", 3, &["abc", "def"]),
            ("abcdefg h", 3, &["abc", "def", "g h"]),
            ("a bcdef", 3, &["a", "bcd", "ef"]),
            ("", 3, &[""]),
            ("ab", 0, &["a", "b"]),
        ] {
            assert_eq!(wrap_words(text, width), lines, "{text} in {width}");
        }
        assert_eq!(wrap("aa bb cc", 5, ""), "aa bb\n  cc");
        assert_eq!(wrap("aa bb cc", 8, ""), "aa bb cc");
        assert_eq!(wrap("a\n b\t c", 4, "12. "), "12. a\n    b\n    c");
        assert_eq!(wrap("wider-than-that x", 4, "- "), "- wider-than-that\n  x");
        // The greatest `drop_order` is dropped first, and no more than necessary; text shrinks
        // before that.
        let column = |name: &str, drop_order| SheetColumn::number(name, name, "").drop_order(drop_order);
        let columns = vec![SheetColumn::text("w", "w", ""), column("one", 1), column("two", 2), column("kept", 0)];
        let rows = vec![["name", "1", "2", "3"].map(Cell::text).to_vec()];
        let table = SheetTable { columns, rows, ..SheetTable::default() };
        let first = |width: usize| {
            render_table(&fit_columns(&table, width).0, screen(width))
                .lines()
                .next()
                .map(str::to_owned)
                .unwrap_or_default()
        };
        assert_eq!(
            [20, 19, 15, 14, 9, 3].map(first),
            ["w     one  two  kept", "w     one  kept", "w     one  kept", "w     kept", "w     kept", "w     kept"]
        );
        // No more is wrapped than necessary: at a width of 12, a name of 13 letters is wrapped and
        // one of 12 is not.
        let names = ["seven77 five5", "sixsix five5"].map(|name| vec![Cell::text(name)]).to_vec();
        let table =
            SheetTable { columns: SheetColumn::from_names(["w"]).to_vec(), rows: names, ..SheetTable::default() };
        assert_eq!(
            render_table(&table, screen(12)).lines().map(str::trim_end).collect::<Vec<_>>(),
            ["w", "seven77", "five5", "sixsix five5"]
        );
        let coloured = |text: &str, colour: &str| paint(text, colour, Screen { width: 9, colour: true });
        assert_eq!(
            [coloured("x", "31"), coloured("x", ""), coloured(" ", "31"), paint("x", "31", screen(9))],
            ["\u{1b}[31mx\u{1b}[0m", "x", " ", "x"]
        );
    }

    /// At 24 + 2 + 7 characters both columns fit, at one less the second is dropped.
    /// Alone, a text column is wrapped down to 10 characters.
    #[test]
    fn text_column_keeps_24_characters_before_others_are_dropped_and_10_at_least() {
        let words = "one two three four five six seven eight nine ten";
        let table = |others: &[&str]| SheetTable {
            columns: std::iter::once(SheetColumn::text("variant", "variant", ""))
                .chain(others.iter().map(|name| SheetColumn::number(name, name, "").drop_order(1)))
                .collect(),
            rows: vec![std::iter::once(words).chain(others.iter().map(|_| "1,234")).map(Cell::text).collect()],
            ..SheetTable::default()
        };
        let dropped_names = |width: usize| {
            let (_, names) = fit_columns(&table(&["seconds"]), width);
            names
        };
        assert_eq!(dropped_names(33), Vec::<String>::new());
        assert_eq!(dropped_names(32), ["seconds"]);
        let widest = |width: usize| {
            let text = render_table(&table(&[]), screen(width));
            text.lines().map(|line| line.trim_end().chars().count()).max().unwrap_or(0)
        };
        assert_eq!([11, 10, 9, 1].map(widest), [11, 10, 10, 10]);
        let count_lines = |width: usize| render_table(&table(&[]), screen(width)).lines().count();
        assert!(count_lines(11) < count_lines(10));
        assert!(count_lines(10) == count_lines(9));
        assert!(count_lines(9) == count_lines(1));
    }
}
