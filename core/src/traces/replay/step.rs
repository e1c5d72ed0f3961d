//! Steps: the events of a trace, prepared for replays. The step of a probe contains the entry that
//! was last offered for the key, the entry's worth, and whether the entry would cut off the node.

use crate::chess::{Bound, Move};
use crate::table::key_map::{KeyMap, map_capacity};
use crate::table::{Entry, options};
use crate::traces::{Event, EventKind, Info, Reader, TraceError, flags};
use std::io::Read;

/// One event that is ready to be replayed. A step has 40 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Step {
    /// The full key of the position.
    pub key: u64,
    /// The cost of the entry, such as the nodes that were searched for it. In all fields of a step,
    /// the entry of a store is the stored entry. The entry of a probe is the entry that was last
    /// offered for the probe's key.
    pub worth: u64,
    /// The number of the event. The first event has the number 1.
    pub number: u32,
    /// In a probe of a known position, the number of the previous event of the key since the last
    /// clear.
    pub last_event: u32,
    /// In a probe of a known position, the number of the last event at which the entry was offered.
    /// That event is a store or a usable probe.
    pub last_offer: u32,
    /// The score of the entry, in centipawns.
    value: i16,
    /// The upper bound of the probing node's window.
    beta: i16,
    /// The move that was offered last, or 0 if there is none.
    pub mv: u16,
    /// The entry's depth. In the beginning of a search, the number of plies that were played.
    depth: u8,
    /// The depth required to cut off the node.
    pub needed_depth: u8,
    kind_bits: u8,
    /// The bits of the entry's bound, open window and move, as in [`flags`].
    entry_bits: u8,
    /// The thread that probed or stored.
    pub thread: u8,
}

/// The maximum worth of one entry. With this maximum, sums over all events stay exact.
const MAX_WORTH: u64 = 1 << 40;

const STORE: u8 = 1;
const SEARCH: u8 = 2;
const CLEAR: u8 = 3;
/// A probe whose node would be cut off by the entry that was last offered.
const USABLE: u8 = 4;
/// A probe that cut off its node in the recorded search. Without the answer, the search would have
/// searched the node and stored the entry again.
const CUT: u8 = 8;
const WINDOW: u8 = 16;
const CLOSED: u8 = 64;
const ITERATION: u8 = 32;
const ANSWERED: u8 = 128;

impl Step {
    /// The kind of event.
    #[inline]
    pub fn kind(&self) -> EventKind {
        match self.kind_bits & 3 {
            0 => EventKind::Probe,
            STORE => EventKind::Store,
            SEARCH => EventKind::Search,
            _ => EventKind::Clear,
        }
    }

    /// Whether it is a probe whose node would be cut off by the entry that was last offered.
    #[inline]
    pub fn is_usable(&self) -> bool {
        self.kind_bits & USABLE != 0
    }

    /// Whether it is a probe that cut off its node in the recorded search.
    #[inline]
    pub fn is_cut(&self) -> bool {
        self.kind_bits & CUT != 0
    }

    /// Whether it is a probe of a position for which an entry was offered since the last clear.
    #[inline]
    pub fn is_known(&self) -> bool {
        self.kind_bits & 3 == 0 && self.entry_bits & flags::BOUND != 0
    }

    /// Whether it is a probe that the recorded table answered.
    #[inline]
    pub fn was_answered(&self) -> bool {
        self.kind_bits & ANSWERED != 0
    }

    /// The number of ticks by which the beginning of a search or iteration advances a clock.
    #[inline]
    pub fn ticks(&self, clock: options::TickSource) -> u16 {
        use options::TickSource;
        // Only the searches of the main thread advance the clock.
        if self.thread > 0 {
            return 0;
        }
        let is_iteration = self.kind_bits & ITERATION != 0;
        match clock {
            TickSource::Search => u16::from(!is_iteration),
            TickSource::Iteration => u16::from(is_iteration),
            TickSource::GamePly if is_iteration => 0,
            TickSource::GamePly => u16::from(self.depth),
        }
    }

