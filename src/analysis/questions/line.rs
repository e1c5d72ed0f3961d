//! The totals of a group of rows: sums, rates with their intervals, and means.

use crate::analysis::pairing::pairs::Pairs;
use crate::analysis::pairing::searches::Searches;
use crate::analysis::rows::frame::Frame;
use crate::record::columns;
use crate::stats::rate;
use crate::stats::ratio::{JudgedRatio, Ratio};
use std::collections::BTreeMap;

/// Tables less full than this, in per mille, put no pressure on a policy. Source: Stockfish's
/// advice on table sizes.
pub const MIN_PRESSURE: f64 = 300.0;

/// A metric of one group, compared with the baseline's.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Measure {
    /// Its total, or its rate over all searches.
    pub value: f64,
    /// Its ratio to the baseline's, paired by search.
    pub ratio: Ratio,
    /// p of the ratio, corrected for all lines by joint sign flips; NaN for a baseline.
    pub p: f64,
    /// Whether the ratio differs significantly from 1.
    pub significant: bool,
    /// Whether that depends on a single position or game.
    pub fragile: bool,
    /// Searches that were compared only up to a common depth.
    pub truncated: usize,
    /// Searches that share no finished depth with the baseline's, so were not compared.
    pub incomparable: usize,
    /// Searches in which one value is 0 and the other is not, so have no ratio.
    pub one_sided_zero: usize,
}

impl Measure {
    /// A total, and how it compares.
    pub(super) fn new(value: f64, judged: JudgedRatio, pairs: &Pairs) -> Self {
        let JudgedRatio { ratio, p, significant, fragile } = judged;
        let &Pairs { truncated, incomparable, .. } = pairs;
        let one_sided_zero = pairs.one_sided_zero.iter().sum();
        Self { value, ratio, p, significant, fragile, truncated, incomparable, one_sided_zero }
    }
}

/// The rates of a line: the counted column, and the columns whose sum is its denominator.
pub const RATES: [(&str, &[&str]); 8] = [
    (columns::HITS, &[columns::PROBES]),
    (columns::USABLE, &[columns::PROBES]),
    (columns::MOVE_ONLY, &[columns::PROBES]),
    (columns::MISSES_EMPTY, &[columns::PROBES]),
    (columns::MISSES_OTHER, &[columns::PROBES]),
    (columns::EVICTIONS, &[columns::STORES]),
    (columns::REJECTIONS, &[columns::STORES]),
    (columns::SAVED, &[columns::SAVED, columns::NODES]),
];

/// The totals of one group, over all iterations of all searches; repeats count once (of times the
/// median).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Line {
    /// The variant's name, or the group's.
    pub name: String,
    /// Its values of the grouping columns.
    pub values: Vec<String>,
    /// Whether it is the baseline, which is compared with itself.
    pub is_baseline: bool,
    /// The index of its baseline among the summary's lines.
    pub base: Option<usize>,
    /// What it shares with its baseline where there are several: `64 KiB` or `slots=2`.
    pub group: String,
    /// The number of searches.
    pub searches: usize,
    /// The metrics that were asked for, in their order.
    pub measures: Vec<Measure>,
    /// The sum of each of [`SUMS`].
    pub sums: [f64; SUMS.len()],
    /// The 95 % interval of each of [`RATES`], by positions or games; NaN with fewer than two.
    pub intervals: [(f64, f64); RATES.len()],
    /// Stores per slot over the life of a table (in sequences, all searches of a game that share
    /// it), the mean over tables; NaN without a bounded table, or if a part of a table's life is
    /// filtered out.
    pub pressure: f64,
    /// Occupied slots per mille at the end of a search, the mean over searches; NaN without a
    /// bounded table.
    pub hashfull: f64,
    /// Seconds, summed over searches.
    pub seconds: f64,
    /// Searches whose last score differs from the baseline's, and all that both made to the same
    /// depth.
    pub other_scores: (usize, usize),
    /// Searches whose last best move is the suite's, and all for which the suite names one.
    pub solved: (usize, usize),
    /// The number of failed jobs.
    pub errors: usize,
    /// The position or game that changes the first metric's ratio most; empty if there are fewer
    /// than three.
    pub influential: String,
}

impl Line {
    /// The interval of one of [`RATES`]; NaN for other columns.
    pub fn interval(&self, column: &str) -> (f64, f64) {
        RATES.iter().position(|(part, _)| *part == column).map_or((f64::NAN, f64::NAN), |index| self.intervals[index])
    }

    /// The sum of one of [`SUMS`]; NaN of other columns.
    pub fn sum(&self, column: &str) -> f64 {
        SUMS.iter().position(|name| *name == column).map_or(f64::NAN, |index| self.sums[index])
    }

