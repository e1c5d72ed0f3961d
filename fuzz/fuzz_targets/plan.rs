//! Fuzz target: any text is refused, or is a plan that is valid down to its last job.
#![no_main]

#[path = "../../tests/program/fuzzing/plan.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::run(data));
