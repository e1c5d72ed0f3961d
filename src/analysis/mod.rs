//! From rows to findings: who needed fewer nodes, by how much, how sure that is, and what was expected.

pub mod blindness;
pub mod frame;
pub mod stats;
pub mod summary;
pub mod verdict;

pub use frame::{Frame, FrameError};
pub use summary::{Line, Summary};
pub use verdict::Verdict;
