//! A claim and what its pairs say of it: by how much, how sure, and whether that holds.

use crate::analysis::pairing::gauge::MetricReader;
use crate::analysis::pairing::pairs::{Base, Logs, Pairs};
use crate::analysis::pairing::ratio::Judged;
use crate::analysis::pairing::searches::Searches;
use crate::analysis::pairing::stats::at_least;
use crate::analysis::rows::frame::{Frame, FrameError};
use crate::analysis::rows::grouping::Grouping;
use crate::analysis::rows::metric::Metric;
use crate::experiment::expect::{Claim, Term};
use crate::record::columns;
use crate::text::plural;
use std::collections::HashMap;

/// What the rows say of a figure or claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ruling {
    /// They bear it out.
    Holds,
    /// They contradict it.
    Differs,
    /// They are too few, or too close, for either.
    CannotTell,
    /// None matches.
    #[default]
    NoRows,
}

impl Ruling {
    pub(super) fn of(holds: Option<bool>) -> Self {
        match holds {
            Some(true) => Self::Holds,
            Some(false) => Self::Differs,
            None => Self::NoRows,
        }
    }
}

/// The level of the claims of a file together.
const LEVEL: f64 = 0.05;

/// Positions and games by name: claims on other rows number them otherwise.
#[derive(Default)]
pub(super) struct ClusterIds {
    pub(super) names: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl ClusterIds {
    fn number(&mut self, name: String) -> u32 {
        *self.numbers.entry(name).or_insert_with_key(|name| {
            self.names.push(name.clone());
            self.names.len() as u32 - 1
        })
    }
}

/// The searches that claims speak of.
pub(super) struct VariantSearches {
    grouping: Grouping,
    searches: Searches,
}

/// A claim and the pairs that decide it; its corrected p is known only when all claims of the file are.
pub(super) struct ClaimResult {
    /// Its place among the verdicts.
    pub(super) verdict: usize,
    claim: Claim,
    pairs: Pairs,
    /// Logarithms of the ratio of its sides, over the claim's own factor.
    pub(super) logs: Logs,
}

impl VariantSearches {
    pub(super) fn new(frame: &Frame) -> Self {
        let grouping = Grouping::new(frame, &[columns::VARIANT.to_owned()]);
        let searches = Searches::gather(frame, &grouping, &[]);
        Self { grouping, searches }
    }

