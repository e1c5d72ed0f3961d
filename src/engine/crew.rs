//! The virtual threads of a root search: each helper is suspended in the middle of its search until
//! its next turn.

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

/// Size of a helper's stack in bytes, as for a thread. Pages that are never touched use no memory.
const STACK: usize = 2 << 20;

/// Typical memory use of a helper: its stack, moves, variations and move-ordering heuristics.
pub const HELPER_BYTES: u64 = 512 << 10;

/// A helper that is suspended between its turns.
pub trait Suspended {
    /// Runs the helper for a turn of `nodes` nodes; 0 makes it end its search.
    fn resume(&mut self, nodes: u64) -> TurnEnd;
}

/// A helper's state at the end of its turn.
pub struct Report {
    /// The helper's counters since the start of the root search.
    pub counters: SearchCounters,
    /// The last iteration that the helper completed in this turn, if any.
    pub completed: Option<Completed>,
}

pub enum TurnEnd {
    /// The turn is used up; the helper's search continues in its next turn.
    Paused(Report),
    /// The helper's search has ended. Returns the helper.
    Finished(Box<Helper>, Report),
}

/// A helper that runs as a coroutine, on its own stack.
pub struct HelperCoroutine(Coroutine<u64, Report, (Box<Helper>, Report)>);

impl HelperCoroutine {
    /// Prepares a helper; its search starts in its first turn.
    pub fn suspend(mut helper: Box<Helper>, task: Task) -> Box<dyn Suspended> {
        let stack =
            DefaultStack::new(STACK).unwrap_or_else(|error| panic!("no memory for a searcher's stack: {error}"));
        Box::new(Self(Coroutine::with_stack(stack, move |yielder, first_nodes| {
            let mut baton = CoroutineBaton { yielder, first_nodes: Some(first_nodes), completed: None };
            let counters = helper.run(&task, &mut baton);
            (helper, Report { counters, completed: baton.completed })
        })))
    }
}

impl Suspended for HelperCoroutine {
    fn resume(&mut self, nodes: u64) -> TurnEnd {
        match self.0.resume(nodes) {
            CoroutineResult::Yield(report) => TurnEnd::Paused(report),
            CoroutineResult::Return((helper, report)) => TurnEnd::Finished(helper, report),
        }
    }
}

/// The baton of a helper that runs as a coroutine: passing it suspends the coroutine.
struct CoroutineBaton<'y> {
    yielder: &'y Yielder<u64, Report>,
    /// The nodes of the first turn, with which the coroutine was started.
    first_nodes: Option<u64>,
    /// The last iteration that the helper completed in this turn.
    completed: Option<Completed>,
}

impl Baton for CoroutineBaton<'_> {
    fn pass(&mut self, counters: &SearchCounters) -> u64 {
        // The coroutine was started with the nodes of its first turn.
        match self.first_nodes.take() {
            Some(nodes) => nodes,
            None => self.yielder.suspend(Report { counters: *counters, completed: self.completed.take() }),
        }
    }

    fn complete(&mut self, completed: Completed) {
        self.completed = Some(completed);
    }
}

/// The state of a helper outside its turns.
enum HelperState {
    Searching(Box<dyn Suspended>),
    Finished(Box<Helper>),
}

/// The helpers of a root search. The main searcher lets them have their turns when it passes the
/// baton.
pub struct Crew<'a> {
    helpers: Vec<HelperState>,
    /// The counters of each helper since the start of the root search.
    counts: Vec<SearchCounters>,
    answers: Answers,
    /// The sum of the helpers' counters at the end of the last iteration.
    reported: SearchCounters,
    turns: Turns,
    /// The searcher whose turn it is; 0 is the main one.
    searcher: usize,
    /// Nodes left of this turn.
    turn_left: u64,
    /// The main searcher's nodes in this iteration when it was last resumed.
    main_resumed_at: u64,
    /// The main searcher's node count at which it passes the baton again.
    main_stops_at: u64,
    /// Nodes left of the limit for all searchers together.
    nodes_left: u64,
    stop: Stop<'a>,
    /// The stop signal is checked when `nodes_left` has fallen to this number.
    next_poll: u64,
}

