//! ttlab: a laboratory for chess transposition tables.
//!
//! Data flows one way: experiment file -> plan -> runner -> engine -> one CSV row per finished search -> analysis ->
//! report. Each room below may use only those named before it (`docs/architecture.md` has the map).

pub mod counters;

pub mod chess;

pub mod engine;
pub mod experiment;
pub mod table;