    /// Pairs a claim's sides by search, left over right.
    pub(super) fn weigh(
        &self,
        verdict: usize,
        claim: Claim,
        frame: &Frame,
        clusters: &mut ClusterIds,
    ) -> Result<ClaimResult, FrameError> {
        let [left, right] = [&claim.left, &claim.right].map(|term| Metric::compared(&term.metric, frame));
        let (left, right) = (left?, right?);
        let [left, right] = [&left, &right].map(|metric| MetricReader::new(&self.searches, metric, frame));
        let group = |term: &Term| self.grouping.values.iter().position(|values| values[0] == term.variant);
        let pairs = match (group(&claim.left), group(&claim.right)) {
            (Some(of_left), Some(of_right)) => Base::new(&right, &self.grouping, of_right).pairs_of(of_left, &left),
            _ => Pairs::default(),
        };
        let factor = (claim.right.factor / claim.left.factor).ln();
        let mut named = |cluster| clusters.number(self.searches.cluster_name(cluster, frame));
        let logs = pairs.logs().into_iter().map(|(cluster, log)| (named(cluster), log - factor)).collect();
        Ok(ClaimResult { verdict, claim, pairs, logs })
    }
}

/// Whether a ratio lies closer to one than what matters.
fn within(ratio: f64, matters: f64) -> bool {
    ratio > 1.0 / matters && ratio < matters
}

impl ClaimResult {
    /// What the pairs say, and why where they cannot tell. `matters`: 1.005 where half a percent is the smallest effect that matters.
    ///
    /// A strict claim (`<`) needs a difference that is told from none at the level of all claims together and is large enough to matter;
    /// it is contradicted where the interval holds no such difference. A claim of no more (`<=`) holds where the interval holds nothing
    /// that matters beyond it. Source: Wellek, "Testing Statistical Hypotheses of Equivalence and Noninferiority", 2010.
    pub(super) fn ruling(&self, judged: &Judged, claims: usize, matters: f64) -> (Ruling, String) {
        let Self { claim, pairs, .. } = self;
        let Judged { ratio, p, .. } = judged;
        let [below, above] = pairs.beyond;
        let cannot_tell = |why: String| (Ruling::CannotTell, why);
        if pairs.list.is_empty() {
            return match pairs.apart {
                0 if below + above > 0 => cannot_tell(String::new()),
                0 if pairs.nil > 0 => {
                    cannot_tell(format!("{} with 0 on both sides, of no ratio", plural(pairs.nil, "search")))
                }
                0 => (Ruling::NoRows, String::new()),
                apart => cannot_tell(format!("{apart} searches share no depth that both finished")),
            };
        }
        let ratio = pairs.with_beyond(*ratio);
        if ratio.clusters < 2 {
            if below + above > 0 {
                return cannot_tell(String::new());
            }
            let [right, left] = pairs.totals;
            let holds = claim.holds(claim.left.factor * left, claim.right.factor * right);
            return (Ruling::of(Some(holds)), "of this one position or game alone".to_owned());
        }
        // As if it said "less": greater is less the other way round.
        let more = claim.relation.starts_with('>');
        let [low, mean, high] = if more {
            [1.0 / ratio.high, 1.0 / ratio.mean, 1.0 / ratio.low]
        } else {
            [ratio.low, ratio.mean, ratio.high]
        };
        let expected = at_least(claims);
        let enough = ratio.clusters >= expected;
        let message = enough && *p < LEVEL && ratio.has_room();
        let (less, greater) = (message && mean <= 1.0 / matters, message && mean >= matters);
        let (holds, differs) = match claim.relation.as_str() {
            "<" | ">" => (less, low > 1.0 / matters),
            "<=" | ">=" => (high < matters, greater),
            _ => (within(low, matters) && within(high, matters), less || greater),
        };
        match (holds, differs) {
            (true, _) => (Ruling::Holds, String::new()),
            (false, true) => (Ruling::Differs, String::new()),
            (false, false) if enough => cannot_tell(String::new()),
            (false, false) => cannot_tell(format!(
                "{} positions or games cannot show that among {claims} claims: at least {expected}",
                ratio.clusters
            )),
        }
    }

