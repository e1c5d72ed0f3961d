//! Each step of a race, checked by hand with scripted objectives instead of searches: the number of
//! items in a round, which candidates are measured, which are dropped, who wins a tie, which
//! finalists are confirmed against which rival, and that held-out items are unseen.

use std::collections::BTreeSet;
use std::convert::Infallible;
use ttlab::internals::analysis::questions::race::{Confirmation, Contest, Objective, RaceResult, RaceStage, run_race};
use ttlab::internals::analysis::questions::samples::Measurements;
use ttlab::internals::experiment::{Goal, Tune};

/// The value of a candidate on the n-th item of a stage.
struct Scripted<'a> {
    value: &'a mut dyn FnMut(RaceStage, usize, usize, usize) -> f64,
    asked: Vec<(RaceStage, Vec<usize>, Vec<usize>)>,
}

impl Objective for Scripted<'_> {
    type Error = Infallible;

    fn measure(&mut self, stage: RaceStage, candidates: &[usize], items: &[usize]) -> Result<Measurements, Infallible> {
        self.asked.push((stage, candidates.to_vec(), items.to_vec()));
        let mut values = Vec::new();
        for &who in candidates {
            values.push(items.iter().enumerate().map(|(at, &item)| (self.value)(stage, who, at, item)).collect());
        }
        Ok(Measurements { items: items.iter().map(|&item| item as u32).collect(), values })
    }
}

type Asked = Vec<(RaceStage, Vec<usize>, Vec<usize>)>;

/// A race over the given number of items. `value` gets the stage, the candidate, the item's index
/// in the stage, and the item.
fn race(
    (candidates, baseline, items): (usize, usize, usize),
    options: &Tune,
    mut value: impl FnMut(RaceStage, usize, usize, usize) -> f64,
) -> (RaceResult, Asked) {
    raced((candidates, baseline, items), options, &mut value)
}

fn raced(
    (candidates, baseline, items): (usize, usize, usize),
    options: &Tune,
    value: &mut dyn FnMut(RaceStage, usize, usize, usize) -> f64,
) -> (RaceResult, Asked) {
    let mut objective = Scripted { value, asked: Vec::new() };
    let question = Contest { candidates, baseline, items, tune: options };
    let mut output = Vec::new();
    let tuned = run_race(&question, &mut objective, &mut |round| output.push(round.clone())).unwrap();
    assert_eq!(output, tuned.rounds, "each round is told");
    (tuned, objective.asked)
}

