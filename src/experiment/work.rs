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
        match self {
            Self::Match(games) => Some(games),
            Self::Search(_) | Self::Replay(_) => None,
        }
    }

    /// The trace; none without `[trace]`.
    pub fn trace(&self) -> Option<&Arc<Trace>> {
        match self {
            Self::Replay(trace) => Some(trace),
            Self::Search(_) | Self::Match(_) => None,
        }
    }

    /// Which positions along games are searched; none without `[sequence]`.
    pub fn sequence(&self) -> Option<Sequence> {
        match self {
            Self::Search(sequence) => *sequence,
            Self::Match(_) | Self::Replay(_) => None,
        }
    }
}
