//! The figures of a grid of options.

use super::figure::{Figure, Plot, capitalize, metric_name};
use super::svg::heat::Heat;
use super::svg::lines::Lines;
use crate::analysis::questions::curves::{self, Series};
use crate::analysis::questions::effects::{self, Effect};
use crate::analysis::rows::axes::{self, Axis};
use crate::analysis::rows::metric::Better;
use crate::analysis::{Frame, Summary};
use crate::record::columns;
use std::borrow::Cow;

#[derive(Default)]
pub struct Grid<'a> {
    pub frame: Cow<'a, Frame>,
    pub axes: Vec<Axis>,
    pub references: Vec<usize>,
    pub effects: Vec<Effect>,
    pub better: Better,
}

impl<'a> Grid<'a> {
    /// Makes the grid of the rows. `baseline` is the name of the baseline's variant. Returns `None`
    /// if no option varies.
    pub(super) fn new(rows: &'a Frame, summary: &Summary, baseline: Option<&String>) -> Option<Self> {
        let metric = &summary.metrics[0];
        let (frame, axes) = axes::find_axes(rows);
        if axes.is_empty() {
            return None;
        }
        let references = effects::reference_levels(&frame, &axes, baseline.map(String::as_str));
        let mut effects = effects::main_effects(&frame, &axes, &references, metric);
        effects.iter_mut().for_each(|effect| effect.judged = summary.withhold(metric, effect.judged));
        Some(Self { frame, axes, references, effects, better: summary.better(metric) })
    }
}

/// The maximum number of points in the first figure of a page. If the figure has more points, the
/// map comes first.
const MAX_LEADING_POINTS: usize = 64;

/// The figures of a grid. The first figure covers the whole grid. It has a numeric option along x
/// and a line for each combination of the other options. If it would have too many lines or points,
/// the heat map comes first instead.
pub(super) fn figures(grid: &Grid<'_>, summary: &Summary) -> Vec<Figure> {
    let mut figures = size_figures(grid, summary);
    let is_crowded = figures.first().is_some_and(|figure| match &figure.plot {
        Plot::Lines(Lines { series, .. }) => {
            let points: usize = series.iter().map(|line| line.points.len()).sum();
            series.len() > curves::MAX_LINES || points > MAX_LEADING_POINTS
        }
        _ => false,
    });
    let map_index = if is_crowded { 0 } else { figures.len() };
    figures.splice(map_index..map_index, map_figure(grid, summary));
    figures
}

fn ratio_of(summary: &Summary) -> impl Fn(usize) -> Option<(f64, f64, f64)> + '_ {
    |line| {
        let ratio = summary.lines[line].ratio();
        Some((ratio.mean, ratio.low, ratio.high))
    }
}

