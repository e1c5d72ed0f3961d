//! What a trace becomes before it is shown to tables: each probe is told what was offered for its key, whether that could have ended its
//! node, and what that was worth.

use crate::chess::{Bound, Move};
use crate::table::by_key::ByKey;
use crate::table::trace::{Event, EventKind, TraceError, flags};
use crate::table::{Entry, options};

/// One event, ready to be shown: 32 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Step {
    /// The position's key.
    pub key: u64,
    /// Nodes that were searched to make the entry: of a store, of what it offers; of a probe, of what was offered last.
    pub worth: u32,
    /// Its number, from 1, of those that were made.
    pub at: u32,
    /// Of a probe of a known position: the event of the key before it, since the table was emptied.
    pub since: u32,
    /// Likewise, the last at which its entry was offered: a store, or a usable probe.
    pub offered: u32,
    /// The entry's score.
    value: i16,
    /// The node's beta.
    beta: i16,
    /// The entry's depth, or the plies of a search.
    depth: u8,
    /// The depth that ends the asking node.
    pub asked: u8,
    /// What happened.
    what: u8,
    /// The entry's bound, window and move, as in [`flags`].
    how: u8,
}

const STORE: u8 = 1;
const SEARCH: u8 = 2;
const CLEAR: u8 = 3;
/// A probe for which what was offered last would have ended the node.
const USABLE: u8 = 4;
/// A probe that ended its node in the recorded search: without its answer the same work is done again.
const CUT: u8 = 8;
/// A probe whose window is known.
const WINDOW: u8 = 16;
/// A search that is only another iteration.
const ITERATION: u8 = 32;

impl Step {
    /// What happened.
    #[inline]
    #[must_use]
    pub fn kind(&self) -> EventKind {
        match self.what & 3 {
            0 => EventKind::Probe,
            STORE => EventKind::Store,
            SEARCH => EventKind::Search,
            _ => EventKind::Clear,
        }
    }

    /// Whether it is a probe whose node could be ended by what was offered last.
    #[inline]
    #[must_use]
    pub fn usable(&self) -> bool {
        self.what & USABLE != 0
    }

    /// Whether it is a probe that ended its node in the recorded search.
    #[inline]
    #[must_use]
    pub fn cut(&self) -> bool {
        self.what & CUT != 0
    }

    /// Whether it is a probe of a position that was offered since the table was emptied.
    #[inline]
    #[must_use]
    pub fn known(&self) -> bool {
        self.what & 3 == 0 && self.how & flags::BOUND != 0
    }

    /// Ticks of a clock.
    #[inline]
    #[must_use]
    pub fn ticks(&self, clock: options::TickSource) -> u16 {
        use options::TickSource;
        let iteration = self.what & ITERATION != 0;
        match clock {
            TickSource::Search => u16::from(!iteration),
            TickSource::Iteration => u16::from(iteration),
            TickSource::GamePly if iteration => 0,
            TickSource::GamePly => u16::from(self.depth),
        }
    }

    /// The entry that a store offers, or that was offered last for a probe's key.
    #[inline]
    #[must_use]
    pub fn entry(&self) -> Entry {
        Entry {
            mv: Move::from_bits(u16::from(self.how & flags::MOVE != 0)),
            score: i32::from(self.value),
            bound: Bound::from_bits(self.how >> 2),
            depth: self.depth,
            pv: self.how & flags::PV != 0,
            nodes: self.worth,
            ..Entry::default()
        }
    }

    /// Whether an answer of some draft ends the asking node.
    #[inline]
    #[must_use]
    pub fn settled_by(&self, draft: i32, entry: &Entry) -> bool {
        let beta = i32::from(self.beta);
        draft >= i32::from(self.asked) && (self.what & WINDOW == 0 || entry.bound.settles(entry.score, beta - 1, beta))
    }
}

/// What is known of a key.
#[derive(Debug, Clone, Copy, Default)]
struct KeyFacts {
    value: i16,
    depth: u8,
    /// Bound, window and move; none offered: 0.
    how: u8,
    worth: u32,
    /// The last event, and the last that offered the entry.
    since: u32,
    offered: u32,
    /// Nodes and search of the last probe; search 0: there was none.
    nodes: u32,
    search: u32,
}

/// Makes steps of events. Positions keep what was offered for them until the table is emptied.
#[derive(Debug)]
pub struct Maker {
    known: ByKey<u64, KeyFacts>,
    /// Events so far.
    at: u32,
    /// Searches so far, and one.
    search: u32,
    /// The least depth of the trace if it is below 0: tables count from there.
    lowest: i8,
}

impl Maker {
    /// Steps of a trace whose depths are nowhere below `lowest`.
    #[must_use]
    pub fn new(lowest: i8) -> Self {
        Self { known: ByKey::default(), at: 0, search: 1, lowest: lowest.min(0) }
    }

    /// Begins anew.
    pub fn forget(&mut self) {
        self.empty();
        (self.at, self.search) = (0, 1);
    }

    /// Nothing is known of any position. To clear a map takes as long as it is large: one that was filled long ago is given back.
    fn empty(&mut self) {
        if self.known.len() < self.known.capacity() / 16 {
            self.known = ByKey::default();
        }
        self.known.clear();
    }

    fn depth(&self, depth: i8) -> u8 {
        (i16::from(depth) - i16::from(self.lowest)).clamp(0, 255) as u8
    }

