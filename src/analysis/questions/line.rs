//! Computes the totals of each group of rows: sums, rates with their intervals, and means.

use crate::analysis::pairing::pairs::Pairs;
use crate::analysis::pairing::searches::{GAME_BIT, Searches};
use crate::analysis::rows::column::NumberColumn;
use crate::analysis::rows::frame::Frame;
use crate::record::columns;
use crate::stats::rate;
use crate::stats::ratio::{JudgedRatio, Ratio};
use std::collections::BTreeMap;

/// The occupancy of a table, in per mille, below which a replacement policy is under no pressure.
/// Source: Stockfish's advice on table sizes.
pub const MIN_PRESSURE: f64 = 300.0;

/// The total of a metric in one group, compared with the group's baseline.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Measure {
    /// The total of the metric, or the rate over all searches.
    pub value: f64,
    pub ratio: Ratio,
    /// The p-value of the ratio, corrected for all lines by joint sign flips. NaN for a baseline.
    pub p: f64,
    /// Whether the ratio differs significantly from 1.
    pub significant: bool,
    /// Whether the significance depends on a single position or game.
    pub fragile: bool,
    /// The number of searches that were compared only up to the greatest depth that both the search
    /// and the baseline's search finished.
    pub truncated: usize,
    /// The number of searches that were not compared, because there is no depth that both the
    /// search and the baseline's search finished.
    pub incomparable: usize,
    /// The number of searches that have no ratio, because exactly one of the two values is 0.
    pub one_sided_zero: usize,
}

impl Measure {
    /// Creates the measure of a group from the metric's total and the comparison with the baseline.
    pub(super) fn new(value: f64, judged: JudgedRatio, pairs: &Pairs) -> Self {
        let JudgedRatio { ratio, p, significant, fragile } = judged;
        let &Pairs { truncated, incomparable, .. } = pairs;
        let one_sided_zero = pairs.one_sided_zero.iter().sum();
        Self { value, ratio, p, significant, fragile, truncated, incomparable, one_sided_zero }
    }
}

/// The rates of a line. Each rate is given by the counter that is its numerator, and by the columns
/// that are added to give its denominator.
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

/// The totals of one group over all iterations of all searches. Only the first repeat of a search
/// is counted. For times, the median of the repeats is used.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Line {
    /// The name of the group. If rows are grouped by variant, this is the name of the variant.
    pub name: String,
    pub values: Vec<String>,
    /// Whether this line is a baseline. A baseline is compared with itself.
    pub is_baseline: bool,
    /// The index, among the summary's lines, of the baseline of this line. `None` if there is no
    /// baseline to compare the line with.
    pub base: Option<usize>,
    /// The values that the line shares with its baseline, as in `64 KiB` or `slots=2`. They tell
    /// several baselines apart.
    pub group: String,
    pub searches: usize,
    pub measures: Vec<Measure>,
    pub sums: [f64; SUMS.len()],
    /// The 95 % interval of each rate in [`RATES`]. The positions or games are the units of
    /// sampling. Both bounds are NaN if there are fewer than two of them.
    pub intervals: [(f64, f64); RATES.len()],
    /// The number of stores per slot over the life of a table, as the mean over tables. In
    /// sequences, all searches of a game share a table. NaN if no search has a bounded table, or if
    /// rows of earlier searches in the same table are filtered out.
    pub pressure: f64,
    /// The number of occupied slots per mille at the end of a search, as the mean over searches.
    /// NaN if no search has a bounded table.
    pub hashfull: f64,
    /// The largest `hashfull` that an external engine reported at the end of a search, in per
    /// mille. `None` if none reported one.
    pub fullest: Option<f64>,
    /// The seconds of all searches.
    pub seconds: f64,
    /// The first number counts the searches that end at the same depth as the baseline's search but
    /// with another score. The second number counts all searches that end at the same depth as the
    /// baseline's search.
    pub other_scores: (usize, usize),
    /// The number of searches whose last best move solves the suite's position, and the number of
    /// all searches for which the suite names a solution.
    pub solved: (usize, usize),
    /// Of the searches whose positions have a mate: how many there are, found it, scored it without
    /// a line that shows it, and scored a mate for the other side.
    pub mates: [usize; 4],
    pub errors: usize,
    /// The position or game that has the greatest influence on the ratio in the first metric. Empty
    /// if there are fewer than three positions or games.
    pub influential_cluster: String,
}

impl Line {
    /// The interval of the rate whose numerator is the column `column`. Both bounds are NaN if no
    /// rate in [`RATES`] has this numerator.
    pub fn interval(&self, column: &str) -> (f64, f64) {
        RATES
            .iter()
            .position(|(numerator, _)| *numerator == column)
            .map_or((f64::NAN, f64::NAN), |index| self.intervals[index])
    }

    pub fn sum(&self, column: &str) -> f64 {
        SUMS.iter().position(|name| *name == column).map_or(f64::NAN, |index| self.sums[index])
    }

    pub fn saved_and_total_nodes(&self) -> Option<(f64, f64)> {
        let saved = self.sum(columns::SAVED);
        (saved > 0.0).then_some((saved, self.sum(columns::NODES) + saved))
    }

    pub fn ratio(&self) -> Ratio {
        self.measures.first().map(|measure| measure.ratio).unwrap_or_default()
    }
}

/// The columns that are summed for every summary. The sum of saved nodes is 0 if saved nodes were
/// not counted.
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

