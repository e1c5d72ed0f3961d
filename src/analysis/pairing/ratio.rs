//! How much, and how sure: ratios paired by position, their geometric mean, an interval, a sign-flip test, and what one search decides.
//!
//! The unit is the position (or, in sequences, the game: its searches share a table and are not independent). Node counts of two
//! variants on one position are compared as the logarithm of their ratio, since positions differ in size by orders of magnitude.

use super::clusters::Clusters;
use super::flips::{Flipped, joint};
use super::influence::{Influence, carrier, influence, signs};
use super::interval::{intervals, room, stretch};
use super::stats::{at_least, least_p, mean, median, t_quantile};
use super::threads::each;

/// A geometric mean of ratios and what is known about it.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Ratio {
    /// The geometric mean.
    pub mean: f64,
    /// The lower end of its 95 % interval; NaN for fewer than two clusters.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Two-sided p of the sign-flip permutation test that the true ratio is 1; NaN for fewer than two clusters.
    pub p: f64,
    /// Standard error of the mean logarithm, by clusters; NaN for fewer than two.
    pub error: f64,
    /// How many pairs.
    pub pairs: usize,
    /// How many clusters (games, or positions where there are none).
    pub clusters: usize,
    /// The median of the ratios.
    pub median: f64,
    /// How many clusters lie below 1.
    pub below: usize,
    /// How many lie above it.
    pub above: usize,
    /// What leaving one cluster out does; none for fewer than three.
    pub influence: Option<Influence>,
}

/// Samples judged together: each a list of (cluster, logarithm of the ratio) pairs.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Family {
    /// What is known of each, in the order given.
    pub lines: Vec<Judged>,
    /// How many of them are tested.
    pub tested: usize,
    /// The level at which each line would have to be tested by itself, for 5 % over all of them; 0 where nothing could be seen.
    pub level: f64,
}

/// One of several samples that are judged together.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Judged {
    /// Its ratio.
    pub ratio: Ratio,
    /// p of it, corrected for the others; NaN for fewer than two clusters.
    pub p: f64,
    /// Whether it is told from 1: the interval leaves 1 out by more than one cluster that was not drawn could take back, the corrected p is
    /// below 5 %, and so many clusters can show something among so many lines.
    pub marked: bool,
    /// Whether a single cluster decides that: without it the line would be marked if it is not, or not if it is.
    pub hangs: bool,
}

impl Family {
    /// Judges samples. Equal input gives equal output: the draws are seeded, and shared by samples of the same clusters.
    pub fn of(samples: &[Vec<(u32, f64)>]) -> Self {
        let values = samples.iter().map(Vec::len).sum();
        let lines: Vec<Clusters> = each(samples.len(), values, |at| Clusters::new(&samples[at]));
        let tests = joint(&lines);
        let tested = lines.iter().filter(|line| line.len() >= 2).count();
        let enough = |line: &Clusters| line.len() >= at_least(tested);
        let ratio = |at: usize, (low, high): (f64, f64)| {
            let (line, logs) = (&lines[at], &samples[at]);
            let (below, above) = signs(line);
            Ratio {
                mean: mean(logs.iter().map(|&(_, log)| log)).exp(),
                low: low.exp(),
                high: high.exp(),
                p: tests.lines[at].p,
                error: line.standard_error(),
                pairs: logs.len(),
                clusters: line.len(),
                median: median(&mut logs.iter().map(|&(_, log)| log).collect::<Vec<_>>()).exp(),
                below,
                above,
                influence: influence(line),
            }
        };
        let found = intervals(&lines);
        let mut judged: Vec<Judged> = each(lines.len(), values, |at| {
            let (ratio, p) = (ratio(at, found[at]), tests.lines[at].corrected);
            Judged { ratio, p, marked: ratio.has_room() && p < 0.05 && enough(&lines[at]), hangs: false }
        });
        // Only where the test would change its mind does the interval have to be looked at again.
        let doubtful: Vec<(usize, Clusters)> = (0..lines.len())
            .filter(|&at| enough(&lines[at]))
            .filter_map(|at| {
                let Flipped { weakest, strongest, .. } = tests.lines[at];
                let (marked, line) = (judged[at].marked, &lines[at]);
                judged[at].hangs = marked && weakest >= 0.05;
                let again = if marked { weakest < 0.05 } else { strongest < 0.05 };
                again.then(|| carrier(line, !marked)).flatten().map(|place| (at, line.without(place)))
            })
            .collect();
        let (places, rests): (Vec<usize>, Vec<Clusters>) = doubtful.into_iter().unzip();
        for ((at, rest), (low, high)) in places.into_iter().zip(&rests).zip(intervals(&rests)) {
            judged[at].hangs = has_room([low, high], rest.len()) != judged[at].marked;
        }
        Self { lines: judged, tested, level: if tested == 1 { 0.05 } else { tests.level } }
    }
}

