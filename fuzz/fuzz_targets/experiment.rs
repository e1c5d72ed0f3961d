//! Fuzz target: any text is an experiment, or is refused with a message.
#![no_main]

#[path = "../../tests/program/fuzzing/experiment.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::run(data));
