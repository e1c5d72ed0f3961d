//! What the jobs of an experiment do.

use super::matches::Match;
use super::sequence::Sequence;
use super::trace::Trace;
use std::sync::Arc;

/// What the jobs of an experiment do. This is decided once, when the experiment file is read.
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
    /// The settings of the match; `None` without `[match]`.
    pub fn games(&self) -> Option<&Match> {
        if let Self::Match(games) = self { Some(games) } else { None }
    }

    /// The trace; `None` without `[trace]`.
    pub fn trace(&self) -> Option<&Arc<Trace>> {
        if let Self::Replay(trace) = self { Some(trace) } else { None }
    }

    /// The settings of the sequence; `None` without `[sequence]`.
    pub fn sequence(&self) -> Option<Sequence> {
        if let Self::Search(sequence) = self { *sequence } else { None }
    }
}
