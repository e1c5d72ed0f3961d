//! Expresses strength in units of work: the factor by which the baseline's nodes must be multiplied
//! to make the baseline as strong as a variant.
//!
//! The results of the baseline's handicapped copies give a curve of Elo over log(nodes). The curve
//! is made monotone by pooling adjacent violators, and interpolated linearly. For the interval,
//! openings are resampled, because all players play the same openings.
//!
//! Sources: Barlow, Bartholomew, Bremner and Brunk, "Statistical Inference under Order
//! Restrictions", 1972 (pooling); Efron and Tibshirani, "An Introduction to the Bootstrap", 1993,
//! chapter 13 (the percentile interval).

use super::match_test::logistic_elo;
use crate::stats::sample::min_clusters;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::collections::{BTreeSet, HashMap};

/// Maps each opening to the player's points in the pair of games from this opening, from 0 to 2.
pub type PairPoints = HashMap<u32, f64>;

/// The factor by which the baseline's nodes must be multiplied to make the baseline as strong as a
/// variant, with its 95 % interval. The factor is 0 if the variant is weaker than the whole curve,
/// and infinite if the variant is stronger than the whole curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EqualNodes {
    pub nodes: f64,
    pub low: f64,
    pub high: f64,
}

const RESAMPLES: usize = 2_000;

/// `variants` contains each variant's points against the baseline. `copies` contains the divisor of
/// each handicapped copy's nodes, and the copy's points against the baseline. A factor is `None` if
/// there are no copies, or if the variant or any copy has too few pairs.
pub fn equal_nodes(variants: &[&PairPoints], copies: &[(f64, &PairPoints)]) -> Vec<Option<EqualNodes>> {
    equal_nodes_from_resamples(variants, copies, RESAMPLES)
}

fn equal_nodes_from_resamples(
    variants: &[&PairPoints],
    copies: &[(f64, &PairPoints)],
    resamples: usize,
) -> Vec<Option<EqualNodes>> {
    let has_enough = |pairs: &PairPoints| pairs.len() >= min_clusters(1);
    if copies.is_empty() || !copies.iter().all(|(_, pairs)| has_enough(pairs)) {
        return vec![None; variants.len()];
    }
    let players: Vec<&PairPoints> = copies.iter().map(|(_, pairs)| *pairs).chain(variants.iter().copied()).collect();
    let openings: BTreeSet<u32> = players.iter().flat_map(|pairs| pairs.keys().copied()).collect();
    // Each player's points in the order of the openings. `None` if a pair was not played.
    let points: Vec<Vec<Option<f64>>> =
        players.iter().map(|pairs| openings.iter().map(|opening| pairs.get(opening).copied()).collect()).collect();
    // Returns the factor of each variant. Each opening is counted as often as its weight says.
    let compute_factors = |weights: &[u32]| -> Vec<f64> {
        let elos_and_pairs: Vec<(f64, f64)> = points.iter().map(|points| resampled_elo(points, weights)).collect();
        let (copy_elos, variant_elos) = elos_and_pairs.split_at(copies.len());
        let corners = copies.iter().zip(copy_elos).map(|((divisor, _), &(elo, pairs))| WeightedCorner {
            log_nodes: -divisor.ln(),
            elo,
            weight: pairs,
        });
        let curve = pool_curve(corners.collect());
        variant_elos.iter().map(|(elo, _)| look_up(&curve, *elo).exp()).collect()
    };
    let estimates = compute_factors(&vec![1; openings.len()]);
    let mut factors_by_variant: Vec<Vec<f64>> = vec![Vec::with_capacity(resamples); variants.len()];
    let mut random = Pcg64::seed_from_u64(1);
    let mut weights = vec![0; openings.len()];
    for _ in 0..resamples {
        weights.fill(0);
        (0..openings.len()).for_each(|_| weights[random.random_range(0..openings.len())] += 1);
        for (variant_factors, factor) in factors_by_variant.iter_mut().zip(compute_factors(&weights)) {
            // If a variant has few pairs, a resample may contain none of them. The resample is then
            // skipped for this variant.
            variant_factors.extend(Some(factor).filter(|factor| !factor.is_nan()));
        }
    }
    let make_interval = |factor: f64, samples: &mut Vec<f64>| {
        samples.sort_by(f64::total_cmp);
        let find_quantile = |share: f64| samples.get((share * (samples.len() - 1) as f64).round() as usize).copied();
        Some(EqualNodes { nodes: factor, low: find_quantile(0.025)?, high: find_quantile(0.975)? })
    };
    let variants_with_estimates = variants.iter().zip(estimates).zip(&mut factors_by_variant);
    variants_with_estimates
        .map(|((pairs, factor), samples)| {
            if !has_enough(pairs) || samples.is_empty() {
                return None;
            }
            make_interval(factor, samples)
        })
        .collect()
}

