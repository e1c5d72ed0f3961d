//! Killer moves: the last two quiet moves that cut at the same ply. Source: Akl and Newborn, 1977.

use crate::chess::Move;

/// Two moves for each ply, the newer first.
#[derive(Debug, Clone)]
pub struct Killers(Box<[[Move; 2]; 256]>);

impl Default for Killers {
    fn default() -> Self {
        Self(Box::new([[Move::NONE; 2]; 256]))
    }
}

impl Killers {
    /// 2 for the newer killer of the ply, 1 for the older, 0 for other moves.
    #[inline]
    #[must_use]
    pub fn place(&self, ply: usize, mv: Move) -> i32 {
        let [newer, older] = self.0[ply & 255];
        if mv == newer { 2 } else { i32::from(mv == older) }
    }

    /// Remembers a quiet move that cut.
    #[inline]
    pub fn learn(&mut self, ply: usize, mv: Move) {
        let pair = &mut self.0[ply & 255];
        if pair[0] != mv {
            *pair = [mv, pair[0]];
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.0.fill([Move::NONE; 2]);
    }
}
