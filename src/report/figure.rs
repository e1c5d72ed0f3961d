//! The figures of a report: what each shows, its caption, its file.

use super::svg::forest::{Forest, Row};
use super::svg::heat::Heat;
use super::svg::lines::Lines;
use super::svg::scatter::Scatter;
use super::svg::stacked::Stacked;
use crate::analysis::pairing::searches::Searches;
use crate::analysis::questions::curves::{self, Response, Series};
use crate::analysis::questions::effects::{self, Effect};
use crate::analysis::questions::findings::{Sign, sign};
use crate::analysis::questions::within::{self, Counted};
use crate::analysis::rows::axes::{self, Axis};
use crate::analysis::rows::grouping::Grouping;
use crate::analysis::{Frame, Summary};
use crate::record::columns;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// A figure.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// Its file's name, without the ending.
    pub file: String,
    /// Its heading.
    pub title: String,
    /// What is to be seen, and how it was made.
    pub caption: String,
    /// What is drawn.
    pub plot: Plot,
}

/// What is drawn.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)]
pub enum Plot {
    Forest(Forest),
    Lines(Lines),
    Stacked(Stacked),
    Heat(Heat),
    Scatter(Scatter),
}

impl Figure {
    /// Draws it, in pixels of width. `alone`: as a file of its own.
    #[must_use]
    pub fn render(&self, width: f64, alone: bool) -> String {
        match &self.plot {
            Plot::Forest(plot) => plot.render(width, &self.title, alone),
            Plot::Lines(plot) => plot.render(width, &self.title, alone),
            Plot::Stacked(plot) => plot.render(width, &self.title, alone),
            Plot::Heat(plot) => plot.render(width, &self.title, alone),
            Plot::Scatter(plot) => plot.render(width, &self.title, alone),
        }
    }
}

/// The axes of a grid, for figures.
pub struct GridView<'a> {
    /// The rows on the grid.
    pub frame: Cow<'a, Frame>,
    /// Its axes.
    pub axes: Vec<Axis>,
    /// The reference level of each.
    pub references: Vec<usize>,
    /// What each level does.
    pub effects: Vec<Effect>,
}

impl<'a> GridView<'a> {
    /// The grid that rows lie on, where there is one.
    #[must_use]
    pub fn new(rows: &'a Frame, summary: &Summary, baseline: Option<&String>) -> Option<Self> {
        let metric = &summary.metrics[0];
        let (frame, axes) = axes::axes(rows, &metric.columns());
        if axes.is_empty() {
            return None;
        }
        let references = effects::references(&frame, &axes, baseline.map(String::as_str));
        let effects = effects::effects(&frame, &axes, &references, metric);
        Some(Self { frame, axes, references, effects })
    }
}

/// What is compared.
fn metric(summary: &Summary) -> &str {
    summary.metrics.first().map_or("nodes", |metric| &metric.name)
}

/// The lines that a figure shows, and a sentence where they are not all.
fn chosen(summary: &Summary) -> (Vec<usize>, String) {
    let lines = curves::chosen(summary);
    let some = match (lines.len(), summary.lines.len()) {
        (shown, all) if shown < all => {
            format!(" {shown} of {all} shown: the baseline and those with the least and the most.")
        }
        _ => String::new(),
    };
    (lines, some)
}

/// Nodes of the iterations, and their ratios to the baseline's.
#[must_use]
pub fn by_depth(rows: &Frame, summary: &Summary) -> Vec<Figure> {
    let (lines, some) = chosen(summary);
    let series = curves::by_depth(rows, summary, &lines);
    let ratios = curves::ratio_by_depth(rows, summary, &lines);
    let base = series.iter().position(|series| series.line.is_some_and(|at| summary.lines[at].is_baseline));
    let depths: BTreeSet<u32> = series.iter().flat_map(|series| &series.points).map(|point| point.x as u32).collect();
    let lines = |series: Vec<Series>, base: Option<usize>, y: &str, ratio: bool| Lines {
        base,
        x_ticks: depths.iter().map(|&depth| (f64::from(depth), depth.to_string())).collect(),
        series,
        x: "depth (plies)".to_owned(),
        y: y.to_owned(),
        y_log: true,
        ratio,
        ..Lines::default()
    };
    let mut figures = Vec::new();
    if base.is_some() && ratios.len() > 1 {
        figures.push(Figure {
            file: "ratio-by-depth".to_owned(),
            title: "Nodes by depth, against the baseline".to_owned(),
            caption: format!("Each iteration's nodes against the baseline's at the same depth: geometric means over positions that both finished.{some}"),
            plot: Plot::Lines(lines(ratios, base, "nodes against the baseline", true)),
        });
    }
    if !series.is_empty() {
        figures.insert(
            0,
            Figure {
                file: "nodes-by-depth".to_owned(),
                title: "Nodes by depth".to_owned(),
                caption: format!("Mean nodes of each iteration of a search, on a logarithmic scale.{some}"),
                plot: Plot::Lines(lines(series, base, "nodes of the iteration", false)),
            },
        );
    }
    figures
}

