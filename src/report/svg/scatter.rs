//! Scatter plots, which show the ratio of each position by the nodes of the baseline.

use super::scale::{Scale, format_short};
use super::{Anchor, Svg, Swatch};
use crate::analysis::questions::curves::Series;

/// The data of a scatter plot. A point's x is the baseline's nodes, and its y is the ratio.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Scatter {
    pub series: Vec<Series>,
    pub x: String,
    pub y: String,
}

const HEIGHT: f64 = 320.0;

impl Scatter {
    /// Renders the plot as SVG, `width` pixels wide. `standalone` is explained at [`Svg::finish`].
    pub fn render(&self, width: f64, title: &str, standalone: bool) -> String {
        let mut svg = Svg::new(width);
        let (left, right, top, bottom) = (58.0, width - 14.0, 12.0, HEIGHT);
        let points = || self.series.iter().flat_map(|series| &series.points);
        let x_scale = Scale::new(true, points().map(|point| point.x), (left, right));
        let y_scale = Scale::new(true, points().map(|point| point.y).chain([1.0]), (bottom, top));
        for tick in y_scale.ticks(44.0) {
            svg.line("rule", (left, y_scale.pixel(tick)), (right, y_scale.pixel(tick)));
            svg.text("", (left - 6.0, y_scale.pixel(tick) + 4.0), Anchor::End, &format_short(tick));
        }
        for tick in x_scale.ticks(70.0) {
            svg.line("rule", (x_scale.pixel(tick), top), (x_scale.pixel(tick), bottom));
            svg.text("", (x_scale.pixel(tick), bottom + 17.0), Anchor::Middle, &format_short(tick));
        }
        svg.line("one", (left, y_scale.pixel(1.0)), (right, y_scale.pixel(1.0)));
        svg.line("frame", (left, bottom), (right, bottom));
        for (index, series) in self.series.iter().enumerate() {
            for point in &series.points {
                let title =
                    format!("{}\n{}: {:.3} of {} nodes", series.name, point.label, point.y, format_short(point.x));
                // The colour 0 is the baseline's, which is not drawn.
                svg.mark(index + 1, "dot", (x_scale.pixel(point.x), y_scale.pixel(point.y)), 3.6, &title);
            }
        }
        svg.text("faint", ((left + right) / 2.0, bottom + 36.0), Anchor::Middle, &self.x);
        svg.vertical_text((12.0, (top + bottom) / 2.0), &self.y);
        let names: Vec<(usize, String)> =
            self.series.iter().enumerate().map(|(index, series)| (index + 1, series.name.clone())).collect();
        let height = bottom + 46.0 + svg.legend(bottom + 44.0, &names, Swatch::Mark);
        svg.finish(height, title, standalone)
    }
}
