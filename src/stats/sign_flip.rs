//! Sign-flip tests of many lines that share their flips.
//!
//! If a line does not differ from its baseline, the sign of each cluster's sum is random. All lines
//! are measured on the same positions, so one flip of a position flips it in all lines: over many
//! flips, the largest statistic among the lines is the null distribution for the largest observed
//! one. Perfectly correlated lines are corrected as one, whereas Holm's correction treats them as
//! independent. Sources: Fisher, "The Design of Experiments", 1935; Westfall and Young,
//! "Resampling-Based Multiple Testing", 1993 (step-down maxT, algorithm 4.1).

use super::clusters::Clusters;
use super::matmul::matmul;
use super::sample::t_two_sided_p;
use crate::parallel::par_for_each;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use statrs::distribution::{ContinuousCDF, Normal};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Up to this many clusters every pattern of signs is enumerated.
const EXACT: usize = 16;

/// With more clusters, neighbours are flipped in this many groups: as good a test, and faster.
const GROUPS: usize = 256;

/// With more clusters a line's own p is the normal distribution's, which differs less than the
/// sampling error.
const NORMAL_FROM: usize = 1000;

/// The largest and the smallest number of random patterns, and the work (signs x lines) allowed.
const DRAWS: (usize, usize, usize) = (9_999, 1_999, 400_000_000);

/// Patterns processed at a time.
const BATCH: usize = 64;

/// The tolerance within which sums count as equal.
const TOLERANCE: f64 = 1e-9;

/// The test result of one line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlipResult {
    /// Two-sided p of the line by itself; all fields are NaN for fewer than two clusters.
    pub p: f64,
    /// p corrected for all lines (step-down maxT).
    pub corrected: f64,
    /// The corrected p without the cluster that carries most of the difference.
    pub weakest: f64,
    /// The corrected p without the cluster that hides most of the difference.
    pub strongest: f64,
}

/// The test results of all lines.
#[derive(Debug, Clone, PartialEq)]
pub struct FlipResults {
    /// One for each line, in the order given.
    pub lines: Vec<FlipResult>,
    /// The level at which a single line would have to be tested, for a false alarm rate of 5 % over
    /// all lines; 0 if the clusters are too few, NaN without lines.
    pub level: f64,
}

/// The statistics of a line, each a sum over the root of the sum of squares: of all clusters; the
/// least without one of them, which is below 0 if the sum changes sign; and the largest without one
/// of them, on either side.
struct Statistics {
    line: usize,
    all: f64,
    least: f64,
    most: f64,
}

impl Statistics {
    /// The statistics of a line; `groups` has the sums of the groups in which its clusters are
    /// flipped.
    fn new(index: usize, line: &Clusters, groups: &[f64]) -> Self {
        let squares = |values: &[f64]| values.iter().map(|value| value * value).sum::<f64>();
        let (sum, own, grouped) = (line.total().0, squares(&line.sums), squares(groups));
        // Groups only scale the root of squares: the influence of one cluster is computed from
        // clusters.
        let scale = if grouped > 0.0 { (own / grouped).sqrt() } else { 0.0 };
        let ratio = |sum: f64, squares: f64| if squares > 0.0 { scale * sum / squares.sqrt() } else { 0.0 };
        let side = sum.signum();
        let rest = |value: &f64| ratio(side * (sum - value), own - value * value);
        let least = line.sums.iter().map(rest).fold(f64::INFINITY, f64::min);
        let most = line.sums.iter().map(rest).map(f64::abs).fold(0.0, f64::max);
        Self { line: index, all: ratio(sum.abs(), own), least, most }
    }
}

/// Tests all lines with shared flips.
pub fn test_lines(lines: &[Clusters]) -> FlipResults {
    let nothing = FlipResult { p: f64::NAN, corrected: f64::NAN, weakest: f64::NAN, strongest: f64::NAN };
    let mut found = FlipResults { lines: vec![nothing; lines.len()], level: f64::NAN };
    let units = Units::new(lines);
    if units.order.is_empty() {
        return found;
    }
    let counted = units.count_patterns();
    let correction = if units.is_enumerated() { 0.0 } else { 1.0 };
    let share = |count: u64| (count as f64 + correction) / (counted.patterns as f64 + correction);
    let mut running_max = 0.0_f64;
    for (step, statistics) in units.order.iter().enumerate().rev() {
        let [all, least, most, alone] = counted.steps[step].map(share);
        let line = &lines[statistics.line];
        let p = if units.is_enumerated() { alone } else { single_line_p(line, alone) };
        // Corrected p are monotone, and no smaller than the line's own.
        let weakest = least.max(running_max);
        running_max = running_max.max(all).max(p);
        found.lines[statistics.line] = FlipResult { p, corrected: running_max, weakest, strongest: most };
    }
    // A sum over the root of the sum of squares is a function of Student's t.
    let (count, critical_sum) = (units.count as f64, counted.critical);
    let t = if critical_sum * critical_sum < count {
        critical_sum * ((count - 1.0) / (count - critical_sum * critical_sum)).sqrt()
    } else {
        f64::INFINITY
    };
    found.level = t_two_sided_p(units.count, t);
    found
}

