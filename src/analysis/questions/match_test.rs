//! Elo of a match between two players, with its interval, from the points of pairs of games.

use crate::experiment::sequential::{PER_DEVIATION, Pentanomial};
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

impl Pentanomial {
    /// Elo by the logistic law, with its interval.
    #[must_use]
    pub fn elo(&self) -> Elo {
        self.elo_within(SURE)
    }

    /// Elo by the logistic law, with an interval of so many standard errors to each side.
    #[must_use]
    pub fn elo_within(&self, reach: f64) -> Elo {
        self.interval(reach, |score| {
            let score = score.clamp(1e-6, 1.0 - 1e-6);
            400.0 * (score / (1.0 - score)).log10()
        })
    }

    /// Normalized Elo, with its interval.
    #[must_use]
    pub fn normalized(&self) -> Elo {
        let (_, deviation) = self.mean();
        self.interval(SURE, |score| (score - 0.5) / (deviation * std::f64::consts::SQRT_2) * PER_DEVIATION)
    }

    fn interval(&self, reach: f64, elo: impl Fn(f64) -> f64) -> Elo {
        let (mean, deviation) = self.mean();
        let reach = reach * deviation / (self.count() as f64).sqrt();
        Elo { elo: elo(mean), low: elo(mean - reach), high: elo(mean + reach) }
    }

    /// How likely it is that the first player is the stronger, all differences alike before the match. NaN of none.
    #[must_use]
    pub fn superiority(&self) -> f64 {
        let (mean, deviation) = self.mean();
        if mean.is_nan() {
            f64::NAN
        } else {
            Normal::standard().cdf((mean - 0.5) / deviation * (self.count() as f64).sqrt())
        }
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
        assert!(pairs.superiority() > 0.9999 && (Pentanomial([1, 2, 3, 2, 1]).superiority() - 0.5).abs() < 1e-9);
    }

    #[test]
    fn sides_swapped_turn_the_sign() {
        let (pairs, turned) = (Pentanomial([3, 40, 80, 60, 9]), Pentanomial([9, 60, 80, 40, 3]));
        assert!((pairs.elo().elo + turned.elo().elo).abs() < 1e-9);
    }
}
