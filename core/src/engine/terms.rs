//! Internal iterative reduction and singular extension. These reductions and extensions depend on
//! what the table knows about a node, so the table affects the shape of the tree.

use super::node::{Node, TableFacts};
use super::observer::Observer;
use super::ordering::Hint;
use super::search::Search;
use super::switches::{INFINITE, Switches};
use crate::chess::{Board, Bound, Move, Score};
use crate::table::Entry;

/// Plies by which internal iterative reduction makes a node shallower.
const IIR_REDUCTION: i32 = 1;

/// How many plies shallower than a node its entry may be for a singular test. It must also have a
/// legal move and a lower or exact bound, and no mate score.
const SINGULAR_SLACK: i32 = 3;

/// How far the target of a singular test is below the entry's score, in centipawns for each ply of
/// depth.
const SINGULAR_MARGIN: Score = 2;

/// A singular test searches the other moves of a node of depth (depth - 1) / `SINGULAR_DIVISOR`.
const SINGULAR_DIVISOR: i32 = 2;

#[derive(Debug, Clone, Copy, Default)]
pub struct Extension {
    pub mv: Move,
    /// The number of plies that are added to the depth of the move.
    pub plies: i32,
}

impl Extension {
    /// The depth is changed only if `mv` is the extended move.
    #[inline]
    pub fn apply(self, depth: i32, mv: Move) -> i32 {
        if mv == self.mv { (depth + self.plies).min(i32::from(u8::MAX)) } else { depth }
    }
}

impl Switches {
    /// The move and the bound are left empty if the options do not allow the search to use them.
    #[inline]
    pub fn facts(&self, entry: &Entry) -> TableFacts {
        let mv = if self.uses_stored_moves { entry.mv } else { Move::NONE };
        let bound = if self.allows_cutoffs { self.bound(entry) } else { Bound::None };
        TableFacts { mv, depth: i32::from(entry.depth), score: entry.score, bound }
    }
}

impl<O: Observer> Search<'_, O> {
    /// Used under `shape = "neutral"`.
    pub(super) fn offered_facts(&mut self, board: &Board, depth: i32) -> TableFacts {
        let key = self.table_key(board);
        let entry = self.table.as_deref_mut().and_then(|table| table.last_offer(key, depth as u8));
        entry.map(|entry| self.switches.facts(&entry)).unwrap_or_default()
    }

    /// `depth` must be at least `iir.min_depth`.
    #[inline(never)]
    pub(super) fn reduced_depth(&mut self, depth: i32, facts: &TableFacts) -> i32 {
        if !facts.mv.is_none() {
            return depth;
        }
        self.count.iir_nodes += 1;
        depth - IIR_REDUCTION
    }

    /// Must be called only at nodes of sufficient depth. The change is 0 if the table's entry is
    /// not suitable or the search was aborted.
    #[inline(never)]
    pub(super) fn singular_extension<const TABLE: bool, const EXTRAS: bool>(
        &mut self,
        board: &Board,
        node: Node,
        facts: &TableFacts,
        previous: Move,
    ) -> Extension {
        let Node { alpha, beta, depth, ply, .. } = node;
        let score = self.switches.score_from_store(facts.score, ply);
        let is_suitable = ply > 0
            && ply < self.extension_ply_limit
            && facts.depth >= depth - SINGULAR_SLACK
            && matches!(facts.bound, Bound::Lower | Bound::Exact)
            && score.abs() <= self.switches.mate_threshold
            && board.is_legal(facts.mv);
        if !is_suitable {
            return Extension::default();
        }
        let target = (score - SINGULAR_MARGIN * depth).max(-self.switches.mate_threshold);
        let test_depth = (depth - 1) / SINGULAR_DIVISOR;
        let test_node = Node { alpha: target - 1, beta: target, depth: test_depth, ..node };
        let others_score = self.search_without_move::<TABLE, EXTRAS>(board, test_node, facts.mv, previous);
        if self.aborted {
            return Extension::default();
        }
        let is_far_below_target =
            self.switches.singular_double > 0 && others_score < target - self.switches.singular_double;
        let plies = if others_score >= target {
            0
        } else if is_far_below_target && beta - alpha == 1 {
            2
        } else {
            1
        };
        self.count.singular_tests += 1;
        self.count.singular_extensions += u64::from(plies > 0);
        self.count.singular_doubles += u64::from(plies > 1);
        Extension { mv: facts.mv, plies }
    }

    /// Searches a node without its move `excluded`. Returns the best value of the other moves. The
    /// node is counted, but the table is neither probed for it nor offered its result, and the
    /// heuristics are not updated.
    fn search_without_move<const TABLE: bool, const EXTRAS: bool>(
        &mut self,
        board: &Board,
        node: Node,
        excluded: Move,
        previous: Move,
    ) -> Score {
        if self.aborts_on_entry() {
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
            best = best.max(self.search_child::<TABLE, EXTRAS>(board, &child, mv, node, tried));
            tried += 1;
            if self.aborted || best >= node.beta {
                break;
            }
        }
        self.path.pop();
        self.stack.pop(frame.base);
        best
    }
}
