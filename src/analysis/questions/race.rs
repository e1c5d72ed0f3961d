//! The race and the confirmation, whatever is measured: given what a candidate costs on an item, who is best?

use super::samples::{Measured, Samples};
use crate::analysis::pairing::clusters::Clusters;
use crate::analysis::pairing::flips::joint;
use crate::analysis::pairing::pairs::Pairs;
use crate::analysis::pairing::ratio::{Family, Ratio};
use crate::experiment::{Goal, Tune};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_pcg::Pcg64;

/// What candidates are measured by.
pub trait Objective {
    /// Why it cannot be measured.
    type Error;

    /// The values of candidates on items; both by their places. Asked again, it gives the same.
    ///
    /// # Errors
    /// When it cannot be measured.
    fn measure(&mut self, stage: RaceStage, candidates: &[usize], items: &[usize]) -> Result<Measured, Self::Error>;
}

/// What is being measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RaceStage {
    /// A round of the race, from 0.
    Race(usize),
    /// The held-out items: 0 as the file has it, then each other pressure.
    Held(usize),
}

impl RaceStage {
    /// The name of the stage's folder.
    pub fn folder(self) -> String {
        match self {
            Self::Race(round) => format!("race-{}", round + 1),
            Self::Held(0) => "held-out".to_owned(),
            Self::Held(pressure) => format!("held-out-{}", pressure + 1),
        }
    }
}

/// What is to be found out.
#[derive(Debug, Clone, Copy)]
pub struct Contest<'a> {
    /// How many candidates.
    pub candidates: usize,
    /// The place of the one that the others are held against.
    pub baseline: usize,
    /// How many items.
    pub items: usize,
    /// How many other pressures.
    pub pressures: usize,
    /// How.
    pub tune: &'a Tune,
}

/// One round of the race.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Round {
    /// Items searched in this round.
    pub items: usize,
    /// Candidates searched.
    pub candidates: Vec<usize>,
    /// The best after it.
    pub best: usize,
    /// Those dropped after it.
    pub dropped: Vec<usize>,
}

/// What the race found of a candidate.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Candidate {
    /// Searches made of it in the race.
    pub searches: usize,
    /// Its ratio to the baseline, over all that it searched.
    pub ratio: Ratio,
    /// p of its being equal to the winner, corrected for the number of candidates by joint sign flips; NaN for the winner.
    pub p: f64,
    /// The round after which it was dropped, from 0.
    pub dropped: Option<usize>,
    /// Whether it gave the winner's values in every search that both made.
    pub same: bool,
}

/// What the held-out items say of a finalist.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// The finalist.
    pub candidate: usize,
    /// Its ratio to the baseline.
    pub ratio: Ratio,
}

/// The held-out items, at one pressure.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Held {
    /// The finalists and the baseline.
    pub standings: Vec<Standing>,
    /// The winner's ratio to what it is tested against; the interval holds what has no ratio.
    pub test: Ratio,
    /// Searches of the two that have no ratio, one of them having none of what is counted.
    pub beyond: usize,
    /// p of that, corrected for all pressures together: what is claimed of them shares one alpha.
    pub p: f64,
}

/// The answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Confirmation {
    /// All candidates gave the same values everywhere: what is varied does nothing here.
    Inert,
    /// The winner is better on held-out items too.
    Better,
    /// No difference that could be told, on held-out items.
    #[default]
    Nothing,
    /// The winner of the race is worse on held-out items.
    Worse,
}

/// The whole result.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tuned {
    /// The rounds.
    pub rounds: Vec<Round>,
    /// The candidates, in their order.
    pub candidates: Vec<Candidate>,
    /// The winner of the race.
    pub winner: usize,
    /// What it is tested against: the baseline; the next best, where the baseline itself has won.
    pub against: usize,
    /// How many items were held out.
    pub held_out: usize,
    /// The held-out items: at the file's own pressure, then at the others. Empty where nothing differs.
    pub held: Vec<Held>,
    /// What they say at each.
    pub found: Vec<Confirmation>,
    /// The level at which each would have to be tested by itself, for 5 % over all of them.
    pub level: f64,
    /// Items searched, each by one candidate at one pressure.
    pub cost: usize,
    /// The same of the full grid: every candidate on every item at every pressure.
    pub full_cost: usize,
}

