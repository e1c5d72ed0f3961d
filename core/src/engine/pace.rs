//! How searchers take turns, and how a searcher learns whether it may search more nodes.

use super::outcome::SearchCounters;
use super::stop::Stop;

/// What a searcher calls to take turns with other searchers.
pub trait Baton {
    /// Ends the searcher's turn and waits for its next turn. `counters` are the counters of the
    /// searcher so far. Returns the number of nodes of the next turn. If it is 0, the search must
    /// end.
    fn pass(&mut self, counters: &SearchCounters) -> u64;
}

/// The helpers, as the main searcher sees them.
pub trait Team: Baton {
    /// Ends an iteration of the main searcher, in which the main searcher counted `main_nodes`
    /// nodes. The rest of its turn is carried over to its next iteration. Returns what
    /// each helper has counted so far.
    fn end_iteration(&mut self, main_nodes: u64) -> Vec<SearchCounters>;
}

/// What decides whether a searcher may search more nodes.
pub enum Pace<'a> {
    /// There are no other searchers. Only the stop signal and the node limit end the search.
    Alone(Stop<'a>),
    /// There are other searchers, and the searcher must wait for its turn.
    Turns(&'a mut dyn Baton),
}
