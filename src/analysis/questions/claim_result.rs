//! Pairs the two sides of a claim, decides whether the claim holds, and describes what was
//! measured.

use crate::analysis::pairing::metric_reader::MetricReader;
use crate::analysis::pairing::pairs::{BaseSearches, Logs, Pairs};
use crate::analysis::pairing::searches::Searches;
use crate::analysis::rows::column::TextColumn;
use crate::analysis::rows::frame::{Frame, FrameError};
use crate::analysis::rows::grouping::Grouping;
use crate::analysis::rows::metric::Metric;
use crate::experiment::expect::{Claim, Term};
use crate::experiment::relation::Relation;
use crate::record::columns;
use crate::stats::ratio::JudgedRatio;
use crate::stats::sample::min_clusters;
use crate::text::plural;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ruling {
    Holds,
    Differs,
    /// The rows cannot decide, for example because they are too few or their values are too close.
    Undecided,
    #[default]
    NoRows,
}

impl Ruling {
    /// `holds` says whether the figure or claim holds, or is `None` if there are no rows.
    pub(super) fn from_holds(holds: Option<bool>) -> Self {
        match holds {
            Some(true) => Self::Holds,
            Some(false) => Self::Differs,
            None => Self::NoRows,
        }
    }
}

const LEVEL: f64 = 0.05;

pub(super) struct VariantSearches {
    grouping: Grouping,
    searches: Searches,
}

/// A claim and the pairs that decide the claim. The corrected p-value is missing here, because it
/// depends on all claims of the file.
pub(super) struct ClaimResult {
    pub(super) verdict: usize,
    claim: Claim,
    /// The pairs of the right side (base) and the left side (other).
    pairs: Pairs,
    pub(super) is_on_nodes: bool,
    /// The log ratios of the left side to the right side. Each ratio is divided by the factor that
    /// the claim states.
    pub(super) logs: Logs,
}

impl VariantSearches {
    pub(super) fn new(frame: &Frame) -> Self {
        let grouping = Grouping::new(frame, &[columns::VARIANT.to_owned()]);
        let searches = Searches::gather(frame, &grouping, &[]);
        Self { grouping, searches }
    }

    /// Pairs the two sides of a claim by search. Each ratio is the left value divided by the right
    /// value. `verdict` is the index of the claim's verdict.
    pub(super) fn pair_claim(
        &self,
        verdict: usize,
        claim: Claim,
        frame: &Frame,
        clusters: &mut TextColumn,
    ) -> Result<ClaimResult, FrameError> {
        let left = Metric::find_comparable(&claim.left.metric, frame)?;
        let right = Metric::find_comparable(&claim.right.metric, frame)?;
        let is_on_nodes = left.is_nodes() || right.is_nodes();
        let [left_reader, right_reader] =
            [&left, &right].map(|metric| MetricReader::new(&self.searches, metric, frame));
        let find_group = |term: &Term| self.grouping.values.iter().position(|values| values[0] == term.variant);
        let pairs = match (find_group(&claim.left), find_group(&claim.right)) {
            (Some(left_group), Some(right_group)) => {
                BaseSearches::new(&right_reader, &self.grouping, right_group).pairs_with(left_group, &left_reader)
            }
            _ => Pairs::default(),
        };
        let log_factor = (claim.right.factor / claim.left.factor).ln();
        let mut find_id = |cluster| clusters.intern(&self.searches.cluster_name(cluster, frame));
        let logs = pairs.logs().into_iter().map(|(cluster, log)| (find_id(cluster), log - log_factor)).collect();
        Ok(ClaimResult { verdict, claim, pairs, is_on_nodes, logs })
    }
}

/// Whether a ratio is so close to 1 that it does not matter. `minimum_ratio` is the smallest ratio
/// above 1 that matters.
fn is_negligible(ratio: f64, minimum_ratio: f64) -> bool {
    ratio > 1.0 / minimum_ratio && ratio < minimum_ratio
}

