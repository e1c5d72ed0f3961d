//! Rows as they were read: by column, filtered, grouped, and what can be asked of them.

pub mod axes;
pub mod column;
pub mod filter;
pub mod frame;
pub mod grouping;
pub mod lacks;
pub mod limits;
pub mod metric;
mod read;
pub mod score_error;
pub mod seeds;
pub mod thin;
