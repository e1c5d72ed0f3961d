//! What a group of rows adds up to: the totals of a summary's line, its rates with their intervals, its means.

use crate::analysis::pairing::rate;
use crate::analysis::pairing::ratio::Ratio;
use crate::analysis::pairing::searches::Searches;
use crate::analysis::rows::frame::Frame;
use crate::record::columns;
use std::collections::BTreeMap;

/// A metric of one group, and how it compares.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Measure {
    /// Its total, or its rate over all searches.
    pub value: f64,
    /// Against the baseline's, paired by search.
    pub ratio: Ratio,
    /// p of the ratio, corrected for all lines by joint sign flips; NaN for a baseline.
    pub p: f64,
    /// Whether the ratio is told from 1.
    pub marked: bool,
    /// Whether a single position or game decides that.
    pub hangs: bool,
    /// Searches that were compared in fewer depths than they made: the baseline's has finished others.
    pub cut: usize,
    /// Searches that were not compared: they share no finished depth with the baseline's.
    pub apart: usize,
    /// Searches that were not compared: of them and the baseline's one is 0, and the other is not.
    pub beyond: usize,
}

/// The rates that a line has: what is counted, and the columns that add up to what it is counted of.
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

/// Totals of one group, over all iterations of all searches; repeats are counted once (times: their median).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Line {
    /// The variant's name, or the group's.
    pub name: String,
    /// Its values of the columns that groups are told apart by.
    pub values: Vec<String>,
    /// Whether it is held against itself.
    pub is_baseline: bool,
    /// How many searches.
    pub searches: usize,
    /// The metrics asked for, in their order.
    pub measures: Vec<Measure>,
    /// Nodes.
    pub nodes: f64,
    /// Evaluations.
    pub evals: f64,
    /// Hits that ended their node.
    pub usable: f64,
    /// Hits that only gave a move.
    pub move_only: f64,
    /// Probes.
    pub probes: f64,
    /// Hits.
    pub hits: f64,
    /// Misses that found a free slot.
    pub misses_empty: f64,
    /// Misses that found other keys.
    pub misses_other: f64,
    /// Stores.
    pub stores: f64,
    /// Stores that displaced another position.
    pub evictions: f64,
    /// Stores refused.
    pub rejections: f64,
    /// The 95 % interval of each of [`RATES`], over positions or games; NaN where there are fewer than two.
    pub intervals: [(f64, f64); RATES.len()],
    /// Worth of the cutoffs: nodes searched to make the results that they were. 0 where nobody counted.
    pub saved: f64,
    /// Stores for each slot over the life of a table (in sequences: all searches of a game that share it), the mean over tables;
    /// NaN without a bounded table, or where a part of a table's life is filtered out.
    pub pressure: f64,
    /// Occupied slots per mille at the end of a search, the mean over searches; NaN without a bounded table.
    pub hashfull: f64,
    /// Seconds.
    pub seconds: f64,
    /// Searches whose last score is another than the baseline's, of those that both made to the same depth.
    pub other_scores: (usize, usize),
    /// Searches whose last best move was the suite's, and those where the suite names one.
    pub solved: (usize, usize),
    /// Jobs that failed.
    pub errors: usize,
    /// The position or game that moves the first metric's ratio most; empty where there are fewer than three.
    pub influential: String,
}

impl Line {
    /// The interval of one of [`RATES`]; NaN where there is none.
    pub fn interval(&self, column: &str) -> (f64, f64) {
        RATES.iter().position(|(part, _)| *part == column).map_or((f64::NAN, f64::NAN), |at| self.intervals[at])
    }

    /// The worth of the cutoffs, and the nodes that it would have taken without them, if nothing else had changed; none where nobody counted.
    pub fn worth(&self) -> Option<(f64, f64)> {
        (self.saved > 0.0).then_some((self.saved, self.nodes + self.saved))
    }

    /// The ratio of the first metric.
    pub fn ratio(&self) -> Ratio {
        self.measures.first().map(|measure| measure.ratio).unwrap_or_default()
    }
}

/// A sum of a line.
type Field = fn(&mut Line) -> &mut f64;

