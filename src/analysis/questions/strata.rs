//! Results across suites. Searches of different suites are never paired: each suite is judged by
//! itself, and a mean over suites gives each the same weight, whatever its number of positions.
//!
//! The suites' means are independent. The interval of their mean is combined from theirs (Zou and
//! Donner, "Construction of confidence limits about effect measures", 2008): each end's distance is
//! the root of the summed squares of the suites' distances on that side, so corrections within
//! suites, above all for skew, are kept.

use super::findings::{Sign, compare_sign};
use super::line::Line;
use super::summary::Summary;
use crate::record::columns;
use crate::stats::ratio::Ratio;
use crate::text::plural;

/// A ratio over suites.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OverSuites {
    /// The geometric mean of the suites' means.
    pub mean: f64,
    /// The lower end of its 95 % interval; NaN where a suite has none.
    pub low: f64,
    pub high: f64,
}

impl OverSuites {
    /// The mean of the suites' ratios; none without suites, or if one has no value.
    pub fn from_ratios(ratios: &[Ratio]) -> Option<Self> {
        let suites = ratios.len() as f64;
        let sum_of = |value: &dyn Fn(&Ratio) -> f64| ratios.iter().map(value).sum::<f64>();
        let mean = sum_of(&|ratio| ratio.mean.ln()) / suites;
        let reach = |end: fn(&Ratio) -> f64| sum_of(&|ratio| (end(ratio) / ratio.mean).ln().powi(2)).sqrt() / suites;
        let [low, high] = [mean - reach(|ratio| ratio.low), mean + reach(|ratio| ratio.high)];
        mean.is_finite().then(|| Self { mean: mean.exp(), low: low.exp(), high: high.exp() })
    }
}

/// One line in all suites.
#[derive(Debug, Clone)]
pub struct LineOverSuites<'a> {
    pub name: &'a str,
    /// The line and its index in each suite's summary; none if the suite has no rows of it.
    pub suites: Vec<Option<(usize, &'a Line)>>,
}

impl<'a> LineOverSuites<'a> {
    /// The lines of all suites, in the order of the first suite that has each.
    pub fn collect_lines(summaries: &[&'a Summary]) -> Vec<Self> {
        let mut lines: Vec<Self> = Vec::new();
        for (suite, summary) in summaries.iter().enumerate() {
            for (place, line) in summary.lines.iter().enumerate() {
                let known =
                    lines.iter().position(|known| known.first().is_some_and(|first| first.values == line.values));
                let index = known.unwrap_or_else(|| {
                    lines.push(Self { name: &line.name, suites: vec![None; summaries.len()] });
                    lines.len() - 1
                });
                lines[index].suites[suite] = Some((place, line));
            }
        }
        lines
    }

    /// The line in the first suite that has it.
    pub fn first(&self) -> Option<&'a Line> {
        self.suites.iter().flatten().map(|(_, line)| *line).next()
    }

    /// Whether it is the baseline.
    pub fn is_baseline(&self) -> bool {
        self.first().is_some_and(|line| line.is_baseline)
    }

    /// Its ratio over the suites, in the metric with this index; none for the baseline, or if a
    /// suite has no ratio.
    pub fn ratio(&self, metric: usize) -> Option<OverSuites> {
        let ratio = |suite: &Option<(usize, &Line)>| Some(suite.as_ref()?.1.measures.get(metric)?.ratio);
        let ratios: Option<Vec<Ratio>> = self.suites.iter().map(ratio).collect();
        ratios.filter(|_| !self.is_baseline()).and_then(|ratios| OverSuites::from_ratios(&ratios))
    }

    /// The number of suites in which it is significantly less than the baseline, and of those in
    /// which it is more.
    pub fn count_significant(&self, metric: usize) -> [usize; 2] {
        [Sign::Less, Sign::More].map(|expected| {
            self.suites.iter().flatten().filter(|(_, line)| compare_sign(line, metric) == expected).count()
        })
    }

    /// A phrase with the number of suites in which it is less or more.
    pub fn describe(&self, metric: usize) -> String {
        let suites = self.suites.len();
        match self.count_significant(metric) {
            [0, 0] => "no difference shown in any".to_owned(),
            [less, 0] if less == suites => format!("below in all {suites}"),
            [0, more] if more == suites => format!("above in all {suites}"),
            [less, 0] => format!("below in {less} of {suites}"),
            [0, more] => format!("above in {more} of {suites}"),
            [less, more] => format!("below in {less}, above in {more} of {suites}"),
        }
    }
}

