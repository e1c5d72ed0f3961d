//! A second, simpler search without a table, which verifies the search used in experiments. The two
//! share only the rules of chess, the evaluation and the mate scores.

use super::eval::Evaluator;
use super::search::is_draw;
use super::switches::{INFINITE, Switches};
use crate::chess::{Board, Increments, Move, MoveList, Piece, Score, movegen};

/// The reference search, with the settings that a value depends on besides position and depth.
pub struct ReferenceSearch<'a> {
    switches: Switches,
    evaluator: Evaluator,
    increments: &'a Increments,
}

impl<'a> ReferenceSearch<'a> {
    pub(super) fn new(switches: Switches, evaluator: Evaluator, increments: &'a Increments) -> Self {
        Self { switches, evaluator, increments }
    }

    /// Compares the value of a node with a score. `path`: keys of the earlier positions, used if
    /// draws count.
    pub fn compare(&self, board: &Board, path: &[u64], depth: i32, ply: usize, score: Score) -> std::cmp::Ordering {
        let mut path = if self.switches.draws { path.to_vec() } else { Vec::new() };
        // Just wide enough to tell whether the value is below, at or above the score.
        self.value(board, &mut path, depth, ply, (score - 1, score + 1)).cmp(&score)
    }

    /// The value of a node, by fail-soft alpha-beta. `path` ends with the key of its parent.
    fn value(
        &self,
        board: &Board,
        path: &mut Vec<u64>,
        depth: i32,
        ply: usize,
        (mut alpha, beta): (Score, Score),
    ) -> Score {
        if self.switches.draws && ply > 0 && is_draw(board, path) {
            return 0;
        }
        if depth <= 0 {
            return self.horizon(board, ply, 0, alpha, beta);
        }
        let mut moves = MoveList::new();
        movegen::legal(board, &mut moves);
        if moves.is_empty() {
            return if board.in_check() { self.switches.mated(ply, depth) } else { 0 };
        }
        let mut best = -INFINITE;
        path.push(board.key());
        for mv in self.ordered(board, &moves) {
            let mut child = *board;
            child.play(mv, self.increments);
            best = best.max(-self.value(&child, path, depth - 1, ply + 1, (-beta, -alpha)));
            alpha = alpha.max(best);
            if best >= beta {
                break;
            }
        }
        path.pop();
        best
    }

    /// Orders moves: the most valuable captures first, ties in generation order.
    fn ordered(&self, board: &Board, moves: &MoveList) -> Vec<Move> {
        // From 1 for a pawn to 6 for a king; 0 for no piece.
        let rank = |piece: Option<Piece>| piece.map_or(0, |piece| 1 + piece as i32);
        let mut moves = moves.to_vec();
        moves.sort_by_cached_key(|&mv| {
            let attacker = rank(board.piece_on(mv.from()));
            if board.is_quiet(mv) { 0 } else { attacker - 8 * rank(board.captured(mv)) - 8 * rank(mv.promotion()) }
        });
        moves
    }

    /// The value of a leaf, or of a quiescence node that `capture_plies` captures led to.
    fn horizon(&self, board: &Board, ply: usize, capture_plies: u8, mut alpha: Score, beta: Score) -> Score {
        if self.switches.leaf_mates && !board.has_legal_move() {
            return if board.in_check() { self.switches.mated(ply, 0) } else { 0 };
        }
        let mut best = self.evaluator.evaluate(board);
        let is_capped = self.switches.max_plies != 0 && capture_plies >= self.switches.max_plies;
        if !self.switches.quiescence || is_capped || best >= beta {
            return best;
        }
        alpha = alpha.max(best);
        let mut moves = MoveList::new();
        movegen::generate_captures_into(board, &mut moves);
        for mv in self.ordered(board, &moves) {
            let mut child = *board;
            child.play(mv, self.increments);
            best = best.max(-self.horizon(&child, ply + 1, capture_plies.saturating_add(1), -beta, -alpha));
            alpha = alpha.max(best);
            if best >= beta {
                break;
            }
        }
        best
    }
}
