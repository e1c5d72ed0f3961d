//! How many searches have come to their end, or to the right move, within so many nodes: the curves that solvers are compared by.
//!
//! Source: Dolan and Moré, "Benchmarking optimization software with performance profiles", 2002; here over nodes, not over ratios.

use super::curves::{CurvePoint, Series};
#[cfg(test)]
use super::summary::Question;
use super::summary::Summary;
use crate::analysis::pairing::searches::{IterationRow, Searches};
use crate::analysis::rows::frame::Frame;
use crate::analysis::rows::grouping::Grouping;
use crate::record::columns;

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
pub fn within(
    frame: &Frame,
    summary: &Summary,
    (grouping, searches): (&Grouping, &Searches),
    lines: &[usize],
    counted: Counted,
) -> Vec<Series> {
    let (finished, solved) = (frame.coded(columns::FINISHED), frame.coded(columns::SOLVED));
    let nodes = frame.numbers(columns::NODES);
    // The nodes that a search took, none where it never got there; nothing of a search that is not counted.
    let taken = |steps: &[IterationRow]| -> Option<Option<f64>> {
        let last = steps.last()?.row as usize;
        let total = |steps: &[IterationRow]| steps.iter().map(|step| nodes[step.row as usize]).sum::<f64>();
        let found = match counted {
            Counted::Finished => (finished.at(last) != "false").then(|| total(steps)),
            Counted::Solved if solved.at(last).is_empty() => return None,
            Counted::Solved => {
                let right = steps.iter().rev().take_while(|step| solved.at(step.row as usize) == "true").count();
                (right > 0).then(|| total(&steps[..=steps.len() - right]))
            }
        };
        Some(found.filter(|nodes| nodes.is_finite() && *nodes > 0.0))
    };
    let series = lines.iter().filter_map(|&at| {
        let line = &summary.lines[at];
        let group = grouping.find(&line.values)?;
        let first = searches.cells(group).iter().map(|cell| searches.repeats(cell)[0]);
        let first = first.filter(|&search| searches.list[search as usize].is_first);
        let all: Vec<Option<f64>> = first.filter_map(|search| taken(searches.steps(search))).collect();
        let mut there: Vec<f64> = all.iter().copied().flatten().collect();
        there.sort_by(f64::total_cmp);
        let step = there.len().div_ceil(POINTS).max(1);
        let shown = |place: &usize| *place == 0 || *place + 1 == there.len() || (*place + 1).is_multiple_of(step);
        let points = (0..there.len()).filter(shown).map(|place| {
            let label = format!("{} of {} searches", place + 1, all.len());
            CurvePoint::bare(there[place], (place + 1) as f64 / all.len() as f64, label)
        });
        let points: Vec<CurvePoint> = points.collect();
        (points.len() > 1).then(|| Series { name: line.name.clone(), line: Some(at), points })
    });
    series.collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// 401 searches, the n-th of n nodes in two depths: every third is shown, and the first and the last. One that was cut short never gets there, and
    /// counts among all.
    #[test]
    fn a_curve_has_its_ends() {
        let row = |at: u32, depth: u32, nodes: u32, finished: bool| format!("v,p{at},{depth},{nodes},{finished}\n");
        let rows: String = (1..=401).flat_map(|at| [row(at, 1, 1, true), row(at, 2, at - 1, true)]).collect();
        let rows = rows + &row(402, 1, 1, true) + &row(402, 2, 9, false);
        let text = format!("variant,position,depth,search.nodes,finished\n{rows}");
        let frame = Frame::parse(text.as_bytes(), "t").unwrap();
        let (summary, grouping, searches) = Summary::with_searches(&frame, &Question::by_variant(&[], None)).unwrap();
        let series = within(&frame, &summary, (&grouping, &searches), &[0], Counted::Finished);
        let points = &series[0].points;
        let expected: Vec<u32> = [1].into_iter().chain((3..=399).step_by(3)).chain([401]).collect();
        assert_eq!(
            points.iter().map(|point| point.x).collect::<Vec<_>>(),
            expected.iter().map(|&at| f64::from(at)).collect::<Vec<_>>()
        );
        assert!(points.iter().all(|point| (point.y - point.x / 402.0).abs() < 1e-12));
        assert_eq!(points[133].label, "399 of 402 searches");
        // Nothing is to be solved here.
        assert!(within(&frame, &summary, (&grouping, &searches), &[0], Counted::Solved).is_empty());
    }

    /// Of four searches the suite names the move of three: two found it, after 5 and 30 nodes, the third lost it again. The fourth counts for nothing.
    #[test]
    fn only_what_can_be_solved_is_counted() {
        let rows = "v,p,1,5,true\nv,p,2,50,true\nv,q,1,10,false\nv,q,2,20,true\nv,r,1,1,true\nv,r,2,1,false\nv,s,1,1,\nv,s,2,1,\n";
        let text = format!("variant,position,depth,search.nodes,solved\n{rows}");
        let frame = Frame::parse(text.as_bytes(), "t").unwrap();
        let (summary, grouping, searches) = Summary::with_searches(&frame, &Question::by_variant(&[], None)).unwrap();
        let series = within(&frame, &summary, (&grouping, &searches), &[0], Counted::Solved);
        let points: Vec<(f64, f64, &str)> = series[0].points.iter().map(|at| (at.x, at.y, at.label.as_str())).collect();
        assert_eq!(points, [(5.0, 1.0 / 3.0, "1 of 3 searches"), (30.0, 2.0 / 3.0, "2 of 3 searches")]);
    }
}
