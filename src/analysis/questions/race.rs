//! The race and its confirmation, independent of what is measured: which candidate is best, given
//! its values on items?

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
    /// Why it cannot measure.
    type Error;

    /// The values of candidates on items, both by index. Deterministic: the same call gives the
    /// same values.
    ///
    /// # Errors
    /// If it cannot measure.
    fn measure(&mut self, stage: RaceStage, candidates: &[usize], items: &[usize])
    -> Result<Measurements, Self::Error>;
}

/// The part of the race that is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RaceStage {
    /// A round of the race, from 0.
    Race(usize),
    /// The held-out items: 0 at the file's own pressure, then each other pressure.
    HeldOut(usize),
}

impl RaceStage {
    /// The name of the stage's folder.
    pub fn folder(self) -> String {
        match self {
            Self::Race(round) => format!("race-{}", round + 1),
            Self::HeldOut(0) => "held-out".to_owned(),
            Self::HeldOut(pressure) => format!("held-out-{}", pressure + 1),
        }
    }
}

/// The setup of a race.
#[derive(Debug, Clone, Copy)]
pub struct Contest<'a> {
    /// The number of candidates.
    pub candidates: usize,
    /// The index of the baseline.
    pub baseline: usize,
    /// The number of items.
    pub items: usize,
    /// The number of other pressures.
    pub pressures: usize,
    pub tune: &'a Tune,
}

/// One round of the race.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Round {
    /// The number of items searched in this round.
    pub items: usize,
    /// The candidates that were searched.
    pub candidates: Vec<usize>,
    /// The best candidate after it.
    pub best: usize,
    /// The candidates that were dropped after it.
    pub dropped: Vec<usize>,
}

/// The result of a candidate in the race.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Candidate {
    /// The number of its searches in the race.
    pub searches: usize,
    /// Its ratio to the baseline, over all its searches.
    pub ratio: Ratio,
    /// p that it equals the winner, corrected for the number of candidates by joint sign flips; NaN
    /// for the winner.
    pub p: f64,
    /// The round after which it was dropped, from 0.
    pub dropped: Option<usize>,
    /// Whether it had the winner's values in every search that both made.
    pub equals_winner: bool,
}

/// The result of a finalist on held-out items.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    pub candidate: usize,
    /// Its ratio to the baseline.
    pub ratio: Ratio,
}

/// The results on held-out items, at one pressure.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HeldOutResult {
    /// The finalists and the baseline.
    pub standings: Vec<Standing>,
    /// The winner's ratio to the candidate it is tested against; its interval includes searches
    /// without a ratio.
    pub test: Ratio,
    /// Searches of the two without a ratio: one value is 0 and the other is not.
    pub one_sided_zero: usize,
    /// p of the test, corrected for all pressures together, which share one alpha.
    pub p: f64,
}

/// The outcome on held-out items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Confirmation {
    /// All candidates had the same values everywhere: the varied options have no effect here.
    Inert,
    /// The winner is significantly better on held-out items too.
    Better,
    /// No significant difference on held-out items.
    #[default]
    Nothing,
    /// The winner of the race is significantly worse on held-out items.
    Worse,
}

/// The result of a race.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RaceResult {
    /// The rounds, in order.
    pub rounds: Vec<Round>,
    /// The candidates, in their order.
    pub candidates: Vec<Candidate>,
    /// The index of the winner.
    pub winner: usize,
    /// The index of the candidate it is tested against: the baseline, or the next best if the
    /// baseline won.
    pub against: usize,
    /// The number of held-out items.
    pub held_out: usize,
    /// Results on held-out items: at the file's own pressure, then at the others. Empty if all
    /// candidates are equal.
    pub held_out_results: Vec<HeldOutResult>,
    /// The outcome at each pressure.
    pub confirmations: Vec<Confirmation>,
    /// The level at which a single outcome would have to be tested, for 5 % over all.
    pub level: f64,
    /// The searches made: items x candidates x pressures.
    pub cost: usize,
    /// The searches of the full grid: every candidate on every item at every pressure.
    pub full_cost: usize,
}

impl RaceResult {
    /// The outcome at the file's own pressure.
    pub fn answer(&self) -> Confirmation {
        self.confirmations.first().copied().unwrap_or_default()
    }
}

