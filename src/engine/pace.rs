//! How searchers take turns, and when a searcher must stop to ask whether it may go on.

use super::outcome::SearchCounters;
use super::stop::Stop;
use super::vote::Completed;

/// A searcher's side of taking turns with other searchers.
pub trait Baton {
    /// Ends the searcher's turn and waits for its next one. `counters`: the searcher's so far.
    /// Returns the number of nodes of the next turn; 0: the search must end.
    fn pass(&mut self, counters: &SearchCounters) -> u64;
    /// Records an iteration that the searcher has completed. The others may see it only once the
    /// turn has ended.
    fn complete(&mut self, completed: Completed) {
        let _ = completed;
    }
}

/// The helpers, as the main searcher sees them.
pub trait Team: Baton {
    /// Begins an iteration of the main searcher.
    fn begin_iteration(&mut self, depth: u8);
    /// The answer that replaces the main searcher's; `None` keeps the main searcher's. `main`: the
    /// main searcher's iteration, if it was completed.
    fn answer(&self, main: Option<Completed>) -> Option<Completed>;
    /// Ends an iteration of the main searcher, in which it counted `main_nodes` nodes. What is left
    /// of its turn carries over to the next iteration. Returns the helpers' counts since the last
    /// call.
    fn end_iteration(&mut self, main_nodes: u64) -> SearchCounters;
}

/// Whom a searcher asks whether it may search more nodes.
pub enum Pace<'a> {
    /// Only the stop signal: there are no other searchers.
    Alone(Stop<'a>),
    /// The baton: there are other searchers, and it must wait for its turn.
    Turns(&'a mut dyn Baton),
}
