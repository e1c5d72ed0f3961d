//! Describes the main results in sentences: which variant needs the fewest nodes, how certain this
//! is, and which differences the comparison could have detected.

use super::line::{Line, MIN_PRESSURE, Measure};
use super::power::Power;
use super::summary::Summary;
use crate::analysis::rows::metric::{Metric, Unit};
use crate::record::columns;
use crate::stats::ratio::Ratio;
use crate::stats::sample::min_clusters;
use crate::text::{plural, quote_names};
use std::cmp::Ordering;

fn compare_to_baseline(line: &Line) -> Option<Ordering> {
    let Measure { ratio, significant, .. } = line.measures.first()?;
    (!line.is_baseline && ratio.pairs > 0).then_some(match (significant, ratio.mean < 1.0) {
        (false, _) => Ordering::Equal,
        (true, true) => Ordering::Less,
        (true, false) => Ordering::Greater,
    })
}

fn compare_mean_ratios(a: &&&Line, b: &&&Line) -> Ordering {
    a.ratio().mean.total_cmp(&b.ratio().mean)
}

/// The most important finding comes first. Significant differences that are smaller than
/// `smallest_effect` (0.01 is 1 %) are counted separately.
pub fn findings(summary: &Summary, smallest_effect: f64) -> Vec<String> {
    let Some(metric) = summary.metrics.first() else { return Vec::new() };
    let lines_with = |order| -> Vec<&Line> {
        summary.lines.iter().filter(|line| compare_to_baseline(line) == Some(order)).collect()
    };
    let (less, more, unclear) =
        (lines_with(Ordering::Less), lines_with(Ordering::Greater), lines_with(Ordering::Equal));
    let compared_count = less.len() + more.len() + unclear.len();
    if compared_count == 0 {
        return describe_lines_without_baseline(summary).into_iter().collect();
    }
    let equal_lines: Vec<&&Line> = unclear.iter().filter(|line| line.ratio().is_same()).collect();
    let minimum_ratio = 1.0 + smallest_effect;
    let (slightly_less, less): (Vec<&Line>, Vec<&Line>) =
        less.into_iter().partition(|line| line.ratio().low > 1.0 / minimum_ratio);
    let (slightly_more, more): (Vec<&Line>, Vec<&Line>) =
        more.into_iter().partition(|line| line.ratio().high < minimum_ratio);
    let has_several_baselines = summary.lines.iter().filter(|line| line.is_baseline).count() > 1;
    if has_several_baselines {
        let mut findings = describe_groups(summary, metric);
        findings.extend(describe_power(&summary.power));
        findings.extend(describe_fragile_lines(summary));
        return findings;
    }
    let mut findings = Vec::new();
    let mut rival_sentence =
        summary.rival_power.as_ref().and_then(|power| describe_detectable(power, "among the others", ""));
    let noun = metric_noun(metric);
    let fewer = fewer_or_less(metric);
    let fewest = if fewer == "fewer" { "Fewest" } else { "Least" };
    let (lowest, highest) = (less.iter().min_by(compare_mean_ratios), more.iter().max_by(compare_mean_ratios));
    // Lines that differ in table size, key width or key scheme are not ranked. The largest table
    // would always win.
    let is_ranked = summary.unranked_options.is_empty();
    if is_ranked && let Some(lowest) = lowest {
        findings.push(format!("{fewest} {noun}: {}.", describe_extreme(lowest, &less, metric)));
        // The sentence about the power among rivals belongs to the finding before it.
        findings.extend(rival_sentence.take());
    }
    if compared_count == unclear.len() {
        findings.push(describe_no_difference(summary, noun, &unclear));
    } else {
        let parts = [
            (less.len(), format!("with {fewer} {noun} than the baseline")),
            (
                more.len(),
                if less.is_empty() { format!("with more {noun} than the baseline") } else { "with more".to_owned() },
            ),
            (
                slightly_less.len() + slightly_more.len(),
                format!("with a difference below {} %", 100.0 * smallest_effect),
            ),
            (unclear.len() - equal_lines.len(), "with no difference shown".to_owned()),
            (equal_lines.len(), "equal in every search".to_owned()),
        ];
        let parts: Vec<(usize, String)> = parts.into_iter().filter(|(count, _)| *count > 0).collect();
        findings.push(match parts.as_slice() {
            [(count, text)] => {
                let subject = if *count == 1 { "The other has".to_owned() } else { format!("All {count} others have") };
                format!("{subject} {}.", text.trim_start_matches("with "))
            }
            _ => {
                let parts: Vec<String> = parts.iter().map(|(count, text)| format!("{count} {text}")).collect();
                format!("Of {}: {}.", plural(compared_count, "other"), parts.join(", "))
            }
        });
    }
    if !(is_ranked || less.is_empty() && more.is_empty()) {
        findings.extend(describe_range(&[&less[..], &more[..]].concat(), &summary.unranked_options, metric));
    }
    findings.extend(describe_power(&summary.power));
    if compared_count > unclear.len() {
        findings.extend(describe_identical_ratios(&[&less[..], &more[..]].concat()));
    }
    if is_ranked && let Some(highest) = highest {
        findings.push(format!("Most {noun}: {}.", describe_extreme(highest, &more, metric)));
    }
    findings.extend(describe_lines_without_baseline(summary));
    findings.extend(describe_fragile_lines(summary));
    findings.extend(rival_sentence);
    findings
}

