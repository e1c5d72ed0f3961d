//! A trace taken apart into its games, each with what it holds.

use crate::table::trace::{Counting, Info, Reader, TraceError};
use std::io::Read;
use std::ops::Range;

/// One game of a trace, or one position that has nothing to do with those before it: what tables are shown from empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TracedGame {
    /// Its first event.
    pub first: u64,
    /// What it holds.
    pub info: Info,
}

impl TracedGame {
    /// Its events.
    #[must_use]
    pub fn events(&self) -> Range<u64> {
        self.first..self.first + self.info.events
    }
}

/// Finds the games of a trace. Each is a trace of its own: nothing of the game before is known in it.
///
/// # Errors
/// When it is no trace or is damaged, and where.
pub fn games(from: impl Read) -> Result<Vec<TracedGame>, TraceError> {
    let mut games = Vec::new();
    let mut open = Counting::default();
    let (mut first, mut at) = (0, 0);
    let mut reader = Reader::new(from)?;
    reader.for_each(|event| {
        if event.begins_game() && open.begun() {
            let next = open.next();
            games.push(TracedGame { first, info: std::mem::replace(&mut open, next).finish() });
            first = at;
        }
        open.push(event);
        at += 1;
    })?;
    open.end(reader.nodes());
    if open.begun() {
        games.push(TracedGame { first, info: open.finish() });
    }
    Ok(games)
}
