//! The options `threads.*`: several searchers that share one table.

use crate::table::Tear;
use serde::{Deserialize, Serialize};

/// Several searchers of the same position that share one table and nothing else (lazy SMP). They
/// take turns on one thread, so that counts are exact and repeatable: a model of as many threads.
/// The main searcher's iterations are the results; the others, its helpers, search deeper and
/// deeper from the start of the search until it ends. Counts are sums over all searchers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Threads {
    /// Searchers, 1..=256: the main one and its helpers. A limit of depth is that of the main
    /// searcher, a limit of nodes that of all together.
    #[cfg_attr(test, schemars(range(min = 1, max = 256)))]
    pub count: u32,
    /// How they run.
    pub kind: ThreadKind,
    /// Whether real threads lock the table for each call. Otherwise its words are read and written
    /// one at a time, as in an engine, and counters of answers between searchers are estimates;
    /// this needs a bounded table with a policy that keeps no words of its own.
    pub lock: bool,
    /// Whether they share the table.
    pub tables: Tables,
    /// Who is next when a turn ends.
    pub schedule: Schedule,
    /// Nodes of a turn, at least 1. Short turns are nearest to threads; each costs a few
    /// nanoseconds.
    #[cfg_attr(test, schemars(range(min = 1)))]
    pub quantum: u32,
    /// Nodes of the main searcher's turn, if it is faster or slower than its helpers; 0: `quantum`.
    pub main_quantum: u32,
    /// The turns of `schedule = "list"`, separated by blanks: searcher (0 is the main one), colon,
    /// nodes, as in `0:64 1:16`.
    pub turns: String,
    /// How helpers differ from the main searcher.
    pub helpers: Helpers,
    /// Whose result is that of an iteration.
    pub answer: Answer,
    /// Stores that others may read in two halves.
    pub tear: Tear,
    /// Seed of `schedule = "random"`, `helpers = "shuffle"` and `tear`.
    pub seed: u64,
}

impl Default for Threads {
    fn default() -> Self {
        Self {
            count: 1,
            kind: ThreadKind::default(),
            lock: false,
            tables: Tables::default(),
            schedule: Schedule::default(),
            quantum: 64,
            main_quantum: 0,
            turns: String::new(),
            helpers: Helpers::default(),
            answer: Answer::default(),
            tear: Tear::default(),
            seed: 1,
        }
    }
}

impl Threads {
    /// Whether counts depend on `seed`.
    #[must_use]
    pub fn is_seeded(&self) -> bool {
        let uses_random_numbers = self.kind == ThreadKind::Virtual && self.schedule == Schedule::Random
            || self.helpers == Helpers::Shuffle
            || self.tear.is_on();
        self.count > 1 && uses_random_numbers
    }

    /// The number of tables: one for all searchers, or one for each.
    #[must_use]
    pub fn table_count(&self) -> u32 {
        if self.tables == Tables::Own { self.count } else { 1 }
    }

    /// Whether several searchers access the table at the same time without a lock.
    #[must_use]
    pub fn is_lock_free(&self) -> bool {
        self.is_real() && !self.lock
    }

    /// Whether searchers run on operating-system threads, so that counts depend on how these are
    /// scheduled.
    #[must_use]
    pub fn is_real(&self) -> bool {
        self.count > 1 && self.kind == ThreadKind::Real
    }

    /// Parses `turns`: the searcher and the nodes of each turn.
    ///
    /// # Errors
    /// The first malformed turn, or that searcher 0 has no turn.
    pub fn listed_turns(&self) -> Result<Vec<(usize, u64)>, String> {
        let parse_turn = |text: &str| {
            let (searcher, nodes) = text.split_once(':')?;
            let (searcher, nodes) = (searcher.parse().ok()?, nodes.parse::<u32>().ok()?);
            (searcher < self.count as usize && nodes > 0).then_some((searcher, u64::from(nodes)))
        };
        let parse_numbered = |(index, text)| {
            let expected =
                format!("a searcher from 0 to {}, a colon and at least 1 node, as in `0:64`", self.count - 1);
            parse_turn(text).ok_or_else(|| format!("turn {} is `{text}`: expected {expected}", index + 1))
        };
        let turns = self.turns.split_whitespace().enumerate().map(parse_numbered).collect::<Result<Vec<_>, _>>()?;
        if turns.iter().all(|&(searcher, _)| searcher != 0) {
            return Err("searcher 0 has no turn, but its iterations are the results: add one, as in `0:64`".to_owned());
        }
        Ok(turns)
    }
}

/// How several searchers run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum ThreadKind {
    /// In turn on one thread: the same counts on any machine.
    #[default]
    Virtual,
    /// Each on a thread of the system, which decides who is faster: no search repeats, so that
    /// each needs repeats. `schedule`, `quantum`, `main_quantum` and `turns` mean nothing.
    Real,
}

/// Whether several searchers share the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Tables {
    /// One table for all.
    #[default]
    Shared,
    /// Each has one of `table.size`, so that sharing can be priced. Counts of the table, its slots
    /// and bytes are sums over all.
    Own,
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
    /// As `turns` says, from its beginning again at its end: processors of unequal speed, or a
    /// schedule that is replayed (`ttlab search --record-turns FILE`, then `--turns FILE`).
    List,
}

/// Whose result is that of an iteration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// The main searcher's.
    #[default]
    Main,
    /// That of the first searcher that completes this depth or a deeper one (at the end of its
    /// turn); the main searcher then begins the next depth.
    First,
    /// The move with the most votes when the main searcher completes the depth, with the score and
    /// line of the first searcher that voted for it. Each votes for the best move of its last
    /// completed iteration, with the depth of that times (its score less the lowest one plus 14).
    /// Counts are those of `main`. Source: Stockfish 10.
    Vote,
}

impl Helpers {
    /// Whether searchers avoid nodes that others are searching. The tree that a depth stands for
    /// then depends on where the others are.
    #[must_use]
    pub fn avoid_each_other(self) -> bool {
        matches!(self, Self::Breadcrumbs | Self::SimplifiedAbdada | Self::Abdada)
    }
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
    /// All searchers reduce late moves by another ply (`lmr`) at nodes within eight plies of the
    /// root that another one is in the middle of. Source: Stockfish's breadcrumbs, 2019.
    Breadcrumbs,
    /// All searchers put off, to the end of its node, a move that leads to a position which another
    /// one is in the middle of; never the first, and at remaining depths of at least 3. Source:
    /// T. Kerrigan, simplified ABDADA (without its second look at the table).
    SimplifiedAbdada,
    /// Likewise, but what counts is in the table: each entry has the number of searchers that are
    /// in the middle of its position at the greatest remaining depth of them, from 2 on; a move is
    /// put off if any is there at the depth to which it would be searched. A node without an entry
    /// first stores one of depth 0, without a score, which the policy may refuse; with an entry its
    /// count is lost. Source: J.-C. Weill, "The ABDADA distributed minimax-search algorithm", 1996.
    Abdada,
}
