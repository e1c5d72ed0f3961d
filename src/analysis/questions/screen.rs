//! Selects the variants that have to be compared by games, and computes the results of these games.

use super::match_test::{Elo, TAIL};
use super::summary::Summary;
use crate::stats::gsprt::Pentanomial;
use std::cmp::Ordering;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScreenResult {
    /// The variant with the lowest ratio in the first metric.
    pub best: String,
    /// The variants that play games, in the order of the summary. The best variant is one of them.
    pub remaining: Vec<String>,
    pub dropped: Vec<String>,
}

/// Selects the variants that have to be compared by games. The best variant and the baseline are
/// always selected.
///
/// If the first metric is nodes, another variant is selected if it is at most `elo_margin` Elo
/// worse than the best variant. A variant that needs e times as many nodes counts as `elo_per_log`
/// Elo worse. If nodes may mislead, all variants are selected. If the first metric is not nodes,
/// another variant is selected if its interval overlaps the interval of the best variant.
pub fn screen(summary: &Summary, elo_margin: f64, elo_per_log: f64) -> ScreenResult {
    let is_by_nodes = summary.metrics.first().is_some_and(|metric| metric.is_nodes());
    // Returns the mean ratio of a line, and the two ends of the interval of the ratio.
    let ratio_and_interval = |index: usize| {
        let ratio = summary.lines[index].ratio();
        if summary.lines[index].is_baseline { [1.0; 3] } else { [ratio.mean, ratio.low, ratio.high] }
    };
    let mean_ratio = |index: usize| ratio_and_interval(index)[0];
    let lines_with_ratio = (0..summary.lines.len()).filter(|&index| !mean_ratio(index).is_nan());
    let Some(best) = lines_with_ratio.min_by(|&a, &b| mean_ratio(a).total_cmp(&mean_ratio(b))) else {
        return ScreenResult::default();
    };
    let plays = |index: usize| {
        let [mean, low, _] = ratio_and_interval(index);
        let [best_mean, _, best_high] = ratio_and_interval(best);
        let is_near = if is_by_nodes { elo_per_log * (mean / best_mean).ln() <= elo_margin } else { low <= best_high };
        let cannot_judge = mean.is_nan() || is_by_nodes && summary.nodes_mislead_reason.is_some();
        index == best || summary.lines[index].is_baseline || cannot_judge || is_near
    };
    let (remaining, dropped): (Vec<usize>, Vec<usize>) = (0..summary.lines.len()).partition(|&index| plays(index));
    let list_names = |lines: Vec<usize>| lines.into_iter().map(|index| summary.lines[index].name.clone()).collect();
    ScreenResult {
        best: summary.lines[best].name.clone(),
        remaining: list_names(remaining),
        dropped: list_names(dropped),
    }
}

/// A variant that played against the best of the screen.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Contender {
    pub name: String,
    pub pairs: Pentanomial,
}

impl Contender {
    /// `tail` is the probability beyond each end of the interval.
    pub fn decision(&self, tail: f64) -> Option<Ordering> {
        let Elo { low, high, .. } = self.pairs.elo_with_tail(tail);
        if low > 0.0 {
            Some(Ordering::Greater)
        } else if high < 0.0 {
            Some(Ordering::Less)
        } else {
            None
        }
    }
}

pub fn joint_tail(contender_count: usize, look_count: usize) -> f64 {
    TAIL / (contender_count.max(1) * look_count.max(1)) as f64
}

#[cfg(test)]
mod tests {
    use super::super::line::{Line, Measure};
    use super::*;
    use crate::analysis::rows::metric::Metric;
    use crate::record::columns;
    use crate::stats::ratio::Ratio;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    fn summary(metric: &str, mislead: bool, lines: &[(&str, f64, f64, f64)]) -> Summary {
        let line = |&(name, mean, low, high): &(&str, f64, f64, f64)| Line {
            name: name.to_owned(),
            is_baseline: name == "base",
            measures: vec![Measure { ratio: Ratio { mean, low, high, ..Ratio::default() }, ..Measure::default() }],
            ..Line::default()
        };
        Summary {
            lines: lines.iter().map(line).collect(),
            metrics: vec![Metric::from_column(metric)],
            nodes_mislead_reason: mislead.then(String::new),
            ..Summary::default()
        }
    }

    /// Calculated by hand: at 212 Elo per factor of e, 40 Elo are a factor of e^(40/212) = 1.2077.
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
            let result = screen(&summary(metric, mislead, &lines), margin, 212.0);
            (result.best.clone(), result.remaining.join(" "), result.dropped.join(" "))
        };
        let expect_names = |remaining: &str, dropped: &str| ("a".to_owned(), remaining.to_owned(), dropped.to_owned());
        assert_eq!(screen_by(columns::NODES, false, 40.0), expect_names("base a b d", "c"));
        assert_eq!(screen_by(columns::NODES, false, 0.0), expect_names("base a d", "b c"));
        assert_eq!(
            screen_by(columns::NODES, true, 0.0),
            expect_names("base a b c d", ""),
            "nothing is screened by what may mislead"
        );
        // By score error the intervals overlap at 0.8.
        assert_eq!(screen_by(columns::SCORE_ERROR, true, 0.0), expect_names("base a b c d", ""));
        let separate = [("base", 1.0, nan, nan), ("a", 0.7, 0.6, 0.79), ("b", 0.85, 0.8, 0.9)];
        let result = screen(&summary(columns::SCORE_ERROR, true, &separate), 40.0, 212.0);
        assert_eq!((result.remaining, result.dropped), (vec!["base".to_owned(), "a".to_owned()], vec!["b".to_owned()]));
        assert_eq!(screen(&summary(columns::NODES, false, &[]), 40.0, 212.0), ScreenResult::default());
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

    /// If a contender is as strong as the best, and there are looks after 50, 100, 200 and 400
    /// pairs, it is decided at any of them in at most one of twenty runs.
    #[test]
    fn equal_players_are_rarely_decided_at_any_look() {
        let (mut decided_runs, tail) = (0, joint_tail(1, 4));
        for run in 0..400 {
            let mut random = Pcg64::seed_from_u64(run);
            let mut contender = Contender::default();
            let mut is_decided = false;
            for new_pairs in [50, 50, 100, 200] {
                (0..new_pairs)
                    .for_each(|_| contender.pairs.add([0.0, 0.5, 1.0, 1.0, 1.5, 2.0][random.random_range(0..6)]));
                is_decided |= contender.decision(tail).is_some();
            }
            decided_runs += i32::from(is_decided);
        }
        assert!((1..=20).contains(&decided_runs), "{decided_runs} of 400");
    }
}
