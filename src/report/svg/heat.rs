//! Maps of two axes. The colour of a cell shows the direction and the size of a ratio, and the
//! number in the cell is the ratio.

use super::{Anchor, Svg};
use crate::analysis::rows::metric::Better;
use crate::report::emphasis::Emphasis;

#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Heat {
    pub first: (String, Vec<String>),
    pub second: (String, Vec<String>),
    /// The ratio of each cell, by row. `None` if nothing was run for the cell.
    pub cells: Vec<Vec<Option<f64>>>,
    /// Which side of 1 is better.
    pub better: Better,
}

impl Heat {
    /// Renders the plot as SVG, `width` pixels wide. `standalone` is explained at [`Svg::finish`].
    pub fn render(&self, width: f64, title: &str, standalone: bool) -> String {
        let mut svg = Svg::new(width);
        let ((row_name, row_labels), (column_name, column_labels)) = (&self.first, &self.second);
        let widest_label =
            row_labels.iter().map(|name| super::text_width(name)).fold(super::text_width(row_name), f64::max);
        let left = (widest_label + 18.0).min(width * 0.36);
        let cell_width = ((width - left - 8.0) / column_labels.len() as f64).min(130.0);
        let label_lines = super::max_lines(row_labels.iter(), left - 10.0);
        let (top, row_height) = (44.0, (super::LINE_HEIGHT * label_lines + 6.0).max(32.0));
        svg.fitted_text(
            (left + cell_width * column_labels.len() as f64 / 2.0, 15.0),
            Anchor::Middle,
            column_name,
            width - left,
        );
        svg.fitted_text((left - 8.0, 35.0), Anchor::End, row_name, left - 8.0);
        for (index, name) in column_labels.iter().enumerate() {
            svg.fitted_text((left + cell_width * (index as f64 + 0.5), 35.0), Anchor::Middle, name, cell_width - 4.0);
        }
        // The ratio max_log from 1 has the strongest colour. If all ratios are within about 5 % of
        // 1, no cell has the strongest colour, so that small differences stay pale.
        let max_log = self
            .cells
            .iter()
            .flatten()
            .flatten()
            .map(|ratio| ratio.ln().abs())
            .filter(|distance| distance.is_finite())
            .fold(0.05, f64::max);
        for (row, name) in row_labels.iter().enumerate() {
            let y = top + row_height * row as f64;
            svg.wrapped_name((left - 8.0, y + row_height / 2.0), Anchor::End, name, left - 10.0);
            for (column, ratio) in self.cells[row].iter().enumerate() {
                let x = left + cell_width * column as f64;
                let Some(ratio) = ratio else {
                    svg.text("faint", (x + cell_width / 2.0, y + row_height / 2.0 + 5.0), Anchor::Middle, "·");
                    continue;
                };
                let class = Emphasis::for_change(true, *ratio < 1.0, self.better).class();
                let opacity = format!(" fill-opacity=\"{:.2}\"", 0.04 + 0.6 * (ratio.ln().abs() / max_log).min(1.0));
                let tooltip = format!("{}, {}: {ratio:.3} times the baseline", name, column_labels[column]);
                svg.rect(&format!("{class} bar"), (x, y), (cell_width - 2.0, row_height - 2.0), &opacity, &tooltip);
                let text = if cell_width < 44.0 { format!("{ratio:.2}") } else { format!("{ratio:.3}") };
                svg.text("", (x + cell_width / 2.0 - 1.0, y + row_height / 2.0 + 4.0), Anchor::Middle, &text);
            }
        }
        let bottom = top + row_height * row_labels.len() as f64;
        svg.finish(bottom + 6.0, title, standalone)
    }
}
