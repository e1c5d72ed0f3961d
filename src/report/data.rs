//! Renders a page for programs, as JSON or as CSV. JSON contains the data of every figure. CSV has
//! a record for each value.

use super::sheet::{Cell, Datum, Part, Sheet, SheetColumn, SheetTable};
use crate::analysis::questions::curves::CurvePoint;
use crate::report::figure::{Figure, Plot};
use serde_json::{Map, Value as Json, json};

/// Version of both formats. The version rises when a field is renamed, removed or changes its
/// meaning. New fields do not raise the version.
pub const SCHEMA: u32 = 1;

/// The key of the signs in the object of a row. No column has this key.
const SIGNS: &str = "signs";

pub fn json(sheet: &Sheet) -> String {
    let value = json!({ "schema": SCHEMA, "kind": sheet.kind, "name": sheet.name, "parts": parts_json(&sheet.parts) });
    format!("{value:#}\n")
}

fn parts_json(parts: &[Part]) -> Vec<Json> {
    parts.iter().map(part_json).collect()
}

/// The field `part` has the kind of the part.
fn part_json(part: &Part) -> Json {
    match part {
        Part::Question(text) => json!({ "part": "question", "text": text }),
        Part::Prose(text) => json!({ "part": "prose", "text": text }),
        Part::Findings(list) => json!({ "part": "findings", "list": list }),
        Part::Blocker(text) => json!({ "part": "blocker", "text": text }),
        Part::Warning(text) => json!({ "part": "warning", "text": text }),
        Part::Heading(text) => json!({ "part": "heading", "text": text }),
        Part::Table(table) => json!({
            "part": "table",
            "key": table.key,
            "title": table.title,
            "columns": table.columns.iter().map(column_json).collect::<Vec<_>>(),
            "rows": table.rows.iter().map(|cells| row_json(table, cells)).collect::<Vec<_>>(),
            "note": table.notes(),
        }),
        Part::Figure(figure) => json!({
            "part": "figure",
            "key": figure.file,
            "title": figure.title,
            "caption": figure.caption,
            "plot": figure.plot,
        }),
        Part::List(title, list) => json!({ "part": "list", "title": title, "list": list }),
        Part::Folded(title, parts) => {
            json!({ "part": "folded", "title": title, "parts": parts_json(parts) })
        }
    }
}

fn column_json(column: &SheetColumn) -> Json {
    json!({ "key": column.key, "name": column.name, "meaning": column.meaning })
}

/// If any cell has signs, the last field of the object is an object with the signs by column key.
fn row_json(table: &SheetTable, cells: &[Cell]) -> Json {
    let fields = table.columns.iter().zip(cells).map(|(column, cell)| {
        let value = match cell.value {
            Datum::Text => json!(cell.text),
            Datum::None => Json::Null,
            Datum::Number(value) => json!(value),
            Datum::Range(low, high) => json!([low, high]),
        };
        (column.key.clone(), value)
    });
    let mut row = fields.collect::<Map<_, _>>();
    let signed_cells = table.columns.iter().zip(cells).filter(|(_, cell)| !cell.signs.is_empty());
    let signs = signed_cells.map(|(column, cell)| (column.key.clone(), json!(cell.signs))).collect::<Map<_, _>>();
    if !signs.is_empty() {
        row.insert(SIGNS.to_owned(), Json::Object(signs));
    }
    Json::Object(row)
}

const HEADER: [&str; 9] = ["part", "key", "row", "name", "column", "value", "low", "high", "text"];

/// Renders the tables and figures of a page as CSV. If `escapes_formulas` is true, an
/// apostrophe is written before each cell that a spreadsheet would take for a formula.
pub fn csv(sheet: &Sheet, escapes_formulas: bool) -> String {
    let mut records = vec![HEADER.map(str::to_owned).to_vec()];
    send_records(&sheet.parts, &mut |[part, key, name, column, text]: [&str; 5], row: usize, numbers: [f64; 3]| {
        let [value, low, high] = numbers.map(csv_number);
        let record = [part, key, &row.to_string(), name, column, &value, &low, &high, text];
        records.push(record.map(str::to_owned).to_vec());
    });
    csv_text(records, escapes_formulas)
}

fn csv_text(records: Vec<Vec<String>>, escapes_formulas: bool) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for record in records {
        let fields = record.into_iter().map(|field| field.replace(super::sheet::is_unprintable, "\u{fffd}"));
        // Writing to memory does not fail.
        let _ = writer.write_record(fields.map(|field| if escapes_formulas { escape_formula(field) } else { field }));
    }
    String::from_utf8_lossy(&writer.into_inner().unwrap_or_default()).into_owned()
}

