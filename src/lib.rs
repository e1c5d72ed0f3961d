//! ttlab: a laboratory for chess transposition tables.
//!
//! Data flows one way: experiment file -> plan -> runner -> engine -> one CSV row per finished
//! iteration -> analysis -> report. A module may use only the modules declared above it
//! (`docs/architecture.md` has the map).

#[cfg(not(unix))]
compile_error!("ttlab runs on Unix systems only");

pub mod counters;

pub mod console;

pub mod text;

pub mod system;

pub mod chess;

pub mod table;

pub mod engine;

pub mod subject;

pub mod experiment;

pub mod generate;

pub mod signature;

pub mod record;

pub mod runner;

pub mod analysis;

pub mod doctor;

pub mod tune;

pub mod report;

pub mod submit;

pub mod uci;

pub mod cli;
