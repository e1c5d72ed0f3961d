//! From rows to findings: who needed fewer nodes, by how much, how sure that is, and what was expected.
//!
//! Four layers, each of which uses only those before it: `rows`, `pairing`, `questions`, `caveats`.

pub mod caveats;
pub mod pairing;
pub mod questions;
pub mod rows;

pub use pairing::ratio::Ratio;
pub use questions::claims::Verdict;
pub use questions::line::Line;
pub use questions::summary::{Baseline, Question, Summary};
pub use rows::frame::{Frame, FrameError};
pub use rows::metric::Metric;
