//! Single positions: who gained and who lost, by their size.

use super::scale::{Scale, short};
use super::{Anchor, Svg, Swatch};
use crate::analysis::questions::curves::Series;

/// What a scatter plot shows: x the baseline's nodes, y the ratio.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Scatter {
    /// The points of each variant.
    pub series: Vec<Series>,
    /// What x is.
    pub x: String,
    /// What y is.
    pub y: String,
}

const HEIGHT: f64 = 320.0;

impl Scatter {
    /// Draws it.
    pub fn render(&self, width: f64, title: &str, alone: bool) -> String {
        let mut svg = Svg::new(width);
        let (left, right, top, bottom) = (58.0, width - 14.0, 12.0, HEIGHT);
        let points = || self.series.iter().flat_map(|series| &series.points);
        let x = Scale::new(true, points().map(|point| point.x), (left, right));
        let y = Scale::new(true, points().map(|point| point.y).chain([1.0]), (bottom, top));
        for tick in y.ticks(44.0) {
            svg.line("rule", (left, y.at(tick)), (right, y.at(tick)));
            svg.text("", (left - 6.0, y.at(tick) + 4.0), Anchor::End, &short(tick));
        }
        for tick in x.ticks(70.0) {
            svg.line("rule", (x.at(tick), top), (x.at(tick), bottom));
            svg.text("", (x.at(tick), bottom + 17.0), Anchor::Middle, &short(tick));
        }
        svg.line("one", (left, y.at(1.0)), (right, y.at(1.0)));
        svg.line("frame", (left, bottom), (right, bottom));
        for (at, series) in self.series.iter().enumerate() {
            for point in &series.points {
                let title = format!("{}\n{}: {:.3} of {} nodes", series.name, point.label, point.y, short(point.x));
                // The baseline is not here: its colour is left out too.
                svg.mark(at + 1, "dot", (x.at(point.x), y.at(point.y)), 3.6, &title);
            }
        }
        svg.text("faint", ((left + right) / 2.0, bottom + 36.0), Anchor::Middle, &self.x);
        svg.upwards((12.0, (top + bottom) / 2.0), &self.y);
        let names: Vec<(usize, String)> =
            self.series.iter().enumerate().map(|(at, series)| (at + 1, series.name.clone())).collect();
        let height = bottom + 46.0 + svg.legend(bottom + 44.0, &names, Swatch::Mark);
        svg.finish(height, title, alone)
    }
}
