//! Fuzz target: any text is refused, or describes a table that keeps what an engine stores.
#![no_main]

#[path = "../../tests/program/fuzzing/table_options.rs"]
mod body;

libfuzzer_sys::fuzz_target!(|data: &[u8]| body::run(data));
