//! A screen and what decides after it: which variants games have to tell apart, and what the games said.

#[cfg(test)]
use super::line::{Line, Measure};
use super::match_test::Elo;
use super::summary::Summary;
use crate::experiment::sequential::Pentanomial;
use statrs::distribution::{ContinuousCDF, Normal};
use std::cmp::Ordering;

/// What a screen leaves.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Screened {
    /// The variant with the least of the first metric.
    pub best: String,
    /// The variants that play, the best among them, in the order of the summary.
    pub left: Vec<String>,
    /// The variants that do not.
    pub dropped: Vec<String>,
}

/// Leaves the variants that games have to tell apart. By nodes those within a margin of Elo of the best, at so much Elo for a factor of e; by any
/// other metric those whose interval meets that of the best. The baseline always plays: it is what the user has. Where nodes may mislead nothing is
/// screened by them.
pub fn screen(summary: &Summary, nodes_mislead: bool, margin: f64, price: f64) -> Screened {
    let nodes = summary.metrics.first().is_some_and(|metric| metric.is_nodes());
    let ratio = |at: usize| {
        let ratio = summary.lines[at].ratio();
        if summary.lines[at].is_baseline { (1.0, 1.0, 1.0) } else { (ratio.mean, ratio.low, ratio.high) }
    };
    let known = (0..summary.lines.len()).filter(|&at| !ratio(at).0.is_nan());
    let Some(best) = known.min_by(|&a, &b| ratio(a).0.total_cmp(&ratio(b).0)) else { return Screened::default() };
    let plays = |at: usize| {
        let ((mean, low, _), (least, _, high)) = (ratio(at), ratio(best));
        let near = if nodes { price * (mean / least).ln() <= margin } else { low <= high };
        at == best || summary.lines[at].is_baseline || mean.is_nan() || nodes && nodes_mislead || near
    };
    let (left, dropped): (Vec<usize>, Vec<usize>) = (0..summary.lines.len()).partition(|&at| plays(at));
    let names = |places: Vec<usize>| places.into_iter().map(|at| summary.lines[at].name.clone()).collect();
    Screened { best: summary.lines[best].name.clone(), left: names(left), dropped: names(dropped) }
}

/// A variant that played against the best of the screen.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Contender {
    /// The variant.
    pub name: String,
    /// Its pairs against the best of the screen.
    pub pairs: Pentanomial,
}

impl Contender {
    /// Elo against the best, with an interval that holds for all contenders and at every look together.
    pub fn elo(&self, reach: f64) -> Elo {
        self.pairs.elo_within(reach)
    }

    /// Whether it is the stronger or the weaker; none where that is undecided.
    pub fn decided(&self, reach: f64) -> Option<Ordering> {
        let Elo { low, high, .. } = self.elo(reach);
        if low > 0.0 {
            Some(Ordering::Greater)
        } else if high < 0.0 {
            Some(Ordering::Less)
        } else {
            None
        }
    }
}

/// Standard errors to each side of intervals that hold at 95 % for all contenders and at every look together (Bonferroni).
pub fn reach(contenders: usize, looks: usize) -> f64 {
    Normal::standard().inverse_cdf(1.0 - 0.025 / (contenders.max(1) * looks.max(1)) as f64)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::analysis::pairing::ratio::Ratio;
    use crate::analysis::rows::metric::Metric;
    use crate::record::columns;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    fn summary(metric: &str, lines: &[(&str, f64, f64, f64)]) -> Summary {
        let line = |&(name, mean, low, high): &(&str, f64, f64, f64)| Line {
            name: name.to_owned(),
            is_baseline: name == "base",
            measures: vec![Measure { ratio: Ratio { mean, low, high, ..Ratio::default() }, ..Measure::default() }],
            ..Line::default()
        };
        Summary { lines: lines.iter().map(line).collect(), metrics: vec![Metric::of(metric)], ..Summary::default() }
    }

    /// By hand: at 212 Elo for a factor of e 40 Elo are a factor of e^(40/212) = 1.2077.
    #[test]
    fn a_screen_leaves_what_lies_within_the_margin() {
        let nan = f64::NAN;
        let lines = [
            ("base", 1.0, nan, nan),
            ("a", 0.7, 0.6, 0.8),
            ("b", 0.845, 0.8, 0.9),
            ("c", 0.846, 0.8, 0.9),
            ("d", nan, nan, nan),
        ];
        let of = |metric: &str, mislead: bool, margin: f64| {
            let found = screen(&summary(metric, &lines), mislead, margin, 212.0);
            (found.best.clone(), found.left.join(" "), found.dropped.join(" "))
        };
        let all = |left: &str, dropped: &str| ("a".to_owned(), left.to_owned(), dropped.to_owned());
        assert_eq!(of(columns::NODES, false, 40.0), all("base a b d", "c"));
        assert_eq!(of(columns::NODES, false, 0.0), all("base a d", "b c"));
        assert_eq!(of(columns::NODES, true, 0.0), all("base a b c d", ""), "nothing is screened by what may mislead");
        // By score errors the intervals meet at 0.8.
        assert_eq!(of(columns::SCORE_ERROR, true, 0.0), all("base a b c d", ""));
        let apart = [("base", 1.0, nan, nan), ("a", 0.7, 0.6, 0.79), ("b", 0.85, 0.8, 0.9)];
        let found = screen(&summary(columns::SCORE_ERROR, &apart), true, 40.0, 212.0);
        assert_eq!((found.left, found.dropped), (vec!["base".to_owned(), "a".to_owned()], vec!["b".to_owned()]));
        assert_eq!(screen(&summary(columns::NODES, &[]), false, 40.0, 212.0), Screened::default());
    }

    /// One contender and one look are the usual 1.96; five looks at three contenders share 5 % among fifteen.
    #[test]
    fn looks_and_contenders_share_the_level() {
        assert!((reach(1, 1) - 1.960).abs() < 1e-3 && (reach(3, 5) - 2.935).abs() < 1e-3);
        let one = |pairs: [u64; 5]| Contender { name: "x".to_owned(), pairs: Pentanomial(pairs) }.decided(reach(1, 1));
        assert_eq!(one([0, 10, 10, 40, 40]), Some(Ordering::Greater));
        assert_eq!(one([40, 40, 10, 10, 0]), Some(Ordering::Less));
        assert_eq!(one([10, 20, 40, 20, 10]), None);
    }

    /// Of contenders that are no stronger than the best, looked at after 50, 100, 200 and 400 pairs, no more than one in twenty is ever told from it.
    #[test]
    fn equal_players_are_seldom_told_apart_at_any_look() {
        let (mut message, reach) = (0, reach(1, 4));
        for run in 0..400 {
            let mut random = Pcg64::seed_from_u64(run);
            let mut one = Contender::default();
            let mut ever = false;
            for look in [50, 50, 100, 200] {
                (0..look).for_each(|_| one.pairs.add([0.0, 0.5, 1.0, 1.0, 1.5, 2.0][random.random_range(0..6)]));
                ever |= one.decided(reach).is_some();
            }
            message += i32::from(ever);
        }
        assert!((1..=20).contains(&message), "{message} of 400");
    }
}
