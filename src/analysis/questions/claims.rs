//! Judges each `[[expect]]` of an experiment by the rows, and returns verdicts.

use super::summary::Summary;
use super::verdict::{Ruling, Verdict};
use crate::analysis::pairing::metric_reader::MetricReader;
use crate::analysis::pairing::pairs::{BaseSearches, Logs, Pairs};
use crate::analysis::pairing::searches::Searches;
use crate::analysis::rows::column::{SEED, TextColumn};
use crate::analysis::rows::frame::{Frame, FrameError, Lookup};
use crate::analysis::rows::grouping::Grouping;
use crate::analysis::rows::metric::Metric;
use crate::experiment::claim::{Claim, Term};
use crate::experiment::expect::{Expect, ExpectedFigure, OTHER_SCORES, Range, Scalar, Statistic};
use crate::experiment::relation::Relation;
use crate::record::columns;
use crate::stats::ratio::{Family, JudgedRatio};
use crate::stats::sample::{mean, median, min_clusters};
use crate::text::plural;
use std::collections::BTreeSet;

const LEVEL: f64 = 0.05;

/// Judges all expectations by the rows. If an expectation cannot be judged, for example because it
/// names an unknown column, its verdict contains the error message instead. The other expectations
/// are judged anyway. If nodes may mislead, all claims on nodes are undecided.
pub fn judge_claims(expects: &[Expect], smallest_effect: f64, frame: &Frame, summary: &Summary) -> Vec<Verdict> {
    let (mut verdicts, mut paired_claims) = (Vec::new(), Vec::new());
    // All searches are gathered only once, for the claims without a filter.
    let mut all_searches = None;
    // The names of positions and games, whose codes all claims share. The numbers in a claim's
    // searches cannot be used, because they may differ between claims on different rows.
    let mut clusters = TextColumn::default();
    for expect in expects {
        let pending = Verdict { subject: describe_filter(expect), ..Verdict::pending(expect) };
        let published = expect.claim.clone().unwrap_or_default();
        let mut judge = || -> Result<_, Box<dyn std::error::Error>> {
            let rows = select_rows(expect, frame)?;
            let figures = judge_figures(expect, &pending, &rows, frame, summary)?;
            let Some(text) = &expect.claim else { return Ok((figures, None)) };
            let claim = Claim::parse_ratio(text)?;
            let paired_claim = if rows.len() == frame.rows() {
                let searches = all_searches.get_or_insert_with(|| VariantSearches::new(frame));
                searches.pair_claim(claim, frame, &mut clusters)?
            } else {
                let rows = frame.take(&rows);
                VariantSearches::new(&rows).pair_claim(claim, &rows, &mut clusters)?
            };
            Ok((figures, Some(paired_claim)))
        };
        match judge() {
            Ok((figures, paired_claim)) => {
                verdicts.extend(figures);
                if let Some(paired_claim) = paired_claim {
                    paired_claims.push((verdicts.len(), paired_claim));
                    verdicts.push(Verdict { published, ..pending });
                }
            }
            Err(error) => verdicts.push(Verdict { published, measured: error.to_string(), ..pending }),
        }
    }
    let minimum_ratio = 1.0 + smallest_effect;
    // All claims of a file are about the same positions, so they are tested jointly.
    let logs_of_claims: Vec<_> = paired_claims.iter().map(|(_, claim)| claim.logs.clone()).collect();
    let family = Family::from_samples(&logs_of_claims);
    for ((index, claim), judged) in paired_claims.iter().zip(&family.lines) {
        let (mut ruling, mut remark) = claim.rule(judged, family.tested_count, minimum_ratio);
        if let Some(mislead_reason) = &summary.nodes_mislead_reason
            && claim.is_on_nodes
            && ruling != Ruling::NoRows
        {
            (ruling, remark) = (Ruling::Undecided, mislead_reason.clone());
        }
        let measured = claim.describe_measurement(judged, minimum_ratio, ruling, &remark, &clusters);
        (verdicts[*index].ruling, verdicts[*index].measured) = (ruling, measured);
    }
    verdicts
}

fn describe_filter(expect: &Expect) -> String {
    let conditions = expect.filter.iter().map(|(key, value)| match key.as_str() {
        columns::VARIANT => value.to_string(),
        _ => format!("{key} {value}"),
    });
    conditions.collect::<Vec<_>>().join(", ")
}

