//! The figures of any run: plot, caption and file name.

use super::svg::forest::{Forest, ForestRow};
use super::svg::heat::Heat;
use super::svg::lines::Lines;
use crate::analysis::questions::curves;
use crate::analysis::rows::metric::{Better, Metric};
use crate::analysis::{Frame, Line, Summary};
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
    Heat(Heat),
}

impl Figure {
    /// Renders the figure as SVG, `width` pixels wide. If `standalone` is true, the SVG defines its
    /// own colours, so that the SVG can be a separate file.
    pub fn render(&self, width: f64, standalone: bool) -> String {
        match &self.plot {
            Plot::Forest(plot) => plot.render(width, &self.title, standalone),
            Plot::Lines(plot) => plot.render(width, &self.title, standalone),
            Plot::Heat(plot) => plot.render(width, &self.title, standalone),
        }
    }
}

pub(super) fn metric_name(summary: &Summary) -> &str {
    summary.metrics.first().map_or("nodes", |metric| &metric.name)
}

/// A figure of the ratios of the nodes of an iteration to the baseline's, by its depth, if any line
/// can be compared.
pub fn depth_figure(rows: &Frame, summary: &Summary) -> Option<Figure> {
    let lines = curves::choose_lines(summary);
    let (shown_count, line_count) = (lines.len(), summary.lines.len());
    let remark = if shown_count < line_count {
        format!(" {shown_count} of {line_count} shown: the baseline and those with the lowest and the highest ratios.")
    } else {
        String::new()
    };
    let series = curves::ratio_by_depth(rows, summary, &lines);
    let base = series.iter().position(|series| series.line.is_some_and(|index| summary.lines[index].is_baseline));
    if base.is_none() || series.len() < 2 {
        return None;
    }
    // The figure has ticks only at the depths of its own points.
    let depths: BTreeSet<u32> = series.iter().flat_map(|series| &series.points).map(|point| point.x as u32).collect();
    Some(Figure {
        file: "ratio-by-depth".to_owned(),
        title: "Nodes by depth, against the baseline".to_owned(),
        caption: format!(
            "Nodes of each iteration divided by the baseline's at the same depth (geometric mean over the positions that both finished). If a line \
             falls away from 1, it saves more in deeper searches.{remark}"
        ),
        plot: Plot::Lines(Lines {
            base,
            x_ticks: depths.iter().map(|&depth| (f64::from(depth), depth.to_string())).collect(),
            series,
            x: "depth (plies)".to_owned(),
            y: "nodes against the baseline".to_owned(),
            y_log: true,
            ratio: true,
            ..Lines::default()
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

/// Explains what ratios below 1 and above 1 mean in a figure of ratios.
fn how_to_read(better: Better) -> &'static str {
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
    fn figure_of_depths_needs_a_line_to_compare() {
        use crate::analysis::{Metric, Question};
        let has_figure = |variants: &[&str], metric: &str| {
            let mut rows = "variant,position,depth,search.nodes,search.evals,finished\n".to_owned();
            for variant in variants {
                for position in 0..3 {
                    for depth in [1, 2] {
                        rows += &format!("{variant},p{position},{depth},{},7,true\n", 10 * depth + position);
                    }
                }
            }
            let frame = Frame::parse(rows.as_bytes(), "t").unwrap_or_else(|error| panic!("{error}"));
            let metrics = Metric::find(metric, &frame).into_iter().collect();
            let question = Question { metrics, ..Question::by_variant(&[], None) };
            let summary = Summary::new(&frame, &question).unwrap_or_else(|error| panic!("{error}"));
            let figure = depth_figure(&frame, &summary);
            assert!(figure.iter().all(|figure| !figure.caption.contains(" shown:")), "all are shown");
            figure.is_some()
        };
        assert_eq!(
            [has_figure(&["a", "b"], "nodes"), has_figure(&["a", "b"], "evals"), has_figure(&["a"], "nodes")],
            [true, true, false]
        );
    }

    /// One of two positions finished depth 3, which is enough for a ratio.
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
        let figure = depth_figure(&frame, &summary.unwrap_or_default()).unwrap();
        assert_eq!(collect_ticks(figure), "123");
    }

    #[test]
    fn baseline_has_the_first_colour() {
        use crate::analysis::Question;
        let figure_for = |variants: usize| {
            let mut rows = "variant,position,depth,search.nodes,finished\n".to_owned();
            for (variant, position, depth) in
                (0..variants).flat_map(|v| (0..3).flat_map(move |p| [1, 2].map(|depth| (v, p, depth))))
            {
                rows += &format!("v{variant},p{position},{depth},{},true\n", 10 * depth + position + variant);
            }
            let frame = Frame::parse(rows.as_bytes(), "t").unwrap_or_else(|error| panic!("{error}"));
            let question = Question::by_variant(&[], Some("v1"));
            let summary = Summary::new(&frame, &question).unwrap_or_else(|error| panic!("{error}"));
            depth_figure(&frame, &summary).unwrap()
        };
        for (variants, expects_remark) in [(2, false), (8, false), (9, true)] {
            let figure = figure_for(variants);
            let Plot::Lines(lines) = &figure.plot else { panic!("no lines: {figure:?}") };
            assert_eq!([lines.x_log, lines.y_log, lines.ratio, lines.share], [false, true, true, false]);
            let names: Vec<&str> = lines.series.iter().map(|series| series.name.as_str()).collect();
            assert_eq!((names.len(), lines.base.map(|index| names[index])), (variants.min(8), Some("v1")), "{names:?}");
            let has_remark = figure.caption.contains(&format!(" 8 of {variants} shown: "));
            assert_eq!(has_remark, expects_remark, "{}", figure.caption);
        }
    }
}
