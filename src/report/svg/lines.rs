//! Line plots: nodes by depth, ratios or shares by size, the response to an option.

use super::scale::{Scale, format_short};
use super::{Anchor, Svg};
use crate::analysis::questions::curves::{CurvePoint, Series};

#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct Lines {
    pub series: Vec<Series>,
    pub x: String,
    pub y: String,
    /// Whether the x axis is logarithmic.
    pub x_log: bool,
    /// Whether the y axis is logarithmic.
    pub y_log: bool,
    /// The ticks of x with their texts. If the list is empty, ticks are at round numbers.
    pub x_ticks: Vec<(f64, String)>,
    /// Whether y is a ratio, so that a line is drawn at 1.
    pub ratio: bool,
    /// Whether y is a share, shown in percent.
    pub share: bool,
    /// Index of the baseline's series, which gets the first colour.
    pub base: Option<usize>,
}

const HEIGHT: f64 = 300.0;

/// The maximum number of series whose intervals are drawn as bands.
const MAX_BANDS: usize = 3;

impl Lines {
    /// If intervals are drawn as whiskers, each series gets a different shift, so that the whiskers
    /// do not overlap. Otherwise the shift is 0.
    fn x_shift(&self, series_index: usize) -> f64 {
        let mut points = self.series.iter().flat_map(|series| &series.points);
        let has_whiskers = self.series.len() > MAX_BANDS && points.any(|point| point.low.is_finite());
        if has_whiskers { 3.0 * (series_index as f64 - (self.series.len() - 1) as f64 / 2.0) } else { 0.0 }
    }

    /// The baseline has the colour 0, and the other series have the colours from 1.
    fn colour(&self, series_index: usize) -> usize {
        match self.base {
            Some(base) if series_index == base => 0,
            Some(base) if series_index > base => series_index,
            _ => series_index + 1,
        }
    }

    /// Formats a value of y with all the decimals that pages show.
    pub fn text(&self, value: f64) -> String {
        if self.ratio { format!("{value:.3}") } else { self.format_y(value) }
    }

    fn format_y(&self, value: f64) -> String {
        if self.share { format!("{} %", format_short(100.0 * value)) } else { format_short(value) }
    }

    /// The x axis is logarithmic if there are more than two values, all of them are positive, and
    /// each value is at least twice the previous value.
    pub(in crate::report) fn from_ratios(series: Vec<Series>, x: &str, y: String) -> Self {
        let points = series.iter().flat_map(|series| &series.points);
        let mut values: Vec<f64> = points.map(|point| point.x).collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        let x_log = values.len() > 2 && values[0] > 0.0 && values.windows(2).all(|pair| pair[1] >= 2.0 * pair[0]);
        let x_ticks = values.into_iter().map(|x| (x, format_short(x))).collect();
        Self { series, x: x.to_owned(), y, x_ticks, x_log, ratio: true, y_log: true, ..Self::default() }
    }

    /// Renders the plot as SVG, `width` pixels wide. `standalone` is explained at [`Svg::finish`].
    pub fn render(&self, width: f64, title: &str, standalone: bool) -> String {
        let mut svg = Svg::new(width);
        let (left, right, top, bottom) = (58.0, width - 14.0, 12.0, HEIGHT);
        let points = || self.series.iter().flat_map(|series| &series.points);
        let x_scale = Scale::new(self.x_log, points().map(|point| point.x), (left, right));
        let values = points().map(|point| point.y).chain(self.ratio.then_some(1.0));
        let interval_ends = points().flat_map(|point| [point.low, point.high]);
        let y_scale = Scale::with_intervals(self.y_log, values, interval_ends, (bottom, top));
        for tick in y_scale.ticks(44.0) {
            svg.line("rule", (left, y_scale.pixel(tick)), (right, y_scale.pixel(tick)));
            svg.text("", (left - 6.0, y_scale.pixel(tick) + 4.0), Anchor::End, &self.format_y(tick));
        }
        let ticks = if self.x_ticks.is_empty() {
            x_scale.ticks(60.0).into_iter().map(|tick| (tick, format_short(tick))).collect()
        } else {
            self.x_ticks.clone()
        };
        // A label is left out if it would overlap the previous label. Its grid line is drawn
        // anyway.
        let mut next_free_x = f64::NEG_INFINITY;
        for (tick, text) in &ticks {
            let tick_x = x_scale.pixel(*tick);
            svg.line("rule", (tick_x, top), (tick_x, bottom));
            let half_width = super::text_width(text) / 2.0;
            if tick_x - half_width > next_free_x && tick_x + half_width < width {
                svg.text("", (tick_x, bottom + 17.0), Anchor::Middle, text);
                next_free_x = tick_x + half_width + 6.0;
            }
        }
        if self.ratio {
            svg.line("one", (left, y_scale.pixel(1.0)), (right, y_scale.pixel(1.0)));
        }
        svg.line("frame", (left, bottom), (right, bottom));
        for (index, series) in self.series.iter().enumerate() {
            self.draw_series(&mut svg, index, series, &x_scale, &y_scale);
        }
        svg.text("faint", ((left + right) / 2.0, bottom + 36.0), Anchor::Middle, &self.x);
        svg.vertical_text((12.0, (top + bottom) / 2.0), &self.y);
        let mut height = bottom + 46.0;
        if self.series.len() > 1 {
            let names: Vec<(usize, String)> = self
                .series
                .iter()
                .enumerate()
                .map(|(index, series)| (self.colour(index), series.name.clone()))
                .collect();
            height += svg.legend(height, &names);
        }
        svg.finish(height, title, standalone)
    }

