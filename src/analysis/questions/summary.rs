//! The summary: the totals of each variant, compared with the totals of a baseline.

use super::line::{Line, Measure, add_totals};
use super::power::Power;
use crate::analysis::pairing::metric_reader::MetricReader;
use crate::analysis::pairing::pairs::{BaseSearches, Logs, Pairs};
use crate::analysis::pairing::searches::Searches;
use crate::analysis::rows::frame::Frame;
use crate::analysis::rows::grouping::{Grouping, describe_group};
use crate::analysis::rows::metric::{Better, Metric};
use crate::parallel::par_map;
use crate::record::columns;
use crate::stats::ratio::{Family, JudgedRatio, Ratio};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The full names of the columns that rows are grouped by.
    pub by: Vec<String>,
    /// Values of the first grouping column, in the order in which their lines are listed. Lines
    /// with other values follow in the order of the file.
    pub order: Vec<String>,
    pub baseline: Baseline,
    /// The metrics to compare. The first metric is the main metric.
    pub metrics: Vec<Metric>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub enum Baseline {
    #[default]
    First,
    /// The group that the user describes with this text. The text is parsed by
    /// [`Grouping::parse_baseline`].
    Text(String),
    /// Each group is compared with the group that has these values in these columns. In all other
    /// columns, both groups have the same values.
    Values(Vec<(String, String)>),
    /// The groups in which these options have these values. There is one baseline for each
    /// combination of the other options.
    Condition(Vec<(String, String)>),
}

impl Baseline {
    pub fn value(column: &str, value: &str) -> Self {
        Self::Values(vec![(column.to_owned(), value.to_owned())])
    }

    /// # Errors
    /// If no group matches the baseline.
    fn find_baselines(&self, frame: &Frame, grouping: &Grouping) -> Result<(Vec<Option<usize>>, Vec<String>), String> {
        // The column index and the value of each column for which the baseline specifies a value.
        let baseline_values = match self {
            Self::Text(text) => grouping.parse_baseline(text)?,
            Self::Values(columns_and_values) => {
                let find_column = |(column, value): &(String, String)| {
                    let column_index = grouping.by.iter().position(|name| name == column);
                    let has_value =
                        |index: &usize| grouping.values.iter().any(|group_values| group_values[*index] == *value);
                    let index = column_index
                        .filter(has_value)
                        .ok_or_else(|| format!("there are no rows of the baseline \"{value}\""))?;
                    Ok::<_, String>((index, value.clone()))
                };
                columns_and_values.iter().map(find_column).collect::<Result<_, _>>()?
            }
            // The values of the first group in all columns.
            Self::First => grouping.values.first().into_iter().flatten().cloned().enumerate().collect(),
            Self::Condition(condition) => return grouping.find_baselines(frame, condition),
        };
        let describe_shared = |group_values: &Vec<String>| {
            let is_specified = |index: usize| baseline_values.iter().any(|(column_index, _)| *column_index == index);
            let columns_and_values = grouping.by.iter().zip(group_values).enumerate();
            let shared_values = columns_and_values.filter(|(index, _)| !is_specified(*index));
            let shared_values = shared_values.map(|(_, (column, value))| (column.clone(), value.clone()));
            describe_group(&shared_values.collect::<Vec<_>>())
        };
        Ok((grouping.baselines_with_values(&baseline_values), grouping.values.iter().map(describe_shared).collect()))
    }
}

impl Question {
    /// The question that compares the nodes of each variant with the nodes of a baseline variant.
    /// The first variant is the baseline if `baseline` is `None`. Lines are listed in the order of
    /// the variants in `order`.
    pub fn by_variant(order: &[String], baseline: Option<&str>) -> Self {
        Self {
            by: vec![columns::VARIANT.to_owned()],
            order: order.to_vec(),
            baseline: baseline.map_or(Baseline::First, |name| Baseline::value(columns::VARIANT, name)),
            metrics: vec![Metric::nodes()],
        }
    }
}

