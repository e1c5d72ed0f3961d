//! Plots as SVG: light and dark, with tooltips, colours that the colour-blind can tell apart, and marks that need no colour.
//!
//! Our own few functions instead of a plotting crate: a crate's colours are fixed when the file is written (no dark pages), and its
//! marks carry no `<title>` (no tooltips).

pub mod forest;
pub mod heat;
pub mod lines;
pub mod scale;
pub mod scatter;
pub mod stacked;

use maud::html;
use std::fmt::Write;

/// Colours, light and dark. The series' are Okabe and Ito's, darkened or lightened until they stand out from the page by 3 : 1.
/// Source: Okabe and Ito, "Color Universal Design", 2008.
pub const COLOURS: &str = "\
:root{--page:#fff;--ink:#1b1f24;--faint:#59636e;--rule:#d8dde3;--panel:#f5f7f9;--good:#00725a;--bad:#b34700;\
--s0:#1b1f24;--s1:#0072b2;--s2:#b34700;--s3:#00805d;--s4:#a3578a;--s5:#957000;--s6:#2f86ad;--s7:#6b7280}\
@media (prefers-color-scheme:dark){:root{--page:#14181d;--ink:#e8ebee;--faint:#a3adb8;--rule:#363d46;--panel:#1d232a;--good:#3fd0a6;\
--bad:#ff9a5c;--s0:#e8ebee;--s1:#56b4e9;--s2:#ff8f4d;--s3:#35cfa2;--s4:#e59fcc;--s5:#f0c94e;--s6:#a8d8f2;--s7:#98a2ad}}";

/// Classes that every plot uses.
pub const STYLE: &str = "\
svg text{font:12px system-ui,sans-serif;fill:var(--ink)}svg .faint{fill:var(--faint)}svg .rule{stroke:var(--rule);fill:none}\
svg .one{stroke:var(--faint);stroke-dasharray:4 3;fill:none}svg .frame{stroke:var(--faint);fill:none}\
svg .s0{stroke:var(--s0);fill:var(--s0)}svg .s1{stroke:var(--s1);fill:var(--s1)}svg .s2{stroke:var(--s2);fill:var(--s2)}\
svg .s3{stroke:var(--s3);fill:var(--s3)}svg .s4{stroke:var(--s4);fill:var(--s4)}svg .s5{stroke:var(--s5);fill:var(--s5)}\
svg .s6{stroke:var(--s6);fill:var(--s6)}svg .s7{stroke:var(--s7);fill:var(--s7)}\
svg .line{fill:none;stroke-width:2}svg .band{fill-opacity:.16;stroke:none}svg .dot{fill-opacity:.55;stroke:none}\
svg .bar{stroke:var(--page);stroke-width:1}";

/// Colours that [`STYLE`] names.
const SERIES: usize = 8;

/// Text from a file made harmless in markup.
fn escape(text: &str) -> String {
    // XML knows no other control characters.
    let text = html! { (text) }.into_string().replace('\'', "&#39;").replace(['\n', '\t', '\r'], " ");
    // What XML cannot hold.
    text.replace(|c: char| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}'), "\u{fffd}")
}

/// A drawing that grows.
pub struct Svg {
    width: f64,
    body: String,
}

/// What stands for a series in a legend.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub enum Swatch {
    Mark,
    Area,
}

/// How much of its colour an area shows.
fn opacity(series: usize) -> f64 {
    if series == 7 { 0.45 } else { 0.85 }
}

/// Where a text stands to its point.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

impl Svg {
    /// A drawing of a width in pixels.
    pub fn new(width: f64) -> Self {
        Self { width, body: String::new() }
    }

    /// Its width.
    pub fn width(&self) -> f64 {
        self.width
    }

    /// A straight line.
    pub fn line(&mut self, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        let _ =
            write!(self.body, "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>");
    }

    /// A line through points.
    pub fn path(&mut self, class: &str, points: &[(f64, f64)], closed: bool) {
        let _ = write!(self.body, "<path class=\"{class}\" {}/>", outline(points, closed));
    }

    /// A rectangle with a tooltip and further attributes.
    pub fn rect(&mut self, class: &str, (x, y): (f64, f64), (width, height): (f64, f64), more: &str, title: &str) {
        let _ = write!(
            self.body,
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"{more}>{}</rect>",
            tooltip(title)
        );
    }

    /// A mark: the shape goes with the colour, so that either tells the series.
    pub fn mark(&mut self, series: usize, more: &str, (x, y): (f64, f64), size: f64, title: &str) {
        let class = format!("s{} {more}", series % SERIES);
        let class = class.trim_end();
        let (w, h, side) = (size * 1.2, size * 1.25, size * 1.8);
        let (tag, place) = match series % 4 {
            0 => ("circle", format!("cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{size:.1}\"")),
            1 => return self.rect(class, (x - size * 0.9, y - size * 0.9), (side, side), "", title),
            2 => ("path", outline(&[(x, y - h), (x + w, y + h * 0.8), (x - w, y + h * 0.8)], true)),
            _ => ("path", outline(&[(x, y - h), (x + w, y), (x, y + h), (x - w, y)], true)),
        };
        let _ = write!(self.body, "<{tag} class=\"{class}\" {place}>{}</{tag}>", tooltip(title));
    }

