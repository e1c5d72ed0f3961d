//! Tuning: the variants of an experiment are raced for the best one, and the winner is confirmed on items that the race never saw.
//!
//! This room runs the stages; who is best is [`crate::analysis::questions::race`]'s question. All candidates are searched on a few items;
//! those that are clearly worse than the best are dropped; the rest goes on to twice as many items, and so on. What a race finds is too
//! good by chance (the winner is the luckiest of many), so that nothing is claimed from it: the claim is one test, of the winner against
//! the baseline, on held-out items. Sources: Maron and Moore, "Hoeffding races", 1994; Birattari et al., "A racing algorithm for
//! configuring metaheuristics", 2002 (F-Race).

mod confirm;
mod runs;

pub use confirm::{Confirmed, confirm};
pub use runs::{Runs, RunsError, find as metric};
