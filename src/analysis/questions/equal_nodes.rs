//! Elo in the unit of work: with how many of its nodes the baseline would be as strong as a variant. The baseline's handicapped copies give
//! Elo as a function of the logarithm of nodes; a variant's Elo is looked up on that curve, which is made monotone by pooling neighbours
//! that contradict it, and interpolated linearly. The openings are drawn anew for the interval: all players share them.
//! Sources: Barlow, Bartholomew, Bremner and Brunk, "Statistical Inference under Order Restrictions", 1972 (pooling); Efron and Tibshirani,
//! "An Introduction to the Bootstrap", 1993, chapter 13 (the percentile interval).

use super::match_test::logistic_elo;
use crate::analysis::pairing::stats::at_least;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::collections::{BTreeSet, HashMap};

/// The points of an encounter's pairs, 0 to 2, by opening.
pub type PairPoints = HashMap<u32, f64>;

/// A multiple of the baseline's nodes with which it is as strong as a variant, and its 95 % interval. What lies below all nodes that were
/// played is 0, and what lies above all is infinite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EqualNodes {
    /// The estimate.
    pub nodes: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// How often the openings are drawn.
const DRAWS: usize = 2_000;

/// Equal-strength nodes of each variant, from its pairs against the baseline and those of the baseline's copies, each with the number by
/// which its nodes were divided. None where a variant, or one of the copies, has too few pairs.
pub fn equal_nodes(variants: &[&PairPoints], copies: &[(f64, &PairPoints)]) -> Vec<Option<EqualNodes>> {
    equal_nodes_drawn(variants, copies, DRAWS)
}

fn equal_nodes_drawn(variants: &[&PairPoints], copies: &[(f64, &PairPoints)], draws: usize) -> Vec<Option<EqualNodes>> {
    let enough = |pairs: &PairPoints| pairs.len() >= at_least(1);
    if copies.is_empty() || !copies.iter().all(|(_, pairs)| enough(pairs)) {
        return vec![None; variants.len()];
    }
    let players: Vec<&PairPoints> = copies.iter().map(|(_, pairs)| *pairs).chain(variants.iter().copied()).collect();
    let openings: BTreeSet<u32> = players.iter().flat_map(|pairs| pairs.keys().copied()).collect();
    // Points of each player in the order of the openings; none where a pair could not be played.
    let points: Vec<Vec<Option<f64>>> =
        players.iter().map(|pairs| openings.iter().map(|opening| pairs.get(opening).copied()).collect()).collect();
    let nodes_of = |weights: &[u32]| -> Vec<f64> {
        let results: Vec<(f64, f64)> = points.iter().map(|points| elo(points, weights)).collect();
        let (of_copies, of_variants) = results.split_at(copies.len());
        let played = copies.iter().zip(of_copies).map(|((divisor, _), &(elo, pairs))| (-divisor.ln(), elo, pairs));
        let curve = curve(played.collect());
        of_variants.iter().map(|(elo, _)| look_up(&curve, *elo).exp()).collect()
    };
    let found = nodes_of(&vec![1; openings.len()]);
    let mut drawn: Vec<Vec<f64>> = vec![Vec::with_capacity(draws); variants.len()];
    let mut random = Pcg64::seed_from_u64(1);
    let mut weights = vec![0; openings.len()];
    for _ in 0..draws {
        weights.fill(0);
        (0..openings.len()).for_each(|_| weights[random.random_range(0..openings.len())] += 1);
        for (all, nodes) in drawn.iter_mut().zip(nodes_of(&weights)) {
            // An opening set may hold no pair of a variant that failed in most: such a draw tells nothing.
            all.extend(Some(nodes).filter(|nodes| !nodes.is_nan()));
        }
    }
    let interval = |nodes: f64, all: &mut Vec<f64>| {
        all.sort_by(f64::total_cmp);
        let at = |share: f64| all.get((share * (all.len() - 1) as f64).round() as usize).copied();
        Some(EqualNodes { nodes, low: at(0.025)?, high: at(0.975)? })
    };
    let found = variants.iter().zip(found).zip(&mut drawn);
    found.map(|((pairs, nodes), all)| interval(nodes, all).filter(|_| enough(pairs) && !all.is_empty())).collect()
}

