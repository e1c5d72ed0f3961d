//! Killer moves, which are the last two quiet moves that caused a cutoff at the same ply. Source:
//! Akl and Newborn, 1977.

use crate::chess::Move;

/// Two moves for each ply. The newer move comes first.
#[derive(Debug, Clone)]
pub struct Killers(Box<[[Move; 2]; 256]>);

impl Default for Killers {
    fn default() -> Self {
        Self(Box::new([[Move::NONE; 2]; 256]))
    }
}

impl Killers {
    /// The newer killer comes first.
    #[inline]
    pub fn pair(&self, ply: usize) -> [Move; 2] {
        self.0[ply & 255]
    }

    /// Remembers a quiet move that caused a cutoff at `ply`.
    #[inline]
    pub fn learn(&mut self, ply: usize, mv: Move) {
        let pair = &mut self.0[ply & 255];
        if pair[0] != mv {
            *pair = [mv, pair[0]];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The newer killer comes first, and a repeated one keeps its place. Plies are independent.
    #[test]
    fn newer_killer_comes_first() {
        let mut moves = crate::chess::MoveList::new();
        crate::chess::legal(&crate::chess::Board::startpos(), &mut moves);
        let [a, b, c] = [moves[0], moves[1], moves[2]];
        let (mut killers, none) = (Killers::default(), Move::NONE);
        for (mv, pair) in [(a, [a, none]), (b, [b, a]), (b, [b, a]), (a, [a, b]), (c, [c, a])] {
            killers.learn(5, mv);
            assert_eq!(killers.pair(5), pair);
        }
        assert_eq!(killers.pair(4), [none; 2]);
    }
}
