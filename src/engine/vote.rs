//! Whose answer several searchers give.

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

/// The answer of the first searcher that voted for the move with the most votes; of equal moves the
/// one that was named first wins. None without searchers.
pub fn elect<'c>(searchers: &[&'c Completed]) -> Option<&'c Completed> {
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
