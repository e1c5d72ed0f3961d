//! Selects the variants that have to be compared by games, predicts the results of these games, and
//! computes them.

use super::match_test::{Elo, TAIL};
use super::matches::Matches;
use super::pairwise::LinePair;
use super::summary::Summary;
use crate::analysis::rows::frame::Frame;
use crate::experiment::matches::Test;
use crate::stats::gsprt::Pentanomial;
use crate::stats::ratio::Ratio;
use std::cmp::Ordering;

/// The Elo that e (2.718) times as many nodes to a depth cost, with its 95 % interval. It was
/// measured between replacement rules of one size, in a search that does not ask its table how deep
/// to go, at 20,000 nodes a move. Source: `reports/measures/report.md`.
pub const PRICE: Elo = Elo { elo: 186.0, low: 119.0, high: 251.0 };

/// A variant plays games unless it is predicted to be more Elo than this behind the best variant.
pub const MARGIN: f64 = 60.0;

/// The number of searches with equal counts that make two variants the same one.
const SAME_AFTER: usize = 100;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScreenResult {
    /// The variant with the lowest ratio in the first metric.
    pub best: String,
    /// The variants that play games, in the order of the summary. The best variant is one of them.
    pub remaining: Vec<String>,
    pub dropped: Vec<String>,
    /// Why they were dropped.
    pub reason: String,
    /// The plies of own play that continued each position, if the searches did not go along games.
    pub self_play: u16,
    /// The variants with the same counts as an earlier variant in all of at least 100 searches,
    /// with the earlier variant and the number of searches. They do not play.
    pub same: Vec<(String, String, usize)>,
    /// The ratios of nodes of the first variant to the second. Empty if nodes may mislead.
    ratios: Vec<([String; 2], Ratio)>,
}

/// Selects the variants that have to be compared by games. The best variant and the baseline are
/// always selected, except that of variants with equal counts only the first is.
///
/// If the first metric is nodes, another variant is selected if it is predicted to be at most
/// [`MARGIN`] Elo worse than the best variant. If nodes may mislead, all variants are selected. If
/// the first metric is not nodes, another variant is selected if its interval overlaps the interval
/// of the best variant. `pairs` compares all lines with each other.
pub fn screen(summary: &Summary, pairs: &[LinePair]) -> ScreenResult {
    let is_by_nodes = summary.metrics.first().is_some_and(|metric| metric.is_nodes());
    let predicts = is_by_nodes && summary.nodes_mislead_reason.is_none();
    let name = |line: usize| summary.lines[line].name.clone();
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
    let same_as = |index: usize| {
        (0..index).find_map(|earlier| {
            let is_pair = |pair: &&LinePair| {
                [pair.line, pair.base] == [index, earlier] || [pair.base, pair.line] == [index, earlier]
            };
            let ratio = pairs.iter().find(is_pair)?.measure.ratio;
            (ratio.is_same() && ratio.pairs >= SAME_AFTER).then_some((earlier, ratio.pairs))
        })
    };
    let plays = |index: usize| {
        let [mean, low, _] = ratio_and_interval(index);
        let [best_mean, _, best_high] = ratio_and_interval(best);
        let is_near = if is_by_nodes { PRICE.elo * (mean / best_mean).ln() <= MARGIN } else { low <= best_high };
        let cannot_judge = mean.is_nan() || is_by_nodes && !predicts;
        index == best || summary.lines[index].is_baseline || cannot_judge || is_near
    };
    let reason = match is_by_nodes {
        true => format!("more than {MARGIN} Elo behind \"{}\" by nodes ({} Elo a factor of e)", name(best), PRICE.elo),
        false => format!("clearly behind \"{}\" by {}", name(best), summary.metrics[0].name),
    };
    let mut result = ScreenResult { best: name(best), reason, ..ScreenResult::default() };
    for index in 0..summary.lines.len() {
        match same_as(index) {
            Some((earlier, searches)) => result.same.push((name(index), name(earlier), searches)),
            None if plays(index) => result.remaining.push(name(index)),
            None => result.dropped.push(name(index)),
        }
    }
    let to_ratio = |pair: &LinePair| ([name(pair.line), name(pair.base)], pair.measure.ratio);
    result.ratios = pairs.iter().filter(|_| predicts).map(to_ratio).collect();
    result
}