    /// What was measured, in words.
    pub(super) fn measured(
        &self,
        judged: &Judged,
        matters: f64,
        ruling: Ruling,
        reason: &str,
        clusters: &ClusterIds,
    ) -> String {
        let Self { claim, pairs, .. } = self;
        let Judged { ratio, p, hangs, .. } = judged;
        let shown = |value: f64| if value.fract() == 0.0 { format!("{value}") } else { format!("{value:.3}") };
        let [right, left] = pairs.totals;
        let mut parts = Vec::new();
        if !pairs.list.is_empty() {
            parts.push(format!("{} against {}", shown(left), shown(right)));
            let factor = claim.right.factor / claim.left.factor;
            let [mean, low, high] = [ratio.mean, ratio.low, ratio.high].map(|ratio| ratio * factor);
            let p = if *p < 0.001 { "< 0.001".to_owned() } else { format!("{p:.3}") };
            parts.push(match low.is_nan() {
                true => format!("ratio {mean:.3}"),
                false => format!("ratio {mean:.3}, 95 % {low:.3} to {high:.3}, p {p}"),
            });
            let totals = left / (right * factor);
            if ruling != Ruling::CannotTell && (ratio.mean < 1.0) != (totals < 1.0) && !within(totals, matters) {
                parts.push("the totals point the other way: a few large searches make them".to_owned());
            }
            let strict = matches!(claim.relation.as_str(), "<" | ">");
            if strict && ruling == Ruling::Differs && (ratio.mean < 1.0) == (claim.relation == "<") {
                parts.push(match factor == 1.0 {
                    true => "no difference that matters".to_owned(),
                    false => format!("no difference from {} x that matters", shown(factor)),
                });
            }
            if let Some(influence) = ratio.influence {
                let name = &clusters.names[influence.cluster as usize];
                let decides = if *hangs || influence.turns { ", which decides it" } else { "" };
                parts.push(format!("{:.3} without {name}{decides}", influence.without * factor));
            }
            let cut = || format!("{} in the depths that both finished", plural(pairs.cut, "search"));
            parts.extend((pairs.cut > 0).then(cut));
        }
        let beyond: usize = pairs.beyond.iter().sum();
        let zeros = || format!("{} with a 0 on one side alone, of no ratio", plural(beyond, "search"));
        parts.extend((beyond > 0).then(zeros));
        parts.extend((!reason.is_empty()).then(|| reason.to_owned()));
        parts.join("; ")
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::analysis::pairing::pairs::Pair;
    use crate::analysis::pairing::ratio::Ratio;

    fn claim(relation: &str) -> ClaimResult {
        let pair = Pair { block: 0, unit: 0, cluster: 0, log: 0.0, values: [100.0, 90.0], seed: 0 };
        let pairs = Pairs { list: vec![pair], totals: [1000.0, 900.0], ..Pairs::default() };
        let claim = Claim::parse(&format!("nodes(a) {relation} nodes(b)")).unwrap();
        ClaimResult { verdict: 0, claim, pairs, logs: Logs::default() }
    }

    fn judged([low, mean, high]: [f64; 3], p: f64) -> Judged {
        Judged { ratio: Ratio { low, mean, high, clusters: 20, ..Ratio::default() }, p, marked: false, hangs: false }
    }

    /// One position alone: its totals decide, each times its side's factor.
    #[test]
    fn one_position_alone_is_weighed_with_its_factors() {
        let alone =
            Judged { ratio: Ratio { clusters: 1, ..Ratio::default() }, p: f64::NAN, marked: false, hangs: false };
        let ruled = |text: &str| {
            let claim = Claim::parse(text).unwrap();
            ClaimResult { claim, ..self::claim("<") }.ruling(&alone, 1, 1.005).0
        };
        // a has 900 nodes where b has 1000.
        for (text, holds) in [
            ("nodes(a) < nodes(b)", true),
            ("2 * nodes(a) < nodes(b)", false),
            ("nodes(a) < 0.8 * nodes(b)", false),
            ("2 * nodes(a) < 3 * nodes(b)", true),
            ("1.2 * nodes(a) > nodes(b)", true),
            ("nodes(a) > nodes(b)", false),
        ] {
            assert_eq!(ruled(text), if holds { Ruling::Holds } else { Ruling::Differs }, "{text}");
        }
    }

    /// By hand, where 1 % matters: what holds, what differs and what cannot be told, of less and of the same with its sides the other way round.
    #[test]
    fn a_claim_is_ruled_by_its_interval() {
        use Ruling::{CannotTell, Differs, Holds};
        let cases = [
            // Clearly less.
            ([0.85, 0.9, 0.95], 0.01, [Holds, Holds, Differs]),
            // The other side is clearly less.
            ([1.05, 1.1, 1.2], 0.01, [Differs, Differs, Differs]),
            // Less, and by too little to matter.
            ([0.992, 0.994, 0.996], 0.01, [Differs, Holds, Holds]),
            // The same, as far as it matters.
            ([0.995, 1.0, 1.004], 0.9, [Differs, Holds, Holds]),
            // Perhaps less, perhaps more.
            ([0.98, 1.0, 1.02], 0.9, [CannotTell; 3]),
            // Less by the mean alone, by the interval alone, by p alone.
            ([0.6, 0.9, 1.3], 0.03, [CannotTell; 3]),
            ([0.85, 0.9, 0.95], 0.06, [CannotTell, Holds, CannotTell]),
        ];
        let ruled = |relation: &str, ends, p| claim(relation).ruling(&judged(ends, p), 1, 1.01).0;
        for (ends, p, [less, no_more, equal]) in cases {
            let found = ["<", "<=", "="].map(|relation| ruled(relation, ends, p));
            assert_eq!(found, [less, no_more, equal], "{ends:?}");
            let turned = [1.0 / ends[2], 1.0 / ends[1], 1.0 / ends[0]];
            assert_eq!([">", ">=", "="].map(|relation| ruled(relation, turned, p)), found, "{turned:?}");
        }
        // One cluster decides by its totals, which are the right side's and the left's; twenty can show something among 26,214 claims, not among one more.
        let mut alone = judged([f64::NAN, 0.9, f64::NAN], f64::NAN);
        alone.ratio.clusters = 1;
        assert_eq!(["<", ">"].map(|relation| claim(relation).ruling(&alone, 1, 1.01).0), [Holds, Differs]);
        let of = |claims: usize| claim("<").ruling(&judged([0.85, 0.9, 0.95], 0.01), claims, 1.01).0;
        assert_eq!([26_214, 26_215].map(of), [Holds, CannotTell]);
    }

    /// Of less by a tenth, told: searches whose left side alone is 0 are less still, and spoil what says that it is more, or the same; those whose right
    /// side alone is 0 spoil what says that it is less. Where nothing else is there, and where one position is, nothing is told.
    #[test]
    fn what_has_no_ratio_is_not_forgotten() {
        use Ruling::{CannotTell, Differs, Holds};
        let ruled = |beyond: [usize; 2], clusters: usize| {
            ["<", "<=", "=", ">"].map(|relation| {
                let mut claim = claim(relation);
                claim.pairs.beyond = beyond;
                claim.pairs.list.truncate(clusters);
                let mut judged = judged([0.85, 0.9, 0.95], 0.01);
                judged.ratio.clusters = clusters;
                claim.ruling(&judged, 1, 1.01).0
            })
        };
        assert_eq!(ruled([0, 0], 20), [Holds, Holds, Differs, Differs]);
        assert_eq!(ruled([3, 0], 20), [Holds, Holds, Differs, Differs]);
        assert_eq!(ruled([0, 3], 20), [CannotTell; 4]);
        assert_eq!([ruled([3, 0], 1), ruled([0, 3], 0)], [[CannotTell; 4]; 2]);
        let mut same = claim("=");
        let equal = |claim: &ClaimResult| claim.ruling(&judged([0.999, 1.0, 1.001], 0.9), 1, 1.01).0;
        assert_eq!(equal(&same), Holds);
        same.pairs.beyond = [1, 0];
        assert_eq!(equal(&same), CannotTell);
        same.pairs.list.clear();
        let mut nil = claim("=");
        nil.pairs.list.clear();
        let ruled = |claim: &ClaimResult| claim.ruling(&judged([f64::NAN; 3], f64::NAN), 1, 1.01);
        assert_eq!(ruled(&nil), (Ruling::NoRows, String::new()));
        nil.pairs.nil = 2;
        assert_eq!(ruled(&nil), (CannotTell, "2 searches with 0 on both sides, of no ratio".to_owned()));
        let message = same.measured(&judged([f64::NAN; 3], f64::NAN), 1.01, CannotTell, "", &ClusterIds::default());
        assert_eq!(message, "1 search with a 0 on one side alone, of no ratio");
    }

    /// 10 % more by the mean, and by the totals 10 % less, or half a per cent, which is nothing.
    #[test]
    fn totals_that_point_the_other_way_are_told_where_it_matters() {
        let message = |left: f64| {
            let mut claim = claim("<");
            claim.pairs.totals = [1000.0, left];
            let message =
                claim.measured(&judged([1.05, 1.1, 1.2], 0.01), 1.01, Ruling::Differs, "", &ClusterIds::default());
            message.contains("the totals point the other way")
        };
        assert_eq!([900.0, 989.0, 995.0, 1100.0].map(message), [true, true, false, false]);
    }

    #[test]
    fn a_small_p_is_never_nothing() {
        let message =
            |p| claim("<").measured(&judged([0.85, 0.9, 0.95], p), 1.01, Ruling::Holds, "", &ClusterIds::default());
        let start = "900 against 1000; ratio 0.900, 95 % 0.850 to 0.950, p ";
        for (p, shown) in [(0.0, "< 0.001"), (0.000_99, "< 0.001"), (0.001, "0.001"), (0.0126, "0.013")] {
            assert_eq!(message(p), format!("{start}{shown}"));
        }
    }
}
