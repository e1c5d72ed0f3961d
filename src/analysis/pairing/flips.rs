//! Sign-flip tests of many lines at once, all with the same flips.
//!
//! If a line is no better or worse than what it is held against, each cluster's sum might as well have the other sign. All lines of a
//! page are measured on the same positions, so that one flip of a position is one flip for all of them: the largest statistic among
//! the lines, over many flips, is what the largest must beat. Lines that move together cost no more than one, where Holm's correction
//! takes them for strangers. Sources: Fisher, "The Design of Experiments", 1935; Westfall and Young, "Resampling-Based Multiple
//! Testing", 1993 (step-down maxT, algorithm 4.1).

use super::clusters::Clusters;
use super::stats::t_beyond;
use super::threads::shared;
use super::weigh::weigh;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use statrs::distribution::{ContinuousCDF, Normal};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Up to so many clusters every pattern of signs is tried.
const EXACT: usize = 16;

/// With more clusters than this, their places in order are flipped in so many groups: as good a test, and quicker.
const GROUPS: usize = 256;

/// With more clusters than this a line's own p is the normal law's, from which draws differ by less than their own error.
const MANY: usize = 1000;

/// Patterns at most and at least, and the work that may be spent.
const DRAWS: (usize, usize, usize) = (9_999, 1_999, 400_000_000);

/// Patterns tried at a time.
const PART: usize = 64;

/// Rounding must not tell equal sums apart.
const EQUAL: f64 = 1e-9;

/// What the flips say of one line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Flipped {
    /// Two-sided p of the line by itself; NaN for fewer than two clusters, as all below.
    pub p: f64,
    /// p corrected for all lines (step-down maxT).
    pub corrected: f64,
    /// The corrected p, had the cluster that carries most of it been left out.
    pub weakest: f64,
    /// The corrected p, had the cluster that hides most of it been left out.
    pub strongest: f64,
}

/// What the flips say of all lines.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// Of each.
    pub lines: Vec<Flipped>,
    /// The level at which a line by itself would need to be tested, for one false alarm in twenty over all of them; 0 where the
    /// clusters are too few to show anything, NaN without lines.
    pub level: f64,
}

/// The statistics of a line, each a sum over the root of the sum of squares: of all clusters; the least that is left of it when one
/// is left out, which is below 0 if the sum turns; and the most, on whichever side.
struct Statistics {
    line: usize,
    all: f64,
    least: f64,
    most: f64,
}

impl Statistics {
    /// Of a line, whose clusters are flipped in groups with these sums.
    fn new(at: usize, line: &Clusters, groups: &[f64]) -> Self {
        let squares = |values: &[f64]| values.iter().map(|value| value * value).sum::<f64>();
        let (sum, own, grouped) = (line.total().0, squares(&line.sums), squares(groups));
        // Groups only lend their root of squares: what a single cluster does is seen in the clusters.
        let scale = if grouped > 0.0 { (own / grouped).sqrt() } else { 0.0 };
        let ratio = |sum: f64, squares: f64| if squares > 0.0 { scale * sum / squares.sqrt() } else { 0.0 };
        let side = sum.signum();
        let rest = |value: &f64| ratio(side * (sum - value), own - value * value);
        let least = line.sums.iter().map(rest).fold(f64::INFINITY, f64::min);
        let most = line.sums.iter().map(rest).map(f64::abs).fold(0.0, f64::max);
        Self { line: at, all: ratio(sum.abs(), own), least, most }
    }
}

