//! The schedule of virtual threads, which says which searcher is next and for how many nodes.

use super::threads::{Schedule, Threads};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Deals out turns to the searchers. The main searcher is 0.
pub struct Turns {
    options: Threads,
    random: Pcg64,
    turns_dealt: usize,
}

impl Turns {
    /// Creates a schedule from the options.
    pub fn new(options: &Threads) -> Self {
        Self { options: options.clone(), random: Pcg64::seed_from_u64(options.seed), turns_dealt: 0 }
    }

    /// Deals out the next turn. Returns the number of the searcher whose turn it is and the number
    /// of nodes of the turn.
    pub fn next(&mut self) -> (usize, u64) {
        let Threads { count, schedule, quantum, .. } = self.options;
        let index = self.turns_dealt;
        self.turns_dealt = index.wrapping_add(1);
        let searcher = match schedule {
            Schedule::RoundRobin => index % count as usize,
            Schedule::Random => self.random.random_range(0..count) as usize,
        };
        (searcher, u64::from(quantum))
    }
}
