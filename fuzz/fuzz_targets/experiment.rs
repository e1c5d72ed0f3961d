//! Any text: an experiment, or a message that names a place in it.
#![no_main]

#[path = "../../tests/program/fuzzing/experiment.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::run(data));
