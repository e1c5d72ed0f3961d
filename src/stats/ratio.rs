//! Ratios of paired searches: geometric mean, interval, sign-flip test, and the influence of single
//! positions.
//!
//! The sampling unit is the position. In sequences, the unit is the game, because the searches of a
//! game share a table and are not independent. Node counts of two variants on one position are
//! compared by the logarithm of their ratio, because positions differ in size by orders of
//! magnitude.

use super::clusters::Clusters;
use super::influence::{Influence, find_decisive_cluster, find_influence};
use super::interval::{intervals, margin, widening};
use super::sample::{mean, median, min_clusters, smallest_p, t_quantile};
use super::sign_flip::{FlipResult, test_lines};
use crate::parallel::par_map;

#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Ratio {
    pub mean: f64,
    /// The lower end of the mean's 95 % interval. NaN for fewer than two clusters.
    pub low: f64,
    pub high: f64,
    /// The two-sided p of the sign-flip permutation test whose null hypothesis is that the true
    /// ratio is 1. NaN for fewer than two clusters.
    pub p: f64,
    /// The standard error of the mean logarithm over clusters. NaN for fewer than two clusters.
    pub error: f64,
    pub pairs: usize,
    /// The number of clusters (games, or positions where there are none).
    pub clusters: usize,
    pub median: f64,
    /// The number of clusters with a ratio below 1.
    pub clusters_below: usize,
    /// The effect of leaving one cluster out, or `None` for fewer than three clusters.
    pub influence: Option<Influence>,
}

/// The results of samples that are tested together. A sample is a list of (cluster, logarithm of
/// the ratio) pairs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Family {
    pub lines: Vec<JudgedRatio>,
    /// The number of samples that are tested. Samples of fewer than two clusters are not tested.
    pub tested_count: usize,
    /// The level at which each sample would have to be tested alone for a false positive rate of
    /// 5 % over all samples. The level is 0 if no result could be significant.
    pub level: f64,
}

/// The result of one of several samples that are tested together.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct JudgedRatio {
    pub ratio: Ratio,
    /// The p of the ratio, corrected for the other samples; NaN for fewer than two clusters.
    pub p: f64,
    /// Whether the ratio differs significantly from 1. This requires that the interval excludes 1
    /// by the margin for an unseen cluster, that the corrected p is below 5 %, and that there are
    /// enough clusters for the number of samples.
    pub significant: bool,
    /// Whether `significant` depends on a single cluster, so that it would have the opposite value
    /// without that cluster.
    pub fragile: bool,
}

impl Family {
    /// Tests samples together. The random draws are seeded, so the results are always the same.
    /// Samples that consist of the same clusters use the same draws.
    pub fn from_samples(samples: &[Vec<(u32, f64)>]) -> Self {
        Self::judge(samples, true)
    }

    /// Without `finds_fragile`, no line is called fragile, which saves half of the resampling.
    pub fn judge(samples: &[Vec<(u32, f64)>], finds_fragile: bool) -> Self {
        let log_count = samples.iter().map(Vec::len).sum();
        let clustered: Vec<Clusters> = par_map(samples.len(), log_count, |index| Clusters::new(&samples[index]));
        let flip_results = test_lines(&clustered);
        let tested_count = clustered.iter().filter(|sample| sample.len() >= 2).count();
        let has_enough_clusters = |sample: &Clusters| sample.len() >= min_clusters(tested_count);
        let make_ratio = |index: usize, (low, high): (f64, f64)| {
            let (sample, logs) = (&clustered[index], &samples[index]);
            Ratio {
                mean: mean(logs.iter().map(|&(_, log)| log)).exp(),
                low: low.exp(),
                high: high.exp(),
                p: flip_results.lines[index].p,
                error: sample.standard_error(),
                pairs: logs.len(),
                clusters: sample.len(),
                median: median(&mut logs.iter().map(|&(_, log)| log).collect::<Vec<_>>()).exp(),
                clusters_below: sample.sums.iter().filter(|sum| **sum < 0.0).count(),
                influence: find_influence(sample),
            }
        };
        let sample_intervals = intervals(&clustered);
        let mut judgements: Vec<JudgedRatio> = par_map(clustered.len(), log_count, |index| {
            let (ratio, p) = (make_ratio(index, sample_intervals[index]), flip_results.lines[index].corrected_p);
            JudgedRatio {
                ratio,
                p,
                significant: ratio.exceeds_margin() && p < 0.05 && has_enough_clusters(&clustered[index]),
                fragile: false,
            }
        });
        // Decides which results are fragile. If the sign-flip test alone does not decide this, the
        // interval is computed again without the cluster that carries or hides most of the
        // difference.
        let to_recompute: Vec<(usize, Clusters)> = (0..clustered.len())
            .filter(|&index| finds_fragile && has_enough_clusters(&clustered[index]))
            .filter_map(|index| {
                let FlipResult { p_without_carrier, p_without_hider, .. } = flip_results.lines[index];
                let (significant, sample) = (judgements[index].significant, &clustered[index]);
                judgements[index].fragile = significant && p_without_carrier >= 0.05;
                let needs_interval = if significant { p_without_carrier < 0.05 } else { p_without_hider < 0.05 };
                if !needs_interval {
                    return None;
                }
                let decisive_cluster = find_decisive_cluster(sample, !significant)?;
                Some((index, sample.without(decisive_cluster)))
            })
            .collect();
        let (indices, reduced_samples): (Vec<usize>, Vec<Clusters>) = to_recompute.into_iter().unzip();
        let reduced_intervals = intervals(&reduced_samples);
        for ((index, sample), (low, high)) in indices.into_iter().zip(&reduced_samples).zip(reduced_intervals) {
            judgements[index].fragile = exceeds_margin([low, high], sample.len()) != judgements[index].significant;
        }
        let level = if tested_count == 1 { 0.05 } else { flip_results.level };
        Self { lines: judgements, tested_count, level }
    }
}

