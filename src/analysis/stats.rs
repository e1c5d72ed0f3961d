//! How much, and how sure: ratios paired by position, their geometric mean, a bootstrap interval, a permutation test.
//!
//! The unit is the position (or, in sequences, the game: its searches share a table and are not independent). Node counts of two
//! variants on one position are compared as the logarithm of their ratio, since positions differ in size by orders of magnitude.

use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Draws of the bootstrap and of the permutation test.
const DRAWS: usize = 2000;

/// A geometric mean of ratios and what is known about it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Ratio {
    /// The geometric mean.
    pub mean: f64,
    /// The lower end of its 95 % interval; NaN for fewer than two clusters.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Two-sided p of the sign-flip permutation test that the true ratio is 1; NaN for fewer than two clusters.
    pub p: f64,
    /// How many positions.
    pub pairs: usize,
    /// How many clusters (games, or positions where there are none).
    pub clusters: usize,
}

impl Ratio {
    /// Whether the interval leaves 1 out.
    #[must_use]
    pub fn is_clear(&self) -> bool {
        self.low > 1.0 || self.high < 1.0
    }

    /// From (cluster, logarithm of the ratio) pairs.
    #[must_use]
    pub fn of(logs: &[(u32, f64)]) -> Self {
        let clusters = Clusters::new(logs);
        let mut random = Pcg64::seed_from_u64(1);
        let mean = mean(logs.iter().map(|&(_, log)| log));
        let (low, high) = clusters.interval(&mut random);
        Self {
            mean: mean.exp(),
            low: low.exp(),
            high: high.exp(),
            p: clusters.permutation(&mut random),
            pairs: logs.len(),
            clusters: clusters.sums.len(),
        }
    }
}

/// The arithmetic mean; NaN of nothing.
#[must_use]
pub fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / count
}

/// Sum and number of logarithms of each cluster.
struct Clusters {
    sums: Vec<(f64, f64)>,
}

impl Clusters {
    fn new(logs: &[(u32, f64)]) -> Self {
        let mut by_cluster = std::collections::BTreeMap::<u32, (f64, f64)>::new();
        for &(cluster, log) in logs {
            let (sum, count) = by_cluster.entry(cluster).or_default();
            *sum += log;
            *count += 1.0;
        }
        Self { sums: by_cluster.into_values().collect() }
    }

    /// The percentile bootstrap: clusters drawn with replacement. Source: Efron and Tibshirani, "An Introduction to the
    /// Bootstrap", 1993.
    fn interval(&self, random: &mut impl Rng) -> (f64, f64) {
        let clusters = self.sums.len();
        if clusters < 2 {
            return (f64::NAN, f64::NAN);
        }
        let mut means: Vec<f64> = (0..DRAWS)
            .map(|_| {
                let (sum, count) = (0..clusters)
                    .map(|_| self.sums[random.random_range(0..clusters)])
                    .fold((0.0, 0.0), |(sum, count), (s, c)| (sum + s, count + c));
                sum / count
            })
            .collect();
        means.sort_by(f64::total_cmp);
        (means[DRAWS / 40], means[DRAWS - 1 - DRAWS / 40])
    }

    /// The sign-flip test on the clusters' sums: exact up to twelve clusters, by draws beyond.
    fn permutation(&self, random: &mut impl Rng) -> f64 {
        let clusters = self.sums.len();
        if clusters < 2 {
            return f64::NAN;
        }
        let total: f64 = self.sums.iter().map(|(sum, _)| sum).sum();
        let reach = total.abs() * (1.0 - 1e-12);
        let flipped = |signs: &mut dyn FnMut() -> bool| -> bool {
            let sum: f64 = self.sums.iter().map(|(sum, _)| if signs() { *sum } else { -sum }).sum();
            sum.abs() >= reach
        };
        if clusters <= 12 {
            let all = 1u32 << clusters;
            let extreme = (0..all)
                .filter(|pattern| {
                    let mut bits = *pattern;
                    flipped(&mut || {
                        let bit = bits & 1 != 0;
                        bits >>= 1;
                        bit
                    })
                })
                .count();
            extreme as f64 / f64::from(all)
        } else {
            let extreme = (0..DRAWS).filter(|_| flipped(&mut || random.random::<bool>())).count();
            (extreme + 1) as f64 / (DRAWS + 1) as f64
        }
    }
}

