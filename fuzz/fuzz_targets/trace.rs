//! Fuzz target: any bytes are read as a trace or refused. A trace is replayed on tables, and the
//! clairvoyant policy is never worse than any other.
#![no_main]

#[path = "../../tests/program/fuzzing/trace.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::run(data));
