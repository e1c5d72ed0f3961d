//! Counts of a trace, gathered in one pass.

use super::event::hash;
use super::{Event, EventKind, Reader, TraceError, flags};
use std::collections::HashSet;
use std::io::Read;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Info {
    pub events: u64,
    pub probes: u64,
    /// Probes answered by the recorded table.
    pub hits: u64,
    pub cuts: u64,
    pub window_probes: u64,
    pub stores: u64,
    pub searches: u64,
    pub iterations: u64,
    /// Games or unrelated positions. Each begins with a clear, or with a search that is flagged as
    /// the first search of a game.
    pub games: u64,
    pub moves: u64,
    pub threads: u16,
    /// The cost of all threads together, in nodes or whatever else the trace counts as cost.
    pub nodes: u64,
    /// The number of parts of a ply in which depths are counted. 0 if only a part of a trace was
    /// counted.
    pub depth_parts: u16,
    pub min_depth: i16,
    pub max_depth: i16,
    /// Distinct positions that were stored. Up to 4,194,304 they are counted exactly; beyond that
    /// the number is an estimate.
    pub positions: u64,
    pub estimated: bool,
    /// The approximate maximum number of distinct positions that are probed or stored between two
    /// clears. The memory that a replay needs for the facts about positions grows with it.
    pub peak_positions: u64,
    /// The maximum number of potentially usable probes between two clears. These are the probes
    /// that cut off their node or have a null window.
    pub peak_usable: u64,
}

/// Counts distinct keys. Up to a limit, all keys are stored and the count is exact. Beyond that,
/// only a sample is stored: the keys whose hash ends with at least `level` zero bits (adaptive
/// sampling: M. Wegman; P. Flajolet, 1990).
#[derive(Debug)]
pub struct DistinctCounter {
    keys: HashSet<u64, std::hash::BuildHasherDefault<crate::table::key_map::KeyHasher>>,
    max_keys: usize,
    /// The minimum number of zero bits at the end of the hash of a sampled key. On average, one key
    /// in 2^level belongs to the sample.
    level: u32,
}

impl DistinctCounter {
    pub fn new(max_keys: usize) -> Self {
        Self { keys: HashSet::default(), max_keys, level: 0 }
    }

    /// Adds a key if the key belongs to the sample. When the sample becomes too large, the level is
    /// increased, which removes about half of the stored keys.
    #[inline]
    pub fn insert(&mut self, key: u64) {
        if hash(key).trailing_zeros() >= self.level && self.keys.insert(key) {
            while self.keys.len() > self.max_keys {
                self.level += 1;
                self.keys.retain(|&key| hash(key).trailing_zeros() >= self.level);
            }
        }
    }

    /// The number of distinct keys, exact or estimated.
    pub fn count(&self) -> u64 {
        (self.keys.len() as u64) << self.level
    }
}

/// The number of stored positions up to which they are counted exactly.
const MAX_STORED_KEYS: usize = 1 << 22;

/// The number of positions between two clears up to which they are counted exactly.
const MAX_LIVE_KEYS: usize = 1 << 16;

#[derive(Debug)]
pub struct InfoCounter {
    info: Info,
    has_accesses: bool,
    /// Whether a game has begun and has had no probe or store so far.
    is_game_empty: bool,
    /// For each thread, the total cost at the thread's last event that had a total.
    last_totals: Vec<u64>,
    threads: HashSet<u8>,
    stored_positions: DistinctCounter,
    /// The distinct positions that were probed or stored since the last clear.
    live_positions: DistinctCounter,
    /// The number of potentially usable probes since the last clear.
    usable_probes: u64,
}

impl Default for InfoCounter {
    fn default() -> Self {
        Self {
            info: Info::default(),
            has_accesses: false,
            is_game_empty: false,
            last_totals: vec![0; usize::from(u8::MAX) + 1],
            threads: HashSet::default(),
            stored_positions: DistinctCounter::new(MAX_STORED_KEYS),
            live_positions: DistinctCounter::new(MAX_LIVE_KEYS),
            usable_probes: 0,
        }
    }
}

impl InfoCounter {
    /// Creates a counter for the next part of the trace. The total costs of the threads continue.
    /// Everything else is counted from zero.
    pub fn continue_costs(&self) -> Self {
        Self { last_totals: self.last_totals.clone(), ..Self::default() }
    }

    pub fn has_accesses(&self) -> bool {
        self.has_accesses
    }

