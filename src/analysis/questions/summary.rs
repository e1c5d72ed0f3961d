//! The summary: each variant's totals beside the baseline's.

use super::power::Power;
use crate::analysis::pairing::gauge::Gauge;
use crate::analysis::pairing::pairs::{Base, Pairs};
use crate::analysis::pairing::rate;
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
    #[must_use]
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
    /// What the comparison of the first metric can show.
    pub power: Power,
}

/// A metric of one group, and how it compares.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Measure {
    /// Its total, or its rate over all searches.
    pub value: f64,
    /// Against the baseline's, paired by search.
    pub ratio: Ratio,
    /// p of the ratio, corrected for all lines by joint sign flips; NaN for a baseline.
    pub p: f64,
    /// Whether the ratio is told from 1.
    pub marked: bool,
    /// Whether a single position or game decides that.
    pub hangs: bool,
    /// Searches that were compared in fewer depths than they made: the baseline's has finished others.
    pub cut: usize,
    /// Searches that were not compared: they share no finished depth with the baseline's.
    pub apart: usize,
}

/// The rates that a line has: what is counted, and the columns that add up to what it is counted of.
pub const RATES: [(&str, &[&str]); 8] = [
    (columns::HITS, &[columns::PROBES]),
    (columns::USABLE, &[columns::PROBES]),
    (columns::MOVE_ONLY, &[columns::PROBES]),
    (columns::MISSES_EMPTY, &[columns::PROBES]),
    (columns::MISSES_OTHER, &[columns::PROBES]),
    (columns::EVICTIONS, &[columns::STORES]),
    (columns::REJECTIONS, &[columns::STORES]),
    (columns::SAVED, &[columns::SAVED, columns::NODES]),
];

/// Totals of one group, over all iterations of all searches; repeats are counted once (times: their median).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Line {
    /// The variant's name, or the group's.
    pub name: String,
    /// Its values of the columns that groups are told apart by.
    pub values: Vec<String>,
    /// Whether it is held against itself.
    pub is_baseline: bool,
    /// How many searches.
    pub searches: usize,
    /// The metrics asked for, in their order.
    pub measures: Vec<Measure>,
    /// Nodes.
    pub nodes: f64,
    /// Evaluations.
    pub evals: f64,
    /// Hits that ended their node.
    pub usable: f64,
    /// Hits that only gave a move.
    pub move_only: f64,
    /// Probes.
    pub probes: f64,
    /// Hits.
    pub hits: f64,
    /// Misses that found a free slot.
    pub misses_empty: f64,
    /// Misses that found other keys.
    pub misses_other: f64,
    /// Stores.
    pub stores: f64,
    /// Stores into free slots.
    pub fills: f64,
    /// Stores that displaced another position.
    pub evictions: f64,
    /// Stores refused.
    pub rejections: f64,
    /// The 95 % interval of each of [`RATES`], over positions or games; NaN where there are fewer than two.
    pub intervals: [(f64, f64); RATES.len()],
    /// Worth of the cutoffs: nodes searched to make the results that they were. 0 where nobody counted.
    pub saved: f64,
    /// Stores for each slot over the life of a table (in sequences: all searches of a game that share it), the mean over tables;
    /// NaN without a bounded table, or where a part of a table's life is filtered out.
    pub pressure: f64,
    /// Occupied slots per mille at the end of a search, the mean over searches; NaN without a bounded table.
    pub hashfull: f64,
    /// Seconds.
    pub seconds: f64,
    /// Searches whose last score is another than the baseline's, of those that both made to the same depth.
    pub other_scores: (usize, usize),
    /// Searches whose last best move was the suite's, and those where the suite names one.
    pub solved: (usize, usize),
    /// Jobs that failed.
    pub errors: usize,
    /// The position or game that moves the first metric's ratio most; empty where there are fewer than three.
    pub influential: String,
}

impl Line {
    /// The interval of one of [`RATES`]; NaN where there is none.
    #[must_use]
    pub fn interval(&self, column: &str) -> (f64, f64) {
        RATES.iter().position(|(part, _)| *part == column).map_or((f64::NAN, f64::NAN), |at| self.intervals[at])
    }

    /// The worth of the cutoffs, and the nodes that it would have taken without them, if nothing else had changed; none where nobody counted.
    #[must_use]
    pub fn worth(&self) -> Option<(f64, f64)> {
        (self.saved > 0.0).then_some((self.saved, self.nodes + self.saved))
    }

    /// The ratio of the first metric.
    #[must_use]
    pub fn ratio(&self) -> Ratio {
        self.measures.first().map(|measure| measure.ratio).unwrap_or_default()
    }
}

/// A sum of a line.
type Field = fn(&mut Line) -> &mut f64;

/// What lines are held against, by their groups.
type Bases<'a> = BTreeMap<usize, Base<'a>>;

