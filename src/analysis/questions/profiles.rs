//! Performance profiles: the share of searches that have finished, or found the right move, within
//! a number of nodes.
//!
//! Source: Dolan and Moré, "Benchmarking optimization software with performance profiles", 2002;
//! here over nodes, not over ratios.

use super::curves::{CurvePoint, Series};
use super::summary::Summary;
use crate::analysis::pairing::searches::{IterationRow, Searches};
use crate::analysis::rows::frame::Frame;
use crate::analysis::rows::grouping::Grouping;
use crate::record::columns;

/// The outcome that is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Searches that finished their last depth.
    Finished,
    /// Searches that have found a move the suite names, and keep it; only where the suite names
    /// one.
    Solved,
}

/// The largest number of points of a curve: more would not be visible.
const MAX_POINTS: usize = 200;

/// For each of the given lines the share of its searches by the nodes that they took; empty if
/// nothing can be counted.
pub fn performance_profiles(
    frame: &Frame,
    summary: &Summary,
    (grouping, searches): (&Grouping, &Searches),
    lines: &[usize],
    counted: Outcome,
) -> Vec<Series> {
    let (finished, solved) = (frame.text_column(columns::FINISHED), frame.text_column(columns::SOLVED));
    let nodes = frame.numbers(columns::NODES);
    // The nodes that a search took, none if it did not get there; nothing for a search that is not
    // counted.
    let nodes_taken = |steps: &[IterationRow]| -> Option<Option<f64>> {
        let last = steps.last()?.row as usize;
        let total = |steps: &[IterationRow]| steps.iter().map(|step| nodes[step.row as usize]).sum::<f64>();
        let found = match counted {
            Outcome::Finished => (finished.text(last) != "false").then(|| total(steps)),
            Outcome::Solved if solved.text(last).is_empty() => return None,
            Outcome::Solved => {
                let right = steps.iter().rev().take_while(|step| solved.text(step.row as usize) == "true").count();
                (right > 0).then(|| total(&steps[..=steps.len() - right]))
            }
        };
        Some(found.filter(|nodes| nodes.is_finite() && *nodes > 0.0))
    };
    let series = lines.iter().filter_map(|&index| {
        let line = &summary.lines[index];
        let group = grouping.find(&line.values)?;
        let first = searches.cells(group).iter().map(|cell| searches.repeats(cell)[0]);
        let first = first.filter(|&search| searches.list[search as usize].is_first);
        let all: Vec<Option<f64>> = first.filter_map(|search| nodes_taken(searches.steps(search))).collect();
        let mut reached: Vec<f64> = all.iter().copied().flatten().collect();
        reached.sort_by(f64::total_cmp);
        let step = reached.len().div_ceil(MAX_POINTS).max(1);
        let is_shown = |index: &usize| *index == 0 || *index + 1 == reached.len() || (*index + 1).is_multiple_of(step);
        let points = (0..reached.len()).filter(is_shown).map(|index| {
            let label = format!("{} of {} searches", index + 1, all.len());
            CurvePoint::without_interval(reached[index], (index + 1) as f64 / all.len() as f64, label)
        });
        let points: Vec<CurvePoint> = points.collect();
        (points.len() > 1).then(|| Series { name: line.name.clone(), line: Some(index), points })
    });
    series.collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::summary::Question;
    use super::*;

    /// 401 searches, the n-th of n nodes in two depths: every third is shown, with the first and
    /// the last. One that was stopped counts only in the total.
    #[test]
    fn profile_keeps_its_first_and_last_point() {
        let row =
            |index: u32, depth: u32, nodes: u32, finished: bool| format!("v,p{index},{depth},{nodes},{finished}\n");
        let rows: String =
            (1..=401).flat_map(|index| [row(index, 1, 1, true), row(index, 2, index - 1, true)]).collect();
        let rows = rows + &row(402, 1, 1, true) + &row(402, 2, 9, false);
        let text = format!("variant,position,depth,search.nodes,finished\n{rows}");
        let frame = Frame::parse(text.as_bytes(), "t").unwrap();
        let (summary, grouping, searches) = Summary::with_searches(&frame, &Question::by_variant(&[], None)).unwrap();
        let series = performance_profiles(&frame, &summary, (&grouping, &searches), &[0], Outcome::Finished);
        let points = &series[0].points;
        let expected: Vec<u32> = [1].into_iter().chain((3..=399).step_by(3)).chain([401]).collect();
        assert_eq!(
            points.iter().map(|point| point.x).collect::<Vec<_>>(),
            expected.iter().map(|&index| f64::from(index)).collect::<Vec<_>>()
        );
        assert!(points.iter().all(|point| (point.y - point.x / 402.0).abs() < 1e-12));
        assert_eq!(points[133].label, "399 of 402 searches");
        // The suite names no moves.
        assert!(performance_profiles(&frame, &summary, (&grouping, &searches), &[0], Outcome::Solved).is_empty());
    }

    /// The suite names the move of three searches: two found it, after 5 and 30 nodes, and the
    /// third lost it again. The fourth is not counted.
    #[test]
    fn only_searches_with_a_known_solution_are_counted() {
        let rows = "v,p,1,5,true\nv,p,2,50,true\nv,q,1,10,false\nv,q,2,20,true\nv,r,1,1,true\nv,r,2,1,false\nv,s,1,1,\nv,s,2,1,\n";
        let text = format!("variant,position,depth,search.nodes,solved\n{rows}");
        let frame = Frame::parse(text.as_bytes(), "t").unwrap();
        let (summary, grouping, searches) = Summary::with_searches(&frame, &Question::by_variant(&[], None)).unwrap();
        let series = performance_profiles(&frame, &summary, (&grouping, &searches), &[0], Outcome::Solved);
        let points: Vec<(f64, f64, &str)> =
            series[0].points.iter().map(|point| (point.x, point.y, point.label.as_str())).collect();
        assert_eq!(points, [(5.0, 1.0 / 3.0, "1 of 3 searches"), (30.0, 2.0 / 3.0, "2 of 3 searches")]);
    }
}
