//! Renders a page as `report.html`, one file that needs nothing else: light and dark, sortable
//! tables, figures with tooltips, no requests to anywhere.

use super::figure::Figure;
use super::markdown::code_spans;
use super::sheet::{Cell, Datum, Emphasis, Part, Sheet, SheetColumn, SheetTable, is_unprintable};
use super::svg::{COLOURS, STYLE};
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// Widths of a figure on a desktop and on a phone, in pixels.
const WIDTHS: (f64, f64) = (860.0, 360.0);

/// The style of the page.
const PAGE: &str = include_str!("page.css");

/// The script of the tables (sort, filter, hide columns) and of the explorer.
const SCRIPT: &str = include_str!("page.js");

/// The content security policy: nothing may be fetched, whatever a file contains.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// Renders a page as HTML.
pub fn render(sheet: &Sheet) -> String {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="generator" content=(concat!("ttlab ", env!("CARGO_PKG_VERSION")));
                title { (sheet.name) " - ttlab" }
                style { (PreEscaped(COLOURS)) (PreEscaped(STYLE)) (PreEscaped(PAGE)) }
            }
            body {
                main {
                    h1 { (sheet.name) }
                    (parts_markup(&sheet.parts))
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
    .into_string()
    .replace(is_unprintable, "\u{fffd}")
}

fn parts_markup(parts: &[Part]) -> Markup {
    html! {
        @for part in parts {
            @match part {
                Part::Question(text) => { p.question { (inline_markup(text)) } }
                Part::Prose(text) => {
                    @for paragraph in text.split("\n\n").filter(|text| !text.trim().is_empty()) { p { (inline_markup(paragraph)) } }
                }
                Part::Findings(list) => { ul.findings { @for line in list { li { (inline_markup(line)) } } } }
                Part::Warning(text) => { p.warning { strong { "Warning: " } (inline_markup(text)) } }
                Part::Heading(text) => { h2 { (inline_markup(text)) } }
                Part::Table(table) => (table_markup(table)),
                Part::Figure(figure) => (figure_markup(figure)),
                Part::Explorer(explorer) => (explorer.markup()),
                Part::List(title, list) => {
                    @if !title.is_empty() { h2 { (inline_markup(title)) } }
                    ul { @for line in list { li { (inline_markup(line)) } } }
                }
                Part::Folded(title, folded) => { details { summary { (inline_markup(title)) } (parts_markup(folded)) } }
            }
        }
    }
}

/// Text with names between backticks as code.
fn inline_markup(text: &str) -> Markup {
    html! { @for (is_code, text) in code_spans(text) { @if is_code { code { (text) } } @else { (text) } } }
}

/// A figure twice: for a desktop and for a phone.
fn figure_markup(figure: &Figure) -> Markup {
    html! {
        figure id=(figure.file) {
            h2 { (figure.title) }
            div.wide { (PreEscaped(figure.render(WIDTHS.0, false))) }
            div.narrow { (PreEscaped(figure.render(WIDTHS.1, false))) }
            figcaption { (inline_markup(&figure.caption)) }
        }
    }
}

/// A table with its heading and notes.
fn table_markup(table: &SheetTable) -> Markup {
    html! {
        @if !table.title.is_empty() { h2 { (inline_markup(&table.title)) } }
        div.scroll tabindex="0" role="region" aria-label=(table.title) {
            table id=(table.key) {
                thead {
                    tr {
                        @for column in &table.columns {
                            th class=(column_class(column)) title=[Some(&column.meaning).filter(|meaning| !meaning.is_empty())] {
                                button type="button" { (column.name) }
                            }
                        }
                    }
                }
                tbody {
                    @for row in &table.rows { tr { @for (column, cell) in table.columns.iter().zip(row) { (cell_markup(column, cell)) } } }
                }
            }
        }
        @if !table.notes().is_empty() { p.note { (inline_markup(&table.notes())) } }
    }
}

fn column_class(column: &SheetColumn) -> &'static str {
    if column.is_text { "t" } else { "" }
}

