//! The search of frontier nodes. A frontier node is one ply above leaves that need only the
//! incremental evaluation.
//!
//! The moves of a frontier node are scored as they are generated, until a move causes a cutoff.
//! They are neither listed nor played. Without piece-square tables all quiet moves have the same
//! score, so only the first quiet move is scored. All other quiet moves are only counted.

use super::eval::Evaluator;
use super::node::Node;
use super::observer::Observer;
use super::search::Search;
use crate::chess::movegen::{self, Sink, origin};
use crate::chess::{Bitboard, Board, Color, Increments, Move, Piece, Score, Square};

/// A number that is larger than the number of legal moves in any position.
const MAX_MOVES: u64 = 256;

struct MoveScorer<'a> {
    board: &'a Board,
    increments: &'a Increments,
    evaluator: &'a Evaluator,
    quiets_score_equally: bool,
    is_fail_hard: bool,
    alpha: Score,
    beta: Score,
    best: Score,
    first_move: Move,
    best_move: Move,
    alpha_raising_move: Move,
    tried_count: u64,
    has_tried_quiet: bool,
}

impl MoveScorer<'_> {
    /// Scores a move and updates the best move. Returns true if the move causes a cutoff.
    /// `white_sum` is the incremental evaluation after the move, from White's view.
    #[inline]
    fn try_move(&mut self, mv: Move, white_sum: i32) -> bool {
        let white_score = self.evaluator.clip(white_sum);
        let score = if self.board.turn() == Color::White { white_score } else { -white_score };
        let score = if self.is_fail_hard { score.clamp(self.alpha, self.beta) } else { score };
        if self.tried_count == 0 {
            self.first_move = mv;
        }
        self.tried_count += 1;
        if score > self.best {
            (self.best, self.best_move) = (score, mv);
            if score > self.alpha {
                (self.alpha, self.alpha_raising_move) = (score, mv);
            }
        }
        score >= self.beta
    }

    /// Tries the moves to each of the `targets`. If `score_equally`, the first is scored and the
    /// others are only counted. Returns true if a move causes a cutoff.
    ///
    /// Most calls only count, so the loop is kept out of their way.
    #[inline(always)]
    fn try_each(&mut self, targets: Bitboard, score_equally: bool, move_to: impl Fn(Square) -> Move) -> bool {
        if score_equally && self.has_tried_quiet {
            self.tried_count += u64::from(targets.count());
            return false;
        }
        self.score_each(targets, score_equally, move_to)
    }

    #[inline(never)]
    fn score_each(&mut self, mut targets: Bitboard, score_equally: bool, move_to: impl Fn(Square) -> Move) -> bool {
        while let Some(to) = targets.next() {
            let mv = move_to(to);
            if self.try_move(mv, self.board.sum_after(mv, self.increments)) {
                return true;
            }
            if score_equally {
                self.has_tried_quiet = true;
                self.tried_count += u64::from(targets.count());
                return false;
            }
        }
        false
    }
}

impl Sink for MoveScorer<'_> {
    #[inline]
    fn add(&mut self, mv: Move) -> bool {
        self.try_move(mv, self.board.sum_after(mv, self.increments))
    }

    #[inline]
    fn add_piece_moves(&mut self, _: Piece, from: Square, targets: Bitboard) -> bool {
        let score_equally = self.quiets_score_equally && (targets & self.board.occupied()).is_empty();
        self.try_each(targets, score_equally, |to| Move::new(from, to))
    }

    #[inline]
    fn add_pawn_moves(&mut self, targets: Bitboard, step: i8) -> bool {
        // The step of a pawn push is a multiple of 8.
        let score_equally = self.quiets_score_equally && step % 8 == 0;
        self.try_each(targets, score_equally, |to| Move::new(origin(to, step), to))
    }
}

impl<O: Observer> Search<'_, O> {
    /// Whether a node of this depth is searched by [`Self::search_frontier_node`]. The result is
    /// false shortly before a limit is reached, because the limit must then be checked at each
    /// leaf.
    #[inline]
    pub(super) fn is_frontier_node(&mut self, depth: i32) -> bool {
        depth == 1
            && self.switches.has_frontier_nodes
            && !O::ENABLED
            && (self.count.nodes + MAX_MOVES < self.next_check || self.make_room_before_check(MAX_MOVES))
    }

    /// Searches a node of remaining depth 1 without playing its moves. Returns the node's value and
    /// best move, or `None` if there is no legal move. The counters are increased as if the moves
    /// were searched one by one.
    ///
    /// `initial_best` is the best value that is known before the first move is tried.
    pub(super) fn search_frontier_node(
        &mut self,
        board: &Board,
        node: Node,
        (alpha, beta, initial_best): (Score, Score, Score),
        table_move: Move,
    ) -> Option<(Score, Move)> {
        let mut scorer = MoveScorer {
            board,
            increments: self.increments,
            evaluator: &self.evaluator,
            quiets_score_equally: self.switches.quiets_score_equally,
            is_fail_hard: self.switches.is_fail_hard,
            alpha,
            beta,
            best: initial_best,
            first_move: Move::NONE,
            best_move: Move::NONE,
            alpha_raising_move: Move::NONE,
            tried_count: 0,
            has_tried_quiet: false,
        };
        movegen::generate_into(board, &mut scorer);
        let MoveScorer { best, first_move, best_move, alpha_raising_move, tried_count, .. } = scorer;
        if tried_count == 0 {
            return None;
        }
        self.count.nodes += tried_count;
        self.count.leaves += tried_count;
        self.count.evals += tried_count;
        let first_is_table_move = !table_move.is_none() && first_move == table_move;
        self.count.table_moves += u64::from(first_is_table_move);
        if !alpha_raising_move.is_none() {
            self.pv.clear(node.ply + 1);
            self.pv.adopt_child_line(node.ply, alpha_raising_move);
        }
        if !best_move.is_none() && best >= beta {
            self.count.cuts += 1;
            self.count.first_cuts += u64::from(tried_count == 1);
            self.count.table_move_cuts += u64::from(tried_count == 1 && first_is_table_move);
        }
        Some((best, best_move))
    }
}