impl Tuned {
    /// The answer at the file's own pressure.
    pub fn answer(&self) -> Confirmation {
        self.found.first().copied().unwrap_or_default()
    }
}

/// Runs the race, then the confirmation. `told` hears of each round.
///
/// # Errors
/// When the objective cannot be measured.
pub fn tune<O: Objective>(
    question: &Contest<'_>,
    objective: &mut O,
    message: &mut dyn FnMut(&Round),
) -> Result<Tuned, O::Error> {
    let &Contest { candidates: count, baseline, items, pressures, tune } = question;
    let mut order: Vec<usize> = (0..items).collect();
    order.shuffle(&mut Pcg64::seed_from_u64(tune.seed));
    let held_out = ((items as f64 * tune.held_out).ceil() as usize).clamp(1, items.saturating_sub(1).max(1));
    let (race, held) = order.split_at(items - held_out);
    let totals = totals(tune.first, race.len());

    let mut samples = Samples::new(count);
    let mut dropped: Vec<Option<usize>> = vec![None; count];
    let (mut rounds, mut searched, mut cost) = (Vec::<Round>::new(), 0, 0);
    let mut best = baseline;
    for (at, &total) in totals.iter().enumerate() {
        // The baseline stays, whatever it is worth: all curves are drawn against it.
        let asked: Vec<usize> = (0..count).filter(|&who| dropped[who].is_none() || who == baseline).collect();
        let these = &race[searched..total];
        let measured = objective.measure(RaceStage::Race(at), &asked, these)?;
        samples.add(&asked, &measured);
        (searched, cost) = (total, cost + asked.len() * these.len());
        let still: Vec<usize> = asked.iter().copied().filter(|&who| dropped[who].is_none()).collect();
        best = first_best(&samples, &still, baseline, tune.goal);
        let out = losers(&samples, &still, best, tune, totals.len());
        out.iter().for_each(|&who| dropped[who] = Some(at));
        let round = Round { items: these.len(), candidates: asked, best, dropped: out };
        message(&round);
        rounds.push(round);
        if dropped.iter().filter(|dropped| dropped.is_none()).count() < 2 {
            break;
        }
    }

    let others: Vec<usize> = (0..count).filter(|&who| who != best).collect();
    let against_best = against(&samples, &others, best);
    let candidates = (0..count).map(|who| Candidate {
        searches: samples.searches(who),
        ratio: samples.ratio(who, baseline),
        p: others.iter().position(|&other| other == who).map_or(f64::NAN, |at| against_best[at]),
        dropped: dropped[who],
        same: who != best && samples.same(who, best),
    });
    let mut tuned = Tuned {
        candidates: candidates.collect(),
        rounds,
        winner: best,
        held_out,
        cost,
        full_cost: count * items * (1 + pressures),
        ..Tuned::default()
    };
    let ranked = ranked(&samples, &others, &dropped, baseline, tune.goal);
    let rival = ranked.iter().copied().find(|&who| !tuned.candidates[who].same);
    tuned.against = if best == baseline { rival.unwrap_or(baseline) } else { baseline };
    if tuned.candidates.iter().enumerate().all(|(who, candidate)| who == best || candidate.same) {
        tuned.found = vec![Confirmation::Inert];
        return Ok(tuned);
    }
    // The winner, the next best that are not the same, the baseline, and what the winner is tested against.
    let mut finalists = vec![best];
    finalists.extend(ranked.into_iter().filter(|&who| who != baseline && !tuned.candidates[who].same));
    finalists.truncate(tune.finalists);
    finalists.extend([baseline, tuned.against]);
    finalists.sort_unstable();
    finalists.dedup();
    let mut tests = Vec::new();
    for at in 0..=pressures {
        let measured = objective.measure(RaceStage::Held(at), &finalists, held)?;
        tuned.cost += finalists.len() * held.len();
        let mut samples = Samples::new(count);
        samples.add(&finalists, &measured);
        let standing = |&candidate: &usize| Standing { candidate, ratio: samples.ratio(candidate, baseline) };
        tests.push(samples.pairs(best, tuned.against));
        tuned.held.push(Held { standings: finalists.iter().map(standing).collect(), ..Held::default() });
    }
    // One alpha for all that is claimed: the file's own pressure and the others are one family, on the same items.
    let family = Family::of(&tests.iter().map(Pairs::logs).collect::<Vec<_>>());
    for ((held, judged), pairs) in tuned.held.iter_mut().zip(&family.lines).zip(&tests) {
        (held.test, held.p, held.beyond) = (pairs.with_beyond(judged.ratio), judged.p, pairs.beyond.iter().sum());
    }
    tuned.level = family.level;
    tuned.found = tuned.held.iter().map(|held| found(held, tune)).collect();
    Ok(tuned)
}