/// Elo of a player over the openings as often as they were drawn, and how many pairs that were.
fn elo(points: &[Option<f64>], weights: &[u32]) -> (f64, f64) {
    let (mut sum, mut pairs) = (0.0, 0.0);
    for (points, &weight) in points.iter().zip(weights) {
        if let Some(points) = points {
            sum += points * f64::from(weight);
            pairs += f64::from(weight);
        }
    }
    (logistic_elo(sum / pairs / 2.0), pairs)
}

/// The curve's corners, logarithm of nodes and Elo, both rising: from (logarithm of nodes, Elo, pairs) and the baseline itself, whose Elo is 0
/// whatever was played. Corners that contradict the order become one, at their weighted means.
fn curve(mut played: Vec<(f64, f64, f64)>) -> Vec<(f64, f64)> {
    const EXACT: f64 = 1e12;
    played.retain(|(_, elo, _)| !elo.is_nan());
    played.push((0.0, 0.0, EXACT));
    played.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut pooled: Vec<(f64, f64, f64)> = Vec::new();
    for mut corner in played {
        while let Some(before) = pooled.pop_if(|before| before.1 >= corner.1) {
            let weight = before.2 + corner.2;
            let mean = |before_value: f64, value: f64| (before_value * before.2 + value * corner.2) / weight;
            corner = (mean(before.0, corner.0), mean(before.1, corner.1), weight);
        }
        pooled.push(corner);
    }
    pooled.into_iter().map(|(nodes, elo, _)| (nodes, elo)).collect()
}

