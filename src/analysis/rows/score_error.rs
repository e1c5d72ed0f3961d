//! Adds the column `score_error`: the distance between the score of a search and the score of a
//! reference search. The reference search is made by the same engine with far more nodes and a
//! table that is never full.

use super::frame::Frame;
use crate::record::columns;
use crate::record::reference::{Judgement, is_no_move};
use std::collections::HashMap;

/// Adds the column `score_error`. The errors are in centipawns and at most `max_error`. The error
/// of a row is NaN if the reference did not search the position, or if the row has no best move and
/// therefore no score.
pub fn add_score_error(frame: &mut Frame, judgements: &[Judgement], max_error: u32) {
    // A judgement without a move is the judgement of the position itself.
    let position_judgements = judgements.iter().filter(|judgement| judgement.mv.is_empty());
    let reference_scores: HashMap<&str, i32> =
        position_judgements.map(|judgement| (judgement.position.as_str(), judgement.score)).collect();
    let [positions, best_moves] = [columns::POSITION, columns::BEST].map(|name| frame.text_column(name).into_owned());
    let scores = frame.numbers(columns::SCORE);
    frame.set_numbers(columns::SCORE_ERROR, |row| match reference_scores.get(positions.text(row)) {
        Some(&reference_score) if !is_no_move(best_moves.text(row)) => {
            (scores[row] - f64::from(reference_score)).abs().min(f64::from(max_error))
        }
        _ => f64::NAN,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The reference score is 50: a score of 30 has an error of 20, and the errors of the other
    /// scores are capped at 100. Position q has no reference, and a search without a move has no
    /// score.
    #[test]
    fn score_error_is_capped_on_both_sides() {
        let rows = "variant,position,depth,search.nodes,best,score\na,p,1,9,e2e4,30\na,p,2,9,e2e4,150\nb,p,1,9,e2e4,400\nb,p,2,9,e2e4,-400\n\
                    a,q,1,9,e2e4,1\nb,p,3,9,0000,0\n";
        let mut frame = Frame::parse(rows.as_bytes(), "t").unwrap();
        let judgement = |mv: &str, score: i32| Judgement {
            reference: "r-1".to_owned(),
            position: "p".to_owned(),
            mv: mv.to_owned(),
            best: String::new(),
            score,
            nodes: None,
        };
        add_score_error(&mut frame, &[judgement("e2e4", 7), judgement("", 50)], 100);
        let errors = frame.numbers(columns::SCORE_ERROR);
        assert_eq!(errors[..4], [20.0, 100.0, 100.0, 100.0]);
        assert!(errors[4..].iter().all(|error| error.is_nan()), "{errors:?}");
    }
}
