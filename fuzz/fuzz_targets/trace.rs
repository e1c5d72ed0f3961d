//! Any bytes: read as a trace or refused; what is read is shown to tables, and foresight does no
//! worse than any.
#![no_main]

#[path = "../../tests/program/fuzzing/trace.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::run(data));