/// Whether an interval of a mean logarithm leaves 0 out by more than one cluster that was not drawn could take back.
fn has_room([low, high]: [f64; 2], clusters: usize) -> bool {
    low > room(clusters) || high < -room(clusters)
}

impl Ratio {
    /// Whether the interval leaves 1 out.
    pub fn is_clear(&self) -> bool {
        self.low > 1.0 || self.high < 1.0
    }

    /// Whether it leaves 1 out by more than one cluster that was not drawn could take back.
    pub fn has_room(&self) -> bool {
        has_room([self.low.ln(), self.high.ln()], self.clusters)
    }

    /// A thing held against itself, in so many pairs.
    pub fn itself(pairs: usize) -> Self {
        let nan = f64::NAN;
        Self { mean: 1.0, low: nan, high: nan, p: nan, error: nan, pairs, median: 1.0, ..Self::default() }
    }

    /// From (cluster, logarithm of the ratio) pairs. Equal input gives equal output: the draws are seeded.
    pub fn of(logs: &[(u32, f64)]) -> Self {
        Family::of(&[logs.to_vec()]).lines[0].ratio
    }

    /// Whether both sides were the same in every pair.
    pub fn is_same(&self) -> bool {
        self.error == 0.0 && self.mean == 1.0
    }

    /// The smallest effect (0.01: one percent) that so many clusters with this spread show at a level (0.05 for a single
    /// comparison) with a power of 80 %; NaN for fewer than two clusters, infinite where so few show no effect of any size.
    pub fn detectable(&self, level: f64) -> f64 {
        effect(self.clusters, level, self.error, room(self.clusters)).exp_m1()
    }

    /// The same of a confirmation, which needs no room for a cluster that was not drawn.
    pub fn confirmable(&self, level: f64) -> f64 {
        effect(self.clusters, level, self.error, 0.0).exp_m1()
    }

    /// How many clusters with this spread would show an effect of `effect` (0.01: one percent) at a level with a power of 80 %;
    /// none for fewer than two clusters, or where no number would do.
    pub fn needed(&self, effect: f64, level: f64) -> Option<f64> {
        if self.error.is_nan() || level.is_nan() || level <= 0.0 {
            return None;
        }
        let spread = self.error * (self.clusters as f64).sqrt();
        let enough = |clusters: usize| {
            self::effect(clusters, level, spread / (clusters as f64).sqrt(), room(clusters)) <= effect.ln_1p()
        };
        let mut most = 2_usize;
        while !enough(most) {
            most = most.checked_mul(2)?;
        }
        let mut least = most / 2 + 1;
        while least < most {
            let between = usize::midpoint(least, most);
            if enough(between) { most = between } else { least = between + 1 }
        }
        Some(most as f64)
    }
}