/// `points` contains the player's points, from 0 to 2, in the pair of each opening.
fn resampled_elo(points: &[Option<f64>], weights: &[u32]) -> (f64, f64) {
    let (mut sum, mut pairs) = (0.0, 0.0);
    for (pair_points, &weight) in points.iter().zip(weights) {
        if let Some(pair_points) = pair_points {
            sum += pair_points * f64::from(weight);
            pairs += f64::from(weight);
        }
    }
    let games = 2.0 * pairs;
    (logistic_elo(sum / games), pairs)
}

#[derive(Clone, Copy)]
struct WeightedCorner {
    log_nodes: f64,
    elo: f64,
    weight: f64,
}

/// The curve consists of the copies' corners and the baseline itself, whose Elo is 0 by definition.
/// If Elo does not increase from one corner to the next, the two corners are replaced by their
/// weighted mean.
fn pool_curve(mut corners: Vec<WeightedCorner>) -> Vec<(f64, f64)> {
    // The weight is far larger than any number of pairs, so that pooling does not move the
    // baseline.
    const BASELINE_WEIGHT: f64 = 1e12;
    corners.retain(|corner| !corner.elo.is_nan());
    corners.push(WeightedCorner { log_nodes: 0.0, elo: 0.0, weight: BASELINE_WEIGHT });
    corners.sort_by(|a, b| a.log_nodes.total_cmp(&b.log_nodes));
    let mut pooled: Vec<WeightedCorner> = Vec::new();
    for mut corner in corners {
        while let Some(previous) = pooled.pop_if(|previous| previous.elo >= corner.elo) {
            let weight = previous.weight + corner.weight;
            let mean =
                |previous_value: f64, value: f64| (previous_value * previous.weight + value * corner.weight) / weight;
            corner = WeightedCorner {
                log_nodes: mean(previous.log_nodes, corner.log_nodes),
                elo: mean(previous.elo, corner.elo),
                weight,
            };
        }
        pooled.push(corner);
    }
    pooled.into_iter().map(|corner| (corner.log_nodes, corner.elo)).collect()
}

