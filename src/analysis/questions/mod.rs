//! What is asked of the rows, each question a file.

pub mod chaos;
pub mod claims;
pub mod compare;
pub mod curves;
pub mod effects;
pub mod findings;
pub mod gate;
pub mod sides;
pub mod summary;
