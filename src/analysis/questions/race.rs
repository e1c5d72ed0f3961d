//! Finds the best candidate of a tuning. A race drops candidates that are significantly worse than
//! the best, and the winner is then confirmed on held-out items. Neither depends on what the values
//! of the candidates measure.

use super::samples::{Measurements, Samples};
use crate::analysis::pairing::pairs::Pairs;
use crate::experiment::{Goal, Tune};
use crate::stats::clusters::Clusters;
use crate::stats::ratio::{Family, Ratio};
use crate::stats::sign_flip::test_lines;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;

pub trait Objective {
    /// The reason why candidates cannot be measured.
    type Error;

    /// Measures candidates on items. Both are passed as indices. The same arguments must always
    /// give the same values.
    ///
    /// # Errors
    /// If the candidates cannot be measured.
    fn measure(&mut self, stage: RaceStage, candidates: &[usize], items: &[usize])
    -> Result<Measurements, Self::Error>;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RaceStage {
    Race(usize),
    HeldOut,
}

impl RaceStage {
    pub fn folder(self) -> String {
        match self {
            Self::Race(round) => format!("race-{}", round + 1),
            Self::HeldOut => "held-out".to_owned(),
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Contest<'a> {
    pub candidates: usize,
    pub baseline: usize,
    pub items: usize,
    pub tune: &'a Tune,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Round {
    pub items: usize,
    pub candidates: Vec<usize>,
    /// The ratio of each of these candidates to the baseline, as the geometric mean over all
    /// searches so far. NaN without searches that have a ratio.
    pub ratios: Vec<f64>,
    pub best: usize,
    pub dropped: Vec<usize>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Candidate {
    /// The index of the round after which the candidate was dropped. `None` if the candidate was
    /// not dropped.
    pub dropped: Option<usize>,
    /// Whether candidate and winner have the same value in every search that both made. False for
    /// the winner itself.
    pub equals_winner: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeldOutResult {
    /// The winner's ratio to the candidate that the winner is tested against. If some searches have
    /// no ratio because one value is 0, the interval extends to 0 or to infinity.
    pub test: Ratio,
    pub confirmation: Confirmation,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confirmation {
    /// The winner is significantly better on held-out items too.
    Better,
    /// There is no significant difference on held-out items.
    Nothing,
    /// The winner of the race is significantly worse on held-out items.
    Worse,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct RaceResult {
    pub rounds: Vec<Round>,
    pub candidates: Vec<Candidate>,
    pub winner: usize,
    /// The index of the candidate that the winner is tested against. This is the baseline, or the
    /// next best candidate if the baseline won.
    pub against: usize,
    pub held_out: usize,
    /// The result on held-out items. `None` if all candidates had the same values in all searches
    /// of the race, so that the varied options have no effect here. No candidate is then measured
    /// on held-out items.
    pub held_out_result: Option<HeldOutResult>,
}

/// Runs the race and then the confirmation. `on_round` is called after each round of the race.
///
/// # Errors
/// If the objective cannot measure the candidates.
pub fn run_race<O: Objective>(
    contest: &Contest<'_>,
    objective: &mut O,
    on_round: &mut dyn FnMut(&Round),
) -> Result<RaceResult, O::Error> {
    let &Contest { candidates: count, baseline, items, tune } = contest;
    let mut order: Vec<usize> = (0..items).collect();
    order.shuffle(&mut Pcg64::seed_from_u64(tune.seed));
    let held_out_count = ((items as f64 * tune.held_out).ceil() as usize).clamp(1, items.saturating_sub(1).max(1));
    let (race_items, held_out_items) = order.split_at(items - held_out_count);
    let item_totals = round_totals(tune.first, race_items.len());

    let mut samples = Samples::new(count);
    let mut drop_rounds: Vec<Option<usize>> = vec![None; count];
    let (mut rounds, mut searched_item_count) = (Vec::<Round>::new(), 0);
    let mut best = baseline;
    for (round_index, &item_total) in item_totals.iter().enumerate() {
        // The baseline is always searched, because all ratios are relative to the baseline.
        let searched_candidates: Vec<usize> =
            (0..count).filter(|&candidate| drop_rounds[candidate].is_none() || candidate == baseline).collect();
        let round_items = &race_items[searched_item_count..item_total];
        let measurements = objective.measure(RaceStage::Race(round_index), &searched_candidates, round_items)?;
        samples.add(&searched_candidates, &measurements);
        searched_item_count = item_total;
        let remaining: Vec<usize> =
            searched_candidates.iter().copied().filter(|&candidate| drop_rounds[candidate].is_none()).collect();
        best = find_best(&samples, &remaining, baseline, tune.goal);
        let losers_of_round = find_losers(&samples, &remaining, best, tune, item_totals.len());
        losers_of_round.iter().for_each(|&candidate| drop_rounds[candidate] = Some(round_index));
        let ratios =
            searched_candidates.iter().map(|&candidate| samples.pairs(candidate, baseline).mean().exp()).collect();
        let round =
            Round { items: round_items.len(), candidates: searched_candidates, ratios, best, dropped: losers_of_round };
        on_round(&round);
        rounds.push(round);
        if drop_rounds.iter().filter(|round| round.is_none()).count() < 2 {
            break;
        }
    }

    let others: Vec<usize> = (0..count).filter(|&candidate| candidate != best).collect();
    let candidates = (0..count).map(|candidate| Candidate {
        dropped: drop_rounds[candidate],
        equals_winner: candidate != best && samples.have_equal_values(candidate, best),
    });
    let mut result = RaceResult {
        candidates: candidates.collect(),
        rounds,
        winner: best,
        held_out: held_out_count,
        ..RaceResult::default()
    };
    let ranking = rank_candidates(&samples, &others, &drop_rounds, baseline, tune.goal);
    let rival = ranking.iter().copied().find(|&candidate| !result.candidates[candidate].equals_winner);
    result.against = if best == baseline { rival.unwrap_or(baseline) } else { baseline };
    let all_equal_winner =
        result.candidates.iter().enumerate().all(|(index, candidate)| index == best || candidate.equals_winner);
    if all_equal_winner {
        return Ok(result);
    }
    // The finalists are the winner, the next best candidates that differ from the winner, the
    // baseline, and the candidate that the winner is tested against.
    let mut finalists = vec![best];
    finalists.extend(
        ranking.into_iter().filter(|&candidate| candidate != baseline && !result.candidates[candidate].equals_winner),
    );
    finalists.truncate(tune.finalists);
    finalists.extend([baseline, result.against]);
    finalists.sort_unstable();
    finalists.dedup();
    let measurements = objective.measure(RaceStage::HeldOut, &finalists, held_out_items)?;
    let mut samples = Samples::new(count);
    samples.add(&finalists, &measurements);
    let pairs = samples.pairs(best, result.against);
    let judged = Family::from_samples(&[pairs.logs()]).lines[0];
    let test = pairs.open_interval_for_zeros(Ratio { p: judged.p, ..judged.ratio });
    result.held_out_result = Some(HeldOutResult { test, confirmation: confirm(&test, tune) });
    Ok(result)
}

/// The total number of items that have been searched after each round. The first total is
/// `first_total`, and the total doubles in each round. After the last round, the total is
/// `item_count`. The last round adds at least a quarter of all items.
fn round_totals(first_total: usize, item_count: usize) -> Vec<usize> {
    let doubled_totals = std::iter::successors(Some(first_total), |total| Some(2 * total));
    doubled_totals.take_while(|total| *total < item_count - item_count / 4).chain([item_count]).collect()
}

/// The p-values are corrected jointly, because all candidates are measured on the same items. No
/// intervals are computed, because the race does not need them.
fn corrected_p(samples: &Samples, candidates: &[usize], reference: usize) -> Vec<f64> {
    let lines: Vec<Clusters> =
        candidates.iter().map(|&candidate| Clusters::new(&samples.pairs(candidate, reference).logs())).collect();
    test_lines(&lines).lines.iter().map(|line| line.corrected_p).collect()
}

/// Turns the mean log ratio of a candidate into a cost. The cost is negative if the candidate is
/// better. `goal` says whether less or more is better.
fn signed_cost(mean_log: f64, goal: Goal) -> f64 {
    match goal {
        Goal::Least => mean_log,
        Goal::Most => -mean_log,
    }
}

/// A lower cost is better.
fn candidate_cost(samples: &Samples, candidate: usize, baseline: usize, goal: Goal) -> f64 {
    signed_cost(if candidate == baseline { 0.0 } else { samples.pairs(candidate, baseline).mean() }, goal)
}

/// If several candidates are equally good, the baseline is chosen if it is among them, and
/// otherwise the first of them.
fn find_best(samples: &Samples, remaining: &[usize], baseline: usize, goal: Goal) -> usize {
    let cost = |candidate: usize| candidate_cost(samples, candidate, baseline, goal);
    let baseline_first = remaining.iter().filter(|&&candidate| candidate == baseline).chain(remaining);
    let choose_better = |best, candidate| if cost(candidate) < cost(best) { candidate } else { best };
    baseline_first.copied().reduce(choose_better).unwrap_or(baseline)
}

/// Joint sign-flip tests correct the p-values for the number of candidates. The significance level
/// is divided by the number of rounds (Bonferroni).
fn find_losers(samples: &Samples, remaining: &[usize], best: usize, tune: &Tune, round_count: usize) -> Vec<usize> {
    let others: Vec<usize> = remaining.iter().copied().filter(|&candidate| candidate != best).collect();
    let p_values = corrected_p(samples, &others, best);
    // Pairs in which one value is 0 have no ratio and are not tested. The candidate may be better
    // in some of them.
    let may_be_better = |pairs: &Pairs| {
        let [smaller_count, larger_count] = pairs.one_sided_zero;
        match tune.goal {
            Goal::Least => smaller_count > 0,
            Goal::Most => larger_count > 0,
        }
    };
    let is_worse = |candidate: usize| {
        let pairs = samples.pairs(candidate, best);
        signed_cost(pairs.mean(), tune.goal) > 0.0 && !may_be_better(&pairs)
    };
    let level = tune.alpha / round_count as f64;
    let candidates_with_p = others.into_iter().zip(p_values);
    candidates_with_p
        .filter(|&(candidate, p)| is_worse(candidate) && p < level)
        .map(|(candidate, _)| candidate)
        .collect()
}

/// All candidates that were dropped during the race come last.
fn rank_candidates(
    samples: &Samples,
    others: &[usize],
    drop_rounds: &[Option<usize>],
    baseline: usize,
    goal: Goal,
) -> Vec<usize> {
    let sort_key =
        |candidate: usize| (drop_rounds[candidate].is_some(), candidate_cost(samples, candidate, baseline, goal));
    let mut ranking = others.to_vec();
    ranking.sort_by(|&a, &b| sort_key(a).partial_cmp(&sort_key(b)).unwrap_or(std::cmp::Ordering::Equal));
    ranking
}

fn confirm(test: &Ratio, tune: &Tune) -> Confirmation {
    let is_better = signed_cost(test.mean.ln(), tune.goal) < 0.0;
    let is_significant = test.p < tune.alpha && test.excludes_one();
    if !is_significant {
        Confirmation::Nothing
    } else if is_better {
        Confirmation::Better
    } else {
        Confirmation::Worse
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::from_toml;

    use std::convert::Infallible;

    /// An objective that computes its values from candidate and item; items are positions.
    struct ComputedObjective<F>(F);

    impl<F: Fn(usize, usize) -> f64> Objective for ComputedObjective<F> {
        type Error = Infallible;

        fn measure(&mut self, _: RaceStage, candidates: &[usize], items: &[usize]) -> Result<Measurements, Infallible> {
            let values =
                candidates.iter().map(|&candidate| items.iter().map(|&item| (self.0)(candidate, item)).collect());
            Ok(Measurements { items: items.iter().map(|&item| item as u32).collect(), values: values.collect() })
        }
    }

    /// The second of three candidates has values a tenth lower than the others.
    #[test]
    fn goal_decides_which_candidate_is_better() {
        for (goal, winner) in [(Goal::Least, 1), (Goal::Most, 0)] {
            let base_nodes = |item: usize| 1000.0 + 7.0 * (item % 5) as f64;
            let mut objective = ComputedObjective(|candidate, item| match candidate {
                1 => 0.9 * base_nodes(item) + (item % 3) as f64,
                candidate => base_nodes(item) + (candidate * item % 2) as f64,
            });
            let tune: Tune = from_toml("held_out = 0.5\nfirst = 10").unwrap();
            let tune = Tune { goal, ..tune };
            let contest = Contest { candidates: 3, baseline: if winner == 1 { 0 } else { 1 }, items: 40, tune: &tune };
            let Ok(result) = run_race(&contest, &mut objective, &mut |_| {});
            let confirmation = result.held_out_result.unwrap().confirmation;
            assert_eq!((result.winner, confirmation, result.held_out), (winner, Confirmation::Better, 20), "{goal:?}");
        }
    }

    /// The number of items doubles each round. If less than a quarter of the items would remain for
    /// the last round, the last two rounds are merged.
    #[test]
    fn rounds_double_until_little_is_left() {
        for (first, count, expected) in [
            (4, 40, &[4, 8, 16, 40][..]),
            (8, 33, &[8, 16, 33]),
            (3, 4, &[4]),
            (6, 8, &[8]),
            (5, 8, &[5, 8]),
            (50, 8, &[8]),
        ] {
            assert_eq!(round_totals(first, count), expected, "{first} of {count}");
        }
    }

    /// Six items with the same sign have p = 2/64: significant in a single round at 0.05, but not
    /// in one of two rounds.
    #[test]
    fn rounds_split_the_level_of_the_race() {
        let tune: Tune = from_toml("first = 2\nalpha = 0.05").unwrap();
        let mut samples = Samples::new(2);
        let values = [5.0, 6.0].map(|value| (0..6).map(|index| value + f64::from(index) / 100.0).collect::<Vec<f64>>());
        samples.add(&[0, 1], &Measurements { items: (0..6).collect(), values: values.to_vec() });
        let losers = [1, 2].map(|rounds| find_losers(&samples, &[0, 1], 0, &tune, rounds));
        assert_eq!(losers, [vec![1], Vec::new()]);
    }

    /// If only one of the best and a candidate has a value of 0, no ratio shows the difference. If
    /// the candidate is on the better side of the goal, it may be far better, so it stays;
    /// otherwise it is dropped.
    #[test]
    fn candidate_without_a_ratio_on_the_better_side_stays() {
        let losers_with = |goal: Goal, best: [f64; 12], candidate: [f64; 12]| {
            let tune: Tune = from_toml("first = 2").unwrap();
            let mut samples = Samples::new(2);
            samples.add(
                &[0, 1],
                &Measurements { items: (0..12).collect(), values: vec![best.to_vec(), candidate.to_vec()] },
            );
            find_losers(&samples, &[0, 1], 0, &Tune { goal, ..tune }, 1)
        };
        let spread_values = |value: f64| std::array::from_fn(|index| value + index as f64 / 10.0);
        let values_with_last_zero =
            |value: f64| std::array::from_fn(|index| if index == 11 { 0.0 } else { value + index as f64 / 10.0 });
        assert_eq!(losers_with(Goal::Least, spread_values(5.0), spread_values(20.0)), [1]);
        assert_eq!(losers_with(Goal::Least, spread_values(5.0), values_with_last_zero(20.0)), Vec::<usize>::new());
        assert_eq!(losers_with(Goal::Least, values_with_last_zero(5.0), spread_values(20.0)), [1]);
        assert_eq!(losers_with(Goal::Most, spread_values(20.0), spread_values(5.0)), [1]);
        assert_eq!(losers_with(Goal::Most, values_with_last_zero(20.0), spread_values(5.0)), Vec::<usize>::new());
        assert_eq!(losers_with(Goal::Most, spread_values(20.0), values_with_last_zero(5.0)), [1]);
    }
}
