//! Reads the rows of results by column, filters and groups them, and finds their metrics.

pub mod axes;
pub mod column;
pub mod filter;
pub mod frame;
pub mod grouping;
pub mod limits;
pub mod metric;
mod read;
pub mod score_error;
pub mod seeds;
