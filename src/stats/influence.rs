//! The influence of single positions or games on a mean: the largest change when one is left out,
//! and whether a finding depends on it.
//!
//! Source: Cook, "Detection of influential observation in linear regression", 1977.

use super::clusters::Clusters;

/// The cluster that changes a mean most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Influence {
    pub cluster: u32,
    /// Its index among the line's clusters.
    pub index: usize,
    /// The geometric mean without it.
    pub without: f64,
    /// Whether without some cluster the mean would lie on the other side of 1.
    pub reverses: bool,
}

/// The influence of the cluster without which the mean changes most; `None` for fewer than three
/// clusters. The clusters have sums of logarithms of ratios.
pub fn find_influence(line: &Clusters) -> Option<Influence> {
    if line.len() < 3 {
        return None;
    }
    let (sum, size) = line.total();
    let mean = sum / size;
    let mean_without = |index: usize| (sum - line.sums[index]) / (size - line.sizes[index]);
    let rounding = 1e-12 * line.sums.iter().map(|sum| sum.abs()).sum::<f64>() / size;
    let change = |index: &usize| (mean_without(*index) - mean).abs();
    // `max_by` returns the last of equal changes; in reverse order that is the first cluster.
    let index = (0..line.len()).rev().max_by(|a, b| change(a).total_cmp(&change(b)))?;
    let reverses =
        mean.abs() > rounding && (0..line.len()).any(|index| mean_without(index) * mean.signum() < -rounding);
    Some(Influence { cluster: line.ids[index], index, without: mean_without(index).exp(), reverses })
}

/// The number of clusters with a ratio below 1, and the number above 1; clusters at exactly 1 are
/// not counted.
pub fn count_signs(line: &Clusters) -> (usize, usize) {
    let count = |is_counted: fn(f64) -> bool| line.sums.iter().filter(|sum| is_counted(**sum)).count();
    (count(|sum| sum < 0.0), count(|sum| sum > 0.0))
}

/// The index of the cluster that carries most of the difference: without it the statistic (the sum
/// divided by the root of the sum of squares) is smallest, counted in the direction of the sum.
/// With `hides`, the index of the cluster that hides most of it: without it the absolute value of
/// the statistic is largest.
pub fn find_carrier(line: &Clusters, hides: bool) -> Option<usize> {
    let (sum, _) = line.total();
    let squares: f64 = line.sums.iter().map(|value| value * value).sum();
    let rank = |index: &usize| {
        let value = line.sums[*index];
        let root = (squares - value * value).max(0.0).sqrt();
        let statistic = if root > 0.0 { sum.signum() * (sum - value) / root } else { 0.0 };
        if hides { -statistic.abs() } else { statistic }
    };
    (0..line.len()).min_by(|a, b| rank(a).total_cmp(&rank(b)))
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
        assert!((influence.without - 1.0).abs() < 1e-12);
        assert_eq!(count_signs(&line), (1, 2));
        assert_eq!(find_carrier(&line, false), Some(3));
        let turned = find_influence(&Clusters::new(&[(1, -0.1), (2, -0.2), (3, 2.0)])).unwrap();
        assert!(turned.reverses);
        assert_eq!(turned.cluster, 3);
        assert!((turned.without - (-0.15_f64).exp()).abs() < 1e-12);
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
        assert!((influence.without - (-0.1_f64).exp()).abs() < 1e-12);
    }

    /// By hand, of 0.3, 0.1 and 0.2: without each 0.3 / root 0.05 = 1.34, 0.5 / root 0.13 = 1.39
    /// and 0.4 / root 0.10 = 1.26. Without the third it is least, without the second largest;
    /// mirrored too.
    #[test]
    fn carrier_equals_a_calculation_by_hand() {
        for side in [1.0, -1.0, 0.01] {
            let line = Clusters::new(&[(4, 0.3 * side), (6, 0.1 * side), (9, 0.2 * side)]);
            assert_eq!((find_carrier(&line, false), find_carrier(&line, true)), (Some(2), Some(1)), "{side}");
        }
    }
}
