//! Calculates the value of a metric for a search or for its repeats, over all iterations or up to a
//! depth.

use super::searches::{IterationRow, Repeats, Searches};
use crate::analysis::rows::frame::Frame;
use crate::analysis::rows::metric::{Aggregation, Metric};
use crate::stats::sample::median;
use std::borrow::Cow;

/// Which iterations of a search count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depths {
    All,
    /// The iterations up to this depth, as a search to that depth would have made.
    UpTo(u16),
}

/// A metric, and the columns that it is read from.
pub struct MetricReader<'a> {
    searches: &'a Searches,
    metric: &'a Metric,
    /// The values of the metric's columns, in the order of [`Metric::columns`].
    columns: Vec<Cow<'a, [f64]>>,
}

impl<'a> MetricReader<'a> {
    /// Makes a reader for searches that were gathered from this frame.
    pub fn new(searches: &'a Searches, metric: &'a Metric, frame: &'a Frame) -> Self {
        Self { searches, metric, columns: metric.columns().into_iter().map(|column| frame.numbers(column)).collect() }
    }

    pub fn searches(&self) -> &'a Searches {
        self.searches
    }

    /// Whether means over all searches are compared, instead of the ratios of single searches.
    pub fn compares_means(&self) -> bool {
        self.metric.compares_means()
    }

    /// The value of one search over the given depths. Without iterations, a sum is 0, any other
    /// value NaN.
    pub fn search_value(&self, search: u32, depths: &Depths) -> f64 {
        let is_counted = |iteration: &&IterationRow| match depths {
            Depths::All => true,
            Depths::UpTo(depth) => iteration.depth <= *depth,
        };
        let rows =
            || self.searches.iterations(search).iter().filter(is_counted).map(|iteration| iteration.row as usize);
        let sum = |column: usize| rows().map(|row| self.columns[column][row]).sum::<f64>();
        let last = |column: usize| rows().next_back().map_or(f64::NAN, |row| self.columns[column][row]);
        match &self.metric.aggregation {
            Aggregation::Sum(_) => sum(0),
            Aggregation::Last(_) => last(0),
            Aggregation::Rate(..) => sum(0) / sum(1),
            Aggregation::PerLast(..) => sum(0) / last(1),
        }
    }

    /// The value of a search and its repeats: for times the median, otherwise the value of the
    /// first repeat, because counts are the same in all.
    pub fn cell_value(&self, cell: &Repeats, depths: &Depths) -> f64 {
        let repeats = self.searches.repeats(cell);
        match self.metric.is_time() {
            true => median(&mut repeats.iter().map(|&search| self.search_value(search, depths)).collect::<Vec<_>>()),
            false => repeats.first().map_or(f64::NAN, |&search| self.search_value(search, depths)),
        }
    }

    /// For a time, half the difference between the longest and the shortest repeat; 0 for a count.
    pub fn half_range(&self, cell: &Repeats, depths: &Depths) -> f64 {
        if !self.metric.is_time() {
            return 0.0;
        }
        let values = self.searches.repeats(cell).iter().map(|&search| self.search_value(search, depths));
        let (min, max) =
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), value| (value.min(min), value.max(max)));
        (max - min) / 2.0
    }

    /// The values of a group's searches under the file's own key seed.
    pub fn group_values(&self, group: usize) -> Vec<f64> {
        let own_seed_cells = self.searches.cells(group).iter().filter(|cell| cell.seed == 0);
        own_seed_cells.map(|cell| self.cell_value(cell, &Depths::All)).collect()
    }

    /// A group's total: of counts the sum, of rates the quotient of the sums, and otherwise (also
    /// for rates of times) the mean over the group's searches.
    pub fn group_total(&self, group: usize) -> f64 {
        let values: Vec<f64> = self.group_values(group).into_iter().filter(|value| value.is_finite()).collect();
        let sum = values.iter().sum::<f64>();
        match &self.metric.aggregation {
            Aggregation::Sum(_) => sum,
            Aggregation::Rate(numerator, denominator) if !self.metric.is_time() => {
                self.searches.group_sum(group, numerator) / self.searches.group_sum(group, denominator)
            }
            _ => sum / values.len() as f64,
        }
    }
}
