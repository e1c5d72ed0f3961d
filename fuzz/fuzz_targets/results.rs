//! Any bytes after the header of a results file: a run over them ends with the rows of a run in
//! peace, or says what is wrong.
#![no_main]

#[path = "../../tests/program/fuzzing/results.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::run(data));
