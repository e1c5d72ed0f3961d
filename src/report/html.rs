//! `report.html`: one file that needs nothing else. Light and dark, tables that sort, figures with tooltips, no request to anywhere.

use super::figure::Figure;
use super::markdown::spans;
use super::sheet::{Cell, Datum, Emphasis, Part, Sheet, SheetColumn, SheetTable};
use super::svg::{COLOURS, STYLE};
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// Widths in pixels of a figure on a desk and on a phone.
const WIDTHS: (f64, f64) = (860.0, 360.0);

/// The page's own style.
const PAGE: &str = include_str!("page.css");

/// What tables do beyond standing there: sort, filter, hide columns.
const SCRIPT: &str = include_str!("page.js");

/// Nothing may be fetched, whatever a file says.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// Renders a page.
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
                    (parts(&sheet.parts))
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
    .into_string()
    .replace(unshown, "\u{fffd}")
}

/// Control characters, which no page holds but for the ends of its lines.
pub(super) fn unshown(c: char) -> bool {
    c.is_control() && c != '\n'
}

fn parts(parts: &[Part]) -> Markup {
    html! {
        @for part in parts {
            @match part {
                Part::Question(text) => { p.question { (words(text)) } }
                Part::Prose(text) => {
                    @for paragraph in text.split("\n\n").filter(|text| !text.trim().is_empty()) { p { (words(paragraph)) } }
                }
                Part::Findings(list) => { ul.findings { @for line in list { li { (words(line)) } } } }
                Part::Warning(text) => { p.warning { strong { "Warning: " } (words(text)) } }
                Part::Heading(text) => { h2 { (words(text)) } }
                Part::Table(table) => (show(table)),
                Part::Figure(figure) => (draw(figure)),
                Part::Explorer(explorer) => (explorer.markup()),
                Part::List(title, list) => {
                    @if !title.is_empty() { h2 { (words(title)) } }
                    ul { @for line in list { li { (words(line)) } } }
                }
                Part::Folded(title, folded) => { details { summary { (words(title)) } (self::parts(folded)) } }
            }
        }
    }
}

/// A text, names between backticks as code.
fn words(text: &str) -> Markup {
    html! { @for (is_code, text) in spans(text) { @if is_code { code { (text) } } @else { (text) } } }
}

/// A figure twice: for a desk and for a phone.
fn draw(figure: &Figure) -> Markup {
    html! {
        figure id=(figure.file) {
            h2 { (figure.title) }
            div.wide { (PreEscaped(figure.render(WIDTHS.0, false))) }
            div.narrow { (PreEscaped(figure.render(WIDTHS.1, false))) }
            figcaption { (words(&figure.caption)) }
        }
    }
}

/// A table with its heading and notes.
fn show(table: &SheetTable) -> Markup {
    html! {
        @if !table.title.is_empty() { h2 { (words(&table.title)) } }
        div.scroll tabindex="0" role="region" aria-label=(table.title) {
            table id=(table.key) {
                thead {
                    tr {
                        @for column in &table.columns {
                            th class=(class(column)) title=[Some(&column.meaning).filter(|meaning| !meaning.is_empty())] {
                                button type="button" { (column.name) }
                            }
                        }
                    }
                }
                tbody {
                    @for row in &table.rows { tr { @for (column, cell) in table.columns.iter().zip(row) { (field(column, cell)) } } }
                }
            }
        }
        @if !table.notes().is_empty() { p.note { (words(&table.notes())) } }
    }
}

fn class(column: &SheetColumn) -> &'static str {
    if column.words { "t" } else { "" }
}

fn field(column: &SheetColumn, cell: &Cell) -> Markup {
    let sorted = match cell.value {
        Datum::Number(value) | Datum::Range(value, _) => Some(value),
        Datum::Words | Datum::None => cell.place.map(|place| place as f64),
    };
    // Long sentences get room.
    let room = if column.words && cell.text.chars().count() > 60 { " w" } else { "" };
    html! {
        td class={ (class(column)) (room) (mark(cell.mark)) } data-v=[sorted] title=[Some(cell.note).filter(|note| !note.is_empty())] {
            @if cell.link.is_empty() { (words(&cell.text)) } @else { a href=(cell.link) { (words(&cell.text)) } }
        }
    }
}

fn mark(mark: Emphasis) -> &'static str {
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
    use super::super::sheet::trial;
    use super::*;

    /// Long sentences get room, from 61 letters on, and no number does; control characters are shown as what cannot be.
    #[test]
    fn fields_have_their_classes() {
        let words = SheetColumn::words("w", "w", "");
        let of =
            |column: &SheetColumn, cell: Cell| field(column, &cell).into_string().split('>').next().map(str::to_owned);
        for (column, letters, class) in
            [(&words, 60, "t"), (&words, 61, "t w"), (&SheetColumn::numbers("n", "n", ""), 61, "")]
        {
            assert_eq!(of(column, Cell::text("x".repeat(letters))), Some(format!("<td class=\"{class}\"")));
        }
        let ranged = of(&words, Cell { place: Some(2), ..Cell::range(0.5, 2.0) }.marked(Emphasis::Failed));
        assert_eq!(ranged.as_deref(), Some("<td class=\"t failed\" data-v=\"0.5\""));
        let placed = of(&words, Cell { place: Some(2), ..Cell::text("x") });
        assert_eq!(placed.as_deref(), Some("<td class=\"t\" data-v=\"2\""));
        let page = render(&Sheet { name: "a\u{1b}b\u{9b}".to_owned(), ..Sheet::default() });
        assert!(page.contains("<h1>a\u{fffd}b\u{fffd}</h1>"), "{page}");
    }

    #[test]
    fn a_page_of_every_kind_of_part() {
        let page = render(&trial());
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
             <td class=\"\" title=\"held against itself\">-</td></tr></tbody></table></div>\
             <p class=\"note\">See <code>table.size</code>. A dash: held against itself.</p>"
        );
        assert!(page.contains("<details><summary>More</summary><h2>How</h2><ul><li>By hand.</li></ul></details>"));
    }
}