/// Returns the rows that meet the conditions of an expectation, without those of failed jobs.
fn select_rows(expect: &Expect, frame: &Frame) -> Result<Vec<usize>, FrameError> {
    let resolve =
        |(key, value): (&String, &Scalar)| Ok((frame.column(frame.resolve(key, Lookup::Filter)?), value.to_string()));
    let filters: Vec<_> = expect.filter.iter().map(resolve).collect::<Result<_, FrameError>>()?;
    let errors = frame.text_column(columns::ERROR);
    Ok(frame.select(|row| {
        errors.text(row).is_empty()
            && filters.iter().all(|(column, expected)| column.is_some_and(|values| values.text(row) == *expected))
    }))
}

fn judge_figures(
    expect: &Expect,
    pending: &Verdict,
    rows: &[usize],
    frame: &Frame,
    summary: &Summary,
) -> Result<Vec<Verdict>, FrameError> {
    // Figures are judged only by rows of the file's own key seed.
    let seeds = frame.numbers(SEED);
    let rows: Vec<usize> = rows.iter().copied().filter(|&row| seeds[row].is_nan() || seeds[row] == 0.0).collect();
    let mut verdicts = Vec::new();
    for (metric, figure) in &expect.figures {
        if metric == OTHER_SCORES {
            let variant = expect.filter.get(columns::VARIANT).map(ToString::to_string);
            let line = summary.lines.iter().find(|line| Some(&line.name) == variant.as_ref());
            let counts = line.map(|line| line.other_scores);
            let count: Vec<f64> = counts.map(|(other_scores, _)| other_scores as f64).into_iter().collect();
            let mut verdict = check_number(pending, metric, figure, count);
            if let Some((_, compared)) = counts {
                verdict.measured += &format!(" of {compared} searches");
            }
            verdicts.push(verdict);
            continue;
        }
        let column = frame.resolve(metric, Lookup::Metric)?;
        let (numbers, depths) = (frame.numbers(column), frame.numbers(columns::DEPTH));
        let values_where = |is_wanted: &dyn Fn(usize) -> bool| -> Vec<f64> {
            let rows = rows.iter().filter(|row| is_wanted(**row));
            rows.map(|&row| numbers[row]).filter(|value| !value.is_nan()).collect()
        };
        match figure {
            ExpectedFigure::Exact(Scalar::Text(word)) => {
                let texts: BTreeSet<String> = rows.iter().map(|&row| frame.text(column, row).into_owned()).collect();
                let holds = (!texts.is_empty()).then(|| texts.iter().all(|text| text == word));
                let measured = texts.into_iter().collect::<Vec<_>>().join(", ");
                verdicts.push(figure_verdict(pending, metric, word.clone(), measured, holds));
            }
            ExpectedFigure::Range(series) if !series.by_depth.is_empty() => {
                for (depth, &value) in (u32::from(series.from.unwrap_or(1))..).zip(&series.by_depth) {
                    let subject = format!("{}, depth {depth}", pending.subject);
                    let pending = Verdict { subject: subject.trim_start_matches(", ").to_owned(), ..pending.clone() };
                    let figure = ExpectedFigure::Exact(Scalar::Float(value));
                    let values = values_where(&|row| depths[row] == f64::from(depth));
                    verdicts.push(check_number(&pending, metric, &figure, values));
                }
            }
            figure => verdicts.push(check_number(pending, metric, figure, values_where(&|_| true))),
        }
    }
    Ok(verdicts)
}

/// Only the metric is named if the figure is about all rows.
fn figure_verdict(
    pending: &Verdict,
    metric: &str,
    published: String,
    measured: String,
    holds: Option<bool>,
) -> Verdict {
    let filter = &pending.subject;
    let subject = if filter.is_empty() { metric.to_owned() } else { format!("{filter}: {metric}") };
    Verdict { subject, published, measured, ruling: Ruling::from_holds(holds), ..pending.clone() }
}

