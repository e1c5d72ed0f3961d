//! Whose answer several searchers give.

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

/// The iterations that helpers have completed, and what comes of them.
pub struct Answers {
    answer: Answer,
    /// The last iteration that each helper completed.
    completed: Vec<Option<Completed>>,
    /// Depth of the main searcher's iteration.
    depth: u8,
}

impl Answers {
    /// No answer of so many helpers.
    pub fn new(answer: Answer, helpers: usize) -> Self {
        Self { answer, completed: vec![None; helpers], depth: 0 }
    }

    /// Begins an iteration of the main searcher.
    pub fn begin_iteration(&mut self, depth: u8) {
        self.depth = depth;
    }

    /// Notes what a helper completed, if anything.
    pub fn note(&mut self, helper: usize, completed: Option<Completed>) {
        if completed.is_some() {
            self.completed[helper] = completed;
        }
    }

    /// A helper's answer that ends the main searcher's iteration.
    pub fn first(&self) -> Option<&Completed> {
        let enough = |completed: &&Completed| self.answer == Answer::First && completed.depth >= self.depth;
        self.completed.iter().flatten().filter(enough).min_by_key(|completed| completed.depth)
    }

    /// The answer to the main searcher's iteration, if another searcher's counts; `main`: its own,
    /// if it completed the iteration.
    pub fn decide(&self, main: Option<Completed>) -> Option<Completed> {
        match main {
            None => self.first().cloned(),
            Some(main) if self.answer == Answer::Vote => {
                let all: Vec<&Completed> = std::iter::once(&main).chain(self.completed.iter().flatten()).collect();
                elect(&all).cloned()
            }
            Some(_) => None,
        }
    }
}

/// The answer of the first searcher that voted for the move with the most votes; of equal moves the
/// one that was named first wins. None without searchers.
fn elect<'c>(searchers: &[&'c Completed]) -> Option<&'c Completed> {
    let lowest = searchers.iter().map(|completed| completed.score).min()?;
    let weight = |voter: &&Completed| i64::from(voter.score - lowest + 14) * i64::from(voter.depth);
    let votes = |completed: &&Completed| {
        searchers
            .iter()
            .copied()
            .filter(|voter| voter.best() == completed.best())
            .map(|voter| weight(&voter))
            .sum::<i64>()
    };
    // Of equal ones `max_by_key` takes the last.
    searchers.iter().rev().copied().max_by_key(votes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Square;

    /// Two shallow searchers outvote a deeper one, unless its score is far above theirs; of equal
    /// votes the main searcher's count.
    #[test]
    fn move_with_the_most_votes_wins() {
        let mv = |to: u8| vec![Move::new(Square::new(0), Square::new(to))];
        let voter = |depth: u8, score: Score, to: u8| Completed { depth, score, pv: mv(to) };
        let elected = |voters: &[Completed]| {
            let voters: Vec<&Completed> = voters.iter().collect();
            elect(&voters).map(|elected| (elected.depth, elected.score))
        };
        // 9 x 14 against 2 x 5 x 14, and 9 x 34 against them.
        assert_eq!(elected(&[voter(9, 0, 1), voter(5, 0, 2), voter(5, 0, 2)]), Some((5, 0)));
        assert_eq!(elected(&[voter(9, 20, 1), voter(5, 0, 2), voter(5, 0, 2)]), Some((9, 20)));
        assert_eq!(elected(&[voter(5, 0, 2), voter(9, 1, 2), voter(5, 0, 3)]), Some((5, 0)));
        assert_eq!(elected(&[voter(5, 0, 1), voter(5, 0, 2)]), Some((5, 0)));
        assert_eq!(elect(&[]), None);
    }
}
