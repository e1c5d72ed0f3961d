//! A second, simpler search without a table, which verifies the search used in experiments. The two
//! searches share only the rules of chess, the evaluation and the mate scores.

use ttlab::internals::chess::{Board, Increments, Move, MoveList, Piece, Score, movegen};
use ttlab::internals::engine::eval::Evaluator;
use ttlab::internals::engine::switches::{INFINITE, Switches};

/// Whether a position is drawn by the fifty-move rule or repeats an earlier position. `path` has
/// the keys of the earlier positions, the last of which is the parent.
fn is_draw(board: &Board, path: &[u64]) -> bool {
    let clock = usize::from(board.halfmove_clock());
    // If the hundredth halfmove is checkmate, the game is not drawn.
    if clock >= 100 && (!board.in_check() || board.has_legal_move()) {
        return true;
    }
    path.iter().rev().take(clock).skip(1).step_by(2).any(|&earlier| earlier == board.key())
}

/// The reference search. Its fields are the settings on which the value of a node depends, in
/// addition to the position and the depth.
pub struct ReferenceSearch {
    pub switches: Switches,
    pub evaluator: Evaluator,
    pub increments: Increments,
}

impl ReferenceSearch {
    /// Compares the true value of a node with `score`. Returns `Less` if the value is lower than
    /// the score. `path` contains the keys of the earlier positions. The keys are used only if the
    /// option `draws` is on.
    pub fn compare(&self, board: &Board, path: &[u64], depth: i32, ply: usize, score: Score) -> std::cmp::Ordering {
        let mut path = if self.switches.draws { path.to_vec() } else { Vec::new() };
        // This window is just wide enough to tell whether the value is below, at or above the
        // score.
        self.value(board, &mut path, depth, ply, (score - 1, score + 1)).cmp(&score)
    }

    /// Returns the value of a node, found by fail-soft alpha-beta. The last key in `path` is the
    /// key of the node's parent.
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
            return self.leaf_value(board, ply, alpha, beta);
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
            child.play(mv, &self.increments);
            best = best.max(-self.value(&child, path, depth - 1, ply + 1, (-beta, -alpha)));
            alpha = alpha.max(best);
            if best >= beta {
                break;
            }
        }
        path.pop();
        best
    }

    /// Orders moves with the most valuable captures first. Moves of the same rank stay in
    /// generation order.
    fn ordered(&self, board: &Board, moves: &MoveList) -> Vec<Move> {
        // The rank is 1 for a pawn and 6 for a king. It is 0 if there is no piece.
        let rank = |piece: Option<Piece>| piece.map_or(0, |piece| 1 + piece as i32);
        let mut moves = moves.to_vec();
        moves.sort_by_cached_key(|&mv| {
            let attacker = rank(board.piece_on(mv.from()));
            if board.is_quiet(mv) { 0 } else { attacker - 8 * rank(board.captured(mv)) - 8 * rank(mv.promotion()) }
        });
        moves
    }

    /// Returns the value of a leaf, or of a quiescence node.
    fn leaf_value(&self, board: &Board, ply: usize, mut alpha: Score, beta: Score) -> Score {
        if self.switches.leaf_mates && !board.has_legal_move() {
            return if board.in_check() { self.switches.mated(ply, 0) } else { 0 };
        }
        let mut best = self.evaluator.evaluate(board);
        if !self.switches.quiescence || best >= beta {
            return best;
        }
        alpha = alpha.max(best);
        let mut moves = MoveList::new();
        movegen::generate_captures_into(board, &mut moves);
        for mv in self.ordered(board, &moves) {
            let mut child = *board;
            child.play(mv, &self.increments);
            best = best.max(-self.leaf_value(&child, ply + 1, -beta, -alpha));
            alpha = alpha.max(best);
            if best >= beta {
                break;
            }
        }
        best
    }
}
