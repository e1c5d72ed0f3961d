//! Reads a metric off searches: of one search or of its repeats, over all iterations or up to a
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
    /// Those up to this depth, as a search to that depth would have made.
    UpTo(u16),
}

/// A metric, and the columns that it is read from.
pub struct MetricReader<'a> {
    searches: &'a Searches,
    metric: &'a Metric,
    columns: Vec<Cow<'a, [f64]>>,
}

impl<'a> MetricReader<'a> {
    /// For searches that were gathered from this frame.
    pub fn new(searches: &'a Searches, metric: &'a Metric, frame: &'a Frame) -> Self {
        Self { searches, metric, columns: metric.columns().into_iter().map(|column| frame.numbers(column)).collect() }
    }

    /// The searches that it reads.
    pub fn searches(&self) -> &'a Searches {
        self.searches
    }

    /// Whether means are compared instead of single ratios.
    pub fn compares_means(&self) -> bool {
        self.metric.compares_means()
    }

    /// The value of one search; NaN without iterations.
    pub fn search_value(&self, search: u32, depths: &Depths) -> f64 {
        let expected = |step: &&IterationRow| match depths {
            Depths::All => true,
            Depths::UpTo(depth) => step.depth <= *depth,
        };
        let steps = || self.searches.steps(search).iter().filter(expected);
        let sum = |column: usize| steps().map(|step| self.columns[column][step.row as usize]).sum::<f64>();
        let last = |column: usize| steps().next_back().map_or(f64::NAN, |step| self.columns[column][step.row as usize]);
        match &self.metric.aggregation {
            Aggregation::Sum(_) => sum(0),
            Aggregation::Last(_) => last(0),
            Aggregation::Rate(..) => sum(0) / sum(1),
            Aggregation::PerLast(..) => sum(0) / last(1),
        }
    }

    /// The value of a search and its repeats: the first one's, since counts repeat; the median of
    /// times.
    pub fn cell_value(&self, cell: &Repeats, depths: &Depths) -> f64 {
        let repeats = self.searches.repeats(cell);
        match self.metric.is_time() {
            true => median(&mut repeats.iter().map(|&search| self.search_value(search, depths)).collect::<Vec<_>>()),
            false => repeats.first().map_or(f64::NAN, |&search| self.search_value(search, depths)),
        }
    }

    /// Half the range of the repeats of a time; 0 for a count.
    pub fn half_range(&self, cell: &Repeats, depths: &Depths) -> f64 {
        if !self.metric.is_time() {
            return 0.0;
        }
        let values = self.searches.repeats(cell).iter().map(|&search| self.search_value(search, depths));
        let (least, most) =
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| (value.min(least), value.max(most)));
        (most - least) / 2.0
    }

    /// The values of a group's searches under the file's own key seed.
    pub fn group_values(&self, group: usize) -> Vec<f64> {
        let own = self.searches.cells(group).iter().filter(|cell| cell.seed == 0);
        own.map(|cell| self.cell_value(cell, &Depths::All)).collect()
    }

    /// A group's total: sums of counts, rates of sums, otherwise the mean over its searches.
    pub fn group_total(&self, group: usize) -> f64 {
        let values: Vec<f64> = self.group_values(group).into_iter().filter(|value| value.is_finite()).collect();
        let whole = values.iter().sum::<f64>();
        match &self.metric.aggregation {
            Aggregation::Sum(_) => whole,
            Aggregation::Rate(num, den) if !self.metric.is_time() => {
                self.searches.group_sum(group, num) / self.searches.group_sum(group, den)
            }
            _ => whole / values.len() as f64,
        }
    }
}
