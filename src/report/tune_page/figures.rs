//! The figures of a tuning.

use super::TuneOutcome;
use crate::analysis::questions::curves::{CurvePoint, MAX_LINES, Series};
use crate::analysis::rows::axes;
use crate::experiment::variant;
use crate::report::figure::{Figure, Plot, capitalize, how_to_read};
use crate::report::svg::forest::{Forest, ForestRow};
use crate::report::svg::lines::Lines;
use crate::stats::ratio::Ratio;
use std::collections::BTreeMap;

impl TuneOutcome<'_> {
    /// Returns a figure of the ratios over each numeric option, and a forest plot of all
    /// candidates.
    pub(super) fn figures(&self) -> Vec<Figure> {
        let metric = &self.tune.metric;
        let ratio_of = |candidate: usize| Some(self.race.candidates[candidate].ratio).filter(|ratio| ratio.mean > 0.0);
        let candidates = (0..self.race.candidates.len()).filter(|candidate| *candidate != self.baseline());
        let rows = candidates.filter_map(|candidate| {
            let ratio = ratio_of(candidate)?;
            let (name, significant) = (self.name(candidate).to_owned(), ratio.excludes_one());
            Some(ForestRow { name, mean: ratio.mean, low: ratio.low, high: ratio.high, significant })
        });
        let mut figures: Vec<Figure> = self
            .numeric_options()
            .into_iter()
            .filter_map(|path| {
                let caption = format!(
                    "{} divided by the baseline's in the race (band: 95 % interval). A flat line means that all \
                     these values are equally good; candidates that were dropped were searched on fewer items, so \
                     that the band is wider there.",
                    capitalize(metric)
                );
                self.option_figure(&path, self.series_over(&path, ratio_of), "response", caption)
            })
            .collect();
        figures.push(Figure {
            file: "race".to_owned(),
            title: format!("{} against the baseline, in the race", capitalize(metric)),
            caption: format!(
                "{} of each candidate divided by the baseline's (geometric mean; bars: 95 % interval). {}",
                capitalize(metric),
                how_to_read(self.better())
            ),
            plot: Plot::Forest(Forest {
                rows: rows.collect(),
                x: format!("{metric}, as a ratio to the baseline's"),
                differences: false,
                better: self.better(),
            }),
        });
        figures
    }

    /// Plots the finalists' ratios on the held-out items over the first numeric option. For each
    /// pressure, only the series that contains the winner is shown.
    pub(super) fn held_out_figure(&self) -> Option<Figure> {
        let path = self.numeric_options().into_iter().next()?;
        let lines = self.race.held_out_results.iter().zip(self.pressures).flat_map(|(held_out, pressure)| {
            let ratio_of = |candidate: usize| {
                Some(held_out.standings.iter().find(|standing| standing.candidate == candidate)?.ratio)
            };
            let mut series = self.series_over(&path, ratio_of);
            let winner = self.name(self.race.winner);
            series.retain(|line| line.points.iter().any(|point| point.label == winner));
            for line in &mut series {
                let separator = if line.name.is_empty() { "" } else { ", " };
                line.name = format!("{pressure}{separator}{}", line.name);
            }
            series
        });
        let caption = format!(
            "The finalists' {} divided by the baseline's, at each pressure, on items that the race never saw. Quote these ratios, not the ratios of the race \
             that chose the winner.",
            self.tune.metric
        );
        self.option_figure(&path, lines.collect(), "held-out", caption)
    }

    /// Returns a figure of series in which x is the value of the option at `path`. If there are too
    /// many series, only the series that contain the winner are kept. Returns `None` if there are
    /// no series, or still too many. The name of the figure's file begins with `file_prefix`, which
    /// is `response` or `held-out`.
    pub(super) fn option_figure(
        &self,
        path: &str,
        mut series: Vec<Series>,
        file_prefix: &str,
        mut caption: String,
    ) -> Option<Figure> {
        if series.len() > MAX_LINES {
            let winner = self.name(self.race.winner);
            series.retain(|line| line.points.iter().any(|point| point.label == winner));
            caption += " All other options are the winner's.";
        }
        if series.is_empty() || series.len() > MAX_LINES {
            return None;
        }
        let name = path.rsplit('.').next().unwrap_or(path);
        let title = if file_prefix == "response" { format!("Response to {name}") } else { format!("Held out: {name}") };
        let lines = Lines::from_ratios(series, path, format!("{} against the baseline", self.tune.metric));
        let file = format!("{file_prefix}-{}", path.replace('.', "-"));
        Some(Figure { file, title, caption, plot: Plot::Lines(lines) })
    }

    /// Returns the paths of the varying options that have at least three numeric values.
    pub(super) fn numeric_options(&self) -> Vec<String> {
        let count_values = |path: &String| {
            let values = (0..self.experiment.variants.len()).filter_map(|candidate| self.option_value(candidate, path));
            values.map(f64::to_bits).collect::<std::collections::BTreeSet<u64>>().len()
        };
        self.varying.iter().filter(|path| count_values(path) >= 3).cloned().collect()
    }

    /// Returns a candidate's value of the numeric option at `path`.
    fn option_value(&self, candidate: usize, path: &str) -> Option<f64> {
        let columns = variant::option_columns(&self.experiment.variants[candidate]);
        axes::parse_number(&columns.iter().find(|(column, _)| column == path)?.1)
    }

    /// Returns series whose points have the value of the numeric option at `path` as x, and the
    /// ratio as y. There is a series for each combination of values of the other varying options.
    /// Series with a single point are left out.
    pub(super) fn series_over(&self, path: &str, ratio_of: impl Fn(usize) -> Option<Ratio>) -> Vec<Series> {
        let mut series_by_options: BTreeMap<Vec<String>, Series> = BTreeMap::new();
        for candidate in 0..self.experiment.variants.len() {
            let (Some(x), Some(ratio)) = (self.option_value(candidate, path), ratio_of(candidate)) else { continue };
            let columns = variant::option_columns(&self.experiment.variants[candidate]);
            let other_options: Vec<String> = self
                .varying
                .iter()
                .filter(|other| other.as_str() != path)
                .filter_map(|other| columns.iter().find(|(column, _)| column == other))
                .map(|(column, value)| format!("{}={value}", column.rsplit('.').next().unwrap_or(column)))
                .collect();
            let new_series = || Series { name: other_options.join(", "), ..Series::default() };
            let series = series_by_options.entry(other_options.clone()).or_insert_with(new_series);
            let label = self.name(candidate).to_owned();
            series.points.push(CurvePoint { x, y: ratio.mean, low: ratio.low, high: ratio.high, label });
        }
        let mut series: Vec<Series> = series_by_options.into_values().filter(|line| line.points.len() > 1).collect();
        series.iter_mut().for_each(|line| line.points.sort_by(|a, b| a.x.total_cmp(&b.x)));
        series
    }
}