/// Whether the interval of a mean logarithm excludes 0 by more than the shift of the mean that one
/// unseen cluster could cause.
fn exceeds_margin([low, high]: [f64; 2], clusters: usize) -> bool {
    low > margin(clusters) || high < -margin(clusters)
}

impl Ratio {
    pub fn excludes_one(&self) -> bool {
        self.low > 1.0 || self.high < 1.0
    }

    /// Whether the interval excludes 1 by more than the shift of the mean that one unseen cluster
    /// could cause.
    pub fn exceeds_margin(&self) -> bool {
        exceeds_margin([self.low.ln(), self.high.ln()], self.clusters)
    }

    pub fn identity(pairs: usize) -> Self {
        let nan = f64::NAN;
        Self { mean: 1.0, low: nan, high: nan, p: nan, error: nan, pairs, median: 1.0, ..Self::default() }
    }

    /// Computes the statistics of (cluster, logarithm of the ratio) pairs. The result is
    /// deterministic, because the draws are seeded.
    pub fn from_logs(logs: &[(u32, f64)]) -> Self {
        Family::judge(&[logs.to_vec()], false).lines[0].ratio
    }

    pub fn is_same(&self) -> bool {
        self.error == 0.0 && self.mean == 1.0
    }

    /// An effect of 0.01 means 1 %. `level` is the significance level, which is 0.05 for a single
    /// comparison. The result is NaN for fewer than two clusters, and infinite if no effect could
    /// be significant.
    pub fn detectable_effect(&self, level: f64) -> f64 {
        detectable_log(self.clusters, level, self.error).exp_m1()
    }

    /// An effect of 0.01 means 1 %.
    pub fn clusters_needed(&self, effect: f64, level: f64) -> Option<f64> {
        if self.error.is_nan() || level.is_nan() || level <= 0.0 {
            return None;
        }
        let spread = self.error * (self.clusters as f64).sqrt();
        let is_enough =
            |clusters: usize| detectable_log(clusters, level, spread / (clusters as f64).sqrt()) <= effect.ln_1p();
        // Doubling finds a number that is enough, and bisection finds the smallest such number.
        let mut upper = 2_usize;
        while !is_enough(upper) {
            upper = upper.checked_mul(2)?;
        }
        let mut lower = upper / 2 + 1;
        while lower < upper {
            let middle = usize::midpoint(lower, upper);
            if is_enough(middle) { upper = middle } else { lower = middle + 1 }
        }
        Some(upper as f64)
    }
}

