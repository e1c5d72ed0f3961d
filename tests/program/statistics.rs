//! The statistics against SciPy's figures, laws that any ratio keeps, and intervals that hold the truth as often as they say.
//!
//! The figures are SciPy 1.17.1's, of
//! ```python
//! y = numpy.array([0.05 + 0.3*numpy.sin(3.0*k) + 0.02*(k % 5) for k in range(24)])
//! t = stats.t.ppf(.975, 23); a = stats.norm.cdf(-numpy.sqrt(24/23) * t)
//! stats.bootstrap((y,), numpy.mean, n_resamples=2_000_000, confidence_level=1-2*a, method="percentile")
//! stats.permutation_test((y,), numpy.mean, permutation_type="samples", n_resamples=2_000_000)
//! # exact power of the t-test, for sample sizes: nc = d/(sd/sqrt(n)); c = t.ppf(.975, n-1); nct.sf(c, n-1, nc)
//! # clusters: g = [0,0,0,1,1,2,3,3,3,3,4,4,5,5,5,6,7,7,8,8,8,9,9,9]; sums s and sizes m of each, numpy's own bootstrap of
//! # s[ix].sum(1)/m[ix].sum(1) over 2,000,000 draws ix of 10 clusters
//! ```

use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use ttlab::analysis::pairing::ratio::Ratio;
use ttlab::analysis::pairing::stats::{holm, median};

fn plain(logs: &[f64]) -> Vec<(u32, f64)> {
    logs.iter().enumerate().map(|(at, &log)| (at as u32, log)).collect()
}

fn waves() -> Vec<f64> {
    (0..24).map(|k| 0.05 + 0.3 * (3.0 * f64::from(k)).sin() + 0.02 * f64::from(k % 5)).collect()
}

/// The draws differ from SciPy's, so ends and p agree to the draws' own error.
fn near(found: f64, wanted: f64, within: f64) {
    assert!((found - wanted).abs() <= within, "found {found}, wanted {wanted}");
}

#[test]
fn means_errors_and_intervals_are_scipys() {
    let ratio = Ratio::of(&plain(&waves()));
    near(ratio.mean, 1.091_571_998_522_803, 1e-12);
    near(ratio.error, 0.042_806_821_962_103, 1e-12);
    near(ratio.low, 0.999_514_785_381_780_8, 0.003);
    near(ratio.high, 1.192_456_861_395_883_2, 0.003);
    near(ratio.p, 0.053_338, 0.006);
}

#[test]
fn few_get_students_interval_and_the_exact_test() {
    let ratio = Ratio::of(&plain(&waves()[..6]));
    near(ratio.low, (-0.019_199_064_859_845_516_f64).exp(), 1e-9);
    near(ratio.high, 0.224_619_523_252_450_2_f64.exp(), 1e-9);
    near(ratio.p, 0.093_75, 1e-12);
    let eight = Ratio::of(&plain(&[0.2, 0.1, -0.05, 0.3, 0.15, 0.05, 0.25, 0.0]));
    near(eight.mean, 1.133_148_453_066_826_3, 1e-12);
    near(eight.p, 0.046_875, 1e-12);
}

#[test]
fn clusters_are_drawn_whole() {
    let clusters = [0, 0, 0, 1, 1, 2, 3, 3, 3, 3, 4, 4, 5, 5, 5, 6, 7, 7, 8, 8, 8, 9, 9, 9];
    let logs: Vec<(u32, f64)> = clusters.into_iter().zip(waves()).collect();
    let ratio = Ratio::of(&logs);
    assert_eq!((ratio.pairs, ratio.clusters), (24, 10));
    near(ratio.error, 0.017_115_308_603_708_194, 1e-12);
    near(ratio.low, 1.055_050_29, 0.002);
    near(ratio.high, 1.147_365, 0.002);
    near(ratio.p, 0.001_953_125, 1e-12);
    // Equal numbers in a cluster say no more than one of them.
    let stripes: Vec<f64> = (0..60).map(|n| if n / 10 % 2 == 0 { 0.3 } else { -0.1 }).collect();
    let apart = Ratio::of(&plain(&stripes));
    let together: Vec<(u32, f64)> = stripes.iter().enumerate().map(|(at, &log)| (at as u32 / 10, log)).collect();
    let together = Ratio::of(&together);
    assert!(together.high - together.low > 1.5 * (apart.high - apart.low));
}

#[test]
fn very_many_follow_the_normal_law() {
    let logs: Vec<f64> = (0..1500).map(|k| 0.01 * (3.0 * f64::from(k)).sin() + 0.0005).collect();
    let ratio = Ratio::of(&plain(&logs));
    near(ratio.low, 0.000_138_609_190_458_387_86_f64.exp(), 1e-9);
    near(ratio.high, 0.000_855_405_965_737_115_8_f64.exp(), 1e-9);
    near(ratio.p, 0.006_06, 0.0015);
}

