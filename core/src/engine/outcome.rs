//! The limits, counters and results of a search.

use super::anatomy::Anatomy;
use crate::chess::{Move, Score};
use crate::table::{Occupancy, TableCounters, ThreadCounters};
use serde::{Deserialize, Serialize};

/// When a search ends.
// At least one of the two is set; time is never a limit, since counts must not depend on the
// machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Limit {
    /// After the iteration of this depth, in plies, 1..=255.
    #[cfg_attr(test, schemars(range(min = 1, max = 255)))]
    pub depth: Option<u8>,
    /// Before it enters another node than this many, over all iterations.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub nodes: Option<u64>,
}

crate::counters! {
    /// Counts of the search in one iteration.
    pub struct SearchCounters {
        /// Positions at which the search function was entered: interior + leaves + qnodes.
        nodes,
        /// Nodes with remaining depth above 0.
        interior,
        /// Nodes with remaining depth 0 (where quiescence follows, its first node is that leaf).
        leaves,
        /// Quiescence nodes below the leaves.
        qnodes,
        /// Leaf evaluations and nodes with no legal move: the counter of the published minimax and
        /// alpha-beta tables. With `table.static_evaluation` also the evaluations of interior
        /// nodes.
        evals,
        /// Static evaluations that were found in the table instead.
        evals_saved,
        /// Nodes that are checkmates.
        mates,
        /// Nodes that are stalemates.
        stalemates,
        /// Table hits that ended their node.
        usable,
        /// Worth of the usable hits: the nodes that it had cost to search the entries which ended
        /// nodes. Entries store the nodes of their subtree; all layouts but `bytes24` round them
        /// down, by up to 1 in 64. Under `big-all` they include nodes that were never searched, so
        /// pages leave its worth out.
        saved,
        /// Table hits that did not end their node but gave a move to try first.
        move_only,
        /// Nodes that failed high in their move loop.
        cuts,
        /// Nodes that failed high with the first move tried.
        first_cuts,
        /// Nodes whose first move was the table's.
        table_moves,
        /// Nodes that failed high with the table's move as their first.
        table_move_cuts,
        /// Probes of children for enhanced transposition cutoffs (part of the table's probes).
        etc_probes,
        /// Nodes that such a probe ended.
        etc_cuts,
        /// Repeated searches: of reduced or zero-window moves, of aspiration windows, and as steps
        /// of MTD(f).
        researches,
        /// Nodes that internal iterative reduction made shallower.
        iir_nodes,
        /// Searches of a node without its entry's move, for singular extension.
        singular_tests,
        /// Singular tests after which the move was extended.
        singular_extensions,
        /// Singular tests after which the move was extended by two plies.
        singular_doubles,
    }
}

/// The result and counters of one finished iteration.
#[derive(Debug, Clone, PartialEq)]
pub struct Iteration {
    /// The depth of the iteration, in plies.
    pub depth: u8,
    /// The deepest ply at which a node was entered, counted from the root. Leaves do not count if
    /// their parent evaluated them without entering them.
    pub deepest: usize,
    /// The score of the root, from the view of the side to move.
    pub score: Score,
    /// The best move; [`Move::NONE`] if there is no legal move.
    pub best: Move,
    /// The principal variation. It may end early at a table cutoff, because it is not completed
    /// from the table.
    pub pv: Vec<Move>,
    /// The search's counts in this iteration.
    pub search: SearchCounters,
    /// The table's counts in this iteration. Without a table, all counts are 0.
    pub table: TableCounters,
    /// The counts of several searchers.
    pub threads: ThreadCounters,
    /// The table's occupancy at the end of the iteration.
    pub occupancy: Occupancy,
    /// The anatomy of the iteration, under full diagnostics.
    pub anatomy: Option<Box<Anatomy>>,
    /// Whether the iteration was completed. A last iteration that the node limit cut short was not.
    /// Its counters are valid, but its score and its moves are those of the iteration before it.
    pub finished: bool,
}

/// Progress of a search.
#[derive(Debug, Clone, Copy)]
pub enum SearchProgress<'a> {
    /// An iteration is about to begin.
    Begin {
        /// Its depth in plies.
        depth: u8,
    },
    /// The search of the iteration has ended. Its counters are not yet complete.
    End,
    /// The results and counters of the iteration are complete.
    Iteration(&'a Iteration),
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// All iterations, the shallowest first.
    pub iterations: Vec<Iteration>,
    /// Whether the search was stopped from outside. The result is then incomplete and must be
    /// discarded.
    pub stopped: bool,
}
