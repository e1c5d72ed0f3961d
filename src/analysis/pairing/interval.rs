//! Intervals that hold their level under skew, heavy tails and uneven games: the bootstrap-t, no narrower than Student's.
//!
//! A plain percentile bootstrap covers 85 to 90 % of skewed means where it says 95: it draws the mean, whose distribution leans the
//! wrong way. The bootstrap-t draws the mean *in units of its own standard error*, and is right to one order more. Where tails are
//! heavy and nothing leans it is a little short, and Student's interval is not: each end is the farther of the two. A few dozen values
//! show a part of the skew only that the law has from which they come: with less than a hundred clusters each end is also no nearer
//! than Johnson's correction has it for the whole. Measured figures are in docs/methodology.md. Sources: Hall, "The Bootstrap and
//! Edgeworth Expansion", 1992, chapters 3 and 4; Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 12; Johnson,
//! "Modified t tests and confidence intervals for asymmetrical populations", 1978; Hall, "On the removal of skewness by
//! transformation", 1992.

use super::clusters::Clusters;
use super::stats::t_quantile;
use super::threads::{each, shared};
use super::weigh::weigh;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::collections::BTreeMap;

/// With fewer clusters a bootstrap has too few different samples to draw, and Student's interval stands alone.
const FEW: usize = 5;

/// With fewer clusters than this, a sample's skew is taken for a part of the law's: the far values of a long tail are rare.
const SHY: usize = 100;

/// So many clusters show half of the skew; n of them 1 / (1 + HIDDEN / n). It is what a lognormal law with a skewness of 6.2 shows: a sixth
/// with 8, a third with 24, half with 50.
const HIDDEN: f64 = 48.0;

/// No law is taken to be more skewed than this.
const SKEWED: f64 = 6.2;

/// With more clusters than this, Hall's transformation of Student's t takes the place of the draws: it corrects for the same skew.
const MANY: usize = 200;

/// By so much may a cluster differ that a sample has not drawn. Of games along which a table ages one in fifty to one in a hundred differs from the
/// others by a factor of 1.8 to 2.7; no interval of a mean knows of it before it is drawn.
pub const UNDRAWN: f64 = 2.5;

/// Draws at most and at least, and the work that may be spent on all lines together.
const DRAWS: (usize, usize, usize) = (9_999, 1_999, 250_000_000);

/// Lines worked on at a time.
const PART: usize = 16;

/// 95 % intervals of the mean logarithms of many lines; NaN for fewer than two clusters. Lines with the same clusters share their
/// draws.
pub fn intervals(lines: &[Clusters]) -> Vec<(f64, f64)> {
    let clusters = lines.iter().map(Clusters::len).sum();
    let mut found: Vec<(f64, f64)> = each(lines.len(), clusters, |at| {
        let line = &lines[at];
        let quantile: fn(&Clusters, f64) -> f64 = match line.len() {
            FEW..SHY => corrected,
            0..=MANY => return student(line),
            _ => transformed,
        };
        let quantiles = (quantile(line, -1.0), quantile(line, 1.0));
        wider(student(line), line.mean(), line.standard_error(), quantiles)
    });
    // Lines with the same clusters of the same sizes, in the order of their first.
    let mut alike: BTreeMap<(&[u32], Vec<u64>), Vec<usize>> = BTreeMap::new();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| (FEW..=MANY).contains(&line.len())) {
        if line.standard_error() > 0.0 {
            let sizes = line.sizes.iter().map(|size| size.to_bits()).collect();
            alike.entry((&line.ids, sizes)).or_default().push(at);
        }
    }
    let budget = DRAWS.2 / alike.values().map(|these| these.len()).sum::<usize>().max(1);
    for these in alike.into_values() {
        let group: Vec<&Clusters> = these.iter().map(|&at| &lines[at]).collect();
        for (at, quantiles) in these.into_iter().zip(bootstrap(&group, budget)) {
            let Some(quantiles) = quantiles else { continue };
            found[at] = wider(found[at], lines[at].mean(), lines[at].standard_error(), quantiles);
        }
    }
    found
}

/// Student's interval, with the linearised standard error.
fn student(line: &Clusters) -> (f64, f64) {
    let reach = t_quantile(line.len(), 0.975) * line.standard_error();
    (line.mean() - reach, line.mean() + reach)
}

/// An interval stretched to the one that follows from quantiles of the studentised mean.
fn wider(interval: (f64, f64), mean: f64, error: f64, (least, most): (f64, f64)) -> (f64, f64) {
    (interval.0.min(mean - most * error), interval.1.max(mean - least * error))
}