/// Renders a table as CSV, with all digits of its numbers. A column of intervals becomes a column
/// of the lower ends and a column of the upper ends. `escapes_formulas` has the same meaning as for
/// [`csv`].
pub fn wide_csv(table: &SheetTable, escapes_formulas: bool) -> String {
    let contains_range = |column: usize| table.rows.iter().any(|row| matches!(row[column].value, Datum::Range(..)));
    let has_ranges: Vec<bool> = (0..table.columns.len()).map(contains_range).collect();
    let head = table.columns.iter().zip(&has_ranges).flat_map(|(column, has_range)| match has_range {
        true => vec![format!("{}_low", column.key), format!("{}_high", column.key)],
        false => vec![column.key.clone()],
    });
    let cell_fields = |(cell, has_range): (&Cell, &bool)| match (cell.value, has_range) {
        (Datum::Range(low, high), _) => vec![csv_number(low), csv_number(high)],
        // The column has intervals, but this cell does not.
        (_, true) => vec![String::new(); 2],
        (Datum::Number(value), _) => vec![csv_number(value)],
        (Datum::None, _) => vec![String::new()],
        (Datum::Text, _) => vec![cell.text.trim_end_matches(|c| c == ' ' || cell.signs.contains(c)).to_owned()],
    };
    let rows = table.rows.iter().map(|row| row.iter().zip(&has_ranges).flat_map(cell_fields).collect());
    csv_text(std::iter::once(head.collect()).chain(rows).collect(), escapes_formulas)
}

/// A function that receives the fields of a record. The arguments are the texts (part, key, name,
/// column and text), the row, and the numbers (value, low and high).
type RecordSink<'a> = dyn FnMut([&str; 5], usize, [f64; 3]) + 'a;

/// Stands for a number that a record lacks.
const NAN: f64 = f64::NAN;

/// Puts an apostrophe before a cell that a spreadsheet would take for a formula. Numbers stay as
/// they are.
fn escape_formula(cell: String) -> String {
    let is_formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.parse::<f64>().is_err();
    if is_formula { format!("'{cell}") } else { cell }
}

fn send_records(parts: &[Part], sink: &mut RecordSink) {
    for part in parts {
        match part {
            Part::Table(table) => send_table(table, sink),
            Part::Figure(figure) => send_figure(figure, sink),
            Part::Folded(_, parts) => send_records(parts, sink),
            _ => {}
        }
    }
}

/// Formats a number with all its digits. Returns an empty text if the number is not finite.
fn csv_number(value: f64) -> String {
    if value.is_finite() { value.to_string() } else { String::new() }
}

/// Calls `sink` with a record for each cell. The name of the record consists of all text cells of
/// the row.
fn send_table(table: &SheetTable, sink: &mut RecordSink) {
    for (index, cells) in table.rows.iter().enumerate() {
        let text_cells =
            cells.iter().zip(&table.columns).filter(|(cell, column)| column.is_text && !cell.text.is_empty());
        let name = text_cells.map(|(cell, _)| cell.text.as_str()).collect::<Vec<_>>().join(", ");
        for (cell, column) in cells.iter().zip(&table.columns) {
            let numbers = match cell.value {
                Datum::Number(value) => [value, NAN, NAN],
                Datum::Range(low, high) => [NAN, low, high],
                Datum::Text | Datum::None => [NAN; 3],
            };
            sink(["table", &table.key, &name, &column.key, &cell.text], index + 1, numbers);
        }
    }
}

