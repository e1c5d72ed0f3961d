//! Pairs the searches of two groups by position and block. In a sequence, a position is a ply of a
//! game. A block is a combination of values of the options that vary within a group.
//!
//! Two searches are compared over the iterations up to the greatest depth that both of them
//! finished. If there are several key seeds, the log ratios of a position are averaged over the
//! seeds.

use super::metric_reader::{Depths, MetricReader};
use super::searches::{IterationRow, OneSearch, SearchCell, Searches};
use crate::analysis::rows::grouping::Grouping;
use crate::analysis::rows::metric::Aggregation;
use crate::stats::ratio::Ratio;
use crate::stats::sample::mean;
use foldhash::fast::RandomState;
use std::collections::HashMap;

pub type Logs = Vec<(u32, f64)>;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// The number of the block, a combination of values of the options that vary within the groups.
    pub block: u32,
    /// The number of the position. In a sequence, each ply of a game is a position.
    pub unit: u32,
    /// The number of the unit of sampling. This is the game, or the position if the position does
    /// not belong to a game.
    pub cluster: u32,
    /// The logarithm of the ratio of the other group's value to the base's value.
    pub log: f64,
    pub values: [f64; 2],
    /// The number of the key seed of `values`. 0 is the file's own seed.
    pub seed: u32,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Pairs {
    pub list: Vec<Pair>,
    /// The number of pairs in which not all iterations were compared. Either one search finished
    /// more depths than the other, or a last iteration was not finished.
    pub truncated: usize,
    /// The number of pairs that were not compared, because the two searches finished no common
    /// depth.
    pub incomparable: usize,
    /// The numbers of pairs that have no ratio because one value is 0. The first number counts the
    /// pairs in which the value of the other group is smaller than the base's. The second number
    /// counts the pairs in which the value of the other group is larger.
    pub one_sided_zero: [usize; 2],
    /// The number of pairs without a ratio because both values are 0.
    pub both_zero: usize,
    /// The totals of the base and of the other group over the compared searches under the file's
    /// own key seed. A total is a sum, or a mean if the metric is compared by means.
    pub totals: [f64; 2],
    /// The spread of the times of the other group. It is half the range of the repeats of a search,
    /// summed over all searches. 0 if the metric is not a time.
    pub spread: f64,
}

impl Pairs {
    /// Adds a pair of values to the list. If the pair has no ratio, it is only counted.
    fn push(&mut self, [block, unit, cluster, seed]: [u32; 4], values: [f64; 2]) {
        let [base, other] = values;
        if base > 0.0 && other > 0.0 {
            let log = (other / base).ln();
            self.list.push(Pair { block, unit, cluster, log, values, seed });
        } else {
            self.count_pair_without_ratio(values);
        }
    }

    fn count_pair_without_ratio(&mut self, [base, other]: [f64; 2]) {
        self.one_sided_zero[0] += usize::from(other < base);
        self.one_sided_zero[1] += usize::from(other > base);
        self.both_zero += usize::from(base == 0.0 && other == 0.0);
    }

    /// Pairs the values of two groups that were measured on the same positions. `clusters` contains
    /// the cluster of each position. NaN means that a value is missing.
    pub fn from_values(clusters: &[u32], base: &[f64], other: &[f64]) -> Self {
        let mut pairs = Self::default();
        for (index, (&cluster, (&base, &other))) in clusters.iter().zip(base.iter().zip(other)).enumerate() {
            let (block, seed) = (0, 0);
            pairs.push([block, index as u32, cluster, seed], [base, other]);
        }
        pairs
    }

    pub fn logs(&self) -> Logs {
        self.list.iter().map(|pair| (pair.cluster, pair.log)).collect()
    }

    pub fn ratio(&self) -> Ratio {
        Ratio::from_logs(&self.logs())
    }

    /// The interval extends down to 0 if the other group's value is the smaller one in such a pair,
    /// and up to infinity if it is the larger one.
    pub fn open_interval_for_zeros(&self, ratio: Ratio) -> Ratio {
        let [any_smaller, any_larger] = self.one_sided_zero.map(|pair_count| pair_count > 0);
        let low = if any_smaller { 0.0 } else { ratio.low };
        let high = if any_larger { f64::INFINITY } else { ratio.high };
        Ratio { low, high, ..ratio }
    }

