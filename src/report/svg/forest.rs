//! Forest plots, which show the ratio or difference of each variant with its interval on one scale.

use super::scale::{Scale, format_short};
use super::{Anchor, Svg};
use crate::analysis::rows::metric::Better;
use crate::report::emphasis::Emphasis;

#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct ForestRow {
    pub name: String,
    pub mean: f64,
    /// Lower end of the 95 % interval. NaN if there is no interval.
    pub low: f64,
    pub high: f64,
    /// Whether the ratio or difference is significant after correction.
    #[serde(rename = "clear")]
    pub significant: bool,
}

#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Forest {
    pub rows: Vec<ForestRow>,
    pub x: String,
    /// Whether the values are differences, around 0, instead of ratios, around 1.
    pub differences: bool,
    pub better: Better,
}

impl Forest {
    pub fn text(&self, value: f64) -> String {
        if self.differences { format!("{value:+.1}") } else { format!("{value:.3}") }
    }

    /// Renders the plot as SVG, `width` pixels wide. `standalone` is explained at [`Svg::finish`].
    pub fn render(&self, width: f64, title: &str, standalone: bool) -> String {
        let mut svg = Svg::new(width);
        let is_narrow = width < 520.0;
        let widest_name = self.rows.iter().map(|row| super::text_width(&row.name)).fold(0.0, f64::max);
        // On a phone the names stand above their rows, otherwise to the left of the plot.
        let left = if is_narrow { 8.0 } else { (widest_name + 20.0).min(width * 0.45) };
        let name_width = if is_narrow { width - 16.0 } else { left - 14.0 };
        // The height of all lines of the longest name except its first line.
        let extra_height =
            super::LINE_HEIGHT * (super::max_lines(self.rows.iter().map(|row| &row.name), name_width) - 1.0);
        let step = extra_height + if is_narrow { 40.0 } else { 25.0 };
        // Room for the values at the right.
        let value_width = 58.0;
        let (right, top) = (width - value_width - 8.0, 10.0);
        let bottom = top + step * self.rows.len() as f64;
        let no_effect = if self.differences { 0.0 } else { 1.0 };
        let means = self.rows.iter().map(|row| row.mean).chain([no_effect]);
        let interval_ends = self.rows.iter().flat_map(|row| [row.low, row.high]);
        let x_scale = Scale::with_intervals(!self.differences, means, interval_ends, (left, right));
        for tick in x_scale.ticks(52.0) {
            svg.line("rule", (x_scale.pixel(tick), top), (x_scale.pixel(tick), bottom));
            svg.text("", (x_scale.pixel(tick), bottom + 16.0), Anchor::Middle, &format_short(tick));
        }
        svg.line("one", (x_scale.pixel(no_effect), top), (x_scale.pixel(no_effect), bottom));
        for (index, row) in self.rows.iter().enumerate() {
            let y = top + step * index as f64 + if is_narrow { 28.0 + extra_height } else { step / 2.0 };
            if is_narrow {
                svg.wrapped_name((left, y - 17.0 - extra_height / 2.0), Anchor::Start, &row.name, name_width);
            } else {
                svg.wrapped_name((left - 10.0, y), Anchor::End, &row.name, name_width);
            }
            let emphasis = match Emphasis::for_change(row.significant, row.mean < no_effect, self.better) {
                Emphasis::None => Emphasis::Unclear,
                emphasis => emphasis,
            };
            let class = emphasis.class();
            let mut tooltip = format!("{}: {}", row.name, self.text(row.mean));
            if row.low.is_finite() {
                tooltip += &format!(", 95 % {} to {}", self.text(row.low), self.text(row.high));
                svg.line(&format!("{class} line"), (x_scale.pixel(row.low), y), (x_scale.pixel(row.high), y));
                for (end, inwards) in [(row.low, 6.0), (row.high, -6.0)] {
                    let end_x = x_scale.pixel(end);
                    if x_scale.contains(end) {
                        svg.line(class, (end_x, y - 4.0), (end_x, y + 4.0));
                    } else {
                        // The arrow shows that the interval extends beyond the scale.
                        for side in [-4.0, 4.0] {
                            svg.line(class, (end_x + inwards, y + side), (end_x, y));
                        }
                    }
                }
            }
            svg.verdict_mark(emphasis, (x_scale.pixel(row.mean), y), 4.5, &tooltip);
            svg.text("", (width - 8.0, y + 4.0), Anchor::End, &self.text(row.mean));
        }
        svg.line("frame", (left, bottom), (right, bottom));
        svg.text("faint", ((left + right) / 2.0, bottom + 35.0), Anchor::Middle, &self.x);
        svg.finish(bottom + 44.0, title, standalone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interval_beyond_the_scale_ends_in_an_arrow() {
        let count_strokes = |high: f64| {
            let row = ForestRow { name: "a".to_owned(), mean: 1.1, low: 0.9, high, significant: false };
            let forest = Forest { rows: vec![row], x: String::new(), differences: false, better: Better::Less };
            forest.render(600.0, "t", false).matches("class=\"unclear\"").count()
        };
        // A mark at each end; the arrow has two strokes.
        assert_eq!(count_strokes(1e9), count_strokes(5.0) + 1);
    }

    #[test]
    fn significant_row_has_the_colour_of_its_side() {
        for (differences, better, mean, class) in [
            (false, Better::Less, 0.9, "better"),
            (false, Better::Less, 1.1, "worse"),
            (false, Better::Neither, 1.1, "other"),
            (true, Better::More, -0.5, "worse"),
            (true, Better::More, 0.5, "better"),
            (true, Better::More, 20.0, "better"),
            (true, Better::More, -20.0, "worse"),
        ] {
            let row = ForestRow { name: "a".to_owned(), mean, low: mean * 0.9, high: mean * 1.1, significant: true };
            let drawn = Forest { rows: vec![row], x: String::new(), differences, better }.render(600.0, "t", false);
            assert!(drawn.contains(&format!("class=\"{class} line\"")), "{differences} {mean}: {drawn}");
        }
    }
}
