//! Sign-flip tests of many lines that share their flips.
//!
//! If a line does not differ from its baseline, the sign of each cluster's sum is random. All lines
//! are measured on the same positions, so the sign of a position is flipped in all lines together.
//! Over many flips, the largest statistic among the lines has the null distribution of the largest
//! observed statistic. Perfectly correlated lines are corrected as if they were one. Sources:
//! Fisher, "The Design of Experiments", 1935; Westfall and Young, "Resampling-Based Multiple
//! Testing", 1993 (step-down maxT, algorithm 4.1).

use super::clusters::Clusters;
use super::matmul::matmul;
use super::sample::t_two_sided_p;
use crate::parallel::par_for_each;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use statrs::distribution::{ContinuousCDF, Normal};
use std::sync::Mutex;

/// With at most this many clusters, every pattern of signs is enumerated.
const EXACT: usize = 16;

/// With more clusters than this, neighbouring clusters are flipped together in this many groups.
/// The test is as good as with single clusters, and faster.
const GROUPS: usize = 256;

/// With more clusters than this, a line's own p is taken from the normal distribution. The
/// difference from the exact p is smaller than the sampling error.
const NORMAL_FROM: usize = 1000;

/// The smallest and the largest number of random patterns.
const MIN_DRAWS: usize = 1_999;
const MAX_DRAWS: usize = 9_999;

/// The maximum work (signs x lines), unless `MIN_DRAWS` patterns need more.
const MAX_WORK: usize = 400_000_000;

/// The number of patterns that are processed at a time.
const BATCH: usize = 64;

