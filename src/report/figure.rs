//! The figures of any run: plot, caption and file name.

use super::svg::FREE_SLOT;
use super::svg::forest::{Forest, ForestRow};
use super::svg::heat::Heat;
use super::svg::lines::Lines;
use super::svg::scatter::Scatter;
use super::svg::stacked::Stacked;
use crate::analysis::pairing::searches::Searches;
use crate::analysis::questions::curves::{self, Series};
use crate::analysis::rows::grouping::Grouping;
use crate::analysis::rows::metric::{Better, Metric};
use crate::analysis::{Frame, Line, Summary};
use crate::record::columns;
use serde::Serialize;
use std::collections::BTreeSet;

#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    pub file: String,
    /// The heading, also the label for screen readers.
    pub title: String,
    pub caption: String,
    pub plot: Plot,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Plot {
    Forest(Forest),
    Lines(Lines),
    Stacked(Stacked),
    Heat(Heat),
    Scatter(Scatter),
}

impl Figure {
    /// Renders the figure as SVG, `width` pixels wide. If `standalone` is true, the SVG defines its
    /// own colours, so that the SVG can be a separate file.
    pub fn render(&self, width: f64, standalone: bool) -> String {
        match &self.plot {
            Plot::Forest(plot) => plot.render(width, &self.title, standalone),
            Plot::Lines(plot) => plot.render(width, &self.title, standalone),
            Plot::Stacked(plot) => plot.render(width, &self.title, standalone),
            Plot::Heat(plot) => plot.render(width, &self.title, standalone),
            Plot::Scatter(plot) => plot.render(width, &self.title, standalone),
        }
    }
}

pub(super) fn metric_name(summary: &Summary) -> &str {
    summary.metrics.first().map_or("nodes", |metric| &metric.name)
}

/// The remark is empty unless some lines are left out.
fn chosen_lines(summary: &Summary) -> (Vec<usize>, String) {
    let indices = curves::choose_lines(summary);
    let (shown_count, line_count) = (indices.len(), summary.lines.len());
    let remark =
        format!(" {shown_count} of {line_count} shown: the baseline and those with the lowest and the highest ratios.");
    (indices, if shown_count < line_count { remark } else { String::new() })
}

/// A figure of the nodes of an iteration by its depth, and a figure of the ratios of these nodes to
/// the baseline's. The second figure is left out if no line can be compared.
pub fn depth_figures(rows: &Frame, summary: &Summary) -> Vec<Figure> {
    let (lines, remark) = chosen_lines(summary);
    let series = curves::nodes_by_depth(rows, summary, &lines);
    let ratios = curves::ratio_by_depth(rows, summary, &lines);
    let make_plot = |series: Vec<Series>, y_label: &str| {
        // Each figure has ticks only at the depths of its own points.
        let depths: BTreeSet<u32> =
            series.iter().flat_map(|series| &series.points).map(|point| point.x as u32).collect();
        Lines {
            base: baseline_series(&series, summary),
            x_ticks: depths.iter().map(|&depth| (f64::from(depth), depth.to_string())).collect(),
            series,
            x: "depth (plies)".to_owned(),
            y: y_label.to_owned(),
            y_log: true,
            ..Lines::default()
        }
    };
    let is_compared = baseline_series(&ratios, summary).is_some() && ratios.len() > 1;
    let nodes_figure = (!series.is_empty()).then(|| Figure {
        file: "nodes-by-depth".to_owned(),
        title: "Nodes by depth".to_owned(),
        caption: format!(
            "Mean nodes of an iteration by its depth, on a logarithmic scale. If a line rises more slowly than the others, it saves more in deeper \
             searches.{remark}"
        ),
        plot: Plot::Lines(make_plot(series, "nodes of the iteration")),
    });
    let ratio_figure = is_compared.then(|| Figure {
        file: "ratio-by-depth".to_owned(),
        title: "Nodes by depth, against the baseline".to_owned(),
        caption: format!(
            "Nodes of each iteration divided by the baseline's at the same depth (geometric mean over the positions that both finished). If a line \
             falls away from 1, it saves more in deeper searches.{remark}"
        ),
        plot: Plot::Lines(Lines { ratio: true, ..make_plot(ratios, "nodes against the baseline") }),
    });
    nodes_figure.into_iter().chain(ratio_figure).collect()
}

