//! Computes the numbers that plots show: nodes by depth, ratios by table size, and maps of
//! two axes.

use super::summary::Summary;
use crate::analysis::pairing::metric_reader::MetricReader;
use crate::analysis::pairing::pairs::BaseSearches;
use crate::analysis::pairing::searches::Searches;
use crate::analysis::rows::axes::Axis;
use crate::analysis::rows::frame::Frame;
use crate::analysis::rows::grouping::Grouping;
use crate::analysis::rows::metric::Metric;
use crate::record::columns;
use crate::stats::ratio::Ratio;
use crate::stats::sample::mean;
use std::collections::{BTreeMap, BTreeSet};

/// The largest number of lines in one plot. More lines could not be distinguished.
pub const MAX_LINES: usize = 8;

#[derive(Debug, Clone, PartialEq, Default, serde::Serialize)]
pub struct Series {
    pub name: String,
    /// The index of the summary line that the points belong to. `None` if the points do not belong
    /// to a single line.
    pub line: Option<usize>,
    pub points: Vec<CurvePoint>,
}

/// A point with an interval of y. The bounds `low` and `high` are NaN if there is no interval.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize)]
pub struct CurvePoint {
    pub x: f64,
    pub y: f64,
    pub low: f64,
    pub high: f64,
    /// The text that the tooltip shows in addition to the numbers.
    pub label: String,
}

impl CurvePoint {
    pub fn without_interval(x: f64, y: f64, label: String) -> Self {
        Self { x, y, low: f64::NAN, high: f64::NAN, label }
    }

    fn from_ratio(x: f64, ratio: &Ratio, label: &str) -> Self {
        Self { x, y: ratio.mean, low: ratio.low, high: ratio.high, label: label.to_owned() }
    }
}

/// Chooses the lines that a plot shows, and returns their indices. If more than [`MAX_LINES`] lines
/// have searches, only the first baseline and the lines with the lowest and the highest ratios are
/// chosen.
pub fn choose_lines(summary: &Summary) -> Vec<usize> {
    let searched_lines: Vec<usize> =
        (0..summary.lines.len()).filter(|&index| summary.lines[index].searches > 0).collect();
    if searched_lines.len() <= MAX_LINES {
        return searched_lines;
    }
    let (baselines, mut others): (Vec<usize>, Vec<usize>) =
        searched_lines.into_iter().partition(|&index| summary.lines[index].is_baseline);
    others.sort_by(|&a, &b| summary.lines[a].ratio().mean.total_cmp(&summary.lines[b].ratio().mean));
    let other_count = MAX_LINES - baselines.len().min(1);
    let (lowest_count, highest_count) = (other_count.div_ceil(2), other_count / 2);
    let mut chosen_lines: Vec<usize> = baselines.into_iter().take(1).collect();
    chosen_lines.extend(others.iter().take(lowest_count));
    // `max` skips lines that were already chosen among the lowest.
    chosen_lines.extend(others.iter().skip(others.len().saturating_sub(highest_count).max(lowest_count)));
    chosen_lines.sort_unstable();
    chosen_lines
}

/// A series contains the ratio of the line's nodes to its baseline's nodes at each iteration depth.
/// The ratio is the geometric mean over the positions on which both the line and its baseline
/// finished the depth.
pub fn ratio_by_depth(frame: &Frame, summary: &Summary, lines: &[usize]) -> Vec<Series> {
    if summary.lines.iter().all(|line| line.base.is_none()) {
        return Vec::new();
    }
    let (depths, finished) = (frame.numbers(columns::DEPTH), frame.text_column(columns::FINISHED));
    let mut rows_by_depth: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    let is_finished = |row: &usize| finished.text(*row) != "false" && depths[*row] > 0.0;
    for row in rows_of_lines(frame, summary, lines).into_iter().filter(is_finished) {
        rows_by_depth.entry(depths[row] as u32).or_default().push(row);
    }
    // A single depth is not a curve.
    if rows_by_depth.len() < 2 {
        return Vec::new();
    }
    let empty_series =
        |&index: &usize| Series { name: summary.lines[index].name.clone(), line: Some(index), points: Vec::new() };
    let mut series: Vec<Series> = lines.iter().map(empty_series).collect();
    for (depth, rows) in rows_by_depth {
        let depth_frame = frame.take(&rows);
        let grouping = Grouping::new(&depth_frame, &summary.by);
        let (searches, metric) = (Searches::gather(&depth_frame, &grouping), Metric::nodes());
        let reader = MetricReader::new(&searches, &metric, &depth_frame);
        let mut bases: BTreeMap<usize, BaseSearches<'_>> = BTreeMap::new();
        for (series, &index) in series.iter_mut().zip(lines) {
            let Some(group) = grouping.find(&summary.lines[index].values) else { continue };
            let Some(base) = summary.base(index).and_then(|base| grouping.find(&base.values)) else { continue };
            let pairs = bases.entry(base).or_insert_with(|| BaseSearches::new(&reader, &grouping, base)).pairs(group);
            let ratio = if group == base { Ratio::identity(pairs.list.len()) } else { pairs.ratio() };
            if ratio.pairs > 0 {
                series.points.push(CurvePoint::from_ratio(f64::from(depth), &ratio, &format!("{} pairs", ratio.pairs)));
            }
        }
    }
    // A single point is not a curve.
    if series.iter().any(|series| series.points.len() > 1) { series } else { Vec::new() }
}

