//! How long a searcher may go on.

use super::outcome::SearchCounters;
use super::stop::Stop;
use super::vote::Completed;

/// Takes turns with other searchers.
pub trait Baton {
    /// Ends a turn and waits for the next one. `count`: what the searcher has counted. Returns the
    /// nodes of the next turn; 0: the search ends.
    fn pass(&mut self, count: &SearchCounters) -> u64;
    /// Notes an iteration that the searcher has completed, to be known at the end of the turn.
    fn complete(&mut self, completed: Completed) {
        let _ = completed;
    }
}

/// The helpers, from the main searcher's side.
pub trait Team: Baton {
    /// Begins an iteration of the main searcher.
    fn begin_iteration(&mut self, depth: u8);
    /// The answer to the main searcher's iteration, if another searcher's counts; `main`: its own,
    /// if it completed the iteration.
    fn answer(&self, main: Option<Completed>) -> Option<Completed>;
    /// Ends an iteration of the main searcher, in which it counted `main` nodes; the rest of its
    /// turn is for the next one. Returns what the helpers counted meanwhile.
    fn end_iteration(&mut self, main: u64) -> SearchCounters;
}

/// How long a searcher may go on before it must ask.
pub enum Pace<'a> {
    /// Alone, until it is stopped.
    Alone(Stop<'a>),
    /// With other searchers, one at a time.
    Turns(&'a mut dyn Baton),
}