/// Columns that every summary sums up.
const SUMS: [(&str, Field); 13] = [
    (columns::NODES, |line| &mut line.nodes),
    (columns::EVALS, |line| &mut line.evals),
    (columns::USABLE, |line| &mut line.usable),
    (columns::MOVE_ONLY, |line| &mut line.move_only),
    (columns::PROBES, |line| &mut line.probes),
    (columns::HITS, |line| &mut line.hits),
    (columns::MISSES_EMPTY, |line| &mut line.misses_empty),
    (columns::MISSES_OTHER, |line| &mut line.misses_other),
    (columns::STORES, |line| &mut line.stores),
    (columns::FILLS, |line| &mut line.fills),
    (columns::EVICTIONS, |line| &mut line.evictions),
    (columns::REJECTIONS, |line| &mut line.rejections),
    (columns::SAVED, |line| &mut line.saved),
];

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
        columns.push(columns::SECONDS.to_owned());
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
            Baseline::First => {
                grouping.values.first().map_or_else(Vec::new, |first| first.iter().cloned().enumerate().collect())
            }
        };
        let references = grouping.references(&baseline);
        let mut power = Power::default();
        let of_lines: BTreeSet<usize> = references.iter().copied().flatten().collect();
        for (at, metric) in question.metrics.iter().enumerate() {
            let reading = Gauge::new(&searches, metric, frame);
            let bases: Bases<'_> = of_lines.iter().map(|&base| (base, Base::new(&reading, &grouping, base))).collect();
            let family = compare(&mut lines, metric, &searches, &reading, &bases, &references);
            if at == 0 {
                scores(&mut lines, &searches, frame, &bases, &references);
                for line in &mut lines {
                    let influence = line.ratio().influence;
                    line.influential =
                        influence.map_or_else(String::new, |found| searches.cluster_name(found.cluster, frame));
                }
                power = match rivals(&lines, &reading, &grouping, &references) {
                    Some(rivals) => Power { lines: family.tested, ..Power::of(&rivals, true) },
                    None => Power::of(&family, false),
                };
            }
        }
        let seconds = Metric { name: columns::SECONDS.to_owned(), how: How::Sum(columns::SECONDS.to_owned()) };
        let reading = Gauge::new(&searches, &seconds, frame);
        let took = each(lines.len(), searches.list.len(), |group| {
            reading.group(group).iter().fold(0.0, |sum, seconds| sum + seconds)
        });
        lines.iter_mut().zip(took).for_each(|(line, seconds)| line.seconds = seconds);
        let place = |line: &Line| question.order.iter().position(|name| line.values.first() == Some(name));
        lines.sort_by_key(|line| place(line).unwrap_or(usize::MAX));
        let summary = Self {
            by: question.by.clone(),
            searches: lines.iter().map(|line| line.searches).max().unwrap_or(0),
            power,
            repeats: searches.list.iter().map(|search| search.repeat as usize + 1).max().unwrap_or(1),
            metrics: question.metrics.clone(),
            lines,
        };
        Ok((summary, grouping, searches.without_sums()))
    }

    /// The baseline, if it is one line.
    #[must_use]
    pub fn baseline(&self) -> Option<&Line> {
        let mut baselines = self.lines.iter().filter(|line| line.is_baseline);
        baselines.next().filter(|_| baselines.next().is_none())
    }
}

/// The intervals of each line's rates.
fn rates(lines: &mut [Line], searches: &Searches) {
    let key = |at: &u32| (searches.list[*at as usize].group, searches.list[*at as usize].cluster);
    let mut order: Vec<u32> = (0..searches.list.len() as u32).collect();
    order.retain(|&at| searches.list[at as usize].is_first());
    // Stable: sums of fractions are of the order in which they are made.
    order.sort_by_key(key);
    let sums = RATES.map(|(part, whole)| {
        (searches.sums(part), whole.iter().map(|column| searches.sums(column)).collect::<Vec<_>>())
    });
    for group in order.chunk_by(|a, b| key(a).0 == key(b).0) {
        lines[key(&group[0]).0 as usize].intervals = std::array::from_fn(|at| {
            let (part, whole) = &sums[at];
            let of = |cluster: &[u32]| {
                let total =
                    |sum: &dyn Fn(usize) -> f64| cluster.iter().map(|&search| sum(search as usize)).sum::<f64>();
                (total(part), whole.iter().map(|sum| total(sum)).sum::<f64>())
            };
            let parts: Vec<(f64, f64)> = group.chunk_by(|a, b| key(a) == key(b)).map(of).collect();
            rate::interval(&parts).unwrap_or((f64::NAN, f64::NAN))
        });
    }
}

