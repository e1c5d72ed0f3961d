//! A page for programs: JSON with every figure as data, and the same as CSV, one record for each field.

use super::sheet::{Cell, Datum, Part, Sheet, SheetColumn, SheetTable};
use crate::report::explore::Explorer;
use crate::report::figure::{Figure, Plot};
use crate::report::svg::lines::Lines;
use crate::report::svg::scatter::Scatter;
use serde_json::{Map, Value as Json, json};

/// Version of both forms. It rises when a field is renamed, removed or given another meaning; new fields do not raise it.
pub const SCHEMA: u32 = 1;

/// The key of a row's signs; no column has it.
const SIGNS: &str = "signs";

/// A page as JSON.
pub fn json(sheet: &Sheet) -> String {
    let value = json!({ "schema": SCHEMA, "kind": sheet.kind, "name": sheet.name, "parts": list(&sheet.parts) });
    format!("{value:#}\n")
}

fn list(parts: &[Part]) -> Vec<Json> {
    parts.iter().map(part).collect()
}

fn part(part: &Part) -> Json {
    match part {
        Part::Question(text) => json!({ "part": "question", "text": text }),
        Part::Prose(text) => json!({ "part": "prose", "text": text }),
        Part::Findings(list) => json!({ "part": "findings", "list": list }),
        Part::Warning(text) => json!({ "part": "warning", "text": text }),
        Part::Heading(text) => json!({ "part": "heading", "text": text }),
        Part::Table(table) => json!({
            "part": "table",
            "key": table.key,
            "title": table.title,
            "columns": table.columns.iter().map(column).collect::<Vec<_>>(),
            "rows": table.rows.iter().map(|cells| row(table, cells)).collect::<Vec<_>>(),
            "note": table.notes(),
        }),
        Part::Figure(figure) => json!({
            "part": "figure",
            "key": figure.file,
            "title": figure.title,
            "caption": figure.caption,
            "plot": figure.plot,
        }),
        Part::Explorer(explorer) => {
            let rows = explorer.positions.iter().enumerate().map(|(at, position)| {
                let values = explorer.values.iter().map(|values| values[at]).collect::<Vec<_>>();
                json!({ "position": position, "values": values })
            });
            json!({
                "part": "searches",
                "key": explorer.key("searches"),
                "metric": explorer.metric,
                "lines": explorer.lines,
                "rows": rows.collect::<Vec<_>>(),
            })
        }
        Part::List(title, list) => json!({ "part": "list", "title": title, "list": list }),
        Part::Folded(title, parts) => {
            json!({ "part": "folded", "title": title, "parts": list(parts) })
        }
    }
}

fn column(column: &SheetColumn) -> Json {
    json!({ "key": column.key, "name": column.name, "meaning": column.meaning })
}

/// A row as an object: data frames are made of such lists. Last in it, where there are any, the signs that its fields bear, by their keys.
fn row(table: &SheetTable, cells: &[Cell]) -> Json {
    let fields = table.columns.iter().zip(cells).map(|(column, cell)| {
        let value = match cell.value {
            Datum::Words => json!(cell.text),
            Datum::None => Json::Null,
            Datum::Number(value) => json!(value),
            Datum::Range(low, high) => json!([low, high]),
        };
        (column.key.clone(), value)
    });
    let mut row = fields.collect::<Map<_, _>>();
    let signs = table.columns.iter().zip(cells).filter(|(_, cell)| !cell.signs.is_empty());
    let signs = signs.map(|(column, cell)| (column.key.clone(), json!(cell.signs))).collect::<Map<_, _>>();
    if !signs.is_empty() {
        row.insert(SIGNS.to_owned(), Json::Object(signs));
    }
    Json::Object(row)
}

/// The header of the CSV form.
const HEADER: [&str; 9] = ["part", "key", "row", "name", "column", "value", "low", "high", "text"];

