//! Compares every line with every other line. This shows which line is best, and whether the best
//! line differs significantly from the second.

use super::line::Measure;
use super::summary::Summary;
use crate::analysis::pairing::metric_reader::MetricReader;
use crate::analysis::pairing::pairs::{BaseSearches, Logs, Pairs};
use crate::analysis::pairing::searches::Searches;
use crate::analysis::rows::frame::Frame;
use crate::analysis::rows::grouping::Grouping;
use crate::stats::ratio::{Family, JudgedRatio};

const MAX_LINES: usize = 40;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinePair {
    pub line: usize,
    pub base: usize,
    /// The total of `line`, and the ratio of `line` to `base`. The p-value is corrected over all
    /// pairs.
    pub measure: Measure,
}

/// Compares all pairs of lines by the summary's first metric. The line with the smaller value wins
/// a pair. Each pair is listed once, and its first line is the line that wins more pairs. The pairs
/// are sorted by the number of pairs that the first line wins, and then by the number of pairs that
/// the second line wins, both in descending order.
///
/// # Errors
/// If there are too many lines.
pub fn compare_all_pairs(frame: &Frame, summary: &Summary) -> Result<Vec<LinePair>, String> {
    let count = summary.lines.len();
    if count > MAX_LINES {
        return Err(format!("--pairs: {count} lines have too many pairs: choose up to {MAX_LINES} lines with --where"));
    }
    let Some(metric) = summary.metrics.first() else { return Ok(Vec::new()) };
    let grouping = Grouping::new(frame, &summary.by);
    let searches = Searches::gather(frame, &grouping);
    let reader = MetricReader::new(&searches, metric, frame);
    let with_group = |line: usize| Some((line, grouping.find(&summary.lines[line].values)?));
    // The indices of a line and of its base, and the pairs of their searches.
    let mut line_pairs: Vec<(usize, usize, Pairs)> = Vec::new();
    for (base, base_group) in (0..count).filter_map(with_group) {
        let base_searches = BaseSearches::new(&reader, &grouping, base_group);
        for (line, group) in (0..count).filter(|line| *line != base).filter_map(with_group) {
            line_pairs.push((line, base, base_searches.pairs(group)));
        }
    }
    let count_wins =
        |line: usize| line_pairs.iter().filter(|(first, _, pairs)| *first == line && pairs.mean() < 0.0).count();
    let mut ranking: Vec<usize> = (0..count).collect();
    ranking.sort_by_cached_key(|&line| std::cmp::Reverse(count_wins(line)));
    let rank = |line: usize| ranking.iter().position(|&ranked_line| ranked_line == line).unwrap_or(count);
    line_pairs.retain(|&(line, base, _)| rank(line) < rank(base));
    line_pairs.sort_by_key(|&(line, base, _)| (rank(line), rank(base)));
    let logs: Vec<Logs> = line_pairs.iter().map(|(.., pairs)| pairs.logs()).collect();
    let to_line_pair = |((line, base, pairs), judged): ((usize, usize, Pairs), JudgedRatio)| {
        let [_, line_total] = pairs.totals;
        LinePair { line, base, measure: Measure::new(line_total, summary.withhold(metric, judged), &pairs) }
    };
    Ok(line_pairs.into_iter().zip(Family::from_samples(&logs).lines).map(to_line_pair).collect())
}

#[cfg(test)]
mod tests {
    use super::super::summary::Question;
    use super::*;

    /// The number of pairs of these variants, of which each needs more nodes than the one before
    /// it.
    fn count_pairs(variants: usize) -> Result<usize, String> {
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
        let find_name = |line: usize| summary.lines[line].name.as_str();
        let descriptions: Vec<_> =
            pairs.iter().map(|pair| (find_name(pair.line), find_name(pair.base), pair.measure.ratio.mean)).collect();
        assert!(
            matches!(descriptions[..], [("less", "more", ratio)] if (ratio * 1.005 - 1.0).abs() < 1e-9),
            "{descriptions:?}"
        );
    }

    /// Searches without a ratio are counted by their reason.
    #[test]
    fn searches_without_a_ratio_are_counted() {
        let text = "variant,position,depth,search.nodes\na,p,1,0\nb,p,1,4\na,q,1,5\nb,q,1,4\na,r,1,5\nb,r,2,4\na,s,1,0\nb,s,1,0\na,t,1,5\nb,t,1,4\nb,t,2,9\n";
        let frame = Frame::parse(text.as_bytes(), "t").unwrap();
        let summary = Summary::new(&frame, &Question::by_variant(&[], None)).unwrap();
        let pairs = compare_all_pairs(&frame, &summary).unwrap();
        let counts: Vec<_> = pairs
            .iter()
            .map(|pair| &pair.measure)
            .map(|measure| (measure.ratio.clusters, measure.one_sided_zero, measure.incomparable, measure.truncated))
            .collect();
        assert_eq!(counts, [(2, 1, 1, 1)]);
    }

    #[test]
    fn forty_lines_are_accepted_and_one_more_is_refused() {
        assert_eq!((count_pairs(3), count_pairs(40)), (Ok(3), Ok(780)));
        let error = "--pairs: 41 lines have too many pairs: choose up to 40 lines with --where";
        assert_eq!(count_pairs(41), Err(error.to_owned()));
    }
}
