//! The helpers of a root search, each suspended in the middle of its search, and their turns.

use super::helper::{Helper, Task};
use super::outcome::SearchCounters;
use super::pace::Baton;
use super::schedule::Turns;
use super::search::POLL;
use super::stop::Stop;
use super::threads::Threads;
use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};

/// Bytes of a helper's stack: those of a thread. Pages that are never reached take no memory.
const STACK: usize = 2 << 20;

/// Memory that a helper usually takes: its stack, moves, variations and what it learns.
pub const HELPER_BYTES: u64 = 512 << 10;

/// A searcher that is suspended between its turns.
pub trait Suspended {
    /// Runs a turn of so many nodes, or ends the search with 0 nodes.
    fn resume(&mut self, nodes: u64) -> Turn;
}

/// The end of a helper's turn.
pub enum Turn {
    /// It has more to search; what it has counted so far.
    Over(SearchCounters),
    /// Its search is over; what it has counted.
    Ended(Box<Helper>, SearchCounters),
}

/// A helper on a stack of its own.
pub struct Routine(Coroutine<u64, SearchCounters, (Box<Helper>, SearchCounters)>);

impl Routine {
    /// A helper that waits for its first turn.
    pub fn suspend(mut helper: Box<Helper>, task: Task) -> Box<dyn Suspended> {
        // Like any other collection that finds no memory.
        let stack =
            DefaultStack::new(STACK).unwrap_or_else(|error| panic!("no memory for a searcher's stack: {error}"));
        Box::new(Self(Coroutine::with_stack(stack, move |yielder, nodes| {
            let count = helper.run(&task, &mut OwnTurn { yielder, first: Some(nodes) });
            (helper, count)
        })))
    }
}

impl Suspended for Routine {
    fn resume(&mut self, nodes: u64) -> Turn {
        match self.0.resume(nodes) {
            CoroutineResult::Yield(count) => Turn::Over(count),
            CoroutineResult::Return((helper, count)) => Turn::Ended(helper, count),
        }
    }
}

/// A helper's view of the turns.
struct OwnTurn<'y> {
    yielder: &'y Yielder<u64, SearchCounters>,
    /// The nodes of the first turn, with which the helper was started.
    first: Option<u64>,
}

impl Baton for OwnTurn<'_> {
    fn pass(&mut self, count: &SearchCounters) -> u64 {
        self.first.take().unwrap_or_else(|| self.yielder.suspend(*count))
    }
}

/// A helper between two of its turns, or after its last one.
enum Place {
    Searching(Box<dyn Suspended>),
    Ended(Box<Helper>),
}

/// The helpers, from the main searcher's side: between two of its turns they have theirs.
pub struct Crew<'a> {
    places: Vec<Place>,
    /// What each helper has counted in this search.
    counts: Vec<SearchCounters>,
    /// Of that, what earlier iterations of the main searcher had.
    reported: SearchCounters,
    turns: Turns,
    /// Whose turn it is, and the nodes left of it.
    turn: (usize, u64),
    /// The main searcher's nodes in this iteration when it last went on, and when it stops next.
    main: (u64, u64),
    /// Nodes that all together may still enter.
    nodes_left: u64,
    stop: Stop<'a>,
    /// The stop signal is checked when so many nodes are left.
    next_poll: u64,
}

impl<'a> Crew<'a> {
    /// Prepares the helpers; none of them searches before the main searcher passes its turn.
    /// `nodes`: the limit for all together.
    pub fn new(options: Threads, helpers: Vec<Box<dyn Suspended>>, nodes: Option<u64>, stop: Stop<'a>) -> Self {
        Self {
            counts: vec![SearchCounters::default(); helpers.len()],
            places: helpers.into_iter().map(Place::Searching).collect(),
            reported: SearchCounters::default(),
            turns: Turns::new(options),
            turn: (0, 0),
            main: (0, 0),
            nodes_left: nodes.unwrap_or(u64::MAX),
            stop,
            next_poll: u64::MAX,
        }
    }

    /// Ends an iteration of the main searcher, in which it counted `main` nodes; the rest of its
    /// turn is for the next one. Returns what the helpers counted meanwhile.
    pub fn end_iteration(&mut self, main: u64) -> SearchCounters {
        let (begin, end) = std::mem::take(&mut self.main);
        self.nodes_left -= main - begin;
        self.turn.1 += end - main;
        let mut all = SearchCounters::default();
        self.counts.iter().for_each(|&count| all += count);
        let meanwhile = all - self.reported;
        self.reported = all;
        meanwhile
    }

    /// Ends all searches and returns the helpers, each in the box in which its stack had it.
    #[allow(clippy::vec_box)]
    pub fn end(self) -> Vec<Box<Helper>> {
        let end = |place| match place {
            Place::Ended(helper) => helper,
            Place::Searching(mut suspended) => loop {
                if let Turn::Ended(helper, _) = suspended.resume(0) {
                    return helper;
                }
            },
        };
        self.places.into_iter().map(end).collect()
    }

    fn is_stopped(&mut self) -> bool {
        if self.nodes_left > self.next_poll {
            return false;
        }
        self.next_poll = self.nodes_left.saturating_sub(POLL);
        self.stop.is_set()
    }

    /// Lets a helper search so many nodes.
    fn resume(&mut self, helper: usize, nodes: u64) {
        let Place::Searching(suspended) = &mut self.places[helper] else {
            self.turn.1 = 0;
            return;
        };
        let before = self.counts[helper].nodes;
        match suspended.resume(nodes) {
            Turn::Over(count) => self.counts[helper] = count,
            Turn::Ended(ended, count) => {
                self.counts[helper] = count;
                self.places[helper] = Place::Ended(ended);
            }
        }
        self.nodes_left -= self.counts[helper].nodes - before;
    }
}

impl Baton for Crew<'_> {
    fn pass(&mut self, count: &SearchCounters) -> u64 {
        self.nodes_left -= count.nodes - self.main.0;
        self.main = (count.nodes, count.nodes);
        while self.nodes_left > 0 && !self.is_stopped() {
            if self.turn.1 == 0 {
                let searcher = self.turns.next();
                self.turn = (searcher, self.turns.quantum(searcher));
            }
            let nodes = self.turn.1.min(POLL).min(self.nodes_left);
            self.turn.1 -= nodes;
            match self.turn.0 {
                0 => {
                    self.main.1 += nodes;
                    return nodes;
                }
                helper => self.resume(helper - 1, nodes),
            }
        }
        0
    }
}

#[cfg(test)]
mod tests;