/// The logarithm of nodes at which the curve has an Elo; infinite beyond its ends.
fn look_up(curve: &[(f64, f64)], elo: f64) -> f64 {
    if elo.is_nan() {
        return f64::NAN;
    }
    let above = curve.partition_point(|corner| corner.1 < elo);
    match (above.checked_sub(1).map(|at| curve[at]), curve.get(above)) {
        (_, Some(&(nodes, at))) if at == elo => nodes,
        (Some((x0, y0)), Some(&(x1, y1))) => x0 + (x1 - x0) * (elo - y0) / (y1 - y0),
        (None, _) => f64::NEG_INFINITY,
        (_, None) => f64::INFINITY,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Twelve openings with a mean of so many points of 2, no two pairs alike.
    fn pairs(mean: f64) -> PairPoints {
        (0..12).map(|at| (at, mean + (f64::from(at) - 5.5) / 100.0)).collect()
    }

    /// By hand: half the nodes lose 0.2 of a point of 1, ln 2 = 0.693 below the baseline, which is -147.2 Elo; a variant that loses half of that
    /// Elo is as strong as the baseline with 2^-0.5 = 0.707 of its nodes.
    #[test]
    fn equal_nodes_by_hand() {
        let half = pairs(0.6);
        let score = 1.0 / (1.0 + 10.0_f64.powf(147.19 / 2.0 / 400.0));
        let between = pairs(2.0 * score);
        let (same, weak, strong, few) = (pairs(1.0), pairs(0.5), pairs(1.2), (0..5).map(|at| (at, 1.0)).collect());
        let found = equal_nodes(&[&between, &half, &same, &weak, &strong, &few], &[(2.0, &half)]);
        let nodes: Vec<Option<f64>> = found.iter().map(|one| one.map(|one| one.nodes)).collect();
        assert!((nodes[0].unwrap() - 0.5_f64.sqrt()).abs() < 1e-4, "{nodes:?}");
        assert!((nodes[1].unwrap() - 0.5).abs() < 1e-9 && (nodes[2].unwrap() - 1.0).abs() < 1e-9, "{nodes:?}");
        assert_eq!(nodes[3..], [Some(0.0), Some(f64::INFINITY), None], "outside what was played, and too few pairs");
        let one = found[0].unwrap();
        assert!(0.5 < one.low && one.low < one.nodes && one.nodes < one.high && one.high < 1.0, "{one:?}");
        // Five pairs of a copy are too few for everybody; six are enough.
        let some =
            |pairs: u32| -> PairPoints { half.iter().filter(|(at, _)| **at < pairs).map(|(a, b)| (*a, *b)).collect() };
        let known = |copy: &PairPoints| equal_nodes(&[&between], &[(2.0, copy)])[0].is_some();
        assert_eq!((known(&some(5)), known(&some(6))), (false, true));
        assert_eq!(equal_nodes(&[&between], &[]), [None]);
    }

    /// A copy with fewer nodes that scored more than one with more becomes one corner with it, and the baseline stays where it is.
    #[test]
    fn a_curve_that_turns_back_is_pooled() {
        let found = curve(vec![(-1.0, -100.0, 10.0), (-0.5, -120.0, 30.0), (0.5, -3.0, 10.0)]);
        let expected = [(-0.625, -115.0), (0.0, 0.0)];
        assert!(
            found.len() == 2 && found.iter().zip(expected).all(|(a, b)| (a.0 - b.0).abs() + (a.1 - b.1).abs() < 1e-6)
        );
        assert_eq!(curve(Vec::new()), [(0.0, 0.0)]);
        let steps = [(-2.0, -300.0), (-1.0, -100.0), (0.0, 0.0)];
        for (elo, nodes) in [(-300.0, -2.0), (-200.0, -1.5), (-100.0, -1.0), (-25.0, -0.25), (0.0, 0.0)] {
            assert!((look_up(&steps, elo) - nodes).abs() < 1e-12, "{elo}");
        }
        assert_eq!([-300.1, 0.1].map(|elo| look_up(&steps, elo)), [f64::NEG_INFINITY, f64::INFINITY]);
    }

    /// Players as strong as the baseline with its nodes divided by 0.8, 1, 1.5 and 2, at 212 Elo for a factor of e, whose pairs share what their
    /// opening adds: of 95 % intervals no fewer than 92 % hold the planted factor.
    #[test]
    fn planted_factors_are_found_as_often_as_the_interval_says() {
        const OPENINGS: u32 = 100;
        const RUNS: u64 = 400;
        let (planted, divisors) = ([0.8, 1.0, 1.5, 2.0], [0.67, 1.25, 1.5, 2.0, 2.73]);
        let mut hits = [0.0; 4];
        for run in 0..RUNS {
            let mut random = Pcg64::seed_from_u64(run);
            let balance: Vec<f64> = (0..OPENINGS).map(|_| random.random_range(-0.15..0.15)).collect();
            let mut play = |divisor: f64| -> PairPoints {
                let score = 1.0 / (1.0 + 10.0_f64.powf(212.0 * divisor.ln() / 400.0));
                let mut game = |score: f64| {
                    let (drawn, at) = (0.4 * score.min(1.0 - score), random.random_range(0.0..1.0));
                    if at < score - drawn {
                        1.0
                    } else if at < score + drawn {
                        0.5
                    } else {
                        0.0
                    }
                };
                let pair = |(opening, balance): (u32, &f64)| (opening, game(score + balance) + game(score - balance));
                (0..).zip(&balance).map(pair).collect()
            };
            let copies = divisors.map(|divisor| (divisor, play(divisor)));
            let variants = planted.map(&mut play);
            let copies: Vec<(f64, &PairPoints)> = copies.iter().map(|(divisor, pairs)| (*divisor, pairs)).collect();
            let found = equal_nodes_drawn(&variants.each_ref(), &copies, 200);
            for ((found, planted), hits) in found.iter().zip(planted).zip(&mut hits) {
                let EqualNodes { low, high, .. } = found.unwrap();
                *hits += f64::from(u8::from(low <= 1.0 / planted && 1.0 / planted <= high));
            }
        }
        assert!(hits.iter().all(|hits| hits / RUNS as f64 >= 0.92), "{hits:?} of {RUNS}");
    }
}
