//! Every line against every other: who is best, and whether it is told from the second.

#[cfg(test)]
use super::summary::Question;
use super::summary::Summary;
use crate::analysis::pairing::gauge::MetricReader;
use crate::analysis::pairing::pairs::{Base, Logs, Pairs};
use crate::analysis::pairing::ratio::{Family, Judged, Ratio};
use crate::analysis::pairing::searches::Searches;
use crate::analysis::rows::frame::Frame;
use crate::analysis::rows::grouping::Grouping;

/// More lines than this have more pairs than anybody reads.
const MOST: usize = 40;

/// One line against another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Versus {
    /// Place of the line in the summary.
    pub line: usize,
    /// Place of what it is held against.
    pub against: usize,
    /// How they compare.
    pub ratio: Ratio,
    /// p corrected over all pairs by joint sign flips.
    pub p: f64,
    /// Whether the two are told apart.
    pub marked: bool,
    /// Whether one position or game decides that.
    pub hangs: bool,
    /// Searches that were compared in the depths that both finished.
    pub cut: usize,
    /// Searches that were not compared: they share no finished depth.
    pub apart: usize,
    /// Searches that were not compared: of the two one is 0, and the other is not.
    pub beyond: usize,
}

/// All pairs of lines by the summary's first metric. First the line that has less than the most others, against each; then the next.
///
/// # Errors
/// When there are too many lines.
pub fn pairwise(frame: &Frame, summary: &Summary) -> Result<Vec<Versus>, String> {
    let count = summary.lines.len();
    if count > MOST {
        return Err(format!("--pairs: {count} lines have too many pairs: choose up to {MOST} of them with --where"));
    }
    let Some(metric) = summary.metrics.first() else { return Ok(Vec::new()) };
    let grouping = Grouping::new(frame, &summary.by);
    let searches = Searches::gather(frame, &grouping, &[]);
    let gauge = MetricReader::new(&searches, metric, frame);
    let group = |line: usize| Some((line, grouping.find(&summary.lines[line].values)?));
    let mut all: Vec<(usize, usize, Pairs)> = Vec::new();
    for (against, base) in (0..count).filter_map(group) {
        let base = Base::new(&gauge, &grouping, base);
        for (line, group) in (0..count).filter(|line| *line != against).filter_map(group) {
            all.push((line, against, base.pairs(group)));
        }
    }
    let wins = |line: usize| all.iter().filter(|(this, _, pairs)| *this == line && pairs.mean() < 0.0).count();
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_cached_key(|&line| std::cmp::Reverse(wins(line)));
    let rank = |line: usize| order.iter().position(|&known| known == line).unwrap_or(count);
    // Each pair once: the better line against the worse.
    all.retain(|&(line, against, _)| rank(line) < rank(against));
    all.sort_by_key(|&(line, against, _)| (rank(line), rank(against)));
    let logs: Vec<Logs> = all.iter().map(|(.., pairs)| pairs.logs()).collect();
    let versus = |((line, against, pairs), judged): ((usize, usize, Pairs), Judged)| Versus {
        line,
        against,
        ratio: judged.ratio,
        p: judged.p,
        marked: judged.marked,
        hangs: judged.hangs,
        cut: pairs.cut,
        apart: pairs.apart,
        beyond: pairs.beyond.iter().sum(),
    };
    Ok(all.into_iter().zip(Family::of(&logs).lines).map(versus).collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn message(variants: usize) -> Result<usize, String> {
        let rows: String = (0..variants).map(|at| format!("v{at},p,1,{}\n", 100 + at)).collect();
        let frame = Frame::parse(format!("variant,position,depth,search.nodes\n{rows}").as_bytes(), "t").unwrap();
        let summary = Summary::new(&frame, &Question::by_variant(&[], None)).unwrap();
        let pairs = pairwise(&frame, &summary)?;
        // The fewer nodes, the better: each stands before all that have more.
        assert!(pairs.iter().all(|pair| pair.line < pair.against && pair.ratio.mean < 1.0));
        Ok(pairs.len())
    }

    /// However little it is: the line with fewer nodes stands first, whichever the file has first.
    #[test]
    fn half_a_percent_decides_who_is_better() {
        let rows: String = (0..3).map(|at| format!("more,p{at},1,1005\nless,p{at},1,1000\n")).collect();
        let frame = Frame::parse(format!("variant,position,depth,search.nodes\n{rows}").as_bytes(), "t").unwrap();
        let summary = Summary::new(&frame, &Question::by_variant(&[], None)).unwrap();
        let pairs = pairwise(&frame, &summary).unwrap();
        let named = |line: usize| summary.lines[line].name.as_str();
        let message: Vec<_> =
            pairs.iter().map(|pair| (named(pair.line), named(pair.against), pair.ratio.mean)).collect();
        assert!(matches!(message[..], [("less", "more", ratio)] if (ratio * 1.005 - 1.0).abs() < 1e-9), "{message:?}");
    }

    /// A search with none of the metric on one side alone has no ratio, nor have those without a depth in common: each is counted for what it is.
    #[test]
    fn what_has_no_ratio_is_counted() {
        let text = "variant,position,depth,search.nodes\na,p,1,0\nb,p,1,4\na,q,1,5\nb,q,1,4\na,r,1,5\nb,r,2,4\na,s,1,0\nb,s,1,0\na,t,1,5\nb,t,1,4\nb,t,2,9\n";
        let frame = Frame::parse(text.as_bytes(), "t").unwrap();
        let summary = Summary::new(&frame, &Question::by_variant(&[], None)).unwrap();
        let pairs = pairwise(&frame, &summary).unwrap();
        let message: Vec<_> =
            pairs.iter().map(|pair| (pair.ratio.clusters, pair.beyond, pair.apart, pair.cut)).collect();
        assert_eq!(message, [(2, 1, 1, 1)]);
    }

    #[test]
    fn forty_lines_have_so_many_pairs_and_one_more_has_too_many() {
        assert_eq!((message(3), message(40)), (Ok(3), Ok(780)));
        let many = "--pairs: 41 lines have too many pairs: choose up to 40 of them with --where";
        assert_eq!(message(41), Err(many.to_owned()));
    }
}
