//! Plots as SVG. They have light and dark colours that colour-blind readers can distinguish, marks
//! that do not depend on colour, and tooltips.
//!
//! The plots are not drawn by a plotting crate. Such a crate fixes its colours when the file is
//! written, so there would be no dark pages. It also gives its marks no `<title>`, so there would
//! be no tooltips.

pub mod forest;
pub mod heat;
pub mod lines;
pub mod scale;

use super::emphasis::Emphasis;
use maud::html;
use std::fmt::Write;

/// Light and dark colours, with a contrast of 3 : 1 with the page. Verdicts and the first three
/// series use the colours of Okabe and Ito, "Color Universal Design", 2008, darkened or lightened.
/// No series has the colour of a verdict.
pub const COLOURS: &str = "\
:root{--page:#fff;--ink:#1b1f24;--faint:#59636e;--rule:#d8dde3;--panel:#f5f7f9;--link:#0072b2;--better:#0072b2;--worse:#b34700;--unclear:#6b7280;\
--s0:#1b1f24;--s1:#00805d;--s2:#a3578a;--s3:#957000;--s4:#882255;--s5:#2a8c99;--s6:#5b4bb0;--s7:#7a5c3a}\
@media (prefers-color-scheme:dark){:root{--page:#14181d;--ink:#e8ebee;--faint:#a3adb8;--rule:#363d46;--panel:#1d232a;\
--link:#56b4e9;--better:#56b4e9;--worse:#ff8f4d;--unclear:#98a2ad;--s0:#e8ebee;--s1:#35cfa2;--s2:#e59fcc;--s3:#f0c94e;--s4:#e0678f;--s5:#7fd6de;--s6:#ab9df2;--s7:#c9a27a}}";

pub const STYLE: &str = "\
svg text{font:12px system-ui,sans-serif;fill:var(--ink)}svg .faint{fill:var(--faint)}svg .rule{stroke:var(--rule);fill:none}\
svg .one{stroke:var(--faint);stroke-dasharray:4 3;fill:none}svg .frame{stroke:var(--faint);fill:none}\
svg .s0{stroke:var(--s0);fill:var(--s0)}svg .s1{stroke:var(--s1);fill:var(--s1)}svg .s2{stroke:var(--s2);fill:var(--s2)}\
svg .s3{stroke:var(--s3);fill:var(--s3)}svg .s4{stroke:var(--s4);fill:var(--s4)}svg .s5{stroke:var(--s5);fill:var(--s5)}\
svg .better{stroke:var(--better);fill:var(--better)}svg .worse{stroke:var(--worse);fill:var(--worse)}\
svg .unclear{stroke:var(--unclear);fill:var(--unclear)}svg .other{stroke:var(--ink);fill:var(--ink)}\
svg .s6{stroke:var(--s6);fill:var(--s6)}svg .s7{stroke:var(--s7);fill:var(--s7)}\
svg .line{fill:none;stroke-width:2}svg .band{fill-opacity:.16;stroke:none}\
svg .whisker{stroke-width:1.5;stroke-opacity:.6}svg .bar{stroke:var(--page);stroke-width:1}";

const SERIES: usize = 8;

fn escape(text: &str) -> String {
    let text = html! { (text) }.into_string().replace('\'', "&#39;").replace(['\n', '\t', '\r'], " ");
    // XML does not allow the remaining control characters, nor the two characters in `matches`.
    text.replace(|c: char| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}'), "\u{fffd}")
}

pub struct Svg {
    width: f64,
    body: String,
}

#[derive(Debug, Clone, Copy)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

impl Svg {
    pub fn new(width: f64) -> Self {
        Self { width, body: String::new() }
    }

    pub fn line(&mut self, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        let _ =
            write!(self.body, "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>");
    }

    /// Draws a line through points. If `is_closed` is true, draws the area that the line encloses.
    pub fn path(&mut self, class: &str, points: &[(f64, f64)], is_closed: bool) {
        let _ = write!(self.body, "<path class=\"{class}\" {}/>", path_data(points, is_closed));
    }