/// If some lines have no baseline, a sentence about these lines is added.
fn describe_groups(summary: &Summary, metric: &Metric) -> Vec<String> {
    let noun = metric_noun(metric);
    let baseline_indices = (0..summary.lines.len()).filter(|&index| summary.lines[index].is_baseline);
    let describe_group = |baseline_index: usize| {
        let baseline = &summary.lines[baseline_index];
        let others = summary.lines.iter().filter(|other| other.base == Some(baseline_index) && !other.is_baseline);
        let others: Vec<&Line> = others.filter(|other| other.ratio().pairs > 0).collect();
        let text = match others.as_slice() {
            [] => format!("nothing to compare with \"{}\"", baseline.name),
            [single] => describe_comparison(single, baseline, metric),
            others => {
                let lines_with = |order| others.iter().filter(move |other| compare_to_baseline(other) == Some(order));
                let [less_count, more_count] =
                    [Ordering::Less, Ordering::Greater].map(|order| lines_with(order).count());
                let lowest_text =
                    lines_with(Ordering::Less).min_by(compare_mean_ratios).map_or_else(String::new, |lowest| {
                        format!("; \"{}\" has {}", lowest.name, describe_difference(&lowest.ratio(), metric))
                    });
                match (less_count, more_count) {
                    (0, 0) => describe_no_difference_from(baseline),
                    _ => format!(
                        "{less_count} of {} with {} {noun}, {more_count} with more{lowest_text}",
                        others.len(),
                        fewer_or_less(metric)
                    ),
                }
            }
        };
        format!("At {}: {text}.", baseline.group)
    };
    baseline_indices.map(describe_group).chain(describe_lines_without_baseline(summary)).collect()
}

fn describe_lines_without_baseline(summary: &Summary) -> Option<String> {
    let lines_without_baseline: Vec<&str> =
        summary.lines.iter().filter(|line| line.base.is_none()).map(|line| line.name.as_str()).collect();
    let (have, are) = if lines_without_baseline.len() == 1 { ("has", "is") } else { ("have", "are") };
    (!lines_without_baseline.is_empty() && lines_without_baseline.len() < summary.lines.len()).then(|| {
        format!(
            "{} {have} no baseline in the same group and {are} compared with nothing.",
            quote_names(&lines_without_baseline)
        )
    })
}

