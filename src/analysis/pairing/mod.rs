//! Searches put side by side: by how much they differ, and how sure that is.

pub mod clusters;
pub mod flips;
pub mod gauge;
pub mod influence;
pub mod interval;
pub mod pairs;
pub mod rate;
pub mod ratio;
pub mod searches;
pub mod stats;
pub mod threads;
pub mod weigh;