    /// A text.
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

    /// A text that is cut to a width in pixels, the whole of it in a tooltip.
    pub fn fitted(&mut self, (x, y): (f64, f64), anchor: Anchor, text: &str, width: f64) {
        let short = cut(text, width);
        if short == text {
            self.text("", (x, y), anchor, text);
        } else {
            self.body.push_str("<g>");
            self.text("", (x, y), anchor, &short);
            let _ = write!(self.body, "{}</g>", tooltip(text));
        }
    }

    /// A name of several parts, broken at its commas where it is wider than there is room; `y` is the middle of its lines.
    pub fn name(&mut self, (x, y): (f64, f64), anchor: Anchor, text: &str, width: f64) {
        let lines = broken(text, width);
        let top = y + 4.0 - LINE * (lines.len() as f64 - 1.0) / 2.0;
        for (at, line) in lines.iter().enumerate() {
            self.fitted((x, top + LINE * at as f64), anchor, line, width);
        }
    }

    /// A text that runs upwards along an axis.
    pub fn upwards(&mut self, (x, y): (f64, f64), text: &str) {
        let _ = write!(
            self.body,
            "<text class=\"faint\" text-anchor=\"middle\" transform=\"translate({x:.1} {y:.1}) rotate(-90)\">{}</text>",
            escape(text)
        );
    }

    /// The names of series under a plot, as many in a row as fit; the height that they take.
    pub fn legend(&mut self, top: f64, names: &[(usize, String)], swatch: Swatch) -> f64 {
        let (mut x, mut y) = (8.0, top + 14.0);
        for (series, name) in names {
            let wide = (30.0 + measure(name)).min(self.width - 8.0);
            if x > 8.0 && x + wide > self.width {
                (x, y) = (8.0, y + 19.0);
            }
            match swatch {
                Swatch::Mark => self.mark(*series, "", (x + 6.0, y - 4.0), 4.5, ""),
                // Areas are squares, and as pale as they are in the plot.
                Swatch::Area => {
                    let pale = format!(" fill-opacity=\"{}\"", opacity(*series));
                    self.rect(&format!("s{series} bar"), (x + 1.0, y - 10.0), (11.0, 11.0), &pale, "");
                }
            }
            self.fitted((x + 17.0, y), Anchor::Start, name, self.width - 30.0);
            x += wide;
        }
        y + 8.0 - top
    }

    /// The finished drawing. `alone`: with its colours, as a file of its own.
    pub fn finish(self, height: f64, title: &str, alone: bool) -> String {
        let style =
            if alone { format!("<style>{COLOURS}{STYLE}svg{{background:var(--page)}}</style>") } else { String::new() };
        let (width, body) = (self.width, self.body);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" \
             role=\"img\" aria-label=\"{}\">{style}{body}</svg>",
            escape(title)
        )
    }
}

/// Where a path goes.
fn outline(points: &[(f64, f64)], closed: bool) -> String {
    let step = |(at, (x, y)): (usize, &(f64, f64))| format!("{}{x:.1} {y:.1}", if at == 0 { 'M' } else { 'L' });
    let steps: String = points.iter().enumerate().map(step).collect();
    format!("d=\"{steps}{}\"", if closed { "Z" } else { "" })
}

fn tooltip(title: &str) -> String {
    if title.is_empty() { String::new() } else { format!("<title>{}</title>", escape(title)) }
}

/// About how wide a letter is, in pixels, in the widest of the usual fonts.
const LETTER: f64 = 7.2;

/// About how wide a text is, in pixels.
pub fn measure(text: &str) -> f64 {
    LETTER * text.chars().count() as f64
}

/// From one line of a name to the next, in pixels.
const LINE: f64 = 14.0;

/// A name in lines of at most a width, broken after commas; a part that is too wide by itself at its blanks.
pub fn broken(text: &str, width: f64) -> Vec<String> {
    fn at(text: &str, end: &str, width: f64) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for part in text.split_inclusive(end) {
            match lines.last_mut() {
                Some(line) if measure(line) + measure(part.trim_end()) <= width => line.push_str(part),
                _ => lines.push(part.to_owned()),
            }
        }
        lines.iter().map(|line| line.trim_end().to_owned()).collect()
    }
    let fits = |line: &String| measure(line) <= width;
    at(text, ", ", width)
        .into_iter()
        .flat_map(|line| if fits(&line) { vec![line] } else { at(&line, " ", width) })
        .collect()
}

/// The most lines that one of some names takes.
fn most_lines<'a>(names: impl Iterator<Item = &'a String>, width: f64) -> f64 {
    names.map(|name| broken(name, width).len()).max().unwrap_or(1) as f64
}

/// A text cut to a width.
pub fn cut(text: &str, width: f64) -> String {
    if measure(text) <= width {
        return text.to_owned();
    }
    // What tells variants apart is often at their ends: the middle goes.
    let room = (width / LETTER) as usize;
    let (head, tail) = (room.saturating_sub(1).div_ceil(2), room.saturating_sub(1) / 2);
    let letters: Vec<char> = text.chars().collect();
    let (start, end) = (&letters[..head.min(letters.len())], &letters[letters.len() - tail.min(letters.len())..]);
    start.iter().chain(&['…']).chain(end).collect()
}

#[cfg(test)]
mod tests;
