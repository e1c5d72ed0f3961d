//! What a trace becomes before it is shown to tables: each probe is told what was offered for its key, whether that could have ended its
//! node, and what that was worth.

use crate::chess::{Bound, Move};
use crate::table::by_key::ByKey;
use crate::table::trace::{Event, Kind, flags};
use crate::table::{Entry, options};

/// No event.
pub const NONE: u32 = u32::MAX;

/// One event, ready to be shown: 24 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Step {
    /// The position's key.
    pub key: u64,
    /// Nodes that were searched to make the entry: of a store, of what it offers; of a probe, of what was offered last.
    pub worth: u32,
    /// Of a probe of a known position: the event of the key before it, since the table was emptied.
    pub since: u32,
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
/// A search that is an iteration, or begins a game.
const ITERATION: u8 = 32;
const GAME: u8 = 64;

impl Step {
    /// What happened.
    #[inline]
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self.what & 3 {
            0 => Kind::Probe,
            STORE => Kind::Store,
            SEARCH => Kind::Search,
            _ => Kind::Clear,
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

    /// Whether a game begins with it.
    #[must_use]
    pub fn begins_game(&self) -> bool {
        self.what & 3 == CLEAR || self.what & GAME != 0
    }

    /// Ticks of a clock.
    #[inline]
    #[must_use]
    pub fn ticks(&self, clock: options::Clock) -> u16 {
        use options::Clock;
        let iteration = self.what & ITERATION != 0;
        match clock {
            Clock::Search => u16::from(!iteration),
            Clock::Iteration => u16::from(iteration),
            Clock::GamePly if iteration => 0,
            Clock::GamePly => u16::from(self.depth),
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
#[derive(Debug, Clone, Copy)]
struct Known {
    value: i16,
    depth: u8,
    /// Bound, window and move; none offered: 0.
    how: u8,
    worth: u32,
    /// The last event.
    since: u32,
    /// Nodes and search of the last probe; [`NONE`] if there was none.
    nodes: u32,
    search: u32,
}

/// Makes steps of events. Positions keep what was offered for them until the table is emptied.
#[derive(Debug, Default)]
pub struct Steps {
    steps: Vec<Step>,
    known: ByKey<u64, Known>,
    search: u32,
    /// The least depth of the trace if it is below 0: tables count from there.
    lowest: i8,
}

impl Steps {
    /// Steps of a trace whose depths are nowhere below `lowest`.
    #[must_use]
    pub fn new(lowest: i8) -> Self {
        Self { lowest: lowest.min(0), ..Self::default() }
    }

    /// The steps.
    #[must_use]
    pub fn finish(self) -> Vec<Step> {
        self.steps
    }

    /// How many steps there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    fn depth(&self, depth: i8) -> u8 {
        (i16::from(depth) - i16::from(self.lowest)).clamp(0, 255) as u8
    }

    /// Adds an event.
    pub fn push(&mut self, event: &Event) {
        let at = self.steps.len() as u32;
        let depth = self.depth(event.depth);
        let search = self.search;
        match event.kind() {
            Kind::Probe => {
                let known = self.known.entry(event.key).or_insert(Known {
                    value: 0,
                    depth: 0,
                    how: 0,
                    worth: 0,
                    since: NONE,
                    nodes: 0,
                    search,
                });
                let mut step = Step {
                    key: event.key,
                    worth: known.worth,
                    since: known.since,
                    value: known.value,
                    beta: event.value,
                    depth: known.depth,
                    asked: depth,
                    what: if event.has(flags::WINDOW) { WINDOW } else { 0 },
                    how: known.how,
                };
                (known.nodes, known.search) = (event.nodes, search);
                if known.how != 0 {
                    known.since = at;
                    let cut = event.has(flags::CUT);
                    if cut {
                        // The engine's rule may be laxer than ours, or its entry older and deeper: what it took was enough.
                        step.asked = depth.min(step.depth);
                        let entry = step.entry();
                        if !step.settled_by(i32::from(step.depth), &entry) {
                            step.what &= !WINDOW;
                        }
                        step.what |= CUT | USABLE;
                    } else if event.has(flags::WINDOW) && !event.has(flags::PV) {
                        let entry = step.entry();
                        step.what |= if step.settled_by(i32::from(step.depth), &entry) { USABLE } else { 0 };
                    }
                }
                self.steps.push(step);
            }
            Kind::Store => {
                let how = event.flags & (flags::BOUND | flags::PV | flags::MOVE);
                let before = self.known.get(&event.key);
                let worth = match before {
                    _ if event.has(flags::SUBTREE) => event.nodes,
                    Some(probe) if probe.search == search => event.nodes.wrapping_sub(probe.nodes),
                    _ => 1,
                };
                let (nodes, of) = before.map_or((0, NONE), |probe| (probe.nodes, probe.search));
                self.known
                    .insert(event.key, Known { value: event.value, depth, how, worth, since: at, nodes, search: of });
                self.steps.push(Step {
                    key: event.key,
                    worth,
                    since: NONE,
                    value: event.value,
                    depth,
                    what: STORE,
                    how,
                    ..Step::default()
                });
            }
            Kind::Search => {
                let iteration = event.has(flags::ITERATION);
                self.search += u32::from(!iteration);
                let what =
                    SEARCH | if iteration { ITERATION } else { 0 } | if event.has(flags::GAME) { GAME } else { 0 };
                self.steps.push(Step { depth: event.depth as u8, what, since: NONE, ..Step::default() });
            }
            Kind::Clear => {
                self.known.clear();
                self.steps.push(Step { what: CLEAR, since: NONE, ..Step::default() });
            }
        }
    }
}

/// The steps of a trace in memory.
#[must_use]
pub fn steps(trace: &[Event]) -> Vec<Step> {
    let lowest = trace.iter().filter(|event| event.kind() != Kind::Search).map(|event| event.depth).min().unwrap_or(0);
    let mut steps = Steps::new(lowest);
    trace.iter().for_each(|event| steps.push(event));
    steps.finish()
}