/// Runs the race, then the confirmation; `on_round` is called after each round.
///
/// # Errors
/// If the objective cannot measure.
pub fn run_race<O: Objective>(
    question: &Contest<'_>,
    objective: &mut O,
    on_round: &mut dyn FnMut(&Round),
) -> Result<RaceResult, O::Error> {
    let &Contest { candidates: count, baseline, items, pressures, tune } = question;
    let mut order: Vec<usize> = (0..items).collect();
    order.shuffle(&mut Pcg64::seed_from_u64(tune.seed));
    let held_out = ((items as f64 * tune.held_out).ceil() as usize).clamp(1, items.saturating_sub(1).max(1));
    let (race, held) = order.split_at(items - held_out);
    let totals = round_totals(tune.first, race.len());

    let mut samples = Samples::new(count);
    let mut dropped: Vec<Option<usize>> = vec![None; count];
    let (mut rounds, mut searched, mut cost) = (Vec::<Round>::new(), 0, 0);
    let mut best = baseline;
    for (index, &total) in totals.iter().enumerate() {
        // The baseline is always searched: all curves are relative to it.
        let searched_candidates: Vec<usize> =
            (0..count).filter(|&candidate| dropped[candidate].is_none() || candidate == baseline).collect();
        let round_items = &race[searched..total];
        let measured = objective.measure(RaceStage::Race(index), &searched_candidates, round_items)?;
        samples.add(&searched_candidates, &measured);
        (searched, cost) = (total, cost + searched_candidates.len() * round_items.len());
        let remaining: Vec<usize> =
            searched_candidates.iter().copied().filter(|&candidate| dropped[candidate].is_none()).collect();
        best = find_best(&samples, &remaining, baseline, tune.goal);
        let losers_of_round = find_losers(&samples, &remaining, best, tune, totals.len());
        losers_of_round.iter().for_each(|&candidate| dropped[candidate] = Some(index));
        let round = Round { items: round_items.len(), candidates: searched_candidates, best, dropped: losers_of_round };
        on_round(&round);
        rounds.push(round);
        if dropped.iter().filter(|dropped| dropped.is_none()).count() < 2 {
            break;
        }
    }

    let others: Vec<usize> = (0..count).filter(|&candidate| candidate != best).collect();
    let against_best = corrected_p(&samples, &others, best);
    let candidates = (0..count).map(|candidate| Candidate {
        searches: samples.count_searches(candidate),
        ratio: samples.ratio(candidate, baseline),
        p: others.iter().position(|&other| other == candidate).map_or(f64::NAN, |index| against_best[index]),
        dropped: dropped[candidate],
        equals_winner: candidate != best && samples.agree(candidate, best),
    });
    let mut tuned = RaceResult {
        candidates: candidates.collect(),
        rounds,
        winner: best,
        held_out,
        cost,
        full_cost: count * items * (1 + pressures),
        ..RaceResult::default()
    };
    let ranked = rank_candidates(&samples, &others, &dropped, baseline, tune.goal);
    let rival = ranked.iter().copied().find(|&candidate| !tuned.candidates[candidate].equals_winner);
    tuned.against = if best == baseline { rival.unwrap_or(baseline) } else { baseline };
    if tuned.candidates.iter().enumerate().all(|(index, candidate)| index == best || candidate.equals_winner) {
        tuned.confirmations = vec![Confirmation::Inert];
        return Ok(tuned);
    }
    // The winner, the next best that differ from it, the baseline, and the candidate it is tested
    // against.
    let mut finalists = vec![best];
    finalists.extend(
        ranked.into_iter().filter(|&candidate| candidate != baseline && !tuned.candidates[candidate].equals_winner),
    );
    finalists.truncate(tune.finalists);
    finalists.extend([baseline, tuned.against]);
    finalists.sort_unstable();
    finalists.dedup();
    let mut tests = Vec::new();
    for index in 0..=pressures {
        let measured = objective.measure(RaceStage::HeldOut(index), &finalists, held)?;
        tuned.cost += finalists.len() * held.len();
        let mut samples = Samples::new(count);
        samples.add(&finalists, &measured);
        let standing = |&candidate: &usize| Standing { candidate, ratio: samples.ratio(candidate, baseline) };
        tests.push(samples.pairs(best, tuned.against));
        tuned
            .held_out_results
            .push(HeldOutResult { standings: finalists.iter().map(standing).collect(), ..HeldOutResult::default() });
    }
    // All pressures are one family with one alpha, on the same items.
    let family = Family::from_samples(&tests.iter().map(Pairs::logs).collect::<Vec<_>>());
    for ((held, judged), pairs) in tuned.held_out_results.iter_mut().zip(&family.lines).zip(&tests) {
        (held.test, held.p, held.one_sided_zero) =
            (pairs.open_interval_for_zeros(judged.ratio), judged.p, pairs.one_sided_zero.iter().sum());
    }
    tuned.level = family.level;
    tuned.confirmations = tuned.held_out_results.iter().map(|held| confirm(held, tune)).collect();
    Ok(tuned)
}

