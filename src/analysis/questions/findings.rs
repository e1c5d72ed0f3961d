//! What the figures say, in sentences: who needs the fewest nodes, how sure that is, and what could not have been seen.

use super::line::Line;
use super::power::Power;
use super::summary::Summary;
use crate::analysis::rows::metric::{Metric, Unit};
use crate::record::columns;
use crate::words::many;

/// How a line compares with its baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// It is the baseline.
    Baseline,
    /// Clearly less: the interval leaves 1 out and the corrected p is below 5 %.
    Less,
    /// Clearly more.
    More,
    /// No difference found.
    Unclear,
    /// Nothing to compare.
    Nothing,
}

/// How a line compares, in the metric at a place.
#[must_use]
pub fn sign(line: &Line, metric: usize) -> Sign {
    let Some(measure) = line.measures.get(metric) else { return Sign::Nothing };
    let ratio = measure.ratio;
    match () {
        () if line.is_baseline => Sign::Baseline,
        () if ratio.pairs == 0 => Sign::Nothing,
        () if !measure.marked => Sign::Unclear,
        () if ratio.mean < 1.0 => Sign::Less,
        () => Sign::More,
    }
}

/// The findings, the most important first.
#[must_use]
pub fn findings(summary: &Summary) -> Vec<String> {
    let Some(metric) = summary.metrics.first() else { return Vec::new() };
    let signs: Vec<Sign> = summary.lines.iter().map(|line| sign(line, 0)).collect();
    let of = |wanted: Sign| -> Vec<&Line> {
        summary.lines.iter().zip(&signs).filter(|(_, sign)| **sign == wanted).map(|(line, _)| line).collect()
    };
    let (less, more, unclear) = (of(Sign::Less), of(Sign::More), of(Sign::Unclear));
    let compared = less.len() + more.len() + unclear.len();
    if compared == 0 {
        return Vec::new();
    }
    let mut findings = Vec::new();
    let by_mean = |a: &&&Line, b: &&&Line| a.ratio().mean.total_cmp(&b.ratio().mean);
    let what = noun(metric);
    if let Some(least) = less.iter().min_by(by_mean) {
        let word = if metric.unit() == Unit::Count { "Fewest" } else { "Least" };
        findings.push(format!("{word} {what}: {}.", told(least)));
    }
    if less.is_empty() && more.is_empty() {
        findings
            .push(format!("No difference in {what} was found between the baseline and {}.", many(compared, "other")));
    } else {
        let mut parts = Vec::new();
        for (lines, text) in
            [(&less, "less than the baseline"), (&more, "more"), (&unclear, "no difference that could be told")]
        {
            if !lines.is_empty() {
                parts.push(format!("{} {text}", lines.len()));
            }
        }
        findings.push(format!("Of {compared} compared: {}.", parts.join(", ")));
    }
    if let Some(most) = more.iter().max_by(by_mean) {
        findings.push(format!("Most {what}: {}.", told(most)));
    }
    findings.extend(hinges(summary));
    findings.extend(power(summary));
    findings
}

/// What a metric counts, in a sentence.
fn noun(metric: &Metric) -> &str {
    metric.name.rsplit('.').next().unwrap_or(&metric.name)
}

fn told(line: &Line) -> String {
    let ratio = line.ratio();
    format!(
        "\"{}\", {:.3} of the baseline's (95 % {:.3} to {:.3}, {} pairs)",
        line.name, ratio.mean, ratio.low, ratio.high, ratio.pairs
    )
}

/// Lines whose sign or mark hangs on one position or game, the first few by name.
fn hinges(summary: &Summary) -> Option<String> {
    const SHOWN: usize = 3;
    let hangs = |line: &&Line| {
        let turns = line.ratio().influence.is_some_and(|influence| influence.turns);
        line.measures.first().is_some_and(|measure| measure.hangs || measure.marked && turns)
    };
    let lines: Vec<&Line> = summary.lines.iter().filter(hangs).collect();
    let told = |line: &&Line| {
        let without = line.ratio().influence.map_or(f64::NAN, |influence| influence.without);
        format!("\"{}\" ({:.3}; {without:.3} without {})", line.name, line.ratio().mean, line.influential)
    };
    let shown: Vec<String> = lines.iter().take(SHOWN).map(told).collect();
    let more = if lines.len() > SHOWN { format!(" and {} more", lines.len() - SHOWN) } else { String::new() };
    let unit = if summary.power.games { "game or position" } else { columns::POSITION };
    (!lines.is_empty()).then(|| format!("One {unit} decides whether a difference is told: {}{more}.", shown.join(", ")))
}

/// What the number of positions could and could not show.
fn power(summary: &Summary) -> Option<String> {
    let Power { lines, clusters, games, detectable: seen, needed, rivals, .. } = summary.power;
    if seen.is_nan() || seen == 0.0 {
        return None;
    }
    let units = if games { "independent games or positions" } else { "positions" };
    let between = if rivals { " between rivals" } else { "" };
    let among = if lines > 1 { format!(" and {lines} comparisons") } else { String::new() };
    Some(format!(
        "With {clusters} {units}{among}, differences{between} from about {} on are found four times in five; 1 % would take about {}.",
        if seen < 0.1 { format!("{:.1} %", 100.0 * seen) } else { format!("{:.0} %", 100.0 * seen) },
        // Two figures are as much as such an estimate knows.
        rounded(needed),
    ))
}

/// A number rounded up to two figures.
#[must_use]
pub fn rounded(number: f64) -> String {
    let scale = 10_f64.powi((number.max(1.0).log10().floor() as i32 - 1).max(0));
    format!("{:.0}", (number / scale).ceil() * scale)
}
