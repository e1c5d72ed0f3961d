//! The sequential test of a match: the generalized sequential probability ratio test (GSPRT) on
//! normalized Elo over pairs of games.
//!
//! The sampling unit is a pair of games from one opening with colours swapped, so that the
//! opening's advantage cancels. A pair is worth 0, 1/2, 1, 3/2 or 2 points. Sources: M. Van den
//! Bergh, "A practical introduction to the GSPRT" and "Normalized Elo", 2018-2021; A. Wald,
//! "Sequential Analysis", 1947.

use crate::text::signed;

/// Counts of pairs with 0, 1/2, 1, 3/2 and 2 points for the first player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pentanomial(pub [u64; 5]);

/// The two hypotheses of a test in normalized Elo, and its error rates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// The difference under H0.
    pub elo0: f64,
    /// The difference under H1.
    pub elo1: f64,
    /// Probability of accepting H1 if H0 is true.
    pub alpha: f64,
    /// Probability of accepting H0 if H1 is true.
    pub beta: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestState {
    /// Neither bound is reached: more pairs are needed.
    Continue,
    H0,
    H1,
}

/// The points per game of each kind of pair, from 0 to 1.
const POINTS: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// Normalized Elo of one standard deviation of a game's points.
const ELO_PER_DEVIATION: f64 = 800.0 / std::f64::consts::LN_10;

/// The count used for a kind of pair that did not occur, so that no likelihood is 0.
const EMPTY_COUNT: f64 = 1e-3;

impl Pentanomial {
    /// Adds a pair of games. `points` is the sum of the points of both games, from 0 to 2.
    pub fn add(&mut self, points: f64) {
        self.0[(points * 2.0).round() as usize % 5] += 1;
    }

