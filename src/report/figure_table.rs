//! The data of a figure as a table, for readers who do not see the drawing.

use super::figure::{Figure, Plot};
use super::sheet::{Cell, Datum, SheetColumn, SheetTable};
use super::svg::forest::Forest;
use super::svg::heat::Heat;
use super::svg::stacked::Stacked;
use crate::analysis::questions::curves::{CurvePoint, Series};

impl Figure {
    /// Returns the figure's data as a table without title.
    pub(super) fn data_table(&self) -> SheetTable {
        let table = match &self.plot {
            Plot::Forest(plot) => forest_table(plot),
            Plot::Lines(plot) => series_table(&plot.x, &plot.series, |point| plot.tick_text(point.x), |y| plot.text(y)),
            Plot::Scatter(plot) => {
                series_table("position", &plot.series, |point| point.label.clone(), |y| format!("{y:.3}"))
            }
            Plot::Stacked(plot) => stacked_table(plot),
            Plot::Heat(plot) => heat_table(plot),
        };
        SheetTable { key: format!("{}.data", self.file), ..table }
    }
}

/// Builds a table with a column of text, followed by columns of numbers. `head` is the heading of
/// the first column, and `names` are the headings of the others.
fn numbers_table(head: &str, names: impl Iterator<Item = String>, rows: Vec<Vec<Cell>>) -> SheetTable {
    let numbers = names.map(|name| SheetColumn::number(&name, &name, ""));
    let columns: Vec<SheetColumn> = std::iter::once(SheetColumn::text(head, head, "")).chain(numbers).collect();
    SheetTable::new("", "", columns, rows)
}

/// Returns a table with the mean and the interval of each row of the plot.
fn forest_table(plot: &Forest) -> SheetTable {
    let rows = plot.rows.iter().map(|row| {
        let interval =
            Cell::range_with_text(row.low, row.high, format!("{} to {}", plot.text(row.low), plot.text(row.high)));
        vec![Cell::text(&row.name), Cell::number(row.mean, plot.text(row.mean)), interval]
    });
    let names = [plot.x.as_str(), "95 %"].map(str::to_owned);
    numbers_table("line", names.into_iter(), rows.collect())
}

/// Returns a table with a column for each series. Points with the same x and the same row name
/// share a row. `head` is the heading of the column of row names. `row_name` returns the name of a
/// point's row, and `format_y` formats a point's y.
fn series_table(
    head: &str,
    series: &[Series],
    row_name: impl Fn(&CurvePoint) -> String,
    format_y: impl Fn(f64) -> String,
) -> SheetTable {
    let mut points: Vec<&CurvePoint> = series.iter().flat_map(|series| &series.points).collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    let mut row_keys: Vec<(f64, String)> = Vec::new();
    for point in points {
        let key = (point.x, row_name(point));
        // Points are sorted by x, so an equal key can only be among the last ones.
        let mut keys_of_same_x = row_keys.iter().rev().take_while(|(x, _)| *x == point.x);
        if !keys_of_same_x.any(|existing| *existing == key) {
            row_keys.push(key);
        }
    }
    let series_cell = |series: &Series, (x, name): &(f64, String)| {
        let Some(point) = series.points.iter().find(|point| point.x == *x && row_name(point) == *name) else {
            return Cell::empty("");
        };
        let interval = match point.low.is_finite() {
            true => format!(" [{}, {}]", format_y(point.low), format_y(point.high)),
            false => String::new(),
        };
        Cell::number(point.y, format_y(point.y) + &interval)
    };
    let rows = row_keys.iter().map(|key| {
        let (x, name) = key;
        let name_cell = Cell { value: Datum::Number(*x), ..Cell::text(name) };
        std::iter::once(name_cell).chain(series.iter().map(|series| series_cell(series, key))).collect()
    });
    numbers_table(head, series.iter().map(|series| series.name.clone()), rows.collect())
}