    /// Updates the maxima of the counts between two clears, and restarts these counts.
    fn record_peaks(&mut self) {
        self.info.peak_positions = self.info.peak_positions.max(self.live_positions.count());
        self.info.peak_usable = self.info.peak_usable.max(self.usable_probes);
        (self.live_positions, self.usable_probes) = (DistinctCounter::new(MAX_LIVE_KEYS), 0);
    }

    /// Counts an event. Events must be counted in the order of the trace.
    pub fn push(&mut self, event: &Event) {
        if event.has_total() {
            self.add_total(event);
        }
        let info = &mut self.info;
        info.events += 1;
        if matches!(event.kind(), EventKind::Probe | EventKind::Store) {
            if !self.has_accesses {
                (info.min_depth, info.max_depth, self.has_accesses) = (event.depth, event.depth, true);
            }
            self.live_positions.insert(event.position());
            self.threads.insert(event.thread);
            info.min_depth = info.min_depth.min(event.depth);
            info.max_depth = info.max_depth.max(event.depth);
            // The first game may begin with a probe or a store.
            if !self.is_game_empty {
                info.games += u64::from(info.games == 0);
            }
            self.is_game_empty = false;
        }
        // No iteration begins a game.
        if event.begins_game() && !event.has(flags::ITERATION) && !self.is_game_empty {
            info.games += 1;
            self.is_game_empty = true;
        }
        match event.kind() {
            EventKind::Probe => {
                info.probes += 1;
                let has_null_window = event.has(flags::WINDOW) && !event.has(flags::PV);
                self.usable_probes += u64::from(event.has(flags::CUT) || has_null_window);
                info.hits += u64::from(event.has(flags::HIT));
                info.cuts += u64::from(event.has(flags::CUT));
                info.window_probes += u64::from(event.has(flags::WINDOW));
            }
            EventKind::Store => {
                info.stores += 1;
                info.moves += u64::from(event.has(flags::MOVE));
                self.stored_positions.insert(event.position());
            }
            EventKind::Search if event.has(flags::ITERATION) => info.iterations += 1,
            EventKind::Search => info.searches += 1,
            EventKind::Clear => self.record_peaks(),
        }
    }

    /// Adds the cost since the last total of the event's thread. A total that is lower than the
    /// last total has restarted from 0.
    fn add_total(&mut self, event: &Event) {
        let last_total = &mut self.last_totals[usize::from(event.thread)];
        let difference = event.cost.checked_sub(*last_total).unwrap_or(event.cost);
        self.info.nodes = self.info.nodes.saturating_add(difference);
        *last_total = event.cost;
    }

    /// Adds the total cost of the end event, unless it is lower than the thread's last total.
    pub fn add_end(&mut self, end: Option<&Event>) {
        if let Some(end) = end.filter(|end| end.cost >= self.last_totals[usize::from(end.thread)]) {
            self.add_total(end);
        }
    }

    pub fn finish(mut self) -> Info {
        self.record_peaks();
        // A last game without a probe or store is not counted.
        self.info.games -= u64::from(self.is_game_empty);
        self.info.positions = self.stored_positions.count();
        self.info.threads = self.threads.len() as u16;
        self.info.estimated = self.stored_positions.level > 0;
        self.info
    }
}

impl Info {
    /// Reads a whole trace and counts its events. The memory use does not grow with the trace.
    pub fn read(from: impl Read) -> Result<Self, TraceError> {
        let mut counter = InfoCounter::default();
        let mut reader = Reader::new(from)?;
        reader.for_each(|event| counter.push(event))?;
        counter.add_end(reader.end());
        Ok(Self { depth_parts: reader.format().depth_parts, ..counter.finish() })
    }

    pub fn require_one_thread(&self) -> Result<(), TraceError> {
        if self.threads > 1 { Err(TraceError::Threads { found: self.threads }) } else { Ok(()) }
    }

