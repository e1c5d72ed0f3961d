//! Tests of the program as users see it, and of everything above the engine.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr)]

mod action;
mod cli;
mod common;
mod compare;
mod docs;
mod doors;
#[cfg(target_os = "linux")]
mod engine_traces;
mod engines;
mod figures;
mod fuzzing;
#[allow(dead_code)] // Each test binary uses a part of it.
#[path = "../../src/golden.rs"]
mod golden;
mod guards;
mod kept;
mod language;
mod matches;
mod mates;
mod measures;
mod names;
mod neighbours;
mod new;
mod own_policy;
mod page;
mod plans;
mod pools;
mod published;
mod races;
mod ranks;
mod rooms;
mod rows;
mod sections;
mod size;
mod snapshots;
mod statistics;
mod studies;
mod suites;
mod summary;
mod surface;
mod sweep;
mod switches;
mod tasks;
mod trace;
mod transcripts;
mod tune;
mod uci;
#[allow(dead_code)] // What the tests of the search use of it.
#[path = "../values.rs"]
mod values;
mod which_table;
