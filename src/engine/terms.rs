//! Reductions and extensions that depend on what the table knows, so that the table affects the
//! shape of the tree: internal iterative reduction and singular extension.

use super::node::{Node, TableAnswer};
use super::observer::Observer;
use super::options::NodeType;
use super::ordering::Hint;
use super::search::Search;
use super::switches::{INFINITE, Switches};
use crate::chess::{Board, Bound, Move, Score};
use crate::table::Entry;

/// A change of depth for one move of a node.
#[derive(Debug, Clone, Copy, Default)]
pub struct Extension {
    pub mv: Move,
    /// Plies added to its depth, possibly negative.
    pub plies: i32,
}

impl Extension {
    /// The depth with which a node of depth `depth` searches a move: changed only if this is the
    /// extended move.
    #[inline]
    pub fn depth(self, depth: i32, mv: Move) -> i32 {
        if mv == self.mv { (depth + self.plies).clamp(1, i32::from(u8::MAX)) } else { depth }
    }
}

impl Switches {
    /// What an entry says about its node, limited to what the options allow.
    #[inline]
    pub fn facts(&self, entry: &Entry) -> TableAnswer {
        let mv = if self.moves { entry.mv } else { Move::NONE };
        let bound = if self.cutoffs { self.bound(entry) } else { Bound::None };
        TableAnswer { mv, depth: i32::from(entry.depth), score: entry.score, bound }
    }
}

impl<O: Observer> Search<'_, O> {
    /// Under `shape = "neutral"`: what a table that never forgets would know about a node.
    pub(super) fn offered_facts(&mut self, board: &Board, depth: i32) -> TableAnswer {
        let key = self.table_key(board);
        let entry = self.table.as_deref_mut().and_then(|table| table.last_offer(key, depth as u8));
        entry.map(|entry| self.switches.facts(&entry)).unwrap_or_default()
    }

    /// Internal iterative reduction: the depth to which a node is searched. `node.depth` must be at
    /// least `iir.min_depth`.
    #[inline(never)]
    pub(super) fn reduced_depth(&mut self, node: Node, facts: &TableAnswer) -> i32 {
        let applies = match self.switches.iir_node_type {
            NodeType::Any => true,
            NodeType::Pv => node.beta - node.alpha > 1,
            NodeType::Cut => node.cut,
        };
        let is_too_shallow = self.switches.iir_slack > 0 && facts.depth + self.switches.iir_slack < node.depth;
        let lacks_move = facts.mv.is_none() || is_too_shallow;
        if !(applies && lacks_move) {
            return node.depth;
        }
        self.count.iir_nodes += 1;
        (node.depth - self.switches.iir_reduction).max(1)
    }

    /// Singular extension: the change of depth for the table's move. Called at nodes of sufficient
    /// depth. There is no change if the entry is insufficient or the search was aborted.
    #[inline(never)]
    pub(super) fn extension<const TABLE: bool, const EXTRAS: bool>(
        &mut self,
        board: &Board,
        node: Node,
        facts: &TableAnswer,
        previous: Move,
    ) -> Extension {
        let Node { alpha, beta, depth, ply, .. } = node;
        let score = self.switches.score_from_store(facts.score, ply);
        let applies = ply > 0
            && ply < self.extension_ply_limit
            && facts.depth >= depth - self.switches.singular_slack
            && matches!(facts.bound, Bound::Lower | Bound::Exact)
            && score.abs() <= self.switches.mate_threshold
            && board.is_legal(facts.mv);
        if !applies {
            return Extension::default();
        }
        let target = (score - self.switches.singular_margin * depth).max(-self.switches.mate_threshold);
        let test_depth = ((depth - 1) / self.switches.singular_divisor).max(1);
        let test_node = Node { alpha: target - 1, beta: target, depth: test_depth, ..node };
        let others_score = self.best_of_others::<TABLE, EXTRAS>(board, test_node, facts.mv, previous);
        if self.aborted {
            return Extension::default();
        }
        let fails_by_much = self.switches.singular_double > 0 && others_score < target - self.switches.singular_double;
        let plies = if others_score >= target {
            // Not singular: if the table's move fails high, others are likely to do so too.
            if score >= beta { -self.switches.singular_reduction } else { 0 }
        } else if fails_by_much && beta - alpha == 1 {
            2
        } else {
            1
        };
        self.count.singular_tests += 1;
        self.count.singular_extensions += u64::from(plies > 0);
        self.count.singular_doubles += u64::from(plies > 1);
        self.count.singular_reductions += u64::from(plies < 0);
        Extension { mv: facts.mv, plies }
    }

    /// The value of a node without its move `excluded`, within its window. The node is counted as
    /// entered, but it is neither probed nor stored, and the heuristics learn nothing from it.
    fn best_of_others<const TABLE: bool, const EXTRAS: bool>(
        &mut self,
        board: &Board,
        node: Node,
        excluded: Move,
        previous: Move,
    ) -> Score {
        if self.enter() {
            return 0;
        }
        self.count.interior += 1;
        self.generate(board);
        let hint = Hint { table_move: Move::NONE, previous, ply: node.ply };
        let mut frame = self.stack.push(&self.ranks, board, &self.scratch, &hint, self.heuristics);
        self.path.push(board.key());
        let (mut best, mut tried) = (-INFINITE, 0);
        while let Some(mv) = self.stack.next(&mut frame) {
            if mv == excluded {
                continue;
            }
            let mut child = *board;
            child.play(mv, self.increments);
            best = best.max(self.search_child::<TABLE, EXTRAS>(board, &child, mv, node, tried, false));
            tried += 1;
            if self.aborted || best >= node.beta {
                break;
            }
        }
        self.path.pop();
        self.stack.pop(&frame);
        best
    }
}