fn add_rate_intervals(lines: &mut [Line], searches: &Searches, frame: &Frame) {
    let group_and_cluster = |index: &u32| {
        let search = &searches.list[*index as usize];
        (search.group, search.cluster)
    };
    let find_group = |index: &u32| searches.list[*index as usize].group;
    let mut search_indices: Vec<u32> = (0..searches.list.len() as u32).collect();
    search_indices.retain(|&index| searches.list[index as usize].is_in_totals);
    // The sort must be stable, so that floating-point numbers are always added in the same order.
    search_indices.sort_by_key(group_and_cluster);
    // For each rate, the numerator and the summands of the denominator.
    let rate_sums = RATES.map(|(counter, columns)| {
        (frame.number_column(counter), columns.iter().map(|column| frame.number_column(column)).collect::<Vec<_>>())
    });
    for group in search_indices.chunk_by(|a, b| find_group(a) == find_group(b)) {
        let line = &mut lines[find_group(&group[0]) as usize];
        for (interval, (numerator, denominators)) in line.intervals.iter_mut().zip(&rate_sums) {
            let sum_cluster = |cluster: &[u32]| {
                let total = |numbers: &NumberColumn| {
                    cluster.iter().map(|&search| searches.sum(search as usize, numbers)).sum::<f64>()
                };
                (total(numerator), denominators.iter().map(|numbers| total(numbers)).sum::<f64>())
            };
            let clusters = group.chunk_by(|a, b| group_and_cluster(a) == group_and_cluster(b));
            let cluster_sums: Vec<(f64, f64)> = clusters.map(sum_cluster).collect();
            *interval = rate::rate_interval(&cluster_sums).unwrap_or((f64::NAN, f64::NAN));
        }
    }
}

/// Computes the sums, means and counts of each line.
pub(super) fn add_totals(lines: &mut [Line], searches: &Searches, frame: &Frame) {
    let column = |name| frame.number_column(name);
    let [slots, entries] = [columns::SLOTS, columns::ENTRIES].map(column);
    let solved = frame.text_column(columns::SOLVED);
    let mates = [columns::MATE_FOUND, columns::MATE_UNPROVED, columns::MATE_WRONG].map(column);
    let reported_hashfull = column(columns::REPORTED_HASHFULL);
    // The number of searches of each line that have a bounded table.
    let mut bounded_search_counts = vec![0.0; lines.len()];
    // Maps each group, block and game to the number of stores per slot, and to the number of tables
    // that these stores went to.
    let mut tables: BTreeMap<(u32, u32, u32), (f64, usize)> = BTreeMap::new();
    let sums = SUMS.map(column);
    let [fills, stores] = [columns::FILLS, columns::STORES].map(column);
    for (index, search) in searches.in_row_order().filter(|(_, search)| search.is_in_totals) {
        let (line, row) = (&mut lines[search.group as usize], search.last_row);
        line.searches += 1;
        line.sums.iter_mut().zip(&sums).for_each(|(total, numbers)| *total += searches.sum(index, numbers));
        if slots.get(row) > 0.0 {
            line.hashfull += 1000.0 * entries.get(row) / slots.get(row);
            // If the table has more entries than this search filled, an earlier search used the
            // same table.
            let filled_before = entries.get(row) > searches.sum(index, &fills);
            // All positions that belong to no game are counted as one game, which has the number 0.
            let game = if search.cluster & GAME_BIT != 0 { search.cluster } else { 0 };
            let (stores_per_slot, table_count) = tables.entry((search.group, search.block, game)).or_insert((0.0, 0));
            let is_first_of_table = *table_count == 0;
            // If the table was already filled before the first search in these rows, the rows of
            // earlier searches are filtered out. The number of their stores is unknown.
            let lacks_rows = is_first_of_table && filled_before;
            *stores_per_slot += if lacks_rows { f64::NAN } else { searches.sum(index, &stores) / slots.get(row) };
            let shares_table = !is_first_of_table && filled_before;
            *table_count += usize::from(!shares_table);
            bounded_search_counts[search.group as usize] += 1.0;
        }
        let full = reported_hashfull.get(row);
        if !full.is_nan() {
            line.fullest = Some(full.max(line.fullest.unwrap_or(0.0)));
        }
        let [all, counts @ ..] = &mut line.mates;
        *all += usize::from(!mates[0].get(row).is_nan());
        counts.iter_mut().zip(&mates).for_each(|(count, flags)| *count += usize::from(flags.get(row) == 1.0));
        let (solved_count, all_count) = &mut line.solved;
        *solved_count += usize::from(solved.text(row) == "true");
        *all_count += usize::from(matches!(solved.text(row), "true" | "false"));
    }
    add_rate_intervals(lines, searches, frame);
    let mut table_counts = vec![0; lines.len()];
    for ((group, ..), (stores_per_slot, table_count)) in tables {
        lines[group as usize].pressure += stores_per_slot;
        table_counts[group as usize] += table_count;
    }
    for (index, line) in lines.iter_mut().enumerate() {
        // If no search of the line has a bounded table, both quotients are 0 / 0, which is NaN.
        line.hashfull /= bounded_search_counts[index];
        line.pressure /= table_counts[index] as f64;
    }
}

#[cfg(test)]
mod tests {
    use super::{Line, SUMS};

    impl Line {
        /// Sets sums, for tests that make lines by hand.
        pub fn set_sums<const N: usize>(&mut self, sums: [(&str, f64); N]) {
            for (index, name) in SUMS.iter().enumerate() {
                self.sums[index] =
                    sums.iter().find(|(column, _)| column == name).map_or(self.sums[index], |(_, sum)| *sum);
            }
        }
    }
}
