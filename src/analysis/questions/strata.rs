//! Computes results over several suites. Each suite is judged separately. In a mean over suites,
//! all suites have the same weight, whatever their numbers of positions.
//!
//! The interval of the mean is combined from the intervals of the suites. The distance from the
//! mean to an end is the root of the summed squares of the suites' distances on that side. In this
//! way, corrections within suites, above all for skew, are preserved. Source: Zou and Donner,
//! "Construction of confidence limits about effect measures", 2008.

use super::findings::{Sign, fewer_or_less, sign_of_difference};
use super::line::Line;
use super::summary::Summary;
use crate::record::columns;
use crate::stats::ratio::Ratio;
use crate::text::{and_more, plural};

/// A ratio over suites, with its 95 % interval. The ends of the interval are NaN if a suite has no
/// interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OverSuites {
    /// The geometric mean of the suites' means.
    pub mean: f64,
    pub low: f64,
    pub high: f64,
}

impl OverSuites {
    /// Returns the mean of the suites' ratios, or `None` if there are no suites or if a suite has
    /// no ratio.
    pub fn from_ratios(ratios: &[Ratio]) -> Option<Self> {
        let suite_count = ratios.len() as f64;
        let sum_over_suites = |value: &dyn Fn(&Ratio) -> f64| ratios.iter().map(value).sum::<f64>();
        let mean_log = sum_over_suites(&|ratio| ratio.mean.ln()) / suite_count;
        // The suites are independent, so the squares of their half widths add up.
        let half_width = |end: fn(&Ratio) -> f64| {
            sum_over_suites(&|ratio| (end(ratio) / ratio.mean).ln().powi(2)).sqrt() / suite_count
        };
        let [low, high] = [mean_log - half_width(|ratio| ratio.low), mean_log + half_width(|ratio| ratio.high)];
        mean_log.is_finite().then(|| Self { mean: mean_log.exp(), low: low.exp(), high: high.exp() })
    }
}

/// A line of the summaries of several suites.
#[derive(Debug, Clone)]
pub struct LineOverSuites<'a> {
    pub name: &'a str,
    /// The line in each suite, and the line's index in the suite's summary. `None` if the suite
    /// does not have the line.
    pub suites: Vec<Option<(usize, &'a Line)>>,
}

impl<'a> LineOverSuites<'a> {
    /// Collects the lines of all suites. Lines with the same values in the grouping columns are the
    /// same line. The lines are in the order in which they first appear.
    pub fn collect_lines(summaries: &[&'a Summary]) -> Vec<Self> {
        let mut lines: Vec<Self> = Vec::new();
        for (suite_index, summary) in summaries.iter().enumerate() {
            for (line_index, line) in summary.lines.iter().enumerate() {
                let is_same_line = |earlier: &Self| earlier.first().is_some_and(|first| first.values == line.values);
                let index = lines.iter().position(is_same_line).unwrap_or_else(|| {
                    lines.push(Self { name: &line.name, suites: vec![None; summaries.len()] });
                    lines.len() - 1
                });
                lines[index].suites[suite_index] = Some((line_index, line));
            }
        }
        lines
    }

    /// Returns the line in the first suite that has the line.
    pub fn first(&self) -> Option<&'a Line> {
        self.suites.iter().flatten().map(|(_, line)| *line).next()
    }

    pub fn is_baseline(&self) -> bool {
        self.first().is_some_and(|line| line.is_baseline)
    }

    /// Returns the line's ratio over all suites, in the metric with index `metric`. Returns `None`
    /// for a baseline, or if a suite has no ratio.
    pub fn ratio(&self, metric: usize) -> Option<OverSuites> {
        if self.is_baseline() {
            return None;
        }
        let ratio_in = |line_in_suite: &Option<(usize, &Line)>| {
            let (_, line) = (*line_in_suite)?;
            Some(line.measures.get(metric)?.ratio)
        };
        let ratios: Option<Vec<Ratio>> = self.suites.iter().map(ratio_in).collect();
        OverSuites::from_ratios(&ratios?)
    }

    /// Returns the number of suites in which the line is significantly below the baseline, and the
    /// number of suites in which the line is significantly above the baseline.
    pub fn count_significant(&self, metric_index: usize) -> [usize; 2] {
        [Sign::Less, Sign::More].map(|sign| {
            self.suites.iter().flatten().filter(|(_, line)| sign_of_difference(line, metric_index) == sign).count()
        })
    }

    /// Returns a phrase that says in how many suites the line is significantly below or above the
    /// baseline.
    pub fn describe(&self, metric_index: usize) -> String {
        let suite_count = self.suites.len();
        match self.count_significant(metric_index) {
            [0, 0] => "no difference shown in any".to_owned(),
            [below, 0] if below == suite_count => format!("below in all {suite_count}"),
            [0, above] if above == suite_count => format!("above in all {suite_count}"),
            [below, 0] => format!("below in {below} of {suite_count}"),
            [0, above] => format!("above in {above} of {suite_count}"),
            [below, above] => format!("below in {below}, above in {above} of {suite_count}"),
        }
    }
}

