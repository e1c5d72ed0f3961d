//! Compares searches in pairs: by how much they differ, and with what certainty.

pub mod metric_reader;
pub mod pairs;
pub mod searches;
