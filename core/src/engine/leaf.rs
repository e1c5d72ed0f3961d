//! The value of leaves, which is the static evaluation or the result of a search of captures until
//! the position is quiet.

use super::node::Node;
use super::observer::Observer;
use super::ordering::{Hint, StageContext};
use super::search::Search;
use crate::chess::{Board, Color, Move, Score};
use std::ops::Range;

impl<O: Observer> Search<'_, O> {
    /// Searches a leaf, which is a node of remaining depth 0. Returns its value.
    #[inline]
    pub(super) fn search_leaf<const TABLE: bool, const EXTRAS: bool>(&mut self, board: &Board, node: Node) -> Score {
        if self.aborts_on_entry() {
            return 0;
        }
        self.count.leaves += 1;
        self.pv.clear(node.ply);
        if self.switches.draws && self.is_draw(board) {
            return self.clamp_to_window(0, node.alpha, node.beta);
        }
        let score = self.evaluate_or_search_captures::<TABLE, EXTRAS>(board, node, 0);
        self.clamp_to_window(score, node.alpha, node.beta)
    }

    /// The value is from the view of the side that plays the move. The move is not played.
    #[inline]
    pub(super) fn evaluate_bare_leaf(&mut self, board: &Board, mv: Move, alpha: Score, beta: Score) -> Score {
        if self.aborts_on_entry() {
            return 0;
        }
        self.count.leaves += 1;
        self.count.evals += 1;
        let white_score = self.evaluator.clip(board.sum_after(mv, self.increments));
        let score = if board.turn() == Color::White { white_score } else { -white_score };
        self.clamp_to_window(score, alpha, beta)
    }

    /// Returns the value of a leaf or a quiescence node.
    ///
    /// `level` is 0 at a leaf and -1 at a quiescence node. It is compared with the minimum depths
    /// for probing the table and for storing entries.
    #[inline]
    fn evaluate_or_search_captures<const TABLE: bool, const EXTRAS: bool>(
        &mut self,
        board: &Board,
        node: Node,
        level: i32,
    ) -> Score {
        let start_counts = self.start_counts();
        self.observer.before_node(board);
        let mut table_move = Move::NONE;
        if TABLE && self.switches.probe_depth <= level {
            let answer = self.probe::<EXTRAS>(board, node);
            if let Some(score) = answer.cutoff_score {
                return score;
            }
            table_move = answer.mv;
        }
        let stores = TABLE && self.switches.store_depth <= level;
        // The probe may have left the evaluation.
        let takes_evaluation = TABLE && EXTRAS && self.switches.static_evaluation && self.switches.probe_depth <= level;
        let evaluation = if takes_evaluation { self.evaluation.take() } else { None };
        let stand_pat = evaluation.unwrap_or_else(|| self.evaluator.evaluate(board));
        let captures = match self.switches.quiescence && stand_pat < node.beta {
            true => self.push_captures(board, node.ply, table_move),
            false => 0..0,
        };
        // A node with a capture is neither mate nor stalemate.
        if captures.is_empty() && self.switches.leaf_mates && !board.has_legal_move() {
            let score = self.terminal_score(board, node.ply, 0);
            if stores && self.switches.terminals {
                self.store_known_result::<EXTRAS>(board, node, (score, Move::NONE), start_counts);
            }
            return score;
        }
        self.count.evals += u64::from(evaluation.is_none());
        if !self.switches.quiescence {
            if stores {
                self.store_known_result::<EXTRAS>(board, node, (stand_pat, Move::NONE), start_counts);
            }
            return stand_pat;
        }
        let (score, mv) = self.search_captures::<TABLE, EXTRAS>(board, node, stand_pat, captures);
        if stores && !self.aborted {
            self.store_result::<EXTRAS>(board, node, (score, mv), start_counts);
        }
        score
    }

    /// Pushes the captures of a node.
    #[inline(always)]
    fn push_captures(&mut self, board: &Board, ply: usize, table_move: Move) -> Range<usize> {
        let table_move = self.first_move(board, 0, table_move);
        if self.ranks.scores_captures_at_once {
            return self.stack.push_scored_captures(&self.ranks, board, table_move);
        }
        let hint = Hint { table_move, previous: Move::NONE, ply };
        let context = StageContext {
            ranks: &self.ranks,
            generation: self.switches.generation,
            board,
            hint: &hint,
            heuristics: self.heuristics,
        };
        self.stack.push_listed_captures(context, &mut self.scratch)
    }

    /// Searches the captures of a node. Returns the best capture and its score. If no capture is
    /// better than the stand-pat score, returns the stand-pat score and [`Move::NONE`].
    #[inline(always)]
    fn search_captures<const TABLE: bool, const EXTRAS: bool>(
        &mut self,
        board: &Board,
        node: Node,
        stand_pat: Score,
        mut captures: Range<usize>,
    ) -> (Score, Move) {
        let Node { alpha, beta, ply, .. } = node;
        let (mut best, mut best_move) = (stand_pat, Move::NONE);
        if captures.is_empty() {
            return (best, best_move);
        }
        let (mut alpha, base) = (alpha.max(best), captures.start);
        let prefetches = TABLE && self.switches.prefetch_depth < 0;
        let mut ahead = None;
        while let Some(mv) = ahead.take().or_else(|| self.next_capture(board, &mut captures, prefetches)) {
            if prefetches {
                // Its bucket is fetched while this capture is searched.
                ahead = self.next_capture(board, &mut captures, true);
            }
            if self.switches.delta != 0 && self.is_delta_pruned(board, mv, stand_pat, alpha) {
                continue;
            }
            let mut child = *board;
            child.play_capture(mv, self.increments);
            let child_node = Node { alpha: -beta, beta: -alpha, depth: 0, ply: ply + 1 };
            let score = -self.search_quiescence::<TABLE, EXTRAS>(&child, child_node);
            if self.aborted {
                break;
            }
            if score > best {
                (best, best_move) = (score, mv);
                alpha = alpha.max(score);
                if score >= beta {
                    break;
                }
            }
        }
        self.stack.pop(base);
        if !best_move.is_none() && best > node.alpha {
            self.observer.after_search(board, 0, best_move);
        }
        (best, best_move)
    }

    #[inline(always)]
    fn next_capture(&mut self, board: &Board, captures: &mut Range<usize>, prefetches: bool) -> Option<Move> {
        let mv = self.stack.next_capture(captures)?;
        if prefetches {
            self.prefetch(board.key_after(mv, self.increments));
        }
        Some(mv)
    }

    /// Searches a quiescence node, which is a node below a leaf. Returns its value.
    fn search_quiescence<const TABLE: bool, const EXTRAS: bool>(&mut self, board: &Board, node: Node) -> Score {
        self.pv.mark_reached(node.ply);
        if self.aborts_on_entry() {
            return 0;
        }
        self.count.qnodes += 1;
        // The level of quiescence nodes is -1.
        let score = self.evaluate_or_search_captures::<TABLE, EXTRAS>(board, node, -1);
        self.clamp_to_window(score, node.alpha, node.beta)
    }

    /// Whether delta pruning skips a capture. A capture is skipped if the stand-pat score plus the
    /// material that the capture gains plus the margin does not exceed alpha.
    fn is_delta_pruned(&self, board: &Board, mv: Move, stand_pat: Score, alpha: Score) -> bool {
        let gain = board.captured(mv).map_or(0, |piece| self.evaluator.piece_value(piece))
            + mv.promotion().map_or(0, |piece| self.evaluator.piece_value(piece));
        stand_pat + gain + self.switches.delta <= alpha
    }
}
