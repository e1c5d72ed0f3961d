//! The interval of a rate, such as hits per probe. The independent units are positions or games,
//! not probes.
//!
//! Source: Cochran, "Sampling Techniques", 1977, chapter 6: the ratio of two sums over a sample of
//! clusters.

use super::clusters::Clusters;
use super::interval::student_interval;

/// Each cluster is given by its (part, whole), such as its hits and its probes.
pub fn rate_interval(clusters: &[(f64, f64)]) -> Option<(f64, f64)> {
    let (sums, sizes): (Vec<f64>, Vec<f64>) = clusters.iter().copied().unzip();
    let clusters = Clusters { ids: (0..clusters.len() as u32).collect(), sums, sizes };
    let (_, whole) = clusters.total();
    if clusters.len() < 2 || whole.is_nan() || whole <= 0.0 {
        return None;
    }
    let (low, high) = student_interval(&clusters);
    // A rate lies between 0 and 1.
    Some((low.max(0.0), high.min(1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: rates 0.1, 0.3 and 0.2 of 100, 100 and 200; the rate is 80/400 = 0.2, the residuals
    /// -10, 10 and 0, their squares sum to 200; the error is sqrt(3/2 * 200) / 400 = 0.0433;
    /// Student's t for two degrees of freedom is 4.303.
    #[test]
    fn rate_interval_equals_a_calculation_by_hand() {
        let (low, high) = rate_interval(&[(10.0, 100.0), (30.0, 100.0), (40.0, 200.0)]).unwrap();
        let half_width = 4.302_653 * 300.0_f64.sqrt() / 400.0;
        assert!((low - (0.2 - half_width)).abs() < 1e-6, "{low} {high}");
        assert!((high - (0.2 + half_width)).abs() < 1e-6, "{low} {high}");
        // The interval of two positions would exceed 0 to 1: Student's t with one degree of freedom
        // is large.
        assert_eq!(rate_interval(&[(80.0, 100.0), (100.0, 100.0)]).unwrap().1, 1.0);
        assert_eq!(rate_interval(&[(20.0, 100.0), (0.0, 100.0)]).unwrap().0, 0.0);
        assert_eq!(rate_interval(&[(40.0, 200.0)]), None, "one position gives no interval");
        assert_eq!(rate_interval(&[(0.0, 0.0), (0.0, 0.0)]), None);
    }
}