/// Tests all lines.
pub fn joint(lines: &[Clusters]) -> Joint {
    let nothing = Flipped { p: f64::NAN, corrected: f64::NAN, weakest: f64::NAN, strongest: f64::NAN };
    let mut found = Joint { lines: vec![nothing; lines.len()], level: f64::NAN };
    let units = Units::new(lines);
    if units.order.is_empty() {
        return found;
    }
    let counted = units.count();
    let own = if units.exact() { 0.0 } else { 1.0 };
    let share = |count: u64| (count as f64 + own) / (counted.patterns as f64 + own);
    let mut before = 0.0_f64;
    for (step, of) in units.order.iter().enumerate().rev() {
        let [all, least, most, alone] = counted.steps[step].map(share);
        let line = &lines[of.line];
        let p = if units.exact() { alone } else { own_p(line, alone) };
        // No step is easier than the one before it, nor any p smaller than the line's own.
        let weakest = least.max(before);
        before = before.max(all).max(p);
        found.lines[of.line] = Flipped { p, corrected: before, weakest, strongest: most };
    }
    // A sum over the root of the sum of squares is Student's t by another name.
    let (count, reach) = (units.count as f64, counted.critical);
    let t =
        if reach * reach < count { reach * ((count - 1.0) / (count - reach * reach)).sqrt() } else { f64::INFINITY };
    found.level = t_beyond(units.count, t);
    found
}

/// A line's own p: exact for few clusters, by the shared patterns for more, by the normal law for very many.
fn own_p(line: &Clusters, shared: f64) -> f64 {
    if line.len() <= EXACT {
        return exact(&line.sums);
    }
    if line.len() > MANY {
        let spread = line.sums.iter().map(|sum| sum * sum).sum::<f64>().sqrt();
        let sum = line.sums.iter().sum::<f64>().abs();
        return if spread > 0.0 { 2.0 * Normal::standard().cdf(-sum / spread) } else { 1.0 };
    }
    shared
}

/// The share of all patterns of signs whose sum is as far from nothing as that of the sums as they are.
fn exact(sums: &[f64]) -> f64 {
    let size: f64 = sums.iter().map(|sum| sum.abs()).sum();
    let reach = sums.iter().sum::<f64>().abs() - 1e-12 * size;
    // The first sign stays: the other half is its mirror image. Gray's order changes one sign from pattern to pattern.
    let mut signed = sums.to_vec();
    let patterns = 1_u32 << (sums.len() - 1);
    let mut extreme = 0_u32;
    for pattern in 1..=patterns {
        extreme += u32::from(signed.iter().sum::<f64>().abs() >= reach);
        let at = 1 + pattern.trailing_zeros() as usize;
        if let Some(value) = signed.get_mut(at) {
            *value = -*value;
        }
    }
    f64::from(extreme) / f64::from(patterns)
}

/// What is flipped: the clusters of all lines, or groups of them.
struct Units {
    count: usize,
    /// The lines, from the one that stands out least to the one that does most, so that running maxima are those of the steps.
    order: Vec<Statistics>,
    /// Their sums in units of the root of their sum of squares, unit by unit.
    columns: Vec<f64>,
}

/// What was counted over all patterns.
struct PatternCounts {
    patterns: u64,
    /// Of each step: patterns in which its maximum reaches the statistic and the least of it without a cluster; in which the maximum
    /// of all lines reaches the most of it without a cluster; and in which the line itself reaches its statistic.
    steps: Vec<[u64; 4]>,
    critical: f64,
}

impl Units {
    fn new(lines: &[Clusters]) -> Self {
        let tested = || lines.iter().enumerate().filter(|(_, line)| line.len() >= 2);
        let mut places: BTreeMap<u32, usize> = BTreeMap::new();
        tested().flat_map(|(_, line)| &line.ids).for_each(|id| _ = places.insert(*id, 0));
        let (clusters, wide) = (places.len(), tested().count());
        let count = clusters.min(GROUPS);
        places.values_mut().enumerate().for_each(|(at, place)| *place = at * count / clusters);
        let grouped = |line: &Clusters| {
            let mut sums = vec![0.0; count];
            line.ids.iter().zip(&line.sums).for_each(|(id, sum)| sums[places[id]] += sum);
            sums
        };
        let mut order: Vec<Statistics> = tested().map(|(at, line)| Statistics::new(at, line, &grouped(line))).collect();
        order.sort_by(|one, other| one.all.total_cmp(&other.all).then(other.line.cmp(&one.line)));
        let mut columns = vec![0.0; count * wide];
        for (step, of) in order.iter().enumerate() {
            let sums = grouped(&lines[of.line]);
            let root = sums.iter().map(|sum| sum * sum).sum::<f64>().sqrt();
            for (unit, sum) in sums.into_iter().enumerate() {
                columns[unit * wide + step] = if root > 0.0 { sum / root } else { 0.0 };
            }
        }
        Self { count, order, columns }
    }