/// Single searches against the baseline's.
#[must_use]
pub fn positions(rows: &Frame, summary: &Summary, searches: (&Grouping, &Searches)) -> Option<Figure> {
    let (lines, some) = chosen(summary);
    let series =
        if metric(summary) == "nodes" { curves::positions(rows, summary, searches, &lines) } else { Vec::new() };
    series.iter().any(|series| series.points.len() > 2).then(|| Figure {
        file: "positions".to_owned(),
        title: "Position by position".to_owned(),
        caption: format!("Each search's nodes against the baseline's, by the baseline's size. Below the dashed line: fewer nodes.{some}"),
        plot: Plot::Scatter(Scatter {
            series,
            x: "nodes of the baseline".to_owned(),
            y: "nodes against the baseline".to_owned(),
        }),
    })
}

/// Searches that have come to their end, or to the right move, within so many nodes.
#[must_use]
pub fn within(rows: &Frame, summary: &Summary, searches: (&Grouping, &Searches)) -> Vec<Figure> {
    if metric(summary) != "nodes" || summary.searches < 3 {
        return Vec::new();
    }
    let (lines, some) = chosen(summary);
    let base = |series: &[Series]| {
        series.iter().position(|series| series.line.is_some_and(|at| summary.lines[at].is_baseline))
    };
    let plots = [
        (
            Counted::Finished,
            "finished",
            "Searches finished within so many nodes",
            "Share of the searches that have finished their last depth by then.",
        ),
        (
            Counted::Solved,
            "solved",
            "Positions solved within so many nodes",
            "Share of the positions whose right move was found by then, and kept to.",
        ),
    ];
    plots
        .into_iter()
        .filter_map(|(counted, file, title, caption)| {
            let series = within::within(rows, summary, searches, &lines, counted);
            (series.len() > 1).then(|| Figure {
                file: file.to_owned(),
                title: title.to_owned(),
                caption: format!("{caption} The further left and up, the fewer nodes.{some}"),
                plot: Plot::Lines(Lines {
                    base: base(&series),
                    series,
                    x: "nodes of the search".to_owned(),
                    y: file.to_owned(),
                    x_log: true,
                    share: true,
                    stairs: true,
                    ..Lines::default()
                }),
            })
        })
        .collect()
}

/// Each line's ratio with its interval.
#[must_use]
pub fn forest(summary: &Summary) -> Option<Figure> {
    let metric = metric(summary);
    let rows: Vec<Row> = summary
        .lines
        .iter()
        .filter(|line| !line.is_baseline && line.ratio().mean > 0.0)
        .map(|line| {
            let (ratio, sign) = (line.ratio(), sign(line, 0));
            let clear = matches!(sign, Sign::Less | Sign::More);
            Row { name: line.name.clone(), mean: ratio.mean, low: ratio.low, high: ratio.high, clear }
        })
        .collect();
    (!rows.is_empty()).then(|| Figure {
        file: "ratio".to_owned(),
        title: capital(&format!("{metric} against the baseline")),
        caption: "Geometric mean of the ratio by position, with its 95 % interval. Blue: clearly less, orange: clearly more, grey: no \
                  difference found."
            .to_owned(),
        plot: Plot::Forest(Forest { rows, x: format!("{metric}, as a ratio to the baseline's"), differences: false }),
    })
}

