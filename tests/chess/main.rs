//! Tests of the rules of chess, of hash keys, and of the file readers, against other libraries and
//! published tables.
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