    /// Whether every pattern is tried.
    fn exact(&self) -> bool {
        self.count <= EXACT
    }

    fn patterns(&self) -> usize {
        match self.exact() {
            true => 1 << (self.count - 1),
            false => (DRAWS.2 / (self.count * self.order.len())).clamp(DRAWS.1, DRAWS.0),
        }
    }

    /// Some patterns, as rows of signs. Each part has its own seed: the order of work changes nothing.
    fn signs(&self, part: usize, rows: usize) -> Vec<f64> {
        let mut signs = vec![1.0; rows * self.count];
        let mut random = Pcg64::seed_from_u64(2 + part as u64);
        for (row, signs) in signs.chunks_mut(self.count).enumerate() {
            for signs in signs.chunks_mut(64) {
                // The first sign stays: the other half is the mirror image.
                let bits = if self.exact() { ((part * PART + row) as u64) << 1 } else { random.random() };
                for (place, sign) in signs.iter_mut().enumerate() {
                    *sign = if bits >> place & 1 == 1 { -1.0 } else { 1.0 };
                }
            }
        }
        signs
    }

    fn count(&self) -> PatternCounts {
        let (patterns, wide) = (self.patterns(), self.order.len());
        let total = Mutex::new((vec![[0_u64; 4]; wide], vec![0.0_f64; patterns]));
        let parts: Vec<(usize, usize)> =
            (0..patterns).step_by(PART).enumerate().map(|(part, from)| (part, PART.min(patterns - from))).collect();
        shared(parts, |(part, rows)| {
            let mut sums = vec![0.0; rows * wide];
            weigh(&self.signs(part, rows), self.count, &self.columns, wide, &mut sums);
            let mut steps = vec![[0_u64; 4]; wide];
            let mut largest = Vec::with_capacity(rows);
            for sums in sums.chunks_mut(wide) {
                sums.iter_mut().for_each(|sum| *sum = sum.abs() + EQUAL);
                let most = sums.iter().fold(0.0_f64, |most, sum| most.max(*sum));
                let mut up_to_here = 0.0_f64;
                for ((&sum, counts), of) in sums.iter().zip(&mut steps).zip(&self.order) {
                    up_to_here = up_to_here.max(sum);
                    counts[0] += u64::from(up_to_here >= of.all);
                    counts[1] += u64::from(up_to_here >= of.least);
                    counts[2] += u64::from(most >= of.most);
                    counts[3] += u64::from(sum >= of.all);
                }
                largest.push(most);
            }
            let mut total = total.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            total.1[part * PART..part * PART + rows].copy_from_slice(&largest);
            for (total, counts) in total.0.iter_mut().zip(steps) {
                total.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
            }
        });
        let (steps, largest) = total.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        PatternCounts { patterns: patterns as u64, steps, critical: critical(largest) }
    }
}