/// Ratios and usable hits by the size of the table.
#[must_use]
pub fn by_size(grid: &GridView<'_>, summary: &Summary) -> Vec<Figure> {
    let metric = metric(summary);
    let Some(axis) = grid.axes.iter().position(|axis| axis.path == "table.size" && axis.is_numeric()) else {
        return Vec::new();
    };
    let ticks: Vec<(f64, String)> =
        grid.axes[axis].levels.iter().filter_map(|level| Some((level.number?, level.label.clone()))).collect();
    let in_entries = ticks.iter().all(|(_, label)| label.parse::<u64>().is_ok());
    let unit = if in_entries { "table size (entries)" } else { "table size" };
    let ticks: Vec<(f64, String)> = match in_entries {
        true => ticks.into_iter().map(|(value, _)| (value, entries(value))).collect(),
        false => ticks,
    };
    let lines = |series: Vec<Series>, y: &str, ratio: bool| Lines {
        series,
        x: unit.to_owned(),
        y: y.to_owned(),
        x_log: true,
        y_log: ratio,
        x_ticks: ticks.clone(),
        ratio,
        share: !ratio,
        ..Lines::default()
    };
    let ratio = |at: usize| {
        let ratio = summary.lines[at].ratio();
        Some((ratio.mean, ratio.low, ratio.high))
    };
    let usable = |at: usize| {
        let line = &summary.lines[at];
        let (low, high) = line.interval(columns::USABLE);
        (line.probes > 0.0).then_some((line.usable / line.probes, low, high))
    };
    let hits = |at: usize| {
        let line = &summary.lines[at];
        let (low, high) = line.interval(columns::HITS);
        (line.probes > 0.0).then_some((line.hits / line.probes, low, high))
    };
    let saved = |at: usize| {
        let line = &summary.lines[at];
        let (low, high) = line.interval(columns::SAVED);
        line.worth().map(|(saved, of)| (saved / of, low, high))
    };
    let along =
        |value: &dyn Fn(usize) -> Option<(f64, f64, f64)>| curves::along(&grid.frame, &grid.axes, axis, summary, value);
    let worth = across(&along(&hits), along(&saved));
    let plots = [
        (
            "size-ratio",
            capital(&format!("{metric} by table size")),
            format!("Ratio of {metric} to the baseline's, by the size of the table."),
            lines(along(&ratio), &format!("{metric} against the baseline"), true),
        ),
        (
            "size-usable",
            "Usable hits by table size".to_owned(),
            "Share of the probes that ended their node.".to_owned(),
            lines(along(&usable), "usable hits", false),
        ),
        (
            "size-saved",
            "Nodes saved by table size".to_owned(),
            "Worth: of the nodes that it would have taken without the cutoffs, those that they saved.".to_owned(),
            lines(along(&saved), "nodes saved", false),
        ),
        (
            "worth-hits",
            "Worth against hits".to_owned(),
            "A line for each policy, a point for each size: share of the probes answered, and share of the nodes saved. Counts mislead \
             where one line runs above another at fewer hits."
                .to_owned(),
            Lines { x: "hits".to_owned(), x_log: false, x_ticks: shares(&worth), ..lines(worth, "nodes saved", false) },
        ),
    ];
    plots
        .into_iter()
        .filter(|(.., lines)| !lines.series.is_empty())
        .map(|(file, title, caption, lines)| Figure { file: file.to_owned(), title, caption, plot: Plot::Lines(lines) })
        .collect()
}

/// Each series by the values of another instead of its own x.
fn across(x: &[Series], mut y: Vec<Series>) -> Vec<Series> {
    for series in &mut y {
        let of = x.iter().find(|other| other.name == series.name);
        let at = |old: f64| of.and_then(|of| of.points.iter().find(|point| point.x == old)).map(|point| point.y);
        series.points.retain_mut(|point| at(point.x).map(|x| point.x = x).is_some());
    }
    y.retain(|series| !series.points.is_empty());
    y
}

/// Round shares between the least and the greatest x.
fn shares(series: &[Series]) -> Vec<(f64, String)> {
    let x = || series.iter().flat_map(|series| &series.points).map(|point| 100.0 * point.x);
    let (least, most) = (x().fold(100.0, f64::min), x().fold(0.0, f64::max));
    let step = [1u32, 2, 5, 10, 20].into_iter().find(|&step| most - least <= f64::from(step * 8)).unwrap_or(20);
    let round = (0..=100 / step).map(|at| at * step).filter(|&share| (least..=most).contains(&f64::from(share)));
    round.map(|share| (f64::from(share) / 100.0, format!("{share} %"))).collect()
}

/// A number of entries as people say it: 8 K, 1 M; others in full.
fn entries(value: f64) -> String {
    let units = [("M", 1_048_576.0), ("K", 1024.0)];
    let unit = units.into_iter().find(|(_, unit)| value >= *unit && value % unit == 0.0);
    unit.map_or_else(|| super::number::count(value), |(name, unit)| format!("{} {name}", value / unit))
}

/// The response to each numeric option.
#[must_use]
pub fn responses(grid: &GridView<'_>, summary: &Summary) -> Vec<Figure> {
    let metric = &summary.metrics[0];
    let responses = curves::responses(&grid.frame, &grid.axes, &grid.references, &grid.effects, metric);
    responses.into_iter().map(response).collect()
}