    /// The entry of a store, or the entry that was last offered for the key of a probe.
    #[inline]
    pub fn entry(&self) -> Entry {
        if self.entry_bits & flags::BOUND == 0 {
            return Entry::evaluation(self.depth, self.entry_bits & flags::PV != 0);
        }
        Entry {
            mv: Move::from_bits(if self.entry_bits & flags::MOVE != 0 { self.mv } else { 0 }),
            score: self.value,
            bound: Bound::from_bits(self.entry_bits >> 2),
            depth: self.depth,
            pv: self.entry_bits & flags::PV != 0,
            nodes: u32::try_from(self.worth).unwrap_or(u32::MAX),
            ..Entry::default()
        }
    }

    /// Whether an answer with the draft `draft` is deep enough for the probing node, but the bound
    /// of the answer does not cut off the node. Returns false unless the window of the node is
    /// known to be a null window.
    #[inline]
    #[must_use]
    pub fn misses_by_bound(&self, draft: i32, entry: &Entry) -> bool {
        let beta = i32::from(self.beta);
        let is_deep_enough = self.kind_bits & CLOSED != 0 && draft >= i32::from(self.needed_depth);
        is_deep_enough && !entry.is_evaluation() && !entry.bound.settles(i32::from(entry.score), beta - 1, beta)
    }

    /// Whether an answer with the draft `draft` cuts off the probing node. If the window of the
    /// node is not known, only the draft is compared.
    #[inline]
    pub fn ends_node(&self, draft: i32, entry: &Entry) -> bool {
        let beta = i32::from(self.beta);
        draft >= i32::from(self.needed_depth)
            && (self.kind_bits & WINDOW == 0 || entry.bound.settles(i32::from(entry.score), beta - 1, beta))
    }
}

/// The entry that was last offered for a key, and the last events of the key.
#[derive(Debug, Clone, Copy, Default)]
struct KeyFacts {
    value: i16,
    depth: i16,
    mv: u16,
    /// The bits of the bound, open window and move, as in [`flags`]. 0 if no entry was offered.
    entry_bits: u8,
    worth: u64,
    last_event: u32,
    last_offer: u32,
    cost: u64,
    /// The number of the search that made the last probe, or 0 if there was no probe.
    search: u32,
}

/// Converts the depths of a trace to the depths that a table stores. Tables store whole plies. If
/// the lowest depth of the trace is below 0, depths are counted from the lowest depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DepthScale {
    pub parts: i16,
    /// The lowest depth in whole plies if it is below 0; otherwise 0.
    pub lowest: i16,
}

impl DepthScale {
    /// Creates the scale for a trace that counts depths in `parts` of a ply. `min_depth` is the
    /// lowest depth of the trace in these parts.
    pub fn new(parts: u16, min_depth: i16) -> Self {
        let parts = i16::try_from(parts.max(1)).unwrap_or(i16::MAX);
        Self { parts, lowest: min_depth.div_euclid(parts).min(0) }
    }

    fn plies(self, depth: i16) -> u8 {
        self.unclipped_plies(depth).clamp(0, 255) as u8
    }

    fn unclipped_plies(self, depth: i16) -> i32 {
        i32::from(depth.div_euclid(self.parts)) - i32::from(self.lowest)
    }

    fn fraction(self, depth: i16) -> i16 {
        depth.rem_euclid(self.parts)
    }

    /// Whether a depth is larger than the maximum that a table can store.
    pub fn is_clipped(self, depth: i16) -> bool {
        self.unclipped_plies(depth) > 255
    }
}

/// Converts events to steps. The facts about a position are kept until the table is cleared.
#[derive(Debug)]
pub struct StepMaker {
    facts: KeyMap<u64, KeyFacts>,
    /// The number of the last event, or 0 before the first event.
    event_number: u32,
    current_searches: Vec<u32>,
    last_search: u32,
    depths: DepthScale,
}

impl StepMaker {
    pub fn new(depths: DepthScale) -> Self {
        Self { facts: KeyMap::default(), event_number: 0, current_searches: vec![1; 1 << 8], last_search: 1, depths }
    }