/// The total number of items after each round: `first`, doubled each time, up to all. The last
/// round is never small.
fn round_totals(first: usize, all: usize) -> Vec<usize> {
    let doubled = std::iter::successors(Some(first), |total| Some(2 * total));
    doubled.take_while(|total| *total < all - all / 4).chain([all]).collect()
}

/// p of some candidates against one, tested together since all are measured on the same items.
/// Intervals are not needed during the race.
fn corrected_p(samples: &Samples, candidate: &[usize], one: usize) -> Vec<f64> {
    let lines: Vec<Clusters> =
        candidate.iter().map(|&candidate| Clusters::new(&samples.pairs(candidate, one).logs())).collect();
    test_lines(&lines).lines.iter().map(|line| line.corrected).collect()
}

/// A mean logarithm, with its sign changed if more is better.
fn signed_cost(mean: f64, goal: Goal) -> f64 {
    match goal {
        Goal::Least => mean,
        Goal::Most => -mean,
    }
}

/// A candidate's ratio to the baseline as a cost: less is better.
fn candidate_cost(samples: &Samples, candidate: usize, baseline: usize, goal: Goal) -> f64 {
    signed_cost(if candidate == baseline { 0.0 } else { samples.pairs(candidate, baseline).mean() }, goal)
}

/// The best of the candidates in the race; of equals the baseline, else the first.
fn find_best(samples: &Samples, remaining: &[usize], baseline: usize, goal: Goal) -> usize {
    let key = |candidate: usize| candidate_cost(samples, candidate, baseline, goal);
    let first = remaining.iter().filter(|&&candidate| candidate == baseline);
    let better = |best, candidate| if key(candidate) < key(best) { candidate } else { best };
    first.chain(remaining).copied().reduce(better).unwrap_or(baseline)
}

/// The candidates that are significantly worse than the best: joint sign-flip tests by item,
/// corrected for the number of candidates, at a level that all rounds share (Bonferroni).
fn find_losers(samples: &Samples, remaining: &[usize], best: usize, tune: &Tune, rounds: usize) -> Vec<usize> {
    let others: Vec<usize> = remaining.iter().copied().filter(|&candidate| candidate != best).collect();
    let found = corrected_p(samples, &others, best);
    // A candidate with a 0 where the best has none may be better in a way that no ratio shows.
    let lacks_ratio = |pairs: &Pairs| pairs.one_sided_zero[usize::from(tune.goal == Goal::Most)] > 0;
    let worse = |candidate: usize| {
        let pairs = samples.pairs(candidate, best);
        signed_cost(pairs.mean(), tune.goal) > 0.0 && !lacks_ratio(&pairs)
    };
    let tested = others.into_iter().zip(found);
    tested
        .filter(|&(candidate, p)| worse(candidate) && p < tune.alpha / rounds as f64)
        .map(|(candidate, _)| candidate)
        .collect()
}

/// All but the winner, the best first, and dropped ones last.
fn rank_candidates(
    samples: &Samples,
    others: &[usize],
    dropped: &[Option<usize>],
    baseline: usize,
    goal: Goal,
) -> Vec<usize> {
    let key = |candidate: usize| candidate_cost(samples, candidate, baseline, goal);
    let mut ranked = others.to_vec();
    ranked.sort_by(|&a, &b| {
        (dropped[a].is_some(), key(a)).partial_cmp(&(dropped[b].is_some(), key(b))).unwrap_or(std::cmp::Ordering::Equal)
    });
    ranked
}

