//! From rows to findings: who needed fewer nodes, by how much, how sure that is, and what was expected.

pub mod blindness;
pub mod clusters;
pub mod column;
pub mod frame;
pub mod grouping;
pub mod metric;
pub mod searches;
pub mod stats;
pub mod summary;
pub mod verdict;

pub use frame::{Frame, FrameError};
pub use metric::Metric;
pub use summary::{Line, Question, Summary};
pub use verdict::Verdict;
