//! Calculates the value of a metric for a search, for all repeats of a search, or for a group of
//! searches. The value covers all iterations of a search, or only the iterations up to a depth.

use super::searches::{IterationRow, SearchCell, Searches};
use crate::analysis::rows::column::NumberColumn;
use crate::analysis::rows::frame::Frame;
use crate::analysis::rows::metric::{Aggregation, Metric};
use crate::stats::sample::median;
use std::borrow::Cow;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depths {
    All,
    /// The iterations up to this depth. A search to this depth would have made the same iterations.
    UpTo(u16),
}

/// Reads the values of a metric from the columns that the metric is calculated from.
pub struct MetricReader<'a> {
    pub searches: &'a Searches,
    pub(super) metric: &'a Metric,
    /// The values of the metric's columns, in the order of [`Metric::columns`].
    columns: Vec<Cow<'a, NumberColumn>>,
    is_time: bool,
}

impl<'a> MetricReader<'a> {
    pub fn new(searches: &'a Searches, metric: &'a Metric, frame: &'a Frame) -> Self {
        let columns = metric.columns().into_iter().map(|column| frame.number_column(column)).collect();
        Self { searches, metric, columns, is_time: metric.is_time() }
    }

    /// If no iterations are within these depths, the value is 0 for a sum and NaN otherwise.
    pub fn search_value(&self, search: u32, depths: &Depths) -> f64 {
        let is_within_depths = |iteration: &&IterationRow| match depths {
            Depths::All => true,
            Depths::UpTo(depth) => iteration.depth <= *depth,
        };
        let rows =
            || self.searches.iterations(search).iter().filter(is_within_depths).map(|iteration| iteration.row as usize);
        let sum = |column: usize| rows().map(|row| self.columns[column].get(row)).fold(0.0, |a, b| a + b);
        let last = |column: usize| rows().next_back().map_or(f64::NAN, |row| self.columns[column].get(row));
        match &self.metric.aggregation {
            Aggregation::Sum(_) => sum(0),
            Aggregation::Last(_) => last(0),
            Aggregation::Rate(..) => sum(0) / sum(1),
            Aggregation::PerLast(..) => sum(0) / last(1),
        }
    }

    /// For a time, this is the median over the repeats. Otherwise it is the value of the first
    /// repeat, because counts are the same in all repeats.
    pub fn cell_value(&self, cell: &SearchCell, depths: &Depths) -> f64 {
        if cell.len() == 1 || !self.is_time {
            return self.search_value(cell.start, depths);
        }
        median(&mut cell.clone().map(|search| self.search_value(search, depths)).collect::<Vec<_>>())
    }

    pub fn half_range(&self, cell: &SearchCell, depths: &Depths) -> f64 {
        if !self.is_time {
            return 0.0;
        }
        let values = cell.clone().map(|search| self.search_value(search, depths));
        let (min, max) =
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), value| (value.min(min), value.max(max)));
        (max - min) / 2.0
    }

    pub fn group_values(&self, group: usize) -> Vec<f64> {
        let own_seed_cells = self.searches.cells(group).iter().filter(|cell| self.searches.first(cell).seed == 0);
        own_seed_cells.map(|cell| self.cell_value(cell, &Depths::All)).collect()
    }

    /// For a sum, this is the sum over the group's searches. For a rate that is not a rate of
    /// times, it is the numerator's sum divided by the denominator's sum. For any other metric, it
    /// is the mean over the group's searches.
    pub fn group_total(&self, group: usize) -> f64 {
        let values: Vec<f64> = self.group_values(group).into_iter().filter(|value| value.is_finite()).collect();
        let sum = values.iter().sum::<f64>();
        match &self.metric.aggregation {
            // What was never reported is not 0.
            Aggregation::Sum(_) if values.is_empty() => f64::NAN,
            Aggregation::Sum(_) => sum,
            Aggregation::Rate(..) if !self.is_time => {
                self.searches.group_sum(group, &self.columns[0]) / self.searches.group_sum(group, &self.columns[1])
            }
            _ => sum / values.len() as f64,
        }
    }
}