fn response(response: Response) -> Figure {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    let name = response.path.rsplit('.').next().unwrap_or(&response.path).to_owned();
    let lines = if response.by.is_empty() { String::new() } else { format!(" One line for each {}.", response.by) };
    let ticks: std::collections::BTreeMap<u64, f64> =
        response.series.iter().flat_map(|series| &series.points).map(|point| (point.x.to_bits(), point.x)).collect();
    Figure {
        file: format!("response-{}", response.path.chars().map(plain).collect::<String>()),
        title: format!("Response to {name}"),
        caption: format!(
            "Ratio to {name} = {}, paired by position and by every other option; the band is the 95 % interval.{lines}",
            response.reference
        ),
        plot: Plot::Lines(Lines {
            x_ticks: ticks.into_values().map(|x| (x, super::svg::scale::short(x))).collect(),
            series: response.series,
            x: response.path,
            y: format!("against {}", response.reference),
            ratio: true,
            y_log: true,
            ..Lines::default()
        }),
    }
}

/// A map of two axes.
#[must_use]
pub fn map(grid: &GridView<'_>, summary: &Summary) -> Option<Figure> {
    let metric = metric(summary);
    if grid.axes.len() < 2 || grid.axes[..2].iter().any(|axis| axis.levels.len() > 16) {
        return None;
    }
    let cells = curves::map(&grid.frame, &grid.axes, (0, 1), summary);
    let filled = cells.iter().flatten().flatten().count();
    if filled * 2 < cells.iter().map(Vec::len).sum::<usize>() {
        return None;
    }
    // The longer axis runs down the page: there is more room.
    let side =
        |axis: &Axis| (axis.name.clone(), axis.levels.iter().map(|level| level.label.clone()).collect::<Vec<_>>());
    let (a, b) = (side(&grid.axes[0]), side(&grid.axes[1]));
    let width = |levels: &[String]| levels.iter().map(String::len).max().unwrap_or(0).max(7) * levels.len();
    let turned = width(&b.1) > width(&a.1);
    let heat = if turned {
        let columns = (0..b.1.len()).map(|column| cells.iter().map(|row| row[column]).collect()).collect();
        Heat { first: b, second: a, cells: columns }
    } else {
        Heat { first: a, second: b, cells }
    };
    let rest = if grid.axes.len() > 2 { " The other axes are averaged over." } else { "" };
    Some(Figure {
        file: "map".to_owned(),
        title: capital(&format!("{} and {}", heat.first.0, heat.second.0)),
        caption: format!("Geometric mean ratio of {metric} to the baseline's: blue less, orange more.{rest}"),
        plot: Plot::Heat(heat),
    })
}

/// What became of the probes.
#[must_use]
pub fn anatomy(summary: &Summary) -> Option<Figure> {
    let (lines, some) = chosen(summary);
    let parts =
        [("usable hit", 1), ("move-only hit", 6), ("other hit", 4), ("miss, free slot", 7), ("miss, other keys", 2)];
    let bars: Vec<(String, Vec<f64>)> = lines
        .iter()
        .map(|&at| &summary.lines[at])
        .filter(|line| line.probes > 0.0)
        .map(|line| {
            let other = (line.hits - line.usable - line.move_only).max(0.0);
            (line.name.clone(), vec![line.usable, line.move_only, other, line.misses_empty, line.misses_other])
        })
        .collect();
    (!bars.is_empty()).then(|| Figure {
        file: "anatomy".to_owned(),
        title: "What became of the probes".to_owned(),
        caption: format!(
            "A usable hit ends its node; a move-only hit gives it a first move; a miss met a free slot, or slots that other keys \
             held.{some}"
        ),
        plot: Plot::Stacked(Stacked { parts: parts.map(|(name, colour)| (name.to_owned(), colour)).to_vec(), bars }),
    })
}

/// A heading begins with a capital.
fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::questions::curves::Point;

    /// Round shares, from the least to the greatest that are drawn, eight steps at most.
    #[test]
    fn shares_have_round_ticks_between_their_ends() {
        let of = |shares: &[f64]| {
            let point = |&x: &f64| Point { x, y: 0.5, low: f64::NAN, high: f64::NAN, label: String::new() };
            let series = Series { name: String::new(), line: None, points: shares.iter().map(point).collect() };
            super::shares(&[series]).into_iter().map(|(at, text)| format!("{at:.2} {text}")).collect::<Vec<_>>()
        };
        assert_eq!(of(&[0.31, 0.12, 0.2]), ["0.15 15 %", "0.20 20 %", "0.25 25 %", "0.30 30 %"]);
        assert_eq!(of(&[0.0, 1.0]).len(), 6, "twenty apart");
        assert_eq!(of(&[0.02, 0.1]).len(), 9, "one apart, both ends among them");
        assert_eq!(of(&[0.405, 0.409]), Vec::<String>::new());
    }
}
