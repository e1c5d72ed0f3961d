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
    /// The killers of a ply, the newer first.
    #[inline]
    #[must_use]
    pub fn pair(&self, ply: usize) -> [Move; 2] {
        self.0[ply & 255]
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
