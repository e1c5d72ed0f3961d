//! Confidence intervals that keep their level under skew, heavy tails and games of unequal size.
//! They are bootstrap-t intervals, but are never narrower than Student's interval.
//!
//! The percentile bootstrap covers only 85 to 90 % of skewed means at a nominal 95 %. The
//! bootstrap-t resamples the mean *in units of its own standard error*. It is accurate to one more
//! order, but its intervals are too narrow with heavy symmetric tails. Therefore each end of the
//! interval is the end of the bootstrap-t or of Student's interval, whichever is farther from the
//! mean. A sample of a few dozen clusters shows only a part of the skew of the distribution. Below
//! a hundred clusters, each end is therefore at least as far out as the end by Johnson's correction
//! for the whole skew. docs/methodology.md has the coverages. Sources: Hall, "The Bootstrap and
//! Edgeworth Expansion", 1992, chapters 3 and 4; Efron and Tibshirani, "An Introduction to the
//! Bootstrap", 1993, chapter 12; Johnson, "Modified t tests and confidence intervals for
//! asymmetrical populations", 1978; Hall, "On the removal of skewness by transformation", 1992.

use super::clusters::Clusters;
use super::matmul::matmul;
use super::sample::t_quantile;
use crate::parallel::{par_for_each, par_map};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// With fewer clusters than this, there are too few different resamples, and Student's interval is
/// used alone.
const MIN_BOOTSTRAP: usize = 5;

/// With fewer effective clusters than this, one or two make up nearly all of the spread. Resamples
/// without them have hardly any spread, so their studentised means have no upper bound.
const MIN_EFFECTIVE: f64 = 3.0;

/// With fewer clusters than this, the sample is assumed to show only a part of the distribution's
/// skew.
const MIN_FULL_SKEW: usize = 100;

/// A sample of this many clusters shows half of the skew. In general, a sample of n clusters shows
/// 1 / (1 + HALF_SKEW / n) of the skew. The number is fitted to a lognormal distribution with a
/// skewness of 6.2.
const HALF_SKEW: f64 = 48.0;

/// The largest skewness that is assumed of any distribution.
const MAX_SKEW: f64 = 6.2;

/// With more clusters than this, Hall's transformation of Student's t replaces resampling. The
/// transformation corrects for the same skew.
const MAX_BOOTSTRAP: usize = 200;

/// The factor by which an unseen cluster may differ. Along games with an ageing table, one game in
/// fifty to a hundred differs from the others by a factor of 1.8 to 2.7.
const UNSEEN_FACTOR: f64 = 2.5;

/// The fewest and the most bootstrap resamples of a sample.
const RESAMPLES: RangeInclusive<usize> = 1_999..=9_999;

/// The maximum work (resamples x values) for all samples together.
const RESAMPLE_BUDGET: usize = 250_000_000;

/// The number of samples that are resampled at a time.
const BATCH: usize = 16;

