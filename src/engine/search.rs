//! One root search: its state and the code shared by all nodes.

use super::eval::Evaluator;
use super::node::{Node, TableAnswer};
use super::observer::Observer;
use super::options::Algorithm;
use super::oracle::BestMoves;
use super::ordering::{Heuristics, Ranks, RootOrder, Stack};
use super::outcome::SearchCounters;
use super::pace::Pace;
use super::pv::Variations;
use super::switches::Switches;
use crate::chess::increments::Increments;
use crate::chess::{Board, Move, MoveList, Score};
use crate::table::Table;

/// Nodes between checks of the stop flag, about a quarter of a millisecond.
pub const POLL: u64 = 1024;

/// Buffers reused between iterations, so that only the first allocates.
#[derive(Default)]
pub struct Buffers {
    pub path: Vec<u64>,
    pub stack: Stack,
    pub pv: Variations,
}

/// The state of a root search.
pub struct Search<'a, O> {
    pub(super) switches: Switches,
    pub(super) ranks: Ranks,
    pub(super) algorithm: Algorithm,
    pub(super) aspiration: Score,
    pub(super) evaluator: Evaluator,
    pub(super) increments: &'a Increments,
    pub(super) table: Option<&'a mut (dyn Table + 'static)>,
    pub(super) heuristics: &'a mut Heuristics,
    pub(super) count: SearchCounters,
    /// Nodes saved by table cutoffs, if `stored_nodes`.
    pub(super) credit: u64,
    /// Whether the policy counts the nodes stored with entries (`big-all`).
    pub(super) stored_nodes: bool,
    pub(super) stack: Stack,
    /// The list into which every node generates its moves before they go on the stack.
    pub(super) scratch: MoveList,
    pub(super) pv: Variations,
    /// Moves deferred by the nodes on the path, each with its node's ply. Those of the deepest node
    /// come last.
    pub(super) deferred: Vec<(usize, Move)>,
    /// ABDADA: ply, table key and depth of each node on the path whose entry counts this searcher.
    pub(super) entry_marks: Vec<(usize, u64, u8)>,
    /// The static evaluation that a probe at a leaf or quiescence node found or computed, until the
    /// node takes it.
    pub(super) evaluation: Option<Score>,
    /// Keys of the positions from the start of the game to this node's parent.
    pub(super) path: Vec<u64>,
    /// How many of these keys belong to the game before the root.
    pub(super) past: usize,
    pub(super) pace: Pace<'a>,
    pub(super) node_limit: u64,
    /// The node count at which to check the limits next.
    pub(super) next_check: u64,
    pub(super) aborted: bool,
    /// Only nodes at fewer plies from the root may be extended.
    pub(super) extension_ply_limit: usize,
    /// The order of the root's moves, if it differs from that of other nodes.
    pub(super) root_order: Option<RootOrder>,
    /// The last probe's facts, for reductions and extensions; cleared before each use.
    pub(super) facts: TableAnswer,
    /// The oracle's first move of each node, if the ordering uses it.
    pub(super) oracle: Option<&'a BestMoves>,
    pub(super) observer: O,
}

/// The counters when a node was entered, from which the size of its subtree follows.
#[derive(Debug, Clone, Copy)]
pub(super) struct StartCounts {
    nodes: u64,
    credit: u64,
}

/// Whether a position is drawn by the fifty-move rule or repeats an earlier one. `path`: the keys
/// of the earlier positions up to its parent.
pub(super) fn is_draw(board: &Board, path: &[u64]) -> bool {
    let clock = usize::from(board.halfmove_clock());
    // A mate by the hundredth halfmove counts.
    if clock >= 100 && (!board.in_check() || board.has_legal_move()) {
        return true;
    }
    // The path ends with the parent, so every second earlier position has the same side to move.
    let key = board.key();
    path.iter().rev().take(clock).skip(1).step_by(2).any(|&earlier| earlier == key)
}