/// Options whose values must not be ranked. The largest table and the widest key always need the
/// fewest nodes, and another key scheme is only another random sample.
const UNRANKED_OPTIONS: [&str; 5] = ["table.size", "uci.Hash", "table.key_bits", "keys.scheme", "keys.ep"];

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Summary {
    pub by: Vec<String>,
    pub lines: Vec<Line>,
    pub metrics: Vec<Metric>,
    pub searches: usize,
    /// The options in which the lines differ and whose values must not be ranked, such as the table
    /// size or the key width.
    pub unranked_options: Vec<String>,
    pub repeats: usize,
    /// The power of the comparison in the first metric. If the baseline has no table but at least
    /// two other lines have one, this is the power of comparing these lines with each other.
    pub power: Power,
    /// The power of comparing the lines other than the baseline with each other. `None` if there
    /// are fewer than two such lines, if there are several baselines, or if the baseline has no
    /// table.
    pub rival_power: Option<Power>,
    /// The reason why neither nodes nor claims on nodes get a verdict. `None` if nodes do not
    /// mislead.
    pub nodes_mislead_reason: Option<String>,
}

impl Summary {
    /// Computes the summary of the rows in `frame`.
    ///
    /// # Errors
    /// If no group matches the baseline.
    pub fn new(frame: &Frame, question: &Question) -> Result<Self, String> {
        Self::with_searches(frame, question).map(|(summary, ..)| summary)
    }

    /// Computes the summary like [`Summary::new`]. Also returns the grouping of the rows and the
    /// searches.
    ///
    /// # Errors
    /// As [`Summary::new`].
    pub fn with_searches(frame: &Frame, question: &Question) -> Result<(Self, Grouping, Searches), String> {
        let grouping = Grouping::new(frame, &question.by);
        let searches = Searches::gather(frame, &grouping);
        let mut lines: Vec<Line> = grouping
            .names()
            .into_iter()
            .zip(&grouping.values)
            .zip(&searches.errors)
            .map(|((name, values), &errors)| Line { name, values: values.clone(), errors, ..Line::default() })
            .collect();
        add_totals(&mut lines, &searches, frame);
        let (baselines, groups) = question.baseline.find_baselines(frame, &grouping)?;
        for (index, (line, group)) in lines.iter_mut().zip(groups).enumerate() {
            (line.is_baseline, line.base, line.group) = (baselines[index] == Some(index), baselines[index], group);
        }
        let (mut power, mut rival_power) = (Power::default(), None);
        let base_indices: BTreeSet<usize> = baselines.iter().copied().flatten().collect();
        for (index, metric) in question.metrics.iter().enumerate() {
            let reader = MetricReader::new(&searches, metric, frame);
            let bases: BTreeMap<usize, BaseSearches<'_>> =
                base_indices.iter().map(|&base| (base, BaseSearches::new(&reader, &grouping, base))).collect();
            let bases: Vec<Option<&BaseSearches<'_>>> =
                baselines.iter().map(|base| bases.get(base.as_ref()?)).collect();
            let family = add_measures(&mut lines, &reader, &bases);
            if index == 0 {
                count_other_scores(&mut lines, &searches, frame, &bases);
                for line in &mut lines {
                    let cluster_name =
                        line.ratio().influence.map(|influence| searches.cluster_name(influence.cluster, frame));
                    line.influential_cluster = cluster_name.unwrap_or_default();
                }
                power = Power::from_family(&family);
                let base_has_no_table = lines.iter().any(|line| line.is_baseline && line.sum(columns::PROBES) == 0.0);
                let rivals = rival_samples(&lines, &reader, &grouping, &baselines);
                match rivals.map(|samples| Power::from_rivals(&samples, &family)) {
                    Some(power_of_rivals) if base_has_no_table => power = power_of_rivals,
                    power_of_rivals => rival_power = power_of_rivals,
                }
            }
        }
        let seconds = Metric::from_column(columns::SECONDS);
        let reader = MetricReader::new(&searches, &seconds, frame);
        let seconds_by_line = par_map(lines.len(), searches.list.len(), |group| {
            reader.group_values(group).iter().fold(0.0, |a, b| a + b)
        });
        lines.iter_mut().zip(seconds_by_line).for_each(|(line, seconds)| line.seconds = seconds);
        let position_in_order = |line: &Line| question.order.iter().position(|name| line.values.first() == Some(name));
        let mut order: Vec<usize> = (0..lines.len()).collect();
        order.sort_by_key(|&index| position_in_order(&lines[index]).unwrap_or(usize::MAX));
        let mut new_indices = vec![0; lines.len()];
        order.iter().enumerate().for_each(|(new_index, &old_index)| new_indices[old_index] = new_index);
        let mut lines: Vec<Line> = order.into_iter().map(|index| std::mem::take(&mut lines[index])).collect();
        lines.iter_mut().for_each(|line| line.base = line.base.map(|base| new_indices[base]));
        let summary = Self {
            by: question.by.clone(),
            searches: lines.iter().map(|line| line.searches).max().unwrap_or(0),
            power,
            unranked_options: grouping.differing_options(frame, &UNRANKED_OPTIONS),
            rival_power,
            repeats: searches.list.iter().map(|search| search.repeat as usize + 1).max().unwrap_or(1),
            metrics: question.metrics.clone(),
            nodes_mislead_reason: None,
            lines,
        };
        Ok((summary, grouping, searches))
    }