/// Every table and figure of a page as CSV. `guard`: what a spreadsheet would take for a formula gets an apostrophe before it.
pub fn csv(sheet: &Sheet, guard: bool) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    // Writing to memory does not fail.
    let _ = writer.write_record(HEADER);
    records(&sheet.parts, &mut |[part, key, name, column, text]: [&str; 5], row: usize, numbers: [f64; 3]| {
        let [value, low, high] = numbers.map(plain);
        let record = [part, key, &row.to_string(), name, column, &value, &low, &high, text];
        let record = record.map(|cell| cell.replace(super::html::unshown, "\u{fffd}"));
        let _ = writer.write_record(if guard { record.map(guarded) } else { record });
    });
    String::from_utf8_lossy(&writer.into_inner().unwrap_or_default()).into_owned()
}

/// Takes a record: its part, key, name, column and text; its row; its value and the ends of its interval.
type Put<'a> = dyn FnMut([&str; 5], usize, [f64; 3]) + 'a;

/// What is not there.
const NAN: f64 = f64::NAN;

/// A cell that no spreadsheet takes for a formula; numbers are left alone.
fn guarded(cell: String) -> String {
    let formula = cell.starts_with(['=', '+', '-', '@', '\t', '\r']) && cell.parse::<f64>().is_err();
    if formula { format!("'{cell}") } else { cell }
}

fn records(parts: &[Part], put: &mut Put) {
    for part in parts {
        match part {
            Part::Table(table) => fields(table, put),
            Part::Figure(figure) => points(figure, put),
            Part::Explorer(explorer) => searches(explorer, put),
            Part::Folded(_, parts) => records(parts, put),
            _ => {}
        }
    }
}

/// A record for each search: its line in `column`, its position in `name`.
fn searches(explorer: &Explorer, put: &mut Put) {
    for (at, position) in explorer.positions.iter().enumerate() {
        for (line, values) in explorer.lines.iter().zip(&explorer.values) {
            let Some(value) = values[at] else { continue };
            put(["searches", &explorer.key("searches"), position, line, &plain(value)], at + 1, [value, NAN, NAN]);
        }
    }
}

/// A number in full; nothing where it is none.
pub(super) fn plain(value: f64) -> String {
    if value.is_finite() { value.to_string() } else { String::new() }
}

fn fields(table: &SheetTable, put: &mut Put) {
    for (at, cells) in table.rows.iter().enumerate() {
        let words = cells.iter().zip(&table.columns).filter(|(cell, column)| column.words && !cell.text.is_empty());
        let name = words.map(|(cell, _)| cell.text.as_str()).collect::<Vec<_>>().join(", ");
        for (cell, column) in cells.iter().zip(&table.columns) {
            let numbers = match cell.value {
                Datum::Number(value) => [value, NAN, NAN],
                Datum::Range(low, high) => [NAN, low, high],
                Datum::Words | Datum::None => [NAN; 3],
            };
            put(["table", &table.key, &name, &column.key, &cell.text], at + 1, numbers);
        }
    }
}

