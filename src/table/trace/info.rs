//! What a trace holds, counted as it is read.

use super::{Event, Kind, Reader, TraceError, flags};
use crate::chess::Bound;
use std::collections::HashSet;
use std::io::Read;

/// What a trace holds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Info {
    /// Events.
    pub events: u64,
    /// Probes.
    pub probes: u64,
    /// Of those, answered by the recorded table.
    pub hits: u64,
    /// Of those, ended their node.
    pub cuts: u64,
    /// Probes that tell their window.
    pub windows: u64,
    /// Stores.
    pub stores: u64,
    /// Of those, exact bounds.
    pub exact: u64,
    /// Of those, lower bounds.
    pub lower: u64,
    /// Stores that tell their own subtree.
    pub subtrees: u64,
    /// Searches, iterations not among them.
    pub searches: u64,
    /// Iterations that are told.
    pub iterations: u64,
    /// Times that the table was emptied.
    pub clears: u64,
    /// Games, or unrelated positions: each begins with a table that is emptied, or a search that says so.
    pub games: u64,
    /// Nodes searched.
    pub nodes: u64,
    /// The least depth of a probe or store.
    pub lowest: i8,
    /// The greatest.
    pub deepest: i8,
    /// Positions that were stored: exact up to some millions, then estimated.
    pub positions: u64,
    /// Whether that is an estimate.
    pub estimated: bool,
}

/// Distinct keys that are kept one by one.
const MOST_KEYS: usize = 1 << 22;

/// Counts what a trace holds.
#[derive(Debug, Default)]
pub struct Counting {
    info: Info,
    met: bool,
    /// Whether a game has begun of which nothing was seen yet.
    fresh: bool,
    last: u32,
    keys: HashSet<u64, std::hash::BuildHasherDefault<crate::table::by_key::PassOn>>,
    /// Only keys whose hash ends in so many zeros are kept (adaptive sampling: M. Wegman; P. Flajolet, 1990).
    level: u32,
}

fn hash(key: u64) -> u64 {
    let key = (key ^ key >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    (key ^ key >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93) >> 8
}

impl Counting {
    /// Counts an event.
    pub fn push(&mut self, event: &Event) {
        let info = &mut self.info;
        info.events += 1;
        let told = !(event.kind() == Kind::Store && event.has(flags::SUBTREE));
        if told {
            let more = event.nodes.wrapping_sub(self.last);
            // A counter that falls has begun anew.
            info.nodes += u64::from(if more > u32::MAX / 2 { event.nodes } else { more });
            self.last = event.nodes;
        }
        if matches!(event.kind(), Kind::Probe | Kind::Store) {
            if !self.met {
                (info.lowest, info.deepest, self.met) = (event.depth, event.depth, true);
            }
            info.lowest = info.lowest.min(event.depth);
            info.deepest = info.deepest.max(event.depth);
            if !self.fresh {
                info.games += u64::from(info.games == 0);
            }
            self.fresh = false;
        }
        match event.kind() {
            Kind::Probe => {
                info.probes += 1;
                info.hits += u64::from(event.has(flags::HIT));
                info.cuts += u64::from(event.has(flags::CUT));
                info.windows += u64::from(event.has(flags::WINDOW));
            }
            Kind::Store => {
                info.stores += 1;
                info.exact += u64::from(event.bound() == Bound::Exact);
                info.lower += u64::from(event.bound() == Bound::Lower);
                info.subtrees += u64::from(!told);
                if hash(event.key).trailing_zeros() >= self.level {
                    self.keys.insert(event.key);
                    while self.keys.len() > MOST_KEYS {
                        self.level += 1;
                        self.keys.retain(|&key| hash(key).trailing_zeros() >= self.level);
                    }
                }
            }
            Kind::Search if event.has(flags::ITERATION) => info.iterations += 1,
            Kind::Search => {
                info.searches += 1;
                if event.has(flags::GAME) && !self.fresh {
                    info.games += 1;
                    self.fresh = true;
                }
            }
            Kind::Clear => {
                info.clears += 1;
                if !self.fresh {
                    info.games += 1;
                    self.fresh = true;
                }
            }
        }
    }

    /// What was counted.
    #[must_use]
    pub fn finish(mut self) -> Info {
        // A game of which nothing was seen is none.
        self.info.games -= u64::from(self.fresh);
        self.info.positions = (self.keys.len() as u64) << self.level;
        self.info.estimated = self.level > 0;
        self.info
    }
}

impl Info {
    /// Reads a trace to its end, in little memory.
    ///
    /// # Errors
    /// When it is no trace or is damaged, and where.
    pub fn read(from: impl Read) -> Result<Self, TraceError> {
        let mut counting = Counting::default();
        let mut reader = Reader::new(from)?;
        reader.for_each(|event| counting.push(event))?;
        if let Some(nodes) = reader.nodes() {
            let more = nodes.wrapping_sub(counting.last);
            counting.info.nodes += u64::from(if more > u32::MAX / 2 { 0 } else { more });
        }
        Ok(counting.finish())
    }

    /// Whether it can tell which probes were usable, and so what was worth what.
    #[must_use]
    pub fn tells_worth(&self) -> bool {
        self.cuts + self.windows > 0
    }
}
