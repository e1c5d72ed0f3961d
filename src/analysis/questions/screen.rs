//! Screening: the variants that still have to be compared by games, and the results of those games.

use super::match_test::{Elo, TAIL};
use super::summary::Summary;
use crate::stats::gsprt::Pentanomial;
use std::cmp::Ordering;

/// The result of a screen.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScreenResult {
    /// The variant with the least of the first metric.
    pub best: String,
    /// The variants that play, in the order of the summary, the best among them.
    pub remaining: Vec<String>,
    /// The variants that were dropped.
    pub dropped: Vec<String>,
}

/// Selects the variants that have to be compared by games. By nodes, those within `margin` Elo of
/// the best, at `price` Elo per factor of e; by another metric, those whose interval overlaps that
/// of the best. The baseline always plays. If nodes may mislead they screen nothing.
pub fn screen(summary: &Summary, nodes_mislead: bool, margin: f64, price: f64) -> ScreenResult {
    let nodes = summary.metrics.first().is_some_and(|metric| metric.is_nodes());
    let ratio = |index: usize| {
        let ratio = summary.lines[index].ratio();
        if summary.lines[index].is_baseline { (1.0, 1.0, 1.0) } else { (ratio.mean, ratio.low, ratio.high) }
    };
    let known = (0..summary.lines.len()).filter(|&index| !ratio(index).0.is_nan());
    let Some(best) = known.min_by(|&a, &b| ratio(a).0.total_cmp(&ratio(b).0)) else { return ScreenResult::default() };
    let plays = |index: usize| {
        let ((mean, low, _), (least, _, high)) = (ratio(index), ratio(best));
        let near = if nodes { price * (mean / least).ln() <= margin } else { low <= high };
        index == best || summary.lines[index].is_baseline || mean.is_nan() || nodes && nodes_mislead || near
    };
    let (remaining, dropped): (Vec<usize>, Vec<usize>) = (0..summary.lines.len()).partition(|&index| plays(index));
    let names = |places: Vec<usize>| places.into_iter().map(|index| summary.lines[index].name.clone()).collect();
    ScreenResult { best: summary.lines[best].name.clone(), remaining: names(remaining), dropped: names(dropped) }
}

/// A variant that played against the best of the screen.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Contender {
    pub name: String,
    /// Its pairs against the best of the screen.
    pub pairs: Pentanomial,
}

impl Contender {
    /// Elo against the best, with an interval that holds for all contenders and all looks together.
    pub fn elo(&self, tail: f64) -> Elo {
        self.pairs.elo_with_tail(tail)
    }

    /// Whether it is stronger (greater) or weaker than the best; none if undecided.
    pub fn decision(&self, tail: f64) -> Option<Ordering> {
        let Elo { low, high, .. } = self.elo(tail);
        if low > 0.0 {
            Some(Ordering::Greater)
        } else if high < 0.0 {
            Some(Ordering::Less)
        } else {
            None
        }
    }
}

/// The probability beyond each end of 95 % intervals that hold for all contenders and all looks
/// together (Bonferroni).
pub fn joint_tail(contenders: usize, looks: usize) -> f64 {
    TAIL / (contenders.max(1) * looks.max(1)) as f64
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::line::{Line, Measure};
    use super::*;
    use crate::analysis::rows::metric::Metric;
    use crate::record::columns;
    use crate::stats::ratio::Ratio;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    fn summary(metric: &str, lines: &[(&str, f64, f64, f64)]) -> Summary {
        let line = |&(name, mean, low, high): &(&str, f64, f64, f64)| Line {
            name: name.to_owned(),
            is_baseline: name == "base",
            measures: vec![Measure { ratio: Ratio { mean, low, high, ..Ratio::default() }, ..Measure::default() }],
            ..Line::default()
        };
        Summary {
            lines: lines.iter().map(line).collect(),
            metrics: vec![Metric::from_column(metric)],
            ..Summary::default()
        }
    }

    /// By hand: at 212 Elo per factor of e, 40 Elo are a factor of e^(40/212) = 1.2077.
    #[test]
    fn screen_keeps_variants_within_the_margin() {
        let nan = f64::NAN;
        let lines = [
            ("base", 1.0, nan, nan),
            ("a", 0.7, 0.6, 0.8),
            ("b", 0.845, 0.8, 0.9),
            ("c", 0.846, 0.8, 0.9),
            ("d", nan, nan, nan),
        ];
        let screen_by = |metric: &str, mislead: bool, margin: f64| {
            let found = screen(&summary(metric, &lines), mislead, margin, 212.0);
            (found.best.clone(), found.remaining.join(" "), found.dropped.join(" "))
        };
        let all = |remaining: &str, dropped: &str| ("a".to_owned(), remaining.to_owned(), dropped.to_owned());
        assert_eq!(screen_by(columns::NODES, false, 40.0), all("base a b d", "c"));
        assert_eq!(screen_by(columns::NODES, false, 0.0), all("base a d", "b c"));
        assert_eq!(
            screen_by(columns::NODES, true, 0.0),
            all("base a b c d", ""),
            "nothing is screened by what may mislead"
        );
        // By score error the intervals overlap at 0.8.
        assert_eq!(screen_by(columns::SCORE_ERROR, true, 0.0), all("base a b c d", ""));
        let separate = [("base", 1.0, nan, nan), ("a", 0.7, 0.6, 0.79), ("b", 0.85, 0.8, 0.9)];
        let found = screen(&summary(columns::SCORE_ERROR, &separate), true, 40.0, 212.0);
        assert_eq!((found.remaining, found.dropped), (vec!["base".to_owned(), "a".to_owned()], vec!["b".to_owned()]));
        assert_eq!(screen(&summary(columns::NODES, &[]), false, 40.0, 212.0), ScreenResult::default());
    }

    /// One contender and one look leave 2.5 % beyond each end; five looks at three contenders split
    /// 5 % into fifteen.
    #[test]
    fn contenders_and_looks_split_the_level() {
        assert!((joint_tail(1, 1) - 0.025).abs() < 1e-12);
        assert!((joint_tail(3, 5) - 0.025 / 15.0).abs() < 1e-12);
        let decide =
            |pairs: [u64; 5]| Contender { name: "x".to_owned(), pairs: Pentanomial(pairs) }.decision(joint_tail(1, 1));
        assert_eq!(decide([0, 10, 10, 40, 40]), Some(Ordering::Greater));
        assert_eq!(decide([40, 40, 10, 10, 0]), Some(Ordering::Less));
        assert_eq!(decide([10, 20, 40, 20, 10]), None);
    }

    /// Contenders as strong as the best, with looks after 50, 100, 200 and 400 pairs: at most one
    /// in twenty is ever decided.
    #[test]
    fn equal_players_are_rarely_decided_at_any_look() {
        let (mut decided_runs, tail) = (0, joint_tail(1, 4));
        for run in 0..400 {
            let mut random = Pcg64::seed_from_u64(run);
            let mut contender = Contender::default();
            let mut is_decided = false;
            for look in [50, 50, 100, 200] {
                (0..look).for_each(|_| contender.pairs.add([0.0, 0.5, 1.0, 1.0, 1.5, 2.0][random.random_range(0..6)]));
                is_decided |= contender.decision(tail).is_some();
            }
            decided_runs += i32::from(is_decided);
        }
        assert!((1..=20).contains(&decided_runs), "{decided_runs} of 400");
    }
}