impl ClaimResult {
    /// Decides the claim. Returns the ruling and a remark, such as the reason why the pairs cannot
    /// decide the claim. The remark may be empty. `claim_count` is the number of claims that are
    /// tested together. `minimum_ratio` is the smallest ratio above 1 that matters. It is 1.005 if
    /// effects below 0.5 % do not matter.
    ///
    /// A strict claim (`<`) holds if the difference is large enough to matter, and significant at
    /// the level of all claims together. It is contradicted if the interval excludes every
    /// difference that is large enough to matter. A claim of "at most" (`<=`) holds if the interval
    /// excludes every increase that matters. Source: Wellek, "Testing Statistical Hypotheses of
    /// Equivalence and Noninferiority", 2010.
    pub(super) fn rule(&self, judged: &JudgedRatio, claim_count: usize, minimum_ratio: f64) -> (Ruling, String) {
        let Self { claim, pairs, .. } = self;
        let JudgedRatio { ratio, p, .. } = judged;
        let one_sided_zero_count: usize = pairs.one_sided_zero.iter().sum();
        let undecided = |reason: String| (Ruling::Undecided, reason);
        if pairs.list.is_empty() {
            return match pairs.incomparable {
                0 if one_sided_zero_count > 0 => undecided(String::new()),
                0 if pairs.both_zero > 0 => {
                    undecided(format!("no ratio: {} with 0 on both sides", plural(pairs.both_zero, "search")))
                }
                0 => (Ruling::NoRows, String::new()),
                incomparable => undecided(format!("{incomparable} pairs of searches have no depth that both finished")),
            };
        }
        let ratio = pairs.open_interval_for_zeros(*ratio);
        if ratio.clusters < 2 {
            if one_sided_zero_count > 0 {
                return undecided(String::new());
            }
            let [right, left] = pairs.totals;
            let holds = claim.holds(claim.left.factor * left, claim.right.factor * right);
            return (Ruling::from_holds(Some(holds)), "only one position or game".to_owned());
        }
        // A claim of "more" is judged like a claim of "less", but with inverted ratios.
        let [low, mean, high] = if claim.relation.is_more() {
            [1.0 / ratio.high, 1.0 / ratio.mean, 1.0 / ratio.low]
        } else {
            [ratio.low, ratio.mean, ratio.high]
        };
        let required_clusters = min_clusters(claim_count);
        let has_enough_clusters = ratio.clusters >= required_clusters;
        let is_significant = has_enough_clusters && *p < LEVEL && ratio.exceeds_margin();
        let (is_less, is_greater) =
            (is_significant && mean <= 1.0 / minimum_ratio, is_significant && mean >= minimum_ratio);
        let (holds, differs) = match claim.relation {
            Relation::Less | Relation::More => (is_less, low > 1.0 / minimum_ratio),
            Relation::AtMost | Relation::AtLeast => (high < minimum_ratio, is_greater),
            _ => (is_negligible(low, minimum_ratio) && is_negligible(high, minimum_ratio), is_less || is_greater),
        };
        match (holds, differs) {
            (true, _) => (Ruling::Holds, String::new()),
            (false, true) => (Ruling::Differs, String::new()),
            (false, false) if has_enough_clusters => undecided(String::new()),
            (false, false) => undecided(format!(
                "{} positions or games are too few for {claim_count} claims: at least {required_clusters} are needed",
                ratio.clusters
            )),
        }
    }