fn look_up(curve: &[(f64, f64)], elo: f64) -> f64 {
    if elo.is_nan() {
        return f64::NAN;
    }
    let upper_index = curve.partition_point(|(_, corner_elo)| *corner_elo < elo);
    let lower_corner = upper_index.checked_sub(1).map(|index| curve[index]);
    match (lower_corner, curve.get(upper_index)) {
        (_, Some(&(log_nodes, corner_elo))) if corner_elo == elo => log_nodes,
        (Some((lower_log, lower_elo)), Some(&(upper_log, upper_elo))) => {
            lower_log + (upper_log - lower_log) * (elo - lower_elo) / (upper_elo - lower_elo)
        }
        (None, _) => f64::NEG_INFINITY,
        (_, None) => f64::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs from twelve openings with different points; a pair has `mean` points on average.
    fn pairs(mean: f64) -> PairPoints {
        (0..12).map(|index| (index, mean + (f64::from(index) - 5.5) / 100.0)).collect()
    }

    /// Calculated by hand: with half the nodes (ln 2 = 0.693 lower) the copy scores 0.3, which is a
    /// loss of 147.2 Elo. A variant with half of that loss is as strong as the baseline with 2^-0.5
    /// or 0.707 of its nodes.
    #[test]
    fn equal_nodes_equal_a_calculation_by_hand() {
        let half_nodes = pairs(0.6);
        let score = 1.0 / (1.0 + 10.0_f64.powf(147.19 / 2.0 / 400.0));
        let intermediate = pairs(2.0 * score);
        let (as_strong, weaker, stronger, few) =
            (pairs(1.0), pairs(0.5), pairs(1.2), (0..5).map(|index| (index, 1.0)).collect());
        let results =
            equal_nodes(&[&intermediate, &half_nodes, &as_strong, &weaker, &stronger, &few], &[(2.0, &half_nodes)]);
        let nodes: Vec<Option<f64>> = results.iter().map(|result| result.map(|result| result.nodes)).collect();
        assert!((nodes[0].unwrap() - 0.5_f64.sqrt()).abs() < 1e-4, "{nodes:?}");
        assert!((nodes[1].unwrap() - 0.5).abs() < 1e-9, "{nodes:?}");
        assert!((nodes[2].unwrap() - 1.0).abs() < 1e-9, "{nodes:?}");
        assert_eq!(nodes[3..], [Some(0.0), Some(f64::INFINITY), None], "outside what was played, and too few pairs");
        let result = results[0].unwrap();
        assert!(0.5 < result.low, "{result:?}");
        assert!(result.low < result.nodes, "{result:?}");
        assert!(result.nodes < result.high, "{result:?}");
        assert!(result.high < 1.0, "{result:?}");
        // Five pairs of a copy are too few, but six are enough.
        let first_pairs = |pairs: u32| -> PairPoints {
            half_nodes
                .iter()
                .filter(|(opening, _)| **opening < pairs)
                .map(|(opening, points)| (*opening, *points))
                .collect()
        };
        let has_result = |copy: &PairPoints| equal_nodes(&[&intermediate], &[(2.0, copy)])[0].is_some();
        assert_eq!((has_result(&first_pairs(5)), has_result(&first_pairs(6))), (false, true));
        assert_eq!(equal_nodes(&[&intermediate], &[]), [None]);
        assert_eq!(equal_nodes(&[&intermediate, &PairPoints::new()], &[(2.0, &half_nodes)])[1], None);
    }

    /// A copy that scored more with fewer nodes is pooled with its neighbour; the baseline is not
    /// moved.
    #[test]
    fn curve_that_decreases_is_pooled() {
        let corners = [(-1.0, -100.0, 10.0), (-0.5, -120.0, 30.0), (0.5, -3.0, 10.0)];
        let curve =
            pool_curve(corners.map(|(log_nodes, elo, weight)| WeightedCorner { log_nodes, elo, weight }).to_vec());
        let expected = [(-0.625, -115.0), (0.0, 0.0)];
        assert_eq!(curve.len(), 2);
        assert!(curve.iter().zip(expected).all(|((nodes, elo), (expected_nodes, expected_elo))| {
            (nodes - expected_nodes).abs() + (elo - expected_elo).abs() < 1e-6
        }));
        assert_eq!(pool_curve(Vec::new()), [(0.0, 0.0)]);
        let steps = [(-2.0, -300.0), (-1.0, -100.0), (0.0, 0.0)];
        for (elo, nodes) in [(-300.0, -2.0), (-200.0, -1.5), (-100.0, -1.0), (-25.0, -0.25), (0.0, 0.0)] {
            assert!((look_up(&steps, elo) - nodes).abs() < 1e-12, "{elo}");
        }
        assert_eq!([-300.1, 0.1].map(|elo| look_up(&steps, elo)), [f64::NEG_INFINITY, f64::INFINITY]);
    }

    /// Players are simulated that are as strong as the baseline with its nodes divided by 0.8, 1,
    /// 1.5 and 2, at 212 Elo per factor of e; the games of a pair share the opening's bias. At
    /// least 92 % of the 95 % intervals contain the true factor.
    #[test]
    fn intervals_cover_the_true_factors() {
        const OPENINGS: u32 = 100;
        const RUNS: u64 = 400;
        let (true_divisors, divisors) = ([0.8, 1.0, 1.5, 2.0], [0.67, 1.25, 1.5, 2.0, 2.73]);
        let mut hits = [0.0; 4];
        for run in 0..RUNS {
            let mut random = Pcg64::seed_from_u64(run);
            let balance: Vec<f64> = (0..OPENINGS).map(|_| random.random_range(-0.15..0.15)).collect();
            let mut play_match = |divisor: f64| -> PairPoints {
                let score = 1.0 / (1.0 + 10.0_f64.powf(212.0 * divisor.ln() / 400.0));
                let mut play_game = |score: f64| {
                    let (draw_share, draw) = (0.4 * score.min(1.0 - score), random.random_range(0.0..1.0));
                    if draw < score - draw_share {
                        1.0
                    } else if draw < score + draw_share {
                        0.5
                    } else {
                        0.0
                    }
                };
                let play_pair = |(opening, balance): (u32, &f64)| {
                    (opening, play_game(score + balance) + play_game(score - balance))
                };
                (0..).zip(&balance).map(play_pair).collect()
            };
            let copies = divisors.map(|divisor| (divisor, play_match(divisor)));
            let variants = true_divisors.map(&mut play_match);
            let copies: Vec<(f64, &PairPoints)> = copies.iter().map(|(divisor, pairs)| (*divisor, pairs)).collect();
            let results = equal_nodes_from_resamples(&variants.each_ref(), &copies, 200);
            for ((result, true_divisor), hits) in results.iter().zip(true_divisors).zip(&mut hits) {
                let EqualNodes { low, high, .. } = result.unwrap();
                *hits += f64::from(u8::from(low <= 1.0 / true_divisor && 1.0 / true_divisor <= high));
            }
        }
        assert!(hits.iter().all(|hits| hits / RUNS as f64 >= 0.92), "{hits:?} of {RUNS}");
    }
}
