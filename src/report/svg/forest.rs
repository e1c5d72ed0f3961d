//! The forest plot: each variant's ratio, or difference, with its interval, on one scale.

use super::scale::{Scale, short};
use super::{Anchor, Svg};

/// One row.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct ForestRow {
    /// The variant.
    pub name: String,
    /// The ratio, or the difference.
    pub mean: f64,
    /// Its interval; NaN where there is none.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Whether it is clear of no effect and stays so after correction.
    pub clear: bool,
}

/// What a forest plot shows.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Forest {
    /// The rows, from the top.
    pub rows: Vec<ForestRow>,
    /// What the ratio is of.
    pub x: String,
    /// Whether they are differences, about 0, and no ratios about 1.
    pub differences: bool,
}

impl Forest {
    /// Draws it.
    pub fn render(&self, width: f64, title: &str, alone: bool) -> String {
        let mut svg = Svg::new(width);
        let narrow = width < 520.0;
        let longest = self.rows.iter().map(|row| super::measure(&row.name)).fold(0.0, f64::max);
        // On a phone the names stand above their rows.
        let names = if narrow { 8.0 } else { (longest + 20.0).min(width * 0.45) };
        let room = if narrow { width - 16.0 } else { names - 14.0 };
        let lines = super::LINE * (super::most_lines(self.rows.iter().map(|row| &row.name), room) - 1.0);
        let step = lines + if narrow { 40.0 } else { 25.0 };
        let figures = 58.0;
        let (left, right, top) = (names, width - figures - 8.0, 10.0);
        let bottom = top + step * self.rows.len() as f64;
        let none = if self.differences { 0.0 } else { 1.0 };
        let number = |value: f64| if self.differences { format!("{value:+.1}") } else { format!("{value:.3}") };
        let ends = self.rows.iter().flat_map(|row| [row.mean, row.low, row.high]).chain([none]);
        let x = Scale::new(!self.differences, ends, (left, right));
        for tick in x.ticks(52.0) {
            svg.line("rule", (x.at(tick), top), (x.at(tick), bottom));
            svg.text("", (x.at(tick), bottom + 16.0), Anchor::Middle, &short(tick));
        }
        svg.line("one", (x.at(none), top), (x.at(none), bottom));
        for (at, row) in self.rows.iter().enumerate() {
            let y = top + step * at as f64 + if narrow { 28.0 + lines } else { step / 2.0 };
            if narrow {
                svg.name((left, y - 17.0 - lines / 2.0), Anchor::Start, &row.name, room);
            } else {
                svg.name((left - 10.0, y), Anchor::End, &row.name, room);
            }
            let series = match (row.clear, row.mean < none) {
                (false, _) => 7,
                (true, true) => 1,
                (true, false) => 2,
            };
            let mut figure = format!("{}: {}", row.name, number(row.mean));
            if row.low.is_finite() {
                figure += &format!(", 95 % {} to {}", number(row.low), number(row.high));
                svg.line(&format!("s{series} line"), (x.at(row.low), y), (x.at(row.high), y));
                for end in [row.low, row.high] {
                    svg.line(&format!("s{series}"), (x.at(end), y - 4.0), (x.at(end), y + 4.0));
                }
            }
            svg.mark(series, "", (x.at(row.mean), y), 4.5, &figure);
            svg.text("", (width - 8.0, y + 4.0), Anchor::End, &number(row.mean));
        }
        svg.line("frame", (left, bottom), (right, bottom));
        svg.text("faint", ((left + right) / 2.0, bottom + 35.0), Anchor::Middle, &self.x);
        svg.finish(bottom + 44.0, title, alone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A clear row has the colour of its side: of ratios that of one, of differences that of none.
    #[test]
    fn a_mark_is_on_its_side_of_nothing() {
        for (differences, mean, class) in
            [(false, 0.9, 1), (false, 1.1, 2), (true, -0.5, 1), (true, 0.5, 2), (true, 20.0, 2), (true, -20.0, 1)]
        {
            let row = ForestRow { name: "a".to_owned(), mean, low: mean * 0.9, high: mean * 1.1, clear: true };
            let drawn = Forest { rows: vec![row], x: String::new(), differences }.render(600.0, "t", false);
            assert!(drawn.contains(&format!("class=\"s{class} line\"")), "{differences} {mean}: {drawn}");
        }
    }
}