/// Returns the findings over all suites as sentences. `summaries` contains the summary of each
/// suite in `suite_names`.
pub fn findings(suite_names: &[&str], summaries: &[&Summary]) -> Vec<String> {
    let Some(metric) = summaries.first().and_then(|summary| summary.metrics.first()) else { return Vec::new() };
    let (all_lines, suites) = (LineOverSuites::collect_lines(summaries), suite_names.len());
    let is_compared = |line: &&LineOverSuites<'_>| {
        let mut signs = line.suites.iter().flatten().map(|(_, line)| sign_of_difference(line, 0));
        !line.is_baseline() && signs.any(|sign| !matches!(sign, Sign::Baseline | Sign::Nothing))
    };
    let lines: Vec<&LineOverSuites<'_>> = all_lines.iter().filter(is_compared).collect();
    if lines.is_empty() {
        return Vec::new();
    }
    let select_lines = |matches: &dyn Fn([usize; 2]) -> bool| -> Vec<&LineOverSuites<'_>> {
        lines.iter().copied().filter(|line| matches(line.count_significant(0))).collect()
    };
    let less = select_lines(&|[less, _]| less == suites);
    let more = select_lines(&|[_, more]| more == suites);
    let contradicting = select_lines(&|[less, more]| less > 0 && more > 0);
    let not_significant = select_lines(&|counts| counts == [0, 0]);
    let mixed = lines.len() - less.len() - more.len() - contradicting.len() - not_significant.len();
    let mut findings = Vec::new();
    let noun = metric.name.rsplit('.').next().unwrap_or(&metric.name);
    let lines_with_ratios = less.iter().filter_map(|line| Some((line, line.ratio(0)?)));
    let lowest = lines_with_ratios.min_by(|(_, a), (_, b)| a.mean.total_cmp(&b.mean));
    if summaries[0].unranked_options.is_empty()
        && let Some((line, ratio)) = lowest
    {
        let fewest = if fewer_or_less(metric) == "fewer" { "Fewest" } else { "Least" };
        findings.push(format!(
            "{fewest} {noun} over the {suites} suites, of the lines below the baseline in each: \"{}\", {:.3} of the baseline's (95 % {:.3} to {:.3}).",
            line.name, ratio.mean, ratio.low, ratio.high
        ));
    }
    let parts = [
        (less.len(), "below the baseline in every suite"),
        (more.len(), "above it in every suite"),
        (contradicting.len(), "below it in one suite and above it in another"),
        (mixed, "different from it in some suites only"),
        (not_significant.len(), "without a difference shown in any"),
    ];
    let parts: Vec<String> =
        parts.into_iter().filter(|(count, _)| *count > 0).map(|(count, text)| format!("{count} {text}")).collect();
    findings.push(format!(
        "Of {} in {}: {}.",
        plural(lines.len(), "line"),
        plural(suites, columns::SUITE),
        parts.join(", ")
    ));
    const MAX_EXAMPLES: usize = 3;
    let examples = contradicting.iter().take(MAX_EXAMPLES).map(|line| {
        let describe_suite = |(suite_name, line_in_suite): (&&str, &Option<(usize, &Line)>)| {
            let (_, line) = line_in_suite.as_ref()?;
            matches!(sign_of_difference(line, 0), Sign::Less | Sign::More)
                .then(|| format!("{:.3} in {suite_name}", line.ratio().mean))
        };
        let ratios: Vec<String> = suite_names.iter().zip(&line.suites).filter_map(describe_suite).collect();
        format!("\"{}\" ({})", line.name, ratios.join(", "))
    });
    let examples: Vec<String> = examples.collect();
    let and_more = and_more(contradicting.len().saturating_sub(MAX_EXAMPLES));
    if !examples.is_empty() {
        findings.push(format!("The suites contradict each other on {}{and_more}.", examples.join("; ")));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::summary::Question;
    use super::*;
    use crate::analysis::rows::frame::Frame;
    use crate::stats::sample::t_quantile;
    use rand::{RngExt, SeedableRng};

    fn ratio(mean: f64, low: f64, high: f64) -> Ratio {
        Ratio { mean, low, high, ..Ratio::default() }
    }

    /// Calculated by hand: the mean of the logarithms of 1/2 and 2 is 0; the two intervals extend
    /// downwards by ln 2 and ln 3, and upwards by ln 4 and 0.
    #[test]
    fn mean_over_suites_gives_each_suite_the_same_weight() {
        let over_suites = OverSuites::from_ratios(&[ratio(0.5, 0.25, 2.0), ratio(2.0, 2.0 / 3.0, 2.0)]).unwrap();
        let ln = |value: f64| value.ln();
        assert!(ln(over_suites.mean).abs() < 1e-12);
        assert!(
            (ln(over_suites.low) + (ln(2.0).powi(2) + ln(3.0).powi(2)).sqrt() / 2.0).abs() < 1e-12,
            "{over_suites:?}"
        );
        assert!((ln(over_suites.high) - ln(4.0) / 2.0).abs() < 1e-12, "{over_suites:?}");
        let single_suite = OverSuites::from_ratios(&[ratio(0.8, 0.7, 0.9)]).unwrap();
        assert!(
            [single_suite.mean - 0.8, single_suite.low - 0.7, single_suite.high - 0.9]
                .iter()
                .all(|difference| difference.abs() < 1e-12)
        );
    }

    #[test]
    fn suite_without_a_ratio_or_an_interval_leaves_none_over_suites() {
        assert_eq!(OverSuites::from_ratios(&[]), None);
        assert_eq!(OverSuites::from_ratios(&[ratio(0.5, 0.4, 0.6), ratio(f64::NAN, f64::NAN, f64::NAN)]), None);
        let over_suites = OverSuites::from_ratios(&[ratio(0.5, 0.4, 0.6), ratio(0.5, f64::NAN, f64::NAN)]).unwrap();
        assert!(over_suites.mean == 0.5, "{over_suites:?}");
        assert!(over_suites.low.is_nan(), "{over_suites:?}");
        assert!(over_suites.high.is_nan(), "{over_suites:?}");
    }

    /// For two suites that differ in size, spread and mean, each with Student's interval, the
    /// combined interval contains the mean of the true means in 95 % of cases.
    #[test]
    fn interval_over_suites_covers_the_mean_of_the_true_means() {
        let mut random = rand_pcg::Pcg64::seed_from_u64(7);
        let mut sample_ratio = |positions: usize, true_mean: f64, spread: f64| {
            let mut draw_value = || {
                let sum: f64 = (0..12).map(|_| random.random::<f64>()).sum();
                true_mean + spread * (sum - 6.0)
            };
            let values: Vec<f64> = (0..positions).map(|_| draw_value()).collect();
            let count = positions as f64;
            let mean = values.iter().sum::<f64>() / count;
            let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
            let half_width = t_quantile(positions, 0.975) * (variance / count).sqrt();
            ratio(mean.exp(), (mean - half_width).exp(), (mean + half_width).exp())
        };
        let covers_true_mean = |_: &u32| {
            let over_suites =
                OverSuites::from_ratios(&[sample_ratio(12, -0.5, 0.4), sample_ratio(40, 0.3, 0.1)]).unwrap();
            (over_suites.low.ln()..=over_suites.high.ln()).contains(&-0.1)
        };
        let coverage = (0..4000).filter(covers_true_mean).count() as f64 / 4000.0;
        assert!((0.94..=0.97).contains(&coverage), "{coverage}");
    }

    fn make_summary(ratios: &[(&str, f64)]) -> Summary {
        let mut text = "variant,position,depth,search.nodes\n".to_owned();
        for index in 0..12_u32 {
            text += &format!("base,p{index},1,{}\n", 1000 + index);
            let noise_at = |ratio: f64| if ratio == 1.0 { 0.0 } else { f64::from(index % 2) };
            for (name, ratio) in ratios {
                text +=
                    &format!("{name},p{index},1,{}\n", (f64::from(1000 + index) * ratio).round() + noise_at(*ratio));
            }
        }
        let frame = Frame::parse(text.as_bytes(), "rows").unwrap();
        Summary::new(&frame, &Question::by_variant(&[], Some("base"))).unwrap()
    }

    #[test]
    fn findings_list_agreements_and_contradictions_of_the_suites() {
        let first = make_summary(&[("always", 0.5), ("turns", 0.8), ("more", 1.5), ("same", 1.0)]);
        let second = make_summary(&[("always", 0.7), ("turns", 1.2), ("more", 1.5), ("same", 1.0), ("new", 0.9)]);
        let sentences = findings(&["a", "b"], &[&first, &second]);
        let least = "Fewest nodes over the 2 suites, of the lines below the baseline in each: \"always\", 0.59";
        assert!(sentences[0].starts_with(least), "{sentences:?}");
        assert_eq!(
            sentences[1],
            "Of 5 lines in 2 suites: 1 below the baseline in every suite, 1 above it in every suite, 1 below it in one suite and above it in \
             another, 1 different from it in some suites only, 1 without a difference shown in any."
        );
        let contradiction = "The suites contradict each other on \"turns\" (0.80";
        assert!(sentences[2].starts_with(contradiction), "{sentences:?}");
        assert!(sentences[2].ends_with(" in a, 1.200 in b)."), "{sentences:?}");
        assert_eq!(sentences.len(), 3, "{sentences:?}");
        let lines = LineOverSuites::collect_lines(&[&first, &second]);
        let descriptions: Vec<String> = lines.iter().map(|line| line.describe(0)).collect();
        let expected = [
            "no difference shown in any",
            "below in all 2",
            "below in 1, above in 1 of 2",
            "above in all 2",
            "no difference shown in any",
            "below in 1 of 2",
        ];
        assert_eq!(descriptions, expected);
        assert!(lines[0].is_baseline());
        assert!(lines[0].ratio(0).is_none());
        assert!(lines[5].ratio(0).is_none(), "a suite without it");
    }
}