impl<O: Observer> Search<'_, O> {
    /// Ends the search and gives its buffers back to the caller.
    pub(super) fn end(mut self, buffers: &mut Buffers) -> Self {
        *buffers = Buffers {
            path: std::mem::take(&mut self.path),
            stack: std::mem::take(&mut self.stack),
            pv: std::mem::replace(&mut self.pv, Variations::none()),
        };
        self
    }

    /// Counts a node; returns true if the search must end before it.
    #[inline]
    pub(super) fn enter(&mut self) -> bool {
        if self.count.nodes >= self.next_check && self.check_limits() {
            return true;
        }
        self.count.nodes += 1;
        false
    }

    /// Checks the limits, and returns whether the search must end. With helpers, this waits for the
    /// searcher's next turn.
    #[cold]
    fn check_limits(&mut self) -> bool {
        let nodes = match &mut self.pace {
            _ if self.aborted => 0,
            Pace::Alone(stop) if stop.is_set() => 0,
            Pace::Alone(_) => self.node_limit.saturating_sub(self.count.nodes).min(POLL),
            Pace::Turns(baton) => {
                // Shows the others the positions on this searcher's path, which they may avoid.
                if let Some(table) = self.table.as_deref_mut() {
                    table.suspend(&self.path[self.past..]);
                }
                baton.pass(&self.count)
            }
        };
        self.aborted = nodes == 0;
        self.next_check = self.count.nodes + nodes;
        self.aborted
    }

    /// Tries to make room for `nodes` more nodes before the next check of the limits, and returns
    /// whether there is room. A search without helpers checks the stop signal now and, unless it is
    /// set, postpones the next check; with helpers, nothing changes.
    #[cold]
    pub(super) fn make_room_before_check(&mut self, nodes: u64) -> bool {
        if let Pace::Alone(stop) = self.pace
            && !stop.is_set()
        {
            self.next_check = self.node_limit.min(self.count.nodes + POLL);
        }
        self.count.nodes + nodes < self.next_check
    }

    /// The score of a node without a legal move. It counts as an evaluation, as it does in the
    /// published tables of node counts.
    #[inline]
    pub(super) fn terminal(&mut self, board: &Board, ply: usize, depth: i32) -> Score {
        self.count.evals += 1;
        if board.in_check() {
            self.count.mates += 1;
            self.switches.mated(ply, depth)
        } else {
            self.count.stalemates += 1;
            0
        }
    }

    /// Whether the position is drawn by the fifty-move rule or repeats an earlier one.
    pub(super) fn is_draw(&self, board: &Board) -> bool {
        is_draw(board, &self.path)
    }

    /// The counters at the start of the current node, which has just been entered and counted.
    #[inline]
    pub(super) fn start_counts(&self) -> StartCounts {
        StartCounts { nodes: self.count.nodes - 1, credit: self.credit }
    }

    /// The number of nodes of a subtree, including nodes that table cutoffs saved if the policy
    /// counts them. `start`: the counters when the subtree's root was entered.
    #[inline]
    pub(super) fn subtree_size(&self, start: StartCounts) -> u32 {
        (self.count.nodes - start.nodes + self.credit - start.credit).min(u64::from(u32::MAX)) as u32
    }

    /// Sorts the moves in `scratch` by the generation order of the options.
    #[inline]
    pub(super) fn sort_generated(&mut self, board: &Board) {
        if self.switches.reorder {
            self.switches.generation.sort(board, &mut self.scratch, self.switches.generation_seed);
        }
    }

    /// Clamps a score to the window under fail-hard.
    #[inline]
    pub(super) fn clamp_to_window(&self, score: Score, alpha: Score, beta: Score) -> Score {
        if self.switches.hard { score.clamp(alpha, beta) } else { score }
    }

    /// `threads.helpers = "breadcrumbs"`: whether late moves of a node are reduced by one more ply,
    /// because another searcher is in the node. Only within eight plies of the root.
    #[cold]
    pub(super) fn reduces_late_moves_more(&mut self, board: &Board, depth: i32, ply: usize) -> bool {
        self.switches.lmr_depth <= depth && ply < 8 && self.is_elsewhere(board.key())
    }

    /// Removes and returns the first deferred move of the node at `ply`.
    #[inline]
    pub(super) fn next_deferred(&mut self, depth: i32, ply: usize) -> Option<Move> {
        if self.switches.defer_depth > depth {
            return None;
        }
        // The list ends with this node's moves; those of the nodes above it come before them.
        let last_above = self.deferred.iter().rposition(|&(deferred_ply, _)| deferred_ply < ply);
        let first = last_above.map_or(0, |index| index + 1);
        if first == self.deferred.len() {
            return None;
        }
        let (_, mv) = self.deferred.remove(first);
        Some(mv)
    }

    /// ABDADA: counts this searcher at the table entry of a node, until it leaves the node.
    #[cold]
    pub(super) fn mark_entry(&mut self, board: &Board, node: Node) {
        let (key, depth) = (self.table_key(board), node.depth as u8);
        if let Some(table) = self.table.as_deref_mut() {
            table.enter(key, depth);
            self.entry_marks.push((node.ply, key, depth));
        }
    }

    /// Undoes [`Self::mark_entry`] when the searcher leaves a node, if the node was marked. With
    /// internal iterative deepening a node may be marked twice, by the inner search and by the
    /// outer one. The inner search is shallower and ends first.
    #[cold]
    pub(super) fn unmark_entry(&mut self, node: Node) {
        let mark = self.entry_marks.pop_if(|(ply, _, depth)| *ply == node.ply && i32::from(*depth) <= node.depth);
        if let (Some((_, key, depth)), Some(table)) = (mark, self.table.as_deref_mut()) {
            table.leave(key, depth);
        }
    }

    /// Whether another searcher is already at the position that a move leads to: on its path or,
    /// under ABDADA, counted at the table entry of the depth to which the move would be searched.
    #[cold]
    pub(super) fn is_taken(&mut self, board: &Board, child: &Board, mv: Move, depth: i32, tried: usize) -> bool {
        // Without ABDADA `entered_depth` is the maximum.
        let is_abdada = self.switches.entered_depth <= self.switches.defer_depth;
        if !is_abdada {
            return self.is_elsewhere(child.key());
        }
        let reduction = if self.is_late(board, child, mv, depth, tried) { self.switches.lmr_reduction } else { 0 };
        let (key, child_depth) = (self.table_key(child), (depth - 1 - reduction).max(0) as u8);
        self.table.as_deref_mut().is_some_and(|table| table.is_entered(key, child_depth))
    }

    /// Whether another searcher is searching a position or one of its descendants.
    #[cold]
    pub(super) fn is_elsewhere(&mut self, key: u64) -> bool {
        self.table.as_deref_mut().is_some_and(|table| table.is_elsewhere(key))
    }

    /// The move to try first: the oracle's, or else the table's if the ordering uses it.
    #[inline]
    pub(super) fn first_move(&self, board: &Board, depth: i32, table_move: Move) -> Move {
        let Some(notes) = self.oracle else { return table_move };
        notes.get(board, depth).unwrap_or(if self.ranks.uses_table_move() { table_move } else { Move::NONE })
    }

    /// Updates killers, countermoves and history after a cutoff by a quiet move.
    #[inline]
    pub(super) fn learn(&mut self, board: &Board, previous: Move, mv: Move, ply: usize, depth: i32) {
        if self.ranks.learns() && board.is_quiet(mv) {
            self.heuristics.killers.learn(ply, mv);
            self.heuristics.countermoves.learn(board, previous, mv);
            self.heuristics.history.learn(board.turn(), mv, depth);
        }
    }
}
