//! What one position or game does to a mean: the largest change when it is left out, and whether a finding hangs on it.
//!
//! Source: Cook, "Detection of influential observation in linear regression", 1977; here each cluster is left out in turn.

use super::clusters::Clusters;

/// The cluster that moves a mean most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Influence {
    /// Which cluster.
    pub cluster: u32,
    /// Its place among the line's clusters.
    pub place: usize,
    /// The geometric mean without it.
    pub without: f64,
    /// Whether there is a cluster without which the mean lies on the other side of 1.
    pub turns: bool,
}

/// What leaving out does to a line; none for fewer than three clusters, of which none can be spared.
pub fn influence(line: &Clusters) -> Option<Influence> {
    if line.len() < 3 {
        return None;
    }
    let (sum, size) = line.total();
    let mean = sum / size;
    let without = |place: usize| (sum - line.sums[place]) / (size - line.sizes[place]);
    let rounding = 1e-12 * line.sums.iter().map(|sum| sum.abs()).sum::<f64>() / size;
    let change = |place: &usize| (without(*place) - mean).abs();
    // Of equals the first.
    let place = (0..line.len()).rev().max_by(|a, b| change(a).total_cmp(&change(b)))?;
    let turns = (0..line.len()).any(|place| mean.abs() > rounding && without(place) * mean.signum() < -rounding);
    Some(Influence { cluster: line.ids[place], place, without: without(place).exp(), turns })
}

/// How many clusters lie below 1, and how many above: neither counts those that are 1.
pub fn signs(line: &Clusters) -> (usize, usize) {
    let count = |expected: fn(f64) -> bool| line.sums.iter().filter(|sum| expected(**sum)).count();
    (count(|sum| sum < 0.0), count(|sum| sum > 0.0))
}

/// The place of the cluster that carries most of the sum over the root of the sum of squares, or (`hides`) that hides most of it:
/// without which it is least, seen from the side on which it lies, or the most, on whichever side.
pub fn carrier(line: &Clusters, hides: bool) -> Option<usize> {
    let (sum, _) = line.total();
    let squares: f64 = line.sums.iter().map(|value| value * value).sum();
    let left = |place: &usize| {
        let value = line.sums[*place];
        let root = (squares - value * value).max(0.0).sqrt();
        let rest = if root > 0.0 { sum.signum() * (sum - value) / root } else { 0.0 };
        if hides { -rest.abs() } else { rest }
    };
    (0..line.len()).min_by(|a, b| left(a).total_cmp(&left(b)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// By hand: means 0.25, and without each: 1/3, 0.3, 0.3 + 1/15, 0; the last moves it most, to 1 exactly, which is no turn.
    #[test]
    fn leaving_out_by_hand() {
        let line = Clusters::new(&[(3, 0.0), (5, 0.1), (8, -0.1), (9, 1.0)]);
        let found = influence(&line).unwrap();
        assert_eq!((found.cluster, found.place, found.turns), (9, 3, false));
        assert!((found.without - 1.0).abs() < 1e-12);
        assert_eq!(signs(&line), (1, 2));
        assert_eq!(carrier(&line, false), Some(3));
        let turned = influence(&Clusters::new(&[(1, -0.1), (2, -0.2), (3, 2.0)])).unwrap();
        assert!(turned.turns && turned.cluster == 3 && (turned.without - (-0.15_f64).exp()).abs() < 1e-12);
        assert_eq!(influence(&Clusters::new(&[(1, 0.1), (2, 0.2)])), None);
        // Mean 1/15; without the first 1.6, which moves it most and turns nothing; without the second -1, which turns it.
        let other = influence(&Clusters::new(&[(1, -3.0), (2, 2.2), (3, 1.0)])).unwrap();
        assert_eq!((other.cluster, other.turns), (1, true));
    }

    /// A game counts as a whole: without it its four searches are gone, not one.
    #[test]
    fn games_are_left_out_whole() {
        let line = Clusters::new(&[(1, 0.4), (1, 0.4), (1, 0.4), (1, 0.4), (2, -0.2), (3, 0.0)]);
        let found = influence(&line).unwrap();
        assert_eq!((found.cluster, found.turns), (1, true));
        assert!((found.without - (-0.1_f64).exp()).abs() < 1e-12);
    }

    /// By hand, of 0.3, 0.1 and 0.2: without each 0.3 / root 0.05 = 1.34, 0.5 / root 0.13 = 1.39 and 0.4 / root 0.10 = 1.26: the third carries most, the second
    /// hides most; on the other side they do the same.
    #[test]
    fn who_carries_and_who_hides_by_hand() {
        for side in [1.0, -1.0, 0.01] {
            let line = Clusters::new(&[(4, 0.3 * side), (6, 0.1 * side), (9, 0.2 * side)]);
            assert_eq!((carrier(&line, false), carrier(&line, true)), (Some(2), Some(1)), "{side}");
        }
    }
}
