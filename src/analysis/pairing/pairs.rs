//! Pairs: the only place where two searches meet.
//!
//! Searches are paired by position (in a sequence: game and ply) and by whatever else varies within their groups. What is compared is
//! what both did: where one went deeper than the other, or was cut short, only what led to the greatest depth that both finished counts,
//! and where there is none the two are not compared. Under several key seeds the logarithms of a position's ratios are averaged over the seeds.

use super::gauge::{Depths, MetricReader};
use super::ratio::Ratio;
use super::searches::{IterationRow, OneSearch, Repeats, Searches};
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
    /// The base's value and the other's, under the key seed `seed`.
    pub values: [f64; 2],
    /// The key seed that the values are of: 0 is the file's own, wherever a search was made under it.
    pub seed: u32,
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
    /// Searches that differ and have no ratio, since a value is 0 or less: those of which the other's is less, and those of which it is more.
    pub beyond: [usize; 2],
    /// Searches that have no ratio since both values are 0.
    pub nil: usize,
    /// Sums of what was paired (means where means are compared), under the file's own key seed: the base's and the other's.
    pub totals: [f64; 2],
    /// Of times: half the distance between the other's fastest and slowest repeat, summed.
    pub spread: f64,
}

impl Pairs {
    /// Adds a pair; only of positive values is there a ratio.
    fn push(&mut self, [block, unit, cluster, seed]: [u32; 4], values: [f64; 2]) {
        if values[0] > 0.0 && values[1] > 0.0 {
            let log = (values[1] / values[0]).ln();
            self.list.push(Pair { block, unit, cluster, log, values, seed });
        } else {
            self.beyond[0] += usize::from(values[1] < values[0]);
            self.beyond[1] += usize::from(values[1] > values[0]);
            self.nil += usize::from(values == [0.0; 2]);
        }
    }

    /// Pairs values that were measured on the same things: of each its cluster, the base's value and the other's. NaN is none.
    pub fn of_values(clusters: &[u32], base: &[f64], other: &[f64]) -> Self {
        let mut pairs = Self::default();
        for (at, (&cluster, values)) in clusters.iter().zip(base.iter().zip(other)).enumerate() {
            pairs.push([0, at as u32, cluster, 0], [*values.0, *values.1]);
        }
        pairs
    }

    /// The logarithms, each with its cluster.
    pub fn logs(&self) -> Logs {
        self.list.iter().map(|pair| (pair.cluster, pair.log)).collect()
    }

    /// The ratio of the two sides.
    pub fn ratio(&self) -> Ratio {
        Ratio::of(&self.logs())
    }

    /// A ratio whose interval leaves nothing out: what has no ratio lies below it, or above it.
    pub fn with_beyond(&self, ratio: Ratio) -> Ratio {
        let [below, above] = self.beyond.map(|searches| searches > 0);
        let (low, high) = (if below { 0.0 } else { ratio.low }, if above { f64::INFINITY } else { ratio.high });
        Ratio { low, high, ..ratio }
    }

    /// The mean logarithm; NaN of no pair.
    pub fn mean(&self) -> f64 {
        mean(self.list.iter().map(|pair| pair.log))
    }

    /// The median ratio; NaN of no pair.
    pub fn median(&self) -> f64 {
        median(&mut self.list.iter().map(|pair| pair.log).collect::<Vec<_>>()).exp()
    }

    /// The ratios of these pairs divided by those of others, by position and block: where both are.
    pub fn over(&self, other: &Self) -> Self {
        let theirs: HashMap<(u32, u32), &Pair> =
            other.list.iter().map(|pair| ((pair.block, pair.unit), pair)).collect();
        let over = |pair: &Pair| {
            let base = theirs.get(&(pair.block, pair.unit))?;
            Some(Pair { log: pair.log - base.log, values: [base.log.exp(), pair.log.exp()], ..*pair })
        };
        Self { list: self.list.iter().filter_map(over).collect(), ..*self }
    }

