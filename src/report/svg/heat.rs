//! Maps of two axes: the colour shows direction and size of a ratio, the number its value.

use super::{Anchor, Svg};
use crate::analysis::rows::metric::Better;
use crate::report::emphasis::Emphasis;

/// A map of ratios.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Heat {
    /// The name and the labels of the rows.
    pub first: (String, Vec<String>),
    /// The name and the labels of the columns.
    pub second: (String, Vec<String>),
    /// The ratio of each cell, by row; none where nothing was run.
    pub cells: Vec<Vec<Option<f64>>>,
    /// Which side of 1 is better.
    pub better: Better,
}

impl Heat {
    /// Renders the plot as SVG.
    pub fn render(&self, width: f64, title: &str, alone: bool) -> String {
        let mut svg = Svg::new(width);
        let (first, second) = (&self.first.1, &self.second.1);
        let longest = first.iter().map(|name| super::text_width(name)).fold(super::text_width(&self.first.0), f64::max);
        let names = (longest + 18.0).min(width * 0.36);
        let cell = ((width - names - 8.0) / second.len() as f64).min(130.0);
        let lines = super::max_lines(first.iter(), names - 10.0);
        let (top, high) = (44.0, (super::LINE_HEIGHT * lines + 6.0).max(32.0));
        svg.fitted_text(
            (names + cell * second.len() as f64 / 2.0, 15.0),
            Anchor::Middle,
            &self.second.0,
            width - names,
        );
        svg.fitted_text((names - 8.0, 35.0), Anchor::End, &self.first.0, names - 8.0);
        for (at, name) in second.iter().enumerate() {
            svg.fitted_text((names + cell * (at as f64 + 0.5), 35.0), Anchor::Middle, name, cell - 4.0);
        }
        let farthest = self
            .cells
            .iter()
            .flatten()
            .flatten()
            .map(|ratio| ratio.ln().abs())
            .filter(|far| far.is_finite())
            .fold(0.05, f64::max);
        for (row, name) in first.iter().enumerate() {
            let y = top + high * row as f64;
            svg.wrapped_name((names - 8.0, y + high / 2.0), Anchor::End, name, names - 10.0);
            for (column, ratio) in self.cells[row].iter().enumerate() {
                let x = names + cell * column as f64;
                let Some(ratio) = ratio else {
                    svg.text("faint", (x + cell / 2.0, y + high / 2.0 + 5.0), Anchor::Middle, "·");
                    continue;
                };
                let class = Emphasis::for_change(true, *ratio < 1.0, self.better).class();
                let more = format!(" fill-opacity=\"{:.2}\"", 0.04 + 0.6 * (ratio.ln().abs() / farthest).min(1.0));
                let what = format!("{}, {}: {ratio:.3} of the baseline's", name, second[column]);
                svg.rect(&format!("{class} bar"), (x, y), (cell - 2.0, high - 2.0), &more, &what);
                let shown = if cell < 44.0 { format!("{ratio:.2}") } else { format!("{ratio:.3}") };
                svg.text("", (x + cell / 2.0 - 1.0, y + high / 2.0 + 4.0), Anchor::Middle, &shown);
            }
        }
        let bottom = top + high * first.len() as f64;
        svg.finish(bottom + 6.0, title, alone)
    }
}
