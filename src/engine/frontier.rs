//! Frontier nodes: nodes one ply above leaves that need only the incremental evaluation. Their
//! moves are tried as they are generated, piece by piece, without a move list and without playing
//! them, until one causes a cutoff. Without piece-square tables all quiet moves have the same
//! score, so all but the first are only counted.

use super::eval::Evaluator;
use super::node::Node;
use super::observer::Observer;
use super::search::Search;
use crate::chess::movegen::{self, Sink, origin};
use crate::chess::{Bitboard, Board, Color, Increments, Move, Score, Square};

/// More than the number of legal moves in any position.
const MAX_MOVES: u64 = 256;

/// Scores moves as they are generated.
struct Frontier<'a> {
    board: &'a Board,
    increments: &'a Increments,
    evaluator: &'a Evaluator,
    /// Whether quiet moves leave the evaluation unchanged.
    equal_quiets: bool,
    /// Whether scores are clamped to the window.
    hard: bool,
    alpha: Score,
    beta: Score,
    best: Score,
    first_move: Move,
    best_move: Move,
    /// The last move that raised alpha.
    raising_move: Move,
    tried: u64,
    quiet_tried: bool,
}

impl Frontier<'_> {
    /// Scores a move and updates the best one; returns true on a cutoff. `white`: the evaluation
    /// after the move, from White's view.
    #[inline]
    fn attempt(&mut self, mv: Move, white: i32) -> bool {
        let white = self.evaluator.clip(white);
        let score = if self.board.turn() == Color::White { white } else { -white };
        let score = if self.hard { score.clamp(self.alpha, self.beta) } else { score };
        if self.tried == 0 {
            self.first_move = mv;
        }
        self.tried += 1;
        if score > self.best {
            (self.best, self.best_move) = (score, mv);
            if score > self.alpha {
                (self.alpha, self.raising_move) = (score, mv);
            }
        }
        score >= self.beta
    }

    /// Tries quiet moves that all have the same score: the first of the node is scored, all others
    /// are only counted. Returns true on a cutoff.
    #[inline]
    fn attempt_equal_quiets(&mut self, targets: Bitboard, move_to: impl Fn(Square) -> Move) -> bool {
        let Some(to) = targets.first() else { return false };
        let mut others = u64::from(targets.count());
        if !self.quiet_tried {
            self.quiet_tried = true;
            others -= 1;
            if self.attempt(move_to(to), self.board.sum()) {
                return true;
            }
        }
        self.tried += others;
        false
    }

    /// Tries the move to each target. Returns true on a cutoff.
    #[inline]
    fn attempt_each(&mut self, targets: Bitboard, move_to: impl Fn(Square) -> Move) -> bool {
        for to in targets {
            let mv = move_to(to);
            if self.attempt(mv, self.board.sum_after(mv, self.increments)) {
                return true;
            }
        }
        false
    }
}

impl Sink for Frontier<'_> {
    #[inline]
    fn add(&mut self, mv: Move) -> bool {
        self.attempt(mv, self.board.sum_after(mv, self.increments))
    }

    #[inline]
    fn add_piece_moves(&mut self, from: Square, targets: Bitboard) -> bool {
        if self.equal_quiets && (targets & self.board.occupied()).is_empty() {
            self.attempt_equal_quiets(targets, |to| Move::new(from, to))
        } else {
            self.attempt_each(targets, |to| Move::new(from, to))
        }
    }

    #[inline]
    fn add_pawn_moves(&mut self, targets: Bitboard, step: i8) -> bool {
        // Multiples of 8: pawn pushes.
        if self.equal_quiets && step % 8 == 0 {
            self.attempt_equal_quiets(targets, |to| Move::new(origin(to, step), to))
        } else {
            self.attempt_each(targets, |to| Move::new(origin(to, step), to))
        }
    }
}

impl<O: Observer> Search<'_, O> {
    /// Whether [`Self::frontier`] evaluates a node. Near a limit it does not, because leaves must
    /// then be counted one by one.
    #[inline]
    pub(super) fn is_frontier(&mut self, depth: i32) -> bool {
        depth == 1
            && self.switches.frontier
            && !O::ENABLED
            && (self.count.nodes + MAX_MOVES < self.next_check || self.make_room_before_check(MAX_MOVES))
    }

    /// The value and best move of a node of remaining depth 1, with the same counts as the loop
    /// over its moves. `start`: alpha, beta and the initial best value after the probe. `None` if
    /// there is no legal move.
    pub(super) fn frontier(
        &mut self,
        board: &Board,
        node: Node,
        start: (Score, Score, Score),
        table_move: Move,
    ) -> Option<(Score, Move)> {
        let (alpha, beta, best) = start;
        let mut frontier = Frontier {
            board,
            increments: self.increments,
            evaluator: &self.evaluator,
            equal_quiets: self.switches.equal_quiets,
            hard: self.switches.hard,
            alpha,
            beta,
            best,
            first_move: Move::NONE,
            best_move: Move::NONE,
            raising_move: Move::NONE,
            tried: 0,
            quiet_tried: false,
        };
        movegen::generate_into(board, &mut frontier);
        let Frontier { best, first_move, best_move, raising_move, tried, .. } = frontier;
        if tried == 0 {
            return None;
        }
        self.count.nodes += tried;
        self.count.leaves += tried;
        self.count.evals += tried;
        let first_is_table_move = !table_move.is_none() && first_move == table_move;
        self.count.table_moves += u64::from(first_is_table_move);
        if !raising_move.is_none() {
            self.pv.clear(node.ply + 1);
            self.pv.raise(node.ply, raising_move);
        }
        if !best_move.is_none() && best >= beta {
            self.count.cuts += 1;
            self.count.first_cuts += u64::from(tried == 1);
            self.count.table_move_cuts += u64::from(tried == 1 && first_is_table_move);
        }
        Some((best, best_move))
    }
}