    /// Forgets all positions. The time to clear a map is proportional to its capacity, so a map
    /// with a much larger capacity than needed is freed instead.
    fn clear_keys(&mut self) {
        if self.facts.len() < self.facts.capacity() / 16 {
            self.facts = KeyMap::default();
        }
        self.facts.clear();
    }

    /// Converts the next event to a step.
    ///
    /// # Errors
    /// When the number of the event does not fit into 32 bits.
    #[inline]
    pub fn make_step(&mut self, event: &Event) -> Result<Step, TraceError> {
        self.event_number = self.event_number.checked_add(1).ok_or(TraceError::TooManyEvents)?;
        Ok(match event.kind() {
            EventKind::Probe => self.make_probe(event),
            EventKind::Store => self.make_store(event),
            EventKind::Search => {
                let is_iteration = event.has(flags::ITERATION);
                if !is_iteration {
                    self.last_search += 1;
                    self.current_searches[usize::from(event.thread)] = self.last_search;
                }
                let kind_bits = SEARCH | if is_iteration { ITERATION } else { 0 };
                let (depth, thread) = (event.depth.clamp(0, 255) as u8, event.thread);
                Step { depth, thread, kind_bits, number: self.event_number, ..Step::default() }
            }
            EventKind::Clear => {
                self.clear_keys();
                Step { kind_bits: CLEAR, number: self.event_number, ..Step::default() }
            }
        })
    }

    fn make_probe(&mut self, event: &Event) -> Step {
        let depths = self.depths;
        let node_depth = depths.plies(event.depth);
        let facts = self.facts.entry(event.position()).or_default();
        let answered_bit = if event.has(flags::HIT) { ANSWERED } else { 0 };
        let window_bits = match (event.has(flags::WINDOW), event.has(flags::PV)) {
            (true, true) => WINDOW,
            (true, false) => WINDOW | CLOSED,
            (false, _) => 0,
        };
        let mut step = Step {
            key: event.key,
            worth: facts.worth,
            number: self.event_number,
            last_event: facts.last_event,
            last_offer: facts.last_offer,
            value: facts.value,
            beta: event.value,
            mv: facts.mv,
            depth: depths.plies(facts.depth),
            // Tables store whole plies. One more ply is needed if the entry's depth has a smaller
            // fraction of a ply than the node's depth.
            needed_depth: node_depth
                .saturating_add(u8::from(depths.fraction(event.depth) > depths.fraction(facts.depth))),
            kind_bits: answered_bit | window_bits,
            entry_bits: facts.entry_bits,
            thread: event.thread,
        };
        (facts.cost, facts.search) = (event.cost, self.current_searches[usize::from(event.thread)]);
        if facts.entry_bits == 0 {
            return step;
        }
        facts.last_event = self.event_number;
        if event.has(flags::CUT) {
            // The conditions for a cutoff in the recorded engine may be weaker than those of
            // `ends_node`, or its table may have held an older, deeper entry. The engine accepted
            // the answer, so the entry is treated as sufficient.
            step.needed_depth = step.needed_depth.min(step.depth);
            if !step.ends_node(i32::from(step.depth), &step.entry()) {
                step.kind_bits &= !WINDOW;
            }
            step.kind_bits |= CUT | USABLE;
        } else if event.has(flags::WINDOW)
            && !event.has(flags::PV)
            && step.ends_node(i32::from(step.depth), &step.entry())
        {
            step.kind_bits |= USABLE;
        }
        if step.is_usable() {
            facts.last_offer = self.event_number;
        }
        step
    }

