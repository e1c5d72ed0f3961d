//! What a trace holds, counted as it is read.

use super::{Event, EventKind, Reader, TraceError, flags};
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
    /// The most positions that were asked for or stored from one emptying of the table to the next, about: what must be known of them at
    /// a time goes with them.
    pub met: u64,
    /// The most probes from one emptying to the next that may be usable: they ended their node, or tell a window that is not open.
    pub asked: u64,
}

/// Distinct keys, one by one up to some number, then those whose hash ends in so many zeros (adaptive sampling: M. Wegman; P. Flajolet, 1990).
#[derive(Debug)]
pub struct Distinct {
    keys: HashSet<u64, std::hash::BuildHasherDefault<crate::table::by_key::PassOn>>,
    most: usize,
    level: u32,
}

impl Distinct {
    /// Keeps at most so many keys.
    #[must_use]
    pub fn new(most: usize) -> Self {
        Self { keys: HashSet::default(), most, level: 0 }
    }

    /// Counts a key.
    #[inline]
    pub fn insert(&mut self, key: u64) {
        if hash(key).trailing_zeros() >= self.level && self.keys.insert(key) {
            while self.keys.len() > self.most {
                self.level += 1;
                self.keys.retain(|&key| hash(key).trailing_zeros() >= self.level);
            }
        }
    }

    /// How many there were, about.
    #[must_use]
    pub fn count(&self) -> u64 {
        (self.keys.len() as u64) << self.level
    }
}