/// A line's own p: enumerated for few clusters, `shared` for more, the normal distribution's for
/// very many.
fn single_line_p(line: &Clusters, shared: f64) -> f64 {
    if line.len() <= EXACT {
        return enumerate_p(&line.sums);
    }
    if line.len() > NORMAL_FROM {
        let spread = line.sums.iter().map(|sum| sum * sum).sum::<f64>().sqrt();
        let sum = line.sums.iter().sum::<f64>().abs();
        return if spread > 0.0 { 2.0 * Normal::standard().cdf(-sum / spread) } else { 1.0 };
    }
    shared
}

/// The share of all sign patterns whose sum is at least as far from 0 as the observed sum.
fn enumerate_p(sums: &[f64]) -> f64 {
    let size: f64 = sums.iter().map(|sum| sum.abs()).sum();
    let observed = sums.iter().sum::<f64>().abs() - 1e-12 * size;
    // The first sign is fixed: the other half is the mirror image. Gray code changes one sign from
    // pattern to pattern.
    let mut signed = sums.to_vec();
    let patterns = 1_u32 << (sums.len() - 1);
    let mut extreme = 0_u32;
    for pattern in 1..=patterns {
        extreme += u32::from(signed.iter().sum::<f64>().abs() >= observed);
        let index = 1 + pattern.trailing_zeros() as usize;
        if let Some(value) = signed.get_mut(index) {
            *value = -*value;
        }
    }
    f64::from(extreme) / f64::from(patterns)
}

/// What is flipped: the clusters of all lines, or groups of them.
struct Units {
    count: usize,
    /// The lines from the smallest statistic to the largest, so that running maxima are those of
    /// the step-down test.
    order: Vec<Statistics>,
    /// The lines' sums divided by the root of their sum of squares: `columns[unit * order.len() +
    /// step]`, where `step` is an index of `order`.
    columns: Vec<f64>,
}

/// Counts over all patterns.
struct PatternCounts {
    patterns: u64,
    /// For each line: patterns in which the running maximum reaches its statistic, and its least
    /// without a cluster; patterns in which the maximum of all lines reaches its largest without a
    /// cluster; and patterns in which the line itself reaches its statistic.
    steps: Vec<[u64; 4]>,
    critical: f64,
}

impl Units {
    /// Sorts the lines of two clusters or more by their statistics, and joins their clusters to at
    /// most [`GROUPS`] units.
    fn new(lines: &[Clusters]) -> Self {
        let tested = || lines.iter().enumerate().filter(|(_, line)| line.len() >= 2);
        let mut unit_of_cluster: BTreeMap<u32, usize> = BTreeMap::new();
        tested().flat_map(|(_, line)| &line.ids).for_each(|id| _ = unit_of_cluster.insert(*id, 0));
        let (clusters, line_count) = (unit_of_cluster.len(), tested().count());
        let count = clusters.min(GROUPS);
        unit_of_cluster.values_mut().enumerate().for_each(|(index, unit)| *unit = index * count / clusters);
        let grouped = |line: &Clusters| {
            let mut sums = vec![0.0; count];
            line.ids.iter().zip(&line.sums).for_each(|(id, sum)| sums[unit_of_cluster[id]] += sum);
            sums
        };
        let mut order: Vec<Statistics> =
            tested().map(|(index, line)| Statistics::new(index, line, &grouped(line))).collect();
        order.sort_by(|a, other| a.all.total_cmp(&other.all).then(other.line.cmp(&a.line)));
        let mut columns = vec![0.0; count * line_count];
        for (step, statistics) in order.iter().enumerate() {
            let sums = grouped(&lines[statistics.line]);
            let root = sums.iter().map(|sum| sum * sum).sum::<f64>().sqrt();
            for (unit, sum) in sums.into_iter().enumerate() {
                columns[unit * line_count + step] = if root > 0.0 { sum / root } else { 0.0 };
            }
        }
        Self { count, order, columns }
    }