    /// Converts a store to a step, and remembers the stored entry for later probes.
    fn make_store(&mut self, event: &Event) -> Step {
        let entry_bits = event.flags & (flags::BOUND | flags::PV | flags::MOVE);
        let (depth, thread, number) = (self.depths.plies(event.depth), event.thread, self.event_number);
        let step = Step { key: event.key, depth, thread, number, kind_bits: STORE, entry_bits, ..Step::default() };
        if event.flags & flags::BOUND == 0 {
            // The store contains only a static evaluation, which cannot cut off a node. An engine
            // stores such an evaluation only if its table had no entry for the position. A table
            // that loses nothing would still have an earlier entry of the position, so the facts
            // of the position are not changed.
            return Step { worth: 1, mv: event.best_move(), ..step };
        }
        let search = self.current_searches[usize::from(thread)];
        let facts = self.facts.entry(event.position()).or_default();
        let worth = if event.has(flags::SUBTREE) {
            event.cost
        } else if facts.search == search {
            // The entry's worth is the cost since the position was probed in this search.
            event.cost.checked_sub(facts.cost).unwrap_or(1)
        } else {
            1
        };
        let worth = worth.min(MAX_WORTH);
        let mv = if event.has(flags::MOVE) { event.best_move() } else { facts.mv };
        // i16::MIN would mean that the entry has no score.
        let value = event.value.max(-i16::MAX);
        let (last_event, last_offer) = (number, number);
        *facts = KeyFacts { value, depth: event.depth, mv, entry_bits, worth, last_event, last_offer, ..*facts };
        Step { worth, value, mv, ..step }
    }
}

/// The number of bytes that the map of the positions needs for each of its slots.
const MAP_SLOT_BYTES: u64 = 49;

/// The number of bytes that [`super::Clairvoyant`] needs for each usable probe if it maximises the
/// worth.
const INTERVAL_BYTES: u64 = 24;

/// The number of steps that a sink receives at once. They are so few that they stay in the
/// processor's cache while one table after another replays them.
const CHUNK: usize = 1 << 12;

/// Converts the events of a trace, or of a part of it, to steps and gives them to `sink`. `info`
/// has the counts of these events.
///
/// # Errors
/// When the facts about the positions do not fit into the free memory, or when the trace cannot be
/// read, is damaged or is too long.
pub fn read_steps<R: Read>(
    mut reader: Reader<R>,
    info: &Info,
    depths: DepthScale,
    mut sink: impl FnMut(&[Step]),
) -> Result<(), TraceError> {
    if info.events > u64::from(u32::MAX) {
        return Err(TraceError::TooManyEvents);
    }
    // While the map grows, it needs one and a half times the memory of its final size.
    let map_bytes = map_capacity(info.peak_positions) * MAP_SLOT_BYTES * 3 / 2;
    crate::traces::check_memory(map_bytes + info.peak_usable * INTERVAL_BYTES)?;
    let mut maker = StepMaker::new(depths);
    let mut chunk = Vec::with_capacity(CHUNK);
    while let Some(block) = reader.next_block()? {
        for event in block {
            chunk.push(maker.make_step(event)?);
            if chunk.len() == CHUNK {
                sink(&chunk);
                chunk.clear();
            }
        }
    }
    sink(&chunk);
    Ok(())
}

/// Converts all events of a trace whose depths are counted in whole plies.
pub fn make_steps(trace: &[Event]) -> Vec<Step> {
    let depths = trace.iter().filter(|event| event.kind() != EventKind::Search).map(|event| event.depth);
    let mut maker = StepMaker::new(DepthScale::new(1, depths.min().unwrap_or(0)));
    trace.iter().map_while(|event| maker.make_step(event).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cutoff by an entry of depth 3 at a node of depth 5: the recorded table accepted it, so
    /// depth 3 is required; without a cutoff 5 is.
    #[test]
    fn cutoff_by_a_shallower_entry_requires_only_its_depth() {
        let bound = Event::bound_bits(Bound::Exact);
        let step = |cut: u8| {
            let trace = [Event::store(7, 3, 10, bound, 1), Event::probe(7, 5, 0, flags::HIT | cut, 2)];
            make_steps(&[[Event::store(8, 0, 0, bound, 0)].as_slice(), trace.as_slice()].concat())[2]
        };
        let (cut, open) = (step(flags::CUT), step(0));
        assert_eq!((cut.needed_depth, cut.is_usable(), open.needed_depth, open.is_usable()), (3, true, 5, false));
        assert!(cut.ends_node(3, &cut.entry()));
        assert!(!cut.ends_node(2, &cut.entry()));
    }
}
