//! The table of a pivot, which tabulates a metric by a column and by groups.

use super::figure::capitalize;
use super::number::format_value;
use super::sheet::{Cell, SheetColumn, SheetTable};
use crate::analysis::questions::pivot::{self, Pivot};
use crate::analysis::rows::grouping::{resolve_columns, short_names};
use crate::analysis::rows::metric::Unit;
use crate::analysis::{Frame, Metric};
use crate::record::columns;
use crate::text::plural;
use anyhow::{Result, bail, ensure};

/// `text` is the value of `--pivot`, which names the column.
///
/// # Errors
/// When the column does not exist or has one value only, or a metric does not exist.
pub(super) fn choose(text: &str, by: Option<&[String]>, metrics: &[String], rows: &Frame) -> Result<Vec<Pivot>> {
    let columns_chosen = resolve_columns(text, rows)?;
    let [column] = &columns_chosen[..] else {
        bail!("--pivot {text}: give one column; --by names the columns of the table")
    };
    if !pivot::varies(rows, column) {
        let keys = [columns::DEPTH, columns::POSITION, columns::VARIANT].into_iter().filter(|key| rows.has(key));
        let varying: Vec<&str> =
            rows.options().into_iter().chain(keys).filter(|name| pivot::varies(rows, name)).take(8).collect();
        bail!(
            "--pivot {text}: `{column}` is {} in every row, so the table would have one row\nhelp: columns that vary: {}",
            rows.text(column, 0),
            varying.join(", ")
        );
    }
    let groups = by.map_or_else(|| pivot::default_groups(rows, column), <[String]>::to_vec);
    ensure!(!groups.contains(column), "--pivot {text}: --by also names `{column}`; remove it from --by");
    let names: Vec<&str> =
        if metrics.is_empty() { vec!["nodes"] } else { metrics.iter().map(String::as_str).collect() };
    names.into_iter().map(|name| Ok(Pivot::new(rows, column, &groups, &Metric::find(name, rows)?))).collect()
}

/// `search_count` is the largest number of searches of a variant.
pub(super) fn single_position_pivot(rows: &Frame, search_count: usize) -> Option<Pivot> {
    if search_count != 1 {
        return None;
    }
    let metric = Metric { name: "evaluations".to_owned(), ..Metric::find(columns::EVALS, rows).ok()? };
    let pivot = Pivot::new(rows, columns::DEPTH, &[columns::VARIANT.to_owned()], &metric);
    let has_value = pivot.cells.iter().flatten().flatten().any(|total| total.value > 0.0);
    (has_value && pivot.levels.len() > 1 && pivot.names.len() > 1).then_some(pivot)
}

fn short_name(pivot: &Pivot) -> String {
    short_names(std::slice::from_ref(&pivot.by)).remove(0)
}

fn title(pivot: &Pivot) -> String {
    capitalize(&format!("{} by {}", pivot.metric.name, short_name(pivot)))
}

fn key(pivot: &Pivot) -> String {
    let to_key_letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    format!("{}-by-{}", pivot.metric.name, short_name(pivot)).chars().map(to_key_letter).collect()
}

const NOT_SEARCHED: &str = "not searched, or not finished";

pub(super) fn table(pivot: &Pivot) -> SheetTable {
    let unit = pivot.metric.unit();
    let (min_searches, max_searches) = pivot.searches();
    let rows = pivot.levels.iter().zip(&pivot.cells).enumerate().map(|(index, (level, cells))| {
        let head = Cell::text(if level.is_empty() { "(none)" } else { level });
        let make_cell = |total: &Option<pivot::Total>| match total {
            None => Cell::empty(NOT_SEARCHED),
            Some(total) => {
                Cell::number(total.value, format_value(total.value, unit)).with_sign('†', total.searches < max_searches)
            }
        };
        std::iter::once(Cell { sort_rank: Some(index), ..head }).chain(cells.iter().map(make_cell)).collect::<Vec<_>>()
    });
    let numbers = pivot.names.iter().map(|name| SheetColumn::number(name, name, ""));
    let columns: Vec<SheetColumn> =
        std::iter::once(SheetColumn::text(&pivot.by, &short_name(pivot), "")).chain(numbers).collect();
    let kind = match unit {
        Unit::Count | Unit::Seconds => "Sums",
        _ => "Means",
    };
    let legend = if min_searches < max_searches { "; †: over fewer searches, so not comparable" } else { "" };
    SheetTable::new(&key(pivot), &title(pivot), columns, rows)
        .with_note(format!("{kind} over {}{legend}.", plural(max_searches, "search")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame() -> Frame {
        let text = "variant,position,depth,table.size,search.nodes,search.evals,finished\n\
            minimax,p,1,1 MiB,21,20,true\nminimax,p,2,1 MiB,421,400,true\n\
            table,p,1,64 KiB,21,20,true\ntable,p,2,64 KiB,60,39,true\ntable,p,3,64 KiB,1200,999,true\n";
        Frame::parse(text.as_bytes(), "t").unwrap()
    }

    fn texts(table: &SheetTable) -> Vec<String> {
        table.rows.iter().map(|row| row.iter().map(|cell| cell.text.as_str()).collect::<Vec<_>>().join(" ")).collect()
    }

    #[test]
    fn one_position_has_its_evaluations_by_depth() {
        let pivot = single_position_pivot(&frame(), 1).unwrap();
        let table = table(&pivot);
        assert_eq!((table.title.as_str(), table.key.as_str()), ("Evaluations by depth", "evaluations-by-depth"));
        assert_eq!(
            table.columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>(),
            ["depth", "minimax", "table"]
        );
        assert_eq!(texts(&table), ["1 20 20", "2 400 39", "3 - 999"]);
        assert_eq!(table.notes(), "Sums over 1 search. -: not searched, or not finished.");
        assert_eq!(single_position_pivot(&frame(), 2), None);
    }

    #[test]
    fn pivot_names_what_varies() {
        let frame = frame();
        let pivots = choose("size", None, &["evals".to_owned(), "nodes".to_owned()], &frame).unwrap();
        assert_eq!(pivots.iter().map(key).collect::<Vec<_>>(), ["evals-by-size", "nodes-by-size"]);
        let message = |text: &str, by: Option<&[String]>, metrics: &[&str]| {
            let metrics: Vec<String> = metrics.iter().map(|name| (*name).to_owned()).collect();
            choose(text, by, &metrics, &frame).unwrap_err().to_string()
        };
        assert_eq!(
            message("position", None, &[]),
            "--pivot position: `position` is p in every row, so the table would have one row\n\
             help: columns that vary: table.size, depth, variant"
        );
        assert!(message("dept", None, &[]).contains("depth"));
        assert!(message("depth", Some(&["depth".to_owned()]), &[]).contains("--by also names `depth`"));
        assert!(message("depth", None, &["evls"]).contains("evals"));
        assert!(message("depth,size", None, &[]).contains("give one column"));
    }
}
