//! What the jobs of an experiment do.

use super::matches::Match;
use super::sequence::Sequence;
use super::trace::Trace;
use std::sync::Arc;

/// What the jobs of an experiment do, decided once when its file is read.
#[derive(Debug, Clone)]
pub enum Work {
    /// Search positions, or the positions along games if there is a sequence.
    Search(Option<Sequence>),
    /// Play pairs of games from the suite's positions.
    Match(Match),
    /// Replay a trace's games on the variants' tables.
    Replay(Arc<Trace>),
}

impl Work {
    /// The rules of the games; none without `[match]`.
    pub fn games(&self) -> Option<&Match> {
        if let Self::Match(games) = self { Some(games) } else { None }
    }

    /// The trace; none without `[trace]`.
    pub fn trace(&self) -> Option<&Arc<Trace>> {
        if let Self::Replay(trace) = self { Some(trace) } else { None }
    }

    /// Which positions along games are searched; none without `[sequence]`.
    pub fn sequence(&self) -> Option<Sequence> {
        if let Self::Search(sequence) = self { *sequence } else { None }
    }
}
