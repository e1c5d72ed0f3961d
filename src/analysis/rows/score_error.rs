//! `score_error`: how far a search's score is from that of the same engine with far more nodes and a table that is never full.

use super::frame::Frame;
use crate::record::columns;
use crate::record::reference::{Judgement, is_no_move};
use std::collections::HashMap;

/// Lays the distance of each row's score from the judged one into the rows, cut at so many centipawns; none where nobody judged the position, or
/// the row has no score: no iteration was finished.
pub fn lay(frame: &mut Frame, judged: &[Judgement], cut: u32) {
    let scores: HashMap<&str, i32> =
        judged.iter().filter(|row| row.mv.is_empty()).map(|row| (row.position.as_str(), row.score)).collect();
    let [positions, bests] = [columns::POSITION, columns::BEST].map(|name| frame.coded(name).into_owned());
    let found = frame.numbers(columns::SCORE).into_owned();
    frame.put_numbers(columns::SCORE_ERROR, |row| match scores.get(positions.at(row)) {
        Some(&score) if !is_no_move(bests.at(row)) => (found[row] - f64::from(score)).abs().min(f64::from(cut)),
        _ => f64::NAN,
    });
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// By hand: 30 from 50 is 20 off; 400 is cut at 100, and so is what lies as far below; nobody judged q, and of a search without a move nothing
    /// is known.
    #[test]
    fn a_distance_is_cut_on_both_sides() {
        let rows = "variant,position,depth,search.nodes,best,score\na,p,1,9,e2e4,30\na,p,2,9,e2e4,150\nb,p,1,9,e2e4,400\nb,p,2,9,e2e4,-400\n\
                    a,q,1,9,e2e4,1\nb,p,3,9,0000,0\n";
        let mut frame = Frame::parse(rows.as_bytes(), "t").unwrap();
        let one = |mv: &str, score: i32| Judgement {
            reference: "r-1".to_owned(),
            position: "p".to_owned(),
            mv: mv.to_owned(),
            best: String::new(),
            score,
            nodes: None,
        };
        lay(&mut frame, &[one("e2e4", 7), one("", 50)], 100);
        let found = frame.numbers(columns::SCORE_ERROR);
        assert_eq!(found[..4], [20.0, 100.0, 100.0, 100.0]);
        assert!(found[4..].iter().all(|value| value.is_nan()), "{found:?}");
    }
}
