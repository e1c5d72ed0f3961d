//! The columns that identify the lines of a page's tables.

use super::sheet::{Cell, SheetColumn};
use crate::analysis::rows::axes::{self, Axis};
use crate::analysis::rows::grouping::short_names;
use crate::analysis::{Frame, Line, Summary};
use crate::record::columns;
use std::collections::{HashMap, HashSet};

/// The columns that identify the lines of a summary. There is a column for each axis of a grid, or
/// for each column that rows are grouped by.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Identity {
    heads: Vec<String>,
    lines: Vec<Vec<Cell>>,
}

impl Identity {
    /// Identifies the lines of a summary. If lines are variants on a grid, there is a column for
    /// each of the grid's `axes`, provided that the name of each variant consists of its levels
    /// alone, and that the levels distinguish all variants. Otherwise variants are identified by
    /// name.
    pub(super) fn new(rows: &Frame, summary: &Summary, axes: &[Axis]) -> Self {
        if summary.by != [columns::VARIANT] {
            let value_cell = |value: &String| Cell::text(if value.is_empty() { "(none)" } else { value });
            let mut lines: Vec<Vec<_>> =
                summary.lines.iter().map(|line| line.values.iter().map(value_cell).collect()).collect();
            rank_numbers(&mut lines);
            return Self { heads: short_names(&summary.by), lines };
        }
        let identify_by_name = || Self {
            heads: vec!["variant".to_owned()],
            lines: summary.lines.iter().map(|line| vec![Cell::text(&line.name)]).collect(),
        };
        if axes.is_empty() {
            return identify_by_name();
        }
        let variants = rows.text_column(columns::VARIANT);
        // The rows are inserted in reverse order, so that the first row of each variant replaces
        // the variant's other rows.
        let first_rows: HashMap<&str, usize> = (0..rows.rows()).rev().map(|row| (variants.text(row), row)).collect();
        let mut lines = Vec::new();
        let mut lines_on_grid = 0;
        for line in &summary.lines {
            let level_cell = |axis: &Axis| {
                let level = axis.row_level(rows, *first_rows.get(line.name.as_str())?)?;
                Some(Cell { sort_rank: Some(level), ..Cell::text(&axis.levels[level].label) })
            };
            match axes.iter().map(level_cell).collect::<Option<Vec<_>>>() {
                // The name states nothing but the levels.
                Some(levels) if names_all_levels(&line.name, &levels) => {
                    lines_on_grid += 1;
                    lines.push(levels);
                }
                // The variant has a name that columns of levels would not show.
                Some(_) => return identify_by_name(),
                // A variant outside of the grid has its name in the first column.
                None => {
                    let mut cells = vec![Cell::default(); axes.len()];
                    cells[0].text.clone_from(&line.name);
                    lines.push(cells);
                }
            }
        }
        // Two variants may differ only in an option that is not an axis, such as the key seed or
        // the kind of table.
        let mut seen = HashSet::new();
        let are_distinct = lines.iter().all(|line| seen.insert(line.iter().map(|cell| &cell.text).collect::<Vec<_>>()));
        if lines_on_grid == 0 || !are_distinct {
            return identify_by_name();
        }
        Self { heads: axes.iter().map(|axis| axis.name.clone()).collect(), lines }
    }

    pub(super) fn columns(&self) -> Vec<SheetColumn> {
        let meaning = |index: usize| if index == 0 { "* is the baseline" } else { "" };
        self.heads.iter().enumerate().map(|(index, head)| SheetColumn::text(head, head, meaning(index))).collect()
    }

    /// The baseline has a star in its first cell.
    pub(super) fn cells(&self, line_index: usize, line: &Line) -> Vec<Cell> {
        let cells = self.lines[line_index].iter().cloned().enumerate();
        cells.map(|(column, cell)| cell.with_sign('*', column == 0 && line.is_baseline)).collect()
    }
}

