//! Renders a page as `report.html`, a single file that needs no other file and makes no requests.
//! The page has a light and a dark theme, sortable tables and figures with tooltips.

use super::FIGURE_WIDTH;
use super::figure::Figure;
use super::markdown::code_spans;
use super::sheet::{Cell, Datum, Emphasis, Part, Sheet, SheetColumn, SheetTable, is_unprintable};
use super::svg::{COLOURS, STYLE};
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// A figure's width on a phone, in pixels.
const NARROW: f64 = 360.0;

const PAGE_STYLE: &str = include_str!("page.css");

/// The script of the tables (sort, filter, hide columns).
const SCRIPT: &str = include_str!("page.js");

/// The content security policy. It forbids the page to fetch anything, whatever a file contains.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

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
                style #figure-style { (PreEscaped(COLOURS)) (PreEscaped(STYLE)) }
                style { (PreEscaped(PAGE_STYLE)) }
            }
            body {
                main {
                    h1 { (sheet.name) }
                    (contents_markup(&sheet.parts))
                    p.key { span.better { "blue" } ": better, or as expected · " span.worse { "orange" } ": worse, or not as expected · " span.unclear { "grey" } ": no difference shown. The colour of a line only identifies it." }
                    (parts_markup(&sheet.parts))
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
    .into_string()
    .replace(is_unprintable, "\u{fffd}")
}

/// A page with fewer headings than this has no list of contents.
const MIN_CONTENTS: usize = 4;

/// Renders a list of links to the headings. Renders nothing if there are fewer headings than
/// [`MIN_CONTENTS`].
fn contents_markup(parts: &[Part]) -> Markup {
    let headings: Vec<(String, &str)> = parts.iter().filter_map(heading).collect();
    html! {
        @if headings.len() >= MIN_CONTENTS {
            nav { details.contents { summary { "Contents" } ul { @for (id, title) in &headings { li { a href={ "#" (id) } { (inline_markup(title)) } } } } } }
        }
    }
}

fn heading(part: &Part) -> Option<(String, &str)> {
    let (anchor, title) = match part {
        Part::Table(table) => (title_id(&table.key), table.title.as_str()),
        Part::Figure(figure) => (figure.file.clone(), figure.title.as_str()),
        Part::Heading(title) | Part::List(title, _) | Part::Folded(title, _) => (text_id(title), title.as_str()),
        Part::Question(_) | Part::Prose(_) | Part::Findings(_) | Part::Blocker(_) | Part::Warning(_) => return None,
    };
    (!title.is_empty()).then_some((anchor, title))
}

fn title_id(key: &str) -> String {
    format!("{key}.title")
}

fn text_id(text: &str) -> String {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
}

/// Renders the parts of a page, from top to bottom.
fn parts_markup(parts: &[Part]) -> Markup {
    html! {
        @for part in parts {
            @match part {
                Part::Question(text) => { p.question { (inline_markup(text)) } }
                Part::Prose(text) => {
                    @for paragraph in text.split("\n\n").filter(|text| !text.trim().is_empty()) { p { (inline_markup(paragraph)) } }
                }
                Part::Findings(list) => { ul.findings { @for text in list { li { (inline_markup(text)) } } } }
                Part::Blocker(text) => { p.warning { strong { "Blocks the conclusion: " } (inline_markup(text)) } }
                Part::Warning(text) => { p.warning { strong { "Warning: " } (inline_markup(text)) } }
                Part::Heading(text) => { h2 id=(text_id(text)) { (inline_markup(text)) } }
                Part::Table(table) => (table_markup(table)),
                Part::Figure(figure) => (figure_markup(figure)),
                Part::List(title, list) => {
                    @if !title.is_empty() { h2 id=(text_id(title)) { (inline_markup(title)) } }
                    ul { @for text in list { li { (inline_markup(text)) } } }
                }
                Part::Folded(title, folded) => { details id=(text_id(title)) { summary { (inline_markup(title)) } (parts_markup(folded)) } }
            }
        }
    }
}

/// Renders text. Names between backticks become code.
fn inline_markup(text: &str) -> Markup {
    html! { @for (is_code, text) in code_spans(text) { @if is_code { code { (text) } } @else { (text) } } }
}

/// Renders a figure. It is drawn twice, for a desktop and for a phone, and the style sheet hides
/// one of the two drawings.
fn figure_markup(figure: &Figure) -> Markup {
    html! {
        figure id=(figure.file) {
            h2 { (figure.title) }
            div.wide { (PreEscaped(figure.render(FIGURE_WIDTH, false))) }
            div.narrow { (PreEscaped(figure.render(NARROW, false))) }
            figcaption { (inline_markup(&figure.caption)) }
        }
    }
}

/// Renders a table with its heading and notes. The title is also what screen readers call the
/// table.
fn table_markup(table: &SheetTable) -> Markup {
    html! {
        @if !table.title.is_empty() { h2 id=(title_id(&table.key)) { (inline_markup(&table.title)) } }
        div.scroll tabindex="0" role="region" aria-label=(table.title) {
            table id=(table.key) {
                @if !table.title.is_empty() { caption { (inline_markup(&table.title)) } }
                thead {
                    tr {
                        @for column in &table.columns {
                            th scope="col" class=(column_class(column)) data-key=(column.key) title=[Some(&column.meaning).filter(|meaning| !meaning.is_empty())] {
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

/// The class is empty for a column of numbers.
fn column_class(column: &SheetColumn) -> &'static str {
    if column.is_text { "t" } else { "" }
}

/// Renders a cell, with its value for sorting and its note as a tooltip.
fn cell_markup(column: &SheetColumn, cell: &Cell) -> Markup {
    let (sort_value, high_value) = match cell.value {
        Datum::Number(value) => (Some(value), None),
        Datum::Range(low, high) => (Some(low), Some(high)),
        Datum::Text | Datum::None => (cell.sort_rank.map(|rank| rank as f64), None),
    };
    // A long text makes its column wider.
    let width_class = if column.is_text && cell.text.chars().count() > 60 { " w" } else { "" };
    html! {
        td class={ (column_class(column)) (width_class) @if cell.emphasis != Emphasis::None { " " (cell.emphasis.class()) } } data-v=[sort_value] data-high=[high_value] title=[Some(cell.note).filter(|note| !note.is_empty())] {
            (inline_markup(&cell.text))
        }
    }
}

#[cfg(test)]
mod tests {
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
        assert_eq!(ranged.as_deref(), Some("<td class=\"t worse\" data-v=\"0.5\" data-high=\"2\""));
        let placed = tag_of(&words, Cell { sort_rank: Some(2), ..Cell::text("x") });
        assert_eq!(placed.as_deref(), Some("<td class=\"t\" data-v=\"2\""));
        let page = render(&Sheet { name: "a\u{1b}b\u{9b}".to_owned(), ..Sheet::default() });
        assert!(page.contains("<h1>a\u{fffd}b\u{fffd}</h1>"), "{page}");
    }

    #[test]
    fn page_of_four_headings_has_contents() {
        let contents = |count: usize| {
            let parts = (0..count).map(|index| Part::Heading(format!("Part <{index}> of it"))).collect();
            let page = render(&Sheet { parts, ..Sheet::default() });
            page.split_once("<nav>").map(|(_, rest)| rest.split("</nav>").next().unwrap_or_default().to_owned())
        };
        assert_eq!(contents(3), None);
        let links = contents(4).unwrap_or_default();
        assert_eq!(links.matches("<li>").count(), 4);
        assert!(links.contains("<a href=\"#Part-3-of-it\">Part &lt;3&gt; of it</a>"), "{links}");
    }
}