/// Sentences about all suites.
pub fn findings(names: &[&str], summaries: &[&Summary]) -> Vec<String> {
    let Some(metric) = summaries.first().and_then(|summary| summary.metrics.first()) else { return Vec::new() };
    let (all, suites) = (LineOverSuites::collect_lines(summaries), names.len());
    let compared = |line: &&LineOverSuites<'_>| {
        let mut suites = line.suites.iter().flatten();
        !line.is_baseline() && suites.any(|(_, line)| !matches!(compare_sign(line, 0), Sign::Baseline | Sign::Nothing))
    };
    let lines: Vec<&LineOverSuites<'_>> = all.iter().filter(compared).collect();
    if lines.is_empty() {
        return Vec::new();
    }
    let lines_with = |matches: &dyn Fn([usize; 2]) -> bool| -> Vec<&LineOverSuites<'_>> {
        lines.iter().copied().filter(|line| matches(line.count_significant(0))).collect()
    };
    let less = lines_with(&|[less, _]| less == suites);
    let more = lines_with(&|[_, more]| more == suites);
    let contradicting = lines_with(&|[less, more]| less > 0 && more > 0);
    let not_significant = lines_with(&|counts| counts == [0, 0]);
    let some = lines.len() - less.len() - more.len() - contradicting.len() - not_significant.len();
    let mut findings = Vec::new();
    let what = metric.name.rsplit('.').next().unwrap_or(&metric.name);
    let least =
        less.iter().filter_map(|line| Some((line, line.ratio(0)?))).min_by(|a, b| a.1.mean.total_cmp(&b.1.mean));
    if let Some((line, ratio)) = least.filter(|_| summaries[0].unlike.is_empty()) {
        findings.push(format!(
            "Fewest {what} over the {suites} suites, of the lines below the baseline in each: \"{}\", {:.3} of the baseline's (95 % {:.3} to {:.3}).",
            line.name, ratio.mean, ratio.low, ratio.high
        ));
    }
    let parts = [
        (less.len(), "below the baseline in every suite"),
        (more.len(), "above it in every suite"),
        (contradicting.len(), "below it in one suite and above it in another"),
        (some, "different from it in some suites only"),
        (not_significant.len(), "without a difference shown in any"),
    ];
    let parts: Vec<String> =
        parts.into_iter().filter(|(lines, _)| *lines > 0).map(|(lines, text)| format!("{lines} {text}")).collect();
    findings.push(format!(
        "Of {} in {}: {}.",
        plural(lines.len(), "line"),
        plural(suites, columns::SUITE),
        parts.join(", ")
    ));
    const SHOWN: usize = 3;
    let shown = contradicting.iter().take(SHOWN).map(|line| {
        let ratio = |(name, suite): (&&str, &Option<(usize, &Line)>)| {
            let (_, line) = suite.as_ref()?;
            matches!(compare_sign(line, 0), Sign::Less | Sign::More)
                .then(|| format!("{:.3} in {name}", line.ratio().mean))
        };
        let ratios: Vec<String> = names.iter().zip(&line.suites).filter_map(ratio).collect();
        format!("\"{}\" ({})", line.name, ratios.join(", "))
    });
    let shown: Vec<String> = shown.collect();
    let rest = contradicting.len().saturating_sub(SHOWN);
    let rest = if rest > 0 { format!(" and {rest} more") } else { String::new() };
    if !shown.is_empty() {
        findings.push(format!("The suites contradict each other on {}{rest}.", shown.join("; ")));
    }
    findings
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::summary::Question;
    use super::*;
    use crate::analysis::rows::frame::Frame;
    use crate::stats::sample::t_quantile;
    use rand::{RngExt, SeedableRng};

    fn ratio(mean: f64, low: f64, high: f64) -> Ratio {
        Ratio { mean, low, high, ..Ratio::default() }
    }

    /// By hand: the mean of the logarithms of 1/2 and 2 is 0; reaches of ln 2 and ln 3 downwards,
    /// and of ln 4 and 0 upwards.
    #[test]
    fn mean_over_suites_gives_each_suite_the_same_weight() {
        let over = OverSuites::from_ratios(&[ratio(0.5, 0.25, 2.0), ratio(2.0, 2.0 / 3.0, 2.0)]).unwrap();
        let ln = |value: f64| value.ln();
        assert!(ln(over.mean).abs() < 1e-12);
        assert!((ln(over.low) + (ln(2.0).powi(2) + ln(3.0).powi(2)).sqrt() / 2.0).abs() < 1e-12, "{over:?}");
        assert!((ln(over.high) - ln(4.0) / 2.0).abs() < 1e-12, "{over:?}");
        let one = OverSuites::from_ratios(&[ratio(0.8, 0.7, 0.9)]).unwrap();
        assert!([one.mean - 0.8, one.low - 0.7, one.high - 0.9].iter().all(|difference| difference.abs() < 1e-12));
    }

    #[test]
    fn suite_without_a_ratio_or_an_interval_leaves_none_over_suites() {
        assert_eq!(OverSuites::from_ratios(&[]), None);
        assert_eq!(OverSuites::from_ratios(&[ratio(0.5, 0.4, 0.6), ratio(f64::NAN, f64::NAN, f64::NAN)]), None);
        let over = OverSuites::from_ratios(&[ratio(0.5, 0.4, 0.6), ratio(0.5, f64::NAN, f64::NAN)]).unwrap();
        assert!(over.mean == 0.5, "{over:?}");
        assert!(over.low.is_nan(), "{over:?}");
        assert!(over.high.is_nan(), "{over:?}");
    }

    /// Two suites that differ in size, spread and mean, each with Student's interval: the interval
    /// over them contains the mean of the true means in 95 % of cases.
    #[test]
    fn interval_over_suites_covers_the_mean_of_the_true_means() {
        let mut random = rand_pcg::Pcg64::seed_from_u64(7);
        let mut sample = |positions: usize, true_mean: f64, spread: f64| {
            let mut value = || {
                let sum: f64 = (0..12).map(|_| random.random::<f64>()).sum();
                true_mean + spread * (sum - 6.0)
            };
            let values: Vec<f64> = (0..positions).map(|_| value()).collect();
            let number = positions as f64;
            let mean = values.iter().sum::<f64>() / number;
            let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (number - 1.0);
            let reach = t_quantile(positions, 0.975) * (variance / number).sqrt();
            ratio(mean.exp(), (mean - reach).exp(), (mean + reach).exp())
        };
        let covers = |_: &u32| {
            let over = OverSuites::from_ratios(&[sample(12, -0.5, 0.4), sample(40, 0.3, 0.1)]).unwrap();
            (over.low.ln()..=over.high.ln()).contains(&-0.1)
        };
        let covered = (0..4000).filter(covers).count() as f64 / 4000.0;
        assert!((0.94..=0.97).contains(&covered), "{covered}");
    }

    fn summary(ratios: &[(&str, f64)]) -> Summary {
        let mut text = "variant,position,depth,search.nodes\n".to_owned();
        for index in 0..12_u32 {
            text += &format!("base,p{index},1,{}\n", 1000 + index);
            let noise = |ratio: f64| if ratio == 1.0 { 0.0 } else { f64::from(index % 2) };
            for (name, ratio) in ratios {
                text += &format!("{name},p{index},1,{}\n", (f64::from(1000 + index) * ratio).round() + noise(*ratio));
            }
        }
        let frame = Frame::parse(text.as_bytes(), "rows").unwrap();
        Summary::new(&frame, &Question::by_variant(&[], Some("base"))).unwrap()
    }

    #[test]
    fn findings_list_agreements_and_contradictions_of_the_suites() {
        let first = summary(&[("always", 0.5), ("turns", 0.8), ("more", 1.5), ("same", 1.0)]);
        let second = summary(&[("always", 0.7), ("turns", 1.2), ("more", 1.5), ("same", 1.0), ("new", 0.9)]);
        let found = findings(&["a", "b"], &[&first, &second]);
        let least = "Fewest nodes over the 2 suites, of the lines below the baseline in each: \"always\", 0.59";
        assert!(found[0].starts_with(least), "{found:?}");
        assert_eq!(
            found[1],
            "Of 5 lines in 2 suites: 1 below the baseline in every suite, 1 above it in every suite, 1 below it in one suite and above it in \
             another, 1 different from it in some suites only, 1 without a difference shown in any."
        );
        let contradiction = "The suites contradict each other on \"turns\" (0.80";
        assert!(found[2].starts_with(contradiction), "{found:?}");
        assert!(found[2].ends_with(" in a, 1.200 in b)."), "{found:?}");
        assert_eq!(found.len(), 3, "{found:?}");
        let lines = LineOverSuites::collect_lines(&[&first, &second]);
        let holds: Vec<String> = lines.iter().map(|line| line.describe(0)).collect();
        let expected = [
            "no difference shown in any",
            "below in all 2",
            "below in 1, above in 1 of 2",
            "above in all 2",
            "no difference shown in any",
            "below in 1 of 2",
        ];
        assert_eq!(holds, expected);
        assert!(lines[0].is_baseline());
        assert!(lines[0].ratio(0).is_none());
        assert!(lines[5].ratio(0).is_none(), "a suite without it");
    }
}
