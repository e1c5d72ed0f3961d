//! Searchers on operating-system threads. The operating system decides how fast each searcher is,
//! so counts are not repeatable.

use super::helper::{Helper, Task};
use super::outcome::SearchCounters;
use super::pace::{Baton, Team};
use super::search::POLL;
use super::stop::Stop;
use super::threads::Threads;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::Scope;

/// The state that the searchers of a root search share.
pub struct Shared<'s> {
    stop: Stop<'s>,
    /// Set when the main searcher has finished or a helper has panicked. All searchers then end.
    ended: AtomicBool,
    /// The number of nodes that are left of the limit for all searchers together.
    nodes_left: AtomicU64,
    /// The counters of each helper since the start of the root search.
    counts: Mutex<Vec<SearchCounters>>,
}

impl<'s> Shared<'s> {
    /// Creates the state for a root search. `node_limit` applies to all searchers together.
    pub fn new(options: &Threads, node_limit: Option<u64>, stop: Stop<'s>) -> Self {
        Self {
            stop,
            ended: AtomicBool::new(false),
            nodes_left: AtomicU64::new(node_limit.unwrap_or(u64::MAX)),
            counts: Mutex::new(vec![SearchCounters::default(); options.count as usize - 1]),
        }
    }

    fn counts(&self) -> MutexGuard<'_, Vec<SearchCounters>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Grants a searcher up to [`POLL`] more nodes and subtracts them from `nodes_left`. Returns
    /// the number of granted nodes, which is 0 if the search must end.
    fn grant(&self) -> u64 {
        if self.ended.load(Ordering::Relaxed) || self.stop.is_set() {
            return 0;
        }
        // The closure always returns `Some`, so the update cannot fail.
        let take_grant = |left: u64| Some(left - left.min(POLL));
        let left_before = self.nodes_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take_grant).unwrap_or(0);
        left_before.min(POLL)
    }

    /// Starts a helper on its own thread. The thread returns the helper when the search is over.
    pub fn start<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        mut helper: Box<Helper>,
        task: Task,
    ) -> std::thread::ScopedJoinHandle<'scope, Box<Helper>> {
        let helper_index = usize::from(helper.searcher_number) - 1;
        let run = move || {
            let _end_on_panic = EndOnPanic(self);
            helper.run(&task, &mut HelperBaton { shared: self, helper_index });
            helper
        };
        let thread = std::thread::Builder::new().spawn_scoped(scope, run);
        thread.unwrap_or_else(|error| panic!("no thread for a searcher: {error}"))
    }
}

/// Ends the searches of all searchers if the thread that owns this value panics.
struct EndOnPanic<'c, 's>(&'c Shared<'s>);

impl Drop for EndOnPanic<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.ended.store(true, Ordering::Relaxed);
        }
    }
}

struct HelperBaton<'c, 's> {
    shared: &'c Shared<'s>,
    /// The index of the helper, from 0.
    helper_index: usize,
}

impl Baton for HelperBaton<'_, '_> {
    fn pass(&mut self, counters: &SearchCounters) -> u64 {
        self.shared.counts()[self.helper_index] = *counters;
        self.shared.grant()
    }
}

/// The helpers, as the main searcher sees them. Dropping this value ends the search of all
/// searchers.
pub struct RealCrew<'c, 's> {
    shared: &'c Shared<'s>,
    /// The main searcher's node count in this iteration at which it passes the baton again.
    main_node_limit: u64,
}

impl<'c, 's> RealCrew<'c, 's> {
    pub fn new(shared: &'c Shared<'s>) -> Self {
        Self { shared, main_node_limit: 0 }
    }
}

impl Drop for RealCrew<'_, '_> {
    fn drop(&mut self) {
        self.shared.ended.store(true, Ordering::Relaxed);
    }
}

impl Team for RealCrew<'_, '_> {
    fn end_iteration(&mut self, main_nodes: u64) -> Vec<SearchCounters> {
        let unused_nodes = std::mem::take(&mut self.main_node_limit) - main_nodes;
        self.shared.nodes_left.fetch_add(unused_nodes, Ordering::Relaxed);
        self.shared.counts().clone()
    }
}

impl Baton for RealCrew<'_, '_> {
    fn pass(&mut self, counters: &SearchCounters) -> u64 {
        let nodes = self.shared.grant();
        self.main_node_limit = counters.nodes + nodes;
        nodes
    }
}