    pub fn count(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The mean and the standard deviation of the points per game. Both are NaN without pairs.
    pub fn mean_and_deviation(&self) -> (f64, f64) {
        mean_and_deviation(&self.shares().0)
    }

    pub fn single_kind(&self) -> Option<f64> {
        let mut kinds = self.0.iter().zip(POINTS).filter(|(count, _)| **count > 0);
        kinds.next().filter(|_| kinds.next().is_none()).map(|(_, points)| points)
    }

    /// The total is NaN if there are no pairs.
    fn shares(&self) -> ([f64; 5], f64) {
        let counts = self.0.map(|count| if count == 0 { EMPTY_COUNT } else { count as f64 });
        let total = if self.count() == 0 { f64::NAN } else { counts.iter().sum() };
        (counts.map(|count| count / total), total)
    }

    /// The log-likelihood ratio of two hypotheses. They state that the difference in normalized Elo
    /// is `elo1`, and that the difference is `elo0`. Each hypothesis is represented by its most
    /// likely distribution. The ratio is 0 if there are no pairs.
    pub fn llr(&self, elo0: f64, elo1: f64) -> f64 {
        let (shares, total) = self.shares();
        if total.is_nan() {
            return 0.0;
        }
        // The points per game of a pair are the mean of two games, so their standard deviation is
        // smaller than the standard deviation of a single game by a factor of root 2.
        let [shares0, shares1] =
            [elo0, elo1].map(|elo| constrained_shares(&shares, std::f64::consts::SQRT_2 * elo / ELO_PER_DEVIATION));
        let log_ratios = shares0.iter().zip(&shares1).map(|(p0, p1)| (p1 / p0).ln());
        total * shares.iter().zip(log_ratios).map(|(share, log_ratio)| share * log_ratio).sum::<f64>()
    }

    pub fn decide(&self, bounds: &Bounds) -> TestState {
        bounds.decide(self.llr(bounds.elo0, bounds.elo1))
    }
}

impl Bounds {
    /// Source: Wald, 1947.
    pub fn limits(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// Describes a log-likelihood ratio with its limits, and with the decision if there is one.
    pub fn describe(&self, llr: f64) -> String {
        let (lower, upper) = self.limits();
        let decision = match self.decide(llr) {
            TestState::Continue => "",
            TestState::H0 => ": H0 accepted",
            TestState::H1 => ": H1 accepted",
        };
        format!("LLR {} [{lower:.2}, {upper:.2}]{decision}", signed(llr, 2))
    }

    pub fn decide(&self, llr: f64) -> TestState {
        let (lower, upper) = self.limits();
        if llr >= upper {
            TestState::H1
        } else if llr <= lower {
            TestState::H0
        } else {
            TestState::Continue
        }
    }
}

fn mean_and_deviation(shares: &[f64; 5]) -> (f64, f64) {
    let mean: f64 = shares.iter().zip(POINTS).map(|(share, points)| share * points).sum();
    let variance: f64 = shares.iter().zip(POINTS).map(|(share, points)| share * (points - mean).powi(2)).sum();
    (mean, variance.sqrt())
}

/// Below this many standard deviations, the iteration of [`constrained_shares`] starts from uniform
/// shares.
const MAX_UNIFORM_START: f64 = 0.9;

/// By Lagrange's method, p = share / (1 + x b), where b is the derivative of the constraint. As b
/// depends on the mean and the deviation of p, a fixed-point iteration finds p. Each of its steps
/// solves for x. If the iteration starts from uniform shares, it converges up to t = 2 sqrt(2) / 3,
/// as long as some b is positive. If it starts from a distribution of only wins and losses that
/// satisfies the constraint, it converges for any t.
fn constrained_shares(shares: &[f64; 5], t: f64) -> [f64; 5] {
    let loss_share = 0.5 - 0.5 * t / t.hypot(1.0);
    let mut p = if t.abs() < MAX_UNIFORM_START { [0.2; 5] } else { [loss_share, 0.0, 0.0, 0.0, 1.0 - loss_share] };
    for _ in 0..50 {
        let (mean, deviation) = mean_and_deviation(&p);
        let b = POINTS.map(|points| points - 0.5 - t * deviation * (1.0 + ((points - mean) / deviation).powi(2)) / 2.0);
        let x = solve_multiplier(shares, &b);
        let previous_p = p;
        p = std::array::from_fn(|index| shares[index] / (1.0 + x * b[index]));
        if p.iter().zip(previous_p).all(|(share, previous)| (share - previous).abs() < 1e-12) {
            break;
        }
    }
    p
}

/// Between the two poles of the sum that are nearest to 0, the sum decreases in x, so bisection
/// finds x.
fn solve_multiplier(shares: &[f64; 5], b: &[f64; 5]) -> f64 {
    let (minimum, maximum) =
        b.iter().fold((f64::MAX, f64::MIN), |(minimum, maximum), &b| (minimum.min(b), maximum.max(b)));
    // There are two poles only if b has both signs.
    if minimum >= 0.0 || maximum <= 0.0 {
        return 0.0;
    }
    let (mut low, mut high) = (-1.0 / maximum, -1.0 / minimum);
    for _ in 0..200 {
        let x = f64::midpoint(low, high);
        if x <= low || x >= high {
            break;
        }
        let sum: f64 = shares.iter().zip(b).map(|(share, b)| share * b / (1.0 + x * b)).sum();
        if sum > 0.0 { low = x } else { high = x }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    /// Pair counts, bounds and log-likelihood ratios of finished tests, as four projects published
    /// them.
    #[test]
    fn llr_matches_published_tests() {
        for (name, pairs, elo0, elo1, llr) in [
            ("Soul 90", [497, 1751, 2982, 1860, 556], 0.0, 5.0, 2.98),
            ("Rose 112", [86, 1022, 2011, 1110, 119], 0.0, 5.0, 2.91),
            ("Stockfish 6113", [26, 6712, 17798, 7081, 27], 0.5, 2.5, 2.97),
            ("PlentyChess 397", [38, 1967, 4213, 1855, 30], 0.0, 2.5, -2.25),
        ] {
            let actual = Pentanomial(pairs).llr(elo0, elo1);
            assert!((actual - llr).abs() < 0.01, "{name}: {actual}");
        }
    }

    /// Wald's limits by hand for unequal errors: ln(0.1 / 0.95) and ln(0.9 / 0.05).
    #[test]
    fn limits_match_wald_by_hand() {
        let bounds = Bounds { elo0: -3.0, elo1: 7.0, alpha: 0.05, beta: 0.1 };
        let (lower, upper) = bounds.limits();
        assert!((lower + 2.2513).abs() < 1e-4, "{lower} {upper}");
        assert!((upper - 2.8904).abs() < 1e-4, "{lower} {upper}");
        for (llr, state) in
            [(-2.26, TestState::H0), (-2.25, TestState::Continue), (2.89, TestState::Continue), (2.9, TestState::H1)]
        {
            assert_eq!(bounds.decide(llr), state, "{llr}");
        }
    }

    /// The constraint holds for all values that a file may give: the mean is t deviations above one
    /// half, on both sides of the switch between starting points.
    #[test]
    fn constrained_shares_have_the_required_mean() {
        for counts in [[0, 0, 5, 0, 0], [1, 2, 3, 2, 1], [0, 0, 1, 3, 9], [9, 0, 0, 0, 0], [1, 5, 20, 6, 2]] {
            let (shares, _) = Pentanomial(counts).shares();
            for elo in [-1000.0, -300.0, -232.0, -220.0, 0.0, 220.0, 222.0, 231.0, 232.0, 300.0, 1000.0] {
                let t = std::f64::consts::SQRT_2 * elo / ELO_PER_DEVIATION;
                let (mean, deviation) = mean_and_deviation(&constrained_shares(&shares, t));
                assert!((mean - 0.5 - t * deviation).abs() < 1e-6, "{counts:?} {elo}: {mean} {deviation}");
            }
        }
        // By hand, for draws alone: shares q at one half and 1 - q above it have a mean t
        // deviations above one half if q = 1 / (1 + t t).
        for elo in [200.0, 300.0, 600.0] {
            let t = std::f64::consts::SQRT_2 * elo / ELO_PER_DEVIATION;
            let (actual, expected) = (Pentanomial([0, 0, 40, 0, 0]).llr(0.0, elo), -40.0 * (1.0 + t * t).ln());
            assert!((actual / expected - 1.0).abs() < 0.01, "{elo}: {actual}, wanted {expected}");
        }
        // A player that loses all games is not 300 Elo stronger.
        let bounds = Bounds { elo0: 0.0, elo1: 300.0, alpha: 0.05, beta: 0.05 };
        assert_eq!(Pentanomial([9, 0, 0, 0, 0]).decide(&bounds), TestState::H0);
    }

    #[test]
    fn llr_changes_sign_when_sides_are_swapped() {
        let (pairs, swapped) = (Pentanomial([3, 40, 80, 60, 9]), Pentanomial([9, 60, 80, 40, 3]));
        assert!((pairs.llr(-5.0, 5.0) + swapped.llr(-5.0, 5.0)).abs() < 1e-9);
        assert_eq!(Pentanomial::default().llr(0.0, 5.0).to_bits(), 0.0_f64.to_bits());
    }

    /// A thousand tests of two equal players, and of one that is better by H1: each error rate is
    /// at most the requested 0.05, up to three standard errors, and the number of pairs is about
    /// what Wald (1947) expects: the drift per pair is t^2/2, plus a small overshoot.
    #[test]
    fn simulated_error_rates_stay_within_bounds() {
        let bounds = Bounds { elo0: 0.0, elo1: 60.0, alpha: 0.05, beta: 0.05 };
        let fair = [0.05, 0.2, 0.5, 0.2, 0.05];
        let t = std::f64::consts::SQRT_2 * bounds.elo1 / ELO_PER_DEVIATION;
        let better = constrained_shares(&fair, t);
        let tests = 1000;
        let maximum = 0.05 + 3.0 * (0.05 * 0.95 / f64::from(tests)).sqrt();
        let wald = (0.95 - 0.05) * (0.95_f64 / 0.05).ln() / (t * t / 2.0);
        for (truth, wrong) in [(fair, TestState::H1), (better, TestState::H0)] {
            let mut random = Pcg64::seed_from_u64(5);
            let (mut errors, mut pairs) = (0, 0);
            for _ in 0..tests {
                let (decision, pairs_played) = simulate(&truth, &bounds, &mut random);
                errors += u32::from(decision == wrong);
                pairs += pairs_played;
            }
            assert!(f64::from(errors) / f64::from(tests) <= maximum, "{wrong:?} {errors} of {tests}");
            let mean = pairs as f64 / f64::from(tests);
            assert!((0.9..1.4).contains(&(mean / wald)), "{mean} pairs, {wald} by Wald");
        }
    }

    /// Plays a test in which the kinds of pairs have the shares `truth`; returns the decision and
    /// the number of pairs. The state is checked after every four pairs.
    fn simulate(truth: &[f64; 5], bounds: &Bounds, random: &mut Pcg64) -> (TestState, u64) {
        let mut pairs = Pentanomial::default();
        loop {
            for _ in 0..4 {
                let mut draw: f64 = random.random();
                let kind = truth.iter().position(|share| {
                    draw -= share;
                    draw < 0.0
                });
                pairs.0[kind.unwrap_or(4)] += 1;
            }
            match pairs.decide(bounds) {
                TestState::Continue => {}
                decision => return (decision, pairs.count()),
            }
        }
    }

    /// Each kind of pair has its slot; mean and deviation are those of a game, computed by hand for
    /// 1, 0, 2, 0, 1 pairs of 0, 1/2, 1, 3/2 and 2 points.
    #[test]
    fn pair_is_counted_by_its_points() {
        let mut pairs = Pentanomial::default();
        [0.0, 0.5, 0.5, 1.0, 1.0, 1.0, 1.5, 2.0, 2.0].iter().for_each(|&points| pairs.add(points));
        assert_eq!((pairs, pairs.count()), (Pentanomial([1, 2, 3, 1, 2]), 9));
        // Kinds that did not occur count 0.001 pairs: mean (0 + 2 * 0.5 + 1) / 4, variance (0.25 +
        // 0.25) / 4.
        let (mean, deviation) = Pentanomial([1, 0, 2, 0, 1]).mean_and_deviation();
        assert!((mean - 0.5).abs() < 1e-9, "{mean} {deviation}");
        assert!((deviation - 0.125_f64.sqrt()).abs() < 1e-3, "{mean} {deviation}");
        let (mean, _) = Pentanomial([0, 0, 0, 3, 1]).mean_and_deviation();
        assert!((mean - 3.25 / 4.0).abs() < 1e-3, "{mean}");
        assert!(Pentanomial::default().mean_and_deviation().0.is_nan());
        // Pairs of one kind (first, middle, last), of two kinds, and none.
        let kinds = [[2, 0, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 0, 3], [1, 0, 0, 0, 1], [0, 2, 1, 0, 0], [0; 5]];
        let expected = [Some(0.0), Some(0.5), Some(1.0), None, None, None];
        assert_eq!(kinds.map(|counts| Pentanomial(counts).single_kind()), expected);
        // The mean of the solution is t deviations above one half.
        for t in [-0.3, 0.0, 0.2] {
            let p = constrained_shares(&[0.1, 0.2, 0.3, 0.25, 0.15], t);
            let (mean, deviation) = mean_and_deviation(&p);
            assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{t}: {p:?}");
            assert!(((mean - 0.5) / deviation - t).abs() < 1e-6, "{t}: {p:?}");
        }
        assert!(solve_multiplier(&[0.2; 5], &[0.1, 0.2, 0.3, 0.4, 0.5]).abs() < 1e-12);
        assert!(solve_multiplier(&[0.2; 5], &[-0.1; 5]).abs() < 1e-12);
    }
}
