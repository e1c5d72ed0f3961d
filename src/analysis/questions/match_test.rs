//! Elo of a match between two players, with its interval, from the points of pairs of games.

use crate::experiment::sequential::{ELO_PER_DEVIATION, Pentanomial};
use statrs::distribution::{ContinuousCDF, Normal};

/// A difference of strength with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Elo {
    /// The estimate.
    pub elo: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// Standard errors to each side of a 95 % interval.
const SURE: f64 = 1.96;

/// Elo of a share of the points, by the logistic law; of none or all of them a number far away.
pub fn logistic_elo(score: f64) -> f64 {
    let score = score.clamp(1e-6, 1.0 - 1e-6);
    400.0 * (score / (1.0 - score)).log10()
}

impl Pentanomial {
    /// Elo by the logistic law, with its interval.
    pub fn elo(&self) -> Elo {
        self.elo_within(SURE)
    }

    /// Elo by the logistic law, with an interval of so many standard errors to each side.
    pub fn elo_within(&self, reach: f64) -> Elo {
        self.interval(reach, logistic_elo)
    }

    /// Normalized Elo, with its interval; NaN where all pairs are of one kind, whose deviation nobody knows.
    pub fn normalized(&self) -> Elo {
        let deviation = if self.single_kind().is_some() { f64::NAN } else { self.mean().1 };
        self.interval(SURE, |score| (score - 0.5) / (deviation * std::f64::consts::SQRT_2) * ELO_PER_DEVIATION)
    }

    fn interval(&self, reach: f64, elo: impl Fn(f64) -> f64) -> Elo {
        let (mean, deviation) = self.mean();
        let pairs = self.count() as f64;
        let (low, high) = match self.single_kind() {
            // So many alike show no spread. Were a share q of all pairs of other kinds, none would be met with (1 - q)^n; at worst those are all
            // lost, or all won.
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

    /// How likely it is that the first player is the stronger, all differences alike before the match. NaN of none.
    pub fn superiority(&self) -> f64 {
        let (mean, deviation) = self.mean();
        Normal::standard().cdf((mean - 0.5) / deviation * (self.count() as f64).sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: 10 pairs of two draws each and 10 won 1.5 to 0.5 have mean 0.625, deviation 0.125; Elo 400 log10(5/3) = 88.7;
    /// normalized 0.125 / (0.125 sqrt 2) x 347.44 = 245.7; half-width 1.96 x 0.125 / sqrt 20 of the score = 0.0548.
    #[test]
    fn elo_by_hand() {
        let pairs = Pentanomial([0, 0, 10, 10, 0]);
        assert!((pairs.elo().elo - 88.74).abs() < 0.1, "{:?}", pairs.elo());
        assert!((pairs.normalized().elo - 245.67).abs() < 0.5, "{:?}", pairs.normalized());
        let low = 400.0 * (0.5702_f64 / 0.4298).log10();
        assert!((pairs.elo().low - low).abs() < 0.2, "{:?} {low}", pairs.elo());
        // Ten pairs of mean 0.55 and variance 0.035: 0.05 x sqrt(10 / 0.035) = 0.845 standard errors above a half, 0.8010 of the normal law.
        let nearly = Pentanomial([0, 2, 4, 4, 0]).superiority();
        assert!((nearly - 0.8010).abs() < 1e-3, "{nearly}");
        assert!(Pentanomial::default().superiority().is_nan());
        assert!(pairs.superiority() > 0.9999 && (Pentanomial([1, 2, 3, 2, 1]).superiority() - 0.5).abs() < 1e-9);
    }

    /// Ten pairs that are all lost: with 2.5 % none of other kinds is met where these are 0.3085 of all (1 - 0.025^0.1), and all of them may be won:
    /// 400 log10(0.3085 / 0.6915) = -140.2. A thousand all drawn: 0.003682, half to each side, +-1.28.
    #[test]
    fn pairs_that_are_all_alike_have_an_exact_interval() {
        let lost = Pentanomial([10, 0, 0, 0, 0]).elo();
        assert!((lost.high + 140.2).abs() < 0.1 && lost.low <= lost.elo && lost.elo < -1000.0, "{lost:?}");
        let won = Pentanomial([0, 0, 0, 0, 10]).elo();
        assert!((won.low - 140.2).abs() < 0.1 && won.high >= won.elo, "{won:?}");
        let drawn = Pentanomial([0, 0, 1000, 0, 0]).elo();
        assert!((drawn.low + 1.28).abs() < 0.01 && (drawn.high - 1.28).abs() < 0.01, "{drawn:?}");
        assert!([lost, won, drawn].iter().all(|elo| elo.low <= elo.elo && elo.elo <= elo.high));
        assert!(Pentanomial([0, 0, 9, 0, 0]).normalized().elo.is_nan());
        assert_eq!(Pentanomial([0, 0, 9, 1, 0]).single_kind(), None);
        assert_eq!((Pentanomial([0; 5]).single_kind(), Pentanomial([0, 3, 0, 0, 0]).single_kind()), (None, Some(0.25)));
    }

    #[test]
    fn sides_swapped_turn_the_sign() {
        let (pairs, turned) = (Pentanomial([3, 40, 80, 60, 9]), Pentanomial([9, 60, 80, 40, 3]));
        assert!((pairs.elo().elo + turned.elo().elo).abs() < 1e-9);
    }

    /// Of who won every game nobody knows how much the stronger he is: 400 log10 of a million stands for the far end of his interval, on either side.
    #[test]
    fn the_end_of_a_clean_score_is_a_number() {
        let [won, lost] = [[0, 0, 0, 0, 9], [9, 0, 0, 0, 0]].map(|pairs| Pentanomial(pairs).elo());
        assert!((won.high - 2400.0).abs() < 1e-3 && (lost.low + 2400.0).abs() < 1e-3, "{won:?} {lost:?}");
        assert!((won.low + lost.high).abs() < 1e-6 && won.low < won.elo && won.elo < won.high, "{won:?} {lost:?}");
    }
}