    fn draw_series(&self, svg: &mut Svg, series_index: usize, series: &Series, x_scale: &Scale, y_scale: &Scale) {
        let colour = self.colour(series_index);
        let class = colour % super::SERIES;
        let x_pixel = |point: &CurvePoint| x_scale.pixel(point.x) + self.x_shift(series_index);
        let interval_count = series.points.iter().filter(|point| !point.low.is_nan()).count();
        // If there are at most `MAX_BANDS` series, the intervals of each series are drawn as a
        // band. Otherwise each interval is drawn as a whisker.
        if self.series.len() > MAX_BANDS {
            for point in series.points.iter().filter(|point| point.low.is_finite() && point.high.is_finite()) {
                let whisker_ends = [point.low, point.high].map(|bound| (x_pixel(point), y_scale.pixel(bound)));
                svg.line(&format!("s{class} whisker"), whisker_ends[0], whisker_ends[1]);
            }
        } else if interval_count > 1 {
            let edge_point = |point: &CurvePoint, bound: f64| {
                (x_pixel(point), y_scale.pixel(if bound.is_nan() { point.y } else { bound }))
            };
            let lower = series.points.iter().map(|point| edge_point(point, point.low));
            let upper = series.points.iter().map(|point| edge_point(point, point.high));
            let outline: Vec<(f64, f64)> = lower.chain(upper.rev()).collect();
            svg.path(&format!("s{class} band"), &outline, true);
        }
        let line: Vec<(f64, f64)> =
            series.points.iter().map(|point| (x_pixel(point), y_scale.pixel(point.y))).collect();
        svg.path(&format!("s{class} line"), &line, false);
        for point in &series.points {
            let mut title = format!("{}\n{} {}: {}", series.name, self.x, self.tick_text(point.x), self.text(point.y));
            if !point.low.is_nan() {
                title += &format!(", 95 % {} to {}", self.text(point.low), self.text(point.high));
            }
            if !point.label.is_empty() && point.label != series.name {
                title += &format!(" ({})", point.label);
            }
            svg.mark(colour, (x_pixel(point), y_scale.pixel(point.y)), 3.6, &title);
        }
    }

    /// Formats a value of x. If there is a tick at the value, returns the text of the tick.
    pub fn tick_text(&self, value: f64) -> String {
        let tick = self.x_ticks.iter().find(|(tick, _)| *tick == value);
        tick.map_or_else(|| format_short(value), |(_, text)| text.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_series_has_its_own_colour() {
        let colours_of = |base: Option<usize>| {
            let lines = Lines { base, ..Lines::default() };
            [0, 1, 2, 3].map(|index| lines.colour(index))
        };
        assert_eq!(colours_of(None), [1, 2, 3, 4]);
        assert_eq!(colours_of(Some(0)), [0, 1, 2, 3]);
        assert_eq!(colours_of(Some(2)), [1, 2, 0, 3]);
        assert_eq!(colours_of(Some(3)), [1, 2, 3, 0]);
    }

    #[test]
    fn option_that_doubles_has_a_logarithmic_axis() {
        let is_log = |values: &[f64]| {
            let make_point = |&x: &f64| CurvePoint { x, y: 1.0, low: 0.5, high: 2.0, label: String::new() };
            let series = Series { points: values.iter().map(make_point).collect(), ..Series::default() };
            Lines::from_ratios(vec![series], "uci.Hash", String::new()).x_log
        };
        assert!(is_log(&[1.0, 4.0, 16.0, 64.0]));
        assert!(![&[1.0, 2.0, 3.0][..], &[0.0, 1.0, 2.0], &[1.0, 64.0]].into_iter().any(is_log));
    }

    #[test]
    fn ticks_are_sorted_with_negative_values_first() {
        let points =
            [3.0, -1.0, -8.0, 3.0].map(|x| CurvePoint { x, y: 1.0, low: 1.0, high: 1.0, label: String::new() });
        let lines =
            Lines::from_ratios(vec![Series { points: points.to_vec(), ..Series::default() }], "", String::new());
        assert_eq!(lines.x_ticks.iter().map(|(x, _)| *x).collect::<Vec<_>>(), [-8.0, -1.0, 3.0]);
    }

    #[test]
    fn up_to_three_series_have_bands_and_more_have_whiskers() {
        for (count, bands, whiskers) in [(1, 1, 0), (3, 3, 0), (4, 0, 8)] {
            let make_point = |x: f64| CurvePoint { x, y: 1.0, low: 0.5, high: 2.0, label: String::new() };
            let series = vec![Series { points: vec![make_point(1.0), make_point(2.0)], ..Series::default() }; count];
            let svg = Lines { series, ..Lines::default() }.render(600.0, "t", false);
            assert_eq!(svg.matches(" band\"").count(), bands, "{count}");
            assert_eq!(svg.matches(" whisker\"").count(), whiskers, "{count}");
        }
    }
}
