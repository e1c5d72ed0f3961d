//! A view in which the reader compares any two variants position by position. A browser shows a
//! scatter plot and a table. Programs get a table of searches by variant.

use crate::analysis::pairing::metric_reader::{Depths, MetricReader};
use crate::analysis::pairing::searches::Searches;
use crate::analysis::questions::curves;
use crate::analysis::rows::grouping::Grouping;
use crate::analysis::{Frame, Summary};
use crate::record::columns;
use crate::text::plural;
use maud::{Markup, PreEscaped, html};
use serde::Serialize;
use std::collections::BTreeMap;

/// The maximum number of values on a page. A page with more values would be slow to load.
const MAX_VALUES: usize = 60_000;

/// The heading of the view.
pub(super) const TITLE: &str = "Two variants, position by position";

/// The searches of some lines of the summary.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Explorer {
    /// The name of the suite. Empty unless the page has a section for each of several suites.
    pub suite: String,
    /// The metric of the values.
    pub metric: String,
    /// The names of the lines.
    pub lines: Vec<String>,
    /// The index of each line in the summary.
    #[serde(rename = "places")]
    pub summary_indices: Vec<usize>,
    /// The index in `lines` of the line with which the other lines are compared at first.
    pub base: usize,
    /// The names of the positions.
    pub positions: Vec<String>,
    /// The values of each line, one for each position, under the first key seed. A value is `None`
    /// if the line has no such search.
    pub values: Vec<Vec<Option<f64>>>,
    /// Number of positions left out because not all of their searches finished the same depths.
    pub left_out: usize,
    /// Whether there are several key seeds.
    #[serde(rename = "seeds")]
    pub has_seeds: bool,
}

impl Explorer {
    /// Makes the explorer of a page. If there are too many values, only the lines that figures show
    /// are included. Returns `None` if lines are not variants or cannot be compared, if there are
    /// fewer than two lines or positions, or if there are still too many values.
    pub fn new(rows: &Frame, summary: &Summary, (grouping, searches): (&Grouping, &Searches)) -> Option<Self> {
        if summary.by != [columns::VARIANT] || summary.lines.len() < 2 || grouping.blocks.len() > 1 {
            return None;
        }
        let metric = summary.metrics.first()?;
        let reader = MetricReader::new(searches, metric, rows);
        let group_of = |line: usize| grouping.values.iter().position(|values| *values == summary.lines[line].values);
        let names = rows.text_column(columns::POSITION);
        let searches_of = |line: usize| group_of(line).map_or(&[][..], |group| searches.cells(group)).iter();
        // For each position, the last depth of its searches. The depth is `None` if the searches
        // ended at different depths or if a search was cut short, because the totals of such
        // searches cannot be compared.
        let mut depths: BTreeMap<u32, Option<u16>> = BTreeMap::new();
        for cell in (0..summary.lines.len()).flat_map(searches_of) {
            let last_depth = searches
                .iterations(searches.repeats(cell)[0])
                .last()
                .filter(|step| step.finished)
                .map(|step| step.depth);
            let common_depth = depths.entry(cell.unit).or_insert(last_depth);
            *common_depth = common_depth.filter(|depth| Some(*depth) == last_depth);
        }
        let left_out = depths.values().filter(|depth| depth.is_none()).count();
        let comparable = depths.into_iter().filter(|(_, depth)| depth.is_some());
        // The index of each position in `values`. The key is the position's code in its column.
        let positions: BTreeMap<u32, usize> = comparable.zip(0..).map(|((unit, _), index)| (unit, index)).collect();
        let fits = |line_count: usize| line_count * positions.len() <= MAX_VALUES;
        let summary_indices: Vec<usize> = match fits(summary.lines.len()) {
            true => (0..summary.lines.len()).collect(),
            false => curves::choose_lines(summary),
        };
        if positions.len() < 2 || !fits(summary_indices.len()) {
            return None;
        }
        let values = summary_indices.iter().map(|&line| {
            let mut values = vec![None; positions.len()];
            for cell in searches_of(line).filter(|cell| cell.seed == 0) {
                if let Some(&index) = positions.get(&cell.unit) {
                    values[index] = Some(reader.cell_value(cell, &Depths::All)).filter(|value| value.is_finite());
                }
            }
            values
        });
        Some(Self {
            suite: String::new(),
            metric: metric.name.clone(),
            lines: summary_indices.iter().map(|&line| summary.lines[line].name.clone()).collect(),
            base: summary_indices.iter().position(|&line| summary.lines[line].is_baseline).unwrap_or(0),
            positions: positions.keys().map(|&unit| names.list()[unit as usize].clone()).collect(),
            values: values.collect(),
            left_out,
            has_seeds: (0..summary.lines.len()).flat_map(searches_of).any(|cell| cell.seed > 0),
            summary_indices,
        })
    }