/// Holm's correction for many comparisons: the adjusted p of each, in the order given. NaN stays NaN and counts for nothing.
/// Source: Holm, 1979.
#[must_use]
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).filter(|&at| !p[at].is_nan()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    let mut adjusted = p.to_vec();
    let mut floor = 0.0_f64;
    for (rank, &at) in order.iter().enumerate() {
        floor = floor.max((p[at] * (order.len() - rank) as f64).min(1.0));
        adjusted[at] = floor;
    }
    adjusted
}

/// How many clusters an effect of `effect` (0.01: one percent) would need to be seen at 5 % with a power of 80 %, from the spread
/// of the clusters' mean logarithms. None where there are fewer than two.
#[must_use]
pub fn needed(logs: &[(u32, f64)], effect: f64) -> Option<f64> {
    let means: Vec<f64> = Clusters::new(logs).sums.iter().map(|(sum, count)| sum / count).collect();
    if means.len() < 2 {
        return None;
    }
    let centre = mean(means.iter().copied());
    let variance = means.iter().map(|value| (value - centre).powi(2)).sum::<f64>() / (means.len() - 1) as f64;
    // 1.96 + 0.84: the normal quantiles of 97.5 % and 80 %.
    Some((2.8 * variance.sqrt() / (1.0 + effect).ln()).powi(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(logs: &[f64]) -> Vec<(u32, f64)> {
        logs.iter().enumerate().map(|(at, &log)| (at as u32, log)).collect()
    }

    #[test]
    fn a_thing_against_itself_is_one() {
        let ratio = Ratio::of(&plain(&[0.0; 10]));
        assert_eq!((ratio.mean, ratio.low, ratio.high, ratio.p), (1.0, 1.0, 1.0, 1.0));
        assert!(!ratio.is_clear());
    }

    /// `scipy.stats.permutation_test((x,), numpy.mean, permutation_type="samples", n_resamples=numpy.inf)` gives 0.046875 for
    /// these eight numbers, and `scipy.stats.gmean(numpy.exp(x))` 1.1331484530668263.
    #[test]
    fn the_exact_permutation_test_is_scipys() {
        let ratio = Ratio::of(&plain(&[0.2, 0.1, -0.05, 0.3, 0.15, 0.05, 0.25, 0.0]));
        assert!((ratio.mean - 1.133_148_453_066_826_3).abs() < 1e-12);
        assert!((ratio.p - 0.046_875).abs() < 1e-12, "{}", ratio.p);
    }

    #[test]
    fn clusters_widen_the_interval() {
        let logs: Vec<f64> = (0..60).map(|n| if n / 10 % 2 == 0 { 0.3 } else { -0.1 }).collect();
        let apart = Ratio::of(&plain(&logs));
        let together: Vec<(u32, f64)> = logs.iter().enumerate().map(|(at, &log)| (at as u32 / 10, log)).collect();
        let together = Ratio::of(&together);
        assert_eq!((apart.clusters, together.clusters), (60, 6));
        assert!(together.high - together.low > 1.5 * (apart.high - apart.low));
    }

    #[test]
    fn holm_by_hand() {
        assert_eq!(holm(&[0.01, 0.04, 0.03, f64::NAN])[..3], [0.03, 0.06, 0.06]);
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
    }

    /// The interval holds the truth about as often as it says: 200 seeded samples of 20 numbers each.
    #[test]
    fn the_interval_covers_the_truth() {
        let mut random = Pcg64::seed_from_u64(7);
        let covered = (0..200)
            .filter(|_| {
                let logs: Vec<f64> =
                    (0..20).map(|_| (0..12).map(|_| random.random::<f64>()).sum::<f64>() - 6.0 + 0.5).collect();
                let ratio = Ratio::of(&plain(&logs));
                ratio.low <= 0.5_f64.exp() && 0.5_f64.exp() <= ratio.high
            })
            .count();
        assert!((176..=198).contains(&covered), "{covered} of 200");
    }
}
