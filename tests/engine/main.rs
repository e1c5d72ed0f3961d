//! Tests of the search: its counts, its values and what it records.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr)]

mod anatomy;
mod audit;
mod founding;
mod oracle;
mod sequences;
mod shape;
mod signatures;
mod stopwatch;
mod terms;
mod theory;
mod twin;
#[path = "../values.rs"]
mod values;
