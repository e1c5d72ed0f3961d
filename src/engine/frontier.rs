//! Frontier nodes: one ply above leaves that are their incremental evaluation and nothing else, where moves are tried as generated. No
//! list is made and no move is played: the generator shows its moves, a piece at a time, until one cuts. Without piece-square tables all
//! quiet moves have one score, so that after the first of them they are counted, not looked at.

use super::eval::Evaluator;
use super::node::Node;
use super::observer::Observer;
use super::search::Search;
use crate::chess::movegen::{self, Sink, origin};
use crate::chess::{Bitboard, Board, Color, Increments, Move, Piece, Score, Square};

/// More moves than any position has.
const MOST: u64 = 256;

/// Values the moves that it is shown.
struct Frontier<'a> {
    board: &'a Board,
    increments: &'a Increments,
    evaluator: &'a Evaluator,
    /// Quiet moves change nothing.
    flat: bool,
    /// Scores are cut to the window.
    hard: bool,
    alpha: Score,
    beta: Score,
    best: Score,
    first_move: Move,
    best_move: Move,
    /// The last move that raised alpha.
    raised: Move,
    tried: u64,
    /// A quiet move was tried.
    quiet: bool,
}

impl Frontier<'_> {
    /// Tries a move; true if it cuts.
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
                (self.alpha, self.raised) = (score, mv);
            }
        }
        score >= self.beta
    }

    /// Tries quiet moves that change nothing: the first for all. `to_move`: the move to a square.
    #[inline]
    fn attempt_flat(&mut self, targets: Bitboard, to_move: impl Fn(Square) -> Move) -> bool {
        let Some(to) = targets.first() else { return false };
        let mut others = u64::from(targets.count());
        if !self.quiet {
            self.quiet = true;
            others -= 1;
            if self.attempt(to_move(to), self.board.sum()) {
                return true;
            }
        }
        self.tried += others;
        false
    }

    /// Tries moves one by one.
    #[inline]
    fn attempt_each(&mut self, targets: Bitboard, to_move: impl Fn(Square) -> Move) -> bool {
        for to in targets {
            let mv = to_move(to);
            if self.attempt(mv, self.board.sum_after(mv, self.increments)) {
                return true;
            }
        }
        false
    }
}

impl Sink for Frontier<'_> {
    #[inline]
    fn piece(&mut self, from: Square, targets: Bitboard) -> bool {
        if self.flat && (targets & self.board.occupied()).is_empty() {
            self.attempt_flat(targets, |to| Move::new(from, to))
        } else {
            self.attempt_each(targets, |to| Move::new(from, to))
        }
    }

    #[inline]
    fn pawns(&mut self, targets: Bitboard, step: i8) -> bool {
        if self.flat && step % 8 == 0 {
            self.attempt_flat(targets, |to| Move::new(origin(to, step), to))
        } else {
            self.attempt_each(targets, |to| Move::new(origin(to, step), to))
        }
    }

    #[inline]
    fn promotions(&mut self, targets: Bitboard, step: i8) -> bool {
        for to in targets {
            for piece in [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen] {
                let mv = Move::promoting(origin(to, step), to, piece);
                if self.attempt(mv, self.board.sum_after(mv, self.increments)) {
                    return true;
                }
            }
        }
        false
    }
}

impl<O: Observer> Search<'_, O> {
    /// Whether a node is to be valued by [`Self::frontier`]; near a limit every leaf is counted in by itself.
    #[inline]
    pub(super) fn is_frontier(&mut self, depth: i32) -> bool {
        depth == 1 && self.on.frontier && !O::LOOKS && (self.count.nodes + MOST < self.attention || self.is_far(MOST))
    }

    /// The value of a node of remaining depth 1, and the moves and counts that go with it: as the loop over its moves has them.
    /// `start`: alpha, beta and the value to start from, as the table left them. None where there is no legal move.
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
            flat: self.on.flat,
            hard: self.on.hard,
            alpha,
            beta,
            best,
            first_move: Move::NONE,
            best_move: Move::NONE,
            raised: Move::NONE,
            tried: 0,
            quiet: false,
        };
        movegen::show(board, &mut frontier);
        let Frontier { best, first_move, best_move, raised, tried, .. } = frontier;
        if tried == 0 {
            return None;
        }
        self.count.nodes += tried;
        self.count.leaves += tried;
        self.count.evals += tried;
        let from_table = !table_move.is_none() && first_move == table_move;
        self.count.table_moves += u64::from(from_table);
        if !raised.is_none() {
            self.pv.clear(node.ply + 1);
            self.pv.raise(node.ply, raised);
        }
        if !best_move.is_none() && best >= beta {
            self.count.cuts += 1;
            self.count.first_cuts += u64::from(tried == 1);
            self.count.table_move_cuts += u64::from(tried == 1 && from_table);
        }
        Some((best, best_move))
    }
}