    /// Draws a rectangle with further attributes and a tooltip.
    pub fn rect(
        &mut self,
        class: &str,
        (x, y): (f64, f64),
        (width, height): (f64, f64),
        attributes: &str,
        title: &str,
    ) {
        let _ = write!(
            self.body,
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"{attributes}>{}</rect>",
            tooltip(title)
        );
    }

    /// Draws a mark with the CSS class of the series. Shape and colour both identify the series.
    pub fn mark(&mut self, series: usize, (x, y): (f64, f64), size: f64, title: &str) {
        self.shape(series % 4, &format!("s{}", series % SERIES), (x, y), size, title);
    }

    /// Draws the mark of a verdict. A square means better, a triangle means worse and a diamond
    /// means unclear. Other highlights have a circle.
    pub fn verdict_mark(&mut self, emphasis: Emphasis, (x, y): (f64, f64), size: f64, title: &str) {
        let shape = match emphasis {
            Emphasis::Better | Emphasis::Passed => 1,
            Emphasis::Worse | Emphasis::Failed => 2,
            Emphasis::Unclear => 3,
            Emphasis::None | Emphasis::Other => 0,
        };
        self.shape(shape, emphasis.class(), (x, y), size, title);
    }

    /// Draws a circle (kind 0), a square (1), a triangle (2) or a diamond (3). The factors of
    /// `size` make the shapes look equally large.
    fn shape(&mut self, kind: usize, class: &str, (x, y): (f64, f64), size: f64, title: &str) {
        let (half_width, half_height, side) = (size * 1.2, size * 1.25, size * 1.8);
        let (top, bottom) = (y - half_height, y + half_height);
        let (tag, attributes) = match kind {
            0 => ("circle", format!("cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{size:.1}\"")),
            1 => return self.rect(class, (x - size * 0.9, y - size * 0.9), (side, side), "", title),
            2 => {
                let base = y + half_height * 0.8;
                ("path", path_data(&[(x, top), (x + half_width, base), (x - half_width, base)], true))
            }
            _ => ("path", path_data(&[(x, top), (x + half_width, y), (x, bottom), (x - half_width, y)], true)),
        };
        let _ = write!(self.body, "<{tag} class=\"{class}\" {attributes}>{}</{tag}>", tooltip(title));
    }

    pub fn text(&mut self, class: &str, (x, y): (f64, f64), anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let _ = write!(
            self.body,
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>",
            escape(text)
        );
    }

    /// Draws a text. If the text is wider than `width` pixels, it is shortened, and the tooltip has
    /// the whole text.
    pub fn fitted_text(&mut self, (x, y): (f64, f64), anchor: Anchor, text: &str, width: f64) {
        let short = ellipsize(text, width);
        if short == text {
            self.text("", (x, y), anchor, text);
        } else {
            self.body.push_str("<g>");
            self.text("", (x, y), anchor, &short);
            let _ = write!(self.body, "{}</g>", tooltip(text));
        }
    }

    /// Draws a name. The name is broken into lines at its commas if it is wider than `width`. `y`
    /// is the vertical middle of all lines.
    pub fn wrapped_name(&mut self, (x, y): (f64, f64), anchor: Anchor, text: &str, width: f64) {
        let lines = wrap_name(text, width);
        // A line's middle is 4 pixels above its baseline.
        let top = y + 4.0 - LINE_HEIGHT * (lines.len() as f64 - 1.0) / 2.0;
        for (index, line) in lines.iter().enumerate() {
            self.fitted_text((x, top + LINE_HEIGHT * index as f64), anchor, line, width);
        }
    }

    /// Draws a text that runs upwards along an axis.
    pub fn vertical_text(&mut self, (x, y): (f64, f64), text: &str) {
        let _ = write!(
            self.body,
            "<text class=\"faint\" text-anchor=\"middle\" transform=\"translate({x:.1} {y:.1}) rotate(-90)\">{}</text>",
            escape(text)
        );
    }

