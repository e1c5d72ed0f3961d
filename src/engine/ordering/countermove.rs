//! The countermove heuristic: the quiet move that last refuted the opponent's move. Source: Uiterwijk, 1992.

use crate::chess::{Board, Move, Piece};

/// One reply for each piece and the square that it went to.
#[derive(Debug, Clone)]
pub struct Countermoves(Vec<Move>);

impl Default for Countermoves {
    fn default() -> Self {
        Self(vec![Move::NONE; 12 * 64])
    }
}

/// Where the reply to `previous` stands, on the board after it.
#[inline]
fn slot(board: &Board, previous: Move) -> usize {
    let piece = board.piece_on(previous.to()).unwrap_or(Piece::Pawn) as usize;
    (board.turn() as usize * 6 + piece) * 64 + previous.to().index()
}

impl Countermoves {
    /// The reply that last refuted `previous`; none if there is none.
    #[inline]
    #[must_use]
    pub fn reply(&self, board: &Board, previous: Move) -> Move {
        if previous.is_none() { Move::NONE } else { self.0[slot(board, previous)] }
    }

    /// Remembers that `mv` refuted `previous`.
    #[inline]
    pub fn learn(&mut self, board: &Board, previous: Move, mv: Move) {
        if !previous.is_none() {
            self.0[slot(board, previous)] = mv;
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.0.fill(Move::NONE);
    }
}
