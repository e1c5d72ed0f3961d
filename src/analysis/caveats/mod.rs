//! What makes an answer doubtful, each doubt told once.

pub mod blindness;
pub mod doubts;
pub mod memory;
pub mod timing;