impl<'a> Crew<'a> {
    /// Prepares the helpers; none of them searches before the main searcher passes the baton.
    /// `nodes`: the limit for all searchers together; `record`: whether to record the turns.
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
            helpers: helpers.into_iter().map(HelperState::Searching).collect(),
            reported: SearchCounters::default(),
            turns: Turns::new(options, record),
            searcher: 0,
            turn_left: 0,
            main_resumed_at: 0,
            main_stops_at: 0,
            nodes_left: nodes.unwrap_or(u64::MAX),
            stop,
            next_poll: u64::MAX,
        }
    }

    /// Ends all searches. Returns the helpers and, if they were recorded, the turns.
    #[allow(clippy::vec_box)]
    pub fn end(self) -> (Vec<Box<Helper>>, Option<Record>) {
        let end_search = |state| match state {
            HelperState::Finished(helper) => helper,
            HelperState::Searching(mut suspended) => loop {
                // 0 nodes: the search must end.
                if let TurnEnd::Finished(helper, _) = suspended.resume(0) {
                    return helper;
                }
            },
        };
        (self.helpers.into_iter().map(end_search).collect(), self.turns.into_record())
    }

    /// Whether the search was stopped from outside. Checks the signal once every [`POLL`] nodes.
    fn is_stopped(&mut self) -> bool {
        if self.nodes_left > self.next_poll {
            return false;
        }
        self.next_poll = self.nodes_left.saturating_sub(POLL);
        self.stop.is_set()
    }

    /// Lets a helper search for `nodes` nodes. A helper that has finished gives up its turn.
    fn resume(&mut self, helper: usize, nodes: u64) {
        let HelperState::Searching(suspended) = &mut self.helpers[helper] else {
            self.turn_left = 0;
            return;
        };
        let nodes_before = self.counts[helper].nodes;
        let report = match suspended.resume(nodes) {
            TurnEnd::Paused(report) => report,
            TurnEnd::Finished(finished, report) => {
                self.helpers[helper] = HelperState::Finished(finished);
                report
            }
        };
        self.counts[helper] = report.counters;
        self.answers.note(helper, report.completed);
        self.nodes_left -= report.counters.nodes - nodes_before;
    }
}

impl Team for Crew<'_> {
    fn begin_iteration(&mut self, depth: u8) {
        self.answers.begin_iteration(depth);
    }

    fn answer(&self, main: Option<Completed>) -> Option<Completed> {
        self.answers.decide(main)
    }

    fn end_iteration(&mut self, main_nodes: u64) -> SearchCounters {
        self.nodes_left -= main_nodes - self.main_resumed_at;
        self.turn_left += self.main_stops_at - main_nodes;
        // The main searcher counts its nodes from 0 in each iteration.
        (self.main_resumed_at, self.main_stops_at) = (0, 0);
        let mut total = SearchCounters::default();
        self.counts.iter().for_each(|&count| total += count);
        let since_last_report = total - self.reported;
        self.reported = total;
        since_last_report
    }
}

impl Baton for Crew<'_> {
    fn pass(&mut self, counters: &SearchCounters) -> u64 {
        self.nodes_left -= counters.nodes - self.main_resumed_at;
        (self.main_resumed_at, self.main_stops_at) = (counters.nodes, counters.nodes);
        while self.nodes_left > 0 && self.answers.early_answer().is_none() && !self.is_stopped() {
            if self.turn_left == 0 {
                (self.searcher, self.turn_left) = self.turns.next();
            }
            let nodes = self.turn_left.min(POLL).min(self.nodes_left);
            self.turn_left -= nodes;
            match self.searcher {
                // The main searcher.
                0 => {
                    self.main_stops_at += nodes;
                    return nodes;
                }
                number => self.resume(number - 1, nodes),
            }
        }
        // The search must end.
        0
    }
}

#[cfg(test)]
mod tests;
