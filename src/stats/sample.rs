//! Means, medians, quantiles, and the smallest sample that can be significant.

use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// With more clusters than this, Student's t agrees with the normal distribution to about six
/// digits.
const NORMAL_FROM: usize = 1_000_000;

/// With more clusters than this, the library's search for a quantile loses digits, and may not end.
/// The expansion of the quantile (Abramowitz and Stegun, 26.7.5) is exact to 1e-9 there.
const EXPANDED_FROM: usize = 10_000;

pub fn t_quantile(cluster_count: usize, probability: f64) -> f64 {
    let freedom = cluster_count.saturating_sub(1) as f64;
    if cluster_count > EXPANDED_FROM {
        let z = Normal::standard().inverse_cdf(probability);
        let second = 5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z;
        return z + (z.powi(3) + z) / (4.0 * freedom) + second / (96.0 * freedom.powi(2));
    }
    StudentsT::new(0.0, 1.0, freedom).map_or(f64::NAN, |t| t.inverse_cdf(probability))
}

/// The statistic has Student's t distribution with `cluster_count - 1` degrees of freedom.
pub fn t_two_sided_p(cluster_count: usize, t: f64) -> f64 {
    if cluster_count > NORMAL_FROM || t.is_infinite() {
        return 2.0 * Normal::standard().cdf(-t.abs());
    }
    StudentsT::new(0.0, 1.0, cluster_count.saturating_sub(1) as f64).map_or(f64::NAN, |dist| 2.0 * dist.cdf(-t.abs()))
}

pub fn smallest_p(clusters: usize) -> f64 {
    2.0_f64.powi(1 - i32::try_from(clusters).unwrap_or(i32::MAX))
}

pub fn min_clusters(lines: usize) -> usize {
    (1..).find(|&clusters| smallest_p(clusters) * lines.max(1) as f64 <= 0.05).unwrap_or(0)
}

pub fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / count
}

/// Sorts the values and returns their median. Returns NaN if there are no values.
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

    /// 2^(1-n) times the number of lines must be at most 0.05.
    #[test]
    fn more_lines_need_more_clusters() {
        for (lines, expected) in [(0, 6), (1, 6), (2, 7), (3, 7), (4, 8), (6, 8), (7, 9), (12, 9), (13, 10), (100, 12)]
        {
            assert_eq!(min_clusters(lines), expected, "{lines}");
        }
    }

    /// From a printed table: 12.706 for one degree of freedom, 2.262 for nine, 1.960 for very many.
    #[test]
    fn quantiles_are_those_of_printed_tables() {
        for (clusters, t) in [(2, 12.7062), (10, 2.2622), (NORMAL_FROM + 1, 1.9600), (usize::MAX, 1.9600)] {
            assert!((t_quantile(clusters, 0.975) - t).abs() < 1e-4, "{clusters}: {}", t_quantile(clusters, 0.975));
            assert!([t, -t].iter().all(|&t| (t_two_sided_p(clusters, t) - 0.05).abs() < 1e-4), "{clusters}");
            assert_eq!(
                (t_two_sided_p(clusters, f64::INFINITY), t_two_sided_p(clusters, f64::NEG_INFINITY)),
                (0.0, 0.0)
            );
        }
        assert!(
            [0, 1]
                .iter()
                .all(|&clusters| t_quantile(clusters, 0.975).is_nan() && t_two_sided_p(clusters, 2.0).is_nan())
        );
    }

    #[test]
    fn median_is_the_middle_value() {
        assert_eq!(
            [&mut [7.0][..], &mut [9.0, 1.0], &mut [9.0, 2.0, 1.0], &mut [9.0, 3.0, 1.0, 4.0]].map(median),
            [7.0, 5.0, 2.0, 3.5]
        );
        assert!(median(&mut []).is_nan());
        assert!(mean(std::iter::empty()).is_nan());
        assert_eq!(mean([1.0, 2.0, 9.0].into_iter()), 4.0);
    }
}