    pub fn mean(&self) -> f64 {
        mean(self.list.iter().map(|pair| pair.log))
    }

    /// Compares the means of the two groups instead of the single values, which may be 0. The
    /// logarithm of each pair is replaced by the pair's contribution to the logarithm of the ratio
    /// of the means. The standard error of the contributions equals the standard error of
    /// the delta method.
    ///
    /// Source: Cochran, "Sampling Techniques", 1977, chapter 6.
    fn compare_means(&mut self) {
        let side_means = |list: &[Pair]| [0, 1].map(|side| mean(list.iter().map(|pair| pair.values[side])));
        let own_seed_pairs: Vec<Pair> = self.list.iter().filter(|pair| pair.seed == 0).copied().collect();
        self.totals = side_means(&own_seed_pairs);
        let [base_mean, other_mean] = side_means(&self.list);
        if base_mean > 0.0 && other_mean > 0.0 {
            let log_ratio = (other_mean / base_mean).ln();
            for Pair { log, values: [base, other], .. } in &mut self.list {
                *log = log_ratio + *other / other_mean - *base / base_mean;
            }
            return;
        }
        // The two means have no ratio, so all pairs are counted as pairs without a ratio.
        for pair in std::mem::take(&mut self.list) {
            self.count_pair_without_ratio(pair.values);
        }
    }

    /// Merges pairs that differ only in the key seed. The merged pair has the mean of their
    /// logarithms and the values of the pair with the lowest seed.
    fn average_seeds(&mut self) {
        let key_of = |pair: &Pair| (pair.block, pair.unit);
        self.list.sort_by_key(|pair| (key_of(pair), pair.seed));
        let average = |pairs: &[Pair]| Pair { log: mean(pairs.iter().map(|pair| pair.log)), ..pairs[0] };
        self.list = self.list.chunk_by(|a, b| key_of(a) == key_of(b)).map(average).collect();
    }
}

/// The depths over which two searches are compared. These are the depths up to the greatest depth
/// that both searches finished, or `All` if this is the last depth of both searches. Returns `None`
/// if there is no depth that both searches finished.
fn common_depths(searches: &Searches, base: u32, other: u32) -> Option<Depths> {
    let [base, other] = [base, other].map(|search| searches.iterations(search));
    let has_finished = |iterations: &[IterationRow], depth: u16| {
        iterations.iter().any(|iteration| iteration.depth == depth && iteration.finished)
    };
    let mut depths = base.iter().rev().map(|iteration| iteration.depth);
    let depth = depths.find(|&depth| has_finished(base, depth) && has_finished(other, depth))?;
    let is_last = |iterations: &[IterationRow]| iterations.last().is_some_and(|last| last.depth == depth);
    Some(if is_last(base) && is_last(other) { Depths::All } else { Depths::UpTo(depth) })
}

/// The searches of the base group, indexed so that the searches of other groups can be paired with
/// them.
pub struct BaseSearches<'a> {
    reader: &'a MetricReader<'a>,
    grouping: &'a Grouping,
    cells: &'a [SearchCell],
    /// The block, position and key seed of each cell, which are in ascending order.
    keys: Vec<(u32, u32, u32)>,
    /// The blocks of each position. Empty if there is only one block.
    by_unit: HashMap<u32, Vec<u32>, RandomState>,
    has_seeds: bool,
}

impl<'a> BaseSearches<'a> {
    pub fn new(reader: &'a MetricReader<'a>, grouping: &'a Grouping, group: usize) -> Self {
        let cells = reader.searches.cells(group);
        let key_of = |&OneSearch { block, unit, seed, .. }: &OneSearch| (block, unit, seed);
        let keys: Vec<_> = cells.iter().map(|cell| key_of(reader.searches.first(cell))).collect();
        let mut by_unit: HashMap<u32, Vec<u32>, RandomState> = HashMap::default();
        if grouping.blocks.len() > 1 {
            keys.iter().for_each(|&(block, unit, _)| by_unit.entry(unit).or_default().push(block));
        }
        let has_seeds = keys.iter().any(|&(.., seed)| seed > 0);
        Self { reader, grouping, cells, keys, by_unit, has_seeds }
    }

