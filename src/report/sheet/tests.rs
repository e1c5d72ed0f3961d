use super::*;
use crate::analysis::rows::metric::Better;

/// A small page with every kind of part, for the tests of the renderers.
pub(in super::super) fn sample_sheet() -> Sheet {
    use super::super::figure::Plot;
    use super::super::svg::heat::Heat;
    let table = SheetTable {
        key: "trial".to_owned(),
        title: "A table".to_owned(),
        columns: vec![
            SheetColumn::text("variant", "variant", ""),
            SheetColumn::number("nodes", "nodes", "in all"),
            SheetColumn::number("interval", "95 %", ""),
        ],
        rows: vec![
            vec![Cell::text("a|b <c>"), Cell::count(1234.0).with_emphasis(Emphasis::Better), Cell::range(0.5, 0.75)],
            vec![Cell::text("base"), Cell::count(2000.0), Cell::empty("compared with itself")],
        ],
        note: "See `table.size`.".to_owned(),
    };
    let heat = Heat {
        first: ("x".into(), vec!["1".into()]),
        second: ("y".into(), vec!["2".into()]),
        cells: vec![vec![Some(0.5)]],
        better: Better::Less,
    };
    let figure =
        Figure { file: "map".into(), title: "Map".into(), caption: "Less is blue.".into(), plot: Plot::Heat(heat) };
    Sheet {
        kind: "trial".to_owned(),
        name: "A page".to_owned(),
        parts: vec![
            Part::Question("Is <it> so?".to_owned()),
            Part::Prose("Words\nof *its* author.\n\nTwo paragraphs.".to_owned()),
            Part::Findings(vec!["It is.".to_owned()]),
            Part::Blocker("Nothing varies.".to_owned()),
            Part::Warning("One position.".to_owned()),
            Part::Table(table),
            Part::Figure(figure),
            Part::Folded("More".to_owned(), vec![Part::List("How".to_owned(), vec!["By hand.".to_owned()])]),
        ],
    }
}

/// Asserts that the drop orders of the columns are 1, 2, 3, ... without gaps. If two were equal, it
/// would be arbitrary which column is dropped first.
#[track_caller]
pub(in super::super) fn assert_drop_orders_distinct(table: &SheetTable) {
    let mut orders: Vec<u8> =
        table.columns.iter().map(|column| column.drop_order).filter(|&drop_order| drop_order > 0).collect();
    orders.sort_unstable();
    assert!(orders.iter().zip(1..).all(|(&order, expected)| order == expected), "{}: {orders:?}", table.key);
}

/// A table as text: the columns, and each cell with what the page makes of it.
pub(in super::super) fn describe(table: &SheetTable) -> String {
    let keys: Vec<&str> = table.columns.iter().map(|column| column.key.as_str()).collect();
    let mut text = format!("{}: {}\n", table.key, keys.join(" | "));
    for row in &table.rows {
        assert_eq!(row.len(), keys.len(), "{}", table.key);
        let describe_cell = |cell: &Cell| {
            let emphasis =
                if cell.emphasis == Emphasis::None { String::new() } else { format!(" ({:?})", cell.emphasis) };
            let value = match cell.value {
                Datum::Number(value) if value.to_string() != cell.text => format!(" = {value:.6}"),
                Datum::None if !cell.note.is_empty() => format!(" [{}]", cell.note),
                _ => String::new(),
            };
            format!("{}{value}{emphasis}", cell.text)
        };
        text += &format!("  {}\n", row.iter().map(describe_cell).collect::<Vec<_>>().join(" | "));
    }
    text + &format!("  note: {}\n", table.notes())
}

/// A page with every kind of part, in every format.
#[test]
fn sample_page_equals_its_golden_files() {
    use crate::report::{data, html, latex, markdown, text};
    let sheet = sample_sheet();
    let table_of = |part: &Part| if let Part::Table(table) = part { Some(table.clone()) } else { None };
    let tables: Vec<SheetTable> = sheet.parts.iter().filter_map(table_of).collect();
    let page = html::render(&sheet);
    let body = page.split("<main>").nth(1).and_then(|rest| rest.split("</main>").next()).unwrap();
    for (ending, text) in [
        ("txt", text::render(&sheet, text::Screen { width: 40, colour: false })),
        ("md", markdown::render(&sheet, markdown::Style { level: 1, links_figures: true })),
        ("html", body.replace("><", ">\n<")),
        ("tex", latex::render(&tables)),
        ("csv", data::csv(&sheet, false)),
        ("json", data::json(&sheet)),
    ] {
        crate::golden::assert_golden(&format!("pages/sample.{ending}"), &text);
    }
}

