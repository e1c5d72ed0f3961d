//! The sampling units under a mean: their bootstrap, their standard error and their sign-flip test.

use super::stats::t_quantile;
use rand::{Rng, RngExt};
use statrs::distribution::{ContinuousCDF, Normal};
use std::collections::BTreeMap;

/// With more clusters than this, the bootstrap and the permutation test are replaced by the normal law, from which they then
/// differ by less than their own error.
const MANY: usize = 1000;

/// With fewer clusters than this a bootstrap has too few different samples to draw, and Student's interval stands in.
const FEW: usize = 8;

/// Up to so many clusters every pattern of signs is tried.
const EXACT: usize = 16;

/// Sum and number of logarithms of each cluster.
pub struct Clusters {
    sums: Vec<(f64, f64)>,
}

impl Clusters {
    /// From (cluster, logarithm) pairs.
    #[must_use]
    pub fn new(logs: &[(u32, f64)]) -> Self {
        let mut by_cluster = BTreeMap::<u32, (f64, f64)>::new();
        for &(cluster, log) in logs {
            let (sum, count) = by_cluster.entry(cluster).or_default();
            *sum += log;
            *count += 1.0;
        }
        Self { sums: by_cluster.into_values().collect() }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sums.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sums.is_empty()
    }

    fn total(&self) -> (f64, f64) {
        self.sums.iter().fold((0.0, 0.0), |(sum, count), (s, c)| (sum + s, count + c))
    }

    /// The standard error of the mean, which is a ratio of two sums over clusters; NaN for fewer than two. Source: Cochran,
    /// "Sampling Techniques", 1977, chapter 6.
    #[must_use]
    pub fn standard_error(&self) -> f64 {
        if self.len() < 2 {
            return f64::NAN;
        }
        let (clusters, (sum, count)) = (self.len() as f64, self.total());
        let mean = sum / count;
        let squares: f64 = self.sums.iter().map(|(s, c)| (s - mean * c).powi(2)).sum();
        (clusters / (clusters - 1.0) * squares).sqrt() / count
    }

    /// A 95 % interval of the mean; NaN for fewer than two clusters.
    ///
    /// The percentile bootstrap, clusters drawn with replacement, with the percentiles moved outwards as far as Student's t lies
    /// outside the normal law, since plain percentiles are too narrow for small samples. Sources: Efron and Tibshirani, "An
    /// Introduction to the Bootstrap", 1993; Hesterberg, "What Teachers Should Know about the Bootstrap", 2014 (expanded
    /// percentiles).
    #[must_use]
    pub fn interval(&self, random: &mut impl Rng) -> (f64, f64) {
        let clusters = self.len();
        if clusters < 2 {
            return (f64::NAN, f64::NAN);
        }
        let t = t_quantile(clusters, 0.975);
        if !(FEW..=MANY).contains(&clusters) {
            let ((sum, count), reach) = (self.total(), t * self.standard_error());
            return (sum / count - reach, sum / count + reach);
        }
        let draws = (4_000_000 / clusters).clamp(2000, 10_000);
        let mut means: Vec<f64> = (0..draws)
            .map(|_| {
                let (sum, count) = (0..clusters)
                    .map(|_| self.sums[random.random_range(0..clusters)])
                    .fold((0.0, 0.0), |(sum, count), (s, c)| (sum + s, count + c));
                sum / count
            })
            .collect();
        means.sort_by(f64::total_cmp);
        let widened = (clusters as f64 / (clusters as f64 - 1.0)).sqrt() * t;
        let outside = (Normal::standard().cdf(-widened) * draws as f64) as usize;
        (means[outside], means[draws - 1 - outside])
    }

    /// Two-sided p of the sign-flip test on the clusters' sums: exact for few clusters, by draws for more, by the normal law for
    /// very many; NaN for fewer than two. Source: Fisher, "The Design of Experiments", 1935.
    #[must_use]
    pub fn permutation(&self, random: &mut impl Rng) -> f64 {
        let sums: Vec<f64> = self.sums.iter().map(|(sum, _)| *sum).collect();
        if sums.len() < 2 {
            return f64::NAN;
        }
        // Rounding must not tell equal sums apart.
        let size: f64 = sums.iter().map(|sum| sum.abs()).sum();
        let reach = sums.iter().sum::<f64>().abs() - 1e-12 * size;
        if sums.len() <= EXACT {
            let patterns = 1_u32 << sums.len();
            let flipped = |pattern: u32| -> f64 {
                sums.iter().enumerate().map(|(at, sum)| if pattern >> at & 1 == 1 { -sum } else { *sum }).sum()
            };
            return (0..patterns).filter(|&pattern| flipped(pattern).abs() >= reach).count() as f64
                / f64::from(patterns);
        }
        if sums.len() > MANY {
            let spread = sums.iter().map(|sum| sum * sum).sum::<f64>().sqrt();
            return if spread > 0.0 { 2.0 * Normal::standard().cdf(-reach.max(0.0) / spread) } else { 1.0 };
        }
        let draws = (8_000_000 / sums.len()).clamp(2000, 19_999);
        let extreme = (0..draws)
            .filter(|_| {
                let mut sum = 0.0;
                for part in sums.chunks(64) {
                    let mut bits: u64 = random.random();
                    for value in part {
                        sum += if bits & 1 == 1 { -value } else { *value };
                        bits >>= 1;
                    }
                }
                sum.abs() >= reach
            })
            .count();
        (extreme + 1) as f64 / (draws + 1) as f64
    }
}
