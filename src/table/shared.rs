//! One table for several searchers of an engine: each has a handle, and the table knows who wrote
//! which entry.

use super::{Entry, Hit, Occupancy, ShadowCounters, StoreOutcome, Table, TableCounters};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

crate::counters! {
    /// Counts of several searchers that share a table. The table counts what is foreign, the
    /// engine the rest.
    pub struct ThreadCounters {
        /// Time, if each node takes as long: nodes of all searchers divided by their number. The
        /// speed-up of several searchers is the ticks of one, divided by theirs.
        ticks,
        /// Of the nodes, those of helpers.
        helper_nodes,
        /// Table hits whose entry another searcher wrote last.
        foreign_hits,
        /// Of those, ended their node.
        foreign_cutoffs,
        /// Worth of those cutoffs: nodes of the subtrees stored with the entries, as in
        /// `search.saved`.
        foreign_saved,
    }
}

/// The table and the last writer of each slot.
struct Shared {
    table: Box<dyn Table>,
    writers: Vec<u8>,
    counters: ThreadCounters,
}

/// The table as one searcher sees it. Calls lock the table, so that handles may be used on several
/// threads.
#[derive(Clone)]
pub struct SharedTable {
    shared: Arc<Mutex<Shared>>,
    searcher: u8,
}

impl SharedTable {
    /// Wraps an empty table; the handle is that of searcher 0.
    #[must_use]
    pub fn new(mut table: Box<dyn Table>) -> Self {
        table.number_slots();
        let writers = vec![0; table.occupancy().slots as usize];
        let shared = Shared { table, writers, counters: ThreadCounters::default() };
        Self { shared: Arc::new(Mutex::new(shared)), searcher: 0 }
    }

    /// The handle of another searcher.
    #[must_use]
    pub fn handle(&self, searcher: u8) -> Self {
        Self { shared: Arc::clone(&self.shared), searcher }
    }

    /// Counts of all searchers since the table was created.
    #[must_use]
    pub fn foreign(&self) -> ThreadCounters {
        self.lock().counters
    }

    /// A searcher that panics ends its search; the table is then not used again.
    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shared {
    /// Whether another searcher wrote the entry of a hit.
    fn is_foreign(&self, hit: &Hit, searcher: u8) -> bool {
        self.writers.get(hit.slot).is_some_and(|&writer| writer != searcher)
    }
}

impl Table for SharedTable {
    fn probe(&mut self, key: u64, depth: u8) -> Option<Hit> {
        let mut shared = self.lock();
        let hit = shared.table.probe(key, depth)?;
        shared.counters.foreign_hits += u64::from(shared.is_foreign(&hit, self.searcher));
        Some(hit)
    }

    fn store(&mut self, key: u64, entry: Entry) -> StoreOutcome {
        let mut shared = self.lock();
        let stored = shared.table.store(key, entry);
        if !stored.refused {
            let last = stored.slot + usize::from(stored.moved);
            if last >= shared.writers.len() {
                shared.writers.resize(last + 1, 0);
            }
            shared.writers.copy_within(stored.slot..last, stored.slot + 1);
            shared.writers[stored.slot] = self.searcher;
        }
        stored
    }

    fn cutoff(&mut self, hit: &Hit) {
        let mut shared = self.lock();
        if shared.is_foreign(hit, self.searcher) {
            shared.counters.foreign_cutoffs += 1;
            shared.counters.foreign_saved += u64::from(hit.entry.nodes);
        }
        shared.table.cutoff(hit);
    }

    /// Nothing: locking the table would cost more than the prefetch saves.
    fn prefetch(&self, _: u64) {}

    fn advance(&mut self, ticks: u16) {
        self.lock().table.advance(ticks);
    }

    fn clear(&mut self) {
        self.lock().table.clear();
    }

    fn renew(&mut self) {
        self.lock().table.renew();
    }

    fn counts_stored_nodes(&self) -> bool {
        self.lock().table.counts_stored_nodes()
    }

    fn last_offer(&mut self, key: u64, depth: u8) -> Option<Entry> {
        self.lock().table.last_offer(key, depth)
    }

    fn identify(&mut self, check: u64) {
        self.lock().table.identify(check);
    }

    fn number_slots(&mut self) {}

    fn mark_used(&mut self, hit: &Hit) {
        self.lock().table.mark_used(hit);
    }

    fn shadow(&self) -> ShadowCounters {
        self.lock().table.shadow()
    }

    fn now(&self) -> u16 {
        self.lock().table.now()
    }

    fn counters(&self) -> TableCounters {
        self.lock().table.counters()
    }

    fn occupancy(&self) -> Occupancy {
        self.lock().table.occupancy()
    }

    fn for_each(&self, visit: &mut dyn FnMut(&Entry)) {
        self.lock().table.for_each(visit);
    }

    fn huge_pages(&self) -> Option<bool> {
        self.lock().table.huge_pages()
    }
}