/// Calls `sink` with a record for each point of a figure. The name of the record is the series, the
/// column is the point's x, and the value is the point's y.
fn send_figure(figure: &Figure, sink: &mut RecordSink) {
    let mut row = 0;
    let mut add_point = |name: &str, x: &str, numbers: [f64; 3], label: &str| {
        row += 1;
        sink(["figure", &figure.file, name, x, label], row, numbers);
    };
    match &figure.plot {
        Plot::Forest(forest) => {
            for forest_row in &forest.rows {
                add_point(&forest_row.name, &forest.x, [forest_row.mean, forest_row.low, forest_row.high], "");
            }
        }
        Plot::Lines(lines) => {
            for series in &lines.series {
                for CurvePoint { x, y, low, high, label } in &series.points {
                    add_point(&series.name, &csv_number(*x), [*y, *low, *high], label);
                }
            }
        }
        Plot::Heat(heat) => {
            let ((_, row_labels), (_, column_labels)) = (&heat.first, &heat.second);
            for (name, cells) in row_labels.iter().zip(&heat.cells) {
                for (column, ratio) in column_labels.iter().zip(cells) {
                    add_point(name, column, [ratio.unwrap_or(NAN), NAN, NAN], "");
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::sheet::sample_sheet;
    use super::*;

    #[test]
    fn formulas_get_an_apostrophe() {
        for (cell, expected) in [
            ("=1+1", "'=1+1"),
            ("+x", "'+x"),
            ("-x", "'-x"),
            ("@x", "'@x"),
            ("\t=x", "'\t=x"),
            ("\r=x", "'\r=x"),
            ("-1.5", "-1.5"),
            ("+2", "+2"),
            ("a=b", "a=b"),
            ("", ""),
        ] {
            assert_eq!(escape_formula(cell.to_owned()), expected);
        }
    }

    #[test]
    fn wide_csv_has_a_line_for_each_row() {
        let sheet = sample_sheet();
        let Some(Part::Table(table)) = sheet.parts.iter().find(|part| matches!(part, Part::Table(_))) else {
            panic!("no table")
        };
        let mut table = table.clone();
        table.rows[1][0] = Cell::text("=base").with_sign('*', true);
        let expected = "variant,nodes,interval_low,interval_high\na|b <c>,1234,0.5,0.75\n=base,2000,,\n";
        assert_eq!(wide_csv(&table, false), expected);
        assert_eq!(wide_csv(&table, true), expected.replace("=base", "'=base"));
    }

    /// A name from a file cannot control the terminal that shows the records.
    #[test]
    fn csv_has_no_control_characters() {
        let mut sheet = sample_sheet();
        for part in &mut sheet.parts {
            if let Part::Table(table) = part {
                table.rows[0][0].text = "a\u{1b}[2J\u{7}".to_owned();
            }
        }
        let text = csv(&sheet, false);
        assert!(text.contains("a\u{fffd}[2J\u{fffd}"), "{text}");
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
    }

    #[test]
    fn signs_are_an_object_of_the_row() {
        let make_row = |name: &str, is_baseline, is_significant, is_truncated| {
            let interval = Cell::range(0.25, 0.75).with_sign('!', is_significant).with_sign('†', is_truncated);
            vec![Cell::text(name).with_sign('*', is_baseline), interval]
        };
        let table = SheetTable {
            columns: vec![SheetColumn::text("line", "line", ""), SheetColumn::number("interval", "95 %", "")],
            rows: vec![
                make_row("a", true, false, false),
                make_row("b", false, true, true),
                make_row("c", false, false, false),
            ],
            ..SheetTable::default()
        };
        let texts: Vec<&str> = table.rows.iter().flatten().map(|cell| cell.text.as_str()).collect();
        assert_eq!(texts, ["a *", "0.250-0.750", "b", "0.250-0.750! †", "c", "0.250-0.750"]);
        let sheet = Sheet { parts: vec![Part::Table(table)], ..Sheet::default() };
        let page: Json = serde_json::from_str(&json(&sheet)).unwrap();
        let interval = json!([0.25, 0.75]);
        let rows = [
            json!({ "line": "a *", "interval": interval, "signs": { "line": "*" } }),
            json!({ "line": "b", "interval": interval, "signs": { "interval": "!†" } }),
            json!({ "line": "c", "interval": interval }),
        ];
        assert_eq!(page["parts"][0]["rows"], json!(rows));
    }

    #[test]
    fn csv_records_belong_to_their_line() {
        use crate::analysis::questions::curves::Series;
        use crate::analysis::rows::metric::Better;
        use crate::report::svg::forest::{Forest, ForestRow};
        use crate::report::svg::lines::Lines;
        let figure = |file: &str, plot: Plot| {
            Part::Figure(Figure { file: file.to_owned(), title: String::new(), caption: String::new(), plot })
        };
        let row = |name: &str, mean: f64| ForestRow {
            name: name.to_owned(),
            mean,
            low: mean - 0.5,
            high: mean + 0.25,
            significant: true,
        };
        let point = |x: f64| CurvePoint { x, y: 2.0 * x, low: x, high: f64::NAN, label: "l".to_owned() };
        let series = |name: &str| Series { name: name.to_owned(), line: None, points: vec![point(1.0), point(3.0)] };
        let parts = vec![
            figure(
                "f",
                Plot::Forest(Forest {
                    rows: vec![row("a", 1.0), row("b", 2.0)],
                    x: "r".to_owned(),
                    differences: false,
                    better: Better::Less,
                }),
            ),
            figure("l", Plot::Lines(Lines { series: vec![series("s"), series("t")], ..Lines::default() })),
            // Tables in folded parts have records too.
            Part::Folded(
                "more".to_owned(),
                vec![Part::Table(SheetTable {
                    key: "t".to_owned(),
                    columns: ["v", "w"].map(|name| SheetColumn::text(name, name, "")).to_vec(),
                    rows: vec![vec![Cell::text("x"), Cell::text("")], vec![Cell::text("x"), Cell::text("y")]],
                    ..SheetTable::default()
                })],
            ),
        ];
        let sheet = Sheet { parts, ..Sheet::default() };
        assert_eq!(
            csv(&sheet, false),
            "part,key,row,name,column,value,low,high,text\n\
             figure,f,1,a,r,1,0.5,1.25,\nfigure,f,2,b,r,2,1.5,2.25,\n\
             figure,l,1,s,1,2,1,,l\nfigure,l,2,s,3,6,3,,l\nfigure,l,3,t,1,2,1,,l\nfigure,l,4,t,3,6,3,,l\n\
             table,t,1,x,v,,,,x\ntable,t,1,x,w,,,,\ntable,t,2,\"x, y\",v,,,,x\ntable,t,2,\"x, y\",w,,,,y\n"
        );
    }
}
