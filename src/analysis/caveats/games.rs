//! Warns of too few games before a match is played.

use crate::experiment::Experiment;
use crate::text::plural;

/// The typical standard deviation of a pair's points per game between equal players. It is about
/// 0.1 if most games are quiet draws, and about 0.35 in wild games.
const TYPICAL_SPREAD: f64 = 0.25;

/// Elo per point of score, for scores near one half.
const ELO_PER_POINT: f64 = 1600.0 / std::f64::consts::LN_10;

pub fn too_few_warning(experiment: &Experiment) -> Option<String> {
    let test = experiment.work.games()?.test_or_default();
    let (pairs, difference) = (experiment.suite.items.len(), test.elo1 - test.elo0);
    let half_width = half_width(pairs);
    (half_width > difference).then(|| {
        format!(
            "{} per encounter: the 95 % interval will be about {half_width:.0} Elo to each side if the spread is \
             typical; a test for a difference of {difference} normalized Elo needs about {} pairs",
            plural(pairs, "pair"),
            pairs_needed(difference)
        )
    })
}

fn half_width(pair_count: usize) -> f64 {
    1.96 * TYPICAL_SPREAD / (pair_count.max(1) as f64).sqrt() * ELO_PER_POINT
}

pub fn pairs_needed(half_width: f64) -> usize {
    (1.96 * TYPICAL_SPREAD * ELO_PER_POINT / half_width.max(0.1)).powi(2).ceil() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_pairs_have_a_half_width_of_34_elo() {
        // 1.96 x 0.25 / 10 of a point is 0.049; a point of score is 695 Elo near one half.
        assert!((half_width(100) - 34.0).abs() < 0.1, "{}", half_width(100));
        assert_eq!(pairs_needed(half_width(100)), 100);
        // Four times as many pairs halve the width.
        assert!((half_width(1) - 340.5).abs() < 0.1);
        assert!((half_width(1) - 2.0 * half_width(4)).abs() < 1e-9);
        for elo in [200.0, 50.0, 33.0, 5.0, 0.7] {
            let pairs = pairs_needed(elo);
            assert!(half_width(pairs) <= elo && elo < half_width(pairs - 1), "{elo}: {pairs}");
        }
    }
}