/// A 2.5 % quantile of the studentised mean (of the side given by the sign) from the sample's skew, by Hall's transformation.
fn transformed(line: &Clusters, side: f64) -> f64 {
    let (skew, t) = (skewness(line) / (line.len() as f64).sqrt(), side * t_quantile(line.len(), 0.975));
    // The transformation g(x) = x + skew x^2 / 3 + skew^2 x^3 / 27 + skew / 6 makes the studentised mean x nearly normal.
    if skew.abs() < 1e-6 { t } else { 3.0 / skew * ((1.0 + skew * (t - skew / 6.0)).cbrt() - 1.0) }
}

/// The same from what the sample hides of the skew, too, by Johnson's: of the first order, since the transformation makes too much of
/// some middling skews.
fn corrected(line: &Clusters, side: f64) -> f64 {
    let (clusters, t) = (line.len() as f64, side * t_quantile(line.len(), 0.975));
    let skew = (skewness(line) * (1.0 + HIDDEN / clusters)).clamp(-SKEWED, SKEWED) / clusters.sqrt();
    t - skew * (2.0 * t * t + 1.0) / 6.0
}

/// The sample's skewness; 0 where nothing spreads.
fn skewness(line: &Clusters) -> f64 {
    let (clusters, residuals) = (line.len() as f64, line.residuals());
    let moment = |power: i32| residuals.iter().map(|residual| residual.powi(power)).sum::<f64>() / clusters;
    let skewness = moment(3) / moment(2).powf(1.5);
    if skewness.is_nan() { 0.0 } else { skewness }
}

/// How many times as far as Student's the ends lie where a sample of so many clusters leans by chance alone.
pub fn stretch(clusters: usize) -> f64 {
    // The skewness of n normal values is some root (6 / n), that of their mean root 6 / n, and HIDDEN / n times that is taken to be hidden; it
    // matters where it leans the wrong way, in half of the samples.
    if (FEW..SHY).contains(&clusters) { 1.0 + HIDDEN / (clusters as f64).powi(2) } else { 1.0 }
}

/// By how much the interval of a mean logarithm must leave 0 out before a difference is told from none: by as much as one more cluster, which was
/// not drawn, could take back.
pub fn room(clusters: usize) -> f64 {
    UNDRAWN.ln() / clusters as f64
}

/// The 2.5 % quantiles of the studentised means of lines with the same clusters; none where the draws hardly ever spread.
fn bootstrap(lines: &[&Clusters], budget: usize) -> Vec<Option<(f64, f64)>> {
    let units = lines[0].len();
    let draws = (budget / (3 * units)).clamp(DRAWS.1, DRAWS.0);
    let mut random = Pcg64::seed_from_u64(1);
    let mut weights = vec![0.0; draws * units];
    for row in weights.chunks_mut(units) {
        (0..units).for_each(|_| row[random.random_range(0..units)] += 1.0);
    }
    let sizes: Vec<f64> = lines[0].sizes.iter().flat_map(|size| [*size, size * size]).collect();
    let mut drawn_sizes = vec![0.0; draws * 2];
    weigh(&weights, units, &sizes, 2, &mut drawn_sizes);
    let mut found = vec![None; lines.len()];
    let parts: Vec<_> = lines.chunks(PART).zip(found.chunks_mut(PART)).collect();
    shared(parts, |(lines, found)| {
        let wide = 3 * lines.len();
        let mut columns = vec![0.0; units * wide];
        for (at, line) in lines.iter().enumerate() {
            for (unit, (residual, size)) in line.residuals().into_iter().zip(&line.sizes).enumerate() {
                let place = unit * wide + 3 * at;
                columns[place..place + 3].copy_from_slice(&[residual, residual * residual, residual * size]);
            }
        }
        let mut sums = vec![0.0; draws * wide];
        weigh(&weights, units, &columns, wide, &mut sums);
        for (at, found) in found.iter_mut().enumerate() {
            let drawn = sums.chunks(wide).zip(drawn_sizes.chunks(2)).filter_map(|(sums, sizes)| {
                let (sum, squares, products) = (sums[3 * at], sums[3 * at + 1], sums[3 * at + 2]);
                let apart = sum / sizes[0];
                let spread = squares - 2.0 * apart * products + apart * apart * sizes[1];
                // A draw of equal clusters has no spread to measure by, and says nothing.
                let scale = (units as f64 / (units as f64 - 1.0) * spread).sqrt();
                (spread > 1e-12 * squares).then(|| sum / scale)
            });
            *found = quantiles(drawn.collect());
        }
    });
    found
}