impl ScreenResult {
    /// Predicts the Elo of a variant against another from their nodes. The interval covers the
    /// uncertainty of the ratio of nodes and that of [`PRICE`].
    pub fn predict(&self, player: &str, opponent: &str) -> Option<Elo> {
        let find = |names: [&str; 2]| self.ratios.iter().find(|(found, _)| *found == names).map(|(_, ratio)| ratio);
        let (ratio, sign) = find([player, opponent])
            .map(|ratio| (ratio, -1.0))
            .or_else(|| find([opponent, player]).map(|ratio| (ratio, 1.0)))?;
        let elo = sign * PRICE.elo * ratio.mean.ln();
        let of_ratio = PRICE.elo * (ratio.high / ratio.low).ln() / 2.0;
        let half_width = of_ratio.hypot(ratio.mean.ln() * (PRICE.high - PRICE.low) / 2.0);
        half_width.is_finite().then_some(Elo { elo, low: elo - half_width, high: elo + half_width })
    }
}

/// A variant that played against the best of the screen.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Contender {
    pub name: String,
    pub pairs: Pentanomial,
}

/// The games of all stages between the best of the screen and the other variants.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Confirmation {
    /// The best variant of the screen, against which all others played.
    pub best: String,
    /// In the order of the file.
    pub contenders: Vec<Contender>,
    /// The probability beyond each end of the intervals, so that they hold jointly for all variants
    /// and stages.
    pub tail: f64,
}

impl Confirmation {
    /// Adds up the games of all stages. `looks` is the greatest possible number of stages. Returns
    /// `None` if there are no games.
    pub fn new(stages: &[Frame], looks: usize) -> Option<Self> {
        let mut result = Self::default();
        let test = Test { stop: false, ..Test::default() };
        for encounter in stages.iter().filter_map(|rows| Matches::new(rows, test)).flat_map(|games| games.encounters) {
            result.best = encounter.opponent;
            let index = result.contenders.iter().position(|contender| contender.name == encounter.player);
            let index = index.unwrap_or_else(|| {
                result.contenders.push(Contender { name: encounter.player, ..Contender::default() });
                result.contenders.len() - 1
            });
            let sums = &mut result.contenders[index].pairs.0;
            sums.iter_mut().zip(encounter.pairs.0).for_each(|(sum, pairs)| *sum += pairs);
        }
        result.tail = TAIL / (result.contenders.len() * looks).max(1) as f64;
        (!result.contenders.is_empty()).then_some(result)
    }

    /// Whether these games are between variants that this screen selected.
    pub fn is_of(&self, screened: &ScreenResult) -> bool {
        let plays = |contender: &Contender| screened.remaining.contains(&contender.name);
        self.best == screened.best && self.contenders.iter().all(plays)
    }

    /// The Elo of a player against another. The best of the screen has 0 against itself. Two other
    /// variants are compared through their games against the best.
    pub fn elo(&self, player: &str, opponent: &str) -> Elo {
        let against_best = |name: &str| {
            let contender = self.contenders.iter().find(|contender| contender.name == name);
            contender
                .map_or(Elo { elo: 0.0, low: 0.0, high: 0.0 }, |contender| contender.pairs.elo_with_tail(self.tail))
        };
        let [a, b] = [player, opponent].map(against_best);
        let elo = a.elo - b.elo;
        Elo { elo, low: elo - (a.elo - a.low).hypot(b.high - b.elo), high: elo + (a.high - a.elo).hypot(b.elo - b.low) }
    }

    /// Whether a variant is stronger or weaker than the best of the screen. `None` if that is
    /// undecided.
    pub fn decision(&self, player: &str) -> Option<Ordering> {
        self.elo(player, &self.best).sign()
    }
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

    /// The lines of a summary compared with each other: the first of two lines, the second, and
    /// the ratio of nodes of the first to the second.
    fn pair(line: usize, base: usize, ratio: Ratio) -> LinePair {
        LinePair { line, base, measure: Measure { ratio, ..Measure::default() } }
    }

