//! The ordering oracle. A search that is not counted learns the best or refuting move of each node,
//! so that the counted search is minimal.
//!
//! Without a table, the number of nodes of the counted search is near that of Knuth and Moore's
//! minimal tree. With an unbounded table, it is near that of the left-first minimal graph. It is
//! the lower limit that better ordering could reach.
//!
//! Sources: D. Knuth and R. Moore, "An analysis of alpha-beta pruning", 1975; A. Plaat, J.
//! Schaeffer, W. Pijls and A. de Bruin, "Exploiting graph properties of game trees", 1996.

use super::options::{Diagnostics, EngineOptions, Ordering, Shape};
use crate::chess::{Board, Move};
use crate::table::TableKind;
use crate::table::key_map::KeyMap;
use crate::table::options::Clear;

#[derive(Debug, Default)]
pub struct BestMoves(KeyMap<(u64, u8), Move>);

/// The learner makes the same search as the engine with these `options`, except that it has an
/// unbounded table and tries the table's move first.
pub fn learner_options(options: &EngineOptions) -> EngineOptions {
    let mut options = options.clone();
    options.ordering.retain(|rule| !matches!(rule, Ordering::Oracle | Ordering::TableMove));
    options.ordering.insert(0, Ordering::TableMove);
    options.table.kind = TableKind::Unbounded;
    options.table.clear = Clear::Never;
    options.table.forget = 0.0;
    options.shape = Shape::Table;
    options.deepening.step = 0;
    options.diagnostics = Diagnostics::Off;
    options
}

impl BestMoves {
    pub fn clear(&mut self) {
        self.0.clear();
    }

    pub fn record_best(&mut self, board: &Board, depth: i32, mv: Move) {
        self.0.insert((board.key(), depth as u8), mv);
    }

    /// Records the move of a table entry, unless a move is already recorded for the node.
    pub fn record_entry_move(&mut self, board: &Board, depth: i32, mv: Move) {
        if !mv.is_none() {
            self.0.entry((board.key(), depth as u8)).or_insert(mv);
        }
    }

    pub fn get(&self, board: &Board, depth: i32) -> Option<Move> {
        self.0.get(&(board.key(), depth as u8)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A searched move replaces a table move; the last search wins.
    #[test]
    fn searched_move_replaces_a_table_move() {
        let (board, mut moves) = (Board::startpos(), crate::chess::MoveList::new());
        crate::chess::legal(&board, &mut moves);
        let mut notes = BestMoves::default();
        let mut record_and_get = |record: fn(&mut BestMoves, &Board, i32, Move), mv: Move| {
            record(&mut notes, &board, 3, mv);
            notes.get(&board, 3)
        };
        assert_eq!(record_and_get(BestMoves::record_entry_move, Move::NONE), None);
        assert_eq!(record_and_get(BestMoves::record_entry_move, moves[0]), Some(moves[0]));
        assert_eq!(record_and_get(BestMoves::record_best, moves[1]), Some(moves[1]));
        assert_eq!(record_and_get(BestMoves::record_entry_move, moves[2]), Some(moves[1]));
        assert_eq!(record_and_get(BestMoves::record_best, moves[3]), Some(moves[3]));
        assert_eq!(notes.get(&board, 2), None, "only for this depth");
    }
}