fn rows_of_lines(frame: &Frame, summary: &Summary, lines: &[usize]) -> Vec<usize> {
    let grouping = Grouping::new(frame, &summary.by);
    let lines_and_bases =
        || lines.iter().flat_map(|&index| [Some(&summary.lines[index]), summary.base(index)]).flatten();
    let is_group_wanted: Vec<bool> =
        grouping.values.iter().map(|values| lines_and_bases().any(|line| line.values == *values)).collect();
    frame.select(|row| is_group_wanted[grouping.group[row] as usize])
}

/// Each index is paired with the line's levels on all axes. A level is `None` if the line has no
/// level on the axis.
fn lines_on_grid(grid: &Frame, axes: &[Axis], summary: &Summary) -> Vec<(usize, Vec<Option<usize>>)> {
    let variants = grid.text_column(columns::VARIANT);
    let locate_line = |(name, first_row): (&String, Option<usize>)| {
        let (index, row) = (summary.lines.iter().position(|line| line.name == *name)?, first_row?);
        Some((index, axes.iter().map(|axis| axis.row_level(grid, row)).collect()))
    };
    variants.list().iter().zip(variants.first_rows()).filter_map(locate_line).collect()
}

/// `y_and_interval` takes the index of a summary line and returns y and the two ends of the
/// interval of y. Series with fewer than two points are left out.
pub fn series_along_axis(
    grid: &Frame,
    axes: &[Axis],
    axis: usize,
    summary: &Summary,
    y_and_interval: impl Fn(usize) -> Option<(f64, f64, f64)>,
) -> Vec<Series> {
    let mut series_by_levels: BTreeMap<Vec<usize>, Series> = BTreeMap::new();
    for (index, levels) in lines_on_grid(grid, axes, summary) {
        let Some(levels) = levels.into_iter().collect::<Option<Vec<usize>>>() else { continue };
        let Some(x) = axes[axis].levels[levels[axis]].number else { continue };
        let Some((y, low, high)) = y_and_interval(index).filter(|(y, ..)| y.is_finite()) else { continue };
        let other_axes = || (0..axes.len()).filter(|other| *other != axis);
        // If the label is a plain number, the name of the axis follows, as in "4 slots".
        let describe_level = |other: usize| {
            let label = &axes[other].levels[levels[other]].label;
            if label.parse::<f64>().is_ok() { format!("{label} {}", axes[other].name) } else { label.clone() }
        };
        let join_levels = || other_axes().map(describe_level).collect::<Vec<_>>().join(", ");
        let other_levels = other_axes().map(|other| levels[other]).collect();
        let new_series = || Series { name: join_levels(), ..Series::default() };
        let series = series_by_levels.entry(other_levels).or_insert_with(new_series);
        let label = summary.lines[index].name.clone();
        series.points.push(CurvePoint { x, y, low, high, label });
    }
    let mut series: Vec<Series> = series_by_levels.into_values().filter(|series| series.points.len() > 1).collect();
    series.iter_mut().for_each(|series| series.points.sort_by(|a, b| a.x.total_cmp(&b.x)));
    if series.len() > 2 * MAX_LINES { Vec::new() } else { series }
}

/// The mean ratios for each combination of levels of two axes.
#[derive(Debug, Clone, PartialEq)]
pub struct RatioMap {
    /// The mean ratio of each cell, by row and column. `None` if the cell contains no line.
    pub cells: Vec<Vec<Option<f64>>>,
    /// Whether some cells are means over other levels of the remaining axes than other cells are.
    pub levels_differ: bool,
}

