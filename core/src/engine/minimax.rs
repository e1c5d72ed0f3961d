//! Plain minimax. Every node is searched to full depth. With a table, equal positions are searched
//! only once.

use super::node::Node;
use super::observer::Observer;
use super::search::Search;
use super::switches::INFINITE;
use crate::chess::{Board, Move, Score, movegen};

impl<O: Observer> Search<'_, O> {
    /// Searches a position to `depth` plies. Returns its value from the view of the side to move.
    pub(super) fn minimax<const TABLE: bool>(&mut self, board: &Board, depth: i32, ply: usize) -> Score {
        let node = Node { alpha: -INFINITE, beta: INFINITE, depth, ply };
        if depth <= 0 {
            return self.search_leaf::<TABLE, true>(board, node);
        }
        if self.aborts_on_entry() {
            return 0;
        }
        let start_counts = self.start_counts();
        self.count.interior += 1;
        self.pv.clear(ply);
        if self.switches.draws && ply > 0 && self.is_draw(board) {
            return 0;
        }
        self.observer.before_node(board);
        let is_restricted = ply == 0 && self.restricts_root();
        if TABLE && self.switches.probe_depth <= depth && !is_restricted {
            // Every stored score is exact, so an entry that is deep enough ends the node.
            if let Some(score) = self.probe::<true>(board, node).cutoff_score {
                return score;
            }
        }
        self.scratch.clear();
        movegen::legal(board, &mut self.scratch);
        let (mut best, mut best_move) = (-INFINITE, Move::NONE);
        let is_terminal = self.scratch.is_empty();
        if is_terminal {
            best = self.terminal_score(board, ply, depth);
        } else {
            self.sort_generated(board);
            if is_restricted {
                self.generate_root_moves();
            }
            let mut frame = self.stack.push_in_order(&self.scratch);
            self.path.push(board.key());
            while let Some(mv) = self.stack.next(&mut frame) {
                let mut child = *board;
                child.play(mv, self.increments);
                let score = -self.minimax::<TABLE>(&child, depth - 1, ply + 1);
                if self.aborted {
                    break;
                }
                if score > best {
                    (best, best_move) = (score, mv);
                    self.pv.adopt_child_line(ply, mv);
                }
            }
            self.path.pop();
            self.stack.pop(frame.base);
        }
        let stores = TABLE && self.switches.store_depth <= depth && !is_restricted;
        if stores && !self.aborted && (!is_terminal || self.switches.terminals) {
            self.store_known_result::<true>(board, node, (best, best_move), start_counts);
        }
        best
    }
}
