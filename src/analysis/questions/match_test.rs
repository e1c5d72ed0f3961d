//! The Elo of a match between two players, with its interval, from the points of pairs of games.

use crate::stats::gsprt::{ELO_PER_DEVIATION, Pentanomial};
use statrs::distribution::{ContinuousCDF, Normal};

/// An Elo difference with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Elo {
    pub elo: f64,
    pub low: f64,
    pub high: f64,
}

impl std::fmt::Display for Elo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:+.1} Elo [{:+.1}, {:+.1}]", self.elo, self.low, self.high)
    }
}

/// The normal quantile of a 95 % interval.
const Z_95: f64 = 1.96;

/// The logistic Elo of a score from 0 to 1; a score of 0 or 1 gives about 2400.
pub fn logistic_elo(score: f64) -> f64 {
    let score = score.clamp(1e-6, 1.0 - 1e-6);
    400.0 * (score / (1.0 - score)).log10()
}

impl Pentanomial {
    /// Logistic Elo with its 95 % interval.
    pub fn elo(&self) -> Elo {
        self.elo_within(Z_95)
    }

    /// Logistic Elo with an interval of `reach` standard errors to each side.
    pub fn elo_within(&self, reach: f64) -> Elo {
        self.interval(reach, logistic_elo)
    }

    /// Normalized Elo with its 95 % interval; NaN if all pairs have the same points, whose
    /// deviation is unknown.
    pub fn normalized(&self) -> Elo {
        let deviation = if self.single_kind().is_some() { f64::NAN } else { self.mean().1 };
        self.interval(Z_95, |score| (score - 0.5) / (deviation * std::f64::consts::SQRT_2) * ELO_PER_DEVIATION)
    }

    fn interval(&self, reach: f64, elo: impl Fn(f64) -> f64) -> Elo {
        let (mean, deviation) = self.mean();
        let pairs = self.count() as f64;
        let (low, high) = match self.single_kind() {
            // Equal pairs show no spread. If a share q of all pairs had other points, none would be
            // seen with probability (1 - q)^n; in the worst case those are all lost, or all won.
            Some(points) => {
                let others = 1.0 - Normal::standard().sf(reach).powf(1.0 / pairs);
                (points * (1.0 - others), points + (1.0 - points) * others)
            }
            None => {
                let reach = reach * deviation / pairs.sqrt();
                (mean - reach, mean + reach)
            }
        };
        Elo { elo: elo(mean), low: elo(low), high: elo(high) }
    }

    /// The probability that the first player is stronger, with all differences equally likely
    /// beforehand; NaN without pairs.
    pub fn superiority(&self) -> f64 {
        let (mean, deviation) = self.mean();
        Normal::standard().cdf((mean - 0.5) / deviation * (self.count() as f64).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: 10 pairs of two draws each and 10 won 1.5 to 0.5 have mean 0.625, deviation 0.125;
    /// Elo 400 log10(5/3) = 88.7; normalized 0.125 / (0.125 sqrt 2) x 347.44 = 245.7; half-width
    /// 1.96 x 0.125 / sqrt 20 of the score = 0.0548.
    #[test]
    fn elo_equals_a_calculation_by_hand() {
        let pairs = Pentanomial([0, 0, 10, 10, 0]);
        assert!((pairs.elo().elo - 88.74).abs() < 0.1, "{:?}", pairs.elo());
        assert!((pairs.normalized().elo - 245.67).abs() < 0.5, "{:?}", pairs.normalized());
        let low = 400.0 * (0.5702_f64 / 0.4298).log10();
        assert!((pairs.elo().low - low).abs() < 0.2, "{:?} {low}", pairs.elo());
        // Ten pairs of mean 0.55 and variance 0.035: 0.05 x sqrt(10 / 0.035) = 0.845 standard
        // errors above a half, 0.8010 of the normal distribution.
        let likelihood = Pentanomial([0, 2, 4, 4, 0]).superiority();
        assert!((likelihood - 0.8010).abs() < 1e-3, "{likelihood}");
        assert!(Pentanomial::default().superiority().is_nan());
        assert!(pairs.superiority() > 0.9999);
        assert!((Pentanomial([1, 2, 3, 2, 1]).superiority() - 0.5).abs() < 1e-9);
    }

    /// Ten lost pairs: with 2.5 % no other kind is seen if these are 0.3085 of all (1 - 0.025^0.1),
    /// and those may all be won: 400 log10(0.3085 / 0.6915) = -140.2. A thousand drawn pairs:
    /// 0.003682, half to each side, +-1.28.
    #[test]
    fn equal_pairs_have_an_exact_interval() {
        let lost = Pentanomial([10, 0, 0, 0, 0]).elo();
        assert!((lost.high + 140.2).abs() < 0.1, "{lost:?}");
        assert!(lost.low <= lost.elo, "{lost:?}");
        assert!(lost.elo < -1000.0, "{lost:?}");
        let won = Pentanomial([0, 0, 0, 0, 10]).elo();
        assert!((won.low - 140.2).abs() < 0.1, "{won:?}");
        assert!(won.high >= won.elo, "{won:?}");
        let drawn = Pentanomial([0, 0, 1000, 0, 0]).elo();
        assert!((drawn.low + 1.28).abs() < 0.01, "{drawn:?}");
        assert!((drawn.high - 1.28).abs() < 0.01, "{drawn:?}");
        assert!([lost, won, drawn].iter().all(|elo| elo.low <= elo.elo && elo.elo <= elo.high));
        assert!(Pentanomial([0, 0, 9, 0, 0]).normalized().elo.is_nan());
        assert_eq!(Pentanomial([0, 0, 9, 1, 0]).single_kind(), None);
        assert_eq!((Pentanomial([0; 5]).single_kind(), Pentanomial([0, 3, 0, 0, 0]).single_kind()), (None, Some(0.25)));
    }

    #[test]
    fn swapped_players_have_the_opposite_elo() {
        let (pairs, mirrored) = (Pentanomial([3, 40, 80, 60, 9]), Pentanomial([9, 60, 80, 40, 3]));
        assert!((pairs.elo().elo + mirrored.elo().elo).abs() < 1e-9);
    }

    /// The true Elo of a clean score is unknown: 400 log10 of a million stands for the far end of
    /// its interval.
    #[test]
    fn interval_of_a_clean_score_is_finite() {
        let [won, lost] = [[0, 0, 0, 0, 9], [9, 0, 0, 0, 0]].map(|pairs| Pentanomial(pairs).elo());
        assert!((won.high - 2400.0).abs() < 1e-3, "{won:?} {lost:?}");
        assert!((lost.low + 2400.0).abs() < 1e-3, "{won:?} {lost:?}");
        assert!((won.low + lost.high).abs() < 1e-6, "{won:?} {lost:?}");
        assert!(won.low < won.elo, "{won:?} {lost:?}");
        assert!(won.elo < won.high, "{won:?} {lost:?}");
    }
}
