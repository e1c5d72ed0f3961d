//! The virtual threads of a root search. Between its turns, each helper is suspended in the middle
//! of its search.

use super::helper::{Helper, Task};
use super::outcome::SearchCounters;
use super::pace::{Baton, Team};
use super::search::POLL;
use super::stop::Stop;
use super::threads::{Schedule, Threads};
use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// The size of a helper's stack in bytes, which is that of a thread's stack. Pages that are never
/// touched use no memory.
const STACK: usize = 2 << 20;

/// Typical memory use of a helper: its stack, moves, variations and move-ordering heuristics.
pub const HELPER_BYTES: u64 = 512 << 10;

/// A helper that runs as a coroutine, on its own stack. It is resumed with the nodes of its turn,
/// which are 0 if it must end its search. Each turn ends with the helper's counters since the start
/// of the root search.
type HelperCoroutine = Coroutine<u64, SearchCounters, (Box<Helper>, SearchCounters)>;

/// Turns a helper into a suspended coroutine. The helper starts its search in its first turn.
fn suspend(mut helper: Box<Helper>, task: Task) -> HelperCoroutine {
    let stack = DefaultStack::new(STACK).unwrap_or_else(|error| panic!("no memory for a searcher's stack: {error}"));
    Coroutine::with_stack(stack, move |yielder, first_nodes| {
        let counters = helper.run(&task, &mut CoroutineBaton { yielder, first_nodes: Some(first_nodes) });
        (helper, counters)
    })
}

/// The baton of a helper that runs as a coroutine. Passing the baton suspends the coroutine.
struct CoroutineBaton<'y> {
    yielder: &'y Yielder<u64, SearchCounters>,
    /// The nodes of the first turn, until the helper has taken them.
    first_nodes: Option<u64>,
}

impl Baton for CoroutineBaton<'_> {
    fn pass(&mut self, counters: &SearchCounters) -> u64 {
        // In the first call, the helper takes the nodes of its first turn and is not suspended.
        match self.first_nodes.take() {
            Some(nodes) => nodes,
            None => self.yielder.suspend(*counters),
        }
    }
}

enum HelperState {
    Searching(HelperCoroutine),
    Finished(Box<Helper>),
}

/// The helpers of a root search. They have their turns while the main searcher waits for its next
/// turn.
pub struct Crew<'a> {
    helpers: Vec<HelperState>,
    /// The counters of each helper since the start of the root search.
    counts: Vec<SearchCounters>,
    options: Threads,
    random: Pcg64,
    /// The number of the searcher whose turn it is. The main searcher is 0.
    current_searcher: usize,
    turn_nodes_left: u64,
    /// The main searcher's node count in this iteration when it was last resumed.
    main_resumed_at: u64,
    /// The main searcher's node count in this iteration at which it passes the baton again.
    main_node_limit: u64,
    /// The number of nodes that are left of the limit for all searchers together.
    nodes_left: u64,
    stop: Stop<'a>,
    /// The stop signal is checked next when `nodes_left` has fallen to this number.
    next_poll: u64,
}

impl<'a> Crew<'a> {
    /// Creates a crew of helpers with the same task. No helper searches before the main searcher
    /// passes the baton. `node_limit` applies to all searchers together.
    #[allow(clippy::vec_box)]
    pub fn new(
        options: &Threads,
        helpers: Vec<Box<Helper>>,
        task: &Task,
        node_limit: Option<u64>,
        stop: Stop<'a>,
    ) -> Self {
        Self {
            counts: vec![SearchCounters::default(); helpers.len()],
            helpers: helpers.into_iter().map(|helper| HelperState::Searching(suspend(helper, task.clone()))).collect(),
            options: options.clone(),
            random: Pcg64::seed_from_u64(options.seed),
            // The main searcher, which has the number 0, comes after the last helper.
            current_searcher: options.count as usize - 1,
            turn_nodes_left: 0,
            main_resumed_at: 0,
            main_node_limit: 0,
            nodes_left: node_limit.unwrap_or(u64::MAX),
            stop,
            next_poll: u64::MAX,
        }
    }

    /// Ends the searches of all helpers. Returns the helpers.
    #[allow(clippy::vec_box)]
    pub fn end(self) -> Vec<Box<Helper>> {
        let end_search = |state| match state {
            HelperState::Finished(helper) => helper,
            HelperState::Searching(mut suspended) => loop {
                // A turn of 0 nodes tells the helper to end its search.
                if let CoroutineResult::Return((helper, _)) = suspended.resume(0) {
                    return helper;
                }
            },
        };
        self.helpers.into_iter().map(end_search).collect()
    }

    /// Whether the search was stopped from outside. The stop signal is checked only once every
    /// [`POLL`] nodes.
    fn is_stopped(&mut self) -> bool {
        if self.nodes_left > self.next_poll {
            return false;
        }
        self.next_poll = self.nodes_left.saturating_sub(POLL);
        self.stop.is_set()
    }

    /// Resumes a helper for `nodes` nodes. If the helper has finished, the rest of its turn is
    /// dropped.
    fn resume_helper(&mut self, helper_index: usize, nodes: u64) {
        let HelperState::Searching(suspended) = &mut self.helpers[helper_index] else {
            self.turn_nodes_left = 0;
            return;
        };
        let nodes_before = self.counts[helper_index].nodes;
        let counters = match suspended.resume(nodes) {
            CoroutineResult::Yield(counters) => counters,
            CoroutineResult::Return((finished, counters)) => {
                self.helpers[helper_index] = HelperState::Finished(finished);
                counters
            }
        };
        self.counts[helper_index] = counters;
        self.nodes_left -= counters.nodes - nodes_before;
    }
}

impl Team for Crew<'_> {
    fn end_iteration(&mut self, main_nodes: u64) -> Vec<SearchCounters> {
        self.nodes_left -= main_nodes - self.main_resumed_at;
        self.turn_nodes_left += self.main_node_limit - main_nodes;
        // The main searcher counts its nodes from 0 in each iteration.
        (self.main_resumed_at, self.main_node_limit) = (0, 0);
        self.counts.clone()
    }
}

impl Baton for Crew<'_> {
    fn pass(&mut self, counters: &SearchCounters) -> u64 {
        self.nodes_left -= counters.nodes - self.main_resumed_at;
        (self.main_resumed_at, self.main_node_limit) = (counters.nodes, counters.nodes);
        while self.nodes_left > 0 && !self.is_stopped() {
            if self.turn_nodes_left == 0 {
                self.current_searcher = match self.options.schedule {
                    Schedule::RoundRobin => (self.current_searcher + 1) % self.options.count as usize,
                    Schedule::Random => self.random.random_range(0..self.options.count) as usize,
                };
                self.turn_nodes_left = self.options.quantum.into();
            }
            let nodes = self.turn_nodes_left.min(POLL).min(self.nodes_left);
            self.turn_nodes_left -= nodes;
            match self.current_searcher {
                0 => {
                    self.main_node_limit += nodes;
                    return nodes;
                }
                helper_number => self.resume_helper(helper_number - 1, nodes),
            }
        }
        // The limit or the stop signal ends the main searcher's search.
        0
    }
}

#[cfg(test)]
mod tests;