#[test]
fn sample_sizes_agree_with_the_exact_power_of_the_t_test() {
    let ratio = Ratio::of(&plain(&waves()));
    near(ratio.needed(0.01).unwrap(), 3489.0, 3.0);
    near(ratio.needed(0.10).unwrap(), 40.0, 1.0);
    near(ratio.detectable(), 0.133_415, 0.002);
    assert_eq!(Ratio::of(&plain(&[0.1])).needed(0.01), None);
}

#[test]
fn holm_by_hand() {
    assert_eq!(holm(&[0.01, 0.04, 0.03, f64::NAN])[..3], [0.03, 0.06, 0.06]);
    assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
}

#[test]
fn medians_by_hand() {
    assert_eq!((median(&mut [3.0, 1.0, 2.0]), median(&mut [4.0, 1.0, 2.0, 3.0])), (2.0, 2.5));
    assert!(median(&mut []).is_nan());
}

/// Of 400 seeded samples with a skew as node ratios have it, about 95 % of the intervals hold the truth; and where there is no
/// effect, the test finds one in about 5 %. Four standard deviations are allowed.
#[test]
fn intervals_and_p_keep_their_word() {
    for count in [5, 12, 24] {
        let mut random = Pcg64::seed_from_u64(count);
        let (mut covered, mut found) = (0, 0);
        for _ in 0..400 {
            // A sum of uniforms and the square of one: mean 0, skewed.
            let draw = |random: &mut Pcg64| {
                let sum = (0..6).map(|_| random.random::<f64>()).sum::<f64>() - 3.0;
                0.2 * (sum + random.random::<f64>().powi(2) - 1.0 / 3.0)
            };
            let logs: Vec<f64> = (0..count).map(|_| draw(&mut random)).collect();
            let ratio = Ratio::of(&plain(&logs));
            covered += usize::from(ratio.low <= 1.0 && 1.0 <= ratio.high);
            found += usize::from(ratio.p < 0.05);
        }
        assert!((363..=397).contains(&covered), "{count}: {covered} of 400 intervals hold the truth");
        assert!(found <= 37, "{count}: {found} of 400 found an effect that is not there");
    }
}

#[test]
fn a_thing_against_itself_is_one() {
    for count in [2, 10, 40, 2000] {
        let ratio = Ratio::of(&plain(&vec![0.0; count]));
        assert_eq!((ratio.mean, ratio.low, ratio.high, ratio.p), (1.0, 1.0, 1.0, 1.0), "{count}");
        assert!(!ratio.is_clear());
    }
    let none = Ratio::of(&[]);
    assert!(none.mean.is_nan() && none.low.is_nan() && none.p.is_nan() && !none.is_clear());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn laws_of_ratios(logs in prop::collection::vec(-2.0_f64..2.0, 2..40), shift in -0.5_f64..0.5) {
        let ratio = Ratio::of(&plain(&logs));
        // The interval holds the mean; p is a probability.
        prop_assert!(ratio.low <= ratio.mean * (1.0 + 1e-12) && ratio.mean <= ratio.high * (1.0 + 1e-12));
        prop_assert!(ratio.p > 0.0 && ratio.p <= 1.0);
        // The other way round everything is the other way round.
        let inverse = Ratio::of(&plain(&logs.iter().map(|log| -log).collect::<Vec<_>>()));
        prop_assert!((ratio.mean * inverse.mean - 1.0).abs() < 1e-9);
        prop_assert!((ratio.error - inverse.error).abs() < 1e-12);
        // A factor moves mean and interval alike.
        let moved = Ratio::of(&plain(&logs.iter().map(|log| log + shift).collect::<Vec<_>>()));
        for (a, b) in [(moved.mean, ratio.mean), (moved.low, ratio.low), (moved.high, ratio.high)] {
            prop_assert!((a / b - shift.exp()).abs() < 1e-9);
        }
        // Finding half the effect takes about four times the positions.
        let (one, half) = (ratio.needed(0.02).unwrap(), ratio.needed(0.01).unwrap());
        prop_assume!(one > 200.0);
        prop_assert!((3.8..4.2).contains(&(half / one)), "{} {}", one, half);
    }

    #[test]
    fn holm_never_lowers_a_p_and_keeps_their_order(p in prop::collection::vec(0.0_f64..1.0, 1..30)) {
        let adjusted = holm(&p);
        for at in 0..p.len() {
            prop_assert!(adjusted[at] >= p[at] && adjusted[at] <= 1.0);
            for other in 0..p.len() {
                prop_assert!(p[at] > p[other] || adjusted[at] <= adjusted[other]);
            }
        }
    }
}
