//! Pairs: the only place where two searches meet.
//!
//! Searches are paired by position (in a sequence: game and ply) and by whatever else varies within their groups. What is compared is
//! what both did: where one went deeper than the other, or was cut short, only what led to the greatest depth that both finished counts,
//! and where there is none the two are not compared. Under several key seeds the logarithms of a position's ratios are averaged over the seeds.

use super::gauge::{Depths, Gauge};
use super::ratio::Ratio;
use super::searches::{OneSearch, Repeats, Searches, Step};
use super::stats::{mean, median};
use crate::analysis::rows::grouping::Grouping;
use foldhash::fast::RandomState;
use std::collections::HashMap;

/// Logarithms of ratios, each with its cluster.
pub type Logs = Vec<(u32, f64)>;

/// Two values of one thing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// What varies within the groups.
    pub block: u32,
    /// The position.
    pub unit: u32,
    /// The game, or the position where there is none: what is drawn independently.
    pub cluster: u32,
    /// The logarithm of the ratio.
    pub log: f64,
    /// The base's value and the other's (of several key seeds: their geometric means).
    pub values: [f64; 2],
}

/// The pairs of two sides.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pairs {
    /// The pairs.
    pub list: Vec<Pair>,
    /// Searches that were compared in the depths that both finished, one having finished others too.
    pub cut: usize,
    /// Searches of one position that finished no depth in common: not compared.
    pub apart: usize,
    /// Sums of what was paired, under the file's own key seed: the base's and the other's.
    pub totals: [f64; 2],
    /// Of times: half the distance between the other's fastest and slowest repeat, summed.
    pub spread: f64,
}

impl Pairs {
    /// Adds a pair; only of positive values is there a ratio.
    fn push(&mut self, block: u32, unit: u32, cluster: u32, values: [f64; 2]) {
        if values[0] > 0.0 && values[1] > 0.0 {
            self.list.push(Pair { block, unit, cluster, log: (values[1] / values[0]).ln(), values });
        }
    }

    /// Pairs values that were measured on the same things: of each its cluster, the base's value and the other's. NaN is none.
    #[must_use]
    pub fn of_values(clusters: &[u32], base: &[f64], other: &[f64]) -> Self {
        let mut pairs = Self::default();
        for (at, (&cluster, values)) in clusters.iter().zip(base.iter().zip(other)).enumerate() {
            pairs.push(0, at as u32, cluster, [*values.0, *values.1]);
        }
        pairs
    }

    /// The logarithms, each with its cluster.
    #[must_use]
    pub fn logs(&self) -> Logs {
        self.list.iter().map(|pair| (pair.cluster, pair.log)).collect()
    }

    /// The ratio of the two sides.
    #[must_use]
    pub fn ratio(&self) -> Ratio {
        Ratio::of(&self.logs())
    }

    /// The mean logarithm; NaN of no pair.
    #[must_use]
    pub fn mean(&self) -> f64 {
        mean(self.list.iter().map(|pair| pair.log))
    }

    /// The median ratio; NaN of no pair.
    #[must_use]
    pub fn median(&self) -> f64 {
        median(&mut self.list.iter().map(|pair| pair.log).collect::<Vec<_>>()).exp()
    }

    /// The ratios of these pairs divided by those of others, by position and block: where both are.
    #[must_use]
    pub fn over(&self, other: &Self) -> Self {
        let theirs: HashMap<(u32, u32), &Pair> =
            other.list.iter().map(|pair| ((pair.block, pair.unit), pair)).collect();
        let over = |pair: &Pair| {
            let base = theirs.get(&(pair.block, pair.unit))?;
            Some(Pair { log: pair.log - base.log, values: [base.log.exp(), pair.log.exp()], ..*pair })
        };
        Self { list: self.list.iter().filter_map(over).collect(), ..*self }
    }

    /// Each position once: logarithms of its key seeds averaged.
    fn over_seeds(&mut self) {
        let key = |pair: &Pair| (pair.block, pair.unit);
        self.list.sort_by_key(key);
        let together = |same: &[Pair]| {
            let average = |of: &dyn Fn(&Pair) -> f64| mean(same.iter().map(of));
            let values = [0, 1].map(|side| average(&|pair| pair.values[side].ln()).exp());
            Pair { log: average(&|pair| pair.log), values, ..same[0] }
        };
        self.list = self.list.chunk_by(|a, b| key(a) == key(b)).map(together).collect();
    }
}

/// What both of two searches did: all, or all up to the greatest depth that both finished; none where there is no such depth.
fn shared(searches: &Searches, base: u32, other: u32) -> Option<Depths> {
    let sides = [base, other].map(|search| searches.steps(search));
    let finished = |steps: &[Step], depth: u16| steps.iter().any(|step| step.depth == depth && step.finished);
    let depths = sides[0].iter().rev().map(|step| step.depth);
    let depth = depths.into_iter().find(|&depth| sides.iter().all(|steps| finished(steps, depth)))?;
    let ends = |steps: &&[Step]| steps.last().is_some_and(|step| step.depth == depth);
    Some(if sides.iter().all(ends) { Depths::All } else { Depths::UpTo(depth) })
}

/// One side, by block and position: what others are held against.
pub struct Base<'a> {
    reading: &'a Gauge<'a>,
    grouping: &'a Grouping,
    exact: HashMap<(u32, u32, u32), &'a Repeats, RandomState>,
    /// The blocks of each position, where there are several.
    by_unit: HashMap<u32, Vec<u32>, RandomState>,
    seeds: bool,
}