    /// Finds the base's search of the same position, block and key seed as `cell`.
    ///
    /// If the base has no search of this position in the block, the search is taken from another
    /// block of the base. That block may lack some options, but has the same values as the block of
    /// `cell` in all options that it does not lack. In this way, every table size can be compared
    /// with a base without a table.
    ///
    /// If the base has no search under this key seed, its search under the file's own seed is used.
    fn find_base(&self, search: &OneSearch) -> Option<&'a SearchCell> {
        let find_in_block = |block: u32| {
            let find_seed = |seed: u32| Some(&self.cells[self.keys.binary_search(&(block, search.unit, seed)).ok()?]);
            find_seed(search.seed).or_else(|| find_seed(0))
        };
        find_in_block(search.block).or_else(|| {
            let values = &self.grouping.blocks[search.block as usize];
            // If a block of the base lacks an option, the value of the option is empty.
            let has_equal_values = |block: &&u32| {
                let mut value_pairs = self.grouping.blocks[**block as usize].iter().zip(values);
                value_pairs.all(|(base_value, value)| base_value.is_empty() || base_value == value)
            };
            let base_block = self.by_unit.get(&search.unit)?.iter().find(has_equal_values)?;
            find_in_block(*base_block)
        })
    }

    /// Pairs each search of another group with the base's search. Returns the base's search, the
    /// other group's search, and the depths to compare. The depths are `None` if there is no depth
    /// that both searches finished.
    ///
    /// If only one of the groups started a new engine process for every search of a game, the first
    /// search of each game is left out, because by design this search is the same in both groups.
    fn pair_cells(&self, group: usize) -> impl Iterator<Item = (&'a SearchCell, &'a SearchCell, Option<Depths>)> {
        let searches = self.reader.searches;
        searches.cells(group).iter().filter_map(move |cell| {
            let search = searches.first(cell);
            let base = self.find_base(search)?;
            if search.opens_game && searches.first(base).has_own_process != search.has_own_process {
                return None;
            }
            Some((base, cell, common_depths(searches, base.start, cell.start)))
        })
    }

    pub fn pairs(&self, group: usize) -> Pairs {
        self.pairs_with(group, self.reader)
    }

    /// Pairs another group's searches with those of the base. The values of the other group are
    /// read by `reader`, which may read another metric than the reader of the base.
    pub fn pairs_with(&self, group: usize, reader: &MetricReader<'_>) -> Pairs {
        let (mut pairs, mut has_seeds) = (Pairs::default(), self.has_seeds);
        let compares_means = [self.reader, reader].iter().any(|reader| reader.metric.compares_means());
        let until_mate = self.reader.metric.aggregation == Aggregation::Sum(crate::record::columns::MATE_NODES.into());
        for (base, cell, depths) in self.pair_cells(group) {
            // A mate found after the other search's last depth is found all the same.
            let depths = if until_mate { Some(Depths::All) } else { depths };
            let OneSearch { block, unit, cluster, seed, .. } = *self.reader.searches.first(cell);
            let read_values = |depths: &Depths| [self.reader.cell_value(base, depths), reader.cell_value(cell, depths)];
            if compares_means {
                // If means are compared, all iterations are used, even if the depths differ.
                let values = read_values(&Depths::All);
                if values.iter().all(|value| value.is_finite()) {
                    // `compare_means` sets the logarithm when the means are known.
                    pairs.list.push(Pair { block, unit, cluster, log: 0.0, values, seed });
                }
            } else if let Some(depths) = depths {
                pairs.truncated += usize::from(depths != Depths::All);
                let values = read_values(&depths);
                pairs.push([block, unit, cluster, seed], values);
                if seed == 0 && values.iter().all(|value| value.is_finite()) {
                    pairs.totals = [pairs.totals[0] + values[0], pairs.totals[1] + values[1]];
                    pairs.spread += reader.half_range(cell, &depths);
                }
            } else {
                pairs.incomparable += 1;
            }
            has_seeds |= seed > 0;
        }
        if compares_means {
            pairs.compare_means();
        }
        if has_seeds {
            pairs.average_seeds();
        }
        pairs
    }

    /// Counts the searches under the file's own key seed that end at the same depth as the base's
    /// search. Returns how many of these searches have another value of the metric than the base's
    /// search, and how many there are in total.
    pub fn count_differing_ends(&self, group: usize, reader: &MetricReader<'_>) -> (usize, usize) {
        let searches = self.reader.searches;
        let last_depth = |cell: &SearchCell| searches.iterations(cell.start).last().map(|iteration| iteration.depth);
        let (mut differing_count, mut compared_count) = (0, 0);
        for (base, cell, _) in self.pair_cells(group) {
            if searches.first(cell).seed == 0 && last_depth(base) == last_depth(cell) {
                let [base_value, value] = [base, cell].map(|cell| reader.cell_value(cell, &Depths::All));
                differing_count += usize::from(value != base_value);
                compared_count += 1;
            }
        }
        (differing_count, compared_count)
    }
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct RowPairs {
    /// The rows that both groups have. Each pair holds the index of the base's row and the index of
    /// the other group's row.
    pub paired: Vec<(usize, usize)>,
    pub missing: Vec<usize>,
    pub added: usize,
}

