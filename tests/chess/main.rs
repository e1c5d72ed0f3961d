//! Tests of the rules of chess, of hash keys, and of the file readers, against other libraries and
//! published tables.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr)]

mod board;
mod data;
mod ending;
mod epd;
mod fen;
mod generate;
#[allow(dead_code)] // Each test binary uses a part of it.
#[path = "../../src/golden.rs"]
mod golden;
mod keys;
mod order;
mod perft;
mod pgn;
mod readers;
mod unique;