impl<'a> Base<'a> {
    /// The searches of a group.
    #[must_use]
    pub fn new(reading: &'a Gauge<'a>, grouping: &'a Grouping, group: usize) -> Self {
        let cells = reading.searches().cells(group);
        let mut by_unit: HashMap<u32, Vec<u32>, RandomState> = HashMap::default();
        for cell in cells.iter().filter(|_| grouping.blocks.len() > 1) {
            by_unit.entry(cell.unit).or_default().push(cell.block);
        }
        let exact = cells.iter().map(|cell| ((cell.block, cell.unit, cell.seed), cell)).collect();
        Self { reading, grouping, exact, by_unit, seeds: cells.iter().any(|cell| cell.seed > 0) }
    }

    /// What a search is held against: the same position, block and key seed; or a block that lacks some of the options and agrees
    /// in the others, so that no table stands beside every size of one. A base that has not this seed stands with its first.
    fn of(&self, cell: &Repeats) -> Option<&'a Repeats> {
        let find = |block: u32| {
            let seeded = self.exact.get(&(block, cell.unit, cell.seed));
            seeded.or_else(|| self.exact.get(&(block, cell.unit, 0))).copied()
        };
        find(cell.block).or_else(|| {
            let values = &self.grouping.blocks[cell.block as usize];
            let agrees = |block: &&u32| {
                let mut pairs = self.grouping.blocks[**block as usize].iter().zip(values);
                pairs.all(|(base, value)| base.is_empty() || base == value)
            };
            find(*self.by_unit.get(&cell.unit)?.iter().find(agrees)?)
        })
    }

    /// The searches that meet, each pair of cells with the depths that both finished.
    fn meet(&self, group: usize) -> impl Iterator<Item = (&'a Repeats, &'a Repeats, Option<Depths>)> {
        let searches = self.reading.searches();
        searches.cells(group).iter().filter_map(move |cell| {
            let base = self.of(cell)?;
            let [first, other] = [base, cell].map(|cell| searches.repeats(cell)[0]);
            Some((base, cell, shared(searches, first, other)))
        })
    }

    /// The pairs of another group's searches with these.
    #[must_use]
    pub fn pairs(&self, group: usize) -> Pairs {
        self.pairs_of(group, self.reading)
    }

    /// As [`Base::pairs`], with another metric of the other group.
    #[must_use]
    pub fn pairs_of(&self, group: usize, reading: &Gauge<'_>) -> Pairs {
        let (mut pairs, mut seeds) = (Pairs::default(), self.seeds);
        for (base, cell, depths) in self.meet(group) {
            match depths {
                None => pairs.apart += 1,
                Some(depths) => {
                    pairs.cut += usize::from(depths != Depths::All);
                    let values = [self.reading.cell(base, &depths), reading.cell(cell, &depths)];
                    pairs.push(cell.block, cell.unit, cell.cluster, values);
                    if cell.seed == 0 && values.iter().all(|value| value.is_finite()) {
                        pairs.totals = [pairs.totals[0] + values[0], pairs.totals[1] + values[1]];
                        pairs.spread += reading.spread(cell, &depths);
                    }
                }
            }
            seeds |= cell.seed > 0;
        }
        if seeds {
            pairs.over_seeds();
        }
        pairs
    }

    /// Of the searches that end at one depth in both, how many end with another value of a metric, and how many there are.
    #[must_use]
    pub fn other_ends(&self, group: usize, reading: &Gauge<'_>) -> (usize, usize) {
        let searches = self.reading.searches();
        let end = |cell: &Repeats| searches.steps(searches.repeats(cell)[0]).last().map(|step| step.depth);
        let ends = self.meet(group).filter(|(base, cell, _)| cell.seed == 0 && end(base) == end(cell));
        ends.fold((0, 0), |(other, all), (base, cell, _)| {
            let [a, b] = [base, cell].map(|cell| reading.cell(cell, &Depths::All));
            (other + usize::from(a != b), all + 1)
        })
    }
}

/// Rows of two sides by search and depth.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RowsMet {
    /// Rows that both have: the base's and the other's.
    pub both: Vec<(usize, usize)>,
    /// Rows of the base that the other lacks.
    pub missing: Vec<usize>,
    /// How many rows the base lacks.
    pub added: usize,
}

/// The rows of two sides that belong together: of one position, block, key seed, repeat and depth.
#[must_use]
pub fn rows_that_meet(searches: &Searches, base: &[Repeats], other: &[Repeats]) -> RowsMet {
    let key = |search: u32, step: &Step| {
        let OneSearch { block, unit, seed, repeat, .. } = searches.list[search as usize];
        (block, unit, seed, repeat, step.depth)
    };
    let steps = |cells: &'_ [Repeats]| -> Vec<_> {
        let all = cells.iter().flat_map(|cell| searches.repeats(cell));
        all.flat_map(|&search| searches.steps(search).iter().map(move |step| (key(search, step), step.row as usize)))
            .collect()
    };
    let theirs: HashMap<_, usize> = steps(other).into_iter().collect();
    let mut rows = RowsMet::default();
    for (key, row) in steps(base) {
        match theirs.get(&key) {
            Some(&other) => rows.both.push((row, other)),
            None => rows.missing.push(row),
        }
    }
    rows.added = theirs.len() - rows.both.len();
    rows
}