/// Describes how a line differs from its baseline, as in `7.0 % fewer nodes [6.1, 8.4]`.
fn describe_comparison(line: &Line, baseline: &Line, metric: &Metric) -> String {
    let text = match compare_to_baseline(line) {
        Some(Ordering::Less | Ordering::Greater) => describe_difference(&line.ratio(), metric),
        _ if line.ratio().is_same() => format!("the same {} in every search", metric_noun(metric)),
        _ => describe_no_difference_from(baseline),
    };
    // Other engines report no more about their tables.
    let fullest = [line, baseline].map(|line| line.fullest.map(|full| format!("{full:.0}")));
    match fullest {
        [Some(own), Some(base)] => format!("{text} (hashfull up to {own} per mille, baseline {base})"),
        _ => text,
    }
}

/// If the table of the baseline stayed far from full, this is the likely reason, so the phrase says
/// how full the table was.
fn describe_no_difference_from(baseline: &Line) -> String {
    let is_far_from_full = baseline.hashfull < MIN_PRESSURE;
    let fill =
        if is_far_from_full { format!(" (table {:.0} % full)", baseline.hashfull / 10.0) } else { String::new() };
    format!("no difference shown{fill}")
}

fn fewer_or_less(metric: &Metric) -> &'static str {
    if metric.unit() == Unit::Count { "fewer" } else { "less" }
}

/// The sentence says that the lines are not ranked because they differ in `unranked_options`.
fn describe_range(lines: &[&Line], unranked_options: &[String], metric: &Metric) -> Option<String> {
    let describe_line = |line: &&Line| format!("{} (\"{}\")", describe_difference(&line.ratio(), metric), line.name);
    let (lowest, highest) = (lines.iter().min_by(compare_mean_ratios)?, lines.iter().max_by(compare_mean_ratios)?);
    let range = if lines.len() == 1 {
        describe_line(lowest)
    } else {
        format!("from {} to {}", describe_line(lowest), describe_line(highest))
    };
    Some(format!(
        "Against the baseline: {range}. These lines differ in {}, so their order says nothing about other options.",
        unranked_options.join(", ")
    ))
}

/// Describes a ratio and its interval. A ratio below 2 is described as a difference in percent, and
/// a ratio of 2 or more as a multiple.
pub fn describe_difference(ratio: &Ratio, metric: &Metric) -> String {
    let (noun, fewer) = (metric_noun(metric), fewer_or_less(metric));
    let Ratio { mean, low, high, .. } = *ratio;
    let format_percent = |difference: f64| {
        if !difference.is_finite() {
            "no bound".to_owned()
        } else if difference < 1e6 {
            format!("{:.1}", 100.0 * difference)
        } else {
            format!("{:.1e}", 100.0 * difference)
        }
    };
    match mean {
        2.0.. => format!("{mean:.2} times the {noun} [{low:.2}, {high:.2}]"),
        1.0.. => format!(
            "{} % more {noun} [{}, {}]",
            format_percent(mean - 1.0),
            format_percent(low - 1.0),
            format_percent(high - 1.0)
        ),
        _ => format!(
            "{} % {fewer} {noun} [{}, {}]",
            format_percent(1.0 - mean),
            format_percent(1.0 - high),
            format_percent(1.0 - low)
        ),
    }
}

fn describe_identical_ratios(lines: &[&Line]) -> Option<String> {
    let repeats_earlier_ratio = |index: usize| lines[..index].iter().any(|other| other.ratio() == lines[index].ratio());
    let repeated_count = (0..lines.len()).filter(|&index| repeats_earlier_ratio(index)).count();
    let have = if repeated_count == 1 { "has" } else { "have" };
    (repeated_count > 0).then(|| {
        format!(
            "{repeated_count} of these lines {have} exactly the same ratio as another line, and may be the same search under another name."
        )
    })
}

fn metric_noun(metric: &Metric) -> &str {
    match metric.name.rsplit('.').next() {
        Some("nodes_until") => "nodes until the mate",
        name => name.unwrap_or_default(),
    }
}

