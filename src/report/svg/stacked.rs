//! Stacked bars, which show the outcomes of probes.

use super::{Anchor, Svg, Swatch};

#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Stacked {
    pub parts: Vec<(String, usize)>,
    pub bars: Vec<(String, Vec<f64>)>,
}

impl Stacked {
    /// Renders the plot as SVG, `width` pixels wide. `standalone` is explained at [`Svg::finish`].
    pub fn render(&self, width: f64, title: &str, standalone: bool) -> String {
        let mut svg = Svg::new(width);
        let is_narrow = width < 520.0;
        let widest_name = self.bars.iter().map(|(name, _)| super::text_width(name)).fold(0.0, f64::max);
        // On a phone the names stand above their bars, otherwise to the left of the plot.
        let left = if is_narrow { 8.0 } else { (widest_name + 20.0).min(width * 0.45) };
        let name_width = if is_narrow { width - 16.0 } else { left - 14.0 };
        // The height of all lines of the longest name except its first line.
        let extra_height =
            super::LINE_HEIGHT * (super::max_lines(self.bars.iter().map(|(name, _)| name), name_width) - 1.0);
        let step = extra_height + if is_narrow { 44.0 } else { 28.0 };
        let (right, top) = (width - 16.0, 8.0);
        let bottom = top + step * self.bars.len() as f64;
        for percent in [0, 25, 50, 75, 100] {
            let x = left + (right - left) * f64::from(percent) / 100.0;
            svg.line("rule", (x, top), (x, bottom));
            // The outermost labels stay inside the drawing.
            let anchor = match percent {
                0 if is_narrow => Anchor::Start,
                100 => Anchor::End,
                _ => Anchor::Middle,
            };
            svg.text("", (x, bottom + 16.0), anchor, &format!("{percent} %"));
        }
        for (index, (name, sizes)) in self.bars.iter().enumerate() {
            let y = top + step * index as f64 + if is_narrow { 20.0 + extra_height } else { 4.0 + extra_height / 2.0 };
            if is_narrow {
                svg.wrapped_name((left, y - 9.0 - extra_height / 2.0), Anchor::Start, name, name_width);
            } else {
                svg.wrapped_name((left - 10.0, y + 10.0), Anchor::End, name, name_width);
            }
            let whole: f64 = sizes.iter().sum();
            let mut x = left;
            for ((part, colour), size) in self.parts.iter().zip(sizes) {
                let part_width = if whole > 0.0 { (right - left) * size / whole } else { 0.0 };
                let share = format!("{:.1} %", 100.0 * size / whole);
                let opacity = format!(" fill-opacity=\"{}\"", super::area_opacity(*colour));
                svg.rect(
                    &format!("s{colour} bar"),
                    (x, y),
                    (part_width, 20.0),
                    &opacity,
                    &format!("{name}\n{part}: {share}"),
                );
                x += part_width;
            }
        }
        svg.text("faint", ((left + right) / 2.0, bottom + 35.0), Anchor::Middle, "share of the probes");
        let names: Vec<(usize, String)> = self.parts.iter().map(|(name, colour)| (*colour, name.clone())).collect();
        let height = bottom + 46.0 + svg.legend(bottom + 44.0, &names, Swatch::Area);
        svg.finish(height, title, standalone)
    }
}
