//! The countermove heuristic, which tries the quiet move that last refuted the opponent's move.
//! Source: Uiterwijk, 1992.

use crate::chess::{Board, Move, Piece};

/// One reply for each piece and each square that the piece may have moved to.
#[derive(Debug, Clone)]
pub struct Countermoves(Vec<Move>);

impl Default for Countermoves {
    fn default() -> Self {
        Self(vec![Move::NONE; 12 * 64])
    }
}

/// `board` is the position after this move.
#[inline]
fn slot(board: &Board, previous: Move) -> usize {
    let piece = board.piece_on(previous.to()).unwrap_or(Piece::Pawn) as usize;
    (board.turn() as usize * 6 + piece) * 64 + previous.to().index()
}

impl Countermoves {
    #[inline]
    pub fn reply(&self, board: &Board, previous: Move) -> Move {
        if previous.is_none() { Move::NONE } else { self.0[slot(board, previous)] }
    }

    #[inline]
    pub fn learn(&mut self, board: &Board, previous: Move, mv: Move) {
        if !previous.is_none() {
            self.0[slot(board, previous)] = mv;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Square;

    /// Replies are stored by piece and target square. A null move has no reply, although its bits
    /// look like a move to a1.
    #[test]
    fn countermove_is_stored_by_piece_and_target() {
        let after = |fen: &str| Board::from_fen(fen).unwrap();
        let rook = after("4k3/8/8/8/8/8/8/R3K3 b - - 1 1");
        let to_a1 = |from| Move::new(Square::new(from), Square::new(0));
        let reply = Move::new(Square::new(60), Square::new(52));
        let mut countermoves = Countermoves::default();
        countermoves.learn(&rook, Move::NONE, reply);
        assert!(countermoves.reply(&rook, to_a1(1)).is_none(), "no reply to a null move");
        countermoves.learn(&rook, to_a1(1), reply);
        assert_eq!(countermoves.reply(&rook, to_a1(1)), reply);
        assert_eq!(countermoves.reply(&rook, to_a1(8)), reply, "from any square");
        assert!(countermoves.reply(&rook, Move::NONE).is_none());
        let queen = after("4k3/8/8/8/8/8/8/Q3K3 b - - 1 1");
        let other_side = after("4k3/8/8/8/8/8/8/r3K3 w - - 1 1");
        assert!(countermoves.reply(&queen, to_a1(1)).is_none());
        assert!(countermoves.reply(&other_side, to_a1(1)).is_none());
    }
}
