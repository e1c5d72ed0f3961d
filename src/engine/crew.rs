//! The helpers of a root search, each suspended in the middle of its search, and their turns.

use super::helper::{Helper, Task};
use super::outcome::SearchCounters;
use super::pace::{Baton, Team};
use super::schedule::{Record, Turns};
use super::search::POLL;
use super::stop::Stop;
use super::threads::Threads;
use super::vote::{Answers, Completed};
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

/// What a helper has counted so far, and the last iteration that it completed in its turn.
pub struct Report {
    pub count: SearchCounters,
    pub completed: Option<Completed>,
}

/// The end of a helper's turn.
pub enum Turn {
    /// It has more to search.
    Over(Report),
    /// Its search is over.
    Ended(Box<Helper>, Report),
}

/// A helper on a stack of its own.
pub struct Routine(Coroutine<u64, Report, (Box<Helper>, Report)>);

impl Routine {
    /// A helper that waits for its first turn.
    pub fn suspend(mut helper: Box<Helper>, task: Task) -> Box<dyn Suspended> {
        // Like any other collection that finds no memory.
        let stack =
            DefaultStack::new(STACK).unwrap_or_else(|error| panic!("no memory for a searcher's stack: {error}"));
        Box::new(Self(Coroutine::with_stack(stack, move |yielder, nodes| {
            let mut turn = OwnTurn { yielder, first: Some(nodes), completed: None };
            let count = helper.run(&task, &mut turn);
            (helper, Report { count, completed: turn.completed })
        })))
    }
}

impl Suspended for Routine {
    fn resume(&mut self, nodes: u64) -> Turn {
        match self.0.resume(nodes) {
            CoroutineResult::Yield(report) => Turn::Over(report),
            CoroutineResult::Return((helper, report)) => Turn::Ended(helper, report),
        }
    }
}

/// A helper's view of the turns.
struct OwnTurn<'y> {
    yielder: &'y Yielder<u64, Report>,
    /// The nodes of the first turn, with which the helper was started.
    first: Option<u64>,
    completed: Option<Completed>,
}

impl Baton for OwnTurn<'_> {
    fn pass(&mut self, count: &SearchCounters) -> u64 {
        match self.first.take() {
            Some(nodes) => nodes,
            None => self.yielder.suspend(Report { count: *count, completed: self.completed.take() }),
        }
    }

    fn complete(&mut self, completed: Completed) {
        self.completed = Some(completed);
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
    answers: Answers,
    /// Of what they counted, what earlier iterations of the main searcher had.
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
    /// `nodes`: the limit for all together; `record`: whether the turns are recorded.
    pub fn new(
        options: &Threads,
        helpers: Vec<Box<dyn Suspended>>,
        nodes: Option<u64>,
        stop: Stop<'a>,
        record: bool,
    ) -> Self {
        Self {
            counts: vec![SearchCounters::default(); helpers.len()],
            answers: Answers::new(options.answer, helpers.len()),
            places: helpers.into_iter().map(Place::Searching).collect(),
            reported: SearchCounters::default(),
            turns: Turns::new(options, record),
            turn: (0, 0),
            main: (0, 0),
            nodes_left: nodes.unwrap_or(u64::MAX),
            stop,
            next_poll: u64::MAX,
        }
    }

    /// Ends all searches and returns the helpers, each in the box in which its stack had it, and
    /// the turns, if they were recorded.
    #[allow(clippy::vec_box)]
    pub fn end(self) -> (Vec<Box<Helper>>, Option<Record>) {
        let end = |place| match place {
            Place::Ended(helper) => helper,
            Place::Searching(mut suspended) => loop {
                if let Turn::Ended(helper, _) = suspended.resume(0) {
                    return helper;
                }
            },
        };
        (self.places.into_iter().map(end).collect(), self.turns.into_record())
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
        let report = match suspended.resume(nodes) {
            Turn::Over(report) => report,
            Turn::Ended(ended, report) => {
                self.places[helper] = Place::Ended(ended);
                report
            }
        };
        self.counts[helper] = report.count;
        self.answers.note(helper, report.completed);
        self.nodes_left -= self.counts[helper].nodes - before;
    }
}

impl Team for Crew<'_> {
    fn begin_iteration(&mut self, depth: u8) {
        self.answers.begin_iteration(depth);
    }

    fn answer(&self, main: Option<Completed>) -> Option<Completed> {
        self.answers.decide(main)
    }

    fn end_iteration(&mut self, main: u64) -> SearchCounters {
        let (begin, end) = std::mem::take(&mut self.main);
        self.nodes_left -= main - begin;
        self.turn.1 += end - main;
        let mut all = SearchCounters::default();
        self.counts.iter().for_each(|&count| all += count);
        let meanwhile = all - self.reported;
        self.reported = all;
        meanwhile
    }
}

impl Baton for Crew<'_> {
    fn pass(&mut self, count: &SearchCounters) -> u64 {
        self.nodes_left -= count.nodes - self.main.0;
        self.main = (count.nodes, count.nodes);
        while self.nodes_left > 0 && self.answers.first().is_none() && !self.is_stopped() {
            if self.turn.1 == 0 {
                self.turn = self.turns.next();
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
