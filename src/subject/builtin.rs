//! Our own engine as a subject.

use super::{Ended, Failure, Position, Subject, Told};
use crate::chess::Move;
use crate::engine::{Engine, Limit, SearchProgress};
use std::sync::atomic::AtomicBool;

impl Subject for Engine {
    fn start(&mut self) -> Result<(), Failure> {
        self.reset();
        Ok(())
    }

    fn new_game(&mut self) -> Result<(), Failure> {
        Self::new_game(self);
        Ok(())
    }

    fn search(
        &mut self,
        position: Position<'_>,
        limit: Limit,
        stop: &AtomicBool,
        watch: &mut dyn FnMut(Told<'_>),
    ) -> Result<Ended, Failure> {
        let outcome = Self::search(self, position.board, position.past, limit, stop, &mut |progress| match progress {
            SearchProgress::Begin { .. } => watch(Told::Begin),
            SearchProgress::End => watch(Told::End),
            SearchProgress::Iteration(iteration) => watch(Told::Iteration(iteration)),
        });
        match outcome.stopped {
            true => Ok(Ended::Stopped),
            false => Ok(Ended::Best(outcome.iterations.last().map_or(Move::NONE, |last| last.best))),
        }
    }

    fn end(&mut self) {}
}
