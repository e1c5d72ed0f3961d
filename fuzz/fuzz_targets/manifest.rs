//! Any manifest and any rows beside it: a report in three formats, or a message; no markup of
//! theirs reaches the page.
#![no_main]

#[path = "../../tests/program/fuzzing/manifest.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::run(data));
