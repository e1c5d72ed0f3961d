//! The options `threads.*`: several searchers that share one table.

use serde::{Deserialize, Serialize};

/// Several searchers of the same position that share one table and nothing else (lazy SMP). They
/// take turns on one thread, so that counts are exact and repeatable: a model of as many threads.
/// The main searcher's iterations are the results; the others, its helpers, search deeper and
/// deeper from the start of the search until it ends. Counts are sums over all searchers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Threads {
    /// Number of searchers, 1..=256: the main searcher and its helpers. A depth limit applies to
    /// the main searcher, a node limit to the nodes of all searchers together.
    #[cfg_attr(test, schemars(range(min = 1, max = 256)))]
    pub count: u32,
    /// How searchers run.
    pub kind: ThreadKind,
    /// Which searcher is next when a turn ends.
    pub schedule: Schedule,
    /// Nodes that a searcher enters in one turn, at least 1. Turns of 4,096 come near real threads;
    /// in turns of 64 searchers walk side by side, which reverses the order of policies.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub quantum: u32,
    /// How helpers differ from the main searcher.
    pub helpers: Helpers,
    /// Seed of `schedule = "random"` and `helpers = "shuffle"`.
    pub seed: u64,
}

impl Default for Threads {
    fn default() -> Self {
        Self {
            count: 1,
            kind: ThreadKind::default(),
            schedule: Schedule::default(),
            quantum: 4096,
            helpers: Helpers::default(),
            seed: 1,
        }
    }
}

impl Threads {
    /// Whether counts depend on `seed`.
    #[must_use]
    pub fn uses_seed(&self) -> bool {
        let uses_random_numbers =
            self.kind == ThreadKind::Virtual && self.schedule == Schedule::Random || self.helpers == Helpers::Shuffle;
        self.count > 1 && uses_random_numbers
    }

    /// Whether searchers run on operating-system threads. Counts then depend on how these threads
    /// are scheduled.
    #[must_use]
    pub fn is_real(&self) -> bool {
        self.count > 1 && self.kind == ThreadKind::Real
    }
}

/// How several searchers run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ThreadKind {
    /// They take turns on one thread: counts are the same on any machine.
    #[default]
    Virtual,
    /// Each has its own thread of the operating system. Counts then differ from run to run, so give
    /// `repeats`. `schedule` and `quantum` have no effect.
    Real,
}

/// Which searcher is next when a turn ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// All in turn, the main searcher first.
    #[default]
    RoundRobin,
    /// A random one, all equally likely: a model of threads that the system runs unevenly.
    Random,
}

/// How helpers differ from the main searcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Helpers {
    /// They do not differ: they diverge only through what they find in the table.
    #[default]
    Same,
    /// Helpers 1, 3, 5 and so on try the root's moves after the first in another order: the third,
    /// the fifth and so on, then the second, the fourth and so on.
    OddEven,
    /// Helpers skip depths. The first two search one depth and skip one, the next four search two
    /// and skip two, the next six search three and skip three, and so on. In each group, every
    /// helper's pattern is shifted by one more depth. Source: Stockfish 9.
    SkipDepths,
    /// Each helper has its own random order of the root's moves after the first.
    Shuffle,
}
