//! Lines over an axis: nodes by depth, ratios or shares by size, the response to an option.

use super::scale::{Scale, short};
use super::{Anchor, Svg, Swatch};
use crate::analysis::questions::curves::{CurvePoint, Series};
use std::collections::BTreeMap;

/// What a line plot shows.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct Lines {
    /// The lines.
    pub series: Vec<Series>,
    /// What x is, with its unit.
    pub x: String,
    /// What y is, with its unit.
    pub y: String,
    /// Whether equal factors of x are equally far apart.
    pub x_log: bool,
    /// The same of y.
    pub y_log: bool,
    /// Ticks of x with their texts; none: round numbers.
    pub x_ticks: Vec<(f64, String)>,
    /// Whether y is a ratio, and 1 is to be marked.
    pub ratio: bool,
    /// Whether y is a share, shown in percent.
    pub share: bool,
    /// Whether y stays until the next point, and points need no marks: counts that grow.
    pub stairs: bool,
    /// Place of a line that has the first colour, the ink's; the others have the rest in turn.
    pub base: Option<usize>,
}

const HEIGHT: f64 = 300.0;

impl Lines {
    fn colour(&self, at: usize) -> usize {
        match self.base {
            Some(base) if at == base => 0,
            Some(base) if at > base => at,
            _ => at + 1,
        }
    }

    fn number(&self, value: f64) -> String {
        if self.share { format!("{} %", short(100.0 * value)) } else { short(value) }
    }

    /// Ratios over the values of an option, each with its tick.
    pub(in crate::report) fn of_ratios(series: Vec<Series>, x: &str, y: String) -> Self {
        let points = series.iter().flat_map(|one| &one.points);
        let ticks: BTreeMap<u64, f64> = points.map(|point| (point.x.to_bits(), point.x)).collect();
        let x_ticks = ticks.into_values().map(|x| (x, short(x))).collect();
        Self { series, x: x.to_owned(), y, x_ticks, ratio: true, y_log: true, ..Self::default() }
    }

    /// Draws it.
    pub fn render(&self, width: f64, title: &str, alone: bool) -> String {
        let mut svg = Svg::new(width);
        let (left, right, top, bottom) = (58.0, width - 14.0, 12.0, HEIGHT);
        let points = || self.series.iter().flat_map(|series| &series.points);
        let x = Scale::new(self.x_log, points().map(|point| point.x), (left, right));
        let values = points().flat_map(|point| [point.y, point.low, point.high]).chain(self.ratio.then_some(1.0));
        let y = Scale::new(self.y_log, values, (bottom, top));
        for tick in y.ticks(44.0) {
            svg.line("rule", (left, y.at(tick)), (right, y.at(tick)));
            svg.text("", (left - 6.0, y.at(tick) + 4.0), Anchor::End, &self.number(tick));
        }
        let ticks = if self.x_ticks.is_empty() {
            x.ticks(60.0).into_iter().map(|tick| (tick, short(tick))).collect()
        } else {
            self.x_ticks.clone()
        };
        let mut free = f64::NEG_INFINITY;
        for (tick, text) in &ticks {
            let place = x.at(*tick);
            svg.line("rule", (place, top), (place, bottom));
            let half = super::measure(text) / 2.0;
            if place - half > free && place + half < width {
                svg.text("", (place, bottom + 17.0), Anchor::Middle, text);
                free = place + half + 6.0;
            }
        }
        if self.ratio {
            svg.line("one", (left, y.at(1.0)), (right, y.at(1.0)));
        }
        svg.line("frame", (left, bottom), (right, bottom));
        for (at, series) in self.series.iter().enumerate() {
            self.draw(&mut svg, at, series, &x, &y);
        }
        svg.text("faint", ((left + right) / 2.0, bottom + 36.0), Anchor::Middle, &self.x);
        svg.upwards((12.0, (top + bottom) / 2.0), &self.y);
        let mut height = bottom + 46.0;
        if self.series.len() > 1 {
            let names: Vec<(usize, String)> =
                self.series.iter().enumerate().map(|(at, series)| (self.colour(at), series.name.clone())).collect();
            height += svg.legend(height, &names, Swatch::Mark);
        }
        svg.finish(height, title, alone)
    }

    fn draw(&self, svg: &mut Svg, at: usize, series: &Series, x: &Scale, y: &Scale) {
        let colour = self.colour(at);
        let class = colour % super::SERIES;
        let banded = series.points.iter().filter(|point| !point.low.is_nan()).count();
        // A band stands for intervals where few lines leave it room; many lines show them in the tooltips only.
        if banded > 1 && self.series.len() <= 3 {
            let end = |point: &CurvePoint, end: f64| (x.at(point.x), y.at(if end.is_nan() { point.y } else { end }));
            let lower = series.points.iter().map(|point| end(point, point.low));
            let upper = series.points.iter().map(|point| end(point, point.high));
            let outline: Vec<(f64, f64)> = lower.chain(upper.rev()).collect();
            svg.path(&format!("s{class} band"), &outline, true);
        }
        let mut line: Vec<(f64, f64)> = Vec::new();
        for point in &series.points {
            let last = line.last().filter(|_| self.stairs).map(|last| (x.at(point.x), last.1));
            line.extend(last);
            line.push((x.at(point.x), y.at(point.y)));
        }
        svg.path(&format!("s{class} line"), &line, false);
        for point in &series.points {
            let exact = |value: f64| if self.ratio { format!("{value:.3}") } else { self.number(value) };
            let mut title = format!("{}\n{} {}: {}", series.name, self.x, self.tick(point.x), exact(point.y));
            if !point.low.is_nan() {
                title += &format!(", 95 % {} to {}", exact(point.low), exact(point.high));
            }
            if !point.label.is_empty() && point.label != series.name {
                title += &format!(" ({})", point.label);
            }
            let size = if self.stairs { 1.8 } else { 3.6 };
            svg.mark(colour, "", (x.at(point.x), y.at(point.y)), size, &title);
        }
    }

    fn tick(&self, value: f64) -> String {
        let known = self.x_ticks.iter().find(|(tick, _)| *tick == value);
        known.map_or_else(|| short(value), |(_, text)| text.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line keeps its colour, whichever of the lines is the baseline: that one alone has the first.
    #[test]
    fn each_line_has_a_colour_of_its_own() {
        let colours = |base: Option<usize>| {
            let lines = Lines { base, ..Lines::default() };
            [0, 1, 2, 3].map(|at| lines.colour(at))
        };
        assert_eq!(colours(None), [1, 2, 3, 4]);
        assert_eq!(colours(Some(0)), [0, 1, 2, 3]);
        assert_eq!(colours(Some(2)), [1, 2, 0, 3]);
        assert_eq!(colours(Some(3)), [1, 2, 3, 0]);
    }

    /// Up to three lines have their intervals drawn as bands.
    #[test]
    fn three_lines_have_bands() {
        for (count, bands) in [(1, 1), (3, 3), (4, 0)] {
            let point = |x: f64| CurvePoint { x, y: 1.0, low: 0.5, high: 2.0, label: String::new() };
            let series = vec![Series { points: vec![point(1.0), point(2.0)], ..Series::default() }; count];
            let drawn = Lines { series, ..Lines::default() }.render(600.0, "t", false);
            assert_eq!(drawn.matches(" band\"").count(), bands, "{count}");
        }
    }
}