fn describe_no_difference(summary: &Summary, noun: &str, unclear_lines: &[&Line]) -> String {
    let others_text = plural(unclear_lines.len(), "other");
    let means = || unclear_lines.iter().map(|line| line.ratio().mean);
    let (lowest, highest) = (means().fold(f64::INFINITY, f64::min), means().fold(0.0, f64::max));
    let (have, ratios) = match unclear_lines.len() {
        1 => ("has", format!("{lowest:.3}")),
        _ => ("have", format!("{lowest:.3} to {highest:.3}")),
    };
    let Power { clusters, lines, has_games, .. } = summary.power;
    // `Ratio::is_same` needs a standard error, which a single pair does not have.
    let is_same = |ratio: Ratio| ratio.is_same() || ratio.pairs == 1 && ratio.mean == 1.0;
    if unclear_lines.iter().all(|line| is_same(line.ratio())) {
        format!("No difference in {noun}: {others_text} and the baseline are equal in every search.")
    } else if clusters < min_clusters(lines) {
        let units = plural(clusters, if has_games { columns::GAME } else { columns::POSITION });
        let consequence = if clusters == 1 {
            "the counts are exact, but one position says nothing about other positions".to_owned()
        } else {
            format!("with {units}, no difference can be shown")
        };
        format!("{others_text} {have} {ratios} of the baseline's {noun}; {consequence}.")
    } else {
        format!("No difference in {noun} shown between the baseline and {others_text} ({ratios} of the baseline's).")
    }
}

/// `lines_with_same_sign` includes the line itself.
fn describe_extreme(line: &Line, lines_with_same_sign: &[&Line], metric: &Metric) -> String {
    let ratio = line.ratio();
    let other_count = lines_with_same_sign.iter().filter(|other| other.ratio() == ratio).count().saturating_sub(1);
    let ties = if other_count > 0 { format!(" (tied with {})", plural(other_count, "other")) } else { String::new() };
    format!(
        "\"{}\"{ties}, {} against the baseline ({} pairs)",
        line.name,
        describe_difference(&ratio, metric),
        ratio.pairs
    )
}

/// Only the first few of these lines are named.
fn describe_fragile_lines(summary: &Summary) -> Option<String> {
    const MAX_NAMED: usize = 3;
    let is_fragile = |line: &&Line| {
        let reverses = line.ratio().influence.is_some_and(|influence| influence.reverses);
        line.measures.first().is_some_and(|measure| measure.fragile || measure.significant && reverses)
    };
    let fragile_lines: Vec<&Line> = summary.lines.iter().filter(is_fragile).collect();
    let describe_line = |line: &&Line| {
        let mean_without = line.ratio().influence.map_or(f64::NAN, |influence| influence.mean_without);
        format!("\"{}\" ({:.3}; {mean_without:.3} without {})", line.name, line.ratio().mean, line.influential_cluster)
    };
    let descriptions: Vec<String> = fragile_lines.iter().take(MAX_NAMED).map(describe_line).collect();
    let and_more = crate::text::and_more(fragile_lines.len().saturating_sub(MAX_NAMED));
    let unit = if summary.power.has_games { "game or position" } else { columns::POSITION };
    (!fragile_lines.is_empty())
        .then(|| format!("Significance depends on a single {unit}: {}{and_more}.", descriptions.join(", ")))
}

/// Up to here a factor and its inverse are about the same share more or less.
const MAX_SHARE: f64 = 0.25;

fn describe_power(power: &Power) -> Option<String> {
    let Power { lines, clusters, has_games, .. } = *power;
    let units = if has_games { "independent games or positions" } else { "positions" };
    let what = if power.is_among_rivals { "among the others" } else { "from the baseline" };
    let comparisons = if lines > 1 { format!(", {lines} comparisons") } else { String::new() };
    describe_detectable(power, what, &format!(" ({clusters} {units}{comparisons})"))
}