/// The outcome of the confirmation.
fn confirm(held: &HeldOutResult, tune: &Tune) -> Confirmation {
    let better = signed_cost(held.test.mean.ln(), tune.goal) < 0.0;
    match held.p < tune.alpha && held.test.excludes_one() {
        false => Confirmation::Nothing,
        true if better => Confirmation::Better,
        true => Confirmation::Worse,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::decode::from_toml;

    use std::convert::Infallible;

    /// An objective with known values at each pressure; items are positions.
    struct Known<F>(F);

    impl<F: Fn(usize, usize, usize) -> f64> Objective for Known<F> {
        type Error = Infallible;

        fn measure(
            &mut self,
            stage: RaceStage,
            candidate: &[usize],
            items: &[usize],
        ) -> Result<Measurements, Infallible> {
            let pressure = if let RaceStage::HeldOut(pressure) = stage { pressure } else { 0 };
            let values = candidate
                .iter()
                .map(|&candidate| items.iter().map(|&item| (self.0)(pressure, candidate, item)).collect());
            Ok(Measurements { items: items.iter().map(|&item| item as u32).collect(), values: values.collect() })
        }
    }

    /// The second of three candidates has a tenth less than the others, but a tenth more at the
    /// other pressure; the goal decides which is better. The cost is three candidates on forty
    /// items at two pressures.
    #[test]
    fn goal_decides_which_candidate_is_better_at_each_pressure() {
        for (goal, winner, found) in [
            (Goal::Least, 1, [Confirmation::Better, Confirmation::Worse]),
            (Goal::Most, 0, [Confirmation::Better, Confirmation::Worse]),
        ] {
            let spread = |item: usize| 1000.0 + 7.0 * (item % 5) as f64;
            let mut known = Known(|pressure, candidate, item| match (candidate, pressure) {
                (1, 0) => 0.9 * spread(item) + (item % 3) as f64,
                (1, _) => 1.1 * spread(item) + (item % 3) as f64,
                (candidate, _) => spread(item) + (candidate * item % 2) as f64,
            });
            let tune: Tune = from_toml("held_out = 0.5\nfirst = 10").unwrap();
            let tune = Tune { goal, ..tune };
            let contest = Contest {
                candidates: 3,
                baseline: if winner == 1 { 0 } else { 1 },
                items: 40,
                pressures: 1,
                tune: &tune,
            };
            let Ok(tuned) = run_race(&contest, &mut known, &mut |_| {});
            assert_eq!((tuned.winner, tuned.confirmations.as_slice()), (winner, &found[..]), "{goal:?}");
            assert_eq!((tuned.full_cost, tuned.held_out, tuned.held_out_results.len()), (240, 20, 2));
            let raced: usize = tuned.rounds.iter().map(|round| round.items * round.candidates.len()).sum();
            let held: usize = tuned.held_out_results.iter().map(|held| 20 * held.standings.len()).sum();
            assert_eq!(tuned.cost, raced + held);
        }
    }

    /// Items double each round; if less than a quarter would remain for the last round, they are
    /// merged.
    #[test]
    fn rounds_double_until_little_is_left() {
        for (first, all, expected) in [
            (4, 40, &[4, 8, 16, 40][..]),
            (8, 33, &[8, 16, 33]),
            (3, 4, &[4]),
            (6, 8, &[8]),
            (5, 8, &[5, 8]),
            (50, 8, &[8]),
        ] {
            assert_eq!(round_totals(first, all), expected, "{first} of {all}");
        }
    }

    /// Six items with the same sign have p 2/64, by hand: enough for one round at 0.05, not for
    /// each of two.
    #[test]
    fn rounds_split_the_level_of_the_race() {
        let tune: Tune = from_toml("first = 2\nalpha = 0.05").unwrap();
        let mut samples = Samples::new(2);
        let values = [5.0, 6.0].map(|value| (0..6).map(|index| value + f64::from(index) / 100.0).collect::<Vec<f64>>());
        samples.add(&[0, 1], &Measurements { items: (0..6).collect(), values: values.to_vec() });
        let dropped = [1, 2].map(|rounds| find_losers(&samples, &[0, 1], 0, &tune, rounds));
        assert_eq!(dropped, [vec![1], Vec::new()]);
    }

    /// A candidate with a 0 where the best has none, or the reverse, may be far better by one goal,
    /// so it stays, or far worse by the other, so it goes: a ratio cannot show it.
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
        let spread = |value: f64| std::array::from_fn(|index| value + index as f64 / 10.0);
        let nothing_last =
            |value: f64| std::array::from_fn(|index| if index == 11 { 0.0 } else { value + index as f64 / 10.0 });
        assert_eq!(losers_with(Goal::Least, spread(5.0), spread(20.0)), [1]);
        assert_eq!(losers_with(Goal::Least, spread(5.0), nothing_last(20.0)), Vec::<usize>::new());
        assert_eq!(losers_with(Goal::Least, nothing_last(5.0), spread(20.0)), [1]);
        assert_eq!(losers_with(Goal::Most, spread(20.0), spread(5.0)), [1]);
        assert_eq!(losers_with(Goal::Most, nothing_last(20.0), spread(5.0)), Vec::<usize>::new());
        assert_eq!(losers_with(Goal::Most, spread(20.0), nothing_last(5.0)), [1]);
    }
}
