//! Other orders of the root's moves, for helpers that should not search the moves in the same order
//! as the main searcher.

use rand::{SeedableRng, seq::SliceRandom};
use rand_pcg::Pcg64;

/// An order of the root's moves after the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RootOrder {
    /// The third move of the list, the fifth and so on come first. The second, the fourth and so on
    /// follow.
    OddEven,
    /// A random order, given by its seed. Lists of the same length get the same order.
    Shuffle(u64),
}

impl RootOrder {
    /// Reorders `others`, which are all root moves except the first move.
    pub fn apply<T: Copy>(self, others: &mut [T]) {
        match self {
            Self::OddEven => {
                let old_order = others.to_vec();
                let every_second_from = |start: usize| old_order.iter().skip(start).step_by(2);
                let new_order = every_second_from(1).chain(every_second_from(0));
                others.iter_mut().zip(new_order).for_each(|(slot, mv)| *slot = *mv);
            }
            Self::Shuffle(seed) => others.shuffle(&mut Pcg64::seed_from_u64(seed)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both orders keep every move, and a shuffle depends on its seed.
    #[test]
    fn reordered_moves_are_the_same_moves() {
        let reordered = |order: RootOrder, len: u8| {
            let mut moves: Vec<u8> = (2..2 + len).collect();
            order.apply(&mut moves);
            moves
        };
        assert_eq!(reordered(RootOrder::OddEven, 6), [3, 5, 7, 2, 4, 6]);
        assert!(reordered(RootOrder::OddEven, 0).is_empty());
        let shuffled = [1, 1, 2].map(|seed| reordered(RootOrder::Shuffle(seed), 20));
        assert!(shuffled[0] == shuffled[1]);
        assert!(shuffled[1] != shuffled[2]);
        let mut sorted = shuffled[2].clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (2..22).collect::<Vec<_>>());
    }
}
