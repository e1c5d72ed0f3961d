//! One root search: its state, what all nodes share, and the leaves.

use super::eval::Evaluator;
use super::foresight::BestMoves;
use super::node::Known;
use super::observer::Observer;
use super::options::Algorithm;
use super::ordering::{Learned, Ranks, Stack};
use super::outcome::SearchCounters;
use super::pv::Variations;
use super::stop::Stop;
use super::switches::Switches;
use crate::chess::increments::Increments;
use crate::chess::{Board, Move, MoveList, Score};
use crate::table::Table;

/// Nodes between two looks at the stop flag: a quarter of a millisecond, or a client that gives ten a move waits too long on a busy machine.
const POLL: u64 = 1024;

/// What a search borrows from its engine.
pub struct Search<'a, O> {
    pub(super) on: Switches,
    pub(super) ranks: Ranks,
    pub(super) algorithm: Algorithm,
    pub(super) aspiration: Score,
    pub(super) evaluator: Evaluator,
    pub(super) increments: &'a Increments,
    pub(super) table: Option<&'a mut (dyn Table + 'static)>,
    pub(super) learned: &'a mut Learned,
    pub(super) count: SearchCounters,
    /// Nodes of subtrees that table cutoffs saved, where the policy counts them (`big-all`).
    pub(super) credit: u64,
    pub(super) stored_nodes: bool,
    pub(super) stack: Stack,
    /// One list that every node generates into before its moves go on the stack.
    pub(super) scratch: MoveList,
    pub(super) pv: Variations,
    /// Keys of the positions from the game's start to this node's parent.
    pub(super) path: Vec<u64>,
    pub(super) stop: Stop<'a>,
    pub(super) node_limit: u64,
    /// Nodes at which to look at the limits: the node limit, or the next look at the stop flag.
    pub(super) attention: u64,
    pub(super) aborted: bool,
    /// Nodes of fewer plies from the root than this may be extended.
    pub(super) extending_plies: usize,
    /// What the last probe told the terms that ask the table; they clear it before they ask.
    pub(super) known: Known,
    /// The first move of each node, where it is foreseen.
    pub(super) foreseen: Option<&'a BestMoves>,
    /// What watches.
    pub(super) observer: O,
}

/// Whether a position is drawn by the fifty-move rule, or is one of those before it, whose keys are given up to its parent's.
pub(super) fn is_draw(board: &Board, path: &[u64]) -> bool {
    let clock = usize::from(board.halfmove_clock());
    if clock >= 100 && (!board.in_check() || board.has_legal_move()) {
        return true;
    }
    // The path ends with the parent, so the positions with the same side to move are every second one before it.
    let key = board.key();
    path.iter().rev().take(clock).skip(1).step_by(2).any(|&earlier| earlier == key)
}

impl<O: Observer> Search<'_, O> {
    /// Counts a node in; true when the search must end before it.
    #[inline]
    pub(super) fn enter(&mut self) -> bool {
        if self.count.nodes >= self.attention && self.must_end() {
            return true;
        }
        self.count.nodes += 1;
        false
    }

    #[cold]
    fn must_end(&mut self) -> bool {
        if self.count.nodes >= self.node_limit || self.stop.is_set() {
            self.aborted = true;
        } else {
            self.attention = self.node_limit.min(self.count.nodes + POLL);
        }
        self.aborted
    }

    /// Whether so many nodes can be searched without a look at limits or stop flag. Looks at them now if it would be time on the way.
    #[cold]
    pub(super) fn is_far(&mut self, nodes: u64) -> bool {
        if !self.stop.is_set() {
            self.attention = self.node_limit.min(self.count.nodes + POLL);
        }
        self.count.nodes + nodes < self.attention
    }

    /// The score of a node without a legal move. It counts as an evaluation, as in the published tables.
    #[inline]
    pub(super) fn terminal(&mut self, board: &Board, ply: usize, depth: i32) -> Score {
        self.count.evals += 1;
        if board.in_check() {
            self.count.mates += 1;
            self.on.mated(ply, depth)
        } else {
            self.count.stalemates += 1;
            0
        }
    }

    /// Whether the position is drawn by the fifty-move rule or stood on the path or in the game before.
    pub(super) fn is_draw(&self, board: &Board) -> bool {
        is_draw(board, &self.path)
    }

    /// Nodes of the subtree that was entered when the counters stood at `nodes` and `credit`.
    #[inline]
    pub(super) fn subtree(&self, nodes: u64, credit: u64) -> u32 {
        (self.count.nodes - nodes + self.credit - credit).min(u64::from(u32::MAX)) as u32
    }

    /// Brings a generated list into the order of the options.
    #[inline]
    pub(super) fn arrange(&mut self, board: &Board) {
        if self.on.reorder {
            self.on.generation.sort(board, &mut self.scratch, self.on.generation_seed);
        }
    }

    /// Fail-hard: a score is cut to the window.
    #[inline]
    pub(super) fn returned(&self, score: Score, alpha: Score, beta: Score) -> Score {
        if self.on.hard { score.clamp(alpha, beta) } else { score }
    }

    /// The move to try first: the one foreseen, or else the table's if the ordering asks for it.
    #[inline]
    pub(super) fn first_move(&self, board: &Board, depth: i32, table_move: Move) -> Move {
        let Some(notes) = self.foreseen else { return table_move };
        notes.get(board, depth).unwrap_or(if self.ranks.uses_table_move() { table_move } else { Move::NONE })
    }

    /// A quiet move cut: killers, countermoves and history hear of it.
    #[inline]
    pub(super) fn learn(&mut self, board: &Board, previous: Move, mv: Move, ply: usize, depth: i32) {
        if self.ranks.learns() && board.is_quiet(mv) {
            self.learned.killers.learn(ply, mv);
            self.learned.countermoves.learn(board, previous, mv);
            self.learned.history.learn(board.turn(), mv, depth);
        }
    }
}