    /// Describes what was measured: the totals, the ratio, the p-value, and reasons to doubt them.
    /// `remark` is the remark that [`ClaimResult::rule`] returned.
    pub(super) fn describe_measurement(
        &self,
        judged: &JudgedRatio,
        minimum_ratio: f64,
        ruling: Ruling,
        remark: &str,
        clusters: &TextColumn,
    ) -> String {
        let Self { claim, pairs, .. } = self;
        let JudgedRatio { ratio, p, fragile, .. } = judged;
        let format_number = |value: f64| if value.fract() == 0.0 { format!("{value}") } else { format!("{value:.3}") };
        let [right, left] = pairs.totals;
        let mut parts = Vec::new();
        if !pairs.list.is_empty() {
            parts.push(format!("{} against {}", format_number(left), format_number(right)));
            let factor = claim.right.factor / claim.left.factor;
            let [mean, low, high] = [ratio.mean, ratio.low, ratio.high].map(|ratio| ratio * factor);
            let p = if *p < 0.001 { "< 0.001".to_owned() } else { format!("{p:.3}") };
            parts.push(match low.is_nan() {
                true => format!("ratio {mean:.3}"),
                false => format!("ratio {mean:.3}, 95 % {low:.3} to {high:.3}, p {p}"),
            });
            let ratio_of_totals = left / (right * factor);
            if ruling != Ruling::Undecided
                && (ratio.mean < 1.0) != (ratio_of_totals < 1.0)
                && !is_negligible(ratio_of_totals, minimum_ratio)
            {
                parts.push("the totals point the other way: a few large searches dominate them".to_owned());
            }
            let is_strict = matches!(claim.relation, Relation::Less | Relation::More);
            if is_strict && ruling == Ruling::Differs && (ratio.mean < 1.0) == claim.relation.is_less() {
                parts.push(match factor == 1.0 {
                    true => "no difference that matters".to_owned(),
                    false => format!("no relevant difference from a factor of {}", format_number(factor)),
                });
            }
            if let Some(influence) = ratio.influence {
                let name = &clusters.list()[influence.cluster as usize];
                let warning = if *fragile || influence.reverses { ": significance depends on it" } else { "" };
                parts.push(format!("{:.3} without {name}{warning}", influence.mean_without * factor));
            }
            let describe_truncated =
                || format!("{} compared only up to a common depth", plural(pairs.truncated, "search"));
            parts.extend((pairs.truncated > 0).then(describe_truncated));
        }
        let zero_count: usize = pairs.one_sided_zero.iter().sum();
        let describe_zeros = || format!("no ratio: {} with 0 on one side only", plural(zero_count, "search"));
        parts.extend((zero_count > 0).then(describe_zeros));
        parts.extend((!remark.is_empty()).then(|| remark.to_owned()));
        parts.join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::pairing::pairs::Pair;
    use crate::stats::ratio::Ratio;

    fn claim(relation: &str) -> ClaimResult {
        let pair = Pair { block: 0, unit: 0, cluster: 0, log: 0.0, values: [100.0, 90.0], seed: 0 };
        let pairs = Pairs { list: vec![pair], totals: [1000.0, 900.0], ..Pairs::default() };
        let claim = Claim::parse(&format!("nodes(a) {relation} nodes(b)")).unwrap();
        ClaimResult { verdict: 0, claim, pairs, is_on_nodes: true, logs: Logs::default() }
    }

    fn judged_ratio([low, mean, high]: [f64; 3], p: f64) -> JudgedRatio {
        JudgedRatio {
            ratio: Ratio { low, mean, high, clusters: 20, ..Ratio::default() },
            p,
            significant: false,
            fragile: false,
        }
    }

    /// A claim about a single position is decided by the totals, each multiplied by the factor of
    /// its side.
    #[test]
    fn single_position_is_judged_with_the_claims_factors() {
        let single_position = JudgedRatio {
            ratio: Ratio { clusters: 1, ..Ratio::default() },
            p: f64::NAN,
            significant: false,
            fragile: false,
        };
        let rule_for = |text: &str| {
            let claim = Claim::parse(text).unwrap();
            ClaimResult { claim, ..self::claim("<") }.rule(&single_position, 1, 1.005).0
        };
        // a has 900 nodes, b has 1000.
        for (text, holds) in [
            ("nodes(a) < nodes(b)", true),
            ("2 * nodes(a) < nodes(b)", false),
            ("nodes(a) < 0.8 * nodes(b)", false),
            ("2 * nodes(a) < 3 * nodes(b)", true),
            ("1.2 * nodes(a) > nodes(b)", true),
            ("nodes(a) > nodes(b)", false),
        ] {
            assert_eq!(rule_for(text), if holds { Ruling::Holds } else { Ruling::Differs }, "{text}");
        }
    }

    /// The rulings on claims of "less", "at most" and "equal", found by hand, if differences of 1 %
    /// matter. Claims of "more" and "at least" get the same rulings for inverted ratios.
    #[test]
    fn claim_is_judged_by_its_interval() {
        use Ruling::{Differs, Holds, Undecided};
        let cases = [
            // Clearly less.
            ([0.85, 0.9, 0.95], 0.01, [Holds, Holds, Differs]),
            // Clearly more.
            ([1.05, 1.1, 1.2], 0.01, [Differs, Differs, Differs]),
            // Less, but too little to matter.
            ([0.992, 0.994, 0.996], 0.01, [Differs, Holds, Holds]),
            // Equal, up to differences that do not matter.
            ([0.995, 1.0, 1.004], 0.9, [Differs, Holds, Holds]),
            // It may be less or more.
            ([0.98, 1.0, 1.02], 0.9, [Undecided; 3]),
            // Less by the mean and by p, but not by the interval.
            ([0.6, 0.9, 1.3], 0.03, [Undecided; 3]),
            // Less by the mean and by the interval, but not by p.
            ([0.85, 0.9, 0.95], 0.06, [Undecided, Holds, Undecided]),
        ];
        let rule_for = |relation: &str, interval, p| claim(relation).rule(&judged_ratio(interval, p), 1, 1.01).0;
        for (interval, p, [less, at_most, equal]) in cases {
            let rulings = ["<", "<=", "="].map(|relation| rule_for(relation, interval, p));
            assert_eq!(rulings, [less, at_most, equal], "{interval:?}");
            let [low, mean, high] = interval;
            let inverted = [1.0 / high, 1.0 / mean, 1.0 / low];
            assert_eq!([">", ">=", "="].map(|relation| rule_for(relation, inverted, p)), rulings, "{inverted:?}");
        }
        // A claim about one cluster is decided by the totals of its two sides.
        let mut single_cluster = judged_ratio([f64::NAN, 0.9, f64::NAN], f64::NAN);
        single_cluster.ratio.clusters = 1;
        assert_eq!(["<", ">"].map(|relation| claim(relation).rule(&single_cluster, 1, 1.01).0), [Holds, Differs]);
        // Twenty clusters suffice for 26,214 claims, but not for one more.
        let rule_with = |claims: usize| claim("<").rule(&judged_ratio([0.85, 0.9, 0.95], 0.01), claims, 1.01).0;
        assert_eq!([26_214, 26_215].map(rule_with), [Holds, Undecided]);
    }

    /// The ratio is 0.9, significantly. Searches with a 0 on the left side only are less still and
    /// contradict "more" and "equal"; a 0 on the right side only contradicts "less". Without other
    /// searches, or with one position, nothing is decided.
    #[test]
    fn searches_without_a_ratio_are_considered() {
        use Ruling::{Differs, Holds, Undecided};
        let rule_for = |one_sided_zero: [usize; 2], clusters: usize| {
            ["<", "<=", "=", ">"].map(|relation| {
                let mut claim = claim(relation);
                claim.pairs.one_sided_zero = one_sided_zero;
                claim.pairs.list.truncate(clusters);
                let mut judged = judged_ratio([0.85, 0.9, 0.95], 0.01);
                judged.ratio.clusters = clusters;
                claim.rule(&judged, 1, 1.01).0
            })
        };
        assert_eq!(rule_for([0, 0], 20), [Holds, Holds, Differs, Differs]);
        assert_eq!(rule_for([3, 0], 20), [Holds, Holds, Differs, Differs]);
        assert_eq!(rule_for([0, 3], 20), [Undecided; 4]);
        assert_eq!([rule_for([3, 0], 1), rule_for([0, 3], 0)], [[Undecided; 4]; 2]);
        let mut equality = claim("=");
        let rule_equality = |claim: &ClaimResult| claim.rule(&judged_ratio([0.999, 1.0, 1.001], 0.9), 1, 1.01).0;
        assert_eq!(rule_equality(&equality), Holds);
        equality.pairs.one_sided_zero = [1, 0];
        assert_eq!(rule_equality(&equality), Undecided);
        equality.pairs.list.clear();
        let mut without_ratio = claim("=");
        without_ratio.pairs.list.clear();
        let rule_for = |claim: &ClaimResult| claim.rule(&judged_ratio([f64::NAN; 3], f64::NAN), 1, 1.01);
        assert_eq!(rule_for(&without_ratio), (Ruling::NoRows, String::new()));
        without_ratio.pairs.both_zero = 2;
        assert_eq!(rule_for(&without_ratio), (Undecided, "no ratio: 2 searches with 0 on both sides".to_owned()));
        let message = equality.describe_measurement(
            &judged_ratio([f64::NAN; 3], f64::NAN),
            1.01,
            Undecided,
            "",
            &TextColumn::default(),
        );
        assert_eq!(message, "no ratio: 1 search with 0 on one side only");
    }

    /// The mean ratio is 10 % above 1. Totals that are 10 % or 1.1 % lower are reported; totals
    /// that are 0.5 % lower, which does not matter, or 10 % higher are not.
    #[test]
    fn totals_that_point_the_other_way_are_reported_if_they_matter() {
        let is_reported = |left: f64| {
            let mut claim = claim("<");
            claim.pairs.totals = [1000.0, left];
            let message = claim.describe_measurement(
                &judged_ratio([1.05, 1.1, 1.2], 0.01),
                1.01,
                Ruling::Differs,
                "",
                &TextColumn::default(),
            );
            message.contains("the totals point the other way")
        };
        assert_eq!([900.0, 989.0, 995.0, 1100.0].map(is_reported), [true, true, false, false]);
    }

    #[test]
    fn small_p_is_never_shown_as_zero() {
        let describe_with = |p| {
            claim("<").describe_measurement(
                &judged_ratio([0.85, 0.9, 0.95], p),
                1.01,
                Ruling::Holds,
                "",
                &TextColumn::default(),
            )
        };
        let start = "900 against 1000; ratio 0.900, 95 % 0.850 to 0.950, p ";
        for (p, expected) in [(0.0, "< 0.001"), (0.000_99, "< 0.001"), (0.001, "0.001"), (0.0126, "0.013")] {
            assert_eq!(describe_with(p), format!("{start}{expected}"));
        }
    }
}
