//! A metric read off searches: of one search or of its repeats, over all its iterations or those of some depths.

use super::searches::{IterationRow, Repeats, Searches};
use super::stats::median;
use crate::analysis::rows::frame::Frame;
use crate::analysis::rows::metric::{How, Metric};
use std::borrow::Cow;

/// Which iterations of a search are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depths {
    /// All.
    All,
    /// Those up to this depth: what a search to it would have made.
    UpTo(u16),
}

/// A metric and the columns that it is read from.
pub struct MetricReader<'a> {
    searches: &'a Searches,
    metric: &'a Metric,
    columns: Vec<Cow<'a, [f64]>>,
}

impl<'a> MetricReader<'a> {
    /// Of searches gathered from this frame.
    pub fn new(searches: &'a Searches, metric: &'a Metric, frame: &'a Frame) -> Self {
        Self { searches, metric, columns: metric.columns().into_iter().map(|column| frame.numbers(column)).collect() }
    }

    /// The searches that it is of.
    pub fn searches(&self) -> &'a Searches {
        self.searches
    }

    /// Whether means are compared and not single ratios.
    pub fn compares_means(&self) -> bool {
        self.metric.compares_means()
    }

    /// The value of one search.
    pub fn search(&self, search: u32, depths: &Depths) -> f64 {
        let expected = |step: &&IterationRow| match depths {
            Depths::All => true,
            Depths::UpTo(depth) => step.depth <= *depth,
        };
        let steps = || self.searches.steps(search).iter().filter(expected);
        let sum = |column: usize| steps().map(|step| self.columns[column][step.row as usize]).sum::<f64>();
        let last = |column: usize| steps().next_back().map_or(f64::NAN, |step| self.columns[column][step.row as usize]);
        match &self.metric.how {
            How::Sum(_) => sum(0),
            How::Last(_) => last(0),
            How::Rate(..) => sum(0) / sum(1),
            How::PerLast(..) => sum(0) / last(1),
        }
    }

    /// The value of a search and its repeats: of the first, since counts repeat; of a time the median.
    pub fn cell(&self, cell: &Repeats, depths: &Depths) -> f64 {
        let repeats = self.searches.repeats(cell);
        match self.metric.is_time() {
            true => median(&mut repeats.iter().map(|&search| self.search(search, depths)).collect::<Vec<_>>()),
            false => repeats.first().map_or(f64::NAN, |&search| self.search(search, depths)),
        }
    }

    /// Half the distance between the least and the greatest repeat of a time; 0 of a count.
    pub fn spread(&self, cell: &Repeats, depths: &Depths) -> f64 {
        if !self.metric.is_time() {
            return 0.0;
        }
        let values = self.searches.repeats(cell).iter().map(|&search| self.search(search, depths));
        let (least, most) =
            values.fold((f64::INFINITY, f64::NEG_INFINITY), |(least, most), value| (value.min(least), value.max(most)));
        (most - least) / 2.0
    }

    /// The values of a group's searches under the file's own key seed.
    pub fn group(&self, group: usize) -> Vec<f64> {
        let own = self.searches.cells(group).iter().filter(|cell| cell.seed == 0);
        own.map(|cell| self.cell(cell, &Depths::All)).collect()
    }
}