fn cell_markup(column: &SheetColumn, cell: &Cell) -> Markup {
    let sorted = match cell.value {
        Datum::Number(value) | Datum::Range(value, _) => Some(value),
        Datum::Text | Datum::None => cell.sort_rank.map(|place| place as f64),
    };
    // Long texts get a wider column.
    let room = if column.is_text && cell.text.chars().count() > 60 { " w" } else { "" };
    html! {
        td class={ (column_class(column)) (room) (emphasis_class(cell.emphasis)) } data-v=[sorted] title=[Some(cell.note).filter(|note| !note.is_empty())] {
            @if cell.link.is_empty() { (inline_markup(&cell.text)) } @else { a href=(cell.link) { (inline_markup(&cell.text)) } }
        }
    }
}

fn emphasis_class(mark: Emphasis) -> &'static str {
    match mark {
        Emphasis::None => "",
        Emphasis::Less => " less",
        Emphasis::More => " more",
        Emphasis::Failed => " failed",
        Emphasis::Passed => " passed",
    }
}

#[cfg(test)]
mod tests {
    use super::super::sheet::sample_sheet;
    use super::*;

    #[test]
    fn cells_have_their_classes_and_sort_values() {
        let words = SheetColumn::text("w", "w", "");
        let tag_of = |column: &SheetColumn, cell: Cell| {
            cell_markup(column, &cell).into_string().split('>').next().map(str::to_owned)
        };
        for (column, letters, class) in
            [(&words, 60, "t"), (&words, 61, "t w"), (&SheetColumn::number("n", "n", ""), 61, "")]
        {
            assert_eq!(tag_of(column, Cell::text("x".repeat(letters))), Some(format!("<td class=\"{class}\"")));
        }
        let ranged =
            tag_of(&words, Cell { sort_rank: Some(2), ..Cell::range(0.5, 2.0) }.with_emphasis(Emphasis::Failed));
        assert_eq!(ranged.as_deref(), Some("<td class=\"t failed\" data-v=\"0.5\""));
        let placed = tag_of(&words, Cell { sort_rank: Some(2), ..Cell::text("x") });
        assert_eq!(placed.as_deref(), Some("<td class=\"t\" data-v=\"2\""));
        let page = render(&Sheet { name: "a\u{1b}b\u{9b}".to_owned(), ..Sheet::default() });
        assert!(page.contains("<h1>a\u{fffd}b\u{fffd}</h1>"), "{page}");
    }

    #[test]
    fn every_kind_of_part_is_rendered() {
        let page = render(&sample_sheet());
        let body = page.split("<main>").nth(1).unwrap_or_default().split("<figure").next().unwrap_or_default();
        assert_eq!(
            body,
            "<h1>A page</h1><p class=\"question\">Is &lt;it&gt; so?</p><p>Words\nof *its* author.</p><p>Two paragraphs.</p>\
             <ul class=\"findings\"><li>It is.</li></ul><p class=\"warning\"><strong>Warning: </strong>One position.</p>\
             <h2>A table</h2><div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"A table\"><table id=\"trial\"><thead><tr>\
             <th class=\"t\"><button type=\"button\">variant</button></th>\
             <th class=\"\" title=\"in all\"><button type=\"button\">nodes</button></th>\
             <th class=\"\"><button type=\"button\">95 %</button></th></tr></thead><tbody>\
             <tr><td class=\"t\">a|b &lt;c&gt;</td><td class=\" less\" data-v=\"1234\">1,234</td>\
             <td class=\"\" data-v=\"0.5\">0.500-0.750</td></tr>\
             <tr><td class=\"t\">base</td><td class=\"\" data-v=\"2000\">2,000</td>\
             <td class=\"\" title=\"compared with itself\">-</td></tr></tbody></table></div>\
             <p class=\"note\">See <code>table.size</code>. -: compared with itself.</p>"
        );
        assert!(page.contains("<details><summary>More</summary><h2>How</h2><ul><li>By hand.</li></ul></details>"));
    }
}