/// The tolerance within which sums count as equal.
const TOLERANCE: f64 = 1e-9;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FlipResult {
    /// The two-sided p of the line alone. All fields are NaN for fewer than two clusters.
    pub p: f64,
    /// The p corrected for all lines (step-down maxT).
    pub corrected_p: f64,
    /// The corrected p without the cluster that carries most of the difference.
    pub p_without_carrier: f64,
    /// The corrected p without the cluster that hides most of the difference.
    pub p_without_hider: f64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct FlipResults {
    pub lines: Vec<FlipResult>,
    /// The level at which each line would have to be tested alone for a false positive rate of 5 %
    /// over all lines. The level is 0 if there are too few clusters, and NaN without lines.
    pub level: f64,
}

/// The statistics of a line. Each statistic is a sum divided by the root of the sum of squares.
struct Statistics {
    line: usize,
    all_clusters: f64,
    /// The smallest statistic if one cluster is left out. It is below 0 if the sum changes sign.
    min_without_one: f64,
    /// The largest absolute value of the statistic if one cluster is left out.
    max_without_one: f64,
}

impl Statistics {
    /// Computes the statistics of a line. `group_sums` are the sums of the groups in which the
    /// clusters of the line are flipped.
    fn new(index: usize, line: &Clusters, group_sums: &[f64]) -> Self {
        let sum_of_squares = |values: &[f64]| values.iter().map(|value| value * value).sum::<f64>();
        let (sum, _) = line.total();
        let (all_squares, group_squares) = (sum_of_squares(&line.sums), sum_of_squares(group_sums));
        // The groups are flipped, but the sum of squares is computed from the clusters, because a
        // single cluster can be left out of it. The scale converts it to the sum of the groups.
        let scale = if group_squares > 0.0 { (all_squares / group_squares).sqrt() } else { 0.0 };
        let scaled_ratio = |sum: f64, squares: f64| if squares > 0.0 { scale * sum / squares.sqrt() } else { 0.0 };
        let side = sum.signum();
        let ratio_without = |value: &f64| scaled_ratio(side * (sum - value), all_squares - value * value);
        let min_without_one = line.sums.iter().map(ratio_without).fold(f64::INFINITY, f64::min);
        let max_without_one = line.sums.iter().map(ratio_without).map(f64::abs).fold(0.0, f64::max);
        Self { line: index, all_clusters: scaled_ratio(sum.abs(), all_squares), min_without_one, max_without_one }
    }
}

pub fn test_lines(lines: &[Clusters]) -> FlipResults {
    let untested =
        FlipResult { p: f64::NAN, corrected_p: f64::NAN, p_without_carrier: f64::NAN, p_without_hider: f64::NAN };
    let mut results = FlipResults { lines: vec![untested; lines.len()], level: f64::NAN };
    let units = Units::new(lines);
    if units.order.is_empty() {
        return results;
    }
    let counts = units.count_patterns();
    // If the patterns are random, the observed signs are counted as one more pattern.
    let correction = if units.is_enumerated() { 0.0 } else { 1.0 };
    let share_of = |count: u64| (count as f64 + correction) / (counts.patterns as f64 + correction);
    let mut running_max = 0.0_f64;
    for (rank, statistics) in units.order.iter().enumerate().rev() {
        let line_counts = counts.line_counts[rank];
        let p_alone = share_of(line_counts.alone);
        let p = if units.is_enumerated() { p_alone } else { single_line_p(&lines[statistics.line], p_alone) };
        let p_without_carrier = share_of(line_counts.min_without_one).max(running_max);
        // The corrected p of a line is not smaller than the line's own p, and not smaller than the
        // corrected p of a line with a larger statistic.
        running_max = running_max.max(share_of(line_counts.all_clusters)).max(p);
        let p_without_hider = share_of(line_counts.max_without_one);
        results.lines[statistics.line] = FlipResult { p, corrected_p: running_max, p_without_carrier, p_without_hider };
    }
    // A sum divided by the root of the sum of squares is a function of Student's t.
    let (unit_count, critical_sum) = (units.unit_count as f64, counts.critical_value);
    let t = if critical_sum * critical_sum < unit_count {
        critical_sum * ((unit_count - 1.0) / (unit_count - critical_sum * critical_sum)).sqrt()
    } else {
        f64::INFINITY
    };
    results.level = t_two_sided_p(units.unit_count, t);
    results
}

/// For few clusters, the p-value is computed from all sign patterns. For very many clusters, it is
/// taken from the normal distribution. Otherwise, it is `shared_p`, which is computed from the
/// patterns of all lines.
fn single_line_p(line: &Clusters, shared_p: f64) -> f64 {
    if line.len() <= EXACT {
        return exact_p(&line.sums);
    }
    if line.len() > NORMAL_FROM {
        let spread = line.sums.iter().map(|sum| sum * sum).sum::<f64>().sqrt();
        let sum = line.sums.iter().sum::<f64>().abs();
        return if spread > 0.0 { 2.0 * Normal::standard().cdf(-sum / spread) } else { 1.0 };
    }
    shared_p
}

fn exact_p(sums: &[f64]) -> f64 {
    let absolute_sum: f64 = sums.iter().map(|sum| sum.abs()).sum();
    let observed_sum = sums.iter().sum::<f64>().abs() - 1e-12 * absolute_sum;
    // The first sign is fixed, because the patterns with the other first sign are mirror images.
    // The patterns are in the order of a Gray code, which changes only one sign at a time.
    let mut signed_sums = sums.to_vec();
    let pattern_count = 1_u32 << (sums.len() - 1);
    let mut extreme_count = 0_u32;
    for pattern in 1..=pattern_count {
        extreme_count += u32::from(signed_sums.iter().sum::<f64>().abs() >= observed_sum);
        // After the last pattern, no sum has this index.
        let index = 1 + pattern.trailing_zeros() as usize;
        if let Some(sum) = signed_sums.get_mut(index) {
            *sum = -*sum;
        }
    }
    f64::from(extreme_count) / f64::from(pattern_count)
}

/// The units that are flipped: the clusters of all lines, or groups of clusters.
struct Units {
    unit_count: usize,
    /// The statistics of the lines, from the smallest to the largest. In this order, running maxima
    /// are the maxima of the step-down test.
    order: Vec<Statistics>,
    /// The lines' sums divided by the root of their sum of squares. The value of a line is at
    /// `columns[unit * order.len() + rank]`, where `rank` is the index of the line in `order`.
    columns: Vec<f64>,
}

/// For one line, the number of patterns in which its observed statistics are reached.
#[derive(Clone, Copy, Default)]
struct LineCounts {
    /// The number of patterns in which the maximum of this line and of all lines with smaller
    /// statistics reaches the line's statistic over all clusters.
    all_clusters: u64,
    /// The number of patterns in which the same maximum reaches `min_without_one` of the line.
    min_without_one: u64,
    /// The number of patterns in which the maximum of all lines reaches `max_without_one` of the
    /// line.
    max_without_one: u64,
    /// The number of patterns in which the line itself reaches its statistic over all clusters.
    alone: u64,
}

struct PatternCounts {
    patterns: u64,
    /// The counts of each line, in the order of [`Units::order`].
    line_counts: Vec<LineCounts>,
    /// The smallest value that the maximum over all lines reaches in at most one pattern in twenty.
    critical_value: f64,
}

impl Units {
    /// Combines the clusters of all lines into at most [`GROUPS`] units, and sorts the lines by
    /// their statistics. Lines of fewer than two clusters are left out.
    fn new(lines: &[Clusters]) -> Self {
        let tested_lines = || lines.iter().enumerate().filter(|(_, line)| line.len() >= 2);
        let mut clusters: Vec<u32> = tested_lines().flat_map(|(_, line)| line.ids.iter().copied()).collect();
        clusters.sort();
        clusters.dedup();
        let (cluster_count, line_count) = (clusters.len(), tested_lines().count());
        let unit_count = cluster_count.min(GROUPS);
        // Neighbouring clusters share a unit.
        let unit_of = |id: &u32| clusters.partition_point(|cluster| cluster < id) * unit_count / cluster_count;
        let group_sums = |line: &Clusters| {
            let mut sums = vec![0.0; unit_count];
            line.ids.iter().zip(&line.sums).for_each(|(id, sum)| sums[unit_of(id)] += sum);
            sums
        };
        let mut order: Vec<Statistics> =
            tested_lines().map(|(index, line)| Statistics::new(index, line, &group_sums(line))).collect();
        order.sort_by(|a, b| a.all_clusters.total_cmp(&b.all_clusters).then(b.line.cmp(&a.line)));
        let mut columns = vec![0.0; unit_count * line_count];
        for (rank, statistics) in order.iter().enumerate() {
            let sums = group_sums(&lines[statistics.line]);
            let root = sums.iter().map(|sum| sum * sum).sum::<f64>().sqrt();
            for (unit, sum) in sums.into_iter().enumerate() {
                columns[unit * line_count + rank] = if root > 0.0 { sum / root } else { 0.0 };
            }
        }
        Self { unit_count, order, columns }
    }

    fn is_enumerated(&self) -> bool {
        self.unit_count <= EXACT
    }

    fn pattern_count(&self) -> usize {
        if self.is_enumerated() {
            return 1 << (self.unit_count - 1);
        }
        (MAX_WORK / (self.unit_count * self.order.len())).clamp(MIN_DRAWS, MAX_DRAWS)
    }

    /// Each batch has its own seed, so that batches can be computed in any order.
    fn signs(&self, batch: usize, rows: usize) -> Vec<f64> {
        let mut signs = vec![1.0; rows * self.unit_count];
        let mut random = Pcg64::seed_from_u64(2 + batch as u64);
        for (row, pattern) in signs.chunks_mut(self.unit_count).enumerate() {
            // Each sign is one bit of a word.
            for word_signs in pattern.chunks_mut(64) {
                // If all patterns are enumerated, the first sign is fixed, because the patterns
                // with the other first sign are mirror images.
                let bits = if self.is_enumerated() { ((batch * BATCH + row) as u64) << 1 } else { random.random() };
                for (index, sign) in word_signs.iter_mut().enumerate() {
                    *sign = if bits >> index & 1 == 1 { -1.0 } else { 1.0 };
                }
            }
        }
        signs
    }

    /// Applies all patterns, batch by batch, and counts the patterns in which the observed
    /// statistics are reached.
    fn count_patterns(&self) -> PatternCounts {
        let (pattern_count, line_count) = (self.pattern_count(), self.order.len());
        let total = Mutex::new((vec![LineCounts::default(); line_count], vec![0.0_f64; pattern_count]));
        let row_count = |batch: usize| BATCH.min(pattern_count - batch * BATCH);
        // The index and the number of patterns of each batch.
        let batches: Vec<(usize, usize)> =
            (0..pattern_count.div_ceil(BATCH)).map(|batch| (batch, row_count(batch))).collect();
        par_for_each(batches, |(batch, rows)| {
            let mut sums = vec![0.0; rows * line_count];
            matmul(&self.signs(batch, rows), self.unit_count, &self.columns, line_count, &mut sums);
            let mut batch_counts = vec![LineCounts::default(); line_count];
            let mut maxima = Vec::with_capacity(rows);
            for sums in sums.chunks_mut(line_count) {
                sums.iter_mut().for_each(|sum| *sum = sum.abs() + TOLERANCE);
                let maximum = sums.iter().fold(0.0_f64, |maximum, sum| maximum.max(*sum));
                let mut running_max = 0.0_f64;
                for ((&sum, counts), statistics) in sums.iter().zip(&mut batch_counts).zip(&self.order) {
                    running_max = running_max.max(sum);
                    counts.all_clusters += u64::from(running_max >= statistics.all_clusters);
                    counts.min_without_one += u64::from(running_max >= statistics.min_without_one);
                    counts.max_without_one += u64::from(maximum >= statistics.max_without_one);
                    counts.alone += u64::from(sum >= statistics.all_clusters);
                }
                maxima.push(maximum);
            }
            let mut total = total.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let (line_totals, all_maxima) = &mut *total;
            all_maxima[batch * BATCH..batch * BATCH + rows].copy_from_slice(&maxima);
            for (line_total, counts) in line_totals.iter_mut().zip(batch_counts) {
                line_total.all_clusters += counts.all_clusters;
                line_total.min_without_one += counts.min_without_one;
                line_total.max_without_one += counts.max_without_one;
                line_total.alone += counts.alone;
            }
        });
        let (line_counts, maxima) = total.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        PatternCounts { patterns: pattern_count as u64, line_counts, critical_value: critical_value(maxima) }
    }
}

/// `maxima` has the maximum over all lines for each pattern.
fn critical_value(mut maxima: Vec<f64>) -> f64 {
    let common_count = maxima.len() - maxima.len() / 20;
    let (_, largest_common, top_twentieth) = maxima.select_nth_unstable_by(common_count - 1, f64::total_cmp);
    // Values that are equal to `largest_common` are reached by more than one pattern in twenty,
    // even if they are in the top twentieth.
    let largest_frequent = *largest_common + TOLERANCE;
    let rare_values = top_twentieth.iter().filter(|value| **value > largest_frequent);
    rare_values.fold(f64::INFINITY, |smallest, value| smallest.min(*value)) - TOLERANCE
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of few clusters has few sign patterns, even if other lines have many: its corrected p
    /// is never smaller than its own p.
    #[test]
    fn corrected_p_is_never_below_own_p() {
        let mut random = Pcg64::seed_from_u64(11);
        for few in [4, 5, 6] {
            let mut make_line = |clusters: u32, shift: f64| {
                let samples = (0..clusters).map(|id| (id, shift + f64::from(random.random_range(-50..50_i32)) / 100.0));
                Clusters::new(&samples.collect::<Vec<_>>())
            };
            for (strong, weak) in [(3.0, 0.05), (0.8, 0.3)] {
                let results = test_lines(&[make_line(few, strong), make_line(200, weak), make_line(40, weak)]);
                let least = 2.0 / f64::from(1 << few);
                assert!(results.lines[0].p >= least - 1e-12, "{few}: {}", results.lines[0].p);
                for FlipResult { p, corrected_p, .. } in results.lines {
                    assert!(corrected_p >= p, "{few} {strong}: {corrected_p} below {p}");
                }
            }
        }
    }

    /// The four values, from their definitions over all sign patterns of eight clusters that three
    /// lines share.
    #[test]
    fn every_p_is_that_of_full_enumeration() {
        let norm = |sums: &[f64]| sums.iter().map(|sum| sum * sum).sum::<f64>().sqrt();
        let statistic = |sums: &[f64; 8], pattern: u32| {
            let sign = |index: usize| if pattern >> index & 1 == 1 { -1.0 } else { 1.0 };
            sums.iter().enumerate().map(|(index, sum)| sign(index) * sum).sum::<f64>().abs() / norm(sums)
        };
        let p_of = |sums_of_lines: &[[f64; 8]], reach: f64| {
            let reaches = |pattern: &u32| sums_of_lines.iter().any(|sums| statistic(sums, *pattern) >= reach - 1e-9);
            (0..256).filter(reaches).count() as f64 / 256.0
        };
        let mut random = Pcg64::seed_from_u64(7);
        for _ in 0..40 {
            let sums: [[f64; 8]; 3] = std::array::from_fn(|_| {
                std::array::from_fn(|_| f64::from(random.random_range(-20..90_i32)) / 16.0 + 0.01)
            });
            let results = test_lines(&sums.map(|sums| Clusters::new(&(0..).zip(sums).collect::<Vec<(u32, f64)>>())));
            let mut order = [0, 1, 2];
            order.sort_by(|&a, &b| statistic(&sums[b], 0).total_cmp(&statistic(&sums[a], 0)));
            let strongest_first = order.map(|line| sums[line]);
            let mut running_max = 0.0_f64;
            for (index, line) in order.into_iter().enumerate() {
                let weaker_lines = &strongest_first[index..];
                let side = sums[line].iter().sum::<f64>().signum();
                let without = |excluded: usize| {
                    let rest: Vec<f64> = (0..8).filter(|&unit| unit != excluded).map(|unit| sums[line][unit]).collect();
                    side * rest.iter().sum::<f64>() / norm(&rest)
                };
                let least = (0..8).map(without).fold(f64::INFINITY, f64::min);
                let most = (0..8).map(|excluded| without(excluded).abs()).fold(0.0, f64::max);
                let weakest = p_of(weaker_lines, least).max(running_max);
                let strongest = p_of(&sums, most);
                running_max = running_max.max(p_of(weaker_lines, statistic(&sums[line], 0)));
                let result = results.lines[line];
                let actual = [result.p, result.corrected_p, result.p_without_carrier, result.p_without_hider];
                let expected = [p_of(&[sums[line]], statistic(&sums[line], 0)), running_max, weakest, strongest];
                for (actual, expected) in actual.into_iter().zip(expected) {
                    assert!((actual - expected).abs() < 1e-12, "{sums:?}: {actual} {expected}");
                }
            }
        }
    }

    /// Computes the sums of a line that are flipped.
    type SumLine<'a> = &'a dyn Fn(&[(u32, f64)]) -> Vec<f64>;

    /// Three lines of more than 256 clusters are flipped in 256 groups of neighbours. The results
    /// agree with a direct computation by groups and, nearly, with one by single clusters. One line
    /// lacks every third cluster.
    #[test]
    fn grouped_flips_agree_with_their_definition() {
        for clusters in [257_u32, 300, 512] {
            let mut random = Pcg64::seed_from_u64(u64::from(clusters));
            let mut make_line = |shift: f64, every: u32| {
                let logs = (0..clusters)
                    .filter(|id| every == 0 || id % every > 0)
                    .map(|id| (id, shift + random.random_range(-1.0..1.0)));
                logs.collect::<Vec<(u32, f64)>>()
            };
            let lines = [make_line(0.06, 0), make_line(0.045, 3), make_line(-0.02, 0)];
            let results = test_lines(&lines.each_ref().map(|line| Clusters::new(line)));
            // Cluster `id` belongs to the last group that does not start after it.
            let group_of = |id: u32| (0..256).rev().find(|group| id * 256 >= group * clusters).unwrap() as usize;
            let sum_by_group = |line: &[(u32, f64)]| {
                let mut sums = vec![0.0; 256];
                line.iter().for_each(|(id, log)| sums[group_of(*id)] += log);
                sums
            };
            let sum_by_cluster = |line: &[(u32, f64)]| {
                let mut sums = vec![0.0; clusters as usize];
                line.iter().for_each(|(id, log)| sums[*id as usize] += log);
                sums
            };
            let compute_directly = |sums_of: SumLine<'_>, seed: u64| {
                let sums = lines.each_ref().map(|line| sums_of(line));
                let norm = |sums: &[f64]| sums.iter().map(|sum| sum * sum).sum::<f64>().sqrt();
                let mut random = Pcg64::seed_from_u64(seed);
                let sizes: [f64; 3] = sums.each_ref().map(|sums| sums.iter().sum::<f64>().abs() / norm(sums));
                let mut order = [0, 1, 2];
                order.sort_by(|&a, &b| sizes[b].total_cmp(&sizes[a]));
                let (mut own_p, mut largest, draws) = ([0.0; 3], [0.0; 3], 4000);
                for _ in 0..draws {
                    let signs: Vec<f64> = sums[0].iter().map(|_| if random.random() { 1.0 } else { -1.0 }).collect();
                    let flipped: [f64; 3] = sums.each_ref().map(|sums| {
                        sums.iter().zip(&signs).map(|(sum, sign)| sum * sign).sum::<f64>().abs() / norm(sums)
                    });
                    for (rank, &line) in order.iter().enumerate() {
                        own_p[line] += f64::from(u8::from(flipped[line] >= sizes[line])) / f64::from(draws);
                        let reaches = order[rank..].iter().any(|&other| flipped[other] >= sizes[line]);
                        largest[line] += f64::from(u8::from(reaches)) / f64::from(draws);
                    }
                }
                let mut running_max = 0.0_f64;
                for line in order {
                    running_max = running_max.max(largest[line]);
                    largest[line] = running_max;
                }
                (own_p, largest)
            };
            let methods: [(SumLine<'_>, u64, f64); 2] = [(&sum_by_group, 1, 0.03), (&sum_by_cluster, 2, 0.06)];
            for (sums_of, seed, tolerance) in methods {
                let (own_p, largest) = compute_directly(sums_of, seed);
                for (index, FlipResult { p, corrected_p, .. }) in results.lines.iter().enumerate() {
                    assert!(
                        (p - own_p[index]).abs() < tolerance,
                        "{clusters}, line {index}: {p} by itself, {} expected",
                        own_p[index]
                    );
                    assert!(
                        (corrected_p - largest[index]).abs() < tolerance,
                        "{clusters}, line {index}: {corrected_p}, {} expected",
                        largest[index]
                    );
                }
            }
        }
    }

    /// With up to 16 clusters p is enumerated, with up to 1000 the shared patterns are used, and
    /// with more the normal distribution.
    #[test]
    fn method_of_p_changes_at_its_edges() {
        let p_of = |clusters: u32| {
            single_line_p(&Clusters::new(&(0..clusters).map(|id| (id, 1.0)).collect::<Vec<_>>()), 0.123)
        };
        assert_eq!([16, 17, 1000].map(p_of), [2.0_f64.powi(-15), 0.123, 0.123]);
        assert!(p_of(1001) < 1e-200);
        let pattern_count = |unit_count: usize, lines: usize| {
            let blank_statistics =
                |line| Statistics { line, all_clusters: 0.0, min_without_one: 0.0, max_without_one: 0.0 };
            Units { unit_count, order: (0..lines).map(blank_statistics).collect(), columns: Vec::new() }.pattern_count()
        };
        assert_eq!([pattern_count(16, 5000), pattern_count(17, 1)], [1 << 15, 9999]);
        assert_eq!([156, 157, 781, 782, 5000].map(|lines| pattern_count(256, lines)), [9999, 9952, 2000, 1999, 1999]);
    }

    /// Two equal lines have five clusters each and share none. Alone each has p = 1/16; that at
    /// least one is as extreme has p = 1 - (15/16)^2. Both lines have this corrected p, also
    /// without one of their clusters.
    #[test]
    fn equal_lines_have_the_same_corrected_p() {
        let make_line = |from: u32| Clusters::new(&(from..from + 5).map(|id| (id, 1.0)).collect::<Vec<_>>());
        let expected_p = 1.0 - (15.0_f64 / 16.0).powi(2);
        for FlipResult { p, corrected_p, p_without_carrier, .. } in test_lines(&[make_line(0), make_line(5)]).lines {
            assert!((p - 1.0 / 16.0).abs() < 1e-12);
            assert!((corrected_p - expected_p).abs() < 1e-12);
            assert!((p_without_carrier - expected_p).abs() < 1e-12);
        }
    }

    /// The sum of very many clusters is nearly normal: at 1.96 standard deviations on either side,
    /// p = 0.05.
    #[test]
    fn many_clusters_are_tested_on_both_sides() {
        // 1200 values of the same size are positive or negative, with a sum of 1.96 times their
        // spread: 68 against 67.9.
        let logs: Vec<(u32, f64)> = (0..1200).map(|index| (index, if index < 634 { 3.0 } else { -3.0 })).collect();
        let p = single_line_p(&Clusters::new(&logs), f64::NAN);
        assert!((p - 0.0496).abs() < 1e-3, "{p}");
    }

    /// A line of few clusters is enumerated, so its p is the same alone and together with a long
    /// line for which patterns are drawn.
    #[test]
    fn short_line_has_the_same_p_alone_and_beside_others() {
        let mut random = Pcg64::seed_from_u64(5);
        let long_line = Clusters::new(&(0..40).map(|id| (id, f64::from(id % 7) - 2.0)).collect::<Vec<_>>());
        for few in [2, 3, 5, 8, EXACT as u32] {
            for shift in [-1.0, 0.25] {
                let logs = (0..few).map(|id| (id, shift + f64::from(random.random_range(-12..12_i32)) / 8.0));
                let line = Clusters::new(&logs.collect::<Vec<_>>());
                let [alone, beside] =
                    [vec![line.clone()], vec![line, long_line.clone()]].map(|lines| test_lines(&lines).lines[0].p);
                assert!((alone - beside).abs() < 1e-12, "{few} {shift}: {alone} alone, {beside} beside another");
            }
        }
    }

    /// With n equal clusters, 2 of 2^n patterns are as extreme as the observed one. With 17 or more
    /// clusters, 9,999 patterns are drawn; none of these is extreme, so p is (0 + 1) / (9,999 + 1)
    /// (Phipson and Smyth, 2010). A single cluster is not tested.
    #[test]
    fn equal_clusters_have_the_smallest_possible_p() {
        let test_equal_clusters = |clusters: u32| {
            test_lines(&[Clusters::new(&(0..clusters).map(|id| (id, 0.5)).collect::<Vec<_>>())]).lines[0]
        };
        for clusters in [2, 3, 6, 16] {
            let FlipResult { p, corrected_p, .. } = test_equal_clusters(clusters);
            let expected = 2.0_f64.powi(1 - clusters as i32);
            assert!((p - expected).abs() < 1e-12, "{clusters}: {p} {corrected_p}");
            assert!((corrected_p - expected).abs() < 1e-12, "{clusters}: {p} {corrected_p}");
        }
        let FlipResult { p, corrected_p, .. } = test_equal_clusters(20);
        assert!((p - 1e-4).abs() < 1e-12, "{p} {corrected_p}");
        assert!((corrected_p - 1e-4).abs() < 1e-12, "{p} {corrected_p}");
        assert!(test_equal_clusters(1).p.is_nan());
        assert!(test_equal_clusters(1).corrected_p.is_nan());
    }

    /// Nine equal clusters have 256 patterns up to mirror images: one has a sum of 9, nine have a
    /// sum of 7 and 36 have a sum of 5. At most twelve patterns may reach the critical sum, which
    /// is therefore 7. A value of 7 / root 9 is a Student's t of (7/3) root (8 / (9 - 49/9)) = 3.5
    /// with eight degrees of freedom, whose p is 1 - s (1 + c/2 + 3c^2/8 + 5c^3/16) with s = 7/9
    /// and c = 32/81.
    #[test]
    fn level_is_that_of_the_critical_sum() {
        let level_of =
            |clusters: u32| test_lines(&[Clusters::new(&(0..clusters).map(|id| (id, 0.5)).collect::<Vec<_>>())]).level;
        let (s, c) = (7.0 / 9.0, 32.0 / 81.0);
        let expected = 1.0 - s * (1.0 + c / 2.0 + 3.0 * c * c / 8.0 + 5.0 * c * c * c / 16.0);
        assert!((level_of(9) - expected).abs() < 1e-6, "{} {expected}", level_of(9));
        // One of sixteen patterns is more than 5 %. Of 128 patterns only the most extreme one is
        // critical, and no finite t reaches it.
        assert!(level_of(5) == 0.0, "{} {}", level_of(5), level_of(8));
        assert!(level_of(8) < 1e-6, "{} {}", level_of(5), level_of(8));
        assert!(test_lines(&[]).level.is_nan());
    }
}
