//! Compares every line with every other: which is best, and whether it differs significantly from
//! the second.

use super::line::Measure;
use super::summary::Summary;
use crate::analysis::pairing::metric_reader::MetricReader;
use crate::analysis::pairing::pairs::{BaseSearches, Logs, Pairs};
use crate::analysis::pairing::searches::Searches;
use crate::analysis::rows::frame::Frame;
use crate::analysis::rows::grouping::Grouping;
use crate::stats::ratio::{Family, JudgedRatio};

/// More lines have more pairs than anybody reads.
const MAX_LINES: usize = 40;

/// One line compared with another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinePair {
    /// The index of the line in the summary.
    pub line: usize,
    /// The index of the line that it is compared with.
    pub base: usize,
    /// The ratio of the first to the second; p is corrected over all pairs.
    pub measure: Measure,
}

/// All pairs of lines, by the summary's first metric. The line that is less than most others comes
/// first, against each of them; then the next.
///
/// # Errors
/// If there are too many lines.
pub fn compare_all_pairs(frame: &Frame, summary: &Summary) -> Result<Vec<LinePair>, String> {
    let count = summary.lines.len();
    if count > MAX_LINES {
        return Err(format!(
            "--pairs: {count} lines have too many pairs: choose up to {MAX_LINES} of them with --where"
        ));
    }
    let Some(metric) = summary.metrics.first() else { return Ok(Vec::new()) };
    let grouping = Grouping::new(frame, &summary.by);
    let searches = Searches::gather(frame, &grouping, &[]);
    let reader = MetricReader::new(&searches, metric, frame);
    let group = |line: usize| Some((line, grouping.find(&summary.lines[line].values)?));
    let mut all: Vec<(usize, usize, Pairs)> = Vec::new();
    for (against, base) in (0..count).filter_map(group) {
        let base = BaseSearches::new(&reader, &grouping, base);
        for (line, group) in (0..count).filter(|line| *line != against).filter_map(group) {
            all.push((line, against, base.pairs(group)));
        }
    }
    let wins = |line: usize| all.iter().filter(|(first, _, pairs)| *first == line && pairs.mean() < 0.0).count();
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_cached_key(|&line| std::cmp::Reverse(wins(line)));
    let rank = |line: usize| order.iter().position(|&known| known == line).unwrap_or(count);
    // Each pair once: the better line against the worse.
    all.retain(|&(line, against, _)| rank(line) < rank(against));
    all.sort_by_key(|&(line, against, _)| (rank(line), rank(against)));
    let logs: Vec<Logs> = all.iter().map(|(.., pairs)| pairs.logs()).collect();
    let versus = |((line, against, pairs), judged): ((usize, usize, Pairs), JudgedRatio)| LinePair {
        line,
        base: against,
        measure: Measure::new(pairs.totals[1], judged, &pairs),
    };
    Ok(all.into_iter().zip(Family::from_samples(&logs).lines).map(versus).collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::summary::Question;
    use super::*;

    fn message(variants: usize) -> Result<usize, String> {
        let rows: String = (0..variants).map(|index| format!("v{index},p,1,{}\n", 100 + index)).collect();
        let frame = Frame::parse(format!("variant,position,depth,search.nodes\n{rows}").as_bytes(), "t").unwrap();
        let summary = Summary::new(&frame, &Question::by_variant(&[], None)).unwrap();
        let pairs = compare_all_pairs(&frame, &summary)?;
        // The fewer nodes, the better.
        assert!(pairs.iter().all(|pair| pair.line < pair.base && pair.measure.ratio.mean < 1.0));
        Ok(pairs.len())
    }

    /// Any difference counts: the line with fewer nodes comes first, whatever the order of the
    /// file.
    #[test]
    fn smallest_difference_decides_the_order() {
        let rows: String = (0..3).map(|index| format!("more,p{index},1,1005\nless,p{index},1,1000\n")).collect();
        let frame = Frame::parse(format!("variant,position,depth,search.nodes\n{rows}").as_bytes(), "t").unwrap();
        let summary = Summary::new(&frame, &Question::by_variant(&[], None)).unwrap();
        let pairs = compare_all_pairs(&frame, &summary).unwrap();
        let name_of = |line: usize| summary.lines[line].name.as_str();
        let message: Vec<_> =
            pairs.iter().map(|pair| (name_of(pair.line), name_of(pair.base), pair.measure.ratio.mean)).collect();
        assert!(matches!(message[..], [("less", "more", ratio)] if (ratio * 1.005 - 1.0).abs() < 1e-9), "{message:?}");
    }

    /// Searches without a ratio are counted by their reason.
    #[test]
    fn searches_without_a_ratio_are_counted() {
        let text = "variant,position,depth,search.nodes\na,p,1,0\nb,p,1,4\na,q,1,5\nb,q,1,4\na,r,1,5\nb,r,2,4\na,s,1,0\nb,s,1,0\na,t,1,5\nb,t,1,4\nb,t,2,9\n";
        let frame = Frame::parse(text.as_bytes(), "t").unwrap();
        let summary = Summary::new(&frame, &Question::by_variant(&[], None)).unwrap();
        let pairs = compare_all_pairs(&frame, &summary).unwrap();
        let message: Vec<_> = pairs
            .iter()
            .map(|pair| &pair.measure)
            .map(|measure| (measure.ratio.clusters, measure.one_sided_zero, measure.incomparable, measure.truncated))
            .collect();
        assert_eq!(message, [(2, 1, 1, 1)]);
    }

    #[test]
    fn forty_lines_are_accepted_and_one_more_is_refused() {
        assert_eq!((message(3), message(40)), (Ok(3), Ok(780)));
        let many = "--pairs: 41 lines have too many pairs: choose up to 40 of them with --where";
        assert_eq!(message(41), Err(many.to_owned()));
    }
}
