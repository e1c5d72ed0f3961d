//! The options `threads.*`: several searchers that share one table.

use serde::{Deserialize, Serialize};

/// Several searchers of the same position that share one table and nothing else (lazy SMP). They
/// take turns on one thread, so that counts are exact and repeatable: a model of as many threads.
/// The main searcher's iterations are the results; the others, its helpers, search deeper and
/// deeper from the start of the search until it ends. Counts are sums over all searchers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Threads {
    /// Searchers, 1..=256: the main one and its helpers. A limit of depth is that of the main
    /// searcher, a limit of nodes that of all together.
    #[cfg_attr(test, schemars(range(min = 1, max = 256)))]
    pub count: u32,
    /// Who is next when a turn ends.
    pub schedule: Schedule,
    /// Nodes of a turn, at least 1. Short turns are nearest to threads; each costs a few
    /// nanoseconds.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub quantum: u32,
    /// Nodes of the main searcher's turn, if it is faster or slower than its helpers; 0: `quantum`.
    pub main_quantum: u32,
    /// How helpers differ from the main searcher.
    pub helpers: Helpers,
    /// Seed of `schedule = "random"` and `helpers = "shuffle"`.
    pub seed: u64,
}

impl Default for Threads {
    fn default() -> Self {
        Self {
            count: 1,
            schedule: Schedule::default(),
            quantum: 64,
            main_quantum: 0,
            helpers: Helpers::default(),
            seed: 1,
        }
    }
}

/// Who is next when a searcher's turn ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// All in turn, the main searcher first.
    #[default]
    RoundRobin,
    /// Any of them, each as likely as another: threads that the system runs unevenly.
    Random,
}

/// How helpers differ from the main searcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Helpers {
    /// Not at all: only what they find in the table drives them apart.
    #[default]
    Same,
    /// Every other helper, the first among them, tries the root's moves after the first in another
    /// order: the third, the fifth and so on, then the second, the fourth and so on.
    OddEven,
    /// Helpers skip depths: the first two search every other depth, the next four two of four, the
    /// next six three of six and so on, each shifted by one more. Source: Stockfish 9.
    SkipDepths,
    /// Each helper has its own random order of the root's moves after the first.
    Shuffle,
}