    /// Unmarks all differences in nodes that are marked as significant, and records the reason.
    /// Once the reason is recorded, claims on nodes get no verdict either.
    pub fn withhold_node_verdicts(&mut self, reason: String) {
        self.nodes_mislead_reason = Some(reason);
        for (index, _) in self.metrics.iter().enumerate().filter(|(_, metric)| metric.is_nodes()) {
            for measure in self.lines.iter_mut().filter_map(|line| line.measures.get_mut(index)) {
                (measure.significant, measure.fragile) = (false, false);
            }
        }
    }

    /// Whether the metric has no verdicts because it is nodes, and nodes may mislead.
    pub fn has_no_verdict(&self, metric: &Metric) -> bool {
        self.nodes_mislead_reason.is_some() && metric.is_nodes()
    }

    pub fn withhold(&self, metric: &Metric, judged: JudgedRatio) -> JudgedRatio {
        let is_judged = !self.has_no_verdict(metric);
        let JudgedRatio { significant, fragile, .. } = judged;
        JudgedRatio { significant: significant && is_judged, fragile: fragile && is_judged, ..judged }
    }

    pub fn better(&self, metric: &Metric) -> Better {
        if self.has_no_verdict(metric) { Better::Neither } else { metric.better() }
    }

    pub fn base(&self, line: usize) -> Option<&Line> {
        self.lines[line].base.map(|base| &self.lines[base])
    }

    pub fn baseline(&self) -> Option<&Line> {
        let mut baselines = self.lines.iter().filter(|line| line.is_baseline);
        match (baselines.next(), baselines.next()) {
            (single, None) => single,
            _ => None,
        }
    }
}

/// Adds the measure of one metric to every line. The measure contains the line's total and the
/// line's ratio to its baseline. `bases` contains the searches of each line's baseline. Returns the
/// family of all ratios that are tested together.
fn add_measures(lines: &mut [Line], reader: &MetricReader<'_>, bases: &[Option<&BaseSearches<'_>>]) -> Family {
    let searches = reader.searches;
    let pairs: Vec<Pairs> = par_map(lines.len(), searches.list.len(), |index| {
        bases[index].map_or_else(Pairs::default, |base| base.pairs(index))
    });
    // A baseline is not tested against itself.
    let tested_logs = |(line, pairs): (&Line, &Pairs)| if line.is_baseline { Vec::new() } else { pairs.logs() };
    let logs: Vec<_> = lines.iter().zip(&pairs).map(tested_logs).collect();
    let family = Family::from_samples(&logs);
    for (index, ((judged, pairs), line)) in family.lines.iter().zip(&pairs).zip(lines).enumerate() {
        let mut measure = Measure::new(reader.group_total(index), *judged, pairs);
        if line.is_baseline && !measure.value.is_nan() {
            measure = Measure { ratio: Ratio::identity(pairs.list.len()), truncated: 0, incomparable: 0, ..measure };
        }
        line.measures.push(measure);
    }
    family
}