/// Items searched after each round: so many, then twice as many, and so on to all. The last round is never a small one.
fn totals(first: usize, all: usize) -> Vec<usize> {
    let doubled = std::iter::successors(Some(first), |total| Some(2 * total));
    doubled.take_while(|total| *total < all - all / 4).chain([all]).collect()
}

/// p of some candidates against one, tested together: all are measured on the same items. While the race is on nobody asks for intervals.
fn against(samples: &Samples, who: &[usize], one: usize) -> Vec<f64> {
    let lines: Vec<Clusters> = who.iter().map(|&who| Clusters::new(&samples.pairs(who, one).logs())).collect();
    joint(&lines).lines.iter().map(|line| line.corrected).collect()
}

/// A mean logarithm such that less is better.
fn cost(mean: f64, goal: Goal) -> f64 {
    match goal {
        Goal::Least => mean,
        Goal::Most => -mean,
    }
}

/// How a candidate compares with the baseline: less is better.
fn worth(samples: &Samples, who: usize, baseline: usize, goal: Goal) -> f64 {
    cost(if who == baseline { 0.0 } else { samples.pairs(who, baseline).mean() }, goal)
}

/// The best of those still in the race; of equals the baseline, else the first.
fn first_best(samples: &Samples, still: &[usize], baseline: usize, goal: Goal) -> usize {
    let key = |who: usize| worth(samples, who, baseline, goal);
    let first = still.iter().filter(|&&who| who == baseline);
    let better = |best, who| if key(who) < key(best) { who } else { best };
    first.chain(still).copied().reduce(better).unwrap_or(baseline)
}

/// Those that are clearly worse than the best: joint sign-flip tests by item, corrected for the number of candidates, at a
/// level that all rounds share (Bonferroni).
fn losers(samples: &Samples, still: &[usize], best: usize, tune: &Tune, rounds: usize) -> Vec<usize> {
    let others: Vec<usize> = still.iter().copied().filter(|&who| who != best).collect();
    let found = against(samples, &others, best);
    // Nor is it worse where it has none of what the best has, and the ratios do not know.
    let beyond = |pairs: &Pairs| pairs.beyond[usize::from(tune.goal == Goal::Most)] > 0;
    let worse = |who: usize| {
        let pairs = samples.pairs(who, best);
        cost(pairs.mean(), tune.goal) > 0.0 && !beyond(&pairs)
    };
    let tested = others.into_iter().zip(found);
    tested.filter(|&(who, p)| worse(who) && p < tune.alpha / rounds as f64).map(|(who, _)| who).collect()
}

/// All but the winner, the best first; those dropped after those that were not.
fn ranked(samples: &Samples, others: &[usize], dropped: &[Option<usize>], baseline: usize, goal: Goal) -> Vec<usize> {
    let key = |who: usize| worth(samples, who, baseline, goal);
    let mut ranked = others.to_vec();
    ranked.sort_by(|&a, &b| {
        (dropped[a].is_some(), key(a)).partial_cmp(&(dropped[b].is_some(), key(b))).unwrap_or(std::cmp::Ordering::Equal)
    });
    ranked
}