    /// Sets sums, for tests that make lines by hand.
    #[cfg(test)]
    pub fn set_sums<const N: usize>(&mut self, sums: [(&str, f64); N]) {
        for (index, name) in SUMS.iter().enumerate() {
            self.sums[index] = sums.iter().find(|(column, _)| column == name).map_or(self.sums[index], |(_, sum)| *sum);
        }
    }

    /// The nodes that cutoffs saved, and the nodes needed without them if nothing else had changed;
    /// none if they were not counted.
    pub fn worth(&self) -> Option<(f64, f64)> {
        let saved = self.sum(columns::SAVED);
        (saved > 0.0).then_some((saved, self.sum(columns::NODES) + saved))
    }

    /// The ratio of the first metric.
    pub fn ratio(&self) -> Ratio {
        self.measures.first().map(|measure| measure.ratio).unwrap_or_default()
    }
}

/// Columns that every summary sums up. Where cutoffs saved no nodes, or they were not counted, that
/// sum is 0.
pub const SUMS: [&str; 12] = [
    columns::NODES,
    columns::EVALS,
    columns::USABLE,
    columns::MOVE_ONLY,
    columns::PROBES,
    columns::HITS,
    columns::MISSES_EMPTY,
    columns::MISSES_OTHER,
    columns::STORES,
    columns::EVICTIONS,
    columns::REJECTIONS,
    columns::SAVED,
];

/// Computes the intervals of each line's rates.
fn add_rate_intervals(lines: &mut [Line], searches: &Searches) {
    let key = |index: &u32| (searches.list[*index as usize].group, searches.list[*index as usize].cluster);
    let mut order: Vec<u32> = (0..searches.list.len() as u32).collect();
    order.retain(|&index| searches.list[index as usize].is_first);
    // Stable: the order of floating-point sums stays the same.
    order.sort_by_key(key);
    let sums = RATES.map(|(part, whole)| {
        (searches.sums(part), whole.iter().map(|column| searches.sums(column)).collect::<Vec<_>>())
    });
    for group in order.chunk_by(|a, b| key(a).0 == key(b).0) {
        lines[key(&group[0]).0 as usize].intervals = std::array::from_fn(|index| {
            let (part, whole) = &sums[index];
            let cluster_sums = |cluster: &[u32]| {
                let total =
                    |sum: &dyn Fn(usize) -> f64| cluster.iter().map(|&search| sum(search as usize)).sum::<f64>();
                (total(part), whole.iter().map(|sum| total(sum)).sum::<f64>())
            };
            let parts: Vec<(f64, f64)> = group.chunk_by(|a, b| key(a) == key(b)).map(cluster_sums).collect();
            rate::rate_interval(&parts).unwrap_or((f64::NAN, f64::NAN))
        });
    }
}

/// Computes the sums, means and counts of each line.
pub(super) fn add_totals(lines: &mut [Line], searches: &Searches, frame: &Frame) {
    let [slots, entries] = [columns::SLOTS, columns::ENTRIES].map(|name| frame.numbers(name));
    let solved = frame.text_column(columns::SOLVED);
    let mut bounded = vec![0.0; lines.len()];
    // Stores per slot, and the number of tables that took them, by group, block and game.
    let mut tables: BTreeMap<(u32, u32, u32), (f64, usize)> = BTreeMap::new();
    let sums = SUMS.map(|name| searches.sums(name));
    for (index, search) in searches.list.iter().enumerate().filter(|(_, search)| search.is_first) {
        let line = &mut lines[search.group as usize];
        line.searches += 1;
        line.sums.iter_mut().zip(&sums).for_each(|(total, sum)| *total += sum(index));
        if slots[search.last] > 0.0 {
            line.hashfull += 1000.0 * entries[search.last] / slots[search.last];
            // More entries than this search filled: the table was shared with the search before it.
            let game = if search.cluster >> 31 == 1 { search.cluster } else { 0 };
            let table = tables.entry((search.group, search.block, game)).or_insert((0.0, 0));
            // In a table's first search it means that earlier rows are filtered out, whose stores
            // are unknown.
            let filled_before = entries[search.last] > searches.sum(index, columns::FILLS);
            let hidden = table.1 == 0 && filled_before;
            table.0 += if hidden { f64::NAN } else { searches.sum(index, columns::STORES) / slots[search.last] };
            table.1 += usize::from(!(table.1 > 0 && filled_before));
            bounded[search.group as usize] += 1.0;
        }
        let solved = solved.text(search.last);
        line.solved.0 += usize::from(solved == "true");
        line.solved.1 += usize::from(matches!(solved, "true" | "false"));
    }
    add_rate_intervals(lines, searches);
    let mut numbers = vec![0; lines.len()];
    for ((group, ..), (stores, number)) in tables {
        lines[group as usize].pressure += stores;
        numbers[group as usize] += number;
    }
    for (index, line) in lines.iter_mut().enumerate() {
        // 0 / 0 is NaN: no search of the line had a bounded table.
        line.hashfull /= bounded[index];
        line.pressure /= numbers[index] as f64;
    }
}