    /// Whether every pattern is enumerated.
    fn is_enumerated(&self) -> bool {
        self.count <= EXACT
    }

    fn patterns(&self) -> usize {
        match self.is_enumerated() {
            true => 1 << (self.count - 1),
            false => (DRAWS.2 / (self.count * self.order.len())).clamp(DRAWS.1, DRAWS.0),
        }
    }

    /// Patterns as rows of signs. Each batch has its own seed, so the order of work does not
    /// matter.
    fn signs(&self, part: usize, rows: usize) -> Vec<f64> {
        let mut signs = vec![1.0; rows * self.count];
        let mut random = Pcg64::seed_from_u64(2 + part as u64);
        for (row, signs) in signs.chunks_mut(self.count).enumerate() {
            for signs in signs.chunks_mut(64) {
                // The first sign is fixed: the other half is the mirror image.
                let bits = if self.is_enumerated() { ((part * BATCH + row) as u64) << 1 } else { random.random() };
                for (place, sign) in signs.iter_mut().enumerate() {
                    *sign = if bits >> place & 1 == 1 { -1.0 } else { 1.0 };
                }
            }
        }
        signs
    }

    fn count_patterns(&self) -> PatternCounts {
        let (patterns, line_count) = (self.patterns(), self.order.len());
        let total = Mutex::new((vec![[0_u64; 4]; line_count], vec![0.0_f64; patterns]));
        let parts: Vec<(usize, usize)> =
            (0..patterns).step_by(BATCH).enumerate().map(|(part, from)| (part, BATCH.min(patterns - from))).collect();
        par_for_each(parts, |(part, rows)| {
            let mut sums = vec![0.0; rows * line_count];
            matmul(&self.signs(part, rows), self.count, &self.columns, line_count, &mut sums);
            let mut steps = vec![[0_u64; 4]; line_count];
            let mut largest = Vec::with_capacity(rows);
            for sums in sums.chunks_mut(line_count) {
                sums.iter_mut().for_each(|sum| *sum = sum.abs() + TOLERANCE);
                let most = sums.iter().fold(0.0_f64, |most, sum| most.max(*sum));
                let mut up_to_here = 0.0_f64;
                for ((&sum, counts), statistics) in sums.iter().zip(&mut steps).zip(&self.order) {
                    up_to_here = up_to_here.max(sum);
                    counts[0] += u64::from(up_to_here >= statistics.all);
                    counts[1] += u64::from(up_to_here >= statistics.least);
                    counts[2] += u64::from(most >= statistics.most);
                    counts[3] += u64::from(sum >= statistics.all);
                }
                largest.push(most);
            }
            let mut total = total.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            total.1[part * BATCH..part * BATCH + rows].copy_from_slice(&largest);
            for (total, counts) in total.0.iter_mut().zip(steps) {
                total.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
            }
        });
        let (steps, largest) = total.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        PatternCounts { patterns: patterns as u64, steps, critical: critical_value(largest) }
    }
}

