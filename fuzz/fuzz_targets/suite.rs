//! Any bytes: read as EPD or PGN or refused; ids are unique, games replay.
#![no_main]

#[path = "../../tests/program/fuzzing/suite.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::run(data));
