//! Fuzz target: any bytes after the header of a results file. A run that continues it ends with the
//! rows of an undisturbed run, or reports what is wrong.
#![no_main]

#[path = "../../tests/program/fuzzing/results.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::run(data));
