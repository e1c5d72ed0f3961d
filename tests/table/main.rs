//! The transposition table: laws, stories by hand, plain models.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr)]

mod caches;
mod laws;
mod model;
mod policies;
mod replays;
mod trace;