    /// Calculated by hand: at 186 Elo per factor of e, 60 Elo are a factor of e^(60/186) = 1.3807.
    #[test]
    fn screen_keeps_variants_predicted_within_60_elo() {
        let nan = f64::NAN;
        let lines = [
            ("base", 1.0, nan, nan),
            ("a", 0.7, 0.6, 0.8),
            ("b", 0.966, 0.9, 1.0),
            ("c", 0.967, 0.9, 1.0),
            ("d", nan, nan, nan),
        ];
        let screen_by = |metric: &str, mislead: bool| {
            let result = screen(&summary(metric, mislead, &lines), &[]);
            (result.best.clone(), result.remaining.join(" "), result.dropped.join(" "))
        };
        let expect_names = |remaining: &str, dropped: &str| ("a".to_owned(), remaining.to_owned(), dropped.to_owned());
        assert_eq!(screen_by(columns::NODES, false), expect_names("base a b d", "c"));
        assert_eq!(
            screen_by(columns::NODES, true),
            expect_names("base a b c d", ""),
            "nothing is screened by what may mislead"
        );
        // By score error the intervals overlap at 0.8.
        let touching = [("base", 1.0, nan, nan), ("a", 0.7, 0.6, 0.8), ("b", 0.85, 0.8, 0.9)];
        let result = screen(&summary(columns::SCORE_ERROR, true, &touching), &[]);
        assert_eq!((result.remaining.join(" "), result.dropped), ("base a b".to_owned(), Vec::<String>::new()));
        let separate = [("base", 1.0, nan, nan), ("a", 0.7, 0.6, 0.79), ("b", 0.85, 0.8, 0.9)];
        let result = screen(&summary(columns::SCORE_ERROR, true, &separate), &[]);
        assert_eq!((result.remaining, result.dropped), (vec!["base".to_owned(), "a".to_owned()], vec!["b".to_owned()]));
        assert_eq!(screen(&summary(columns::NODES, false, &[]), &[]), ScreenResult::default());
        assert_eq!(screen(&Summary::default(), &[]), ScreenResult::default());
    }

    /// Of variants with equal counts in 100 searches only the first plays, even if another is the
    /// baseline. After 99 searches they may still differ.
    #[test]
    fn variants_with_equal_counts_play_as_one() {
        let summary = summary(
            columns::NODES,
            false,
            &[("a", 1.0, 1.0, 1.0), ("base", 1.0, f64::NAN, f64::NAN), ("b", 1.1, 1.0, 1.2)],
        );
        let result = |pairs: usize, error: f64| {
            let same = Ratio { mean: 1.0, error, pairs, ..Ratio::default() };
            let result =
                screen(&summary, &[pair(0, 1, same), pair(0, 2, Ratio { mean: 0.9, error: 0.1, pairs, ..same })]);
            (result.remaining.join(" "), result.same)
        };
        let same = [("base".to_owned(), "a".to_owned(), 100)];
        assert_eq!(result(100, 0.0), ("a b".to_owned(), same.to_vec()));
        assert_eq!(result(99, 0.0), ("a base b".to_owned(), Vec::new()));
        assert_eq!(result(100, 0.01), ("a base b".to_owned(), Vec::new()), "equal only on average");
    }

    /// Calculated by hand: a ratio of 0.8 is worth 186 x 0.22314 = 41.5 Elo. The ends of its
    /// interval, 0.75 and 0.85, are 186 x 0.12516 / 2 = 11.6 Elo from it, and those of the price
    /// 0.22314 x (251 - 119) / 2 = 14.7; together 18.8.
    #[test]
    fn prediction_equals_a_calculation_by_hand() {
        let ratio = Ratio { mean: 0.8, low: 0.75, high: 0.85, ..Ratio::default() };
        let lines = [("a", 1.0, 1.0, 1.0), ("b", 0.8, 0.75, 0.85)];
        let predict = |mislead: bool, names: [&str; 2]| {
            let elo =
                screen(&summary(columns::NODES, mislead, &lines), &[pair(1, 0, ratio)]).predict(names[0], names[1]);
            elo.map(|elo| [elo.elo, elo.low, elo.high].map(|elo| (10.0 * elo).round() / 10.0))
        };
        assert_eq!(predict(false, ["b", "a"]), Some([41.5, 22.7, 60.3]));
        assert_eq!(predict(false, ["a", "b"]), Some([-41.5, -60.3, -22.7]));
        assert_eq!(predict(false, ["a", "c"]), None);
        assert_eq!(predict(true, ["b", "a"]), None);
    }

