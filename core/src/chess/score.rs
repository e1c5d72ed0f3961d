//! Scores and bounds.

use serde::{Deserialize, Serialize};

/// A score in centipawns from the view of the side to move. Its absolute value is at most 32,001,
/// so that the score fits into 16 bits of a table entry.
pub type Score = i32;

/// How a stored score relates to the true value of its node.
///
/// The order is that of ViperMate's store rule: none < upper < lower < exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Bound {
    /// No score stored: an empty slot.
    #[default]
    None,
    /// The true value is at most the score (the node failed low).
    Upper,
    /// The true value is at least the score (the node failed high).
    Lower,
    /// The score is the true value.
    Exact,
}

impl Bound {
    /// Higher bits are ignored.
    #[inline]
    pub const fn from_bits(bits: u8) -> Self {
        match bits & 3 {
            0 => Self::None,
            1 => Self::Upper,
            2 => Self::Lower,
            _ => Self::Exact,
        }
    }

    /// Whether a score with this bound ends the search of a node with the window (alpha, beta). An
    /// exact score ends every search. A lower bound ends the search if it reaches beta. An upper
    /// bound ends the search if it does not exceed alpha.
    #[inline]
    pub const fn settles(self, score: Score, alpha: Score, beta: Score) -> bool {
        match self {
            Self::None => false,
            Self::Upper => score <= alpha,
            Self::Lower => score >= beta,
            Self::Exact => true,
        }
    }
}