/// What a confirmation says of the winner.
fn found(held: &Held, tune: &Tune) -> Confirmation {
    let better = cost(held.test.mean.ln(), tune.goal) < 0.0;
    match held.p < tune.alpha && held.test.is_clear() {
        false => Confirmation::Nothing,
        true if better => Confirmation::Better,
        true => Confirmation::Worse,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::experiment::decode::from_toml;

    use std::convert::Infallible;

    /// An objective of which every candidate's value is known, at each pressure; the items are positions.
    struct Known<F>(F);

    impl<F: Fn(usize, usize, usize) -> f64> Objective for Known<F> {
        type Error = Infallible;

        fn measure(&mut self, stage: RaceStage, who: &[usize], items: &[usize]) -> Result<Measured, Infallible> {
            let pressure = if let RaceStage::Held(pressure) = stage { pressure } else { 0 };
            let values = who.iter().map(|&who| items.iter().map(|&item| (self.0)(pressure, who, item)).collect());
            Ok(Measured { items: items.iter().map(|&item| item as u32).collect(), values: values.collect() })
        }
    }

    /// The second of three candidates has a tenth less than the others, but at the other pressure a tenth more: whether that is better is what the goal
    /// says. All cost three candidates on forty items at two pressures.
    #[test]
    fn better_is_what_the_goal_says_at_each_pressure() {
        for (goal, winner, found) in [
            (Goal::Least, 1, [Confirmation::Better, Confirmation::Worse]),
            (Goal::Most, 0, [Confirmation::Better, Confirmation::Worse]),
        ] {
            let spread = |item: usize| 1000.0 + 7.0 * (item % 5) as f64;
            let mut known = Known(|pressure, who, item| match (who, pressure) {
                (1, 0) => 0.9 * spread(item) + (item % 3) as f64,
                (1, _) => 1.1 * spread(item) + (item % 3) as f64,
                (who, _) => spread(item) + (who * item % 2) as f64,
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
            let Ok(tuned) = super::tune(&contest, &mut known, &mut |_| {});
            assert_eq!((tuned.winner, tuned.found.as_slice()), (winner, &found[..]), "{goal:?}");
            assert_eq!((tuned.full_cost, tuned.held_out, tuned.held.len()), (240, 20, 2));
            let raced: usize = tuned.rounds.iter().map(|round| round.items * round.candidates.len()).sum();
            let held: usize = tuned.held.iter().map(|held| 20 * held.standings.len()).sum();
            assert_eq!(tuned.cost, raced + held);
        }
    }

    /// A race doubles its items; where less than a quarter would be left for the last round, that round has them too.
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
            assert_eq!(totals(first, all), expected, "{first} of {all}");
        }
    }

    /// Six items that all point one way are chance twice in 64, by hand: enough for one round at a level of 0.05, and not for each of two.
    #[test]
    fn rounds_share_the_level_of_a_race() {
        let tune: Tune = from_toml("first = 2\nalpha = 0.05").unwrap();
        let mut samples = Samples::new(2);
        let values = [5.0, 6.0].map(|value| (0..6).map(|at| value + f64::from(at) / 100.0).collect::<Vec<f64>>());
        samples.add(&[0, 1], &Measured { items: (0..6).collect(), values: values.to_vec() });
        let dropped = [1, 2].map(|rounds| losers(&samples, &[0, 1], 0, &tune, rounds));
        assert_eq!(dropped, [vec![1], Vec::new()]);
    }

    /// What has a value where the best has none, or none where the best has one, is so much better by one goal that it stays, and so much worse by the
    /// other that it goes: a ratio cannot say it.
    #[test]
    fn what_is_beyond_all_ratios_on_the_better_side_stays() {
        let of = |goal: Goal, best: [f64; 12], who: [f64; 12]| {
            let tune: Tune = from_toml("first = 2").unwrap();
            let mut samples = Samples::new(2);
            samples.add(&[0, 1], &Measured { items: (0..12).collect(), values: vec![best.to_vec(), who.to_vec()] });
            losers(&samples, &[0, 1], 0, &Tune { goal, ..tune }, 1)
        };
        let spread = |value: f64| std::array::from_fn(|at| value + at as f64 / 10.0);
        let nothing_last = |value: f64| std::array::from_fn(|at| if at == 11 { 0.0 } else { value + at as f64 / 10.0 });
        assert_eq!(of(Goal::Least, spread(5.0), spread(20.0)), [1]);
        assert_eq!(of(Goal::Least, spread(5.0), nothing_last(20.0)), Vec::<usize>::new());
        assert_eq!(of(Goal::Least, nothing_last(5.0), spread(20.0)), [1]);
        assert_eq!(of(Goal::Most, spread(20.0), spread(5.0)), [1]);
        assert_eq!(of(Goal::Most, nothing_last(20.0), spread(5.0)), Vec::<usize>::new());
        assert_eq!(of(Goal::Most, spread(20.0), nothing_last(5.0)), [1]);
    }
}
