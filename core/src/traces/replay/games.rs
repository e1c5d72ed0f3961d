//! Splits a trace into its games.

use crate::traces::{Info, InfoCounter, Reader, TraceError};
use std::io::Read;
use std::ops::Range;

/// One game of a trace, or one unrelated position. Each game is replayed on an empty table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TracedGame {
    pub first_event: u64,
    pub info: Info,
}

impl TracedGame {
    pub fn events(&self) -> Range<u64> {
        self.first_event..self.first_event + self.info.events
    }
}

/// Finds the games of a trace, and counts the events of each game separately. No entries are kept
/// from one game to the next.
pub fn find_games(from: impl Read) -> Result<Vec<TracedGame>, TraceError> {
    let mut games = Vec::new();
    let mut current = InfoCounter::default();
    let (mut first_event, mut event_count) = (0, 0);
    let mut reader = Reader::new(from)?;
    reader.for_each(|event| {
        if event.begins_game() && current.has_accesses() {
            let next = current.continue_costs();
            games.push(TracedGame { first_event, info: std::mem::replace(&mut current, next).finish() });
            first_event = event_count;
        }
        current.push(event);
        event_count += 1;
    })?;
    current.add_end(reader.end());
    if current.has_accesses() {
        games.push(TracedGame { first_event, info: current.finish() });
    }
    games.iter_mut().for_each(|game| game.info.depth_parts = reader.format().depth_parts);
    Ok(games)
}
