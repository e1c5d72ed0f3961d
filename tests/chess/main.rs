//! The rules, the keys and the readers, against oracles and tables of others.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr)]

mod board;
mod data;
mod ending;
mod epd;
mod fen;
mod generate;
mod keys;
mod order;
mod perft;
mod pgn;
mod unique;