/// If the figure is a statistic, such as a median, this statistic of the values must agree with the
/// figure. Otherwise all values must agree with the figure.
fn check_number(pending: &Verdict, metric: &str, figure: &ExpectedFigure, mut values: Vec<f64>) -> Verdict {
    let range = match figure {
        ExpectedFigure::Exact(value) => {
            let exact = match value {
                Scalar::Integer(value) => Some(*value as f64),
                Scalar::Float(value) => Some(*value),
                Scalar::Bool(value) => Some(f64::from(u8::from(*value))),
                Scalar::Text(_) => None,
            };
            Range { exact, ..Range::default() }
        }
        ExpectedFigure::Range(range) => range.clone(),
    };
    values.sort_by(f64::total_cmp);
    // If the figure is a statistic, the statistic of the values replaces the values.
    if let Some(statistic) = range.statistic {
        values = compute_statistic(statistic, &values).into_iter().collect();
    }
    let is_in_range = |value: &f64| {
        range.exact.is_none_or(|exact| *value == exact)
            && range.min.is_none_or(|min| *value >= min)
            && range.max.is_none_or(|max| *value <= max)
    };
    let measured = match (values.first(), values.last()) {
        (Some(lowest), Some(highest)) if lowest == highest => lowest.to_string(),
        (Some(lowest), Some(highest)) => format!("{lowest} to {highest}"),
        _ => "nothing".to_owned(),
    };
    let prefix = range.statistic.map(|statistic| format!("{statistic:?} ").to_lowercase()).unwrap_or_default();
    let published = match (range.exact, range.min, range.max) {
        (Some(exact), ..) => format!("{prefix}{exact}"),
        (None, Some(min), Some(max)) => format!("{prefix}{min} to {max}"),
        (None, Some(min), None) => format!("{prefix}at least {min}"),
        (None, None, Some(max)) => format!("{prefix}at most {max}"),
        (None, None, None) => prefix,
    };
    let holds = (!values.is_empty()).then(|| values.iter().all(is_in_range));
    figure_verdict(pending, metric, published, measured, holds)
}

/// Computes a statistic of sorted values. Returns `None` if there are no values.
fn compute_statistic(statistic: Statistic, sorted_values: &[f64]) -> Option<f64> {
    let (first, last) = (*sorted_values.first()?, *sorted_values.last()?);
    Some(match statistic {
        Statistic::Min => first,
        Statistic::Max => last,
        Statistic::Sum => sorted_values.iter().sum(),
        Statistic::Mean => mean(sorted_values.iter().copied()),
        Statistic::Median => median(&mut sorted_values.to_vec()),
    })
}

struct VariantSearches {
    grouping: Grouping,
    searches: Searches,
}

/// A claim and the pairs that decide the claim. The corrected p-value is missing here, because it
/// depends on all claims of the file.
struct PairedClaim {
    claim: Claim,
    /// The pairs of the right side (base) and the left side (other).
    pairs: Pairs,
    is_on_nodes: bool,
    /// The searches of both sides that end with a mate for the other side, if the claim is about
    /// mates.
    wrong_mates: usize,
    /// The log ratios of the left side to the right side. Each ratio is divided by the factor that
    /// the claim states.
    logs: Logs,
}

impl VariantSearches {
    fn new(frame: &Frame) -> Self {
        let grouping = Grouping::new(frame, &[columns::VARIANT.to_owned()]);
        let searches = Searches::gather(frame, &grouping);
        Self { grouping, searches }
    }

