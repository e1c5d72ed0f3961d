//! The experiment file.

pub mod expect;