/// The 95 % interval of the mean logarithm of each sample. The ends are NaN for fewer than two
/// clusters. Samples that consist of the same clusters use the same resamples.
pub fn intervals(samples: &[Clusters]) -> Vec<(f64, f64)> {
    let cluster_count = samples.iter().map(Clusters::len).sum();
    let mut intervals: Vec<(f64, f64)> = par_map(samples.len(), cluster_count, |index| {
        let sample = &samples[index];
        // From `MIN_BOOTSTRAP` to `MAX_BOOTSTRAP` clusters, the resamples below widen the interval
        // further.
        let quantile_of: fn(&Clusters, f64) -> f64 = match sample.len() {
            ..MIN_BOOTSTRAP | MIN_FULL_SKEW..=MAX_BOOTSTRAP => return student_interval(sample),
            MIN_BOOTSTRAP..MIN_FULL_SKEW => johnson_quantile,
            _ => hall_quantile,
        };
        let quantiles = (quantile_of(sample, LOWER), quantile_of(sample, UPPER));
        widen(student_interval(sample), sample.mean(), sample.standard_error(), quantiles)
    });
    // Each value has the indices of all samples that have the same clusters with the same sizes.
    let mut same_clusters: BTreeMap<(&[u32], Vec<u64>), Vec<usize>> = BTreeMap::new();
    for (index, sample) in samples.iter().enumerate() {
        // 1 if one cluster has all of the spread, NaN if there is none.
        let effective_count = sample.len() as f64 * moment(sample, 2).powi(2) / moment(sample, 4);
        if (MIN_BOOTSTRAP..=MAX_BOOTSTRAP).contains(&sample.len()) && effective_count >= MIN_EFFECTIVE {
            let sizes = sample.sizes.iter().map(|size| size.to_bits()).collect();
            same_clusters.entry((&sample.ids, sizes)).or_default().push(index);
        }
    }
    let budget = RESAMPLE_BUDGET / same_clusters.values().map(|indices| indices.len()).sum::<usize>().max(1);
    for indices in same_clusters.into_values() {
        let group: Vec<&Clusters> = indices.iter().map(|&index| &samples[index]).collect();
        for (index, quantiles) in indices.into_iter().zip(bootstrap(&group, budget)) {
            let Some(quantiles) = quantiles else { continue };
            intervals[index] =
                widen(intervals[index], samples[index].mean(), samples[index].standard_error(), quantiles);
        }
    }
    intervals
}

/// The signs that choose the lower and the upper quantile.
const LOWER: f64 = -1.0;
const UPPER: f64 = 1.0;

pub(super) fn student_interval(sample: &Clusters) -> (f64, f64) {
    let half_width = t_quantile(sample.len(), 0.975) * sample.standard_error();
    (sample.mean() - half_width, sample.mean() + half_width)
}

/// Widens an interval so that it contains the interval that follows from two quantiles of the
/// studentised mean. The upper quantile bounds the lower end of that interval, and the lower
/// quantile bounds the upper end.
fn widen(interval: (f64, f64), mean: f64, error: f64, (lower, upper): (f64, f64)) -> (f64, f64) {
    (interval.0.min(mean - upper * error), interval.1.max(mean - lower * error))
}

/// `sign` is [`LOWER`] or [`UPPER`]. The quantile is computed from the sample's skew by Hall's
/// transformation.
fn hall_quantile(sample: &Clusters, sign: f64) -> f64 {
    let (skew, t) = (skewness(sample) / (sample.len() as f64).sqrt(), sign * t_quantile(sample.len(), 0.975));
    // The transformation g(x) = x + skew x^2 / 3 + skew^2 x^3 / 27 + skew / 6 makes the studentised
    // mean x nearly normal.
    if skew.abs() < 1e-6 { t } else { 3.0 / skew * ((1.0 + skew * (t - skew / 6.0)).cbrt() - 1.0) }
}

/// A sample of few clusters shows only a part of the distribution's skew, so its skew is increased
/// first.
fn johnson_quantile(sample: &Clusters, sign: f64) -> f64 {
    let (cluster_count, t) = (sample.len() as f64, sign * t_quantile(sample.len(), 0.975));
    let full_skew = (skewness(sample) * (1.0 + HALF_SKEW / cluster_count)).clamp(-MAX_SKEW, MAX_SKEW);
    let skew = full_skew / cluster_count.sqrt();
    t - skew * (2.0 * t * t + 1.0) / 6.0
}

/// A central moment of the clusters' residuals.
fn moment(sample: &Clusters, power: i32) -> f64 {
    sample.residuals().iter().map(|residual| residual.powi(power)).sum::<f64>() / sample.len() as f64
}

fn skewness(sample: &Clusters) -> f64 {
    let skewness = moment(sample, 3) / moment(sample, 2).powf(1.5);
    if skewness.is_nan() { 0.0 } else { skewness }
}