/// The mean is over the lines at all levels of the other axes.
pub fn ratio_map(grid: &Frame, axes: &[Axis], (first, second): (usize, usize), summary: &Summary) -> RatioMap {
    // The logarithms of the ratios in each cell, and the levels of the other axes at which the
    // ratios were measured.
    let mut cells = vec![vec![(Vec::new(), BTreeSet::new()); axes[second].levels.len()]; axes[first].levels.len()];
    for (index, mut levels) in lines_on_grid(grid, axes, summary) {
        let ratio = summary.lines[index].ratio().mean;
        // `take` removes the levels of the two axes, so that only the levels of the other axes
        // remain in `levels`.
        if let (Some(row), Some(column)) = (levels[first].take(), levels[second].take())
            && ratio > 0.0
        {
            let (logs, level_set) = &mut cells[row][column];
            logs.push(ratio.ln());
            level_set.insert(levels);
        }
    }
    let mut level_sets = cells.iter().flatten().map(|(_, level_set)| level_set).filter(|set| !set.is_empty());
    let first_set = level_sets.next();
    let levels_differ = level_sets.any(|set| Some(set) != first_set);
    let geometric_mean = |(logs, _): (Vec<f64>, _)| (!logs.is_empty()).then(|| mean(logs.into_iter()).exp());
    let cells = cells.into_iter().map(|row| row.into_iter().map(geometric_mean).collect()).collect();
    RatioMap { cells, levels_differ }
}

#[cfg(test)]
mod tests {
    use super::super::line::{Line, Measure};
    use super::super::summary::Question;
    use super::*;
    use crate::analysis::rows::axes::Level;

    /// A summary of lines with these means; the third is the baseline.
    fn summary_with_means(means: &[f64]) -> Summary {
        let line = |(index, &mean): (usize, &f64)| {
            let measures = vec![Measure { ratio: Ratio { mean, pairs: 1, ..Ratio::default() }, ..Default::default() }];
            Line { name: format!("v{index}"), measures, searches: 1, is_baseline: index == 2, ..Default::default() }
        };
        Summary { lines: means.iter().enumerate().map(line).collect(), ..Summary::default() }
    }

    /// Of twelve lines, the baseline, the four lowest and the three highest are chosen, in the
    /// order of the lines.
    #[test]
    fn both_ends_of_many_lines_are_chosen() {
        let means = [0.9, 5.0, 1.0, 0.1, 3.0, 0.3, 7.0, 0.2, 2.0, 0.4, 6.0, 0.8];
        assert_eq!(choose_lines(&summary_with_means(&means)), [1, 2, 3, 5, 6, 7, 9, 10]);
        assert_eq!(choose_lines(&summary_with_means(&means[..8])), [0, 1, 2, 3, 4, 5, 6, 7]);
    }

    /// Two lines in the same cell, with ratios of 1/2 and 8, have a geometric mean of 2; an empty
    /// cell has none.
    #[test]
    fn map_has_the_mean_of_each_cell() {
        let axis = |path: &str, values: [&str; 2]| Axis {
            columns: vec![path.to_owned()],
            path: path.to_owned(),
            name: path.to_owned(),
            levels: values
                .map(|value| Level { values: vec![value.to_owned()], label: value.to_owned(), number: None })
                .to_vec(),
        };
        let rows = "v0,p,1,9,1,x,3\nv0,q,1,9,1,x,3\nv1,p,1,9,1,x,4\nv2,p,1,9,2,y,3\nv3,p,1,9,2,x,3\n";
        let grid = Frame::parse(format!("variant,position,depth,search.nodes,a,b,c\n{rows}").as_bytes(), "t").unwrap();
        let axes = [axis("a", ["1", "2"]), axis("b", ["x", "y"]), axis("c", ["3", "4"])];
        let RatioMap { cells, levels_differ } =
            ratio_map(&grid, &axes, (0, 1), &summary_with_means(&[0.5, 8.0, 1.0, 3.0]));
        let is_near = |actual: Option<f64>, expected: f64| actual.is_some_and(|mean| (mean - expected).abs() < 1e-9);
        assert!(is_near(cells[0][0], 2.0), "{cells:?}");
        assert!(is_near(cells[1][1], 1.0), "{cells:?}");
        assert!(is_near(cells[1][0], 3.0), "{cells:?}");
        assert_eq!(cells[0][1], None);
        // The first cell has both values of the third axis, the other cells have one of them.
        assert!(levels_differ);
        // In these grids, each cell has one value: the same in all cells, or not.
        for (rows, expected) in
            [("v0,p,1,9,1,x,3\nv1,p,1,9,2,y,3\n", false), ("v0,p,1,9,1,x,3\nv1,p,1,9,2,y,4\n", true)]
        {
            let grid =
                Frame::parse(format!("variant,position,depth,search.nodes,a,b,c\n{rows}").as_bytes(), "t").unwrap();
            let map = ratio_map(&grid, &axes, (0, 1), &summary_with_means(&[0.5, 8.0]));
            assert_eq!(map.levels_differ, expected);
        }
    }

