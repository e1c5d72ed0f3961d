//! Decides which searcher's answer becomes the result if there are several searchers.

use super::threads::Answer;
use crate::chess::{Move, Score};

/// An iteration that a searcher has completed.
#[derive(Debug, Clone, PartialEq)]
pub struct CompletedIteration {
    pub depth: u8,
    pub score: Score,
    pub pv: Vec<Move>,
}

impl CompletedIteration {
    fn best_move(&self) -> Option<&Move> {
        self.pv.first()
    }
}

/// Collects the iterations that helpers complete, and decides whose answer becomes the result.
pub struct Answers {
    answer: Answer,
    /// The last iteration that each helper completed.
    completed_iterations: Vec<Option<CompletedIteration>>,
    /// The depth of the main searcher's current iteration.
    main_depth: u8,
}

impl Answers {
    /// Starts without any completed iterations.
    pub fn new(answer: Answer, helper_count: usize) -> Self {
        Self { answer, completed_iterations: vec![None; helper_count], main_depth: 0 }
    }

    /// Begins an iteration of the main searcher.
    pub fn begin_iteration(&mut self, depth: u8) {
        self.main_depth = depth;
    }

    /// Records the last iteration that a helper completed, if it has completed one.
    pub fn record_completed(&mut self, helper_index: usize, completed: Option<CompletedIteration>) {
        if completed.is_some() {
            self.completed_iterations[helper_index] = completed;
        }
    }

    /// Returns a helper's completed iteration, if it ends the main searcher's iteration early.
    ///
    /// Under `threads.answer = "first"`, a helper's iteration ends the main searcher's iteration if
    /// it is at least as deep. If several helpers have completed such an iteration, the shallowest
    /// of these iterations is returned. Under the other values of `threads.answer`, returns `None`.
    pub fn early_answer(&self) -> Option<&CompletedIteration> {
        if self.answer != Answer::First {
            return None;
        }
        let qualifying =
            self.completed_iterations.iter().flatten().filter(|completed| completed.depth >= self.main_depth);
        qualifying.min_by_key(|completed| completed.depth)
    }

    /// Returns the answer that replaces the answer of the main searcher, or `None` if the main
    /// searcher keeps its answer. `main` is the main searcher's iteration, if it was completed.
    pub fn replacement_answer(&self, main: Option<CompletedIteration>) -> Option<CompletedIteration> {
        match main {
            None => self.early_answer().cloned(),
            Some(main) if self.answer == Answer::Vote => {
                let helpers = self.completed_iterations.iter().flatten();
                let voters: Vec<&CompletedIteration> = std::iter::once(&main).chain(helpers).collect();
                elect(&voters).cloned()
            }
            Some(_) => None,
        }
    }
}

/// Elects the move with the most votes. Returns the iteration of the first searcher that voted for
/// this move. If several moves have the same number of votes, the move that was voted for first
/// wins. Returns `None` if there are no searchers.
fn elect<'c>(searchers: &[&'c CompletedIteration]) -> Option<&'c CompletedIteration> {
    let lowest_score = searchers.iter().map(|completed| completed.score).min()?;
    // Stockfish 10 uses the same weight. The 14 is added so that the searcher with the lowest score
    // also has a weight above 0.
    let weight = |voter: &CompletedIteration| i64::from(voter.score - lowest_score + 14) * i64::from(voter.depth);
    let votes_for_move = |completed: &&CompletedIteration| -> i64 {
        let voters = searchers.iter().filter(|voter| voter.best_move() == completed.best_move());
        voters.map(|voter| weight(voter)).sum()
    };
    // If several searchers have the most votes, the first of them must win, but `max_by_key`
    // returns the last maximum. The order is therefore reversed.
    searchers.iter().rev().copied().max_by_key(votes_for_move)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Square;

    /// Two shallow searchers outvote a deeper one, unless its score is far above theirs; if two
    /// moves have as many votes, the main searcher's wins.
    #[test]
    fn move_with_the_most_votes_wins() {
        let mv = |to: u8| vec![Move::new(Square::new(0), Square::new(to))];
        let voter = |depth: u8, score: Score, to: u8| CompletedIteration { depth, score, pv: mv(to) };
        let elected = |voters: &[CompletedIteration]| {
            let voters: Vec<&CompletedIteration> = voters.iter().collect();
            elect(&voters).map(|winner| (winner.depth, winner.score))
        };
        // The votes are 9 x 14 against 2 x 5 x 14, then 9 x 34 against 2 x 5 x 14.
        assert_eq!(elected(&[voter(9, 0, 1), voter(5, 0, 2), voter(5, 0, 2)]), Some((5, 0)));
        assert_eq!(elected(&[voter(9, 20, 1), voter(5, 0, 2), voter(5, 0, 2)]), Some((9, 20)));
        assert_eq!(elected(&[voter(5, 0, 2), voter(9, 1, 2), voter(5, 0, 3)]), Some((5, 0)));
        assert_eq!(elected(&[voter(5, 0, 1), voter(5, 0, 2)]), Some((5, 0)));
        assert_eq!(elect(&[]), None);
    }
}
