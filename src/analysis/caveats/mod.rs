//! Warnings about a result: what it cannot show, and what makes it doubtful.

pub mod confounds;
pub mod equivalent;
pub mod external_power;
pub mod games;
pub mod memory;
pub mod misleading;
pub mod preflight;
pub mod sample_size;
pub mod searchers;
pub mod sensitivity;
pub mod timing;
pub mod warnings;