fn size_figures(grid: &Grid<'_>, summary: &Summary) -> Vec<Figure> {
    let metric = metric_name(summary);
    let Some(axis) = grid.axes.iter().position(|axis| axis.path == "table.size" && axis.is_numeric()) else {
        return Vec::new();
    };
    let levels = grid.axes[axis].levels.iter().filter_map(|level| Some((level.number?, &level.label)));
    let in_entries = levels.clone().all(|(_, label)| label.parse::<u64>().is_ok());
    let unit = if in_entries { "table size (entries)" } else { "table size" };
    let format_tick = |size: f64, label: &String| if in_entries { format_entries(size) } else { label.clone() };
    let ticks: Vec<(f64, String)> = levels.map(|(size, label)| (size, format_tick(size, label))).collect();
    let make_lines = |series: Vec<Series>, y: &str, ratio: bool| Lines {
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
    // Returns a line's sum of a column as a share of its probes, with the interval of the share.
    let share_of_probes = |line: usize, column: &str| {
        let (low, high) = summary.lines[line].interval(column);
        let [part, probes] = [column, columns::PROBES].map(|column| summary.lines[line].sum(column));
        (probes > 0.0).then_some((part / probes, low, high))
    };
    let usable_share = |line| share_of_probes(line, columns::USABLE);
    let hit_share = |line| share_of_probes(line, columns::HITS);
    let worth_of = |line: usize| {
        let (low, high) = summary.lines[line].interval(columns::SAVED);
        summary.lines[line].saved_and_total_nodes().map(|(part, whole)| (part / whole, low, high))
    };
    let series_of = |value: &dyn Fn(usize) -> Option<(f64, f64, f64)>| {
        curves::series_along_axis(&grid.frame, &grid.axes, axis, summary, value)
    };
    let worth_by_hits = plot_against(&series_of(&hit_share), series_of(&worth_of));
    let plots = [
        (
            "size-ratio",
            capitalize(&format!("{metric} by table size")),
            format!(
                "{} divided by the baseline's, at each size of the table (bands: 95 % intervals). Where lines meet, the table is so large that \
                 the choice between them no longer matters.",
                capitalize(metric)
            ),
            make_lines(series_of(&ratio_of(summary)), &format!("{metric} against the baseline"), true),
        ),
        (
            "size-usable",
            "Usable hits by table size".to_owned(),
            "Share of the probes that end their node. A line that levels off has a table large enough for this search.".to_owned(),
            make_lines(series_of(&usable_share), "usable hits", false),
        ),
        (
            "size-saved",
            "Worth by table size".to_owned(),
            "Nodes that the table saved (what the entries used for cutoffs had cost), as a share of these and the nodes searched. Where a line \
             levels off, more memory saves little more.".to_owned(),
            make_lines(series_of(&worth_of), "worth", false),
        ),
        (
            "worth-hits",
            "Worth against hits".to_owned(),
            "A point for each size of the table: the share of probes answered, and what the cutoffs were worth. Where one line runs above another \
             at fewer hits, the hit rate misleads: fewer answers saved more nodes."
                .to_owned(),
            Lines { x: "hits".to_owned(), x_log: false, x_ticks: share_ticks(&worth_by_hits), ..make_lines(worth_by_hits, "worth", false) },
        ),
    ];
    plots
        .into_iter()
        .filter(|(.., lines)| !lines.series.is_empty())
        .map(|(file, title, caption, lines)| Figure { file: file.to_owned(), title, caption, plot: Plot::Lines(lines) })
        .collect()
}

/// Plots two quantities against each other. Both quantities are given as series over the same
/// variable. In the returned series, x is the quantity of `x_series` and y is the quantity of
/// `y_series`. Each series of `y_series` is matched with the series of the same name in `x_series`.
/// A point is dropped if the matching series has no point at the same value of the variable.
fn plot_against(x_series: &[Series], mut y_series: Vec<Series>) -> Vec<Series> {
    for series in &mut y_series {
        let counterpart = x_series.iter().find(|counterpart| counterpart.name == series.name);
        let new_x = |old_x: f64| counterpart?.points.iter().find(|point| point.x == old_x).map(|point| point.y);
        series.points.retain_mut(|point| {
            let Some(x) = new_x(point.x) else { return false };
            point.x = x;
            true
        });
    }
    y_series.retain(|series| !series.points.is_empty());
    y_series
}

/// There are at most nine ticks.
fn share_ticks(series: &[Series]) -> Vec<(f64, String)> {
    let percentages = || series.iter().flat_map(|series| &series.points).map(|point| 100.0 * point.x);
    let (min, max) = (percentages().fold(100.0, f64::min), percentages().fold(0.0, f64::max));
    let step = [1u32, 2, 5, 10].into_iter().find(|&step| max - min <= f64::from(step * 8)).unwrap_or(20);
    let round_values = (0u32..=100).step_by(step as usize).filter(|&value| (min..=max).contains(&f64::from(value)));
    round_values.map(|percent| (f64::from(percent) / 100.0, format!("{percent} %"))).collect()
}

/// Formats a number of entries, as in 8 K or 1 M. A number that is not a whole multiple of 1024 is
/// formatted in full.
fn format_entries(value: f64) -> String {
    let units = [("M", 1_048_576.0), ("K", 1024.0)];
    let unit = units.into_iter().find(|&(_, size)| value >= size && value % size == 0.0);
    unit.map_or_else(|| super::number::format_count(value), |(name, size)| format!("{} {name}", value / size))
}

fn map_figure(grid: &Grid<'_>, summary: &Summary) -> Option<Figure> {
    let metric = metric_name(summary);
    if grid.axes.len() < 2 || grid.axes[..2].iter().any(|axis| axis.levels.len() > 16) {
        return None;
    }
    let curves::RatioMap { cells, levels_differ } = curves::ratio_map(&grid.frame, &grid.axes, (0, 1), summary);
    let filled_count = cells.iter().flatten().flatten().count();
    if filled_count * 2 < cells.iter().map(Vec::len).sum::<usize>() {
        return None;
    }
    let name_and_labels =
        |axis: &Axis| (axis.name.clone(), axis.levels.iter().map(|level| level.label.clone()).collect::<Vec<_>>());
    let (first, second) = (name_and_labels(&grid.axes[0]), name_and_labels(&grid.axes[1]));
    // The width of the map if its columns have these labels. A number takes about 7 letters.
    let width_with_columns =
        |(_, labels): &(String, Vec<String>)| labels.iter().map(String::len).max().unwrap_or(0).max(7) * labels.len();
    let better = grid.better;
    // The axis with the longer labels runs down the page, where there is more room.
    let heat = if width_with_columns(&second) > width_with_columns(&first) {
        let transposed =
            (0..grid.axes[1].levels.len()).map(|column| cells.iter().map(|row| row[column]).collect()).collect();
        Heat { first: second, second: first, cells: transposed, better }
    } else {
        Heat { first, second, cells, better }
    };
    let remark = if levels_differ {
        " Averaged over the other axes. Not all cells have the same values of the other axes, which may explain differences."
    } else if grid.axes.len() > 2 {
        " Averaged over the other axes."
    } else {
        ""
    };
    Some(Figure {
        file: "map".to_owned(),
        title: capitalize(&format!("{} and {}", heat.first.0, heat.second.0)),
        caption: format!(
            "{} divided by the baseline's (geometric mean). If a row or a column has one colour, the other option makes no difference \
             there.{remark}",
            capitalize(metric)
        ),
        plot: Plot::Heat(heat),
    })
}

#[cfg(test)]
mod tests;