/// Whether a name states all levels of its variant and contains no other words. This is true for
/// `1 MiB always` and `size=1 MiB, policy=always, seed=3`, but false for `1 MiB always, my fork`.
fn names_all_levels(name: &str, levels: &[Cell]) -> bool {
    let mut labels: Vec<&str> = levels.iter().map(|level| level.text.as_str()).collect();
    // Longer labels are matched first, because a short label may be part of a longer label.
    labels.sort_by_key(|label| std::cmp::Reverse(label.len()));
    let mut unmatched = name.to_owned();
    for label in labels {
        if !unmatched.contains(label) {
            return false;
        }
        unmatched = unmatched.replacen(label, "", 1);
    }
    unmatched.split(", ").all(|part| part.contains('=') || !part.contains(char::is_alphanumeric))
}

/// Sets the sort ranks of cells that are numbers with a unit, so that they are sorted as numbers.
fn rank_numbers(rows: &mut [Vec<Cell>]) {
    for column in 0..rows.first().map_or(0, Vec::len) {
        let number_in = |row: &Vec<Cell>| axes::parse_number(&row[column].text);
        let mut sorted_numbers: Vec<f64> = rows.iter().filter_map(number_in).collect();
        sorted_numbers.sort_by(f64::total_cmp);
        sorted_numbers.dedup();
        for row in &mut *rows {
            row[column].sort_rank =
                number_in(row).and_then(|value| sorted_numbers.iter().position(|number| *number == value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The headings of the identifying columns, and each line's cells with their sort ranks. The
    /// first line is the baseline.
    fn identify(rows: &str, by: &[&str], lines: &[&[&str]]) -> (Vec<String>, Vec<String>) {
        let frame = Frame::parse(rows.as_bytes(), "t").unwrap();
        let lines = lines.iter().enumerate().map(|(index, values)| Line {
            name: values.join(", "),
            values: values.iter().map(|&value| value.to_owned()).collect(),
            is_baseline: index == 0,
            ..Line::default()
        });
        let by = by.iter().map(|&name| name.to_owned()).collect();
        let summary = Summary { by, lines: lines.collect(), ..Summary::default() };
        let (_, axes) = axes::find_axes(&frame);
        let identity = Identity::new(&frame, &summary, &axes);
        let describe_cells = |(index, line): (usize, &Line)| {
            let cells = identity.cells(index, line).into_iter();
            let texts = cells.map(|cell| match cell.sort_rank {
                Some(rank) => format!("{} ({rank})", cell.text),
                None => cell.text,
            });
            texts.collect::<Vec<_>>().join(" | ")
        };
        let lines = summary.lines.iter().enumerate().map(describe_cells).collect();
        (identity.columns().into_iter().map(|column| column.name).collect(), lines)
    }

    #[test]
    fn every_line_is_identified() {
        let identify_variants = |header: &str, rows: &[&str]| {
            // Names may contain commas.
            let quote_fields =
                |row: &str| row.split(';').map(|field| format!("\"{field}\"")).collect::<Vec<_>>().join(",");
            let text: String = rows.iter().map(|row| format!("p,1,9,{}\n", quote_fields(row))).collect();
            let names: Vec<[&str; 1]> = rows.iter().map(|row| [row.split(';').next().unwrap()]).collect();
            let lines: Vec<&[&str]> = names.iter().map(|name| name.as_slice()).collect();
            let text = format!("position,depth,search.nodes,variant,{header}\n{text}");
            let (heads, lines) = identify(&text, &[columns::VARIANT], &lines);
            (heads.join(" | "), lines)
        };
        let two_options = "table.size,table.slots";
        for (header, rows, heads, lines) in [
            // Nothing varies; only the kind of table varies; the option that varies is no axis.
            ("x", &["a;1", "b;1"][..], "variant", &["a *", "b"][..]),
            ("table.kind", &["with;bounded", "bare;none"], "variant", &["with *", "bare"]),
            ("keys.seed", &["one;1", "two;2"], "variant", &["one *", "two"]),
            // A grid, whose levels have ranks. If one name does not state its levels, all lines are
            // identified by name.
            (
                two_options,
                &["size=1 MiB slots=4;1 MiB;4", "size=64 KiB slots=4;64 KiB;4", "size=64 KiB slots=1;64 KiB;1"],
                "size | slots",
                &["1 MiB * (1) | 4 (1)", "64 KiB (0) | 4 (1)", "64 KiB (0) | 1 (0)"],
            ),
            (
                two_options,
                &["64 KiB 1;64 KiB;1", "own 4;1 MiB;4", "64 KiB 4;64 KiB;4"],
                "variant",
                &["64 KiB 1 *", "own 4", "64 KiB 4"],
            ),
            // A label may be part of a label of the next axis.
            (
                "table.slots,table.size",
                &["1 KiB 1;1;1 KiB", "1 KiB 2;2;1 KiB", "2 KiB 1;1;2 KiB"],
                "slots | size",
                &["1 * (0) | 1 KiB (0)", "2 (1) | 1 KiB (0)", "1 (0) | 2 KiB (1)"],
            ),
            // A variant beside the grid keeps its name in the first column.
            (
                "table.kind,table.size,table.slots",
                &["none;none;;", "1 MiB 1;bounded;1 MiB;1", "1 MiB 4;bounded;1 MiB;4", "64 KiB 4;bounded;64 KiB;4"],
                "size | slots",
                &["none * | ", "1 MiB (1) | 1 (0)", "1 MiB (1) | 4 (1)", "64 KiB (0) | 4 (1)"],
            ),
            // Variants that differ only in something that is no axis, or whose names contain other
            // words, are identified by name.
            (
                "table.slots,keys.seed",
                &["slots=1, seed=1;1;1", "slots=4, seed=1;4;1", "slots=1, seed=2;1;2", "slots=4, seed=2;4;2"],
                "variant",
                &["slots=1, seed=1 *", "slots=4, seed=1", "slots=1, seed=2", "slots=4, seed=2"],
            ),
            (
                "table.slots,table.kind",
                &["bounded 1;1;bounded", "bounded 4;4;bounded", "unbounded 1;1;unbounded", "unbounded 4;4;unbounded"],
                "variant",
                &["bounded 1 *", "bounded 4", "unbounded 1", "unbounded 4"],
            ),
            (
                two_options,
                &["1 B 1;1 B;1", "1 B 4;1 B;4", "1 B, 4, ours;1 B;4"],
                "variant",
                &["1 B 1 *", "1 B 4", "1 B, 4, ours"],
            ),
            (two_options, &["1 B 1;1 B;1", "my 1 B by 4;1 B;4"], "variant", &["1 B 1 *", "my 1 B by 4"]),
            // A single seed, as left by a filter, is part of their names but identifies nothing.
            (
                two_options,
                &["size=1 B, seed=3, slots=1;1 B;1", "size=1 B, seed=3, slots=4;1 B;4"],
                "slots",
                &["1 * (0)", "4 (1)"],
            ),
        ] {
            let (actual_heads, cells) = identify_variants(header, rows);
            let distinct: HashSet<&String> = cells.iter().collect();
            assert_eq!(distinct.len(), rows.len(), "two lines look the same: {cells:?}");
            assert_eq!(
                (actual_heads.as_str(), cells.iter().map(String::as_str).collect::<Vec<_>>()),
                (heads, lines.to_vec())
            );
        }
    }

    #[test]
    fn groups_have_a_cell_for_each_column() {
        let rows = "variant,position,depth,search.nodes,table.size,kind\na,p,1,9,64 KiB,x\n";
        let lines: [&[&str]; 4] = [&["1 MiB", "x"], &["64 KiB", ""], &["1 MiB", "4"], &["", "10"]];
        let (heads, lines) = identify(rows, &["table.size", "kind"], &lines);
        assert_eq!(heads, ["size", "kind"]);
        assert_eq!(lines, ["1 MiB * (1) | x", "64 KiB (0) | (none)", "1 MiB (1) | 4 (0)", "(none) | 10 (1)"]);
    }
}
