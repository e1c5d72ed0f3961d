//! The summary: each variant's totals beside the baseline's.

use super::line::{Line, Measure, SUMS, totals};
use super::power::Power;
use crate::analysis::pairing::gauge::MetricReader;
use crate::analysis::pairing::pairs::{Base, Logs, Pairs};
use crate::analysis::pairing::ratio::{Family, Ratio};
use crate::analysis::pairing::searches::Searches;
use crate::analysis::pairing::threads::each;
use crate::analysis::rows::frame::Frame;
use crate::analysis::rows::grouping::Grouping;
use crate::analysis::rows::metric::{How, Metric};
use crate::record::columns;
use std::collections::{BTreeMap, BTreeSet};

/// What a summary is to show.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Full names of the columns that groups are told apart by.
    pub by: Vec<String>,
    /// Values of the first of these in the order in which lines are wanted; others follow as they come.
    pub order: Vec<String>,
    /// What the others are held against.
    pub baseline: Baseline,
    /// What is compared; the first heads the page.
    pub metrics: Vec<Metric>,
}

/// What the other lines are held against.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Baseline {
    /// The first group.
    #[default]
    First,
    /// A user's words, as [`Grouping::baseline`] reads them.
    Text(String),
    /// The group that has this value of a column, and each group's own values of the others.
    Value(String, String),
}

impl Question {
    /// Nodes by variant against a baseline.
    pub fn by_variant(order: &[String], baseline: Option<&str>) -> Self {
        Self {
            by: vec![columns::VARIANT.to_owned()],
            order: order.to_vec(),
            baseline: baseline
                .map_or(Baseline::First, |name| Baseline::Value(columns::VARIANT.to_owned(), name.to_owned())),
            metrics: vec![Metric::nodes()],
        }
    }
}

/// What each group of rows did.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Summary {
    /// The columns that lines are told apart by.
    pub by: Vec<String>,
    /// One line for each group.
    pub lines: Vec<Line>,
    /// What is compared.
    pub metrics: Vec<Metric>,
    /// The searches of each line; the most there are.
    pub searches: usize,
    /// How often each was made.
    pub repeats: usize,
    /// What the comparison of the first metric can show; where the baseline has no table and others have, of these among each other.
    pub power: Power,
    /// What it can show of the other lines among each other, where they are at least two and the baseline is a rival of theirs.
    pub among: Option<Power>,
}

impl Summary {
    /// Sums the rows up.
    ///
    /// # Errors
    /// When no group is like the baseline asked for.
    pub fn new(frame: &Frame, question: &Question) -> Result<Self, String> {
        Self::with_searches(frame, question).map(|(summary, ..)| summary)
    }

    /// As [`Summary::new`], with the searches and how they are grouped.
    ///
    /// # Errors
    /// As [`Summary::new`].
    pub fn with_searches(frame: &Frame, question: &Question) -> Result<(Self, Grouping, Searches), String> {
        let grouping = Grouping::new(frame, &question.by);
        let mut columns: Vec<String> = SUMS.iter().map(|(name, _)| (*name).to_owned()).collect();
        columns.extend([columns::FILLS, columns::SECONDS].map(str::to_owned));
        for column in question.metrics.iter().flat_map(Metric::columns) {
            if !columns.iter().any(|known| known == column) {
                columns.push(column.to_owned());
            }
        }
        let searches = Searches::gather(frame, &grouping, &columns);
        let mut lines: Vec<Line> = grouping
            .names()
            .into_iter()
            .zip(&grouping.values)
            .zip(&searches.errors)
            .map(|((name, values), &errors)| Line { name, values: values.clone(), errors, ..Line::default() })
            .collect();
        totals(&mut lines, &searches, frame);
        let baseline = match &question.baseline {
            Baseline::Text(text) => grouping.baseline(text)?,
            Baseline::Value(column, value) => {
                let at = question.by.iter().position(|by| by == column);
                let known = |at: &usize| grouping.values.iter().any(|values| values[*at] == *value);
                let at = at.filter(known).ok_or_else(|| format!("there are no rows of the baseline \"{value}\""))?;
                vec![(at, value.clone())]
            }
            Baseline::First => grouping.values.first().into_iter().flatten().cloned().enumerate().collect(),
        };
        let references = grouping.references(&baseline);
        for (at, line) in lines.iter_mut().enumerate() {
            line.is_baseline = references[at] == Some(at);
        }
        let (mut power, mut among) = (Power::default(), None);
        let of_lines: BTreeSet<usize> = references.iter().copied().flatten().collect();
        for (at, metric) in question.metrics.iter().enumerate() {
            let reading = MetricReader::new(&searches, metric, frame);
            let bases: BTreeMap<usize, Base<'_>> =
                of_lines.iter().map(|&base| (base, Base::new(&reading, &grouping, base))).collect();
            let bases: Vec<Option<&Base<'_>>> = references.iter().map(|base| bases.get(base.as_ref()?)).collect();
            let family = compare(&mut lines, metric, &reading, &bases);
            if at == 0 {
                scores(&mut lines, &searches, frame, &bases);
                for line in &mut lines {
                    let most = line.ratio().influence.map(|found| searches.cluster_name(found.cluster, frame));
                    line.influential = most.unwrap_or_default();
                }
                power = Power::of(&family);
                let bare = lines.iter().any(|line| line.is_baseline && line.probes == 0.0);
                let rivals = rivals(&lines, &reading, &grouping, &references);
                match rivals.map(|samples| Power::of_rivals(&samples, &family)) {
                    Some(rivals) if bare => power = rivals,
                    rivals => among = rivals,
                }
            }
        }
        let seconds = Metric::of(columns::SECONDS);
        let reading = MetricReader::new(&searches, &seconds, frame);
        let took = each(lines.len(), searches.list.len(), |group| reading.group(group).iter().fold(0.0, |a, b| a + b));
        lines.iter_mut().zip(took).for_each(|(line, seconds)| line.seconds = seconds);
        let place = |line: &Line| question.order.iter().position(|name| line.values.first() == Some(name));
        lines.sort_by_key(|line| place(line).unwrap_or(usize::MAX));
        let summary = Self {
            by: question.by.clone(),
            searches: lines.iter().map(|line| line.searches).max().unwrap_or(0),
            power,
            among,
            repeats: searches.list.iter().map(|search| search.repeat as usize + 1).max().unwrap_or(1),
            metrics: question.metrics.clone(),
            lines,
        };
        Ok((summary, grouping, searches.without_sums()))
    }