    /// The step of the next event.
    ///
    /// # Errors
    /// When there were more events than can be numbered.
    #[inline]
    pub fn make(&mut self, event: &Event) -> Result<Step, TraceError> {
        self.at = self.at.checked_add(1).ok_or(TraceError::Many)?;
        Ok(match event.kind() {
            EventKind::Probe => self.probe(event),
            EventKind::Store => self.store(event),
            EventKind::Search => {
                let iteration = event.has(flags::ITERATION);
                self.search += u32::from(!iteration);
                let what = SEARCH | if iteration { ITERATION } else { 0 };
                Step { depth: event.depth as u8, what, at: self.at, ..Step::default() }
            }
            EventKind::Clear => {
                self.empty();
                Step { what: CLEAR, at: self.at, ..Step::default() }
            }
        })
    }

    fn probe(&mut self, event: &Event) -> Step {
        let asked = self.depth(event.depth);
        let known = self.known.entry(event.key).or_default();
        let mut step = Step {
            key: event.key,
            worth: known.worth,
            at: self.at,
            since: known.since,
            offered: known.offered,
            value: known.value,
            beta: event.value,
            depth: known.depth,
            asked,
            what: if event.has(flags::WINDOW) { WINDOW } else { 0 },
            how: known.how,
        };
        (known.nodes, known.search) = (event.nodes, self.search);
        if known.how == 0 {
            return step;
        }
        known.since = self.at;
        if event.has(flags::CUT) {
            // The engine's rule may be laxer than ours, or its entry older and deeper: what it took was enough.
            step.asked = asked.min(step.depth);
            if !step.settled_by(i32::from(step.depth), &step.entry()) {
                step.what &= !WINDOW;
            }
            step.what |= CUT | USABLE;
        } else if event.has(flags::WINDOW)
            && !event.has(flags::PV)
            && step.settled_by(i32::from(step.depth), &step.entry())
        {
            step.what |= USABLE;
        }
        if step.usable() {
            known.offered = self.at;
        }
        step
    }

    fn store(&mut self, event: &Event) -> Step {
        let depth = self.depth(event.depth);
        let how = event.flags & (flags::BOUND | flags::PV | flags::MOVE);
        let known = self.known.entry(event.key).or_default();
        let worth = match () {
            () if event.has(flags::SUBTREE) => event.nodes,
            () if known.search == self.search => event.nodes.wrapping_sub(known.nodes),
            () => 1,
        };
        let (at, value) = (self.at, event.value);
        *known = KeyFacts { value, depth, how, worth, since: at, offered: at, ..*known };
        Step { key: event.key, worth, at, value, depth, what: STORE, how, ..Step::default() }
    }
}

/// The steps of a trace in memory.
#[must_use]
pub fn steps(trace: &[Event]) -> Vec<Step> {
    let lowest =
        trace.iter().filter(|event| event.kind() != EventKind::Search).map(|event| event.depth).min().unwrap_or(0);
    let mut maker = Maker::new(lowest);
    trace.iter().map_while(|event| maker.make(event).ok()).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Who has forgotten counts events, searches and nodes as who has seen nothing.
    #[test]
    fn who_forgets_begins_anew() {
        let event = |kind: u8, flags: u8, nodes: u32| Event { key: 7, value: 1, depth: 2, flags: kind | flags, nodes };
        let seen = [
            event(EventKind::Search as u8, 0, 0),
            event(EventKind::Search as u8, 0, 0),
            event(EventKind::Probe as u8, 0, 10),
            event(EventKind::Store as u8, 4, 30),
            event(EventKind::Probe as u8, 0, 40),
        ];
        let steps = |maker: &mut Maker, from: usize| -> Vec<Step> {
            seen[from..].iter().map(|event| maker.make(event).unwrap()).collect()
        };
        let mut maker = Maker::new(0);
        let first = steps(&mut maker, 0);
        assert_eq!(first.iter().map(|step| step.at).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
        maker.forget();
        assert_eq!(steps(&mut maker, 0), first);
        // A store of another search than its probe does not know what it cost: one node, also right after the beginning.
        maker.forget();
        let _ = maker.make(&seen[2]).unwrap();
        maker.forget();
        assert_eq!(maker.make(&seen[3]).unwrap(), Maker::new(0).make(&seen[3]).unwrap());
        assert_eq!(maker.make(&seen[4]).unwrap().worth, 1);
    }

    /// A cutoff by an entry of depth 3 where 5 was asked: of a table that believed it no more is asked than that, of another nothing less than 5.
    #[test]
    fn a_cutoff_by_a_shallower_entry_asks_for_its_depth() {
        let bound = Event::bits_of(Bound::Exact);
        let step = |cut: u8| {
            let trace = [Event::store(7, 3, 10, bound, 1), Event::probe(7, 5, 0, flags::HIT | cut, 2)];
            steps(&[[Event::store(8, 0, 0, bound, 0)].as_slice(), trace.as_slice()].concat())[2]
        };
        let (cut, open) = (step(flags::CUT), step(0));
        assert_eq!((cut.asked, cut.usable(), open.asked, open.usable()), (3, true, 5, false));
        assert!(cut.settled_by(3, &cut.entry()) && !cut.settled_by(2, &cut.entry()));
    }
}