/// Intervals are wider because samples are skewed by chance, even samples of a symmetric
/// distribution.
pub fn widening(clusters: usize) -> f64 {
    // The skewness of n normal values is about sqrt(6 / n), so the skewness of their mean is about
    // sqrt(6) / n. A hidden skewness of HALF_SKEW / n times this value is added. Johnson's
    // correction multiplies the skewness by (2 t^2 + 1) / 6. For t = 2, the added skewness moves an
    // end of the interval by about 1.8 HALF_SKEW / n^2 in units of t. The end moves outward in only
    // half of the samples, so the average is about half of that.
    if (MIN_BOOTSTRAP..MIN_FULL_SKEW).contains(&clusters) { 1.0 + HALF_SKEW / (clusters as f64).powi(2) } else { 1.0 }
}

/// The margin is the shift of the mean that one unseen cluster could cause.
pub fn margin(clusters: usize) -> f64 {
    UNSEEN_FACTOR.ln() / clusters as f64
}

/// Each row is a resample. It has the number of times that the resample draws each cluster. Points
/// of a curve mostly have as many clusters as the point before, so the last draws are kept.
fn draw(resamples: usize, clusters: usize) -> Arc<Vec<f64>> {
    static LAST: LazyLock<Mutex<(usize, Arc<Vec<f64>>)>> = LazyLock::new(Mutex::default);
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if last.0 != clusters || last.1.len() < resamples * clusters {
        let (mut random, mut weights) = (Pcg64::seed_from_u64(1), vec![0.0; resamples * clusters]);
        for row in weights.chunks_mut(clusters) {
            (0..clusters).for_each(|_| row[random.random_range(0..clusters)] += 1.0);
        }
        *last = (clusters, Arc::new(weights));
    }
    last.1.clone()
}

/// All samples must have the same clusters. The quantiles are `None` if too few resamples have any
/// spread. `budget` is the maximum work (resamples x values) for each sample.
fn bootstrap(samples: &[&Clusters], budget: usize) -> Vec<Option<(f64, f64)>> {
    let clusters = samples[0].len();
    let resamples = (budget / (3 * clusters)).clamp(*RESAMPLES.start(), *RESAMPLES.end());
    let weights = &draw(resamples, clusters)[..resamples * clusters];
    let sizes: Vec<f64> = samples[0].sizes.iter().flat_map(|size| [*size, size * size]).collect();
    // For each resample, the sum of its sizes and the sum of the squares of its sizes.
    let mut size_sums = vec![0.0; resamples * 2];
    matmul(weights, clusters, &sizes, 2, &mut size_sums);
    let mut quantiles_of_samples = vec![None; samples.len()];
    let batches: Vec<_> = samples.chunks(BATCH).zip(quantiles_of_samples.chunks_mut(BATCH)).collect();
    par_for_each(batches, |(samples, quantiles_of_samples)| {
        // Each sample has three columns: its residuals, their squares, and residual x size.
        let column_count = 3 * samples.len();
        let mut columns = vec![0.0; clusters * column_count];
        for (index, sample) in samples.iter().enumerate() {
            for (cluster, (residual, size)) in sample.residuals().into_iter().zip(&sample.sizes).enumerate() {
                let offset = cluster * column_count + 3 * index;
                columns[offset..offset + 3].copy_from_slice(&[residual, residual * residual, residual * size]);
            }
        }
        let mut sums = vec![0.0; resamples * column_count];
        matmul(weights, clusters, &columns, column_count, &mut sums);
        for (index, quantiles_of_sample) in quantiles_of_samples.iter_mut().enumerate() {
            let studentised_means = sums.chunks(column_count).zip(size_sums.chunks(2)).filter_map(|(sums, sizes)| {
                let (sum, squares, products) = (sums[3 * index], sums[3 * index + 1], sums[3 * index + 2]);
                let mean = sum / sizes[0];
                // The spread is the sum of (residual - mean x size)^2, multiplied out.
                let spread = squares - 2.0 * mean * products + mean * mean * sizes[1];
                // A resample of equal clusters has no spread, so it cannot be studentised.
                let scale = (clusters as f64 / (clusters as f64 - 1.0) * spread).sqrt();
                (spread > 1e-12 * squares).then(|| sum / scale)
            });
            *quantiles_of_sample = tail_quantiles(studentised_means.collect());
        }
    });
    quantiles_of_samples
}