/// 100 plus random noise of up to 20 %: no candidate is better than another.
fn noise(who: usize, item: usize) -> f64 {
    let mixed = ((who * 1000 + item + 1) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    100.0 + ((mixed >> 32) % 1000) as f64 / 50.0
}

/// 100, alternating between 10 % more and 10 % less: over any run of items, no candidate is better
/// by more than one or two items' worth.
fn balanced(who: usize, at: usize) -> f64 {
    match who {
        0 => 100.0,
        _ if (at / who).is_multiple_of(2) => 110.0,
        _ => 100.0 * 100.0 / 110.0,
    }
}

/// If no candidate is better than another, the race runs to its end, uses each of its items once,
/// and never uses a held-out item.
#[test]
fn race_without_confirmation_never_searches_held_out_items() {
    let options = Tune { held_out: 0.3, ..Tune::default() };
    let mut orders = BTreeSet::new();
    for seed in 1..=5 {
        let options = Tune { seed, ..options.clone() };
        let (tuned, asked) = race((3, 0, 101), &options, |_, who, at, _| balanced(who, at));
        assert!(tuned.candidates.iter().all(|candidate| candidate.dropped.is_none()), "the objective separates them");
        let items_in = |expected: fn(&RaceStage) -> bool| -> Vec<usize> {
            asked.iter().filter(|(stage, ..)| expected(stage)).flat_map(|(.., items)| items.clone()).collect()
        };
        let raced = items_in(|stage| matches!(stage, RaceStage::Race(_)));
        let held = items_in(|stage| *stage == RaceStage::HeldOut);
        assert_eq!((raced.len(), held.len(), tuned.held_out), (70, 31, 31), "thirty per cent, rounded up");
        let all: BTreeSet<usize> = raced.iter().chain(&held).copied().collect();
        assert_eq!(all, (0..101).collect(), "each item once, in the race or after it");
        assert_eq!(tuned.rounds.iter().map(|round| round.items).collect::<Vec<_>>(), [12, 12, 24, 22]);
        let stages: Vec<RaceStage> = asked.iter().map(|(stage, ..)| *stage).collect();
        let race = (0..4).map(RaceStage::Race);
        assert_eq!(stages, race.chain([RaceStage::HeldOut]).collect::<Vec<_>>());
        orders.insert(raced);
    }
    assert_eq!(orders.len(), 5, "another seed draws in another order");
}

/// The first round has `first` items, the second as many again, then the number doubles. The rest
/// joins the last round if it would be less than a quarter of all.
#[test]
fn race_rounds_double_and_the_last_is_not_small() {
    for (first, items, expected) in [
        (12, 24, vec![12]),
        (2, 16, vec![2, 2, 4]),
        (10, 26, vec![13]),
        (9, 26, vec![9, 4]),
        (5, 40, vec![5, 5, 10]),
        (50, 40, vec![20]),
        (3, 200, vec![3, 3, 6, 12, 24, 52]),
    ] {
        let options = Tune { first, ..Tune::default() };
        let (tuned, _) = race((2, 0, items), &options, |_, who, at, _| balanced(who, at));
        assert_eq!(tuned.rounds.iter().map(|round| round.items).collect::<Vec<_>>(), expected, "{first} of {items}");
    }
}

/// One of five candidates is best by far: the other four are dropped in the first round, then the
/// three finalists and the baseline are confirmed.
#[test]
fn race_drops_the_worse_and_confirms_the_best() {
    let factors = [1.0, 0.9, 0.95, 2.0, 0.8];
    let (tuned, asked) = race((5, 0, 60), &Tune::default(), |_, who, _, item| (10.0 + item as f64) * factors[who]);
    assert_eq!((tuned.winner, tuned.against, tuned.rounds.len()), (4, 0, 1));
    assert_eq!((tuned.rounds[0].best, &tuned.rounds[0].dropped), (4, &vec![0, 1, 2, 3]));
    assert_eq!(asked[0].1, [0, 1, 2, 3, 4]);
    // The winner, the two next best, and the baseline whatever its rank.
    let finalists = [0, 1, 2, 4];
    assert_eq!(asked[1].1, finalists);
    for (who, candidate) in tuned.candidates.iter().enumerate() {
        assert!((tuned.rounds[0].ratios[who] - factors[who]).abs() < 1e-9, "{who}: {:?}", tuned.rounds);
        assert!(!candidate.equals_winner);
        assert_eq!(candidate.dropped, (who != 4).then_some(0));
    }
    let held = tuned.held_out_result.unwrap();
    assert_eq!((held.test.pairs, held.confirmation), (30, Confirmation::Better));
    assert!((held.test.mean - 0.8).abs() < 1e-9);
    // With one finalist: the winner, and the baseline.
    let one = Tune { finalists: 1, ..Tune::default() };
    let (_, asked) = race((5, 0, 60), &one, |_, who, _, item| (10.0 + item as f64) * factors[who]);
    assert_eq!(asked[1].1, [0, 4]);
    // With the goal `Most`, the largest value wins.
    let most = Tune { goal: Goal::Most, ..Tune::default() };
    let (tuned, asked) = race((5, 0, 60), &most, |_, who, _, item| (10.0 + item as f64) * factors[who]);
    assert_eq!((tuned.winner, tuned.held_out_result.unwrap().confirmation), (3, Confirmation::Better));
    assert_eq!(asked[1].1, [0, 1, 2, 3]);
}

/// The baseline wins a tie. A candidate equal to the winner is neither its rival nor a finalist.
#[test]
fn baseline_wins_among_equals() {
    let factors = [1.0, 1.0, 1.2, 1.1];
    let (tuned, asked) = race((4, 1, 60), &Tune::default(), |_, who, _, item| (10.0 + item as f64) * factors[who]);
    assert_eq!(
        (tuned.winner, tuned.against, tuned.held_out_result.unwrap().confirmation),
        (1, 3, Confirmation::Better)
    );
    let same: Vec<bool> = tuned.candidates.iter().map(|candidate| candidate.equals_winner).collect();
    assert_eq!(same, [true, false, false, false]);
    assert_eq!(asked.last().unwrap().1, [1, 2, 3]);
    assert!((tuned.held_out_result.unwrap().test.mean - 1.0 / 1.1).abs() < 1e-9);
    // If the baseline isn't among the equals, the first of them wins.
    let (tuned, _) = race((3, 0, 60), &Tune::default(), |_, who, _, _| [2.0, 1.0, 1.0][who]);
    assert_eq!((tuned.winner, tuned.held_out_result.unwrap().confirmation), (1, Confirmation::Better));
}

/// Dropped candidates aren't measured again, except the baseline, which is the reference of all
/// curves. A dropped candidate can't win.
#[test]
fn dropped_candidate_is_not_searched_again_except_the_baseline() {
    let value = |stage: RaceStage, who: usize, at: usize| match (who, stage) {
        (0, _) => 200.0,
        // Bad in the first round; it would be the best by far later.
        (3, RaceStage::Race(0)) => 300.0,
        (3, _) => 1.0,
        _ => balanced(who, at),
    };
    let (tuned, asked) = race((4, 0, 101), &Tune::default(), |stage, who, at, _| value(stage, who, at));
    assert!(tuned.rounds.len() > 2);
    assert_eq!((tuned.candidates[0].dropped, tuned.candidates[3].dropped), (Some(0), Some(0)));
    for (at, (stage, who, _)) in asked.iter().enumerate() {
        let expected: &[usize] = match stage {
            RaceStage::Race(0) => &[0, 1, 2, 3],
            RaceStage::Race(_) => &[0, 1, 2],
            RaceStage::HeldOut => &[0, 1, 2, 3],
        };
        assert_eq!(who, expected, "{at}");
    }
    assert!([1, 2].contains(&tuned.winner));
}

/// With 2 of 12 items against the candidate, p is 2 (1 + 12 + 66) / 2^12 = 0.039: below alpha, but
/// not below a quarter of it, which is the share of each of four rounds. With 1 of 12, 2 (1 + 12) /
/// 2^12 = 0.0063 is below it.
#[test]
fn rounds_share_the_significance_level() {
    for (against, dropped) in [(2, None), (1, Some(0))] {
        let (tuned, _) = race((2, 0, 140), &Tune::default(), |stage, who, at, item| match stage {
            RaceStage::Race(0) => [100.0, if at < against { 90.0 } else { 100.0 * 100.0 / 90.0 }][who],
            _ => noise(who, item),
        });
        assert_eq!(tuned.candidates[1].dropped.filter(|&round| round == 0), dropped, "{against} of 12");
    }
}

/// A candidate that is worse on all eight items has p = 1/128 on its own. If there are others, each
/// worse on four items of its own, a pattern of signs may make any of them stand out as much: with
/// five others p is 6/128 = 0.047 and the candidate is dropped, with six it is 7/128 = 0.055 and it
/// stays.
#[test]
fn candidates_share_the_significance_level() {
    let worse_on = [0b0000_1111, 0b0001_0111, 0b0001_1011, 0b0001_1101, 0b0010_0111, 0b0010_1011];
    for (others, dropped) in [(5, Some(0)), (6, None)] {
        let options = Tune { first: 8, ..Tune::default() };
        let (tuned, asked) = race((2 + others, 0, 16), &options, |_, who, at, _| match who {
            0 => 100.0,
            1 => [125.0, 110.0][at.min(1)],
            _ if worse_on[who - 2] >> at & 1 == 1 => 110.0,
            _ => 100.0 / 1.0999,
        });
        assert_eq!((asked[0].2.len(), tuned.rounds[0].best), (8, 0));
        assert_eq!(tuned.candidates[1].dropped, dropped, "beside {others}");
        assert!(tuned.candidates[2..].iter().all(|other| other.dropped.is_none()));
    }
}

/// The winner is worse on held-out items, or as often better as worse.
#[test]
fn lucky_winner_is_not_confirmed() {
    let confirmed = |held_out: [f64; 2]| {
        let (tuned, _) = race((2, 0, 80), &Tune::default(), |stage, who, at, _| match (stage, who) {
            (_, 0) => 100.0,
            (RaceStage::Race(_), _) => 80.0,
            (RaceStage::HeldOut, _) => held_out[at % 2],
        });
        assert_eq!((tuned.winner, tuned.against), (1, 0));
        tuned.held_out_result.unwrap().confirmation
    };
    assert_eq!(confirmed([130.0, 130.0]), Confirmation::Worse);
    assert_eq!(confirmed([90.0, 100.0 * 100.0 / 90.0]), Confirmation::Nothing);
}

/// Items without a ratio still count. If only the baseline needs no nodes for an item, the winner's
/// gain has no bound; if only the winner needs none, it is even better. A candidate that needs no
/// nodes for one item isn't dropped for needing twice as many for the others.
#[test]
fn candidate_with_zero_nodes_stays_in_the_race() {
    let confirmed = |free: usize| {
        let value = |stage: RaceStage, who: usize, at: usize, item: usize| match stage {
            RaceStage::HeldOut if at == 3 && who == free => 0.0,
            _ => [100.0, 80.0][who] + (item % 3) as f64,
        };
        let (tuned, _) = race((2, 0, 80), &Tune::default(), value);
        let held = tuned.held_out_result.unwrap();
        assert_eq!((tuned.winner, held.test.pairs), (1, 40 - usize::from(free < 2)));
        (held.confirmation, held.test.low > 0.0, held.test.high < 1.0)
    };
    assert_eq!(confirmed(2), (Confirmation::Better, true, true));
    assert_eq!(confirmed(1), (Confirmation::Better, false, true));
    assert_eq!(confirmed(0), (Confirmation::Nothing, true, false));
    for (goal, free, dropped) in [
        (Goal::Least, [9, 9], Some(0)),
        (Goal::Least, [2, 9], None),
        (Goal::Least, [9, 2], Some(0)),
        (Goal::Most, [9, 9], Some(0)),
        (Goal::Most, [2, 9], Some(0)),
        (Goal::Most, [9, 2], None),
    ] {
        let cost = match goal {
            Goal::Least => [100.0, 50.0, 200.0],
            Goal::Most => [100.0, 200.0, 50.0],
        };
        // The third candidate, or the best one, needs no nodes for the fifth item.
        let value = |stage: RaceStage, who: usize, at: usize, _: usize| {
            let none = stage == RaceStage::Race(0) && at == 4 && (who == free[0] || (free[1] == 2 && who == 1));
            if none { 0.0 } else { cost[who] }
        };
        let (tuned, _) = race((3, 0, 80), &Tune { goal, ..Tune::default() }, value);
        assert_eq!((tuned.winner, tuned.candidates[2].dropped), (1, dropped), "{goal:?} {free:?}");
    }
}

/// Candidates that are still in the race are confirmed before those that were dropped early, even
/// if a dropped one looks better on its few items.
#[test]
fn remaining_candidate_is_confirmed_before_a_dropped_one() {
    let value = |stage: RaceStage, who: usize, at: usize, _: usize| match (who, stage) {
        (0, _) => 100.0,
        (1, _) => 50.0,
        (2, _) => 60.0,
        // Never clearly worse than the best, and in the end worse overall than the one that was.
        (_, RaceStage::Race(0)) => [40.0, 65.0][at % 2],
        (_, RaceStage::Race(_)) => [20.0, 330.0][at % 2],
        (_, RaceStage::HeldOut) => 70.0,
    };
    let (tuned, asked) = race((4, 0, 60), &Tune { finalists: 2, ..Tune::default() }, value);
    assert_eq!(tuned.rounds.iter().map(|round| round.items).collect::<Vec<_>>(), [12, 18]);
    assert_eq!((tuned.winner, tuned.candidates[2].dropped, tuned.candidates[3].dropped), (1, Some(0), None));
    assert!(tuned.rounds[0].ratios[2] < tuned.rounds[1].ratios[2], "{:?}", tuned.rounds);
    assert_eq!(asked.last().unwrap().1, [0, 1, 3]);
}

/// Six of six items are lower, five of them by only 1 %: the sign pattern alone is rare (1 in 32),
/// but the interval includes 1, so there is no finding.
#[test]
fn result_that_depends_on_one_item_is_not_a_finding() {
    let value = |stage: RaceStage, who: usize, at: usize, _: usize| match (who, stage) {
        (0, _) => 100.0,
        (_, RaceStage::Race(_)) => 90.0,
        (_, RaceStage::HeldOut) => {
            if at == 5 {
                37.0
            } else {
                99.0
            }
        }
    };
    let (tuned, _) = race((2, 0, 12), &Tune { held_out: 0.5, ..Tune::default() }, value);
    let held = tuned.held_out_result.unwrap();
    assert!((held.test.p - 1.0 / 32.0).abs() < 1e-9, "{held:?}");
    assert!(held.test.high > 1.0, "{held:?}");
    assert!(held.test.mean < 1.0, "{held:?}");
    assert_eq!(held.confirmation, Confirmation::Nothing);
}
