//! Answers questions from the rows. Each file is about one question.

pub mod claims;
pub mod compare;
pub mod curves;
pub mod effects;
pub mod equal_nodes;
pub mod findings;
pub mod gate;
pub mod line;
pub mod match_claims;
pub mod match_test;
pub mod matches;
pub mod paired_rows;
pub mod pairwise;
pub mod pivot;
pub mod plans;
pub mod power;
pub mod quality;
pub mod race;
pub mod samples;
pub mod screen;
pub mod summary;
pub mod verdict;
