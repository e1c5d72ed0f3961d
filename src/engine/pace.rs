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

/// How long a searcher may go on before it must ask.
pub enum Pace<'a> {
    /// Alone, until it is stopped.
    Alone(Stop<'a>),
    /// With other searchers, one at a time.
    Turns(&'a mut dyn Baton),
}