#[test]
fn reason_of_a_dash_is_given_once() {
    let dash = || vec![Cell::empty("no table"), Cell::number(f64::NAN, String::new()).with_reason("one search")];
    let table = SheetTable { rows: vec![dash(), dash()], note: "N.".to_owned(), ..SheetTable::default() };
    assert_eq!(table.notes(), "N. -: no table; one search.");
    assert_eq!(Cell::count(3.0).with_reason("one search"), Cell::count(3.0));
}

#[test]
fn cells_have_text_and_value() {
    let nan = f64::NAN;
    for (cell, text, value) in [
        (Cell::text("a"), "a", Datum::Text),
        (Cell::empty("why"), "-", Datum::None),
        (Cell::count(1234.4), "1,234", Datum::Number(1234.4)),
        (Cell::decimal(0.25, 1), "0.2", Datum::Number(0.25)),
        (Cell::share(1.0, 4.0), "25.0 %", Datum::Number(0.25)),
        (Cell::share(1.0, 0.0), "-", Datum::None),
        (Cell::range(0.5, 2.0), "0.500-2.000", Datum::Range(0.5, 2.0)),
        (Cell::range(nan, 2.0), "-", Datum::None),
        (Cell::p(0.0001), "< 0.001", Datum::Number(0.0001)),
        (Cell::p(nan), "-", Datum::None),
    ] {
        assert_eq!((cell.text.as_str(), cell.value), (text, value));
        assert_eq!((cell.emphasis, cell.sort_rank), (Emphasis::None, None));
        let reason = if value == Datum::None { "because" } else { "" };
        assert_eq!(cell.with_reason("because").note, reason);
    }
    assert_eq!(Cell::text("a").with_emphasis(Emphasis::Worse).emphasis, Emphasis::Worse);
    let emphases = |better: Better| [true, false].map(|is_less| Emphasis::for_change(true, is_less, better));
    assert_eq!(emphases(Better::Less), [Emphasis::Better, Emphasis::Worse]);
    assert_eq!(emphases(Better::More), [Emphasis::Worse, Emphasis::Better]);
    assert_eq!(emphases(Better::Neither), [Emphasis::Other; 2]);
    assert_eq!(Emphasis::for_change(false, true, Better::Less), Emphasis::None);
    // Columns without any value are dropped and text columns stay; a table without rows keeps all
    // columns.
    let columns = ["a", "b", "c"].map(|name| SheetColumn::number(name, name, "")).to_vec();
    let row = |b: Cell| vec![Cell::text("x"), Cell::empty("no"), b];
    let keys_and_widths = |table: SheetTable| {
        let table = table.without_empty_columns();
        let widths: Vec<usize> = table.rows.iter().map(Vec::len).collect();
        (table.columns.iter().map(|column| column.key.clone()).collect::<String>(), widths)
    };
    let table = |rows: Vec<Vec<Cell>>| SheetTable { columns: columns.clone(), rows, ..SheetTable::default() };
    assert_eq!(
        keys_and_widths(table(vec![row(Cell::empty("")), row(Cell::count(1.0))])),
        ("ac".to_owned(), vec![2, 2])
    );
    assert_eq!(keys_and_widths(table(vec![row(Cell::empty(""))])), ("a".to_owned(), vec![1]));
    assert_eq!(keys_and_widths(table(Vec::new())), ("abc".to_owned(), Vec::new()));
    let SheetTable { key, title, note, .. } = SheetTable::new("key", "Title", columns.clone(), [row(Cell::empty(""))])
        .with_note("note")
        .without_empty_columns();
    assert_eq!([key, title, note], ["key", "Title", "note"], "only columns are removed");
    let sheet = sample_sheet();
    assert_eq!(sheet.figures().len(), 1);
    let folded = Sheet { parts: vec![Part::Folded("t".to_owned(), sheet.parts)], ..Sheet::default() };
    assert_eq!(folded.figures().len(), 1);
}