/// Sums, means and counts of each line.
fn totals(lines: &mut [Line], searches: &Searches, frame: &Frame) {
    let [slots, entries] = [columns::SLOTS, columns::ENTRIES].map(|name| frame.numbers(name));
    let solved = frame.coded(columns::SOLVED);
    let mut bounded = vec![0.0; lines.len()];
    // Stores for each slot, and how many tables took them: by group, block and game.
    let mut tables: BTreeMap<(u32, u32, u32), (f64, usize)> = BTreeMap::new();
    let sums = SUMS.map(|(name, field)| (searches.sums(name), field));
    for (at, search) in searches.list.iter().enumerate().filter(|(_, search)| search.is_first()) {
        let line = &mut lines[search.group as usize];
        line.searches += 1;
        for (sum, field) in &sums {
            *field(line) += sum(at);
        }
        if slots[search.last] > 0.0 {
            line.hashfull += 1000.0 * entries[search.last] / slots[search.last];
            // More entries than were put in by this search: the table is that of the search before it.
            let game = if search.cluster >> 31 == 1 { search.cluster } else { 0 };
            let table = tables.entry((search.group, search.block, game)).or_insert((0.0, 0));
            // Of a table's first search it means that rows of it are filtered out; what was stored in them is not known.
            let filled_before = entries[search.last] > searches.sum(at, columns::FILLS);
            let hidden = table.1 == 0 && filled_before;
            table.0 += if hidden { f64::NAN } else { searches.sum(at, columns::STORES) / slots[search.last] };
            table.1 += usize::from(!(table.1 > 0 && filled_before));
            bounded[search.group as usize] += 1.0;
        }
        match solved.at(search.last) {
            "true" => line.solved = (line.solved.0 + 1, line.solved.1 + 1),
            "false" => line.solved.1 += 1,
            _ => {}
        }
    }
    rates(lines, searches);
    let mut of_line = vec![(0.0, 0); lines.len()];
    for ((group, ..), (stores, number)) in tables {
        let (sum, count) = &mut of_line[group as usize];
        (*sum, *count) = (*sum + stores, *count + number);
    }
    for ((line, bounded), (stores, number)) in lines.iter_mut().zip(bounded).zip(of_line) {
        // 0 / 0 is NaN: no search of the line had a bounded table.
        line.hashfull /= bounded;
        line.pressure = stores / number as f64;
        // NaN: there is no such column.
        line.saved = line.saved.max(0.0);
    }
}

/// Adds a metric to every line, against its reference.
fn compare(
    lines: &mut [Line],
    metric: &Metric,
    searches: &Searches,
    reading: &Gauge<'_>,
    bases: &Bases<'_>,
    references: &[Option<usize>],
) -> Family {
    let base = |at: usize| references[at].and_then(|base| bases.get(&base));
    let pairs: Vec<Pairs> =
        each(lines.len(), searches.list.len(), |at| base(at).map_or_else(Pairs::default, |base| base.pairs(at)));
    let own = |at: usize| references[at] == Some(at);
    // What is held against itself needs no interval.
    let logs: Vec<_> =
        pairs.iter().enumerate().map(|(at, pairs)| if own(at) { Vec::new() } else { pairs.logs() }).collect();
    let family = Family::of(&logs);
    for (at, (judged, pairs)) in family.lines.iter().zip(&pairs).enumerate() {
        let mine = reading.group(at);
        let whole = mine.iter().filter(|value| value.is_finite()).sum::<f64>();
        let value = match &metric.how {
            How::Sum(_) => whole,
            How::Rate(num, den) if !metric.is_time() => searches.group_sum(at, num) / searches.group_sum(at, den),
            _ => whole / mine.iter().filter(|value| value.is_finite()).count() as f64,
        };
        let ratio = match own(at) {
            true => Ratio::itself(pairs.list.len()),
            false => judged.ratio,
        };
        lines[at].measures.push(Measure {
            value,
            ratio,
            p: judged.p,
            marked: judged.marked,
            hangs: judged.hangs,
            cut: pairs.cut,
            apart: pairs.apart,
        });
        lines[at].is_baseline = own(at);
    }
    family
}

/// The lines with a table, each against the best of them, where all are held against one that has none: what they are to be told
/// from is each other.
fn rivals(lines: &[Line], reading: &Gauge<'_>, grouping: &Grouping, references: &[Option<usize>]) -> Option<Family> {
    let base = lines.iter().position(|line| line.is_baseline && line.probes == 0.0)?;
    let rivals: Vec<usize> = (0..lines.len())
        .filter(|&at| references[at] == Some(base) && lines[at].probes > 0.0 && !lines[at].ratio().mean.is_nan())
        .collect();
    let mean = |at: usize| lines[at].ratio().mean;
    let best = rivals.iter().copied().min_by(|&a, &b| mean(a).total_cmp(&mean(b)))?;
    let reference = Base::new(reading, grouping, best);
    let others = rivals.iter().filter(|at| **at != best);
    let samples: Vec<Vec<(u32, f64)>> = others.map(|at| reference.pairs(*at).logs()).collect();
    (!samples.is_empty()).then(|| Family::of(&samples))
}

/// Counts the searches that end with another score than the reference's.
fn scores(lines: &mut [Line], searches: &Searches, frame: &Frame, bases: &Bases<'_>, references: &[Option<usize>]) {
    let score = Metric { name: columns::SCORE.to_owned(), how: How::Last(columns::SCORE.to_owned()) };
    let reading = Gauge::new(searches, &score, frame);
    let found = each(lines.len(), searches.list.len(), |at| {
        references[at].and_then(|base| bases.get(&base)).map(|base| base.other_ends(at, &reading))
    });
    for (line, found) in lines.iter_mut().zip(found) {
        line.other_scores = found.unwrap_or(line.other_scores);
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
}
