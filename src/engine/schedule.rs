//! Who searches next, and for how many nodes.

use super::threads::{Schedule, Threads};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// The turns of the searchers; 0 is the main one.
pub struct Turns {
    options: Threads,
    random: Pcg64,
    last: usize,
}

impl Turns {
    #[must_use]
    pub fn new(options: Threads) -> Self {
        let last = options.count as usize - 1;
        Self { options, random: Pcg64::seed_from_u64(options.seed), last }
    }

    /// The number of the searcher whose turn comes next; 0 is the main one.
    pub fn next(&mut self) -> usize {
        self.last = match self.options.schedule {
            Schedule::RoundRobin => (self.last + 1) % self.options.count as usize,
            Schedule::Random => self.random.random_range(0..self.options.count) as usize,
        };
        self.last
    }

    /// Nodes of a searcher's turn.
    #[must_use]
    pub fn quantum(&self, searcher: usize) -> u64 {
        let Threads { quantum, main_quantum, .. } = self.options;
        u64::from(if searcher == 0 && main_quantum > 0 { main_quantum } else { quantum })
    }
}