    /// A series for each level of the other axis: sixteen are drawn, seventeen are not.
    #[test]
    fn sixteen_series_are_drawn_along_an_axis() {
        let levels = |count: usize| {
            let level = |index: usize| Level {
                values: vec![index.to_string()],
                label: index.to_string(),
                number: Some(index as f64),
            };
            (0..count).map(level).collect()
        };
        let axis = |path: &str, count: usize| Axis {
            columns: vec![path.to_owned()],
            path: path.to_owned(),
            name: path.to_owned(),
            levels: levels(count),
        };
        for (others, expected_series) in [(2, 2), (16, 16), (17, 0)] {
            let rows: String =
                (0..2 * others).map(|index| format!("v{index},p,1,9,{},{}\n", (index + 1) % 2, index / 2)).collect();
            let grid =
                Frame::parse(format!("variant,position,depth,search.nodes,a,b\n{rows}").as_bytes(), "t").unwrap();
            let axes = [axis("a", 2), axis("b", others)];
            let summary = summary_with_means(&vec![1.0; 2 * others]);
            let series = series_along_axis(&grid, &axes, 0, &summary, |index| Some((index as f64, f64::NAN, f64::NAN)));
            // Points are sorted by x, whatever the order of rows.
            let is_sorted =
                |series: &Series| series.points.iter().map(|point| point.x).collect::<Vec<_>>() == [0.0, 1.0];
            assert_eq!((series.len(), series.iter().all(is_sorted)), (expected_series, true), "{others}");
        }
    }

    /// Calculated by hand for two positions: at depth 1, b needs twice the nodes of a and half of
    /// them (mean 1), at depth 2 twice and eight times (mean 4); unfinished depths do not count. c
    /// has only depth 1. The baseline's ratio is always 1.
    #[test]
    fn ratios_are_paired_at_each_depth() {
        let rows = "a,p,1,10,true\na,p,2,100,true\na,p,3,500,true\na,q,1,40,true\na,q,2,300,true\na,q,3,900,false\n\
            b,p,1,20,true\nb,p,2,200,true\nb,p,3,10,false\nb,q,1,20,true\nb,q,2,2400,true\nb,q,3,99,true\nc,p,1,30,true\n";
        let frame =
            Frame::parse(format!("variant,position,depth,search.nodes,finished\n{rows}").as_bytes(), "t").unwrap();
        let summary = Summary::new(&frame, &Question::by_variant(&[], Some("a"))).unwrap();
        let name_points = |series: &[Series]| -> Vec<(String, Vec<(f64, f64)>)> {
            let round = |y: f64| (1e6 * y).round() / 1e6;
            let points = |series: &Series| series.points.iter().map(|point| (point.x, round(point.y))).collect();
            series.iter().map(|series| (series.name.clone(), points(series))).collect()
        };
        let named_points = |name: &str, points: &[(f64, f64)]| (name.to_owned(), points.to_vec());
        let curves = ratio_by_depth(&frame, &summary, &[0, 1, 2]);
        let expected = [
            named_points("a", &[(1.0, 1.0), (2.0, 1.0), (3.0, 1.0)]),
            named_points("b", &[(1.0, 1.0), (2.0, 4.0)]),
            named_points("c", &[(1.0, 3.0)]),
        ];
        assert_eq!(name_points(&curves), expected);
        assert_eq!(
            curves.iter().map(|series| series.points[0].label.as_str()).collect::<Vec<_>>(),
            ["2 pairs", "2 pairs", "1 pairs"]
        );
        // A single point is no curve, nor is a single depth.
        let first_depth = frame.take(&frame.select(|row| frame.numbers(columns::DEPTH)[row] == 1.0));
        assert!(ratio_by_depth(&frame, &summary, &[2]).is_empty());
        assert!(ratio_by_depth(&first_depth, &summary, &[0, 1]).is_empty());
    }
}