fn tail_quantiles(mut values: Vec<f64>) -> Option<(f64, f64)> {
    // 2.5 % of the values are in each tail.
    let tail_count = values.len() / 40;
    if tail_count < 10 {
        return None;
    }
    let upper_index = values.len() - 1 - tail_count;
    let (_, &mut lower, _) = values.select_nth_unstable_by(tail_count, f64::total_cmp);
    let (_, &mut upper, _) = values.select_nth_unstable_by(upper_index, f64::total_cmp);
    Some((lower, upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten values must lie beyond each quantile: of 0 to 399, the values 0 to 9 and 390 to 399 lie
    /// outside.
    #[test]
    fn quantiles_need_ten_values_beyond_them() {
        let quantiles_of = |count: u32| tail_quantiles((0..count).rev().map(f64::from).collect());
        assert_eq!(
            (quantiles_of(399), quantiles_of(400), quantiles_of(4000)),
            (None, Some((10.0, 389.0)), Some((100.0, 3899.0)))
        );
    }

    /// Samples of the same games with different numbers of searches have the same intervals
    /// together as alone.
    #[test]
    fn interval_does_not_depend_on_other_samples() {
        let make_sample = |sizes: fn(u32) -> u32, log: fn(u32) -> f64| {
            let logs = (0..12).flat_map(|game| std::iter::repeat_n((game, log(game)), sizes(game) as usize));
            Clusters::new(&logs.collect::<Vec<_>>())
        };
        let skewed = |game: u32| (f64::from(game) / 3.0).exp() / 40.0;
        let samples = [
            make_sample(|_| 1, skewed),
            make_sample(|game| 1 + game, skewed),
            make_sample(|_| 1, |game| f64::from(game % 5) - 1.5),
        ];
        let alone: Vec<_> = samples.iter().flat_map(|sample| intervals(std::slice::from_ref(sample))).collect();
        assert_eq!(intervals(&samples), alone);
    }

    /// One of 18 games differs by 1.8 %, the others by millionths: resamples without it have a
    /// spread of millionths, and would put the lower end at a third of the mean of 0.999.
    #[test]
    fn one_differing_game_does_not_make_the_interval_endless() {
        let near = |game: u32| if game == 0 { -0.018 } else { f64::from(game % 3) * 1e-6 };
        let (low, high) = intervals(&[Clusters::new(&(0..18).map(|game| (game, near(game))).collect::<Vec<_>>())])[0];
        assert!(-0.008 < low && low < -0.003, "{low}");
        assert!(0.001 < high && high < 0.002, "{high}");
    }

    /// The values 0, 0, 0 and 1 have three residuals of -1/4 and one of 3/4, a second moment of
    /// 3/16 and a third of 3/32. Their skewness is 2 / root 3, which is divided by the root of 4.
    /// The transformation of the quantile gives Student's quantile.
    #[test]
    fn hall_transformation_equals_a_calculation_by_hand() {
        let sample = Clusters::new(&[(0, 0.0), (1, 0.0), (2, 0.0), (3, 1.0)]);
        let skew = 1.0 / 3.0_f64.sqrt();
        for (side, t) in [(1.0, 3.182_446_305_284_263), (-1.0, -3.182_446_305_284_263)] {
            let x = hall_quantile(&sample, side);
            let transformed = x + skew * x * x / 3.0 + skew * skew * x.powi(3) / 27.0 + skew / 6.0;
            assert!((transformed - t).abs() < 1e-9, "{x}: {transformed}, expected {t}");
        }
        // The sample hides its long side.
        assert!(hall_quantile(&sample, 1.0) < 3.0);
        assert!(hall_quantile(&sample, -1.0) < -6.0);
    }

    /// A low quantile bounds the interval above: if the studentised means fall far below 0, the
    /// mean may lie far above the sample's. No interval becomes narrower.
    #[test]
    fn quantiles_bound_the_opposite_ends() {
        let assert_near = |actual: (f64, f64), expected: (f64, f64)| {
            assert!((actual.0 - expected.0).abs() < 1e-12, "{actual:?} {expected:?}");
            assert!((actual.1 - expected.1).abs() < 1e-12, "{actual:?} {expected:?}");
        };
        assert_near(widen((-1.0, 1.0), 0.5, 0.1, (-30.0, 20.0)), (-1.5, 3.5));
        assert_near(widen((-1.0, 1.0), 0.5, 0.1, (-30.0, 2.0)), (-1.0, 3.5));
        assert_near(widen((-1.0, 1.0), 0.5, 0.1, (-2.0, 20.0)), (-1.5, 1.0));
    }

    /// For all 3,125 draws from five games of one to three searches, the difference between the
    /// draw's mean and the sample's is computed in units of its own linearised standard error
    /// (Cochran, 1977, chapter 6). The resampled quantiles must lie between the exact quantiles
    /// half a percentage point below and above, which is three standard deviations.
    #[test]
    fn resampled_quantiles_are_near_those_of_all_draws() {
        let logs = [(0, 0.9), (1, 0.1), (1, 0.3), (2, -0.4), (2, 0.5), (2, 0.2), (3, 2.0), (4, -0.7), (4, 0.4)];
        let sample = Clusters::new(&logs);
        let mean = sample.mean();
        let mut exact: Vec<f64> = (0..3125_usize)
            .filter_map(|draw| {
                let drawn_clusters = [draw % 5, draw / 5 % 5, draw / 25 % 5, draw / 125 % 5, draw / 625];
                let size: f64 = drawn_clusters.iter().map(|&index| sample.sizes[index]).sum();
                let draw_mean = drawn_clusters.iter().map(|&index| sample.sums[index]).sum::<f64>() / size;
                let squares: f64 = drawn_clusters
                    .iter()
                    .map(|&index| (sample.sums[index] - draw_mean * sample.sizes[index]).powi(2))
                    .sum();
                (squares > 1e-9).then(|| (draw_mean - mean) * size / (5.0 / 4.0 * squares).sqrt())
            })
            .collect();
        exact.sort_by(f64::total_cmp);
        let (lower, upper) = bootstrap(&[&sample], RESAMPLE_BUDGET)[0].unwrap();
        let exact_quantile = |share: f64| exact[(share * exact.len() as f64) as usize];
        assert!(
            exact_quantile(0.02) <= lower && lower <= exact_quantile(0.03),
            "{lower}: {} to {}",
            exact_quantile(0.02),
            exact_quantile(0.03)
        );
        assert!(
            exact_quantile(0.97) <= upper && upper <= exact_quantile(0.98),
            "{upper}: {} to {}",
            exact_quantile(0.97),
            exact_quantile(0.98)
        );
    }

    /// If five of twelve positions have a 1, the skewness is (1 - 10/12) / root (35/144) =
    /// 2 / root 35; 12 clusters are assumed to show a fifth of it. If two of twelve have a 1, it is
    /// (1 - 2/6) / root (5/36) = 4 / root 5, and five times this exceeds 6.2. Student's t with 11
    /// degrees of freedom is 2.200985. With a hundred clusters, no skew is assumed to be hidden.
    #[test]
    fn few_clusters_are_corrected_for_hidden_skew() {
        let lower_distances = |logs: &mut dyn Iterator<Item = f64>| {
            let sample = Clusters::new(&(0..).zip(logs).collect::<Vec<_>>());
            let high = intervals(std::slice::from_ref(&sample))[0].1;
            (-(high - sample.mean()) / sample.standard_error(), johnson_quantile(&sample, -1.0))
        };
        let t = 2.200_985;
        for (ones, skewness) in [(5, 5.0 * 2.0 / 35.0_f64.sqrt()), (2, 6.2)] {
            let expected = -t - skewness / 12.0_f64.sqrt() * (2.0 * t * t + 1.0) / 6.0;
            let (actual, johnson) = lower_distances(&mut (0..12).map(|index| f64::from(u8::from(index < ones))));
            assert!((johnson - expected).abs() < 1e-5, "{actual} {johnson}, expected {expected}");
            assert!((actual - expected).abs() < 1e-5, "{actual} {johnson}, expected {expected}");
        }
        // The values are sines and five outliers, two of them negative. The resampled quantiles,
        // computed with NumPy, are 2.06 and 2.04.
        for (clusters, bound, hidden) in [(99, -2.087_693, true), (100, -2.082_463, false)] {
            let outliers = [5.0, 5.0, 5.0, -5.0, -5.0].into_iter();
            let (actual, johnson) =
                lower_distances(&mut outliers.chain((5..clusters).map(|index| (7.0 * f64::from(index)).sin())));
            assert!((johnson - bound).abs() < 1e-5, "{johnson}");
            assert!(if hidden { actual == johnson } else { actual > johnson + 0.02 }, "{clusters}: {actual} {johnson}");
        }
    }

    /// Each method is checked on both sides of its limits: 4 and 5 clusters, 99 and 100, 200 and
    /// 201.
    #[test]
    fn interval_method_changes_at_its_edges() {
        let are_near = |a: (f64, f64), b: (f64, f64)| (a.0 - b.0).abs() < 1e-12 && (a.1 - b.1).abs() < 1e-12;
        for (clusters, is_student, is_hall) in
            [(4, true, false), (5, false, false), (200, false, false), (201, false, true)]
        {
            let sample =
                Clusters::new(&(0..clusters).map(|id| (id, f64::from(u8::from(id % 5 == 0)))).collect::<Vec<_>>());
            let actual = intervals(std::slice::from_ref(&sample))[0];
            let quantiles = (hall_quantile(&sample, -1.0), hall_quantile(&sample, 1.0));
            let hall_interval = widen(student_interval(&sample), sample.mean(), sample.standard_error(), quantiles);
            assert_eq!(
                (are_near(actual, student_interval(&sample)), are_near(actual, hall_interval)),
                (is_student, is_hall),
                "{clusters}"
            );
            let is_widened = (5..100).contains(&clusters);
            assert_eq!(widening(clusters as usize) > 1.0, is_widened, "{clusters}");
        }
        assert_eq!([99, 100].map(|clusters| widening(clusters) > 1.0), [true, false]);
    }

    /// Ten of 201 positions have a 1. Mean and standard error are those of a share, and the
    /// skewness is (1 - 2p) / root (p (1 - p)), divided by root n. Student's t with 200 degrees of
    /// freedom is 1.971896. By Hall's transformation the far end lies where g(x) = -t; the near end
    /// is that of Student's interval. The same applies to the mirrored sample.
    #[test]
    fn many_clusters_have_halls_interval() {
        for side in [1.0, -1.0] {
            let logs: Vec<(u32, f64)> = (0..201).map(|id| (id, if id < 10 { side } else { 0.0 })).collect();
            let (low, high) = intervals(&[Clusters::new(&logs)])[0];
            let (near_end, far_end) = if side > 0.0 { (low, high) } else { (-high, -low) };
            let (share, t) = (10.0_f64 / 201.0, 1.971_896);
            let error = (share * (1.0 - share) / 200.0).sqrt();
            let skew = (1.0 - 2.0 * share) / (share * (1.0 - share)).sqrt() / 201.0_f64.sqrt();
            let x = (share - far_end) / error;
            let transformed = x + skew * x * x / 3.0 + skew * skew * x.powi(3) / 27.0 + skew / 6.0;
            assert!((transformed + t).abs() < 1e-5, "{side}: {x} {transformed}");
            assert!(x < -t, "{side}: {x} {transformed}");
            assert!((near_end - (share - t * error)).abs() < 1e-6, "{side}: {near_end}");
        }
    }
}