    /// Takes the marks off what nodes say: no line is told from the baseline by them.
    pub fn unmark_nodes(&mut self) {
        for (at, _) in self.metrics.iter().enumerate().filter(|(_, metric)| metric.is_nodes()) {
            for measure in self.lines.iter_mut().filter_map(|line| line.measures.get_mut(at)) {
                (measure.marked, measure.hangs) = (false, false);
            }
        }
    }

    /// The baseline, if it is one line.
    pub fn baseline(&self) -> Option<&Line> {
        let mut baselines = self.lines.iter().filter(|line| line.is_baseline);
        baselines.next().filter(|_| baselines.next().is_none())
    }
}

/// Adds a metric to every line, against its reference.
fn compare(lines: &mut [Line], metric: &Metric, reading: &MetricReader<'_>, bases: &[Option<&Base<'_>>]) -> Family {
    let searches = reading.searches();
    let pairs: Vec<Pairs> =
        each(lines.len(), searches.list.len(), |at| bases[at].map_or_else(Pairs::default, |base| base.pairs(at)));
    // What is held against itself needs no interval.
    let logs = |(line, pairs): (&Line, &Pairs)| if line.is_baseline { Vec::new() } else { pairs.logs() };
    let logs: Vec<_> = lines.iter().zip(&pairs).map(logs).collect();
    let family = Family::of(&logs);
    for (at, ((judged, pairs), line)) in family.lines.iter().zip(&pairs).zip(lines).enumerate() {
        let own = line.is_baseline;
        let mine: Vec<f64> = reading.group(at).into_iter().filter(|value| value.is_finite()).collect();
        let whole = mine.iter().sum::<f64>();
        let value = match &metric.how {
            How::Sum(_) => whole,
            How::Rate(num, den) if !metric.is_time() => searches.group_sum(at, num) / searches.group_sum(at, den),
            _ => whole / mine.len() as f64,
        };
        line.measures.push(Measure {
            value,
            ratio: if own { Ratio::itself(pairs.list.len()) } else { judged.ratio },
            p: judged.p,
            marked: judged.marked,
            hangs: judged.hangs,
            // Nothing goes less deep than itself.
            cut: if own { 0 } else { pairs.cut },
            apart: if own { 0 } else { pairs.apart },
            beyond: pairs.beyond.iter().sum(),
        });
    }
    family
}