/// The points of a figure: its series by name, x as the column, y as the value.
fn points(figure: &Figure, put: &mut Put) {
    let mut row = 0;
    let mut point = |name: &str, x: &str, numbers: [f64; 3], label: &str| {
        row += 1;
        put(["figure", &figure.file, name, x, label], row, numbers);
    };
    match &figure.plot {
        Plot::Forest(forest) => {
            for row in &forest.rows {
                point(&row.name, &forest.x, [row.mean, row.low, row.high], "");
            }
        }
        Plot::Lines(Lines { series, .. }) | Plot::Scatter(Scatter { series, .. }) => {
            for (name, one) in series.iter().flat_map(|series| series.points.iter().map(|one| (&series.name, one))) {
                point(name, &plain(one.x), [one.y, one.low, one.high], &one.label);
            }
        }
        Plot::Stacked(stacked) => {
            for (name, sizes) in &stacked.bars {
                for ((part, _), size) in stacked.parts.iter().zip(sizes) {
                    point(name, part, [*size, NAN, NAN], "");
                }
            }
        }
        Plot::Heat(heat) => {
            for (name, cells) in heat.first.1.iter().zip(&heat.cells) {
                for (column, ratio) in heat.second.1.iter().zip(cells) {
                    point(name, column, [ratio.unwrap_or(NAN), NAN, NAN], "");
                }
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::sheet::trial;
    use super::*;

    /// What begins like a formula is guarded, numbers are not.
    #[test]
    fn formulas_are_guarded() {
        for (cell, shown) in [
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
            assert_eq!(guarded(cell.to_owned()), shown);
        }
    }

    /// A name from a file cannot move the cursor of the terminal that shows the records.
    #[test]
    fn records_have_no_control_characters() {
        let mut sheet = trial();
        for part in &mut sheet.parts {
            if let Part::Table(table) = part {
                table.rows[0][0].text = "a\u{1b}[2J\u{7}".to_owned();
            }
        }
        let text = csv(&sheet, false);
        assert!(text.contains("a\u{fffd}[2J\u{fffd}"), "{text}");
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
    }

    /// A sign is in its field's text, and for programs beside the number, by the field's key; rows without any have no such object.
    #[test]
    fn signs_are_data() {
        let line = |name: &str, star, clear, cut| {
            let ends = Cell::range(0.25, 0.75).signed('!', clear).signed('†', cut);
            vec![Cell::text(name).signed('*', star), ends]
        };
        let table = SheetTable {
            columns: vec![SheetColumn::words("line", "line", ""), SheetColumn::numbers("interval", "95 %", "")],
            rows: vec![line("a", true, false, false), line("b", false, true, true), line("c", false, false, false)],
            ..SheetTable::default()
        };
        let texts: Vec<&str> = table.rows.iter().flatten().map(|cell| cell.text.as_str()).collect();
        assert_eq!(texts, ["a *", "0.250-0.750", "b", "0.250-0.750! †", "c", "0.250-0.750"]);
        let sheet = Sheet { parts: vec![Part::Table(table)], ..Sheet::default() };
        let page: Json = serde_json::from_str(&json(&sheet)).unwrap();
        let ends = json!([0.25, 0.75]);
        let rows = [
            json!({ "line": "a *", "interval": ends, "signs": { "line": "*" } }),
            json!({ "line": "b", "interval": ends, "signs": { "interval": "!†" } }),
            json!({ "line": "c", "interval": ends }),
        ];
        assert_eq!(page["parts"][0]["rows"], json!(rows));
    }

    /// Two lines on two positions, of which one line lacks one; a figure's points with their ends; names without empty words.
    #[test]
    fn records_are_of_their_own_line() {
        use crate::analysis::questions::curves::{CurvePoint, Series};
        use crate::report::svg::forest::{Forest, ForestRow};
        use crate::report::svg::lines::Lines;
        use crate::report::svg::stacked::Stacked;
        let explorer = Explorer {
            metric: "nodes".to_owned(),
            lines: ["a", "b"].map(str::to_owned).to_vec(),
            positions: ["p", "q"].map(str::to_owned).to_vec(),
            values: vec![vec![Some(1.0), Some(2.0)], vec![None, Some(4.0)]],
            ..Explorer::default()
        };
        let figure = |file: &str, plot: Plot| {
            Part::Figure(Figure { file: file.to_owned(), title: String::new(), caption: String::new(), plot })
        };
        let row = |name: &str, mean: f64| ForestRow {
            name: name.to_owned(),
            mean,
            low: mean - 0.5,
            high: mean + 0.25,
            clear: true,
        };
        let point = |x: f64| CurvePoint { x, y: 2.0 * x, low: x, high: f64::NAN, label: "l".to_owned() };
        let series = |name: &str| Series { name: name.to_owned(), line: None, points: vec![point(1.0), point(3.0)] };
        let parts = vec![
            Part::Explorer(explorer),
            figure(
                "f",
                Plot::Forest(Forest {
                    rows: vec![row("a", 1.0), row("b", 2.0)],
                    x: "r".to_owned(),
                    differences: false,
                }),
            ),
            figure("l", Plot::Lines(Lines { series: vec![series("s"), series("t")], ..Lines::default() })),
            figure(
                "b",
                Plot::Stacked(Stacked {
                    parts: vec![("hit".to_owned(), 1), ("miss".to_owned(), 2)],
                    bars: vec![("u".to_owned(), vec![3.0, 5.0]), ("v".to_owned(), vec![4.0, 6.0])],
                }),
            ),
            // What is folded away is on the page all the same.
            Part::Folded(
                "more".to_owned(),
                vec![Part::Table(SheetTable {
                    key: "t".to_owned(),
                    columns: ["v", "w"].map(|name| SheetColumn::words(name, name, "")).to_vec(),
                    rows: vec![vec![Cell::text("x"), Cell::text("")], vec![Cell::text("x"), Cell::text("y")]],
                    ..SheetTable::default()
                })],
            ),
        ];
        let sheet = Sheet { parts, ..Sheet::default() };
        assert_eq!(
            csv(&sheet, false),
            "part,key,row,name,column,value,low,high,text\n\
             searches,searches,1,p,a,1,,,1\nsearches,searches,2,q,a,2,,,2\nsearches,searches,2,q,b,4,,,4\n\
             figure,f,1,a,r,1,0.5,1.25,\nfigure,f,2,b,r,2,1.5,2.25,\n\
             figure,l,1,s,1,2,1,,l\nfigure,l,2,s,3,6,3,,l\nfigure,l,3,t,1,2,1,,l\nfigure,l,4,t,3,6,3,,l\n\
             figure,b,1,u,hit,3,,,\nfigure,b,2,u,miss,5,,,\nfigure,b,3,v,hit,4,,,\nfigure,b,4,v,miss,6,,,\n\
             table,t,1,x,v,,,,x\ntable,t,1,x,w,,,,\ntable,t,2,\"x, y\",v,,,,x\ntable,t,2,\"x, y\",w,,,,y\n"
        );
        let page: Json = serde_json::from_str(&json(&sheet)).unwrap();
        assert_eq!(
            page["parts"][0]["rows"],
            json!([{ "position": "p", "values": [1.0, null] }, { "position": "q", "values": [2.0, 4.0] }])
        );
    }

    #[test]
    fn every_figure_of_a_page() {
        let page: Json = serde_json::from_str(&json(&trial())).unwrap();
        assert_eq!((page["schema"].as_u64(), page["kind"].as_str()), (Some(1), Some("trial")));
        let kinds: Vec<&str> =
            page["parts"].as_array().unwrap().iter().filter_map(|part| part["part"].as_str()).collect();
        assert_eq!(kinds, ["question", "prose", "findings", "warning", "table", "figure", "folded"]);
        assert_eq!(page["parts"][6]["parts"][0]["part"], "list");
        let table = &page["parts"][4];
        assert_eq!(
            table["rows"],
            json!([
                { "variant": "a|b <c>", "nodes": 1234.0, "interval": [0.5, 0.75] },
                { "variant": "base", "nodes": 2000.0, "interval": null },
            ])
        );
        // What the page says below a table, the reason of its dash among it.
        assert_eq!(table["note"], "See `table.size`. A dash: held against itself.");
        assert_eq!(page["parts"][5]["plot"]["heat"]["cells"], json!([[0.5]]));
        assert_eq!(page["parts"][6]["parts"][0]["list"], json!(["By hand."]));
        assert_eq!(
            csv(&trial(), false),
            "part,key,row,name,column,value,low,high,text\n\
             table,trial,1,a|b <c>,variant,,,,a|b <c>\n\
             table,trial,1,a|b <c>,nodes,1234,,,\"1,234\"\n\
             table,trial,1,a|b <c>,interval,,0.5,0.75,0.500-0.750\n\
             table,trial,2,base,variant,,,,base\n\
             table,trial,2,base,nodes,2000,,,\"2,000\"\n\
             table,trial,2,base,interval,,,,-\n\
             figure,map,1,1,2,0.5,,,\n"
        );
    }
}
