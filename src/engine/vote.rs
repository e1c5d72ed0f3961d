//! Which searcher's answer becomes the result when there are several searchers.

use super::threads::Answer;
use crate::chess::{Move, Score};

/// An iteration that a searcher has completed.
#[derive(Debug, Clone, PartialEq)]
pub struct Completed {
    pub depth: u8,
    pub score: Score,
    pub pv: Vec<Move>,
}

impl Completed {
    fn best(&self) -> Option<&Move> {
        self.pv.first()
    }
}

/// Collects the iterations that helpers complete, and decides whose answer becomes the result.
pub struct Answers {
    answer: Answer,
    /// The last iteration that each helper completed.
    completed: Vec<Option<Completed>>,
    /// Depth of the main searcher's iteration.
    depth: u8,
}

impl Answers {
    /// `helpers`: how many helpers there are; none of them has completed an iteration.
    pub fn new(answer: Answer, helpers: usize) -> Self {
        Self { answer, completed: vec![None; helpers], depth: 0 }
    }

    /// Begins an iteration of the main searcher.
    pub fn begin_iteration(&mut self, depth: u8) {
        self.depth = depth;
    }

    /// Notes the iteration that a helper completed, if any.
    pub fn note(&mut self, helper: usize, completed: Option<Completed>) {
        if completed.is_some() {
            self.completed[helper] = completed;
        }
    }

    /// Under `threads.answer = "first"`, a helper that completed the main searcher's depth or a
    /// deeper one ends the main searcher's iteration. Returns the iteration that the helper
    /// completed; if several helpers qualify, the shallowest.
    pub fn early_answer(&self) -> Option<&Completed> {
        if self.answer != Answer::First {
            return None;
        }
        let deep_enough = self.completed.iter().flatten().filter(|completed| completed.depth >= self.depth);
        deep_enough.min_by_key(|completed| completed.depth)
    }

    /// The answer that replaces the main searcher's; `None` keeps the main searcher's. `main`: the
    /// main searcher's iteration, if it was completed.
    pub fn decide(&self, main: Option<Completed>) -> Option<Completed> {
        match main {
            None => self.early_answer().cloned(),
            Some(main) if self.answer == Answer::Vote => {
                let helpers = self.completed.iter().flatten();
                let voters: Vec<&Completed> = std::iter::once(&main).chain(helpers).collect();
                elect(&voters).cloned()
            }
            Some(_) => None,
        }
    }
}

/// Elects the move with the most votes and returns the iteration of the first searcher that voted
/// for it. If several moves have as many votes, the one that was voted for first wins. `None`
/// without searchers.
fn elect<'c>(searchers: &[&'c Completed]) -> Option<&'c Completed> {
    let lowest = searchers.iter().map(|completed| completed.score).min()?;
    // Stockfish 10's weight; 14 gives the lowest score a vote too.
    let weight = |voter: &Completed| i64::from(voter.score - lowest + 14) * i64::from(voter.depth);
    let votes_for_move = |completed: &&Completed| -> i64 {
        let voters = searchers.iter().filter(|voter| voter.best() == completed.best());
        voters.map(|voter| weight(voter)).sum()
    };
    // `max_by_key` returns the last of several maxima; reversed, that is the first searcher.
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
        let voter = |depth: u8, score: Score, to: u8| Completed { depth, score, pv: mv(to) };
        let elected = |voters: &[Completed]| {
            let voters: Vec<&Completed> = voters.iter().collect();
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
