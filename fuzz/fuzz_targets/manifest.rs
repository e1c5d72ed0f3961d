//! Fuzz target: any manifest with any rows gives a report in three formats, or a message. No markup
//! from either reaches the page.
#![no_main]

#[path = "../../tests/program/fuzzing/manifest.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::run(data));