/// The rivals are the lines other than the baseline. If the baseline has no table, only lines with
/// a table are rivals. `baselines` contains the index of each line's baseline.
fn rival_samples(
    lines: &[Line],
    reader: &MetricReader<'_>,
    grouping: &Grouping,
    baselines: &[Option<usize>],
) -> Option<Vec<Logs>> {
    let bases: Vec<usize> = (0..lines.len()).filter(|&index| lines[index].is_baseline).collect();
    let [base] = bases[..] else { return None };
    let base_has_no_table = lines[base].sum(columns::PROBES) == 0.0;
    let is_rival = |index: &usize| {
        let line = &lines[*index];
        let is_candidate = if base_has_no_table { line.sum(columns::PROBES) > 0.0 } else { *index != base };
        is_candidate && baselines[*index] == Some(base) && !line.ratio().mean.is_nan()
    };
    let rivals: Vec<usize> = (0..lines.len()).filter(is_rival).collect();
    let mean_ratio = |index: usize| lines[index].ratio().mean;
    let best = rivals.iter().copied().min_by(|&a, &b| mean_ratio(a).total_cmp(&mean_ratio(b)))?;
    let best_searches = BaseSearches::new(reader, grouping, best);
    let others = rivals.iter().filter(|index| **index != best);
    let samples: Vec<Logs> = others.map(|index| best_searches.pairs(*index).logs()).collect();
    (!samples.is_empty()).then_some(samples)
}

