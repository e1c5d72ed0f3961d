//! What makes an answer doubtful, each doubt told once.

pub mod alike;
pub mod before;
pub mod blindness;
pub mod confounds;
pub mod doubts;
pub mod few;
pub mod games;
pub mod memory;
pub mod reach;
pub mod timing;