    /// Pairs the two sides of a claim by search. Each ratio is the left value divided by the right
    /// value.
    fn pair_claim(&self, claim: Claim, frame: &Frame, clusters: &mut TextColumn) -> Result<PairedClaim, FrameError> {
        let left = Metric::find_comparable(&claim.left.metric, frame)?;
        let right = Metric::find_comparable(&claim.right.metric, frame)?;
        let is_on_nodes = left.is_nodes() || right.is_nodes();
        let [left_reader, right_reader] =
            [&left, &right].map(|metric| MetricReader::new(&self.searches, metric, frame));
        let find_group = |term: &Term| self.grouping.values.iter().position(|values| values[0] == term.subject);
        let groups = [find_group(&claim.left), find_group(&claim.right)];
        let wrong = frame.numbers(columns::MATE_WRONG);
        let is_about_mates = [&left, &right].iter().any(|metric| metric.columns()[0].starts_with(columns::MATE));
        let wrong_mates = self.searches.list.iter().filter(|search| {
            let is_of_claim = groups.contains(&Some(search.group as usize)) && search.is_in_totals;
            is_about_mates && is_of_claim && wrong[search.last_row] == 1.0
        });
        let wrong_mates = wrong_mates.count();
        let pairs = match (groups[0], groups[1]) {
            (Some(left_group), Some(right_group)) => {
                BaseSearches::new(&right_reader, &self.grouping, right_group).pairs_with(left_group, &left_reader)
            }
            _ => Pairs::default(),
        };
        let log_factor = (claim.right.factor / claim.left.factor).ln();
        let mut find_id = |cluster| clusters.intern(&self.searches.cluster_name(cluster, frame));
        let logs = pairs.logs().into_iter().map(|(cluster, log)| (find_id(cluster), log - log_factor)).collect();
        Ok(PairedClaim { claim, pairs, is_on_nodes, wrong_mates, logs })
    }
}

/// Whether a ratio is so close to 1 that it does not matter. `minimum_ratio` is the smallest ratio
/// above 1 that matters.
fn is_negligible(ratio: f64, minimum_ratio: f64) -> bool {
    ratio > 1.0 / minimum_ratio && ratio < minimum_ratio
}