/// The power, or `None` if the smallest detectable difference is unknown. It is unknown if no
/// difference is detectable, or if all searches are equal. `what` says between which lines, and
/// `design` how many units there are.
fn describe_detectable(power: &Power, what: &str, design: &str) -> Option<String> {
    let Power { detectable, needed: needed_clusters, has_games, .. } = *power;
    (detectable > 0.0).then(|| {
        format!(
            "Differences {what} below {} would not show here{design}; 1 % takes about {} {}.",
            // Fewer nodes are never fewer than none, so a large share is told as a factor.
            if detectable < MAX_SHARE {
                format_percent(detectable)
            } else {
                format!("a factor of {:.2}", 1.0 + detectable)
            },
            // The estimate has at most two significant figures.
            format_rounded_up(needed_clusters),
            if has_games { "games or positions" } else { "positions" },
        )
    })
}

/// Formats a share in percent. Shares from 10 % on have no decimals.
pub fn format_percent(share: f64) -> String {
    if share < 0.0995 { format!("{:.1} %", 100.0 * share) } else { format!("{:.0} %", 100.0 * share) }
}

pub fn format_rounded_up(number: f64) -> String {
    let scale = 10_f64.powi((number.max(1.0).log10().floor() as i32 - 1).max(0));
    format!("{:.0}", (number / scale).ceil() * scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::stats::influence::Influence;

    /// A line with a given mean. `fragile`: its significance depends on one position. `reverses`:
    /// without one position, the mean is on the other side of 1.
    fn line(name: &str, mean: f64, significant: bool, [fragile, reverses]: [bool; 2]) -> Line {
        let influence = Some(Influence { cluster: 0, index: 0, mean_without: 1.25, reverses });
        let ratio = Ratio { mean, low: mean - 0.1, high: mean + 0.1, pairs: 8, influence, ..Ratio::default() };
        // Findings use the first metric.
        let measures = vec![Measure { ratio, significant, fragile, ..Measure::default() }, Measure::default()];
        Line {
            name: name.to_owned(),
            is_baseline: name == "base",
            measures,
            influential_cluster: "p 7".to_owned(),
            ..Line::default()
        }
    }

    fn describe_lines(lines: Vec<Line>) -> Vec<String> {
        let power = Power { detectable: f64::NAN, clusters: 20, lines: 8, ..Power::default() };
        findings(&Summary { lines, power, metrics: vec![Metric::nodes()], ..Summary::default() }, 0.005)
    }

    /// The lines with the least and with the most are named, wherever they stand in the list; the
    /// others are counted.
    #[test]
    fn most_extreme_line_of_each_side_is_named() {
        let not_fragile = [false; 2];
        let plain_line = |name: &str, mean: f64, significant: bool| line(name, mean, significant, not_fragile);
        let lines = vec![
            plain_line("a", 0.8, true),
            plain_line("b", 0.5, true),
            plain_line("c", 0.1, false),
            plain_line("base", 1.0, false),
            plain_line("d", 1.25, true),
            plain_line("e", 3.0, true),
            plain_line("f", 2.0, true),
            plain_line("g", 9.0, false),
            plain_line("h", 0.7, true),
        ];
        let describe_farthest =
            |name: &str, difference: &str| format!("\"{name}\", {difference} against the baseline (8 pairs).");
        assert_eq!(
            describe_lines(lines),
            [
                format!("Fewest nodes: {}", describe_farthest("b", "50.0 % fewer nodes [40.0, 60.0]")),
                "Of 8 others: 3 with fewer nodes than the baseline, 3 with more, 2 with no difference shown."
                    .to_owned(),
                format!("Most nodes: {}", describe_farthest("e", "3.00 times the nodes [2.90, 3.10]"))
            ]
        );
        // A metric that is not a count is "least", not "fewest".
        let seconds = Metric {
            name: "seconds".to_owned(),
            aggregation: crate::analysis::rows::metric::Aggregation::Sum(columns::SECONDS.to_owned()),
        };
        assert_ne!(seconds.unit(), Unit::Count);
        let power = Power { detectable: f64::NAN, clusters: 20, lines: 8, ..Power::default() };
        let lines = vec![plain_line("base", 1.0, false), plain_line("b", 0.5, true)];
        let timed_findings = findings(&Summary { lines, power, metrics: vec![seconds], ..Summary::default() }, 0.005);
        assert!(timed_findings[0].starts_with("Least "), "{timed_findings:?}");
        assert_eq!(describe_lines(vec![plain_line("base", 1.0, false)]), Vec::<String>::new());
        let no_difference =
            "No difference in nodes shown between the baseline and 2 others (0.100 to 9.000 of the baseline's).";
        assert_eq!(
            describe_lines(vec![
                plain_line("base", 1.0, false),
                plain_line("c", 0.1, false),
                plain_line("g", 9.0, false)
            ]),
            [no_difference]
        );
    }

    /// The largest table would always be best, so the differing option is named instead.
    #[test]
    fn lines_that_differ_in_size_are_not_ranked() {
        let lines =
            [("a", 0.5), ("b", 0.8), ("base", 1.0)].map(|(name, mean)| line(name, mean, name != "base", [false; 2]));
        let power = Power { detectable: f64::NAN, clusters: 20, lines: 2, ..Power::default() };
        let unranked_options = vec!["table.size".to_owned()];
        let metrics = vec![Metric::nodes()];
        let sentences =
            findings(&Summary { lines: lines.to_vec(), power, metrics, unranked_options, ..Summary::default() }, 0.005);
        assert_eq!(
            sentences,
            [
                "All 2 others have fewer nodes than the baseline.",
                "Against the baseline: from 50.0 % fewer nodes [40.0, 60.0] (\"a\") to 20.0 % fewer nodes [10.0, \
                 30.0] (\"b\"). These lines differ in table.size, so their order says nothing about other options.",
            ]
        );
    }

    /// Ties with the best line are reported; a significant difference that is too small to matter
    /// is not a finding.
    #[test]
    fn ties_and_small_differences_are_reported() {
        let not_fragile = [false; 2];
        let mut lines = [0.5, 0.9, 0.5, 0.5].map(|mean| line(&format!("m{mean}"), mean, true, not_fragile)).to_vec();
        lines.push(line("base", 1.0, false, not_fragile));
        for (mean, low, high) in [(0.998, 0.996, 0.999), (1.002, 1.001, 1.004), (1.004, 1.001, 1.007)] {
            let mut small_line = line("small", mean, true, not_fragile);
            (small_line.measures[0].ratio.low, small_line.measures[0].ratio.high) = (low, high);
            lines.push(small_line);
        }
        // Equal to the baseline in every search: no spread.
        let mut equal_line = line("same", 1.0, false, not_fragile);
        equal_line.measures[0].ratio.error = 0.0;
        lines.push(equal_line);
        let [fewest, counts, repeated, most] = <[String; 4]>::try_from(describe_lines(lines)).unwrap();
        assert_eq!(
            fewest,
            "Fewest nodes: \"m0.5\" (tied with 2 others), 50.0 % fewer nodes [40.0, 60.0] against the baseline (8 pairs)."
        );
        assert_eq!(
            counts,
            "Of 8 others: 4 with fewer nodes than the baseline, 1 with more, 2 with a difference below 0.5 %, 1 equal in every search."
        );
        assert!(repeated.starts_with("2 of these lines have exactly the same ratio as another"), "{repeated}");
        let pair = ["a", "b"].map(|name| line(name, 0.5, true, not_fragile));
        assert!(describe_identical_ratios(&pair.each_ref()).unwrap().starts_with("1 of these lines has exactly"));
        assert!(most.starts_with("Most nodes: \"small\", 0.4 % more nodes"), "{most}");
    }

    /// The three possible reasons are: equal searches, no significance, too few positions.
    #[test]
    fn reason_for_no_difference_is_given() {
        let describe_means = |means: &[f64], clusters: usize, has_games: bool| {
            let error = if clusters > 1 { 0.0 } else { f64::NAN };
            let make_line = |mean: &f64| {
                let mut line = line("other", *mean, false, [false; 2]);
                (line.measures[0].ratio.pairs, line.measures[0].ratio.error) = (clusters, error);
                line
            };
            let lines =
                std::iter::once(line("base", 1.0, false, [false; 2])).chain(means.iter().map(make_line)).collect();
            let power = Power { detectable: f64::NAN, clusters, lines: means.len(), has_games, ..Power::default() };
            let metrics = vec![Metric::nodes()];
            findings(&Summary { lines, power, metrics, ..Summary::default() }, 0.005).concat()
        };
        let equal_sentence = "No difference in nodes: 2 others and the baseline are equal in every search.";
        assert_eq!(
            [describe_means(&[1.0, 1.0], 9, false), describe_means(&[1.0, 1.0], 1, false)],
            [equal_sentence, equal_sentence]
        );
        assert_eq!(
            describe_means(&[141.0, 0.2, 1.0], 1, false),
            "3 others have 0.200 to 141.000 of the baseline's nodes; the counts are exact, but one position says \
             nothing about other positions."
        );
        assert_eq!(
            describe_means(&[1.5], 5, true),
            "1 other has 1.500 of the baseline's nodes; with 5 games, no difference can be shown."
        );
        assert_eq!(
            describe_means(&[1.5], 6, true),
            "No difference in nodes shown between the baseline and 1 other (1.500 of the baseline's)."
        );
    }

    /// A fragile significance is reported, and also a significant mean that changes sides without
    /// one position. The first three lines are named.
    #[test]
    fn lines_that_depend_on_one_position_are_named() {
        let count_findings = |significant: bool, influence: [bool; 2]| {
            describe_lines(vec![line("a", 2.0, significant, influence)]).len() - (1 + usize::from(significant))
        };
        for (significant, influence, expected) in [
            (false, [false, false], 0),
            (true, [false, false], 0),
            (false, [true, false], 1),
            (true, [true, false], 1),
            (true, [false, true], 1),
            (false, [false, true], 0),
        ] {
            assert_eq!(count_findings(significant, influence), expected, "{significant} {influence:?}");
        }
        let five = ["a", "b", "c", "d", "e"].map(|name| line(name, 2.0, false, [true, false])).to_vec();
        let describe_line = |name: &str| format!("\"{name}\" (2.000; 1.250 without p 7)");
        let named = ["a", "b", "c"].map(describe_line).join(", ");
        assert_eq!(describe_lines(five)[1], format!("Significance depends on a single position: {named} and 2 more."));
    }

    /// Estimates are rounded up, so that the stated number is always enough.
    #[test]
    fn estimates_are_rounded_up_to_two_figures() {
        let cases = [
            (2.0, "2"),
            (2.1, "3"),
            (10.0, "10"),
            (99.5, "100"),
            (101.0, "110"),
            (1234.0, "1300"),
            (130_000.0, "130000"),
        ];
        for (number, text) in cases {
            assert_eq!(format_rounded_up(number), text);
        }
    }

    /// Power is given in percent, with one decimal below ten.
    #[test]
    fn power_is_given_in_per_cent() {
        let describe_with = |power: Power| {
            findings(
                &Summary {
                    lines: vec![line("a", 2.0, false, [false; 2])],
                    power,
                    metrics: vec![Metric::nodes()],
                    ..Summary::default()
                },
                0.005,
            )
        };
        let describe_power = |detectable: f64, lines: usize, has_games: bool, is_among_rivals: bool| {
            describe_with(Power {
                detectable,
                needed: 1234.0,
                clusters: 20,
                lines,
                has_games,
                is_among_rivals,
                ..Power::default()
            })
            .remove(1)
        };
        assert_eq!(
            describe_power(0.0123, 1, false, false),
            "Differences from the baseline below 1.2 % would not show here (20 positions); 1 % takes about 1300 positions."
        );
        assert!(describe_power(0.25, 3, true, true).starts_with(
            "Differences among the others below a factor of 1.25 would not show here (20 independent games or positions, 3 comparisons); 1 % takes"
        ));
        assert!(
            [f64::NAN, 0.0].iter().all(|&detectable| describe_with(Power {
                detectable,
                clusters: 20,
                ..Power::default()
            })
            .len()
                == 1)
        );
    }
}
