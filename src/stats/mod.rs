//! Statistics of samples whose units are clusters: intervals, permutation tests, sequential tests.
//! Nothing here knows what is measured.

pub mod clusters;
pub mod gsprt;
pub mod holm;
pub mod influence;
pub mod interval;
pub mod matmul;
pub mod rate;
pub mod ratio;
pub mod sample;
pub mod sign_flip;
