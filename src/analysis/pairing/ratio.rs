//! How much, and how sure: ratios paired by position, their geometric mean, a bootstrap interval, a permutation test.
//!
//! The unit is the position (or, in sequences, the game: its searches share a table and are not independent). Node counts of two
//! variants on one position are compared as the logarithm of their ratio, since positions differ in size by orders of magnitude.

use super::clusters::Clusters;
use super::stats::{mean, t_quantile};
use rand::SeedableRng;
use rand_pcg::Pcg64;

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
    /// Standard error of the mean logarithm, by clusters; NaN for fewer than two.
    pub error: f64,
    /// How many pairs.
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

    /// Of something held against itself, in so many searches.
    #[must_use]
    pub fn itself(pairs: usize) -> Self {
        let nan = f64::NAN;
        Self { mean: 1.0, low: nan, high: nan, p: nan, error: nan, pairs, clusters: 0 }
    }

    /// From (cluster, logarithm of the ratio) pairs. Equal input gives equal output: the draws are seeded.
    #[must_use]
    pub fn of(logs: &[(u32, f64)]) -> Self {
        let clusters = Clusters::new(logs);
        let mut random = Pcg64::seed_from_u64(1);
        let (low, high) = clusters.interval(&mut random);
        Self {
            mean: mean(logs.iter().map(|&(_, log)| log)).exp(),
            low: low.exp(),
            high: high.exp(),
            p: clusters.permutation(&mut random),
            error: clusters.standard_error(),
            pairs: logs.len(),
            clusters: clusters.len(),
        }
    }

    /// As [`Ratio::of`], of many samples on all processors. Each is seeded by itself: the order of work changes nothing.
    #[must_use]
    pub fn of_each(samples: &[Vec<(u32, f64)>]) -> Vec<Self> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let mut ratios = vec![Self::default(); samples.len()];
        let todo = std::sync::Mutex::new(ratios.iter_mut().zip(samples));
        let work = || {
            let next = || todo.lock().unwrap_or_else(std::sync::PoisonError::into_inner).next();
            while let Some((ratio, logs)) = next() {
                *ratio = Self::of(logs);
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..threads.min(samples.len()) {
                // Where the system starts no more threads, those that run do all the work.
                let _ = std::thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
        ratios
    }

    /// The smallest effect (0.01: one percent) that so many clusters with this spread show at 5 % with a power of 80 %; NaN for
    /// fewer than two clusters.
    #[must_use]
    pub fn detectable(&self) -> f64 {
        (quantiles(self.clusters) * self.error).exp_m1()
    }

    /// How many clusters with this spread would show an effect of `effect` (0.01: one percent) at 5 % with a power of 80 %; none
    /// for fewer than two clusters.
    #[must_use]
    pub fn needed(&self, effect: f64) -> Option<f64> {
        if self.error.is_nan() {
            return None;
        }
        let spread = self.error * (self.clusters as f64).sqrt() / effect.ln_1p();
        // The quantiles depend on the number that is sought: a few rounds settle it.
        let mut needed = self.clusters.max(30) as f64;
        for _ in 0..20 {
            needed = (quantiles(needed.ceil() as usize) * spread).powi(2).max(2.0);
        }
        Some(needed.ceil())
    }
}

/// Standard errors between no effect and one that is seen at 5 % (two-sided) with a power of 80 %: the sum of two quantiles of
/// Student's t. Source: any text on sample sizes; exact power differs by less than one position in thirty.
fn quantiles(clusters: usize) -> f64 {
    t_quantile(clusters, 0.975) + t_quantile(clusters, 0.8)
}