/// The least value that at most one pattern in twenty reaches; infinite if there is none.
fn critical_value(mut largest: Vec<f64>) -> f64 {
    let inside = largest.len() - largest.len() / 20;
    let (_, last, outside) = largest.select_nth_unstable_by(inside - 1, f64::total_cmp);
    let barred = *last + TOLERANCE;
    let least = outside.iter().filter(|value| **value > barred).fold(f64::INFINITY, |least, value| least.min(*value));
    least - TOLERANCE
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// A line of few clusters has few sign patterns, however many the others have: correction never
    /// makes p smaller.
    #[test]
    fn corrected_p_is_never_below_own_p() {
        let mut random = Pcg64::seed_from_u64(11);
        for few in [4, 5, 6] {
            let mut line = |clusters: u32, shift: f64| {
                let samples = (0..clusters).map(|id| (id, shift + f64::from(random.random_range(-50..50_i32)) / 100.0));
                Clusters::new(&samples.collect::<Vec<_>>())
            };
            for (strong, weak) in [(3.0, 0.05), (0.8, 0.3)] {
                let found = test_lines(&[line(few, strong), line(200, weak), line(40, weak)]);
                let least = 2.0 / f64::from(1 << few);
                assert!(found.lines[0].p >= least - 1e-12, "{few}: {}", found.lines[0].p);
                for FlipResult { p, corrected, .. } in found.lines {
                    assert!(corrected >= p, "{few} {strong}: {corrected} below {p}");
                }
            }
        }
    }

    /// By definition, over all sign patterns of eight clusters that three lines share: a line's own
    /// p; the p of the maximum of the lines that are not stronger, monotone; the same without the
    /// cluster whose loss weakens it most; and the p of the maximum of all lines without the
    /// cluster whose loss strengthens it most.
    #[test]
    fn every_p_is_that_of_full_enumeration() {
        let root = |sums: &[f64]| sums.iter().map(|sum| sum * sum).sum::<f64>().sqrt();
        let size = |sums: &[f64; 8], pattern: u32| {
            let sign = |index: usize| if pattern >> index & 1 == 1 { -1.0 } else { 1.0 };
            sums.iter().enumerate().map(|(index, sum)| sign(index) * sum).sum::<f64>().abs() / root(sums)
        };
        let p = |sums_of_lines: &[[f64; 8]], reach: f64| {
            let reaches = |pattern: &u32| sums_of_lines.iter().any(|sums| size(sums, *pattern) >= reach - 1e-9);
            (0..256).filter(reaches).count() as f64 / 256.0
        };
        let mut random = Pcg64::seed_from_u64(7);
        for _ in 0..40 {
            let sums: [[f64; 8]; 3] = std::array::from_fn(|_| {
                std::array::from_fn(|_| f64::from(random.random_range(-20..90_i32)) / 16.0 + 0.01)
            });
            let found = test_lines(&sums.map(|sums| Clusters::new(&(0..).zip(sums).collect::<Vec<(u32, f64)>>())));
            let mut order = [0, 1, 2];
            order.sort_by(|&a, &other| size(&sums[other], 0).total_cmp(&size(&sums[a], 0)));
            let strongest_first = order.map(|line| sums[line]);
            let mut running_max = 0.0_f64;
            for (index, line) in order.into_iter().enumerate() {
                let these = &strongest_first[index..];
                let side = sums[line].iter().sum::<f64>().signum();
                let without = |excluded: usize| {
                    let rest: Vec<f64> = (0..8).filter(|&unit| unit != excluded).map(|unit| sums[line][unit]).collect();
                    side * rest.iter().sum::<f64>() / root(&rest)
                };
                let least = (0..8).map(without).fold(f64::INFINITY, f64::min);
                let most = (0..8).map(|excluded| without(excluded).abs()).fold(0.0, f64::max);
                let weakest = p(these, least).max(running_max);
                let strongest = p(&sums, most);
                running_max = running_max.max(p(these, size(&sums[line], 0)));
                let FlipResult { p: own, corrected, weakest: weakest_found, strongest: strongest_found } =
                    found.lines[line];
                let expected = [p(&[sums[line]], size(&sums[line], 0)), running_max, weakest, strongest];
                for (found, expected) in [own, corrected, weakest_found, strongest_found].into_iter().zip(expected) {
                    assert!((found - expected).abs() < 1e-12, "{sums:?}: {found} {expected}");
                }
            }
        }
    }

    /// Maps a line to the sums that are flipped.
    type SumLine<'a> = &'a dyn Fn(&[(u32, f64)]) -> Vec<f64>;

    /// Three lines of more than 256 clusters, flipped in 256 groups of neighbours, agree with a
    /// plain computation by groups and, nearly, with one by single clusters. A line may lack some
    /// clusters.
    #[test]
    fn grouped_flips_agree_with_their_definition() {
        for clusters in [257_u32, 300, 512] {
            let mut random = Pcg64::seed_from_u64(u64::from(clusters));
            let mut line = |shift: f64, every: u32| {
                let logs = (0..clusters)
                    .filter(|id| every == 0 || id % every > 0)
                    .map(|id| (id, shift + random.random_range(-1.0..1.0)));
                logs.collect::<Vec<(u32, f64)>>()
            };
            let lines = [line(0.06, 0), line(0.045, 3), line(-0.02, 0)];
            let found = test_lines(&lines.each_ref().map(|line| Clusters::new(line)));
            // Cluster `id` belongs to the last group that does not start after it.
            let group_of = |id: u32| (0..256).rev().find(|group| id * 256 >= group * clusters).unwrap() as usize;
            let by_group = |line: &[(u32, f64)]| {
                let mut sums = vec![0.0; 256];
                line.iter().for_each(|(id, log)| sums[group_of(*id)] += log);
                sums
            };
            let by_cluster = |line: &[(u32, f64)]| {
                let mut sums = vec![0.0; clusters as usize];
                line.iter().for_each(|(id, log)| sums[*id as usize] += log);
                sums
            };
            let slow = |sums_of: SumLine<'_>, seed: u64| {
                let sums = lines.each_ref().map(|line| sums_of(line));
                let root = |sums: &[f64]| sums.iter().map(|sum| sum * sum).sum::<f64>().sqrt();
                let mut random = Pcg64::seed_from_u64(seed);
                let sizes: [f64; 3] = sums.each_ref().map(|sums| sums.iter().sum::<f64>().abs() / root(sums));
                let mut order = [0, 1, 2];
                order.sort_by(|&a, &other| sizes[other].total_cmp(&sizes[a]));
                let (mut own, mut largest, draws) = ([0.0; 3], [0.0; 3], 4000);
                for _ in 0..draws {
                    let signs: Vec<f64> = sums[0].iter().map(|_| if random.random() { 1.0 } else { -1.0 }).collect();
                    let flipped: [f64; 3] = sums.each_ref().map(|sums| {
                        sums.iter().zip(&signs).map(|(sum, sign)| sum * sign).sum::<f64>().abs() / root(sums)
                    });
                    for (rank, &line) in order.iter().enumerate() {
                        own[line] += f64::from(u8::from(flipped[line] >= sizes[line])) / f64::from(draws);
                        let reaches = order[rank..].iter().any(|&other| flipped[other] >= sizes[line]);
                        largest[line] += f64::from(u8::from(reaches)) / f64::from(draws);
                    }
                }
                let mut running_max = 0.0_f64;
                for line in order {
                    running_max = running_max.max(largest[line]);
                    largest[line] = running_max;
                }
                (own, largest)
            };
            let ways: [(SumLine<'_>, u64, f64); 2] = [(&by_group, 1, 0.03), (&by_cluster, 2, 0.06)];
            for (sums_of, seed, near) in ways {
                let (own, largest) = slow(sums_of, seed);
                for (index, FlipResult { p, corrected, .. }) in found.lines.iter().enumerate() {
                    assert!(
                        (p - own[index]).abs() < near,
                        "{clusters}, line {index}: {p} by itself, {} expected",
                        own[index]
                    );
                    assert!(
                        (corrected - largest[index]).abs() < near,
                        "{clusters}, line {index}: {corrected}, {} expected",
                        largest[index]
                    );
                }
            }
        }
    }

    /// Up to 16 clusters p is enumerated, up to 1000 the shared patterns are used, then the normal
    /// distribution. The work allows 400 million signs, with 1,999 to 9,999 patterns.
    #[test]
    fn method_of_p_changes_at_its_edges() {
        let p = |clusters: u32| {
            single_line_p(&Clusters::new(&(0..clusters).map(|id| (id, 1.0)).collect::<Vec<_>>()), 0.123)
        };
        assert_eq!([16, 17, 1000].map(p), [2.0_f64.powi(-15), 0.123, 0.123]);
        assert!(p(1001) < 1e-200);
        let patterns = |count: usize, lines: usize| {
            let blank_statistics = |line| Statistics { line, all: 0.0, least: 0.0, most: 0.0 };
            Units { count, order: (0..lines).map(blank_statistics).collect(), columns: Vec::new() }.patterns()
        };
        assert_eq!([patterns(16, 5000), patterns(17, 1)], [1 << 15, 9999]);
        assert_eq!([156, 157, 781, 782, 5000].map(|lines| patterns(256, lines)), [9999, 9952, 2000, 1999, 1999]);
    }

    /// Two equal lines of five clusters each, none shared: each by itself has p 1/16, one of the
    /// two 1 - (15/16)^2. The second line has the same corrected p, also without one of its
    /// clusters.
    #[test]
    fn equal_lines_have_the_same_corrected_p() {
        let line = |from: u32| Clusters::new(&(from..from + 5).map(|id| (id, 1.0)).collect::<Vec<_>>());
        let both = 1.0 - (15.0_f64 / 16.0).powi(2);
        for FlipResult { p, corrected, weakest, .. } in test_lines(&[line(0), line(5)]).lines {
            assert!((p - 1.0 / 16.0).abs() < 1e-12);
            assert!((corrected - both).abs() < 1e-12);
            assert!((weakest - both).abs() < 1e-12);
        }
    }

    /// The sum of very many clusters is nearly normal: 1.96 standard deviations on either side have
    /// p 0.05.
    #[test]
    fn many_clusters_are_tested_on_both_sides() {
        // 1200 values of one size, so many positive that the sum is 1.96 times its spread: 68
        // against 67.9.
        let logs: Vec<(u32, f64)> = (0..1200).map(|index| (index, if index < 634 { 3.0 } else { -3.0 })).collect();
        let p = single_line_p(&Clusters::new(&logs), f64::NAN);
        assert!((p - 0.0496).abs() < 1e-3, "{p}");
    }

    /// A line of few clusters is enumerated: beside a long line, for which patterns are drawn, its
    /// p is the same as alone.
    #[test]
    fn short_line_has_the_same_p_alone_and_beside_others() {
        let mut random = Pcg64::seed_from_u64(5);
        let line_count = Clusters::new(&(0..40).map(|id| (id, f64::from(id % 7) - 2.0)).collect::<Vec<_>>());
        for few in [2, 3, 5, 8, EXACT as u32] {
            for shift in [-1.0, 0.25] {
                let logs = (0..few).map(|id| (id, shift + f64::from(random.random_range(-12..12_i32)) / 8.0));
                let line = Clusters::new(&logs.collect::<Vec<_>>());
                let [alone, beside] =
                    [vec![line.clone()], vec![line, line_count.clone()]].map(|lines| test_lines(&lines).lines[0].p);
                assert!((alone - beside).abs() < 1e-12, "{few} {shift}: {alone} alone, {beside} beside another");
            }
        }
    }

    /// Equal clusters: 2 patterns of 2^n are as extreme. From 17 clusters on 9,999 patterns are
    /// drawn, none of which is extreme, so p is (0 + 1) / (9,999 + 1) (Phipson and Smyth, 2010).
    /// One cluster is not tested.
    #[test]
    fn equal_clusters_have_the_smallest_possible_p() {
        let flip_alike = |clusters: u32| {
            test_lines(&[Clusters::new(&(0..clusters).map(|id| (id, 0.5)).collect::<Vec<_>>())]).lines[0]
        };
        for clusters in [2, 3, 6, 16] {
            let FlipResult { p, corrected, .. } = flip_alike(clusters);
            let expected = 2.0_f64.powi(1 - clusters as i32);
            assert!((p - expected).abs() < 1e-12, "{clusters}: {p} {corrected}");
            assert!((corrected - expected).abs() < 1e-12, "{clusters}: {p} {corrected}");
        }
        let FlipResult { p, corrected, .. } = flip_alike(20);
        assert!((p - 1e-4).abs() < 1e-12, "{p} {corrected}");
        assert!((corrected - 1e-4).abs() < 1e-12, "{p} {corrected}");
        assert!(flip_alike(1).p.is_nan());
        assert!(flip_alike(1).corrected.is_nan());
    }

    /// Nine equal clusters have 256 patterns up to mirror images: one has a sum of 9, nine have 7
    /// and 36 have 5. At most twelve may reach the critical sum, so it is 7. 7 / root 9 is a
    /// Student's t of (7/3) root (8 / (9 - 49/9)) = 3.5 with eight degrees of freedom, which has p
    /// 1 - s (1 + c/2 + 3c^2/8 + 5c^3/16) with s = 7/9 and c = 32/81.
    #[test]
    fn level_is_that_of_the_critical_sum() {
        let level =
            |clusters: u32| test_lines(&[Clusters::new(&(0..clusters).map(|id| (id, 0.5)).collect::<Vec<_>>())]).level;
        let (s, c) = (7.0 / 9.0, 32.0 / 81.0);
        let expected = 1.0 - s * (1.0 + c / 2.0 + 3.0 * c * c / 8.0 + 5.0 * c * c * c / 16.0);
        assert!((level(9) - expected).abs() < 1e-6, "{} {expected}", level(9));
        // One of sixteen patterns is more than 5 %; of 128 only the outermost is critical, which no
        // finite t reaches.
        assert!(level(5) == 0.0, "{} {}", level(5), level(8));
        assert!(level(8) < 1e-6, "{} {}", level(5), level(8));
        assert!(test_lines(&[]).level.is_nan());
    }
}