    /// Draws a legend below a plot, with as many names in a row as fit. Returns the height of the
    /// legend.
    pub fn legend(&mut self, top: f64, names: &[(usize, String)]) -> f64 {
        let (mut x, mut y) = (8.0, top + 14.0);
        for (series, name) in names {
            // An item has a mark of 17 pixels, the name, and a gap of 13 pixels.
            let item_width = (30.0 + text_width(name)).min(self.width - 8.0);
            if x > 8.0 && x + item_width > self.width {
                (x, y) = (8.0, y + 19.0);
            }
            self.mark(*series, (x + 6.0, y - 4.0), 4.5, "");
            self.fitted_text((x + 17.0, y), Anchor::Start, name, self.width - 30.0);
            x += item_width;
        }
        y + 8.0 - top
    }

    /// Finishes the drawing and returns it as SVG. If `standalone` is true, the SVG defines its own
    /// colours, so that the SVG can be a separate file.
    pub fn finish(self, height: f64, title: &str, standalone: bool) -> String {
        let style = if standalone {
            format!("<style>{COLOURS}{STYLE}svg{{background:var(--page)}}</style>")
        } else {
            String::new()
        };
        let (width, body) = (self.width, self.body);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" \
             role=\"img\" aria-label=\"{}\">{style}{body}</svg>",
            escape(title)
        )
    }
}

fn path_data(points: &[(f64, f64)], is_closed: bool) -> String {
    let command =
        |(index, (x, y)): (usize, &(f64, f64))| format!("{}{x:.1} {y:.1}", if index == 0 { 'M' } else { 'L' });
    let commands: String = points.iter().enumerate().map(command).collect();
    format!("d=\"{commands}{}\"", if is_closed { "Z" } else { "" })
}

fn tooltip(title: &str) -> String {
    if title.is_empty() { String::new() } else { format!("<title>{}</title>", escape(title)) }
}

/// Approximate width of a letter in common fonts, in pixels.
const LETTER_WIDTH: f64 = 7.2;

pub fn text_width(text: &str) -> f64 {
    LETTER_WIDTH * text.chars().count() as f64
}

/// Line height of a name, in pixels.
const LINE_HEIGHT: f64 = 14.0;

/// Breaks a name after its commas into lines of at most `width` pixels. A line that is still too
/// wide is broken at its blanks.
pub fn wrap_name(text: &str, width: f64) -> Vec<String> {
    fn split_at_separator(text: &str, separator: &str, width: f64) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for part in text.split_inclusive(separator) {
            match lines.last_mut() {
                Some(line) if text_width(line) + text_width(part.trim_end()) <= width => line.push_str(part),
                _ => lines.push(part.to_owned()),
            }
        }
        lines.iter().map(|line| line.trim_end().to_owned()).collect()
    }
    let fits = |line: &String| text_width(line) <= width;
    split_at_separator(text, ", ", width)
        .into_iter()
        .flat_map(|line| if fits(&line) { vec![line] } else { split_at_separator(&line, " ", width) })
        .collect()
}

fn max_lines<'a>(names: impl Iterator<Item = &'a String>, width: f64) -> f64 {
    names.map(|name| wrap_name(name, width).len()).max().unwrap_or(1) as f64
}

/// Shortens a text to a width in pixels by replacing its middle with an ellipsis.
pub fn ellipsize(text: &str, width: f64) -> String {
    if text_width(text) <= width {
        return text.to_owned();
    }
    // Variants often differ at the ends of their names, so the middle is dropped.
    let max_letters = (width / LETTER_WIDTH) as usize;
    // The ellipsis takes the place of one letter.
    let (head_length, tail_length) = (max_letters.saturating_sub(1).div_ceil(2), max_letters.saturating_sub(1) / 2);
    let letters: Vec<char> = text.chars().collect();
    let head = &letters[..head_length.min(letters.len())];
    let tail = &letters[letters.len() - tail_length.min(letters.len())..];
    head.iter().chain(&['…']).chain(tail).collect()
}

#[cfg(test)]
mod tests;
