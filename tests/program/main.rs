//! The program as a user meets it, and what stands above the engine.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr)]

mod audit;
mod cli;
mod common;
mod compare;
mod docs;
#[cfg(target_os = "linux")]
mod engines;
mod figures;
mod fuzzing;
mod matches;
mod names;
mod own_policy;
mod page;
mod plans;
mod published;
mod races;
mod rooms;
mod rows;
mod statistics;
mod studies;
mod summary;
#[cfg(unix)]
mod sweep;
mod trace;
mod tune;
mod uci;