/// Columns that every summary sums up.
pub(super) const SUMS: [(&str, Field); 12] = [
    (columns::NODES, |line| &mut line.nodes),
    (columns::EVALS, |line| &mut line.evals),
    (columns::USABLE, |line| &mut line.usable),
    (columns::MOVE_ONLY, |line| &mut line.move_only),
    (columns::PROBES, |line| &mut line.probes),
    (columns::HITS, |line| &mut line.hits),
    (columns::MISSES_EMPTY, |line| &mut line.misses_empty),
    (columns::MISSES_OTHER, |line| &mut line.misses_other),
    (columns::STORES, |line| &mut line.stores),
    (columns::EVICTIONS, |line| &mut line.evictions),
    (columns::REJECTIONS, |line| &mut line.rejections),
    (columns::SAVED, |line| &mut line.saved),
];

/// The intervals of each line's rates.
fn rates(lines: &mut [Line], searches: &Searches) {
    let key = |at: &u32| (searches.list[*at as usize].group, searches.list[*at as usize].cluster);
    let mut order: Vec<u32> = (0..searches.list.len() as u32).collect();
    order.retain(|&at| searches.list[at as usize].is_first);
    // Stable: sums of fractions are of the order in which they are made.
    order.sort_by_key(key);
    let sums = RATES.map(|(part, whole)| {
        (searches.sums(part), whole.iter().map(|column| searches.sums(column)).collect::<Vec<_>>())
    });
    for group in order.chunk_by(|a, b| key(a).0 == key(b).0) {
        lines[key(&group[0]).0 as usize].intervals = std::array::from_fn(|at| {
            let (part, whole) = &sums[at];
            let of = |cluster: &[u32]| {
                let total =
                    |sum: &dyn Fn(usize) -> f64| cluster.iter().map(|&search| sum(search as usize)).sum::<f64>();
                (total(part), whole.iter().map(|sum| total(sum)).sum::<f64>())
            };
            let parts: Vec<(f64, f64)> = group.chunk_by(|a, b| key(a) == key(b)).map(of).collect();
            rate::interval(&parts).unwrap_or((f64::NAN, f64::NAN))
        });
    }
}

/// Sums, means and counts of each line.
pub(super) fn totals(lines: &mut [Line], searches: &Searches, frame: &Frame) {
    let [slots, entries] = [columns::SLOTS, columns::ENTRIES].map(|name| frame.numbers(name));
    let solved = frame.coded(columns::SOLVED);
    let mut bounded = vec![0.0; lines.len()];
    // Stores for each slot, and how many tables took them: by group, block and game.
    let mut tables: BTreeMap<(u32, u32, u32), (f64, usize)> = BTreeMap::new();
    let sums = SUMS.map(|(name, field)| (searches.sums(name), field));
    for (at, search) in searches.list.iter().enumerate().filter(|(_, search)| search.is_first) {
        let line = &mut lines[search.group as usize];
        line.searches += 1;
        for (sum, field) in &sums {
            *field(line) += sum(at);
        }
        if slots[search.last] > 0.0 {
            line.hashfull += 1000.0 * entries[search.last] / slots[search.last];
            // More entries than were put in by this search: the table is that of the search before it.
            let game = if search.cluster >> 31 == 1 { search.cluster } else { 0 };
            let table = tables.entry((search.group, search.block, game)).or_insert((0.0, 0));
            // Of a table's first search it means that rows of it are filtered out; what was stored in them is not known.
            let filled_before = entries[search.last] > searches.sum(at, columns::FILLS);
            let hidden = table.1 == 0 && filled_before;
            table.0 += if hidden { f64::NAN } else { searches.sum(at, columns::STORES) / slots[search.last] };
            table.1 += usize::from(!(table.1 > 0 && filled_before));
            bounded[search.group as usize] += 1.0;
        }
        let solved = solved.at(search.last);
        line.solved.0 += usize::from(solved == "true");
        line.solved.1 += usize::from(matches!(solved, "true" | "false"));
    }
    rates(lines, searches);
    let mut numbers = vec![0; lines.len()];
    for ((group, ..), (stores, number)) in tables {
        lines[group as usize].pressure += stores;
        numbers[group as usize] += number;
    }
    for (at, line) in lines.iter_mut().enumerate() {
        // 0 / 0 is NaN: no search of the line had a bounded table.
        line.hashfull /= bounded[at];
        line.pressure /= numbers[at] as f64;
    }
}