/// The 2.5 % and the 97.5 % quantile.
fn quantiles(mut drawn: Vec<f64>) -> Option<(f64, f64)> {
    let external = drawn.len() / 40;
    if external < 10 {
        return None;
    }
    let last = drawn.len() - 1 - external;
    let least = *drawn.select_nth_unstable_by(external, f64::total_cmp).1;
    let most = *drawn.select_nth_unstable_by(last, f64::total_cmp).1;
    Some((least, most))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Ten values must lie outside at each end; by hand: 0 to 399 leave out 0 to 9 and 390 to 399.
    #[test]
    fn quantiles_want_ten_values_beyond_them() {
        let of = |count: u32| quantiles((0..count).rev().map(f64::from).collect());
        assert_eq!((of(399), of(400), of(4000)), (None, Some((10.0, 389.0)), Some((100.0, 3899.0))));
    }

    /// Lines of the same games, with more and with fewer searches in each, have the intervals that each has alone.
    #[test]
    fn an_interval_is_the_lines_own() {
        let line = |sizes: fn(u32) -> u32, log: fn(u32) -> f64| {
            let logs = (0..12).flat_map(|game| std::iter::repeat_n((game, log(game)), sizes(game) as usize));
            Clusters::new(&logs.collect::<Vec<_>>())
        };
        let skewed = |game: u32| (f64::from(game) / 3.0).exp() / 40.0;
        let lines = [line(|_| 1, skewed), line(|game| 1 + game, skewed), line(|_| 1, |game| f64::from(game % 5) - 1.5)];
        let alone: Vec<_> = lines.iter().flat_map(|line| intervals(std::slice::from_ref(line))).collect();
        assert_eq!(intervals(&lines), alone);
    }

    /// 0, 0, 0 and 1: residuals of -1/4 three times and 3/4; second moment 3/16, third 3/32: a skew of 2 / root 3, over the root of 4. The
    /// transformation of the quantile gives Student's back.
    #[test]
    fn halls_transformation_by_hand() {
        let line = Clusters::new(&[(0, 0.0), (1, 0.0), (2, 0.0), (3, 1.0)]);
        let skew = 1.0 / 3.0_f64.sqrt();
        for (side, t) in [(1.0, 3.182_446_305_284_263), (-1.0, -3.182_446_305_284_263)] {
            let x = transformed(&line, side);
            let back = x + skew * x * x / 3.0 + skew * skew * x.powi(3) / 27.0 + skew / 6.0;
            assert!((back - t).abs() < 1e-9, "{x}: {back}, wanted {t}");
        }
        // The long side is the one that the sample hides.
        assert!(transformed(&line, 1.0) < 3.0 && transformed(&line, -1.0) < -6.0);
    }

    /// The quantile of one side bounds the other: where the studentised mean of the samples falls far below, the mean may lie far above. And no interval is
    /// narrower than it was.
    #[test]
    fn quantiles_bound_the_other_side() {
        let near = |found: (f64, f64), expected: (f64, f64)| {
            assert!(
                (found.0 - expected.0).abs() < 1e-12 && (found.1 - expected.1).abs() < 1e-12,
                "{found:?} {expected:?}"
            );
        };
        near(wider((-1.0, 1.0), 0.5, 0.1, (-30.0, 20.0)), (-1.5, 3.5));
        near(wider((-1.0, 1.0), 0.5, 0.1, (-30.0, 2.0)), (-1.0, 3.5));
        near(wider((-1.0, 1.0), 0.5, 0.1, (-2.0, 20.0)), (-1.5, 1.0));
    }

    /// Five games of one to three searches, all 3,125 draws of which can be made: the mean of each less the sample's, in units of its own linearised standard
    /// error (Cochran, 1977, chapter 6). The quantiles that are drawn lie between the true ones half a per cent below and above: three standard deviations.
    #[test]
    fn drawn_quantiles_are_those_of_all_draws() {
        let logs = [(0, 0.9), (1, 0.1), (1, 0.3), (2, -0.4), (2, 0.5), (2, 0.2), (3, 2.0), (4, -0.7), (4, 0.4)];
        let line = Clusters::new(&logs);
        let mean = line.mean();
        let mut all: Vec<f64> = (0..3125_usize)
            .filter_map(|draw| {
                let of = [draw % 5, draw / 5 % 5, draw / 25 % 5, draw / 125 % 5, draw / 625];
                let size: f64 = of.iter().map(|&at| line.sizes[at]).sum();
                let own = of.iter().map(|&at| line.sums[at]).sum::<f64>() / size;
                let squares: f64 = of.iter().map(|&at| (line.sums[at] - own * line.sizes[at]).powi(2)).sum();
                (squares > 1e-9).then(|| (own - mean) * size / (5.0 / 4.0 * squares).sqrt())
            })
            .collect();
        all.sort_by(f64::total_cmp);
        let (least, most) = bootstrap(&[&line], DRAWS.2)[0].unwrap();
        let at = |share: f64| all[(share * all.len() as f64) as usize];
        assert!(at(0.02) <= least && least <= at(0.03), "{least}: {} to {}", at(0.02), at(0.03));
        assert!(at(0.97) <= most && most <= at(0.98), "{most}: {} to {}", at(0.97), at(0.98));
    }

    /// Five of twelve positions have a 1: a share of 5/12, whose skewness is (1 - 10/12) / root (35/144) = 2 / root 35, of which 12 of the 60 that
    /// half of it takes show a fifth. Two of twelve: (1 - 2/6) / root (5/36) = 4 / root 5, five times which is more than 6.2. Student's t of 11
    /// degrees of freedom is 2.200985. Of a hundred nothing is taken to be hidden.
    #[test]
    fn few_clusters_hide_a_part_of_their_skew() {
        let far = |logs: &mut dyn Iterator<Item = f64>| {
            let line = Clusters::new(&(0..).zip(logs).collect::<Vec<_>>());
            let high = intervals(std::slice::from_ref(&line))[0].1;
            (-(high - line.mean()) / line.standard_error(), corrected(&line, -1.0))
        };
        let t = 2.200_985;
        for (ones, skewness) in [(5, 5.0 * 2.0 / 35.0_f64.sqrt()), (2, 6.2)] {
            let expected = -t - skewness / 12.0_f64.sqrt() * (2.0 * t * t + 1.0) / 6.0;
            let (found, apart) = far(&mut (0..12).map(|at| f64::from(u8::from(at < ones))));
            assert!(
                (apart - expected).abs() < 1e-5 && (found - expected).abs() < 1e-5,
                "{found} {apart}, wanted {expected}"
            );
        }
        // Waves with five far values, two of them on the other side: what is drawn of either reaches 2.06 and 2.04 by NumPy.
        for (clusters, at, hidden) in [(99, -2.087_693, true), (100, -2.082_463, false)] {
            let far_ones = [5.0, 5.0, 5.0, -5.0, -5.0].into_iter();
            let (found, apart) = far(&mut far_ones.chain((5..clusters).map(|at| (7.0 * f64::from(at)).sin())));
            assert!((apart - at).abs() < 1e-5, "{apart}");
            assert!(if hidden { found == apart } else { found > apart + 0.02 }, "{clusters}: {found} {apart}");
        }
    }

    /// Where each way to an interval ends and the next begins: four clusters and five, ninety-nine and a hundred, two hundred and one more.
    #[test]
    fn each_way_to_an_interval_ends_where_the_next_begins() {
        let near =
            |one: (f64, f64), other: (f64, f64)| (one.0 - other.0).abs() < 1e-12 && (one.1 - other.1).abs() < 1e-12;
        for (clusters, by_student, by_law) in
            [(4, true, false), (5, false, false), (200, false, false), (201, false, true)]
        {
            let line =
                Clusters::new(&(0..clusters).map(|id| (id, f64::from(u8::from(id % 5 == 0)))).collect::<Vec<_>>());
            let found = intervals(std::slice::from_ref(&line))[0];
            let law = (transformed(&line, -1.0), transformed(&line, 1.0));
            let law = wider(student(&line), line.mean(), line.standard_error(), law);
            assert_eq!((near(found, student(&line)), near(found, law)), (by_student, by_law), "{clusters}");
            let stretched = (5..100).contains(&clusters);
            assert_eq!(stretch(clusters as usize) > 1.0, stretched, "{clusters}");
        }
        assert_eq!([99, 100].map(|clusters| stretch(clusters) > 1.0), [true, false]);
    }

    /// 201 positions, ten of which have a 1: mean and standard error are those of a share, the skew (1 - 2p) / root (p (1 - p)) over root n; Student's t of 200
    /// degrees of freedom is 1.971896. By Hall's transformation the far end lies where g(x) = -t, the near one at Student's; mirrored, on the other side.
    #[test]
    fn many_clusters_have_halls_interval() {
        for side in [1.0, -1.0] {
            let logs: Vec<(u32, f64)> = (0..201).map(|id| (id, if id < 10 { side } else { 0.0 })).collect();
            let (low, high) = intervals(&[Clusters::new(&logs)])[0];
            let (near, far) = if side > 0.0 { (low, high) } else { (-high, -low) };
            let (share, t) = (10.0_f64 / 201.0, 1.971_896);
            let error = (share * (1.0 - share) / 200.0).sqrt();
            let skew = (1.0 - 2.0 * share) / (share * (1.0 - share)).sqrt() / 201.0_f64.sqrt();
            let x = (share - far) / error;
            let back = x + skew * x * x / 3.0 + skew * skew * x.powi(3) / 27.0 + skew / 6.0;
            assert!((back + t).abs() < 1e-5 && x < -t, "{side}: {x} {back}");
            assert!((near - (share - t * error)).abs() < 1e-6, "{side}: {near}");
        }
    }
}
