//! Tuning: races the variants of an experiment against each other, and confirms the winner on items
//! that the race never used.
//!
//! This module runs the stages; [`crate::analysis::questions::race`] decides them. All candidates
//! are searched on a few items, those that are clearly worse than the best are dropped, the others
//! go on to twice as many items, and so on. The winner, the luckiest of many, looks better than it
//! is, so the race supports no claim: the claim is one test of the winner against the baseline on
//! held-out items. Sources: Maron and Moore, "Hoeffding races", 1994;
//! Birattari et al., "A racing algorithm for configuring metaheuristics", 2002 (F-Race).

mod check;
mod confirm;
mod runs;
#[cfg(test)]
mod tests;

pub use check::{check_experiment, check_metric, find_metric, remove_items_without_searches, seed_warnings};
pub use confirm::{confirm, estimate_by_trial, summarize_race};
pub use runs::{Runs, RunsError};