    /// Returns the key of a part of the view. The key begins with the suite's name if there are
    /// several suites.
    pub fn key(&self, part: &str) -> String {
        if self.suite.is_empty() { part.to_owned() } else { format!("{}.{part}", self.suite) }
    }

    /// Renders a section of the page, with the data from which a script draws the plot.
    pub fn markup(&self) -> Markup {
        // The data is escaped so that no name can end the script element.
        let data = serde_json::to_string(self).unwrap_or_default();
        let data = data.replace('&', "\\u0026").replace('<', "\\u003c").replace('>', "\\u003e");
        html! {
            section.explore id=(self.key("explore")) {
                h2 { (TITLE) @if !self.suite.is_empty() { ", " (self.suite) } }
                p.note {
                    "Choose any two variants. Each dot is a position. The first variant needs more " (self.metric) " for dots further right, the second for dots further up. Below the dashed line, the second variant needs fewer. \
                     The arrow behind a variant's name in the summary leads here too."
                    @if self.has_seeds {
                        " Only searches under the first key seed are shown, so the mean here may differ from the mean in the summary, which covers all key seeds."
                    }
                    @if self.left_out > 0 {
                        " " (plural(self.left_out, "position")) " left out, because not all searches finished the same depths there. The summary compares two variants in \
                         each position where both finished the same depths."
                    }
                }
                script type="application/json" { (PreEscaped(data)) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Line, Metric, Question};

    /// The explorer of searches given as variant, position and nodes; the second variant is the
    /// baseline.
    fn explored(searches: &[(&str, &str, u32)]) -> Option<Explorer> {
        let mut rows = "variant,position,depth,search.nodes\n".to_owned();
        searches.iter().for_each(|(variant, position, nodes)| rows += &format!("{variant},{position},1,{nodes}\n"));
        let frame = Frame::parse(rows.as_bytes(), "t").unwrap();
        let baseline = searches.iter().map(|search| search.0).find(|name| *name != searches[0].0);
        let question = Question::by_variant(&[], baseline);
        let (summary, grouping, gathered) = Summary::with_searches(&frame, &question).unwrap();
        Explorer::new(&frame, &summary, (&grouping, &gathered))
    }

    #[test]
    fn two_lines_on_two_positions_have_an_explorer() {
        let explorer = explored(&[("a", "p", 1), ("a", "q", 2), ("b", "q", 4), ("c", "p", 5), ("c", "q", 6)]).unwrap();
        assert_eq!(
            (explorer.metric.as_str(), explorer.lines, explorer.summary_indices, explorer.base),
            ("nodes", ["a", "b", "c"].map(str::to_owned).to_vec(), vec![0, 1, 2], 1)
        );
        assert_eq!(explorer.positions, ["p", "q"]);
        assert_eq!(explorer.values, [vec![Some(1.0), Some(2.0)], vec![None, Some(4.0)], vec![Some(5.0), Some(6.0)]]);
        assert!(explored(&[("a", "p", 1), ("a", "q", 2), ("b", "p", 4), ("b", "q", 5)]).is_some());
        assert_eq!(explored(&[("a", "p", 1), ("b", "p", 2), ("c", "p", 3)]), None, "one position");
        assert_eq!(explored(&[("a", "p", 1), ("a", "q", 2), ("a", "r", 3)]), None, "one line");
    }

    #[test]
    fn search_of_first_seed_has_the_only_value() {
        let values_of = |header: &str, rows: &[&str], metric: &str| {
            let text = format!("variant,position,depth,search.nodes,{header}\n{}\n", rows.join("\n"));
            let frame = Frame::parse(text.as_bytes(), "t").unwrap();
            let metrics = vec![Metric::find(metric, &frame).unwrap()];
            let question = Question { metrics, ..Question::by_variant(&[], None) };
            let (summary, grouping, gathered) = Summary::with_searches(&frame, &question).unwrap();
            Explorer::new(&frame, &summary, (&grouping, &gathered)).map(|explorer| explorer.values)
        };
        let seeds = ["a,p,1,1,0", "a,q,1,2,0", "a,p,1,100,1", "a,q,1,200,1", "b,p,1,3,0", "b,q,1,4,0"];
        let explorer = values_of(crate::analysis::rows::column::SEED, &seeds, "nodes");
        assert_eq!(explorer, Some(vec![vec![Some(1.0), Some(2.0)], vec![Some(3.0), Some(4.0)]]));
        // Without probes there is no rate.
        let rates = ["a,p,1,1,4,1", "a,q,1,2,0,0", "b,p,1,3,2,1", "b,q,1,4,4,4"];
        let header = format!("{},{}", columns::PROBES, columns::HITS);
        let explorer = values_of(&header, &rates, "hit_rate");
        assert_eq!(explorer, Some(vec![vec![Some(0.25), None], vec![Some(0.5), Some(1.0)]]));
    }

    #[test]
    fn positions_with_unequal_depths_are_left_out() {
        let explorer_of = |rows: &[&str]| {
            let text = format!("variant,position,depth,search.nodes,finished\n{}\n", rows.join("\n"));
            let frame = Frame::parse(text.as_bytes(), "t").unwrap();
            let (summary, grouping, gathered) =
                Summary::with_searches(&frame, &Question::by_variant(&[], None)).unwrap();
            Explorer::new(&frame, &summary, (&grouping, &gathered))
        };
        let uniform = ["a,p,1,1,true", "a,q,1,2,true", "b,p,1,3,true", "b,q,1,4,true"];
        let explorer = explorer_of(&uniform).unwrap();
        assert_eq!((explorer.positions.len(), explorer.left_out), (2, 0));
        assert!(!explorer.markup().into_string().contains("left out"));
        for more_rows in [&["a,r,1,5,true", "a,r,2,50,true", "b,r,1,6,true"][..], &["a,r,1,5,true", "b,r,1,6,false"]] {
            let explorer = explorer_of(&[&uniform[..], more_rows].concat()).unwrap();
            assert_eq!(
                (explorer.positions.clone(), explorer.left_out),
                (vec!["p".to_owned(), "q".to_owned()], 1),
                "{more_rows:?}"
            );
            assert_eq!(explorer.values, [vec![Some(1.0), Some(2.0)], vec![Some(3.0), Some(4.0)]]);
            assert!(
                explorer.markup().into_string().contains(" 1 position left out, because not all searches"),
                "{more_rows:?}"
            );
        }
        assert_eq!(
            explorer_of(&["a,p,1,1,true", "a,q,1,2,true", "b,p,2,3,true", "b,q,2,4,true"]),
            None,
            "nothing in common"
        );
    }

    /// 30 lines on 2,000 positions are 60,000 values.
    #[test]
    fn too_many_values_reduce_the_lines() {
        let lines_shown = |positions: usize| {
            let mut rows = "variant,position,depth,search.nodes\n".to_owned();
            (0..positions).for_each(|index| rows += &format!("v0,p{index},1,9\n"));
            let frame = Frame::parse(rows.as_bytes(), "t").unwrap();
            let by = vec![columns::VARIANT.to_owned()];
            let grouping = Grouping::new(&frame, &by);
            let gathered = Searches::gather(&frame, &grouping, &[columns::NODES.to_owned()]);
            let line = |index: usize| Line {
                values: vec![format!("v{index}")],
                searches: 1,
                is_baseline: index == 17,
                ..Line::default()
            };
            let lines = (0..30).map(line).collect();
            let summary = Summary { by, lines, metrics: vec![Metric::nodes()], ..Summary::default() };
            let explorer = Explorer::new(&frame, &summary, (&grouping, &gathered))?;
            // The baseline's index is among the lines shown.
            assert_eq!(explorer.summary_indices[explorer.base], 17);
            Some(explorer.lines.len())
        };
        assert_eq!((lines_shown(2000), lines_shown(2001)), (Some(30), Some(curves::MAX_LINES)));
    }

    #[test]
    fn names_cannot_end_the_data_element() {
        let lines = vec!["</script><b>&".to_owned()];
        let page = Explorer { lines, ..Explorer::default() }.markup().into_string();
        assert!(page.contains("\\u003c/script\\u003e\\u003cb\\u003e\\u0026\""), "{page}");
    }
}
