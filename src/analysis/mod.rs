//! From rows to findings: which variant needed fewer nodes, by how much, with what certainty, and
//! whether that was expected.
//!
//! Four layers, each of which uses only those before it: `rows`, `pairing`, `questions`, `caveats`.

pub mod caveats;
pub mod pairing;
pub mod questions;
pub mod rows;

pub use questions::claims::Verdict;
pub use questions::compare::{Comparison, compare};
pub use questions::line::Line;
pub use questions::paired_rows::CompareError;
pub use questions::summary::{Baseline, Question, Summary};
pub use rows::frame::{Frame, FrameError};
pub use rows::metric::Metric;