/// Matches the rows of two groups by position, block, key seed, repeat and depth.
pub fn pair_rows<'a>(searches: &'a Searches, base: &'a [SearchCell], other: &'a [SearchCell]) -> RowPairs {
    let keyed_rows_of_search = |search: u32| {
        let OneSearch { block, unit, seed, repeat, .. } = searches.list[search as usize];
        let add_key =
            move |iteration: &IterationRow| ((block, unit, seed, repeat, iteration.depth), iteration.row as usize);
        searches.iterations(search).iter().map(add_key)
    };
    let keyed_rows = |cells: &'a [SearchCell]| cells.iter().cloned().flatten().flat_map(keyed_rows_of_search);
    // The rows of both groups are in ascending order of their keys.
    let mut other_rows = keyed_rows(other).peekable();
    let mut row_pairs = RowPairs::default();
    for (key, row) in keyed_rows(base) {
        while other_rows.next_if(|(other_key, _)| *other_key < key).is_some() {
            row_pairs.added += 1;
        }
        match other_rows.next_if(|(other_key, _)| *other_key == key) {
            Some((_, other_row)) => row_pairs.paired.push((row, other_row)),
            None => row_pairs.missing.push(row),
        }
    }
    row_pairs.added += other_rows.count();
    row_pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::rows::frame::Frame;
    use crate::analysis::rows::metric::Metric;
    use crate::analysis::rows::seeds::fold_seeds;
    use crate::record::columns;

    struct Fixture {
        frame: Frame,
        grouping: Grouping,
        searches: Searches,
    }

    /// Parses rows under a heading, and groups them by one column. Rows of further key seeds become
    /// rows of their variants.
    fn rows_of(heading: &str, rows: &str, by: &str) -> Fixture {
        let frame = Frame::parse(format!("{heading}\n{rows}").as_bytes(), "t").unwrap();
        let frame = fold_seeds(&frame).map_or(frame, |(folded, _)| folded);
        let grouping = Grouping::new(&frame, &[by.to_owned()]);
        let searches = Searches::gather(&frame, &grouping);
        Fixture { frame, grouping, searches }
    }

    impl Fixture {
        fn with_base<T>(
            &self,
            metric: &str,
            base: usize,
            run: impl FnOnce(&BaseSearches<'_>, &MetricReader<'_>) -> T,
        ) -> T {
            let metric = Metric::find(metric, &self.frame).unwrap();
            let reader = MetricReader::new(&self.searches, &metric, &self.frame);
            run(&BaseSearches::new(&reader, &self.grouping, base), &reader)
        }

        fn pairs(&self, metric: &str, base: usize, other: usize) -> Pairs {
            self.with_base(metric, base, |base, _| base.pairs(other))
        }

        /// The pairs as text: position and both values, to three decimals.
        fn describe(&self, pairs: &Pairs) -> Vec<String> {
            let describe = |pair: &Pair| {
                let [base, other] = pair.values.map(|value| (1000.0 * value).round() / 1000.0);
                let positions = self.frame.text_column(columns::POSITION);
                format!("{} {base} {other}", positions.list()[pair.unit as usize])
            };
            pairs.list.iter().map(describe).collect()
        }
    }

    const HEADING: &str =
        "variant,position,repeat,depth,score,finished,search.nodes,table.probes,table.hits,slots,seconds,error";

    /// Position p: both reach depth 2, with three repeats. q: only the base reaches depth 3. r: the
    /// base was stopped. s: no rows of the base. t: failed.
    const ROWS: &str = "a,p,0,1,5,true,10,10,1,8,0.5,\na,p,0,2,6,true,90,30,9,8,1.5,\n\
        a,q,0,1,5,true,20,10,1,8,1,\na,q,0,2,6,true,80,40,4,8,1,\na,q,0,3,7,true,300,90,50,8,1,\n\
        a,r,0,1,5,false,50,10,1,8,1,\na,u,0,1,5,true,7,1,0,8,1,\n\
        b,p,0,1,5,true,20,20,10,4,0.1,\nb,p,0,2,9,true,180,60,30,4,0.3,\n\
        b,p,1,1,5,true,1,1,1,4,0.4,\nb,p,1,2,9,true,1,1,1,4,0.6,\nb,p,2,1,5,true,2,1,1,4,0.2,\nb,p,2,2,9,true,2,1,1,4,0.4,\n\
        b,q,0,1,5,true,10,10,5,4,1,\nb,q,0,2,6,true,40,30,5,4,1,\n\
        b,r,0,1,5,true,5,10,1,4,1,\nb,r,0,2,5,true,5,10,1,4,1,\nb,s,0,1,5,true,5,10,1,4,1,\nb,u,0,1,5,true,0,2,1,4,2,\n\
        b,t,0,0,,,,,,,0,why\n";

    /// If only one variant starts a new process for every search, the first search of each game is
    /// left out. Otherwise, and for single positions, nothing is left out.
    #[test]
    fn first_search_of_a_game_is_skipped_if_only_one_side_restarts() {
        let heading = "variant,game,position,ply,repeat,depth,finished,search.nodes,subject.restart,error";
        let describe_pairs = |games: bool, restarts: [&str; 2]| {
            let make_row = |variant: &str, restart: &str, ply: u32, nodes: u32| {
                let game = if games { "g" } else { "" };
                format!("{variant},{game},p{ply},{ply},0,1,true,{nodes},{restart},\n")
            };
            let make_rows =
                |variant, restart, times| [20, 22, 24].map(|ply| make_row(variant, restart, ply, times * ply)).concat();
            let rows = make_rows("a", restarts[0], 1) + &make_rows("b", restarts[1], 2);
            let fixture = rows_of(heading, &rows, columns::VARIANT);
            fixture.describe(&fixture.pairs("nodes", 0, 1))
        };
        let all_pairs = ["p20 20 40", "p22 22 44", "p24 24 48"];
        assert_eq!(describe_pairs(true, ["game", "search"]), all_pairs[1..]);
        assert_eq!(describe_pairs(true, ["search", "experiment"]), all_pairs[1..]);
        for restarts in [["game", "game"], ["search", "search"], ["game", "experiment"], ["", ""]] {
            assert_eq!(describe_pairs(true, restarts), all_pairs, "{restarts:?}");
        }
        assert_eq!(describe_pairs(false, ["game", "search"]), all_pairs);
    }

    /// The pairs of each metric are calculated by hand: sums to the depth that both finished,
    /// medians of times, rates of sums, and last values.
    #[test]
    fn pairs_equal_a_calculation_by_hand() {
        let fixture = rows_of(HEADING, ROWS, columns::VARIANT);
        let nodes = fixture.pairs("nodes", 0, 1);
        assert_eq!(fixture.describe(&nodes), ["p 100 200", "q 100 50"], "u has no ratio");
        assert_eq!((nodes.truncated, nodes.incomparable, nodes.totals, nodes.spread), (1, 1, [207.0, 250.0], 0.0));
        assert_eq!((nodes.one_sided_zero, nodes.both_zero), ([1, 0], 0), "7 and 0");
        assert_eq!(fixture.searches.errors, [0, 1]);
        assert!(nodes.mean().abs() < 1e-12);
        assert!(nodes.logs().iter().map(|(_, log)| *log).eq([2.0_f64.ln(), 0.5_f64.ln()]));
        // With the groups swapped, rows that only the base has are left out, and ratios are
        // inverted.
        let reversed = fixture.pairs("nodes", 1, 0);
        assert_eq!(
            (fixture.describe(&reversed), reversed.totals, reversed.incomparable),
            (vec!["p 200 100".to_owned(), "q 50 100".to_owned()], [250.0, 207.0], 1)
        );
        assert_eq!(reversed.one_sided_zero, [0, 1]);
        // Of 0.4, 1 and 0.6 seconds, the median and half the range are used.
        let seconds = fixture.pairs("seconds", 0, 1);
        assert_eq!(fixture.describe(&seconds), ["p 2 0.6", "q 2 2", "u 1 2"]);
        assert!((seconds.spread - 0.3).abs() < 1e-12, "{seconds:?}");
        assert!(seconds.totals[0] == 5.0, "{seconds:?}");
        assert!((seconds.totals[1] - 4.6).abs() < 1e-12, "{seconds:?}");
        let rates = fixture.pairs("hit_rate", 0, 1);
        assert!((rates.mean().exp() - 5.0_f64.sqrt()).abs() < 1e-12, "the geometric mean of 2 and 2.5");
        assert_eq!(
            fixture.describe(&rates),
            ["p 0.25 0.5", "q 0.1 0.25"],
            "10 of 40 and 40 of 80; 5 of 50 and 10 of 40"
        );
        assert_eq!(fixture.describe(&fixture.pairs("slots", 0, 1)), ["p 8 4", "q 8 4", "u 8 4"]);
        // p ends with another score, u with the same score, and q at another depth.
        let score = Metric::find("score", &fixture.frame).unwrap();
        let ends = fixture.with_base("nodes", 0, |base, _| {
            base.count_differing_ends(1, &MetricReader::new(&fixture.searches, &score, &fixture.frame))
        });
        assert_eq!(ends, (1, 2));
        // The seconds of one group are paired with the nodes of the other.
        let nodes_metric = Metric::nodes();
        let mixed = fixture.with_base("seconds", 0, |base, _| {
            base.pairs_with(1, &MetricReader::new(&fixture.searches, &nodes_metric, &fixture.frame))
        });
        assert_eq!(fixture.describe(&mixed), ["p 2 200", "q 2 50"]);
        let pairs = Pairs::from_values(
            &[4, 5, 6, 7, 8, 9],
            &[1.0, f64::NAN, 0.0, 0.0, 2.0, 0.0],
            &[3.0, 1.0, 1.0, 0.0, 0.0, 2.0],
        );
        assert_eq!((pairs.one_sided_zero, pairs.both_zero), ([1, 2], 1));
        assert_eq!(
            pairs.list.iter().map(|pair| (pair.cluster, pair.unit, pair.values)).collect::<Vec<_>>(),
            [(4, 0, [1.0, 3.0])]
        );
        let (searches, column) = (&fixture.searches, |name| fixture.frame.number_column(name));
        assert_eq!(
            [0, 1].map(|group| searches.group_sum(group, &column("search.nodes"))),
            [557.0, 265.0],
            "repeats are not counted"
        );
        assert!(searches.group_sum(0, &column("table.stores")).is_nan());
        assert!(searches.describe_duplicate(&fixture.frame).is_none());
        let cell = &searches.cells(1)[0];
        assert_eq!(
            (cell.len(), searches.sum(0, &column("table.hits")), searches.sum(0, &column("search.nodes"))),
            (3, 10.0, 100.0)
        );
    }

    /// Position p has three key seeds in both variants. Only the other variant has two seeds for q;
    /// both are compared with the base's own seed. Values, totals and ends are those of the file's
    /// own seed.
    #[test]
    fn key_seeds_are_averaged_by_position() {
        let heading = "variant,position,depth,score,search.nodes";
        let rows = "a,p,1,5,100\na,q,1,5,10\n\"a, key seed 2\",p,1,5,40\n\"a, key seed 3\",p,1,5,25\n\
            b,p,1,6,200\nb,q,1,5,20\n\"b, key seed 2\",p,1,7,160\n\"b, key seed 2\",q,1,7,80\n\"b, key seed 3\",p,1,7,400\n";
        let fixture = rows_of(heading, rows, columns::VARIANT);
        assert_eq!(fixture.grouping.values.len(), 2);
        let pairs = fixture.pairs("nodes", 0, 1);
        // The ratios of p are 2, 4 and 16, with a geometric mean of 128^(1/3); those of q are 2 and
        // 8.
        assert_eq!(fixture.describe(&pairs), ["p 100 200", "q 10 20"]);
        assert!((pairs.list[0].log - 128.0_f64.ln() / 3.0).abs() < 1e-12);
        assert!((pairs.list[1].log - 4.0_f64.ln()).abs() < 1e-12);
        assert_eq!(pairs.totals, [110.0, 220.0]);
        assert_eq!(fixture.searches.group_sum(1, &fixture.frame.number_column("search.nodes")), 220.0);
        let score = Metric::find("score", &fixture.frame).unwrap();
        let ends = fixture.with_base("nodes", 0, |base, _| {
            base.count_differing_ends(1, &MetricReader::new(&fixture.searches, &score, &fixture.frame))
        });
        assert_eq!(ends, (1, 2));
        // If only the base has seeds, each position is compared once, with the file's own seed.
        let base_seeds = "a,p,1,5,100\n\"a, key seed 2\",p,1,5,40\nb,p,1,5,300\n";
        let fixture = rows_of(heading, base_seeds, columns::VARIANT);
        assert_eq!(fixture.describe(&fixture.pairs("nodes", 0, 1)), ["p 100 300"]);
        assert_eq!(fixture.with_base("nodes", 0, |_, reader| reader.group_values(0)), [100.0]);
    }

    /// A variant without a table is compared with each table size if it is the base, and otherwise
    /// not at all. The searches of a game are one cluster.
    #[test]
    fn base_that_lacks_an_option_is_compared_with_all_its_values() {
        let heading = "variant,game,position,table.kind,table.size,depth,search.nodes";
        let rows = "x,g,g 1,none,,1,100\nx,g,g 2,none,,1,10\nx,,g,none,,1,6\ny,g,g 1,bounded,1,1,50\nz,g,g 1,bounded,2,1,25\nz,,g,bounded,2,1,3\n";
        let fixture = rows_of(heading, rows, "table.kind");
        let pairs = fixture.pairs("nodes", 0, 1);
        assert_eq!(fixture.describe(&pairs), ["g 1 100 50", "g 1 100 25", "g 6 3"]);
        let clusters: Vec<u32> = pairs.list.iter().map(|pair| pair.cluster).collect();
        assert!(clusters[0] == clusters[1], "a game and a position of the same name are two clusters");
        assert!(clusters[1] != clusters[2], "a game and a position of the same name are two clusters");
        let names = [0, 2].map(|index| fixture.searches.cluster_name(clusters[index], &fixture.frame));
        assert_eq!(names, ["g", "g"]);
        assert!(fixture.pairs("nodes", 1, 0).list.is_empty());
        // Other options of the base must agree.
        let other_rows = "x,,p,none,,a,1,100\ny,,p,bounded,1,a,1,50\nz,,p,bounded,1,b,1,20\n";
        let other_fixture = rows_of(&heading.replace("size", "size,order"), other_rows, "table.kind");
        assert_eq!(other_fixture.describe(&other_fixture.pairs("nodes", 0, 1)), ["p 100 50"]);
        let by_size = rows_of(heading, rows, "table.size");
        assert_eq!(by_size.describe(&by_size.pairs("nodes", 1, 2)), ["g 1 50 25"]);
    }

    #[test]
    fn rows_are_matched_by_position_repeat_and_depth() {
        let fixture = rows_of(HEADING, ROWS, columns::VARIANT);
        let row_pairs = pair_rows(&fixture.searches, fixture.searches.cells(0), fixture.searches.cells(1));
        let key_of = |row: usize| {
            [columns::POSITION, columns::REPEAT, columns::DEPTH]
                .map(|name| fixture.frame.text(name, row).into_owned())
                .join(" ")
        };
        assert!(row_pairs.paired.iter().all(|&(base, other)| key_of(base) == key_of(other)));
        assert_eq!(row_pairs.paired.len(), 2 + 2 + 1 + 1);
        assert_eq!(row_pairs.missing.iter().map(|&row| key_of(row)).collect::<Vec<_>>(), ["q 0 3"]);
        assert_eq!(row_pairs.added, 4 + 1 + 1);
        let duplicated = rows_of(HEADING, &format!("{ROWS}b,q,0,2,6,true,1,1,1,4,1,\n"), columns::VARIANT);
        assert_eq!(
            duplicated
                .searches
                .describe_duplicate(&duplicated.frame)
                .map(|(row, _)| duplicated.frame.text(columns::NODES, row).into_owned())
                .as_deref(),
            Some("1")
        );
    }

    #[test]
    fn common_depth_is_the_greatest_that_both_finished() {
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
            let make_row =
                |variant: &str, (depth, finished): &(u16, bool)| format!("{variant},p,{depth},{finished},1\n");
            let rows: String = base
                .iter()
                .map(|step| make_row("a", step))
                .chain(other.iter().map(|step| make_row("b", step)))
                .collect();
            let fixture = rows_of(heading, &rows, columns::VARIANT);
            assert_eq!(common_depths(&fixture.searches, 0, 1), expected, "{rows}");
        }
    }

    /// 30 and 70 stores in a table of 40 slots (20 at first) give a pressure of 2.5; up to depth 1
    /// it is 1.5.
    #[test]
    fn rate_by_last_value_uses_the_last_iteration() {
        let rows = "a,p,1,1,30,20\na,p,2,1,70,40\nb,p,1,1,60,20\n";
        let fixture = rows_of("variant,position,depth,search.nodes,table.stores,slots", rows, columns::VARIANT);
        let values = fixture.with_base("pressure", 0, |_, reader| reader.group_values(0));
        assert_eq!(values, [2.5]);
        assert_eq!(fixture.describe(&fixture.pairs("pressure", 0, 1)), ["p 1.5 3"]);
    }

    /// The last errors are 10, 20 and 40 in the base and 30, 0 and 30 in the other group, so the
    /// ratio of their means is 60 / 70. Each search counts with its last value, however deep the
    /// other search went; a search without a value does not count.
    #[test]
    fn means_are_compared_where_a_value_may_be_0() {
        let rows = "a,p,1,7,9\na,p,2,7,10\na,q,1,7,20\na,r,1,7,40\na,s,1,7,5\nb,p,1,7,30\nb,q,1,7,1\nb,q,2,7,0\nb,r,1,7,30\nb,s,1,7,\n";
        let fixture = rows_of("variant,position,depth,search.nodes,score_error", rows, columns::VARIANT);
        let metric = Metric::from_column(columns::SCORE_ERROR);
        let reader = MetricReader::new(&fixture.searches, &metric, &fixture.frame);
        let pairs = BaseSearches::new(&reader, &fixture.grouping, 0).pairs(1);
        let assert_close =
            |actual: f64, expected: f64| assert!((actual - expected).abs() < 1e-12, "{actual} {expected}");
        assert_close(pairs.ratio().mean, 60.0 / 70.0);
        assert_close(pairs.totals[0], 70.0 / 3.0);
        assert_close(pairs.totals[1], 20.0);
        assert_eq!((pairs.list.len(), pairs.truncated, pairs.incomparable), (3, 0, 0));
        // A pair's contribution is: log ratio of the means + its other value / the other mean - its
        // base value / the base mean.
        assert_close(pairs.list[1].log, (6.0_f64 / 7.0).ln() + 0.0 - 20.0 / (70.0 / 3.0));
        let mut zeros =
            Pairs { list: pairs.list.iter().map(|pair| Pair { values: [0.0, 0.0], ..*pair }).collect(), ..pairs };
        zeros.compare_means();
        assert_eq!((zeros.list.len(), zeros.both_zero, zeros.one_sided_zero), (0, 3, [0, 0]));
    }
}
