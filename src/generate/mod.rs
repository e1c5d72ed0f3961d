//! Suites made from a seed: games of one fixed engine against itself, and positions taken from them. Nobody has tuned for these, and
//! anyone can make them again. Openings come from random walks alone: [`crate::chess::generate`].

mod games;
mod positions;

pub use games::{SelfPlay, pgn};
pub use positions::{Taken, epd};

use crate::chess::generate::GenerateError;

/// What to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// How many games or positions.
    pub count: usize,
    /// The seed of the openings that the games start from.
    pub seed: u64,
    /// Random plies before the engine takes over, 1 to 40.
    pub plies: u32,
    /// The most plies of a game, 1 to 400.
    pub length: u16,
    /// Depth of the search that chooses each move, 1 to 32.
    pub depth: u8,
}

/// Why a suite cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum MakeError {
    /// The openings.
    #[error(transparent)]
    Openings(#[from] GenerateError),
    /// The player.
    #[error(transparent)]
    Engine(#[from] crate::engine::EngineError),
    /// The games held too few.
    #[error("only {found} of {expected} {what} positions found in {games} games: ask for fewer, or for longer games")]
    TooFew {
        /// Positions found.
        found: usize,
        /// Positions asked for.
        expected: usize,
        /// Of what kind.
        what: &'static str,
        /// Games played.
        games: usize,
    },
}