/// The lines that are held against one baseline, each against the best of them; if the baseline has no table, those that have one. None where
/// there are fewer than two.
fn rivals(
    lines: &[Line],
    reading: &MetricReader<'_>,
    grouping: &Grouping,
    references: &[Option<usize>],
) -> Option<Vec<Logs>> {
    let base = lines.iter().position(|line| line.is_baseline)?;
    let bare = lines[base].probes == 0.0;
    let is_rival = |at: &usize| {
        let line = &lines[*at];
        let fits = if bare { line.probes > 0.0 } else { *at != base };
        fits && references[*at] == Some(base) && !line.ratio().mean.is_nan()
    };
    let rivals: Vec<usize> = (0..lines.len()).filter(is_rival).collect();
    let mean = |at: usize| lines[at].ratio().mean;
    let best = rivals.iter().copied().min_by(|&a, &b| mean(a).total_cmp(&mean(b)))?;
    let reference = Base::new(reading, grouping, best);
    let others = rivals.iter().filter(|at| **at != best);
    let samples: Vec<Logs> = others.map(|at| reference.pairs(*at).logs()).collect();
    (!samples.is_empty()).then_some(samples)
}

/// Counts the searches that end with another score than the reference's.
fn scores(lines: &mut [Line], searches: &Searches, frame: &Frame, bases: &[Option<&Base<'_>>]) {
    let score = Metric::of(columns::SCORE);
    let reading = MetricReader::new(searches, &score, frame);
    let found = each(lines.len(), searches.list.len(), |at| bases[at].map(|base| base.other_ends(at, &reading)));
    for (line, found) in lines.iter_mut().zip(found) {
        line.other_scores = found.unwrap_or_default();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Two positions to depth 2, a table of 8 slots for each: 4 stores and then 12, of which 4 and 2 took a free slot. Of the second
    /// depth alone nobody can say what a table was asked to hold, nor whether both were one table.
    #[test]
    fn a_life_that_is_filtered_out_has_no_pressure() {
        let rows = ["1,20,4,4,8,4", "2,90,12,2,8,6"];
        let pressure = |rows: &[&str]| {
            let mut text = "variant,position,depth,search.nodes,table.stores,table.fills,slots,entries\n".to_owned();
            ["p", "q"].iter().for_each(|unit| rows.iter().for_each(|row| text += &format!("v,{unit},{row}\n")));
            let frame = Frame::parse(text.as_bytes(), "rows").unwrap();
            Summary::new(&frame, &Question::by_variant(&[], None)).unwrap().lines[0].pressure
        };
        assert_eq!(pressure(&rows), 2.0);
        assert_eq!(pressure(&rows[..1]), 0.5);
        assert!(pressure(&rows[1..]).is_nan());
    }

    /// Two searches that their limit cut short in the second depth: they meet in the first, and the baseline is not less deep than itself.
    #[test]
    fn a_baseline_is_as_deep_as_itself() {
        let rows = "a,p,1,true,20\na,p,2,false,30\nb,p,1,true,10\nb,p,2,false,40\na,q,1,false,50\nb,q,1,false,50\n";
        let frame =
            Frame::parse(format!("variant,position,depth,finished,search.nodes\n{rows}").as_bytes(), "rows").unwrap();
        let summary = Summary::new(&frame, &Question::by_variant(&[], Some("a"))).unwrap();
        let of = |line: &Line| {
            (line.name.clone(), line.measures[0].ratio.mean, line.measures[0].cut, line.measures[0].apart)
        };
        let found: Vec<_> = summary.lines.iter().map(of).collect();
        assert_eq!(found, [("a".to_owned(), 1.0, 0, 0), ("b".to_owned(), 0.5, 1, 1)]);
    }

    /// Means are over the searches that have a value; what is counted for each of so many is of sums.
    #[test]
    fn a_mean_is_over_what_there_is() {
        let rows = "v,p,10,4,8,1\nv,q,30,4,2,3\nv,r,5,,,\n";
        let text = format!(
            "variant,position,search.nodes,slots,table.probes,table.hits,depth\n{}",
            rows.replace('\n', ",1\n")
        );
        let frame = Frame::parse(text.as_bytes(), "rows").unwrap();
        let value = |name: &str| {
            let metrics = vec![Metric::find(name, &frame).unwrap()];
            let question = Question { metrics, ..Question::by_variant(&[], None) };
            Summary::new(&frame, &question).unwrap().lines[0].measures[0].value
        };
        assert_eq!((value("nodes"), value("slots")), (45.0, 4.0));
        let part = frame.take(&[0, 1]);
        let metrics = vec![Metric::find("hit_rate", &part).unwrap()];
        let question = Question { metrics, ..Question::by_variant(&[], None) };
        // 4 of 10, not the mean of an eighth and one and a half.
        assert_eq!(Summary::new(&part, &question).unwrap().lines[0].measures[0].value, 0.4);
    }

    /// What can be shown is said of rivals that have a table: another line without one, as noisy as can be, says nothing of them.
    #[test]
    fn rivals_are_those_that_have_a_table() {
        let power = |other: bool| {
            let mut text = "variant,position,depth,search.nodes,table.probes\n".to_owned();
            for at in 0..12_u32 {
                let noisy = if at % 2 == 0 { 10 } else { 100_000 };
                text += &format!("none,p{at},1,1000,0\nx,p{at},1,{},5\ny,p{at},1,{},5\n", 500 + at % 3, 510 + at % 2);
                if other {
                    text += &format!("bare,p{at},1,{noisy},0\n");
                }
            }
            let frame = Frame::parse(text.as_bytes(), "rows").unwrap();
            Summary::new(&frame, &Question::by_variant(&[], None)).unwrap().power
        };
        let (two, three) = (power(false), power(true));
        assert!(two.rivals && two.detectable < 0.09, "{two:?}");
        assert!(three.rivals && three.lines == two.lines + 1, "{three:?}");
        // It is one comparison more, and takes a share of the level.
        assert!((three.needed / two.needed - 1.0).abs() < 0.2, "{three:?} {two:?}");
    }

    /// Of three searches two had tables of 8 slots, which ended with 2 and 6 entries: half full. The third had none, and says nothing of it; no more does
    /// another repeat.
    #[test]
    fn how_full_a_table_is_is_asked_of_tables() {
        let rows = "v,p,0,1,9,8,2,true\nv,q,0,1,9,8,6,false\nv,r,0,1,9,,,\nv,q,1,1,9,8,8,true\nw,p,0,1,9,,,\n";
        let text = format!("variant,position,repeat,depth,search.nodes,slots,entries,solved\n{rows}");
        let frame = Frame::parse(text.as_bytes(), "t").unwrap();
        let lines = Summary::new(&frame, &Question::by_variant(&[], None)).unwrap().lines;
        assert_eq!((lines[0].searches, lines[0].hashfull, lines[0].solved), (3, 500.0, (1, 2)));
        assert!(lines[1].hashfull.is_nan() && lines[1].solved == (0, 0));
    }

    /// A search whose first repeat failed, or is not looked at, counts once by the next one.
    #[test]
    fn the_first_repeat_that_there_is_counts() {
        let rows = "v,p,0,1,0,why\nv,p,1,1,5,\nv,p,2,1,5,\nv,q,2,1,7,\nv,q,1,1,7,\nw,p,0,1,3,\nw,p,1,1,3,\n";
        let text = format!("variant,position,repeat,depth,search.nodes,error\n{rows}");
        let frame = Frame::parse(text.as_bytes(), "t").unwrap();
        let lines = Summary::new(&frame, &Question::by_variant(&[], None)).unwrap().lines;
        let message: Vec<(usize, f64)> = lines.iter().map(|line| (line.searches, line.measures[0].value)).collect();
        assert_eq!(message, [(2, 12.0), (1, 3.0)]);
    }

    /// Intervals of shares, and what rivals could show, are of first searches: repeats that count otherwise change nothing.
    #[test]
    fn repeats_say_nothing_of_shares() {
        let lines = |repeats: bool| {
            let mut text = "variant,position,repeat,depth,search.nodes,table.probes,table.hits\n".to_owned();
            for at in 0..9_u32 {
                text += &format!("v,p{at},0,1,9,100,{}\n", 30 + at * at % 7);
                if repeats {
                    text += &format!("v,p{at},1,1,9,100,90\n");
                }
            }
            let frame = Frame::parse(text.as_bytes(), "t").unwrap();
            let lines = Summary::new(&frame, &Question::by_variant(&[], None)).unwrap().lines;
            (lines[0].interval(columns::HITS), lines[0].hits)
        };
        let (once, twice) = (lines(false), lines(true));
        assert!(once.0.0 < once.0.1 && once == twice, "{once:?} {twice:?}");
    }

    /// Of rivals the best is what the others are held against: what that shows is what it shows as a baseline without the line that has no table.
    #[test]
    fn rivals_are_held_against_the_best_of_them() {
        let power = |bare: bool| {
            let mut text = "variant,position,depth,search.nodes,table.probes\n".to_owned();
            for at in 0..12_u32 {
                if bare {
                    text += &format!("none,p{at},1,1000,0\n");
                }
                let spread = 700 + 90 * (at % 4);
                text += &format!("x,p{at},1,{},5\ny,p{at},1,{},5\nz,p{at},1,{spread},5\n", 500 + at % 3, 510 + at % 2);
            }
            let frame = Frame::parse(text.as_bytes(), "rows").unwrap();
            Summary::new(&frame, &Question::by_variant(&[], None)).unwrap().power
        };
        let (rivals, best) = (power(true), power(false));
        assert!(rivals.rivals && !best.rivals);
        assert_eq!(rivals.detectable, best.detectable);
        assert!((rivals.needed / best.needed - 1.0).abs() < 0.2, "{rivals:?} {best:?}");
    }
}
