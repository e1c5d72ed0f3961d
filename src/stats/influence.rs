//! The influence of single positions or games on a mean. If one of them is left out, how much does
//! the mean change, and does a finding depend on it?
//!
//! Source: Cook, "Detection of influential observation in linear regression", 1977.

use super::clusters::Clusters;

/// The cluster that changes a mean most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Influence {
    pub cluster: u32,
    /// The index of the cluster among the line's clusters.
    pub index: usize,
    pub mean_without: f64,
    /// Whether the mean would be on the other side of 1 if some cluster were left out.
    pub reverses: bool,
}

/// Finds the cluster that changes the mean most if it is left out. Returns `None` for fewer than
/// three clusters. The clusters must contain logarithms of ratios.
pub fn find_influence(line: &Clusters) -> Option<Influence> {
    if line.len() < 3 {
        return None;
    }
    let (sum, size) = line.total();
    let mean = sum / size;
    let mean_without = |index: usize| (sum - line.sums[index]) / (size - line.sizes[index]);
    let rounding_error = 1e-12 * line.sums.iter().map(|sum| sum.abs()).sum::<f64>() / size;
    let change = |index: &usize| (mean_without(*index) - mean).abs();
    // If several clusters cause the same change, `max_by` returns the last of them. As the order is
    // reversed, this is the first of these clusters.
    let index = (0..line.len()).rev().max_by(|a, b| change(a).total_cmp(&change(b)))?;
    // Whether leaving out a single cluster moves the mean to the other side of 1.
    let reverses = mean.abs() > rounding_error
        && (0..line.len()).any(|index| mean_without(index) * mean.signum() < -rounding_error);
    Some(Influence { cluster: line.ids[index], index, mean_without: mean_without(index).exp(), reverses })
}

/// The statistic is the sum divided by the root of the sum of squares. Its sign is chosen so that
/// the statistic of all clusters is positive. Without the cluster that carries most of the
/// difference, the statistic is smallest. Without the cluster that hides most of the difference,
/// the absolute value of the statistic is largest.
pub fn find_decisive_cluster(line: &Clusters, finds_hider: bool) -> Option<usize> {
    let (sum, _) = line.total();
    let sum_of_squares: f64 = line.sums.iter().map(|cluster_sum| cluster_sum * cluster_sum).sum();
    let sort_key = |index: &usize| {
        let cluster_sum = line.sums[*index];
        let root = (sum_of_squares - cluster_sum * cluster_sum).max(0.0).sqrt();
        let statistic = if root > 0.0 { sum.signum() * (sum - cluster_sum) / root } else { 0.0 };
        if finds_hider { -statistic.abs() } else { statistic }
    };
    (0..line.len()).min_by(|a, b| sort_key(a).total_cmp(&sort_key(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: the mean is 0.25; without each cluster 1/3, 0.3, 0.3 + 1/15 and 0. The last changes
    /// it most, to a ratio of exactly 1, which is no reversal.
    #[test]
    fn influence_equals_a_calculation_by_hand() {
        let line = Clusters::new(&[(3, 0.0), (5, 0.1), (8, -0.1), (9, 1.0)]);
        let influence = find_influence(&line).unwrap();
        assert_eq!((influence.cluster, influence.index, influence.reverses), (9, 3, false));
        assert!((influence.mean_without - 1.0).abs() < 1e-12);
        assert_eq!(find_decisive_cluster(&line, false), Some(3));
        let turned = find_influence(&Clusters::new(&[(1, -0.1), (2, -0.2), (3, 2.0)])).unwrap();
        assert!(turned.reverses);
        assert_eq!(turned.cluster, 3);
        assert!((turned.mean_without - (-0.15_f64).exp()).abs() < 1e-12);
        assert_eq!(find_influence(&Clusters::new(&[(1, 0.1), (2, 0.2)])), None);
        // Mean 1/15: without the first cluster 1.6, the largest change and no reversal; without the
        // second -1, a reversal.
        let other = find_influence(&Clusters::new(&[(1, -3.0), (2, 2.2), (3, 1.0)])).unwrap();
        assert_eq!((other.cluster, other.reverses), (1, true));
    }

    /// Leaving out a game removes its four searches, not one.
    #[test]
    fn games_are_left_out_whole() {
        let line = Clusters::new(&[(1, 0.4), (1, 0.4), (1, 0.4), (1, 0.4), (2, -0.2), (3, 0.0)]);
        let influence = find_influence(&line).unwrap();
        assert_eq!((influence.cluster, influence.reverses), (1, true));
        assert!((influence.mean_without - (-0.1_f64).exp()).abs() < 1e-12);
    }

    /// By hand, of 0.3, 0.1 and 0.2: without each 0.3 / root 0.05 = 1.34, 0.5 / root 0.13 = 1.39
    /// and 0.4 / root 0.10 = 1.26. Without the third it is least, without the second largest;
    /// mirrored too.
    #[test]
    fn carrier_equals_a_calculation_by_hand() {
        for side in [1.0, -1.0, 0.01] {
            let line = Clusters::new(&[(4, 0.3 * side), (6, 0.1 * side), (9, 0.2 * side)]);
            assert_eq!(
                (find_decisive_cluster(&line, false), find_decisive_cluster(&line, true)),
                (Some(2), Some(1)),
                "{side}"
            );
        }
    }
}
