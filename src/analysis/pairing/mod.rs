//! Compares searches in pairs: by how much they differ, and with what certainty.

pub mod clusters;
pub mod influence;
pub mod interval;
pub mod matmul;
pub mod metric_reader;
pub mod pairs;
pub mod rate;
pub mod ratio;
pub mod searches;
pub mod sign_flip;
pub mod stats;
pub mod threads;
