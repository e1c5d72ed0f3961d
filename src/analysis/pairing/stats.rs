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

/// The least p of a sign-flip test of so many clusters: all of them lie on one side, in 2 of 2^n patterns.
pub fn least_p(clusters: usize) -> f64 {
    2.0_f64.powi(1 - i32::try_from(clusters).unwrap_or(i32::MAX))
}

/// How many clusters it takes for so many lines to show anything at 5 %: among lines that all go their own ways the least p counts for each.
pub fn at_least(lines: usize) -> usize {
    (1..).find(|&clusters| least_p(clusters) * lines.max(1) as f64 <= 0.05).unwrap_or(0)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// n clusters have 2^n patterns of signs, two of which are the outermost: 2^(1-n) for each line must be no more than a twentieth.
    #[test]
    fn more_lines_take_more_clusters() {
        for (lines, expected) in [(0, 6), (1, 6), (2, 7), (3, 7), (4, 8), (6, 8), (7, 9), (12, 9), (13, 10), (100, 12)]
        {
            assert_eq!(at_least(lines), expected, "{lines}");
        }
    }

    /// From any table: 12.706 of one degree of freedom, 2.262 of nine, 1.960 of very many; each has a twentieth beyond it.
    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (clusters, t) in [(2, 12.7062), (10, 2.2622), (MANY + 1, 1.9600), (usize::MAX, 1.9600)] {
            assert!((t_quantile(clusters, 0.975) - t).abs() < 1e-4, "{clusters}: {}", t_quantile(clusters, 0.975));
            assert!([t, -t].iter().all(|&t| (t_beyond(clusters, t) - 0.05).abs() < 1e-4), "{clusters}");
            assert_eq!((t_beyond(clusters, f64::INFINITY), t_beyond(clusters, f64::NEG_INFINITY)), (0.0, 0.0));
        }
        assert!([0, 1].iter().all(|&few| t_quantile(few, 0.975).is_nan() && t_beyond(few, 2.0).is_nan()));
    }

    #[test]
    fn a_median_lies_in_the_middle() {
        assert_eq!(
            [&mut [7.0][..], &mut [9.0, 1.0], &mut [9.0, 2.0, 1.0], &mut [9.0, 3.0, 1.0, 4.0]].map(median),
            [7.0, 5.0, 2.0, 3.5]
        );
        assert!(median(&mut []).is_nan() && mean(std::iter::empty()).is_nan());
        assert_eq!(mean([1.0, 2.0, 9.0].into_iter()), 4.0);
    }
}
