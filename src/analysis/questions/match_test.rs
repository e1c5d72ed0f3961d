//! Computes the Elo difference of two players from the points of pairs of games. The interval
//! and the p-value use Student's t of the mean over pairs.

use crate::stats::gsprt::Pentanomial;
use crate::stats::sample::{smallest_p, t_quantile, t_two_sided_p};
use crate::text::signed;
use std::cmp::Ordering;

/// An Elo difference with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Elo {
    pub elo: f64,
    pub low: f64,
    pub high: f64,
}

impl std::fmt::Display for Elo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} Elo [{}, {}]", signed(self.elo, 1), signed(self.low, 1), signed(self.high, 1))
    }
}

impl Elo {
    /// Whether the whole interval lies above or below 0.
    pub fn sign(&self) -> Option<Ordering> {
        if self.low > 0.0 {
            return Some(Ordering::Greater);
        }
        (self.high < 0.0).then_some(Ordering::Less)
    }
}

/// The probability beyond each end of a 95 % interval.
pub const TAIL: f64 = 0.025;

/// Converts a score from 0 to 1 to logistic Elo. A score of 1 gives about 2400, and a score of 0
/// about -2400.
pub fn logistic_elo(score: f64) -> f64 {
    let score = score.clamp(1e-6, 1.0 - 1e-6);
    400.0 * (score / (1.0 - score)).log10()
}

impl Pentanomial {
    pub fn elo(&self) -> Elo {
        self.elo_with_tail(TAIL)
    }

    /// `tail` is the probability beyond each end of the interval.
    pub fn elo_with_tail(&self, tail: f64) -> Elo {
        let (mean, _) = self.mean_and_deviation();
        let (low, high) = match self.single_kind() {
            // All n pairs have the same points, so they show no spread. If a share q of all
            // possible pairs had other points, the probability of seeing none of them in n pairs
            // would be (1 - q)^n. In the worst case, this share is entirely lost or entirely won.
            Some(points) => {
                let unseen_share = 1.0 - tail.powf(1.0 / self.count() as f64);
                (points * (1.0 - unseen_share), points + (1.0 - points) * unseen_share)
            }
            None => {
                let half_width = t_quantile(self.count() as usize, 1.0 - tail) * self.standard_error();
                (mean - half_width, mean + half_width)
            }
        };
        Elo { elo: logistic_elo(mean), low: logistic_elo(low), high: logistic_elo(high) }
    }

    pub fn p(&self) -> f64 {
        let (mean, _) = self.mean_and_deviation();
        let t = (mean - 0.5) / self.standard_error();
        t_two_sided_p(self.count() as usize, t).max(smallest_p(self.count() as usize))
    }

    fn standard_error(&self) -> f64 {
        let (_, deviation) = self.mean_and_deviation();
        deviation / (self.count() as f64).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calculated by hand: 10 pairs of two draws each and 10 pairs won 1.5 to 0.5 have a mean of
    /// 0.625 points per game and a deviation of 0.125. The Elo is 400 log10(5/3) = 88.7. The
    /// score's interval has a half-width of 2.093 (19 degrees of freedom) x 0.125 / sqrt 20 =
    /// 0.0585.
    #[test]
    fn elo_equals_a_calculation_by_hand() {
        let pairs = Pentanomial([0, 0, 10, 10, 0]);
        assert!((pairs.elo().elo - 88.74).abs() < 0.1, "{:?}", pairs.elo());
        let low = 400.0 * (0.5665_f64 / 0.4335).log10();
        assert!((pairs.elo().low - low).abs() < 0.2, "{:?} {low}", pairs.elo());
    }

    /// Ten lost pairs: if 0.3085 (1 - 0.025^0.1) of all pairs had other points, none of them would
    /// be seen with a probability of 2.5 %. These pairs may all be won, which gives an upper end of
    /// 400 log10(0.3085 / 0.6915) = -140.2. For a thousand drawn pairs the share is 0.003682; half
    /// of it on each side gives +-1.28.
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
        assert_eq!(Pentanomial([0, 0, 9, 1, 0]).single_kind(), None);
        assert_eq!((Pentanomial([0; 5]).single_kind(), Pentanomial([0, 3, 0, 0, 0]).single_kind()), (None, Some(0.25)));
    }

    /// The interval's lower end is 0 if the probability beyond each end is half of p, because both
    /// use the same method.
    #[test]
    fn interval_excludes_zero_where_p_is_below_its_level() {
        for pairs in [[1, 5, 4, 9, 3], [2, 3, 20, 9, 1], [0, 1, 3, 3, 1], [0, 300, 400, 340, 2]].map(Pentanomial) {
            let p = pairs.p();
            assert!(pairs.elo_with_tail(p / 2.0 * 1.001).low > 0.0, "{pairs:?} {p}");
            assert!(pairs.elo_with_tail(p / 2.0 * 0.999).low < 0.0, "{pairs:?} {p}");
        }
        // Eight pairs with hardly any spread: p is not below that of eight equal signs.
        assert_eq!(Pentanomial([0, 0, 0, 1, 7]).p(), 2.0_f64.powi(-7));
    }

    #[test]
    fn swapped_players_have_the_opposite_elo() {
        let (pairs, mirrored) = (Pentanomial([3, 40, 80, 60, 9]), Pentanomial([9, 60, 80, 40, 3]));
        assert!((pairs.elo().elo + mirrored.elo().elo).abs() < 1e-9);
    }

    /// If all games were won or all lost, the true Elo is unknown: the far end of its interval is
    /// 400 log10 of a million.
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