/// A hash whose bits are alike for no keys.
pub(super) fn hash(key: u64) -> u64 {
    let key = (key ^ key >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    (key ^ key >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93) >> 8
}

/// Stored keys that are kept one by one, and keys of any kind.
const MOST_STORED: usize = 1 << 22;
const MOST_MET: usize = 1 << 16;

/// Counts what a trace holds, or a part of it.
#[derive(Debug)]
pub struct Counting {
    info: Info,
    /// Whether anything was asked or stored.
    begun: bool,
    /// Whether a game has begun of which nothing was seen yet.
    fresh: bool,
    /// Nodes by the last event that told them.
    last: u32,
    stored: Distinct,
    /// Since the table was emptied.
    met: Distinct,
    asked: u64,
}

impl Default for Counting {
    fn default() -> Self {
        Self {
            info: Info::default(),
            begun: false,
            fresh: false,
            last: 0,
            stored: Distinct::new(MOST_STORED),
            met: Distinct::new(MOST_MET),
            asked: 0,
        }
    }
}

impl Counting {
    /// Counts on where this ends: nodes go on, all else begins anew.
    #[must_use]
    pub fn next(&self) -> Self {
        Self { last: self.last, ..Self::default() }
    }

    /// Whether anything was asked or stored.
    #[must_use]
    pub fn begun(&self) -> bool {
        self.begun
    }

    /// Takes down how much there was since the table was emptied.
    fn emptied(&mut self) {
        self.info.met = self.info.met.max(self.met.count());
        self.info.asked = self.info.asked.max(self.asked);
        (self.met, self.asked) = (Distinct::new(MOST_MET), 0);
    }

    /// Counts an event.
    pub fn push(&mut self, event: &Event) {
        let info = &mut self.info;
        info.events += 1;
        let message = !(event.kind() == EventKind::Store && event.has(flags::SUBTREE));
        if message {
            let more = event.nodes.wrapping_sub(self.last);
            // A counter that falls has begun anew.
            info.nodes += u64::from(if more > u32::MAX / 2 { event.nodes } else { more });
            self.last = event.nodes;
        }
        if matches!(event.kind(), EventKind::Probe | EventKind::Store) {
            if !self.begun {
                (info.lowest, info.deepest, self.begun) = (event.depth, event.depth, true);
            }
            self.met.insert(event.key);
            info.lowest = info.lowest.min(event.depth);
            info.deepest = info.deepest.max(event.depth);
            if !self.fresh {
                info.games += u64::from(info.games == 0);
            }
            self.fresh = false;
        }
        match event.kind() {
            EventKind::Probe => {
                info.probes += 1;
                self.asked += u64::from(event.has(flags::CUT) || event.has(flags::WINDOW) && !event.has(flags::PV));
                info.hits += u64::from(event.has(flags::HIT));
                info.cuts += u64::from(event.has(flags::CUT));
                info.windows += u64::from(event.has(flags::WINDOW));
            }
            EventKind::Store => {
                info.stores += 1;
                info.exact += u64::from(event.bound() == Bound::Exact);
                info.lower += u64::from(event.bound() == Bound::Lower);
                info.subtrees += u64::from(!message);
                self.stored.insert(event.key);
            }
            EventKind::Search if event.has(flags::ITERATION) => info.iterations += 1,
            EventKind::Search => {
                info.searches += 1;
                if event.has(flags::GAME) && !self.fresh {
                    info.games += 1;
                    self.fresh = true;
                }
            }
            EventKind::Clear => {
                info.clears += 1;
                if !self.fresh {
                    info.games += 1;
                    self.fresh = true;
                }
                self.emptied();
            }
        }
    }

    /// Counts the nodes that the end of a trace tells.
    pub fn end(&mut self, nodes: Option<u32>) {
        let more = nodes.map_or(0, |nodes| nodes.wrapping_sub(self.last));
        self.info.nodes += u64::from(if more > u32::MAX / 2 { 0 } else { more });
    }

    /// What was counted.
    #[must_use]
    pub fn finish(mut self) -> Info {
        self.emptied();
        // A game of which nothing was seen is none.
        self.info.games -= u64::from(self.fresh);
        self.info.positions = self.stored.count();
        self.info.estimated = self.stored.level > 0;
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
        counting.end(reader.nodes());
        Ok(counting.finish())
    }

    /// Whether it can tell which probes were usable, and so what was worth what.
    #[must_use]
    pub fn tells_worth(&self) -> bool {
        self.cuts + self.windows > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Up to so many keys each is counted; one more, and from then on about half of them are kept, then a quarter.
    #[test]
    fn distinct_keys_are_exact_up_to_their_most() {
        let mut distinct = Distinct::new(1000);
        for key in 1..=1000 {
            distinct.insert(key);
            distinct.insert(key);
        }
        assert_eq!((distinct.count(), distinct.level), (1000, 0));
        for key in 1001..=10_000 {
            distinct.insert(key);
        }
        // Four times halved, and within a tenth: the error is one in the root of some 600 that are kept.
        assert!(distinct.level == 4 && distinct.count().abs_diff(10_000) < 1000, "{distinct:?}");
    }

    /// What is met from one emptying to the next is exact up to 65,536 positions, what is stored up to 4,194,304.
    #[test]
    fn counts_of_a_trace_are_exact_up_to_their_most() {
        let event = |key: u64, kind: u8| Event { key, value: 0, depth: 1, flags: kind, nodes: 0 };
        let mut counting = Counting::default();
        (0..1 << 16).for_each(|key| counting.push(&event(key, 0)));
        assert_eq!((counting.met.level, counting.met.count()), (0, 1 << 16));
        counting.push(&event(1 << 16, 0));
        assert_eq!(counting.met.level, 1);
        (0..1 << 22).for_each(|key| counting.stored.insert(key));
        assert_eq!((counting.stored.level, counting.stored.count()), (0, 1 << 22));
        counting.push(&event(1 << 22, 1));
        assert_eq!(counting.stored.level, 1);
        assert!(counting.finish().estimated);
    }

    /// Each event by hand, no two counts alike where they could be taken for each other.
    #[test]
    fn every_count_by_hand() {
        let (probe, store, search, clear) = (0, 1, 2, 3);
        let event = |key: u64, kind: u8, flags: u8, depth: i8, nodes: u32| Event {
            key,
            value: 0,
            depth,
            flags: kind | flags,
            nodes,
        };
        let [exact, lower] = [Bound::Exact, Bound::Lower].map(|bound| (bound as u8) << 2);
        let upper = (Bound::Upper as u8) << 2;
        let events = [
            event(0, search, flags::GAME, 0, 0),
            event(0, search, flags::ITERATION, 0, 0),
            event(1, probe, flags::WINDOW, 5, 1),
            event(1, probe, flags::WINDOW | flags::PV, 5, 2),
            event(2, probe, flags::WINDOW | flags::HIT, 4, 3),
            event(3, probe, flags::HIT | flags::CUT, 3, 4),
            event(4, probe, 0, -1, 5),
            event(4, store, exact, -1, 6),
            event(4, store, exact, 2, 7),
            event(5, store, exact, 7, 8),
            event(1, store, lower, 5, 9),
            event(1, store, lower, 5, 10),
            event(2, store, upper, 4, 11),
            event(2, store, upper | flags::SUBTREE, 4, 77),
            event(0, clear, 0, 0, 11),
            event(0, search, 0, 1, 0),
            event(9, probe, flags::WINDOW, 6, 20),
        ];
        let mut counting = Counting::default();
        events.iter().for_each(|event| counting.push(event));
        counting.end(Some(25));
        let found = counting.finish();
        let by_hand = Info {
            events: 17,
            probes: 6,
            hits: 2,
            cuts: 1,
            windows: 4,
            stores: 7,
            exact: 3,
            lower: 2,
            subtrees: 1,
            searches: 2,
            iterations: 1,
            clears: 1,
            games: 2,
            // 11 before the counter began anew, and 25.
            nodes: 36,
            lowest: -1,
            deepest: 7,
            positions: 4,
            estimated: false,
            met: 5,
            // An open window ends no node: the first, the third, and the one that was cut.
            asked: 3,
        };
        assert_eq!(found, by_hand);
        // A trace of quiescence alone is nowhere as deep as 0.
        let mut shallow = Counting::default();
        [-2, -3].iter().for_each(|&depth| shallow.push(&event(1, probe, 0, depth, 1)));
        let shallow = shallow.finish();
        assert_eq!((shallow.lowest, shallow.deepest), (-3, -2));
        assert!(found.tells_worth());
        let message = |cuts, windows| Info { cuts, windows, ..Info::default() }.tells_worth();
        assert_eq!([message(0, 0), message(1, 0), message(0, 1)], [false, true, true]);
    }

    /// A game begins with what is asked or stored after a clear; a clear at the end begins none.
    #[test]
    fn a_clear_at_the_end_begins_no_game() {
        let probe = Event::probe(1, 2, 0, 0, 1);
        for (trace, games) in [
            (&[][..], 0),
            (&[Event::clear(0)], 0),
            (&[probe], 1),
            (&[probe, Event::clear(1)], 1),
            (&[Event::clear(0), probe, Event::clear(1), Event::clear(1)], 1),
            (&[probe, Event::clear(1), Event::search(0, flags::GAME, 1), probe], 2),
        ] {
            let mut counting = Counting::default();
            trace.iter().for_each(|event| counting.push(event));
            assert_eq!(counting.finish().games, games, "{trace:?}");
        }
    }

    /// The nodes of a second game go on where the first ended; all else begins anew.
    #[test]
    fn nodes_go_on_from_game_to_game() {
        let mut first = Counting::default();
        [10, 25].iter().for_each(|&nodes| first.push(&Event::probe(1, 2, 0, 0, nodes)));
        let mut second = first.next();
        [26, 40].iter().for_each(|&nodes| second.push(&Event::probe(2, 2, 0, 0, nodes)));
        let found = [first, second].map(Counting::finish).map(|info| (info.events, info.probes, info.nodes));
        assert_eq!(found, [(2, 2, 25), (2, 2, 15)]);
    }
}