    /// Takes for each pair's logarithm what it adds to that of the ratio of both sides' means: the ratio is theirs, and its error that of the
    /// delta method. Single values may be 0. Source: Cochran, "Sampling Techniques", 1977, chapter 6.
    fn compare_means(&mut self) {
        let means = |list: &[Pair]| [0, 1].map(|side| mean(list.iter().map(|pair| pair.values[side])));
        let own: Vec<Pair> = self.list.iter().filter(|pair| pair.seed == 0).copied().collect();
        self.totals = means(&own);
        let [base, other] = means(&self.list);
        if base > 0.0 && other > 0.0 {
            let ratio = (other / base).ln();
            self.list.iter_mut().for_each(|pair| pair.log = ratio + pair.values[1] / other - pair.values[0] / base);
            return;
        }
        for pair in std::mem::take(&mut self.list) {
            self.beyond[0] += usize::from(pair.values[1] < pair.values[0]);
            self.beyond[1] += usize::from(pair.values[1] > pair.values[0]);
            self.nil += usize::from(pair.values[0] == pair.values[1]);
        }
    }

    /// Each position once: logarithms of its key seeds averaged, values those of the first.
    fn over_seeds(&mut self) {
        let key = |pair: &Pair| (pair.block, pair.unit);
        self.list.sort_by_key(|pair| (key(pair), pair.seed));
        let together = |same: &[Pair]| Pair { log: mean(same.iter().map(|pair| pair.log)), ..same[0] };
        self.list = self.list.chunk_by(|a, b| key(a) == key(b)).map(together).collect();
    }
}

/// What both of two searches did: all, or all up to the greatest depth that both finished; none where there is no such depth.
fn shared(searches: &Searches, base: u32, other: u32) -> Option<Depths> {
    let sides = [base, other].map(|search| searches.steps(search));
    let finished = |steps: &[IterationRow], depth: u16| steps.iter().any(|step| step.depth == depth && step.finished);
    let depths = sides[0].iter().rev().map(|step| step.depth);
    let depth = depths.into_iter().find(|&depth| sides.iter().all(|steps| finished(steps, depth)))?;
    let ends = |steps: &&[IterationRow]| steps.last().is_some_and(|step| step.depth == depth);
    Some(if sides.iter().all(ends) { Depths::All } else { Depths::UpTo(depth) })
}

/// One side, by block and position: what others are held against.
pub struct Base<'a> {
    reading: &'a MetricReader<'a>,
    grouping: &'a Grouping,
    exact: HashMap<(u32, u32, u32), &'a Repeats, RandomState>,
    /// The blocks of each position, where there are several.
    by_unit: HashMap<u32, Vec<u32>, RandomState>,
    seeds: bool,
}

