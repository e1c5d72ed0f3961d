//! Any text: read as FEN or refused; what was read can be written, read again and moved in.
#![no_main]

#[path = "../../tests/program/fuzzing/fen.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::run(data));
