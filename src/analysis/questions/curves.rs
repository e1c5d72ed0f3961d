//! Computes the numbers that plots show: nodes by depth, ratios by the values of an option, maps of
//! two axes, and ratios of single positions.

use super::effects::{self, Effect};
use super::summary::Summary;
use crate::analysis::pairing::metric_reader::MetricReader;
use crate::analysis::pairing::pairs::BaseSearches;
use crate::analysis::pairing::searches::Searches;
use crate::analysis::rows::axes::Axis;
use crate::analysis::rows::column::SEED;
use crate::analysis::rows::frame::Frame;
use crate::analysis::rows::grouping::Grouping;
use crate::analysis::rows::metric::Metric;
use crate::record::columns;
use crate::stats::ratio::Ratio;
use crate::stats::sample::mean;
use std::collections::{BTreeMap, BTreeSet};

/// The largest number of lines in one plot. More lines could not be distinguished.
pub const MAX_LINES: usize = 8;

const MAX_POINTS: usize = 1500;

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

/// The response of a metric to an option: the ratio of each value of the option to a reference
/// value.
#[derive(Debug, Clone, PartialEq)]
pub struct Response {
    pub path: String,
    pub reference: String,
    /// One series for each level of the axis `by`, or a single series if `by` is empty.
    pub series: Vec<Series>,
    /// The name of the axis that has one series for each level. Empty if there is a single series.
    pub by: String,
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

/// A depth that was finished by only some of the line's searches is left out, because its mean
/// would include fewer positions.
pub fn nodes_by_depth(frame: &Frame, summary: &Summary, lines: &[usize]) -> Vec<Series> {
    let grouping = Grouping::new(frame, &summary.by);
    let [repeats, seeds, depths, nodes] =
        [columns::REPEAT, SEED, columns::DEPTH, columns::NODES].map(|name| frame.numbers(name));
    let (finished, errors) = (frame.text_column(columns::FINISHED), frame.text_column(columns::ERROR));
    // Maps each group and depth to the sum of nodes and the number of searches.
    let mut sums: BTreeMap<(u32, u32), (f64, f64)> = BTreeMap::new();
    for row in rows_of_lines(frame, summary, lines) {
        let is_later_repeat_or_seed = repeats[row] > 0.0 || seeds[row] > 0.0;
        if !is_later_repeat_or_seed && errors.text(row).is_empty() && finished.text(row) != "false" && nodes[row] > 0.0
        {
            let (sum, count) = sums.entry((grouping.group[row], depths[row] as u32)).or_default();
            *sum += nodes[row];
            *count += 1.0;
        }
    }
    let series = lines.iter().filter_map(|&index| {
        let line = &summary.lines[index];
        let group = grouping.find(&line.values)? as u32;
        let depth_sums = || {
            let group_sums = sums.range((group, 0)..=(group, u32::MAX));
            group_sums.map(|(&(_, depth), &(sum, count))| (depth, sum, count))
        };
        let max_count = depth_sums().map(|(.., count)| count).fold(0.0, f64::max);
        let complete_sums = depth_sums().filter(|&(.., count)| count == max_count);
        let points = complete_sums.map(|(depth, sum, count)| {
            CurvePoint::without_interval(f64::from(depth), sum / count, format!("mean of {count} searches"))
        });
        Some(Series { name: line.name.clone(), line: Some(index), points: points.collect() })
    });
    keep_curves(series.collect())
}

/// A single point is not a curve.
fn keep_curves(series: Vec<Series>) -> Vec<Series> {
    if series.iter().any(|series| series.points.len() > 1) { series } else { Vec::new() }
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
        let depth_frame = frame.take_with_counters(&rows, &[columns::NODES]);
        let grouping = Grouping::new(&depth_frame, &summary.by);
        let (searches, metric) = (Searches::gather(&depth_frame, &grouping, &[]), Metric::nodes());
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
    keep_curves(series)
}

fn rows_of_lines(frame: &Frame, summary: &Summary, lines: &[usize]) -> Vec<usize> {
    let grouping = Grouping::new(frame, &summary.by);
    let lines_and_bases =
        || lines.iter().flat_map(|&index| [Some(&summary.lines[index]), summary.base(index)]).flatten();
    let is_group_wanted: Vec<bool> =
        grouping.values.iter().map(|values| lines_and_bases().any(|line| line.values == *values)).collect();
    frame.select(|row| is_group_wanted[grouping.group[row] as usize])
}

/// A series has one point for each search under the file's own key seed: x is the number of nodes
/// of the baseline's search, and y is the ratio to that number. If there are too many searches, the
/// series contains only every second search, or every third, and so on.
pub fn position_ratios(
    frame: &Frame,
    summary: &Summary,
    (grouping, searches): (&Grouping, &Searches),
    lines: &[usize],
) -> Vec<Series> {
    let metric = Metric::nodes();
    let reader = MetricReader::new(searches, &metric, frame);
    let mut bases: BTreeMap<usize, BaseSearches<'_>> = BTreeMap::new();
    let position_names = frame.text_column(columns::POSITION);
    let others: Vec<usize> = lines.iter().copied().filter(|&index| !summary.lines[index].is_baseline).collect();
    let series = others.iter().filter_map(|&index| {
        let line = &summary.lines[index];
        let base_group = grouping.find(&summary.base(index)?.values)?;
        let base = bases.entry(base_group).or_insert_with(|| BaseSearches::new(&reader, grouping, base_group));
        let mut pairs = base.pairs(grouping.find(&line.values)?).list;
        pairs.retain(|pair| pair.seed == 0);
        let step = (pairs.len() * others.len()).div_ceil(MAX_POINTS).max(1);
        let points = pairs.iter().step_by(step).map(|pair| {
            let [base_value, value] = pair.values;
            let position_name = position_names.list()[pair.unit as usize].clone();
            CurvePoint::without_interval(base_value, value / base_value, position_name)
        });
        Some(Series { name: line.name.clone(), line: Some(index), points: points.collect() })
    });
    series.filter(|series| !series.points.is_empty()).collect()
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

/// Returns the responses to all axes of the grid that have a numeric option with at least three
/// values. The table size is left out because it has its own plots. If the table size is an axis of
/// the grid and does not have too many levels, each response has one series for each size.
///
/// `references` contains the reference level of each axis. `effects` contains the main effects of
/// the whole grid.
pub fn responses(
    grid: &Frame,
    axes: &[Axis],
    references: &[usize],
    effects: &[Effect],
    metric: &Metric,
) -> Vec<Response> {
    let mut responses = Vec::new();
    let size_axis = axes.iter().position(|axis| axis.path == "table.size" && axis.levels.len() <= MAX_LINES);
    for (index, axis) in axes.iter().enumerate().filter(|(_, axis)| axis.path != "table.size") {
        let Some((path, numbers)) = find_numeric_option(axis) else { continue };
        let collect_points = |axis_effects: Vec<&Effect>| -> Vec<CurvePoint> {
            let to_point = |effect: &Effect| {
                let label = axis.levels[effect.level].label.clone();
                numbers[effect.level].map(|x| CurvePoint::from_ratio(x, &effect.judged.ratio, &label))
            };
            let mut points: Vec<CurvePoint> =
                axis_effects.into_iter().filter_map(to_point).filter(|point| !point.y.is_nan()).collect();
            points.sort_by(|a, b| a.x.total_cmp(&b.x));
            points
        };
        let (series, series_axis) = match size_axis {
            None => {
                let points = collect_points(effects.iter().filter(|effect| effect.axis == index).collect());
                (vec![Series { name: "all".to_owned(), line: None, points }], String::new())
            }
            Some(size_axis) => {
                let sizes = grid.text_column(&axes[size_axis].columns[0]);
                let series_by_size = axes[size_axis].levels.iter().map(|level| {
                    let rows_of_size = grid.take(&grid.select(|row| sizes.text(row) == level.values[0]));
                    let (only_axis, only_reference) = (std::slice::from_ref(axis), &[references[index]]);
                    let axis_effects = effects::main_effects(&rows_of_size, only_axis, only_reference, metric);
                    let points = collect_points(axis_effects.iter().collect());
                    Series { name: level.label.clone(), line: None, points }
                });
                (series_by_size.filter(|series| series.points.len() > 1).collect(), axes[size_axis].name.clone())
            }
        };
        if !series.is_empty() {
            let reference = axis.levels[references[index]].label.clone();
            responses.push(Response { path, reference, series, by: series_axis });
        }
    }
    responses
}

/// The option is either the axis's own option or a parameter such as the factor of a replacement
/// policy.
fn find_numeric_option(axis: &Axis) -> Option<(String, Vec<Option<f64>>)> {
    (0..axis.columns.len()).find_map(|column| {
        let numbers: Vec<Option<f64>> =
            axis.levels.iter().map(|level| crate::analysis::rows::axes::parse_number(&level.values[column])).collect();
        let mut distinct_numbers: Vec<f64> = numbers.iter().flatten().copied().collect();
        distinct_numbers.sort_by(f64::total_cmp);
        let number_count = distinct_numbers.len();
        distinct_numbers.dedup();
        // If two levels have the same number, the levels differ in another parameter. A single
        // curve cannot show both.
        let all_differ = distinct_numbers.len() == number_count;
        (number_count >= 3 && all_differ).then(|| (axis.columns[column].clone(), numbers))
    })
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
    use crate::stats::ratio::JudgedRatio;

    /// Means calculated by hand over first searches only: repeats, other seeds, failures,
    /// unfinished depths and rows without nodes do not count. A depth that only one of two searches
    /// finished has no mean.
    #[test]
    fn mean_by_depth_is_over_first_searches_that_finished() {
        let rows = "variant,position,depth,search.nodes,repeat,seed,finished,error\n\
            a,p,1,10,0,0,true,\na,p,2,100,0,0,true,\na,q,1,30,0,0,true,\na,q,2,900,0,0,false,\n\
            a,p,1,5000,1,0,true,\na,p,2,5000,0,1,true,\n\
            b,p,1,5,0,0,true,\nb,p,2,50,0,0,true,\nb,p,3,0,0,0,true,\nb,q,1,7,0,0,true,\nb,q,2,70,0,0,true,\nb,q,3,0,0,0,true,\n\
            b,r,2,800,0,0,true,it broke\n";
        let frame = Frame::parse(rows.as_bytes(), "t").unwrap();
        let summary = Summary::new(&frame, &Question::by_variant(&[], None)).unwrap();
        let points_by_depth = |lines: &[usize]| {
            let points = |series: &Series| series.points.iter().map(|point| (point.x, point.y)).collect::<Vec<_>>();
            nodes_by_depth(&frame, &summary, lines)
                .iter()
                .map(|series| (series.name.clone(), points(series)))
                .collect::<Vec<_>>()
        };
        let [a, b] = [("a".to_owned(), vec![(1.0, 20.0)]), ("b".to_owned(), vec![(1.0, 6.0), (2.0, 60.0)])];
        assert_eq!(points_by_depth(&[0, 1]), [a, b.clone()]);
        assert_eq!(points_by_depth(&[1]), [b]);
        assert_eq!(points_by_depth(&[0]), [], "one depth is no curve");
    }

    /// Two options with three values each, in a grid with a single table size: each has one series,
    /// of its own effects.
    #[test]
    fn every_option_has_its_own_response() {
        let axis = |path: &str, values: [&str; 3]| Axis {
            columns: vec![path.to_owned()],
            path: path.to_owned(),
            name: path.to_owned(),
            levels: values
                .map(|value| Level {
                    values: vec![value.to_owned()],
                    label: format!("={value}"),
                    number: value.parse().ok(),
                })
                .to_vec(),
        };
        let axes = [axis("aspiration", ["50", "10", "20"]), axis("lmr.min_depth", ["1", "2", "3"])];
        let effect = |axis: usize, level: usize, mean: f64| {
            let ratio = Ratio { mean, low: mean / 2.0, high: mean * 2.0, ..Ratio::default() };
            Effect { axis, level, judged: JudgedRatio { ratio, ..JudgedRatio::default() } }
        };
        let effects = [(0, 0, 1.0), (0, 1, 0.5), (0, 2, 0.7), (1, 0, 2.0), (1, 1, 1.0), (1, 2, f64::NAN)]
            .map(|(axis, level, mean)| effect(axis, level, mean));
        let grid = Frame::parse("variant,position,depth,search.nodes,seconds\n".as_bytes(), "t").unwrap();
        let responses = responses(&grid, &axes, &[0, 1], &effects, &Metric::nodes());
        let descriptions: Vec<_> = responses
            .iter()
            .map(|response| {
                let points = |series: &Series| series.points.iter().map(|point| (point.x, point.y)).collect::<Vec<_>>();
                let lines: Vec<_> =
                    response.series.iter().map(|series| (series.name.as_str(), points(series))).collect();
                (response.path.as_str(), response.reference.as_str(), response.by.as_str(), lines)
            })
            .collect();
        let [aspiration, reductions] = [vec![(10.0, 0.5), (20.0, 0.7), (50.0, 1.0)], vec![(1.0, 2.0), (2.0, 1.0)]];
        assert_eq!(
            descriptions,
            [
                ("aspiration", "=50", "", vec![("all", aspiration)]),
                ("lmr.min_depth", "=2", "", vec![("all", reductions)])
            ]
        );
        let first_point = &responses[0].series[0].points[0];
        assert_eq!((first_point.low, first_point.high), (0.25, 1.0));
    }

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

    /// If there are at most 1,500 searches in total, each has a point. If there are more, only
    /// every second, third and so on of each line has one.
    #[test]
    fn too_many_searches_are_thinned() {
        let count_points = |positions: u32, others: u32| {
            let rows: String = (0..positions)
                .flat_map(|index| (0..=others).map(move |line| format!("v{line},p{index},1,{}\n", 9 + line)))
                .collect();
            let text = format!("variant,position,depth,search.nodes\n{rows}");
            let frame = Frame::parse(text.as_bytes(), "t").unwrap();
            let question = Question::by_variant(&[], Some("v0"));
            let (summary, grouping, searches) = Summary::with_searches(&frame, &question).unwrap();
            let lines: Vec<usize> = (0..=others as usize).collect();
            let series = position_ratios(&frame, &summary, (&grouping, &searches), &lines);
            series.iter().map(|series| series.points.len()).collect::<Vec<_>>()
        };
        assert_eq!([count_points(1500, 1), count_points(1501, 1), count_points(3001, 1)], [[1500], [751], [1001]]);
        assert_eq!([count_points(750, 2), count_points(751, 2)], [[750, 750], [376, 376]]);
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
        let question = Question::by_variant(&[], Some("a"));
        let (summary, grouping, searches) = Summary::with_searches(&frame, &question).unwrap();
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
        // By search, to the depth that both finished: a and b need 110 and 220 nodes, then 340 and
        // 2,420; a and c need 10 and 30.
        let points = position_ratios(&frame, &summary, (&grouping, &searches), &[0, 1, 2]);
        let expected = [
            named_points("b", &[(110.0, 2.0), (340.0, (1e6_f64 * 2420.0 / 340.0).round() / 1e6)]),
            named_points("c", &[(10.0, 3.0)]),
        ];
        assert_eq!(name_points(&points), expected);
        assert_eq!(points[0].points.iter().map(|point| point.label.as_str()).collect::<Vec<_>>(), ["p", "q"]);
    }
}