    /// The games of two players against "x", in stages of pairs with these points.
    fn games(stages: &[&[(&str, [u64; 5])]], looks: usize) -> Option<Confirmation> {
        let frame = |players: &&[(&str, [u64; 5])]| {
            let mut rows = "variant,match.opponent,position,depth,match.colour,match.points,search.nodes\n".to_owned();
            for (player, pairs) in *players {
                let points = pairs.iter().zip([[0.0, 0.0], [0.0, 0.5], [0.5, 0.5], [0.5, 1.0], [1.0, 1.0]]);
                let points = points.flat_map(|(&count, points)| (0..count).map(move |_| points));
                for (index, [first, second]) in points.enumerate() {
                    rows += &format!("{player},x,p{index},1,white,{first},1\n{player},x,p{index},1,black,{second},1\n");
                }
            }
            Frame::parse(rows.as_bytes(), "t").unwrap()
        };
        Confirmation::new(&stages.iter().map(frame).collect::<Vec<_>>(), looks)
    }

    /// One contender and one look leave 2.5 % beyond each end; five looks at three contenders split
    /// 5 % into fifteen. Stages add up.
    #[test]
    fn contenders_and_looks_split_the_level() {
        let [up, down, even] = [[0, 10, 10, 40, 40], [40, 40, 10, 10, 0], [10, 20, 40, 20, 10]];
        assert_eq!(games(&[], 5), None);
        let decide = |pairs: [u64; 5]| {
            let games = games(&[&[("a", pairs)]], 1).unwrap();
            assert!((games.tail - 0.025).abs() < 1e-12);
            games.decision("a")
        };
        assert_eq!([up, down, even].map(decide), [Some(Ordering::Greater), Some(Ordering::Less), None]);
        let stages: [&[_]; 2] = [&[("a", up), ("b", down), ("c", even)], &[("c", up)]];
        let games = games(&stages, 5).unwrap();
        assert!((games.tail - 0.025 / 15.0).abs() < 1e-12);
        assert_eq!((games.best.as_str(), games.contenders.len()), ("x", 3));
        assert_eq!(games.contenders[2].pairs, Pentanomial([10, 30, 50, 60, 50]));
        // A comparison through the best is wider than either of its parts.
        let width = |elo: Elo| elo.high - elo.low;
        let [direct, indirect] = [games.elo("a", "x"), games.elo("a", "b")];
        assert!((indirect.elo - direct.elo + games.elo("b", "x").elo).abs() < 1e-9);
        assert!(width(indirect) > width(direct));
        // Its upper end is the upper end of one player and the lower end of the other.
        let b = games.elo("b", "x");
        assert!((indirect.high - indirect.elo - (direct.high - direct.elo).hypot(b.elo - b.low)).abs() < 1e-9);
        assert!((indirect.elo - indirect.low - (direct.elo - direct.low).hypot(b.high - b.elo)).abs() < 1e-9);
        // Games of another screen are not shown: of another best, or of a variant that it dropped.
        let is_of = |best: &str, remaining: &[&str]| {
            let remaining = remaining.iter().map(|name| (*name).to_owned()).collect();
            games.is_of(&ScreenResult { best: best.to_owned(), remaining, ..ScreenResult::default() })
        };
        let screens: [(_, &[_]); 3] = [("x", &["c", "b", "a"]), ("y", &["a", "b", "c"]), ("x", &["a", "b"])];
        assert_eq!(screens.map(|(best, remaining)| is_of(best, remaining)), [true, false, false]);
        assert_eq!(games.decision("x"), None);
    }

    /// If a contender is as strong as the best, and there are looks after 50, 100, 200 and 400
    /// pairs, it is decided at any of them in at most one of twenty runs.
    #[test]
    fn equal_players_are_rarely_decided_at_any_look() {
        let mut decided_runs = 0;
        for run in 0..400 {
            let mut random = Pcg64::seed_from_u64(run);
            let contender = Contender { name: "a".to_owned(), ..Contender::default() };
            let mut games = Confirmation { best: "x".to_owned(), contenders: vec![contender], tail: TAIL / 4.0 };
            let mut is_decided = false;
            for new_pairs in [50, 50, 100, 200] {
                let pairs = &mut games.contenders[0].pairs;
                (0..new_pairs).for_each(|_| pairs.add([0.0, 0.5, 1.0, 1.0, 1.5, 2.0][random.random_range(0..6)]));
                is_decided |= games.decision("a").is_some();
            }
            decided_runs += i32::from(is_decided);
        }
        assert!((1..=20).contains(&decided_runs), "{decided_runs} of 400");
    }
}
