//! Any text: a plan that is right to the last job, or refused.
#![no_main]

#[path = "../../tests/program/fuzzing/plan.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::run(data));
