//! How many searches have come to their end, or to the right move, within so many nodes: the curves that solvers are compared by.
//!
//! Source: Dolan and Moré, "Benchmarking optimization software with performance profiles", 2002; here over nodes, not over ratios.

use super::curves::{Point, Series};
use super::summary::Summary;
use crate::analysis::rows::column::SEED;
use crate::analysis::rows::frame::Frame;
use crate::analysis::rows::grouping::Grouping;
use crate::record::columns;
use std::collections::BTreeMap;

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// Searches that finished their last depth.
    Finished,
    /// Searches that have found a move the suite names, and keep to it; of those where it names one.
    Solved,
}

/// Points of a curve at most: what lies between two of them is less than can be seen.
const POINTS: usize = 200;

/// The share of each line's searches by the nodes that they have taken, for the lines given; empty where there is nothing to count.
#[must_use]
pub fn within(frame: &Frame, summary: &Summary, lines: &[usize], counted: Counted) -> Vec<Series> {
    let grouping = Grouping::new(frame, &summary.by);
    let [repeats, seeds, depths, nodes] =
        [columns::REPEAT, SEED, columns::DEPTH, columns::NODES].map(|name| frame.numbers(name));
    let (finished, errors) = (frame.coded(columns::FINISHED), frame.coded(columns::ERROR));
    let (solved, units) = (frame.coded(columns::SOLVED), frame.coded(columns::POSITION));
    let mut searches: BTreeMap<(u32, u32, u32), Vec<(f64, usize)>> = BTreeMap::new();
    for row in 0..frame.rows() {
        let again = repeats[row] > 0.0 || seeds[row] > 0.0;
        if !again && errors.at(row).is_empty() {
            let key = (grouping.group[row], grouping.block[row], units.codes()[row]);
            searches.entry(key).or_default().push((depths[row], row));
        }
    }
    // The nodes that each search of a group took; none where it never got there.
    let mut taken: BTreeMap<u32, Vec<Option<f64>>> = BTreeMap::new();
    for ((group, ..), mut steps) in searches {
        steps.sort_by(|a, b| a.0.total_cmp(&b.0));
        let Some(&(_, last)) = steps.last() else { continue };
        let total = |steps: &[(f64, usize)]| steps.iter().map(|&(_, row)| nodes[row]).sum::<f64>();
        let found = match counted {
            Counted::Finished => (finished.at(last) != "false").then(|| total(&steps)),
            Counted::Solved if solved.at(last).is_empty() => continue,
            Counted::Solved => {
                let right = steps.iter().rev().take_while(|(_, row)| solved.at(*row) == "true").count();
                (right > 0).then(|| total(&steps[..=steps.len() - right]))
            }
        };
        taken.entry(group).or_default().push(found.filter(|nodes| nodes.is_finite() && *nodes > 0.0));
    }
    let series = lines.iter().filter_map(|&at| {
        let line = &summary.lines[at];
        let group = grouping.values.iter().position(|values| *values == line.values)? as u32;
        let all = taken.get(&group)?;
        let mut there: Vec<f64> = all.iter().copied().flatten().collect();
        there.sort_by(f64::total_cmp);
        let step = there.len().div_ceil(POINTS).max(1);
        let shown = |place: &usize| *place == 0 || *place + 1 == there.len() || (*place + 1).is_multiple_of(step);
        let points = (0..there.len()).filter(shown).map(|place| Point {
            x: there[place],
            y: (place + 1) as f64 / all.len() as f64,
            low: f64::NAN,
            high: f64::NAN,
            label: format!("{} of {} searches", place + 1, all.len()),
        });
        let points: Vec<Point> = points.collect();
        (points.len() > 1).then(|| Series { name: line.name.clone(), line: Some(at), points })
    });
    series.collect()
}
