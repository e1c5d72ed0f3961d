//! Searchers on threads of the system: who is faster is up to it.

use super::helper::{Helper, Task};
use super::outcome::SearchCounters;
use super::pace::{Baton, Team};
use super::schedule::Record;
use super::search::POLL;
use super::stop::Stop;
use super::threads::Threads;
use super::vote::{Answers, Completed};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::Scope;

/// What the searchers of a root search know of each other.
pub struct Common<'s> {
    stop: Stop<'s>,
    /// Whether the main searcher is ready, or a helper has failed.
    over: AtomicBool,
    /// Nodes that all together may still enter.
    nodes_left: AtomicU64,
    /// The turns so far, in the order in which they began, if they are recorded.
    record: Option<Mutex<Record>>,
    helpers: Mutex<(Vec<SearchCounters>, Answers)>,
}

impl<'s> Common<'s> {
    /// `nodes`: the limit for all together; `record`: whether the turns are recorded.
    pub fn new(options: &Threads, nodes: Option<u64>, stop: Stop<'s>, record: bool) -> Self {
        let helpers = options.count as usize - 1;
        let known = (vec![SearchCounters::default(); helpers], Answers::new(options.answer, helpers));
        let (over, nodes_left) = (AtomicBool::new(false), AtomicU64::new(nodes.unwrap_or(u64::MAX)));
        Self { stop, over, nodes_left, record: record.then(Mutex::default), helpers: Mutex::new(known) }
    }

    /// The turns, if they were recorded.
    pub fn into_record(self) -> Option<Record> {
        self.record.map(|record| record.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    fn helpers(&self) -> MutexGuard<'_, (Vec<SearchCounters>, Answers)> {
        self.helpers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nodes that a searcher may enter now; 0: the search is over.
    fn grant(&self, searcher: usize) -> u64 {
        if self.over.load(Ordering::Relaxed) || self.stop.is_set() {
            return 0;
        }
        let take = |left: u64| Some(left - left.min(POLL));
        let left = self.nodes_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).unwrap_or(0);
        if let Some(record) = self.record.as_ref().filter(|_| left > 0) {
            record.lock().unwrap_or_else(PoisonError::into_inner).push(searcher, left.min(POLL));
        }
        left.min(POLL)
    }

    /// Starts a helper; it is returned when the search is over.
    pub fn start<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        mut helper: Box<Helper>,
        task: Task,
    ) -> std::thread::ScopedJoinHandle<'scope, Box<Helper>> {
        let number = usize::from(helper.number) - 1;
        let run = move || {
            let _failed = EndOnPanic(self);
            helper.run(&task, &mut Turn { common: self, helper: number });
            helper
        };
        // Like any other collection that finds no memory.
        let started = std::thread::Builder::new().spawn_scoped(scope, run);
        started.unwrap_or_else(|error| panic!("no thread for a searcher: {error}"))
    }
}

/// Ends the search of all where one fails.
struct EndOnPanic<'c, 's>(&'c Common<'s>);

impl Drop for EndOnPanic<'_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.over.store(true, Ordering::Relaxed);
        }
    }
}

/// A helper's view of the others.
struct Turn<'c, 's> {
    common: &'c Common<'s>,
    helper: usize,
}

impl Baton for Turn<'_, '_> {
    fn pass(&mut self, count: &SearchCounters) -> u64 {
        self.common.helpers().0[self.helper] = *count;
        self.common.grant(self.helper + 1)
    }

    fn complete(&mut self, completed: Completed) {
        self.common.helpers().1.note(self.helper, Some(completed));
    }
}

/// The helpers, from the main searcher's side; the search is over when it is dropped.
pub struct RealCrew<'c, 's> {
    common: &'c Common<'s>,
    /// Of what the helpers counted, what earlier iterations had.
    reported: SearchCounters,
    /// The main searcher's nodes in this iteration up to which it may go on.
    granted: u64,
}

impl<'c, 's> RealCrew<'c, 's> {
    pub fn new(common: &'c Common<'s>) -> Self {
        Self { common, reported: SearchCounters::default(), granted: 0 }
    }
}

impl Drop for RealCrew<'_, '_> {
    fn drop(&mut self) {
        self.common.over.store(true, Ordering::Relaxed);
    }
}

impl Team for RealCrew<'_, '_> {
    fn begin_iteration(&mut self, depth: u8) {
        self.common.helpers().1.begin_iteration(depth);
    }

    fn answer(&self, main: Option<Completed>) -> Option<Completed> {
        self.common.helpers().1.decide(main)
    }

    fn end_iteration(&mut self, main: u64) -> SearchCounters {
        self.common.nodes_left.fetch_add(std::mem::take(&mut self.granted) - main, Ordering::Relaxed);
        let mut all = SearchCounters::default();
        self.common.helpers().0.iter().for_each(|&count| all += count);
        let meanwhile = all - self.reported;
        self.reported = all;
        meanwhile
    }
}

impl Baton for RealCrew<'_, '_> {
    fn pass(&mut self, count: &SearchCounters) -> u64 {
        if self.common.helpers().1.first().is_some() {
            return 0;
        }
        let nodes = self.common.grant(0);
        self.granted = count.nodes + nodes;
        nodes
    }
}
