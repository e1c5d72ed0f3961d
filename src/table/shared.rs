//! One table for several searchers of an engine: each has a handle, and the table knows who wrote
//! which entry.

use super::entered::Entered;
use super::flight::InFlight;
use super::ownership::{Ownership, ThreadCounters};
use super::tear::{Found, Tear, Torn};
use super::{Entry, Hit, Occupancy, ShadowCounters, StoreOutcome, Table, TableCounters};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The table, who wrote which entry, and where all searchers are.
struct Shared {
    table: Box<dyn Table>,
    owners: Ownership,
    flight: InFlight,
    entered: Entered,
    torn: Option<Torn>,
    counters: ThreadCounters,
}

/// The table as one searcher sees it. Calls lock the table, so that handles may be used on several
/// threads.
pub struct SharedTable {
    shared: Arc<Mutex<Shared>>,
    searcher: u8,
}

impl SharedTable {
    /// Wraps an empty table and returns the handles of so many searchers, that of the main one
    /// first. `seed`: of the stores that `tear` tears.
    #[must_use]
    pub fn handles(mut table: Box<dyn Table>, searchers: usize, tear: Tear, seed: u64) -> Vec<Box<dyn Table>> {
        table.number_entries();
        let owners = Ownership::new(table.occupancy().slots as usize);
        let (flight, entered) = (InFlight::default(), Entered::default());
        let (torn, counters) = (Torn::new(tear, seed), ThreadCounters::default());
        let shared = Arc::new(Mutex::new(Shared { table, owners, flight, entered, torn, counters }));
        let handle = |searcher| Self { shared: Arc::clone(&shared), searcher: searcher as u8 };
        (0..searchers).map(|searcher| Box::new(handle(searcher)) as Box<dyn Table>).collect()
    }

    /// A searcher that panics ends its search; the table is then not used again.
    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table for SharedTable {
    fn probe(&mut self, key: u64, depth: u8) -> Option<Hit> {
        let mut shared = self.lock();
        let Shared { table, owners, flight, entered, torn, counters } = &mut *shared;
        entered.visit(self.searcher, None);
        counters.in_flight += u64::from(flight.is_elsewhere(key, self.searcher));
        torn.iter_mut().for_each(|torn| torn.call(self.searcher));
        let mut hit = table.probe(key, depth)?;
        match torn.as_mut().map_or(Found::Whole, |torn| torn.read(hit.slot, &hit.entry, self.searcher)) {
            Found::Whole => {}
            Found::Accepted(entry) => {
                (counters.torn_reads, counters.torn_accepted) = (counters.torn_reads + 1, counters.torn_accepted + 1);
                let Entry { generation, used, .. } = hit.entry;
                hit = Hit { entry: Entry { generation, used, ..entry }, draft: i32::from(entry.depth), ..hit };
            }
            Found::Rejected => {
                counters.torn_reads += 1;
                return None;
            }
        }
        counters.count_hit(hit.age, owners.read(hit.slot, self.searcher));
        entered.visit(self.searcher, Some(hit.slot));
        Some(hit)
    }

    fn store(&mut self, key: u64, entry: Entry) -> StoreOutcome {
        let mut shared = self.lock();
        let stored = shared.table.store(key, entry);
        let Shared { owners, entered, torn, counters, .. } = &mut *shared;
        owners.cover(stored.slot + usize::from(stored.moved) + 1);
        owners.store(stored, self.searcher, entry.depth, counters);
        entered.store(stored, key);
        entered.visit(self.searcher, (stored.same || !stored.refused).then_some(stored.slot));
        if let Some(torn) = torn {
            torn.call(self.searcher);
            counters.torn += u64::from(torn.store(stored, entry, self.searcher));
        }
        stored
    }

    fn cutoff(&mut self, hit: &Hit) {
        let mut shared = self.lock();
        if shared.owners.is_foreign(hit.slot, self.searcher) {
            shared.counters.foreign_cutoffs += 1;
            shared.counters.foreign_saved += u64::from(hit.entry.nodes);
        }
        shared.table.cutoff(hit);
    }

    fn missed(&mut self, hit: &Hit) {
        self.lock().table.missed(hit);
    }

    /// Nothing: locking the table would cost more than the prefetch saves.
    fn prefetch(&self, _: u64) {}

    fn advance(&mut self, ticks: u16) {
        self.lock().table.advance(ticks);
    }

    fn clear(&mut self) {
        let mut shared = self.lock();
        shared.table.clear();
        shared.owners.clear();
        shared.entered.clear();
        shared.torn.iter_mut().for_each(Torn::clear);
    }

    fn renew(&mut self) {
        let mut shared = self.lock();
        shared.table.renew();
        shared.owners.clear();
        shared.entered.clear();
        shared.torn.iter_mut().for_each(Torn::renew);
    }

    fn is_elsewhere(&mut self, key: u64) -> bool {
        let mut shared = self.lock();
        let there = shared.flight.is_elsewhere(key, self.searcher);
        shared.counters.avoided += u64::from(there);
        there
    }

    fn enter(&mut self, key: u64, depth: u8) {
        self.lock().entered.enter(self.searcher, key, depth);
    }

    fn leave(&mut self, key: u64, depth: u8) {
        self.lock().entered.leave(key, depth);
    }

    fn is_entered(&mut self, key: u64, depth: u8) -> bool {
        let mut shared = self.lock();
        let there = shared.entered.is_entered(key, depth);
        shared.counters.avoided += u64::from(there);
        there
    }

    fn suspend(&mut self, path: &[u64]) {
        self.lock().flight.suspend(self.searcher, path);
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

    fn number_entries(&mut self) {}

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

    fn thread_counters(&self) -> ThreadCounters {
        self.lock().counters
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