/// Sets [`Line::other_scores`] of each line. The first number counts the searches that end at the
/// same depth as the baseline's search, but with another score. The second number counts all
/// searches that end at the same depth.
fn count_other_scores(lines: &mut [Line], searches: &Searches, frame: &Frame, bases: &[Option<&BaseSearches<'_>>]) {
    let score = Metric::from_column(columns::SCORE);
    let reader = MetricReader::new(searches, &score, frame);
    let counts = par_map(lines.len(), searches.list.len(), |index| {
        bases[index].map(|base| base.count_differing_ends(index, &reader))
    });
    for (line, counts) in lines.iter_mut().zip(counts) {
        line.other_scores = counts.unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two positions are searched to depth 2, each with a table of 8 slots. The first iteration
    /// stores 4 entries and the second 12; 4 and 2 of them fill a free slot. The rows of the second
    /// depth alone do not cover the whole life of a table.
    #[test]
    fn pressure_is_unknown_if_rows_of_a_table_are_filtered_out() {
        let rows = ["1,20,4,4,8,4", "2,90,12,2,8,6"];
        let compute_pressure = |rows: &[&str]| {
            let mut text = "variant,position,depth,search.nodes,table.stores,table.fills,slots,entries\n".to_owned();
            ["p", "q"].iter().for_each(|position| rows.iter().for_each(|row| text += &format!("v,{position},{row}\n")));
            let frame = Frame::parse(text.as_bytes(), "rows").unwrap();
            Summary::new(&frame, &Question::by_variant(&[], None)).unwrap().lines[0].pressure
        };
        assert_eq!(compute_pressure(&rows), 2.0);
        assert_eq!(compute_pressure(&rows[..1]), 0.5);
        assert!(compute_pressure(&rows[1..]).is_nan());
    }

    /// Two searches that were stopped at depth 2 are compared at depth 1. The baseline, which is
    /// compared with itself, does not count as truncated.
    #[test]
    fn baseline_is_as_deep_as_itself() {
        let rows = "a,p,1,true,20\na,p,2,false,30\nb,p,1,true,10\nb,p,2,false,40\na,q,1,false,50\nb,q,1,false,50\n";
        let frame =
            Frame::parse(format!("variant,position,depth,finished,search.nodes\n{rows}").as_bytes(), "rows").unwrap();
        let summary = Summary::new(&frame, &Question::by_variant(&[], Some("a"))).unwrap();
        let describe = |line: &Line| {
            (line.name.clone(), line.measures[0].ratio.mean, line.measures[0].truncated, line.measures[0].incomparable)
        };
        let descriptions: Vec<_> = summary.lines.iter().map(describe).collect();
        assert_eq!(descriptions, [("a".to_owned(), 1.0, 0, 0), ("b".to_owned(), 0.5, 1, 1)]);
    }

    /// A mean is taken over the searches that have a value; a rate is a ratio of sums.
    #[test]
    fn mean_is_over_searches_with_a_value() {
        let rows = "v,p,10,4,8,1\nv,q,30,4,2,3\nv,r,5,,,\n";
        let text = format!(
            "variant,position,search.nodes,slots,table.probes,table.hits,depth\n{}",
            rows.replace('\n', ",1\n")
        );
        let frame = Frame::parse(text.as_bytes(), "rows").unwrap();
        let value_of = |name: &str| {
            let metrics = vec![Metric::find(name, &frame).unwrap()];
            let question = Question { metrics, ..Question::by_variant(&[], None) };
            Summary::new(&frame, &question).unwrap().lines[0].measures[0].value
        };
        assert_eq!((value_of("nodes"), value_of("slots")), (45.0, 4.0));
        let with_tables = frame.take(&[0, 1]);
        let metrics = vec![Metric::find("hit_rate", &with_tables).unwrap()];
        let question = Question { metrics, ..Question::by_variant(&[], None) };
        // 4 of 10, not the mean of 1/8 and 3/2.
        assert_eq!(Summary::new(&with_tables, &question).unwrap().lines[0].measures[0].value, 0.4);
    }

    /// A line without a table, however noisy, does not affect the power among lines with a table.
    #[test]
    fn rivals_are_the_lines_with_a_table() {
        let power_with = |has_noisy_line: bool| {
            let mut text = "variant,position,depth,search.nodes,table.probes\n".to_owned();
            for index in 0..12_u32 {
                let noisy_nodes = if index % 2 == 0 { 10 } else { 100_000 };
                text += &format!(
                    "none,p{index},1,1000,0\nx,p{index},1,{},5\ny,p{index},1,{},5\n",
                    500 + index % 3,
                    510 + index % 2
                );
                if has_noisy_line {
                    text += &format!("bare,p{index},1,{noisy_nodes},0\n");
                }
            }
            let frame = Frame::parse(text.as_bytes(), "rows").unwrap();
            Summary::new(&frame, &Question::by_variant(&[], None)).unwrap().power
        };
        let (without_noisy, with_noisy) = (power_with(false), power_with(true));
        assert!(without_noisy.is_among_rivals, "{without_noisy:?}");
        assert!(without_noisy.detectable < 0.09, "{without_noisy:?}");
        assert!(with_noisy.is_among_rivals, "{with_noisy:?}");
        assert!(with_noisy.lines == without_noisy.lines + 1, "{with_noisy:?}");
        // The line only adds a comparison, which lowers the level.
        assert!((with_noisy.needed / without_noisy.needed - 1.0).abs() < 0.2, "{with_noisy:?} {without_noisy:?}");
    }

    /// Two of three searches have tables of 8 slots with 2 and 6 entries at the end, so they are
    /// half full. The third has no table; other repeats do not count.
    #[test]
    fn hashfull_is_averaged_over_searches_with_a_table() {
        let rows = "v,p,0,1,9,8,2,true\nv,q,0,1,9,8,6,false\nv,r,0,1,9,,,\nv,q,1,1,9,8,8,true\nw,p,0,1,9,,,\n";
        let text = format!("variant,position,repeat,depth,search.nodes,slots,entries,solved\n{rows}");
        let frame = Frame::parse(text.as_bytes(), "t").unwrap();
        let lines = Summary::new(&frame, &Question::by_variant(&[], None)).unwrap().lines;
        assert_eq!((lines[0].searches, lines[0].hashfull, lines[0].solved), (3, 500.0, (1, 2)));
        assert!(lines[1].hashfull.is_nan());
        assert!(lines[1].solved == (0, 0));
    }

    /// A search counts once, by its first repeat that did not fail and was not filtered out.
    #[test]
    fn first_available_repeat_counts() {
        let rows = "v,p,0,1,0,why\nv,p,1,1,5,\nv,p,2,1,5,\nv,q,2,1,7,\nv,q,1,1,7,\nw,p,0,1,3,\nw,p,1,1,3,\n";
        let text = format!("variant,position,repeat,depth,search.nodes,error\n{rows}");
        let frame = Frame::parse(text.as_bytes(), "t").unwrap();
        let lines = Summary::new(&frame, &Question::by_variant(&[], None)).unwrap().lines;
        let counts: Vec<(usize, f64)> = lines.iter().map(|line| (line.searches, line.measures[0].value)).collect();
        assert_eq!(counts, [(2, 12.0), (1, 3.0)]);
    }

    /// Intervals of rates use only first searches, so other repeats change nothing.
    #[test]
    fn repeats_do_not_affect_rates() {
        let hit_statistics = |repeats: bool| {
            let mut text = "variant,position,repeat,depth,search.nodes,table.probes,table.hits\n".to_owned();
            for index in 0..9_u32 {
                text += &format!("v,p{index},0,1,9,100,{}\n", 30 + index * index % 7);
                if repeats {
                    text += &format!("v,p{index},1,1,9,100,90\n");
                }
            }
            let frame = Frame::parse(text.as_bytes(), "t").unwrap();
            let lines = Summary::new(&frame, &Question::by_variant(&[], None)).unwrap().lines;
            (lines[0].interval(columns::HITS), lines[0].sum(columns::HITS))
        };
        let (single, repeated) = (hit_statistics(false), hit_statistics(true));
        let ((low, high), _) = single;
        assert!(low < high, "{single:?} {repeated:?}");
        assert!(single == repeated, "{single:?} {repeated:?}");
    }

    /// Rivals are compared with the best of them: the power is the same as if the best were the
    /// baseline and there were no line without a table.
    #[test]
    fn rivals_are_compared_with_the_best_of_them() {
        let power_with = |with_none: bool| {
            let mut text = "variant,position,depth,search.nodes,table.probes\n".to_owned();
            for index in 0..12_u32 {
                if with_none {
                    text += &format!("none,p{index},1,1000,0\n");
                }
                let spread = 700 + 90 * (index % 4);
                text += &format!(
                    "x,p{index},1,{},5\ny,p{index},1,{},5\nz,p{index},1,{spread},5\n",
                    500 + index % 3,
                    510 + index % 2
                );
            }
            let frame = Frame::parse(text.as_bytes(), "rows").unwrap();
            Summary::new(&frame, &Question::by_variant(&[], None)).unwrap().power
        };
        let (rivals, among_rivals) = (power_with(true), power_with(false));
        assert!(rivals.is_among_rivals);
        assert!(!among_rivals.is_among_rivals);
        assert_eq!(rivals.detectable, among_rivals.detectable);
        assert!((rivals.needed / among_rivals.needed - 1.0).abs() < 0.2, "{rivals:?} {among_rivals:?}");
    }
}