/// To be significant, a logarithm must reach both the value that the level requires and the value
/// at which the interval excludes 0 by the margin. For the power, the standard error times the 80 %
/// quantile of Student's t is added to the larger of the two values. The result is infinite if
/// there are too few clusters for any result to be significant. The calculation of the power is
/// approximate. With the exact power, sample sizes would differ by less than one part in thirty.
fn detectable_log(clusters: usize, level: f64, error: f64) -> f64 {
    if clusters < 2 || level.is_nan() {
        return f64::NAN;
    }
    if smallest_p(clusters) > level.max(0.05) {
        return f64::INFINITY;
    }
    let level_bound = t_quantile(clusters, 1.0 - level / 2.0) * error;
    let interval_bound = widening(clusters) * t_quantile(clusters, 0.975) * error + margin(clusters);
    level_bound.max(interval_bound) + t_quantile(clusters, 0.8) * error
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One sample is tested at 5 %; two independent ones at less, but at no less than half of that.
    #[test]
    fn level_is_split_among_tested_samples() {
        let sample = |odd: f64| {
            (0..14_u32)
                .map(|index| (index, (f64::from(index * 7 % 5) - 2.0) * odd + f64::from(index % 3) * 0.3))
                .collect::<Vec<_>>()
        };
        let [single, double] = [&[sample(1.0)][..], &[sample(1.0), sample(-0.7)]].map(Family::from_samples);
        assert_eq!((single.tested_count, single.level), (1, 0.05));
        assert_eq!(double.tested_count, 2, "{}", double.level);
        assert!(double.level < 0.049, "{}", double.level);
        assert!(double.level > 0.02, "{}", double.level);
        // A sample that is not tested does not lower the level.
        assert_eq!(Family::from_samples(&[sample(1.0), Vec::new()]).level, 0.05);
    }

    /// The sign-flip test corrects equal samples as if they were one. Six clusters are too few for
    /// two samples all the same, whatever their values.
    #[test]
    fn too_few_clusters_are_never_significant() {
        let line = |clusters: u32, side: f64| {
            (0..clusters).map(|index| (index, side * (1.0 + 0.01 * f64::from(index)))).collect::<Vec<_>>()
        };
        for side in [1.0, -1.0] {
            for (clusters, lines, significant) in
                [(5, 1, false), (6, 1, true), (6, 2, false), (7, 2, true), (7, 3, true), (7, 4, false), (8, 4, true)]
            {
                let judged = Family::from_samples(&vec![line(clusters, side); lines]).lines;
                assert!(
                    judged.iter().all(|judged| judged.significant == significant),
                    "{clusters} in {lines} lines: {judged:?}"
                );
            }
        }
    }

    /// Equal clusters have an interval of no width, so 1 is excluded from the margin on: ln 2.5 =
    /// 0.9163 over 20 clusters is 0.045815, over 200 is 0.0045815.
    #[test]
    fn significance_needs_the_margin_for_an_unseen_cluster() {
        for (clusters, log, significant) in
            [(20, 0.0458, false), (20, 0.0459, true), (200, 0.004_58, false), (200, 0.004_59, true)]
        {
            for side in [1.0, -1.0] {
                let judged = Family::from_samples(&[(0..clusters).map(|index| (index, side * log)).collect()]).lines[0];
                assert!(judged.ratio.excludes_one(), "{judged:?}");
                assert!(judged.p < 0.001, "{judged:?}");
                assert_eq!(judged.significant, significant, "{clusters} {log}: {judged:?}");
            }
        }
    }

    /// With one cluster fewer the effect is not detectable.
    #[test]
    fn clusters_needed_is_the_least_number_that_detects() {
        for (spread, effect, level) in
            [(0.3, 0.1, 0.05), (0.1, 0.01, 0.05), (0.1, 0.01, 0.01), (0.5, 0.3, 0.025), (1.0, 2.0, 0.05)]
        {
            let ratio_of =
                |clusters: usize| Ratio { clusters, error: spread / (clusters as f64).sqrt(), ..Ratio::default() };
            for clusters in [10, 500] {
                let needed = ratio_of(clusters).clusters_needed(effect, level).unwrap() as usize;
                let [is_enough, fewer] =
                    [needed, needed - 1].map(|clusters| ratio_of(clusters).detectable_effect(level));
                assert!(
                    is_enough <= effect && effect < fewer,
                    "{spread} {effect} {level}: {needed}, {is_enough} {fewer}"
                );
            }
        }
        assert_eq!((Ratio { error: f64::NAN, ..Ratio::default() }).clusters_needed(0.1, 0.05), None);
        assert_eq!((Ratio { error: 0.1, clusters: 9, ..Ratio::default() }).clusters_needed(0.1, 0.0), None);
    }

    /// Each sample was tested without each of its positions: the first loses its significance
    /// without one of them, the second gains it, the others keep their result. So do their mirror
    /// images.
    #[test]
    fn fragile_results_are_those_that_change_without_one_position() {
        for (values, significant, fragile) in [
            (&[0.3, 0.2, -0.3, 1.1, 0.6, 1.6, 0.9, 0.6][..], true, true),
            (&[-0.8, 0.3, 1.0, 1.4, 0.9, 0.4, 0.5], false, true),
            (&[0.2, 1.5, 0.8, 0.3, 1.9, 0.7, 1.2], true, false),
            (&[0.1, -0.4, 0.3, 0.0, 0.6, 1.1, 0.1], false, false),
        ] {
            for side in [1.0, -1.0] {
                let line: Vec<(u32, f64)> = (0..).zip(values.iter().map(|value| side * value)).collect();
                let judged = Family::from_samples(&[line]).lines[0];
                assert_eq!((judged.significant, judged.fragile), (significant, fragile), "{side} {values:?}");
            }
        }
    }
}