    /// Whether the trace has windows or cutoffs. Without both, it cannot be said which probes were
    /// usable and what they were worth.
    pub fn has_worth(&self) -> bool {
        self.cuts + self.window_probes > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Bound;

    /// Exact up to the limit; from the next key on about half of the keys are kept, then a quarter.
    #[test]
    fn distinct_keys_are_exact_up_to_the_limit() {
        let mut distinct = DistinctCounter::new(1000);
        for key in 1..=1000 {
            distinct.insert(key);
            distinct.insert(key);
        }
        assert_eq!((distinct.count(), distinct.level), (1000, 0));
        for key in 1001..=10_000 {
            distinct.insert(key);
        }
        // Halved four times, and within a tenth: the relative error is one over the root of about
        // 600 kept keys.
        assert_eq!(distinct.level, 4, "{distinct:?}");
        assert!(distinct.count().abs_diff(10_000) < 1000, "{distinct:?}");
    }

    /// Positions between clears are exact up to 65,536, stored positions up to 4,194,304.
    #[test]
    fn positions_are_exact_up_to_the_limits() {
        let event = |key: u64, kind: u8| Event { key, depth: 1, flags: kind, ..Event::default() };
        let mut counting = InfoCounter::default();
        (0..1 << 16).for_each(|key| counting.push(&event(key, 0)));
        assert_eq!((counting.live_positions.level, counting.live_positions.count()), (0, 1 << 16));
        counting.push(&event(1 << 16, 0));
        assert_eq!(counting.live_positions.level, 1);
        (0..1 << 22).for_each(|key| counting.stored_positions.insert(key));
        assert_eq!((counting.stored_positions.level, counting.stored_positions.count()), (0, 1 << 22));
        counting.push(&event(1 << 22, 1));
        assert_eq!(counting.stored_positions.level, 1);
        assert!(counting.finish().estimated);
    }

    /// Counted by hand, with no two counts equal where they could be confused.
    #[test]
    fn trace_counts_match_a_count_by_hand() {
        let (probe, store, search, clear) = (0, 1, 2, 3);
        let event = |key: u64, kind: u8, flags: u8, depth: i16, cost: u64| Event {
            key,
            depth,
            flags: kind | flags,
            cost,
            ..Event::default()
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
        let mut counting = InfoCounter::default();
        events.iter().for_each(|event| counting.push(event));
        counting.add_end(Some(&Event { cost: 25, ..Event::default() }));
        let info = counting.finish();
        let by_hand = Info {
            events: 17,
            probes: 6,
            hits: 2,
            cuts: 1,
            window_probes: 4,
            stores: 7,
            searches: 2,
            iterations: 1,
            games: 2,
            // 11 before the restart, and 25.
            nodes: 36,
            moves: 0,
            threads: 1,
            depth_parts: 0,
            min_depth: -1,
            max_depth: 7,
            positions: 4,
            estimated: false,
            peak_positions: 5,
            // An open window is not usable; counted are the first, the third, and the cutoff.
            peak_usable: 3,
        };
        assert_eq!(info, by_hand);
        // A trace of quiescence search only, below depth 0.
        let mut shallow = InfoCounter::default();
        [-2, -3].iter().for_each(|&depth| shallow.push(&event(1, probe, 0, depth, 1)));
        let shallow = shallow.finish();
        assert_eq!((shallow.min_depth, shallow.max_depth), (-3, -2));
        assert!(info.has_worth());
        let has_worth = |cuts, windows| Info { cuts, window_probes: windows, ..Info::default() }.has_worth();
        assert_eq!([has_worth(0, 0), has_worth(1, 0), has_worth(0, 1)], [false, true, true]);
    }

    /// A game begins with the first probe or store after a clear.
    #[test]
    fn clear_at_the_end_begins_no_game() {
        let probe = Event::probe(1, 2, 0, 0, 1);
        for (trace, games) in [
            (&[][..], 0),
            (&[Event::clear(0)], 0),
            (&[probe], 1),
            (&[probe, Event::clear(1)], 1),
            (&[Event::clear(0), probe, Event::clear(1), Event::clear(1)], 1),
            (&[probe, Event::clear(1), Event::search(0, flags::GAME, 1), probe], 2),
        ] {
            let mut counting = InfoCounter::default();
            trace.iter().for_each(|event| counting.push(event));
            assert_eq!(counting.finish().games, games, "{trace:?}");
        }
    }

    /// Totals of the cost continue into a second game; everything else restarts.
    #[test]
    fn total_cost_continues_into_the_next_game() {
        let mut first = InfoCounter::default();
        [10, 25].iter().for_each(|&cost| first.push(&Event::probe(1, 2, 0, 0, cost)));
        let mut second = first.continue_costs();
        [26, 40].iter().for_each(|&cost| second.push(&Event::probe(2, 2, 0, 0, cost)));
        let counts = [first, second].map(InfoCounter::finish).map(|info| (info.events, info.probes, info.nodes));
        assert_eq!(counts, [(2, 2, 25), (2, 2, 15)]);
    }
}
