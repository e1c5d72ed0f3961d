//! Fuzz target: any text is read as FEN or refused. A position that was read can be written, read
//! again, and have its moves generated.
#![no_main]

#[path = "../../tests/program/fuzzing/fen.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::run(data));