fn baseline_series(series: &[Series], summary: &Summary) -> Option<usize> {
    series.iter().position(|series| series.line.is_some_and(|index| summary.lines[index].is_baseline))
}

pub fn positions_figure(rows: &Frame, summary: &Summary, searches: (&Grouping, &Searches)) -> Option<Figure> {
    let (lines, remark) = chosen_lines(summary);
    let series = if metric_name(summary) == "nodes" {
        curves::position_ratios(rows, summary, searches, &lines)
    } else {
        Vec::new()
    };
    series.iter().any(|series| series.points.len() > 2).then(|| Figure {
        file: "positions".to_owned(),
        title: "Position by position".to_owned(),
        caption: format!(
            "A point for each position: its nodes divided by the baseline's, against the nodes that the baseline \
             needed. Below the dashed line a position needs fewer nodes; a point far from the others has a large \
             effect on the mean.{remark}"
        ),
        plot: Plot::Scatter(Scatter {
            series,
            x: "nodes of the baseline".to_owned(),
            y: "nodes against the baseline".to_owned(),
        }),
    })
}

/// The figure has the ratio of each line to the baseline, with its interval.
pub fn ratio_figures(summary: &Summary) -> Vec<Figure> {
    summary.metrics.iter().enumerate().filter_map(|(index, metric)| ratio_figure(summary, index, metric)).collect()
}

fn ratio_figure(summary: &Summary, metric_index: usize, metric: &Metric) -> Option<Figure> {
    let lines = summary.lines.iter().filter(|line| !line.is_baseline && line.measures[metric_index].ratio.mean > 0.0);
    let make_row = |line: &Line| {
        let (ratio, significant) = (line.measures[metric_index].ratio, line.measures[metric_index].significant);
        ForestRow { name: line.name.clone(), mean: ratio.mean, low: ratio.low, high: ratio.high, significant }
    };
    let rows: Vec<ForestRow> = lines.map(make_row).collect();
    let name = &metric.name;
    let ratio_kind = if metric.compares_means() { "ratio of the means" } else { "geometric mean over positions" };
    (!rows.is_empty()).then(|| Figure {
        file: if metric_index == 0 { "ratio".to_owned() } else { format!("ratio-{}", name.replace(['.', '_'], "-")) },
        title: capitalize(&format!("{name} against the baseline")),
        caption: format!(
            "{} divided by the baseline's ({ratio_kind}; bars: 95 % interval). {}",
            capitalize(name),
            how_to_read(summary.better(metric))
        ),
        plot: Plot::Forest(Forest {
            rows,
            x: format!("{name}, as a ratio to the baseline's"),
            differences: false,
            better: summary.better(metric),
        }),
    })
}

pub fn probes_figure(summary: &Summary) -> Option<Figure> {
    let (lines, remark) = chosen_lines(summary);
    // The name and the series colour of each part, in the order of the sizes in `make_bar`.
    let parts = [
        ("usable hit", 1),
        ("move-only hit", 5),
        ("other hit", 6),
        ("miss, free slot", FREE_SLOT),
        ("miss, other keys", 4),
    ];
    let make_bar = |line: &Line| {
        let [hits, usable_hits, move_hits, free_misses, other_misses] =
            [columns::HITS, columns::USABLE, columns::MOVE_ONLY, columns::MISSES_EMPTY, columns::MISSES_OTHER]
                .map(|column| line.sum(column));
        let other_hits = (hits - usable_hits - move_hits).max(0.0);
        (line.name.clone(), vec![usable_hits, move_hits, other_hits, free_misses, other_misses])
    };
    let lines_with_probes =
        lines.iter().map(|&index| &summary.lines[index]).filter(|line| line.sum(columns::PROBES) > 0.0);
    let bars: Vec<(String, Vec<f64>)> = lines_with_probes.map(make_bar).collect();
    (!bars.is_empty()).then(|| Figure {
        file: "anatomy".to_owned(),
        title: "Outcomes of the probes".to_owned(),
        caption: format!(
            "The outcomes of the probes. A usable hit ends its node, and a move-only hit gives a move to try first. A miss finds a free slot, or \
             only slots that other keys occupy. Many misses because of other keys mean that the table is too small.{remark}"
        ),
        plot: Plot::Stacked(Stacked { parts: parts.map(|(name, colour)| (name.to_owned(), colour)).to_vec(), bars }),
    })
}

