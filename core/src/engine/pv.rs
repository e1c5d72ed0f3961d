//! Principal variations in a triangular array.

use crate::chess::Move;

/// The principal variations of all nodes on the path, one for each ply.
#[derive(Debug, Clone)]
pub struct Variations {
    moves: Vec<Move>,
    lengths: [u16; PLIES + 1],
    deepest: usize,
}

/// Maximum length of a variation in plies.
const PLIES: usize = 256;

impl Default for Variations {
    fn default() -> Self {
        Self { moves: vec![Move::NONE; PLIES * PLIES], lengths: [0; PLIES + 1], deepest: 0 }
    }
}

impl Variations {
    pub const fn none() -> Self {
        Self { moves: Vec::new(), lengths: [0; PLIES + 1], deepest: 0 }
    }

    #[inline]
    pub fn clear(&mut self, ply: usize) {
        self.mark_reached(ply);
        self.lengths[ply.min(PLIES)] = 0;
    }

    #[inline]
    pub fn adopt_child_line(&mut self, ply: usize, mv: Move) {
        if ply >= PLIES {
            return;
        }
        let len = usize::from(self.lengths[ply + 1]).min(PLIES - 1);
        self.moves[ply * PLIES] = mv;
        if len > 0 && ply + 1 < PLIES {
            let next = (ply + 1) * PLIES;
            self.moves.copy_within(next..next + len, ply * PLIES + 1);
        }
        self.lengths[ply] = len as u16 + 1;
    }

    pub fn set_line(&mut self, ply: usize, line: &[Move]) {
        let (ply, len) = (ply.min(PLIES - 1), line.len().min(PLIES));
        self.moves[ply * PLIES..][..len].copy_from_slice(&line[..len]);
        self.lengths[ply] = len as u16;
    }

    #[inline]
    pub fn mark_reached(&mut self, ply: usize) {
        self.deepest = self.deepest.max(ply);
    }

    pub fn take_deepest(&mut self) -> usize {
        std::mem::take(&mut self.deepest)
    }

    pub fn get(&self, ply: usize) -> &[Move] {
        let ply = ply.min(PLIES - 1);
        &self.moves[ply * PLIES..][..usize::from(self.lengths[ply])]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of maximum length reaches the root in full; deeper plies are reached but have no
    /// line.
    #[test]
    fn line_of_maximum_length_reaches_the_root() {
        let line: Vec<Move> = (1..=PLIES as u16).map(Move::from_bits).collect();
        let mut lines = Variations::default();
        for ply in (0..PLIES + 3).rev() {
            lines.clear(ply);
            lines.adopt_child_line(ply, line.get(ply).copied().unwrap_or(Move::NONE));
        }
        assert_eq!(lines.get(0), line);
        assert_eq!(lines.get(PLIES - 1), &line[PLIES - 1..]);
        assert_eq!((lines.take_deepest(), lines.take_deepest()), (PLIES + 2, 0));
        // A better move takes over the line of the next ply.
        lines.set_line(3, &line[..2]);
        lines.adopt_child_line(2, line[9]);
        assert_eq!(lines.get(2), [line[9], line[0], line[1]]);
        lines.clear(3);
        lines.adopt_child_line(2, line[8]);
        assert_eq!(lines.get(2), [line[8]]);
    }
}