impl<'a> Base<'a> {
    /// The searches of a group.
    pub fn new(reading: &'a MetricReader<'a>, grouping: &'a Grouping, group: usize) -> Self {
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

    /// The searches that meet, each pair of cells with the depths that both finished. Where one side began every search of a game in a new process and the
    /// other did not, the first search of a game is the same in both by design, and says nothing.
    fn meet(&self, group: usize) -> impl Iterator<Item = (&'a Repeats, &'a Repeats, Option<Depths>)> {
        let searches = self.reading.searches();
        searches.cells(group).iter().filter_map(move |cell| {
            let base = self.of(cell)?;
            if cell.opens_game && base.alone != cell.alone {
                return None;
            }
            let [first, other] = [base, cell].map(|cell| searches.repeats(cell)[0]);
            Some((base, cell, shared(searches, first, other)))
        })
    }

    /// The pairs of another group's searches with these.
    pub fn pairs(&self, group: usize) -> Pairs {
        self.pairs_of(group, self.reading)
    }

    /// As [`Base::pairs`], with another metric of the other group.
    pub fn pairs_of(&self, group: usize, reading: &MetricReader<'_>) -> Pairs {
        let (mut pairs, mut seeds) = (Pairs::default(), self.seeds);
        let means = self.reading.compares_means() || reading.compares_means();
        for (base, cell, depths) in self.meet(group) {
            match depths {
                // A search is held against the judge as a whole, however deep the other went.
                _ if means => {
                    let values = [self.reading.cell(base, &Depths::All), reading.cell(cell, &Depths::All)];
                    if values.iter().all(|value| value.is_finite()) {
                        pairs.list.push(Pair {
                            block: cell.block,
                            unit: cell.unit,
                            cluster: cell.cluster,
                            log: 0.0,
                            values,
                            seed: cell.seed,
                        });
                    }
                }
                None => pairs.apart += 1,
                Some(depths) => {
                    pairs.cut += usize::from(depths != Depths::All);
                    let values = [self.reading.cell(base, &depths), reading.cell(cell, &depths)];
                    pairs.push([cell.block, cell.unit, cell.cluster, cell.seed], values);
                    if cell.seed == 0 && values.iter().all(|value| value.is_finite()) {
                        pairs.totals = [pairs.totals[0] + values[0], pairs.totals[1] + values[1]];
                        pairs.spread += reading.spread(cell, &depths);
                    }
                }
            }
            seeds |= cell.seed > 0;
        }
        if means {
            pairs.compare_means();
        }
        if seeds {
            pairs.over_seeds();
        }
        pairs
    }

    /// Of the searches that end at one depth in both, how many end with another value of a metric, and how many there are.
    pub fn other_ends(&self, group: usize, reading: &MetricReader<'_>) -> (usize, usize) {
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
pub fn rows_that_meet(searches: &Searches, base: &[Repeats], other: &[Repeats]) -> RowsMet {
    let key = |search: u32, step: &IterationRow| {
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::analysis::rows::frame::Frame;
    use crate::analysis::rows::metric::Metric;
    use crate::analysis::rows::seeds::fold;
    use crate::record::columns;

    struct Read {
        frame: Frame,
        grouping: Grouping,
        searches: Searches,
    }

    /// Rows without their heading, grouped by some column; further key seeds are rows of their variants.
    fn rows_of(heading: &str, rows: &str, by: &str) -> Read {
        let frame = Frame::parse(format!("{heading}\n{rows}").as_bytes(), "t").unwrap();
        let frame = fold(&frame).map_or(frame, |(folded, _)| folded);
        let grouping = Grouping::new(&frame, &[by.to_owned()]);
        let sums = ["search.nodes", "table.hits"].map(str::to_owned);
        let searches = Searches::gather(&frame, &grouping, &sums);
        Read { frame, grouping, searches }
    }

    impl Read {
        fn with<T>(&self, metric: &str, base: usize, ask: impl FnOnce(&Base<'_>, &MetricReader<'_>) -> T) -> T {
            let metric = Metric::find(metric, &self.frame).unwrap();
            let gauge = MetricReader::new(&self.searches, &metric, &self.frame);
            ask(&Base::new(&gauge, &self.grouping, base), &gauge)
        }

        fn pairs(&self, metric: &str, base: usize, other: usize) -> Pairs {
            self.with(metric, base, |base, _| base.pairs(other))
        }

        /// The pairs: position, both values, in thousandths.
        fn shown(&self, pairs: &Pairs) -> Vec<String> {
            let one = |pair: &Pair| {
                let [base, other] = pair.values.map(|value| (1000.0 * value).round() / 1000.0);
                let positions = self.frame.coded(columns::POSITION);
                format!("{} {base} {other}", positions.list()[pair.unit as usize])
            };
            pairs.list.iter().map(one).collect()
        }
    }

    const HEADING: &str =
        "variant,position,repeat,depth,score,finished,search.nodes,table.probes,table.hits,slots,seconds,error";

    /// p: both to depth 2, three times; q: the base to depth 3; r: the base's depth was cut short; s: no base; t: a failure.
    const ROWS: &str = "a,p,0,1,5,true,10,10,1,8,0.5,\na,p,0,2,6,true,90,30,9,8,1.5,\n\
        a,q,0,1,5,true,20,10,1,8,1,\na,q,0,2,6,true,80,40,4,8,1,\na,q,0,3,7,true,300,90,50,8,1,\n\
        a,r,0,1,5,false,50,10,1,8,1,\na,u,0,1,5,true,7,1,0,8,1,\n\
        b,p,0,1,5,true,20,20,10,4,0.1,\nb,p,0,2,9,true,180,60,30,4,0.3,\n\
        b,p,1,1,5,true,1,1,1,4,0.4,\nb,p,1,2,9,true,1,1,1,4,0.6,\nb,p,2,1,5,true,2,1,1,4,0.2,\nb,p,2,2,9,true,2,1,1,4,0.4,\n\
        b,q,0,1,5,true,10,10,5,4,1,\nb,q,0,2,6,true,40,30,5,4,1,\n\
        b,r,0,1,5,true,5,10,1,4,1,\nb,r,0,2,5,true,5,10,1,4,1,\nb,s,0,1,5,true,5,10,1,4,1,\nb,u,0,1,5,true,0,2,1,4,2,\n\
        b,t,0,0,,,,,,,0,why\n";

    /// Of two searches along a game the first is left out where one side begins each in a new process; not between sides that do the same, nor of single
    /// positions.
    #[test]
    fn the_first_search_of_a_game_says_nothing_of_what_is_kept() {
        let heading = "variant,game,position,ply,repeat,depth,finished,search.nodes,subject.restart,error";
        let of = |games: bool, restarts: [&str; 2]| {
            let row = |variant: &str, restart: &str, ply: u32, nodes: u32| {
                let game = if games { "g" } else { "" };
                format!("{variant},{game},p{ply},{ply},0,1,true,{nodes},{restart},\n")
            };
            let side =
                |variant, restart, times| [20, 22, 24].map(|ply| row(variant, restart, ply, times * ply)).concat();
            let rows = side("a", restarts[0], 1) + &side("b", restarts[1], 2);
            let read = rows_of(heading, &rows, columns::VARIANT);
            read.shown(&read.pairs("nodes", 0, 1))
        };
        let all = ["p20 20 40", "p22 22 44", "p24 24 48"];
        assert_eq!(of(true, ["game", "search"]), all[1..]);
        assert_eq!(of(true, ["search", "experiment"]), all[1..]);
        for restarts in [["game", "game"], ["search", "search"], ["game", "experiment"], ["", ""]] {
            assert_eq!(of(true, restarts), all, "{restarts:?}");
        }
        assert_eq!(of(false, ["game", "search"]), all);
    }

    /// What is compared, by hand, in each metric: what both finished, of times the median of the repeats, rates of sums, ends of the last depth.
    #[test]
    fn pairs_by_hand() {
        let read = rows_of(HEADING, ROWS, columns::VARIANT);
        let nodes = read.pairs("nodes", 0, 1);
        assert_eq!(read.shown(&nodes), ["p 100 200", "q 100 50"], "of u there is no ratio");
        assert_eq!((nodes.cut, nodes.apart, nodes.totals, nodes.spread), (1, 1, [207.0, 250.0], 0.0));
        assert_eq!((nodes.beyond, nodes.nil), ([1, 0], 0), "7 and 0");
        assert_eq!(read.searches.errors, [0, 1]);
        assert!(nodes.mean().abs() < 1e-12 && (nodes.median() - 1.0).abs() < 1e-12);
        assert!(nodes.logs().iter().map(|(_, log)| *log).eq([2.0_f64.ln(), 0.5_f64.ln()]));
        // The other way round: what only the base has is left out, and ratios are turned.
        let turned = read.pairs("nodes", 1, 0);
        assert_eq!(
            (read.shown(&turned), turned.totals, turned.apart),
            (vec!["p 200 100".to_owned(), "q 50 100".to_owned()], [250.0, 207.0], 1)
        );
        assert_eq!(turned.beyond, [0, 1]);
        // 0.4, 1 and 0.6 seconds: the median, and half of what lies between the least and the most.
        let times = read.pairs("seconds", 0, 1);
        assert_eq!(read.shown(&times), ["p 2 0.6", "q 2 2", "u 1 2"]);
        assert!(
            (times.spread - 0.3).abs() < 1e-12 && times.totals[0] == 5.0 && (times.totals[1] - 4.6).abs() < 1e-12,
            "{times:?}"
        );
        let rates = read.pairs("hit_rate", 0, 1);
        assert!((rates.median() - 5.0_f64.sqrt()).abs() < 1e-12, "of 2 and 2.5 the geometric mean");
        assert_eq!(read.shown(&rates), ["p 0.25 0.5", "q 0.1 0.25"], "10 of 40 and 40 of 80; 5 of 50 and 10 of 40");
        assert_eq!(read.shown(&read.pairs("slots", 0, 1)), ["p 8 4", "q 8 4", "u 8 4"]);
        // p ends with another score, u with the same, q at another depth.
        let score = Metric::find("score", &read.frame).unwrap();
        let ends = read
            .with("nodes", 0, |base, _| base.other_ends(1, &MetricReader::new(&read.searches, &score, &read.frame)));
        assert_eq!(ends, (1, 2));
        // Seconds of one side by nodes of the other: each with its own metric.
        let nodes_metric = Metric::nodes();
        let mixed = read.with("seconds", 0, |base, _| {
            base.pairs_of(1, &MetricReader::new(&read.searches, &nodes_metric, &read.frame))
        });
        assert_eq!(read.shown(&mixed), ["p 2 200", "q 2 50"]);
        let over = times.over(&nodes);
        assert_eq!(over.list.len(), 2);
        assert!(
            (over.list[0].log - (0.3_f64 / 2.0).ln()).abs() < 1e-12 && (over.list[1].log - 2.0_f64.ln()).abs() < 1e-12
        );
        assert!((over.list[0].values[0] - 2.0).abs() < 1e-12 && (over.list[0].values[1] - 0.3).abs() < 1e-12);
        let plain = Pairs::of_values(
            &[4, 5, 6, 7, 8, 9],
            &[1.0, f64::NAN, 0.0, 0.0, 2.0, 0.0],
            &[3.0, 1.0, 1.0, 0.0, 0.0, 2.0],
        );
        assert_eq!((plain.beyond, plain.nil), ([1, 2], 1));
        assert_eq!(
            plain.list.iter().map(|pair| (pair.cluster, pair.unit, pair.values)).collect::<Vec<_>>(),
            [(4, 0, [1.0, 3.0])]
        );
        let searches = &read.searches;
        assert_eq!(
            (searches.group_sum(0, "search.nodes"), searches.group_sum(1, "search.nodes")),
            (557.0, 265.0),
            "each once, repeats apart"
        );
        assert!(searches.group_sum(0, "table.stores").is_nan() && searches.twice().is_none());
        let cell = &searches.cells(1)[0];
        assert_eq!(
            (searches.repeats(cell).len(), searches.sum(0, "table.hits"), searches.sums("search.nodes")(0)),
            (3, 10.0, 100.0)
        );
    }

    /// Key seeds: p under three of them on both sides, q under two of the other alone, which then stand beside the base's own; values, totals and
    /// ends are those of the file's own seed.
    #[test]
    fn key_seeds_are_averaged_by_position() {
        let heading = "variant,position,depth,score,search.nodes";
        let rows = "a,p,1,5,100\na,q,1,5,10\n\"a, key seed 2\",p,1,5,40\n\"a, key seed 3\",p,1,5,25\n\
            b,p,1,6,200\nb,q,1,5,20\n\"b, key seed 2\",p,1,7,160\n\"b, key seed 2\",q,1,7,80\n\"b, key seed 3\",p,1,7,400\n";
        let read = rows_of(heading, rows, columns::VARIANT);
        assert_eq!(read.grouping.values.len(), 2);
        let pairs = read.pairs("nodes", 0, 1);
        // Ratios of p: 2, 4 and 16, whose geometric mean is 128^(1/3); of q 2 and 8. Values are those of the file's own seed.
        assert_eq!(read.shown(&pairs), ["p 100 200", "q 10 20"]);
        assert!(
            (pairs.list[0].log - 128.0_f64.ln() / 3.0).abs() < 1e-12
                && (pairs.list[1].log - 4.0_f64.ln()).abs() < 1e-12
        );
        assert_eq!(pairs.totals, [110.0, 220.0]);
        assert_eq!(read.searches.group_sum(1, "search.nodes"), 220.0);
        let score = Metric::find("score", &read.frame).unwrap();
        let ends = read
            .with("nodes", 0, |base, _| base.other_ends(1, &MetricReader::new(&read.searches, &score, &read.frame)));
        assert_eq!(ends, (1, 2));
        // The base alone has seeds: the other is held against its own seed, once for each position.
        let turned = "a,p,1,5,100\n\"a, key seed 2\",p,1,5,40\nb,p,1,5,300\n";
        let read = rows_of(heading, turned, columns::VARIANT);
        assert_eq!(read.shown(&read.pairs("nodes", 0, 1)), ["p 100 300"]);
        assert_eq!(read.with("nodes", 0, |_, gauge| gauge.group(0)), [100.0]);
    }

    /// What has no table stands beside each size of one, and beside nothing where it is not the base; games are their searches' clusters.
    #[test]
    fn blocks_that_lack_an_option_stand_beside_all() {
        let heading = "variant,game,position,table.kind,table.size,depth,search.nodes";
        let rows = "x,g,g 1,none,,1,100\nx,g,g 2,none,,1,10\nx,,g,none,,1,6\ny,g,g 1,bounded,1,1,50\nz,g,g 1,bounded,2,1,25\nz,,g,bounded,2,1,3\n";
        let read = rows_of(heading, rows, "table.kind");
        let pairs = read.pairs("nodes", 0, 1);
        assert_eq!(read.shown(&pairs), ["g 1 100 50", "g 1 100 25", "g 6 3"]);
        let clusters: Vec<u32> = pairs.list.iter().map(|pair| pair.cluster).collect();
        assert!(
            clusters[0] == clusters[1] && clusters[1] != clusters[2],
            "a game and a position of one name are two things"
        );
        let names = [0, 2].map(|at| read.searches.cluster_name(clusters[at], &read.frame));
        assert_eq!(names, ["g", "g"]);
        assert!(read.pairs("nodes", 1, 0).list.is_empty());
        // What the base has of another option must agree.
        let others = "x,,p,none,,a,1,100\ny,,p,bounded,1,a,1,50\nz,,p,bounded,1,b,1,20\n";
        let read_others = rows_of(&heading.replace("size", "size,order"), others, "table.kind");
        assert_eq!(read_others.shown(&read_others.pairs("nodes", 0, 1)), ["p 100 50"]);
        let by_size = rows_of(heading, rows, "table.size");
        assert_eq!(by_size.shown(&by_size.pairs("nodes", 1, 2)), ["g 1 50 25"]);
    }

    /// Rows that meet: by position, repeat and depth; what either lacks.
    #[test]
    fn rows_meet_by_what_they_are_of() {
        let read = rows_of(HEADING, ROWS, columns::VARIANT);
        let met = rows_that_meet(&read.searches, read.searches.cells(0), read.searches.cells(1));
        let key = |row: usize| {
            [columns::POSITION, columns::REPEAT, columns::DEPTH]
                .map(|name| read.frame.text(name, row).into_owned())
                .join(" ")
        };
        assert!(met.both.iter().all(|&(base, other)| key(base) == key(other)));
        assert_eq!(met.both.len(), 2 + 2 + 1 + 1);
        assert_eq!(met.missing.iter().map(|&row| key(row)).collect::<Vec<_>>(), ["q 0 3"]);
        assert_eq!(met.added, 4 + 1 + 1);
        let doubled = rows_of(HEADING, &format!("{ROWS}b,q,0,2,6,true,1,1,1,4,1,\n"), columns::VARIANT);
        assert_eq!(
            doubled.searches.twice().map(|row| doubled.frame.text(columns::NODES, row).into_owned()).as_deref(),
            Some("1")
        );
    }

    #[test]
    fn the_depth_is_the_greatest_that_both_finished() {
        let heading = "variant,position,depth,finished,search.nodes";
        for (base, other, expected) in [
            (&[(1, true), (2, true)][..], &[(1, true), (2, true)][..], Some(Depths::All)),
            (&[(1, true), (2, true)], &[(1, true), (2, false)], Some(Depths::UpTo(1))),
            (&[(1, true), (2, false)], &[(1, true), (2, false)], Some(Depths::UpTo(1))),
            (&[(2, true)], &[(1, true), (2, true), (3, true)], Some(Depths::UpTo(2))),
            (&[(1, true), (3, true)], &[(1, true), (2, true)], Some(Depths::UpTo(1))),
            (&[(1, false)], &[(1, true)], None),
            (&[(1, true)], &[(2, true)], None),
        ] {
            let row = |variant: &str, (depth, finished): &(u16, bool)| format!("{variant},p,{depth},{finished},1\n");
            let rows: String = base.iter().map(|of| row("a", of)).chain(other.iter().map(|of| row("b", of))).collect();
            let read = rows_of(heading, &rows, columns::VARIANT);
            assert_eq!(shared(&read.searches, 0, 1), expected, "{rows}");
        }
    }

    /// A figure by the last value: 30 and 70 stores in a table of 40 slots, which had 20 at first, are a pressure of 2.5; up to depth 1 of 1.5.
    #[test]
    fn a_figure_by_the_last_value_is_by_the_last() {
        let rows = "a,p,1,1,30,20\na,p,2,1,70,40\nb,p,1,1,60,20\n";
        let read = rows_of("variant,position,depth,search.nodes,table.stores,slots", rows, columns::VARIANT);
        let all = read.with("pressure", 0, |_, gauge| gauge.group(0));
        assert_eq!(all, [2.5]);
        assert_eq!(read.shown(&read.pairs("pressure", 0, 1)), ["p 1.5 3"]);
    }

    /// By hand: errors of 0, 20, 40 against 30, 0, 30 are means of 20 and 20; of 10, 20, 40 and 30, 0, 30 the ratio is 60 / 70. A search counts as a
    /// whole, however deep the other went, and one that has no figure not at all.
    #[test]
    fn means_are_compared_where_single_values_may_be_nothing() {
        let rows = "a,p,1,7,9\na,p,2,7,10\na,q,1,7,20\na,r,1,7,40\na,s,1,7,5\nb,p,1,7,30\nb,q,1,7,1\nb,q,2,7,0\nb,r,1,7,30\nb,s,1,7,\n";
        let read = rows_of("variant,position,depth,search.nodes,score_error", rows, columns::VARIANT);
        let metric = Metric::of(columns::SCORE_ERROR);
        let gauge = MetricReader::new(&read.searches, &metric, &read.frame);
        let pairs = Base::new(&gauge, &read.grouping, 0).pairs(1);
        let close = |found: f64, required: f64| assert!((found - required).abs() < 1e-12, "{found} {required}");
        close(pairs.ratio().mean, 60.0 / 70.0);
        close(pairs.totals[0], 70.0 / 3.0);
        close(pairs.totals[1], 20.0);
        assert_eq!((pairs.list.len(), pairs.cut, pairs.apart), (3, 0, 0));
        // What each adds: ln (6/7) + other / 20 - base / 23.33.
        close(pairs.list[1].log, (6.0_f64 / 7.0).ln() + 0.0 - 20.0 / (70.0 / 3.0));
        let mut nothing =
            Pairs { list: pairs.list.iter().map(|pair| Pair { values: [0.0, 0.0], ..*pair }).collect(), ..pairs };
        nothing.compare_means();
        assert_eq!((nothing.list.len(), nothing.nil, nothing.beyond), (0, 3, [0, 0]));
    }
}