/// Explains what ratios below 1 and above 1 mean in a figure of ratios.
pub(super) fn how_to_read(better: Better) -> &'static str {
    match better {
        Better::Less => {
            "Below 1 is better than the baseline, above 1 is worse; a bar that crosses 1 shows no difference."
        }
        Better::More => {
            "Above 1 is better than the baseline, below 1 is worse; a bar that crosses 1 shows no difference."
        }
        Better::Neither => "A bar that crosses 1 shows no difference.",
    }
}

pub(super) fn capitalize(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_without_hits_has_a_bar() {
        let make_line = |name: &str, probes: f64| {
            let mut line = Line { name: name.to_owned(), searches: 1, ..Line::default() };
            line.set_sums([(columns::PROBES, probes), (columns::MISSES_EMPTY, probes)]);
            line
        };
        let summary =
            Summary { lines: vec![make_line("asked", 7.0), make_line("not asked", 0.0)], ..Summary::default() };
        let Some(Figure { plot: Plot::Stacked(stacked), .. }) = probes_figure(&summary) else { panic!("no bars") };
        assert_eq!(stacked.bars, [("asked".to_owned(), vec![0.0, 0.0, 0.0, 7.0, 0.0])]);
    }

    /// Of 9 hits, 4 were usable and 2 gave only a move.
    #[test]
    fn other_hits_have_their_own_part() {
        let mut line = Line { searches: 1, ..Line::default() };
        line.set_sums([(columns::PROBES, 12.0), (columns::HITS, 9.0), (columns::USABLE, 4.0)]);
        line.set_sums([(columns::MOVE_ONLY, 2.0), (columns::MISSES_OTHER, 3.0)]);
        let summary = Summary { lines: vec![line], ..Summary::default() };
        let Some(Figure { plot: Plot::Stacked(stacked), caption, .. }) = probes_figure(&summary) else {
            panic!("no bars")
        };
        assert_eq!(stacked.bars[0].1, [4.0, 2.0, 3.0, 0.0, 3.0]);
        assert!(caption.ends_with("too small."), "all are shown: {caption}");
    }

    #[test]
    fn ratio_figure_has_every_compared_line() {
        use crate::analysis::questions::line::Measure;
        use crate::stats::ratio::Ratio;
        let make_line = |name: &str, mean: f64, significant: bool| {
            let ratio = Ratio { mean, low: 0.25, high: 4.0, pairs: 8, ..Ratio::default() };
            let (name, measures) = (name.to_owned(), vec![Measure { ratio, significant, ..Measure::default() }]);
            Line { name, measures, is_baseline: mean == 1.0, ..Line::default() }
        };
        let lines = vec![
            make_line("base", 1.0, false),
            make_line("a", 0.5, true),
            make_line("b", f64::NAN, false),
            make_line("c", 2.0, false),
        ];
        let figure_of = |lines: &[Line]| {
            let metrics = vec![Metric::nodes()];
            ratio_figures(&Summary { lines: lines.to_vec(), metrics, ..Summary::default() }).pop()
        };
        let Some(Figure { plot: Plot::Forest(forest), .. }) = figure_of(&lines) else { panic!("no forest") };
        let rows: Vec<(&str, f64, bool)> =
            forest.rows.iter().map(|row| (row.name.as_str(), row.mean, row.significant)).collect();
        assert_eq!(rows, [("a", 0.5, true), ("c", 2.0, false)]);
        assert!(forest.rows.iter().all(|row| (row.low, row.high) == (0.25, 4.0)));
        assert_eq!(figure_of(&lines[..1]), None);
        // If fewer nodes are not necessarily better, the caption does not say that they are.
        let mut summary = Summary { lines, metrics: vec![Metric::nodes()], ..Summary::default() };
        let says_better = |summary: &Summary| ratio_figures(summary)[0].caption.contains("Below 1 is better");
        assert!(says_better(&summary));
        summary.withhold_node_verdicts("a reason".to_owned());
        assert!(!says_better(&summary));
    }

    #[test]
    fn figures_need_enough_searches() {
        use crate::analysis::{Metric, Question};
        let figure_files = |variants: &[&str], positions: usize, metric: &str| {
            let mut rows = "variant,position,depth,search.nodes,search.evals,finished\n".to_owned();
            for variant in variants {
                for position in 0..positions {
                    for depth in [1, 2] {
                        rows += &format!("{variant},p{position},{depth},{},7,true\n", 10 * depth + position);
                    }
                }
            }
            let frame = Frame::parse(rows.as_bytes(), "t").unwrap_or_else(|error| panic!("{error}"));
            let metrics = Metric::find(metric, &frame).into_iter().collect();
            let question = Question { metrics, ..Question::by_variant(&[], None) };
            let (summary, grouping, searches) =
                Summary::with_searches(&frame, &question).unwrap_or_else(|error| panic!("{error}"));
            let searches = (&grouping, &searches);
            let mut figures = depth_figures(&frame, &summary);
            figures.extend(positions_figure(&frame, &summary, searches));
            assert!(figures.iter().all(|figure| !figure.caption.contains(" shown:")), "all are shown");
            figures.into_iter().map(|figure| figure.file).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(figure_files(&["a", "b"], 3, "nodes"), "nodes-by-depth ratio-by-depth positions");
        assert_eq!(figure_files(&["a", "b"], 2, "nodes"), "nodes-by-depth ratio-by-depth");
        assert_eq!(figure_files(&["a", "b"], 3, "evals"), "nodes-by-depth ratio-by-depth");
        assert_eq!(figure_files(&["a"], 3, "nodes"), "nodes-by-depth");
    }

    /// Only one of two positions finished depth 3, so that depth has a ratio but no mean over both.
    #[test]
    fn figure_has_ticks_at_its_own_depths() {
        let mut rows = "variant,position,depth,search.nodes,finished\n".to_owned();
        for (variant, position, last) in [("a", "p", 3), ("a", "q", 2), ("b", "p", 3), ("b", "q", 2)] {
            (1..=last).for_each(|depth| rows += &format!("{variant},{position},{depth},{},true\n", 10 * depth));
        }
        let frame = Frame::parse(rows.as_bytes(), "t").unwrap_or_else(|error| panic!("{error}"));
        let summary = Summary::new(&frame, &crate::analysis::Question::by_variant(&[], None));
        let collect_ticks = |figure: Figure| match figure.plot {
            Plot::Lines(lines) => lines.x_ticks.into_iter().map(|(_, text)| text).collect::<String>(),
            _ => String::new(),
        };
        let ticks: Vec<_> =
            depth_figures(&frame, &summary.unwrap_or_default()).into_iter().map(collect_ticks).collect();
        assert_eq!(ticks, ["12", "123"]);
    }

    #[test]
    fn baseline_has_the_first_colour_in_every_figure() {
        use crate::analysis::Question;
        let figures_for = |variants: usize| {
            let mut rows = "variant,position,depth,search.nodes,finished\n".to_owned();
            for (variant, position, depth) in
                (0..variants).flat_map(|v| (0..3).flat_map(move |p| [1, 2].map(|depth| (v, p, depth))))
            {
                rows += &format!("v{variant},p{position},{depth},{},true\n", 10 * depth + position + variant);
            }
            let frame = Frame::parse(rows.as_bytes(), "t").unwrap_or_else(|error| panic!("{error}"));
            let question = Question::by_variant(&[], Some("v1"));
            let summary = Summary::new(&frame, &question).unwrap_or_else(|error| panic!("{error}"));
            depth_figures(&frame, &summary)
        };
        for (variants, expects_remark) in [(2, false), (8, false), (9, true)] {
            for figure in figures_for(variants) {
                let Plot::Lines(lines) = &figure.plot else { panic!("no lines: {figure:?}") };
                let scales = match figure.file.as_str() {
                    "nodes-by-depth" => [false, true, false, false],
                    _ => [false, true, true, false],
                };
                assert_eq!([lines.x_log, lines.y_log, lines.ratio, lines.share], scales, "{}", figure.file);
                let names: Vec<&str> = lines.series.iter().map(|series| series.name.as_str()).collect();
                assert_eq!(
                    (names.len(), lines.base.map(|index| names[index])),
                    (variants.min(8), Some("v1")),
                    "{names:?}"
                );
                let has_remark = figure.caption.contains(&format!(" 8 of {variants} shown: "));
                assert_eq!(has_remark, expects_remark, "{}", figure.caption);
            }
            assert_eq!(figures_for(variants).len(), 2);
        }
    }
}
