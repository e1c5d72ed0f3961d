//! What tells the lines of a page's tables apart.

use super::sheet::{Cell, Column};
use crate::analysis::Line;
use crate::analysis::rows::axes::{self, Axis};
use crate::analysis::rows::grouping::short_names;
use crate::analysis::{Frame, Summary};
use crate::record::columns;

/// What tells the lines of a summary apart: a column for each axis, or for each column that groups were asked by.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Identity {
    heads: Vec<String>,
    /// For each line, its label and, on an axis, the place of its level.
    lines: Vec<Vec<(String, Option<usize>)>>,
}

impl Identity {
    /// Of a summary's lines; variants are taken apart where their names are those of a grid's points.
    #[must_use]
    pub fn new(rows: &Frame, summary: &Summary, grid: &[Axis]) -> Self {
        if summary.by != [columns::VARIANT] {
            let word = |value: &String| (if value.is_empty() { "(none)".to_owned() } else { value.clone() }, None);
            let lines: Vec<Vec<_>> = summary.lines.iter().map(|line| line.values.iter().map(word).collect()).collect();
            return Self { heads: short_names(&summary.by), lines: placed(lines) };
        }
        let plain = || Self {
            heads: vec!["variant".to_owned()],
            lines: summary.lines.iter().map(|line| vec![(line.name.clone(), None)]).collect(),
        };
        let variants = rows.coded(columns::VARIANT);
        let mut first: std::collections::HashMap<&str, usize> = std::collections::HashMap::new();
        (0..rows.rows()).for_each(|row| {
            first.entry(variants.at(row)).or_insert(row);
        });
        let mut lines = Vec::new();
        let mut apart = 0;
        for line in &summary.lines {
            let level = |axis: &Axis| {
                let row = *first.get(line.name.as_str())?;
                let values = axis.columns.iter().map(|column| rows.text(column, row).into_owned()).collect::<Vec<_>>();
                let place = axis.level(&values)?;
                Some((axis.levels[place].label.clone(), Some(place)))
            };
            match grid.iter().map(level).collect::<Option<Vec<_>>>() {
                // A point that was given a name of its own keeps it.
                Some(levels) if levels.iter().all(|(label, _)| line.name.contains(label.as_str())) => {
                    apart += 1;
                    lines.push(levels);
                }
                Some(_) => return plain(),
                None => lines.push(
                    std::iter::once((line.name.clone(), None))
                        .chain(std::iter::repeat_n((String::new(), None), grid.len().saturating_sub(1)))
                        .collect(),
                ),
            }
        }
        if apart == 0 { plain() } else { Self { heads: grid.iter().map(|axis| axis.name.clone()).collect(), lines } }
    }

    /// The columns of what tells them apart.
    #[must_use]
    pub fn columns(&self) -> Vec<Column> {
        let columns = self.heads.iter().enumerate();
        columns.map(|(at, head)| Column::words(head, head, if at == 0 { "* is the baseline" } else { "" })).collect()
    }

    /// The first fields of a line, the baseline's marked.
    #[must_use]
    pub fn cells(&self, at: usize, line: &Line) -> Vec<Cell> {
        let cells = self.lines[at].iter().enumerate().map(|(column, (label, place))| {
            let star = if column == 0 && line.is_baseline { " *" } else { "" };
            Cell { place: *place, ..Cell::text(format!("{label}{star}")) }
        });
        cells.collect()
    }
}

/// Labels that are numbers with a unit are sorted as such.
fn placed(mut lines: Vec<Vec<(String, Option<usize>)>>) -> Vec<Vec<(String, Option<usize>)>> {
    for column in 0..lines.first().map_or(0, Vec::len) {
        let number = |line: &Vec<(String, Option<usize>)>| axes::number(&line[column].0);
        let mut known: Vec<f64> = lines.iter().filter_map(number).collect();
        known.sort_by(f64::total_cmp);
        known.dedup();
        let places: Vec<Option<usize>> = lines
            .iter()
            .map(|line| number(line).and_then(|value| known.iter().position(|known| *known == value)))
            .collect();
        lines.iter_mut().zip(places).for_each(|(line, place)| line[column].1 = place);
    }
    lines
}
