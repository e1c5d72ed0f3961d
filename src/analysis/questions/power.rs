//! Computes the power of a comparison: the smallest difference that is detected with 80 % power.
//! Lines are compared with the baseline, or rivals are compared with the best rival.

use crate::analysis::pairing::pairs::Logs;
use crate::stats::clusters::Clusters;
use crate::stats::ratio::{Family, Ratio};
use crate::stats::sample::{median, min_clusters};

#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Power {
    /// The number of lines that are tested together. If no line can be tested, this is the number
    /// of lines that are compared.
    pub lines: usize,
    pub clusters: usize,
    /// Whether some clusters are games. There are then fewer clusters than searches.
    pub has_games: bool,
    /// The level at which a single line would have to be tested, so that the level over all lines
    /// is 5 %.
    pub level: f64,
    /// The smallest difference that is detected with 80 % power, as the median over lines. 0.01 is
    /// 1 %. NaN if no difference is detectable.
    pub detectable: f64,
    /// The number of clusters that are needed to detect a difference of 1 %. NaN if this number is
    /// unknown.
    pub needed: f64,
    /// Whether this is the power of comparing rivals with the best rival. Otherwise it is the power
    /// of comparing lines with the baseline.
    pub is_among_rivals: bool,
}

impl Power {
    pub fn from_family(family: &Family) -> Self {
        Self::new(family.lines.iter().map(|line| line.ratio).collect(), family)
    }

    /// `samples` contains the log ratios of each rival to the best rival.
    pub fn from_rivals(samples: &[Logs], family: &Family) -> Self {
        let to_ratio = |logs: &Logs| {
            let clusters = Clusters::new(logs);
            Ratio {
                mean: clusters.mean().exp(),
                error: clusters.standard_error(),
                clusters: clusters.len(),
                pairs: logs.len(),
                ..Ratio::default()
            }
        };
        Self { is_among_rivals: true, ..Self::new(samples.iter().map(to_ratio).collect(), family) }
    }

    fn new(mut ratios: Vec<Ratio>, family: &Family) -> Self {
        ratios.retain(|ratio| ratio.pairs > 0);
        // If a line equals the baseline in every search, its ratio does not show how much searches
        // differ.
        let ratios_with_spread = || ratios.iter().filter(|ratio| ratio.clusters >= 2 && !ratio.is_same());
        // If there are too few clusters for the number of lines, no difference is detectable, even
        // if the spread is small.
        let required_clusters = min_clusters(family.tested_count);
        let effects = ratios_with_spread()
            .filter(|ratio| ratio.clusters >= required_clusters)
            .map(|ratio| ratio.detectable_effect(family.level));
        let mut effects: Vec<f64> = effects.filter(|effect| effect.is_finite()).collect();
        let clusters_for_one_percent =
            ratios_with_spread().filter_map(|ratio| ratio.clusters_needed(0.01, family.level));
        let mut needed: Vec<f64> =
            clusters_for_one_percent.map(|clusters| clusters.max(required_clusters as f64)).collect();
        Self {
            // If there is only one position, no line can be tested, but the lines are compared.
            lines: if family.tested_count > 0 { family.tested_count } else { ratios.len() },
            clusters: ratios.iter().map(|ratio| ratio.clusters).max().unwrap_or(0),
            has_games: ratios.iter().any(|ratio| ratio.clusters < ratio.pairs),
            level: family.level,
            detectable: median(&mut effects),
            needed: median(&mut needed),
            is_among_rivals: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A single position cannot be tested, but counts as one cluster, with as many lines as have
    /// pairs.
    #[test]
    fn one_position_is_counted() {
        let summarize = |lines: &[Vec<(u32, f64)>]| {
            let power = Power::from_family(&Family::from_samples(lines));
            (power.clusters, power.lines, power.has_games)
        };
        assert_eq!(summarize(&[vec![(0, 0.5)], vec![], vec![(0, -0.5)]]), (1, 2, false));
        assert_eq!(summarize(&[vec![(0, 0.5), (0, 0.25)]]), (1, 1, true));
        assert_eq!(summarize(&[vec![]]), (0, 0, false));
        // Lines with few positions do not reduce the power of the others.
        let one_position = vec![(0, 0.5)];
        let three_positions = vec![(0, 0.5), (1, 0.25), (2, 0.125)];
        assert_eq!(summarize(&[one_position.clone(), three_positions.clone()]).0, 3);
        assert_eq!(summarize(&[three_positions, one_position]).0, 3);
    }

    /// If the differences of all clusters have the same sign, p is 1/16 for five clusters and 1/32
    /// for six_clusters.
    #[test]
    fn too_few_clusters_detect_nothing_however_small_the_spread() {
        let compute_power = |clusters: u32| {
            let logs = (0..clusters).map(|index| (index, 0.001 * f64::from(index % 2))).collect();
            Power::from_family(&Family::from_samples(&[logs]))
        };
        assert!(
            [2, 5]
                .iter()
                .all(|&clusters| compute_power(clusters).detectable.is_nan() && compute_power(clusters).needed >= 6.0)
        );
        let six_clusters = compute_power(6);
        // Lines that equal the baseline do not count.
        let logs: Vec<(u32, f64)> = (0..12).map(|index| (index, 0.1 * f64::from(index % 3))).collect();
        let same: Vec<(u32, f64)> = (0..12).map(|index| (index, 0.0)).collect();
        let detectable_and_needed = |lines: &[Vec<(u32, f64)>]| {
            let power = Power::from_family(&Family::from_samples(lines));
            (power.detectable, power.needed)
        };
        let alone = detectable_and_needed(std::slice::from_ref(&logs));
        let beside_equal_lines = detectable_and_needed(&[same.clone(), logs, same.clone(), same.clone()]);
        assert!(alone.0 > 0.01, "{alone:?} {beside_equal_lines:?}");
        assert!(beside_equal_lines.0 >= alone.0, "{alone:?} {beside_equal_lines:?}");
        assert!(beside_equal_lines.1 >= alone.1, "{alone:?} {beside_equal_lines:?}");
        assert!(detectable_and_needed(&[same]).0.is_nan());
        // With six clusters the margin for an unseen one is exp(0.9163 / 6) - 1 = 16.5 %.
        assert_eq!(six_clusters.clusters, 6, "{six_clusters:?}");
        assert!(six_clusters.detectable > 0.165, "{six_clusters:?}");
        assert!(six_clusters.detectable < 0.168, "{six_clusters:?}");
    }

    /// (1.96 + 0.84)^2 x 0.1005^2 / (ln(1.01) - 0.9163 / n)^2 equals n at 976; with Student's t a
    /// few more are needed.
    #[test]
    fn clusters_for_one_per_cent_equal_a_calculation_by_hand() {
        let logs = (0..100).map(|index| (index, if index % 2 == 0 { 0.1 } else { -0.1 })).collect();
        let needed = Power::from_family(&Family::from_samples(&[logs])).needed;
        assert!((976.0..980.0).contains(&needed), "{needed}");
    }
}
