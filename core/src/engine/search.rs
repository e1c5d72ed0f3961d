//! The state of one root search, and the code that all nodes share.

use super::eval::Evaluator;
use super::node::TableFacts;
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

/// The number of nodes between two checks of the stop flag. They take about a quarter of a
/// millisecond.
pub const POLL: u64 = 1024;

/// Buffers that are reused by later iterations, so that only the first iteration allocates.
#[derive(Default)]
pub struct Buffers {
    pub path: Vec<u64>,
    pub stack: Stack,
    pub pv: Variations,
}

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
    /// The number of nodes that table cutoffs saved. It is counted only if `counts_stored_nodes` is
    /// true.
    pub(super) credited_nodes: u64,
    /// Whether the policy counts the nodes stored with entries (`big-all`).
    pub(super) counts_stored_nodes: bool,
    pub(super) stack: Stack,
    /// The list into which each node generates its moves before they are copied to `stack`.
    pub(super) scratch: MoveList,
    pub(super) pv: Variations,
    /// The static evaluation that the probe of a leaf or quiescence node found or computed. It is
    /// kept until the node takes it.
    pub(super) evaluation: Option<Score>,
    /// Keys of the positions from the start of the game to the parent of the current node.
    pub(super) path: Vec<u64>,
    /// The number of keys in `path` that belong to the game before the root.
    pub(super) past_count: usize,
    pub(super) pace: Pace<'a>,
    pub(super) node_limit: u64,
    pub(super) next_check: u64,
    pub(super) aborted: bool,
    /// Only nodes that are fewer plies than this from the root may be extended.
    pub(super) extension_ply_limit: usize,
    /// The order of the root's moves, if it differs from the move order at other nodes.
    pub(super) root_order: Option<RootOrder>,
    pub(super) root_moves: &'a [Move],
    /// What the last probe found, for reductions and extensions. Each node that uses these facts
    /// clears them before its probe.
    pub(super) facts: TableFacts,
    /// The move that the oracle tries first at each node, if the ordering uses the oracle.
    pub(super) oracle: Option<&'a BestMoves>,
    pub(super) observer: O,
}

/// The counters at the time when a node was entered. The size of the node's subtree is computed
/// from them.
#[derive(Debug, Clone, Copy)]
pub(super) struct StartCounts {
    nodes: u64,
    credited_nodes: u64,
}

impl<O: Observer> Search<'_, O> {
    pub(super) fn end(mut self, buffers: &mut Buffers) -> Self {
        *buffers = Buffers {
            path: std::mem::take(&mut self.path),
            stack: std::mem::take(&mut self.stack),
            pv: std::mem::replace(&mut self.pv, Variations::none()),
        };
        self
    }

    /// Enters a node. Returns true if the search must end before the node. Otherwise counts the
    /// node and returns false.
    #[inline]
    pub(super) fn aborts_on_entry(&mut self) -> bool {
        if self.count.nodes >= self.next_check && self.check_limits() {
            return true;
        }
        self.count.nodes += 1;
        false
    }

    /// Checks the limits. Returns whether the search must end. With helpers, the call returns when
    /// it is this searcher's turn again.
    #[cold]
    fn check_limits(&mut self) -> bool {
        let nodes = match &mut self.pace {
            _ if self.aborted => 0,
            Pace::Alone(stop) if stop.is_set() => 0,
            Pace::Alone(_) => self.node_limit.saturating_sub(self.count.nodes).min(POLL),
            Pace::Turns(baton) => {
                // The table learns which positions are on this searcher's path, so that it can
                // count the other searchers' probes of these positions.
                if let Some(table) = self.table.as_deref_mut() {
                    table.suspend(&self.path[self.past_count..]);
                }
                baton.pass(&self.count)
            }
        };
        self.aborted = nodes == 0;
        self.next_check = self.count.nodes + nodes;
        self.aborted
    }

    /// Tries to postpone the next check of the limits. Returns whether more than `nodes` nodes can
    /// be searched before the next check.
    ///
    /// A search without helpers checks the stop signal now. If the signal is not set, the next
    /// check is postponed. With helpers, the next check is never postponed.
    #[cold]
    pub(super) fn make_room_before_check(&mut self, nodes: u64) -> bool {
        if let Pace::Alone(stop) = self.pace
            && !stop.is_set()
        {
            self.next_check = self.node_limit.min(self.count.nodes + POLL);
        }
        self.count.nodes + nodes < self.next_check
    }

    /// The node is counted as an evaluation, because published counts of evaluations include such
    /// nodes.
    #[inline]
    pub(super) fn terminal_score(&mut self, board: &Board, ply: usize, depth: i32) -> Score {
        self.count.evals += 1;
        if board.in_check() {
            self.count.mates += 1;
            self.switches.mated(ply, depth)
        } else {
            self.count.stalemates += 1;
            0
        }
    }

    /// Whether the position is drawn by the fifty-move rule or repeats an earlier position.
    pub(super) fn is_draw(&self, board: &Board) -> bool {
        let clock = usize::from(board.halfmove_clock());
        // If the hundredth halfmove is checkmate, the game is not drawn.
        if clock >= 100 && (!board.in_check() || board.has_legal_move()) {
            return true;
        }
        // The last position in the path is the parent, where the other side is to move. It is
        // skipped, and so is every second position before it.
        let reversible = &self.path[self.path.len().saturating_sub(clock)..];
        reversible.rchunks_exact(2).any(|pair| pair[0] == board.key())
    }

    #[inline]
    pub(super) fn start_counts(&self) -> StartCounts {
        StartCounts { nodes: self.count.nodes - 1, credited_nodes: self.credited_nodes }
    }

    /// If the policy counts the nodes that table cutoffs saved, these are included. `start` has the
    /// counters from when the root of the subtree was entered.
    #[inline]
    pub(super) fn subtree_size(&self, start: StartCounts) -> u32 {
        (self.count.nodes - start.nodes + self.credited_nodes - start.credited_nodes).min(u64::from(u32::MAX)) as u32
    }

    /// Sorts the moves in `scratch` into the generation order that the options choose.
    #[inline]
    pub(super) fn sort_generated(&mut self, board: &Board) {
        if self.switches.sorts_generated_moves {
            self.switches.generation.sort(board, &mut self.scratch);
        }
    }

    #[inline]
    pub(super) fn clamp_to_window(&self, score: Score, alpha: Score, beta: Score) -> Score {
        if self.switches.is_fail_hard { score.clamp(alpha, beta) } else { score }
    }

    /// The move to try first. This is the oracle's move. If the oracle has no move for the node, it
    /// is the table's move, provided that the ordering uses table moves.
    #[inline]
    pub(super) fn first_move(&self, board: &Board, depth: i32, table_move: Move) -> Move {
        let Some(best_moves) = self.oracle else { return table_move };
        best_moves.get(board, depth).unwrap_or(if self.ranks.uses_table_move() { table_move } else { Move::NONE })
    }

    /// Updates killers, countermoves and history after a cutoff by a quiet move.
    #[inline]
    pub(super) fn update_heuristics(&mut self, board: &Board, previous: Move, mv: Move, ply: usize, depth: i32) {
        if self.ranks.learns_from_cutoffs() && board.is_quiet(mv) {
            self.heuristics.killers.learn(ply, mv);
            self.heuristics.countermoves.learn(board, previous, mv);
            self.heuristics.history.learn(board.turn(), mv, depth);
        }
    }
}
