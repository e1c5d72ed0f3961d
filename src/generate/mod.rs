//! Generates suites from a seed. The suites are games of one fixed engine against itself, or
//! positions from these games. No policy was tuned on the suites, and anyone can regenerate them.
//! The openings are the ends of random walks (see [`crate::chess::generate`]).

pub mod games;
mod positions;

pub use games::pgn;
pub use positions::{PositionKind, epd};

use crate::chess::generate::GenerateError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GenerateRequest {
    pub count: usize,
    pub seed: u64,
    /// Random plies before the engine takes over, 1 to 40.
    pub plies: u32,
    /// Maximum plies of a game, 1 to 400.
    pub length: u16,
    /// Depth of the search that chooses each move, 1 to 32.
    pub depth: u8,
}

#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    #[error(transparent)]
    Openings(#[from] GenerateError),
    #[error(transparent)]
    Engine(#[from] crate::engine::EngineError),
    #[error(
        "found only {found} of {expected} {kind} positions in {games} games: request fewer positions or longer games"
    )]
    TooFew { found: usize, expected: usize, kind: &'static str, games: usize },
}
