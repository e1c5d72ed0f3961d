//! Fuzz target: any bytes are read as EPD or PGN, or refused. Ids are unique, and games can be
//! replayed.
#![no_main]

#[path = "../../tests/program/fuzzing/suite.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::run(data));