impl PairedClaim {
    /// Decides the claim. Returns the ruling and a remark, such as the reason why the pairs cannot
    /// decide the claim. The remark may be empty. `claim_count` is the number of claims that are
    /// tested together. `minimum_ratio` is the smallest ratio above 1 that matters. It is 1.005 if
    /// effects below 0.5 % do not matter.
    fn rule(&self, judged: &JudgedRatio, claim_count: usize, minimum_ratio: f64) -> (Ruling, String) {
        let Self { claim, pairs, .. } = self;
        let JudgedRatio { ratio, p, .. } = judged;
        let one_sided_zero_count: usize = pairs.one_sided_zero.iter().sum();
        let undecided = |reason: String| (Ruling::Undecided, reason);
        if self.wrong_mates > 0 {
            let searches = plural(self.wrong_mates, "search");
            return (Ruling::WrongMate, format!("{searches} of these variants end with a wrong mate"));
        }
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
            let holds = claim.relation.holds(claim.left.factor * left, claim.right.factor * right);
            return (Ruling::from_holds(Some(holds)), "only one position or game".to_owned());
        }
        let required_clusters = min_clusters(claim_count);
        let has_enough_clusters = ratio.clusters >= required_clusters;
        let is_significant = has_enough_clusters && *p < LEVEL && ratio.exceeds_margin();
        let interval = [ratio.low, ratio.mean, ratio.high];
        match Ruling::from_interval(claim.relation, interval, [1.0 / minimum_ratio, minimum_ratio], is_significant) {
            Ruling::Undecided if !has_enough_clusters => undecided(format!(
                "{} positions or games are too few for {claim_count} claims: at least {required_clusters} are needed",
                ratio.clusters
            )),
            ruling => (ruling, String::new()),
        }
    }

    /// Describes what was measured: the totals, the ratio, the p-value, and reasons to doubt them.
    /// `remark` is the remark that [`PairedClaim::rule`] returned.
    fn describe_measurement(
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
    use super::super::summary::Question;
    use super::*;
    use crate::analysis::pairing::pairs::Pair;
    use crate::decode::from_toml;
    use crate::stats::ratio::Ratio;

    /// The verdicts for two variants, the first with a second key seed.
    fn verdicts(expects: &[&str]) -> Vec<(Ruling, String, String)> {
        let text = "variant,position,depth,search.nodes,best,score,seed\na,p,1,9,e2e4,5,0\na,q,1,7,d2d4,6,0\na,p,1,100,e2e4,5,1\na,q,2,8,d2d4,6,0\n\
            b,p,1,9,e2e4,5,0\nb,q,1,7,e2e4,7,0\nb,q,2,8,e2e4,7,0\nb,r,1,8,e2e4,5,0\n";
        let frame = Frame::parse(text.as_bytes(), "t").unwrap_or_else(|error| panic!("{error}"));
        let question = Question::by_variant(&[], Some("a"));
        let summary = Summary::new(&frame, &question).unwrap_or_else(|error| panic!("{error}"));
        let parse_expectation = |text: &&str| from_toml::<Expect>(text).unwrap_or_else(|error| panic!("{error}"));
        let expects: Vec<Expect> = expects.iter().map(parse_expectation).collect();
        judge_claims(&expects, 0.005, &frame, &summary)
            .into_iter()
            .map(|verdict| (verdict.ruling, verdict.subject, verdict.measured))
            .collect()
    }

    /// A text must be the same in every row. Counts are for the file's own seed. `other_scores`
    /// counts only searches that can be compared.
    #[test]
    fn figure_is_judged_by_all_its_rows() {
        let expected_verdict =
            |ruling: Ruling, subject: &str, measured: &str| vec![(ruling, subject.to_owned(), measured.to_owned())];
        let judge_figure = |filter: &str, figure: &str| verdicts(&[&format!("{figure}\nwhere = {{ {filter} }}")]);
        assert_eq!(judge_figure("variant = 'b'", "best = 'e2e4'"), expected_verdict(Ruling::Holds, "b: best", "e2e4"));
        assert_eq!(
            judge_figure("variant = 'a'", "best = 'e2e4'"),
            expected_verdict(Ruling::Differs, "a: best", "d2d4, e2e4")
        );
        assert_eq!(judge_figure("variant = 'c'", "best = 'e2e4'"), expected_verdict(Ruling::NoRows, "c: best", ""));
        assert_eq!(judge_figure("", "best = 'e2e4'"), expected_verdict(Ruling::Differs, "best", "d2d4, e2e4"));
        assert_eq!(judge_figure("variant = 'a', depth = 1", "nodes = { min = 7, max = 9 }")[0].2, "7 to 9");
        assert_eq!(
            judge_figure("variant = 'a', depth = 1", "nodes = { of = 'sum', exact = 16 }"),
            expected_verdict(Ruling::Holds, "depth 1, a: nodes", "16")
        );
        assert_eq!(
            judge_figure("variant = 'b'", "other_scores = 1"),
            expected_verdict(Ruling::Holds, "b: other_scores", "1 of 2 searches")
        );
        // Bounds are inclusive, and all values must satisfy them: 9 and 7, or 9, 7, 8 and 8.
        for (variant, figure, ruling) in [
            ("a', depth = 1", "{ min = 7, max = 9 }", Ruling::Holds),
            ("a', depth = 1", "{ min = 8 }", Ruling::Differs),
            ("a', depth = 1", "{ max = 8 }", Ruling::Differs),
            ("a', depth = 1", "{ min = 10 }", Ruling::Differs),
            ("a', depth = 1", "{ max = 6 }", Ruling::Differs),
            ("a', depth = 1", "8", Ruling::Differs),
            ("b', depth = 2", "8", Ruling::Holds),
            ("b'", "{ of = 'min', exact = 7 }", Ruling::Holds),
            ("b'", "{ of = 'max', exact = 9 }", Ruling::Holds),
            ("b'", "{ of = 'mean', exact = 8 }", Ruling::Holds),
            ("b'", "{ of = 'median', exact = 8 }", Ruling::Holds),
            ("b'", "{ of = 'sum', exact = 32 }", Ruling::Holds),
        ] {
            assert_eq!(
                judge_figure(&format!("variant = '{variant}"), &format!("nodes = {figure}"))[0].0,
                ruling,
                "{variant} {figure}"
            );
        }
        // Scores of 5, 6 and 6, so the median differs from the mean.
        for (statistic, expected) in [("min", "5"), ("median", "6"), ("max", "6"), ("sum", "17")] {
            let result =
                judge_figure("variant = 'a'", &format!("score = {{ of = '{statistic}', exact = {expected} }}"));
            assert_eq!(result, expected_verdict(Ruling::Holds, "a: score", expected));
        }
        assert_eq!(
            judge_figure("variant = 'a'", "score = { of = 'mean', min = 5.66, max = 5.67 }")[0].0,
            Ruling::Holds
        );
        let series = judge_figure("variant = 'b', position = 'q'", "nodes = { by_depth = [7, 9] }");
        let rulings: Vec<_> = series
            .iter()
            .map(|(ruling, subject, _)| (*ruling, subject.split(", ").last().unwrap_or_default()))
            .collect();
        assert_eq!(rulings, [(Ruling::Holds, "depth 1: nodes"), (Ruling::Differs, "depth 2: nodes")]);
    }

    /// An expectation with an unknown column is not judged, and its verdict says why. The others
    /// get the same verdicts as without it.
    #[test]
    fn expectation_that_cannot_be_judged_affects_no_other() {
        let (figure, claim) = (
            "nodes = { of = 'sum', exact = 16 }\nwhere = { variant = 'a', depth = 1 }",
            "claim = 'nodes(b) < nodes(a)'",
        );
        let alone = verdicts(&[figure, claim]);
        for (invalid, expected_subject, message) in [
            ("best = 'e2e4'\nnowhere = 3\nwhere = { variant = 'b' }", "b", "nowhere"),
            ("best = 'e2e4'\nwhere = { nowhere = 3 }", "nowhere 3", "nowhere"),
            ("claim = 'b < a'", "", "is not a number"),
        ] {
            let with_invalid = verdicts(&[figure, invalid, claim]);
            assert_eq!((alone.len(), with_invalid.len()), (2, 3), "{invalid}");
            assert_eq!((&with_invalid[0], &with_invalid[2]), (&alone[0], &alone[1]));
            let (ruling, subject, measured) = &with_invalid[1];
            assert_eq!((*ruling, subject.as_str()), (Ruling::NoRows, expected_subject));
            assert!(measured.contains(message), "{measured}");
        }
    }

    /// A mate for the wrong side in one row fails a claim about mates, and no other claim. A file
    /// that expects either verdict does not excuse it.
    #[test]
    fn wrong_mate_fails_claims_about_mates() {
        let rulings = |wrong: u8| {
            // The mate of the first variant is found one depth after the last of the second.
            let row = |p| format!("a,p{p},1,9,3,0\na,p{p},2,9,4,0\nb,p{p},1,9,4,{wrong}\n");
            let rows: String = (0..8).map(row).collect();
            let rows = format!("variant,position,depth,search.nodes,mate.nodes_until,mate.wrong\n{rows}");
            let frame = Frame::parse(rows.as_bytes(), "t").unwrap();
            let summary = Summary::new(&frame, &Question::by_variant(&[], None)).unwrap();
            let expects = ["mate.nodes_until(b) < mate.nodes_until(a)", "nodes(b) = nodes(a)"]
                .map(|claim| from_toml::<Expect>(&format!("claim = '{claim}'\nverdict = 'either'")).unwrap());
            let verdicts = judge_claims(&expects, 0.005, &frame, &summary);
            verdicts.into_iter().map(|verdict| (verdict.ruling, verdict.passes())).collect::<Vec<_>>()
        };
        assert_eq!(rulings(0), [(Ruling::Holds, true), (Ruling::Holds, true)]);
        assert_eq!(rulings(1), [(Ruling::WrongMate, false), (Ruling::Holds, true)]);
    }

    fn claim(relation: &str) -> PairedClaim {
        let pair = Pair { block: 0, unit: 0, cluster: 0, log: 0.0, values: [100.0, 90.0], seed: 0 };
        let pairs = Pairs { list: vec![pair], totals: [1000.0, 900.0], ..Pairs::default() };
        let claim = Claim::parse_ratio(&format!("nodes(a) {relation} nodes(b)")).unwrap();
        PairedClaim { claim, pairs, is_on_nodes: true, wrong_mates: 0, logs: Logs::default() }
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
            let claim = Claim::parse_ratio(text).unwrap();
            PairedClaim { claim, ..self::claim("<") }.rule(&single_position, 1, 1.005).0
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
        let rule_equality = |claim: &PairedClaim| claim.rule(&judged_ratio([0.999, 1.0, 1.001], 0.9), 1, 1.01).0;
        assert_eq!(rule_equality(&equality), Holds);
        equality.pairs.one_sided_zero = [1, 0];
        assert_eq!(rule_equality(&equality), Undecided);
        equality.pairs.list.clear();
        let mut without_ratio = claim("=");
        without_ratio.pairs.list.clear();
        let rule_for = |claim: &PairedClaim| claim.rule(&judged_ratio([f64::NAN; 3], f64::NAN), 1, 1.01);
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