/// The least value that at most one pattern in twenty reaches; infinite where there is none.
fn critical(mut largest: Vec<f64>) -> f64 {
    let inside = largest.len() - largest.len() / 20;
    let (_, last, external) = largest.select_nth_unstable_by(inside - 1, f64::total_cmp);
    let barred = *last + EQUAL;
    let least = external.iter().filter(|value| **value > barred).fold(f64::INFINITY, |least, value| least.min(*value));
    least - EQUAL
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// A line of few clusters has few sign patterns of its own, however many those have that it is tested with: what is corrected is never surer.
    #[test]
    fn nothing_is_surer_for_being_corrected() {
        let mut random = Pcg64::seed_from_u64(11);
        for few in [4, 5, 6] {
            let mut line = |clusters: u32, shift: f64| {
                let samples = (0..clusters).map(|id| (id, shift + f64::from(random.random_range(-50..50_i32)) / 100.0));
                Clusters::new(&samples.collect::<Vec<_>>())
            };
            for (strong, weak) in [(3.0, 0.05), (0.8, 0.3)] {
                let found = joint(&[line(few, strong), line(200, weak), line(40, weak)]);
                let least = 2.0 / f64::from(1 << few);
                assert!(found.lines[0].p >= least - 1e-12, "{few}: {}", found.lines[0].p);
                for Flipped { p, corrected, .. } in found.lines {
                    assert!(corrected >= p, "{few} {strong}: {corrected} below {p}");
                }
            }
        }
    }

    /// By definition, over all sign patterns of eight clusters that three lines share: a line's own p, p of the largest of the lines that are not
    /// stronger, never below that of a stronger one, and the same without the cluster whose loss weakens it most; p of the largest of all lines, without the one whose loss strengthens it most.
    #[test]
    fn each_p_is_counted_out() {
        let root = |sums: &[f64]| sums.iter().map(|sum| sum * sum).sum::<f64>().sqrt();
        let size = |sums: &[f64; 8], pattern: u32| {
            let sign = |at: usize| if pattern >> at & 1 == 1 { -1.0 } else { 1.0 };
            sums.iter().enumerate().map(|(at, sum)| sign(at) * sum).sum::<f64>().abs() / root(sums)
        };
        let p = |of: &[[f64; 8]], reach: f64| {
            let beyond = |pattern: &u32| of.iter().any(|sums| size(sums, *pattern) >= reach - 1e-9);
            (0..256).filter(beyond).count() as f64 / 256.0
        };
        let mut random = Pcg64::seed_from_u64(7);
        for _ in 0..40 {
            let sums: [[f64; 8]; 3] = std::array::from_fn(|_| {
                std::array::from_fn(|_| f64::from(random.random_range(-20..90_i32)) / 16.0 + 0.01)
            });
            let found = joint(&sums.map(|sums| Clusters::new(&(0..).zip(sums).collect::<Vec<(u32, f64)>>())));
            let mut order = [0, 1, 2];
            order.sort_by(|&one, &other| size(&sums[other], 0).total_cmp(&size(&sums[one], 0)));
            let strongest_first = order.map(|line| sums[line]);
            let mut before = 0.0_f64;
            for (at, line) in order.into_iter().enumerate() {
                let these = &strongest_first[at..];
                let side = sums[line].iter().sum::<f64>().signum();
                let without = |left: usize| {
                    let rest: Vec<f64> = (0..8).filter(|&one| one != left).map(|one| sums[line][one]).collect();
                    side * rest.iter().sum::<f64>() / root(&rest)
                };
                let least = (0..8).map(without).fold(f64::INFINITY, f64::min);
                let most = (0..8).map(|left| without(left).abs()).fold(0.0, f64::max);
                let weakest = p(these, least).max(before);
                let strongest = p(&sums, most);
                before = before.max(p(these, size(&sums[line], 0)));
                let Flipped { p: own, corrected, weakest: hangs, strongest: hidden } = found.lines[line];
                let expected = [p(&[sums[line]], size(&sums[line], 0)), before, weakest, strongest];
                for (found, expected) in [own, corrected, hangs, hidden].into_iter().zip(expected) {
                    assert!((found - expected).abs() < 1e-12, "{sums:?}: {found} {expected}");
                }
            }
        }
    }

    /// The sums of a line that are flipped.
    type Summing<'a> = &'a dyn Fn(&[(u32, f64)]) -> Vec<f64>;

    /// Three lines of 256 clusters and more, which are flipped in 256 groups of neighbours, by definition: over patterns of groups that are drawn one by one,
    /// and over patterns of all clusters, which hardly differ. A line may lack some of the clusters.
    #[test]
    fn more_clusters_than_groups_are_flipped_by_their_definition() {
        for clusters in [257_u32, 300, 512] {
            let mut random = Pcg64::seed_from_u64(u64::from(clusters));
            let mut line = |shift: f64, every: u32| {
                let logs = (0..clusters)
                    .filter(|id| every == 0 || id % every > 0)
                    .map(|id| (id, shift + random.random_range(-1.0..1.0)));
                logs.collect::<Vec<(u32, f64)>>()
            };
            let lines = [line(0.06, 0), line(0.045, 3), line(-0.02, 0)];
            let found = joint(&lines.each_ref().map(|line| Clusters::new(line)));
            // The first cluster of a group is the least whose place among all, times 256, is no less than the group's times all.
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
            let slow = |of: Summing<'_>, seed: u64| {
                let sums = lines.each_ref().map(|line| of(line));
                let root = |sums: &[f64]| sums.iter().map(|sum| sum * sum).sum::<f64>().sqrt();
                let mut random = Pcg64::seed_from_u64(seed);
                let sizes: [f64; 3] = sums.each_ref().map(|sums| sums.iter().sum::<f64>().abs() / root(sums));
                let mut order = [0, 1, 2];
                order.sort_by(|&one, &other| sizes[other].total_cmp(&sizes[one]));
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
                let mut before = 0.0_f64;
                for line in order {
                    before = before.max(largest[line]);
                    largest[line] = before;
                }
                (own, largest)
            };
            let ways: [(Summing<'_>, u64, f64); 2] = [(&by_group, 1, 0.03), (&by_cluster, 2, 0.06)];
            for (of, seed, near) in ways {
                let (own, largest) = slow(of, seed);
                for (at, Flipped { p, corrected, .. }) in found.lines.iter().enumerate() {
                    assert!((p - own[at]).abs() < near, "{clusters}, line {at}: {p} by itself, {} wanted", own[at]);
                    assert!(
                        (corrected - largest[at]).abs() < near,
                        "{clusters}, line {at}: {corrected}, {} wanted",
                        largest[at]
                    );
                }
            }
        }
    }

    /// Up to 16 clusters a line is counted out, up to 1000 the shared patterns are taken, then the normal law. As many patterns are drawn as the work allows:
    /// 400 million signs, and no fewer than 1,999 nor more than 9,999.
    #[test]
    fn each_way_to_p_ends_where_the_next_begins() {
        let p = |clusters: u32| own_p(&Clusters::new(&(0..clusters).map(|id| (id, 1.0)).collect::<Vec<_>>()), 0.123);
        assert_eq!([16, 17, 1000].map(p), [2.0_f64.powi(-15), 0.123, 0.123]);
        assert!(p(1001) < 1e-200);
        let patterns = |count: usize, lines: usize| {
            let of = |line| Statistics { line, all: 0.0, least: 0.0, most: 0.0 };
            Units { count, order: (0..lines).map(of).collect(), columns: Vec::new() }.patterns()
        };
        assert_eq!([patterns(16, 5000), patterns(17, 1)], [1 << 15, 9999]);
        assert_eq!([156, 157, 781, 782, 5000].map(|lines| patterns(256, lines)), [9999, 9952, 2000, 1999, 1999]);
    }

    /// Two lines of five clusters each, all alike and no cluster shared: by itself each is chance once in sixteen, one of the two in 1 - (15/16)^2 of all
    /// cases; the one that comes second keeps that of the first, without any of its clusters too.
    #[test]
    fn the_second_of_two_alike_is_no_surer_than_the_first() {
        let line = |from: u32| Clusters::new(&(from..from + 5).map(|id| (id, 1.0)).collect::<Vec<_>>());
        let both = 1.0 - (15.0_f64 / 16.0).powi(2);
        for Flipped { p, corrected, weakest, .. } in joint(&[line(0), line(5)]).lines {
            assert!(
                (p - 1.0 / 16.0).abs() < 1e-12 && (corrected - both).abs() < 1e-12 && (weakest - both).abs() < 1e-12
            );
        }
    }

    /// Of very many clusters the sum is as good as normal: 1.96 standard deviations on either side are one in twenty.
    #[test]
    fn many_clusters_are_tested_on_both_sides() {
        // 1200 of one size, of which so many are positive that the sum is 1.96 times its spread, as near as whole ones come: 68 beside 67.9.
        let logs: Vec<(u32, f64)> = (0..1200).map(|at| (at, if at < 634 { 3.0 } else { -3.0 })).collect();
        let p = own_p(&Clusters::new(&logs), f64::NAN);
        assert!((p - 0.0496).abs() < 1e-3, "{p}");
    }

    /// A line of few clusters is counted out: its p is the same beside one of many clusters, which are drawn for, as alone, where all patterns are shared.
    #[test]
    fn a_short_line_has_the_p_that_it_has_alone() {
        let mut random = Pcg64::seed_from_u64(5);
        let wide = Clusters::new(&(0..40).map(|id| (id, f64::from(id % 7) - 2.0)).collect::<Vec<_>>());
        for few in [2, 3, 5, 8, EXACT as u32] {
            for shift in [-1.0, 0.25] {
                let logs = (0..few).map(|id| (id, shift + f64::from(random.random_range(-12..12_i32)) / 8.0));
                let line = Clusters::new(&logs.collect::<Vec<_>>());
                let [alone, beside] =
                    [vec![line.clone()], vec![line, wide.clone()]].map(|lines| joint(&lines).lines[0].p);
                assert!((alone - beside).abs() < 1e-12, "{few} {shift}: {alone} alone, {beside} beside another");
            }
        }
    }

    /// Clusters that are all alike: one pattern and its mirror image are as far out, of 2^n. From seventeen on 9,999 patterns are drawn, none of which is that
    /// one, and no p of draws is less than (0 + 1) / (9,999 + 1) (Phipson and Smyth, 2010). One cluster is not tested.
    #[test]
    fn what_all_go_the_same_way_is_as_rare_as_its_patterns() {
        let of =
            |clusters: u32| joint(&[Clusters::new(&(0..clusters).map(|id| (id, 0.5)).collect::<Vec<_>>())]).lines[0];
        for clusters in [2, 3, 6, 16] {
            let Flipped { p, corrected, .. } = of(clusters);
            let expected = 2.0_f64.powi(1 - clusters as i32);
            assert!(
                (p - expected).abs() < 1e-12 && (corrected - expected).abs() < 1e-12,
                "{clusters}: {p} {corrected}"
            );
        }
        let Flipped { p, corrected, .. } = of(20);
        assert!((p - 1e-4).abs() < 1e-12 && (corrected - 1e-4).abs() < 1e-12, "{p} {corrected}");
        assert!(of(1).p.is_nan() && of(1).corrected.is_nan());
    }

    /// Nine clusters all alike, 256 patterns up to their mirror images: one has a sum of 9, nine more have 7, and 36 and more would have 5, of which twelve may
    /// be: it is 7 that is reached. 7 / root 9 is a Student's t of (7/3) root (8 / (9 - 49/9)) = 3.5, which is beyond in 1 - s (1 + c/2 + 3c^2/8 + 5c^3/16) of
    /// all cases (eight degrees of freedom; s = 7/9, c = 32/81).
    #[test]
    fn the_level_is_that_of_the_sum_that_one_in_twenty_reaches() {
        let level =
            |clusters: u32| joint(&[Clusters::new(&(0..clusters).map(|id| (id, 0.5)).collect::<Vec<_>>())]).level;
        let (s, c) = (7.0 / 9.0, 32.0 / 81.0);
        let expected = 1.0 - s * (1.0 + c / 2.0 + 3.0 * c * c / 8.0 + 5.0 * c * c * c / 16.0);
        assert!((level(9) - expected).abs() < 1e-6, "{} {expected}", level(9));
        // Of sixteen patterns not one in twenty can be spared; of 128 only the outermost, which no finite t reaches.
        assert!(level(5) == 0.0 && level(8) < 1e-6, "{} {}", level(5), level(8));
        assert!(joint(&[]).level.is_nan());
    }
}
