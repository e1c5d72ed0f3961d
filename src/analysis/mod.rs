//! Turns rows into findings: which variant needed fewer nodes, by how much, with what certainty,
//! and whether this was expected.
//!
//! There are four layers: `rows`, `pairing`, `questions` and `caveats`. Each layer uses only the
//! layers that are listed before it.

pub mod caveats;
pub mod pairing;
pub mod questions;
pub mod rows;

pub use questions::compare::{Comparison, compare};
pub use questions::line::Line;
pub use questions::paired_rows::CompareError;
pub use questions::summary::{Baseline, Question, Summary};
pub use questions::verdict::Verdict;
pub use rows::frame::{Frame, FrameError};
pub use rows::metric::Metric;
