//! What so many positions can show: the smallest difference that is found four times in five, of the lines from the baseline or of rivals from the
//! best of them.

use crate::analysis::pairing::clusters::Clusters;
use crate::analysis::pairing::pairs::Logs;
use crate::analysis::pairing::ratio::{Family, Ratio};
use crate::analysis::pairing::stats::{at_least, median};

/// What a comparison can show.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Power {
    /// Lines that are tested together; where nothing can be tested, those that are compared.
    pub lines: usize,
    /// The most clusters that a line has.
    pub clusters: usize,
    /// Whether these are fewer than the searches: games.
    pub games: bool,
    /// The level at which each line would have to be tested by itself, for 5 % over all of them.
    pub level: f64,
    /// The smallest difference (0.01: one percent) that is found four times in five, in the middle of the lines; NaN where there
    /// is none.
    pub detectable: f64,
    /// How many clusters a difference of 1 % takes; NaN where that is not known.
    pub needed: f64,
    /// Whether that is said of rivals among each other, since what they are held against is no rival.
    pub rivals: bool,
}

impl Power {
    /// Of a family of lines.
    pub fn of(family: &Family) -> Self {
        Self::new(family.lines.iter().map(|line| line.ratio).collect(), family)
    }

    /// Of rivals, each held against the best of them, where the lines of the family are tested.
    pub fn of_rivals(samples: &[Logs], family: &Family) -> Self {
        let ratio = |logs: &Logs| {
            let line = Clusters::new(logs);
            let (error, clusters) = (line.standard_error(), line.len());
            Ratio { mean: line.mean().exp(), error, clusters, pairs: logs.len(), ..Ratio::default() }
        };
        Self { rivals: true, ..Self::new(samples.iter().map(ratio).collect(), family) }
    }

    /// Of ratios, at the level of a family.
    fn new(mut compared: Vec<Ratio>, family: &Family) -> Self {
        compared.retain(|ratio| ratio.pairs > 0);
        // Lines that are the same search everywhere say nothing of how much searches differ.
        let spread = || compared.iter().filter(|ratio| ratio.clusters >= 2 && !ratio.is_same());
        // Fewer clusters than can show anything among so many lines show nothing of any size, however calm they are.
        let expected = at_least(family.tested);
        let seen = spread().filter(|ratio| ratio.clusters >= expected).map(|ratio| ratio.detectable(family.level));
        let mut seen: Vec<f64> = seen.filter(|effect| effect.is_finite()).collect();
        let needed = spread().filter_map(|ratio| ratio.needed(0.01, family.level));
        let mut needed: Vec<f64> = needed.map(|needed| needed.max(expected as f64)).collect();
        Self {
            // Of one position nothing is tested, and something compared all the same.
            lines: if family.tested > 0 { family.tested } else { compared.len() },
            clusters: compared.iter().map(|ratio| ratio.clusters).max().unwrap_or(0),
            games: compared.iter().any(|ratio| ratio.clusters < ratio.pairs),
            level: family.level,
            detectable: median(&mut seen),
            needed: median(&mut needed),
            rivals: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One position is compared, and tests nothing: it is one all the same, of as many lines as have a pair.
    #[test]
    fn one_position_is_counted() {
        let power = |lines: &[Vec<(u32, f64)>]| {
            let power = Power::of(&Family::of(lines));
            (power.clusters, power.lines, power.games)
        };
        assert_eq!(power(&[vec![(0, 0.5)], vec![], vec![(0, -0.5)]]), (1, 2, false));
        assert_eq!(power(&[vec![(0, 0.5), (0, 0.25)]]), (1, 1, true));
        assert_eq!(power(&[vec![]]), (0, 0, false));
        // Lines that lack positions take nothing from what the others can show.
        let few = vec![(0, 0.5)];
        let whole = vec![(0, 0.5), (1, 0.25), (2, 0.125)];
        assert_eq!(power(&[few.clone(), whole.clone()]).0, 3);
        assert_eq!(power(&[whole, few]).0, 3);
    }

    /// All signs one way are chance once in sixteen of five, once in thirty-two of six.
    #[test]
    fn too_few_show_nothing_however_calm() {
        let of = |clusters: u32| {
            let logs = (0..clusters).map(|at| (at, 0.001 * f64::from(at % 2))).collect();
            Power::of(&Family::of(&[logs]))
        };
        assert!([2, 5].iter().all(|&clusters| of(clusters).detectable.is_nan() && of(clusters).needed >= 6.0));
        let six = of(6);
        // Beside lines that are the same search everywhere it is said of the others, as of them alone.
        let logs: Vec<(u32, f64)> = (0..12).map(|at| (at, 0.1 * f64::from(at % 3))).collect();
        let same: Vec<(u32, f64)> = (0..12).map(|at| (at, 0.0)).collect();
        let text = |lines: &[Vec<(u32, f64)>]| {
            let power = Power::of(&Family::of(lines));
            (power.detectable, power.needed)
        };
        let alone = text(std::slice::from_ref(&logs));
        let beside = text(&[same.clone(), logs, same.clone(), same.clone()]);
        assert!(alone.0 > 0.01 && beside.0 >= alone.0 && beside.1 >= alone.1, "{alone:?} {beside:?}");
        assert!(text(&[same]).0.is_nan());
        // Six are few enough for one more to take back exp(0.9163 / 6) - 1 = 16.5 %.
        assert!(six.clusters == 6 && six.detectable > 0.165 && six.detectable < 0.168, "{six:?}");
    }

    /// (1.96 + 0.84)^2 x 0.1005^2 / (ln(1.01) - 0.9163 / n)^2 is n at 976; Student's law makes it a little more.
    #[test]
    fn what_one_per_cent_takes_by_hand() {
        let logs = (0..100).map(|at| (at, if at % 2 == 0 { 0.1 } else { -0.1 })).collect();
        let needed = Power::of(&Family::of(&[logs])).needed;
        assert!((976.0..980.0).contains(&needed), "{needed}");
    }
}