/// Returns a table with a row for each bar. The row has the share of each part of the bar.
fn stacked_table(plot: &Stacked) -> SheetTable {
    let rows = plot.bars.iter().map(|(name, sizes)| {
        let whole: f64 = sizes.iter().sum();
        std::iter::once(Cell::text(name)).chain(sizes.iter().map(|size| Cell::share(*size, whole))).collect()
    });
    numbers_table("line", plot.parts.iter().map(|(name, _)| name.clone()), rows.collect())
}

/// Returns a table with the same rows and columns as the heat map.
fn heat_table(plot: &Heat) -> SheetTable {
    let ((row_axis, row_labels), (column_axis, column_labels)) = (&plot.first, &plot.second);
    let rows = row_labels.iter().zip(&plot.cells).map(|(name, cells)| {
        let cells = cells.iter().map(|cell| Cell::decimal(cell.unwrap_or(f64::NAN), 3));
        std::iter::once(Cell::text(name)).chain(cells).collect()
    });
    numbers_table(row_axis, column_labels.iter().map(|label| format!("{column_axis}={label}")), rows.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::rows::metric::Better;
    use crate::report::svg::forest::ForestRow;
    use crate::report::svg::lines::Lines;
    use crate::report::svg::scatter::Scatter;

    fn point(x: f64, y: f64, label: &str) -> CurvePoint {
        CurvePoint { x, y, low: f64::NAN, high: f64::NAN, label: label.to_owned() }
    }

    fn series(name: &str, points: Vec<CurvePoint>) -> Series {
        Series { name: name.to_owned(), line: None, points }
    }

    /// The heads and the rows of a figure's data.
    fn texts(plot: Plot) -> Vec<String> {
        let figure = Figure { file: "f".to_owned(), title: String::new(), caption: String::new(), plot };
        let table = figure.data_table();
        assert_eq!(table.key, "f.data");
        let heads = table.columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(" | ");
        let row_text = |row: &Vec<Cell>| row.iter().map(|cell| cell.text.as_str()).collect::<Vec<_>>().join(" | ");
        std::iter::once(heads).chain(table.rows.iter().map(row_text)).collect()
    }

    #[test]
    fn every_plot_has_its_data() {
        let row = ForestRow { name: "a".to_owned(), mean: 0.5, low: 0.25, high: 1.0, significant: true };
        let forest = Forest { rows: vec![row], x: "nodes".to_owned(), differences: false, better: Better::Less };
        assert_eq!(texts(Plot::Forest(forest)), ["line | nodes | 95 %", "a | 0.500 | 0.250 to 1.000"]);
        let ranged = CurvePoint { low: 1.0, high: 3.0, ..point(2.0, 2.0, "") };
        let lines = Lines {
            series: vec![series("s", vec![point(1.0, 4.0, ""), ranged]), series("t", vec![point(2.0, 20_000.0, "")])],
            x: "size".to_owned(),
            x_ticks: vec![(1.0, "1 MiB".to_owned())],
            ..Lines::default()
        };
        assert_eq!(texts(Plot::Lines(lines)), ["size | s | t", "1 MiB | 4 | -", "2 | 2 [1, 3] | 20k"]);
        // Two positions may have the same nodes.
        let dots = vec![point(5.0, 0.5, "p"), point(5.0, 2.0, "q")];
        let scatter = Scatter { series: vec![series("s", dots)], x: String::new(), y: String::new() };
        assert_eq!(texts(Plot::Scatter(scatter)), ["position | s", "p | 0.500", "q | 2.000"]);
        let stacked = Stacked {
            parts: vec![("hit".to_owned(), 1), ("miss".to_owned(), 2)],
            bars: vec![("u".to_owned(), vec![1.0, 3.0])],
        };
        assert_eq!(texts(Plot::Stacked(stacked)), ["line | hit | miss", "u | 25.0 % | 75.0 %"]);
        let axis =
            |name: &str, levels: &[&str]| (name.to_owned(), levels.iter().map(|level| (*level).to_owned()).collect());
        let heat = Heat {
            first: axis("a", &["1"]),
            second: axis("b", &["2", "3"]),
            cells: vec![vec![Some(0.5), None]],
            better: Better::Less,
        };
        assert_eq!(texts(Plot::Heat(heat)), ["a | b=2 | b=3", "1 | 0.500 | -"]);
    }
}