/// The logarithm that is seen at a level (two-sided) with a power of 80 %: a standard error times two quantiles of Student's t, the first of which
/// gets past the level, or past the end of an interval and the room beyond it. Source: any text on sample sizes; exact power differs by less than
/// one position in thirty. Infinite where even clusters that all lie on one side are no finding.
fn effect(clusters: usize, level: f64, error: f64, room: f64) -> f64 {
    match () {
        () if clusters < 2 || level.is_nan() => return f64::NAN,
        () if least_p(clusters) > level.max(0.05) => return f64::INFINITY,
        () => (),
    }
    let end = stretch(clusters) * t_quantile(clusters, 0.975) * error + room;
    (t_quantile(clusters, 1.0 - level / 2.0) * error).max(end) + t_quantile(clusters, 0.8) * error
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// One line is tested at 5 %; of two that go their own ways each at less, though at no less than half of that.
    #[test]
    fn the_level_is_shared_out() {
        let sample = |odd: f64| {
            (0..14_u32)
                .map(|at| (at, (f64::from(at * 7 % 5) - 2.0) * odd + f64::from(at % 3) * 0.3))
                .collect::<Vec<_>>()
        };
        let [one, two] = [&[sample(1.0)][..], &[sample(1.0), sample(-0.7)]].map(Family::of);
        assert_eq!((one.tested, one.level), (1, 0.05));
        assert!(two.tested == 2 && two.level < 0.049 && two.level > 0.02, "{}", two.level);
        // What is not tested shares nothing.
        assert_eq!(Family::of(&[sample(1.0), Vec::new()]).level, 0.05);
    }

    /// Lines that move together cost no more than one by the flips; but of two lines so few as six clusters each are one too few to tell anything, however they lie.
    #[test]
    fn so_few_are_never_marked() {
        let line = |clusters: u32, side: f64| {
            (0..clusters).map(|at| (at, side * (1.0 + 0.01 * f64::from(at)))).collect::<Vec<_>>()
        };
        for side in [1.0, -1.0] {
            for (clusters, lines, marked) in
                [(5, 1, false), (6, 1, true), (6, 2, false), (7, 2, true), (7, 3, true), (7, 4, false), (8, 4, true)]
            {
                let found = Family::of(&vec![line(clusters, side); lines]).lines;
                assert!(found.iter().all(|of| of.marked == marked), "{clusters} in {lines} lines: {found:?}");
            }
        }
    }

    /// Clusters that all have one ratio have an interval of no width: it is told from 1 beyond the room of one more that differs by 2.5, whose logarithm is 0.9163:
    /// of 20 clusters 0.045815, of 200 0.0045815.
    #[test]
    fn one_more_cluster_must_not_take_a_mark_back() {
        for (clusters, log, marked) in
            [(20, 0.0458, false), (20, 0.0459, true), (200, 0.004_58, false), (200, 0.004_59, true)]
        {
            for side in [1.0, -1.0] {
                let found = Family::of(&[(0..clusters).map(|at| (at, side * log)).collect()]).lines[0];
                assert!(found.ratio.is_clear() && found.p < 0.001, "{found:?}");
                assert_eq!(found.marked, marked, "{clusters} {log}: {found:?}");
            }
        }
    }

    /// What is needed is the least number with which the effect is found four times in five: one fewer do not find it.
    #[test]
    fn one_fewer_than_needed_do_not_suffice() {
        for (spread, effect, level) in
            [(0.3, 0.1, 0.05), (0.1, 0.01, 0.05), (0.1, 0.01, 0.01), (0.5, 0.3, 0.025), (1.0, 2.0, 0.05)]
        {
            let with =
                |clusters: usize| Ratio { clusters, error: spread / (clusters as f64).sqrt(), ..Ratio::default() };
            for known in [10, 500] {
                let needed = with(known).needed(effect, level).unwrap() as usize;
                let [enough, fewer] = [needed, needed - 1].map(|clusters| with(clusters).detectable(level));
                assert!(enough <= effect && effect < fewer, "{spread} {effect} {level}: {needed}, {enough} {fewer}");
            }
        }
        assert_eq!((Ratio { error: f64::NAN, ..Ratio::default() }).needed(0.1, 0.05), None);
        assert_eq!((Ratio { error: 0.1, clusters: 9, ..Ratio::default() }).needed(0.1, 0.0), None);
    }

    /// Samples that were judged anew without each of their positions: the first loses its mark without one, the second gains one, the others stay what they are. On
    /// the other side of 1 it is the same.
    #[test]
    fn what_hangs_on_one_position_by_judging_without_it() {
        for (values, marked, hangs) in [
            (&[0.3, 0.2, -0.3, 1.1, 0.6, 1.6, 0.9, 0.6][..], true, true),
            (&[-0.8, 0.3, 1.0, 1.4, 0.9, 0.4, 0.5], false, true),
            (&[0.2, 1.5, 0.8, 0.3, 1.9, 0.7, 1.2], true, false),
            (&[0.1, -0.4, 0.3, 0.0, 0.6, 1.1, 0.1], false, false),
        ] {
            for side in [1.0, -1.0] {
                let line: Vec<(u32, f64)> = (0..).zip(values.iter().map(|value| side * value)).collect();
                let found = Family::of(&[line]).lines[0];
                assert_eq!((found.marked, found.hangs), (marked, hangs), "{side} {values:?}");
            }
        }
    }
}
