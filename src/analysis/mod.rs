//! From rows to findings: who needed fewer nodes, by how much, how sure that is, and what was expected.

pub mod axes;
pub mod blindness;
pub mod chaos;
pub mod clusters;
pub mod column;
pub mod compare;
pub mod curves;
pub mod doubts;
pub mod effects;
pub mod filter;
pub mod findings;
pub mod frame;
pub mod gate;
pub mod grouping;
pub mod memory;
pub mod metric;
pub mod searches;
pub mod sides;
pub mod stats;
pub mod summary;
pub mod timing;
pub mod verdict;

pub use frame::{Frame, FrameError};
pub use metric::Metric;
pub use summary::{Baseline, Line, Question, Summary};
pub use verdict::Verdict;
