//! Means, medians, quantiles, and how many it takes to show anything.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// Degrees of freedom from which Student's law is the normal one to nine digits; the library's search for a quantile does not end for
/// some 10^7 of them.
const MANY: usize = 1_000_000;

/// A quantile of Student's t with one degree of freedom fewer than there are clusters; NaN for fewer than two.
pub fn t_quantile(clusters: usize, at: f64) -> f64 {
    if clusters > MANY {
        return Normal::standard().inverse_cdf(at);
    }
    StudentsT::new(0.0, 1.0, clusters.saturating_sub(1) as f64).map_or(f64::NAN, |t| t.inverse_cdf(at))
}

/// The share of Student's t beyond a value, on both sides; NaN for fewer than two clusters.
pub fn t_beyond(clusters: usize, value: f64) -> f64 {
    if clusters > MANY || value.is_infinite() {
        return 2.0 * Normal::standard().cdf(-value.abs());
    }
    StudentsT::new(0.0, 1.0, clusters.saturating_sub(1) as f64).map_or(f64::NAN, |t| 2.0 * t.cdf(-value.abs()))
}

/// How many clusters it takes for so many lines to show anything at 5 %: a sign-flip test of n clusters has no smaller p than
/// 2^(1-n), and among lines that all go their own ways that counts for each.
pub fn at_least(lines: usize) -> usize {
    (1..).find(|&clusters| 2.0_f64.powi(1 - clusters) * lines.max(1) as f64 <= 0.05).map_or(0, |found| found as usize)
}

/// The arithmetic mean; NaN of nothing.
pub fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / count
}

/// The median; NaN of nothing. The values are put in order.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    match (values.len(), values.len() / 2) {
        (0, _) => f64::NAN,
        (count, middle) if count % 2 == 0 => (values[middle - 1] + values[middle]) / 2.0,
        (_, middle) => values[middle],
    }
}
