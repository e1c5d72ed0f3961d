//! A table that several searchers of an engine share. Each searcher has its own handle, and the
//! table records which searcher wrote which entry.

use super::flight::InFlight;
use super::ownership::{Ownership, ThreadCounters};
use super::{Entry, Hit, Occupancy, StoreOutcome, Table, TableCounters};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A table, and which searcher wrote each of its entries.
struct Part {
    table: Box<dyn Table>,
    owners: Ownership,
}

/// The data that all handles share. There is one part for all searchers or one part for each
/// searcher.
struct Shared {
    parts: Vec<Part>,
    paths: InFlight,
    counters: ThreadCounters,
}

/// One searcher's handle of the table. Each call locks the shared data, so that handles may be used
/// on several threads.
pub struct SharedTable {
    shared: Arc<Mutex<Shared>>,
    searcher: u8,
}

impl Shared {
    /// Returns the part that a searcher uses, and the counters of all searchers.
    fn part(&mut self, searcher: u8) -> (&mut Part, &mut ThreadCounters) {
        let index = usize::from(searcher).min(self.parts.len() - 1);
        (&mut self.parts[index], &mut self.counters)
    }

    fn table(&mut self, searcher: u8) -> &mut dyn Table {
        &mut *self.part(searcher).0.table
    }
}

impl SharedTable {
    /// Wraps empty tables and returns one handle for each of `searchers` searchers. The first
    /// handle is that of the main searcher. `tables` contains one table for all searchers or one
    /// table for each searcher.
    pub fn handles(tables: Vec<Box<dyn Table>>, searchers: usize) -> Vec<Box<dyn Table>> {
        let create_part = |mut table: Box<dyn Table>| {
            table.start_numbering_entries();
            let owners = Ownership::new(table.occupancy().slots as usize);
            Part { table, owners }
        };
        let parts = tables.into_iter().map(create_part).collect();
        let (paths, counters) = (InFlight::default(), ThreadCounters::default());
        let shared = Arc::new(Mutex::new(Shared { parts, paths, counters }));
        let create_handle = |searcher| Self { shared: Arc::clone(&shared), searcher: searcher as u8 };
        (0..searchers).map(|searcher| Box::new(create_handle(searcher)) as Box<dyn Table>).collect()
    }

    /// Locks the shared data. A poisoned lock is used like any other lock, because the search ends
    /// and the table is not used again if a searcher panics.
    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table for SharedTable {
    fn probe(&mut self, key: u64, depth: u8) -> Option<Hit> {
        let mut shared = self.lock();
        let is_in_flight = shared.paths.is_on_other_path(key, self.searcher);
        let (Part { table, owners }, counters) = shared.part(self.searcher);
        counters.in_flight += u64::from(is_in_flight);
        let hit = table.probe(key, depth)?;
        let is_foreign = owners.record_hit(hit.slot, self.searcher);
        counters.count_hit(hit.age, is_foreign);
        Some(hit)
    }

    fn store(&mut self, key: u64, entry: Entry) -> StoreOutcome {
        let mut shared = self.lock();
        let (Part { table, owners }, counters) = shared.part(self.searcher);
        let stored = table.store(key, entry);
        owners.grow_to(stored.slot + usize::from(stored.moved) + 1);
        owners.record_store(stored, self.searcher, entry.depth, counters);
        stored
    }

    fn cutoff(&mut self, hit: &Hit) {
        let mut shared = self.lock();
        let (part, counters) = shared.part(self.searcher);
        if part.owners.is_foreign(hit.slot, self.searcher) {
            counters.foreign_cutoffs += 1;
            counters.foreign_saved += u64::from(hit.entry.nodes);
        }
        part.table.cutoff(hit);
    }

    fn missed(&mut self, hit: &Hit) {
        self.lock().table(self.searcher).missed(hit);
    }

    /// Does nothing, because locking the table would cost more than the prefetch saves.
    fn prefetch(&self, _: u64) {}

    fn advance(&mut self, ticks: u16) {
        self.lock().parts.iter_mut().for_each(|part| part.table.advance(ticks));
    }

    fn clear(&mut self) {
        for Part { table, owners } in &mut self.lock().parts {
            table.clear();
            owners.clear();
        }
    }

    fn renew(&mut self) {
        for Part { table, owners } in &mut self.lock().parts {
            table.renew();
            owners.clear();
        }
    }

    fn suspend(&mut self, path: &[u64]) {
        self.lock().paths.record_path(self.searcher, path);
    }

    fn counts_stored_nodes(&self) -> bool {
        self.lock().table(self.searcher).counts_stored_nodes()
    }

    fn last_offer(&mut self, key: u64, depth: u8) -> Option<Entry> {
        self.lock().table(self.searcher).last_offer(key, depth)
    }

    fn now(&self) -> u16 {
        self.lock().table(self.searcher).now()
    }

    fn counters(&self) -> TableCounters {
        let mut total = TableCounters::default();
        self.lock().parts.iter().for_each(|part| total += part.table.counters());
        total
    }

    fn thread_counters(&self) -> ThreadCounters {
        self.lock().counters
    }

    fn occupancy(&self) -> Occupancy {
        let mut total = Occupancy::default();
        for Occupancy { slots, occupied, current, bytes } in self.lock().parts.iter().map(|part| part.table.occupancy())
        {
            total.slots += slots;
            total.occupied += occupied;
            total.current += current;
            total.bytes += bytes;
        }
        total
    }

    fn for_each(&self, visit: &mut dyn FnMut(&Entry)) {
        self.lock().parts.iter().for_each(|part| part.table.for_each(visit));
    }

    fn huge_pages(&self) -> Option<bool> {
        self.lock().table(self.searcher).huge_pages()
    }
}
