//! Scores and bounds.

use serde::{Deserialize, Serialize};

/// A score in centipawns from the side to move's view. |score| <= 32,001, so that it fits a table
/// entry's 16 bits.
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
    /// The bound with these two bits as its discriminant; higher bits are ignored.
    #[inline]
    pub const fn from_bits(bits: u8) -> Self {
        match bits & 3 {
            0 => Self::None,
            1 => Self::Upper,
            2 => Self::Lower,
            _ => Self::Exact,
        }
    }

    /// Whether a score with this bound ends a node with the window (alpha, beta): an exact score
    /// always, a lower bound if it reaches beta, an upper bound if it does not exceed alpha.
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
