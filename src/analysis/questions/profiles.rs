//! Computes performance profiles. A profile shows the share of searches that have finished, or have
//! found the right move, within a number of nodes.
//!
//! Source: Dolan and Moré, "Benchmarking optimization software with performance profiles", 2002.
//! The profiles in the source are over ratios, and the profiles here are over nodes.

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
    /// Searches that found a move that the suite names, and kept this move to the end. Positions
    /// for which the suite names no move are left out.
    Solved,
}

/// The largest number of points of a curve.
const MAX_POINTS: usize = 200;

/// Returns one profile for each of the given lines. A profile shows, for each number of nodes, the
/// share of the line's searches that reached the outcome within this number. Profiles with fewer
/// than two points are left out.
pub fn performance_profiles(
    frame: &Frame,
    summary: &Summary,
    (grouping, searches): (&Grouping, &Searches),
    lines: &[usize],
    outcome: Outcome,
) -> Vec<Series> {
    let (finished, solved) = (frame.text_column(columns::FINISHED), frame.text_column(columns::SOLVED));
    let nodes = frame.numbers(columns::NODES);
    // Returns the number of nodes that a search needed to reach the outcome. Returns `Some(None)`
    // if the search did not reach the outcome, and `None` if the search is left out.
    let nodes_to_outcome = |iterations: &[IterationRow]| -> Option<Option<f64>> {
        let last_row = iterations.last()?.row as usize;
        let sum_nodes = |part: &[IterationRow]| part.iter().map(|iteration| nodes[iteration.row as usize]).sum::<f64>();
        let nodes_taken = match outcome {
            Outcome::Finished => (finished.text(last_row) != "false").then(|| sum_nodes(iterations)),
            Outcome::Solved if solved.text(last_row).is_empty() => return None,
            Outcome::Solved => {
                // A search is solved by the first iteration that has a right move, if all later
                // iterations have a right move too.
                let is_solved = |iteration: &&IterationRow| solved.text(iteration.row as usize) == "true";
                let solved_iterations = iterations.iter().rev().take_while(is_solved).count();
                (solved_iterations > 0).then(|| sum_nodes(&iterations[..=iterations.len() - solved_iterations]))
            }
        };
        Some(nodes_taken.filter(|nodes| nodes.is_finite() && *nodes > 0.0))
    };
    let series = lines.iter().filter_map(|&index| {
        let line = &summary.lines[index];
        let group = grouping.find(&line.values)?;
        let first_repeats = searches.cells(group).iter().map(|cell| searches.repeats(cell)[0]);
        let first_searches = first_repeats.filter(|&search| searches.list[search as usize].is_in_totals);
        let nodes_by_search: Vec<Option<f64>> =
            first_searches.filter_map(|search| nodes_to_outcome(searches.iterations(search))).collect();
        let search_count = nodes_by_search.len();
        let mut reached_nodes: Vec<f64> = nodes_by_search.into_iter().flatten().collect();
        reached_nodes.sort_by(f64::total_cmp);
        let step = reached_nodes.len().div_ceil(MAX_POINTS).max(1);
        let is_shown = |count: &usize| *count == 1 || *count == reached_nodes.len() || count.is_multiple_of(step);
        let points = (1..=reached_nodes.len()).filter(is_shown).map(|count| {
            let label = format!("{count} of {search_count} searches");
            CurvePoint::without_interval(reached_nodes[count - 1], count as f64 / search_count as f64, label)
        });
        let points: Vec<CurvePoint> = points.collect();
        (points.len() > 1).then(|| Series { name: line.name.clone(), line: Some(index), points })
    });
    series.collect()
}

#[cfg(test)]
mod tests {
    use super::super::summary::Question;
    use super::*;

    /// The n-th of 401 searches needs n nodes for two depths. The curve shows every third search,
    /// the first and the last. A search that was stopped counts only in the total.
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

    /// The suite names a move for three searches: two found it, after 5 and 30 nodes, and the third
    /// found it but then chose another move. The fourth search is left out.
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
